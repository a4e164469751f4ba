"""Times as logs write them, made comparable without losing what was written."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

_DIGITS = re.compile(r"[+-]?\d{9,20}(?:\.\d+)?")
_FRACTION = re.compile(r"(?<=:\d\d)([.,]\d+)")
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""From which size on a number counts nanoseconds, microseconds, milliseconds; below them it counts seconds."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of a log: as it was written, and as a `datetime`.

    `at` is in UTC where the log tells the zone; where it does not, `at` has no zone and `naive` is true, since a zone
    that was guessed would move the day.
    """

    written: str
    at: datetime

    @property
    def naive(self) -> bool:
        """Whether the log does not tell the zone."""
        return self.at.tzinfo is None

    @property
    def text(self) -> str:
        """ISO 8601; with `Z` where the zone is known, without any where it is not."""
        return self.at.isoformat().replace("+00:00", "Z")

    @property
    def order(self) -> datetime:
        """A value to sort by. A time without zone is taken as UTC here, and only here."""
        return self.at.replace(tzinfo=UTC) if self.naive else self.at


def moment_of(value: Any) -> Moment | None:  # noqa: ANN401  # any JSON value
    """The time that a value of a log tells: ISO text, or seconds, milli-, micro- or nanoseconds since 1970.

    None where it tells none: a missing time is no fault of a log.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _counted(value, str(value))
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _DIGITS.fullmatch(text):
        return _counted(float(text) if "." in text else int(text), text)
    return _iso(text)


def _counted(number: float, written: str) -> Moment | None:
    if isinstance(number, float) and not math.isfinite(number):
        return None
    unit = next((unit for least, unit in _UNITS if abs(number) >= least), 1.0)
    try:
        # Whole nanoseconds do not fit a float: they are cut to microseconds first.
        seconds = number // 1000 / 1e6 if unit == 1e9 else number / unit
        return Moment(written, datetime.fromtimestamp(seconds, UTC)) if seconds >= 1 else None
    except (ValueError, OverflowError, OSError):
        return None


def _iso(text: str) -> Moment | None:
    if len(text) < 10 or not text[:4].isdigit():
        return None
    # Some writers give nine digits of a second; `datetime` holds six.
    short = _FRACTION.sub(lambda found: "." + found[1][1:7], text)
    try:
        at = datetime.fromisoformat(short)
        return Moment(text, at.astimezone(UTC) if at.tzinfo else at)
    except (ValueError, OverflowError):
        return None
