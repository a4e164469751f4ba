"""Documents as JUnit XML, for the test pages of CI systems: one test case a case.

A case that is not right is a failure, one without a judgement an error, and one that shows nothing (vacuous, gone,
waived) is skipped with the reason. The verdict is the gate's and stands in the properties: a suite may have failures
and still pass. A verdict other than pass that no case shows becomes a test case `verdict` of its own, so that a suite
without a verdict is never green.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from foldproof.report.controls import retention_word
from foldproof.report.documents import (
    CaseRow,
    CheckDocument,
    FactRow,
    GateRow,
    RunDocument,
    ScoredCase,
)
from foldproof.report.explained import TrialFactRow
from foldproof.report.judged import judged_of_case
from foldproof.report.summary import (
    at_owner,
    before_after,
    fact_name,
    fact_word,
    first_error,
    gate_word,
    outcome_word,
    right,
)
from foldproof.report.text import BRIEF, counted, inline

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class _Entry:
    """One test case: `kind` is empty where it passed."""

    name: str
    case_class: str
    kind: Literal["", "failure", "error", "skipped"] = ""
    message: str = ""
    body: str = ""
    out: str = ""


def junit_run(document: RunDocument) -> str:
    """A run as JUnit XML; the answers of each case stand in its output.

    With the memory cut off it is the case that passes which is a failure.
    """
    blocking = _blocking(document.gate)
    waived = {name for row in document.gate for name in row.waived}
    unplugged = document.run.control == "unplugged"
    entries = [_unplugged_entry(case) if unplugged else _run_entry(case, blocking, waived) for case in document.cases]
    entries += [_disputed_entry(case, case.outcome) for case in document.disputed]
    properties = {"run": document.run.run, "config": document.run.config}
    if document.run.control:
        properties["control"] = document.run.control
    return _suite(document, entries, properties)


def junit_check(document: CheckDocument) -> str:
    """A check as JUnit XML: what fails or is flaky after, or counts against the gate, is a failure."""
    blocking = _blocking(document.gate)
    waived = {name for row in document.gate for name in row.waived}
    entries = [_check_entry(case, blocking, waived) for case in document.cases]
    entries += [_disputed_entry(case, case.after or case.change) for case in document.disputed]
    before, after = document.before, document.after
    properties = {
        "before": f"{before.config} {before.run}",
        "after": f"{after.config} {after.run}",
        "meaning": document.meaning,
        **_retention(document),
    }
    return _suite(document, entries, properties)


def _retention(document: CheckDocument) -> dict[str, str]:
    rows = document.controls.retention if document.controls else []
    return {f"effective_retention.{row.case_class}": retention_word(row) for row in rows}


def _blocking(gate: Iterable[GateRow]) -> set[str]:
    return {name for row in gate if row.ok is False for name in row.failed}


def _run_entry(case: ScoredCase, blocking: set[str], waived: set[str]) -> _Entry:
    judged = "\n".join(f"{line.fact}: {line.told}" for line in judged_of_case(case))
    trials = [f"trial {trial.repeat}: {trial.outcome}\n{trial.answer or trial.error}" for trial in case.trials]
    out = "\n\n".join([*trials, *([judged] if judged else [])])
    wrong = {
        f"{fact_name(fact.kind, fact.fact)}: {_lost(outcome_word(fact.kind, fact.outcome), fact, '')}"
        for trial in case.trials
        if trial.outcome == "fail"
        for fact in trial.facts
        if not fact.ok
    }
    kind: Literal["", "failure", "error", "skipped"] = ""
    message = ""
    errors = sum(trial.outcome == "error" for trial in case.trials)
    if case.id in waived:
        kind, message = "skipped", f"waived; {case.outcome}"
    elif case.id in blocking or case.outcome in {"fail", "flaky"}:
        passes = sum(trial.outcome == "pass" for trial in case.trials)
        kind, message = "failure", f"{case.outcome}: {passes} of {counted(len(case.trials), 'trial')} pass"
    elif errors or not case.trials:
        kind, message = "error", first_error(case)
    return _Entry(case.id, case.case_class, kind, message, "\n".join(sorted(wrong)) or message, out)


def _disputed_entry(case: ScoredCase | CaseRow, outcome: str) -> _Entry:
    return _Entry(case.id, case.case_class, "skipped", f"its key is disputed, so it decides nothing; {outcome}")


def _unplugged_entry(case: ScoredCase) -> _Entry:
    entry = _run_entry(case, set(), set())
    if any(trial.outcome == "pass" for trial in case.trials):
        message = "passes with the memory cut off, so it tests nothing"
        return replace(entry, kind="failure", message=message, body=message)
    return entry if entry.kind == "error" else replace(entry, kind="", message="", body="")


def _check_entry(case: CaseRow, blocking: set[str], waived: set[str]) -> _Entry:
    lines = [
        f"{fact_name(fact.kind, fact.fact)}: {fact_word(fact.kind, fact.before)} -> "
        f"{_lost(fact_word(fact.kind, fact.after), fact, _right(fact))}"
        for fact in case.facts
    ]
    wrong = [line for line, fact in zip(lines, case.facts, strict=True) if fact.bad or not right(fact.kind, fact.after)]
    kind: Literal["", "failure", "error", "skipped"] = ""
    message = f"{case.change}: {before_after(case)}"
    if case.change in {"vacuous", "gone"}:
        kind = "skipped"
        reason = {"vacuous": "passes with the memory cut off, so it shows nothing", "gone": "no longer in the set"}
        message = f"{case.change}: {reason[case.change]}"
    elif case.id in waived:
        kind, message = "skipped", f"waived; {message}"
    elif case.id in blocking or (case.change != "error" and case.after in {"fail", "flaky"}):
        kind = "failure"
    elif case.change == "error":
        kind, message = "error", case.error or "not judged"
    return _Entry(case.id, case.case_class, kind, message, "\n".join(wrong) or message, "\n".join(lines))


def _lost(change: str, fact: FactRow | TrialFactRow, more: str) -> str:
    """What became of a fact, whose door it is put at, and why, on one line."""
    reason = inline(fact.reason, BRIEF)
    if fact.owner is not None:
        change, reason = at_owner(change, fact.owner, inline(fact.why, BRIEF), reason)
    return f"{change}{more} ({reason})" if reason else f"{change}{more}"


def _right(fact: FactRow) -> str:
    return f", right in {fact.trials - fact.bad} of {counted(fact.trials, 'trial')}"


def _suite(document: RunDocument | CheckDocument, entries: Sequence[_Entry], properties: dict[str, str]) -> str:
    entries = [*entries, *_verdict_entry(document, entries)]
    counts = Counter(entry.kind for entry in entries)
    numbers = {
        "tests": str(len(entries)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "skipped": str(counts["skipped"]),
    }
    root = Element("testsuites", {"name": "foldproof", **numbers})
    suite = SubElement(root, "testsuite", {"name": _legal(document.set.name), **numbers})
    listed = SubElement(suite, "properties")
    data = {"data_sha256": document.set.data.sha256} if document.set.data else {}
    known = {"verdict": document.verdict, "set_sha256": document.set.sha256, **data, **properties}
    for name, value in known.items():
        SubElement(listed, "property", {"name": _legal(name), "value": _legal(value)})
    for entry in entries:
        _add(suite, document.set.name, entry)
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _verdict_entry(document: RunDocument | CheckDocument, entries: Sequence[_Entry]) -> list[_Entry]:
    if document.verdict == "pass" or any(entry.kind in {"failure", "error"} for entry in entries):
        return []
    gate = [f"{row.case_class}: {gate_word(row)}" for row in document.gate]
    body = "\n".join([*document.reasons, *gate])
    kind: Literal["failure", "error"] = "failure" if document.verdict == "blocked" else "error"
    return [_Entry("verdict", "foldproof", kind, f"{document.verdict}: {'; '.join(document.reasons)}", body)]


def _add(suite: Element, set_name: str, entry: _Entry) -> None:
    names = {"classname": _legal(f"{set_name}.{entry.case_class}"), "name": _legal(entry.name)}
    case = SubElement(suite, "testcase", names)
    if entry.kind:
        found = SubElement(case, entry.kind, {"message": _legal(inline(entry.message, BRIEF))})
        if entry.kind != "skipped":
            found.set("type", entry.kind)
            found.text = _legal(entry.body)
    if entry.out:
        SubElement(case, "system-out").text = _legal(entry.out)


def _legal(text: str) -> str:
    """The text with what XML 1.0 cannot hold replaced; escape sequences go with their escape character."""
    return _ILLEGAL.sub(_REPLACEMENT, text)
