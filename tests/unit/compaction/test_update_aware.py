"""Which line replaces which, and which only looks as if it did."""

import pytest

from foldproof.cliff import join_labels, load_labels, read_corpus
from foldproof.compaction import Passage, UpdateAware, passages_of
from foldproof.compaction.update_aware import outdated, statement_of
from foldproof.demo import corpus_places


def stale(*lines):
    return sorted(outdated([Passage(line, place) for place, line in enumerate(lines)]))


@pytest.mark.parametrize(
    "lines",
    [
        ("The limit is 50 dollars.", "The limit is 500 dollars."),
        ("The limit is 50", "From now on, the limit is 60 days"),
        ("- Our database is Postgres 15", "Our database is now MySQL"),
        ("- Release branch: harbor-6", "* Release branch: harbor-7"),
        ("owner = Anna", "owner = Bert"),
        ("[s1] user: My city is Rome", "[s2] user: My city is now Leipzig"),
        ("The port is 80", "the port is 80"),
        ("The limit is 5", "## Changes", "The limit is now 6"),
        ("THE **limit** is 5", "The limit is 6"),
        ("Backups run between 8:00 and 18:00.", "Since April backups run between 6:00 and 20:00."),
        ("Never push to main", "It is fine to push to main now"),
        ("3 May: vouchers are paid in cash", "9 May: vouchers are no longer paid in cash"),
        ("The journey costs 1,800 euros", "20 May: the journey costs 2,100 euros"),
        ("The journey costs 1,800 euros", "2026-05-20: the journey costs 2,100 euros"),
    ],
)
def test_a_newer_value_replaces_the_older(lines):
    assert stale(*lines) == [0]


@pytest.mark.parametrize(
    "lines",
    [
        ("The database is slow", "The database is Postgres"),
        ("Order 4021 is late", "Order 4022 is late"),
        ("The limit is 50 days", "The limit is 50 dollars"),
        ("Note: read this", "Note: read that"),
        ("# A", "type: text", "# B", "type: number"),
        ("Is the limit 5?", "Is the limit 6?"),
        ("Servers are 5", "Servers are 6"),
        ("The limit is 5", "Is the limit now 6?"),
        ("The build is done with make and with a shell script", "The build is now faster"),
        ("I am 40", "I am vegetarian now"),
        ("Never push to main", "It is fine to push to master now"),
        ("Never push to main", "Is it fine to push to main now?"),
        ("3 May: the driver came late", "9 May: the driver came late"),
        ("The driver of the van came late on Monday", "9 May: the van broke"),
        ("const table = open(a);", "const table = open(b);"),
        ("", "the", "is", ": :"),
    ],
)
def test_what_only_looks_like_it_stays(lines):
    assert stale(*lines) == []


def test_of_several_values_the_last_stays():
    assert stale("The limit is 5", "The limit is 6", "The sky is blue", "The limit is 7") == [0, 1]


def test_a_statement_has_what_it_is_about():
    found = statement_of("- The release branch is now harbor-7")
    assert (found.about, found.value, found.keyed, found.changes) == ("release branch", "harbor 7", False, True)
    assert statement_of("We met in Rome") is None


def test_the_stale_is_dropped_before_the_window_cuts(compacted):
    lines = ["The limit is 5.", *(f"We met man {n:02}" for n in range(9)), "The limit is 6."]
    rest = "\n".join(lines[1:])
    replaced = "update_aware: 1 lines were replaced by later ones"
    found = compacted(UpdateAware(), "\n".join(lines), 36)
    assert found.text.splitlines() == lines[1:]
    assert found.notes == ("update_aware: 10 of 11 lines kept in 36 tokens", replaced)
    assert compacted(UpdateAware(), rest, 33).notes == ("update_aware: 9 of 10 lines kept in 33 tokens",)


def test_what_the_page_says_of_the_shipped_corpus():
    """Six of its seven updates are found, and nothing else of it is dropped."""
    places = corpus_places()
    labels = load_labels(places.labels)
    documents = read_corpus(places.texts, only=labels.documents)
    updated = {line.text for line in join_labels(labels, documents) if line.replaced_by}
    found = set()
    for document in documents:
        passages = passages_of(document.text)
        found |= {passage.text for passage in passages if passage.place in outdated(passages)}
    assert (len(updated), len(found)) == (7, 6)
    assert found < updated
