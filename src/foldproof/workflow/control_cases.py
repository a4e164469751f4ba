"""Which cases can have a control, what is said of those that cannot, and what a control asks them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from foldproof.cases import Case, Configuration, ReplaySet
from foldproof.compare import asked_hash
from foldproof.core import NothingSelectedError, content_hash
from foldproof.record.records import Control
from foldproof.run import CONTEXT_VERSION, control_gap
from foldproof.run.context import written_fact

CONTROL_NAMES: dict[Control, str] = {
    "unplugged": "unplugged control",
    "oracle": "oracle",
    "full": "full context",
    "live": "live control",
}
"""What each control is called in sentences."""
_TOLD: dict[Control, str] = {
    "oracle": "the expected facts stood in front of each question",
    "full": "the whole history stood in front of each question",
}
_RECALLED: dict[Control, str] = {"oracle": "the expected facts themselves", "full": "the whole history"}


def fit_cases(replay_set: ReplaySet, cases: Iterable[Case], control: Control) -> tuple[Case, ...]:
    """The cases that can have this control; all of them where it is none.

    Raises:
        NothingSelectedError: where no case can.
    """
    chosen = tuple(cases)
    fit = tuple(case for case in chosen if not control_gap(case, control, histories=replay_set.histories))
    if not fit and chosen:
        reason = control_gap(chosen[0], control, histories=replay_set.histories)
        raise NothingSelectedError(
            f"nothing selected: no case can have the control `{control}`; the first, {chosen[0].id}: {reason}"
        )
    return fit


def gap_notes(replay_set: ReplaySet, cases: Iterable[Case], control: Control) -> tuple[str, ...]:
    """One sentence a reason why cases have no such control, with their ids."""
    lacking: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        if reason := control_gap(case, control, histories=replay_set.histories):
            lacking[reason].append(case.id)
    name = CONTROL_NAMES.get(control, "")
    return tuple(f"no {name} for {', '.join(ids)}: {reason}" for reason, ids in lacking.items())


def wording_note(configuration: Configuration, control: Control) -> tuple[str, ...]:
    """What the agent was given in place of its memory, where it was given something."""
    if control == "live":
        return ("live control: the user's messages of the frozen turns were said anew, one after the other",)
    if control not in _TOLD:
        return ()
    if configuration.adapter == "recall":
        return (f"`recall` reads no prompt: under the {CONTROL_NAMES[control]} its answers are {_RECALLED[control]}",)
    return (f"{CONTROL_NAMES[control]}: {_TOLD[control]} ({CONTEXT_VERSION}), with the memory cut off",)


def asked_under(case: Case, replay_set: ReplaySet, control: Control) -> str:
    """Hash of what the agent is asked; that of the oracle holds the facts that it is told."""
    asked = asked_hash(case, replay_set)
    if control != "oracle":
        return asked
    return content_hash([asked, CONTEXT_VERSION, [written_fact(fact) for fact in case.mentions]])
