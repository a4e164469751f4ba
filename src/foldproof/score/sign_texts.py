"""What the words of a step give away: corrections, inventions, claims, questions, values and their labels.

English only, short lists, in one place. They err on the side of silence: a phrase stands here because it is rarely
said in another sense.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from foldproof.score.steps import Step

WHOLE_REQUEST = 40
"""Characters from which on a request that stands in a message word for word is handed on, not said by chance."""
_CORRECTS = re.compile(
    r"\b(?:i (?:meant|already (?:told|said|gave)|said)|as i (?:said|told you|mentioned)|not what i|the other one"
    r"|(?:that|this|it)(?:'s| is| was) (?:wrong|not right|incorrect|not correct|not (?:it|the one))"
    r"|you (?:got|have) (?:it|that|this) wrong|wrong (?:one|order|date|name|number|person|account|item))\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\W*(?:no|nope|wrong)\b(?!,? *(?:thanks|thank|problem|worr|need|that(?:'s| is) (?:all|it|fine)))", re.IGNORECASE
)
_MADE_UP = re.compile(
    r"\b(?:simulat(?:e|ed|ing)|mock(?:ed)?|hypothetical|dummy|fictional|made-up"
    r"|placeholder (?:data|values?|ids?|keys?|names?|urls?)|(?:as|with|use[sd]?|using) (?:a )?placeholders?"
    r"|(?:sample|example|synthetic) (?:data|dataset|values)|for demonstration"
    r"|demonstrate the (?:approach|process|method)"
    r"|let(?:'s| us) (?:assume|say|pretend)|assum(?:e|ing)|YOUR_[A-Z_]+|your_api_key)",
    re.IGNORECASE,
)
_CLAIMS = re.compile(
    r"\b(?:done|all set|successful(?:ly)?|completed|confirmed|taken care of"
    r"|(?:has|have) been (?:\w+ed|sent|made)|i(?:'ve| have) (?:just )?(?:\w+ed|sent|made|set))\b",
    re.IGNORECASE,
)
_ADMITS = re.compile(
    r"\b(?:fail\w*|errors?|unable|could ?n[o']t|cannot|can't|did ?n[o']t|was ?n[o']t|sorry|issues?|problems?"
    r"|unfortunately|appears|seems|try again|instead|fix\w*|correct(?:ed|ing)?)\b",
    re.IGNORECASE,
)
_FAILED = re.compile(r'\s*(?:error\b|traceback\b|exception\b|\{\s*"error"\s*:\s*(?!null|false|""))', re.IGNORECASE)
_NUMBER = re.compile(r"\d(?:[\d,]*\d)?(?:\.\d+)?")
_LABELLED = re.compile(
    r"\b(?P<label>[A-Za-z]{3,}):?(?: (?:number|no\.?|nr\.?|id|code))?(?: is| ?[:=])? ?#?(?P<value>\d[\d-]{2,})\b"
)
_DAY = re.compile(
    r"\b(?P<label>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? "
    r"(?P<value>\d{1,2})(?:st|nd|rd|th)?\b(?! *:)",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\b(?P<value>\d{1,3}) (?P<label>people|persons|guests|nights|tickets|adults|children|seats)\b", re.IGNORECASE
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_NO_LABELS = frozenset({
    "about", "all", "and", "any", "are", "between", "but", "for", "from", "had", "has", "have", "its", "not", "only",
    "over", "per", "since", "than", "that", "the", "then", "these", "this", "those", "under", "until", "via", "was",
    "were", "when", "which", "with", "year", "years",
})  # fmt: skip
_SENTENCE_END = re.compile(r"(?<=[.?!\n])")
_WORD = re.compile(r"[a-z0-9]+")
_EMPTY = frozenset({
    "a", "an", "and", "are", "be", "can", "could", "do", "does", "for", "have", "how", "i", "if", "in", "is", "it",
    "may", "me", "of", "on", "or", "our", "please", "provide", "share", "so", "tell", "that", "the", "to", "us", "we",
    "what", "when", "where", "which", "who", "will", "with", "would", "you", "your",
})  # fmt: skip
_ASKED_FOR = re.compile(
    r"\b(?:what(?:'s| is)|which|could you|can you|may i|please|would you) (?:[\w']+ ){0,5}?"
    r"(?P<what>order|ticket|account|invoice|booking|reservation|customer|phone|e-?mail)"
    r"(?: (?:number|id|address|code))?\b",
    re.IGNORECASE,
)
_ADDRESSES = {
    "email": re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}\.\w"),
    "phone": re.compile(r"\d[\d ()-]{7,30}\d"),
}
_LEAST_WORDS = 3
_SHARED = 0.8


def corrects(text: str, *, asked: bool) -> bool:
    """Whether the user corrects the agent. A plain "no" after a question is an answer."""
    return bool(_CORRECTS.search(text)) or (not asked and bool(_NO.match(text)))


def asks(text: str) -> bool:
    """Whether a message ends in a question."""
    return text.rstrip(" \n*_)\"'").endswith("?")


def makes_up(text: str, *, unless_in: str) -> str:
    """The words with which an agent says that it makes something up; empty where it does not.

    Words that the user used too are the user's wish: `unless_in` is what the user said, case folded.
    """
    for hit in _MADE_UP.finditer(text):
        if hit[0].casefold() not in unless_in:
            start = max(text.rfind("\n", 0, hit.start()) + 1, hit.start() - 60)
            return text[start : hit.end() + 60].partition("\n")[0]
    return ""


def claims_success(text: str) -> bool:
    """Whether a message says that something worked, and nothing of a failure."""
    return bool(_CLAIMS.search(text)) and not _ADMITS.search(text)


def failed(step: Step) -> bool:
    """Whether a call failed: the log says so, or its answer begins as an error does."""
    return step.failed or bool(_FAILED.match(step.text))


def has_code(text: str) -> bool:
    """Whether a message holds a fenced block: what is run where the log shows no calls apart."""
    return "```" in text


def sent(step: Step) -> str:
    """The arguments of a call as text; empty for what is no call."""
    return json.dumps(step.args, ensure_ascii=False, sort_keys=True, default=str) if step.args else ""


def said_and_sent(step: Step) -> str:
    """What the agent itself put into the step: its words, or the call with its arguments."""
    return f"{step.name} {sent(step)}" if step.kind == "called" else step.text


def values(text: str) -> set[str]:
    """The numbers of a text, without separators."""
    return {hit[0].replace(",", "") for hit in _NUMBER.finditer(text)}


def long_values(found: set[str]) -> set[str]:
    """Those of three characters or more: smaller ones are counted, listed and rounded everywhere."""
    return {value for value in found if len(value) >= 3}


def labelled(text: str) -> Iterator[tuple[str, str]]:
    """Values with what they are the value of: `order #4021`, `3 people`, `May 5`. Years have no label."""
    text = " ".join(text.split())
    for hit in _LABELLED.finditer(text):
        label = hit["label"].lower()
        if label not in _NO_LABELS and not _YEAR.fullmatch(hit["value"]) and not _DAY.match(hit[0]):
            yield label, hit["value"]
    for pattern in (_DAY, _COUNT):
        for hit in pattern.finditer(text):
            yield hit["label"].lower(), hit["value"].lstrip("0") or "0"


def labelled_args(args: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The same of the arguments of a call: `order_id=4021` is a value of `order`."""
    for name, value in args.items():
        if isinstance(value, int | str) and not isinstance(value, bool):
            text = str(value).lstrip("#")
            if re.fullmatch(r"\d[\d-]{2,}", text) and not _YEAR.fullmatch(text):
                for word in _WORD.findall(str(name).lower()):
                    if len(word) > 2 and word not in _NO_LABELS:
                        yield word, text


def questions(text: str) -> list[str]:
    """The questions of a message, a bare question mark left out."""
    return [sentence.strip() for sentence in _SENTENCE_END.split(text) if sentence.endswith("?") and sentence != "?"]


def content_words(text: str) -> frozenset[str]:
    """The words of a question that carry it."""
    return frozenset(_WORD.findall(text.lower())) - _EMPTY


def same_words(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two questions are the same but for a few words; short ones never are."""
    union = one | other
    return len(one & other) >= _LEAST_WORDS and len(one & other) >= _SHARED * len(union)


def asked_for(question: str) -> str:
    """The number or address that a question asks for, by its name; empty where it asks for none."""
    hit = _ASKED_FOR.search(question)
    return hit["what"].lower().replace("-", "") if hit else ""


def given(text: str) -> set[str]:
    """What a message of the user gives that a question may ask for: numbers by their labels, addresses."""
    return {label for label, _ in labelled(text)} | {name for name, form in _ADDRESSES.items() if form.search(text)}
