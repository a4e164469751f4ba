"""What a control puts in front of a question: the expected facts, or the whole history, in one fixed wording. Pure.

A change of the wording is a new version, since answers to another wording are answers to another question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from foldproof.cases import Case
from foldproof.logs import History, Session, Turn
from foldproof.matching import Fact

CONTEXT_VERSION = "context/1"
LONGEST = 2_000_000
"""Characters of a history that are put into one prompt; beyond that no model of today reads on."""
ContextKind = Literal["oracle", "full"]
_HEADINGS: dict[ContextKind, str] = {"oracle": "What is known:", "full": "What was said before:"}


@dataclass(frozen=True, slots=True)
class Context:
    """What is put in front of a question. `history` holds it as turns, for an agent that reads no prompt."""

    kind: ContextKind
    history: History

    def before(self, question: str) -> str:
        """The message: a heading, one line a fact or a turn, and the question."""
        return f"{self._block()}\n\nQuestion: {question}"

    @property
    def size(self) -> int:
        """Characters that stand in front of the question."""
        return len(self._block())

    def _block(self) -> str:
        lines = [_HEADINGS[self.kind]]
        for session in self.history.sessions:
            if self.kind == "full":
                lines.append(f"[{session.id}, {session.at}]" if session.at else f"[{session.id}]")
            lines += [
                f"- {turn.text}" if self.kind == "oracle" else f"{turn.role}: {turn.text}" for turn in session.turns
            ]
        return "\n".join(lines)


def context_of(case: Case, kind: ContextKind, history: History | None) -> Context | None:
    """What this control puts in front of the case's question; None where that is nothing.

    A case that is to admit its ignorance is told nothing by the oracle. Where `context_gap` has a reason the case
    cannot have this control, and None says nothing.
    """
    if kind == "full":
        return None if history is None else Context(kind, history)
    written = [written_fact(fact) for fact in case.mentions]
    if case.abstain or not written:
        return None
    turns = tuple(Turn("user", text) for text in written if text is not None)
    return Context(kind, History("oracle", (Session("known", turns),)))


def context_gap(case: Case, kind: ContextKind, history: History | None) -> str:
    """Why a case cannot have this control, or empty where it can."""
    if case.sessions:
        return "it has sessions, and no one question that something could be put in front of"
    if kind == "full":
        if history is None:
            return "no history is named that could be put into the prompt"
        size = Context(kind, history).size
        return f"the history has {size:,} characters, more than the {LONGEST:,} of one prompt" if size > LONGEST else ""
    if case.abstain:
        return ""
    if case.expect and not case.mentions:
        return "it expects no fact that could be told, only calls"
    unwritten = [fact.label for fact in case.mentions if written_fact(fact) is None]
    return f"a pattern cannot be written down: '{unwritten[0]}'" if unwritten else ""


def written_fact(fact: Fact) -> str | None:
    """The fact in words, of several alternatives the first that has some; None for a pattern, which has none."""
    if fact.kind == "any":
        return next((text for text in map(written_fact, fact.any) if text is not None), None)
    return None if fact.kind == "pattern" else fact.text
