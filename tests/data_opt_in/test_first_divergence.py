"""The locator on Who&When: the figures of docs/benchmarks.md, and that it beats what it is held against."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "who_and_when" / "logs"

pytestmark = [pytest.mark.data, pytest.mark.skipif(not DATA.is_dir(), reason=f"needs {DATA}, which is not here")]


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("first_divergence", ROOT / "benchmarks" / "first_divergence.py")
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up by name
    import sys

    sys.modules["first_divergence"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def figures(bench):
    return bench.measure(DATA)


@pytest.mark.parametrize(
    ("group", "logs", "step", "agent"),
    [
        ("both parts", 184, 0.380, 0.609),
        ("Algorithm-Generated", 126, 0.484, 0.627),
        ("Algorithm-Generated, odd (held back)", 63, 0.429, 0.571),
        ("Hand-Crafted", 58, 0.155, 0.569),
        ("Hand-Crafted, odd (held back)", 29, 0.103, 0.586),
        ("both parts, odd (held back)", 92, 0.326, 0.576),
    ],
)
def test_the_locator_reaches_what_the_page_says(figures, group, logs, step, agent):
    told = figures[group]
    assert told["logs"] == logs
    assert (round(told["locator"]["step"], 3), round(told["locator"]["agent"], 3)) == (step, agent)


def test_it_beats_every_baseline_on_the_step_in_every_group(figures):
    for group, told in figures.items():
        others = [told[name]["step"] for name in ("random", "first step", "most talkative")]
        assert told["locator"]["step"] > max(others), group


def test_the_published_chances_come_out(figures):
    assert round(figures["Algorithm-Generated"]["random"]["step"], 4) == 0.12
    assert round(figures["Algorithm-Generated"]["random"]["agent"], 4) == 0.291
    assert round(figures["Hand-Crafted"]["random"]["step"], 4) == 0.0416


def test_the_locator_looks_at_no_label(bench, tmp_path):
    source = json.loads((DATA / "Hand-Crafted" / "2.json").read_text("utf-8"))
    blind = {name: value for name, value in source.items() if name in {"question", "history"}}
    wrong = blind | {"mistake_agent": "human", "mistake_step": "0", "ground_truth": "?", "is_corrected": True}
    (tmp_path / "Hand-Crafted").mkdir()
    (tmp_path / "Hand-Crafted" / "2.json").write_text(json.dumps(wrong), "utf-8")
    (log,) = bench.labelled(tmp_path)
    true = next(log for log in bench.labelled(DATA) if (log.part, log.number) == ("Hand-Crafted", 2))
    assert log.session == true.session
    assert (bench.located(true).off, bench.located(log).off) == (0, 4)
