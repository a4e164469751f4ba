"""The labels of a corpus: which line states what. A file of hashes and classes, made by people, never by a selector.

Scoring knows a constraint by its label alone. The file holds no text of the corpus; only one that says `own: true`,
of texts that are one's own to quote, may have keys and probes, which are text too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from foldproof.cases.faults import problems_of
from foldproof.cases.nodes import FORMAT, Node, data_of, line_at, shown
from foldproof.cases.tree import read_tree
from foldproof.cases.writing import write_atomically
from foldproof.cliff.documents import Document, Line, lines_of, nearest_document
from foldproof.cliff.label_wire import LabelsWire, LabelWire
from foldproof.core import FileError, Problem, nearest_of
from foldproof.matching import telling_tokens

NOTHING = "none"
"""The class of a line that states nothing: a lead-in, a link, a title. It is labelled, and never scored."""
LINE_CLASSES = ("safety", "procedure", "semantic", "preference", "episodic", NOTHING)
"""The classes that `foldproof label` offers; a file may name any other of the user's own."""
_OWN_ONLY = ("key", "probe")


@dataclass(frozen=True, slots=True)
class Probe:
    """A forced choice that shows whether an agent still knows a line: one of the choices is right."""

    question: str
    choices: tuple[str, ...]
    right: str


@dataclass(frozen=True, slots=True)
class Label:
    """What one line is said to state. `cls` is what counts, `by` what each labeller gave without sight of the others.

    `number` tells equal lines of a document apart. `settled` says that `cls` was decided on where labellers differ.
    `replaces` is the hash of an older line of the document whose value this one replaces. `line` is the place in the
    labels file, for messages.
    """

    document: str
    sha256: str
    cls: str
    number: int = 1
    by: tuple[tuple[str, str], ...] = ()
    settled: bool = False
    key: tuple[str, ...] = ()
    probe: Probe | None = None
    replaces: str = ""
    line: int = field(default=0, compare=False)

    @property
    def at(self) -> tuple[str, str, int]:
        """By what the line is known."""
        return self.document, self.sha256, self.number

    def given_by(self, labeller: str) -> str:
        """The class that this labeller gave; empty where none was given."""
        return dict(self.by).get(labeller, "")

    @property
    def differs(self) -> bool:
        """Whether labellers gave different classes."""
        return len({cls for _, cls in self.by}) > 1


@dataclass(frozen=True, slots=True)
class Labels:
    """A labels file. `own` says that the corpus is one's own, so that keys and probes may quote it."""

    labels: tuple[Label, ...]
    own: bool = False
    file: str = ""

    @property
    def documents(self) -> tuple[str, ...]:
        """The names of the labelled documents, each once, sorted: all that a corpus is read for."""
        return tuple(sorted({label.document for label in self.labels}))

    @property
    def labellers(self) -> tuple[str, ...]:
        """Who labelled, in the order of their first label."""
        return tuple(dict.fromkeys(name for label in self.labels for name, _ in label.by))


@dataclass(frozen=True, slots=True)
class LabelledLine:
    """A line of a document with its label: what the survival of a line is scored against.

    `place` is its line in the document, from 1. `key` holds the tokens that must survive: the label's own, or those
    that `telling_tokens` finds in the line. Of a line whose value a newer one replaces, `replaced_by` is the place of
    the newer: nothing is lost with it, and it is stale where it stays without the newer one.
    """

    document: str
    place: int
    sha256: str
    text: str
    cls: str
    key: tuple[str, ...]
    probe: Probe | None = None
    replaced_by: int | None = None


def load_labels(path: Path) -> Labels:
    """The labels of a YAML or JSON file.

    Raises:
        FileError: with everything that is wrong with the file, each at its place.
    """
    root, problems = read_tree(path)
    try:
        wire = LabelsWire.model_validate(data_of(root))
    except ValidationError as error:
        told = problems_of(error, LabelsWire, file=shown(path), node=root, subject="the labels file")
        raise FileError([*problems, *told]) from None
    labels = tuple(_label(row, line_at(root, ("labels", at))) for at, row in enumerate(wire.labels))
    problems += _faults(labels, wire.own, shown(path), root)
    if problems:
        raise FileError(problems)
    return Labels(labels, wire.own, shown(path))


def _label(row: LabelWire, line: int) -> Label:
    probe = Probe(row.probe.question, tuple(row.probe.choices), row.probe.right) if row.probe else None
    return Label(
        row.document,
        row.sha256,
        row.line_class,
        row.number,
        tuple(row.by.items()),
        row.settled,
        tuple(row.key),
        probe,
        row.replaces or "",
        line,
    )


def _faults(labels: Sequence[Label], own: bool, file: str, root: Node) -> Iterator[Problem]:
    first: dict[tuple[str, str, int], int] = {}
    for at, label in enumerate(labels):
        earlier = first.setdefault(label.at, label.line)
        if earlier != label.line:
            told = f"the line of '{label.document}' is labelled in line {earlier} already"
            yield Problem(file, label.line, told, "take one out; a second labeller's class stands under `by`")
        for name in () if own else _OWN_ONLY:
            if getattr(label, name):
                told = f"`{name}` holds text, and the file does not say that the corpus is your own"
                yield Problem(file, line_at(root, ("labels", at, name)), told, f"leave `{name}` out, or: own: true")
        given = {cls for _, cls in label.by}
        if given and label.cls not in given and not label.settled:
            told = f"the class is '{label.cls}', which nobody gave"
            hint = f"{nearest_of(label.cls, given)}\nif it was decided on afterwards, write `settled: true`"
            yield Problem(file, line_at(root, ("labels", at, "class")), told, hint)
        if label.probe:
            yield from _probe_faults(label.probe, file, line_at(root, ("labels", at, "probe")))


def _probe_faults(probe: Probe, file: str, line: int) -> Iterator[Problem]:
    if len(set(probe.choices)) < len(probe.choices):
        yield Problem(file, line, "the probe has the same choice twice", "take one out, or tell them apart")
    if probe.right not in probe.choices:
        told = f"the right choice '{probe.right}' is none of the choices"
        yield Problem(file, line, told, nearest_of(probe.right, probe.choices))


def join_labels(labels: Labels, documents: Iterable[Document]) -> tuple[LabelledLine, ...]:
    """The labelled lines of a corpus, by document and place; those that state nothing are left out.

    Raises:
        FileError: for each label whose document or line is not in the corpus as it was labelled.
    """
    corpus = {one.name: one for one in documents}
    lines = {name: {(line.sha256, line.number): line for line in lines_of(one)} for name, one in corpus.items()}
    homes: dict[str, str] = {sha256: name for name, own in lines.items() for sha256, _ in own}
    problems: list[Problem] = []
    found: dict[tuple[str, int], LabelledLine] = {}
    newer: list[tuple[Label, Line]] = []
    for label in labels.labels:
        line = lines.get(label.document, {}).get((label.sha256, label.number))
        if line is None:
            told, hint = _gone(label, corpus, lines, homes)
            problems.append(Problem(labels.file, label.line, told, hint, rule="labels"))
        elif label.cls != NOTHING:
            key = label.key or telling_tokens(line.text)
            found[line.document, line.place] = LabelledLine(
                line.document, line.place, line.sha256, line.text.strip(), label.cls, key, label.probe
            )
            newer += [(label, line)] if label.replaces else []
    for label, line in newer:
        older = lines[line.document].get((label.replaces, 1))
        if older is None or (at := (older.document, older.place)) not in found or older.place >= line.place:
            told = f"`replaces` names no labelled line of '{label.document}' that stands before this one"
            hint = "write the `sha256` of the older line's label"
            problems.append(Problem(labels.file, label.line, told, hint, rule="labels"))
        else:
            found[at] = replace(found[at], replaced_by=line.place)
    if problems:
        raise FileError(problems)
    return tuple(found[at] for at in sorted(found))


def _gone(
    label: Label,
    corpus: dict[str, Document],
    lines: dict[str, dict[tuple[str, int], Line]],
    homes: dict[str, str],
) -> tuple[str, str]:
    """What is wrong with a label that has no line, and what to do."""
    again = "use the version that was labelled, or label the line again: foldproof label"
    if label.document not in corpus:
        return f"document '{label.document}' is not in the corpus", nearest_document(label.document, corpus.values())
    same = sum(sha256 == label.sha256 for sha256, _ in lines[label.document])
    short = f"{label.sha256[:12]}…"
    if same:
        told = f"'{label.document}' has the line {short} {same} times, and number {label.number} is labelled"
        return told, again
    hint = f"it stands in '{homes[label.sha256]}'\n{again}" if label.sha256 in homes else again
    return f"'{label.document}' has no line {short} any more: the text was changed", hint


def labels_text(labels: Labels) -> str:
    """A labels file as YAML, one label a line, sorted by document and as given within; loading gives the same again."""
    rows = "".join(f"- {_flow(_row(label))}\n" for label in sorted(labels.labels, key=lambda one: one.document))
    return f"foldproof: {FORMAT}\n{'own: true' + chr(10) if labels.own else ''}labels:\n{rows}"


def save_labels(path: Path, labels: Labels) -> None:
    """Write a labels file whole or not at all; JSON where its name ends so.

    Raises:
        UsageError: where it cannot be written.
    """
    if path.suffix == ".json":
        rows = [_row(label) for label in sorted(labels.labels, key=lambda one: one.document)]
        content = {"foldproof": FORMAT, **({"own": True} if labels.own else {}), "labels": rows}
        text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    else:
        text = labels_text(labels)
    write_atomically(path, text.encode("utf-8"))


def _row(label: Label) -> dict[str, Any]:
    row: dict[str, Any] = {"document": label.document, "sha256": label.sha256}
    if label.number > 1:
        row["number"] = label.number
    row["class"] = label.cls
    if label.by:
        row["by"] = dict(label.by)
    if label.settled:
        row["settled"] = True
    if label.key:
        row["key"] = list(label.key)
    if label.probe:
        row["probe"] = {
            "question": label.probe.question,
            "choices": list(label.probe.choices),
            "right": label.probe.right,
        }
    if label.replaces:
        row["replaces"] = label.replaces
    return row


def _flow(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """JSON on one line, which YAML reads as it is; keys without quotes, for the eye."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)
