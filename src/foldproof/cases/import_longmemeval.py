"""LongMemEval as a project: a replay set, its histories, and two configurations to start from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from foldproof.cases.answers import fact_of_answer, is_small_number, too_long_to_match
from foldproof.cases.histories import write_history
from foldproof.cases.provenance import Provenance, Source
from foldproof.cases.records import Case, ReplaySet
from foldproof.cases.save import set_text
from foldproof.cases.writing import write_atomically
from foldproof.core import FileError, Problem, UsageError
from foldproof.logs import History
from foldproof.logs.longmemeval import Benchmark, Question, read_longmemeval
from foldproof.matching import Fact, check_fact, match_fact

_KINDS = {
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
}
_SHARED = "all"
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

    `review` names the cases whose answer is unlikely to be found as text, `disputed` those whose answer is
    doubted. `problems` are the questions, sessions and lines that could not be read. `sha256` is that of the
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
    benchmark: Benchmark
    disputed: Mapping[str, str]
    cases: list[Case] = field(default_factory=list)
    histories: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    review: list[str] = field(default_factory=list)

    def add(self, question: Question) -> None:
        """Write the question's history and make its case, or say why it cannot be one."""
        name = re.sub(r"[^A-Za-z0-9_-]", "-", question.id)[:80]
        if not name or any(case.id == name for case in self.cases):
            self.wrong(f"question '{question.id}' has no id of its own")
            return
        facts = () if question.abstain else (fact_of_answer(question.answer),)
        for fact in facts:
            if fault := check_fact(fact):
                self.wrong(f"question '{question.id}' has the answer '{question.answer}', which is no fact: {fault}")
                return
        if question.kind not in _KINDS:
            self.notes.append(f"question '{name}' is of the unknown type '{question.kind}': imported as semantic")
        case_class, ability = _KINDS.get(question.kind, ("semantic", question.kind))
        tags = ["abstention" if question.abstain else ability, *["disputed"] * (name in self.disputed)]
        history = self.history(name, question)
        case = Case(
            id=name,
            question=question.text,
            case_class=case_class,
            expected=facts,
            history=history,
            source=tuple(Source(history, session, turn) for session, turn in question.evidence),
            provenance={0: Provenance(computed=True)} if self.computed(question, facts) else {},
            abstain=question.abstain,
            tags=tuple(tags),
            at=question.at,
        )
        self.cases.append(case)
        self.notes += [f"question '{name}': {note}" for note in question.notes]
        if facts and too_long_to_match(facts[0]):
            self.review.append(name)

    def history(self, name: str, question: Question) -> str:
        """The name of the question's history, written where it is its own."""
        name = name if question.sessions or not self.benchmark.shared else _SHARED
        sessions = question.sessions or self.benchmark.shared
        if name not in self.histories:
            self.histories[name] = f"histories/{name}.jsonl"
            write_history(History(name, sessions), self.folder / self.histories[name])
        return name

    def computed(self, question: Question, facts: Sequence[Fact]) -> bool:
        """Whether the answer follows from the turns that are named as its evidence without standing in one of them."""
        named = set(question.evidence)
        sessions = question.sessions or self.benchmark.shared
        turns = [(session.id, at, turn.text) for session in sessions for at, turn in enumerate(session.turns, 1)]
        texts = [text for session, at, text in turns if (session, at) in named]
        return bool(texts and facts) and not any(match_fact(fact, text).held for fact in facts for text in texts)

    def wrong(self, message: str) -> None:
        hint = "the question is left out; add it by hand if it matters"
        self.benchmark.problems.append(Problem(str(self.source), 0, message, hint, rule="longmemeval"))

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
        if self.histories.get(_SHARED):
            notes.append("All questions share one history: the file does not say which session belongs to which.")
        return notes


def import_longmemeval(
    source: Path | str,
    folder: Path | str,
    *,
    limit: int | None = None,
    force: bool = False,
    disputed: Mapping[str, str] | None = None,
) -> ImportReport:
    """Write a project folder from LongMemEval: `replay.yaml`, `histories/`, `foldproof.yaml`.

    `source` is the published JSON file or a folder with the two flat files. `limit` takes the first so many
    questions. `disputed` maps case ids to why their answer is doubted: they are tagged and listed. `force`
    writes over a project that is there.

    Raises:
        FileError: where the data cannot be read, or holds no usable question.
        UsageError: where the folder holds a project already, or cannot be written to.
    """
    place = Path(folder)
    for name in ("replay.yaml", "foldproof.yaml", "histories"):
        if not force and (place / name).exists():
            raise UsageError(f"{place / name} is there already\n  choose another folder, or overwrite it with --force")
    benchmark = read_longmemeval(Path(source))
    work = _Import(Path(source), place, benchmark, disputed or {})
    for question in _first(benchmark.questions, limit):
        work.add(question)
    if not work.cases:
        none = Problem(str(source), 0, "the data holds no usable question", "check that it is LongMemEval")
        raise FileError([*benchmark.problems, none])
    notes = [*work.general_notes(), *work.notes]
    comment = f"LongMemEval, imported by foldproof. SHA-256 of the data: {benchmark.sha256}\n{_NO_GATE}"
    made = ReplaySet("longmemeval", "", tuple(work.cases), gate={}, sha256="", gate_declared=False)
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
        disputed=tuple(f"{name}: {why}" for name, why in work.disputed.items() if name in {c.id for c in work.cases}),
        problems=tuple(benchmark.problems),
    )


def _first(questions: Iterable[Question], limit: int | None) -> Iterable[Question]:
    for number, question in enumerate(questions, 1):
        if limit is not None and number > limit:
            return
        yield question
