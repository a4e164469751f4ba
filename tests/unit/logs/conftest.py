"""The fixture that writes a log and reads it."""

from __future__ import annotations

import json

import pytest

from .written import read_all


@pytest.fixture
def read(tmp_path):
    """Write texts (or JSON values) as files and read them as one log."""

    def call(*contents, name="log.jsonl", format_name=""):
        paths = []
        for number, content in enumerate(contents):
            path = tmp_path / (f"{number}-{name}" if number else name)
            raw = content if isinstance(content, str | bytes) else json.dumps(content)
            path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
            paths.append(path)
        return read_all(paths, format_name)

    return call
