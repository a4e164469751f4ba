"""Can a fact be matched at all? The loader, the linter and the matcher ask here."""
from __future__ import annotations

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
    text = fact.text
    match fact.kind:
        case "normalized":
            if not normalize(text):
                return f"the fact '{text}' has no letter or digit, so nothing is left to look for\n  use `exact: …`"
        case "exact" | "judged":
            if not fold_blanks(text).strip():
                return f"the `{fact.kind}` fact is empty\n  write what the answer must say"
        case "pattern":
            return _check_pattern(text)
        case "number":
            if read_number(text) is None:
                return f"'{text}' is not a number\n  write digits, such as 1234.50 or $1,234.50; or use a plain fact"
        case "date":
            if read_date(text) is None:
                return f"'{text}' is not a date that exists\n  write it as YYYY-MM-DD, such as 2026-03-04"
        case "any":
            return _check_any(fact)
    return ""


def _check_pattern(pattern: str) -> str:
    try:
        regex = compile_pattern(pattern)
    except ValueError as error:
        return f"the pattern '{pattern}' does not compile: {error}\n  RE2 syntax has no look-around and no back-references"
    if regex.search("") is not None:
        return f"the pattern '{pattern}' matches the empty text, so it would always hold\n  ask for at least one character"
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
