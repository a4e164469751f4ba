"""What a question is about, as one of its own words: no model, the same every time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from foldproof.core import REDACTED
from foldproof.matching import UNSPACED

_WORD = re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]{{2,}}")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_MOST, _FEW = 5, 20
"""A word that stands in more than one of five questions is no topic, where there are more than a few questions."""
_LIST = """
    a about again all also am an and any are as at be been before but by can could did do does for from get give had
    has have he her here his how i if in is it its just know last let like list me more most much my need new next
    no not now of off on one only or our out please remember remind say she should show so some tell than that the
    their them then there these they this those time to today up us want was we were what when where which while who
    whose why will with would yes yesterday you your aber auch auf aus bei bin bis bitte das dass dein deine dem den
    der des die dies diese doch du ein eine einem einen einer er es für haben hast hat hatte ich ihr ihre im ist ja
    kann kannst man mein meine mich mir mit nach nicht noch nun nur oder schon sein seine sich sie sind soll über um
    und uns unser unsere vom von vor wann war warum welche welchen welcher welches wer wie wir wird wo woher zu zum
    zur avec aux ce ces cette comment dans donc elle est et être il je la le les leur ma mais mes moi mon ne nos
    notre nous où par pas peux plus pour pourquoi quand que quel quelle quelles quels qui sa se ses son sont sur ta
    te tes toi ton tu un une vos votre vous al como con cuál cuándo cómo de del dime dónde el en era esa ese esta
    este estos ha hay las lo los mi mis nuestra nuestro para pero por puedes qué quién sin sobre su sus también tus
    una uno unos yo didn doesn don isn ll qu re use used using ve won
"""
_NO_TOPIC = frozenset(_LIST.split())


def topics_of(texts: Sequence[str]) -> list[str]:
    """The topic of each text: of its words the one that most of the texts share, but no word that stands everywhere.

    Empty where a text has no word of its own. It groups what is asked of the same thing; it does not know
    that two words mean the same.
    """
    return most_shared([{word: word for word in own_words(text)} for text in texts])


def most_shared(words: Sequence[Mapping[str, str]], *, everywhere: int = _MOST) -> list[str]:
    """The topic of each text by its words, each under the form that is compared; of several words the commonest.

    A word that stands in more than one of so many texts (`everywhere`) is none, where there are more than a few texts.
    """
    counts = Counter(form for found in words for form in found)
    spelled = Counter(pair for found in words for pair in found.items())
    told: dict[str, str] = {}
    for form, word in sorted(spelled, key=lambda pair: (-spelled[pair], pair)):
        told.setdefault(form, word)
    most = len(words) / everywhere if len(words) > _FEW else len(words)
    chosen = (
        min((form for form in found if counts[form] <= most), key=lambda form: (-counts[form], form), default="")
        for found in words
    )
    return [told.get(form, "") for form in chosen]


def own_words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, in small letters.

    No number, no single letter, and no word that any question has. Of a script without blanks, pairs of neighbouring
    characters stand for words.
    """
    return frozenset(word for word in _words(text.replace(REDACTED, " ").lower()) if word not in _NO_TOPIC)


def by_root(text: str) -> dict[str, str]:
    """The own words of a text, each under its `root`; of several forms the first by the alphabet."""
    return {root(word): word for word in sorted(own_words(text), reverse=True)}


@lru_cache(65_536)
def root(word: str) -> str:
    """A word without its English ending (Snowball): one for `invoice` and `invoices`. Needs the extra `mine`."""
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:  # noqa: ANN401  # the package has no types
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        if _UNSPACED.match(word):
            yield from map("".join, pairwise(word)) if len(word) > 1 else word
        elif not word.isnumeric():
            yield word
