"""The YAML blocks of our two pages load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from foldproof.cases import load_project, load_set

DOCS = Path(__file__).parents[3] / "docs"
BLOCKS = [
    (page, block)
    for page in ("replay-set.md", "project-file.md")
    for block in re.findall(r"```(?:yaml|json)\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
]


@pytest.mark.parametrize(("page", "block"), BLOCKS)
def test_each_block_loads(tmp_path, page, block):
    history = '{"session": "s12", "turns": [{"role": "user", "text": "Billing runs on Postgres 15."}]}'
    place = tmp_path / "histories" / "acme.jsonl"
    place.parent.mkdir()
    place.write_text(history if not block.startswith('{"session"') else block)
    path = tmp_path / ("replay.json" if block.startswith('{"cases"') else "file.yaml")
    path.write_text(block if not block.startswith('{"session"') else BLOCKS[3][1])
    assert load_project(path).configs if block.startswith("# foldproof.yaml") else load_set(path).cases
