"""Agents on the official clients, as they stand in `examples/`: run as commands, seen on the wire, with no key kept."""

from __future__ import annotations

import json
import re
import shutil
import sys
from functools import partial
from pathlib import Path

import pytest

from foldproof.record.store import Store
from foldproof.testing import ModelFailure, ModelReply, ScriptedModel, answer_from_context, look_up_first, write_project

pytest.importorskip("openai", reason="the package openai comes with the extra `dev`")
pytest.importorskip("anthropic", reason="the package anthropic comes with the extra `dev`")

EXAMPLES = Path(__file__).parents[2] / "examples" / "agents"
NAMES = ("openai", "anthropic")
# On by itself where the environment names a key or a base URL.
WATCHED = {"openai": {}, "anthropic": {"wire": "on"}}
APIS = {"openai": "chat", "anthropic": "messages"}
SYSTEM = re.search(r'SYSTEM = "(.+)"', (EXAMPLES / "openai_agent.py").read_text("utf-8"))[1]
QUESTION = "Which database does the billing service run on?"
FACT = "For the billing service we run Postgres 15."
SAID = [FACT, "The office is in Lyon.", "I like green tea.", "My cat is called Tom."]
HISTORY = [
    {"session": "s1", "turns": [{"role": "user", "text": text} for text in SAID]},
    {"session": "s2", "turns": [{"role": "agent", "text": "The billing service runs on MongoDB."}]},
]
CASES = [
    {"id": "db", "history": "acme", "question": QUESTION, "expected_facts": ["Postgres 15"],
     "forbidden_facts": ["MongoDB"]},
    {"id": "pet", "history": "acme", "question": "What is my cat called?", "expected_facts": ["Tom"]},
]  # fmt: skip
CANARIES = ("sk-canary-openai-0123456789abcdef", "sk-ant-canary-0123456789abcdef", "cookie-canary-0123456789")
RULE = look_up_first(partial(answer_from_context, most=1), tool="lookup_memory")


@pytest.fixture
def sdk_project(tmp_path, monkeypatch):
    """The two example agents, with keys and base URLs in the environment as a user has them."""

    def write(scripted):
        folder = tmp_path / "project"
        configs = {name: {"agent": {"command": [sys.executable, f"{name}_agent.py"]}} | WATCHED[name] for name in NAMES}
        configs["base"] = {"agent": "recall", "memory": {"kind": "verbatim"}}  # it alone is asked twice
        write_project(folder, cases=CASES, configs=configs, histories={"acme": HISTORY}, baseline="base",
                      limits={"retries": 0})  # fmt: skip
        for name in NAMES:
            shutil.copy(EXAMPLES / f"{name}_agent.py", folder)
        for name, value in scripted.environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("OPENAI_API_KEY", CANARIES[0])
        monkeypatch.setenv("ANTHROPIC_API_KEY", CANARIES[1])
        monkeypatch.chdir(folder)
        return folder

    return write


def files_with(folder, *words):
    """The files below a folder that hold one of the words, as bytes."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return [f"{path.name}: {word}" for path in paths for word in words if word.encode() in path.read_bytes()]


def stand_in_order(texts, prompt):
    """Whether a prompt holds these texts whole, one after the other."""
    at = 0
    for text in texts:
        at = prompt.find(text, at)
        if at < 0:
            return False
        at += len(text)
    return True


def explained(cli, name, case):
    [trial] = cli("explain", name, case, "--json").document["trials"]
    return trial


@pytest.mark.parametrize("name", NAMES)
def test_explain_shows_the_exact_prompts_of_an_unchanged_agent(name, sdk_project, cli):
    assert not re.search(r"^\s*(?:import|from) foldproof", (EXAMPLES / f"{name}_agent.py").read_text(), re.MULTILINE)
    with ScriptedModel(RULE, headers={"set-cookie": f"session={CANARIES[2]}"}) as scripted:
        folder = sdk_project(scripted)
        result = cli("run", name, "--json")
        requests = scripted.requests
        assert (result.code, scripted.refused) == (0, []), result.out + result.err
    assert len(requests) == 4
    assert all(request.stream and request.api == APIS[name] for request in requests)

    first, second = explained(cli, name, "db")["calls"]
    found = SAID[:3]
    assert stand_in_order([SYSTEM, QUESTION], first["prompt"])
    assert stand_in_order([SYSTEM, QUESTION, "lookup_memory", QUESTION, *found], second["prompt"])
    assert not stand_in_order(found[:1], first["prompt"])
    assert "Tom" not in second["prompt"], "that is what the other trial was told"
    assert [call["tool_calls"] for call in (first, second)] == [
        [{"name": "lookup_memory", "args": {"query": QUESTION}}], []
    ]  # fmt: skip
    assert second["answer"] == FACT
    for call in (first, second):
        told = (call["source"], call["api"], call["during"], call["status"], call["error"])
        assert told == ("wire", APIS[name], "answering", 200, "")
        # In a stream, OpenAI counts only where the client asks for it, which this one does not.
        counts = (call["input_tokens"], call["output_tokens"])
        assert counts == (None, None) if name == "openai" else min(counts) > 1

    with Store.open(folder / ".foldproof" / "runs.db") as store:
        seen = [seen for trial in store.trials(store.run("1")) for seen in trial.seen]
    kept = [json.loads(call.request) for one in seen for call in one.calls]
    assert sorted(map(json.dumps, kept)) == sorted(json.dumps(request.body) for request in requests)


def test_no_key_and_no_cookie_is_kept(sdk_project, cli):
    with ScriptedModel(RULE, headers={"set-cookie": f"session={CANARIES[2]}"}) as scripted:
        folder = sdk_project(scripted)
        for name in NAMES:
            assert cli("run", name, "--only", "db", "--cassette", "record").code == 0
        sent = " ".join(value for request in scripted.requests for value in request.headers.values())
    assert all(key in sent for key in CANARIES[:2]), "the keys went to the model"
    assert files_with(folder, FACT), "a word that is kept is found"
    assert files_with(folder, *CANARIES) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_key_in_an_error_is_not_kept(name, sdk_project, cli):
    key = CANARIES[NAMES.index(name)]
    with ScriptedModel(lambda _: ModelFailure(401, f"Incorrect key: {key}, ask for another one.")) as scripted:
        folder = sdk_project(scripted)
        result = cli("run", name, "--only", "db", "--json")
    assert result.code == 7, result.out + result.err
    trial = explained(cli, name, "db")
    assert [(call["status"], call["answer"]) for call in trial["calls"]] == [(401, "")]
    assert "ask for another one" in trial["calls"][0]["error"]
    assert "AuthenticationError" in trial["log"]
    assert key not in result.out + result.err + json.dumps(trial)
    assert files_with(folder, "ask for another one")
    assert files_with(folder, *CANARIES) == []


def test_a_stream_that_breaks_off_is_told(sdk_project, cli):
    broken = ModelReply(FACT, breaks_after=3)
    with ScriptedModel(lambda _: broken) as scripted:
        sdk_project(scripted)
        assert cli("run", "openai", "--only", "db").code == 7
    calls = explained(cli, "openai", "db")["calls"]
    assert calls
    assert all("broke off" in call["error"] for call in calls)
    assert not any("Postgres" in call["answer"] for call in calls)


def test_the_page_shows_the_examples_as_they_are():
    page = (EXAMPLES.parents[1] / "docs" / "agents.md").read_text("utf-8")
    section = page.partition("## Agents on the official SDKs")[2].partition("\n## ")[0]
    shown = re.findall(r"```python\n# fragment\n(.*?)```", section, re.DOTALL)
    openai_code, anthropic_code = ((EXAMPLES / f"{name}_agent.py").read_text("utf-8") for name in NAMES)
    assert [part in openai_code for part in shown] == [True, False, True]
    assert [part in anthropic_code for part in shown] == [False, True, True]
