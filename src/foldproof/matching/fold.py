"""Unicode folding: one spelling for what a reader takes for the same letter, quote, dash or blank."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from unicodedata import category, combining, is_normalized, normalize

from foldproof.matching.mapped import Edit, Mapped

VANISHING = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\u20e3\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\U000e0100-\U000e01ef"
)
"""Format characters, variation selectors and the keycap: nothing that a reader sees."""
SPACING = (
    "\u00a8\u00af\u00b4\u00b8\u02d8-\u02dd\u037a\u0384\u0385\u1fbd\u1fbf-\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf\u1fed\u1fee"
    "\u1ffd\u1ffe\u2017\u203e\u309b\u309c\ufc5e-\ufc63\ufe49-\ufe4c\ufe70\ufe72\ufe74\ufe76\ufe78\ufe7a\ufe7c\ufe7e\uffe3"
)
"""Accents that stand alone: NFKC would make them a blank and a mark that sticks to the next letter."""
SMALL_DIGITS = (
    "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070\u2074-\u2079\u2080-\u2089\u2150-\u215f\u2189\u2460-\u2473\u2488-\u249b"
    "\u24ea\u3251-\u325f\u32b1-\u32cb\u3358-\u3370\u3378\u3379\u339f-\u33a6\u33a8\u33af\u33e0-\u33fe\U0001f100-\U0001f10a"
)
"""Superscripts, subscripts, fractions and the like, which NFKC turns into common digits."""
THIN = "\u00a0\u2007\u2008\u2009\u200a\u202f"
"""Blanks that do not break a line, and thin ones: between groups of three digits they are part of the number."""
FRACTIONS = "\u00bc-\u00be\u2150-\u215f\u2189"
APOSTROPHES = "\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u0374"
"""Letters to Unicode, apostrophes and primes to everyone who types them."""

_MARKS_AND_SIGNS = "\u2116\u2120\u2122"  # №, ℠ and ™ would become letters that stick to their neighbour
_QUOTES = "\u2018-\u201f\u2032-\u2037\u2039\u203a"
_DASHES = "\u2010-\u2013\u2212\u207b\u208b\ufe32\ufe58"
_BASIC = re.compile("[\U00010000-\U0010ffff]-?")
_VANISHING = re.compile(f"[{VANISHING}]+")
_BLANK = re.compile(f"[{SPACING}{APOSTROPHES}{_MARKS_AND_SIGNS}]")
FRACTION_SLASH = "\u2044"
_SLASHES = "\u2044\u2215"
_THIN_GROUP = re.compile(rf"(?<=\d)[{THIN}](?=\d{{3}}(?!\d))")
_DASH = re.compile(f"[{_DASHES}]")
_SMALL = re.compile(f"[{SMALL_DIGITS}]")
_FRACTION = re.compile(f"[{FRACTIONS}]")
_ODD = re.compile(f"[{SPACING}{APOSTROPHES}{_MARKS_AND_SIGNS}{_QUOTES}{_DASHES}{SMALL_DIGITS}{_SLASHES}\u0149]")
# What most texts that are not plain ASCII have, replaced before the slower looks.
_COMMON = tuple(zip("\u2019\u2018\u201c\u201d\u2013\u00a0，：；！？（）", "''\"\"- ,:;!?()", strict=True))
# One quick look for all of them; beyond the basic plane it only says "perhaps".
_RARE = re.compile(
    f"[{_BASIC.sub('', VANISHING + SMALL_DIGITS)}{SPACING}{APOSTROPHES}{_MARKS_AND_SIGNS}{_QUOTES}{_DASHES}"
    f"{_SLASHES}{THIN}\u0149\U00010000-\U0010ffff]"
)
_LONG = 2000
_MARKS_AT_MOST = 30
_NO_MARK = "\u034f"
_PERHAPS_A_HEAP = re.compile("[\u0300-\U0010ffff]{31}")
# A character that may join the one before it when both are normalized.
_JOINS = re.compile("[\u0e33\u0eb3\u1160-\u11ff\u3131-\u318e\ud7b0-\ud7ff\uff9e-\uffdc]")


def fold(raw: str) -> str:
    """Lower case without regard to script, in NFKC, with plain quotes and dashes and no invisible characters."""
    if raw.isascii():
        return raw.lower()
    text = normalize("NFC", tame(raw))
    if "\u00a0" in text:
        text = _THIN_GROUP.sub("'", text)
    for char, plain in _COMMON:
        text = text.replace(char, plain)
    if _RARE.search(text):
        text = _ODD.sub(_plain, _VANISHING.sub("", _THIN_GROUP.sub("'", text)))
    return _fold_case(text)


def tame(raw: str) -> str:
    """The text with no more than 30 marks on one character; as many characters stand in for the others.

    No language has so many (Unicode, UAX #15, stream-safe text), and to compose a heap of them takes for ever.
    """
    if len(raw) < _LONG or not _PERHAPS_A_HEAP.search(raw):
        return raw
    chars = list(raw)
    heap = 0
    for at, char in enumerate(chars):
        heap = heap + 1 if combining(char) else 0
        if heap > _MARKS_AT_MOST:
            chars[at] = _NO_MARK
    return "".join(chars)


def fold_mapped(raw: str) -> Mapped:
    """What `fold` gives, with the way back to the original."""
    if raw.isascii():
        return Mapped.of(raw)._replace(text=raw.lower())
    mapped = compose_mapped(raw)
    mapped = mapped.splice((*found.span(), "'") for found in _THIN_GROUP.finditer(mapped.text))
    mapped = mapped.splice((*found.span(), "") for found in _VANISHING.finditer(mapped.text))
    mapped = mapped.splice((*found.span(), _plain(found)) for found in _ODD.finditer(mapped.text))
    return mapped.splice(_clusters(mapped.text, _fold_case))


def compose_mapped(raw: str) -> Mapped:
    """The NFC form of a text, with the way back to the original."""
    raw = tame(raw)
    mapped = Mapped.of(raw)
    return mapped if is_normalized("NFC", raw) else mapped.splice(_clusters(raw, _compose))


def _compose(text: str) -> str:
    return normalize("NFC", text)


def _fold_case(text: str) -> str:
    return normalize("NFKC", normalize("NFKC", text).casefold())


def _plain(found: re.Match[str]) -> str:
    """The plain character for an odd one; a small digit keeps a blank between itself and its neighbours.

    `H₂O` stays one word, `10²` does not become `102`.
    """
    char = found[0]
    if _DASH.match(char):
        return "-"
    if char == "\u0149":
        return "'n"
    if char in _SLASHES:
        return "/"
    if not _SMALL.match(char):
        return " " if _BLANK.match(char) else "'"
    text, start, end = found.string, found.start(), found.end()
    if _FRACTION.match(char):
        return _fraction(char, text[start - 1 : start], text[end : end + 1])
    before = "" if start and _glues(text[start - 1]) else " "
    return before + char + ("" if end < len(text) and _glues(text[end]) else " ")


def _fraction(char: str, before: str, after: str) -> str:
    """`½` as `1/2`, and after a digit as `+1/2`: `5½` is neither 5 nor 51/2."""
    sign = "+" if before.isdecimal() else " " if before and (_glues(before) or before in "/.,:") else ""
    blank = " " if after and (_glues(after) or after.isdecimal() or after in _SLASHES) else ""
    return f"{sign}{normalize('NFKC', char).replace(FRACTION_SLASH, '/')}{blank}"


def _glues(char: str) -> bool:
    return category(char)[0] in "LM" or bool(_SMALL.match(char))


def _clusters(text: str, change: Callable[[str], str]) -> Iterator[Edit]:
    """Edits that change a text piece by piece, where no piece can join the one before it."""
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and (category(text[end])[0] == "M" or _JOINS.match(text[end])):
            continue
        piece = text[start:end]
        new = change(piece)
        if new != piece:
            yield start, end, new
        start = end
