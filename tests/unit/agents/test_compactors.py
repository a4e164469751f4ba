"""Compactors from outside: how a function is read, what a declaration may say, and what each kind refuses."""

import functools
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from foldproof import compactor
from foldproof.agents.compactors import COMPACTORS, CompactorSetup, open_compactors
from foldproof.agents.compactors.answers import compacted_from, compacted_of
from foldproof.agents.compactors.guarding import Guarded
from foldproof.agents.compactors.prompts import PROMPTS, asked, prompt_of
from foldproof.agents.compactors.signature import messages_of, plan_of
from foldproof.agents.errors import AgentError, TransientError
from foldproof.cases import Configuration, DeclaredCompactor, Limits
from foldproof.compaction import Compacted
from foldproof.core import UsageError
from foldproof.logs import Usage
from foldproof.testing import ModelFailure, ModelReply, ScriptedModel

pytestmark = pytest.mark.anyio
EXAMPLES = Path(__file__).parents[3] / "examples" / "agents"


@pytest.fixture
def anyio_backend():
    return "asyncio"


def opened(root, settings, *, configs=None, environ=None, **limits):
    return open_compactors(
        [DeclaredCompactor("mine", settings, 7)],
        root=root,
        environ=environ if environ is not None else {"PATH": os.environ["PATH"]},
        configs=configs or {},
        limits=Limits(**{"timeout_s": 10, "retries": 0, **limits}),
    )


async def refused(root, settings, **more):
    with pytest.raises(UsageError) as told:
        async with opened(root, settings, **more):
            pass
    return str(told.value)


# --- the signature


def both(text, budget):
    return text


def swapped(budget, text):
    return text


def by_name(*, text, budget):
    return text


def anything(*parts):
    return parts[0]


def only_position(what, /, *, budget=0):
    return what


def more(text, budget, style="short", **options):
    return text


def listed(turns: list[dict[str, str]]):
    return turns


def sequenced(turns: Sequence[Mapping[str, str]], budget: int):
    return turns


def quoted(turns: "list[dict]"):
    return turns


def named_text(text: list):
    return text


@pytest.mark.parametrize(
    ("function", "given", "messages", "budget"),
    [
        (both, "text", False, True),
        (swapped, "text", False, True),
        (by_name, "text", False, True),
        (anything, "", False, False),
        (only_position, "", False, True),
        (more, "text", False, True),
        (listed, "turns", True, False),
        (sequenced, "turns", True, True),
        (quoted, "turns", True, False),
        (named_text, "text", False, False),
        (functools.partial(more, style="long"), "text", False, True),
        (lambda messages: messages, "messages", True, False),
        (str.upper, "", False, False),
    ],
)
def test_how_a_function_takes_its_text(function, given, messages, budget):
    plan = plan_of(function, "here")
    assert (plan.given, plan.takes_messages, plan.takes_budget) == (given, messages, budget)
    args, named = plan.arguments("a\nb", 9)
    what = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}] if messages else "a\nb"
    assert (args or [named[given]]) == [what]
    assert ("budget" in named) is budget


def needs(text, width):
    return text


def nothing():
    return ""


def budget_alone(budget):
    return ""


def texts(lines: list[str]):
    return lines


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (needs, "nothing is known to hand over for its parameter `width`"),
        (nothing, "it takes nothing, so there is no text"),
        (budget_alone, "it takes budget, so there is no text"),
        (texts, "its parameter `lines` is a list of texts"),
        (3, "int is not a function"),
        (Path, "type is not a function"),
        (max, "its parameters cannot be read"),
    ],
)
def test_a_function_that_cannot_be_called_so_is_told(function, told):
    with pytest.raises(UsageError, match=told) as error:
        compactor(function)
    assert "`(text)` or `(text, budget)`" in str(error.value)
    assert str(error.value).startswith("`@compactor` on ")


def test_a_marked_function_is_the_function():
    assert compactor(both) is both


def test_blank_lines_are_no_messages():
    assert [message["content"] for message in messages_of("a\n\n  \n  b\r\nc")] == ["a", "  b", "c"]


# --- what comes back


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (["a", {"role": "user", "content": "b"}], "a\nb"),
        (({"content": [{"type": "text", "text": "a"}, {"type": "image"}, "x"]},), "a"),
        ([SimpleNamespace(content="of an object")], "of an object"),
        ("a text after all", "a text after all"),
        ([], ""),
        ({"text": "as a program answers"}, "as a program answers"),
    ],
)
def test_messages_become_a_text(value, text):
    assert compacted_from(value, messages=True).text == text


@pytest.mark.parametrize(
    ("value", "messages", "told"),
    [
        (None, False, "returned NoneType, where a `str` or"),
        (["a"], False, "returned list, where a `str` or"),
        ({"summary": "a"}, False, "no text: it holds `summary`"),
        (b"a", True, "returned bytes, where a list of messages"),
        ([{"role": "user"}], True, "a message without text"),
        ([3], True, "a message without text"),
        (Compacted(None), False, "the compactor's `text` is None, where a text is expected"),
        (Compacted("a", unsafe=True), False, "the compactor's `unsafe` is True, where a text is expected"),
        (Compacted("a", error=3), False, "the compactor's `error` is 3, where a text is expected"),
        (Compacted("a", notes="rules"), False, "the compactor's `notes` is 'rules', where a list of texts is expected"),
        (Compacted("a", usage={"cost_usd": 1}), False, "where a `foldproof.logs.Usage` is expected"),
        ({"text": "a", "unsafe": True}, False, "the compactor's `unsafe` is True, where a text is expected"),
        ({"text": "a", "notes": ["x", 3]}, False, "where a list of texts is expected"),
    ],
)
def test_what_is_no_text_is_told(value, messages, told):
    with pytest.raises(AgentError, match=told):
        compacted_from(value, messages=messages)


def test_an_answer_may_say_more():
    found = compacted_of(
        {"text": "a", "unsafe": "too small", "notes": ["x"], "usage": {"input_tokens": 3, "cost_usd": 0.5}}
    )
    assert found == Compacted("a", "too small", ("x",), usage=Usage(3, None, 0.5))
    assert compacted_of({"text": "a", "unsafe": False, "notes": None, "error": None}) == Compacted("a")
    assert compacted_from(Compacted("a", unsafe=None, error=None, notes=["x"]), messages=False) == Compacted(
        "a", notes=("x",)
    )


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({}, "no text: it holds nothing"),
        ({"summary": "a"}, "no text: it holds `summary`"),
        ({"text": None}, "no text: `text` is NoneType"),
        ({"error": {"code": 3}}, "failed: {'code': 3}"),
    ],
)
def test_an_answer_without_a_text_is_told(answer, told):
    with pytest.raises(AgentError) as error:
        compacted_of(answer)
    assert told in str(error.value)
    assert not isinstance(error.value, TransientError)


@pytest.mark.parametrize("answer", [{"error": "x", "transient": True}, {"error": "429: rate limit"}])
def test_an_error_that_may_pass_is_told_apart(answer):
    with pytest.raises(TransientError):
        compacted_of(answer)


# --- around a compactor


class Foreign:
    """A plugin's compactor that does what it is told to."""

    name = "foreign"

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = 0

    async def compact(self, text, budget):
        self.asked += 1
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (KeyError("gone"), "the compactor raised KeyError: 'gone'"),
        (AgentError("no luck"), "no luck"),
        (TransientError("busy"), "busy (given up after one attempt)"),
        ("no record", "the compactor gave str, where a `Compacted`"),
        (SystemExit(0), "the compactor raised SystemExit: 0"),
        (Compacted(7), "the compactor's `text` is 7, where a text is expected"),
        (Compacted("a", notes=3), "the compactor's `notes` is 3, where a list of texts is expected"),
    ],
)
async def test_whatever_a_plugin_does_is_the_rounds_error(raised, told):
    found = await Guarded(Foreign(raised), "mine", timeout_s=5, retries=0).compact("a", 3)
    assert found.text == ""
    assert told in found.error


async def test_what_may_pass_is_tried_again(monkeypatch):
    monkeypatch.setattr("foldproof.agents.waiting.FIRST_S", 0.001)
    inner = Foreign(TransientError("busy"), TransientError("busy", 0.0), Compacted("done"))
    assert await Guarded(inner, "mine", timeout_s=5, retries=2).compact("a", 3) == Compacted("done")
    inner = Foreign(*[TransientError("busy")] * 3)
    found = await Guarded(inner, "mine", timeout_s=5, retries=2).compact("a", 3)
    assert (found.error, inner.asked) == ("busy (given up after 3 attempts)", 3)


async def test_a_wrong_declaration_is_no_error_of_a_round():
    with pytest.raises(UsageError, match="wrong"):
        await Guarded(Foreign(UsageError("wrong")), "mine", timeout_s=5, retries=0).compact("a", 3)


async def test_what_a_compactor_calls_its_error_stays(monkeypatch):
    said = Compacted("Error: Internal Server Error", error="mine")
    assert await Guarded(Foreign(said), "mine", timeout_s=5, retries=0).compact("a", 3) == said


async def test_a_second_line_is_not_taken_for_the_answer_to_the_next_text(tmp_path):
    (tmp_path / "twice.sh").write_text(
        """while read line; do
             if [ -e once ]; then echo '{"text": "one"}'; else printf '{"text": "one"}\\n{"text": "two"}\\n'; fi
           done"""
    )
    async with opened(tmp_path, {"command": ["sh", "twice.sh"]}) as (mine,):
        assert (await mine.compact("a", 3)).text == "one"
        error = (await mine.compact("b", 3)).error
        assert 'answered more than one line to one question: \'{"text": "two"}\' came after' in error
        (tmp_path / "once").touch()
        assert [(await mine.compact(text, 3)).text for text in "cd"] == ["one", "one"]


# --- declarations


async def test_unknown_kinds_are_told_with_the_nearest(tmp_path):
    told = await refused(tmp_path, {"sumary": ""})
    assert told == "compactor 'mine' (line 7) is of an unknown kind 'sumary'\n  did you mean `summary`?"
    assert {"command", "config", "http", "python", "summary"} <= set(COMPACTORS.names())


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"python": "absent:f"}, "compactor 'mine' (line 7): there is no module `absent`"),
        ({"python": "mod:shortn"}, "`mod` has no `shortn`\n  did you mean `shorten`?"),
        ({"python": "mod:wide"}, "`python:mod:wide`: nothing is known to hand over for its parameter `width`"),
        ({"python": "mod:NeedsMore"}, "the class cannot be made without arguments"),
        ({"python": "mod:Breaks"}, "making it fails with RuntimeError: no key"),
        ({"python": ""}, "is not of the form `python:module:name`"),
        ({"python": "mod:shorten", "budget": 3}, "has an unknown setting `budget`"),
        ({"python": "mod:shorten", "timout_s": 3}, "has an unknown setting `timout_s`\n  did you mean `timeout_s`?"),
        ({"head": "", "retrys": 3}, "(line 7) has no setting `retrys`\n  did you mean `retries`?"),
        ({"command": ["absent-program"]}, "its `command` names the program `absent-program`, which cannot be run"),
        ({"command": ""}, "its `command` is '', where a list of texts is expected"),
        ({"http": "localhost:80"}, "its `http` is 'localhost:80', where a URL is expected"),
        ({"http": "http://localhost/x", "api_key_env": "NO_KEY"}, "the environment variable `NO_KEY`"),
        ({"http": "${NO_HOST}/x"}, "`compactors.mine.http` needs the environment variable `NO_HOST`"),
        ({"config": "prodction"}, "folds the unknown configuration 'prodction'\n  did you mean `production`?"),
        ({"config": "production"}, "write `budget_as: none`"),
        ({"config": "production", "budget_as": ""}, "its `budget_as` is ''"),
        ({"config": "broken"}, "its agent cannot be started"),
        ({"summary": "plain"}, "a summary is written by a model, and it has none"),
        ({"summary": "plain", "model": "production"}, "a summary is written by a model, and it has none"),
        ({"summary": "plain", "model": "prodction"}, "names the unknown configuration 'prodction'\n  did you mean"),
        ({"summary": "plane", "model": {"name": "m", "base_url": "http://x/v1"}}, "no prompt 'plane'\n  did you mean"),
        ({"summary": "p/no.md", "model": {"name": "m", "base_url": "http://x/v1"}}, "'p/no.md' cannot be read"),
        ({"summary": "plain.md", "model": {"name": "m", "base_url": "http://x/v1"}}, "no place for `{text}`"),
        ({"summary": "plain", "model": {"name": "m", "base_ur": "http://x/v1"}}, "did you mean `base_url`?"),
    ],
)
async def test_what_cannot_be_used_is_told_before_anything_is_asked(tmp_path, settings, told):
    (tmp_path / "mod.py").write_text(
        "def shorten(text, budget): return text\n"
        "def wide(text, width): return text\n"
        "class NeedsMore:\n"
        "    def __init__(self, key): pass\n"
        "    def compact(self, text): return text\n"
        "class Breaks:\n"
        "    def __init__(self): raise RuntimeError('no key')\n"
        "    def compact(self, text): return text\n"
        "class Agent:\n"
        "    def __init__(self, memory_config): raise RuntimeError('no key')\n"
        "    def start_session(self, info): pass\n"
    )
    (tmp_path / "plain.md").write_text("Make it short.")
    configs = {
        "production": Configuration("production", {"recall": ""}, memory={"kind": "full"}),
        "broken": Configuration("broken", {"python": "mod:Agent"}),
    }
    assert told in await refused(tmp_path, settings, configs=configs)


async def test_an_object_of_the_users_is_called_by_its_method(tmp_path):
    (tmp_path / "made.py").write_text(
        "class Kept:\n"
        "    def __init__(self): self.times = 0\n"
        "    def compact(self, text):\n"
        "        self.times += 1\n"
        "        return f'{self.times} {text}'\n"
        "kept = Kept()\n"
    )
    async with opened(tmp_path, {"python": "made:kept"}) as (mine,):
        first = await mine.compact("a", 3)
        assert first.text == "1 a"
        assert first.notes == ("the compactor function takes no `budget`: it is not told how long the text may be",)
        assert (await mine.compact("a", 3)).text == "2 a"


# --- an agent's own fold


async def test_a_memory_of_ours_folds_to_each_budget(tmp_path):
    configs = {"production": Configuration("production", {"recall": ""}, memory={"kind": "head", "budget": 9})}
    text = "Never push to main.\n\n[WIP] fix: the cache\nRedis caches."
    async with opened(tmp_path, {"config": "production"}, configs=configs) as (mine,):
        assert (await mine.compact(text, 500)).text == text.replace("\n\n", "\n"), "no line keeps the mark of its turn"
        small = await mine.compact(text, 12)
        assert small.text.startswith("Never push to main.")
        assert "Redis" not in small.text
        assert small.usage == Usage(cost_usd=0.0)


async def test_a_memory_that_takes_no_budget_is_told_none(tmp_path):
    configs = {"production": Configuration("production", {"recall": ""}, memory={"kind": "full"})}
    async with opened(tmp_path, {"config": "production", "budget_as": "none"}, configs=configs) as (mine,):
        assert (await mine.compact("a line\nanother", 1)).text == "a line\nanother"


async def test_an_agent_that_cannot_fold_is_an_error_of_each_round(tmp_path):
    (tmp_path / "asked.py").write_text("def answer(question, memory_config): return question\n")
    configs = {"production": Configuration("production", {"python": "asked:answer"})}
    async with opened(tmp_path, {"config": "production"}, configs=configs) as (mine,):
        found = await mine.compact("a line", 9)
    assert found.error == "what the agent's fold keeps cannot be seen: it has no `ingest`, `fold` and `memories`"


async def test_a_program_without_a_fold_is_an_error_of_each_round(tmp_path):
    shutil.copy(EXAMPLES / "agent.sh", tmp_path / "agent.sh")
    configs = {"production": Configuration("production", {"command": ["sh", "agent.sh"]})}
    async with opened(tmp_path, {"config": "production"}, configs=configs) as (mine,):
        found = await mine.compact("a line", 9)
    assert found.error.startswith("what the agent's fold keeps cannot be seen: the agent does not support `")


async def test_an_address_has_no_fold(tmp_path):
    configs = {"production": Configuration("production", {"http": "http://localhost:1/v1"}, memory={})}
    told = await refused(tmp_path, {"config": "production"}, configs=configs)
    assert "does not reach the endpoint" in told
    async with opened(tmp_path, {"config": "production", "budget_as": "none"}, configs=configs) as (mine,):
        found = await mine.compact("a line", 9)
    assert "cannot be seen" in found.error


async def test_what_folding_costs_is_kept(tmp_path):
    with ScriptedModel(lambda request: "Never push to main.") as model:
        configs = {
            "production": Configuration(
                "production",
                {"recall": ""},
                model={"base_url": model.url, "name": "scripted", "price": {"input": 1, "output": 1}},
                memory={"kind": "summary", "keep_last": 0},
            )
        }
        async with opened(tmp_path, {"config": "production"}, configs=configs) as (mine,):
            found = await mine.compact("Never push to main.\nRedis caches.", 40)
    assert found.text == "Never push to main."
    assert found.usage.cost_usd > 0
    assert found.usage.input_tokens > 0


# --- an address


async def test_a_key_is_sent_only_where_it_is_named_and_never_told(tmp_path):
    from aiohttp import web
    from aiohttp.test_utils import TestServer

    seen = []

    async def compact(request):
        seen.append(request.headers.get("Authorization"))
        if len(seen) > 2:
            return web.Response(status=401, text=f"no such key: {request.headers.get('Authorization')}")
        if len(seen) > 1:
            return web.json_response({"error": f"bad {request.headers.get('Authorization')}"})
        return web.json_response({"text": "ok"})

    application = web.Application()
    application.router.add_post("/compact", compact)
    server = TestServer(application)
    await server.start_server()
    address = str(server.make_url("/compact"))
    environ = {"OPENAI_API_KEY": "sk-of-another-server", "OUR_KEY": "our-own-secret-key"}
    async with opened(tmp_path, {"http": address}, environ=environ) as (mine,):
        assert (await mine.compact("a", 3)).text == "ok"
    async with opened(tmp_path, {"http": address, "api_key_env": "OUR_KEY"}, environ=environ) as (mine,):
        failed, denied = await mine.compact("a", 3), await mine.compact("a", 3)
    await server.close()
    assert seen == [None, "Bearer our-own-secret-key", "Bearer our-own-secret-key"]
    assert "our-own-secret-key" not in failed.error + denied.error
    assert "failed: bad" in failed.error
    assert "401" in denied.error


@pytest.mark.parametrize(
    ("body", "told"),
    [("<html>", "what is not JSON: '<html>'"), ('["a"]', "answered list, where a JSON object"), ("{}", "no text")],
)
async def test_what_an_address_answers_must_be_an_object(tmp_path, body, told):
    from aiohttp import web
    from aiohttp.test_utils import TestServer

    async def compact(request):
        return web.Response(text=body)

    application = web.Application()
    application.router.add_post("/", compact)
    server = TestServer(application)
    await server.start_server()
    async with opened(tmp_path, {"http": str(server.make_url("/"))}) as (mine,):
        found = await mine.compact("a", 3)
    await server.close()
    assert told in found.error


async def test_an_address_that_is_busy_is_asked_again(tmp_path):
    from aiohttp import web
    from aiohttp.test_utils import TestServer

    seen = []

    async def compact(request):
        seen.append(await request.json())
        if len(seen) == 1:
            return web.Response(status=503, headers={"Retry-After": "0"})
        return web.json_response({"text": "ok", "usage": {"cost_usd": 0.25}})

    application = web.Application()
    application.router.add_post("/", compact)
    server = TestServer(application)
    await server.start_server()
    async with opened(tmp_path, {"http": str(server.make_url("/")), "retries": 1}) as (mine,):
        found = await mine.compact("a", 3)
    await server.close()
    assert (found.text, found.error, found.usage) == ("ok", "", Usage(cost_usd=0.25))
    assert seen == [{"text": "a", "budget": 3}] * 2


async def test_nobody_is_sent_elsewhere(tmp_path):
    from aiohttp import web
    from aiohttp.test_utils import TestServer

    async def compact(request):
        raise web.HTTPTemporaryRedirect("/other")

    application = web.Application()
    application.router.add_post("/", compact)
    server = TestServer(application)
    await server.start_server()
    async with opened(tmp_path, {"http": str(server.make_url("/"))}) as (mine,):
        found = await mine.compact("a", 3)
    await server.close()
    assert "the endpoint answered 307" in found.error


# --- a model


@pytest.mark.parametrize("name", sorted(PROMPTS))
async def test_each_prompt_shows_the_text_and_the_budget(tmp_path, name):
    with ScriptedModel(lambda request: "kept") as model:
        settings = {"summary": name, "model": {"base_url": model.url, "name": "scripted"}}
        async with opened(tmp_path, settings) as (mine,):
            assert (await mine.compact("Never {push} to main.", 77)).text == "kept"
        [request] = model.requests
        assert "Never {push} to main." in request.question
        assert "77 tokens" in request.question
        assert "{budget}" not in request.question


async def test_a_model_may_be_that_of_a_configuration(tmp_path):
    with ScriptedModel(lambda request: "kept") as model:
        configs = {
            "chatty": Configuration("chatty", {"recall": ""}, model={"base_url": "${WHERE}", "name": "scripted"})
        }
        settings = {"summary": "plain", "model": "chatty"}
        async with opened(tmp_path, settings, configs=configs, environ={"WHERE": model.url}) as (mine,):
            assert (await mine.compact("Never push to main.", 77)).text == "kept"


async def test_a_prompt_of_the_users_own(tmp_path):
    (tmp_path / "mine.md").write_text("Shorten to {budget}: {text}")
    template = prompt_of("mine.md", tmp_path, "here")
    assert asked(template, "a {b}", 3) == "Shorten to 3: a {b}"


@pytest.mark.parametrize(
    ("answer", "told", "paid"),
    [
        (ModelReply(""), "an empty text", False),
        ("Error 500: Internal Server Error", "an error message in place of a summary", True),
        ("Please provide the text to summarize.", "a placeholder in place of a summary", True),
        (ModelFailure(400, "no such model"), "no such model", False),
    ],
)
async def test_what_a_model_gives_in_place_of_a_summary_is_an_error_and_has_its_cost(tmp_path, answer, told, paid):
    with ScriptedModel(lambda request: answer) as model:
        price = {"input": 1, "output": 1}
        settings = {"summary": "plain", "model": {"base_url": model.url, "name": "scripted", "price": price}}
        async with opened(tmp_path, settings) as (mine,):
            found = await mine.compact("Never push to main.", 77)
    assert found.text == ""
    assert told in found.error
    assert bool(found.usage and found.usage.cost_usd) is paid


async def test_a_summary_that_was_cut_off_says_so(tmp_path):
    with ScriptedModel(lambda request: ModelReply("Never push", finish="length")) as model:
        settings = {"summary": "structured", "model": {"base_url": model.url, "name": "scripted"}}
        async with opened(tmp_path, settings) as (mine,):
            found = await mine.compact("Never push to main.", 77)
    assert found.text == "Never push"
    assert "cut off" in found.notes[0]


# --- constraints held apart


async def test_constraints_stand_outside_of_what_a_model_compacts(tmp_path):
    text = "Never push to main.\nRedis caches what is slow.\nThe office has a garden with two old trees."
    with ScriptedModel(lambda request: "Redis caches.") as model:
        inner = {"summary": "plain", "model": {"base_url": model.url, "name": "scripted"}}
        async with opened(tmp_path, {"pinned": {"inner": inner}}) as (mine,):
            whole = await mine.compact(text, 500)
            short = await mine.compact(text, 12)
            unsafe = await mine.compact(text, 3)
            just = await mine.compact(text, 5)
        [request] = model.requests
    assert (whole.text, whole.notes) == (text, ())
    assert short.text == "Never push to main.\nRedis caches."
    assert short.notes == ("mine: 1 constraints held apart",)
    assert short.usage.input_tokens > 0
    assert "Never push" not in request.question
    assert "at most 7 tokens" in request.question
    assert unsafe.unsafe.startswith("the constraints alone need 5 tokens")
    assert just.text == "Never push to main."


async def test_the_error_of_what_compacts_the_rest_is_the_rounds(tmp_path):
    inner = {"command": ["sh", "-c", "exit 3"]}
    async with opened(tmp_path, {"pinned": {"inner": inner}}) as (mine,):
        found = await mine.compact("Never push to main.\nRedis caches what is slow.", 8)
    assert found.text == ""
    assert "ended with exit code 3" in found.error


async def test_an_error_message_below_constraints_is_no_text(tmp_path):
    inner = {"command": ["sh", "-c", """read line; echo '{"text": "Error 503: Service Unavailable"}'; read line"""]}
    async with opened(tmp_path, {"pinned": {"inner": inner}}) as (mine,):
        found = await mine.compact("Never push to main.\nRedis caches what is slow.", 8)
    assert (found.text, "an error message in place of a text" in found.error) == ("", True)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {"pinned": {"inner": "tial"}},
            "compactor 'mine' (line 7) is of an unknown kind 'tial'\n  did you mean `tail`?",
        ),
        ({"pinned": {"inner": 3}}, "compactor 'mine' (line 7): `inner` is 3, where one of"),
        ({"pinned": {"iner": "head"}}, "compactor 'mine' (line 7) has no setting `iner`\n  did you mean `inner`?"),
        ({"pinned": {"inner": {"command": ["sh"], "timeout_s": 3}}}, "`timeout_s` stands within `inner`"),
        ({"pinned": {"inner": {"sumary": ""}}}, "did you mean `summary`?"),
        ({"pinned": {"inner": {"command": ["absent-program"]}}}, "`absent-program`, which cannot be run"),
        ({"pinned": {"inner": {"command": ["sh"]}, "iner": 3}}, "unknown setting `iner`"),
    ],
)
async def test_what_cannot_be_held_apart_is_told(tmp_path, settings, told):
    assert told in await refused(tmp_path, settings)


async def test_what_compacts_the_rest_may_be_written_as_anywhere(tmp_path):
    (tmp_path / "mod.py").write_text("def shorten(text): return 'short'\n")
    async with opened(tmp_path, {"pinned": {"inner": "python:mod:shorten"}}) as (mine,):
        found = await mine.compact("Never push to main.\nRedis caches what is slow.", 8)
    assert (found.text, found.error) == ("Never push to main.\nshort", "")


async def test_references_stand_in_the_same_registry(tmp_path):
    text = "Never push to main.\nRedis caches what is slow.\nThe office has a garden with two old trees."
    async with opened(tmp_path, {"pinned": {"inner": "head"}}) as (mine,):
        assert (await mine.compact(text, 12)).text == "Never push to main.\nRedis caches what is slow."
    async with opened(tmp_path, {"head": ""}) as (mine,):
        assert (mine.name, (await mine.compact(text, 5)).text) == ("mine", "Never push to main.")


# --- plugins


PLUGIN = """
from foldproof.compaction import Compacted

class Shouting:
    def __init__(self, settings, setup):
        setup.allow(settings, "mark")
        self.name, self.mark = setup.name, settings.get("mark", "!")

    async def compact(self, text, budget):
        return Compacted(text.upper() + self.mark)
"""


async def test_a_plugin_adds_a_kind_by_one_small_class(tmp_path, monkeypatch):
    (tmp_path / "shouting_plugin.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("shouting", "shouting_plugin:Shouting", "foldproof.compactors")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: [point] if group == point.group else [])
    assert "shouting" in COMPACTORS.names()
    async with opened(tmp_path, {"shouting": {"mark": "?"}}) as (mine,):
        assert (mine.name, (await mine.compact("a", 3)).text) == ("mine", "A?")
    async with opened(tmp_path, {"shouting": "", "mark": "."}) as (mine,):
        assert (await mine.compact("a", 3)).text == "A."
    assert "unknown setting `marc`\n  did you mean `mark`?" in await refused(tmp_path, {"shouting": {"marc": "?"}})


BROKEN = """
class Made:
    def __init__(self, settings, setup):
        raise KeyError("no licence")

class Opened:
    name = "opened"
    def __init__(self, settings, setup):
        pass
    async def __aenter__(self):
        raise SystemExit(0)
    async def __aexit__(self, *what):
        return None

class Closed(Opened):
    async def __aenter__(self):
        return self
    async def __aexit__(self, *what):
        raise OSError("no disk")
"""


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("Made", "making it fails with KeyError: 'no licence'"),
        ("Opened", "opening it fails with SystemExit: 0"),
        ("Closed", "closing it fails with OSError: no disk"),
    ],
)
async def test_a_plugin_that_breaks_is_one_message(tmp_path, monkeypatch, kind, told):
    (tmp_path / "broken_plugin.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("broken", f"broken_plugin:{kind}", "foldproof.compactors")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: [point] if group == point.group else [])
    assert await refused(tmp_path, {"broken": ""}) == f"compactor 'mine' (line 7): {told}"


def test_a_setup_without_a_line_names_the_compactor_alone(tmp_path):
    assert CompactorSetup("mine", tmp_path).place == "compactor 'mine'"
    assert json.dumps(CompactorSetup("mine", tmp_path, line=3).place) == "\"compactor 'mine' (line 3)\""
