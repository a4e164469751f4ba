"""YAML to nodes, from the parser's events: no object is ever constructed and no scalar is ever guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from foldproof.cases.json_nodes import duplicate_key
from foldproof.cases.nodes import DEEPEST, Node, Plain, surrogate_in, whole_characters
from foldproof.core import Problem

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C parser where PyYAML was built with it; both give the same events."""

_DASHES = re.compile(r"(?:-\s+)*")
_LOST = re.compile(r"[ \t]+#(?=[^\s])")
_LOST_IN_LIST = re.compile(r"^[^#\n]*[,\[{][ \t]+#(?=\S)", re.MULTILINE)
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_QUOTE = "put the text in quotes: {}"
_LONGEST_QUOTE = 200


def _first(event: Any) -> int:  # noqa: ANN401  # PyYAML's events are untyped
    line: int = event.start_mark.line
    return line + 1


def _value_in(line: str) -> str:
    """What a line of YAML holds behind its dashes and its key, by its looks."""
    text = line.strip()
    dashes = _DASHES.match(text)
    text = text[dashes.end() :] if dashes else text
    key, _, value = text.partition(":")
    named = key and key[0] not in "#'\"[{" and "#" not in key and value[:1].isspace()
    return value.strip() if named else text


class _TooDeepError(Exception):
    """The nesting limit is passed; holds the line."""


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.lines = _BREAK.split(text)
        self.problems: list[Problem] = []
        self.events: Iterator[Any] = yaml.parse(text, Loader=LOADER)
        self.last = 0
        self.hints: dict[int, str] = {}

    def problem(self, line: int, message: str, hint: str) -> None:
        self.problems.append(Problem(self.file, line, message, hint))

    def quoted(self, line: int) -> str:
        """How the value of a line would stand in quotes; a line may have many problems, and is read once."""
        if line not in self.hints:
            value = _value_in(self.lines[line - 1]) if 0 < line <= len(self.lines) else ""
            value = value if len(value) <= _LONGEST_QUOTE else f"{value[:_LONGEST_QUOTE]}…"
            self.hints[line] = _QUOTE.format(json.dumps(value or "…", ensure_ascii=False))
        return self.hints[line]

    def document(self) -> Node | None:
        """The one document of the file, or None where there is none."""
        root: Node | None = None
        documents = 0
        event: Any
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.problem(_first(event), "a second document starts here", "one document a file")
                    break
                root = self.node(next(self.events), 1)
        if root is None or root.value == "":
            self.problem(0, "the file is empty", "write at least the required keys")
            return None
        return root

    def node(self, event: Any, depth: int) -> Node:  # noqa: ANN401  # PyYAML's events are untyped
        line = _first(event)
        if depth > DEEPEST:
            raise _TooDeepError(line)
        self.refuse(event, line)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(event, line, depth)
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(event, line, depth)
        if isinstance(event, yaml.AliasEvent):
            return Node(Plain(""), line)
        return self.scalar(event, line)

    def refuse(self, event: Any, line: int) -> None:  # noqa: ANN401  # PyYAML's events are untyped
        """Anchors, aliases and tags: what a person typed as text, or a way to build what is not seen."""
        if isinstance(event, yaml.AliasEvent):
            self.problem(line, f"`*{event.anchor}` is read as an alias, which is not allowed", self.quoted(line))
            return
        if event.anchor is not None:
            hint = f"{self.quoted(line)}\nto share settings between configurations, use `extends`"
            self.problem(line, f"`&{event.anchor}` is read as an anchor, which is not allowed", hint)
        if event.tag is not None:
            self.problem(line, f"`{event.tag}` is read as a tag, which is not allowed", self.quoted(line))

    def scalar(self, event: Any, line: int) -> Node:  # noqa: ANN401  # PyYAML's events are untyped
        start, end = event.start_mark.index, event.end_mark.index
        plain = event.style in {None, ""}
        if lost := _LOST_IN_LIST.search(self.text[self.last : start]):
            at = self.text.count("\n", 0, self.last + lost.end()) + 1
            self.problem(at, "an unquoted `#` starts a comment, so the text after it is lost", "put it in quotes")
        self.last = end
        if plain and _LOST.match(self.text, end):
            last = event.end_mark.line + 1
            left = f"what is left is '{event.value}'" if event.value else "nothing is left"
            message = f"an unquoted `#` starts a comment, so the text after it is lost; {left}"
            self.problem(last, message, f"{self.quoted(last)}\nif it is a comment, write a blank after the `#`")
        if surrogate_in(event.value):
            self.problem(line, "a text holds half a character (a lone surrogate)", "write the character itself")
            event.value = whole_characters(event.value)
        value = Plain(event.value) if plain else str(event.value)
        return Node(value, line, event.start_mark.column)

    def sequence(self, event: Any, line: int, depth: int) -> Node:  # noqa: ANN401  # PyYAML's events are untyped
        items: list[Node] = []
        item: Any = next(self.events)
        while not isinstance(item, yaml.SequenceEndEvent):
            items.append(self.node(item, depth + 1))
            item = next(self.events)
        return Node(items, line, event.start_mark.column, bool(event.flow_style))

    def mapping(self, event: Any, line: int, depth: int) -> Node:  # noqa: ANN401  # PyYAML's events are untyped
        items: dict[str, Node] = {}
        node = Node(items, line, event.start_mark.column, bool(event.flow_style))
        item: Any = next(self.events)
        while not isinstance(item, yaml.MappingEndEvent):
            key = self.node(item, depth + 1)
            value = self.node(next(self.events), depth + 1)
            if isinstance(key.value, str):
                self.pair(node, items, key, value)
            else:
                self.problem(key.line, "a mapping or a list stands where a key is expected", self.quoted(key.line))
            item = next(self.events)
        return node

    def pair(self, node: Node, items: dict[str, Node], key: Node, value: Node) -> None:
        name = str(key.value)
        if isinstance(key.value, Plain) and name == "<<":
            self.problem(key.line, "`<<` is a merge key, which is not allowed", "use `extends`, or write it out")
        elif name in items:
            self.problems.append(duplicate_key(self.file, key.line, name, node.keys[name]))
        else:
            items[name] = value
            node.keys[name] = key.line

    def syntax(self, error: Exception) -> None:
        """The problem of a text that the parser gave up on."""
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        opened = getattr(error, "context_mark", None)
        if opened and "quoted" in str(getattr(error, "context", "")):
            mark = opened  # the line in which the quote opens is the one to mend
        line = mark.line + 1 if mark else 0
        what = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error).splitlines()[0]
        since = f" (in what starts in line {opened.line + 1})" if opened and opened.line + 1 < line else ""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        if "\t" in text[: len(text) - len(text.lstrip())]:
            hint = "YAML allows no tab in the indentation: use blanks"
        elif text.strip():
            hint = self.quoted(line)
        else:
            hint = "close what is open, and put text with special characters in quotes"
        self.problem(line, f"this is no YAML: {what}{since}", hint)


def read_yaml(text: str, file: str) -> tuple[Node | None, list[Problem]]:
    """The tree of a YAML text, None where it cannot be read, and everything that is wrong with it."""
    reader = _Reader(text, file)
    try:
        return reader.document(), reader.problems
    except _TooDeepError as error:
        message = f"lists and mappings stand more than {DEEPEST} deep in each other"
        reader.problem(error.args[0], message, "make it flatter")
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # the last two: escapes beyond Unicode
        reader.syntax(error)
    return None, reader.problems
