"""Admitted ignorance: whether an answer says that it does not know, and leaves it at that."""

from __future__ import annotations

import re

from foldproof.matching import Text, match_fact, normalize

VERSION = "abstain/1"
PHRASES: dict[str, tuple[str, ...]] = {
    "en": (
        "I don't know", "I do not know", "I don't have that information", "I do not have that information",
        "I don't have any information", "I do not have any information", "I don't have information",
        "I do not have information", "I have no information", "I have no record", "I don't have a record",
        "I don't have any record", "I do not have any record", "I have no memory of", "I don't remember",
        "I do not remember", "I can't recall", "I cannot recall", "I don't recall", "I do not recall",
        "you didn't mention", "you did not mention", "you haven't mentioned", "you have not mentioned",
        "you never mentioned", "you didn't tell me", "you did not tell me", "you haven't told me",
        "you have not told me", "you never told me", "you didn't say", "you never said",
        "not mentioned in our conversation", "not mentioned in our conversations", "no information about that",
        "no information on that", "there is no information", "no information available",
    ),
    "de": (
        "ich weiß es nicht", "ich weiß nicht", "das weiß ich nicht", "dazu habe ich keine Information",
        "ich habe keine Information", "ich habe keine Informationen", "hast du mir nicht gesagt",
        "haben Sie mir nicht gesagt", "hast du nie erwähnt", "hast du nicht erwähnt", "haben Sie nicht erwähnt",
    ),
    "fr": (
        "je ne sais pas", "je n'ai aucune information", "je n'ai pas cette information", "tu ne m'as pas dit",
        "vous ne m'avez pas dit", "tu n'as pas mentionné", "vous n'avez pas mentionné",
    ),
    "es": ("no lo sé", "no tengo información", "no tengo esa información", "no me lo has dicho", "no me dijiste",
           "no mencionaste", "no has mencionado"),
    "it": ("non lo so", "non ho informazioni", "non ho questa informazione", "non me l'hai detto",
           "non hai menzionato"),
    "pt": ("não sei", "não tenho essa informação", "não tenho informação", "você não me disse", "você não mencionou"),
    "nl": ("ik weet het niet", "dat weet ik niet", "ik heb geen informatie", "je hebt me niet verteld",
           "je hebt niet genoemd", "dat heb je niet gezegd"),
    "zh": ("我不知道", "我没有相关信息", "你没有提到", "你没有提及", "您没有提到", "你没有告诉我", "您没有告诉我"),
    "ja": ("わかりません", "分かりません", "知りません", "存じません", "情報がありません", "聞いていません",
           "伺っていません"),
}  # fmt: skip
"""The phrases that admit it, per language: what the speaker does not know, or was not told. A change of this list is
a new version."""
GUESSES = (
    "I think", "I believe", "I guess", "I suppose", "I assume", "I would say", "it might be", "it may be",
    "it could be",
    "my guess", "if I had to guess", "probably", "perhaps", "maybe", "likely", "presumably", "although", "know exactly",
    "know why you", "remember exactly", "not true that",
)  # fmt: skip
"""Words of a value that the answer makes up beside the admission, and of an admission that is none."""
_NUMBER_WORDS = frozenset({
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy",
    "eighty", "ninety", "hundred", "thousand", "million", "dozen",
})  # fmt: skip
_HAN_NUMBER = re.compile("[零〇一二三四五六七八九十百千万萬億亿两兩]{2,}")
_LONGEST = 800
"""Characters of an admission: a longer text that holds one of the phrases tells of something else as well."""


def admits_ignorance(answer: str, question: str) -> bool:
    """Whether the answer admits that it does not know, and leaves it at that.

    It holds one of the phrases, is short, makes no guess, and states no number that the question does not have: a
    made-up value is no admission. A made-up name cannot be told from an ordinary word; forbid it by name.
    """
    if len(answer) > _LONGEST:
        return False
    text = Text(answer)
    # A phrase such as "don't know" is itself a negation, so "negated" counts as standing there.
    admitted = any(match_fact(phrase, text).outcome != "missed" for phrases in PHRASES.values() for phrase in phrases)
    guessed = any(match_fact(guess, text).outcome != "missed" for guess in GUESSES)
    return admitted and not guessed and _numbers(text.raw) <= _numbers(question)


def _numbers(text: str) -> set[str]:
    """The tokens of a text that are or hold a number: digits, Han numerals of two characters at least, number words."""
    return {
        token
        for token in normalize(text).split()
        if token in _NUMBER_WORDS or any(char.isdecimal() for char in token) or _HAN_NUMBER.fullmatch(token)
    }
