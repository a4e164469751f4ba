"""The archives of Inspect (`.eval`), read as records: a member is a sample. They are not trusted."""

from __future__ import annotations

import importlib
import json
import lzma
import sys
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from foldproof.core import MissingExtraError, UsageError
from foldproof.logs.tally import Tally

_TAIL = 66_000
_LARGEST_DIRECTORY = 64 * 2**20
_FREE, _GROWTH = 2**30, 200
"""An archive may unpack to so many bytes in any case, and beyond them to so many times its own size."""
_ZSTD = 93


class Held(NamedTuple):
    """One value of a container: the place by which it is found again, and its bytes."""

    value: Any
    place: int
    length: int


class EvalArchive:
    """An Inspect log as `.eval`. ZIP64 and Zstandard are read; of the samples one is held at a time.

    Raises:
        UsageError: for an archive that is none of Inspect's, is damaged, or would grow out of proportion.
        MissingExtraError: where it is packed with Zstandard and Python cannot unpack that by itself (before 3.14).
    """

    def __init__(self, path: Path, largest: int) -> None:
        self.path, self.largest = path, largest
        self._module = importlib.import_module("zipfile")
        self._broken: tuple[type[BaseException], ...] = (
            self._module.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, RuntimeError, ValueError,
        )  # fmt: skip

    @cached_property
    def _samples(self) -> list[Any]:
        """The members that are samples, in the order of the archive."""
        _check_directory(self.path)
        infos = self._archive.infolist()
        if not {info.filename for info in infos} & {"header.json", "_journal/start.json"}:
            raise UsageError(f"{self.path}: the file is a ZIP archive, but no log of Inspect\n  unpack it first")
        size, packed = sum(info.file_size for info in infos), self.path.stat().st_size
        if size > max(_FREE, _GROWTH * packed):
            raise UsageError(
                f"{self.path}: {packed:,} bytes would become {size:,}, which no log does\n"
                "  if you trust it, unpack it and import its samples"
            )
        # A member that was written anew stands in the archive twice: the later one counts.
        last = {info.filename: info for info in infos}.values()
        found = [info for info in last if info.filename.startswith("samples/") and info.filename.endswith(".json")]
        if any(info.compress_type == _ZSTD for info in found) and sys.version_info < (3, 14):
            self._with_zstd()
        return found

    @cached_property
    def _archive(self) -> Any:  # noqa: ANN401  # of `zipfile`, or of its backport
        try:
            return self._module.ZipFile(self.path)
        except self._broken as error:
            raise UsageError(
                f"{self.path}: the file is a ZIP archive that is damaged: {error}\n  copy it again"
            ) from None

    def _with_zstd(self) -> None:
        """Go on with the backport of Python 3.14's `zipfile`."""
        try:
            self._module = importlib.import_module("backports.zstd.zipfile")
            zstd = importlib.import_module("backports.zstd")
        except ImportError:
            raise MissingExtraError(
                f"{self.path}: an archive packed with Zstandard", "backports.zstd", "logs"
            ) from None
        self._broken = (*self._broken, self._module.BadZipFile, zstd.ZstdError)
        self._archive.close()
        del self._archive

    def records(self, tally: Tally) -> Iterator[Held]:
        """Every sample; what cannot be read is counted and named."""
        if not self._samples:
            tally.note("a log without samples: only its header was written")
        for place, info in enumerate(self._samples):
            try:
                value = self.again(place)
            except ValueError as error:
                tally.wrong(str(self.path), place + 1, f"{info.filename[:80]} cannot be read: {error}")
                continue
            yield Held(value, place, info.file_size)

    def again(self, place: int) -> Any:  # noqa: ANN401  # any JSON value
        """The sample at this place; ValueError says why it cannot be read."""
        info = self._samples[place]
        if info.file_size > self.largest:
            raise ValueError(f"it would have {info.file_size >> 20} MiB; up to {self.largest >> 20} MiB are read")
        try:
            with self._archive.open(info.filename) as member:
                raw = member.read(info.file_size)
        except self._broken as error:
            raise ValueError(f"it is damaged ({type(error).__name__})") from None
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"it is no JSON ({type(error).__name__})") from None


def _check_directory(path: Path) -> None:
    """Refuse an archive whose list of members alone would fill the memory; `zipfile` reads it whole."""
    with path.open("rb") as file:
        start = max(0, path.stat().st_size - _TAIL)
        file.seek(start)
        tail = file.read(_TAIL)
    end = tail.rfind(b"PK\x05\x06")
    size = int.from_bytes(tail[end + 12 : end + 16], "little") if end >= 0 else 0
    if size == 0xFFFFFFFF:
        far = tail.rfind(b"PK\x06\x06", 0, end)
        size = int.from_bytes(tail[far + 40 : far + 48], "little") if far >= 0 else size
    if size > _LARGEST_DIRECTORY:
        raise UsageError(
            f"{path}: the list of its members has {size >> 20} MiB; up to {_LARGEST_DIRECTORY >> 20} MiB are read\n"
            "  unpack it and import its samples"
        )
