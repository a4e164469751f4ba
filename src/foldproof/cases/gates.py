"""The gate and the waivers of a set, checked against its cases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date

from foldproof.cases.records import CLASSES, STRICT_CLASSES, Case, Requirement, Waiver
from foldproof.cases.wire import WaiverWire
from foldproof.core import Problem, nearest_of

_COUNT = re.compile(r"([0-9]{1,6})\s*/\s*([0-9]{1,6})")
_ONE_MAY_FAIL = 4
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def requirements_of(
    written: Mapping[str, str], counts: Counter[str], *, file: str, lines: Mapping[str, int]
) -> tuple[dict[str, Requirement], list[Problem]]:
    """The gate of a file, and what is wrong with it. `counts` are the cases of each class.

    Strict classes that the set has are asked for `all`, named or not: a slip of the pen lets no such case be lost.
    """
    unnamed = [name for name in CLASSES if name in STRICT_CLASSES and counts[name] and name not in written]
    gate: dict[str, Requirement] = {name: Requirement() for name in unnamed}
    problems: list[Problem] = []
    for name, text in written.items():
        found = _mistyped(name, text, counts) or _requirement(name, text, counts[name])
        if isinstance(found, Requirement):
            gate[name] = found
        else:
            problems.append(Problem(file, lines.get(name, 0), *found, rule="gate"))
    if not problems and not any(counts[name] for name in gate):
        hint = "write what each class must reach, or leave `gate:` out to ask `all` of every class"
        line = min(lines.values(), default=0)
        message = "the gate asks for no case of the set: nothing could block"
        problems.append(Problem(file, line, message, hint, rule="gate"))
    return gate, problems


def _mistyped(name: str, text: str, counts: Counter[str]) -> tuple[str, str] | None:
    """What is wrong with a class that has no case and whose name nearly is that of another one."""
    if counts[name]:
        return None
    present = [other for other in counts if counts[other]]
    hint = nearest_of(name, {*present, *(() if name in CLASSES else CLASSES)})
    if not hint.startswith("did you mean"):
        return None
    return f"gate '{name}: {text}' asks for class '{name}', of which the set has no case", hint


def _requirement(name: str, text: str, count: int) -> Requirement | tuple[str, str]:
    if name in STRICT_CLASSES and text != "all":
        return f"gate '{name}: {text}' asks less than all of class '{name}'", f"allowed: `{name}: all`"
    return requirement_of(text, f"gate '{name}: {text}'", count=count, of=name)


def requirement_of(
    text: str, stated: str, *, count: int, of: str, noun: str = "cases", whole: str = "the set"
) -> Requirement | tuple[str, str]:
    """What `all` or a count such as `4/5` asks of `count` things of a class, or what is wrong with it and a remedy.

    `stated` is how it was written, for messages; `noun` names the things, `whole` what they are of.
    """
    if text == "all":
        return Requirement()
    match = _COUNT.fullmatch(text)
    if not match:
        hint = f"percentages move with {whole}; " if "%" in text else ""
        return f"{stated} is no gate", f"{hint}allowed: `all`, or a count decided on, such as `4/5`"
    need, counted = int(match[1]), int(match[2])
    if need > counted:
        allowed = f"allowed: `1/{counted}` to `{counted}/{counted}`, or `all`"
        return f"{stated} asks for more {noun} than it counts", allowed
    if need == 0:
        return f"{stated} asks for nothing", f"leave the class out, or write how many {noun} must pass"
    if counted != count:
        return (
            f"{stated} counts {counted} {noun}, but {whole} has {count} of class '{of}'",
            "a moving set must not move the threshold: write the count you decided on",
        )
    return Requirement(need, counted)


def gate_of_all(counts: Iterable[str]) -> dict[str, Requirement]:
    """The gate of a set that declares none: all of every class it has, in the order of reports."""
    present = set(counts)
    own = sorted(present - set(CLASSES))
    return {name: Requirement() for name in (*CLASSES, *own) if name in present}


def proposed_gate(classes: Iterable[str]) -> dict[str, Requirement]:
    """Fixed counts for cases of these classes, for a person to decide on: of four or more of a class one may fail.

    Strict classes are asked for `all`.
    """
    counts = Counter(classes)
    gate = gate_of_all(counts)
    lenient = {
        name: Requirement(counts[name] - (counts[name] >= _ONE_MAY_FAIL), counts[name])
        for name in gate
        if name not in STRICT_CLASSES
    }
    return {**gate, **lenient}


def waiver_of(
    wire: WaiverWire, cases: Mapping[str, Case], ids: Iterable[str], *, file: str, line: int
) -> Waiver | Problem:
    """The waiver, or what is wrong with it. `ids` are all ids of the file, broken cases included."""
    try:
        until = date.fromisoformat(wire.until if _DATE.fullmatch(wire.until) else "")
    except ValueError:
        message = f"the waiver of '{wire.case}' ends at '{wire.until}', which is no day"
        return Problem(file, line, message, "write the last day it holds: 2026-03-04", rule="waiver")
    if wire.case not in set(ids):
        message = f"a waiver names the unknown case '{wire.case}'"
        return Problem(file, line, message, nearest_of(wire.case, ids), rule="waiver")
    case = cases.get(wire.case)
    if case is not None and case.case_class in STRICT_CLASSES:
        message = f"the waiver of '{wire.case}' lets a case of class '{case.case_class}' pass"
        return Problem(file, line, message, "safety, identity and canary accept no waiver: remove it", rule="waiver")
    return Waiver(wire.case, wire.reason, until)
