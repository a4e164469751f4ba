"""The page of triage: what it counts, what it lists, and what it leaves for --details."""

from __future__ import annotations

import pytest

from foldproof.cases import Case, Logged, ReplaySet
from foldproof.compare import Chosen, Triaged
from foldproof.matching import Fact
from foldproof.report import AskedBy, render_triage, triage_document
from foldproof.report.explained import RunInfo


def shown(buckets, *, logged=True, chosen=(), gate=None, details=False):
    cases = tuple(
        Case(f"c{at}", f"Which {at}?", expected=(Fact("normalized", "port \x1b[31m8443"),),
             logged=Logged("ada") if logged else None)
        for at, _ in enumerate(buckets)
    )  # fmt: skip
    triaged = [
        Triaged(case.id, case.case_class, bucket, "so it is", "flaky" if bucket == "undecided" else None,
                "fold" if bucket == "backlog" else None)
        for case, bucket in zip(cases, buckets, strict=True)
    ]  # fmt: skip
    document = triage_document(
        ReplaySet("s", "r.yaml", cases, {}, "ab" * 32), triaged, config="p",
        chosen=[Chosen(name, buckets[int(name[1:])] == "canary", "because") for name in chosen],
        asked_by={case.id: AskedBy("ada", "port", 1) for case in cases}, runs=[RunInfo(config="p", run="1")], notes=[],
    )  # fmt: skip
    document.gate, document.written = gate or {}, ["chosen.yaml", *(["histories/a.jsonl"] if gate else [])]
    return document, render_triage(document, width=120, colour=False, details=details)


def test_one_column_where_all_was_logged_or_nothing_was():
    document, page = shown(["keep", "needs no memory"])
    assert document.summary == "2 logged; 1 needs no memory, 1 answerable, 0 not; kept 0 and 0 canaries"
    assert "logged" in page
    assert "others" not in page
    document, page = shown(["keep", "backlog"], logged=False, chosen=["c0"])
    assert document.summary == "2 cases; 0 need no memory, 1 answerable, 1 not; kept 1 and 0 canaries"
    assert "all               2" in page


def test_the_first_of_many_are_listed_and_details_show_all():
    buckets = ["backlog"] * 7 + ["keep", "keep", "needs no memory"]
    page = shown(buckets, chosen=["c7"])[1]
    assert "backlog: 7 (lost at fold 7)" in page
    assert "… and 2 further cases; --details shows them all" in page
    assert "c6" not in page
    details = shown(buckets, chosen=["c7"], details=True)[1]
    assert "c6" in details
    assert "further case" not in details
    assert "answerable, not chosen: 1" in details
    assert "Which 7? expects 'port 8443'" in details, "what comes from a log steers no screen"


@pytest.mark.parametrize(("gate", "told"), [(None, "semantic 1, canary 1"), ({"semantic": "1/1", "canary": "all"},
                                                                           "semantic 1/1, canary all")])  # fmt: skip
def test_the_classes_of_the_chosen_are_told_with_their_gate(gate, told):
    page = shown(["keep", "canary"], chosen=["c0", "c1"], gate=gate)[1]
    assert f"chosen: 2 ({told})" in page
    assert ("and 1 file under histories/" in page) == bool(gate)


def test_where_nothing_is_answerable_the_reason_stands_first():
    document, page = shown(["undecided", "broken"])
    assert document.verdict == "inconclusive"
    assert page.splitlines()[1] == "  because no case fails without the memory and passes with it"
    assert "case   " not in page
    assert "undecided: their trials with the memory disagree: 1" in page
