"""A published benchmark as a project: a replay set, its histories, and two configurations to start from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from foldproof.cases.answers import is_small_number, too_long_to_match
from foldproof.cases.benchmark_rules import LOCOMO, LONGMEMEVAL, Published, baited
from foldproof.cases.histories import write_history
from foldproof.cases.provenance import Provenance, Source
from foldproof.cases.quarantine import Dispute, Quarantine, read_quarantine
from foldproof.cases.records import DISPUTED, DISPUTED_SOURCE, BenchmarkData, Case, ReplaySet
from foldproof.cases.save import set_text
from foldproof.cases.writing import write_atomically
from foldproof.core import REDACTED, FileError, Problem, Redactor, UsageError
from foldproof.logs import History
from foldproof.logs.benchmarks import Benchmark, Question
from foldproof.logs.locomo import turns_cited
from foldproof.matching import Fact, check_fact, match_fact

BenchmarkName = Literal["locomo", "longmemeval"]
"""The benchmarks that can be imported."""
_PUBLISHED: dict[BenchmarkName, Published] = {"locomo": LOCOMO, "longmemeval": LONGMEMEVAL}
_SHARED = "all"
_CORRECTED = "corrected"
_PROJECT = """\
# foldproof.yaml
foldproof: 1
replay_set: replay.yaml
baseline: production
configs:
  # recall asks no model: the answer is the context that the memory would put before one
  production:
    agent: recall
    memory: {kind: verbatim, k: 8}
  window:
    extends: production
    memory: {kind: window, turns: 40}
"""
_NO_GATE = (
    "No gate is declared, so every class asks `all`. How many may fail is a person's decision, made before the "
    "first run: write it under `gate:`."
)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import wrote, and what a person should look at.

    `review` names the cases whose answer is unlikely to be found as text, `disputed` those whose key is said to be
    wrong, with how. `problems` are the questions, sessions and lines that could not be read. `sha256` is that of the
    data, since releases of one benchmark differ.
    """

    replay_set: Path
    project: Path
    sha256: str
    cases: int
    histories: int
    notes: tuple[str, ...] = ()
    review: tuple[str, ...] = ()
    disputed: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class _Import:
    """One import under way."""

    source: Path
    folder: Path
    published: Published
    benchmark: Benchmark
    quarantine: Quarantine
    corrected: bool
    redactor: Redactor
    cases: list[Case] = field(default_factory=list)
    histories: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    review: list[str] = field(default_factory=list)
    disputed: list[str] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    pasts: dict[str, str] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)
    applied: int = 0

    def add(self, question: Question) -> None:
        """Write the question's history and make its case, or say why it cannot be one."""
        name = _name_of(question.id)
        if not name or name in self.taken:
            self.wrong(f"question '{question.id}' has no id of its own")
            return
        if not self.sessions(question).sessions:
            self.wrong(f"question '{question.id}' has no session before it")
            return
        question, tags = self.settled(question)
        clean = self.redactor
        question = replace(
            question, text=clean(question.text), answer=clean(question.answer), wrong=clean(question.wrong)
        )
        if REDACTED in question.answer:
            self.wrong(f"question '{question.id}' has a secret for an answer, and no secret is written")
            return
        facts = () if question.abstain else self.published.facts(question)
        for fact in facts:
            if fault := check_fact(fact):
                self.wrong(f"question '{question.id}' has the answer '{question.answer}', which is no fact: {fault}")
                return
        if question.kind not in self.published.kinds:
            self.notes.append(f"question '{name}' is of the unknown type '{question.kind}': imported as semantic")
        case_class, ability = self.published.kinds.get(question.kind, ("semantic", question.kind))
        history = self.history(name, question)
        tags += self.doubts(name, question, facts, tags)
        case = Case(
            id=name,
            question=question.text,
            case_class=case_class,
            expected=facts,
            forbidden=baited(question),
            history=history,
            source=tuple(Source(history, session, turn) for session, turn in question.evidence),
            provenance=self.computed(question, facts),
            abstain=question.abstain,
            tags=(self.published.unknowable if question.abstain else ability, *tags),
            at=question.at,
        )
        self.taken.add(name)
        self.cases.append(case)
        self.notes += [f"question '{name}': {note}" for note in question.notes]
        if facts and (question.kind in self.published.inferred or any(map(too_long_to_match, facts))):
            self.review.append(name)

    def settled(self, question: Question) -> tuple[Question, list[str]]:
        """The question with the key that counts, and the tags that say how far it is doubted."""
        dispute = self.quarantine.disputes.get(question.id)
        if dispute is None:
            return question, []
        self.met.add(question.id)
        if dispute.question and dispute.question.split() != question.text.split():
            self.notes.append(f"question '{question.id}': the list of wrong keys means another question by this id")
            return question, []
        self.applied += 1
        evidence, untold = turns_cited(list(dispute.evidence), question.places)
        # What is to be admitted has no key that an answer could take the place of.
        fits = bool(evidence) if dispute.source_only else not question.abstain
        if self.corrected and dispute.settled and fits:
            self.notes += [f"question '{question.id}', as corrected: {note}" for note in untold]
            answer = question.answer if dispute.source_only else dispute.answer
            return replace(question, answer=answer, evidence=evidence or question.evidence), [_CORRECTED]
        self.disputed.append(f"{question.id}: {dispute.why}")
        return question, [DISPUTED, _tag(dispute)]

    def doubts(self, name: str, question: Question, facts: Sequence[Fact], tags: Sequence[str]) -> list[str]:
        """The tags of a key that an older turn states and the newest does not, where the newest word counts."""
        newest = max(question.evidence, key=self.age, default=None) if question.kind in self.published.latest else None
        if newest is None or tags or not facts:
            return []
        texts = self.said(question)
        held = {place for place in question.evidence if any(match_fact(fact, texts[place]).held for fact in facts)}
        if not held or newest in held:
            return []
        last = f"{newest[0]}.t{newest[1]}"
        self.disputed.append(f"{name}: an older turn states its answer, and the newest, {last}, does not")
        return [DISPUTED, "disputed-older-value"]

    @staticmethod
    def age(place: tuple[str, int]) -> tuple[int, int]:
        """The order of a turn in its history: sessions are numbered, oldest first."""
        return int(place[0][1:]), place[1]

    def sessions(self, question: Question) -> History:
        return History("", question.sessions or self.benchmark.shared)

    def said(self, question: Question) -> dict[tuple[str, int], str]:
        """The turns that are named as the evidence, with their words."""
        named = set(question.evidence)
        turns = ((session.id, at, turn.text) for session in self.sessions(question).sessions
                 for at, turn in enumerate(session.turns, 1))  # fmt: skip
        return {(session, at): text for session, at, text in turns if (session, at) in named}

    def history(self, name: str, question: Question) -> str:
        """The name of the question's history, written where it is new."""
        past = (question.history or name) if question.sessions else _SHARED
        if past in self.pasts:
            return self.pasts[past]
        own = name = _name_of(past)
        while name in self.histories:
            name = f"{own}-{len(self.histories)}"
        self.pasts[past] = name
        self.histories[name] = f"histories/{name}.jsonl"
        write_history(self.without_secrets(self.sessions(question)), self.folder / self.histories[name])
        return name

    def without_secrets(self, history: History) -> History:
        clean = self.redactor
        sessions = (
            replace(session, turns=tuple(replace(turn, text=clean(turn.text)) for turn in session.turns))
            for session in history.sessions
        )
        return replace(history, sessions=tuple(sessions))

    def computed(self, question: Question, facts: Sequence[Fact]) -> dict[int, Provenance]:
        """What follows from the turns that are named as evidence without standing in one of them."""
        texts = self.said(question).values()
        unsaid = (at for at, fact in enumerate(facts) if not any(match_fact(fact, text).held for text in texts))
        return {at: Provenance(computed=True) for at in unsaid} if texts else {}

    def wrong(self, message: str) -> None:
        hint = "the question is left out; add it by hand if it matters"
        self.benchmark.problems.append(Problem(str(self.source), 0, message, hint, rule=self.published.rule))

    def general_notes(self) -> list[str]:
        """What holds for the import as a whole."""
        notes = [_NO_GATE]
        counts = Counter(case.case_class for case in self.cases)
        notes.append("Cases by class: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) + ".")
        if any("temporal-reasoning" in case.tags for case in self.cases):
            notes.append("Questions that count from today ('weeks ago') need the time they are asked at: see `at`.")
        if any(is_small_number(fact) for case in self.cases for fact in case.expected):
            notes.append(
                "Answers that are a bare small number stand in many texts by chance: with `recall`, which answers with "
                "what the memory would show, a pass on them shows little. An agent that answers makes them worth more."
            )
        if self.benchmark.shared:
            notes.append("All questions share one history: the file does not say which session belongs to which.")
        if self.disputed:
            notes.append(
                f"Cases with a disputed key: {len(self.disputed)}. They are asked, told apart, and never gate."
            )
        if corrected := sum(_CORRECTED in case.tags for case in self.cases):
            notes.append(f"Cases with the corrected key of the list: {corrected}. They have the tag `{_CORRECTED}`.")
        if unmet := [name for name in self.quarantine.disputes if name not in self.met]:
            told = ", ".join(unmet[:3]) + (", …" if len(unmet) > 3 else "")
            notes.append(f"Entries of the list of wrong keys that are of no question imported: {len(unmet)} ({told}).")
        if self.quarantine.disputes and not self.applied:
            notes.append("No entry of the list of wrong keys is of this data, so the set does not name the list.")
        return notes


def _name_of(text: str) -> str:
    """A text of the data as a name in files."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", text)[:80]


def _tag(dispute: Dispute) -> str:
    return DISPUTED_SOURCE if dispute.source_only else f"{DISPUTED}-{dispute.why}"


def import_benchmark(
    name: BenchmarkName,
    source: Path | str,
    *,
    folder: Path | str,
    limit: int | None = None,
    force: bool = False,
    errors: Path | str | None = None,
    corrected: bool = False,
    redactor: Redactor | None = None,
) -> ImportReport:
    """Write a project folder from a benchmark: `replay.yaml`, `histories/`, `foldproof.yaml`.

    `source` is the published JSON file; of LongMemEval also a folder with the two flat files. `limit` takes the first
    so many questions. `errors` names a list of wrong keys (`read_quarantine`): its questions are tagged `disputed`, and
    with `corrected` those for which it has an answer take that instead. `force` writes over a project that is there.
    What is written is without secrets; `redactor` knows those of another environment.

    Raises:
        FileError: where the data or the list cannot be read, or the data holds no usable question.
        UsageError: where the folder holds a project already, or cannot be written to.
    """
    place, published = Path(folder), _PUBLISHED[name]
    if corrected and errors is None:
        raise UsageError("`--corrected` takes its answers from a list of wrong keys\n  name one with `--errors FILE`")
    for part in ("replay.yaml", "foldproof.yaml", "histories"):
        if not force and (place / part).exists():
            raise UsageError(f"{place / part} is there already\n  choose another folder, or overwrite it with --force")
    quarantine = Quarantine({}) if errors is None else read_quarantine(Path(errors))
    benchmark = published.read(Path(source))
    work = _Import(Path(source), place, published, benchmark, quarantine, corrected, redactor or Redactor())
    for question in islice(benchmark.questions, limit):
        work.add(question)
    if not work.cases:
        none = Problem(str(source), 0, "the data holds no usable question", f"check that it is {published.name}")
        raise FileError([*benchmark.problems, none])
    notes = [*work.general_notes(), *work.notes]
    comment = f"{published.name}, imported by foldproof.\n{_NO_GATE}"
    of_this_data = work.applied or not quarantine.disputes
    data = BenchmarkData(published.name, benchmark.sha256, quarantine.sha256 if of_this_data else "")
    made = ReplaySet(published.rule, "", tuple(work.cases), gate={}, sha256="", gate_declared=False, data=data)
    write_atomically(place / "replay.yaml", set_text(made, work.histories, comment).encode())
    write_atomically(place / "foldproof.yaml", _PROJECT.encode())
    return ImportReport(
        replay_set=place / "replay.yaml",
        project=place / "foldproof.yaml",
        sha256=benchmark.sha256,
        cases=len(work.cases),
        histories=len(work.histories),
        notes=tuple(notes),
        review=tuple(work.review),
        disputed=tuple(work.disputed),
        problems=tuple(benchmark.problems),
    )
