"""YAML by ruamel.yaml, with every scalar as its own source text: what was written is written again, byte by byte."""

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
_LONGEST_KEY = 1024  # YAML's own limit


def scalar(value: Any, *, flow: bool = False) -> str:  # noqa: ANN401  # a scalar of JSON
    """The source text of a scalar. Text stands unquoted only where no reader could take it for anything else."""
    if not isinstance(value, str):
        return json.dumps(value, allow_nan=False)
    plain = _SAFE.fullmatch(value) and value.lower() not in _WORDS and value.isprintable() and not value.endswith(" ")
    if plain and not flow:
        return value
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


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
    simple = all(isinstance(item, str) and _IN_LIST.fullmatch(item) and scalar(item) == item for item in value)
    if simple and len(", ".join(value)) <= _WIDEST_LIST:
        items.fa.set_flow_style()
    return items


class RoundTrip:
    """One YAML text, read and printed. `sequence` and `offset` are where an item and its dash stand under their key."""

    def __init__(self, text: str = "", *, mapping: int = 2, sequence: int = 2, offset: int = 0) -> None:
        from ruamel.yaml import YAML
        from ruamel.yaml.constructor import RoundTripConstructor
        from ruamel.yaml.emitter import Emitter

        class SourceConstructor(RoundTripConstructor):
            def construct_scalar(self, node: Any) -> Any:  # noqa: ANN401  # as the library has it
                block = node.style in {"|", ">"}
                return super().construct_scalar(node) if block else text[node.start_mark.index : node.end_mark.index]

        class SourceEmitter(Emitter):
            MAX_SIMPLE_KEY_LENGTH = _LONGEST_KEY

            def choose_scalar_style(self) -> Any:  # noqa: ANN401  # as the library has it
                return self.event.style if self.event.style in {"|", ">"} else ""

            def write_plain(self, text: Any, split: Any = True) -> None:  # noqa: ANN401, ARG002, FBT002  # as the library has it
                if text:
                    self.write_indicator(text, need_whitespace=True)

        self.yaml: Any = YAML()
        self.yaml.Constructor = SourceConstructor
        self.yaml.Emitter = SourceEmitter
        self.yaml.width = sys.maxsize
        self.yaml.brace_single_entry_mapping_in_flow_sequence = True
        self.yaml.explicit_start = bool(re.search(r"^---\s", text, re.MULTILINE))
        self.yaml.indent(mapping=mapping, sequence=sequence, offset=offset)
        self.tree: Any = self.yaml.load(text)

    def printed(self) -> str:
        out = io.StringIO()
        self.yaml.dump(self.tree, out)
        return out.getvalue()
