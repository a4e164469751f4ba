"""Can a fact be matched at all? The loader, the linter and the matcher ask here."""

from __future__ import annotations

from collections.abc import Callable

from foldproof.matching.date import read_date
from foldproof.matching.exact import fold_blanks
from foldproof.matching.fact import Fact
from foldproof.matching.number import read_number
from foldproof.matching.pattern import compile_pattern
from foldproof.matching.text import normalize


def check_fact(fact: Fact) -> str:
    """What is wrong with a fact and what to do now; empty where it is usable.

    A `judged` fact is usable where it says something, though only by a judge.
    """
    if fact.kind == "any":
        return _check_any(fact)
    return _CHECKS[fact.kind](fact.text)


def _check_normalized(text: str) -> str:
    if normalize(text):
        return ""
    return f"the fact '{text}' has no letter or digit, so nothing is left to look for\n  use `exact: …`"


def _check_written(text: str) -> str:
    return "" if fold_blanks(text).strip() else "the fact is empty\n  write what the answer must say"


def _check_number(text: str) -> str:
    if read_number(text) is not None:
        return ""
    return f"'{text}' is not a number\n  write digits, such as 1234.50 or $1,234.50; or use a plain fact"


def _check_date(text: str) -> str:
    if read_date(text) is not None:
        return ""
    return f"'{text}' is not a date that exists\n  write it as YYYY-MM-DD, such as 2026-03-04"


def _check_pattern(pattern: str) -> str:
    try:
        regex = compile_pattern(pattern)
    except ValueError as error:
        return f"the pattern '{pattern}' does not compile: {error}\n  RE2 has no look-around and no back-references"
    if regex.search("") is not None:
        return f"the pattern '{pattern}' matches the empty text, so it always holds\n  ask for a character"
    return ""


def _check_any(fact: Fact) -> str:
    if not fact.any:
        return "the `any` fact has no alternatives\n  list at least one"
    for alternative in fact.any:
        if alternative.kind in ("any", "judged"):
            return (
                f"`any` cannot hold the alternative '{alternative.label}'\n"
                "  allowed: plain facts, `exact`, `pattern`, `number`, `date`"
            )
        wrong = check_fact(alternative)
        if wrong:
            return wrong
    return ""


_CHECKS: dict[str, Callable[[str], str]] = {
    "normalized": _check_normalized,
    "exact": _check_written,
    "judged": _check_written,
    "pattern": _check_pattern,
    "number": _check_number,
    "date": _check_date,
}
