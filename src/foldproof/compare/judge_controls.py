"""What the controls of a judge come to: how many wrong answers it lets pass, and whether it may gate. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from foldproof.compare.statistics import Rates
from foldproof.compare.statistics.screening import LEAST_YOUDEN
from foldproof.record import VerdictWord

STATED = "stated"


@dataclass(frozen=True, slots=True)
class ControlVerdict:
    """What a judge said of one control. `kind` is `stated` for an answer that states the fact; None is no verdict."""

    kind: str
    case: str
    fact: str
    verdict: VerdictWord | None


@dataclass(frozen=True, slots=True)
class ControlRates:
    """A judge against answers of which it is known whether they state the fact.

    `passed` and `of` count by kind what has a verdict; `fooled` names the facts of which a wrong answer passed.
    """

    passed: Counter[str]
    of: Counter[str]
    unjudged: int
    fooled: tuple[str, ...] = ()

    @property
    def rates(self) -> Rates:
        """As a screening test: the stated answers are the positives; "cannot tell" passes nothing."""
        wrong = [kind for kind in self.of if kind != STATED]
        negatives = sum(self.of[kind] for kind in wrong)
        passes = sum(self.passed[kind] for kind in wrong)
        return Rates(self.passed[STATED], self.of[STATED], negatives - passes, negatives)

    @property
    def may_not_gate(self) -> str:
        """Why a judge with these rates decides nothing; empty where it may."""
        youden = self.rates.youden
        if youden is None:
            return "its false-pass rate was never measured: none of its negative controls has a verdict"
        if youden < LEAST_YOUDEN:
            return f"it does not tell answers that state the fact from wrong ones ({self})"
        return ""

    def __str__(self) -> str:
        rates = self.rates
        if self.unjudged and not self.of:
            return f"it gave no verdict on any of the {self.unjudged} answers made to measure it"
        kinds = ", ".join(
            f"{kind} {self.passed[kind]} of {self.of[kind]}" for kind in sorted(self.of) if kind != STATED
        )
        wrong = f"it lets {rates.negatives - rates.refusals} of {rates.negatives} wrong answers pass ({kinds})"
        failed = f"; on {self.unjudged} it gave no verdict" if self.unjudged else ""
        return f"{wrong} and {rates.hits} of {rates.positives} that state the fact{failed}"


def control_rates(verdicts: Iterable[ControlVerdict]) -> ControlRates:
    """Count what a judge said of its controls; one without a verdict counts for nothing and is told."""
    known = list(verdicts)
    told = [verdict for verdict in known if verdict.verdict is not None]
    passing = [verdict for verdict in told if verdict.verdict == "met"]
    fooled = dict.fromkeys(f"{verdict.case}: {verdict.fact}" for verdict in passing if verdict.kind != STATED)
    return ControlRates(
        Counter(verdict.kind for verdict in passing),
        Counter(verdict.kind for verdict in told),
        len(known) - len(told),
        tuple(fooled),
    )
