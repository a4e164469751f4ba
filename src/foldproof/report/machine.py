"""Documents as JSON, and the schemas that are shipped for them."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel

from foldproof.report.documents import DOCUMENTS, document_schema


def json_text(document: BaseModel) -> str:
    """What `--json` prints: two blanks of indentation, names as the schema has them, letters as they are."""
    return document.model_dump_json(indent=2, by_alias=True) + "\n"


def schema_file(name: str) -> str:
    """The file name of a document's schema: `check-1.schema.json`."""
    _, kind, version = DOCUMENTS[name].model_fields["schema_name"].default.split("/")
    return f"{kind}-{version}.schema.json"


def write_schemas(folder: Path) -> list[Path]:
    """Write the schema of every document; the answer has the files, by name.

    Called when a document changes, and by the test that holds the shipped ones against it.
    """
    written = []
    for name in sorted(DOCUMENTS):
        path = folder / schema_file(name)
        text = json.dumps(document_schema(name), ensure_ascii=False, indent=2) + "\n"
        path.write_text(text, encoding="utf-8", newline="\n")
        written.append(path)
    return written
