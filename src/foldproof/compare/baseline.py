"""The baseline: the accepted answers and verdicts of an earlier run, as a file that a person reviews in git."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from foldproof.cases import Case, CaseTurn, ReplaySet
from foldproof.cases.contents import case_value
from foldproof.cases.counterparts import counterpart_value
from foldproof.cases.frozen import frozen_value
from foldproof.cases.writing import write_atomically
from foldproof.compare.accepted_turns import (
    UNNAMED,
    CallEntry,
    TurnEntry,
    accepted_turns,
    lacks_turns,
    read_turns,
    turn_entries,
)
from foldproof.compare.documents import DocumentFile, Wire
from foldproof.compare.judged import Judged, JudgedEntry, accepted_verdicts, judged_of
from foldproof.core import UsageError, content_hash
from foldproof.logs import ToolCall
from foldproof.matching import MATCHER_VERSION
from foldproof.record import Run, Trial, TrialKey
from foldproof.score import CaseScore, TrialScore, Verdicts, score_run
from foldproof.score.made import calls_made
from foldproof.score.trials import UNJUDGED

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a team accepted as right.

    `answers` are the recorded trials, by case and repetition: they are scored again with the facts of today,
    so a corrected fact needs no new baseline. For a case that expects calls they hold the tool calls too. `classes`
    gives the class of each case, `asked` the hash of what its agent was asked, `contents` that of the whole case.
    `vacuous` are the cases that passed with the memory cut off. `judge` names who gave the verdicts of `judged`.
    """

    set_name: str
    set_sha256: str
    config: str
    config_sha256: str
    config_content: Mapping[str, Any]
    run: str
    answers: tuple[Trial, ...]
    classes: Mapping[str, str]
    asked: Mapping[str, str]
    contents: Mapping[str, str]
    vacuous: tuple[str, ...] = ()
    matcher: str = MATCHER_VERSION
    judge: str | None = None
    judged: Judged = field(default_factory=dict)

    @property
    def cases(self) -> frozenset[str]:
        """The ids of the cases it holds."""
        return frozenset(self.classes)

    def scores(self, replay_set: ReplaySet, verdicts: Verdicts = UNJUDGED) -> dict[str, CaseScore]:
        """The accepted answers, scored with the facts as they stand now; `verdicts` are those of the set's judge.

        A case whose question, time, history or memory_config changed since is left out: its answer was given to
        another question. So is one that expects since then what was not kept of its answers: calls of tools, the end
        state, or what a turn of its sessions read and wrote.
        """
        by_id = {case.id: case for case in replay_set.cases}
        lacking = {trial.case for trial in self.answers if trial.case in by_id and _lacks(by_id[trial.case], trial)}
        cases = [
            case
            for case in replay_set.cases
            if self.asked.get(case.id) == asked_hash(case, replay_set) and case.id not in lacking
        ]
        return score_run(
            cases, self.answers, verdicts=self.verdicts(replay_set, verdicts), histories=replay_set.histories
        )

    def verdicts(self, replay_set: ReplaySet, beside: Verdicts = UNJUDGED) -> Verdicts:
        """What is known of the judged facts of its answers."""
        return accepted_verdicts(
            replay_set.cases, self.answers, judge=self.judge or "", judged=self.judged, beside=beside
        )

    def controlled(self, case: Case, replay_set: ReplaySet) -> bool:
        """Whether the unplugged control was run on this very case when the baseline was accepted."""
        return self.contents.get(case.id) == content_hash([case_value(case.timeless), _history_hash(case, replay_set)])


def asked_hash(case: Case, replay_set: ReplaySet) -> str:
    """Hash of what an agent is asked: the question or the sessions, the frozen turns, time, history, memory_config."""
    memory_config = case_value(case).get("memory_config", {})
    if case.sessions:
        said = [
            [one.at, one.maintain, [_said(turn) for turn in one.turns], *([one.user] if one.user else [])]
            for one in case.sessions
        ]
        return content_hash(["sessions", said, memory_config, _history_hash(case, replay_set)])
    asked = [case.question, case.at, memory_config, _history_hash(case, replay_set)]
    return content_hash(["frozen", frozen_value(case.frozen, hashed=True), *asked] if case.frozen else asked)


def _said(turn: CaseTurn) -> Any:  # noqa: ANN401  # any JSON value
    """What the user says in a turn: its message, and what a live counterpart goes on with."""
    answered = counterpart_value(turn.counterpart, hashed=True)
    return [turn.user, answered] if answered else turn.user


def _history_hash(case: Case, replay_set: ReplaySet) -> str:
    return replay_set.histories[case.history].sha256 if case.history else ""


class _WireTrial(Wire):
    repeat: int
    verdict: Literal["pass", "fail"]
    facts: dict[str, str] = Field(description="the outcome of each expected fact")
    forbidden: dict[str, str] = Field(default={}, description="the outcome of each forbidden fact")
    answer: list[str] = Field(description="the answer in full, line by line")
    calls: list[CallEntry] | None = Field(default=None, description="the tool calls, where the case expects some")
    turns: list[TurnEntry] = Field(default=[], description="the turns of a case with sessions")
    state: dict[str, Any] | None = Field(default=None, description="the end state, where the case expects one")
    judged: list[JudgedEntry] = Field(default=[], description="what the judge said of the judged facts")


class _WireCase(Wire):
    id: str
    case_class: str = Field(alias="class")
    asked: str = Field(description="hash of question, time, history and memory_config")
    content: str = Field(description="hash of the whole case")
    trials: list[_WireTrial]


class _WireNamed(Wire):
    name: str
    sha256: str
    content: dict[str, Any] | None = None


class _WireBaseline(Wire):
    foldproof: Literal[1]
    kind: Literal["baseline"] = "baseline"
    set: _WireNamed
    config: _WireNamed
    run: str
    matcher: str
    judge: str | None = None
    vacuous: list[str] = Field(default=[])
    cases: list[_WireCase]


_FILE = DocumentFile(
    _WireBaseline,
    "the baseline",
    "is",
    FORMAT,
    remedy="take it from git, or replace it with: foldproof baseline accept --yes",
)


def make_baseline(
    run: Run,
    trials: list[Trial],
    replay_set: ReplaySet,
    *,
    vacuous: tuple[str, ...],
    verdicts: Verdicts = UNJUDGED,
) -> Baseline:
    """The baseline that accepting this run would make."""
    asked = {trial.case for trial in trials}
    cases = [case for case in replay_set.cases if case.id in asked]
    by_id = {case.id: case for case in cases}
    judged = judged_of(cases, trials, verdicts)
    return Baseline(
        set_name=run.set_name,
        set_sha256=run.set_sha256,
        config=run.config,
        config_sha256=run.config_sha256,
        config_content=run.config_content,
        run=run.name,
        answers=tuple(_answer(trial, by_id.get(trial.case)) for trial in trials),
        classes={case.id: case.case_class for case in cases},
        asked={case.id: asked_hash(case, replay_set) for case in cases},
        contents={
            case.id: content_hash([case_value(case.timeless), _history_hash(case, replay_set)]) for case in cases
        },
        vacuous=vacuous,
        judge=verdicts.judge if judged else None,
        judged=judged,
    )


def _lacks(case: Case, trial: Trial) -> bool:
    """Whether an accepted answer lacks something that the case asks by now."""
    if case.sessions:
        return lacks_turns(case, trial)
    return (case.asks_calls and trial.tool_calls is None) or (case.asks_state and trial.state is None)


def _answer(trial: Trial, case: Case | None) -> Trial:
    """What is kept of a trial: its answer, its turns, and the calls and the end state for a case that expects some."""
    if case is not None and case.sessions:
        return Trial(trial.case, trial.repeat, trial.answer, user=UNNAMED, turns=accepted_turns(case, trial))
    calls = calls_made(case, trial) if case is not None and case.asks_calls else None
    state = trial.state if case is not None and case.asks_state else None
    return Trial(trial.case, trial.repeat, trial.answer, tool_calls=calls, state=state)


def save_baseline(baseline: Baseline, path: Path, replay_set: ReplaySet) -> None:
    """Write the file anew, whole or not at all, with the verdict of every answer beside it.

    Raises:
        UsageError: where the file cannot be written, or an answer has no judgement: nobody can accept it.
    """
    document = {
        "foldproof": FORMAT,
        "kind": "baseline",
        "set": {"name": baseline.set_name, "sha256": baseline.set_sha256},
        "config": {
            "name": baseline.config,
            "sha256": baseline.config_sha256,
            "content": dict(baseline.config_content),
        },
        "run": baseline.run,
        "matcher": baseline.matcher,
        "judge": baseline.judge,
        "vacuous": list(baseline.vacuous),
        "cases": [_case_entry(score, baseline) for score in baseline.scores(replay_set).values()],
    }
    # Half a surrogate pair cannot stand in a file; its escape, which backslashreplace writes, can stand in JSON.
    content = (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")
    write_atomically(path, content)


def _case_entry(score: CaseScore, baseline: Baseline) -> dict[str, Any]:
    for trial in score.trials:
        if trial.outcome == "error":
            raise UsageError(
                f"case '{score.id}' has an answer without a judgement: {trial.error}\n"
                "  ask it again before it is accepted"
            )
    answers = {trial.repeat: trial for trial in baseline.answers if trial.case == score.id}
    trials = [
        {
            "repeat": trial.repeat,
            "verdict": trial.outcome,
            "facts": {fact.fact: fact.outcome for fact in trial.facts if fact.role != "forbidden"},
            **({"forbidden": forbidden} if (forbidden := _forbidden(trial)) else {}),
            "answer": answers[trial.repeat].answer.split("\n"),
            **_calls(answers[trial.repeat]),
            **({"turns": turn_entries(turns)} if (turns := answers[trial.repeat].turns) else {}),
            **({} if (state := answers[trial.repeat].state) is None else {"state": dict(state)}),
            **_judged(baseline.judged.get(answers[trial.repeat].key, ())),
        }
        for trial in score.trials
    ]
    hashes = {"asked": baseline.asked[score.id], "content": baseline.contents[score.id]}
    return {"id": score.id, "class": score.case_class, **hashes, "trials": trials}


def _judged(entries: tuple[JudgedEntry, ...]) -> dict[str, Any]:
    return {"judged": [entry.model_dump(exclude_defaults=True) for entry in entries]} if entries else {}


def _calls(trial: Trial) -> dict[str, Any]:
    if trial.tool_calls is None:
        return {}
    return {"calls": [{"name": call.name, "args": dict(call.args)} for call in trial.tool_calls]}


def _forbidden(trial: TrialScore) -> dict[str, str]:
    return {fact.fact: fact.outcome for fact in trial.facts if fact.role == "forbidden"}


def load_baseline(path: Path) -> Baseline:
    """Read a baseline file.

    Raises:
        FileError: for a file that is absent, no baseline, damaged, or from a newer version.
    """
    wire = _FILE.read(path)
    if twice := _standing_twice(wire):
        raise _FILE.unusable(
            path, f"the baseline is damaged: {twice} stands twice, as after a merge that kept both sides"
        )
    answers = [_read(case.id, trial) for case in wire.cases for trial in case.trials]
    return Baseline(
        set_name=wire.set.name,
        set_sha256=wire.set.sha256,
        config=wire.config.name,
        config_sha256=wire.config.sha256,
        config_content=wire.config.content or {},
        run=wire.run,
        answers=tuple(answers),
        classes={case.id: case.case_class for case in wire.cases},
        asked={case.id: case.asked for case in wire.cases},
        contents={case.id: case.content for case in wire.cases},
        vacuous=tuple(wire.vacuous),
        matcher=wire.matcher,
        judge=wire.judge,
        judged={
            TrialKey(case.id, trial.repeat): tuple(trial.judged)
            for case in wire.cases
            for trial in case.trials
            if trial.judged
        },
    )


def _read(case_id: str, trial: _WireTrial) -> Trial:
    calls = None if trial.calls is None else tuple(ToolCall(call.name, call.args) for call in trial.calls)
    turns = read_turns(trial.turns)
    user = UNNAMED if turns else ""
    answer = "\n".join(trial.answer)
    return Trial(case_id, trial.repeat, answer, user=user, tool_calls=calls, turns=turns, state=trial.state)


def _standing_twice(wire: _WireBaseline) -> str:
    """The first case, or trial of a case, that the file has more than once."""
    names = [f"case '{case.id}'" for case in wire.cases]
    names += [f"trial {trial.repeat} of case '{case.id}'" for case in wire.cases for trial in case.trials]
    return next((name for name, count in Counter(names).items() if count > 1), "")
