"""A store in a temporary folder, and records to put in."""

import pytest

from foldproof.core import Redactor
from foldproof.logs import MemoryItem, ToolCall, Usage
from foldproof.record import Run, StoreListing, Trial, TrialError
from foldproof.record.store import Store


@pytest.fixture
def path(tmp_path):
    return tmp_path / ".foldproof" / "runs.db"


@pytest.fixture
def open_store(path):
    opened = []

    def opening(environ=None, at=path):
        opened.append(Store.open(at, Redactor(environ or {})))
        return opened[-1]

    yield opening
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store):
    return open_store()


@pytest.fixture
def new_run():
    def making(config="production", **changes):
        known = {
            "config_sha256": "c0",
            "config_content": {"agent": {"recall": ""}},
            "set_name": "s",
            "set_sha256": "s0",
        }
        return Run(config, **{**known, **changes})

    return making


@pytest.fixture
def full_run(new_run):
    return new_run(
        config_content={"agent": {"recall": ""}, "memory": {"k": 8, "deep": [1, 2.5, None, True, "é"]}},
        control="unplugged",
        fingerprint="f0",
        settings_sha256="e0",
        foldproof="0.1.0",
        started_at="2026-03-04T05:06:07+00:00",
        notes=("one", "two"),
    )


@pytest.fixture
def listing():
    return StoreListing((MemoryItem("user is vegetarian", "m1", "preference", 1, 0.5), MemoryItem("b")))


@pytest.fixture
def full_trial(listing):
    return Trial(
        "q1",
        2,
        answer="Postgres 15\r\nno ORM\u2028\x00 “字” 🙂",
        tool_calls=(ToolCall("refund", {"order": 4021, "deep": {"a": [1.5, None]}}),),
        memory_reads=(MemoryItem("user is vegetarian", rank=1, score=0.25),),
        memory_writes=(),
        store_written=listing.sha256,
        store_kept=listing.sha256,
        prompt="the prompt",
        usage=Usage(10, None, 0.25),
        notes=("a note",),
        log="a line\n",
        started_at="2026-03-04T05:06:07.000+00:00",
        duration_s=1.25,
        attempts=3,
    )


@pytest.fixture
def errored():
    return Trial("q1", 0, error=TrialError("agent", "it broke", "ValueError", "Traceback …\n"), attempts=2)
