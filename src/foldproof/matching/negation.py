"""The negation list of `normalized/1`, in one place, and how it is applied.

The list is blind to the language of a text. Known limits: double negation, a negation after its object ("Fleisch mag
ich nicht"), a second object ("no gluten or dairy" negates gluten only), and verbs such as "avoid".
"""

from __future__ import annotations

import re

from foldproof.matching.tokens import CURRENCY, HYPHEN

NEGATORS: dict[str, str] = {
    "en": "not no never without neither nor cannot cant dont doesnt didnt isnt arent wasnt wont nobody non",
    "de": "nicht kein keine keinen keinem keiner keines nie niemals ohne weder noch",
    "fr": "pas jamais sans ni aucun aucune plus non",
    "es": "no nunca jamás sin ni tampoco ningún ninguna ninguno",
    "it": "non mai senza né nessun nessuna nessuno",
    "pt": "não nunca sem nem nenhum nenhuma",
    "nl": "niet geen nooit zonder noch",
    "zh": "不 没 沒 无 無 非 未",
    "ja": "非 無 未 不",
}
FILLERS: dict[str, str] = {
    "en": "a an the be is am are was were been being do does did have has had having use uses used using take takes"
    " taking eat eats eating ate drink drinks like likes want wants need needs recommend recommends recommended"
    " recommending support supports contain contains include includes really very any strictly longer yet ever even"
    " currently actually to in on at for with of my your our their his her this that",
    "de": "ein eine einen einem einer eines der die das den dem des ist sind war bin bist mehr sehr wirklich streng"
    " derzeit mit in im am",
    "fr": "un une le la les l de du des d est suis sont es était très vraiment strictement encore mange mangent"
    " utilise utiliser veut veux aime en",
    "es": "un una el la los las es soy son está estoy era muy realmente como come uso usa usar quiero quiere en con",
    "it": "un una il lo la i gli le l è sono era più molto davvero mangia mangio usa usare uso vuole voglio in con",
    "pt": "um uma o a os as é sou são está estou era muito realmente como come uso usa usar quero quer em com de",
    "nl": "een de het is ben zijn was meer erg strikt momenteel eet gebruik gebruikt gebruiken met in",
    "zh": "是 有 吃 喝 用 要 再 能 会 會 想 爱 愛 喜 欢 歡 太",
}
FILLERS_AT_MOST = 2
_STEMS = "isn aren wasn weren don doesn didn haven hasn hadn won wouldn can couldn shouldn mustn mightn needn ain shan"
CONTRACTIONS = frozenset(_STEMS.split())
"""What stands before the `t` of a contraction once its apostrophe is a blank."""
CANCELLED = frozenset({
    ("not", "without"), ("never", "without"), ("why", "not"), ("nicht", "ohne"), ("warum", "nicht"), ("pas", "sans"),
    ("pourquoi", "pas"), ("no", "sin"), ("qué", "no"), ("non", "senza"), ("perché", "non"), ("não", "sem"),
    ("que", "não"), ("niet", "zonder"), ("waarom", "niet"), ("得", "不"), ("除", "非"), ("莫", "非"),
})  # fmt: skip
"""A negator that the word before it takes back: "why not X?", "not without X", "不得不用X"."""
ONLY_AFTER: dict[str, frozenset[str]] = {
    "noch": frozenset({"weder", "noch"}),
    "plus": frozenset({"ne", "n"}),
}
"""Words that negate only as the second half of a pair: "weder … noch", "ne … plus"."""
PORTUGUESE = (" não ", " uma ", " você ", " em ", " são ", " é ", " ao ")
"""Words that only Portuguese has. There, `no` is "in the", not a negator."""
AFTER = {
    "en": "free",
    "de": "frei freie freier freies freien freiem",
    "nl": "vrij vrije",
    "ja": "ではない じゃない でない ではなく じゃなく ではありません じゃありません なし 抜き",
}
"""What negates the hit before it: with a hyphen between ("gluten-free"), in Japanese directly."""

QUICK = frozenset({"t", *" ".join(NEGATORS.values()).split()})
FILLER_WORDS = frozenset({*" ".join(FILLERS.values()).split(), *CURRENCY}) - QUICK
_PAIR_REACH = 6
_JAPANESE = tuple(" ".join(word) + " " for word in AFTER["ja"].split())
_AFTER_HIT = (*(f"{word} " for language in ("en", "de", "nl") for word in AFTER[language].split()), *_JAPANESE)
_AFTER = re.compile(
    rf"{HYPHEN}(?:{'|'.join(' '.join(AFTER[lang] for lang in ('en', 'de', 'nl')).split())})(?=[ \n{HYPHEN}])"
    rf"| (?:{'|'.join(_JAPANESE)})"
)
REACH = 64
"""Characters before a hit that can hold a negator and its fillers."""


def is_clear(padded: str, start: int, end: int) -> bool:
    """Whether no negator is near the tokens between two gaps; no may mean that a clause ends between."""
    if padded.startswith(_AFTER_HIT, end + 1):
        return False
    for word in padded[start - REACH if start > REACH else 0 : start].split()[: -FILLERS_AT_MOST - 2 : -1]:
        if word in QUICK:
            return False
        if word not in FILLER_WORDS:
            return True
    return True


def negation(before: str, after: str, hit: str, padded: str) -> str:
    """The words of the negation that a hit stands in, or nothing.

    `before` and `after` are the neighbourhood of the hit as a gap string (`tokens.gaps_of`), the gap next to the
    hit included; `padded` is the whole text, for words that tell its language.
    """
    found = _AFTER.match(after)
    if found:
        return f"{hit}{found[0].replace(HYPHEN, '-').rstrip()}".replace(" ", "" if found[0][0] == " " else " ")
    words = before.rpartition("\n")[2].replace(HYPHEN, " ").split()
    for steps, at in enumerate(range(len(words) - 1, -1, -1)):
        if _negates(words, at, hit, padded):
            start = at - (words[at] == "t")
            return " ".join((*words[start:], hit)).replace(" t ", "'t ")
        if steps == FILLERS_AT_MOST or words[at] not in FILLER_WORDS:
            break
    return ""


def _negates(words: list[str], at: int, hit: str, padded: str) -> bool:
    word = words[at]
    if word not in QUICK:
        return False
    before = words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else hit.partition(" ")[0]
    if word == "t":
        return before in CONTRACTIONS
    if (before, word) in CANCELLED or (before == after and word in "不没沒"):
        return False
    if word in ONLY_AFTER:
        return not ONLY_AFTER[word].isdisjoint(words[max(0, at - _PAIR_REACH) : at])
    if word == "no":
        return not (after.isdecimal() or any(mark in padded for mark in PORTUGUESE))
    return True
