"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from foldproof.cases.nodes import shown
from foldproof.core import UsageError


def write_atomically(path: Path, raw: bytes) -> None:
    """Write a file so that a reader sees the old or the new content, never a part. The mode is kept.

    Raises:
        UsageError: where the folder cannot be written to.
    """
    place = Path(os.path.realpath(path))
    try:
        mode = place.stat().st_mode & 0o7777 if place.exists() else None
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(mode if mode is not None else 0o666 & ~_umask())
            Path(name).replace(place)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        remedy = "check the folder, its rights and the room on the disk"
        raise UsageError(f"{shown(path)} cannot be written: {error.strerror}\n  {remedy}") from None


def _umask() -> int:
    """The process's umask; there is no way to read it but to set it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
