"""Importers: whatever a file holds, there are sessions with counted problems or one clear error, never a traceback."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foldproof.cases import import_logs
from foldproof.core import Redactor, UsageError
from foldproof.logs import FORMATS, read_logs

SLOW = settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
USER = {"role": "user", "content": "Where?"}
CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "search_memory", "arguments": '{"q": 1}'}}],
}
ANSWER = {"role": "tool", "tool_call_id": "c1", "content": "here"}
TALK = [USER, CALLS, ANSWER]


def attributes(**found):
    return [{"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in found.items()]


def spans(**found):
    one = {
        "traceId": "a" * 32,
        "spanId": "b" * 16,
        "startTimeUnixNano": "1767225600000000000",
        "attributes": attributes(**found),
        "events": [{"name": "gen_ai.user.message", "attributes": attributes(content="Hi")}],
        "status": {"code": 2},
    }
    return {"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]}


def claude(kind, id_, parent, content, **more):
    return {"type": kind, "uuid": id_, "parentUuid": parent, "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": kind, "id": "m", "content": content, "usage": {"input_tokens": 1}}, **more}  # fmt: skip


def codex(kind, **payload):
    return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}


MAPPING = {
    "r": {"id": "r", "message": None, "parent": None, "children": ["u"]},
    "u": {
        "id": "u",
        "parent": "r",
        "message": {
            "id": "u",
            "author": {"role": "user"},
            "create_time": 1.5e9,
            "metadata": {},
            "content": {"content_type": "text", "parts": ["Hi"]},
            "recipient": "all",
        },
    },
    "b": {
        "id": "b",
        "parent": "u",
        "message": {
            "author": {"role": "assistant"},
            "recipient": "bio",
            "content": {"content_type": "text", "parts": ["a fact"]},
        },
    },
}
STATE = {
    "values": {"messages": [{"type": "human", "id": "h", "content": "Hi"}]},
    "created_at": "2026-01-01T00:00:00+00:00",
    "config": {"configurable": {"thread_id": "t", "checkpoint_id": "1"}},
    "metadata": {"step": 1, "user_id": "ada"},
    "parent_config": {"configurable": {"checkpoint_id": "0"}},
}
SEEDS = {
    "chatgpt": [{"id": "c", "mapping": MAPPING, "current_node": "b", "update_time": 1.5e9}],
    "claude-code": [
        claude("user", "u", None, "Hi"),
        claude(
            "assistant",
            "a",
            "u",
            [{"type": "text", "text": "x"}, {"type": "tool_use", "id": "t", "name": "Read", "input": {}}],
        ),
        claude("user", "r", "a", [{"type": "tool_result", "tool_use_id": "t", "content": "x"}], toolUseResult="x"),
        {
            "type": "system",
            "subtype": "compact_boundary",
            "uuid": "b",
            "logicalParentUuid": "r",
            "sessionId": "s",
            "compactMetadata": {"trigger": "auto", "preTokens": 3},
        },
        claude("user", "x", "u", "side", isSidechain=True, agentId="g"),
        {"type": "summary", "summary": "T", "leafUuid": "r"},
    ],
    "codex": [
        codex("session_meta", id="s"),
        codex("response_item", type="message", role="user", content=[{"type": "input_text", "text": "Hi"}]),
        codex("response_item", type="function_call", name="f", arguments="{}", call_id="c"),
        codex(
            "response_item",
            type="function_call_output",
            call_id="c",
            output='{"output": "x", "metadata": {"exit_code": 1}}',
        ),
        codex("compacted", message="m", replacement_history=[USER]),
        codex("event_msg", type="token_count", info={"total_token_usage": {"input_tokens": 1}}),
        codex("event_msg", type="agent_message", message="x"),
    ],
    "codex-exec": [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"id": "i", "type": "command_execution", "command": "ls", "exit_code": 0}},
        {"type": "turn.completed", "usage": {"input_tokens": 1}},
    ],
    "inspect": [
        {
            "version": 2,
            "status": "success",
            "eval": {"task": "t"},
            "samples": [
                {
                    "id": 1,
                    "epoch": 1,
                    "input": "x",
                    "messages": TALK,
                    "attachments": {},
                    "model_usage": {"m": {"input_tokens": 1}},
                    "output": {"choices": [{"message": USER}]},
                    "started_at": "2026-01-01T00:00:00",
                }
            ],
        }
    ],
    "langfuse": [
        {
            "id": "t",
            "timestamp": "2026-01-01T00:00:00Z",
            "sessionId": "s",
            "userId": "u",
            "input": {"messages": TALK},
            "output": "x",
            "observations": [
                {"id": "o", "traceId": "t", "type": "GENERATION", "input": TALK, "output": USER, "usage": {"input": 1}},
                {"id": "p", "traceId": "t", "type": "TOOL", "name": "f", "input": {}, "output": "x", "level": "ERROR"},
                {
                    "id": "q",
                    "traceId": "t",
                    "type": "RETRIEVER",
                    "input": {"query": "q"},
                    "output": [{"text": "x", "score": 1}],
                },
            ],
        }
    ],
    "langgraph": [STATE, {"namespace": ["m"], "key": "k", "value": {"text": "x"}, "created_at": "2026-01-01"}],
    "langsmith": [
        {
            "id": "l",
            "trace_id": "l",
            "run_type": "llm",
            "name": "m",
            "dotted_order": "a",
            "inputs": {"messages": [TALK]},
            "outputs": {"generations": [[{"text": "x", "message": {"id": ["AIMessage"], "kwargs": {"content": "x"}}}]]},
            "extra": {"metadata": {"session_id": "s", "user_id": "u", "usage_metadata": {"input_tokens": 1}}},
        },
        {
            "id": "r",
            "trace_id": "l",
            "run_type": "retriever",
            "name": "r",
            "inputs": {"query": "q"},
            "outputs": {"documents": [{"page_content": "x", "metadata": {"score": 1}}]},
        },
        {
            "id": "x",
            "trace_id": "l",
            "run_type": "tool",
            "name": "f",
            "inputs": {"input": "{}"},
            "outputs": {"output": "x"},
        },
        {"id": "c", "trace_id": "c", "run_type": "chain", "inputs": {"q": "x"}, "outputs": {"output": "x"}},
    ],
    "letta": [
        {
            "agents": [
                {
                    "name": "a",
                    "messages": [
                        {"id": "m", **USER},
                        {"id": "n", **CALLS},
                        {"role": "tool", "tool_returns": [{"tool_call_id": "c1", "func_response": "x"}]},
                    ],
                    "in_context_message_ids": ["m"],
                    "block_ids": ["b"],
                }
            ],
            "blocks": [{"id": "b", "label": "human", "value": "x"}],
        }
    ],
    "locomo": [
        {
            "sample_id": "c",
            "qa": [],
            "conversation": {
                "speaker_a": "A",
                "speaker_b": "B",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "x"}],
            },
        }
    ],
    "named-agents": [
        {
            "question": "x",
            "is_correct": False,
            "history": [
                {"role": "assistant", "name": "Coder", "content": "y"},
                {"role": "user", "name": "Computer_terminal", "content": "exitcode: 1 (execution failed)"},
            ],
        },
        {
            "question": "x",
            "history": [{"role": "human", "content": "x"}, {"role": "Planner (thought)", "content": "y"}],
        },
    ],
    "openai": [
        {
            "request": {"messages": TALK, "user": "u", "metadata": {"session_id": "s"}},
            "response": {
                "id": "x",
                "created": 1767225600,
                "choices": [{"message": USER}],
                "usage": {"prompt_tokens": 1},
            },
        },
        {
            "id": "r",
            "object": "response",
            "input": "x",
            "output": [{"type": "function_call", "call_id": "c", "name": "f"}],
        },
        {"custom_id": "q", "response": {"status_code": 429, "body": {}}},
        {"messages": TALK},
    ],
    "openinference": [
        spans(
            openinference__span__kind="LLM",
            llm__input_messages__0__message__role="user",
            llm__input_messages__0__message__content="x",
            session__id="s",
            output__value="{}",
        ),
        spans(openinference__span__kind="RETRIEVER", retrieval__documents__0__document__content="x"),
    ],
    "otel-genai": [
        spans(
            gen_ai__operation__name="chat",
            gen_ai__input__messages=json.dumps([{"role": "user", "parts": [{"type": "text", "content": "x"}]}]),
        ),
        spans(gen_ai__operation__name="execute_tool", gen_ai__tool__name="f"),
    ],
    "promptfoo": [
        {
            "evalId": "e",
            "results": {
                "timestamp": "2026-01-01T00:00:00Z",
                "results": [
                    {
                        "id": "r",
                        "vars": {"q": "x"},
                        "prompt": {"raw": "[{}]"},
                        "response": {"output": "x", "tokenUsage": {"prompt": 1}},
                        "metadata": {"conversationId": "c"},
                        "provider": {"id": "p"},
                    }
                ],
            },
        }
    ],
    "questions": [{"question": "x", "answer": "y", "user": "u", "session": "s", "at": "2026-01-01"}],
    "sharegpt": [
        {
            "id": "x",
            "system": "s",
            "conversations": [{"from": "human", "value": "x"}, {"from": "function_call", "value": '{"name": "f"}'}],
        }
    ],
    "tau-bench": [
        {"task_id": 1, "trial": 0, "traj": TALK, "reward": 1.0, "info": {"task": {"user_id": "u"}}},
        {"task_id": 2, "id": "s", "messages": [{**USER, "turn_idx": 0}], "start_time": "2026-01-01T00:00:00"},
        {"task_id": 3, "ticks": [{"user_chunk": USER, "timestamp": "2026-01-01T00:00:00"}]},
    ],
}
NAMES = sorted(SEEDS)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS | st.sampled_from([USER, CALLS, ANSWER, "2026-01-01T00:00:00Z", "[1]", '{"a": {}}', ["user", "x"]]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "role", "content", "id", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def read(path, name=""):
    """What came of reading: how much there is, or None where the file is refused."""
    try:
        reading = read_logs([path], name, redactor=Redactor({}))
        sessions = list(reading.sessions)
    except UsageError:
        return None
    assert reading.tally.sessions == len(sessions)
    assert all(session.entries or session.sidechains for session in sessions)
    return sessions, reading.tally


def test_there_is_a_seed_for_every_format():
    assert FORMATS.names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_seed_is_known_by_its_content(tmp_path, name):
    path = tmp_path / "seed.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in SEEDS[name]))
    assert read_logs([path]).format.name == name
    sessions, tally = read(path)
    assert sessions
    assert (tally.broken, dict(tally.unknown)) == (0, {})


@SLOW
@given(raw=st.binary(max_size=200), name=st.sampled_from(["", *NAMES]))
def test_any_bytes(tmp_path, raw, name):
    (tmp_path / "soup").write_bytes(raw)
    read(tmp_path / "soup", name)


@SLOW
@given(
    opening=st.sampled_from(["[", "{", '{"a": 1}\n', "question,answer\n", '"', "\ufeff["]),
    rest=st.text(max_size=60),
    name=st.sampled_from(["", *NAMES]),
)
def test_any_text_after_a_good_beginning(tmp_path, opening, rest, name):
    (tmp_path / "soup").write_bytes((opening + rest).encode("utf-8", "surrogatepass"))
    read(tmp_path / "soup", name)


@SLOW
@given(data=st.data(), name=st.sampled_from(NAMES), listed=st.booleans())
def test_any_cut_file(tmp_path, data, name, listed):
    records = SEEDS[name]
    raw = (
        json.dumps(records, indent=1) if listed else "".join(json.dumps(record) + "\n" for record in records)
    ).encode()
    cut = data.draw(st.integers(0, len(raw)))
    (tmp_path / "cut").write_bytes(raw[:cut])
    found = read(tmp_path / "cut", name)
    if not listed and found is not None:
        whole = raw[:cut].count(b"\n")
        assert found[1].records + found[1].broken >= whole
        assert found[1].broken <= 1


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from places(item, (*path, number))


@settings(SLOW, max_examples=150)
@given(data=st.data(), name=st.sampled_from(NAMES))
def test_any_value_in_any_place(tmp_path, data, name):
    records = json.loads(json.dumps(SEEDS[name]))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([place for place in places(records) if len(place) > 1]))
        inner = records
        for part in path[:-1]:
            inner = inner[part]
        inner[path[-1]] = copy.deepcopy(data.draw(VALUES))
    (tmp_path / "odd.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    found = read(tmp_path / "odd.jsonl", name)
    assert found is not None
    assert found[1].broken <= len(records)


@settings(SLOW, max_examples=20)
@given(name=st.sampled_from(NAMES), copies=st.integers(1, 3))
def test_importing_twice_gives_the_same_bytes(tmp_path, name, copies):
    paths = []
    for number in range(copies):
        paths.append(tmp_path / f"{number}.jsonl")
        paths[-1].write_text("".join(json.dumps(record) + "\n" for record in SEEDS[name]))
    written = []
    for folder in ("a", "b"):
        try:
            report = import_logs(paths, tmp_path / folder, force=True, extras=("tools", "system", "interim"))
        except UsageError:
            written.append({})
        else:
            written.append({path.name: path.read_bytes() for path in report.written})
    assert written[0] == written[1]
