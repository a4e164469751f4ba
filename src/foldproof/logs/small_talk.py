"""Which messages of a user ask something, by rules: greetings, thanks, go-aheads, commands and statements do not.

The rules are small on purpose, and know English, German, French and Spanish. A message is dropped as small talk only
where it holds nothing else: `hi` is dropped, `hi, which port is it?` is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Literal

Dropped = Literal["empty", "greeting", "thanks", "go-ahead", "command", "program text", "statement"]
"""Why a message is no question."""
DROPPED: tuple[Dropped, ...] = ("empty", "greeting", "thanks", "go-ahead", "command", "program text", "statement")

_GREETINGS = """
    hi; hello; hey; hi there; hello there; hey there; good morning; good afternoon; good evening; good night; bye;
    goodbye; see you; see you later; how are you; how are you doing; how is it going; what's up; happy new year;
    hallo; guten morgen; guten tag; guten abend; gute nacht; moin; servus; grüß gott; tschüss; bis später; bis bald;
    wie geht's; wie geht es dir; wie geht es ihnen; bonjour; bonsoir; salut; coucou; au revoir; à bientôt; bonne
    journée; ça va; comment ça va; comment vas-tu; hola; buenos días; buenas tardes; buenas noches; adiós; hasta
    luego; qué tal; cómo estás; cómo está
"""
_THANKS = """
    thanks; thank you; thanks a lot; thank you very much; thank you so much; many thanks; thx; ty; cheers; great;
    perfect; awesome; cool; nice; lovely; brilliant; excellent; that helps; that's all; you're the best; well done;
    good job; danke; danke schön; dankeschön; vielen dank; danke dir; danke sehr; super; prima; perfekt; toll; das
    war's; merci; merci beaucoup; parfait; génial; c'est tout; gracias; muchas gracias; mil gracias; perfecto;
    genial; estupendo
"""
_GO_AHEAD = """
    yes; yes please; no; nope; yep; yeah; sure; ok; okay; k; alright; right; correct; exactly; fine; got it;
    understood; continue; go on; go ahead; next; more; again; try again; retry; stop; wait; done; please; please
    continue; do it; sounds good; ja; ja bitte; nein; klar; genau; richtig; gut; weiter; mach weiter; bitte;
    nochmal; verstanden; einverstanden; fertig; oui; non; d'accord; continue; vas-y; encore; compris; sí; si; vale;
    claro; continúa; sigue; adelante; otra vez; entendido
"""
_FILLERS = frozenset(
    {"so", "much", "everyone", "all", "again", "team", "dear", "there", "then", "and", "und", "et", "y"}
)
_ASKING = """
    what what's which who who's whose whom when where why how is are am was were do does did can could will would
    should shall may have has had tell give show list remind name explain find look check remember recall summarize
    summarise compare calculate write draft plan book order send please describe suggest recommend help was wer wem
    wen wessen wann wo wohin woher warum wieso weshalb wie welche welcher welches welchen welchem ist sind war hat
    habe haben hast kann kannst können könntest könnten soll sollen darf sag sage zeig zeige nenn nenne gib erkläre
    erklär erinnere erinner liste such suche schreib schreibe que quel quelle quels quelles qui quand où pourquoi
    comment combien est-ce peux-tu pouvez-vous dis donne montre rappelle explique liste qué cuál cuáles quién
    quiénes cuándo dónde por cómo cuánto cuánta cuántos puedes puede dime dame muestra recuérdame explica
"""
_COMMAND = re.compile(r"[/!][A-Za-z][\w:-]*(?:\s|$)")
_PROGRAM = re.compile(r"<[A-Za-z][\w-]*[ >]|\{\"|\[\{")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_SENTENCE = re.compile(r"[.!,;:\n]+\s*")
_LONGEST, _KEPT = 60, 10_000


@cache
def _phrases() -> dict[tuple[str, ...], Dropped]:
    """Every phrase of small talk by its words."""
    lists: tuple[tuple[str, Dropped], ...] = (
        (_GO_AHEAD, "go-ahead"), (_THANKS, "thanks"), (_GREETINGS, "greeting"),
    )  # fmt: skip
    return {tuple(_words(phrase)): why for text, why in lists for phrase in text.split(";")}


@cache
def _asking() -> frozenset[str]:
    return frozenset(_ASKING.split())


def why_dropped(text: str) -> Dropped | None:
    """Why a message is no question, None for one that asks something.

    What asks has a question mark, or begins with a word that asks or requests.
    """
    begins = _BEGINNINGS[text.partition(" ")[0]]
    if begins == "asks":
        return None
    if begins == "plain":
        return _unless_asking(text)
    text = text.strip()
    return _short(text) if len(text) <= _LONGEST else _program(text) or _unless_asking(text)


def whys_dropped(texts: Sequence[str]) -> list[Dropped | None]:
    """`why_dropped` of each; quicker than one by one, since of most the first word tells it."""
    begins = _BEGINNINGS
    return [None if begins[text.partition(" ")[0]] == "asks" else why_dropped(text) for text in texts]


@lru_cache(4096)  # a log holds the same thanks many times
def _short(text: str) -> Dropped | None:
    return (_program(text) or _small_talk(text) or _unless_asking(text)) if text else "empty"


def _program(text: str) -> Dropped | None:
    """What is meant for a program, or comes from one."""
    if _COMMAND.match(text):
        return "command"
    return "program text" if _PROGRAM.match(text) else None


def _unless_asking(text: str) -> Dropped | None:
    asks = "?" in text or "？" in text or "؟" in text or _begins_asking(text)
    return None if asks else "statement"


@cache
def _starts() -> frozenset[str]:
    return frozenset({words[0] for words in _phrases()} | set(_FILLERS))


class _Beginnings(dict[str, Literal["asks", "plain", "else"]]):
    """Whether a message that begins so, marks included, asks, or can at least be neither small talk nor a command.

    Each is worked out once; now and then all are let go, so that a log of made-up words does not take the memory.
    """

    def __missing__(self, first: str) -> Literal["asks", "plain", "else"]:
        words = _words(first)
        begins: Literal["asks", "plain", "else"] = "plain"
        if not words or not first[:1].isalnum() or words[0] in _starts():
            begins = "else"
        elif _plain(first) in _asking():
            begins = "asks"
        if len(self) >= _KEPT:
            self.clear()
        if len(first) <= _LONGEST:
            self[first] = begins
        return begins


_BEGINNINGS = _Beginnings()


def _plain(word: str) -> str:
    return word.lower().replace("’", "'")


def _words(text: str) -> list[str]:
    return _WORD.findall(_plain(text))


def _small_talk(text: str) -> Dropped | None:
    """The kind of the first phrase, where the message is made of phrases and names of nobody in particular only."""
    words = _words(text)
    if not words:
        return "empty"
    phrases, first, at = _phrases(), None, 0
    while at < len(words):
        for length in range(min(5, len(words) - at), 0, -1):
            if why := phrases.get(tuple(words[at : at + length])):
                first, at = first or why, at + length
                break
        else:
            if words[at] not in _FILLERS:
                return None
            at += 1
    return first


def _begins_asking(text: str) -> bool:
    """Whether any of its sentences begins so; a greeting before the request plays no part."""
    asking = _asking()
    for sentence in _SENTENCE.split(text[:400]):
        first = sentence.split(None, 1)[:1]
        if first and _plain(first[0]) in asking:
            return True
    return False
