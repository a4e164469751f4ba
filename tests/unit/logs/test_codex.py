"""Codex rollouts and the stream of `codex exec`: a constructed log for each trap."""

from __future__ import annotations

import json

from .written import lines, told


def line(kind, second=0, **payload):
    return {"timestamp": f"2026-03-01T08:00:{second:02d}.500Z", "type": kind, "payload": payload}


def item(role, text, second=0, kind="input_text", **more):
    content = [{"type": kind, "text": text}]
    return line("response_item", second, type="message", role=role, content=content, **more)


META = line("session_meta", id="thread-1", cwd="/p")


def test_the_same_words_as_event_and_as_item_are_said_once(read):
    log = read(lines(
        META,
        line("turn_context", model="some-model"),
        line("event_msg", 1, type="user_message", message="Fix it."),
        item("user", "Fix it.", 1),
        item("assistant", "Done.", 3, kind="output_text"),
        line("event_msg", 4, type="agent_message", message="Done."),
        line("event_msg", 5, type="agent_message", message="Only an event says this."),
    ))  # fmt: skip
    assert told(log.only) == ["user: Fix it.", "agent: Done.", "agent: Only an event says this."]
    assert (log.only.id, log.only.model_names, log.tally.repeats) == ("thread-1", ("some-model",), 2)


def test_saying_it_twice_is_said_twice(read):
    log = read(lines(META, item("user", "go on", 1), item("user", "go on", 2),
                     line("event_msg", 1, type="user_message", message="go on")))  # fmt: skip
    assert told(log.only) == ["user: go on", "user: go on"]
    assert log.tally.repeats == 1


def test_what_the_program_puts_in_is_context(read):
    request = "# Context from my IDE setup:\n\n## Open tabs\n\n## My request for Codex:\nFix the tests."
    log = read(lines(
        META,
        item("developer", "<permissions instructions>"),
        item("user", "<environment_context>x</environment_context>"),
        item("user", "# AGENTS.md instructions for /p"),
        item("user", request),
        item("assistant", "I will look.", kind="output_text", phase="commentary"),
        line("event_msg", type="turn_aborted", reason="interrupted"),
    ))  # fmt: skip
    assert [text for text in told(log.only) if not text.startswith("(")] == ["user: Fix the tests."]
    assert log.tally.aside == {"context": 4, "interim": 1, "command": 1}


def test_parallel_calls_find_their_results_in_any_order(read):
    log = read(lines(
        META,
        line("response_item", type="function_call", name="exec", arguments='{"cmd": "ls"}', call_id="c1"),
        line("response_item", type="function_call", name="exec", arguments='{"cmd": "pwd"}', call_id="c2"),
        line("response_item", type="function_call_output", call_id="c2", output="/p"),
        line("response_item", type="function_call_output", call_id="c1",
             output=json.dumps({"output": "no such file", "metadata": {"exit_code": 2}})),
        line("response_item", type="custom_tool_call", name="apply_patch", input="*** patch", call_id="c3"),
        line("response_item", type="local_shell_call", call_id="c4", action={"command": ["ls"]}),
    ))  # fmt: skip
    assert told(log.only) == [
        'call exec {"cmd": "ls"} ->! no such file',
        'call exec {"cmd": "pwd"} -> /p',
        'call apply_patch {"input": "*** patch"} -> None',
        'call local_shell {"command": ["ls"]} -> None',
    ]
    assert log.tally.unanswered == 2


def test_arguments_that_are_no_json_are_kept_as_they_are(read):
    log = read(lines(META, line("response_item", type="function_call", name="exec", arguments="{cut", call_id="c1")))
    assert log.only.entries[0].args == {"_raw": "{cut"}


def test_totals_that_are_repeated_are_not_added_up(read):
    def totals(tokens):
        total = {"input_tokens": tokens, "output_tokens": 2 * tokens}
        return line("event_msg", type="token_count", info={"total_token_usage": total, "last_token_usage": total})

    empty = line("event_msg", type="token_count", info=None)
    log = read(lines(META, item("user", "x"), empty, totals(10), totals(10), totals(15), empty))
    assert (log.only.usage.input_tokens, log.only.usage.output_tokens) == (15, 30)


def test_a_compacted_line_is_a_fold_with_what_took_the_place(read):
    kept = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix the tests."}]}]
    log = read(lines(
        META, item("user", "Fix the tests."),
        line("compacted", 9, message="Summary: fixed.", replacement_history=kept),
        line("event_msg", 9, type="context_compacted"),
    ))  # fmt: skip
    assert told(log.only) == ["user: Fix the tests.", "fold compacted: Summary: fixed.\nuser: Fix the tests."]
    assert (log.tally.turns["user"], log.tally.repeats) == (1, 1)
    alone = read(lines(META, item("user", "x"), line("event_msg", type="context_compacted")))
    assert alone.tally.folds == {"compacted": 1}


def test_a_fold_of_several_megabytes_is_read(read):
    log = read(lines(META, item("user", "x"), line("compacted", message="m" * 3_000_000)))
    assert len(log.only.entries[1].text) == 3_000_000


def test_unknown_kinds_are_kept_raw_and_broken_lines_named(read):
    log = read(lines(META, item("user", "x"), line("response_item", type="hologram", beam=1),
                     line("event_msg", type="aurora"), line("novel_line"), '{"timestamp": "2026'))  # fmt: skip
    assert log.tally.unknown == {"response_item hologram": 1, "event aurora": 1, "novel_line": 1}
    assert [problem.line for problem in log.tally.problems] == [6]


def test_a_forked_session_keeps_its_own_id(read):
    log = read(lines(META, line("session_meta", id="the-older-one"), item("user", "x")))
    assert log.only.id == "thread-1"
    without = read(lines(item("user", "x")), name="rollout-7.jsonl")
    assert without.only.id == "rollout-7"


def test_the_stream_of_exec_is_a_format_of_its_own(read):
    log = read(lines(
        {"type": "thread.started", "thread_id": "th-1"},
        {"type": "turn.started"},
        {"type": "item.started", "item": {"id": "i1", "type": "command_execution", "command": "ls"}},
        {"type": "item.completed", "item": {"id": "i1", "type": "command_execution", "command": "ls",
                                            "aggregated_output": "a.py", "exit_code": 1}},
        {"type": "item.completed", "item": {"id": "i2", "type": "reasoning", "text": "Hm."}},
        {"type": "item.completed", "item": {"id": "i3", "type": "agent_message", "text": "One file."}},
        {"type": "item.completed", "item": {"id": "i4", "type": "hologram"}},
        {"type": "turn.completed", "usage": {"input_tokens": 9, "output_tokens": 3}},
    ))  # fmt: skip
    assert (log.format, log.only.id) == ("codex-exec", "th-1")
    assert told(log.only) == [
        'call command_execution {"command": "ls"} ->! a.py', "(thought) agent: Hm.", "agent: One file.",
        "unknown item hologram",
    ]  # fmt: skip
    assert (log.only.usage.input_tokens, log.only.started) == (9, None)
    assert any("no times" in note for note in log.tally.notes)


def test_thoughts_are_told_once_and_rarer_items_are_known(read):
    log = read(lines(
        META,
        line("response_item", type="reasoning", summary=[{"type": "summary_text", "text": "Hm."}]),
        line("event_msg", type="agent_reasoning", text="Hm."),
        line("event_msg", type="agent_reasoning", text="Only here."),
        line("response_item", type="compaction", encrypted_content="x"),
        line("response_item", type="ghost_snapshot", ghost_commit={}),
        line("response_item", type="function_call_output", call_id="c9", output={"content": "gone", "success": False}),
        item("oracle", "x"),
        item("user", "<turn_aborted>x</turn_aborted>"),
        line("event_msg", type="user_message", message="Only an event."),
        {"type": "response_item", "payload": "cut"},
    ))  # fmt: skip
    assert told(log.only) == [
        "(thought) agent: Hm.", "(thought) agent: Only here.", "fold compacted: (encrypted)",
        "call by tool  {} ->! gone",
        "unknown message of role oracle", "(command) user: <turn_aborted>x</turn_aborted>", "user: Only an event.",
        "unknown response_item",
    ]  # fmt: skip
    assert log.tally.aside["ghost_snapshot"] == 1


def test_a_resumed_thread_of_exec_is_a_session_of_its_own(read):
    def completed(**more):
        return {"type": "item.completed", "item": {"id": "i", **more}}

    log = read(lines(
        {"type": "thread.started", "thread_id": "a"}, completed(type="agent_message", text="One."),
        {"type": "thread.started", "thread_id": "b"},
        completed(type="mcp_tool_call", server="mem", tool="search_memory", arguments={"query": "port"}, result="8443"),
    ))  # fmt: skip
    assert [(session.id, told(session)) for session in log.sessions] == [
        ("a", ["agent: One."]),
        ("b", ['call search_memory {"arguments": {"query": "port"}, "server": "mem"} -> 8443',
               "read search_memory:  ['8443']"]),
    ]  # fmt: skip
