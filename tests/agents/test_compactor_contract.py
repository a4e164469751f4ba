"""One contract, held by every kind of compactor: what goes wrong is the round's error, and a text is a text."""

import asyncio
import os
import re
import sys
from contextlib import asynccontextmanager

import pytest

from foldproof.agents.compactors import open_compactors
from foldproof.cases import Configuration, DeclaredCompactor, Limits
from foldproof.compaction import count_tokens
from foldproof.core import UsageError
from foldproof.testing import ModelFailure, ModelReply, ScriptedModel

pytestmark = pytest.mark.anyio
SLOW_S = 0.3
# What a compactor does with a text is told by its first line; this one file is every subject's behaviour.
BEHAVIOUR = f"""
import os, signal, time

def behave(text, budget):
    told = text.partition("\\n")[0]
    if told == "@empty":
        return ""
    if told == "@raise":
        raise ValueError("the prompt was lost")
    if told == "@error":
        return "Error 503: Service Unavailable"
    if told == "@longer":
        return text + "\\n" + text
    if told == "@slow":
        time.sleep({SLOW_S} * 20)
    if told == "@die":
        os.kill(os.getpid(), signal.SIGKILL)
    kept, room = [], budget * 4
    for line in text.splitlines():
        room -= len(line.encode("utf-8", "surrogatepass")) + 1
        if room < -1:
            break
        kept.append(line)
    return "\\n".join(kept)
"""
SUBJECTS = """
import asyncio
from foldproof import compactor
from foldproof.compaction import Compacted
from behaviour import behave

@compactor
def plain(text, budget):
    return behave(text, budget)

@compactor
async def later(text, *, budget):
    if text.startswith("@slow"):
        await asyncio.sleep(60)
    return behave(text, budget)

@compactor
def talk(messages, budget):
    text = behave("\\n".join(message["content"] for message in messages), budget)
    return [{"role": "user", "content": line} for line in text.splitlines()]

@compactor
def fuller(text, budget):
    return Compacted(behave(text, budget), notes=("seen",))

class Small:
    def compact(self, text, budget):
        return behave(text, budget)

class Folder:
    def __init__(self, memory_config):
        self.budget, self.lines = memory_config["budget"], []
    def ingest(self, history):
        self.lines = [turn.text for session in history.sessions for turn in session.turns]
    def fold(self):
        self.lines = behave("\\n".join(self.lines), self.budget).splitlines()
    def memories(self, user):
        return self.lines
    def start_session(self, info):
        raise RuntimeError("a compactor is not asked")
"""
PROGRAM = """
import json, sys
from behaviour import behave
for line in sys.stdin:
    step = json.loads(line)
    if step["do"] == "close":
        break
    try:
        print(json.dumps({"text": behave(step["text"], step["budget"])}), flush=True)
    except ValueError as error:
        print(json.dumps({"error": str(error)}), flush=True)
"""
KINDS = {
    "python": {"python": "subjects:plain"},
    "python-async": {"python": "subjects:later"},
    "python-messages": {"python": "subjects:talk"},
    "python-compacted": {"python": "subjects:fuller"},
    "python-class": {"python": "subjects:Small"},
    "command": {"command": [sys.executable, "program.py"]},
    "http": {"http": "URL"},
    "config": {"config": "folder"},
    "summary": {"summary": "plain", "model": {"base_url": "MODEL", "name": "scripted", "temperature": 0}},
}
TEXT = "Never push to main.\nRun the tests before each commit.\nRedis is the cache.\n日本語は禁止。 naïve “quotes”"


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def root(tmp_path, monkeypatch):
    (tmp_path / "behaviour.py").write_text(BEHAVIOUR)
    (tmp_path / "subjects.py").write_text(SUBJECTS)
    (tmp_path / "program.py").write_text(PROGRAM)
    for name in ("behaviour", "subjects"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


@pytest.fixture
def behave():
    space = {}
    exec(BEHAVIOUR, space)
    return space["behave"]


@pytest.fixture
async def address(behave):
    """A server that compacts; on `@die` it drops the connection."""
    from aiohttp import web
    from aiohttp.test_utils import TestServer

    async def compact(request):
        asked = await request.json()
        told = asked["text"].partition("\n")[0]
        if told == "@slow":
            await asyncio.sleep(60)
        if told == "@die":
            request.transport.abort()
            return web.Response()
        try:
            return web.json_response({"text": behave(asked["text"], asked["budget"])})
        except ValueError as error:
            return web.json_response({"error": str(error)}, status=200)

    application = web.Application(client_max_size=2**26)
    application.router.add_post("/compact", compact)
    server = TestServer(application)
    await server.start_server()
    yield str(server.make_url("/compact"))
    await server.close()


@pytest.fixture
def written(behave):
    """A model that compacts what it is shown, and fails as models fail."""

    def rule(request):
        text = request.question.partition("Text:\n")[2]
        budget = int(re.search(r"at most (\d+) tokens", request.question)[1])
        told = text.partition("\n")[0]
        if told == "@slow":
            return ModelReply("late", latency_s=SLOW_S * 20)
        if told == "@die":
            return ModelReply("gone", breaks_after=1)
        try:
            return behave(text, budget)
        except ValueError as error:
            return ModelFailure(400, str(error))

    with ScriptedModel(rule) as model:
        yield model


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def opened(kind, root, address, written):
    @asynccontextmanager
    async def opening(**more):
        settings = {**KINDS[kind], **more}
        if kind == "http":
            settings["http"] = address
        if kind == "summary":
            settings["model"] = {**settings["model"], "base_url": written.url}
        async with open_compactors(
            [DeclaredCompactor("tried", settings)],
            root=root,
            environ={**os.environ, "PYTHONPATH": str(root)},
            configs={"folder": Configuration("folder", {"python": "subjects:Folder"})},
            limits=Limits(timeout_s=20, retries=0),
        ) as (found,):
            assert found.name == "tried"
            yield found

    return opening


async def test_it_gives_what_fits(opened):
    async with opened() as compactor:
        found = await compactor.compact(TEXT, 15)
        assert (found.text, found.error, found.unsafe) == ("\n".join(TEXT.splitlines()[:2]), "", "")
        whole = await compactor.compact(TEXT, 1000)
        assert (whole.text, whole.error) == (TEXT, "")


async def test_rounds_do_not_see_each_other(opened):
    async with opened() as compactor:
        await compactor.compact("The first text.", 100)
        assert (await compactor.compact("The second text.", 100)).text == "The second text."


async def test_two_at_once_get_their_own(opened):
    async with opened() as compactor:
        texts = [f"Text number {number}." for number in range(6)]
        found = await asyncio.gather(*(compactor.compact(text, 100) for text in texts))
        assert [one.text for one in found] == texts


async def test_what_it_raises_is_the_error_of_the_round(opened):
    async with opened() as compactor:
        found = await compactor.compact("@raise\nKeep this.", 100)
        assert found.text == ""
        assert "the prompt was lost" in found.error
        assert "Traceback" not in found.error
        assert (await compactor.compact("Keep this.", 100)).text == "Keep this.", "the next round is asked as ever"


async def test_an_error_message_is_no_text(opened):
    async with opened() as compactor:
        found = await compactor.compact("@error\nKeep this.", 100)
        assert found.text == ""
        assert "an error message in place of a" in found.error
        assert "Service Unavailable" in found.error


async def test_an_error_message_that_stood_in_the_text_is_text(opened, kind):
    given = "Error 503: Service Unavailable"
    async with opened() as compactor:
        found = await compactor.compact(given, 100)
        if kind == "summary":  # a model was asked for a summary, and this is none, wherever it has it from
            assert "an error message" in found.error
        else:
            assert (found.text, found.error) == (given, "")


async def test_an_empty_text_is_a_text_but_of_a_model(opened, kind):
    async with opened() as compactor:
        found = await compactor.compact("@empty\nKeep this.", 100)
        assert found.text == ""
        assert bool(found.error) is (kind == "summary")


async def test_a_text_over_the_budget_is_handed_on_as_it_is(opened):
    async with opened() as compactor:
        found = await compactor.compact("@longer\nKeep this.", 3)
        assert found.text == "@longer\nKeep this.\n@longer\nKeep this."
        assert count_tokens(found.text) > 3
        assert found.error == ""


async def test_half_a_character_harms_nobody(opened):
    async with opened() as compactor:
        found = await compactor.compact("Keep \ud83d this.", 100)
        assert found.error == ""
        assert found.text.startswith("Keep ")
        assert found.text.endswith(" this.")


async def test_a_huge_text_comes_back_whole(opened):
    huge = "\n".join(f"Line {number} is kept as it stands." for number in range(40_000))
    async with opened() as compactor:
        found = await compactor.compact(huge, 10_000_000)
        assert found.error == ""
        assert found.text == huge


async def test_a_time_out_is_an_error_and_the_next_round_goes_on(opened):
    async with opened(timeout_s=SLOW_S) as compactor:
        found = await compactor.compact("@slow\nKeep this.", 100)
        assert (found.text, found.error) == ("", "the compactor gave no text within 0.3 s")
    async with opened() as compactor:
        assert (await compactor.compact("Keep this.", 100)).text == "Keep this."


async def test_what_is_killed_is_an_error_and_the_next_round_goes_on(opened, kind):
    if kind.startswith(("python", "config")):
        pytest.skip("it lives in this process, which it would take along")
    async with opened() as compactor:
        found = await compactor.compact("@die\nKeep this.", 100)
        assert found.text == ""
        assert re.search("SIGKILL|no answer from|gone|cannot be read", found.error), found.error
        assert (await compactor.compact("Keep this.", 100)).text == "Keep this."


async def test_a_setting_that_is_not_known_is_told(opened):
    with pytest.raises(UsageError, match="compactor 'tried' has an unknown setting `retry`"):
        async with opened(retry=3):
            pass


@pytest.mark.parametrize(
    ("name", "value"), [("timeout_s", 0), ("timeout_s", "soon"), ("retries", -1), ("retries", True)]
)
async def test_a_bound_that_is_none_is_told(opened, name, value):
    with pytest.raises(UsageError, match=f"compactor 'tried': its `{name}` is"):
        async with opened(**{name: value}):
            pass
