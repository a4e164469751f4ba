"""The compactor `http`: an address that takes a text and a budget as JSON, and answers with a text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from foldproof.agents.compactors.answers import WHO, compacted_of
from foldproof.agents.compactors.setup import CompactorSetup
from foldproof.agents.endpoint import Endpoint, headers_of, is_address
from foldproof.agents.errors import AgentError
from foldproof.compaction import Compacted
from foldproof.core import UsageError


class HttpCompactor:
    """An address as a compactor: `POST {"text", "budget"}`, answered by `{"text"}`.

    Redirections are not followed, cookies not kept. No key is sent but that which `api_key_env` names.
    """

    def __init__(self, settings: Mapping[str, Any], setup: CompactorSetup) -> None:
        setup.allow(settings, "http", "headers", "api_key_env")
        self.name = setup.name
        url = settings.get("http", "")
        if not is_address(url):
            raise UsageError(
                f"{setup.place}: its `http` is {url!r}, where a URL is expected\n"
                "  for instance http://localhost:8000/compact"
            )
        key = settings.get("api_key_env", "")
        headers, redact = headers_of(settings.get("headers"), key or None, setup.environ, setup.place, usual="")
        self._endpoint = Endpoint(url, headers, redact, setup.pool, usual_key="")

    async def compact(self, text: str, budget: int) -> Compacted:
        """What the address answers.

        Raises:
            AgentError: where there is no answer, one that says that it failed, or none with a text.
        """
        body = await self._endpoint.post("", json.dumps({"text": text, "budget": budget}))
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as error:
            told = body.decode("utf-8", "replace")[:200]
            raise self._endpoint.safe(AgentError(f"{WHO} answered what is not JSON: {told!r}")) from error
        if not isinstance(answer, dict):
            raise AgentError(f"{WHO} answered {type(answer).__name__}, where a JSON object is expected")
        try:
            return compacted_of(answer)
        except AgentError as error:
            raise self._endpoint.safe(error) from None
