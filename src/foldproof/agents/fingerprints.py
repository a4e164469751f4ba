"""What an agent is made of, as one hash: the files of its code, and those that its configuration names."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any


def fingerprint_of(digests: Mapping[Path, str], root: Path) -> str:
    """SHA-256 over the files' names below `root` and the hashes of their content; empty without files."""
    if not digests:
        return ""
    base = root.resolve()
    named = [
        (path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name, digest)
        for path, digest in digests.items()
    ]
    whole = hashlib.sha256()
    for name, digest in sorted(named):
        whole.update(f"{name}\0{digest}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def digests_of(files: Iterable[Path]) -> dict[Path, str]:
    """The SHA-256 of each file by its real path; what cannot be read is left out."""
    found = {}
    for path in files:
        try:
            if path.is_file():
                with path.open("rb") as opened:
                    found[path.resolve()] = hashlib.file_digest(opened, "sha256").hexdigest()
        except OSError:
            continue
    return found


def files_named(value: Any, root: Path) -> list[Path]:  # noqa: ANN401  # any JSON value
    """The files below the root whose paths are texts in the value, however deep; most texts name none."""
    # os.path: a text may be of any length, and Path.is_file raises there
    places = [root / text for text in _texts_in(value) if os.path.isfile(root / text)]  # noqa: PTH113
    return [place for place in places if place.resolve().is_relative_to(root.resolve())]


def _texts_in(value: Any) -> Iterator[str]:  # noqa: ANN401  # any JSON value
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts_in(item)
