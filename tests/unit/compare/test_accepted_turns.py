"""The turns that a baseline keeps, so that a case with sessions can be scored again."""

import json
from dataclasses import replace

import pytest

from foldproof.cases import Case, CaseSession, CaseTurn, Expectation, ExpectedCall, ReplaySet, Requirement
from foldproof.compare import load_baseline, save_baseline
from foldproof.compare.baseline import asked_hash, make_baseline
from foldproof.core import FileError
from foldproof.logs import MemoryItem, Seen, ToolCall
from foldproof.matching import Fact
from foldproof.record import Run, Trial, TurnRecord, UserListing
from foldproof.score import score_trial

CREDIT = Fact("normalized", "store credit")
READ, HAS, LACKS, WRITE, MENTIONS = (
    Expectation(kind, fact=CREDIT)
    for kind in ("memory_read", "store_has", "store_lacks", "memory_write", "reply_mentions")
)
CALL = Expectation("tool_called", (ExpectedCall("refund"),))
ITEMS = (MemoryItem("store credit", "id7", "preference", 1, 0.5),)
BARE = (MemoryItem("store credit", kind="preference"),)
RUN = Run("production", "c0", {}, "support", "5e")
SHOWN = {
    "tool_calls": (ToolCall("refund", {"a": 1}),),
    "memory_reads": (*ITEMS, MemoryItem("tea", dropped="beyond k")),
    "memory_writes": ITEMS,
    "before": (),
    "ended": ITEMS,
    "after": ITEMS,
    "prompt": "p",
    "fresh": True,
}


def case_of(first=(), second=(), maintain=False):
    sessions = (
        CaseSession((CaseTurn("Pay so.", tuple(first)),), "day 1", maintain),
        CaseSession((CaseTurn("Refund it.", tuple(second)),)),
    )
    return Case("a", "Refund it.", sessions=sessions)


def set_of(case):
    return ReplaySet("support", "replay.yaml", (case,), {"semantic": Requirement()}, "5e")


def trial_of(first=None, second=None):
    turns = (
        TurnRecord(1, 1, "Pay so.", "day 1", "Noted,\nstore credit.", **{**SHOWN, "fresh": None, **(first or {})}),
        TurnRecord(2, 1, "Refund it.", "", "In store credit.", **{**SHOWN, **(second or {})}),
    )
    return Trial("a", 0, "In store credit.", turns=turns)


def kept(case, trial, tmp_path):
    baseline = make_baseline(RUN, [trial], set_of(case), vacuous=())
    path = tmp_path / "baseline.json"
    save_baseline(baseline, path, set_of(case))
    assert load_baseline(path) == baseline
    return path, baseline


def test_what_the_expectations_look_at_is_kept_and_no_more(tmp_path):
    case = case_of([WRITE, HAS], [READ, CALL, MENTIONS])
    path, baseline = kept(case, trial_of(), tmp_path)
    first, second = baseline.answers[0].turns
    assert (first.memory_writes, first.before, first.ended, first.after) == (BARE, (), BARE, BARE)
    assert (first.memory_reads, first.tool_calls, first.prompt, first.fresh) == (None, None, None, None)
    assert (second.memory_reads, second.tool_calls, second.fresh) == (BARE, SHOWN["tool_calls"], True)
    assert (second.memory_writes, second.before, second.ended, second.after) == (None,) * 4
    (entry,) = json.loads(path.read_text("utf-8"))["cases"][0]["trials"]
    assert entry["turns"][0]["answer"] == ["Noted,", "store credit."]
    assert [score.outcome for score in load_baseline(path).scores(set_of(case)).values()] == ["pass"]


def test_what_another_source_saw_is_kept_too(tmp_path):
    seen = (Seen("otel", memory_reads=ITEMS, memory_writes=ITEMS),)
    unshown = {"memory_reads": None, "memory_writes": None, "seen": seen, "before": None, "ended": None}
    case = case_of([WRITE], [READ])
    _, baseline = kept(case, trial_of(unshown, unshown), tmp_path)
    first, second = baseline.answers[0].turns
    assert (first.memory_writes, second.memory_reads) == (BARE, BARE)


@pytest.mark.parametrize("asked_later", [CALL, READ, WRITE, HAS, LACKS])
def test_a_case_that_asks_later_what_was_not_kept_is_left_out(tmp_path, asked_later):
    _, baseline = kept(case_of(second=[MENTIONS]), trial_of(), tmp_path)
    assert list(baseline.scores(set_of(case_of(second=[MENTIONS])))) == ["a"]
    assert baseline.scores(set_of(case_of(second=[MENTIONS, asked_later]))) == {}
    other = Expectation("reply_omits", fact=Fact("normalized", "card"))
    assert list(baseline.scores(set_of(case_of(second=[MENTIONS, other])))) == ["a"]


def test_a_write_is_judged_by_the_listing_where_no_write_was_shown(tmp_path):
    unshown = {"memory_writes": None}
    case = case_of([WRITE], [MENTIONS])
    _, baseline = kept(case, trial_of(unshown), tmp_path)
    assert [score.outcome for score in baseline.scores(set_of(case)).values()] == ["pass"]
    half = replace(baseline, answers=(trial_of({**unshown, "ended": None}),))
    assert half.scores(set_of(case)) == {}


def test_answers_without_turns_are_left_out(tmp_path):
    _, baseline = kept(case_of(second=[MENTIONS]), trial_of(), tmp_path)
    bare = replace(baseline, answers=(replace(baseline.answers[0], turns=()),))
    assert bare.scores(set_of(case_of(second=[MENTIONS]))) == {}


def test_what_is_said_when_and_the_maintenance_are_what_is_asked():
    case = case_of(second=[MENTIONS])
    asked = asked_hash(case, set_of(case))
    assert asked == asked_hash(case_of([WRITE], [MENTIONS, READ]), set_of(case))
    others = (
        case_of(second=[MENTIONS], maintain=True),
        replace(case, sessions=(replace(case.sessions[0], at="day 2"), case.sessions[1])),
        replace(case, sessions=(CaseSession((CaseTurn("Other."),), "day 1"), case.sessions[1])),
        replace(case, sessions=()),
    )
    assert len({asked, *(asked_hash(other, set_of(case)) for other in others)}) == 5


def test_a_trial_of_a_case_that_is_gone_is_kept_by_its_answer():
    trials = [trial_of(), Trial("gone", 0, "x", tool_calls=())]
    baseline = make_baseline(RUN, trials, set_of(case_of(second=[MENTIONS])), vacuous=())
    assert [(trial.case, trial.tool_calls) for trial in baseline.answers] == [("a", None), ("gone", None)]


def test_a_turn_that_is_none_is_refused(tmp_path):
    path, _ = kept(case_of(second=[MENTIONS]), trial_of(), tmp_path)
    path.write_text(path.read_text("utf-8").replace('"turn": 1', '"turm": 1', 1), "utf-8")
    with pytest.raises(FileError, match=r"damaged at `cases\.0\.trials\.0\.turns\.0"):
        load_baseline(path)


STATE = Expectation("state", state={"refunds": [{"order_id": 5310}]})
SHOP = {"refunds": [{"order_id": 5310, "method": "card"}]}


def test_the_state_is_kept_of_turns_that_expect_one(tmp_path):
    case = case_of(first=[MENTIONS], second=[STATE])
    path, baseline = kept(case, trial_of({"state": {"refunds": []}}, {"state": SHOP}), tmp_path)
    (entry,) = json.loads(path.read_text("utf-8"))["cases"][0]["trials"]
    assert [turn.get("state") for turn in entry["turns"]] == [None, SHOP]
    assert baseline.scores(set_of(case))["a"].outcome == "pass"
    assert set(baseline.scores(set_of(case_of(first=[STATE], second=[STATE])))) == set()


@pytest.mark.parametrize(("whose", "told"), [("t-ann", "ann"), ("t", "/"), ("t-bob", ""), ("x", "")])
def test_an_item_of_another_user_is_one_in_the_baseline_too(tmp_path, whose, told):
    sessions = [CaseSession((CaseTurn(f"Hello from {user}.", (HELLO,)),), user=user) for user in ("ann", "", "bob")]
    case = Case("a", "Hello from bob.", sessions=tuple(sessions))
    listings = tuple(UserListing(user, (), ()) for user in case.users)
    ids = {"ann": "t-ann", "": "", "bob": "t-bob"}
    turns = [
        TurnRecord(number, 1, one.turns[0].user, answer="Hello.", user_id=ids[one.user], listings=listings)
        for number, one in enumerate(sessions, 1)
    ]
    turns[2] = replace(turns[2], memory_reads=(MemoryItem("likes tea", user=whose),))
    trial = Trial("a", 0, "Hello.", turns=tuple(turns), user="t")
    replay_set = set_of(case)
    before = score_trial(case, trial)
    assert before.leaked is bool(told)
    save_baseline(make_baseline(RUN, [trial], replay_set, vacuous=()), tmp_path / "b.json", replay_set)
    loaded = load_baseline(tmp_path / "b.json")
    assert loaded.answers[0].turns[2].memory_reads == (MemoryItem("likes tea", user=told),)
    (again,) = loaded.scores(replay_set)["a"].trials
    assert again == before


HELLO = Expectation("reply_mentions", fact=Fact("normalized", "Hello"))
