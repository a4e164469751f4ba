"""The number matcher: the same value, however it is written."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from foldproof.matching.finder import ValueFinder
from foldproof.matching.mapped import Span
from foldproof.matching.text import Text
from foldproof.matching.tokens import is_currency, is_unspaced, is_word, signed

_THIN = "\u00a0\u2007\u2009\u202f'\u2019"
# Characters that are one to one with what they stand for, so that offsets stay.
_PLAIN = str.maketrans(
    {chr(0xFF10 + digit): str(digit) for digit in range(10)}
    | dict(zip("．，－％：／", ".,-%:/", strict=True))
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
_ONE = rf"[0-9](?:[0-9]|[.,](?=[0-9])|[{_THIN}](?=[0-9]{{3}}(?![0-9])))*"
_CHAIN = re.compile(rf"{_ONE}(?:[-/:]{_ONE})*")
_PART = re.compile(_ONE)
_RANGE_PARTS = 2
_THIN_GROUPS = re.compile(rf"[0-9]{{1,3}}(?:[{_THIN}][0-9]{{3}})+(?:[.,][0-9]+)?")
_COMMA_GROUPS = re.compile(r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})(?:\.[0-9]+)?")
_POINT_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}")
_AROUND = re.compile(r"[\s%+\-]*")


class Number(NamedTuple):
    """A number in a text: its value and its place."""

    value: Decimal
    span: Span


def numbers_in(raw: str) -> list[Number]:
    """Every number that a text states. Parts of dates, times, fractions, versions and names (`v15`) are none."""
    text = raw if raw.isascii() else raw.translate(_PLAIN)
    found: list[Number] = []
    for chain in _CHAIN.finditer(text):
        parts = list(_PART.finditer(text, *chain.span()))
        is_range = len(parts) == _RANGE_PARTS and text[parts[0].end()] == "-"
        if (len(parts) == 1 or is_range) and not _is_name(text, *chain.span()):
            found += [number for part in parts if (number := _number_at(text, part)) is not None]
    return found


def read_number(text: str) -> Decimal | None:
    """The one number that a text is, currency and percent signs aside; nothing where it is something else."""
    numbers = numbers_in(text)
    if len(numbers) != 1:
        return None
    [(value, span)] = numbers
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
        return tuple(number.span for number in numbers_in(text.raw) if number.value == self._value)

    def why_missed(self, text: Text) -> str:
        """Names the numbers that the text states instead."""
        others = list(dict.fromkeys(str(number.value) for number in numbers_in(text.raw)))
        if not others:
            return f"the number {self.wanted} is not in the text, which states no number"
        more = ", …" if others[5:] else ""
        return f"the number {self.wanted} is not in the text, which states {', '.join(others[:5])}{more}"


def _is_name(text: str, start: int, end: int) -> bool:
    """Whether letters make the digits a part of a name: `v15`, `A15`, `4f2a`."""
    if start and text[start - 1].isalnum() and not is_unspaced(text[start - 1]):
        return True
    rest = end
    while rest < len(text) and is_word(text[rest]) and not is_unspaced(text[rest]):
        rest += 1
    return any(char.isdecimal() for char in text[end:rest])


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
        return Number(-value, Span(sign - 1, end))
    return Number(value, Span(start, end))


def _value(text: str) -> Decimal | None:
    """The value of digits with separators; where two kinds occur, the last is the decimal one."""
    plain = re.sub(f"[{_THIN}]", "", text)
    if plain != text and not _THIN_GROUPS.fullmatch(text):
        return None
    if _COMMA_GROUPS.fullmatch(plain):
        plain = plain.replace(",", "")
    elif _POINT_GROUPS.fullmatch(plain):
        plain = plain.replace(".", "")
    plain = plain.replace(",", ".")
    return Decimal(plain) if plain.count(".") <= 1 else None
