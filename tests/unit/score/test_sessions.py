"""The score of a trial whose case has sessions: each turn for itself, and the memory around it."""

from dataclasses import replace

import pytest

from foldproof.cases import Case, CaseSession, CaseTurn, Expectation, ExpectedCall
from foldproof.core import REDACTED
from foldproof.logs import History, MemoryItem, ModelCall, Seen, Session, ToolCall, Turn
from foldproof.matching import Fact
from foldproof.record import StoreListing, Trial, TrialError, TurnRecord
from foldproof.score import Records, score_trial
from foldproof.score.memory import NOT_LISTED, NOT_READ, NOT_WRITTEN, REDACTED_ITEM

CREDIT = Fact("normalized", "store credit")
SAYS, ASKS = "Refund me in store credit from now on.", "Refund the kettle."
HELD = (MemoryItem("refund_method: store_credit", kind="preference"),)
MENTIONS = Expectation("reply_mentions", fact=CREDIT)
OMITS = Expectation("reply_omits", fact=CREDIT)
READ, HAS, LACKS = (Expectation(kind, fact=CREDIT) for kind in ("memory_read", "store_has", "store_lacks"))
WRITE = Expectation("memory_write", fact=CREDIT)
FIELDS = Expectation("memory_write", fields={"kind": "Preference", "way": "store_credit"})
CALL = Expectation("tool_called", (ExpectedCall("refund", {"method": "store_credit"}),))


def case_of(first=(), second=(), *, maintain=False, **more):
    sessions = (
        CaseSession((CaseTurn(SAYS, tuple(first)),), "day 1", maintain),
        CaseSession((CaseTurn(ASKS, tuple(second)),), "day 4"),
    )
    return Case("a", ASKS, sessions=sessions, **more)


def trial_of(first=None, second=None, **more):
    turns = (
        TurnRecord(1, 1, SAYS, "day 1", **{"answer": "Noted.", **(first or {})}),
        TurnRecord(2, 1, ASKS, "day 4", **{"answer": "In store credit.", **(second or {})}),
    )
    return Trial("a", 0, turns[-1].answer, turns=turns, **more)


def outcome_of(item, **turn):
    (fact,) = score_trial(case_of(first=[item]), trial_of(turn)).facts
    return fact.outcome, fact.reason


@pytest.mark.parametrize(
    ("item", "turn", "outcome", "reason"),
    [
        (READ, {"memory_reads": HELD}, "held", ""),
        (READ, {"memory_reads": (MemoryItem("tea"),)}, "missed", "it stands in none of the 1 items that were read"),
        (READ, {"memory_reads": (replace(HELD[0], dropped="beyond k"),)}, "missed", "it stands in none of the 0 items"),
        (READ, {"seen": (Seen("otel", memory_reads=HELD),)}, "held", ""),
        (READ, {"memory_reads": (), "seen": (Seen("otel", memory_reads=HELD),)}, "missed", "it stands in none"),
        (READ, {}, "error", NOT_READ),
        (READ, {"memory_reads": (MemoryItem(f"pay by {REDACTED}"),)}, "error", REDACTED_ITEM),
        (WRITE, {"memory_writes": HELD}, "held", ""),
        (WRITE, {"seen": (Seen("otel", memory_writes=HELD),)}, "held", ""),
        (WRITE, {"memory_writes": (replace(HELD[0], kind="DELETE"),)}, "missed", "it stands in none of the 0 writes"),
        (WRITE, {"memory_writes": ()}, "missed", "it stands in none of the 0 writes of this turn"),
        (WRITE, {}, "error", NOT_WRITTEN),
        (WRITE, {"before": ()}, "error", NOT_WRITTEN),
        (WRITE, {"before": (), "ended": HELD}, "held", ""),
        (WRITE, {"before": (), "ended": HELD, "after": ()}, "held", ""),
        (WRITE, {"memory_writes": (), "before": (), "ended": HELD}, "held", ""),
        (WRITE, {"before": HELD, "ended": HELD}, "missed", "it stands in no write of this turn, nor in the 0 items"),
        (WRITE, {"before": HELD, "ended": HELD * 2}, "held", ""),
        (WRITE, {"memory_writes": (MemoryItem(REDACTED),), "before": (), "ended": ()}, "error", REDACTED_ITEM),
        (FIELDS, {"memory_writes": HELD}, "held", ""),
        (FIELDS, {"memory_writes": (replace(HELD[0], kind="episode"),)}, "missed", "it stands in none of the 1 writes"),
        (FIELDS, {"memory_writes": (replace(HELD[0], text="tea"),)}, "missed", "it stands in none of the 1 writes"),
        (FIELDS, {"memory_writes": (replace(HELD[0], kind=""),)}, "error", "an item says it, and the agent does not"),
        (Expectation("memory_write", fields={"way": "store_credit"}), {"memory_writes": HELD}, "held", ""),
        (HAS, {"after": HELD}, "held", ""),
        (HAS, {"after": (MemoryItem("no store credit"),)}, "missed", "it stands in none of the 1 items after"),
        (HAS, {"after": None, "ended": HELD}, "error", NOT_LISTED),
        (LACKS, {"after": ()}, "held", ""),
        (LACKS, {"after": HELD}, "missed", "it stands in the memory after the session: 'refund_method: store_credit'"),
        (LACKS, {"after": (MemoryItem("store credit " * 20),)}, "missed", "it stands in the memory after the session"),
        (LACKS, {"after": (MemoryItem(REDACTED),)}, "error", REDACTED_ITEM),
        (LACKS, {}, "error", NOT_LISTED),
    ],
)
def test_what_is_expected_of_the_memory(item, turn, outcome, reason):
    found = outcome_of(item, **turn)
    assert found[0] == outcome
    assert found[1].startswith(reason)
    assert bool(found[1]) == (outcome != "held")


@pytest.mark.parametrize("item", [READ, WRITE, HAS, LACKS])
@pytest.mark.parametrize(("fresh", "outcome"), [(False, "error"), (None, "held"), (True, "held")])
def test_a_context_that_was_not_fresh_proves_nothing_of_the_memory(item, fresh, outcome):
    shown = {"memory_reads": HELD, "memory_writes": HELD, "after": () if item is LACKS else HELD, "fresh": fresh}
    score = score_trial(case_of(second=[item, MENTIONS]), trial_of(second=shown))
    assert [fact.outcome for fact in score.facts] == [outcome, "held"]
    assert ("the context was not fresh: session 2 saw what was said before it" in score.error) == (fresh is False)


def test_each_turn_is_held_against_its_own_reply():
    case = case_of([OMITS], [MENTIONS, CALL], expected=(Fact("normalized", "credit"),))
    made = (ToolCall("refund", {"method": "store_credit"}),)
    score = score_trial(case, trial_of(second={"tool_calls": made}))
    assert [(fact.fact, fact.role, fact.outcome, bool(fact.spans)) for fact in score.facts] == [
        ("credit", "expected", "held", True),
        ("s1.t1 reply_omits: store credit", "expectation", "held", False),
        ("s2.t1 reply_mentions: store credit", "expectation", "held", True),
        ("s2.t1 tool_called: refund(method=store_credit)", "expectation", "held", False),
    ]
    assert score.passed
    other = score_trial(case, trial_of({"answer": "In store credit."}, {"answer": "To your card.", "tool_calls": ()}))
    assert [fact.outcome for fact in other.facts] == ["missed", "missed", "missed", "missed"]
    assert all(not fact.spans for fact in other.facts)


def test_other_turns_than_those_of_the_case_are_no_judgement():
    trial = trial_of()
    for turns in ((), trial.turns[:1], trial.turns[::-1]):
        score = score_trial(case_of(second=[MENTIONS]), replace(trial, turns=turns))
        assert (score.outcome, score.error) == ("error", "the record has other turns than the case")
        assert [fact.fact for fact in score.facts] == ["s2.t1 reply_mentions: store credit"]


def test_an_error_keeps_every_expectation_in_the_count():
    trial = replace(trial_of(), error=TrialError("agent", "session 2, turn 1: gone"))
    score = score_trial(case_of([WRITE], [READ]), trial)
    assert [fact.outcome for fact in score.facts] == ["error", "error"]
    assert score.error == "agent: session 2, turn 1: gone"


def test_nothing_asserted_is_no_pass():
    assert score_trial(case_of(second=[LACKS]), trial_of(second={"after": ()})).error.startswith("nothing is asserted")
    assert score_trial(case_of(), trial_of()).outcome == "error"


def owner(case, trial, listings, histories=None):
    known = {listing.sha256: listing for listing in listings}
    score = score_trial(case, trial, records=Records(histories or {}, known.get))
    return [fact.loss.owner if fact.loss else None for fact in score.facts]


EMPTY, FULL = StoreListing(()), StoreListing(HELD)
UNUSED = {"answer": "To your card.", "prompt": "?", "memory_reads": (), "tool_calls": ()}
THERE = {"answer": "To your card.", "prompt": "store credit", "memory_reads": HELD, "tool_calls": ()}


@pytest.mark.parametrize(
    ("written", "kept", "maintain", "second", "owners"),
    [
        (EMPTY, EMPTY, False, UNUSED, ["write"] * 3),
        (FULL, EMPTY, True, UNUSED, ["fold"] * 3),
        (FULL, EMPTY, False, UNUSED, [None] * 3),
        (FULL, FULL, True, UNUSED, ["retrieve"] * 3),
        (FULL, FULL, False, {**UNUSED, "memory_reads": HELD}, ["prompt"] * 2),
        (FULL, FULL, False, THERE, ["use"] * 2),
    ],
)
def test_who_lost_what_an_earlier_session_said(written, kept, maintain, second, owners):
    first = {"store_written": written.sha256, "store_kept": kept.sha256}
    start = {"store_written": EMPTY.sha256, "store_kept": EMPTY.sha256}
    items = [MENTIONS, CALL, READ][: len(owners)]
    case = case_of(second=items, maintain=maintain)
    assert owner(case, trial_of(first, second, **start), [EMPTY, FULL]) == owners


def test_what_stands_in_the_prompt_without_having_been_read_has_no_owner():
    first = {"store_written": FULL.sha256, "store_kept": FULL.sha256}
    second = {**UNUSED, "prompt": "store credit"}
    case = case_of(second=[MENTIONS, READ])
    assert owner(case, trial_of(first, second), [FULL]) == ["use", None]


def test_a_memory_that_lost_a_history_by_folding_is_blamed_for_it():
    histories = {"h": History("h", (Session("s1", (Turn("user", "Pay in store credit."),)),))}
    case = replace(case_of(second=[MENTIONS], history="h"), sessions=case_of(second=[MENTIONS]).sessions)
    first = {"store_written": EMPTY.sha256, "store_kept": EMPTY.sha256}
    start = {"store_written": FULL.sha256, "store_kept": EMPTY.sha256}
    assert owner(case, trial_of(first, UNUSED, **start), [EMPTY, FULL], histories) == ["fold"]


def test_what_is_said_in_the_same_conversation_is_nobodys_loss():
    turns = (CaseTurn(SAYS), CaseTurn(ASKS, (MENTIONS, CALL)))
    records = (
        TurnRecord(1, 1, SAYS, answer="Noted.", prompt="?", memory_reads=()),
        TurnRecord(1, 2, ASKS, **UNUSED),
    )
    case = Case("a", ASKS, sessions=(CaseSession(turns),))
    trial = Trial("a", 0, UNUSED["answer"], turns=records, store_written=EMPTY.sha256, store_kept=EMPTY.sha256)
    assert owner(case, trial, [EMPTY]) == [None, None]


def test_store_expectations_name_their_stage_themselves_and_a_forbidden_word_its_origin():
    case = case_of(first=[HAS, WRITE], second=[OMITS])
    first = {"after": (), "memory_writes": (), "store_written": FULL.sha256, "store_kept": FULL.sha256}
    second = {"answer": "In store credit.", "prompt": "?", "memory_reads": ()}
    assert owner(case, trial_of(first, second), [FULL]) == [None, None, "use"]


def test_with_the_memory_cut_off_a_leaking_context_passes_without_what_is_expected_of_the_memory():
    case = case_of([WRITE], [READ, MENTIONS])
    leaked = trial_of({"memory_writes": ()}, {"answer": "In store credit.", "memory_reads": (), "fresh": False})
    assert score_trial(case, leaked).outcome == "error"
    score = score_trial(case, leaked, cut_off=True)
    assert (score.outcome, [fact.fact for fact in score.facts]) == ("pass", ["s2.t1 reply_mentions: store credit"])
    fresh = trial_of({"memory_writes": ()}, {"answer": "In store credit.", "memory_reads": (), "fresh": True})
    assert score_trial(case, fresh, cut_off=True).outcome == "fail"
    nothing_else = case_of([WRITE], [READ])
    assert score_trial(nothing_else, leaked, cut_off=True).outcome == "error"


NOTED = ToolCall("remember", {"kind": "preference", "refund_method": "store_credit"})


@pytest.mark.parametrize(
    ("item", "turn", "outcome", "reason"),
    [
        (FIELDS, {"tool_calls": (NOTED,)}, "held", ""),
        (WRITE, {"tool_calls": (NOTED,)}, "held", ""),
        (WRITE, {"seen": (Seen("wire", (ModelCall(f"user: {SAYS}", tool_calls=(NOTED,)),)),)}, "held", ""),
        (WRITE, {"tool_calls": (ToolCall("mcp__m__add_memories", {"text": "store credit"}),)}, "held", ""),
        (
            FIELDS,
            {"tool_calls": (ToolCall("add_memory", {"text": "store_credit"}),)},
            "error",
            "an item says it, and the",
        ),
        (
            WRITE,
            {"tool_calls": (replace(NOTED, args={"kind": "fact"}),)},
            "missed",
            "it stands in none of the 1 writes",
        ),
        (WRITE, {"tool_calls": (replace(NOTED, name="delete_memory"),)}, "missed", "it stands in none of the 0 writes"),
        (WRITE, {"tool_calls": (replace(NOTED, name="search_memory"),)}, "error", NOT_WRITTEN),
        (WRITE, {"tool_calls": (replace(NOTED, name="refund"),)}, "error", NOT_WRITTEN),
        (WRITE, {"tool_calls": (NOTED,), "memory_writes": ()}, "missed", "it stands in none of the 0 writes"),
    ],
)
def test_a_write_is_seen_as_a_call_too(item, turn, outcome, reason):
    found = outcome_of(item, **turn)
    assert found[0] == outcome
    assert found[1].startswith(reason)
