"""The export of ChatGPT and ShareGPT files."""

from __future__ import annotations

import json

from .written import lines, told


def node(id_, parent, role="user", text="", *, kind="text", at=1767225600.5, **more):
    """One node; `children` is what the importer must not need."""
    content = {"content_type": kind, **({"parts": [text]} if kind == "text" else {}), **more.pop("content", {})}
    message = {"id": id_, "author": {"role": role, "name": more.pop("name", None)}, "create_time": at,
               "content": content, "recipient": "all", "metadata": {}, **more}  # fmt: skip
    return {"id": id_, "message": message, "parent": parent, "children": []}


def conversation(*nodes, current=None, **more):
    root = {"id": "client-created-root", "message": None, "parent": None, "children": []}
    mapping = {item["id"]: item for item in (root, *nodes)}
    return {"conversation_id": "c-1", "title": "Ports", "mapping": mapping, "current_node": current or nodes[-1]["id"],
            **more}  # fmt: skip


HIDDEN = {"is_visually_hidden_from_conversation": True}


def test_the_talk_is_the_path_to_the_current_node(read):
    log = read([conversation(
        node("n0", "client-created-root", "system", "", at=None, metadata=HIDDEN),
        node("n1", "n0", text="first wording"),
        node("n2", "n1", "assistant", "old answer"),
        node("n1b", "n0", text="second wording"),
        node("n2b", "n1b", "assistant", "new answer", metadata={"model_slug": "some-model"}),
    )], name="conversations.json")  # fmt: skip
    assert log.format == "chatgpt"
    assert told(log.only) == ["user: second wording", "agent: new answer"]
    assert (log.only.abandoned, log.only.title, log.only.model_names) == (2, "Ports", ("some-model",))
    assert log.only.started.text == "2026-01-01T00:00:00.500000Z"


def test_a_current_node_that_is_no_leaf_ends_the_talk(read):
    first, second = node("n1", "client-created-root", text="first"), node("n2", "n1", text="second")
    log = read([conversation(first, second, current="n1")])
    assert (told(log.only), log.only.abandoned) == (["user: first"], 1)


def test_memory_is_told_apart_from_talk(read):
    log = read([conversation(
        node("p", "client-created-root", kind="user_editable_context", at=None, metadata=HIDDEN,
             content={"user_profile": "Name: Ada", "user_instructions": "Be brief"}),
        node("m", "p", "assistant", kind="model_editable_context", content={"model_set_context": "1. Likes tea."}),
        node("e", "m", "assistant", kind="model_editable_context", content={"model_set_context": ""}),
        node("u", "e", text="Remember: no peanuts."),
        node("b", "u", "assistant", "User must not eat peanuts.", recipient="bio"),
        node("t", "b", "tool", "Model set context updated.", name="bio"),
        node("a", "t", "assistant", "Noted."),
    )])  # fmt: skip
    assert told(log.only) == [
        "(context) user: Name: Ada\nBe brief",
        "read model_set_context:  ['1. Likes tea.']",
        "user: Remember: no peanuts.",
        'call bio {"text": "User must not eat peanuts."} -> Model set context updated.',
        "write bio: User must not eat peanuts. []",
        "agent: Noted.",
    ]
    assert (log.tally.memory_reads, log.tally.memory_writes, log.tally.turns["user"]) == (1, 1, 1)
    assert any("deleted still appears" in note for note in log.tally.notes)


def test_calls_go_to_whom_they_are_addressed(read):
    log = read([conversation(
        node("u", "client-created-root", text="Compute."),
        node("c", "u", "assistant", kind="code", recipient="python", content={"text": "print(1)"}),
        node("r", "c", "tool", kind="execution_output", name="python", content={"text": "1"}),
        node("k", "r", "assistant", kind="thoughts", content={"thoughts": [{"content": "Hm."}]}),
        node("q", "k", "assistant", kind="reasoning_recap", content={"content": "Thought for 2 s"}),
        node("d", "q", "tool", kind="tether_browsing_display", name="browser", content={"result": "a page"}),
    )])  # fmt: skip
    assert told(log.only) == [
        "user: Compute.", 'call python {"text": "print(1)"} -> 1', "(thought) agent: Hm.",
        "(thought) agent: Thought for 2 s", "call by tool browser {} -> a page",
    ]  # fmt: skip


def test_parts_may_be_objects_and_strange_contents_are_kept(read):
    parts = [{"content_type": "image_asset_pointer", "asset_pointer": "x"}, "what is this?"]
    log = read([conversation(
        node("u", "client-created-root", kind="multimodal_text", content={"parts": parts}),
        node("h", "u", "assistant", kind="hologram"),
    )])  # fmt: skip
    assert told(log.only) == ["user: [image_asset_pointer]\nwhat is this?", "unknown content hologram"]


def test_a_root_of_any_name_and_a_missing_current_node(read):
    nodes = [node("r", None, text="Hi", at=1.0e9), node("a", "r", "assistant", "Hello", at=1.1e9)]
    lost = {**conversation(*nodes), "current_node": None}
    assert told(read([lost]).only) == ["user: Hi", "agent: Hello"]


def test_an_older_export_of_the_same_conversation_is_a_repeat(read):
    old = conversation(node("u", "client-created-root", text="Hi"), update_time=1.0e9)
    new = conversation(node("u", "client-created-root", text="Hi"), node("v", "u", text="More"), update_time=1.2e9)
    log = read([new], [old], name="conversations.json")
    assert told(log.only) == ["user: Hi", "user: More"]
    assert log.tally.repeats == 1


def test_a_list_that_is_cut_off_gives_what_came_before(read):
    whole = json.dumps([conversation(node("u", "client-created-root", text="Hi"), conversation_id="x")])
    two = whole[:-1] + ", " + whole[1:-40]
    log = read(two, name="conversations.json")
    assert told(log.only) == ["user: Hi"]
    assert log.tally.broken == 1


# --- ShareGPT


def talk(*turns, **more):
    return {"conversations": [{"from": speaker, "value": value} for speaker, value in turns], **more}


def test_sharegpt_with_all_its_speakers(read):
    log = read([
        talk(("human", "Hi <b>you</b>"), ("gpt", "Hello"), id="t_0"),
        talk(("gpt", "…the second half"), ("user", "Thanks"), ("chatgpt", "Bye"), id="t_1"),
        {"items": talk(("system", "Be kind."), ("human", "Hi"), ("bing", "Hello"))["conversations"]},
    ], name="dump.json")  # fmt: skip
    assert log.format == "sharegpt"
    assert [(session.id, told(session)) for session in log.sessions] == [
        ("t_0", ["user: Hi <b>you</b>", "agent: Hello"]),
        ("t_1", ["agent: …the second half", "user: Thanks", "agent: Bye"]),
        ("dump:3", ["system: Be kind.", "user: Hi", "agent: Hello"]),
    ]
    assert log.tally.without_time == 3
    assert any("halves of one talk" in note for note in log.tally.notes)


def test_sharegpt_with_tools(read):
    log = read(lines(talk(
        ("human", "Where?"), ("function_call", '{"name": "lookup", "arguments": {"n": 1}}'), ("observation", "shipped"),
        ("gpt", "Shipped."), id="x", system="Use tools.",
    )))  # fmt: skip
    assert told(log.only) == [
        "system: Use tools.",
        "user: Where?",
        'call lookup {"n": 1} -> shipped',
        "agent: Shipped.",
    ]


def test_sharegpt_with_an_unknown_speaker(read):
    log = read(lines(talk(("human", "Hi"), ("oracle", "Fate."), id="x")))
    assert told(log.only) == ["user: Hi", "unknown message"]
