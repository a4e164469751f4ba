"""The shipped corpus: each line labelled, rules with probes, and some values that a newer line replaces."""

from collections import Counter

import pytest

from foldproof.cliff import Document, join_labels, lines_of, load_labels, read_corpus
from foldproof.demo import corpus_places
from foldproof.matching import Text, normalize


@pytest.fixture(scope="module")
def documents():
    return read_corpus(corpus_places().texts)


@pytest.fixture(scope="module")
def labels():
    return load_labels(corpus_places().labels)


@pytest.fixture(scope="module")
def lines(documents, labels):
    return join_labels(labels, documents)


def test_every_line_that_states_something_is_labelled(documents, labels):
    known = {label.at for label in labels.labels}
    left = [
        line.text for one in documents for line in lines_of(one) if (one.name, line.sha256, line.number) not in known
    ]
    assert [text for text in left if not text.startswith("#")] == [
        "Who reads this: the helper on the technician's phone."
    ]


def test_every_document_states_something_of_every_class(documents, lines):
    assert len(documents) == 8
    for one in documents:
        found = Counter(line.cls for line in lines if line.document == one.name)
        assert set(found) == {"safety", "procedure", "semantic", "preference", "episodic"}
        assert found["safety"] >= 6


def test_every_rule_that_holds_has_a_probe(lines):
    rules = [line for line in lines if line.cls == "safety" and line.replaced_by is None]
    assert [line.text for line in rules if line.probe is None] == []
    rights = Counter(line.probe.choices.index(line.probe.right) for line in rules)
    assert min(rights[0], rights[1]) >= 10, "always the first or always the second would be right"


def test_some_values_were_replaced(lines):
    assert sum(line.replaced_by is not None for line in lines) == 7


def test_a_key_stands_in_its_line(lines):
    for line in lines:
        assert [key for key in line.key if f" {normalize(key)} " not in Text(line.text).padded] == []


def test_a_changed_line_would_be_told(documents, labels):
    changed = [Document(one.name, one.text.replace("14 kg", "15 kg")) for one in documents]
    with pytest.raises(Exception, match="the text was changed"):
        join_labels(labels, changed)
