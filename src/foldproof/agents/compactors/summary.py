"""The compactor `summary`: a model behind an OpenAI-compatible endpoint, asked with a named prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldproof.agents.compactors.prompts import asked, prompt_of
from foldproof.agents.compactors.setup import CompactorSetup
from foldproof.agents.errors import AgentError, TransientError
from foldproof.agents.memories.summarizing import summarized
from foldproof.agents.model import chat_of
from foldproof.agents.usage import summed
from foldproof.compaction import Compacted
from foldproof.core import UsageError, nearest_of
from foldproof.logs import Usage


class SummaryCompactor:
    """A model as a compactor: each round is one call. The budget stands in the prompt; nothing holds the model to it.

    An empty text, a refusal, an error message or a placeholder is no summary: the round is an error.
    """

    def __init__(self, settings: Mapping[str, Any], setup: CompactorSetup) -> None:
        setup.allow(settings, "summary", "model")
        self.name = setup.name
        model = _model_of(settings.get("model"), setup)
        self._template = prompt_of(str(settings.get("summary", "plain")), setup.root, setup.place)
        self._chat = chat_of(model, setup.environ, setup.pool, place=setup.place)

    async def compact(self, text: str, budget: int) -> Compacted:
        """What the model writes.

        Raises:
            TransientError: where another attempt may fare better.
        """
        used: list[Usage | None] = []
        try:
            done = await summarized(self._chat, asked(self._template, text, budget), used.append)
        except TransientError:
            raise
        except AgentError as error:
            return Compacted("", error=str(error), usage=(summed(used) or Usage()) if used else None)
        return Compacted(done.text.strip(), notes=done.notes, usage=done.usage or Usage())


def _model_of(given: Any, setup: CompactorSetup) -> Mapping[str, Any]:  # noqa: ANN401  # any value of a file
    """The settings of a model: written out, or those of the configuration of that name.

    Raises:
        UsageError: where there are none.
    """
    from foldproof.cases import expand  # brings the YAML reader, which the door does not need

    if isinstance(given, str) and given:
        if given not in setup.configs:
            close = nearest_of(given, setup.configs)
            raise UsageError(f"{setup.place}: its `model` names the unknown configuration '{given}'\n  {close}")
        given = expand(setup.configs[given].model, setup.environ, f"configs.{given}.model")
    if not isinstance(given, Mapping) or not given:
        raise UsageError(
            f"{setup.place}: a summary is written by a model, and it has none\n"
            '  write `model: {base_url: http://localhost:11434/v1, name: "qwen2.5:7b", temperature: 0}` beside it,\n'
            "  or the name of a configuration that has one: `model: production`"
        )
    return given
