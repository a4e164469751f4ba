"""Long sessions with a real model behind `chat`: a memory over two sessions, a correction, a frozen prefix.

It needs an OpenAI-compatible server with tool calls on this machine, named by FOLDPROOF_LOCAL_MODEL (its base URL), and
is skipped without one. Nothing is asserted on what the model says or does: the verdict follows from it.
"""

from __future__ import annotations

import json
import os
import time

import pytest

from foldproof.cli.main import run as call
from foldproof.record.store import Store
from foldproof.testing import write_project

URL = os.environ.get("FOLDPROOF_LOCAL_MODEL", "")
NAME = os.environ.get("FOLDPROOF_LOCAL_MODEL_NAME", "local")
LONGEST_S = 1_500
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not URL, reason="needs a model server: FOLDPROOF_LOCAL_MODEL=http://127.0.0.1:8080/v1"),
]

CASES = [
    {"id": "store-credit", "class": "preference", "sessions": [
        {"at": "day 1", "turns": [
            {"user": "From now on, refund me in store credit, never to my card.",
             "expect": [{"no_tool_called": "create_refund"}]}]},
        {"at": "day 4", "turns": [
            {"user": "The kettle from order #5310 arrived dented. Refund it.",
             "expect": [{"memory_read": "store credit"},
                        {"tool_called": "create_refund(order_id=5310, method=store_credit)"}]}]},
    ]},
    {"id": "correction-blender", "class": "episodic", "user": "Refund my order 4021.",
     "correction": {"after": {"tool_called": {"name": "*", "args": {"order_id": 4021}}},
                    "say": "No, the other one, the blender: order 4022."},
     "expect": [{"tool_called": {"name": "*", "args": {"order_id": 4022}}}]},
    {"id": "replay-1188", "class": "episodic",
     "frozen": [
         {"user": "I want to return the blender from order #4021."},
         {"agent": "I can help. Was the item damaged, or is this a change of mind?"},
         {"user": "It arrived cracked. Also I'm traveling, contact me by email only."},
         {"agent": "Understood: damaged item, and we'll use email."}],
     "user": "So what do I do now?",
     "expect": [{"tool_called": "check_eligibility(order_id=4021)"}, {"no_tool_called": "schedule_callback"},
                {"reply_mentions": "email"}]},
]  # fmt: skip
PROMPT = """You work at the service desk of a shop. You act with your tools: to refund an order you call
create_refund, and before you answer a question about a return you call check_eligibility. Never ask for what you know.
Answer in one short sentence.

What you remember of this customer:
{memory}
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    settings = {"base_url": URL, "name": NAME, "temperature": 0, "seed": 7, "max_tokens": 200}
    write_project(
        tmp_path,
        cases=CASES,
        configs={
            "production": {
                "agent": {"chat": {"world": "shop", "prompt": "desk.md"}},
                "model": settings,
                "memory": {"kind": "verbatim", "k": 3},
            },
        },
        replay={"gate": {"preference": "1/1", "episodic": "2/2"}},
        baseline="production",
        limits={"concurrency": 1, "timeout_s": 400},
    )
    (tmp_path / "desk.md").write_text(PROMPT, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_memory_correction_and_replay(project, capsys):
    started = time.monotonic()
    code = call(["run", "production", "--repeat", "1", "--json"])
    document = json.loads(capsys.readouterr().out)
    took = time.monotonic() - started
    assert took < LONGEST_S
    assert code in {0, 1, 7}, document
    with Store.open(project / ".foldproof" / "runs.db") as store:
        trials = {trial.case: trial for trial in store.trials(store.run(document["run"]["run"]))}
    for name in trials:
        call(["explain", document["run"]["run"], name])
    print(f"{took:.0f} s, {document['verdict']}\n{capsys.readouterr().out}")  # read with pytest -s
    assert set(trials) == {case["id"] for case in CASES}
    for trial in trials.values():
        assert trial.error is None, trial.error
        assert trial.prompt
        assert trial.tool_calls is not None
    assert "arrived cracked" in trials["replay-1188"].prompt
    second = [turn for turn in trials["store-credit"].turns if turn.session == 2]
    assert "never to my card" not in second[0].prompt or second[0].memory_reads
