"""JSON to nodes: a small reader on the parts of the standard library, since that one forgets places."""

from __future__ import annotations

import re
from bisect import bisect_right
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # the stubs leave it out
from typing import NoReturn

from foldproof.cases.nodes import DEEPEST, Node, Plain, surrogate_in, whole_characters
from foldproof.core import Problem

_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[^\s,:\[\]{}\"]{1,40}")
_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


class _BrokenError(Exception):
    """The text stops being JSON here."""

    def __init__(self, at: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.at = at
        self.hint = hint


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.at = 0
        self.problems: list[Problem] = []
        self.breaks = [match.start() for match in re.finditer("\n", text)]

    def line(self, at: int) -> int:
        return bisect_right(self.breaks, at - 1) + 1

    def skip(self) -> str:
        """The next character that is no blank, or nothing."""
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def fail(self, message: str, hint: str, at: int | None = None) -> NoReturn:
        raise _BrokenError(self.at if at is None else at, message, hint)

    def string(self) -> str:
        start = self.at
        try:
            # not strict: a tab inside a string is text
            value, self.at = scanstring(self.text, start + 1, False)
        except JSONDecodeError as error:
            self.fail(f"a text is broken: {error.msg}", "close it with a double quote", at=error.pos)
        if surrogate_in(value):
            self.problems.append(
                Problem(
                    self.file,
                    self.line(start),
                    "a text holds half a character (a lone surrogate)",
                    "write the character itself, or both halves of its escape",
                )
            )
            return whole_characters(value)
        return str(value)

    def value(self, depth: int) -> Node:
        char = self.skip()
        if depth > DEEPEST:
            self.fail(f"lists and mappings stand more than {DEEPEST} deep in each other", "make it flatter")
        if char == "{":
            return self.mapping(depth)
        if char == "[":
            return self.sequence(depth)
        start, line = self.at, self.line(self.at)
        if char == '"':
            text = self.string()
            return Node(text, line)
        if number := _NUMBER.match(self.text, start):
            self.at = number.end()
            return Node(Plain(number[0]), line)
        word = _WORD.match(self.text, start)
        if word and word[0] in _LITERALS:
            self.at = word.end()
            return Node(_LITERALS[word[0]], line)
        found = f"'{word[0]}'" if word else f"'{char}'" if char else "the end of the file"
        hint = "allowed: text in double quotes, a number, true, false, null"
        raise _BrokenError(self.at, f"a value is expected, found {found}", hint)

    def more(self, closer: str) -> bool:
        """Whether another item follows in this list or mapping."""
        char = self.skip()
        if char not in {closer, ","}:
            found = f"'{char}'" if char else "the end of the file"
            self.fail(f"'{closer}' or ',' is expected, found {found}", "close it, or set a comma between the items")
        self.at += 1
        if char == "," and self.skip() == closer:
            self.fail(f"a comma stands before '{closer}'", "remove the comma")
        return char == ","

    def sequence(self, depth: int) -> Node:
        start = self.at
        self.at += 1
        items: list[Node] = []
        if self.skip() == "]":
            self.at += 1
        else:
            items.append(self.value(depth + 1))
            while self.more("]"):
                items.append(self.value(depth + 1))
        return Node(items, self.line(start), flow=True)

    def mapping(self, depth: int) -> Node:
        items: dict[str, Node] = {}
        node = Node(items, self.line(self.at), flow=True)
        self.at += 1
        if self.skip() == "}":
            self.at += 1
        else:
            self.pair(items, node, depth)
            while self.more("}"):
                self.pair(items, node, depth)
        return node

    def pair(self, items: dict[str, Node], node: Node, depth: int) -> None:
        if self.skip() != '"':
            self.fail("a key is expected", "write it in double quotes")
        line = self.line(self.at)
        key = self.string()
        if self.skip() != ":":
            self.fail(f"':' is expected after the key '{key}'", "write the key, a colon, the value")
        self.at += 1
        value = self.value(depth + 1)
        if key in items:
            self.problems.append(duplicate_key(self.file, line, key, node.keys[key]))
            return
        items[key] = value
        node.keys[key] = line


def duplicate_key(file: str, line: int, key: str, first: int) -> Problem:
    """The problem of a key that a mapping has twice, of which a reader would silently take one."""
    return Problem(file, line, f"the key `{key}` stands twice, first in line {first}", "keep one of the two")


def read_json(text: str, file: str) -> tuple[Node | None, list[Problem]]:
    """The tree of a JSON text, None where it is no JSON, and everything that is wrong with it."""
    reader = _Reader(text, file)
    if not reader.skip():
        return None, [Problem(file, 0, "the file is empty", "write at least the required keys")]
    try:
        root = reader.value(1)
        if reader.skip():
            reader.fail("something follows after the end of the value", "one value a file")
    except _BrokenError as error:
        problem = Problem(file, reader.line(error.at), f"this is no JSON: {error}", error.hint)
        return None, [*reader.problems, problem]
    return root, reader.problems
