"""The calls that a baseline keeps, so that expectations of them can be scored again."""

import json
from dataclasses import replace

import pytest

from foldproof.cases import Case, Expectation, ExpectedCall, ReplaySet, Requirement
from foldproof.compare import load_baseline, save_baseline
from foldproof.compare.baseline import make_baseline
from foldproof.core import FileError
from foldproof.logs import ModelCall, Seen, ToolCall
from foldproof.matching import Fact
from foldproof.record import Run, Trial

REFUND = Expectation("tool_called", (ExpectedCall("refund", {"order_id": 4021}),))
CALLING = Case("refund", "Refund it.", expect=(REFUND,))
SAYING = Case("db", "Which database?", expected=(Fact("normalized", "Postgres"),))
MADE = (ToolCall("refund", {"order_id": 4021, "note": None}),)
RUN = Run("production", "c0", {}, "support", "5e")


def a_set(*cases):
    return ReplaySet("support", "replay.yaml", cases, {"semantic": Requirement()}, "5e")


SET = a_set(CALLING, SAYING)
TRIALS = [Trial("refund", 0, "Done.", tool_calls=MADE), Trial("db", 0, "Postgres", tool_calls=MADE)]


def test_the_calls_are_kept_of_cases_that_expect_some(tmp_path):
    baseline = make_baseline(RUN, TRIALS, SET, vacuous=())
    path = tmp_path / "baseline.json"
    save_baseline(baseline, path, SET)
    entries = {case["id"]: case["trials"][0] for case in json.loads(path.read_text("utf-8"))["cases"]}
    assert entries["refund"]["calls"] == [{"name": "refund", "args": {"order_id": 4021, "note": None}}]
    assert entries["refund"]["facts"] == {"tool_called: refund(order_id=4021)": "held"}
    assert "calls" not in entries["db"]
    assert load_baseline(path) == baseline
    assert [score.outcome for score in load_baseline(path).scores(SET).values()] == ["pass", "pass"]


def test_calls_that_were_seen_on_the_wire_are_kept_as_well():
    seen = Seen("wire", (ModelCall("user: Refund it.", tool_calls=MADE),))
    baseline = make_baseline(RUN, [Trial("refund", 0, "Done.", seen=(seen,))], SET, vacuous=())
    assert baseline.answers == (Trial("refund", 0, "Done.", tool_calls=MADE),)


def test_no_call_is_kept_as_none(tmp_path):
    other = a_set(Case("refund", "Refund it.", expect=(Expectation("no_tool_called", (ExpectedCall("x"),)),)))
    path = tmp_path / "baseline.json"
    save_baseline(make_baseline(RUN, [Trial("refund", 0, "Done.", tool_calls=())], other, vacuous=()), path, other)
    assert load_baseline(path).answers[0].tool_calls == ()
    assert load_baseline(path).scores(other)["refund"].outcome == "pass"


def test_calls_are_scored_with_the_expectations_of_today():
    baseline = make_baseline(RUN, TRIALS, SET, vacuous=())
    stricter = Expectation("tool_called", (ExpectedCall("refund", {"order_id": 4022}),))
    assert baseline.scores(a_set(replace(CALLING, expect=(stricter,))))["refund"].outcome == "fail"
    assert not baseline.controlled(replace(CALLING, expect=(stricter,)), SET)
    assert baseline.controlled(CALLING, SET)


def test_an_answer_whose_calls_were_not_kept_is_left_out():
    """As one to another question is: what nobody has kept cannot be judged."""
    baseline = make_baseline(RUN, TRIALS, SET, vacuous=())
    assert set(baseline.scores(a_set(CALLING, replace(SAYING, expect=(REFUND,))))) == {"refund"}
    mentions = Expectation("reply_mentions", fact=Fact("normalized", "Postgres"))
    assert set(baseline.scores(a_set(CALLING, replace(SAYING, expect=(mentions,))))) == {"refund", "db"}


@pytest.mark.parametrize(
    "calls", ["refund", [{"name": "refund"}], [{"name": 5, "args": {}}], [{"name": "x", "args": 5}]]
)
def test_damaged_calls_are_named_by_their_place(tmp_path, calls):
    path = tmp_path / "baseline.json"
    save_baseline(make_baseline(RUN, TRIALS, SET, vacuous=()), path, SET)
    document = json.loads(path.read_text("utf-8"))
    document["cases"][0]["trials"][0]["calls"] = calls
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(FileError, match=r"damaged at `cases\.0\.trials\.0\.calls"):
        load_baseline(path)


STATE = Expectation("state", state={"refunds": [{"order_id": 4021}]})
SHOP = {"refunds": [{"order_id": 4021, "method": "card"}]}


def test_the_end_state_is_kept_of_cases_that_expect_one(tmp_path):
    case = replace(SAYING, expect=(STATE,))
    path = tmp_path / "baseline.json"
    save_baseline(
        make_baseline(RUN, [Trial("db", 0, "Postgres", state=SHOP)], a_set(case), vacuous=()), path, a_set(case)
    )
    loaded = load_baseline(path)
    assert loaded.answers == (Trial("db", 0, "Postgres", state=SHOP),)
    assert loaded.scores(a_set(case))["db"].outcome == "pass"
    other = make_baseline(RUN, [Trial("db", 0, "Postgres", state=SHOP)], a_set(SAYING), vacuous=())
    assert other.answers == (Trial("db", 0, "Postgres"),)
    assert set(other.scores(a_set(case))) == set(), "what nobody has kept cannot be judged"
