"""The memory `triage`: each sentence typed by rules, the constraints kept word for word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from foldproof import compaction
from foldproof.agents.errors import AgentError
from foldproof.agents.memories.compacting import Compacting
from foldproof.agents.memories.memory import Resources
from foldproof.agents.memories.text import line_head, passages_in, turns_of
from foldproof.compaction import KnowledgeType, Policy, Selection, Verbatim, policies_of, sentences_of, type_of
from foldproof.core.settings import Setting, mapping, text
from foldproof.logs import History, MemoryItem

_WHOLE: Mapping[KnowledgeType, Policy] = dict.fromkeys(compaction.CLASS_OF, Verbatim())


class Triage(Compacting):
    """Knowledge triage (`foldproof.compaction.Triage`) over the sentences of the turns, typed by its rules.

    Unless `policies` names another treatment of a type, a sentence is kept whole or not at all. A budget that cannot
    hold every constraint and every procedure is unsafe: with `unsafe: keep` a note begins with `unsafe:`, with
    `unsafe: error` folding and recalling fail. The ids are those of the turns with the number of the sentence:
    `s12.t3#2`.
    """

    kind: ClassVar[str] = "triage"
    defaults: ClassVar[Mapping[str, Setting | int]] = {
        "budget": 2000,
        "policies": mapping(),
        "unsafe": text("keep", allowed=("keep", "error")),
    }

    def __init__(self, settings: Mapping[str, Any], resources: Resources) -> None:
        super().__init__(settings, resources)
        policies = policies_of(self.settings["policies"], owner="memory 'triage'", usual=_WHOLE)
        self._triage = compaction.Triage(policies=policies)

    def read(self, history: History) -> tuple[MemoryItem, ...]:
        """The sentences of the turns, each with its type as the item's kind."""
        return tuple(
            MemoryItem(
                f"{line_head(session)}{turn.role}: {sentence}",
                id=f"{session.id}.t{number}#{part}",
                kind=type_of(sentence),
            )
            for session, number, turn in turns_of(history)
            for part, sentence in enumerate(sentences_of(turn.text), 1)
        )

    def select(self, items: Sequence[MemoryItem], room: int) -> Selection:
        """Lane by lane, until the room is used.

        Raises:
            AgentError: where the budget is unsafe, and the setting says that this is an error.
        """
        types = [cast("KnowledgeType", item.kind) for item in items]
        found = self._triage.select(passages_in(items), types, room=room)
        if found.shortage and self.settings["unsafe"] == "error":
            raise AgentError(f"memory 'triage': unsafe: {found.shortage.told}: {found.shortage.remedy}")
        return found
