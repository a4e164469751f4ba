"""Make `.venvs/KIND` for each vendor's memory, with what its extra names, and install the MCP memory server for Node.

The tests in `tests/agents/test_vendor_memories.py` look there, and are skipped for what they do not find. What is
there already is left alone; `python scripts/vendor_venvs.py mem0` makes one.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venvs"
KINDS = {"langgraph": "langgraph", "mcp": "mcp", "mem0": "mem0", "openai_agents": "openai-agents"}
SERVER = "@modelcontextprotocol/server-memory"


def main(asked: list[str]) -> int:
    """Make what is asked for, or all of it."""
    unknown = [name for name in asked if name not in {*KINDS, "node"}]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join([*KINDS, 'node'])}", file=sys.stderr)  # noqa: T201  # a script
        return 4
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for kind, extra in KINDS.items():
        place = FOLDER / kind
        if (not asked or kind in asked) and not place.exists():
            venv.create(place, with_pip=True)
            command = [str(place / "bin" / "python"), "-m", "pip", "install", "-q", *extras[extra]]
            subprocess.run(command, check=True)  # noqa: S603  # what this repository pins
    npm, place = shutil.which("npm"), FOLDER / "node"
    if (not asked or "node" in asked) and npm and not place.exists():
        place.mkdir(parents=True)
        (place / "package.json").write_text('{"private": true}', "utf-8")
        command = [npm, "install", "--no-fund", "--no-audit", "--silent", SERVER]
        subprocess.run(command, cwd=place, check=True)  # noqa: S603  # a fixed command
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
