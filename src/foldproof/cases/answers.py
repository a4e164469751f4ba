"""Free-text answers of benchmarks as facts."""

from __future__ import annotations

import re
from datetime import datetime

from foldproof.matching import Fact, normalize

LONGEST_FACT = 12
"""Tokens; a longer answer is a sentence that no agent will repeat word for word."""

_ASIDE = re.compile(r"\(([^()]*)\)")
_OTHER_ASIDE = re.compile(r"\([^()]*\)")
_LONGEST_ITEM = 6
_ITEM_END = re.compile(r"\s*[,;]\s+(?:and\s+)?")
_LAST_ITEM = re.compile(r"\s+and\s+")
_YEAR = re.compile(r"\d{4}")
_PART_END = re.compile(r"[.;,]\s")
_ALSO = (("is", "are", "be"), ("also",), ("acceptable", "correct", "fine"))
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
    wordings = [wording for part in _parts_of(answer) for wording in _wordings_of(part)]
    wordings = [text for text in (wording.strip().rstrip(".").strip() for wording in wordings) if text]
    wordings += [other for text in wordings if (other := _other_number(text))]
    facts = [Fact("normalized", text) for text in dict.fromkeys(wordings or [answer.strip()])]
    return facts[0] if len(facts) == 1 else Fact("any", any=tuple(facts))


def facts_of_list(answer: str) -> tuple[Fact, ...]:
    """A fact for each item of "yoga, old photos and a walk", where each is a few words; else the one of the whole."""
    text = answer.strip().removesuffix(".")
    *items, last = _ITEM_END.split(text)
    items += _LAST_ITEM.split(last) if items else [last]
    short = all(0 < len(normalize(item).split()) <= _LONGEST_ITEM for item in items)
    one_thing = "(" in text or any(_YEAR.fullmatch(item) for item in items)  # "21 February, 2023"
    if len(items) > 1 and short and not one_thing:
        return tuple(dict.fromkeys(fact_of_answer(item) for item in items))
    return (fact_of_answer(answer),)


def day_of(answer: str) -> str:
    """`2023-05-07` of "7 May, 2023" or "May 7, 2023"; empty where an answer says anything else."""
    text = " ".join(answer.replace(",", " ").replace(".", " ").split())
    for form in ("%d %B %Y", "%B %d %Y"):
        try:
            return datetime.strptime(text, form).date().isoformat()  # noqa: DTZ007  # a day has no zone
        except ValueError:
            continue
    return ""


def _parts_of(answer: str) -> tuple[str, ...]:
    """Both answers of "7 days. 8 days is also acceptable.", else the one."""
    head, *words = answer.strip().removesuffix(".").rsplit(None, len(_ALSO)) or [""]
    if len(words) < len(_ALSO) or not all(word in known for word, known in zip(words, _ALSO, strict=True)):
        return (answer,)
    if words[0] == "be":
        head, *would = head.rsplit(None, 1)
        if would != ["would"]:
            return (answer,)
    end = _PART_END.search(head, 1)
    return (head[: end.start()], head[end.end() :]) if end else (answer,)


def _wordings_of(part: str) -> list[str]:
    """A text without its asides in brackets, and what those offer: "(or 25:50)"."""
    offered: list[str] = []

    def taken(aside: re.Match[str]) -> str:
        word, *rest = aside[1].split(None, 1) or [""]
        if word != "or" or not rest:
            return aside[0]
        offered.append(rest[0].rstrip())
        return "()"  # taken out with the others

    *before, last = _OTHER_ASIDE.split(_ASIDE.sub(taken, part))
    return ["".join([*(text.rstrip() for text in before), last]), *offered]


def _other_number(text: str) -> str:
    lowered = text.lower()
    if lowered in _NUMBERS:
        return str(_NUMBERS.index(lowered))
    return _NUMBERS[int(text)] if re.fullmatch(r"1?[0-9]|20", text) else ""


def too_long_to_match(fact: Fact) -> bool:
    """Whether every wording is so long that it is unlikely to be found in an answer."""
    return all(len(normalize(item.text).split()) > LONGEST_FACT for item in fact.any or (fact,))


def is_small_number(fact: Fact) -> bool:
    """Whether a wording is a number of one or two digits and no more, which stands in many texts by chance."""
    return any(re.fullmatch(r"[0-9]{1,2}", normalize(item.text)) for item in fact.any or (fact,))
