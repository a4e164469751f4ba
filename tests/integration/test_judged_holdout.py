"""A holdout brings the prompt of its judge along, which then lies on no disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from foldproof.cases import load_project, make_key, open_sealed, seal_set
from foldproof.core import FileError
from foldproof.record.store import Store
from foldproof.workflow.verdicts import judge_of
from foldproof.workflow.workspace import Workspace

pytest.importorskip("cryptography", reason="comes with the extra `holdout`")

SET = """\
judge: {model: gpt-4.1-2025-04-14, prompt: fact.md}
cases:
- {id: a, question: Which?, expected_facts: [{judged: names it}]}
"""


def test_the_prompt_is_read_from_the_sealed_file(tmp_path: Path) -> None:
    (tmp_path / "fact.md").write_text("Does the answer state the fact?")
    (tmp_path / "second.yaml").write_text(SET)
    (tmp_path / "foldproof.yaml").write_text("configs: {production: {agent: recall}}\n")
    project, key = load_project(tmp_path / "foldproof.yaml"), make_key()
    raw, plain = seal_set(tmp_path / "second.yaml", key)
    (tmp_path / "holdout.sealed").write_bytes(raw)
    with Store.in_memory() as store:
        before = judge_of(Workspace(project, plain, store, {}))
        (tmp_path / "fact.md").unlink()
        opened = open_sealed(tmp_path / "holdout.sealed", key)
        assert judge_of(Workspace(project, opened.replay_set, store, {}, opened.read)) == before
        with pytest.raises(FileError, match="does not exist"):
            judge_of(Workspace(project, plain, store, {}))
