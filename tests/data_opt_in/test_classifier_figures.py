"""What the rules of triage see of labels made by reading, as docs/compaction.md tells it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "agents_md"
LABELS = ROOT / "benchmarks" / "labels" / "agents_md.yaml"


def figures(*places):
    command = [sys.executable, str(ROOT / "benchmarks" / "classifier.py"), *map(str, places), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)
    of, seen = sum(table["safety"].values()), sum(row["safety"] for row in table.values())
    return table["safety"]["safety"], of, seen


def told(hit, of, seen):
    page = (ROOT / "docs" / "compaction.md").read_text("utf-8")
    return f"{hit} of {of} " in page and f"{hit} of {seen} " in page


def test_of_the_shipped_corpus():
    assert told(*figures())


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs {DATA}")
def test_of_real_instruction_files():
    assert told(*figures(LABELS, DATA))
