"""The figures beside a verdict: what is counted, and what is left out."""

from dataclasses import replace

import pytest

from foldproof.compare import CaseChange, ChangeFigures, RunFigures, change_figures, run_figures
from foldproof.compare.statistics import SignFlip, wilson


def _changes(told):
    """`a:lost b:kept` in words."""
    return [CaseChange(name, "semantic", kind, None, None) for name, kind in (part.split(":") for part in told.split())]


def test_the_figures_of_a_run(scores):
    figures = run_figures(scores(a="PPP", b="PFP", c="FFF"))
    assert (figures.passed, figures.judged, figures.rate) == (1, 3, wilson(1, 3))
    assert figures.pass_hat == (pytest.approx(5 / 9), pytest.approx(4 / 9), pytest.approx(1 / 3))


def test_k_goes_up_to_what_every_judged_case_has(scores):
    assert len(run_figures(scores(a="PPP", b="P")).pass_hat) == 1
    assert len(run_figures(scores(a="PPP", b="PEP")).pass_hat) == 2


def test_a_case_without_a_judgement_is_in_no_figure(scores):
    alone = run_figures(scores(a="PP"))
    assert run_figures(scores(a="PP", b="E", c="")) == replace(alone, unjudged=2)
    assert run_figures(scores(b="E")) == RunFigures(0, 0, 1, None)
    assert run_figures({}) == RunFigures(0, 0, 0, None)


def test_only_pairs_are_tested():
    told = _changes("a:lost b:kept c:failing d:recovered e:flaky f:new g:gone h:error i:vacuous")
    assert change_figures(told, {}) == ChangeFigures(1.0, None)
    assert change_figures(_changes(" ".join(f"q{n}:lost" for n in range(6))), {}) == ChangeFigures(0.03125, 6)


def test_cases_of_a_history_are_taken_as_one():
    told = _changes("a:lost b:lost c:lost d:lost e:lost f:lost g:kept h:kept")
    histories = {**dict.fromkeys("abc", "acme"), **dict.fromkeys("def", "globex"), "g": "acme", "h": "initech"}
    figures = change_figures(told, histories)
    assert figures.p_value == 0.03125
    assert figures.by_history == SignFlip(0.5, clusters=3, moved=2)


def test_a_case_without_a_history_is_one_of_its_own():
    told = _changes("a:lost b:lost c:lost d:recovered")
    figures = change_figures(told, {"a": "acme", "b": "acme", "c": ""})
    # Of the eight patterns of -2, -1 and 1 only the two with 0 are nearer to 0 than -2.
    assert figures.by_history == SignFlip(0.75, clusters=3, moved=3)
    # A history that has the name of a case is another thing.
    assert change_figures(told, {"a": "c", "b": "c"}).by_history == figures.by_history


@pytest.mark.parametrize(
    ("told", "histories"),
    [
        ("a:lost b:kept", {"a": "acme", "b": "globex"}),
        ("a:lost b:lost", {"a": "acme", "b": "acme"}),
        ("a:kept b:failing c:kept", {"a": "acme", "b": "acme"}),
        ("a:new b:error", {"a": "acme", "b": "acme"}),
        ("", {}),
    ],
    ids=["each its own", "one history", "nothing changed", "no pairs", "no cases"],
)
def test_no_test_by_history_where_it_says_nothing_more(told, histories):
    assert change_figures(_changes(told), histories).by_history is None
