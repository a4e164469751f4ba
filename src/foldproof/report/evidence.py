"""The document of `explain`: in which stage's record each fact of a case still stands. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from foldproof.cases import Case
from foldproof.cases.forgetting import forgetting_value, placed_forgetting
from foldproof.logs import MemoryItem
from foldproof.matching import Fact, Text, match_fact, match_many
from foldproof.record import StoreListing, Trial
from foldproof.report.build import trial_row
from foldproof.report.explained import (
    ExplainDocument,
    ExplainedTrialRow,
    FrozenRow,
    ItemRow,
    ListingRow,
    RunInfo,
    TrialFactRow,
    TurnRow,
)
from foldproof.report.traces import call_rows, tool_rows, trace_rows
from foldproof.score import Records, TrialEvidence, TrialScore, disagreements
from foldproof.score.evidence import reads_of
from foldproof.score.trials import ABSTAIN
from foldproof.score.turns import JudgedTurn, judged_turns


class Evidence(Protocol):
    """One trial with its score and what its memory held before and after the folds, None where it was not seen."""

    @property
    def trial(self) -> Trial:
        """The recorded trial."""
        ...

    @property
    def score(self) -> TrialScore:
        """Its score."""
        ...

    @property
    def written(self) -> StoreListing | None:
        """What the memory held before the folds."""
        ...

    @property
    def kept(self) -> StoreListing | None:
        """What the memory held after the folds."""
        ...


def explain_document(
    info: RunInfo, case: Case, trials: Iterable[Evidence], *, records: Records | None = None, note: str = ""
) -> ExplainDocument:
    """Everything that a run recorded of one case, and the facts that stand in each part of it.

    A fact stands where it is held; in a negation it does not. Judged facts are looked for in nothing but the
    answer. Null stays null: what could not be seen is not guessed.
    """
    facts = _matchable(case)
    return ExplainDocument(
        run=info,
        id=case.id,
        case_class=case.case_class,
        question=case.question,
        frozen=_frozen(case) if info.control in {"", "oracle", "full"} else [],
        source=[str(source) for source in case.source],
        forget=forgetting_value(case.forget) if case.forget else None,
        trials=[_trial(item, case, facts, records) for item in trials],
        note=note,
    )


def _frozen(case: Case) -> list[FrozenRow]:
    """The frozen turns as they were handed over."""
    return [
        FrozenRow(
            speaker=turn.role,
            text=turn.text,
            calls=[{**tool_rows([made.call])[0], "result": made.result} for made in turn.calls],
        )
        for turn in case.frozen
    ]


def _matchable(case: Case) -> dict[str, Fact]:
    """The facts that need no judge, by label; of alternatives those that need none."""
    facts: dict[str, Fact] = {}
    forgotten = [fact for _, fact, _ in placed_forgetting(case.forget)] if case.forget else []
    for fact in (*case.mentions, *case.forbidden, *forgotten):
        known = replace(fact, any=tuple(item for item in fact.any if item.kind != "judged"))
        if fact.kind != "judged" and (known.any or fact.kind != "any"):
            facts[fact.label] = known
    return facts


def _trial(item: Evidence, case: Case, facts: dict[str, Fact], records: Records | None) -> ExplainedTrialRow:
    trial = item.trial
    last = next(reversed(judged_turns(case, trial)), JudgedTurn(case, trial))
    evidence = TrialEvidence(last.case, last.trial, records or Records(), last.earlier)
    source, reads = next(iter(reads_of(trial)), ("", None))
    return ExplainedTrialRow(
        score=trial_row(item.score, trial.answer),
        error_type=trial.error.type if trial.error else "",
        traceback=trial.error.traceback if trial.error else "",
        prompt=trial.prompt,
        prompt_facts=_standing(facts, [trial.prompt])[0] if trial.prompt is not None else [],
        memory_reads=_items(facts, reads),
        reads_source=source,
        memory_writes=_items(facts, trial.memory_writes),
        store_written=_items(facts, item.written.items if item.written else None),
        store_kept=_items(facts, item.kept.items if item.kept else None),
        tool_calls=None if trial.tool_calls is None else tool_rows(trial.tool_calls),
        traces=trace_rows(evidence, item.score) if records is not None and trial.error is None else [],
        calls=call_rows(trial.building, [seen for turn in trial.turns for seen in turn.seen] or trial.seen),
        turns=_turns(trial, item.score, case, facts),
        state=_state(trial.state),
        disagreements=list(disagreements(evidence)),
        nearest=_nearest(item, case, facts),
        input_tokens=trial.usage.input_tokens if trial.usage else None,
        output_tokens=trial.usage.output_tokens if trial.usage else None,
        notes=[*trial.notes, *(note for seen in (*trial.building, *trial.seen) for note in seen.notes)],
        log=trial.log,
        attempts=trial.attempts,
        duration_s=trial.duration_s,
    )


def _turns(trial: Trial, score: TrialScore, case: Case, facts: dict[str, Fact]) -> list[TurnRow]:
    """A row for each thing that the user said; what is expected of a turn stands at the last of them."""
    rows = [row for row in trial_row(score, "").facts if row.kind == "expectation" and row.fact != ABSTAIN]
    ends = {(turn.session, turn.turn): turn.attempt for turn in trial.turns}
    whose = [session.user for session in case.sessions]
    names = dict(zip(case.part_places, case.part_names, strict=False))
    return [
        TurnRow(
            name=turn.name,
            whose=whose[turn.session - 1] if turn.session <= len(whose) else "",
            at=turn.at,
            user=turn.user,
            answer=turn.answer,
            fresh=turn.fresh,
            speaker=turn.speaker,
            close=turn.close,
            goal_met=turn.goal_met,
            facts=_of_turn(rows, names.get(place, turn.name)) if turn.attempt == ends[place] else [],
            tool_calls=None if turn.tool_calls is None else tool_rows(turn.tool_calls),
            memory_reads=_items(facts, turn.memory_reads),
            memory_writes=_items(facts, turn.memory_writes),
            prompt=turn.prompt,
            state=_state(turn.state),
            listings=[
                ListingRow(user=one.user, ended=_items(facts, one.ended), after=_items(facts, one.after))
                for one in turn.listings
            ],
        )
        for turn in trial.turns
        for place in [(turn.session, turn.turn)]
    ]


def _of_turn(rows: Sequence[TrialFactRow], name: str) -> list[TrialFactRow]:
    """What is expected of a turn; of a case that is one question, everything."""
    return [row for row in rows if not name or row.fact.startswith(f"{name} ")]


def _state(state: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if state is None else dict(state)


def _items(facts: dict[str, Fact], items: Sequence[MemoryItem] | None) -> list[ItemRow] | None:
    if items is None:
        return None
    standing = _standing(facts, [item.text for item in items])
    return [
        ItemRow(
            text=item.text,
            id=item.id,
            kind=item.kind,
            rank=item.rank,
            score=item.score,
            facts=labels,
            user=item.user,
            dropped=item.dropped,
        )
        for item, labels in zip(items, standing, strict=True)
    ]


def _standing(facts: dict[str, Fact], texts: Sequence[str]) -> list[list[str]]:
    """For each text the labels of the facts that it holds, in the order of the case."""
    standing: list[list[str]] = [[] for _ in texts]
    labels = list(facts)
    if labels:
        for fact, text, match in match_many(facts.values(), texts):
            if match.held:
                standing[text].append(labels[fact])
    return standing


def _nearest(item: Evidence, case: Case, facts: dict[str, Fact]) -> dict[str, str]:
    """The nearest words for each expected fact that the answer misses; nothing where there is no answer."""
    wrong = [score for score in item.score.facts if score.outcome in {"missed", "degraded"}]
    missed = {score.fact for score in wrong if score.role == "expected"}
    text = Text(item.trial.answer)
    nearest: dict[str, str] = {}
    for fact in case.expected:
        if fact.label in missed and fact.label in facts:
            near = match_fact(facts[fact.label], text).nearest
            if near is not None:
                nearest[fact.label] = near.text
    return nearest
