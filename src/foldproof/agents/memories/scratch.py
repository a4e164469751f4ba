"""The temporary folders of memories, and that none outlives its run."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextvars import ContextVar
from pathlib import Path

from foldproof.core import UsageError

OFF_DISK: ContextVar[bool] = ContextVar("off_disk", default=False)
"""Whether what memories are told may not touch the disk, as in a run of the holdout: their folders are in memory."""
_IN_MEMORY = Path("/dev/shm")  # noqa: S108  # the kernel's own, and the folders made there are of the user alone


class Scratch:
    """Makes temporary folders and deletes them: each when it is dropped, the rest when the run ends.

    A run that is interrupted, or asked to end, closes it too. A process that is killed closes nothing.
    """

    def __init__(self) -> None:
        self._folders: set[Path] = set()

    def folder(self, name: str) -> Path:
        """A new, empty folder of the user alone, `foldproof-NAME-…` where temporary files are kept.

        Raises:
            UsageError: where it may not be on the disk, and this machine has no folder that is not.
        """
        off_disk = OFF_DISK.get()
        if off_disk and not os.access(_IN_MEMORY, os.W_OK):
            raise UsageError(
                f"memory '{name}' keeps files while it runs, and this machine has no folder in memory ({_IN_MEMORY})\n"
                "  open the holdout on a machine that has one, or with a memory that keeps no files"
            )
        made = Path(tempfile.mkdtemp(prefix=f"foldproof-{name}-", dir=_IN_MEMORY if off_disk else None))
        self._folders.add(made)
        return made

    def drop(self, folder: Path) -> None:
        """Delete a folder; one that is gone already is no fault."""
        shutil.rmtree(folder, ignore_errors=True)
        self._folders.discard(folder)

    def close(self) -> None:
        """Delete all that is left."""
        for folder in tuple(self._folders):
            self.drop(folder)
