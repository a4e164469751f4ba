"""The temporary folders of memories, and that none outlives its run."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path


class Scratch:
    """Makes temporary folders and deletes them: each when it is dropped, the rest when the run ends.

    A run that is interrupted, or asked to end, closes it too. A process that is killed closes nothing.
    """

    def __init__(self) -> None:
        self._folders: set[Path] = set()

    def folder(self, name: str) -> Path:
        """A new, empty folder of the user alone, `foldproof-NAME-…` where temporary files are kept."""
        made = Path(tempfile.mkdtemp(prefix=f"foldproof-{name}-"))
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
