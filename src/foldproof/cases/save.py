"""Writing replay sets: every byte that is not part of the change stays as it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from foldproof.cases.contents import case_value
from foldproof.cases.histories import write_history
from foldproof.cases.nodes import Node, data_of, read_text, resolve, shown
from foldproof.cases.records import Case, ReplaySet
from foldproof.cases.tree import tree_of
from foldproof.cases.writing import write_atomically
from foldproof.cases.yaml_text import entry, flow, pair
from foldproof.core import FileError, Problem, UsageError, nearest_of

_BOM = b"\xef\xbb\xbf"


def append_cases(path: Path | str, cases: Iterable[Case]) -> None:
    """Add cases at the end of a set's list; comments, order and quoting of the rest stay.

    The cases are not checked: `load_set` does that.

    Raises:
        FileError: for a file that cannot be read, or that has no list of cases.
        UsageError: where the file is written in a way that cannot be added to.
    """
    document = _Document(Path(path))
    values = [case_value(case) for case in cases]
    node = document.cases()
    if not values:
        return
    assert isinstance(node.value, list)  # noqa: S101  # `cases` gives lists only
    if node.flow and not node.value and not document.root.flow:
        # an empty list in a file in block form: the first case starts the block
        lines = "\n".join(line for value in values for line in entry(value))
        start = len(document.text[: node.start].rstrip(" "))
        text = document.spliced(start, node.end, f"\n{lines}")
    elif node.flow:
        at = node.value[-1].end if node.value else node.start + 1
        added = ", ".join(flow(value) for value in values)
        text = document.spliced(at, at, f",\n{added}" if node.value else added)
    else:
        end = node.value[-1].end
        text = document.inserted(end, [line for value in values for line in entry(value, node.column)])
    expected = document.data
    expected["cases"] = [*expected["cases"], *values]
    document.write(text, expected)


def set_case_field(path: Path | str, case_id: str, field: str, value: Any) -> None:  # noqa: ANN401  # any JSON value
    """Set one field of one case to a value as the file writes it; the rest of the file stays as it was.

    Comments inside the value that is replaced go with it.

    Raises:
        FileError: for a file that cannot be read, or that has no list of cases.
        UsageError: for an unknown case, or a file that is written in a way that cannot be changed.
    """
    document = _Document(Path(path))
    node, index = document.case(case_id)
    assert isinstance(node.value, dict)  # noqa: S101  # `case` gives mappings only
    old = node.value.get(field)
    if node.flow:
        if old is not None:
            text = document.spliced(old.start, old.end, flow(value))
        else:
            last = max(item.end for item in node.value.values())
            text = document.spliced(last, last, f", {flow(field)}: {flow(value)}")
    elif old is not None:
        lines = pair(field, value, node.column)
        text = document.spliced(node.key_starts[field], document.content_end(old), "\n".join(lines)[node.column :])
    else:
        text = document.inserted(node.end, pair(field, value, node.column))
    expected = document.data
    expected["cases"][index][field] = value
    document.write(text, expected)


class _Document:
    """One file that is being changed. Line ends and byte order mark are put back as they were."""

    def __init__(self, path: Path) -> None:
        self.path = path
        raw = read_text(path)
        self.bom = path.read_bytes().startswith(_BOM)
        self.newline = "\r\n" if "\r\n" in raw else "\n"
        self.text = raw.replace("\r\n", "\n")
        self.root, problems = tree_of(self.text, path)
        if problems:
            raise FileError(problems)

    @property
    def data(self) -> dict[str, Any]:
        """The content, for comparison."""
        found: dict[str, Any] = resolve(data_of(self.root))
        return found

    def cases(self) -> Node:
        node = self.root.value.get("cases") if isinstance(self.root.value, dict) else None
        if node is None or not isinstance(node.value, list):
            raise FileError([Problem(shown(self.path), 0, "the file has no list of `cases`", "add `cases: []`")])
        return node

    def case(self, case_id: str) -> tuple[Node, int]:
        nodes = self.cases().value
        assert isinstance(nodes, list)  # noqa: S101  # `cases` gives lists only
        ids = []
        for index, node in enumerate(nodes):
            name = node.value["id"].value if isinstance(node.value, dict) and "id" in node.value else None
            if name == case_id:
                return node, index
            ids.append(str(name))
        raise UsageError(f"{shown(self.path)} has no case '{case_id}'\n  {nearest_of(case_id, ids)}")

    def content_end(self, node: Node) -> int:
        """Where a value ends, without the line breaks that belong to a block text."""
        return len(self.text[: node.end].rstrip("\n")) if node.end > node.start else node.end

    def spliced(self, start: int, end: int, new: str) -> str:
        return self.text[:start] + new + self.text[end:]

    def inserted(self, end: int, lines: list[str]) -> str:
        """The text with whole lines added after the line in which a value ends."""
        line_done = end > 0 and self.text[end - 1] == "\n"
        at = end if line_done else self.text.find("\n", end) + 1 or len(self.text)
        gap = "" if at == 0 or self.text[at - 1] == "\n" else "\n"
        return self.spliced(at, at, gap + "\n".join(lines) + "\n")

    def write(self, text: str, expected: Mapping[str, Any]) -> None:
        """Write the text if it reads back as the old content with the change, and nothing else."""
        try:
            root, problems = tree_of(text, self.path)
            same = not problems and _comparable(resolve(data_of(root))) == _comparable(expected)
        except FileError:
            same = False
        if not same:
            raise UsageError(
                f"{shown(self.path)} is written in a way that cannot be changed without rewriting it\n"
                "  write its cases one field a line, or make the change by hand"
            )
        raw = text.replace("\n", self.newline).encode()
        write_atomically(self.path, (_BOM if self.bom else b"") + raw)


def _comparable(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """The value with its numbers told apart from booleans and its mappings from each other's order."""
    if isinstance(value, Mapping):
        return {key: _comparable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_comparable(item) for item in value]
    return type(value).__name__ if value is None else (isinstance(value, bool), value)


def set_text(replay_set: ReplaySet, histories: Mapping[str, str], comment: str = "") -> str:
    """A whole set as YAML. `histories` maps the names to paths beside the file; `comment` opens it."""
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    lines += ["foldproof: 1", *pair("name", replay_set.name)]
    if judge := replay_set.judge:
        pin = {"model": judge.model, "prompt": judge.prompt, "sha256": judge.sha256}
        lines += pair("judge", {key: text for key, text in pin.items() if text})
    if replay_set.gate_declared:
        lines += ["gate:", *(f"  {name}: {need}" for name, need in replay_set.gate.items())]
    if histories:
        lines += pair("histories", histories)
    if replay_set.waivers:
        waivers = [{"case": item.case, "reason": item.reason, "until": str(item.until)} for item in replay_set.waivers]
        lines += pair("waivers", waivers)
    lines += ["", "cases:"]
    for number, case in enumerate(replay_set.cases):
        lines += [""] * bool(number) + entry(case_value(case))
    return "\n".join(lines) + "\n"


def dump_set(replay_set: ReplaySet, path: Path | str, comment: str = "") -> None:
    """Write a new set as YAML, with its histories beside it under `histories/`.

    Raises:
        UsageError: where the folder cannot be written to.
    """
    place = Path(path)
    names = {name: f"histories/{name}.jsonl" for name in replay_set.histories}
    for name, history in replay_set.histories.items():
        write_history(history, place.parent / names[name])
    write_atomically(place, set_text(replay_set, names, comment).encode())
