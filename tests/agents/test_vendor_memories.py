"""One contract, held by every real memory, against the vendor's own package in an interpreter of its own."""

import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from foldproof.agents import AgentError, UnsupportedError
from foldproof.agents.memories import Forgets, Grows, Resources, make_memory
from foldproof.agents.watch import Tap
from foldproof.core import UsageError
from foldproof.logs import History, Session, Turn
from foldproof.testing import ModelFailure, ScriptedModel, extract_facts, write_project

from .vendor_places import node_server, python_of

pytestmark = pytest.mark.anyio
HERE = Path(__file__).parent
HOST = HERE.parents[1] / "src" / "foldproof" / "agents" / "memories" / "vendors" / "host.py"
QUESTION = "Which database does our billing use?"
KINDS = ["mem0", "mem0-as-it-is", "langgraph", "langgraph-summary", "mcp", "mcp-notes", "openai_agents"]
SEARCHING = {"mem0", "mem0-as-it-is", "langgraph", "mcp", "mcp-notes"}
FORGETTING = SEARCHING
FOLDING = {"langgraph-summary"}


def summary_or_facts(request):
    """The first sentence that a person said, where a summary is asked for, else what a memory extracts."""
    if request.question.startswith(("Create a summary", "This is summary")):
        return next(said.text for said in request.messages if said.role == "user")
    return extract_facts(request)


@pytest.fixture
def scripted():
    with ScriptedModel(summary_or_facts) as server:
        yield server


@pytest.fixture
def settings_of(scripted):
    def settings(kind):
        name = kind.partition("-")[0]
        found = {"kind": name, **python_of(name)}
        if kind == "langgraph-summary":
            return {**found, "summarize": {"max_tokens": 30, "max_summary_tokens": 10}}
        if kind == "mcp":
            return {**found, "command": node_server()}
        if kind == "mcp-notes":
            server = [found.get("python", sys.executable), str(HERE / "notes_server.py"), "{folder}/notes.json"]
            tools = {
                "write": {"tool": "save_note"},
                "search": {"tool": "find_notes"},
                "list": {"tool": "all_notes"},
                "delete": {"tool": "drop_note"},
            }
            return {**found, "command": server, "tools": tools, "search": "question"}
        if name in {"mem0", "langgraph"}:
            found["embed"] = {"base_url": scripted.url, "name": "words"}
        return {**found, "infer": False} if kind == "mem0-as-it-is" else found

    return settings


@pytest.fixture
def opened(tmp_path, scripted, settings_of, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()

    @asynccontextmanager
    async def opening(kind, user="t1", **more):
        resources = Resources(tmp_path, dict(os.environ), {"base_url": scripted.url, "name": "scripted"}, user)
        memory = make_memory({**settings_of(kind), **more}, resources)
        try:
            yield memory
        finally:
            await memory.close()

    return opening


def each(kinds=KINDS):
    return pytest.mark.parametrize("kind", sorted(kinds))


# --- the contract


@each()
async def test_it_is_built_and_lists_what_it_holds(opened, kind, history):
    async with opened(kind) as memory:
        await memory.build(history)
        items = await memory.items()
        assert any("Postgres 15" in item.text for item in items)
        assert any("penicillin" in item.text for item in items)
        assert len({item.id for item in items}) == len(items)
        assert all(item.id and item.rank == 0 for item in items)


@each()
async def test_what_it_recalls_is_ranked(opened, kind, history):
    async with opened(kind) as memory:
        await memory.build(history)
        recall = await memory.recall(QUESTION)
        assert "Postgres 15" in recall.text
        assert [item.rank for item in recall.items] == list(range(1, len(recall.items) + 1))
        if kind in SEARCHING:
            assert "penicillin" not in recall.items[0].text
        listed = {item.id for item in await memory.items()}
        assert {item.id for item in recall.reads} <= listed
        assert any(note.startswith("memory: ") for note in recall.notes), "the versions are on record"


@each({"mem0-as-it-is", "langgraph"})
async def test_k_is_kept_to_and_what_is_beyond_is_told(opened, kind, history):
    async with opened(kind, k=1) as memory:
        await memory.build(history)
        recall = await memory.recall("my cat, our billing, Postgres")
        assert len(recall.items) == 1
        assert {item.dropped for item in recall.passed_over} <= {"beyond k", "below the threshold"}
        assert len(recall.passed_over) >= 1
        assert recall.items[0].score > recall.passed_over[0].score


@each(FORGETTING)
async def test_what_is_forgotten_is_neither_listed_nor_found(opened, kind, history):
    async with opened(kind) as memory:
        await memory.build(history)
        before = {item.text for item in await memory.items()}
        gone = next(item for item in await memory.items() if "Postgres" in item.text)
        assert isinstance(memory, Forgets)
        await memory.forget(gone.id)
        assert {item.text for item in await memory.items()} == before - {gone.text}
        assert "Postgres" not in (await memory.recall(QUESTION)).text


@each(set(KINDS) - FORGETTING)
async def test_a_memory_that_cannot_forget_says_why(opened, kind, history):
    async with opened(kind) as memory:
        await memory.build(history)
        with pytest.raises(UnsupportedError, match=r"does not support `forget`: .{20}"):
            await memory.forget("1")


@each()
async def test_a_fold_is_carried_out_or_refused(opened, kind, history):
    async with opened(kind) as memory:
        await memory.build(history)
        before = [item.text for item in await memory.items()]
        assert memory.compacts is (kind in FOLDING)
        if kind not in FOLDING:
            with pytest.raises(UnsupportedError, match=r"does not support `fold`: .{15}"):
                await memory.fold()
            assert [item.text for item in await memory.items()] == before
            return
        await memory.fold()
        after = [item.text for item in await memory.items()]
        assert "Summary of the conversation so far" in after[0]
        assert len(after) < len(before)
        await memory.fold()
        assert [item.text for item in await memory.items()] == after, "nothing new was said"


@each()
async def test_a_fresh_process_answers_as_the_one_that_was_built(opened, kind, history):
    async with opened(kind) as built, opened(kind, user="t2") as fresh:
        await built.build(history)
        if kind in FOLDING:
            await built.fold()
        snapshot = await built.snapshot()
        first, listed = await built.recall(QUESTION), await built.items()
        await built.close()
        await fresh.restore(snapshot)
        assert await fresh.recall(QUESTION) == first
        assert await fresh.items() == listed
        if kind in FORGETTING:
            await fresh.forget(listed[0].id)
            async with opened(kind, user="t3") as third:
                await third.restore(snapshot)
                assert await third.items() == listed, "the copy is apart from what it was restored to"


@each()
async def test_building_again_replaces_what_was_there(opened, kind, history, other_history):
    async with opened(kind) as memory:
        await memory.build(history)
        await memory.build(other_history)
        assert ["MongoDB" in item.text for item in await memory.items()] == [True]


@each()
async def test_it_takes_a_later_session_in(opened, kind, history, other_history):
    async with opened(kind) as memory:
        assert isinstance(memory, Grows)
        await memory.build(history)
        if kind in FOLDING:
            await memory.fold()
        before = [item.text for item in await memory.items()]
        await memory.add(replace(other_history.sessions[0], id="live-1"))
        after = [item.text for item in await memory.items()]
        assert set(before) < set(after), "what was there stays, a summary too"
        assert "MongoDB" in "".join(after)
        assert "MongoDB" in (await memory.recall(QUESTION)).text


@each()
async def test_a_further_user_of_the_same_memory_is_apart(opened, kind, history, other_history):
    async with opened(kind) as memory:
        await memory.build(history)
        bob = memory.serve("t1-bob")
        assert list(await bob.items()) == []
        await bob.add(other_history.sessions[0])
        for held, gone, other in ((memory, "MongoDB", "Postgres"), (bob, "Postgres", "MongoDB")):
            recalled, listed = (await held.recall(QUESTION)).text, "".join(item.text for item in await held.items())
            assert other in recalled
            assert gone not in recalled + listed


@each()
async def test_nothing_is_left_behind(opened, kind, history, tmp_path):
    async with opened(kind) as memory:
        await memory.build(history)
        snapshot = await memory.snapshot()
        assert list((tmp_path / "temporary").iterdir())
        await memory.close()
        await memory.close()
        del snapshot
    assert list((tmp_path / "temporary").iterdir()) == []


@each()
def test_two_users_of_one_store_are_apart(kind, settings_of, scripted, tmp_path):
    """Straight to the program, which many users may share; the runner gives each trial a process of its own."""
    steps = [
        {"do": "ingest", "user": "run.1 alice", "history": _history("Alice keeps her notes in Postgres 15.")},
        {"do": "ingest", "user": "run.1 bob", "history": _history("Bob keeps his notes in MongoDB.")},
        {"do": "recall", "user": "run.1 alice", "text": "Who keeps notes, and where?"},
        {"do": "recall", "user": "run.1 bob", "text": "Who keeps notes, and where?"},
        {"do": "memories", "user": "run.1 bob"},
    ]
    alice, bob, listed = [json.dumps(answer["items"]) for answer in _served(kind, settings_of, steps, tmp_path)[-3:]]
    assert "Postgres" in alice
    assert "MongoDB" not in alice
    assert "MongoDB" in bob
    assert "Postgres" not in bob
    assert "MongoDB" in listed
    assert "Postgres" not in listed


@each(FORGETTING)
def test_forgetting_leaves_the_other_user_alone(kind, settings_of, scripted, tmp_path):
    history = [_history(text) for text in ("Alice keeps her notes in Postgres 15.", "Bob keeps his notes in MongoDB.")]
    told = [{"do": "ingest", "user": user, "history": one} for user, one in zip(("alice", "bob"), history, strict=True)]
    with Program(kind, settings_of, tmp_path) as program:
        for step in told:
            program.ask(step)
        held = program.ask({"do": "memories", "user": "alice"})["items"]
        if kind.startswith("mem0"):  # the others know an item by its place in one user's memory
            wrong = program.ask({"do": "forget", "user": "bob", "id": held[0]["id"]})
            assert "of this user" in wrong["error"]
        for item in held:
            assert program.ask({"do": "forget", "user": "alice", "id": item["id"]}) == {}
        assert program.ask({"do": "memories", "user": "alice"})["items"] == []
        assert "MongoDB" in json.dumps(program.ask({"do": "memories", "user": "bob"}))


class Program:
    """The vendors' program, spoken to without foldproof."""

    def __init__(self, kind, settings_of, folder):
        name = kind.partition("-")[0]
        resources = Resources(folder, dict(os.environ), {}, "t")
        self.launch = make_memory(settings_of(kind) | _own_model(kind, settings_of), resources)._launch
        environ = {**os.environ, **{key: value.replace("{home}", str(folder)) for key, value in _environ(self)}}
        environ.pop("PYTHONPATH", None)
        self.process = subprocess.Popen(
            [self.launch.argv[0], str(HOST), name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environ,
        )  # fmt: skip
        self.folder = folder

    def __enter__(self):
        config = self.launch.memory_config
        self.ask({"do": "open", "memory_config": config, "user": "x", "folder": str(self.folder / "data")})
        return self

    def __exit__(self, *failure):
        self.ask({"do": "close"})
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def ask(self, step):
        self.process.stdin.write(json.dumps(step) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def _environ(program):
    return program.launch.environ.items()


def _own_model(kind, settings_of):
    """The model that mem0 and LangMem ask, which no configuration names here."""
    if kind not in {"mem0", "langgraph-summary"}:
        return {}
    embed = settings_of("mem0")["embed"] if kind == "mem0" else settings_of("langgraph")["embed"]
    return {"model": {"base_url": embed["base_url"], "name": "scripted"}}


def _served(kind, settings_of, steps, folder):
    with Program(kind, settings_of, folder) as program:
        answers = [program.ask(step) for step in steps]
    assert [answer["error"] for answer in answers if "error" in answer] == []
    return answers


def _history(text):
    return [{"session": "s1", "at": "2026-03-01", "turns": [{"role": "user", "text": text}]}]


# --- what goes wrong


def tried(scripted, tmp_path, settings, **resources):
    asked = Resources(tmp_path, dict(os.environ), {"base_url": scripted.url, "name": "scripted"}, "t1", **resources)
    return make_memory(settings, asked)


async def test_a_writer_that_always_fails_is_a_memory_error_and_not_a_lost_fact(settings_of, tmp_path, history):
    """A18: the model behind the extraction refuses every call."""
    settings = settings_of("mem0")
    with ScriptedModel(lambda request: ModelFailure(400, "schema not allowed")) as broken:
        memory = tried(broken, tmp_path, settings)
        try:
            with pytest.raises(AgentError, match=r"2 of 2 writes to mem0 failed: LLMError: .*schema not allowed"):
                await memory.build(history)
        finally:
            await memory.close()
    many = History("many", tuple(Session(f"s{n}", (Turn("user", f"Fact {n} is mine."),)) for n in range(9)))
    with ScriptedModel(lambda request: ModelFailure(400, "schema not allowed")) as broken:
        memory = tried(broken, tmp_path, settings)
        try:
            with pytest.raises(AgentError, match="3 of 3 writes to mem0 failed; 6 more were not tried"):
                await memory.build(many)
        finally:
            await memory.close()


async def test_a_reply_that_cannot_be_read_is_noted_with_the_sessions_it_lost(settings_of, tmp_path, history):
    settings = settings_of("mem0")
    with ScriptedModel(lambda request: "Sure! Here are the facts you asked for:") as chatty:
        memory = tried(chatty, tmp_path, settings)
        try:
            await memory.build(history)
            assert await memory.items() == ()
            notes = (await memory.recall(QUESTION)).notes
        finally:
            await memory.close()
    assert any(note.startswith("mem0 logged 2 times: Error parsing extraction response") for note in notes)
    assert "mem0 stored nothing of 2 of 2 sessions: s1, s2" in notes


@each()
async def test_sessions_in_which_nothing_is_said_are_no_error(opened, kind):
    """LongMemEval has sessions without a turn; an endpoint refuses to embed an empty text."""
    odd = History(
        "odd",
        (
            Session("s1", ()),
            Session("s2", (Turn("user", " "), Turn("tool", "42 rows"), Turn("system", "Be brief."))),
            Session("s3", (Turn("user", "Our billing runs on Postgres 15."),)),
        ),
    )
    async with opened(kind) as memory:
        await memory.build(odd)
        assert "Postgres 15" in (await memory.recall(QUESTION)).text
    async with opened(kind) as memory:
        await memory.build(History("none", (Session("s1", ()),)))
        assert [item for item in await memory.items() if "Postgres" in item.text] == []


async def test_mem0_only_adds_so_a_stale_fact_comes_back(opened):
    """A2: nothing marks the old value, and both are found."""
    moved = History(
        "moved",
        (
            Session("s1", (Turn("user", "I live in Boston, near the old harbour."),)),
            Session("s2", (Turn("user", "I live in Lisbon now."),)),
        ),
    )
    async with opened("mem0") as memory:
        await memory.build(moved)
        found = [item.text for item in (await memory.recall("Where do I live?")).items]
    assert any("Boston" in text for text in found)
    assert any("Lisbon" in text for text in found)


async def test_extraction_goes_over_the_wire_and_embeddings_do_not(settings_of, scripted, tmp_path, history):
    settings = settings_of("mem0")
    with ScriptedModel(extract_facts) as proxy:
        memory = tried(scripted, tmp_path, settings, tap=Tap(wire_url=proxy.url))
        try:
            await memory.build(history)
        finally:
            await memory.close()
        assert {request.api for request in proxy.requests} == {"chat"}
        assert len(proxy.requests) == 2
    assert {request.api for request in scripted.requests} == {"embeddings"}
    elsewhere = {**settings, "model": {"base_url": scripted.url.replace("127.0.0.1", "localhost"), "name": "scripted"}}
    with ScriptedModel(extract_facts) as proxy:
        memory = tried(scripted, tmp_path, elsewhere, tap=Tap(wire_url=proxy.url))
        try:
            await memory.build(history)
        finally:
            await memory.close()
        assert proxy.requests == [], "the proxy forwards to the configuration's model, which is another"


TOGETHER = """
import subprocess, sys
server, held = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE), []
for line in sys.stdin.buffer:
    if b'"create_entities"' in line:
        held.append(line)
        if len(held) < 20:
            continue
        line = b"".join(held)
    server.stdin.write(line)
    server.stdin.flush()
server.stdin.close()
server.wait()
"""


async def test_concurrent_writes_are_lost_by_the_graph_server_and_reported(opened, settings_of):
    """The server rewrites its file for each. On a busy machine they may come one by one: here they arrive together."""
    many = History("many", tuple(Session(f"s{n}", (Turn("user", f"Fact {n} is mine."),)) for n in range(20)))
    command = [sys.executable, "-c", TOGETHER, *settings_of("mcp")["command"]]
    async with opened("mcp", command=command, writes="concurrent", settle_s=0.5) as memory:
        with pytest.raises(AgentError, match=r"\d+ of 20 writes never landed: the memory did not list them"):
            await memory.build(many)
    async with opened("mcp") as memory:
        await memory.build(many)
        assert len(await memory.items()) == 20


async def test_the_graph_server_finds_no_question_only_words(opened, history):
    async with opened("mcp", search="question") as memory:
        await memory.build(history)
        assert (await memory.recall(QUESTION)).items == ()
        assert "Postgres 15" in (await memory.recall("Postgres")).text


async def test_an_mcp_server_that_fails_or_does_not_start(opened, settings_of, history):
    broken = settings_of("mcp-notes")["command"]
    async with opened("mcp-notes", command=[*broken, "unwritable"]) as memory:
        told = r"3 of 3 writes to the MCP server failed; 1 more .*the tool `save_note` failed"
        with pytest.raises(AgentError, match=told):
            await memory.build(history)
    async with opened("mcp-notes", command=[sys.executable, "-c", "raise SystemExit(3)"]) as memory:
        with pytest.raises(AgentError, match="does not start"):
            await memory.build(history)


async def test_a_session_gives_its_last_k(opened, history):
    async with opened("openai_agents", k=2) as memory:
        await memory.build(history)
        given = (await memory.recall("anything at all")).items
        assert [item.text for item in given] == [item.text for item in await memory.items()][-2:]


async def test_a_store_without_embeddings_says_that_it_searches_nothing(scripted, tmp_path, settings_of, history):
    settings = {name: value for name, value in settings_of("langgraph").items() if name != "embed"}
    memory = tried(scripted, tmp_path, {**settings, "k": 1})
    try:
        await memory.build(history)
        recall = await memory.recall(QUESTION)
    finally:
        await memory.close()
    assert "Postgres" not in recall.text
    assert "the store has no embeddings: it returns items whatever is asked" in recall.notes


AUDIT = """#!/bin/sh
exec {python} -c '
import runpy, sys
def hook(event, args):
    host = args[0] if event == "socket.getaddrinfo" else None
    if event == "socket.connect" and isinstance(args[1], tuple):
        host = args[1][0]
    if host and (host.decode() if isinstance(host, bytes) else str(host)) not in ("127.0.0.1", "localhost", "::1"):
        with open("{seen}", "a") as file:
            print(event, host, file=file)
sys.addaudithook(hook)
with open("{seen}", "a") as file:
    print("started", file=file)
sys.argv = sys.argv[1:]
sys.path.insert(0, "")
runpy.run_path(sys.argv[0], run_name="__main__")
' "$@"
"""


@each()
async def test_it_asks_nobody_but_the_configured_addresses(opened, kind, settings_of, history, tmp_path):
    python = settings_of(kind).get("python", sys.executable)
    audited, seen = tmp_path / "audited", tmp_path / "seen.txt"
    audited.write_text(AUDIT.format(python=python, seen=seen))
    audited.chmod(0o755)
    async with opened(kind, python="./audited") as memory:
        await memory.build(history)
        await memory.recall(QUESTION)
    assert seen.read_text().splitlines() == ["started"]


async def test_an_interpreter_without_the_package_is_refused_with_what_to_do(scripted, tmp_path, history):
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    memory = tried(scripted, tmp_path, {"kind": "openai_agents", "python": "./bare"})
    with pytest.raises(UsageError) as caught:
        await memory.build(history)
    assert "memory 'openai_agents' needs the package `openai-agents`, which " in str(caught.value)
    assert 'install "foldproof[openai-agents]" there' in str(caught.value)


@each()
def test_a_run_is_explained(kind, settings_of, scripted, tmp_path, capsys):
    """From `run` to `explain`, with the memory's own model calls on the wire."""
    from foldproof.cli.main import run

    said = [
        ("s1", "I am allergic to penicillin."), ("s2", "Our billing runs on Postgres 15."), ("s3", "My cat is Tom."),
    ]  # fmt: skip
    sessions = [{"session": name, "turns": [{"role": "user", "text": text}]} for name, text in said]
    memory = settings_of(kind)
    project = write_project(
        tmp_path,
        cases=[
            {"id": "kept", "history": "h", "question": QUESTION, "expected_facts": ["Postgres 15"]},
            {"id": "unsaid", "history": "h", "question": "Which car is mine?", "expected_facts": ["Fiat 500"]},
        ],
        histories={"h": sessions},
        configs={
            "production": {
                "agent": "recall", "model": {"base_url": scripted.url, "name": "scripted"}, "memory": memory,
                "wire": "on", "folds": 0,
            }
        },
    )  # fmt: skip
    assert run(["run", "production", "--repeat", "1", "--project", str(project), "--json"]) == 1
    cases = {case["id"]: case for case in json.loads(capsys.readouterr().out)["cases"]}
    assert {name: case["outcome"] for name, case in cases.items()} == {"kept": "pass", "unsaid": "fail"}
    assert run(["explain", "production", "kept", "--project", str(project)]) == 0
    shown = capsys.readouterr().out
    assert "memory before the folds: 3 items" in shown
    assert ("building, seen by wire" in shown) is (kind == "mem0")


@each()
def test_two_users_of_a_case_share_the_vendors_memory_and_are_kept_apart(kind, settings_of, scripted, tmp_path, capsys):
    """Sessions are taken in as they end; nothing of one user reaches the other, and nothing is forgotten."""
    from foldproof.cli.main import run

    said = {"": "Our billing runs on Postgres 15 here.", "bob": "Our billing runs on MongoDB there."}
    asks = {"": ("Postgres 15", "MongoDB"), "bob": ("MongoDB", "Postgres")}
    sessions = [{**({"user": user} if user else {}), "turns": [{"user": text}]} for user, text in said.items()]
    sessions += [
        {
            **({"user": user} if user else {}),
            "turns": [{"user": QUESTION, "expect": [{"reply_mentions": known}, {"reply_omits": other}]}],
        }
        for user, (known, other) in asks.items()
    ]
    model = {"base_url": scripted.url, "name": "scripted"}
    project = write_project(
        tmp_path,
        cases=[{"id": "apart", "sessions": sessions}],
        configs={"production": {"agent": "recall", "model": model, "memory": settings_of(kind)}},
    )
    assert run(["run", "production", "--repeat", "1", "--project", str(project), "--json"]) == 0
    (case,) = json.loads(capsys.readouterr().out)["cases"]
    facts = {fact["fact"]: fact["outcome"] for fact in case["trials"][0]["facts"]}
    assert facts["users apart"] == "held"
    assert len(facts) == 5
