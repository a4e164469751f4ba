"""Where the tests find an interpreter with a vendor's package: this one, `$FOLDPROOF_VENDORS/KIND`, `.venvs/KIND`."""

import os
import shutil
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

PACKAGES = {"langgraph": "langmem", "mcp": "mcp", "mem0": "mem0ai", "openai_agents": "openai-agents"}
FOLDER = Path(os.environ.get("FOLDPROOF_VENDORS") or Path(__file__).parents[2] / ".venvs")
SERVER = "node_modules/@modelcontextprotocol/server-memory/dist/index.js"


def python_of(kind):
    """The setting `python` of a kind, as a mapping; skips where no interpreter has the package."""
    place = FOLDER / kind / "bin" / "python"
    if place.exists():
        return {"python": str(place)}
    try:
        distribution(PACKAGES[kind])
    except PackageNotFoundError:
        pytest.skip(f"no interpreter has `{PACKAGES[kind]}`: there is no {place}")
    return {}


def node_server():
    """The command of `@modelcontextprotocol/server-memory`; skips where it is not installed."""
    place = FOLDER / "node" / SERVER
    if shutil.which("node") is None or not place.exists():
        pytest.skip(f"the memory server for Node is not installed: there is no {place}")
    return ["node", str(place)]
