"""Curves, ceiling and gate of scored rounds."""

import pytest

from foldproof.cases import Requirement
from foldproof.cliff.comparing import ceiling_curves, flips_of
from foldproof.cliff.curves import class_order, curves_of, totals_of
from foldproof.cliff.gate import Demand, demands_of, hold_demands, verdict_of
from foldproof.cliff.result import result_of, shown_class
from foldproof.cliff.scoring import score_rounds, without_labelled
from foldproof.core import UsageError

from .corpora import a_round, labelled, of_lines

PUSH, PAID, LAB = "Never push to main.", "Refunds above $50 need approval.", "The lab is in Lisbon by the sea."
DOCUMENTS = (of_lines("one", PUSH, PAID, LAB), of_lines("two", PUSH))
LINES = (
    labelled(PUSH, place=1),
    labelled(PAID, place=2),
    labelled(LAB, place=3, cls="semantic"),
    labelled(PUSH, document="two"),
)
SIZES = {"one": 25, "two": 5}


def scored(*rounds):
    return list(score_rounds(rounds, DOCUMENTS, LINES))


def curves(*rounds):
    return curves_of(scored(*rounds), LINES, SIZES)


def test_lines_are_counted_by_class_and_outcome_over_documents():
    [curve] = curves(a_round(f"Do not push to main.\n{PAID}".replace("50", "500")), a_round(PUSH, document="two"))
    safety, every = curve.points["safety"][0], curve.points["all"][0]
    assert dict(safety.counts) == {"verbatim": 1, "kept": 1, "degraded": 1, "lost": 0}
    assert (safety.survived, safety.judged, safety.unjudged, safety.share) == (2, 3, 0, pytest.approx(2 / 3))
    assert (every.survived, every.of, every.interval.low > 0) == (2, 4, True)
    assert list(curve.points) == ["all", "safety", "semantic"]
    level = curve.levels[0]
    assert (level.size, level.granted, level.states, level.over) == (30, 200, {"ok": 2}, False)
    assert level.retained == level.kept / 30


def test_a_failed_round_is_neither_kept_nor_lost():
    [curve] = curves(a_round(PUSH), a_round("", document="two", state="error", error="it broke"))
    safety = curve.points["safety"][0]
    assert (safety.judged, safety.unjudged, safety.share) == (2, 1, 0.5)
    [none] = curves(a_round("", state="skipped"))
    assert (none.points["safety"][0].share, none.points["safety"][0].unjudged) == (None, 3)
    assert none.levels[0].retained is None


def test_the_cliff_is_the_first_round_below_one_half():
    rows = [a_round(text, number=number) for number, text in enumerate([f"{PUSH}\n{PAID}", PUSH, ""], 1)]
    [curve] = curves(*rows)
    assert [point.share for point in curve.points["safety"]] == [1.0, 0.5, 0.0]
    assert (curve.cliff("safety"), curve.cliff("semantic")) == (3, 1)
    [flat] = curves(a_round(f"{PUSH}\n{PAID}"))
    assert flat.cliff("safety") is None


def test_over_budget_stale_unsafe_and_invented_are_counted():
    text = f"{PUSH}\nAlways encrypt the backups."
    [curve] = curves(
        a_round(text, state="over budget", unsafe="too small"), a_round(PUSH, document="two", state="copy")
    )
    level = curve.levels[0]
    assert (curve.over, level.over, level.unsafe, level.invented, level.stale) == (True, True, 1, 1, 0)


def test_classes_have_an_order_and_what_is_replaced_does_not_count():
    assert class_order(["zeta", "semantic", "identity", "safety", "alpha"]) == (
        "safety", "semantic", "identity", "alpha", "zeta",
    )  # fmt: skip
    old = labelled("The limit is 9 at most.", place=9, replaced_by=10)
    assert totals_of([*LINES, old]) == {"all": 4, "safety": 3, "semantic": 1}


def test_the_ceiling_is_what_a_budget_could_hold_of_a_class():
    rounds = [a_round("", budget=5), a_round("", number=2, budget=14), a_round("", document="two", budget=1)]
    [ceiling] = ceiling_curves(scored(*rounds), LINES, SIZES)
    # Costs with the line break: 20, 33 and 33 bytes; 5 tokens hold 21 of them, 14 hold 57.
    assert [point.survived for point in ceiling.points["safety"]] == [1, 2]
    assert [point.unjudged for point in ceiling.points["safety"]] == [0, 1]
    assert [point.survived for point in ceiling.points["semantic"]] == [0, 1]
    assert ceiling.key.subject == "ceiling"


def test_subjects_that_change_places_between_schedules_are_named():
    def rows(subject, schedule, text, **more):
        return a_round(text, subject=subject, schedule=schedule, **more)

    both = f"{PUSH}\n{PAID}"
    found = curves(
        rows("head", "progressive", PUSH), rows("tail", "progressive", both),
        rows("head", "window", both), rows("tail", "window", PUSH),
        rows("same", "progressive", PUSH), rows("same", "window", PUSH),
        rows("copy", "progressive", PUSH, state="copy"), rows("copy", "window", both),
        rows("broke", "window", "", state="error"),
    )  # fmt: skip
    [flip] = flips_of(found, "safety")
    assert (flip.first, flip.second, flip.under, flip.but_under) == ("head", "tail", "window", "progressive")
    assert (flip.shares, flip.but_shares) == ((1.0, 0.5), (0.5, 1.0))


def demand(text="safety=all@1", rounds=3):
    return demands_of([text], totals_of(LINES), rounds=rounds)


@pytest.mark.parametrize(
    ("text", "needed", "number"),
    [("safety=all@1", None, 1), ("safety = 2/3 @ 3", 2, 3), ("all=4/4@2", 4, 2)],
)
def test_a_demand_is_a_count_that_was_decided_on(text, needed, number):
    [found] = demand(text)
    assert (found.requirement.need, found.number, found.written) == (needed, number, text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("safety", "this is no demand"),
        ("safety=all", "`safety=18/20@3`"),
        ("saftey=all@1", "did you mean `safety`?"),
        ("safety=all@4", "there is no round 4"),
        ("safety=all@0", "allowed: 1 to 3"),
        ("safety=50%@1", "percentages move with the corpus"),
        ("safety=2/4@1", "counts 4 lines, but the corpus has 3 of class 'safety'"),
        ("safety=4/3@1", "asks for more lines than it counts"),
        ("safety=0/3@1", "asks for nothing"),
    ],
)
def test_what_is_no_demand_is_told(text, told):
    with pytest.raises(UsageError, match=r"--require") as raised:
        demand(text)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("rounds", "need", "ok"),
    [
        ([a_round(f"{PUSH}\n{PAID}"), a_round(PUSH, document="two")], None, True),
        ([a_round(PUSH), a_round(PUSH, document="two")], None, False),
        ([a_round(PUSH), a_round(PUSH, document="two")], 2, True),
        ([a_round(f"{PUSH}\n{PAID}"), a_round("", document="two", state="error")], None, None),
        ([a_round(f"{PUSH}\n{PAID}"), a_round("", document="two", state="error")], 2, None),  # an error never helps
        ([a_round(""), a_round("", document="two", state="error")], 2, False),  # it cannot save what is lost
        ([a_round(f"{PUSH}\n{PAID}")], None, None),  # not asked of every document
        ([a_round(f"{PUSH}\n{PAID}"), a_round(PUSH, document="two", state="copy")], None, None),
        ([a_round(PUSH, state="over budget"), a_round(PUSH, document="two")], None, False),
    ],
)
def test_a_demand_holds_fails_or_is_undecided(rounds, need, ok):
    requirement = Requirement() if need is None else Requirement(need, 3)
    [row] = hold_demands([Demand("safety", 1, requirement, "…")], curves(*rounds))
    assert row.ok is ok
    assert bool(row.reason) == (ok is None)
    assert verdict_of([row]) == {True: "pass", False: "blocked", None: "inconclusive"}[ok]


def test_a_round_that_was_not_asked_is_undecided():
    [row] = hold_demands(demand("safety=all@2"), curves(a_round(PUSH)))
    assert (row.ok, row.need, row.reason) == (None, 3, "the round was not asked")
    [row] = hold_demands(demand("safety=2/3@2"), curves(a_round(PUSH)))
    assert row.need == 2
    assert verdict_of([row, *hold_demands(demand(), curves(a_round("")))]) == "blocked"


def test_everything_in_one_record():
    degraded = "It is fine to push to main.\nAlways encrypt the backups."
    rounds = scored(
        a_round(degraded), a_round(degraded, number=2), a_round("", document="two", state="error", error="x")
    )
    result = result_of(rounds, DOCUMENTS, LINES, demands=demand(), notes=["n"])
    assert [(one.sign, one.key.number, one.lack) for one in result.remarks] == [
        ("degraded", 1, "turned round"), ("invented", 1, ""),
    ]  # fmt: skip
    assert ([one.error for one in result.failed], result.verdict, result.notes) == (["x"], "blocked", ("n",))
    assert (result.shown, result.totals["all"]) == ("safety", 4)
    assert result_of(rounds, DOCUMENTS, LINES).verdict is None
    assert (shown_class({"all": 1, "semantic": 1}), shown_class({"all": 1}, "semantic")) == ("all", "semantic")


def test_talk_that_says_a_labelled_line_is_left_out():
    talk = ("user: lunch was soup", "assistant: do not push to main", "user: it is fine to push to main")
    assert without_labelled(talk, LINES) == (talk[0], talk[2])


def test_scores_are_the_same_each_time_and_need_no_text_kept():
    one, other = scored(a_round(PUSH)), scored(a_round(PUSH))
    assert one == other
    assert one[0].round.text == ""
