from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from foldproof.cases import ReplaySet, load_set
from foldproof.core import FileError, Problem


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write one file of the project under test."""

    def _write(text: str | bytes, name: str = "replay.yaml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return _write


@pytest.fixture
def load(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., ReplaySet]:
    """Load a set from its text; messages name the file as `replay.yaml`."""
    monkeypatch.chdir(tmp_path)

    def _load(text: str | bytes, name: str = "replay.yaml") -> ReplaySet:
        return load_set(write(text, name))

    return _load


@pytest.fixture
def problems(load: Callable[..., ReplaySet]) -> Callable[..., tuple[Problem, ...]]:
    """The problems of a set that must not load."""

    def _problems(text: str | bytes, name: str = "replay.yaml") -> tuple[Problem, ...]:
        with pytest.raises(FileError) as caught:
            load(text, name)
        return caught.value.problems

    return _problems
