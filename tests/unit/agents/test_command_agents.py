"""The `command` adapter: the order of the protocol, what may go wrong, and that nothing is left behind."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import anyio
import pytest

from foldproof.agents import AgentError, SessionInfo, TransientError, UnsupportedError
from foldproof.core import UsageError
from foldproof.logs import History, Session, ToolCall, Turn, Usage

pytestmark = pytest.mark.anyio
HISTORY = History("h", (Session("s1", (Turn("user", "tea\u2028 \U0001f375"),), "day 1"),))

PROGRAM = """
import json, os, sys, time
ANSWERS = json.loads(sys.argv[1])
for line in sys.stdin:
    print(line.strip(), file=sys.stderr, flush=True)
    step = json.loads(line)
    answer = ANSWERS.get(step["do"], {})
    if answer == "exit":
        print("last words", file=sys.stderr, flush=True)
        sys.exit(9)
    if answer == "killed":
        os.kill(os.getpid(), 9)
    if answer == "hang":
        time.sleep(600)
    if answer == "mute":
        os.close(1)
        time.sleep(600)
    if answer == "flood":
        sys.stdout.write("x" * (17 * 1024 * 1024))
        sys.stdout.flush()
        time.sleep(600)
    if answer == "child":
        pid = os.fork()
        if pid == 0:
            time.sleep(600)
        answer = {"text": str(pid)}
    print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)
"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)

    def setting(**answers):
        return {"command": [sys.executable, "program.py", json.dumps(answers)]}

    return setting


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


async def gone(pid):
    with anyio.fail_after(30):
        while alive(pid):  # noqa: ASYNC110  # a process tells nobody that it is gone
            await anyio.sleep(0.01)


async def test_the_steps_are_sent_in_the_order_of_the_protocol(opened, program):
    async with opened(program(reply={"text": "tea"}, memories={"items": []}, snapshot={"snapshot": None})) as factory:
        agent = await factory.make({"k": 3}, "t")
        await agent.ingest(HISTORY)
        await agent.fold()
        assert await agent.snapshot() is None, "null is a snapshot"
        await agent.restore({"a": 1})
        talk = await agent.start_session(SessionInfo("u1", "q1", "2026-04-01"))
        assert (await talk.reply("Tea?")).text == "tea"
        assert await agent.memories("u1") == ()
        await agent.close()
        assert [json.loads(line) for line in agent.log.splitlines()] == [
            {"do": "open", "memory_config": {"k": 3}, "wire_url": ""},
            {
                "do": "ingest",
                "history": [
                    {"session": "s1", "at": "day 1", "turns": [{"role": "user", "text": "tea\u2028 \U0001f375"}]}
                ],
            },
            {"do": "fold"},
            {"do": "snapshot"},
            {"do": "restore", "snapshot": {"a": 1}},
            {"do": "start", "user": "u1", "session": "q1", "now": "2026-04-01"},
            {"do": "reply", "text": "Tea?"},
            {"do": "memories", "user": "u1"},
            {"do": "close"},
        ]
        assert agent.log.isascii()


async def test_a_reply_shows_what_it_holds(opened, ask, program):
    answer = {
        "text": "tea",
        "tool_calls": [
            {"name": "brew", "args": {"cups": 2}},
            {"name": "stir", "args": '{"times": 3}'},
            {"name": "stop"},
        ],
        "memory_reads": [{"text": "a", "score": 0.5, "id": 7}, "b"],
        "memory_writes": [],
        "prompt": [{"role": "user"}],
        "usage": {"input_tokens": 5, "output_tokens": 2.0, "cost_usd": 0.1},
        "notes": ["n"],
        "state": {"cups": 2},
        "mood": "ignored",
    }
    async with opened(program(reply=answer)) as factory:
        reply = await ask(await factory.make({}, "t"))
    assert reply.tool_calls == (ToolCall("brew", {"cups": 2}), ToolCall("stir", {"times": 3}), ToolCall("stop"))
    assert [(item.text, item.rank, item.score, item.id) for item in reply.memory_reads] == [
        ("a", 1, 0.5, "7"),
        ("b", 2, None, ""),
    ]
    assert reply.memory_writes == ()
    assert json.loads(reply.prompt) == [{"role": "user"}]
    assert reply.usage == Usage(5, 2, 0.1)
    assert reply.notes == ("n",)
    assert reply.state == {"cups": 2}


async def test_a_bare_reply_shows_nothing_else(opened, ask, program):
    async with opened(program(reply={"text": ""})) as factory:
        reply = await ask(await factory.make({}, "t"))
    assert reply.text == ""
    assert (reply.tool_calls, reply.memory_reads, reply.memory_writes, reply.prompt, reply.usage) == (None,) * 5
    assert reply.state is None


@pytest.mark.parametrize("answer", [{"unsupported": True}, {}])
async def test_what_it_does_not_know_is_unsupported(opened, program, answer):
    async with opened(program(memories=answer, snapshot=answer)) as factory:
        agent = await factory.make({}, "t")
        with pytest.raises(UnsupportedError):
            await agent.memories("u1")
        with pytest.raises(UnsupportedError):
            await agent.snapshot()


async def test_a_program_without_sessions_or_ingest(opened, ask, program):
    no = {"unsupported": True}
    async with opened(program(open=no, start=no, ingest=no, fold=no, reply={"text": "x"}, close=no)) as factory:
        agent = await factory.make({}, "t")
        for step in (agent.ingest(HISTORY), agent.fold()):
            with pytest.raises(UnsupportedError):
                await step
        assert (await ask(agent)).text == "x"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"error": "no model"}, ["failed at `reply`: no model"]),
        ({"error": {"code": 3}}, ['failed at `reply`: {"code": 3}']),
        ("exit", ["ended with exit code 9", "stderr: last words"]),
        ("killed", ["was killed by SIGKILL"]),
        ("mute", ["closed its standard output but went on running"]),
        ("flood", ["more than 16 MB"]),
        ("oops " * 100, ["not JSON: 'oops oops", 'stderr: {"do": "reply"']),
        ([1], ["with '[1]', where an object is expected"]),
        ({}, ["without a `text`; it has nothing"]),
        ({"text": 3, "tool_calls": []}, ["with the `text` 3, where a text is expected"]),
        ({"unsupported": True}, ["without a `text`; it has `unsupported`"]),
        ({"text": "a", "tool_calls": {}}, ["`tool_calls` is {}, where a list is expected"]),
        ({"text": "a", "tool_calls": [{"args": {}}]}, ["`tool_calls` holds"]),
        ({"text": "a", "memory_reads": [3]}, ["`memory_reads` holds 3"]),
        ({"text": "a", "state": [3]}, ["the agent's `state` is [3], where an object is expected"]),
    ],
)
async def test_a_failure_is_told_with_what_can_be_seen(opened, ask, program, monkeypatch, answer, words):
    if answer == "mute":
        monkeypatch.setattr("foldproof.agents.process.GRACE_S", 0.1)
    async with opened(program(reply=answer)) as factory:
        agent = await factory.make({}, "t")
        with pytest.raises(AgentError) as caught:
            await ask(agent)
        for part in words:
            assert part in str(caught.value)
        assert not isinstance(caught.value, TransientError)
        assert "oops " * 50 not in str(caught.value)
        pid = agent.process.pid
        await agent.close()
        assert not alive(pid)


@pytest.mark.parametrize("answer", [{"error": "x", "transient": True}, {"error": "HTTP 429"}, {"error": "rate limit"}])
async def test_a_failure_that_may_pass(opened, ask, program, answer):
    async with opened(program(reply=answer)) as factory:
        with pytest.raises(TransientError):
            await ask(await factory.make({}, "t"))


async def test_a_program_that_cannot_open_is_not_left_behind(opened, program):
    async with opened(program(open={"error": "no database"})) as factory:
        with pytest.raises(AgentError, match="failed at `open`: no database"):
            await factory.make({}, "t")
        assert not factory.running


@pytest.mark.parametrize("step", ["open", "reply"])
async def test_a_time_out_leaves_no_process_behind(opened, ask, program, step):
    async with opened(program(**{step: "hang"})) as factory:
        before = time.perf_counter()
        with anyio.move_on_after(0.3) as scope:
            agent = await factory.make({}, "t")
            try:
                await ask(agent)
            finally:
                await agent.close()
        assert scope.cancelled_caught
        assert time.perf_counter() - before < 30
        assert not factory.running


async def test_the_children_of_a_program_end_with_it(opened, ask, program):
    async with opened(program(reply="child")) as factory:
        agent = await factory.make({}, "t")
        child = int((await ask(agent)).text)
        assert alive(child)
        await agent.close()
        await gone(child)
        await gone(agent.process.pid)


async def test_what_was_not_closed_is_closed_at_the_end(opened, program):
    async with opened(program()) as factory:
        agents = [await factory.make({}, f"t{n}") for n in range(3)]
    for agent in agents:
        await gone(agent.process.pid)


async def test_a_program_that_will_not_end_is_killed(opened, program, monkeypatch):
    monkeypatch.setattr("foldproof.agents.process.GRACE_S", 0.1)
    async with opened(program(close="hang")) as factory:
        agent = await factory.make({}, "t")
        await agent.close()
        await gone(agent.process.pid)


async def test_a_closed_or_broken_agent_says_so(opened, ask, program):
    async with opened(program(reply="exit")) as factory:
        agent = await factory.make({}, "t")
        with pytest.raises(AgentError, match="exit code 9"):
            await ask(agent)
        with pytest.raises(AgentError, match="exit code 9"):
            await ask(agent)
        await agent.close()
        with pytest.raises(AgentError, match="was closed"):
            await ask(agent)


async def test_two_steps_at_once_take_turns(opened, program):
    async with opened(program(memories={"items": ["a"]}, snapshot={"snapshot": 1})) as factory:
        agent = await factory.make({}, "t")
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(agent.memories, "u")
                group.start_soon(agent.snapshot)


async def test_a_long_log_is_kept_to_its_end(opened, ask, program):
    async with opened(program(reply={"text": "x"})) as factory:
        agent = await factory.make({}, "t")
        await ask(agent, "a" * 200_000)
        await ask(agent, "last")
        with anyio.fail_after(30):
            while '"last"' not in agent.log:  # noqa: ASYNC110  # the log has no event
                await anyio.sleep(0.01)
        assert 60_000 < len(agent.log) <= 64 * 1024


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-program x", ["the program `no-such-program`", "on the PATH"]),
        (["./absent.sh"], ["the program `./absent.sh`", "below"]),
        ([], ["a list of texts is expected"]),
        (["python3", 3], ["put quotes around numbers"]),
        ("sh 'a", ["cannot be split", "write it as a list"]),
        (7, ["a list of texts is expected"]),
    ],
)
async def test_a_command_that_cannot_be_run_is_refused_at_once(opened, command, words):
    with pytest.raises(UsageError) as caught:
        async with opened({"command": command}):
            pass
    for part in ["configuration 'candidate' (line 7)", *words]:
        assert part in str(caught.value)


async def test_the_environment_is_the_one_given(opened, ask, tmp_path):
    script = 'read a; echo {}; read a; echo {}; read a; echo "{\\"text\\": \\"$COLOUR-$PWD\\"}"; read a; echo {}'
    where = os.path.realpath(tmp_path)  # noqa: ASYNC240  # a test may block
    environ = {"PATH": os.environ["PATH"], "COLOUR": "blue"}
    async with opened({"command": ["sh", "-c", script]}, environ=environ) as factory:
        agent = await factory.make({}, "t")
        assert (await ask(agent)).text == f"blue-{where}"
        assert "blue" not in repr(factory)
        await agent.close()


async def test_the_fingerprint_is_that_of_the_files_named(opened, program, tmp_path):
    async with opened(program()) as factory:
        first = factory.fingerprint
    (tmp_path / "program.py").write_text(PROGRAM + "\n# changed")
    async with opened(program()) as factory:
        assert factory.fingerprint != first
    async with opened({"command": ["sh", "-c", "cat"]}) as factory:
        assert factory.fingerprint == ""


def test_signals_are_named():
    from foldproof.agents.process import _signal

    assert _signal(signal.SIGTERM) == "SIGTERM"
    assert _signal(250) == "signal 250"


KEEPER = """
import json, os, pathlib, sys
said = []
for line in sys.stdin:
    print(f"{os.getpid()} {line.strip()}", file=sys.stderr, flush=True)
    step = json.loads(line)
    answer = {}
    if step["do"] == "open":
        store = pathlib.Path(step["store"]) / "notes" if "store" in step else None
        assert os.environ.get("FOLDPROOF_STORE") == step.get("store")
    elif step["do"] == "reply":
        kept = store.read_text().split() if store and store.exists() else []
        answer = {"text": f"{os.getpid()} kept {kept} said {said}"}
        said.append(step["text"])
        if store:
            store.write_text(" ".join([*kept, step["text"]]))
    elif step["do"] == "memories":
        answer = {"items": [{"id": str(os.getpid()), "text": text} for text in said or ["nothing said"]]}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def keeper(tmp_path):
    (tmp_path / "keeper.py").write_text(KEEPER)
    return {"command": [sys.executable, "keeper.py"]}


async def held(agent, *messages):
    talk = await agent.start_session(SessionInfo("u", "s"))
    return [(await talk.reply(message)).text.split(" ", 1) for message in messages]


async def test_a_process_for_each_session_shares_nothing_but_the_folder(opened, keeper, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with opened({**keeper, "process": "session"}) as factory:
        agent, other = await factory.make({"k": 3}, "t"), await factory.make({}, "t2")
        await agent.ingest(HISTORY)
        (one, first), (two, second) = await held(agent, "tea", "milk")
        [listed] = await agent.memories("u")
        await agent.fold()
        [(three, third)] = await held(agent, "jam")
        [(_, apart)] = await held(other, "salt")
        assert (first, second) == ("kept [] said []", "kept ['tea'] said ['tea']")
        assert one == two
        assert third == "kept ['tea', 'milk'] said []"
        assert (listed.text, listed.id) == ("nothing said", three), "a session is over when the memory is listed"
        assert one != three
        assert apart == "kept [] said []", "each trial has a folder of its own"
        assert len(list(tmp_path.glob("foldproof-store-*"))) == 2
        await gone(int(one))
        told = [line.partition(" ")[2] for line in agent.log.splitlines()]
        assert [json.loads(line)["do"] for line in told] == [
            *("open", "ingest", "start", "reply", "reply", "close"),
            *("open", "memories", "fold", "start", "reply"),
        ]
        await agent.close()
        assert len(list(tmp_path.glob("foldproof-store-*"))) == 1
    assert list(tmp_path.glob("foldproof-store-*")) == []


async def test_one_process_for_all_sessions_unless_it_is_said(opened, keeper):
    for process in ({}, {"process": "trial"}):
        async with opened({**keeper, **process}) as factory:
            agent = await factory.make({}, "t")
            ((one, _),) = await held(agent, "tea")
            ((two, second),) = await held(agent, "jam")
            assert one == two
            assert second == "kept [] said ['tea']"


async def test_a_program_that_does_not_start_again_is_told(opened, keeper, tmp_path):
    async with opened({**keeper, "process": "session"}) as factory:
        agent = await factory.make({}, "t")
        await held(agent, "tea")
        (tmp_path / "keeper.py").write_text("raise SystemExit(9)")
        with pytest.raises(AgentError, match="ended with exit code 9"):
            await held(agent, "jam")
        await agent.close()
        assert not factory.running


async def test_a_process_of_an_unknown_life_is_refused(opened, keeper):
    with pytest.raises(UsageError, match=r"the agent's `process` is 'turn'\n  allowed: `trial` .*, `session`"):
        async with opened({**keeper, "process": "turn"}):
            pass
