"""YAML text by ruamel.yaml: new text that every reader reads alike, old text as it was."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Mapping
from typing import Any

_SAFE = re.compile(r"[^\W\d_](?:[\w .,;!?()'/+$%€£-]|:(?=[\w/]))*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
_IN_LIST = re.compile(r"[A-Za-z][A-Za-z0-9_ -]*")
_WIDEST_LIST = 80
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_DOCUMENT = re.compile(r"((?:.*^---[ \t]*(?:#[^\n]*)?\n)?\n*)(.*?)(^\.\.\.(?:\s.*)?)?", re.DOTALL | re.MULTILINE)


class Source(str):
    """A text, with what stands for it in the file."""

    __slots__ = ("source",)
    source: str

    def __new__(cls, text: str, source: str) -> Source:  # noqa: D102, PYI034  # the class says it; it has no heirs
        made = super().__new__(cls, text)
        made.source = source
        return made


def scalar(value: Any, *, flow: bool = False) -> Source:  # noqa: ANN401  # a scalar of JSON
    """A new scalar. Text stands unquoted only where no reader could take it for anything else."""
    if not isinstance(value, str):
        return Source(text := json.dumps(value, allow_nan=False), text)
    plain = _SAFE.fullmatch(value) and value.lower() not in _WORDS and value.isprintable() and not value.endswith(" ")
    if plain and not flow:
        return Source(value, value)
    quoted = json.dumps(value, ensure_ascii=False)
    return Source(value, _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted))


def tree(value: Any, *, flow: bool = False) -> Any:  # noqa: ANN401  # any JSON value, and ruamel's tree of it
    """The tree of a value as a person likes to read it; with `flow`, one that may stand in brackets."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(value, Mapping):
        made = CommentedMap()
        made.update({scalar(key, flow=flow): tree(item, flow=flow) for key, item in value.items()})
        return made
    if not isinstance(value, list | tuple):
        return scalar(value, flow=flow)
    items = CommentedSeq([tree(item, flow=flow) for item in value])
    simple = all(isinstance(item, str) and _IN_LIST.fullmatch(item) and scalar(item).source == item for item in value)
    if simple and len(", ".join(value)) <= _WIDEST_LIST:
        items.fa.set_flow_style()
    return items


class RoundTrip:
    """One YAML text as ruamel's tree. Each scalar that is not in block style stands as in the file, byte by byte."""

    def __init__(self, text: str = "", *, mapping: int = 2, sequence: int = 2, offset: int = 0) -> None:
        from ruamel.yaml import YAML
        from ruamel.yaml.constructor import RoundTripConstructor
        from ruamel.yaml.emitter import Emitter
        from ruamel.yaml.resolver import VersionedResolver

        # the library loses what stands around the marks of a document, so it sees the document alone
        parts: Any = _DOCUMENT.fullmatch(text)
        self.head, body, self.tail = parts.groups("")

        class AllText(VersionedResolver):
            versioned_resolver: Any = {}  # noqa: RUF012  # as the library has it

        class SourceConstructor(RoundTripConstructor):
            def construct_scalar(self, node: Any) -> Any:  # noqa: ANN401  # as the library has it
                made = super().construct_scalar(node)
                source = body[node.start_mark.index : node.end_mark.index]
                return made if node.style in {"|", ">"} else Source(made, source)

        class SourceEmitter(Emitter):
            MAX_SIMPLE_KEY_LENGTH = 1024  # YAML's own limit

            def choose_scalar_style(self) -> Any:  # noqa: ANN401  # as the library has it
                return "" if isinstance(self.event.value, Source) else self.event.style

            def write_plain(self, text: Any, split: Any = True) -> None:  # noqa: ANN401, ARG002  # as the library has it
                if text.source:
                    self.write_indicator(text.source, need_whitespace=True)
                    _, wrapped, line = text.source.rpartition("\n")
                    self.column = len(line) if wrapped else self.column

        self.yaml: Any = YAML()
        self.yaml.Resolver, self.yaml.Constructor, self.yaml.Emitter = AllText, SourceConstructor, SourceEmitter
        self.yaml.representer.add_representer(Source, lambda made, text: made.represent_str(text))
        self.yaml.width = sys.maxsize
        self.yaml.brace_single_entry_mapping_in_flow_sequence = True
        self.yaml.indent(mapping=mapping, sequence=sequence, offset=offset)
        self.tree: Any = self.yaml.load(body)

    def printed(self) -> str:
        """The text, with what was changed in the tree."""
        out = io.StringIO()
        self.yaml.dump(self.tree, out)
        return f"{self.head}{out.getvalue()}{self.tail}"


def put(node: Any, key: Any, value: Any) -> None:  # noqa: ANN401  # ruamel's tree
    """Put a value in its place or behind the last one; the comment lines that follow stay behind it."""
    from ruamel.yaml.tokens import CommentToken

    new = key == len(node) if isinstance(node, list) else key not in node
    slot, at, block = _end(node, _last(node) if new else key)
    old = slot[at]
    text = "\n" * block + old.value if old else ""  # behind a block text, the end of its line does not count
    if new:
        beside, _, below = text.partition("\n")
        slot[at] = CommentToken(f"{beside}\n", old.start_mark) if beside else None
        text = f"\n{below}" if below else ""
    flow = bool(node.fa.flow_style())
    made = tree(value, flow=flow)
    if isinstance(node, list):
        node.append(made)
    else:
        node.ca.items.pop(key, None)
        node[key if key in node else scalar(key, flow=flow)] = None  # else a text takes the style of the old one
        node[key] = made
    slot, at, _ = _end(node, key)
    slot[at] = CommentToken(text, old.start_mark) if text else None


def _last(node: Any) -> Any:  # noqa: ANN401  # ruamel's tree
    return len(node) - 1 if isinstance(node, list) else list(node)[-1]


def _end(node: Any, key: Any) -> tuple[list[Any], int, bool]:  # noqa: ANN401  # ruamel's tree
    """Where the comment beside the last line of a value is kept, with what is below; whether the line is block text."""
    value = node[key]
    while value and not isinstance(value, str) and not value.fa.flow_style():
        node, key = value, _last(value)
        value = node[key]
    block = isinstance(value, str) and not isinstance(value, Source)
    return node.ca.items.setdefault(key, [None] * 4), 0 if isinstance(node, list) else 2, block
