"""The controls in every report: the counts, the share or why there is none, and each finding with its reason."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from foldproof.compare import ControlFinding, Retention
from foldproof.report import (
    controls_part,
    json_text,
    junit_check,
    junit_run,
    markdown_check,
    render_baseline,
    render_check,
    render_run,
    run_info,
)
from foldproof.report.documents import BaselineDocument, CheckDocument
from foldproof.report.explained import SetInfo

RETENTION = (
    Retention("safety", 2, candidate=1, unplugged=0, oracle=2, full=1, full_of=2),
    Retention("preference", 1, candidate=1, unplugged=1, oracle=1),
    Retention("semantic", 2, candidate=1, unplugged=0, oracle=1, unjudged=("billing-db",)),
)
FINDINGS = (
    ControlFinding("vip-discount", "preference", "unplugged", "vacuous", "passes with the memory cut off"),
    ControlFinding("allergy", "safety", "oracle", "broken", "missed 'NSAIDs'"),
    ControlFinding("late-refund", "safety", "full", "overlooked", "says 'Paris'"),
    ControlFinding("billing-db", "semantic", "oracle", "unjudged", "agent: the context is too long"),
)


@pytest.fixture
def part(a_run):
    runs = [run_info(a_run("candidate", number, control=name)) for number, name in ((7, "unplugged"), (8, "oracle"))]
    return controls_part(
        "candidate", runs, retention=RETENTION, findings=FINDINGS, notes=["no oracle for holiday: why"]
    )


@pytest.fixture
def controlled(blocked_check, part):
    return blocked_check.model_copy(update={"controls": part})


def flat(text):
    return " ".join(text.split())


SAID = (
    "0.50 = (1 - 0) / (2 - 0)",
    "not defined: the facts in the prompt help no more than no memory at all",
    "not known: the controls of billing-db could not be judged",
    "broken, or beyond the agent",
    "missed 'NSAIDs'",
    "passes with the memory cut off",
    "says 'Paris'",
    "the context is too long",
    "no oracle for holiday: why",
    "1 of 2",
)


def test_the_terminal_says_all_of_it(controlled):
    shown = flat(render_check(controlled, width=140, colour=False))
    assert [words for words in SAID if words not in shown] == []
    assert "controls of candidate (they inform)" in shown
    assert "runs: unplugged 0007, oracle 0008" in shown
    assert "preference 1 of 1 1 of 1 1 of 1 - not defined" in shown, "without a full context there is a dash"


def test_markdown_says_all_of_it(controlled):
    shown = flat(markdown_check(controlled))
    assert [words for words in SAID if words not in shown] == []
    assert "### Controls of `candidate` (they inform)" in shown


def test_who_did_not_ask_for_them_reads_nothing_of_them(blocked_check):
    for text in (render_check(blocked_check, width=140, colour=False), markdown_check(blocked_check)):
        assert "retention" not in text
        assert "ontrols of" not in text
    assert "retention" not in junit_check(blocked_check)


def test_without_a_retention_there_is_no_table(blocked_check):
    bare = controls_part("own", (), retention=(), findings=(), notes=["the oracle was not run: why"])
    document = blocked_check.model_copy(update={"controls": bare})
    for text in (render_check(document, width=140, colour=False), markdown_check(document)):
        assert "the oracle was not run: why" in text
        assert "effective retention" not in text
        assert "runs:" not in text


def test_the_document_is_read_back_as_it_was(controlled):
    text = json_text(controlled)
    assert CheckDocument.model_validate_json(text) == controlled
    assert '"retention": 0.5' in text
    assert '"retention": null' in text


def test_junit_carries_the_shares(controlled):
    suite = ET.fromstring(junit_check(controlled).encode()).find("testsuite")
    properties = {entry.attrib["name"]: entry.attrib["value"] for entry in suite.find("properties")}
    assert properties["effective_retention.safety"] == "0.50 = (1 - 0) / (2 - 0)"
    assert properties["effective_retention.preference"].startswith("not defined")


def test_a_baseline_shows_those_of_its_run(part):
    asked = SetInfo(name="s", sha256="5e" * 32, cases=5)
    document = BaselineDocument(
        file="b.json", run="0001", config="production", set=asked, accepted=False, controls=part
    )
    shown = flat(render_baseline(document, width=140, colour=False))
    assert [words for words in SAID if words not in shown] == []


def test_data_in_a_control_cannot_steer_the_terminal(blocked_check):
    hostile = "\x1b[2Jid"
    found = (ControlFinding(hostile, hostile, "oracle", "broken", hostile),)
    row = (Retention(hostile, 1, 0, 0, 1, unjudged=(hostile,)),)
    part = controls_part(hostile, (), retention=row, findings=found, notes=[hostile])
    document = blocked_check.model_copy(update={"controls": part})
    for text in (render_check(document, width=100, colour=False), markdown_check(document)):
        assert "\x1b" not in text
    ET.fromstring(junit_check(document).encode())


@pytest.mark.parametrize(
    ("control", "headline"),
    [
        ("unplugged", "5 of 6 cases pass with the memory cut off; none should"),
        ("oracle", "5 of 6 cases pass with their facts in the prompt; each should"),
        ("full", "5 of 6 cases pass with the whole history in the prompt"),
    ],
)
def test_a_run_of_a_control_says_what_it_was(run, a_run, control, headline):
    document = run({"holiday": ["Rome"]})
    controlled = document.model_copy(
        update={"run": run_info(a_run("candidate", 7, control=control)), "gate": [], "reasons": []}
    )
    shown = render_run(controlled, width=100, colour=False)
    assert headline in shown
    assert ("holiday /" in shown) == (control != "unplugged"), "without a memory nothing is expected to be right"
    wrong = "late-refund" if control == "unplugged" else "holiday"
    assert f"foldproof explain 0007 {wrong}" in shown


def test_in_junit_it_is_the_unplugged_pass_that_fails(run, a_run):
    from foldproof.record import TrialError

    document = run({"holiday": ["Rome"], "allergy": [TrialError("agent", "broke")]})

    def kinds(control):
        info = run_info(a_run("candidate", 7, control=control))
        suite = ET.fromstring(junit_run(document.model_copy(update={"run": info, "gate": []})).encode())
        return {
            case.attrib["name"]: next((child.tag for child in case if child.tag != "system-out"), "")
            for case in suite.iter("testcase")
        }

    unplugged, oracle = kinds("unplugged"), kinds("oracle")
    assert (unplugged["late-refund"], unplugged["holiday"], unplugged["allergy"]) == ("failure", "", "error")
    assert (oracle["late-refund"], oracle["holiday"], oracle["allergy"]) == ("", "failure", "error")
