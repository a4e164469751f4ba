"""Documents made by the stages themselves from hand-made answers, so that what is rendered is what happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

import pytest

from foldproof.cases import Case, ReplaySet, Requirement, Source, Waiver
from foldproof.compare import Evidence, judge_check, judge_run
from foldproof.logs import History, MemoryItem, ModelCall, Seen, Session, ToolCall, Turn, Usage
from foldproof.matching import Fact
from foldproof.record import Run, StoreListing, Trial, TrialError
from foldproof.report import (
    CheckDocument,
    ExplainDocument,
    RunDocument,
    check_document,
    explain_document,
    run_document,
    run_info,
)
from foldproof.score import Records, TrialScore, score_run, score_trial

TODAY = date(2026, 3, 4)
Answers = dict[str, list[str | TrialError]]

RIGHT: Answers = {
    "late-refund": ["The IBAN is DE89 3704 0044 0532 0130 00.", "IBAN DE89 3704 0044 0532 0130 00, as you said."],
    "allergy": ["You must avoid NSAIDs.", "You must avoid NSAIDs."],
    "vip-discount": ["You are a gold member.", "You are a gold member."],
    "billing-db": ["Use Postgres 15.", "Use Postgres 15."],
    "old-address": ["You live in Porto.", "You live in Porto."],
    "holiday": ["I would guess Rome.", "I would guess Rome."],
}


def made_set(**changes: object) -> ReplaySet:
    cases = (
        Case(
            "late-refund",
            "Where do I send the refund?",
            "identity",
            (Fact("normalized", "DE89 3704 0044 0532 0130 00"),),
        ),
        Case("allergy", "Which painkillers may I take?", "safety", (Fact("normalized", "NSAIDs"),)),
        Case("vip-discount", "What is my tier?", "preference", (Fact("normalized", "gold"),)),
        Case(
            "billing-db",
            "Which database should I use?",
            "semantic",
            (Fact("normalized", "Postgres 15"),),
            (Fact("normalized", "MongoDB"),),
            source=(Source("acme", "s12", 3),),
        ),
        Case("old-address", "Where do I live?", "preference", (Fact("normalized", "Porto"),)),
        Case("holiday", "Where was I last summer?", "episodic", (Fact("normalized", "Madeira"),)),
    )
    base = ReplaySet(
        "support-agent",
        "replay.yaml",
        cases,
        {
            "safety": Requirement(),
            "identity": Requirement(),
            "preference": Requirement(1, 2),
            "semantic": Requirement(1, 1),
        },
        "5b1f" * 16,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def made_run(config: str, number: int, **changes: object) -> Run:
    run = Run(config, "c" * 64, {}, "support-agent", "5b1f" * 16, state="finished", id=number)
    return replace(run, **changes)  # type: ignore[arg-type]


def made_trials(answers: Answers) -> list[Trial]:
    return [
        Trial(case, repeat, error=answer) if isinstance(answer, TrialError) else Trial(case, repeat, answer)
        for case, listed in answers.items()
        for repeat, answer in enumerate(listed)
    ]


@dataclass(frozen=True)
class Shown:
    trial: Trial
    score: TrialScore
    written: StoreListing | None = None
    kept: StoreListing | None = None


def check_of(
    after: Answers,
    *,
    before: Answers | None = None,
    accepted: Answers | None = None,
    replay_set: ReplaySet | None = None,
    vacuous: tuple[str, ...] = (),
    gone: dict[str, str] | None = None,
    differs: tuple[str, ...] = ("memory.kind: verbatim -> window",),
    beside: tuple[str, ...] = (),
) -> CheckDocument:
    used = replay_set or made_set()
    scores = [score_run(used.cases, made_trials({**RIGHT, **(part or {})})) for part in (accepted, before, after)]
    evidence = Evidence(*scores, vacuous=vacuous, gone=gone or {})
    return check_document(
        judge_check(used, evidence, today=TODAY),
        used,
        before=run_info(made_run("production", 141), asked=12),
        after=run_info(made_run("candidate", 142), asked=12, reused=2, cost_usd=0.0123),
        differs=(*beside, *differs),
        beside_memory=beside,
    )


def run_of(answers: Answers, *, stopped: str = "", replay_set: ReplaySet | None = None) -> RunDocument:
    used = replay_set or made_set()
    trials = made_trials({**RIGHT, **answers})
    scores = score_run(used.cases, trials)
    return run_document(
        run_info(made_run("production", 141), asked=10, reused=2),
        scores,
        replay_set=used,
        verdict=judge_run(used, scores, doubts=(stopped,) if stopped else ()),
        trials=trials,
        notes=("the code of the agent could not be fingerprinted",),
    )


def explain_of(
    *trials: Trial, written: tuple[str, ...] | None = None, kept: tuple[str, ...] | None = None
) -> ExplainDocument:
    case = made_set().case("billing-db")
    listings = [
        None if texts is None else StoreListing(tuple(MemoryItem(text, f"m{n}") for n, text in enumerate(texts)))
        for texts in (written, kept)
    ]
    held = {listing.sha256: listing for listing in listings if listing is not None}
    case = replace(case, history="acme")
    histories = {"acme": History("acme", (Session("s1", (Turn("user", "Billing runs on Postgres 15."),)),))}
    records = Records(histories, held.get)
    names = {"store_written": listings[0], "store_kept": listings[1]}
    named = {name: listing.sha256 for name, listing in names.items() if listing is not None}
    made = [replace(trial, **named) for trial in trials]
    shown = [Shown(trial, score_trial(case, trial, records=records), *listings) for trial in made]
    return explain_document(run_info(made_run("candidate", 142)), case, shown, records=records)


FULL_TRIAL = Trial(
    "billing-db",
    0,
    "Use Postgres 14.\nMongoDB would do as well.",
    tool_calls=(ToolCall("lookup", {"service": "billing", "n": 2}),),
    memory_reads=(
        MemoryItem("The team likes short answers.", "m1", "note", 1, 0.91),
        MemoryItem("Billing runs on Postgres 15.", "m2", "fact", 2, 0.42),
    ),
    memory_writes=(MemoryItem("asked for a database", "m9"),),
    prompt="Answer from these notes: The team likes short answers.",
    usage=Usage(120, 15),
    seen=(
        Seen(
            "wire",
            (
                ModelCall("user: Which database?", "Postgres", model_name="m-1", usage=Usage(9, 2), duration_s=0.5),
                ModelCall("user: Which one\x1b[2J?", error="the upstream closed the stream"),
            ),
            notes=("one call was cut off",),
        ),
    ),
    notes=("the agent showed no scores for one item",),
    log="starting\nready\n",
    duration_s=1.25,
    attempts=2,
)


@pytest.fixture
def check() -> Callable[..., CheckDocument]:
    return check_of


@pytest.fixture
def run() -> Callable[..., RunDocument]:
    return run_of


@pytest.fixture
def explain() -> Callable[..., ExplainDocument]:
    return explain_of


@pytest.fixture
def full_trial() -> Trial:
    return FULL_TRIAL


@pytest.fixture
def replay_set() -> Callable[..., ReplaySet]:
    return made_set


@pytest.fixture
def a_run() -> Callable[..., Run]:
    return made_run


@pytest.fixture
def trials() -> Callable[[Answers], list[Trial]]:
    return made_trials


@pytest.fixture
def blocked_check() -> CheckDocument:
    """Two facts lost (one in two of three trials), one recovered, a forbidden one said, a waiver, noise, one gone."""
    waiver = Waiver("old-address", "moves next week", date(2026, 4, 1))
    return check_of(
        {
            "late-refund": ["I do not have it."] * 3,
            "vip-discount": ["You are not a gold member.", "gold", "silver"],
            "billing-db": ["Use Postgres 15 or MongoDB.", "Use Postgres 15 or MongoDB.", "Use Postgres 15 or MongoDB."],
            "holiday": ["In Madeira.", "Madeira", "Madeira"],
        },
        accepted={"holiday": ["Rome", "Madeira"]},
        replay_set=made_set(waivers=(waiver,)),
        gone={"retired": "semantic"},
    )


@pytest.fixture
def broken_check() -> CheckDocument:
    """A loss and errors, so that nothing is decided."""
    refused = TrialError("transport", "503 from the model\nretry later", "HTTPError", "Traceback…")
    return check_of({"allergy": [refused, refused], "vip-discount": ["silver"], "old-address": ["You live in Porto."]})


@pytest.fixture
def right() -> Answers:
    """An answer to each question that every class needs; the ungated `holiday` fails."""
    return RIGHT
