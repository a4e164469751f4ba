"""The page of the cliff on real files says what the benchmark prints, and `head` and `tail` change places."""

from __future__ import annotations

import importlib
import re
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "agents_md"

pytestmark = [
    pytest.mark.data,
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"needs {DATA}, which is not here"),
]


@pytest.fixture(scope="module")
def bench():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        # The plain name is that of the benchmark's file, as its reader calls it.
        yield importlib.import_module("cliff")
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
        sys.modules.pop("cliff", None)
        sys.modules.pop("agents_md", None)


@pytest.fixture(scope="module")
def measured(bench):
    begun = time.process_time()
    report = bench.measure(DATA)
    return report, time.process_time() - begun


@pytest.fixture(scope="module")
def page():
    return (ROOT / "docs" / "cliff-figures.md").read_text("utf-8")


def test_every_row_stands_on_the_page(bench, measured, page):
    rows = [line for line in bench.tables(measured[0], markdown=True) if line.startswith("|")]
    assert len(rows) > 40
    assert [row for row in rows if row not in page.splitlines()] == []


def test_every_row_of_the_page_is_measured_or_says_that_it_is_published(bench, measured, page):
    known = set(bench.tables(measured[0], markdown=True))
    left = [line for line in page.splitlines() if line.startswith("|") and line not in known]
    assert [line for line in left if not line.startswith("| *published")] == []
    assert len(left) == 5


def test_it_takes_less_than_a_minute_of_one_core(measured):
    assert measured[1] < 60


def test_head_and_tail_change_places(bench, measured, page):
    flips = {flip.ratio: flip for flip in bench.flips(measured[0])}
    assert set(flips) == {0.5, 0.25}
    for flip in flips.values():
        assert (flip.first, flip.under, flip.but_under) == ("head", "window", "progressive")
    window, progressive = flips[0.5].shares, flips[0.5].but_shares
    told = [f"{share:.2f}".lstrip("0") for share in (*window, *reversed(progressive))]
    sentence = "`head` keeps {} of the rules in a window and `tail` {}; progressively, `tail` keeps {} and `head` {}"
    assert sentence.format(*told) in " ".join(page.split())


def test_labels_of_its_own_kind_flatter_triage(bench, measured, page):
    own, _ = bench.by_own_rules(DATA)
    read = next(row for row in bench.one_round(measured[0]) if row.name == "triage")
    by_reading = read.cells[list(measured[0].result.totals).index("safety")]
    assert f"keeps {by_reading} of the rules that people see" in " ".join(page.split())
    assert f"score {own.cells[0]}" in page
    first, then = (float(re.split(" / ", cells)[0]) for cells in (by_reading, own.cells[0]))
    assert then - first > 0.2


def test_what_triage_calls_unsafe(measured, page):
    levels = [c.levels[0].unsafe for c in measured[0].result.curves if c.key[:2] == ("triage", "progressive")]
    assert f"of {levels[0]}, {levels[1]} and {levels[2]} of the 50 files" in page
