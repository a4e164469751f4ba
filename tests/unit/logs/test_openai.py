"""OpenAI's shapes: pairs, Responses, batch files, fine-tuning files."""

from __future__ import annotations

from .written import lines, told

CREATED = 1767225600


def user(text):
    return {"role": "user", "content": text}


def agent(text):
    return {"role": "assistant", "content": text}


def pair(messages, answer, created=CREATED, **request):
    """A request with its response."""
    message = answer if isinstance(answer, dict) else agent(answer)
    response = {
        "object": "chat.completion",
        "created": created,
        "model": "m-2026-01",
        "choices": [{"message": message}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2},
    }
    return {"request": {"model": "m", "messages": messages, **request}, "response": response}


def calls(*ids):
    function = {"name": "lookup", "arguments": '{"n": 1}'}
    return {"role": "assistant", "content": None,
            "tool_calls": [{"id": id_, "type": "function", "function": function} for id_ in ids]}  # fmt: skip


def test_a_history_that_is_sent_again_is_said_once(read):
    first = pair([{"role": "system", "content": "Be kind."}, user("One?")], "1", metadata={"session_id": "s"})
    whole = [{"role": "system", "content": "Be kind."}, user("One?"), agent("1"), user("Two?")]
    second = pair(whole, "2", created=CREATED + 60, metadata={"session_id": "s"}, user="u-1")
    log = read(lines(pair(first["request"]["messages"], "1", metadata={"session_id": "s"}, user="u-1"), second))
    assert told(log.only) == ["system: Be kind.", "user: One?", "agent: 1", "user: Two?", "agent: 2"]
    assert (log.only.id, log.only.user, log.tally.repeats) == ("s", "u-1", 3)
    assert log.only.started.text == "2026-01-01T00:00:00Z"
    assert log.only.model_names == ("m-2026-01",)
    assert log.only.usage.input_tokens == 10


def test_a_talk_without_an_id_is_known_by_what_is_sent_again(read):
    log = read(lines(
        pair([user("One?")], "1"),
        pair([user("Something else?")], "no"),
        pair([user("One?"), agent("1"), user("Two?")], "2"),
    ))  # fmt: skip
    assert [told(session) for session in log.sessions] == [
        ["user: One?", "agent: 1", "user: Two?", "agent: 2"], ["user: Something else?", "agent: no"],
    ]  # fmt: skip
    assert log.sessions[0].id == "log:1"


def test_two_users_of_one_session_id_are_two_sessions(read):
    log = read(lines(*(pair([user("Hi")], "Hello", user=name, metadata={"session_id": "s"}) for name in ("a", "b"))))
    assert [(session.id, session.user) for session in log.sessions] == [("s", "a"), ("s", "b")]


def test_messages_that_are_no_longer_sent_are_a_fold(read):
    first = pair([user("My port is 8443."), agent("Noted."), user("One?")], "1", metadata={"session_id": "s"})
    later = pair([user("One?"), agent("1"), user("Two?")], "2", metadata={"session_id": "s"})
    log = read(lines(first, later))
    assert "fold trimmed: 2 earlier messages are no longer sent" in told(log.only)
    assert log.tally.turns == {"user": 3, "agent": 3}


def test_of_an_edited_talk_the_later_branch_counts(read):
    start = [user("One?"), agent("1")]
    log = read(lines(pair([*start, user("Two?")], "2", metadata={"session_id": "s"}),
                     pair([*start, user("Three?")], "3", metadata={"session_id": "s"})))  # fmt: skip
    assert told(log.only) == ["user: One?", "agent: 1", "user: Three?", "agent: 3"]
    assert log.only.abandoned == 2


def test_the_same_opening_twice_loses_nothing(read):
    log = read(lines(pair([user("hi")], "hello", metadata={"session_id": "s"}),
                     pair([user("hi")], "hello again", metadata={"session_id": "s"})))  # fmt: skip
    assert told(log.only) == ["user: hi", "agent: hello", "user: hi", "agent: hello again"]


def test_tool_calls_find_their_results_by_id(read):
    log = read(lines({"messages": [
        user("Where?"), calls("c1", "c2"), {"role": "tool", "tool_call_id": "c2", "content": "second"},
        {"role": "tool", "tool_call_id": "c1", "content": "first"}, agent("There."),
    ]}))  # fmt: skip
    assert told(log.only) == ["user: Where?", 'call lookup {"n": 1} -> first', 'call lookup {"n": 1} -> second',
                              "agent: There."]  # fmt: skip


def test_a_stored_response_with_its_input(read):
    document = {
        "id": "r1", "object": "response", "created_at": CREATED, "conversation": {"id": "conv-1"},
        "instructions": "Be kind.", "output": [
            {"type": "reasoning", "id": "rs", "summary": []},
            {"type": "function_call", "call_id": "c1", "name": "search_memory", "arguments": '{"query": "port"}'},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "8443."}]},
        ],
        "input_items": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Which port?"}]},
            {"type": "function_call_output", "call_id": "c1", "output": "the port is 8443"},
        ],
        "usage": {"input_tokens": 7, "output_tokens": 3},
    }  # fmt: skip
    log = read(document, name="response.json")
    assert told(log.only) == [
        "system: Be kind.", "user: Which port?", 'call search_memory {"query": "port"} -> the port is 8443',
        "read search_memory: port ['the port is 8443']", "agent: 8443.",
    ]  # fmt: skip
    assert (log.only.id, log.only.usage.output_tokens) == ("conv-1", 3)


def test_responses_are_linked_by_the_one_before(read):
    def response(id_, text, previous=None):
        output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]
        return {"id": id_, "object": "response", "created_at": CREATED, "previous_response_id": previous,
                "input": f"ask {id_}", "output": output}  # fmt: skip

    log = read(lines(response("a", "1"), response("x", "other"), response("b", "2", "a"), response("c", "3", "b")))
    assert [told(session) for session in log.sessions] == [
        ["user: ask a", "agent: 1", "user: ask b", "agent: 2", "user: ask c", "agent: 3"],
        ["user: ask x", "agent: other"],
    ]


def test_the_output_of_a_function_in_the_next_input(read):
    call = {"type": "function_call", "call_id": "c1", "name": "lookup", "arguments": "{}"}
    log = read(lines(
        {"id": "a", "object": "response", "input": "Where?", "output": [call]},
        {"id": "b", "object": "response", "previous_response_id": "a",
         "input": [{"type": "function_call_output", "call_id": "c1", "output": "here"}], "output": []},
    ))  # fmt: skip
    assert told(log.only) == ["user: Where?", "call lookup {} -> here"]


def test_a_batch_with_a_rate_limit_has_no_answer_there(read):
    def row(name, status, **body):
        return {"custom_id": name, "response": {"status_code": status, "body": body}, "error": None}

    log = read(lines(
        {"custom_id": "q1", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": [user("One?")]}},
        row("q1", 200, choices=[{"message": agent("1")}], created=CREATED),
        row("q2", 429, error={"message": "rate limit"}),
        {"custom_id": "q3", "response": None, "error": {"code": "expired"}},
    ))  # fmt: skip
    assert [(session.id, told(session)) for session in log.sessions] == [("q1", ["user: One?", "agent: 1"])]
    assert log.tally.aside["failed answers"] == 2


def test_fine_tuning_lines_are_sessions_by_their_line(read):
    log = read(lines(
        {"messages": [{"role": "system", "content": "Be kind."}, {"role": "assistant", "content": "You are great!"}]},
        {"messages": [user("x" * 27_000), {"role": "assistant", "content": "long", "weight": 0}]},
        {"messages": [user("Call."), {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}]},
    ), name="train.jsonl")  # fmt: skip
    assert [session.id for session in log.sessions] == ["train:1", "train:2", "train:3"]
    assert list(log.sessions[0].said("user")) == []
    assert told(log.sessions[2]) == ["user: Call.", "call f {} -> None"]
    assert log.tally.without_time == 3


def test_pictures_are_said_to_be_there_and_strange_parts_kept(read):
    content = [{"type": "image_url", "image_url": {"url": "data:…"}}, {"type": "text", "text": "What is it?"},
               {"type": "hologram", "beam": 1}]  # fmt: skip
    log = read(lines({"messages": [user(content), agent("A cat."), {"role": "oracle", "content": "x"}]}))
    assert told(log.only)[0] == "user: [image_url]\nWhat is it?"
    assert log.tally.unknown == {"content hologram": 1, "message": 1}


def test_anthropic_blocks_in_a_list_of_messages(read):
    log = read(lines({"messages": [
        user("Where?"),
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "I look."},
                                          {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "here"}]},
    ]}))  # fmt: skip
    assert told(log.only) == ["user: Where?", "(thought) agent: Hm.", "agent: I look.", 'call look {"at": 1} -> here']
    assert log.tally.turns["user"] == 1
