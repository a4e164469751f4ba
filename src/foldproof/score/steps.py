"""A session as steps: what each side said, did and was told, in order, each with its turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from foldproof.logs import Called, ImportedSession, Said

StepKind = Literal["said", "thought", "called", "result"]
"""`result` is what a tool answered where the log does not show the call apart from the message before it."""
_TALK = frozenset({"said", "interim"})


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened in a session; the steps of a session count from 1.

    `turn` counts the agent's turns from 1: all that one agent does between two messages of the user, or of other
    agents where several are told apart; it is 0 for a step that is not the agent's. `text` is what was said, or what
    the tool answered; `answered` is False for a call whose result the log does not hold. `place` is the log's own id.
    `talk` counts what was said so far, by user and agent, as in a history that is imported.
    """

    number: int
    kind: StepKind
    by_agent: bool
    text: str
    speaker: str = ""
    name: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False
    answered: bool = True
    turn: int = 0
    place: str = ""
    talk: int = 0

    @property
    def label(self) -> str:
        """What kind of step it is, for counting: the tool, the agent's name, or `reply`, `thought`, `user`."""
        if self.kind in {"called", "result"}:
            return self.name or "(a tool without a name)"
        if not self.by_agent:
            return "user"
        return self.speaker or ("thought" if self.kind == "thought" else "reply")


def steps_of(session: ImportedSession) -> tuple[Step, ...]:
    """The steps of a session. What a program put in, commands, folds and memory operations are none.

    A memory operation that is a tool call is there as that call.
    """
    steps: list[Step] = []
    turn, talk, last = 0, 0, ""
    for entry in session.entries:
        found = _step(entry, len(steps) + 1)
        if found is None:
            continue
        talk += isinstance(entry, Said) and entry.kind == "said"
        step = replace(found, talk=talk)
        if step.by_agent:
            if last != f"agent {step.speaker}":
                turn += 1
                last = f"agent {step.speaker}"
            step = replace(step, turn=turn)
        elif step.kind == "said":
            last = ""
        steps.append(step)
    return tuple(steps)


def agent_steps(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps that are the agent's: those at which a session can go wrong."""
    return tuple(step for step in steps if step.by_agent)


def _step(entry: object, number: int) -> Step | None:
    if isinstance(entry, Said) and entry.role in {"user", "agent"} and entry.kind in _TALK | {"thought"}:
        kind: StepKind = "thought" if entry.kind == "thought" else "said"
        return Step(number, kind, entry.role == "agent", entry.text, entry.speaker, place=entry.id)
    if isinstance(entry, Called):
        return Step(
            number,
            "result" if entry.by == "tool" else "called",
            entry.by == "agent",
            entry.result or "",
            name=entry.name,
            args=entry.args,
            failed=entry.failed,
            answered=entry.result is not None,
            place=entry.id,
        )
    return None
