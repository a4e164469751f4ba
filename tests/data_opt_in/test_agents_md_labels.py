"""The labels of the cliff's benchmark: drawn by the stated rule, on their lines, and without a word of the texts."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest

from foldproof.cliff import agreements, join_labels, load_labels, read_corpus

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "agents_md"

pytestmark = [pytest.mark.data, pytest.mark.skipif(not DATA.is_dir(), reason=f"needs {DATA}, which is not here")]


@pytest.fixture(scope="module")
def drawn():
    spec = importlib.util.spec_from_file_location("agents_md", ROOT / "benchmarks" / "agents_md.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def labels(drawn):
    return load_labels(drawn.LABELS)


def test_the_labelled_lines_are_those_that_the_rule_draws(drawn, labels):
    assert len(drawn.drawn_files(DATA)) == 50
    assert {label.at for label in labels.labels} == {
        (line.document, line.sha256, line.number) for line in drawn.lines_put(DATA)
    }


def test_every_label_has_its_line_and_the_page_says_how_many(labels):
    lines = join_labels(labels, read_corpus(DATA, only=labels.documents))
    counts = Counter(label.cls for label in labels.labels)
    assert len(labels.labels) == 450
    assert len(lines) == 450 - counts["none"]
    assert counts["safety"] >= 100
    told = (ROOT / "docs" / "labelling.md").read_text("utf-8")
    for name, count in counts.items():
        assert f"`{name}` {count}" in told


def test_no_word_of_the_texts_is_kept(drawn, labels):
    text = drawn.LABELS.read_text("utf-8")
    names = {label.document for label in labels.labels}
    left = re.sub(r"[0-9a-f]{64}", "", text)
    for name in names:
        left = left.replace(name, "")
    assert set(re.findall(r"[a-z]+", left)) <= {
        "foldproof", "labels", "document", "sha", "class", "by", "first", "second", "settled", "true", "number",
        "safety", "procedure", "preference", "episodic", "semantic", "none",
    }  # fmt: skip


def test_the_second_labelling_is_of_a_hundred_lines_or_is_told_to_be_missing(labels):
    told = (ROOT / "docs" / "labelling.md").read_text("utf-8")
    pairs = agreements(labels)
    if not pairs:
        assert "no second labelling yet" in told
        return
    (pair,) = pairs
    assert (pair.first, pair.second, pair.of) == ("first", "second", 100)
    assert f"κ = {pair.kappa.value:.2f} ({pair.kappa.interval.low:.2f} to {pair.kappa.interval.high:.2f})" in told
    assert f"κ = {pair.rule_kappa.value:.2f}" in told
