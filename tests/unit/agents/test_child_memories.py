"""A memory in a process of its own, `foldproof-memory/1`: what is sent, and what may go wrong."""

import json
import os
import sys
import time

import anyio
import pytest

from foldproof.agents import AgentError, TransientError, UnsupportedError
from foldproof.agents.memories import FREE, Resources, Serves, make_memory
from foldproof.agents.watch import Tap
from foldproof.core import UsageError
from foldproof.logs import History, MemoryItem, Session, Turn, Usage

pytestmark = pytest.mark.anyio
HISTORY = History("h", (Session("s1", (Turn("user", "I drink tea."), Turn("user", "No milk.")), "day 1"),))

PROGRAM = """
import json, pathlib, sys, time
ANSWERS = json.loads(sys.argv[1])
items, asked = [], 0
for line in sys.stdin:
    print(line.strip(), file=sys.stderr, flush=True)
    step = json.loads(line)
    answer = ANSWERS.get(step["do"], {})
    if step["do"] == "open":
        folder = pathlib.Path(step["folder"])
    elif step["do"] == "ingest" and not answer:
        items = [{"id": str(n), "text": turn["text"]}
                 for session in step["history"] for n, turn in enumerate(session["turns"], 1)]
        (folder / "items.json").write_text(json.dumps(items))
        answer = {"written": [item["id"] for item in items], "notes": ["two written"]}
    elif step["do"] == "memories" and not answer:
        asked += 1
        answer = {"items": items if asked > ANSWERS.get("late", 0) else items[:1]}
    elif step["do"] == "recall" and not answer:
        answer = {"items": [*items, {"text": "old", "score": 0.1, "dropped": "beyond k"}], "notes": ["searched"],
                  "usage": {"input_tokens": 3, "cost_usd": 0.5}}
    elif step["do"] == "snapshot" and not answer:
        (pathlib.Path(step["folder"]) / "copy.json").write_text(json.dumps(items))
        answer = {"snapshot": {"count": len(items)}}
    elif step["do"] == "restore":
        items = json.loads((pathlib.Path(step["folder"]) / "copy.json").read_text())
    elif step["do"] == "forget":
        items = [item for item in items if item["id"] != step["id"]]
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def made(tmp_path, monkeypatch):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))

    def make(answers=None, user="t1", tap=None, **settings):
        command = [sys.executable, "program.py", json.dumps(answers or {})]
        resources = Resources(tmp_path, dict(os.environ), {"name": "m"}, user, tap or Tap())
        return make_memory({"kind": "process", "command": command, **settings}, resources)

    return make


def sent(memory):
    return [json.loads(line) for line in memory.log.splitlines()]


async def test_the_steps_in_their_order_and_what_they_hold(made, tmp_path):
    memory = made(tap=Tap("http://127.0.0.1:1/v1", {"COLOUR": "blue"}), depth=3)
    assert memory.compacts
    assert memory.log == ""
    await memory.build(HISTORY)
    assert await memory.items() == (MemoryItem("I drink tea.", "1"), MemoryItem("No milk.", "2"))
    recall = await memory.recall("Milk?")
    assert recall.items == (MemoryItem("I drink tea.", "1", rank=1), MemoryItem("No milk.", "2", rank=2))
    assert recall.passed_over == (MemoryItem("old", rank=3, score=0.1, dropped="beyond k"),)
    assert recall.notes == ("two written", "searched")
    assert recall.usage == Usage(3, None, 0.5)
    await memory.fold()
    await memory.forget("1")
    assert [item.id for item in await memory.items()] == ["2"]
    await memory.close()
    opened, ingested, *rest = sent(memory)
    folder = opened.pop("folder")
    assert folder.startswith(str(tmp_path / "temporary"))
    assert opened == {
        "do": "open", "memory_config": {"depth": 3}, "user": "t1", "wire_url": "http://127.0.0.1:1/v1",
    }  # fmt: skip
    turns = [{"role": "user", "text": "I drink tea."}, {"role": "user", "text": "No milk."}]
    assert ingested == {"do": "ingest", "user": "t1", "history": [{"session": "s1", "at": "day 1", "turns": turns}]}
    assert [step["do"] for step in rest] == ["memories", "memories", "recall", "fold", "forget", "memories", "close"]
    assert rest[2] == {"do": "recall", "user": "t1", "text": "Milk?"}
    assert rest[4] == {"do": "forget", "user": "t1", "id": "1"}


async def test_a_later_session_is_added_and_has_to_land(made):
    later = Session("live-1", (Turn("user", "Oat milk is fine."),), "day 9")
    memory = made({"add": {"written": ["1"], "notes": ["one added"]}})
    await memory.build(HISTORY)
    await memory.add(later)
    assert (await memory.recall("Milk?")).notes == ("two written", "one added", "searched")
    await memory.close()
    turns = [{"role": "user", "text": "Oat milk is fine."}]
    told = [{"do": "add", "user": "t1", "history": [{"session": "live-1", "at": "day 9", "turns": turns}]}]
    assert [step for step in sent(memory) if step["do"] == "add"] == told
    memory = made({"add": {"written": ["lost"]}}, settle_s=0.05)
    with pytest.raises(AgentError, match="1 of 1 writes never landed"):
        await memory.add(later)
    await memory.close()
    memory = made({"add": {"unsupported": "it is built once"}})
    with pytest.raises(UnsupportedError, match="it is built once"):
        await memory.add(later)
    await memory.close()


async def test_a_further_user_is_served_by_the_same_program(made):
    memory = made()
    assert isinstance(memory, Serves)
    bob = memory.serve("t1-bob")
    assert bob.compacts is memory.compacts
    await bob.build(HISTORY)
    await bob.fold()
    await bob.recall("Milk?")
    await bob.items()
    await bob.forget("1")
    await memory.items()
    await memory.close()
    asked = [(step["do"], step["user"]) for step in sent(memory) if step["do"] not in {"open", "close"}]
    assert asked == [*((do, "t1-bob") for do in ("add", "fold", "recall", "memories", "forget")), ("memories", "t1")]
    assert len([step for step in sent(memory) if step["do"] == "open"]) == 1


async def test_a_copy_is_handed_over_by_folder_and_under_its_own_user(made, tmp_path):
    built, taken = made(), made(user="t2")
    await built.build(HISTORY)
    snapshot = await built.snapshot()
    await built.close()
    await taken.restore(snapshot)
    assert (await taken.recall("Milk?")).items[1].text == "No milk."
    assert (await taken.recall("Milk?")).notes == ("two written", "searched")
    await taken.close()
    asked = [step for step in sent(taken) if step["do"] in {"restore", "recall"}]
    assert asked[0]["snapshot"] == {"count": 2}
    assert {step["user"] for step in asked} == {"t1"}
    assert list((tmp_path / "temporary").iterdir()) == [snapshot.folder]
    del snapshot
    assert list((tmp_path / "temporary").iterdir()) == []


async def test_what_building_used_is_noted_for_the_next_answer(made):
    told = {"input_tokens": 10, "output_tokens": 2, "cost_usd": 0.25}
    memory = made({"ingest": {"usage": told}, "fold": {"usage": told}})
    spent = memory._resources.spent
    await memory.build(HISTORY)
    await memory.fold()
    recall = await memory.recall("Milk?")
    assert recall.usage == Usage(3, None, 0.5), "a recall tells its own"
    assert spent.with_answer(recall.usage) == Usage(23, None, 1.0)
    assert spent.with_answer(recall.usage) == recall.usage
    await memory.close()
    memory = made({"ingest": {"usage": "much"}})
    await memory.build(HISTORY)
    assert memory._resources.spent.with_answer(FREE) is None, "what cannot be read is not known"
    await memory.close()


async def test_the_scratch_takes_every_folder_with_it(made, tmp_path):
    memory = made()
    await memory.build(HISTORY)
    snapshot = await memory.snapshot()
    assert len(list((tmp_path / "temporary").iterdir())) == 2
    memory._resources.scratch.close()
    assert list((tmp_path / "temporary").iterdir()) == []
    await memory.close()
    assert not snapshot.folder.exists()
    memory._resources.scratch.close()


async def test_a_write_that_lands_late_is_waited_for(made):
    memory = made({"late": 3})
    await memory.build(HISTORY)
    assert len(await memory.items()) == 2
    await memory.close()


async def test_a_write_that_never_lands_is_an_error_that_counts(made):
    memory = made({"late": 10**6}, settle_s=0.2)
    before = time.monotonic()
    with pytest.raises(AgentError, match=r"1 of 2 writes never landed: .* within 0\.2 s, for instance `2`"):
        await memory.build(HISTORY)
    assert time.monotonic() - before < 10
    await memory.close()


async def test_a_memory_that_cannot_be_listed_says_that_its_writes_are_not_known(made):
    memory = made({"memories": {"unsupported": "write only"}})
    await memory.build(HISTORY)
    with pytest.raises(UnsupportedError, match="the memory does not support `memories`: write only"):
        await memory.items()
    assert "the memory cannot be listed: whether its writes landed is unknown" in (await memory.recall("x")).notes
    await memory.close()


@pytest.mark.parametrize("step", ["fold", "forget", "snapshot", "ingest", "recall"])
async def test_what_it_does_not_know_is_unsupported(made, step):
    memory = made({step: {"unsupported": True}})
    asked = {"fold": memory.fold, "forget": lambda: memory.forget("1"), "snapshot": memory.snapshot,
             "ingest": lambda: memory.build(HISTORY), "recall": lambda: memory.recall("x")}  # fmt: skip
    with pytest.raises(UnsupportedError, match=f"the memory does not support `{step}`"):
        await asked[step]()
    await memory.close()


async def test_answers_without_their_field_are_told(made, tmp_path):
    memory = made({"recall": {"found": []}, "memories": {"all": []}, "snapshot": {"copy": 1}, "ingest": {"ok": True}})
    await memory.build(HISTORY)
    with pytest.raises(AgentError, match="answered `recall` without `items`"):
        await memory.recall("x")
    with pytest.raises(UnsupportedError, match="answered `memories` without `items`"):
        await memory.items()
    with pytest.raises(UnsupportedError, match="answered `snapshot` without one"):
        await memory.snapshot()
    await memory.close()
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("answer", "kind"),
    [({"error": "no disk"}, AgentError), ({"error": "HTTP 429"}, TransientError), (7, AgentError)],
)
async def test_a_failure_says_that_it_is_the_memorys(made, answer, kind):
    memory = made({"ingest": answer})
    with pytest.raises(kind, match="the memory "):
        await memory.build(HISTORY)
    await memory.close()
    memory = made({"open": {"error": "no disk"}})
    with pytest.raises(AgentError, match="the memory failed at `open`: no disk"):
        await memory.build(HISTORY)


async def test_nothing_runs_before_it_is_needed_and_nothing_after(made, tmp_path):
    memory = made()
    await memory.close()
    assert list((tmp_path / "temporary").iterdir()) == []
    assert (await memory.recall("x")).items == (), "a case without a history has an empty memory"
    pid = memory._process.pid
    await memory.close()
    await memory.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert list((tmp_path / "temporary").iterdir()) == []


async def test_a_time_out_leaves_nothing_behind(tmp_path, made):
    (tmp_path / "program.py").write_text("import time, sys\nsys.stdin.readline()\ntime.sleep(600)\n")
    memory = made()
    with anyio.move_on_after(0.3) as scope:
        try:
            await memory.build(HISTORY)
        finally:
            await memory.close()
    assert scope.cancelled_caught
    assert list((tmp_path / "temporary").iterdir()) == []


# --- settings


def refused(tmp_path, config, **resources):
    with pytest.raises(UsageError) as caught:
        make_memory(config, Resources(tmp_path, {"PATH": os.environ["PATH"]}, **resources))
    return str(caught.value)


EMBED = {"base_url": "http://127.0.0.1:1/v1"}
PYTHON = {"python": sys.executable}


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"kind": "process"}, ["has no `command`", "my_memory.py"]),
        ({"kind": "process", "command": "python3 a.py"}, ["a list of texts is expected"]),
        ({"kind": "process", "command": ["./absent"]}, ["the program `./absent` of `command` cannot be run", "below"]),
        ({"kind": "process", "command": ["no-such"]}, ["on the PATH"]),
        ({"kind": "process", "command": ["sh"], "settle_s": -1}, ["`settle_s` is -1"]),
        ({"kind": "openai_agents", "python": ".venvs/absent/bin/python"}, ["`python` is", "no interpreter can be run"]),
        ({"kind": "mem0", **PYTHON, "infer": False}, ["searches by embeddings, and none are configured", "embed: {"]),
        ({"kind": "mem0", **PYTHON, "embed": EMBED}, ["extracts facts with a model", "infer: false"]),
        ({"kind": "mem0", **PYTHON, "inferr": True}, ["has no setting `inferr`", "did you mean `infer`"]),
        ({"kind": "mem0", **PYTHON, "model": {"nam": "x"}}, ["memory 'mem0.model'", "did you mean `name`"]),
        ({"kind": "langgraph", **PYTHON, "embed": {}}, ["none are configured"]),
        ({"kind": "langgraph", **PYTHON, "summarize": {}}, ["summarizes with a model, and none is configured"]),
        ({"kind": "langgraph", **PYTHON, "summarize": {}, "k": 3}, ["`k` plays no part with `summarize`"]),
        (
            {"kind": "langgraph", **PYTHON, "summarize": {"max_tokens": 10}},
            ["needs `max_summary_tokens` below `max_tokens`"],
        ),
        ({"kind": "mcp", **PYTHON}, ["has no `command` that starts a server", "npm install"]),
        ({"kind": "mcp", **PYTHON, "command": ["sh"], "search": "both"}, ["one of `words`, `question`"]),
        ({"kind": "mcp", **PYTHON, "command": ["sh"], "tools": {"find": {}}}, ["`tools` has 'find'", "search"]),
        ({"kind": "mcp", **PYTHON, "command": ["sh"], "tools": {"list": {}}}, ["`tools.list` names no `tool`"]),
        (
            {"kind": "mcp", **PYTHON, "command": ["sh"], "tools": {"list": {"tool": "all"}}},
            ["needs at least `write` and `search`"],
        ),
        ({"kind": "openai_agents", **PYTHON, "k": 0}, ["a whole number from 1"]),
    ],
)
def test_settings_that_cannot_be_used_are_refused_at_once(tmp_path, config, words):
    told = refused(tmp_path, config)
    for part in words:
        assert part in told


@pytest.mark.parametrize(
    ("kind", "package"),
    [("mem0", "mem0ai"), ("langgraph", "langgraph"), ("mcp", "mcp"), ("openai_agents", "openai-agents")],
)
def test_a_package_that_is_not_there_is_named_with_what_to_do(tmp_path, monkeypatch, kind, package):
    from importlib.metadata import PackageNotFoundError

    def absent(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("foldproof.agents.memories.vendor_kinds.distribution", absent)
    more = {"embed": EMBED} if kind == "mem0" else {"command": ["sh"]} if kind == "mcp" else {}
    told = refused(tmp_path, {"kind": kind, **more}, model={"base_url": "http://127.0.0.1:1/v1", "name": "m"})
    assert f"memory '{kind}' needs the package `{package}`, which is not installed" in told
    assert f'pip install "foldproof[{kind.replace("_", "-")}]"' in told
    assert "python: " in told


@pytest.mark.parametrize(
    ("own", "wire", "asked"),
    [
        ({}, "", "http://127.0.0.1:1/v1"),
        ({}, "http://127.0.0.1:9/t/v1", "http://127.0.0.1:9/t/v1"),
        ({"base_url": "http://127.0.0.1:1/v1"}, "http://127.0.0.1:9/t/v1", "http://127.0.0.1:9/t/v1"),
        ({"base_url": "http://127.0.0.1:2/v1"}, "http://127.0.0.1:9/t/v1", "http://127.0.0.1:2/v1"),
    ],
)
def test_the_memorys_model_goes_over_the_wire_where_the_wire_leads_there(tmp_path, own, wire, asked):
    resources = Resources(tmp_path, {}, {"base_url": "http://127.0.0.1:1/v1", "name": "m", "seed": 7}, "t", Tap(wire))
    memory = make_memory({"kind": "mem0", **PYTHON, "model": own}, resources)
    config = memory._launch.memory_config
    assert config["model"] == {"base_url": asked, "name": "m", "seed": 7}
    assert config["embed"]["base_url"] == "http://127.0.0.1:1/v1"
    assert config["embed"]["name"] == "text-embedding-3-small"


def test_telemetry_is_off_and_everything_is_kept_in_the_trials_folder(tmp_path):
    memory = make_memory({"kind": "openai_agents", **PYTHON}, Resources(tmp_path))
    environ = memory._launch.environ
    assert environ["PYTHONPATH"] == "", "it would hide the packages of another interpreter"
    assert environ["MEM0_TELEMETRY"] == environ["ANONYMIZED_TELEMETRY"] == "False"
    assert environ["LANGSMITH_TRACING"] == environ["LANGCHAIN_TRACING_V2"] == "false"
    assert environ["OPENAI_AGENTS_DISABLE_TRACING"] == "1"
    assert environ["MEM0_DIR"] == environ["TMPDIR"] == "{home}"


async def test_a_path_is_taken_from_the_project_and_a_link_is_not_followed(tmp_path):
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "python").symlink_to(sys.executable)
    memory = make_memory({"kind": "openai_agents", "python": "venv/python"}, Resources(tmp_path))
    assert memory._launch.argv[0] == str(tmp_path / "venv" / "python")
