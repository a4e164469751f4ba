"""The number matcher: the same value, however it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from foldproof.matching.date import day_at
from foldproof.matching.finder import ValueFinder
from foldproof.matching.mapped import Span
from foldproof.matching.text import Text
from foldproof.matching.tokens import is_currency, is_unspaced, is_word, signed

DIGITS_AT_MOST = 1000
"""A longer run of digits is no number, but a key or noise."""
MULTIPLIERS = (
    "hundred thousand million billion trillion dozen lakh crore tausend million millionen milliarde milliarden mille"
    " millier milliers milliard milliards mil millón millones millardo mila milione milioni miliardo miliardi milhão"
    " milhões bilhão bilhões duizend miljoen miljard mio mrd mln mld bn mn tsd"
)
"""Words that make another number of the one before them, in any case."""
SHORT_MULTIPLIERS = "kKM"
_OTHER_VALUE = "which is another value"
_DATE = "which is a date"
_PART_OF = "which is a date, time, fraction or name"
_UNCLEAR = "which may be one number or two"

_THIN = "\u00a0\u2007\u2008\u2009\u200a\u202f'\u2019"
# Characters that are one to one with what they stand for, so that offsets stay.
_PLAIN = str.maketrans(
    {chr(0xFF10 + digit): str(digit) for digit in range(10)}
    | dict(zip("．，－％：／\u2044\u2215", ".,-%:///", strict=True))
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
_ONE = rf"[0-9](?:[0-9]|[.,](?=[0-9])|[{_THIN}](?=[0-9]{{3}}(?![0-9])))*+"
# Ordinary blanks group digits only where there is no doubt: at least two groups of three after the first.
_SPACED = r"(?<![0-9] )[1-9][0-9]{0,2}+(?: [0-9]{3}){2,}+(?:[.,][0-9]++)?(?! ?[0-9])"
_CHAIN = re.compile(rf"(?P<spaced>{_SPACED})|{_ONE}(?:[-/:]{_ONE})*+(?P<power>[eE][+-]?[0-9]++)?")
_PART = re.compile(_ONE)
_RANGE_PARTS = 2
_SHOWN = 40
_WHOLE = re.compile(r"[1-9][0-9]*|0")
_GROUP_AFTER = re.compile(r" 0[0-9]{2}(?![0-9])")
_MULTIPLIED = re.compile(
    rf"[ \u00a0\u2009\u202f]?(?:[{SHORT_MULTIPLIERS}](?![^\W_])|[万萬億亿千百만억천])|B(?![^\W_])"
    rf"|[ \u00a0\u2009\u202f-]?(?i:{'|'.join(sorted(set(MULTIPLIERS.split()), key=len, reverse=True))})s?(?![^\W_])"
    r"| ?[x*\u00d7\u00b7] ?10(?:\^|\*\*|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079\u207b])"
)
_MULTIPLIED_MONEY = re.compile(r" ?[kKmMbBtT](?![^\W_])")
_THIN_GROUPS = re.compile(rf"[0-9]{{1,3}}(?:[{_THIN}][0-9]{{3}})+(?:[.,][0-9]+)?")
_COMMA_GROUPS = re.compile(r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})(?:\.[0-9]+)?")
_POINT_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}")
_NAMED = 5
_GROUP = 3
_DAY_DIGITS = 2
_AROUND = re.compile(r"[\s%+\-]*")


class Number(NamedTuple):
    """A number in a text: its value and its place.

    A `note` says why the digits state something else there, and `shown` of what they are a part.
    """

    value: Decimal
    span: Span
    note: str = ""
    shown: Span = Span(0, 0)


def numbers_in(raw: str) -> list[Number]:
    """Every number that a text states.

    Parts of dates, times, fractions, versions and names (`v15`) are none, nor is what a word multiplies (`15 k`).
    """
    return [number for number in _readings(raw) if not number.note]


def read_number(text: str) -> Decimal | None:
    """The one number that a text is, currency and percent signs aside; nothing where it is something else."""
    numbers = numbers_in(text)
    if len(numbers) != 1:
        return None
    [(value, span, _, _)] = numbers
    rest = text[: span.start] + text[span.end :]
    return value if all(is_currency(char) or _AROUND.fullmatch(char) for char in rest) else None


class NumberFinder(ValueFinder):
    """Looks for a value, however it is written."""

    noun = "number"

    def __init__(self, wanted: str) -> None:
        super().__init__(wanted)
        self._value = read_number(wanted)

    def hits(self, text: Text) -> tuple[Span, ...]:
        """The numbers of that value."""
        return tuple(number.span for number in self._alike(text) if not number.note)

    def why_missed(self, text: Text) -> str:
        """Says what the digits are a part of, or names the numbers that the text states instead."""
        alike = next(self._alike(text), None)
        if alike is not None:
            place = _word_around(text.raw, alike.shown) if alike.note == _PART_OF else alike.shown
            return f"the number {self.wanted} stands only in '{text.raw[place.start : place.end]}', {alike.note}"
        others: dict[str, None] = {}
        for number in _readings(text.raw):
            if not number.note:
                others[str(number.value)] = None
            if len(others) > _NAMED:
                break
        if not others:
            return f"the number {self.wanted} is not in the text, which states no number"
        more = ", …" if len(others) > _NAMED else ""
        return f"the number {self.wanted} is not in the text, which states {', '.join(list(others)[:_NAMED])}{more}"

    def _alike(self, text: Text) -> Iterator[Number]:
        return (number for number in _readings(text.raw, self._value) if number.value == self._value)


def _readings(raw: str, wanted: Decimal | None = None) -> Iterator[Number]:
    """Every number in a text, those that state something else with a note; of one value where that is given."""
    text = raw if raw.isascii() else raw.translate(_PLAIN)
    for chain in _CHAIN.finditer(text):
        parts = [chain] if chain["spaced"] else list(_PART.finditer(text, *chain.span()))
        numbers = [number for part in parts if (number := _number_at(text, part)) is not None]
        if wanted is None or any(number.value == wanted for number in numbers):
            note, shown = _note(text, chain, parts)
            yield from (number._replace(note=note, shown=shown) for number in numbers)


def _note(text: str, chain: re.Match[str], parts: list[re.Match[str]]) -> tuple[str, Span]:
    """Why a chain of digits states no number of its own, and what of the text shows it."""
    start, end = chain.span()
    if chain["power"]:
        return _OTHER_VALUE, Span(start, end)
    if not (len(parts) == 1 or _is_range(text, parts)) or _is_name(text, start, end):
        return _PART_OF, Span(start, end)
    money = start > 0 and is_currency(text[start - 1])
    more = _MULTIPLIED.match(text, end) or (money and _MULTIPLIED_MONEY.match(text, end))
    if more:
        return _OTHER_VALUE, Span(start, more.end())
    day = day_at(text, start, end) if all(len(part[0]) <= _DAY_DIGITS for part in parts) else None
    if day is not None:
        return _DATE, day
    return _groups_around(text, start, end)


def _groups_around(text: str, start: int, end: int) -> tuple[str, Span]:
    """A note where blanks may group the digits: "15 000"."""
    group = _GROUP_AFTER.match(text, end) if end - start <= _GROUP else None
    if group:
        return _UNCLEAR, Span(start, group.end())
    if text[start] == "0" and end - start == _GROUP and text[start - 1 : start] == " " and text[start - 2].isdecimal():
        return _UNCLEAR, Span(start - 2, end)
    return "", Span(start, end)


def _is_range(text: str, parts: list[re.Match[str]]) -> bool:
    """Whether a minus stands between two numbers that go up; `555-15` and `01-15` are telephone numbers or dates."""
    if len(parts) != _RANGE_PARTS or text[parts[0].end()] != "-":
        return False
    low, high = (_value(part[0]) for part in parts)
    no_zeros = all(_WHOLE.fullmatch(part[0]) or not part[0].isdecimal() for part in parts)
    return no_zeros and low is not None and high is not None and low < high


def _is_name(text: str, start: int, end: int) -> bool:
    """Whether letters make the digits a part of a name: `v15`, `A15`, `4f2a`."""
    if start and is_word(text[start - 1]) and not is_unspaced(text[start - 1]):
        return True
    rest = end
    while rest < len(text) and is_word(text[rest]) and not is_unspaced(text[rest]):
        if text[rest].isdecimal():
            return True
        rest += 1
    return False


def _word_around(text: str, place: Span) -> Span:
    """The place with the letters and digits at its sides, as much as a reader needs."""
    first, last, most = place.start, min(place.end, place.start + _SHOWN), min(len(text), place.start + 2 * _SHOWN)
    while first > max(0, place.start - _SHOWN) and text[first - 1].isalnum():
        first -= 1
    while place.end <= last < most and text[last].isalnum():
        last += 1
    return Span(first, last)


def _number_at(text: str, part: re.Match[str]) -> Number | None:
    start, end = part.span()
    value = _value(part[0])
    if value is None:
        return None
    if text[start - 1 : start] == "." and (start == 1 or not (is_word(text[start - 2]) or text[start - 2] in ".,")):
        start -= 1
        value = Decimal(f"0.{part[0]}") if part[0].isdecimal() else value
    sign = start - 1 if start and is_currency(text[start - 1]) else start
    if text[sign - 1 : sign] == "-" and signed(text, sign - 1):
        return Number(value.copy_negate(), Span(sign - 1, end))
    return Number(value, Span(start, end))


def _value(text: str) -> Decimal | None:
    """The value of digits with separators; where two kinds occur, the last is the decimal one."""
    if len(text) > DIGITS_AT_MOST:
        return None
    spaced = text.replace(" ", "")
    plain = re.sub(f"[{_THIN}]", "", spaced)
    if plain != spaced and not _THIN_GROUPS.fullmatch(text):
        return None
    if _COMMA_GROUPS.fullmatch(plain):
        plain = plain.replace(",", "")
    elif _POINT_GROUPS.fullmatch(plain):
        plain = plain.replace(".", "")
    plain = plain.replace(",", ".")
    return Decimal(plain) if plain.count(".") <= 1 else None
