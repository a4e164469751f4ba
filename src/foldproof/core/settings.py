"""How the settings of a memory or a compactor are read: each with its default and what it takes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foldproof.core.errors import UsageError, nearest_of


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its default, what it takes in words, and whether a value is that.

    None as the default means that there is none: whoever it is for does without, or says what it needs.
    """

    default: Any
    takes: str
    holds: Callable[[Any], bool]


def whole(default: int | None, least: int = 1) -> Setting:
    """A whole number from `least`."""
    return Setting(
        default,
        f"a whole number from {least}",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least,
    )


def number(default: float | None, least: float = 0.0) -> Setting:
    """A number from `least`, whole or not."""

    def holds(value: Any) -> bool:  # noqa: ANN401  # any JSON value
        counts = isinstance(value, (int, float)) and not isinstance(value, bool)
        return counts and least <= value <= sys.float_info.max

    return Setting(default, f"a number from {least:g}", holds)


def text(default: str | None = None, *, allowed: tuple[str, ...] = ()) -> Setting:
    """A text that is not empty; one of `allowed`, where there are any."""
    if allowed:
        names = ", ".join(f"`{name}`" for name in allowed)
        return Setting(default, f"one of {names}", lambda value: value in allowed)
    return Setting(default, "a text", lambda value: isinstance(value, str) and bool(value.strip()))


def switch(default: bool) -> Setting:
    """Yes or no."""
    return Setting(default, "`true` or `false`", lambda value: isinstance(value, bool))


def mapping() -> Setting:
    """A mapping, whose own settings are read with another `read_settings`; empty by default."""
    return Setting({}, "a mapping of settings", lambda value: isinstance(value, Mapping))


def read_settings(
    kind: str,
    known: Mapping[str, Setting | int],
    given: Mapping[str, Any],
    *,
    place: str = "",
    beside: Sequence[str] = ("kind",),
) -> dict[str, Any]:
    """The settings of a memory, or of what stands at `place`, the defaults where nothing is given.

    `beside` are those that somebody else has read already, for whoever mistyped one. A bare number among the known
    ones is the default of a whole number from 1. Of a mapping within the settings the kind is written `kind.name`.

    Raises:
        UsageError: for an unknown setting, or a value that the setting does not take.
    """
    owner = place or f"memory '{kind}'"
    settings = {name: whole(one) if isinstance(one, int) else one for name, one in known.items()}
    for name, value in given.items():
        if name not in settings:
            names = settings if "." in kind else [*settings, *beside]
            raise UsageError(f"{owner} has no setting `{name}`\n  {nearest_of(name, names)}")
        one = settings[name]
        if not one.holds(value):
            usual = f"the default is {one.default}" if one.default not in (None, {}) else "leave it out, or write one"
            raise UsageError(f"{owner}: `{name}` is {value!r}, where {one.takes} is expected\n  {usual}")
    return {name: given.get(name, one.default) for name, one in settings.items()}
