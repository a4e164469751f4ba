"""Writing the shipped projects into a folder of the user's."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from foldproof.core import UsageError

_ANOTHER = "name another with: foldproof demo --into FOLDER"
_WORKFLOW = Path(".github/workflows/foldproof.yml")


def write_showcase(folder: Path) -> list[Path]:
    """Write the demo project; files of an earlier demo are replaced, its runs stay.

    Raises:
        UsageError: where the folder holds something that is not the demo.
    """
    held = folder / "foldproof.yaml"
    shipped = (files("foldproof.demo") / "showcase" / "foldproof.yaml").read_bytes()
    try:
        free = not folder.exists() or not any(folder.iterdir())
        ours = held.is_file() and held.stat().st_size == len(shipped) and held.read_bytes() == shipped
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{folder}: the folder cannot be read: {reason}\n  {_ANOTHER}") from error
    if not free and not ours:
        raise UsageError(f"{folder}: the folder is not empty and holds no demo\n  {_ANOTHER}")
    return [_write(folder / place, source) for place, source in _contents("showcase")]


def write_starter(folder: Path) -> tuple[list[Path], list[Path]]:
    """Write the starter project; what is there already is left alone. The files written, and those left."""
    written, left = [], []
    for place, source in _contents("starter"):
        target = folder / (_WORKFLOW if place == Path("workflow.yml") else place)
        if target.exists():
            left.append(target)
        else:
            written.append(_write(target, source))
    return written, left


def _contents(name: str) -> list[tuple[Path, Traversable]]:
    found: list[tuple[Path, Traversable]] = []

    def walk(folder: Traversable, place: Path) -> None:
        for entry in sorted(folder.iterdir(), key=lambda item: item.name):
            if entry.is_dir():
                walk(entry, place / entry.name)
            else:
                found.append((place / entry.name, entry))

    walk(files("foldproof.demo") / name, Path())
    return found


def _write(target: Path, source: Traversable) -> Path:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{target}: cannot be written: {reason}") from error
    return target
