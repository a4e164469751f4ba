"""The memory `notes`: what the model writes through tools, and how it is found, listed and forgotten again."""

from pathlib import Path

import pytest

from foldproof.agents import AgentError, SessionInfo, UnsupportedError
from foldproof.agents.chat_settings import NOTES
from foldproof.agents.memories import Forgets, Grows, Keeps, Resources, make_memory
from foldproof.agents.protocols import Snapshots
from foldproof.logs import History, MemoryItem, Session, ToolCall, Turn
from foldproof.testing import ScriptedModel

pytestmark = pytest.mark.anyio
HISTORY = History("h", (Session("s1", (Turn("user", "I drink tea."),)),))
CREDIT = "[n1 day 1] preference: Store credit, never the card. (refund_method: store_credit)"


def made(**settings):
    return make_memory({"kind": "notes", **settings}, Resources(Path()))


async def test_notes_are_written_listed_and_forgotten():
    memory = made()
    assert all(isinstance(memory, protocol) for protocol in (Keeps, Forgets, Grows))
    one = await memory.remember("tea, no milk", kind="preference", at="2026-03-01T09:00")
    two = await memory.remember("lives in Ghent", kind="fact", at="")
    assert list(await memory.items()) == [one, two]
    assert one == MemoryItem("[n1 2026-03-01] preference: tea, no milk", id="n1", kind="preference")
    assert two == MemoryItem("[n2] fact: lives in Ghent", id="n2", kind="fact")
    await memory.forget("n1")
    assert list(await memory.items()) == [two]
    with pytest.raises(AgentError, match="there is no item 'n1' to forget"):
        await memory.forget("n1")
    assert (await memory.remember("tea", kind="preference", at="")).id == "n3", "an id never comes again"


async def test_a_search_gives_what_matches_and_then_the_newest():
    memory = made(k=3)
    assert (await memory.recall("tea")).items == ()
    for text in ("tea, no milk", "lives in Ghent", "has a dog", "allergic to nuts"):
        await memory.remember(text, kind="fact", at="")
    recall = await memory.recall("What tea do I drink?")
    assert [item.id for item in recall.reads] == ["n1", "n4", "n3", "n2"]
    assert [item.rank for item in recall.reads] == [1, 2, 3, 4]
    assert [bool(item.score) for item in recall.reads] == [True, False, False, False]
    assert [item.dropped for item in recall.reads] == ["", "", "", "beyond k"]
    assert len((await made(budget=4).recall("x")).items) == 0
    small = made(budget=5)
    await small.remember("a long story about nothing at all", kind="fact", at="")
    assert (await small.recall("story")).items[0].text.endswith("…")


async def test_a_history_leaves_no_notes_and_sessions_add_none():
    memory = made()
    await memory.remember("tea", kind="fact", at="")
    with pytest.raises(UnsupportedError, match="a history leaves none"):
        await memory.build(HISTORY)
    assert list(await memory.items()) == []
    await memory.build(History(""))
    await memory.add(HISTORY.sessions[0])
    await memory.fold()
    assert list(await memory.items()) == []
    assert memory.compacts is False


async def test_a_snapshot_is_the_same_notes_and_apart():
    memory, twin = made(), made()
    assert isinstance(memory, Snapshots)
    await memory.remember("tea", kind="fact", at="")
    await twin.restore(await memory.snapshot())
    await memory.forget("n1")
    assert [item.id for item in await twin.items()] == ["n1"]
    assert (await twin.remember("milk", kind="fact", at="")).id == "n2"


@pytest.fixture
def keeping(opened):
    """The replies of an agent with notes to two sessions in which a scripted model makes these calls one by one."""

    async def keep(*sessions, memory=None, chat=""):
        def rule(request):
            calls, results = sessions[int(request.question)], request.tool_results
            return (
                calls[len(results)] if len(results) < len(calls) else "\n".join(one.text for one in results) or "Yes."
            )

        config = memory or {"kind": "notes"}
        with ScriptedModel(rule) as server:
            model = {"base_url": server.url, "name": "scripted", "temperature": 0}
            async with opened({"chat": chat}, memory=config, model=model, environ={}) as factory:
                agent = await factory.make(config, "t1")
                replies = []
                for number in range(len(sessions)):
                    conversation = await agent.start_session(SessionInfo("u", f"s{number}", f"day {number + 1}"))
                    replies.append(await conversation.reply(str(number)))
                items = await agent.memories("u")
                await agent.close()
        return replies, items, server

    return keep


def of(name, **args):
    return ToolCall(name, args)


WRITE = of("remember", kind="preference", text="Store credit, never the card.", refund_method="store_credit")


async def test_the_model_writes_reads_and_forgets_through_tools(keeping):
    (first, second), items, server = await keeping(
        [WRITE, of("remember", kind="fact", floor=3, lift=False)],
        [of("search_memory", query="?"), of("forget", id="n1")],
    )
    assert [(item.text, item.id, item.kind) for item in first.memory_writes] == [
        (CREDIT, "n1", "preference"),
        ("[n2 day 1] fact: floor: 3; lift: false", "n2", "fact"),
    ]
    assert first.text == "Saved as n1.\nSaved as n2."
    assert first.memory_reads == ()
    assert [item.id for item in second.memory_reads] == ["n2", "n1"]
    assert second.memory_writes == (MemoryItem(CREDIT, id="n1", kind="delete"),)
    assert second.text == f"[n2 day 1] fact: floor: 3; lift: false\n{CREDIT}\nForgotten: n1."
    assert [call.name for call in second.tool_calls] == ["search_memory", "forget"]
    assert [item.id for item in items] == ["n2"]
    body = server.requests[-1].body
    assert [tool["function"]["name"] for tool in body["tools"]] == ["search_memory", "remember", "forget"]
    assert body["messages"][0]["content"] == NOTES.text.replace("{now}", "day 2")


async def test_what_says_the_same_is_forgotten_with_it(keeping):
    same = of("remember", kind="fact", text="tea")
    (reply,), items, _ = await keeping([same, same, of("forget", id="n2")])
    assert reply.text == "Saved as n1.\nSaved as n2.\nForgotten: n1, n2."
    assert [(item.id, item.kind) for item in reply.memory_writes[2:]] == [("n1", "delete"), ("n2", "delete")]
    assert list(items) == []


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (of("remember", text="tea"), "the argument `kind` must be a text that is not empty"),
        (of("remember", kind="fact"), "the argument `text` must be a text that is not empty"),
        (of("remember", kind="fact", text=" "), "the argument `text` must be a text that is not empty"),
        (of("remember", kind="fact", text=3), "the argument `text` must be a text that is not empty"),
        (of("remember", kind="fact", to={"a": 1}), "the argument `to` must be a text, a number, or true or false"),
        (of("forget", id="n7"), "there is no item 'n7' to forget; `search_memory` shows the ids"),
        (of("forget", note="n1"), "there is no argument 'note'; allowed: `id`"),
        (of("search_memory", q="tea"), "there is no argument 'q'; allowed: `query`"),
    ],
)
async def test_a_call_that_cannot_be_carried_out_is_answered_and_noted(keeping, call, told):
    (reply,), items, _ = await keeping([call])
    assert reply.text.startswith(f"Error: {told}")
    assert reply.notes[0].endswith(told)
    assert (reply.memory_writes, list(items)) == ((), [])


async def test_without_a_memory_there_are_no_memory_tools(keeping):
    (reply,), items, server = await keeping([WRITE], memory={"kind": "none"})
    assert reply.text.startswith("Error: there is no tool 'remember'")
    assert "tools" not in server.requests[0].body
    assert (reply.memory_writes, list(items)) == ((), [])


async def test_a_prompt_of_ones_own_may_hold_the_notes(keeping, tmp_path):
    (tmp_path / "p.txt").write_text("You know:\n{memory}")
    (_, second), _, server = await keeping([WRITE], [], chat={"prompt": "p.txt"})
    assert server.requests[-1].body["messages"][0]["content"] == f"You know:\n{CREDIT}"
    assert [item.id for item in second.memory_reads] == ["n1"]


async def test_recall_says_that_nobody_writes(opened, ask):
    async with opened({"recall": ""}, memory={"kind": "notes"}) as factory:
        assert any("it stays empty" in note for note in factory.notes)
        assert (await ask(await factory.make({"kind": "notes"}, "t"))).text == "I have no memory of this."
    async with opened({"recall": ""}, memory={"kind": "verbatim"}) as factory:
        assert factory.notes == ()
