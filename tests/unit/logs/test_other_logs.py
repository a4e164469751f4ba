"""Letta agent files, LoCoMo, tau-bench, Inspect, promptfoo, and talks of agents by name."""

from __future__ import annotations

import json

from foldproof.logs import Outcome

from .written import lines, told


def letta(*messages, shown=None, blocks=()):
    agent = {"name": "sam", "id": "agent-0", "messages": list(messages), "block_ids": [block["id"] for block in blocks]}
    if shown is not None:
        agent["in_context_message_ids"] = shown
    return {"agents": [agent], "blocks": list(blocks), "tools": [], "metadata": {}}


def said(id_, role, text=None, **more):
    content = [{"type": "text", "text": text}] if text is not None else None
    return {"id": id_, "type": "message", "role": role, "content": content, "created_at": "2026-01-01T00:00:00+00:00",
            "model": "some-model", **more}  # fmt: skip


def called(id_, name, **args):
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}


LETTA = letta(
    said("m0", "system", "You remember."),
    said("m1", "user", "I am Ada."),
    said("m2", "assistant", tool_calls=[called("c1", "core_memory_append", label="human", content="Name: Ada")]),
    said(
        "m3",
        "tool",
        "ok",
        tool_call_id="c1",
        tool_returns=[{"tool_call_id": "c1", "status": "success", "func_response": "None"}],
    ),
    said(
        "m4",
        "assistant",
        tool_calls=[
            called("c2", "archival_memory_search", query="Ada"),
            called("c3", "send_message", message="Hello Ada."),
        ],
    ),
    said(
        "m5",
        "tool",
        "x",
        tool_call_id="c2",
        tool_returns=[{"tool_call_id": "c2", "status": "error", "func_response": "no rows"}],
    ),
    said(
        "m6",
        "tool",
        "x",
        tool_call_id="c3",
        tool_returns=[{"tool_call_id": "c3", "status": "success", "func_response": "None"}],
    ),
    blocks=[{"id": "block-0", "label": "human", "value": "First name: ?", "limit": 2000}],
)
LETTA_TOLD = [
    "read block: human ['First name: ?']",
    "system: You remember.",
    "user: I am Ada.",
    'call core_memory_append {"label": "human", "content": "Name: Ada"} -> None',
    "write core_memory_append: Name: Ada []",
    'call archival_memory_search {"query": "Ada"} ->! no rows',
    "read archival_memory_search: Ada ['no rows']",
    "agent: Hello Ada.",
]


def test_letta_decoded_once_or_twice(read):
    assert told(read(LETTA, name="sam.af").only) == LETTA_TOLD
    twice = read(json.dumps(json.dumps(LETTA, indent=1)), name="sam.af")
    assert (twice.format, told(twice.only)) == ("letta", LETTA_TOLD)
    assert (twice.only.id, twice.only.model_names) == ("sam", ("some-model",))


def test_letta_a_file_of_many_megabytes(read):
    big = {**LETTA, "files": ["x" * 5_000_000]}
    assert told(read(json.dumps(json.dumps(big)), name="sam.af").only) == LETTA_TOLD


def test_letta_messages_out_of_the_context_are_a_fold(read):
    log = read(letta(said("m0", "user", "old"), said("m1", "user", "new"), shown=["m1"]), name="a.af")
    assert told(log.only) == ["user: old", "user: new", "fold trimmed: 1 messages are no longer in the context"]


def test_letta_wrapped_words_and_events_of_the_program(read):
    wrapped = json.dumps({"type": "user_message", "message": "Hi", "time": "2026-01-01 10:00:00 AM UTC+0000"})
    beat = json.dumps({"type": "heartbeat", "reason": "timer"})
    log = read(letta(said("m0", "user", wrapped), said("m1", "user", beat), said("m2", "user", '{"type": "aurora"}'),
                     said("m3", "oracle", "x"), said("m0", "user", wrapped)), name="a.af")  # fmt: skip
    assert told(log.only) == [
        "user: Hi",
        "(context) user: timer",
        "unknown user event aurora",
        "unknown message of role oracle",
    ]
    assert log.tally.repeats == 1


# --- LoCoMo

TALK = {
    "speaker_a": "Ana", "speaker_b": "Ben",
    "session_2_date_time": "11:05 am on 9 May, 2023",
    "session_2": [{"speaker": "Ana", "dia_id": "D2:1", "text": "Back."}],
    "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "Last."}],
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": "I paint."},
                  {"speaker": "Ben", "dia_id": "D1:2", "text": "", "blip_caption": "a bowl"}, "odd"],
    "session_11_date_time": "8:00 pm on 1 June, 2023",
}  # fmt: skip


def test_locomo_in_either_layout(read):
    new = {"sample_id": "conv-7", "conversation": TALK, "qa": [{"question": "?", "answer": 1, "category": 4}]}
    for one in (new, {"sample_id": "conv-7", **TALK}):
        log = read([one], name="locomo.json")
        assert [(session.id, session.user, told(session)) for session in log.sessions] == [
            ("conv-7-1", "conv-7", ["user: I paint.", "agent: [image: a bowl]", "unknown turn"]),
            ("conv-7-2", "conv-7", ["user: Back."]),
            ("conv-7-10", "conv-7", ["agent: Last."]),
        ]
        assert (log.sessions[0].started.text, log.sessions[0].started.naive) == ("2023-05-08T13:56:00", True)
        assert log.tally.aside["dates without a session"] == 1
    assert any("`speaker_a` is taken as the user" in note for note in log.tally.notes)


# --- tau-bench


def test_tau_trajectories(read):
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"n": 1}'}}
    messages = [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "name": "look", "content": "here"}]  # fmt: skip
    run = {"task_id": 3, "trial": 1, "reward": 0.0, "info": {"task": {"user_id": "ada"}}, "traj": messages}
    log = read([run, {**run, "trial": 2}], name="runs.json")
    assert [(session.id, session.user) for session in log.sessions] == [("3-trial-1", "ada"), ("3-trial-2", "ada")]
    assert told(log.sessions[0]) == ["user: Where?", 'call look {"n": 1} -> here']


def test_a_call_id_that_begins_anew_in_every_turn_hides_no_call(read):
    def called(n):
        return {"id": "call_0", "type": "function", "function": {"name": "look", "arguments": json.dumps({"n": n})}}

    turns = [
        [{"role": "user", "content": f"Where is {n}?"},
         {"role": "assistant", "content": None, "tool_calls": [called(n)]},
         {"role": "tool", "tool_call_id": "call_0", "content": f"here {n}"}, {"role": "assistant", "content": "Here."}]
        for n in (1, 2)
    ]  # fmt: skip
    log = read(lines({"messages": [*turns[0], *turns[1]]}))
    assert told(log.only) == [
        "user: Where is 1?", 'call look {"n": 1} -> here 1', "agent: Here.",
        "user: Where is 2?", 'call look {"n": 2} -> here 2', "agent: Here.",
    ]  # fmt: skip
    again = [*turns[0], {"role": "assistant", "content": None, "tool_calls": [called(1)]}]
    assert told(read(lines({"messages": again})).only) == [*told(log.only)[:3]], "the same call is told once"


def test_what_a_log_says_of_its_end_is_kept_as_its_own_word(read):
    tau2 = {"id": "s", "task_id": "1", "messages": [{"role": "user", "content": "Hi"}], "reward_info": {"reward": 1.0}}
    tau = {"task_id": 3, "traj": tau2["messages"], "reward": "unknown"}
    item = {"id": 1, "epoch": 1, "input": "Hi", "scores": {"match": {"value": "C"}, "list": {"value": []}}}
    row = {"vars": {}, "prompt": {"raw": "Hi"}, "success": False}
    named = {"question": "Hi", "history": [{"role": "Coder", "content": "x"}], "is_correct": False}
    assert read(tau2, name="tau2.json").only.outcomes == (Outcome("reward", 1.0),)
    assert read(tau, name="tau.json").only.outcomes == ()
    assert read(item, name="item.json").only.outcomes == (Outcome("match", "C"),)
    assert read({"evalId": "e", "results": {"results": [row]}}).only.outcomes == (Outcome("success", False),)
    assert read(named, name="named.json").only.outcomes == (Outcome("is_correct", False),)


def test_tau2_users_call_tools_too_and_turns_are_numbered(read):
    messages = [
        {"role": "tool", "id": "c1", "content": "on", "requestor": "user", "turn_idx": 2},
        {"role": "user", "content": "Is it on?", "turn_idx": 0, "usage": {"prompt_tokens": 3}},
        {"role": "user", "content": None, "turn_idx": 1,
         "tool_calls": [{"id": "c1", "name": "toggle", "arguments": {"x": 1}, "requestor": "user"}]},
    ]  # fmt: skip
    run = {"id": "sim-1", "task_id": "1", "trial": 0, "start_time": "2026-01-01T00:00:00", "messages": messages}
    for content in ({"info": {}, "tasks": [], "simulations": [run]}, run):
        log = read(content, name="results.json")
        assert (log.format, log.only.id) == ("tau-bench", "sim-1")
        assert told(log.only) == ["user: Is it on?", 'call by user toggle {"x": 1} -> on']
        assert log.only.started.naive


def test_tau2_voice_runs_are_told(read):
    def tick(number, text, speaker):
        chunk = {"role": "user" if speaker == "user_chunk" else "assistant", "content": text}
        return {"tick_id": number, "timestamp": "2026-01-01T00:00:00", speaker: chunk}

    run = {
        "id": "v",
        "task_id": "1",
        "ticks": [tick(0, "Hello", "user_chunk"), tick(1, "Hi", "agent_chunk"), {"tick_id": 2}],
    }
    log = read(run, name="voice.json")
    assert told(log.only) == ["user: Hello", "agent: Hi"]
    assert log.tally.aside["ticks"] == 3
    assert any("voice" in note for note in log.tally.notes)


# --- Inspect


def test_inspect_a_session_is_a_sample_and_its_epoch(read):
    call = {"id": "c1", "function": "look", "arguments": {"n": 1}, "type": "function"}
    messages = [
        {"id": "a", "role": "user", "content": "attachment://abc", "source": "input"},
        {"id": "b", "role": "assistant", "content": "I look.", "tool_calls": [call], "model": "m"},
        {"id": "c", "role": "tool", "content": "here", "tool_call_id": "c1", "function": "look"},
        {
            "id": "d",
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "There."}],
        },
    ]
    whole = {"id": "q1", "epoch": 2, "input": "x", "messages": messages, "attachments": {"abc": "Where is it?"},
             "started_at": "2026-01-01T00:00:00+00:00", "metadata": {"user_id": "ada"}, "error": {"message": "late"},
             "model_usage": {"some-model": {"input_tokens": 4, "output_tokens": 1}}}  # fmt: skip
    short = {
        "id": 7,
        "epoch": 1,
        "input": "Hi",
        "output": {"choices": [{"message": {"role": "assistant", "content": "Yo"}}]},
    }
    log = read(
        {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": [whole, short, {"odd": 1}]}, name="i.json"
    )
    assert (log.format, [session.id for session in log.sessions]) == ("inspect", ["q1-epoch-2", "7-epoch-1"])
    assert told(log.sessions[0])[:3] == ["user: Where is it?", "agent: I look.", 'call look {"n": 1} -> here']
    assert told(log.sessions[0])[-1] == "agent: There."
    assert (log.sessions[0].user, log.sessions[0].usage.input_tokens) == ("ada", 4)
    assert told(log.sessions[1]) == ["user: Hi", "agent: Yo"]
    assert (log.tally.unknown, log.tally.aside["samples with an error"]) == ({"sample": 1}, 1)


def test_inspect_a_header_alone(read):
    log = read({"version": 2, "status": "error", "eval": {"task": "t"}}, name="i.json")
    assert (log.sessions, any("without samples" in note for note in log.tally.notes)) == ([], True)


# --- promptfoo


def result(number, raw, output, **more):
    return {"id": f"r{number}", "testIdx": number, "promptIdx": 0, "vars": {"q": raw}, "prompt": {"raw": raw},
            "provider": {"id": "p"}, "response": {"output": output, "tokenUsage": {"prompt": 2, "completion": 1}},
            "success": True, "failureReason": 0, **more}  # fmt: skip


def output(*rows):
    inner = {"version": 3, "timestamp": "2026-01-01T00:00:00.000Z", "prompts": [], "results": list(rows)}
    return {"evalId": "eval-1", "results": inner, "config": {}}


def test_promptfoo_each_result_and_its_failures(read):
    chat = json.dumps([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}])
    broken = {**result(3, "x", None, failureReason=2, error="Error: boom"), "response": {}}
    log = read(
        output(result(0, "Where?", "There."), result(1, chat, {"a": 1}), result(2, "[odd", "ok"), broken), name="o.json"
    )
    assert [(session.id, told(session)) for session in log.sessions] == [
        ("r0", ["user: Where?", "agent: There."]),
        ("r1", ["system: Be kind.", "user: Hi", 'agent: {"a": 1}']),
        ("r2", ["user: [odd", "agent: ok"]),
        ("r3", ["user: x"]),
    ]
    assert log.tally.aside["failed answers"] == 1
    assert log.sessions[0].usage.input_tokens == 2


def test_promptfoo_turns_of_one_conversation(read):
    about = {"metadata": {"conversationId": "c"}}
    other = {**result(2, "Three?", "3"), **about, "provider": "q"}
    log = read(output({**result(0, "One?", "1"), **about}, {**result(1, "Two?", "2"), **about}, other), name="o.json")
    assert [(session.id, told(session)) for session in log.sessions] == [
        ("c", ["user: One?", "agent: 1", "user: Two?", "agent: 2"]), ("c", ["user: Three?", "agent: 3"]),
    ]  # fmt: skip


def test_promptfoo_the_older_layout_and_no_results(read):
    assert told(read({"results": [result(0, "Hi", "Yo")]}, name="o.json").only) == ["user: Hi", "agent: Yo"]
    assert read(output(), name="o.json").sessions == []
    assert read(lines({"results": [result(0, "Hi", "Yo")]})).format == "promptfoo"


def test_inspect_one_sample_a_line(read):
    log = read(lines({"id": "q", "epoch": 1, "input": [{"role": "user", "content": "Hi"}]}))
    assert (log.format, log.only.id, told(log.only)) == ("inspect", "q-epoch-1", ["user: Hi"])


def test_locomo_a_time_that_is_none_stays_unknown(read):
    log = read(
        {
            "sample_id": "c",
            "speaker_a": "A",
            "session_1": [{"speaker": "A", "text": "x"}],
            "session_1_date_time": "soon",
        }
    )
    assert (log.only.started, log.tally.without_time) == (None, 1)


def test_letta_events_with_results_that_stand_alone(read):
    log = read(letta(said("m1", "tool", "late", tool_call_id="c7")), name="a.af")
    assert told(log.only) == ["call by tool  {} -> late"]


# --- talks of several agents by name


def test_several_agents_are_told_apart_by_name(read):
    history = [
        {"role": "assistant", "name": "Coder", "content": "```python\nprint(x)\n```"},
        {"role": "user", "name": "Computer_terminal", "content": "exitcode: 1 (execution failed)"},
        {"role": "user", "name": "Checker", "content": "It failed."},
    ]
    log = read({"question": "What is x?", "history": history})
    question, code, result, said = log.only.entries
    assert log.format == "named-agents"
    assert (question.role, question.text, question.id) == ("user", "What is x?", "question")
    assert (code.role, code.speaker, code.id) == ("agent", "Coder", "0")
    assert (result.name, result.failed, result.by, result.id) == ("Computer_terminal", True, "tool", "1")
    assert (said.speaker, said.kind, said.id) == ("Checker", "said", "2")


def test_the_thoughts_of_a_planner_are_told_from_what_it_says(read):
    roles = ["human", "Orchestrator (thought)", "Orchestrator (-> WebSurfer)", "WebSurfer", "ComputerTerminal"]
    history = [{"role": role, "content": f"{number}, exit code: 0"} for number, role in enumerate(roles)]
    log = read({"question": "0", "history": history})
    first, thought, order, surfer, terminal = log.only.entries
    assert (first.role, first.id) == ("user", "0")
    assert [(one.speaker, one.kind) for one in (thought, order, surfer)] == [
        ("Orchestrator", "thought"),
        ("Orchestrator", "said"),
        ("WebSurfer", "said"),
    ]
    assert (terminal.name, terminal.failed) == ("ComputerTerminal", False)
