"""The `chat` agent: its prompt, its memory, its tool loop, and what goes wrong with each."""

import json

import pytest

from foldproof.agents import AgentError, SessionInfo, TransientError
from foldproof.agents.chat_settings import ANSWER
from foldproof.agents.watch import Tap
from foldproof.core import UsageError
from foldproof.logs import History, Session, ToolCall, Turn
from foldproof.testing import ModelFailure, ModelReply, ScriptedEndpoint, ScriptedModel

pytestmark = pytest.mark.anyio
KEY = "sk-right-0123456789abcdef"
HISTORY = History(
    "h",
    (
        Session("s1", (Turn("user", "Our billing runs on Postgres 15."), Turn("agent", "Noted.")), "2026-03-01"),
        Session("s2", (Turn("user", "My dog is called Unna."),)),
    ),
)


@pytest.fixture
def chatting(opened):
    """An agent of a scripted model with the history taken in, its rule and settings as given."""

    from contextlib import asynccontextmanager

    @asynccontextmanager
    async def chatting_with(rule, chat="", memory=None, environ=None, **model):
        memory = memory or {"kind": "verbatim", "k": 3}
        with ScriptedModel(rule) as server:
            settings = {"base_url": server.url, "name": "scripted", "temperature": 0, **model}
            async with opened({"chat": chat}, memory=memory, model=settings, environ=environ or {}) as factory:
                agent = await factory.make(memory, "t1")
                await agent.ingest(HISTORY)
                yield agent, server
                await agent.close()

    return chatting_with


def messages_of(server, at=-1):
    return server.requests[at].body["messages"]


async def test_a_reply_shows_everything_that_it_rests_on(chatting, ask):
    async with chatting(lambda _: "Postgres 15.", seed=7, price={"input": 1, "output": 2}) as (agent, server):
        reply = await ask(agent, "Which database for billing?", now="2026-04-01")
    assert reply.text == "Postgres 15."
    assert (reply.tool_calls, reply.memory_writes, reply.notes) == ((), (), ())
    assert [(item.id, item.rank) for item in reply.memory_reads] == [("s1.t1", 1)]
    system, user = messages_of(server)
    assert user == {"role": "user", "content": "Which database for billing?"}
    assert system["content"] == ANSWER.text.replace(
        "{memory}", "[s1 2026-03-01] user: Our billing runs on Postgres 15."
    ).replace("{now}", "2026-04-01")
    assert reply.prompt == f"[system]\n{system['content']}\n\n[user]\nWhich database for billing?"
    assert reply.usage.cost_usd == pytest.approx((reply.usage.input_tokens + 2 * reply.usage.output_tokens) / 1e6)
    body = server.requests[-1].body
    assert {name: body[name] for name in body if name != "messages"} == {
        "model": "scripted",
        "temperature": 0,
        "seed": 7,
    }


async def test_A37_a_later_turn_sees_the_earlier_ones_and_a_fresh_session_does_not(chatting, ask):
    def rule(request):
        said = [said.text for said in request.messages if said.role != "system"]
        return "BLAU11" if any("BLAU11" in text for text in said[:-1]) else "I do not know."

    async with chatting(rule) as (agent, server):
        conversation = await agent.start_session(SessionInfo("u", "s"))
        await conversation.reply("The code word is BLAU11.")
        second = await conversation.reply("What was the code word?")
        assert second.text == "BLAU11"
        assert [message["role"] for message in messages_of(server)] == ["system", "user", "assistant", "user"]
        assert "[user]\nThe code word is BLAU11." in second.prompt
        assert (await ask(agent, "What was the code word?")).text == "I do not know."


async def test_a_turn_that_failed_is_not_kept(chatting):
    answers = iter([ModelFailure(503), "fine"])
    async with chatting(lambda _: next(answers)) as (agent, server):
        conversation = await agent.start_session(SessionInfo("u", "s"))
        with pytest.raises(TransientError, match="the endpoint answered 503"):
            await conversation.reply("Hello?")
        await conversation.reply("Hello?")
        assert [message["role"] for message in messages_of(server)] == ["system", "user"]


async def test_nothing_recalled_is_said_so(chatting, ask):
    async with chatting(lambda _: "I do not know.", memory={"kind": "none"}) as (agent, server):
        reply = await ask(agent, "Which database?")
    assert "What you remember of them:\n(nothing)\n" in messages_of(server)[0]["content"]
    assert "Current time: not known" in messages_of(server)[0]["content"]
    assert reply.memory_reads == ()


def search_once(request):
    if not request.tool_results:
        return ToolCall("search_memory", {"query": "dog Unna"})
    return f"Found: {request.tool_results[-1].text}"


async def test_the_model_may_search_by_itself(chatting, ask):
    async with chatting(search_once, {"tools": ["search_memory"]}) as (agent, server):
        reply = await ask(agent, "Which database for billing?")
    assert reply.text == "Found: [s2] user: My dog is called Unna."
    assert reply.tool_calls == (ToolCall("search_memory", {"query": "dog Unna"}),)
    assert [(item.id, item.rank) for item in reply.memory_reads] == [("s1.t1", 1), ("s2.t1", 2)]
    sent = messages_of(server)
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool"]
    assert sent[2]["tool_calls"][0]["id"] == sent[3]["tool_call_id"]
    assert "search_memory(" in reply.prompt
    assert "[s2] user: My dog is called Unna." in reply.prompt
    first, second = [request.prompt for request in server.requests]
    assert reply.usage.input_tokens > len(first.split())
    assert server.requests[0].tools == ("search_memory",)
    assert len(second) > len(first)


async def test_the_usage_of_all_calls_is_summed_and_unknown_where_one_is():
    from foldproof.agents.usage import FREE, summed
    from foldproof.logs import Usage

    assert summed([Usage(1, 2, 0.5), FREE, Usage(10, 20, 1.0)]) == Usage(11, 22, 1.5)
    assert summed([Usage(1, 2, 0.5), Usage(10, 20)]) == Usage(11, 22, None)
    assert summed([Usage(1, 2, 0.5), None]) is None
    assert summed([FREE]) == summed([]) == FREE


async def test_the_exchange_with_a_tool_stays_in_the_session(chatting):
    async with chatting(search_once, {"tools": ["search_memory"]}) as (agent, server):
        conversation = await agent.start_session(SessionInfo("u", "s"))
        await conversation.reply("Who is my dog?")
        await conversation.reply("And my cat?")
        roles = [message["role"] for message in messages_of(server)]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user", "assistant", "tool"]
    assert server.refused == []


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (ToolCall("search_memry", {"query": "x"}), "there is no tool 'search_memry'; did you mean `search_memory`?"),
        (ToolCall("search_memory", {"q": "x"}), "there is no argument 'q'"),
        (ToolCall("search_memory", {}), "the argument `query` must be a text"),
        (ToolCall("search_memory", {"query": 3}), "the argument `query` must be a text"),
        (ToolCall("search_memory", {"query": " "}), "the argument `query` must be a text"),
    ],
)
async def test_a_call_that_cannot_be_carried_out_is_answered_and_noted(chatting, ask, call, told):
    def rule(request):
        return request.tool_results[-1].text if request.tool_results else call

    async with chatting(rule, {"tools": ["search_memory"]}) as (agent, _):
        reply = await ask(agent, "Who is my dog?")
    assert reply.text.startswith(f"Error: {told}")
    assert told in reply.notes[0]
    assert reply.tool_calls == (call,)


async def test_broken_arguments_and_a_call_without_an_id_are_answered(opened, ask):
    def rule(text):
        if text == "Who is my dog?":
            function = {"name": "search_memory", "arguments": "{broken"}
            message = {"role": "assistant", "content": None, "tool_calls": [{"function": function}]}
            return {"choices": [{"message": message}]}
        return text

    with ScriptedEndpoint(rule) as server:
        model = {"base_url": server.url, "name": "scripted"}
        async with opened({"chat": {"tools": ["search_memory"]}}, model=model, environ={}) as factory:
            reply = await ask(await factory.make({}, "t1"), "Who is my dog?")
    assert reply.text == "Error: the arguments are no JSON object: {broken"
    assert reply.tool_calls == (ToolCall("search_memory", {"_raw": "{broken"}),)
    assert server.requests[-1]["messages"][-1]["tool_call_id"] == "call_0_1"
    assert reply.usage is None, "of the first call nothing is known"


async def test_a_tool_that_was_not_offered_is_no_tool(chatting, ask):
    def rule(request):
        said = [said for said in request.messages if said.role == "tool"]
        return said[-1].text if said else ToolCall("search_memory", {"query": "x"})

    async with chatting(rule) as (agent, server):
        reply = await ask(agent, "Who is my dog?")
    assert reply.text == "Error: there is no tool 'search_memory'; none is known"
    assert "tools" not in server.requests[0].body


@pytest.mark.parametrize(("chat", "calls"), [({"tools": ["search_memory"]}, 8), ({"tools": [], "steps": 2}, 2)])
async def test_a_tool_loop_that_does_not_end_is_an_error(chatting, ask, chat, calls):
    async with chatting(lambda _: ToolCall("search_memory", {"query": "dog"}), chat) as (agent, server):
        with pytest.raises(AgentError, match=f"did not end within {calls} calls .* `search_memory` once more"):
            await ask(agent, "Who is my dog?")
        assert len(server.requests) == calls


async def test_text_and_calls_in_one_answer_are_kept_together(chatting, ask):
    def rule(request):
        if request.tool_results:
            return "Unna."
        return ModelReply("Let me look.", (ToolCall("search_memory", {"query": "dog"}),))

    async with chatting(rule, {"tools": ["search_memory"]}) as (agent, server):
        assert (await ask(agent, "Who is my dog?")).text == "Unna."
        assert messages_of(server)[2]["content"] == "Let me look."


async def test_A35_a_template_of_the_users_own(chatting, ask, tmp_path):
    (tmp_path / "mine.md").write_text('Know: {memory}\nJSON: {{x}} {"a": 1}\nAt {now}: {question}\n', encoding="utf-8")
    async with chatting(lambda _: "ok", {"prompt": "mine.md"}) as (agent, server):
        conversation = await agent.start_session(SessionInfo("u", "s", "noon"))
        await conversation.reply("Who is {memory} dog?")
        assert messages_of(server) == [
            {
                "role": "user",
                "content": 'Know: [s2] user: My dog is called Unna.\nJSON: {x} {"a": 1}\nAt noon: Who is {memory} dog?',
            }
        ]
        await conversation.reply("And?")
        earlier = messages_of(server)[0]
    assert earlier == {"role": "user", "content": "Who is {memory} dog?"}, "what was said, without what was remembered"


@pytest.mark.parametrize(
    ("text", "memory", "tools", "fault"),
    [
        ("Answer briefly.", {}, [], "has no place for `{memory}`: what the memory recalls would never reach the model"),
        ("Answer {{memory}}.", {}, [], "has no place for `{memory}`"),
        ("Answer briefly.", {"kind": "none"}, [], ""),
        ("Answer briefly.", {}, ["search_memory"], ""),
        ("Answer {memory}.", {}, [], ""),
        ("Answer {memry}.", {}, [], "a place for `{memry}`, which is unknown\n  did you mean `memory`?"),
        (" \n", {}, [], "the prompt 'mine.md' is empty"),
    ],
)
async def test_A35_a_template_that_loses_the_memory_is_refused(opened, tmp_path, text, memory, tools, fault):
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    agent = {"chat": {"prompt": "mine.md", "tools": tools}}
    if not fault:
        async with opened(agent, memory=memory, model=MODEL, environ={}) as factory:
            assert await factory.make(memory, "t1")
        return
    with pytest.raises(UsageError) as caught:
        async with opened(agent, memory=memory, model=MODEL, environ={}):
            pass
    assert fault in str(caught.value)


async def test_A35_a_cases_own_memory_is_held_to_the_template_too(opened, tmp_path):
    (tmp_path / "mine.md").write_text("Answer briefly.", encoding="utf-8")
    async with opened({"chat": {"prompt": "mine.md"}}, {"kind": "none"}, MODEL, environ={}) as factory:
        with pytest.raises(UsageError, match="has no place for"):
            await factory.make({"kind": "verbatim"}, "t1")


MODEL = {"base_url": "http://127.0.0.1:9/v1", "name": "scripted", "temperature": 0}


def without(name):
    return {key: value for key, value in MODEL.items() if key != name}


@pytest.mark.parametrize(
    ("chat", "model", "words"),
    [
        ("", without("name"), "the model has no `name`\n  write `model: {base_url:"),
        ("", {**MODEL, "name": 7}, "the model has the name 7"),
        ("", without("base_url"), "there is no `base_url`, and the environment variable `OPENAI_BASE_URL` is not set"),
        ("", {**MODEL, "base_url": "localhost:8000"}, "`base_url` is 'localhost:8000', where a URL is expected"),
        ("", {**MODEL, "api_key_env": "MY_KEY"}, "the environment variable `MY_KEY` of `api_key_env` is not set"),
        ("", {**MODEL, "headers": ["x"]}, "`headers` is a map of names to texts"),
        ("", {**MODEL, "temperature": "0"}, "the model's `temperature` is '0', where a number from 0 is expected"),
        ("", {**MODEL, "temperature": 10**400}, "where a number from 0 is expected"),
        ("", {**MODEL, "seed": True}, "the model's `seed` is True, where a whole number is expected"),
        ("", {**MODEL, "max_tokens": 0}, "the model's `max_tokens` is 0"),
        ("", {**MODEL, "base_urll": "http://x"}, "has no setting `base_urll`\n  did you mean `base_url`?"),
        ("", {**MODEL, "temprature": 0}, "has no setting `temprature`\n  did you mean `temperature`?"),
        ("", {**MODEL, "api_key": "k"}, "has no setting `api_key`\n  did you mean `api_key_env`?"),
        ("", {**MODEL, "stream": True}, "the model's `stream` cannot be set"),
        ("", {**MODEL, "tools": []}, "the model's `tools` cannot be set"),
        ("", {**MODEL, "price": 1}, "the model's `price` is 1"),
        ("x", MODEL, "the settings are 'x', where a mapping is expected"),
        ({"promt": "x"}, MODEL, "chat has no setting `promt`\n  did you mean `prompt`?"),
        ({"temperature": 0}, MODEL, "the model's settings stand under `model`"),
        ({"k": 3}, MODEL, "the memory's settings stand under `memory`"),
        ({"steps": 0}, MODEL, "`steps` is 0, where a whole number from 1 is expected"),
        ({"steps": True}, MODEL, "`steps` is True"),
        ({"tools": "search_memory"}, MODEL, "`tools` is 'search_memory', where a list of names is expected"),
        ({"tools": ["serch"]}, MODEL, "there is no tool 'serch'"),
        ({"prompt": 3}, MODEL, "`prompt` is 3, where a file is expected"),
        ({"prompt": "nowhere/x.md"}, MODEL, "the prompt 'nowhere/x.md' cannot be read\n  its folder is not there"),
        ({"prompt": "../x.md"}, MODEL, "outside the project's folder"),
        ({"prompt": "a\0b"}, MODEL, "where a file is expected"),
    ],
)
async def test_settings_are_strict(opened, chat, model, words):
    with pytest.raises(UsageError) as caught:
        async with opened({"chat": chat}, model=model, environ={}):
            pass
    assert words in str(caught.value)
    assert "configuration 'candidate' (line 7)" in str(caught.value)


async def test_other_faults_of_a_configuration(opened, tmp_path):
    (tmp_path / "answer.md").write_bytes(b"\xff {memory}")
    for agent, memory, words in [
        ({"chat": "", "tools": ["search_memory"]}, {}, "write it below: `agent: {chat: {tools: …}}`"),
        ({"chat": "", "extra": 1}, {}, "unknown setting `extra`"),
        ({"chat": {"prompt": "answer.md"}}, {}, "is not UTF-8 text"),
        ({"chat": {"prompt": "answr.md"}}, {}, "did you mean `answer.md`?"),
        ({"chat": ""}, {"kind": "windw"}, "unknown memory kind 'windw'"),
    ]:
        with pytest.raises(UsageError) as caught:
            async with opened(agent, memory, MODEL, environ={}):
                pass
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (MODEL, ""),
        ({**MODEL, "temperature": 0.7}, "temperature is 0.7"),
        (without("temperature"), "has no `temperature`"),
    ],
)
async def test_an_unsteady_model_is_noted(opened, model, words):
    async with opened({"chat": ""}, model=model, environ={}) as factory:
        assert bool(factory.notes) is bool(words)
        assert all(words in note for note in factory.notes)


async def test_what_is_to_be_known_of_the_memory_is_noted(opened):
    unsteady = {**MODEL, "temperature": 1}
    for agent, memory, model, words in [
        ("chat", {"kind": "paging"}, MODEL, ["the memory types lines by rules"]),
        ("chat", {"kind": "summary"}, unsteady, ["the model's temperature is 1"]),
        ("recall", {"kind": "summary"}, unsteady, ["the model's temperature is 1"]),
        ("recall", {"kind": "summary", "model": {"temperature": 0}}, unsteady, []),
        ("recall", {"kind": "triage"}, {}, ["the memory types lines by rules"]),
        ("recall", {"kind": "verbatim"}, unsteady, []),
    ]:
        async with opened({agent: ""}, memory, model, environ={}) as factory:
            assert len(factory.notes) == len(words)
            assert all(note.startswith(start) for note, start in zip(factory.notes, words, strict=True))


async def test_a_candidate_that_a_search_then_gives_is_no_longer_passed_over(opened, ask):
    said = [f"The tea number {number} is green." for number in range(9)]
    history = History("h", (Session("s", tuple(Turn("user", text) for text in said)),))

    def rule(request):
        return "ok" if request.tool_results else ToolCall("search_memory", {"query": "number 5"})

    with ScriptedModel(rule) as server:
        model = {**MODEL, "base_url": server.url}
        memory = {"kind": "verbatim", "k": 1}
        async with opened({"chat": {"tools": ["search_memory"]}}, memory, model, environ={}) as factory:
            agent = await factory.make(memory, "t1")
            await agent.ingest(history)
            reads = (await ask(agent, "Which tea?")).memory_reads
    assert [item.id for item in reads if not item.dropped] == ["s.t1", "s.t6"]
    assert [item.rank for item in reads] == list(range(1, 10))
    assert {item.dropped for item in reads} == {"", "beyond k"}


async def test_the_address_and_the_key_are_taken_from_the_environment(opened, ask):
    with ScriptedModel(lambda _: "fine", key=KEY) as server:
        environ = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        async with opened({"chat": ""}, model={"name": "m"}, environ=environ) as factory:
            assert (await ask(await factory.make({}, "t1"))).text == "fine"
        own = {"name": "m", "base_url": f"{server.url}/", "api_key_env": "MY_KEY"}
        async with opened({"chat": ""}, model=own, environ={"MY_KEY": KEY}) as factory:
            assert (await ask(await factory.make({}, "t1"))).text == "fine"


async def test_a_wrong_key_is_told_and_never_shown(opened, ask):
    wrong = "sk-wrong-0123456789abcdef"
    with ScriptedModel(lambda _: "fine", key=KEY) as server:
        for environ, hint in (({"OPENAI_API_KEY": wrong}, False), ({}, True)):
            async with opened({"chat": ""}, model={"name": "m", "base_url": server.url}, environ=environ) as factory:
                with pytest.raises(AgentError, match="the endpoint answered 401") as caught:
                    await ask(await factory.make({}, "t1"))
            assert wrong not in str(caught.value)
            assert ("no key was sent" in str(caught.value)) is hint


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (ModelFailure(429), TransientError, "429"),
        (ModelFailure(400, "maximum context length is 8 tokens"), AgentError, "does not fit the model's context"),
        ("", AgentError, "an empty text"),
    ],
)
async def test_failures_are_those_of_any_endpoint(chatting, ask, answer, kind, words):
    async with chatting(lambda _: answer) as (agent, _):
        with pytest.raises(AgentError, match=words) as caught:
            await ask(agent)
    assert type(caught.value) is kind


async def test_a_dead_endpoint_may_come_back(opened, ask):
    async with opened({"chat": ""}, model=MODEL, environ={}) as factory:
        with pytest.raises(TransientError, match=r"no answer from http://127\.0\.0\.1:9/v1/chat/completions"):
            await ask(await factory.make({}, "t1"))


async def test_calls_go_to_the_trials_tap(opened, ask, monkeypatch):
    from foldproof.agents.watch import Watch

    with ScriptedModel(lambda _: "by wire") as wire, ScriptedModel(lambda _: "direct") as direct:
        monkeypatch.setattr(Watch, "tap", lambda _, trial: Tap(wire.url if trial == "t1" else ""))
        model = {**MODEL, "base_url": direct.url}
        async with opened({"chat": ""}, model=model, environ={}) as factory:
            assert (await ask(await factory.make({}, "t1"))).text == "by wire"
            assert (await ask(await factory.make({}, "t2"))).text == "direct"


async def test_the_prompt_is_part_of_the_fingerprint(opened, tmp_path):
    async def fingerprint(chat):
        async with opened({"chat": chat}, model=MODEL, environ={}) as factory:
            return factory.fingerprint

    shipped = await fingerprint("")
    (tmp_path / "mine.md").write_text("{memory}", encoding="utf-8")
    mine = await fingerprint({"prompt": "mine.md"})
    (tmp_path / "mine.md").write_text("{memory}!", encoding="utf-8")
    changed = await fingerprint({"prompt": "mine.md"})
    assert len({shipped, mine, changed}) == 3
    assert "" not in {shipped, mine, changed}
    assert await fingerprint("") == shipped


async def test_the_prompt_of_a_fold_is_part_of_the_fingerprint(opened, tmp_path):
    found = set()
    for agent in ("recall", "chat"):
        for text in ("{summary} {turns}", "{summary} {turns}!"):
            (tmp_path / "fold.md").write_text(text, encoding="utf-8")
            async with opened({agent: ""}, {"kind": "summary", "prompt": "fold.md"}, MODEL, environ={}) as factory:
                found.add(factory.fingerprint)
    assert len(found - {""}) == 4


async def test_no_request_holds_the_users_label(chatting, ask):
    async with chatting(lambda _: "ok") as (agent, server):
        await ask(agent, user="trial-0815")
    assert "trial-0815" not in json.dumps(server.requests[-1].body), (
        "it would differ in each trial, and no rerun be free"
    )
