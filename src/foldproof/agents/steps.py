"""A program that is sent steps, one JSON object a line, and answers each with one: agents and memories alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import anyio

from foldproof.agents.errors import AgentError, TransientError, UnsupportedError
from foldproof.agents.process import AgentProcess
from foldproof.agents.shapes import may_pass


class Steps:
    """The steps of one process. They are sent one after the other, each answered before the next."""

    def __init__(self, process: AgentProcess) -> None:
        self.process = process
        self._lock = anyio.Lock()

    async def send(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one step; an answer that it is unsupported comes back as it is.

        Raises:
            AgentError: where the program fails, says that it failed, or answers no JSON object.
        """
        who = self.process.who
        # ASCII: some readers, Node's among them, also end a line at U+2028.
        line = json.dumps(step).encode()
        async with self._lock:
            raw = await self.process.exchange(line)
        try:
            answer = json.loads(raw)
        except (ValueError, RecursionError) as error:
            self.process.kill()  # what the next line would answer is anybody's guess
            text = raw.decode("utf-8", "replace")[:200]
            what = f"{who} answered `{step['do']}` with a line that is not JSON: {text!r}"
            what += "\n  standard output is for answers alone: write everything else to standard error"
            raise AgentError(what + self.process.tail) from error
        if not isinstance(answer, dict):
            text = raw.decode("utf-8", "replace")[:200]
            raise AgentError(f"{who} answered `{step['do']}` with {text!r}, where an object is expected")
        if answer.get("error"):
            message = answer["error"] if isinstance(answer["error"], str) else json.dumps(answer["error"])
            text = f"{who} failed at `{step['do']}`: {message}"
            raise (TransientError if answer.get("transient") is True or may_pass(message) else AgentError)(text)
        return answer

    async def supported(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """As `send`, for a step that the program must know.

        Raises:
            UnsupportedError: where it answers that it does not, with its reason where it gives one.
        """
        answer = await self.send(step)
        if answer.get("unsupported"):
            why = answer["unsupported"]
            reason = f": {why}" if isinstance(why, str) else ""
            raise UnsupportedError(f"{self.process.who} does not support `{step['do']}`{reason}")
        return answer
