"""What a change of a set or of its histories left behind: facts without the memory, and memory without the facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from foldproof.cases.ageing import (
    FactKey,
    Superseded,
    fact_key,
    matchable,
    provenance_of,
    said_in,
    short,
    states,
    superseded_facts,
    superseded_text,
    turn_text,
)
from foldproof.cases.git import Repository, repository_of
from foldproof.cases.load import load_set
from foldproof.cases.nodes import shown
from foldproof.cases.provenance import Source, source_of
from foldproof.cases.records import Case, ReplaySet
from foldproof.core import FileError, Problem
from foldproof.matching import Fact, match_fact

_NAMED_SOURCE = re.compile(r"has the source '(.+?)', but ")
_STALE = frozenset({"source-silent", "superseded", "unstated"})
"""Rules of the linter whose doubt a finding about the same fact tells better."""


def lint_since(replay_set: ReplaySet, rev: str) -> tuple[Problem, ...]:
    """What the changes since a revision left behind, each an error; the working tree is what it is now.

    Compared is with the commit at which the present work left `rev`, so that what others did there since is not
    taken for a change of one's own.

    Raises:
        GitError: outside of a repository, and for a revision that git does not know.
        FileError: where the set did not load as it was then.
    """
    path = Path(replay_set.path)
    repository = repository_of(path.absolute().parent)
    commit = repository.base(rev)
    old = _set_at(repository, path, commit)
    if old is None:
        hint = "nothing can have been left behind; from the next change on, something can"
        message = f"the set did not exist at '{rev}' ({commit[:12]})"
        return (Problem(shown(path), 0, message, hint, "warning", "since-new"),)
    return tuple(sorted(_Change(old, replay_set, rev).problems()))


def without_doubles(found: Sequence[Problem], told: Sequence[Problem]) -> tuple[Problem, ...]:
    """What the linter found, without its doubts about facts of which `told` says more."""
    known = {(problem.line, problem.message.partition(",")[0]) for problem in told}
    doubles = {item for item in found if item.rule in _STALE and (item.line, item.message.partition(",")[0]) in known}
    return (*(item for item in found if item not in doubles), *told)


def lost_sources(problems: Sequence[Problem], path: Path, *, rev: str) -> tuple[Problem, ...]:
    """The problems of a set that does not load, and of sources that are gone what they said at a revision.

    Raises:
        GitError: outside of a repository, and for a revision that git does not know.
        FileError: where the set did not load as it was then.
    """
    repository = repository_of(path.absolute().parent)
    old = _set_at(repository, path, repository.base(rev))
    told = []
    for problem in problems:
        named = _NAMED_SOURCE.search(problem.message) if problem.rule == "source" else None
        source = source_of(named[1]) if named else None
        said = turn_text(old, source) if old and source else None
        if said is not None:
            remedy = "take the fact out in the same change, or name where it stands now"
            hint = f"at '{rev}' it said: {short(said)}\n{remedy}"
            told.append(problem._replace(rule="source-removed", hint=hint))
        else:
            told.append(problem)
    return tuple(told)


def _set_at(repository: Repository, path: Path, commit: str) -> ReplaySet | None:
    """The set as it was at a commit, read from git alone; None where it was not there."""
    try:
        repository.content(path.absolute(), commit)
    except FileError as error:
        if error.problems[0].message != "the file did not exist":
            raise
        return None
    try:
        return load_set(path.absolute(), read=lambda place: repository.content(place, commit))
    except FileError as error:
        first = error.problems[0]
        hint = "name a revision at which it loaded: what changed since then is what is looked at"
        message = f"the set of {commit[:12]} does not load, so what changed since cannot be seen: {first.message}"
        raise FileError([Problem(shown(path), 0, message, hint, rule="since")]) from None


@dataclass(frozen=True, slots=True)
class _Change:
    """A set as it was at a revision, and as it is now."""

    old: ReplaySet
    new: ReplaySet
    rev: str

    def problems(self) -> Iterator[Problem]:
        file = shown(self.new.path)
        was = {case.id: case for case in self.old.cases}
        superseded = self.superseded()
        for case in self.new.cases:
            for index, fact in enumerate(case.expected):
                mark = superseded.get((case.history, fact_key(fact)))
                line = case.line(f"expected_facts.{index}")
                if mark is not None:
                    yield Problem(file, line, *superseded_text(case, index, mark), rule="superseded-expected")
                elif case.id in was and (told := self.left_behind(was[case.id], case, index)):
                    yield Problem(file, line, *told[1:], rule=told[0])

    def superseded(self) -> dict[tuple[str, FactKey], Superseded]:
        """The facts that were superseded since: marked as such, or forbidden by now in the case that expected them."""
        known = superseded_facts(self.old)
        found = {place: mark for place, mark in superseded_facts(self.new).items() if place not in known}
        was = {case.id: {fact_key(fact) for fact in case.expected} for case in self.old.cases}
        for case in self.new.cases:
            for fact in case.forbidden:
                if fact_key(fact) in was.get(case.id, ()):
                    found.setdefault((case.history, fact_key(fact)), Superseded(None, case.id))
        return found

    def left_behind(self, was: Case, case: Case, index: int) -> tuple[str, str, str] | None:
        """Rule, message and hint where one of fact and memory changed without the other."""
        fact = case.expected[index]
        before = provenance_of(was, fact_key(fact))
        if not case.history and not was.history:
            return None
        if before is not None and self.same_memory(was, case):
            return None
        if before is not None and (case.about(index).computed or not matchable(fact)):
            return self.computed_anew(was, case, index)
        if not matchable(fact):
            return None
        if before is None:
            return self.fact_alone(was, case, index)
        return self.memory_alone(was, case, index, was_at=before[0])

    def same_memory(self, was: Case, case: Case) -> bool:
        """Whether the memory of a case is built from the same words as before."""
        old, new = self.old.histories.get(was.history), self.new.histories.get(case.history)
        return (old and old.sha256) == (new and new.sha256)

    def fact_alone(self, was: Case, case: Case, index: int) -> tuple[str, str, str] | None:
        """A fact that the case did not expect, and that the memory does not state."""
        fact, about = case.expected[index], case.about(index)
        same = self.same_memory(was, case)
        if about.computed:
            if not same or about.reviewed is not None:
                return None
            message = f"case '{case.id}' expects '{fact.label}', a computed fact that is new, while its memory is not"
            return "fact-changed", message, "write the day on which a person computed it: `reviewed: YYYY-MM-DD`"
        if states(fact, (*self.texts(self.new, case), *said_in(case))):
            return None
        changed = "did not change" if same else "changed, but does not say it"
        message = (
            f"case '{case.id}' expects '{fact.label}', which is new since '{self.rev}', while its history"
            f" '{case.history}' {changed}"
        )
        hint = "bring the history up to date in the same change, or take the fact back; `computed: true` if it follows"
        return "fact-changed", message, hint

    def memory_alone(self, was: Case, case: Case, index: int, *, was_at: int) -> tuple[str, str, str] | None:
        """A fact that the case still expects, and that its memory stated and no longer does."""
        fact = case.expected[index]
        stated = self.statements(self.old, was, was_at)
        if not stated:
            return None
        if not self.statements(self.new, case, index) and not states(fact, said_in(case)):
            return self.unsaid(was, case, index, stated=stated)
        if contrary := self.contrary(was, case, fact):
            message = f"case '{case.id}' expects '{fact.label}', which its history by now says the contrary of"
            return "memory-changed", message, f"new since '{self.rev}': {short(contrary)}\nsee which of the two holds"
        return None

    def unsaid(self, was: Case, case: Case, index: int, *, stated: list[Source]) -> tuple[str, str, str]:
        """What to say of a fact whose statement is gone."""
        fact, first = case.expected[index], stated[0]
        before = turn_text(self.old, first) or ""
        moved = [source for source, text in self.turns(self.new, case) if states(fact, [text])]
        removed = self.removed(first, case)
        what = "was removed" if removed else "was changed"
        message = f"case '{case.id}' expects '{fact.label}', but the turn that said it, {first}, {what}"
        now = turn_text(self.new, Source(case.history, first.session, first.turn))
        lines = [f"at '{self.rev}' it said: {short(before)}"]
        if not removed and now is not None:
            lines.append(f"it says now: {short(now)}")
        if moved:
            lines.append(f"the fact stands in {moved[0]}: name that turn as its `source`")
        else:
            lines.append("change the fact in the same change as the memory, or take the case out")
        named = first in was.about(index).source if index < len(was.expected) else False
        return "source-removed" if removed and named else "memory-changed", message, "\n".join(lines)

    def computed_anew(self, was: Case, case: Case, index: int) -> tuple[str, str, str] | None:
        """A fact that no matcher finds in its source, while the source changed and nobody looked at it again."""
        fact, about = case.expected[index], case.about(index)
        before = provenance_of(was, fact_key(fact))
        if before is None or about.reviewed != before[1].reviewed:
            return None
        there = Counter(self.texts(self.new, case))
        changed = [source for source in before[1].source if not there[turn_text(self.old, source) or ""]]
        if not changed:
            return None
        message = f"case '{case.id}' expects '{fact.label}', which rests on {changed[0]}, changed since '{self.rev}'"
        said = short(turn_text(self.old, changed[0]) or "")
        hint = f"it said: {said}\nsee whether the fact still holds, then renew `reviewed`"
        return "memory-changed", message, hint

    def removed(self, source: Source, case: Case) -> bool:
        """Whether a turn is gone, not changed: its session ends before it, or became shorter and lacks its words."""
        sizes = {
            name: len(session.turns)
            for name, replay_set, history in (("old", self.old, source.history), ("new", self.new, case.history))
            for session in (replay_set.histories[history].sessions if history else ())
            if session.id == source.session
        }
        return sizes.get("new", 0) < sizes["old"]

    def contrary(self, was: Case, case: Case, fact: Fact) -> str:
        """A turn that is new and denies the fact; empty where there is none."""
        known = set(self.texts(self.old, was))
        for text in self.texts(self.new, case):
            if text not in known and match_fact(fact, text).outcome == "negated":
                return text
        return ""

    def statements(self, replay_set: ReplaySet, case: Case, index: int) -> list[Source]:
        """The turns that state an expected fact: of its source, where it names one, else of its whole history."""
        fact, named = case.expected[index], case.about(index).source
        if named:
            return [source for source in named if states(fact, [turn_text(replay_set, source) or ""])]
        return [source for source, text in self.turns(replay_set, case) if states(fact, [text])]

    def turns(self, replay_set: ReplaySet, case: Case) -> list[tuple[Source, str]]:
        """Every turn of the history of a case."""
        history = replay_set.histories.get(case.history)
        return [
            (Source(case.history, session.id, number), turn.text)
            for session in (history.sessions if history else ())
            for number, turn in enumerate(session.turns, 1)
        ]

    def texts(self, replay_set: ReplaySet, case: Case) -> list[str]:
        """What is said in the history of a case."""
        return [text for _, text in self.turns(replay_set, case)]
