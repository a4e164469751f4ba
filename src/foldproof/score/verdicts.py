"""What the stored verdicts of a judge make of a judged fact. Pure: no judge is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from foldproof.cases import Case
from foldproof.core import REDACTED
from foldproof.matching import Text, quoted_at
from foldproof.record import Claim, JudgeVerdict, Trial, VerdictWord

_LONGEST_MARKED = 100_000
"""Characters of an answer in which a quotation is marked."""
NOT_JUDGED = "the set's judge has no verdict on it in the store"


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a person decided of a claim on which two judges disagreed; it counts before any judge's verdict."""

    verdict: VerdictWord
    quotation: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What became of a judged fact. `spans` are those of the quotation in the answer, half-open."""

    outcome: Literal["held", "missed", "error"]
    reason: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What one judge said, by the hash of the claim, and what a person settled.

    `judge` names it, empty for none. `repeats` is how often each claim must have been judged. `barred` says why this
    judge decides nothing, whatever it said; empty where it may.
    """

    judge: str = ""
    said: Mapping[str, tuple[JudgeVerdict, ...]] = field(default_factory=dict)
    repeats: int = 1
    settled: Mapping[str, Settlement] = field(default_factory=dict)
    barred: str = ""

    def missing(self, claim: Claim) -> tuple[int, ...]:
        """The repeats of a claim that are without a verdict; a failure of the judge is none."""
        if not claim.answer.strip() or claim.sha256 in self.settled:
            return ()
        there = {verdict.slot for verdict in self.said.get(claim.sha256, ()) if verdict.verdict is not None}
        return tuple(slot for slot in range(self.repeats) if slot not in there)

    def word(self, claim: Claim) -> VerdictWord | None:
        """The one verdict on a claim; None where there is none, or more than one."""
        if not claim.answer.strip():
            return "not met"
        if claim.sha256 in self.settled:
            return self.settled[claim.sha256].verdict
        words = {verdict.verdict for verdict in self._counting(claim)}
        return words.pop() if len(words) == 1 and not self.missing(claim) else None

    def quotation(self, claim: Claim) -> str:
        """What the verdict on a claim quotes of the answer, or empty."""
        if claim.sha256 in self.settled:
            return self.settled[claim.sha256].quotation
        return next((verdict.quotation for verdict in self._counting(claim)), "")

    def reason(self, claim: Claim) -> str:
        """What the judge says of its verdict in its own words, or empty."""
        if claim.sha256 in self.settled:
            return ""
        return next((verdict.reason for verdict in self._counting(claim) if verdict.reason), "")

    def ruling(self, claim: Claim) -> Ruling:
        """What the verdicts come to.

        Neither "cannot tell", nor a failure of the judge, nor verdicts that contradict each other, nor any of a judge
        that may not gate are a judgement. An empty answer states nothing, and no judge is asked about it.
        """
        if not claim.answer.strip():
            return Ruling("missed", "the answer is empty")
        word = self.word(claim)
        if word is None:
            return Ruling("error", self._why_none(claim))
        if self.barred and claim.sha256 not in self.settled:
            return Ruling("error", self.barred)
        if REDACTED in claim.answer and word != "met":
            return Ruling("error", "a part of the answer was redacted, and the fact may stand in it")
        who = "a person" if claim.sha256 in self.settled else "the judge"
        told = f": {reason}" if (reason := self.reason(claim)) else ""
        if word == "cannot tell":
            return Ruling("error", f"{who} cannot tell{told}")
        if word == "not met":
            return Ruling("missed", f"{who} says not met{told}")
        quotation = self.quotation(claim)
        text = Text(claim.answer)
        spans = quoted_at(quotation, text) if len(claim.answer) <= _LONGEST_MARKED else ()
        quoted = f": “{quotation}”" if quotation else ""
        return Ruling("held", f"{who} says met{quoted}", tuple((span.start, span.end) for span in spans))

    def _counting(self, claim: Claim) -> tuple[JudgeVerdict, ...]:
        """Its verdicts, those of repeats that are no longer asked for and failures left out."""
        known = self.said.get(claim.sha256, ())
        return tuple(verdict for verdict in known if verdict.verdict is not None and verdict.slot < self.repeats)

    def _why_none(self, claim: Claim) -> str:
        counts = Counter(verdict.verdict for verdict in self._counting(claim))
        if len(counts) > 1:
            told = ", ".join(f"{word} {count}" for word, count in counts.most_common())
            return f"the judge disagrees with itself: {told} of {counts.total()}"
        failed = [verdict.error for verdict in self.said.get(claim.sha256, ()) if verdict.error]
        return f"the judge failed: {failed[0]}" if failed else NOT_JUDGED


def claims_of(case: Case, trials: Iterable[Trial]) -> tuple[Claim, ...]:
    """What a judge is asked of the trials of a case, each claim once; of a trial in error nothing."""
    facts = [fact for fact in (*case.expected, *case.forbidden) if fact.kind == "judged"]
    answers = [trial.answer for trial in trials if trial.error is None] if facts else []
    return tuple(dict.fromkeys(Claim(case.question, fact.text, answer) for answer in answers for fact in facts))
