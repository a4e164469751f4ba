"""Units, which people write with a blank before them or without: the one list of them."""

from __future__ import annotations

import re
from itertools import product

_WRITTEN = (
    "kg g mg \u03bcg ug mcg ng lb lbs oz t l ml cl dl km m cm mm nm \u03bcm ft mi h hr hrs min mins s sec secs ms"
    " \u03bcs ns d gb mb kb tb pb gib mib kib tib gbit mbit hz khz mhz ghz w kw mw kwh mwh v mv ma mah j kj kcal cal"
    " px pt dpi rpm fps mph kmh kph bpm db am pm x"
)
UNITS = frozenset(_WRITTEN.split())
"""Letters that may stand at a number; `%`, `°` and currency signs are tokens of their own anyway."""
_PAIRS_AT_MOST = 3
_NUMBER = re.compile(r"-?\d[\d.,/:+]*")
_JOINED = re.compile(r"(-?\d[\d.,/:+]*)([^\W\d_]+)")


def spellings(tokens: list[str]) -> list[list[str]]:
    """A fact's tokens as they are, then with each number and its unit joined or parted.

    Only the fact is spelt anew, never the text: `15 kg` is looked for as "15kg" too, while `15` is not in "15kg".
    A fact with more than three units gets no more than eight spellings: the rest stay as they were written.
    """
    choices: list[list[list[str]]] = []
    at = pairs = 0
    while at < len(tokens):
        written = tokens[at : at + 1]
        other: list[str] = []
        joined = _JOINED.fullmatch(written[0])
        if joined and joined[2] in UNITS:
            other = [joined[1], joined[2]]
        elif _NUMBER.fullmatch(written[0]) and tokens[at + 1 : at + 2] and tokens[at + 1] in UNITS:
            written = tokens[at : at + 2]
            other = ["".join(written)]
        at += len(written)
        pairs += bool(other)
        choices.append([written, other] if other and pairs <= _PAIRS_AT_MOST else [written])
    return [[token for part in chosen for token in part] for chosen in product(*choices)]
