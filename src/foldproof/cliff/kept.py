"""The folder that keeps the records of a cliff: what is begun there is gone on with, or scored again with no call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from foldproof.cases.nodes import read_text, shown
from foldproof.cases.writing import write_atomically
from foldproof.cliff.records import ProbeAnswer, Round, RoundKey
from foldproof.core import FileError, Problem, UsageError, __version__

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = 1
_PLAN, _ROUNDS, _PROBES, _LOCK = "cliff.json", "rounds.jsonl", "probes.jsonl", ".lock"
_ANOTHER = "name another folder with --out"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Begun:
    """What the records of a folder are of. `documents` and `subjects` have a hash each, by name.

    `corpus`, `labels` and `talk_from` are how these places were named, empty for what is shipped; `talk` is the hash of
    what was said between the rounds.
    """

    documents: Mapping[str, str]
    subjects: Mapping[str, str]
    talk: str
    corpus: str = ""
    labels: str = ""
    talk_from: str = ""

    def joined(self, other: Begun) -> Begun:
        """What both are of, where they can stand in one folder.

        Raises:
            UsageError: where a text or a subject is not what it was.
        """
        if self.talk != other.talk:
            raise UsageError(f"the records that are kept there are of other talk between the rounds\n  {_ANOTHER}")
        for noun, kept, new in (
            ("document", self.documents, other.documents),
            ("subject", self.subjects, other.subjects),
        ):
            changed = [name for name in new if kept.get(name, new[name]) != new[name]]
            if changed:
                raise UsageError(f"{noun} '{changed[0]}' is not what it was when the records began\n  {_ANOTHER}")
        return replace(
            other, documents={**self.documents, **other.documents}, subjects={**self.subjects, **other.subjects}
        )


@dataclass(slots=True)
class Kept:
    """The records of a folder. A record that came again, since its round had failed, takes the earlier one's place."""

    begun: Begun | None = None
    rounds: dict[RoundKey, Round] = field(default_factory=dict)
    probes: list[ProbeAnswer] = field(default_factory=list)


class Keeper:
    """Writes records as they come, one line each, so that a killed run has all that was done."""

    def __init__(self, rounds: IO[str], probes: IO[str]) -> None:
        self._rounds = rounds
        self._probes = probes

    def round(self, record: Round) -> None:
        """Keep a round."""
        _write(self._rounds, record)

    def probe(self, record: ProbeAnswer) -> None:
        """Keep the answer to a probe."""
        _write(self._probes, record)


def read_kept(folder: Path) -> Kept:
    """The records of a folder, in the order in which they came. A last line that was not finished is left out.

    Raises:
        UsageError: where there is no such folder, or a newer foldproof wrote it.
        FileError: for every line that is no record.
    """
    plan = folder / _PLAN
    if not plan.is_file():
        raise UsageError(f"{shown(folder)}: no records of a cliff are kept there\n  name a folder that --out wrote")
    kept = Kept(_begun(plan))
    for one in _records(folder / _ROUNDS, _reader(Round)):
        kept.rounds.pop(one.key, None)
        kept.rounds[one.key] = one
    probes = {_asked(one): one for one in _records(folder / _PROBES, _reader(ProbeAnswer))}
    kept.probes = list(probes.values())
    return kept


def _asked(one: ProbeAnswer) -> tuple[object, ...]:
    return one.document, one.line, one.condition, one.round, one.asked


@contextmanager
def keep_in(folder: Path, begun: Begun) -> Iterator[tuple[Keeper, Kept]]:
    """A folder to keep records in, and what is there already; it is made where it is not there.

    Raises:
        UsageError: where it holds something else or records of other texts, cannot be written, or is in use.
        FileError: as `read_kept`.
    """
    from filelock import FileLock, Timeout

    if folder.exists() and not (folder / _PLAN).exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{shown(folder)}: it is there and holds no records of a cliff\n  {_ANOTHER}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / _LOCK, timeout=0):
            kept = read_kept(folder) if (folder / _PLAN).exists() else Kept()
            whole = kept.begun.joined(begun) if kept.begun else begun
            write_atomically(folder / _PLAN, _plan_text(whole).encode("utf-8"))
            with _appending(folder / _ROUNDS) as rounds, _appending(folder / _PROBES) as probes:
                yield Keeper(rounds, probes), kept
    except Timeout:
        raise UsageError(
            f"{shown(folder)}: another run keeps its records there\n  wait for it, or {_ANOTHER}"
        ) from None
    except OSError as error:
        raise UsageError(f"{shown(folder)}: cannot be written: {error.strerror}\n  {_ANOTHER}") from error


def _plan_text(begun: Begun) -> str:
    content = {"foldproof": FORMAT, "written_by": __version__, **asdict(begun)}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _begun(plan: Path) -> Begun:
    try:
        content: Any = json.loads(read_text(plan))
        version = content.pop("foldproof")
        content.pop("written_by", None)
    except (ValueError, KeyError, AttributeError, TypeError):
        content = version = None
    if isinstance(version, int) and version > FORMAT:
        told = f"it has the format {version}, and this foldproof ({__version__}) knows {FORMAT}"
        raise UsageError(f"{shown(plan)}: {told}\n  upgrade foldproof")
    try:
        return _reader(Begun).validate_python(content)
    except ValueError:
        raise FileError([Problem(shown(plan), 0, "this says not what the records are of", _ANOTHER)]) from None


@contextmanager
def _appending(path: Path) -> Iterator[IO[str]]:
    """A file to add lines to, without the end of a line that was not finished."""
    with path.open("ab+") as raw:
        end = raw.seek(0, 2)
        raw.seek(0)
        whole = raw.read().rfind(b"\n") + 1
        if whole < end:
            raw.truncate(whole)
    with path.open("a", encoding="utf-8", newline="\n") as file:
        yield file


def _write(file: IO[str], record: Round | ProbeAnswer) -> None:
    # ASCII, so that a line which a kill cuts in two is never half a character.
    file.write(json.dumps(asdict(record), separators=(",", ":")) + "\n")
    file.flush()


def _records(path: Path, reader: TypeAdapter[T]) -> Iterator[T]:
    problems = []
    whole, _, _ = read_text(path).rpartition("\n") if path.exists() else ("", "", "")
    for number, line in enumerate(whole.split("\n") if whole else [], 1):
        try:
            yield reader.validate_json(line)
        except ValueError:
            hint = "take the line out: its round is done again"
            problems.append(Problem(shown(path), number, "the line is no record", hint))
    if problems:
        raise FileError(problems)


def _reader(record: type[T]) -> TypeAdapter[T]:
    from pydantic import TypeAdapter

    return TypeAdapter(record)
