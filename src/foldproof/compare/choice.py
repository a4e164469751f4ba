"""Which of the answerable cases become a set: a few of every class, user and topic, half of them canaries. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from foldproof.cases import CLASSES

_CANARY = "canary"


@dataclass(frozen=True, slots=True)
class Answerable:
    """A case that fails without its memory and passes with it.

    `asked` counts how often it was asked. `ago` are the turns after the earliest one that it rests on, None where it
    names no source. `stable` says that it passed in each of two trials or more.
    """

    id: str
    case_class: str
    user: str = ""
    topic: str = ""
    asked: int = 1
    ago: int | None = None
    stable: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """A case that was chosen, whether as a canary, and why."""

    id: str
    canary: bool
    why: str


@dataclass(slots=True)
class _Counts:
    classes: Counter[str]
    users: Counter[str]
    topics: Counter[str]

    def of(self, case: Answerable) -> tuple[int, int, int]:
        return self.classes[case.case_class], self.users[case.user], self.topics[case.topic]

    def take(self, case: Answerable) -> None:
        self.classes[case.case_class] += 1
        self.users[case.user] += 1
        self.topics[case.topic] += 1


def choose_cases(cases: Sequence[Answerable], most: int) -> tuple[Chosen, ...]:
    """Choose up to `most` cases, in the order in which they are taken.

    Each is of the class that has the fewest so far, then of such a user, then of such a topic; of equals the one that
    was asked most often, then the first. Then half of them become canaries, where they are stable: see `_canaries`.
    """
    left, counts = list(cases), _Counts(Counter(), Counter(), Counter())
    taken: list[tuple[Answerable, str]] = []
    while left and len(taken) < most:
        case = min(left, key=lambda one: (*counts.of(one), -one.asked))
        left.remove(case)
        taken.append((case, _why(case, counts, cases)))
        counts.take(case)
    canaries = _canaries([case for case, _ in taken])
    told = {case.id: ", ".join(filter(None, (why, canaries.get(case.id)))) for case, why in taken}
    return tuple(Chosen(case_id, case_id in canaries, why) for case_id, why in told.items())


def _why(case: Answerable, counts: _Counts, cases: Iterable[Answerable]) -> str:
    of_class, of_user, of_topic = counts.of(case)
    size = sum(one.case_class == case.case_class for one in cases)
    told = [f"{case.case_class} {of_class + 1} of {size}"]
    if case.user:
        told.append(f"{_nth(of_user)} of {case.user}")
    if case.topic:
        told.append(f"{_nth(of_topic)} on '{case.topic}'")
    if case.asked > 1:
        told.append(f"asked {case.asked} times")
    return ", ".join(told)


def _nth(before: int) -> str:
    return "first" if before == 0 else f"number {before + 1}"


def _canaries(taken: Sequence[Answerable]) -> dict[str, str]:
    """The canaries among the chosen, each with its reason: those that the set has, else half of the chosen.

    A canary must pass before and after a fold, so it is the stable case whose words were said last. They are taken from
    the class that has the fewest, of such from the largest, of such from the least strict; every class keeps one case.
    """
    own = [case for case in taken if case.case_class == _CANARY]
    if own:
        return {case.id: "was a canary" for case in own}
    found: dict[str, str] = {}
    left, given = Counter(case.case_class for case in taken), Counter[str]()

    def order(case: Answerable) -> tuple[int, int, int, bool, int]:
        name = case.case_class
        return given[name], -left[name], -_place(name), case.ago is None, case.ago or 0

    while len(found) < len(taken) // 2:
        fit = [case for case in taken if case.stable and case.id not in found and left[case.case_class] > 1]
        if not fit:
            break
        case = min(fit, key=order)
        found[case.id] = "stable" if case.ago is None else f"stable, said {case.ago} turns before"
        left[case.case_class] -= 1
        given[case.case_class] += 1
    return found


def _place(name: str) -> int:
    return CLASSES.index(name) if name in CLASSES else len(CLASSES)
