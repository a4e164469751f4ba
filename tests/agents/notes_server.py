"""A memory server of the Model Context Protocol in a few lines, for the tests: notes in a JSON file."""

import json
import sys
from pathlib import Path

from mcp.server import MCPServer

server = MCPServer("notes")
FILE = Path(sys.argv[1])


def held():
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else []


def words(text):
    return {word.strip(".?!,").lower() for word in text.split() if len(word) > 3}


@server.tool()
def save_note(text: str) -> str:
    """Write a note down."""
    if "unwritable" in sys.argv:
        raise ValueError("the disk is full")
    rows = held()
    rows.append({"id": str(len(rows) + 1), "text": text})
    FILE.write_text(json.dumps(rows), "utf-8")
    return rows[-1]["id"]


@server.tool()
def find_notes(query: str) -> list[dict[str, str]]:
    """The notes that share a word with the query."""
    return [row for row in held() if words(query) & words(row["text"])]


@server.tool()
def all_notes() -> list[dict[str, str]]:
    """Every note."""
    return held()


@server.tool()
def drop_note(id: str) -> str:  # noqa: A002  # the argument's name in the protocol
    """Delete a note."""
    FILE.write_text(json.dumps([row for row in held() if row["id"] != id]), "utf-8")
    return "gone"


server.run()
