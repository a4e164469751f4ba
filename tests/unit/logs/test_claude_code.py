"""Claude Code sessions: a constructed log for each trap of the format."""

from __future__ import annotations

import random

from .written import lines, told

START = "2026-02-01T09:00:"


def record(kind, uuid, parent, content, second=0, **more):
    """One record of the talk; `content` is a text or a list of blocks."""
    role = {"user": "user", "assistant": "assistant"}[kind]
    message = {"role": role, "content": content, **more.pop("message", {})}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s-1", "isSidechain": False,
            "timestamp": f"{START}{second:02d}.000Z", "message": message, **more}  # fmt: skip


def use(id_, name, **args):
    return [{"type": "tool_use", "id": id_, "name": name, "input": args}]


def result(id_, text, **more):
    return [{"type": "tool_result", "tool_use_id": id_, "content": text, **more}]


TALK = [
    record("user", "u1", None, "The port is 8443.", 1),
    record("assistant", "a1", "u1", [{"type": "text", "text": "Noted."}], 2),
    record("user", "u2", "a1", "Which port?", 3),
    record("assistant", "a2", "u2", [{"type": "text", "text": "8443."}], 4),
]


def test_the_talk_in_order_with_times_in_utc(read):
    log = read(lines(*TALK))
    assert log.format == "claude-code"
    assert told(log.only) == ["user: The port is 8443.", "agent: Noted.", "user: Which port?", "agent: 8443."]
    assert log.only.id == "s-1"
    assert log.only.started.text == "2026-02-01T09:00:01Z"
    assert log.only.started.written == "2026-02-01T09:00:01.000Z"
    assert log.only.user == ""
    assert any("names no user" in note for note in log.tally.notes)


def test_the_order_is_the_tree_and_not_that_of_the_file(read):
    shuffled = list(TALK)
    random.Random(3).shuffle(shuffled)
    assert shuffled != TALK
    assert told(read(lines(*shuffled)).only) == told(read(lines(*TALK)).only)


def test_of_a_redo_the_later_branch_is_the_talk(read):
    redo = record("assistant", "a2x", "u2", [{"type": "text", "text": "It is 8443."}], 9)
    log = read(lines(*TALK, redo))
    assert told(log.only)[-1] == "agent: It is 8443."
    assert "agent: 8443." not in told(log.only)
    assert log.only.abandoned == 1


def test_parallel_calls_are_no_redo(read):
    log = read(lines(
        record("user", "u1", None, "Look.", 1),
        record("assistant", "a1", "u1", use("t1", "Bash", command="ls"), 2, message={"id": "m1"}),
        record("assistant", "a2", "a1", use("t2", "Bash", command="pwd"), 3, message={"id": "m1"}),
        record("user", "r1", "a1", result("t1", "a.py"), 4),
        record("user", "r2", "a2", result("t2", "/home", is_error=True), 5),
        record("assistant", "a3", "r2", [{"type": "text", "text": "Done."}], 6),
    ))  # fmt: skip
    assert told(log.only) == [
        "user: Look.",
        'call Bash {"command": "ls"} -> a.py',
        'call Bash {"command": "pwd"} ->! /home',
        "agent: Done.",
    ]
    assert log.only.abandoned == 0


def test_a_part_beside_the_talk_keeps_its_results(read):
    log = read(lines(
        record("user", "u1", None, "Look.", 1),
        record("assistant", "a1", "u1", use("t1", "Bash", command="ls"), 2, message={"id": "m1"}),
        record("assistant", "a2", "a1", use("t2", "Bash", command="pwd"), 3, message={"id": "m1"}),
        record("user", "r2", "a2", result("t2", "/home"), 4),
        record("user", "r1", "a1", result("t1", "a.py"), 5),
        record("assistant", "a3", "r1", "Done.", 6),
    ))  # fmt: skip
    assert told(log.only)[1:] == [
        'call Bash {"command": "ls"} -> a.py', 'call Bash {"command": "pwd"} -> /home', "agent: Done.",
    ]  # fmt: skip
    assert log.only.abandoned == 0


def test_records_between_two_messages_keep_the_tree_whole(read):
    def beside(uuid, parent, second):
        return {"type": "attachment", "uuid": uuid, "parentUuid": parent, "sessionId": "s-1",
                "timestamp": f"{START}{second:02d}.000Z"}  # fmt: skip

    log = read(lines(
        record("user", "u1", None, "Which port?", 1),
        beside("x1", "u1", 2), record("assistant", "a1", "x1", "It is 9000.", 3),
        beside("x2", "u1", 4), record("assistant", "a2", "x2", "It is 8443.", 5),
    ))  # fmt: skip
    assert told(log.only) == ["user: Which port?", "agent: It is 8443."]
    assert (log.only.abandoned, log.tally.aside["attachment"]) == (1, 1)


def test_what_was_said_before_a_boundary_stays(read):
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b1", "parentUuid": None, "sessionId": "s-1",
                "logicalParentUuid": "u1", "timestamp": f"{START}10.000Z", "content": "Compacted"}  # fmt: skip
    log = read(lines(*TALK, boundary, record("user", "u3", "b1", "And now?", 11)))
    assert told(log.only) == ["user: The port is 8443.", "agent: Noted.", "user: Which port?", "agent: 8443.",
                              "fold boundary: Compacted", "user: And now?"]  # fmt: skip
    assert log.only.abandoned == 0


def test_usage_that_parts_of_one_answer_repeat_is_counted_once(read):
    usage = {"input_tokens": 10, "output_tokens": 4, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 0}
    parts = {"id": "m1", "model": "some-model", "usage": usage}
    log = read(lines(
        record("user", "u1", None, "Hi", 1),
        record("assistant", "a1", "u1", [{"type": "text", "text": "Hello."}], 2, message=parts),
        record("assistant", "a2", "a1", use("t1", "Bash"), 3, message=parts),
        record("assistant", "a3", "a2", "One more.", 4, message={**parts, "id": "m2"}),
    ))  # fmt: skip
    assert (log.only.usage.input_tokens, log.only.usage.output_tokens) == (30, 8)
    assert log.only.model_names == ("some-model",)


def test_a_compaction_is_evidence_and_nothing_that_the_user_said(read):
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b1",
        "parentUuid": None,
        "logicalParentUuid": "a2",
        "sessionId": "s-1",
        "timestamp": f"{START}10.000Z",
        "content": "Conversation compacted",
        "compactMetadata": {"trigger": "auto", "preTokens": 9000},
    }
    summary = record("user", "c1", "b1", "Summary: a port was named.", 11, isCompactSummary=True)
    later = record("user", "u3", "c1", "And now?", 12)
    log = read(lines(*TALK, boundary, summary, later))
    assert told(log.only)[4:] == [
        "fold boundary: Conversation compacted", "fold summary: Summary: a port was named.", "user: And now?",
    ]  # fmt: skip
    fold = log.only.entries[4]
    assert (fold.trigger, fold.tokens) == ("auto", 9000)
    assert log.tally.turns["user"] == 3
    assert log.tally.folds == {"boundary": 1, "summary": 1}


def test_sub_agents_stand_apart(read):
    side = [
        record("user", "x1", None, "Search the code.", 5, isSidechain=True, agentId="agent-7"),
        record("assistant", "x2", "x1", "I found it.", 6, isSidechain=True, agentId="agent-7"),
        record("assistant", "y1", "u2", "Another one.", 7, isSidechain=True),
    ]
    log = read(lines(*TALK, *side))
    assert len(told(log.only)) == 4
    named, unnamed = log.only.sidechains
    assert (named.id, told(named)) == ("agent-7", ["user: Search the code.", "agent: I found it."])
    assert told(unnamed) == ["agent: Another one."]
    assert log.tally.sidechains == 2
    assert log.tally.turns["user"] == 2


def test_commands_caveats_and_meta_records_are_no_talk(read):
    texts = ["<command-name>/clear</command-name>", "Caveat: The messages below were made by a command.",
             "<local-command-stdout>x</local-command-stdout>", "[Request interrupted by user]"]  # fmt: skip
    chain = [record("user", f"c{n}", f"c{n - 1}" if n else "a2", text, 10 + n) for n, text in enumerate(texts)]
    meta = record("user", "m", "c3", "Some context.", 20, isMeta=True)
    log = read(lines(*TALK, *chain, meta))
    assert log.tally.turns["user"] == 2
    assert log.tally.aside["command"] == 4
    assert log.tally.aside["context"] == 1


def test_a_reminder_is_cut_out_of_what_the_user_typed(read):
    text = "Fix it.\n<system-reminder>Contents of CLAUDE.md: never push to main.</system-reminder>"
    log = read(lines(record("user", "u1", None, text, 1)))
    assert told(log.only) == [
        "(context) system: Contents of CLAUDE.md: never push to main.",
        "read reminder with CLAUDE.md:  ['Contents of CLAUDE.md: never push to main.']",
        "user: Fix it.",
    ]


def test_memory_files_are_memory(read):
    log = read(lines(
        record("user", "u1", None, "Remember it.", 1),
        record("assistant", "a1", "u1", use("t1", "Read", file_path="/home/x/CLAUDE.md"), 2),
        record("user", "r1", "a1", result("t1", "Use tabs."), 3),
        record("assistant", "a2", "r1", use("t2", "Edit", file_path="/p/MEMORY.md", new_string="The port is 8443."), 4),
        record("assistant", "a3", "a2", use("t3", "Read", file_path="/p/readme.md"), 5),
    ))  # fmt: skip
    assert [line for line in told(log.only) if line.startswith(("read", "write"))] == [
        "read Read:  ['Use tabs.']", "write Edit: The port is 8443. []",
    ]  # fmt: skip
    assert (log.tally.memory_reads, log.tally.memory_writes, log.tally.tool_calls) == (1, 1, 3)


def test_titles_of_other_sessions_are_not_taken(read):
    foreign = [{"type": "summary", "summary": f"Other {n}", "leafUuid": f"elsewhere-{n}"} for n in range(3)]
    log = read(lines(*foreign, *TALK))
    assert log.only.title == ""
    assert log.tally.aside["title of a session that is not here"] == 3
    own = read(lines(*foreign, *TALK, {"type": "summary", "summary": "Ports", "leafUuid": "a2"}))
    assert own.only.title == "Ports"
    assert own.tally.aside["title of a session that is not here"] == 3


def test_malformed_records_are_counted_and_end_nothing(read):
    log = read(lines(
        *TALK,
        {**record("user", "u3", "a2", "x", 5), "message": {"role": "user", "contenst": "lost"}},
        {**record("user", "u4", "u3", "x", 6), "message": "error"},
        "42", "[1]", '"massive error"', {"silly": "this"},
        record("user", "u5", "u4", ["a plain text"], 7),
        '{"type": "assistant", "uuid":',
    ))  # fmt: skip
    assert told(log.only)[4:] == [
        "unknown user without content", "unknown user without content", "user: a plain text",
    ]  # fmt: skip
    assert sorted((problem.line, problem.message.partition(":")[0]) for problem in log.tally.problems) == [
        (7, "the record is no object but a number"),
        (8, "the record is no object but a list"),
        (9, "the record is no object but a text"),
        (12, "the line is no JSON"),
    ]
    assert log.tally.broken == 4
    assert log.tally.unknown == {"user without content": 2, "(no kind)": 1}


def test_a_record_without_a_time_stands_where_it_was_written(read):
    late = {**record("user", "u3", "a2", "No time.", 0)}
    del late["timestamp"]
    log = read(lines(*TALK, {**late, "timesstamp": "2026-01-01T00:00:00Z"}, record("user", "u4", "u3", "Timed.", 30)))
    assert told(log.only)[-2:] == ["user: No time.", "user: Timed."]


def test_unknown_kinds_are_kept_raw(read):
    strange = {"type": "hologram", "sessionId": "s-1", "uuid": "h1", "beam": 3}
    log = read(lines(*TALK, strange))
    assert log.tally.unknown == {"hologram": 1}
    assert [entry.raw for entry in log.only.entries if hasattr(entry, "raw")] == [strange]


def test_a_resumed_session_repeats_the_older_one(read):
    later = record("user", "u9", "a2", "Back again.", 40)
    log = read(lines(*TALK), lines(*TALK, later))
    assert told(log.only)[-1] == "user: Back again."
    assert len(told(log.only)) == 5
    assert log.tally.repeats == 4


def test_a_file_of_two_sessions_gives_two(read):
    other = [{**line, "sessionId": "s-2", "uuid": line["uuid"] + "x", "parentUuid": None} for line in TALK]
    assert sorted(read(lines(*TALK, *other)).by_id()) == ["s-1", "s-2"]


def test_records_that_are_no_talk_are_counted(read):
    log = read(lines(
        *TALK,
        {"type": "file-history-snapshot", "messageId": "u2", "snapshot": {}},
        {"type": "queue-operation", "sessionId": "s-1", "content": "queued text"},
    ))  # fmt: skip
    assert len(told(log.only)) == 4
    assert (log.tally.aside["file-history-snapshot"], log.tally.aside["queue-operation"]) == (1, 1)


def test_a_failed_answer_of_the_service_is_nothing_that_the_agent_said(read):
    wrong = record(
        "assistant", "a3", "a2", "API Error: 529", 8, isApiErrorMessage=True, message={"model": "<synthetic>"}
    )
    log = read(lines(*TALK, wrong))
    assert told(log.only)[-1] == "(command) agent: API Error: 529"
    assert log.only.model_names == ()


def test_a_deep_tree_needs_no_recursion(read):
    chain = [record("user", f"n{n}", f"n{n - 1}" if n else None, f"turn {n}", n % 60) for n in range(3000)]
    assert len(told(read(lines(*chain)).only)) == 3000


def test_a_circle_of_parents_loses_nothing(read):
    log = read(lines(record("user", "p", "q", "first", 1), record("user", "q", "p", "second", 2)))
    assert sorted(told(log.only)) == ["user: first", "user: second"]


def test_thoughts_and_notes_to_the_memory_are_their_own_kinds(read):
    thought = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}, {"type": "hologram"}]
    log = read(lines(
        record("user", "u1", None, "<user-memory-input>use tabs</user-memory-input>", 1),
        record("assistant", "a1", "u1", thought, 2),
        record("user", "r1", "a1", result("gone", ""), 3, toolUseResult="the richer copy"),
        {"type": "system", "subtype": "informational", "uuid": "i1", "parentUuid": "r1", "sessionId": "s-1",
         "content": "Tip: …", "timestamp": f"{START}04.000Z"},
    ))  # fmt: skip
    assert told(log.only) == [
        "(command) user: <user-memory-input>use tabs</user-memory-input>", "write #: use tabs []",
        "(thought) agent: Hm.", "agent: Yes.", "unknown content hologram", "call by tool  {} -> the richer copy",
        "(context) system: Tip: …",
    ]  # fmt: skip
