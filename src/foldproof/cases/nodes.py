"""A light tree of a file's content that remembers where everything stands."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from stat import S_ISREG
from typing import Any, TypeAlias

from foldproof.core import FileError, Problem

FORMAT = 1
"""The version of the replay set and of the project file that this code writes and reads."""
LARGEST_FILE = 64 * 1024 * 1024
"""Bytes; of a larger file no more than this is read, and it is refused."""
DEEPEST = 50
"""How deep lists and mappings may stand in each other."""

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_OCTAL_OR_HEX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
_LONGEST_NUMBER = 400


class Plain(str):
    """A scalar that stood unquoted in the file, exactly as it was written."""

    __slots__ = ()


Value: TypeAlias = "str | bool | list[Node] | dict[str, Node] | None"


@dataclass(frozen=True, slots=True)
class Node:
    """One value with its place. Lines count from 1.

    `keys` holds the line of each key of a mapping, `flow` says that a collection stands in brackets, `column`
    is that of the first character (of the first dash, for a block list).
    """

    value: Value
    line: int
    column: int = 0
    flow: bool = False
    keys: dict[str, int] = field(default_factory=dict)


def data_of(node: Node) -> Any:  # noqa: ANN401  # any JSON value
    """The value without its places; unquoted scalars stay `Plain`."""
    if isinstance(node.value, dict):
        return {key: data_of(item) for key, item in node.value.items()}
    if isinstance(node.value, list):
        return [data_of(item) for item in node.value]
    return node.value


def line_at(node: Node, path: Sequence[str | int]) -> int:
    """The line of the value at a path, or of the last part of the path that exists."""
    line = node.line
    for part in path:
        if isinstance(node.value, dict) and isinstance(part, str) and part in node.value:
            line = node.keys[part]
            node = node.value[part]
        elif isinstance(node.value, list) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.line
        elif isinstance(node.value, list) and isinstance(part, str):
            continue  # a list that stands for a mapping with this one key
        else:
            break
    return line


def resolve(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """The value with its unquoted scalars read by the YAML 1.2 core schema, for free-form mappings.

    A number with a leading zero and a number that no float can hold stay text, as do `.inf` and `.nan`.
    """
    if isinstance(value, dict):
        return {key: resolve(item) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve(item) for item in value]
    return _scalar(value) if isinstance(value, Plain) else value


def _scalar(text: Plain) -> str | int | float | bool | None:
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > _LONGEST_NUMBER:
        return str(text)
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OCTAL_OR_HEX.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text) and isfinite(number := float(text)):
        return number
    return str(text)


def shown(path: str | Path) -> str:
    """A path as messages name it: relative to the working folder where it lies in it."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # else a pipe that nobody writes to holds the program up


def read_bytes(path: Path) -> bytes:
    """The content of a regular file; nothing else is read, and no more than may be, whatever size it claims.

    Raises:
        FileError: where it cannot be read, is no regular file, or is too large.
    """
    file = shown(path)
    try:
        with open(path, "rb", opener=_without_waiting) as opened:  # Path.open takes no opener
            if not S_ISREG(os.fstat(opened.fileno()).st_mode):
                message = "the file cannot be read: it is a pipe or a device"
                raise FileError([Problem(file, 0, message, "name a file that lies on disk")])
            raw = opened.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise FileError([Problem(file, 0, "the file does not exist", "check the path")]) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError([Problem(file, 0, f"the file cannot be read: {reason}", "check the path")]) from None
    if len(raw) > LARGEST_FILE:
        raise FileError([Problem(file, 0, f"the file has more than {LARGEST_FILE} bytes", "split it")])
    return raw


ReadBytes: TypeAlias = Callable[[Path], bytes]
"""How the files of a set are read: `read_bytes` from the disk, or what stands for it, raising FileError as it does."""


def read_text(path: Path, read: ReadBytes = read_bytes) -> str:
    """The text of a UTF-8 file, without its byte order mark.

    Raises:
        FileError: where it cannot be read (see `read_bytes`), or is not UTF-8.
    """
    raw = read(path)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        file = shown(path)
        line = raw.count(b"\n", 0, error.start) + 1
        problem = Problem(
            file,
            line,
            f"the file is not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start}",
            "save it as UTF-8",
        )
        raise FileError([problem]) from None


def whole_characters(text: str) -> str:
    """The text with a replacement character for every half one, so that messages can show it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def surrogate_in(text: str) -> bool:
    """Whether the text holds half a character, which no UTF-8 file can hold."""
    return not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text)
