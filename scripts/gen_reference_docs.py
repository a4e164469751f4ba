"""Write docs/reference.md from the public names themselves; with --check, only say whether it is up to date."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generated import write

import foldproof

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference.md"
HEAD = """\
# Python names

This page is generated from the code by `scripts/gen_reference_docs.py`; a test keeps it equal to it.

`import foldproof` costs nothing: each name is imported on first use. More stands behind the door of each stage
(`foldproof.cases`, `foldproof.matching`, …), in `foldproof.workflow` (`Options` and the reports) and in
`foldproof.testing`; what is not listed here may change from one minor version to the next. The package is typed,
and the names below are checked under `mypy --strict`.
"""
GROUPS = {
    "Do": ("check", "run_set", "compare_runs", "load_set", "lint_set", "load_project", "match_fact", "match_calls"),
    "Write an agent": ("agent", "Agent", "Conversation", "SessionInfo", "Reply", "ToolCall", "MemoryItem"),
    "Write a compactor": ("compactor",),
    "Replay sets and projects": ("ReplaySet", "Case", "Fact", "Project", "Configuration"),
    "What was said": ("History", "Session", "Turn"),
    "Outcomes": ("Check", "Verdict", "Match", "CallMatch", "ExitCode", "FoldproofError", "__version__"),
}
ALIASES = {
    "Verdict": "What a check comes to.",
    "__version__": "The version of this package, as text.",
}
_SECTION = re.compile(r"^(Raises|Returns|Args|Yields):$")


def page() -> str:
    """The whole page.

    Raises:
        LookupError: where the groups and the public names differ.
    """
    grouped = sorted(name for names in GROUPS.values() for name in names)
    if grouped != sorted(foldproof.__all__):
        raise LookupError(
            f"the groups of this script and `foldproof.__all__` differ: {set(grouped) ^ set(foldproof.__all__)}"
        )
    parts = [HEAD]
    for title, names in GROUPS.items():
        parts += [f"## {title}", ""]
        for name in names:
            parts += [f"### `{name}`", "", *_entry(name, getattr(foldproof, name)), ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip("\n") + "\n"


def _entry(name: str, thing: Any) -> Iterator[str]:
    if name in ALIASES:
        yield ALIASES[name]
        values = typing.get_args(thing)
        if values:
            yield ""
            yield "One of " + ", ".join(f"`{value}`" for value in values) + "."
        return
    if inspect.isfunction(thing):
        yield f"```text\n{_signature(name, thing)}\n```"
        yield ""
    yield from _described(inspect.getdoc(thing) or "")
    if inspect.isclass(thing):
        yield ""
        yield from _members(thing)


def _signature(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    parameters = [parameter.replace(default=_Named(parameter.default)) if parameter.default is not parameter.empty
                  else parameter for parameter in signature.parameters.values()]  # fmt: skip
    one_line = f"{name}{signature.replace(parameters=parameters)}".replace("'", "")
    if len(one_line) <= 100:
        return one_line
    inner = re.match(r"(\w+)\((.*)\)( -> .*)?$", one_line, re.DOTALL)
    assert inner is not None  # noqa: S101  # a signature has this shape
    lines = ",\n    ".join(_split(inner[2]))
    return f"{inner[1]}(\n    {lines},\n){inner[3] or ''}"


class _Named:
    """A default as the reader writes it: a record of defaults by its class alone."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        if dataclasses.is_dataclass(self.value):
            return f"{type(self.value).__name__}()"
        if inspect.isfunction(self.value):  # its repr has an address, another one each time
            return self.value.__name__
        return '"' + self.value + '"' if isinstance(self.value, str) else repr(self.value)


def _split(text: str) -> list[str]:
    """Parameters at the commas that stand in no bracket."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    return [*found, text[start:].strip()]


def _described(text: str) -> Iterator[str]:
    """A docstring as Markdown: paragraphs stay, sections become lists."""
    items: list[str] = []
    in_section = False
    for line in text.splitlines():
        if section := _SECTION.match(line):
            in_section = True
            yield f"{section[1]}:"
            yield ""
        elif in_section and line.startswith("    ") and not line.startswith("     "):
            if items:
                yield f"- {' '.join(items)}"
            name, _, rest = line.strip().partition(": ")
            items = [f"`{name}`: {rest}" if rest and " " not in name else line.strip()]
        elif in_section and line.strip():
            items.append(line.strip())
        else:
            yield line
    if items:
        yield f"- {' '.join(items)}"


def _members(thing: type) -> Iterator[str]:
    if issubclass(thing, enum.Enum):
        yield "See [exit codes](exit-codes.md)."
        return
    if dataclasses.is_dataclass(thing):
        yield "| field | type | default |"
        yield "|---|---|---|"
        for field in dataclasses.fields(thing):
            yield f"| `{field.name}` | `{_type(field)}` | {_default(field)} |"
        yield ""
    for name, member in vars(thing).items():
        if name.startswith("_"):
            continue
        value = getattr(member, "func", None) or getattr(member, "fget", None) or member
        if callable(value) and not isinstance(member, type):
            kind = "" if value is not member else inspect.signature(value).__str__().replace("'", "")
            kind = kind.replace("(self, ", "(").replace("(self)", "()")
            lead = (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")
            yield f"- `.{name}{kind}`: {lead}"


def _type(field: dataclasses.Field[Any]) -> str:
    return str(field.type if isinstance(field.type, str) else getattr(field.type, "__name__", field.type)).replace(
        "|", "\\|"
    )


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return f"`{_Named(field.default)!r}`"
    if field.default_factory is not dataclasses.MISSING:
        return f"`{field.default_factory()!r}`" if field.default_factory in (dict, list, tuple) else "empty"
    return "required"


if __name__ == "__main__":
    sys.exit(write(PAGE, page()))
