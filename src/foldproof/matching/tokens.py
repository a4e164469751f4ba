"""Words, numbers and signs: what a folded text is cut into (the rules of `normalized/1`).

A text is first *separated* (every token between blanks), then its blanks are closed up. Most of a text is plain
and goes through one table; only the places where a point, a minus or a sign may belong to a token are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from unicodedata import category

from foldproof.matching.fold import APOSTROPHES, fold_mapped
from foldproof.matching.mapped import Edit, Span

CURRENCY = "$\u00a2-\u00a5\u058f\u060b\u07fe\u07ff\u09f2\u09f3\u09fb\u0af1\u0bf9\u0e3f\u17db\u20a0-\u20c0\ua838\ufdfc"
UNSPACED = (  # Thai, Lao, Myanmar, Khmer; kana, Bopomofo, Han, Hangul syllables
    "\u0e01-\u0e7f\u0e81-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003fffd"
)
"""Scripts without blanks between words, in which a character is a token of its own."""
LONG_DASHES = "\u2014\u2015"
CLAUSE_ENDS = ".,:;?!|\n\r\u2028\u2029\u3001\u3002\u060c\u061b\u061f\u0964" + LONG_DASHES
HYPHEN = "\x1f"
"""Stands in a gap string where the original has a hyphen between two words."""

_ZEROS = (  # spelt out: a set without `\d` is searched several times as fast
    "0\u0660\u06f0\u07c0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0de6\u0e50\u0ed0\u0f20\u1040\u1090"
    "\u17e0\u1810\u1946\u19d0\u1a80\u1a90\u1b50\u1bb0\u1c40\u1c50\ua620\ua8d0\ua900\ua9d0\ua9f0\uaa50\uabf0"
)
_DIGITS = "".join(f"{zero}-{chr(ord(zero) + 9)}" for zero in _ZEROS)
_ASCII_WORD = re.compile("[A-Za-z0-9]+")
_OWN = re.compile(f"[{UNSPACED}]")
_MARK = "\0"  # written before a mark, so that one look tells whether there are any
_APART = re.compile(r" ([^\w\s]+)")
_APOSTROPHE = re.compile(f"[{APOSTROPHES}]")
_SIGN = re.compile(f"[{CURRENCY}]")
HAN_NUMERALS = "零〇一二三四五六七八九十百千万萬億亿两兩"
# A number may go on after a point, comma, slash, colon or minus; an apostrophe only parts groups of three.
_GROUPS = r"(?:'\d{3}(?!\d))"
_MORE = rf"(?:[.,/:\-](?:\d{{1,3}}+{_GROUPS}++|\d++)|\+\d++/\d++)"
# The first character says which of the alternatives is meant; a set in front keeps the search fast.
_SPECIAL = re.compile(
    rf"[{_DIGITS}.\-{LONG_DASHES}+#%°{CURRENCY}{HAN_NUMERALS}](?:"
    rf"(?<=\d)(?<!\d\d)(?:(?:\d?\d?+{_GROUPS}++){_MORE}*+|\d*+{_MORE}++)|(?<=\.)(?:\d{{1,3}}+{_GROUPS}++|\d++){_MORE}*+"
    rf"|(?<=[\-{LONG_DASHES}])[{CURRENCY}]?\.?(?:\d{{1,3}}+{_GROUPS}++|\d++){_MORE}*+"
    rf"|(?<=[+#])[+#]*+|(?<=[%°{CURRENCY}])|(?<=[{HAN_NUMERALS}])[{HAN_NUMERALS}]++)"
)
_JOINT = re.compile("([/:+])")
_SERIES = 3
"""From so many numbers on, those that a minus joins are one token: a date, a telephone number."""
# A line goes on in the next one, unless that is blank or starts with a bullet, a number, a heading, a bar or a quote.
_SOFT_BREAK = re.compile(
    r"(?:\r\n|[\n\r\u2028\x0b\x0c\x85])(?![^\S\n\r]*+(?:$|[\n\r\u2028\u2029\x0b\x0c\x85|>\"~=]"
    r"|[-*+\u2022\u2023\u25e6\u2043\u2014\u00b7](?:\s|$)|\#{1,6}\s|```|---|[a-z0-9]{1,3}[.)]\s))"
)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?")
_GAP_CHARS = f" \n{HYPHEN}"
_WIDE_GAP = re.compile(f"[{_GAP_CHARS}]{{2,}}")
_SHAPE = str.maketrans(
    {chr(code): "a" if chr(code).isalpha() else "0" if chr(code).isdigit() else " " for code in range(128)}
    | {".": ".", ",": ".", "'": ".", "/": ".", ":": ".", "-": "-", "+": "+", "#": "+", "%": "%", "$": "%"}
)


class _Table(dict[int, str]):
    """What `str.translate` writes for a character; learned on first sight."""

    def __missing__(self, code: int) -> str:
        written = self[code] = self.write(chr(code))
        return written

    def write(self, char: str) -> str:
        """The character itself where it is part of a word, with blanks where it is a word, else a blank."""
        if category(char)[0] not in "LMN" or _APOSTROPHE.match(char):
            return " "
        if category(char)[0] == "M":
            return _MARK + char
        return f" {char} " if char == "〇" or (category(char)[0] == "L" and _OWN.match(char)) else char


class _GapTable(_Table):
    """The same table, which keeps the ends of clauses and the hyphens."""

    def write(self, char: str) -> str:
        return "\n" if char in CLAUSE_ENDS else HYPHEN if char == "-" else super().write(char)


_WORDS = _Table()
_GAPS = _GapTable()


def close_up(folded: str) -> str:
    """The tokens of a folded text with one blank before, between and after them."""
    return f" {' '.join(_separate(folded, _WORDS).split())} "


def gaps_of(folded: str) -> str:
    """What `close_up` gives, character for character, but for the gaps.

    A gap that ends a clause is a line feed, a hyphen between two words is `HYPHEN`.
    """
    text = _WIDE_GAP.sub(_narrow, _separate(_SOFT_BREAK.sub(_blanks, folded), _GAPS))
    return f" {text.strip(_GAP_CHARS)} "


def trace(raw: str) -> list[Span]:
    """Where each token of `close_up` stands in the original, in order."""
    if raw.isascii() and not _specials(raw.lower()):  # most answers: what stands is what is matched
        return [Span(*found.span()) for found in _ASCII_WORD.finditer(raw)]
    folded = fold_mapped(raw)
    mapped = folded.splice(_all_edits(folded.text))
    mapped = mapped.splice(_mark_edits(mapped.text))
    return [mapped.span(*found.span()) for found in re.finditer("[^ ]+", mapped.text)]


def is_word(char: str) -> bool:
    """Whether a folded character is a letter, a mark or a digit."""
    return _WORDS[ord(char)] != " "


def is_unspaced(char: str) -> bool:
    """Whether a character belongs to a script without blanks between words."""
    return bool(_OWN.match(char))


def has_unspaced(text: str) -> bool:
    """Whether a text has a character of such a script."""
    return bool(_OWN.search(text))


def is_currency(char: str) -> bool:
    """Whether a character is a currency sign."""
    return bool(_SIGN.match(char))


def signed(text: str, at: int) -> bool:
    """Whether a minus at this place may belong to the number after it: nothing that ends a value is before it."""
    if at == 0:
        return True
    before = text[at - 1]
    if is_currency(before):
        return not (at > 1 and text[at - 2].isdecimal())
    return not is_word(before) and before not in "%°)]"


def _separate(folded: str, table: _Table) -> str:
    edits = _specials(folded)
    if edits:
        parts: list[str] = []
        at = 0
        for start, end, new in edits:
            parts += (folded[at:start].translate(table), new)
            at = end
        text = "".join((*parts, folded[at:].translate(table)))
    else:
        text = folded.translate(table)
    return _APART.sub(_rejoin, text.replace(_MARK, "")) if _MARK in text else text


def _all_edits(folded: str) -> Iterator[Edit]:
    """What `_separate` does, each change by itself."""
    at = 0
    for start, end, new in (*_specials(folded), (len(folded), len(folded), "")):
        for place in range(at, start):
            written = _WORDS[ord(folded[place])].replace(_MARK, "")
            if written != folded[place]:
                yield place, place + 1, written
        if start < end:
            yield start, end, new
        at = end


def _mark_edits(text: str) -> Iterator[Edit]:
    """Bring the marks that follow a character of its own back to it."""
    if not text.isascii():
        for found in _APART.finditer(text):
            if _rejoin(found) != found[0]:
                yield found.start(), found.start() + 1, ""
                yield found.end() - 1, found.end(), f"{found[1][-1]} "


def _rejoin(found: re.Match[str]) -> str:
    """Marks that follow a character of its own, without the blank that its table entry put between."""
    at = found.start()
    return f"{found[1]} " if at and is_unspaced(found.string[at - 1]) else found[0]


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _narrow(found: re.Match[str]) -> str:
    """One gap: a clause ends at a line feed, a dash between blanks or two dashes."""
    gap = found[0]
    dashes = gap.strip(" ")
    between = gap[0] == gap[-1] == " " and HYPHEN in dashes
    return "\n" if "\n" in gap or between or len(dashes) > 1 else " "


def _specials(folded: str) -> list[Edit]:
    """The places where a point, a comma, a minus or a sign may be part of a token."""
    if folded.isascii():
        shape = folded.translate(_SHAPE)
        if not (".0" in shape or "-0" in shape or "a+" in shape or "%" in shape):
            return []
    edits: list[Edit] = []
    for found in _SPECIAL.finditer(folded):
        edits += _settle(folded, *found.span())
    return edits


def _settle(folded: str, start: int, end: int) -> Iterable[Edit]:
    first, before = folded[start], folded[start - 1 : start]
    if first.isdecimal():
        return _numbers(folded, start, end)
    if first in "+#":
        return [(start, end, _plus(folded, start, end))]
    if first == ".":
        if before and (is_word(before) or before in ".,"):
            return [(start, start + 1, " "), *_numbers(folded, start + 1, end)]
        return [(start, start, " 0"), *_numbers(folded, start, end)]
    if first == "-" or first in LONG_DASHES:
        return _minus(folded, start, end)
    return [(start, end, f" {folded[start:end]} ")]


def _minus(folded: str, start: int, end: int) -> Iterable[Edit]:
    """`-15`, `-$15`, or a dash with a number after it."""
    number = start + 1 + is_currency(folded[start + 1])
    sign = folded[start + 1 : number]
    zero = "0" if folded[number] == "." else ""
    if signed(folded, start):
        first, *more = _numbers(folded, number, end)
        return [(start, first[1], f" {sign} -{zero}{first[2]}" if sign else f" -{zero}{first[2]}"), *more]
    edits = [(start, start + 1, " "), (start + 1, number, f" {sign} ")]
    first, *more = _numbers(folded, number, end)
    return [*edits[: 1 + bool(sign)], (first[0], first[1], zero + first[2]), *more]


def _plus(folded: str, start: int, end: int) -> str:
    """`c++` and `c#` keep their signs; before a letter or digit only a doubled plus stays (`c++11`)."""
    before, after, run = folded[start - 1 : start], folded[end : end + 1], folded[start:end]
    on_letter = before and is_word(before) and not before.isdecimal() and not is_unspaced(before)
    stays = on_letter and (run == "++" or not (after and is_word(after)))
    return f"{run} " if stays else " "


def _numbers(folded: str, start: int, end: int) -> list[Edit]:
    """One number, a series that a minus joins to one token (`2026-01-15`), or the two ends of a range (`10-15`)."""
    parts = folded[start:end].split("-")
    if len(parts) == 1 or len(parts) >= _SERIES:
        return [(start, end, "-".join(map(_number, parts)))]
    minus = start + len(parts[0])
    return [(start, minus, _number(parts[0])), (minus, minus + 1, " "), (minus + 1, end, _number(parts[1]))]


def _number(text: str) -> str:
    """A number without the marks that group its digits."""
    if not text.isdecimal() and _JOINT.search(text):
        return "".join(map(_ungrouped, _JOINT.split(text)))
    return _ungrouped(text)


def _ungrouped(text: str) -> str:
    plain = text.replace("'", "")
    return plain.replace(",", "") if _GROUPED.fullmatch(plain) else plain
