"""Times of logs: every unit and form, zones kept, nothing guessed."""

from __future__ import annotations

import pytest

from foldproof.logs import moment_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1767225600, "2026-01-01T00:00:00Z"),
        (1767225600.25, "2026-01-01T00:00:00.250000Z"),
        (1767225600250, "2026-01-01T00:00:00.250000Z"),
        (1767225600250001, "2026-01-01T00:00:00.250001Z"),
        ("1767225600250001999", "2026-01-01T00:00:00.250001Z"),
        ("1767225600", "2026-01-01T00:00:00Z"),
        ("1767225600.5", "2026-01-01T00:00:00.500000Z"),
        ("2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00.123456Z"),
        (" 2026-01-01 00:00:00Z ", "2026-01-01T00:00:00Z"),
    ],
)
def test_a_zone_that_is_told_gives_utc(value, text):
    moment = moment_of(value)
    assert (moment.text, moment.naive) == (text, False)


@pytest.mark.parametrize(
    ("value", "text"),
    [("2026-01-01T00:00:00", "2026-01-01T00:00:00"), ("2026-01-01", "2026-01-01T00:00:00")],
)
def test_a_time_without_a_zone_stays_naive(value, text):
    moment = moment_of(value)
    assert (moment.text, moment.naive, moment.written) == (text, True, value)
    assert moment.order.tzinfo is not None


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "",
        "yesterday",
        "2026",
        "12345",
        0,
        -5,
        float("inf"),
        float("nan"),
        1e40,
        10**30,
        [],
        {},
        "2026-13-45",
        "0001-01-01T00:00:00+14:00",
        "9" * 25,
    ],
)
def test_what_is_no_time_is_none(value):
    assert moment_of(value) is None
