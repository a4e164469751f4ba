"""One contract, held by every adapter and every memory."""

import re
import shutil
from contextlib import suppress
from dataclasses import replace

import pytest

from foldproof.agents import Reply, SessionInfo, UnsupportedError

pytestmark = pytest.mark.anyio

NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
SUBJECTS = [
    pytest.param({"python": "function_agent:answer"}, {}, True, id="python-function"),
    pytest.param({"python": "contract_functions:sync"}, {}, True, id="python-sync"),
    pytest.param({"python": "contract_functions:plain_async"}, {}, True, id="python-async"),
    pytest.param({"python": "agent:Notebook"}, {}, True, id="python-class"),
    pytest.param({"command": ["python3", "python_agent.py"]}, {}, True, id="command-python"),
    pytest.param({"command": "node echo_memory.mjs"}, {}, True, id="command-node", marks=NODE),
    pytest.param({"command": ["sh", "agent.sh"]}, {}, False, id="command-sh"),
    pytest.param({"http": "", "history": "messages"}, {}, True, id="http-messages"),
    pytest.param({"http": ""}, {}, False, id="http-omit"),
    *[
        pytest.param({agent: ""}, memory, memory["kind"] != "none", id=f"{agent}-{memory['kind']}")
        for agent in ("recall", "chat")
        for memory in (
            {"kind": "full"},
            {"kind": "head"},
            {"kind": "head_tail"},
            {"kind": "hybrid", "embed": {"name": "words"}},
            {"kind": "none"},
            {"kind": "paging"},
            {"kind": "summary", "keep_last": 1},
            {"kind": "triage"},
            {"kind": "verbatim"},
            {"kind": "window"},
        )
    ],
    pytest.param(
        {"chat": {"prompt": "question.md", "tools": ["search_memory"]}}, {"kind": "verbatim"}, True, id="chat-tools"
    ),
]
QUESTION = "Which database for billing?"


@pytest.fixture
def agent_setting(request, endpoint, scripted):
    setting, memory, remembers = request.param
    if "http" in setting:
        setting = {**setting, "http": endpoint}
    if "embed" in memory:
        memory = {**memory, "embed": {**memory["embed"], "base_url": scripted.url}}
    return setting, memory, remembers


def subjects(function):
    params = [pytest.param(param.values, id=param.id, marks=param.marks) for param in SUBJECTS]
    return pytest.mark.parametrize("agent_setting", params, indirect=True)(function)


async def ingested(factory, memory, history, trial="t1"):
    agent = await factory.make(memory, trial)
    with suppress(UnsupportedError):
        await agent.ingest(history)
    for _ in range(factory.default_folds):
        with suppress(UnsupportedError):
            await agent.fold()
    return agent


async def asked(agent, question, user="u1", session="q1"):
    conversation = await agent.start_session(SessionInfo(user, session, "2026-04-01"))
    reply = await conversation.reply(question)
    reply = reply if isinstance(reply, Reply) else Reply(reply)
    # a model gives each of its calls an id that no other call has
    return replace(reply, prompt=reply.prompt and re.sub(r"call_\w+", "call", reply.prompt))


async def close(agent):
    if hasattr(agent, "close"):
        await agent.close()


@subjects
async def test_builds_a_memory_and_answers_in_a_fresh_session(opened, agent_setting, history):
    setting, memory, remembers = agent_setting
    async with opened(setting, memory) as factory:
        agent = await ingested(factory, memory, history)
        first = await asked(agent, QUESTION)
        assert ("Postgres 15" in first.text) is remembers
        # What is remembered is there again; of the first session an agent may have kept what its memory took in.
        again = await asked(agent, QUESTION, session="q2")
        assert ("Postgres 15" in again.text) is remembers
        await close(agent)


@subjects
async def test_two_trials_never_see_each_other(opened, agent_setting, history, other_history):
    setting, memory, remembers = agent_setting
    async with opened(setting, memory) as factory:
        one = await ingested(factory, memory, history, "t1")
        two = await ingested(factory, memory, other_history, "t2")
        assert ("Postgres" in (await asked(one, QUESTION)).text) is remembers
        answer = (await asked(two, QUESTION, user="u2")).text
        assert ("MongoDB" in answer) is remembers
        assert "Postgres" not in answer
        await close(one)
        await close(two)


@subjects
async def test_lists_what_it_holds_or_says_that_it_cannot(opened, agent_setting, history):
    setting, memory, remembers = agent_setting
    async with opened(setting, memory) as factory:
        agent = await ingested(factory, memory, history)
        try:
            items = await agent.memories("u1") if hasattr(agent, "memories") else None
        except UnsupportedError:
            items = None
        if items is not None:
            assert any("Postgres 15" in item.text for item in items) is remembers
            assert all(item.rank == 0 for item in items)
            assert len({item.id for item in items}) == len(items)
        await close(agent)


@subjects
async def test_a_restored_memory_answers_as_the_one_it_was_taken_from(opened, agent_setting, history):
    setting, memory, _ = agent_setting
    async with opened(setting, memory) as factory:
        built = await factory.make(memory, "t1")
        taken = await factory.make(memory, "t2")
        try:
            await built.ingest(history)
            snapshot = await built.snapshot()
            await taken.restore(snapshot)
        except (UnsupportedError, AttributeError):
            await close(built)
            await close(taken)
            pytest.skip("it has no snapshot, and says so")
        late = await factory.make(memory, "t3")
        await late.restore(snapshot)
        for agent in (built, taken, late):
            for _ in range(factory.default_folds):
                with suppress(UnsupportedError):
                    await agent.fold()
        first, second = await asked(built, QUESTION), await asked(taken, QUESTION)
        # What building used is carried by the first answer after it, whoever gives that.
        assert replace(first, usage=None) == replace(second, usage=None)
        await close(built)
        assert replace(await asked(late, QUESTION), usage=None) == replace(second, usage=None), (
            "it outlives the original"
        )
        await close(taken)
        await close(late)


@subjects
async def test_closing_twice_is_closing_once(opened, agent_setting, history):
    setting, memory, _ = agent_setting
    async with opened(setting, memory) as factory:
        agent = await ingested(factory, memory, history)
        await close(agent)
        await close(agent)


@subjects
async def test_what_it_reads_is_ranked_from_one(opened, agent_setting, history):
    setting, memory, _ = agent_setting
    async with opened(setting, memory) as factory:
        agent = await ingested(factory, memory, history)
        reads = (await asked(agent, QUESTION)).memory_reads
        assert reads is None or [item.rank for item in reads] == list(range(1, len(reads) + 1))
        await close(agent)


@subjects
async def test_a_memory_config_is_the_trials_own(opened, agent_setting):
    setting, memory, _ = agent_setting
    async with opened(setting, memory) as factory:
        given = dict(memory)
        agent = await factory.make(given, "t1")
        assert given == memory
        await close(agent)
