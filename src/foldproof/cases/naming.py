"""Names that nothing else has yet."""

from __future__ import annotations

from collections.abc import Collection


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name, with a number behind it where it is taken: `a`, `a-2`, `a-3`."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name
