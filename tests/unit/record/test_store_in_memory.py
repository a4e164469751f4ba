"""A store of one process alone: it keeps what any store keeps, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from foldproof.core import Redactor
from foldproof.record import Run, Trial
from foldproof.record.store import Store

RUN = Run(config="production", config_sha256="c", config_content={}, set_name="s", set_sha256="x")


def test_it_keeps_runs_and_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Store.in_memory(Redactor({"MY_KEY": "swordfish-and-chips"})) as store:
        run = store.create_run(RUN)
        store.add(run, [Trial(case="a", repeat=0, answer="The key is swordfish-and-chips.")])
        (trial,) = store.trials(run)
        assert trial.answer == "The key is [redacted]."
        with store.lock("run-1") as held, store.lock("run-1") as again:
            assert held
            assert again, "nobody else can have it: each such store is its own"
        assert store.run("production").id == run.id
    assert list(tmp_path.iterdir()) == []


def test_two_of_them_share_nothing() -> None:
    with Store.in_memory() as one, Store.in_memory() as other:
        one.create_run(RUN)
        assert len(one.runs()) == 1
        assert other.runs() == []
