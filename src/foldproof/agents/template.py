"""Prompt templates: a text with places for values, shipped with a version or read from a user's file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foldproof.core import UsageError, nearest_of

_PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A text in which `{name}` stands for a value and `{{`, `}}` for a brace.

    `name` is the file as it was written, or the version of a shipped text. Other braces are left as they are.
    """

    name: str
    text: str

    @property
    def places(self) -> frozenset[str]:
        """The names of the values that it has a place for."""
        return frozenset(found[1] for found in _PLACE.finditer(self.text) if found[1])

    def render(self, values: Mapping[str, str]) -> str:
        """The text with its values; a brace within a value is just a brace."""
        return _PLACE.sub(lambda found: values[found[1]] if found[1] else found[0][0], self.text)


def read_template(file: Any, root: Path, *, known: tuple[str, ...], place: str) -> Template:  # noqa: ANN401  # any value of a file
    """The template in a file below the project's folder.

    Raises:
        UsageError: where there is no such file, it is no UTF-8 text, it is empty, or it has a place for an unknown
            value.
    """
    if not isinstance(file, str) or not file.strip() or "\0" in file:
        raise UsageError(f"{place}: `prompt` is {file!r}, where a file is expected\n  for instance prompts/answer.md")
    path = root / file
    if not path.resolve().is_relative_to(root.resolve()):
        raise UsageError(
            f"{place}: `prompt` is '{file}', outside the project's folder\n"
            "  put it below the folder of foldproof.yaml: what it says is part of what is compared"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{place}: the prompt '{file}' is not UTF-8 text: {error.reason}") from error
    except OSError as error:
        raise UsageError(f"{place}: the prompt '{file}' cannot be read\n  {_beside(path)}") from error
    if not text.strip():
        raise UsageError(f"{place}: the prompt '{file}' is empty")
    template = Template(file, text.strip())
    for name in sorted(template.places - set(known)):
        raise UsageError(
            f"{place}: the prompt '{file}' has a place for `{{{name}}}`, which is unknown\n"
            f"  {nearest_of(name, known)}; for a brace in the text write `{{{{{name}}}}}`"
        )
    return template


def _beside(path: Path) -> str:
    try:
        names = sorted(found.name for found in path.parent.iterdir() if found.is_file())
    except OSError:
        return "its folder is not there"
    return nearest_of(path.name, names)
