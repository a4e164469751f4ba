"""The transcript of docs/compactor-protocol.md is what the example answers, and the example is a compactor."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from foldproof.agents.compactors import open_compactors
from foldproof.cases import DeclaredCompactor, Limits

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "compactors" / "first_lines.py"


def test_the_transcript_is_true():
    page = (ROOT / "docs" / "compactor-protocol.md").read_text(encoding="utf-8")
    lines = re.search(r"```json\n(.*?)```", page, re.DOTALL)[1].splitlines()
    done = subprocess.run(
        [sys.executable, str(EXAMPLE)],
        input="\n".join(lines[::2]) + "\n",
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [json.loads(line) for line in lines[1::2]]
    assert done.stderr == ""


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.mark.anyio
async def test_the_example_is_a_compactor(tmp_path):
    declared = DeclaredCompactor("mine", {"command": [sys.executable, str(EXAMPLE)]})
    async with open_compactors([declared], root=tmp_path, environ={}, configs={}, limits=Limits()) as (mine,):
        found = await mine.compact("Never push to main.\nRedis is the cache.", 5)
    assert (found.text, found.notes, found.error) == ("Never push to main.", ("1 lines kept",), "")
