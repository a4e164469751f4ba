"""What each type of question of a benchmark becomes: its class, its tag, the facts of its answer. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from foldproof.cases.answers import day_of, fact_of_answer, facts_of_list, is_small_number, too_long_to_match
from foldproof.cases.common_words import COMMON_WORDS
from foldproof.core import REDACTED
from foldproof.logs.benchmarks import Benchmark, Question
from foldproof.logs.locomo import read_locomo
from foldproof.logs.longmemeval import read_longmemeval
from foldproof.matching import Fact, check_fact, match_fact, normalize

Facts = tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Published:
    """A benchmark that can be imported: how it is read, and the rules for its types of questions.

    `kinds` maps a type to class and tag; `facts` gives the facts of an answer. `latest` are the types of which the
    newest word counts, where an older turn says another value. `inferred` are those whose answers are no quotations.
    `unknowable` is the tag of a question that has no answer.
    """

    name: str
    read: Callable[[Path], Benchmark]
    kinds: Mapping[str, tuple[str, str]]
    facts: Callable[[Question], Facts]
    latest: frozenset[str] = frozenset()
    inferred: frozenset[str] = frozenset()
    unknowable: str = "abstention"

    @property
    def rule(self) -> str:
        """How the benchmark is named in files and messages."""
        return self.name.lower()


def baited(question: Question) -> Facts:
    """What must not be said where nothing is known: the answer that the question was made to bait.

    An answer that is a single common word, or a sentence, or stands in the question is left out: it would forbid too
    much, or nothing.
    """
    if not question.abstain or not question.wrong or REDACTED in question.wrong:
        return ()
    fact = fact_of_answer(question.wrong)
    words = [normalize(item.text) for item in fact.any or (fact,)]
    loose = not set(words).isdisjoint(COMMON_WORDS) or is_small_number(fact) or too_long_to_match(fact)
    return () if loose or check_fact(fact) or match_fact(fact, question.text).held else (fact,)


def _whole(question: Question) -> Facts:
    return (fact_of_answer(question.answer),)


def _locomo(question: Question) -> Facts:
    """Several things for a question over several turns, a day where one is asked for, the verdict of a guess."""
    if question.kind == "multi-hop":
        return facts_of_list(question.answer)
    if question.kind == "temporal" and (day := day_of(question.answer)):
        return (Fact("date", day),)
    if question.kind == "open-domain":
        return (fact_of_answer(question.answer.partition(";")[0]),)
    return _whole(question)


LONGMEMEVAL = Published(
    "LongMemEval",
    read_longmemeval,
    {
        "single-session-user": ("semantic", "information-extraction"),
        "single-session-assistant": ("episodic", "information-extraction"),
        "single-session-preference": ("preference", "information-extraction"),
        "multi-session": ("episodic", "multi-session-reasoning"),
        "temporal-reasoning": ("episodic", "temporal-reasoning"),
        "knowledge-update": ("semantic", "knowledge-updates"),
        "information_extraction": ("semantic", "information-extraction"),
        "multi_session_reasoning": ("episodic", "multi-session-reasoning"),
        "temporal": ("episodic", "temporal-reasoning"),
        "knowledge_update": ("semantic", "knowledge-updates"),
    },
    _whole,
    latest=frozenset({"knowledge-update", "knowledge_update"}),
)
LOCOMO = Published(
    "LoCoMo",
    read_locomo,
    {
        "multi-hop": ("episodic", "multi-hop"),
        "temporal": ("episodic", "temporal"),
        "open-domain": ("semantic", "open-domain"),
        "single-hop": ("semantic", "single-hop"),
        "adversarial": ("semantic", "adversarial"),
    },
    _locomo,
    inferred=frozenset({"open-domain"}),
    unknowable="adversarial",
)
