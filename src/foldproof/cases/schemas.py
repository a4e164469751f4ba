"""The JSON Schemas of both files, made from the wire models so that they cannot drift from them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from foldproof.cases.project_wire import ProjectWire
from foldproof.cases.wire import SetWire

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def file_schema(model: type[BaseModel], title: str) -> dict[str, Any]:
    """The schema of a file with this wire model, JSON Schema draft 2020-12."""
    schema = model.model_json_schema()
    return {"$schema": _DRAFT, "$id": f"{title}.schema.json", **_without_titles(schema), "title": title}


def _without_titles(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """The schema without what pydantic adds of its own: titles made of field names, and null for "left out"."""
    if isinstance(value, list):
        return [_without_titles(item) for item in value if item != {"type": "null"}]
    if not isinstance(value, dict):
        return value
    kept = {
        key: _without_titles(item)
        for key, item in value.items()
        if not (key == "title" and isinstance(item, str)) and not (key == "default" and item is None)
    }
    only = kept.get("anyOf", [])
    return {**kept.pop("anyOf")[0], **kept} if len(only) == 1 else kept


def replay_set_schema() -> dict[str, Any]:
    """The schema of a replay set, JSON Schema draft 2020-12."""
    return file_schema(SetWire, "foldproof-replay-set-1")


def project_schema() -> dict[str, Any]:
    """The schema of a project file, JSON Schema draft 2020-12."""
    return file_schema(ProjectWire, "foldproof-project-1")
