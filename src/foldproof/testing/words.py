"""The words that carry a text's meaning, cut to their stem: what the ready rules and the vectors compare."""

from __future__ import annotations

import re

from foldproof.matching import normalize

_STEM = 6
_WORD = re.compile(r"[^\W_]+")
# What says nothing about the subject: the grammar, and the words in which prompts speak of themselves.
_PLAIN_WORDS = """
    a about all also am an and answer any are as at be been but by can context conversation could did do does for
    from get got had has have he her his how i if in is it its just know let like may me memory message might more
    my no not note notes now of on one or our please question remember remembered reply said say she should so some
    tell that the their them then there these they this those to told up us use used user using was we were what
    when where which who whom whose why will with would you your
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())


def stems_of(text: str) -> list[str]:
    """The stems in reading order, repeats included: words of six letters or more by their first six, others whole.

    Nothing is known of grammar: `allergy` and `allergic` share a stem, `buy` and `bought` do not. A plural's `s`
    is dropped.
    """
    words = [word for word in _WORD.findall(normalize(text)) if word not in _PLAIN]
    return [_stem(word) for word in words]


def _stem(word: str) -> str:
    bare = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    return bare if bare.isdigit() else bare[:_STEM]
