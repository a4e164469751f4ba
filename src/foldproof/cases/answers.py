"""Free-text answers of benchmarks as facts."""

from __future__ import annotations

import re

from foldproof.matching import Fact, normalize

LONGEST_FACT = 12
"""Tokens; a longer answer is a sentence that no agent will repeat word for word."""

_ALSO = re.compile(r"(.+?)[.;,]\s+(.+?)\s+(?:is|are|would be)\s+also\s+(?:acceptable|correct|fine)\.?", re.DOTALL)
_OR = re.compile(r"\(\s*or\s+([^()]+?)\s*\)")
_ASIDE = re.compile(r"\s*\([^()]*\)")
_NUMBERS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
)


def fact_of_answer(answer: str) -> Fact:
    """The fact that an answer states; where it allows several wordings, each is an alternative.

    "25 minutes and 50 seconds (or 25:50)" gives two, as does "7 days. 8 days is also acceptable." Other
    asides in brackets and the last full stop are left out. A small number counts as a digit and as a word.
    """
    match = _ALSO.fullmatch(answer.strip())
    wordings: list[str] = []
    for part in match.groups() if match else (answer,):
        wordings += [_ASIDE.sub("", _OR.sub("", part)), *_OR.findall(part)]
    wordings = [text for text in (wording.strip().rstrip(".").strip() for wording in wordings) if text]
    wordings += [other for text in wordings if (other := _other_number(text))]
    facts = [Fact("normalized", text) for text in dict.fromkeys(wordings or [answer.strip()])]
    return facts[0] if len(facts) == 1 else Fact("any", any=tuple(facts))


def _other_number(text: str) -> str:
    lowered = text.lower()
    if lowered in _NUMBERS:
        return str(_NUMBERS.index(lowered))
    return _NUMBERS[int(text)] if re.fullmatch(r"1?[0-9]|20", text) else ""


def too_long_to_match(fact: Fact) -> bool:
    """Whether every wording is so long that it is unlikely to be found in an answer."""
    return all(len(normalize(item.text).split()) > LONGEST_FACT for item in fact.any or (fact,))
