"""The date matcher: the same day, in the forms that state it without doubt."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from foldproof.matching.finder import ValueFinder
from foldproof.matching.fold import fold_mapped
from foldproof.matching.mapped import Span
from foldproof.matching.text import Text

MONTHS = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
SHORT_MONTHS = (
    "jan janv ene gen|feb févr fév fev febr|mar mär mrt|apr avr abr|may mai mei mag|jun giu|jul juil lug|aug ago"
    "|sep sept set|oct okt ott out|nov|dec dez déc dic"
)
_ISO = re.compile(r"(?<![\d./-])(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?!\d|[-/.]\d)")
_CJK = re.compile(r"(?<!\d)(?P<y>\d{4}) ?[年년] ?(?P<m>\d{1,2}) ?[月월] ?(?P<d>\d{1,2}) ?[日号號일]")
_SHORT_YEAR = re.compile(
    r"(?<![\d./-])(?P<a>\d{1,2})(?P<s>[-/.])(?P<b>\d{1,2})(?P=s)(?P<y>\d{2})(?!\d|[-/.]\d)",
)
_NUMERIC = re.compile(r"(?<![\d./-])(?P<a>\d{1,2})(?P<s>[-/.])(?P<b>\d{1,2})(?P=s)(?P<y>\d{4})(?!\d|[-/.]\d)")


_WORDS = frozenset({"out", "set", "ago", "mag", "gen"})
_WORDS_IN_SMALL = frozenset({"may", "march", "mar"})
_MONTH_SIGNS = frozenset("月월")
_DAY_SIGNS = frozenset("日号號일")
_LAST_DAY = 31
_MONTH_REACH = 20
_MONTH_BEFORE = re.compile(
    rf"(?<![^\W_])(?P<m>{MONTHS['en'].replace(' ', '|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
    r"\.? +(?:the +)?\Z",
    re.IGNORECASE,
)


class DateSeen(NamedTuple):
    """A date in a folded text. `year` is 0 where none is stated; `ambiguous` where day and month may be swapped."""

    year: int
    month: int
    day: int
    start: int
    end: int
    ambiguous: bool = False

    def may_be(self, date: dt.date) -> bool:
        """Whether day and month agree, in one order or, where that is open, in the other."""
        wanted = (date.month, date.day)
        return wanted == (self.month, self.day) or (self.ambiguous and wanted == (self.day, self.month))


def read_date(text: str) -> dt.date | None:
    """The day of an ISO date `YYYY-MM-DD`; nothing where it is not one, or does not exist."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text.strip()):
        return None
    try:
        return dt.date.fromisoformat(text.strip())
    except ValueError:
        return None


def dates_in(folded: str) -> Iterator[DateSeen]:
    """Every date in a folded text, form by form."""
    for pattern in (_ISO, _CJK):
        for found in pattern.finditer(folded):
            yield DateSeen(int(found["y"]), int(found["m"]), int(found["d"]), *found.span())
    for found in _NUMERIC.finditer(folded):
        first, second, year = int(found["a"]), int(found["b"]), int(found["y"])
        day, month = (second, first) if second > 12 else (first, second)
        yield DateSeen(year, month, day, *found.span(), ambiguous=first != second and max(first, second) <= 12)
    for found in _SHORT_YEAR.finditer(folded):
        yield DateSeen(2000 + int(found["y"]), int(found["b"]), int(found["a"]), *found.span(), ambiguous=True)
    months, *patterns = _named()
    for pattern in patterns:
        for found in pattern.finditer(folded):
            yield DateSeen(int(found["y"] or 0), months[found["m"]], int(found["d"]), *found.span())


def day_at(text: str, start: int, end: int) -> Span | None:
    """The date of which the digits from `start` to `end` are the day or, before 月, the month; nothing elsewhere.

    The text is as it was written, since `May` is a month where `may` is not.
    """
    after = _day_first().match(text, end)
    link = after["link"].strip() if after else ""
    if after and _is_month(after["m"], link or after["y"]):
        english = after["m"].lower() in MONTHS["en"].split() and after["m"].lower() not in MONTHS["de"].split()
        if not (link == "." and english):
            return Span(start, after.end("m"))
    sign = text[end : end + 1]
    if sign in _MONTH_SIGNS or (sign in _DAY_SIGNS and text[max(0, start - 2) : start].rstrip()[-1:] in _MONTH_SIGNS):
        return Span(start, end + 1)
    before = _MONTH_BEFORE.search(text, max(0, start - _MONTH_REACH), start)
    digits = re.match(r"\d+", text[start : min(end, start + 3)])
    if before and digits and int(digits[0]) <= _LAST_DAY and _is_month(before["m"], ""):
        return Span(before.start(), end)
    return None


def _is_month(name: str, sure: str | None) -> bool:
    """Whether a name that may be a common word stands as a month: with a year or a link, or `May` with a capital."""
    lower = name.lower()
    return bool(sure) or not (lower in _WORDS or (lower in _WORDS_IN_SMALL and name[0].islower()))


class DateFinder(ValueFinder):
    """Looks for a day, however it is written."""

    noun = "date"

    def __init__(self, wanted: str) -> None:
        super().__init__(wanted)
        self._date = dt.date.fromisoformat(self.wanted)

    def hits(self, text: Text) -> tuple[Span, ...]:
        """The dates of that day; one that could be another day is none."""
        date = self._date
        seen = [
            seen
            for seen in dates_in(text.folded)
            if (seen.year, seen.month, seen.day) == (date.year, date.month, date.day) and not seen.ambiguous
        ]
        if not seen:
            return ()
        mapped = fold_mapped(text.raw)
        return tuple(sorted(mapped.span(hit.start, hit.end) for hit in seen))

    def why_missed(self, text: Text) -> str:
        """Names a date that may be meant and could be another day."""
        seen = next(self._unclear(text), None)
        if seen is None:
            return f"the date {self.wanted} is not in the text"
        words = text.folded[seen.start : seen.end]
        if seen.year:
            order = "day and month may stand in either order" if words[-4:].isdecimal() else "its year has two digits"
            return f"'{words}' is ambiguous: {order}"
        return f"'{words}' has no year, so it may be another day than {self.wanted}"

    def unsure(self, text: Text) -> bool:
        """Whether a date in the text may be that day and may be another."""
        return any(True for _ in self._unclear(text))

    def _unclear(self, text: Text) -> Iterator[DateSeen]:
        for seen in dates_in(text.folded):
            open_year = not seen.year
            if seen.may_be(self._date) and (open_year or (seen.ambiguous and seen.year == self._date.year)):
                yield seen


@cache
def _named() -> tuple[dict[str, int], re.Pattern[str], re.Pattern[str]]:
    """Month names to numbers, and the patterns `March 4, 2026` and `4 March 2026`, the year left open."""
    months = {name: number for names in MONTHS.values() for number, name in enumerate(names.split(), 1)}
    months |= {name: number for number, names in enumerate(SHORT_MONTHS.split("|"), 1) for name in names.split()}
    names = "|".join(sorted(months, key=len, reverse=True))
    ordinal = r"(?:st|nd|rd|th|\.|er|[ºª°])?"
    year = r"(?:(?:-|,? *(?:(?:de|del|of) +)?)(?P<y>\d{4})(?!\d|[.,]\d))?"
    ends = r"(?![\d:]|[.,]\d(?!\d{3}(?!\d)))(?![^\W\d_])"
    month_first = rf"(?<![^\W_])(?P<m>{names})\.? +(?:the +)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?{ends}{year}"
    day_first = (
        rf"(?<![^\W_])(?<![.,:/-])(?P<d>\d{{1,2}})(?:-|{ordinal} *(?:(?:of|de) +|d')?)(?P<m>{names})"
        rf"(?![^\W\d_])\.?{year}"
    )
    return months, re.compile(month_first), re.compile(day_first)


@cache
def _day_first() -> re.Pattern[str]:
    """What follows a day in a text as it was written: ` March`, `th of May 2026`, `. März`."""
    names = "|".join(sorted(_named()[0], key=len, reverse=True))
    link = r"(?:st|nd|rd|th|er|[.\u00ba\u00aa\u00b0])? *(?:(?:of|de) +|d')?|-"
    year = r"(?:(?:-|,? *(?:(?:de|del|of) +)?)(?P<y>\d{4})(?!\d))?"
    return re.compile(rf"(?P<link>{link})(?P<m>{names})(?![^\W\d_])\.?{year}", re.IGNORECASE)
