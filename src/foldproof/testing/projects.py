"""A project in a temporary folder, written from JSON values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_project(
    folder: Path,
    *,
    cases: list[dict[str, Any]],
    configs: Mapping[str, Any],
    histories: Mapping[str, list[dict[str, Any]]] | None = None,
    replay: Mapping[str, Any] | None = None,
    **project: Any,  # noqa: ANN401  # further keys of foldproof.yaml
) -> Path:
    """Write a project of JSON values into a folder: `foldproof.yaml`, `replay.json`, `histories/NAME.jsonl`.

    JSON is a subset of YAML, so the project file is written as JSON. `replay` holds further keys of the set,
    such as `gate`. The answer is the path of the project file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = dict(histories or {})
    for name, sessions in names.items():
        place = folder / "histories" / f"{name}.jsonl"
        place.parent.mkdir(exist_ok=True)
        place.write_text("".join(json.dumps(session) + "\n" for session in sessions), encoding="utf-8")
    declared = {"histories": {name: f"histories/{name}.jsonl" for name in names}} if names else {}
    document = {"foldproof": 1, "name": "test", **declared, **(replay or {}), "cases": cases}
    (folder / "replay.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    path = folder / "foldproof.yaml"
    settings = {"foldproof": 1, "replay_set": "replay.json", "configs": dict(configs), **project}
    path.write_text(json.dumps(settings, indent=1), encoding="utf-8")
    return path
