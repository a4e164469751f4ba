"""First tries and corrections: their rates, and what a baseline keeps of a turn that somebody went on with."""

import json
from dataclasses import replace

import pytest

from foldproof.cases import Case, CaseSession, CaseTurn, Expectation, ExpectedCall, ReplaySet, Requirement
from foldproof.cases.counterparts import Counterpart, Line, Simulated
from foldproof.compare import load_baseline, save_baseline
from foldproof.compare.baseline import asked_hash, make_baseline
from foldproof.compare.corrections import CorrectionRate, correction_rates
from foldproof.logs import ModelCall, Seen, ToolCall
from foldproof.matching import Fact
from foldproof.record import Run, Trial, TurnRecord
from foldproof.score import CaseScore, TrialScore

WRONG, RIGHT = (ToolCall("refund", {"id": number}) for number in (1, 2))
AFTER = Expectation("tool_called", (ExpectedCall("refund", {"id": 1}),))
MENTIONS = Expectation("reply_mentions", fact=Fact("normalized", "blender"))
LINE = Line(AFTER, "The other one.")


def case_of(name="a", case_class="episodic", *, expect=(MENTIONS,), **who):
    turn = CaseTurn("Refund it.", expect, Counterpart(**who) if who else None)
    return Case(name, "Refund it.", case_class, sessions=(CaseSession((turn,)),))


def score(case, *trials):
    return CaseScore(case.id, case.case_class, tuple(TrialScore(0, *trial) for trial in trials))


def trial(outcome, corrected=None):
    return outcome, (), "", corrected


def test_rates_stand_side_by_side_a_class_and_in_all():
    one, two = case_of("a", corrections=(LINE,)), case_of("b", "preference", corrections=(LINE,))
    plain = case_of("c", rules=(LINE,))
    scores = {
        "a": score(one, trial("pass", False), trial("pass", True), trial("fail", True), trial("error")),
        "b": score(two, trial("fail", False), trial("pass", True)),
        "c": score(plain, trial("pass")),
    }
    assert correction_rates([one, two, plain], scores) == (
        CorrectionRate("episodic", 3, 1, 2, 1, 1),
        CorrectionRate("preference", 2, 0, 1, 1),
        CorrectionRate("all", 5, 1, 3, 2, 1),
    )
    assert correction_rates([one], scores) == (CorrectionRate("episodic", 3, 1, 2, 1, 1),)
    assert correction_rates([one, plain], {"c": scores["c"]}) == ()


def set_of(case):
    return ReplaySet("shop", "replay.yaml", (case,), {"episodic": Requirement()}, "5e")


def turns_of(*, calls=(WRONG, RIGHT)):
    shown = [() if call is None else (call,) for call in calls]
    return (
        TurnRecord(1, 1, "Refund it.", answer="Done.", tool_calls=shown[0], prompt="p"),
        TurnRecord(1, 1, LINE.say, answer="The blender.", tool_calls=shown[1], attempt=2, speaker="correction",
                   close="done", goal_met=True),
    )  # fmt: skip


def baseline_of(case, *turns):
    trial = Trial("a", 0, turns[-1].answer, turns=turns)
    return make_baseline(Run("production", "c", {}, "shop", "5e"), [trial], set_of(case), vacuous=())


def calls_of(baseline):
    return [turn.tool_calls for turn in baseline.answers[0].turns]


@pytest.mark.parametrize("who", [{}, {"simulated": Simulated("g")}])
def test_a_baseline_keeps_every_attempt(tmp_path, who):
    case = case_of(corrections=(LINE,), **who)
    baseline, path = baseline_of(case, *turns_of()), tmp_path / "baseline.json"
    save_baseline(baseline, path, set_of(case))
    assert load_baseline(path) == baseline
    assert calls_of(baseline) == [(WRONG,), (RIGHT,)]
    first, second = json.loads(path.read_text("utf-8"))["cases"][0]["trials"][0]["turns"]
    assert "attempt" not in first
    assert [second[key] for key in ("attempt", "speaker", "close", "goal_met")] == [2, "correction", "done", True]
    (found,) = load_baseline(path).scores(set_of(case))["a"].trials
    assert (found.outcome, found.corrected) == ("pass", True)


def test_calls_are_kept_where_only_a_correction_looks_at_them():
    case = case_of(corrections=(LINE,))
    seen = (Seen("wire", (ModelCall("Refund it.", "Done.", (WRONG,)),)),)
    first, second = turns_of()
    baseline = baseline_of(case, replace(first, tool_calls=None, seen=seen), second)
    assert calls_of(baseline) == [(WRONG,), (RIGHT,)]
    assert set(baseline.scores(set_of(case))) == {"a"}
    hidden = baseline_of(case, replace(first, tool_calls=None), second)
    assert hidden.scores(set_of(case)) == {}, "what was not kept cannot be scored again"
    rules = case_of(rules=(LINE,))
    kept = baseline_of(rules, *turns_of())
    assert calls_of(kept) == [None, None]
    assert set(kept.scores(set_of(rules))) == {"a"}


def test_another_line_asks_another_question():
    plain, one = case_of(), case_of(corrections=(LINE,))
    other = case_of(corrections=(replace(LINE, say="No."),))
    hashes = {asked_hash(case, set_of(case)) for case in (plain, one, other, case_of(rules=(LINE,)))}
    assert len(hashes) == 4
    assert asked_hash(one, set_of(one)) == asked_hash(replace(one, case_class="semantic"), set_of(one))
