"""The files of this stage that stand in git: JSON documents with a version, read strictly."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from foldproof.cases import shown
from foldproof.core import FileError, Problem


class Wire(BaseModel):
    """A part of such a document."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


W = TypeVar("W", bound=Wire)


@dataclass(frozen=True, slots=True)
class DocumentFile(Generic[W]):
    """One kind of file: `what` it is in a sentence ("the baseline is damaged"), and what to do about a bad one."""

    wire: type[W]
    what: str
    verb: str
    version: int
    remedy: str

    def read(self, path: Path) -> W:
        """The document of a file.

        Raises:
            FileError: for a file that cannot be read, is damaged, or is from a newer version.
        """
        subject = f"{self.what} {self.verb}"
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise self.unusable(path, f"{self.what} cannot be read: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise self.unusable(path, f"{subject} not JSON: {error}") from error
        version = document.get("foldproof") if isinstance(document, dict) else None
        if isinstance(version, int) and version > self.version:
            told = f"written by a newer foldproof (format {version}; this one reads {self.version})"
            raise self.unusable(path, told, "upgrade foldproof")
        try:
            return self.wire.model_validate(document)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "the document"
            raise self.unusable(path, f"{subject} damaged at `{place}`: {first['msg']}") from error

    def unusable(self, path: Path, message: str, remedy: str = "") -> FileError:
        """The error for such a file; its remedy is that of the kind where none is given."""
        return FileError([Problem(shown(path), 0, message, remedy or self.remedy)])
