"""Writing replay sets: comments, order and quoting of all that is not part of the change stay as they were."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from operator import getitem
from pathlib import Path
from typing import Any, TypeAlias

from foldproof.cases.contents import case_value, data_value
from foldproof.cases.histories import history_bytes, write_history
from foldproof.cases.load import load_set
from foldproof.cases.nodes import data_of, line_at, read_text, resolve, shown
from foldproof.cases.records import Case, JudgePin, ReplaySet
from foldproof.cases.tree import tree_of
from foldproof.cases.writing import write_atomically
from foldproof.cases.yaml_text import RoundTrip, put, tree
from foldproof.core import FileError, Problem, UsageError, nearest_of
from foldproof.logs import History

_BOM = b"\xef\xbb\xbf"
_COMMENT = re.compile(r"(?<!\S)#(?:.*\S)?")
_JSON_INDENT = re.compile(r"\s*[{\[]\s*\n([ \t]*)")

_exact = partial(json.dumps, sort_keys=True)  # tells numbers from booleans and knows no order of keys
_Place: TypeAlias = "tuple[str | int, ...]"
_Put: TypeAlias = Callable[[Any, Any, Any], None]


def append_cases(path: Path | str, cases: Iterable[Case]) -> None:
    """Add cases at the end of a set's list; comments, order and quoting of the rest stay.

    The cases are not checked: `load_set` does that.

    Raises:
        FileError: for a file that cannot be read, or that has no list of cases.
        UsageError: where the file is written in a way that cannot be added to.
    """
    document = _Document(Path(path))
    values = [case_value(case) for case in cases]
    if there := len(document.data["cases"]):
        document.change({("cases", number): value for number, value in enumerate(values, there)})
    elif values:
        document.change({("cases",): values})


def add_to_set(path: Path | str, case: Case) -> None:
    """Add a case to a set that then still loads; a set that is not there is begun. Otherwise the file stays as it was.

    Raises:
        FileError: for a set that does not load as it is.
        UsageError: for a set that would not load with the case, for instance since its gate counts the cases of its
            class, that holds a case cut from the same turn, or that cannot be written.
    """
    place = Path(path)
    if not place.exists():
        write_atomically(place, cases_text([case], head=True).encode())
        return
    if twin := next((there for there in load_set(place).cases if _same_cut(there, case)), None):
        raise UsageError(
            f"{shown(place)}: case '{twin.id}' is cut from this turn already\n"
            "  change it there, or print the new one without --to"
        )
    old = place.read_bytes()
    append_cases(place, [case])
    try:
        load_set(place)
    except FileError as error:
        write_atomically(place, old)
        first = error.problems[0]
        raise UsageError(
            f"{shown(place)}: with the case '{case.id}' the set would not load: {first.message}\n  {first.hint}\n"
            "  nothing was written: print the case without --to and add it by hand"
        ) from error


def _same_cut(one: Case, other: Case) -> bool:
    """Whether two cases freeze the same turns and ask the same. What is expected plays no part: a person changed it."""
    kept = (one.cut_from, one.frozen, one.question)
    return one.cut_from is not None and kept == (other.cut_from, other.frozen, other.question)


def cases_text(cases: Iterable[Case], comment: str = "", *, head: bool = False) -> str:
    """Cases as YAML, under `cases:`; `comment` opens it, with `head` so does the version of the format."""
    yaml = RoundTrip()
    yaml.tree = tree({**({"foldproof": 1} if head else {}), "cases": [case_value(case) for case in cases]})
    return _commented(comment) + yaml.printed()


def set_case_field(path: Path | str, case_id: str, field: str, value: Any) -> None:  # noqa: ANN401  # any JSON value
    """Set one field of one case to a value as the file writes it; the rest of the file stays as it was.

    Comments inside the value that is replaced go with it.

    Raises:
        FileError: for a file that cannot be read, or that has no list of cases.
        UsageError: for an unknown case, or a file that is written in a way that cannot be changed.
    """
    document = _Document(Path(path))
    ids = [case.get("id") if isinstance(case, dict) else None for case in document.data["cases"]]
    if case_id not in ids:
        raise UsageError(f"{shown(document.path)} has no case '{case_id}'\n  {nearest_of(case_id, map(str, ids))}")
    document.change({("cases", ids.index(case_id), field): value})


def read_judge(path: Path | str) -> JudgePin | None:
    """The judge that a set names, as it is written; None where it names none. The set is not checked otherwise.

    Raises:
        FileError: for a file that cannot be read, or whose `judge` is no mapping of texts.
    """
    document = _Document(Path(path))
    judge = document.data.get("judge")
    if judge is None:
        return None
    if not isinstance(judge, dict) or not all(isinstance(value, str) for value in judge.values()):
        line = line_at(document.tree, ("judge",))
        hint = "write `model`, `prompt` and `sha256`, each a text"
        raise FileError([Problem(shown(document.path), line, "`judge` cannot be read", hint)])
    return JudgePin(judge.get("model", ""), judge.get("prompt", ""), judge.get("sha256", ""))


def set_judge(path: Path | str, pin: JudgePin) -> None:
    """Name the judge of a set, with its prompt and the hash of that; the rest of the file stays as it was.

    Raises:
        FileError: for a file that cannot be read.
        UsageError: where the file is written in a way that cannot be changed.
    """
    document = _Document(Path(path))
    value = {"model": pin.model, "prompt": pin.prompt, "sha256": pin.sha256}
    there = document.data.get("judge")
    if isinstance(there, dict):
        changed = {key: text for key, text in value.items() if there.get(key) != text}
        document.change({("judge", key): text for key, text in changed.items()})
    else:
        document.change({("judge",): value})


class _Document:
    """One file that is being changed. Line ends and byte order mark are put back as they were."""

    def __init__(self, path: Path) -> None:
        self.path = path
        raw = read_text(path)
        self.bom = path.read_bytes().startswith(_BOM)
        self.newline = "\r\n" if "\r\n" in raw else "\n"
        self.text = raw.replace("\r\n", "\n")
        root, problems = tree_of(self.text, path)
        if problems:
            raise FileError(problems)
        self.tree = root
        self.root = root.value if isinstance(root.value, dict) else {}
        self.data = {key: resolve(data_of(node)) for key, node in self.root.items()}
        if not isinstance(self.data.get("cases"), list):
            raise FileError([Problem(shown(path), 0, "the file has no list of `cases`", "add `cases: []`")])

    def change(self, values: Mapping[_Place, Any]) -> None:
        """Write the file with values put at their places, if it then holds its old content with them, and no more."""
        try:
            text = self.json_with(values) or self.yaml_with(values)
            root, problems = tree_of(text, self.path)
            same = not problems and _exact(resolve(data_of(root))) == _exact(_changed(self.data, values, _put))
        except Exception:  # noqa: BLE001  # whatever a library stumbles over, the file stays as it was
            same = False
        if not same:
            raise UsageError(
                f"{shown(self.path)} is written in a way that cannot be changed without rewriting it\n"
                "  write its cases one field a line, or make the change by hand"
            )
        write_atomically(self.path, (_BOM if self.bom else b"") + text.replace("\n", self.newline).encode())

    def json_with(self, values: Mapping[_Place, Any]) -> str:
        """The new text, empty where the file is no JSON."""
        try:
            data = _changed(json.loads(self.text), values, _put)
        except ValueError:
            return ""
        indent = _JSON_INDENT.match(self.text)
        escaped = self.text.isascii() and "\\u" in self.text
        text = json.dumps(data, ensure_ascii=escaped, allow_nan=False, indent=indent and indent[1])
        return text + self.text[len(self.text.rstrip()) :]

    def yaml_with(self, values: Mapping[_Place, Any]) -> str:
        """The new text, with the file's own indentation."""
        blocks: list[Any] = [node for node in self.root.values() if node.value and not node.flow]
        mapping = next((node.column for node in blocks if isinstance(node.value, dict)), 2)
        lists = (node for node in blocks if isinstance(node.value, list))
        offset, sequence = next(((node.column, node.value[0].column) for node in lists), (0, 2))
        old, new = (RoundTrip(self.text, mapping=mapping, sequence=sequence, offset=offset) for _ in range(2))
        if _COMMENT.findall(old.printed()) != _COMMENT.findall(self.text):
            raise ValueError("a comment would be lost")
        _changed(new.tree, values, put)
        return new.printed()


def _changed(data: Any, values: Mapping[_Place, Any], put_in: _Put) -> Any:  # noqa: ANN401  # any JSON value
    for (*way, last), value in values.items():
        put_in(reduce(getitem, way, data), last, value)
    return data


def _put(inner: Any, key: Any, value: Any) -> None:  # noqa: ANN401  # any JSON values
    if isinstance(inner, list):
        inner.append(value)
    else:
        inner[key] = value


def set_text(replay_set: ReplaySet, histories: Mapping[str, str], comment: str = "") -> str:
    """A whole set as YAML. `histories` maps the names to paths beside the file; `comment` opens it."""
    value: dict[str, Any] = {"foldproof": 1, "name": replay_set.name}
    if judge := replay_set.judge:
        pin = {"model": judge.model, "prompt": judge.prompt, "sha256": judge.sha256}
        value["judge"] = {key: text for key, text in pin.items() if text}
    if replay_set.gate_declared:
        value["gate"] = {name: str(need) for name, need in replay_set.gate.items()}
    if histories:
        value["histories"] = histories
    if replay_set.waivers:
        value["waivers"] = [
            {"case": item.case, "reason": item.reason, "until": str(item.until)} for item in replay_set.waivers
        ]
    if replay_set.review_after_days:
        value["review_after_days"] = replay_set.review_after_days
    if replay_set.data:
        value["data"] = data_value(replay_set.data)
    value["cases"] = [case_value(case) for case in replay_set.cases]
    yaml = RoundTrip()
    yaml.tree = tree(value)
    yaml.tree.yaml_set_comment_before_after_key("cases", "\n")
    for number in range(1, len(replay_set.cases)):
        yaml.tree["cases"].yaml_set_comment_before_after_key(number, "\n")
    return _commented(comment) + yaml.printed()


def _commented(comment: str) -> str:
    return "".join(f"{f'# {line}'.rstrip()}\n" for line in comment.splitlines())


def check_new_set(path: Path) -> None:
    """Refuse a place where no new set can be written.

    Raises:
        UsageError: where a file is there already, or the name is not that of a YAML file.
    """
    if path.suffix not in {".yaml", ".yml"}:
        raise UsageError(f"{shown(path)}: a set is written as YAML\n  name it {shown(path.with_suffix('.yaml'))}")
    if path.exists():
        raise UsageError(f"{shown(path)}: the file is there already\n  name another")


def dump_new_sets(sets: Mapping[Path, tuple[ReplaySet, str]]) -> tuple[Path, ...]:
    """Write sets that are not there yet, each with the comment that opens it; the files, sets and then histories.

    A history that is there already, and says the same, is shared. Nothing is written unless everything can be: where
    the disk is full half way, what was new is taken away again.

    Raises:
        UsageError: as `check_new_set`, where a history is there that says something else, and where the folder cannot
            be written to.
    """
    histories: dict[Path, History] = {}
    for path, (replay_set, _) in sets.items():
        check_new_set(path)
        for name, history in replay_set.histories.items():
            place = path.parent / "histories" / f"{name}.jsonl"
            if place.exists() and place.read_bytes() != history_bytes(history):
                raise UsageError(
                    f"{shown(place)}: there is another history of that name already, which a set may use\n"
                    "  write to another folder, or take that one away"
                )
            histories[place] = history
    new = [place for place in (*sets, *histories) if not place.exists()]
    try:
        for path, (replay_set, comment) in sets.items():
            dump_set(replay_set, path, comment)
    except BaseException:
        for place in new:
            if place.exists():
                place.unlink()
        raise
    return (*sets, *histories)


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
