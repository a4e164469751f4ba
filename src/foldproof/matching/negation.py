"""The negation list of `normalized/1`, in one place, and how it is applied.

The list is nearly blind to the language of a text: only short words that mean something else in another language need
a word beside them that tells the language. Known limits: a negation after its object ("Fleisch mag ich nicht"), a
second object ("no gluten or dairy" negates gluten only), and verbs such as "avoid".
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from foldproof.matching.tokens import CURRENCY, HYPHEN, is_unspaced

NEGATORS: dict[str, str] = {
    "en": "not no never without neither nor cannot cant dont doesnt didnt isnt arent wasnt wont nobody non",
    "de": "nicht kein keine keinen keinem keiner keines nie niemals ohne weder noch",
    "fr": "pas jamais sans ni aucun aucune plus non",
    "es": "no nunca jamás sin ni tampoco ningún ninguna ninguno",
    "it": "non mai senza né nessun nessuna nessuno",
    "pt": "não nunca sem nem nenhum nenhuma",
    "nl": "niet geen nooit zonder noch",
    "zh": "不 没 沒 无 無 非 未 别 別 勿",
    "ja": "非 無 未 不",
}
FOREIGN: dict[str, tuple[str, ...]] = {
    "pas": ("fr",), "sans": ("fr",), "ni": ("fr", "es"), "sin": ("es",), "mai": ("it",), "né": ("it",), "sem": ("pt",),
    "nem": ("pt",),
}  # fmt: skip
"""Negators that are ordinary words or names elsewhere ("Comic Sans", "Sin City", "5 mai"): they need their language."""
LANGUAGE_MARKS: dict[str, str] = {
    "fr": "une les du avec dans vous je elle nous qui que ne au aux est et sont mange c'est n'est pas_de pas_d'un"
    " je_suis il_est",
    "es": "una está para que por muy soy pero es quiero también porque más mi tengo come como eres",
    "it": "è che di della sono una gli mangia mangio anche perché ho nel questo",
    "pt": "não uma você em são é ao com_o por_favor para_o que_o eu",
}
"""Words that show which language a text is in; an underscore stands between two words."""
FILLERS: dict[str, str] = {
    "en": "a an the be is am are was were been being do does did have has had having use uses used using take takes"
    " taking eat eats eating ate drink drinks like likes want wants need needs recommend recommends recommended"
    " recommending support supports contain contains include includes really very any strictly longer yet ever even"
    " currently actually to in on at for with of my your our their his her this that"
    " strict give gives given giving prescribe prescribed allergic him them me us you",
    "de": "ein eine einen einem einer eines der die das den dem des ist sind war bin bist mehr sehr wirklich streng"
    " derzeit mit in im am",
    "fr": "un une le la les l de du des d est suis sont es était très vraiment strictement encore mange mangent"
    " utilise utiliser veut veux aime en",
    "es": "un una el la los las es soy son está estoy era muy realmente como come uso usa usar quiero quiere en con"
    " me te le les nos gusta gustan puede puedo pueden comer tomar",
    "it": "un una il lo la i gli le l è sono era più molto davvero mangia mangio usa usare uso vuole voglio in con"
    " mi piace piacciono può posso mangiare",
    "pt": "um uma o a os as é sou são está estou era muito realmente como come uso usa usar quero quer em com de"
    " gosta gosto pode posso comer tomar",
    "nl": "een de het is ben zijn was meer erg strikt momenteel eet gebruik gebruikt gebruiken met in",
    "zh": "是 有 吃 喝 用 要 再 能 会 會 想 爱 愛 喜 欢 歡 太 可 以 应 應 该 該 给 給 食 建 议 議 推 荐 薦",
}
FILLER_PAIRS = {"all": "at", "means": "no"}
"""Small words only after another: "not at all X", "by no means X"; "not all X" is none."""
FILLERS_AT_MOST = 3
"""Small words between a negator and the hit; of a script without blanks, twice as many characters."""
_STEMS = "isn aren wasn weren don doesn didn haven hasn hadn won wouldn can couldn shouldn mustn mightn needn ain shan"
CONTRACTIONS = frozenset(_STEMS.split())
"""What stands before the `t` of a contraction once its apostrophe is a blank."""
CANCELLED = frozenset({
    ("or", "not"), ("or", "no"), ("than", "not"), ("as", "not"),
    ("not", "without"), ("never", "without"), ("why", "not"), ("if", "not"), ("qua", "non"), ("persona", "non"),
    ("nicht", "ohne"), ("warum", "nicht"), ("wenn", "nicht"), ("pas", "sans"), ("pourquoi", "pas"), ("no", "sin"),
    ("qué", "no"), ("si", "no"), ("non", "senza"), ("perché", "non"), ("se", "non"), ("não", "sem"), ("que", "não"),
    ("se", "não"), ("niet", "zonder"), ("waarom", "niet"), ("得", "不"), ("除", "非"), ("莫", "非"), ("特", "别"),
    ("特", "別"), ("分", "别"), ("分", "別"), ("区", "别"), ("區", "別"), ("级", "别"), ("級", "別"), ("类", "别"),
    ("個", "別"), ("个", "别"), ("性", "别"), ("性", "別"), ("差", "别"), ("差", "別"),
    ("识", "别"), ("識", "別"), ("告", "别"), ("告", "別"), ("鉴", "别"), ("鑑", "別"),
})  # fmt: skip
"""A negator that the word before it takes back: "why not X?", "if not X", "不得不用X"."""
ONLY_AFTER: dict[str, frozenset[str]] = {
    "noch": frozenset({"weder", "noch"}),
    "plus": frozenset({"ne", "n"}),
}
"""Words that negate only as the second half of a pair: "weder … noch", "ne … plus"."""
WITHOUT = frozenset({"without", "ohne", "sans", "sin", "senza", "sem", "zonder"})
"""Two negations cancel where the second is one of these, in every language …"""
_DOUBLED = (
    "not no never without cannot cant dont doesnt didnt isnt arent wasnt wont nobody nothing t",
    "nicht kein keine keinen keinem keiner keines nie niemals ohne",
    "niet geen nooit zonder",
)
DOUBLED = tuple(frozenset(words.split()) for words in _DOUBLED)
"""… or where both are of one of these languages. In the Romance ones, two negators deny once."""
DOUBLED_WITHIN = 5
_JOINING = (
    "and or but nor why who which that when where because since if as while so then und oder aber weil dass wenn et ou"
    " mais parce y o pero porque e ma perché mas en of maar omdat"
)
_JOINERS = frozenset(_JOINING.split())
"""A second negation before one of these says something of its own."""
PORTUGUESE = (" não ", " uma ", " você ", " em ", " são ", " é ", " ao ")
"""Words that only Portuguese has. There, `no` is "in the", not a negator."""
AFTER = {
    "en": "free",
    "de": "frei freie freier freies freien freiem",
    "nl": "vrij vrije",
    "ja": "ではない じゃない でない ではなく じゃなく ではありません じゃありません なし 無し 抜き",
}
"""What negates the hit before it: with a hyphen between ("gluten-free"), in Japanese directly."""
PARTICLES = "はをがも"
STEMS = (
    "食べ 食べられ 食べて 食べたく 飲ま 飲み 飲め 使わ 使い 使え 使って 使用し 使用して 要ら 要り いら いり あり 入れ "
    "入り 入ら 入って 含ま 含み 含んで 摂ら 摂り 好きでは 好きじゃ 必要 必要では でき し"
)
ENDINGS = "ない ません なかった なく いない いません ありません ず"
"""In Japanese also a particle, the stem of a verb and one of these: 卵は食べません; but 食べないと means "must"."""

QUICK = frozenset({"t", *" ".join(NEGATORS.values()).split()})
FILLER_WORDS = frozenset({*" ".join(FILLERS.values()).split(), *FILLER_PAIRS, *CURRENCY}) - QUICK
_PAIR_REACH = 6
_ENOUGH_REACH = 4
_DOES_NOT_DO = frozenset({"cannot", "cant"})
_ASKS = frozenset("不没沒")
_ASKED = frozenset(["i", "you", "he", "she", "it", "we", "they", "this", "that", "there"])
"""After a contraction one of these makes a question: "Can't you take X?", "Isn't this X?"."""
_CAN = frozenset("是能会會得可有")
_AFFIRMED = frozenset("不没沒無无非")


def _apart(words: str) -> str:
    """Words as alternatives of a pattern, each character as the token that it is in a normalized text."""
    return "|".join(" ".join(word) for word in sorted(words.split(), key=len, reverse=True))


HYPHENED = frozenset(f"{AFTER['en']} {AFTER['de']} {AFTER['nl']}".split())
_HYPHENED = "|".join(sorted(HYPHENED))
_VERB = rf"[{PARTICLES}] (?:(?:{_apart(STEMS)}) (?:{_apart(ENDINGS)})|な い)"
_MUST = "(?! と (?:い け|だ め|な ら)| わ け| こ と は な)"
_AFTER = re.compile(
    rf"{HYPHEN}(?:{_HYPHENED})(?=[ \n{HYPHEN}])| (?:{_apart(AFTER['ja'])}|{_VERB}{_MUST})(?=[ \n])",
)
_PERHAPS_AFTER = re.compile(rf" (?:{_HYPHENED}|{_apart(AFTER['ja'])}|{_VERB}) ")
_VERB_FOLDED = re.compile(_VERB.replace(" ", ""))
_SECOND = frozenset({"な", *(stem[0] for stem in STEMS.split())})
_CLAUSE = re.compile("[^.,:;?!\u3001\u3002]*")
_NO_WORD = re.compile(r"[\W_]+")
_LANGUAGE_MARKS = {
    language: tuple(f" {mark.replace('_', ' ').replace(chr(39), ' ')} " for mark in marks.split())
    for language, marks in LANGUAGE_MARKS.items()
}
_LONGEST_VERB = 2 + max(map(len, STEMS.split())) + max(map(len, ENDINGS.split()))
REACH = 64
"""Characters before a hit that can hold a negator and its fillers."""


def languages_of(padded: str) -> frozenset[str]:
    """The languages whose marks stand in a normalized text; `no` is Portuguese where `no` is "in the"."""
    found = {language for language, marks in _LANGUAGE_MARKS.items() if any(mark in padded for mark in marks)}
    return frozenset(found | ({"no"} if any(mark in padded for mark in PORTUGUESE) else set()))


def is_clear(padded: str, start: int, end: int) -> bool:
    """Whether no negator is near the tokens between two gaps; no may mean that a clause ends between."""
    if _PERHAPS_AFTER.match(padded, end):
        return False
    for word in padded[start - REACH if start > REACH else 0 : start].split()[: -2 * FILLERS_AT_MOST - 2 : -1]:
        if word in QUICK:
            return False
        if word not in FILLER_WORDS:
            return True
    return True


def may_be_denied_by(after: str) -> bool:
    """Whether a folded text that starts with a Japanese particle may deny what stands before it."""
    if after[1:2] not in _SECOND and after[1:2].isalnum():
        return False
    clause = _CLAUSE.match(after)[0]  # type: ignore[index]  # it matches the empty text too
    rest = clause if clause.isalnum() else _NO_WORD.sub("", clause)
    return bool(_VERB_FOLDED.match(rest)) or (len(rest) < _LONGEST_VERB <= len(after) == len(clause))


def negation(before: str, after: str, hit: str, languages: AbstractSet[str]) -> str:
    """The words of the negation that a hit stands in, or nothing.

    `before` and `after` are the neighbourhood of the hit as a gap string (`tokens.gaps_of`), the gap next to the
    hit included; `languages` are those of the whole text.
    """
    found = _AFTER.match(after)
    if found:
        return f"{hit}{found[0].replace(HYPHEN, '-').rstrip()}".replace(" ", "" if found[0][0] == " " else " ")
    earlier, _, clause = before.rpartition("\n")
    if clause == "no " and earlier.endswith(" dr"):
        return ""
    words = clause.replace(HYPHEN, " ").split()
    room = 2 * FILLERS_AT_MOST
    for at in range(len(words) - 1, -1, -1):
        word = words[at]
        if word in QUICK:
            if _negates(words, at, hit, languages) and not _is_taken_back(words, at, after):
                start = at - (word == "t")
                return " ".join((*words[start:], hit)).replace(" t ", "'t ")
            return ""
        room -= 1 if is_unspaced(word) else 2
        if room < 0 or word not in FILLER_WORDS or (word in FILLER_PAIRS and words[at - 1] != FILLER_PAIRS[word]):
            return ""
    return ""


def _negates(words: list[str], at: int, hit: str, languages: AbstractSet[str]) -> bool:
    word = words[at]
    before = words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else hit.partition(" ")[0]
    if word == "t":
        asked = after in _ASKED or (at > 1 and words[at - 2] == "why")
        return before in CONTRACTIONS and not asked
    if (before, word) in CANCELLED or (before == after and word in _ASKS):
        return False
    if word in ONLY_AFTER:
        return not ONLY_AFTER[word].isdisjoint(words[max(0, at - _PAIR_REACH) : at])
    if word in FOREIGN:
        between_numbers = before.isdecimal() or after.isdecimal()
        return not (not any(language in languages for language in FOREIGN[word]) or (word == "mai" and between_numbers))
    return not (word == "no" and (after.isdecimal() or "no" in languages))


def _is_taken_back(words: list[str], at: int, after: str) -> bool:
    """Whether another negator before it, or an "enough" after the hit, turns a negation round."""
    word = words[at]
    if word in _DOES_NOT_DO or (word == "t" and words[at - 1] in ("can", "couldn")):
        clause = after.partition("\n")[0].replace(HYPHEN, " ").split()
        if "enough" in clause[:_ENOUGH_REACH]:
            return True
    if at > 1 and word in _ASKS and words[at - 1] in _CAN and words[at - 2] in _AFFIRMED:
        return True
    families = [family for family in DOUBLED if word in family]
    for other in words[max(0, at - DOUBLED_WITHIN - (word == "t")) : at][::-1]:
        if other in _JOINERS:
            return False
        if other != word and ((word in WITHOUT and other in QUICK) or any(other in family for family in families)):
            return True  # the same word twice is a list: "no nuts no gluten"
    return False
