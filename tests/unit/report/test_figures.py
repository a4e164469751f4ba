"""The figures in words."""

import pytest

from foldproof.report.documents import HistoryTestRow, PassRateRow
from foldproof.report.figures import check_figures, run_figure_lines

RATE = PassRateRow(passed=3, judged=4, low=0.301, high=0.954, pass_hat=[0.8])


def test_the_lines_of_a_check(blocked_check):
    found = blocked_check.model_copy(
        update={
            "p_value": 0.125,
            "smallest_drop": 6,
            "by_history": HistoryTestRow(p_value=0.25, histories=4, moved=3, least=0.25),
            "rate_before": RATE,
            "rate_after": PassRateRow(passed=1, judged=4, low=0.046, high=0.699, pass_hat=[0.4, 0.25]),
        }
    )
    assert check_figures(found) == [
        (
            "judged cases that pass, with the range of the true rate (Wilson, 95 %): "
            "3 of 4 before (0.30 to 0.95), 1 of 4 after (0.05 to 0.70)"
        ),
        "chance that k trials of a case all pass (pass^k), after: 0.40 (k = 1), 0.25 (k = 2)",
        "2 cases lost, 1 recovered: chance alone would change as much with p = 0.125 (exact McNemar)",
        (
            "with all cases of a history taken as one: p = 0.250 (sign-flip test; "
            "3 of 4 moved, which cannot give less than 0.250)"
        ),
        "the smallest drop that this set tells from noise: 6 cases",
    ]


def test_what_an_older_document_does_not_have_is_not_said(blocked_check):
    older = blocked_check.model_copy(update={"by_history": None, "rate_before": None, "rate_after": None})
    assert check_figures(older) == [
        "2 cases lost, 1 recovered: chance alone would change as much with p = 1.000 (exact McNemar)",
        "this set is too small to tell a drop from noise",
    ]
    assert check_figures(older.model_copy(update={"p_value": None})) == []


def test_a_side_without_a_judged_case_has_no_rate(blocked_check):
    nothing = PassRateRow(passed=0, judged=0, low=None, high=None)
    found = blocked_check.model_copy(
        update={"rate_before": nothing, "rate_after": RATE.model_copy(update={"unjudged": 2})}
    )
    assert check_figures(found)[0].endswith("(Wilson, 95 %): 3 of 4 after (0.30 to 0.95; 2 more not judged)")


@pytest.mark.parametrize("rate", [None, PassRateRow(passed=0, judged=0, low=None, high=None)])
def test_a_run_without_a_rate_has_no_line(run, rate):
    document = run({})
    assert len(run_figure_lines(document)) >= 1
    assert run_figure_lines(document.model_copy(update={"rate": rate})) == []
