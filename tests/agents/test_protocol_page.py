"""The transcript of docs/agent-protocol.md is what the Node example answers."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_transcript_is_true():
    page = (ROOT / "docs" / "agent-protocol.md").read_text(encoding="utf-8")
    lines = re.search(r"```json\n(.*?)```", page, re.DOTALL)[1].splitlines()
    done = subprocess.run(
        ["node", str(ROOT / "examples" / "agents" / "echo_memory.mjs")],
        input="\n".join(lines[::2]) + "\n",
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [json.loads(line) for line in lines[1::2]]
    assert done.stderr == ""
