"""Keys as they are pressed, for a sitting at a terminal: none that is typed ahead is lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

_ESCAPE, _END = "\x1b", "\x04"
_AT_ONCE = 32
"""Bytes read in one go: an arrow key sends several, and is one key."""


@contextmanager
def pressed_keys() -> Iterator[Callable[[], str | None]]:
    """A function that waits for a key of standard input, a terminal; None at its end (Ctrl-D).

    The terminal gives each key at once and shows none until the context ends. Ctrl-C interrupts as ever.
    """
    try:
        import termios
        import tty
    except ImportError:  # Windows, where a console needs no modes
        yield click.getchar
        return
    place = sys.stdin.fileno()
    before = termios.tcgetattr(place)
    tty.setcbreak(place, termios.TCSADRAIN)
    try:
        yield _Keys(place)
    finally:
        termios.tcsetattr(place, termios.TCSADRAIN, before)


class _Keys:
    def __init__(self, place: int) -> None:
        self._place = place
        self._ahead = ""

    def __call__(self) -> str | None:
        if not self._ahead:
            self._ahead = os.read(self._place, _AT_ONCE).decode("utf-8", "replace") or _END
        key = self._ahead if self._ahead.startswith(_ESCAPE) else self._ahead[0]
        self._ahead = self._ahead[len(key) :]
        return None if key == _END else key
