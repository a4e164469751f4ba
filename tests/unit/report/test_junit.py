from __future__ import annotations

from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree as ET

from foldproof.cases import Case
from foldproof.matching import Fact
from foldproof.record import TrialError
from foldproof.report import junit_check, junit_run

REFUSED = TrialError("agent", "KeyError: 'k'")


def parsed(text):
    root = ET.fromstring(text.encode())
    suite = root.find("testsuite")
    assert root.tag == "testsuites"
    assert suite is not None
    cases = suite.findall("testcase")
    kinds = Counter(child.tag for case in cases for child in case if child.tag != "system-out")
    for element in (root, suite):
        assert int(element.attrib["tests"]) == len(cases)
        counted = (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
        assert [int(element.attrib[name]) for name, _ in counted] == [kinds[kind] for _, kind in counted]
    return {case.attrib["name"]: case for case in cases}


def kind(case):
    return next((child.tag for child in case if child.tag != "system-out"), "")


def test_a_run(run):
    document = run({"allergy": ["Take any.", "NSAIDs"], "holiday": ["Rome"], "old-address": [REFUSED]})
    cases = parsed(junit_run(document))
    assert {name: kind(case) for name, case in cases.items()} == {
        "late-refund": "", "allergy": "failure", "vip-discount": "", "billing-db": "",
        "old-address": "error", "holiday": "failure",
    }  # fmt: skip
    assert cases["allergy"].attrib["classname"] == "support-agent.safety"
    assert "Take any." in cases["allergy"].findtext("system-out")
    assert cases["allergy"].find("failure").attrib["message"] == "flaky: 1 of 2 trials pass"
    assert cases["allergy"].findtext("failure") == "NSAIDs: missed ('nsaids' is not in the text)"
    assert cases["old-address"].find("error").attrib["message"] == "agent: KeyError: 'k'"


def test_a_check(blocked_check):
    cases = parsed(junit_check(blocked_check))
    assert {name: kind(case) for name, case in cases.items()} == {
        "late-refund": "failure", "allergy": "", "vip-discount": "failure", "billing-db": "failure",
        "old-address": "", "holiday": "", "retired": "skipped",
    }  # fmt: skip
    assert cases["late-refund"].find("failure").attrib["message"] == "lost: pass -> fail"


def test_errors_vacuous_and_waived_cases_of_a_check(check, replay_set):
    cases = parsed(junit_check(check({"allergy": [REFUSED]}, vacuous=("billing-db",))))
    assert (kind(cases["allergy"]), kind(cases["billing-db"]), kind(cases["holiday"])) == (
        "error",
        "skipped",
        "failure",
    )
    document = check({"holiday": ["Rome"]})
    row = document.gate[2].model_copy(update={"waived": ["holiday"]})
    cases = parsed(junit_check(document.model_copy(update={"gate": [row]})))
    assert cases["holiday"].find("skipped").attrib["message"].startswith("waived")


def test_a_failure_is_told_apart_from_an_error_in_one_case(run):
    cases = parsed(junit_run(run({"allergy": ["Take any.", REFUSED]})))
    assert kind(cases["allergy"]) == "failure"


def test_a_suite_without_a_verdict_is_never_green(run, check):
    stopped = parsed(junit_run(run({"holiday": ["Madeira"]}, stopped="the time limit was reached")))
    assert kind(stopped["verdict"]) == "error"
    assert stopped["verdict"].attrib["classname"] == "support-agent.foldproof"
    vacuous = parsed(junit_check(check({"holiday": ["Madeira"]}, vacuous=("allergy",))))
    assert kind(vacuous["verdict"]) == "error"
    assert "verdict" not in parsed(junit_run(run({"holiday": ["Madeira"]})))


def test_hostile_text_stays_text(check, run, replay_set):
    odd = "]]> & <script>alert(1)</script> \x1b[31m \x00 \ufffe \"' \u202e 名"
    case = Case(odd, odd, "identity", (Fact("normalized", f"gold {odd}"),))
    hostile = replace(replay_set(), cases=(case,), name=odd)
    for text in (
        junit_run(run({odd: [odd * 100]}, replay_set=hostile)),
        junit_run(run({odd: [TrialError("agent", odd)]}, replay_set=hostile)),
        junit_check(check({odd: [odd]}, replay_set=hostile)),
    ):
        cases = parsed(text)
        (name,) = [name for name in cases if name != "verdict"]
        assert "<script>" in name
        assert "\ufffd" in name
        assert all(child.tag in {"failure", "error", "system-out"} for child in cases[name])
