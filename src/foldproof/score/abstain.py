"""Admitted ignorance: whether an answer says that it does not know, and leaves it at that."""

from __future__ import annotations

from foldproof.matching import Text, match_fact

VERSION = "abstain/1"
PHRASES: dict[str, tuple[str, ...]] = {
    "en": (
        "I don't know", "I do not know", "don't have that information", "do not have that information",
        "no information", "not mentioned", "didn't mention", "did not mention", "haven't mentioned",
        "have not mentioned", "never mentioned", "didn't tell me", "did not tell me", "haven't told me",
        "have not told me", "never told me", "don't have any record", "no record of", "I have no memory of",
        "don't remember", "do not remember", "can't recall", "cannot recall", "I'm not sure", "I am not sure",
        "not aware of", "cannot find", "couldn't find", "could not find", "unable to find",
        "not enough information", "information is not available", "isn't available", "wasn't mentioned",
    ),
    "de": ("weiß ich nicht", "ich weiß nicht", "keine Information", "nicht erwähnt", "nie erwähnt", "nicht bekannt"),
    "fr": ("je ne sais pas", "aucune information", "pas mentionné", "jamais mentionné", "pas dit"),
    "es": ("no lo sé", "no sé", "ninguna información", "no mencionaste", "no has mencionado", "no me dijiste"),
    "it": ("non lo so", "nessuna informazione", "non hai menzionato", "non me l'hai detto"),
    "pt": ("não sei", "nenhuma informação", "não mencionou", "não me disse"),
    "nl": ("weet ik niet", "ik weet het niet", "geen informatie", "niet vermeld", "nooit genoemd"),
    "zh": ("不知道", "没有提到", "没有提及", "未提及", "没有相关信息", "沒有提到"),
    "ja": ("わかりません", "分かりません", "知りません", "情報がありません", "言及されていません"),
}  # fmt: skip
"""The phrases that admit it, per language; a change of this list is a new version."""
GUESSES = (
    "but I think", "but it might be", "but it may be", "but probably", "but perhaps", "but maybe", "my guess",
    "but I guess", "but I would say", "but it is likely", "but it's likely", "but it is probably",
)  # fmt: skip
"""Openings of a value that the answer makes up after it has admitted ignorance."""


def admits_ignorance(answer: str) -> bool:
    """Whether the answer holds one of the phrases and no guess after it."""
    text = Text(answer)
    # A phrase such as "don't know" is itself a negation, so "negated" counts as standing there.
    admitted = any(match_fact(phrase, text).outcome != "missed" for phrases in PHRASES.values() for phrase in phrases)
    return admitted and not any(match_fact(guess, text).outcome != "missed" for guess in GUESSES)
