"""The importers on samples of the formats, real ones where there are any; each trap on the sample that shows it."""

from __future__ import annotations

import pytest

from foldproof.core import Redactor, UsageError
from foldproof.logs import Called, Fold, MemoryOperation, Said, read_logs

pytestmark = pytest.mark.data


@pytest.fixture
def read(shared_data):
    """Read samples by their names below `formats`."""
    folder = shared_data / "formats"
    if not folder.is_dir():
        pytest.skip("the samples of log formats are not there")

    def call(*names):
        reading = read_logs([folder / name for name in names], redactor=Redactor({}))
        sessions = list(reading.sessions)
        return reading.format.name, sessions, reading.tally

    return call


def texts(session, role=None):
    return [entry.text for entry in session.said(role)]


def test_claude_code_compaction_branch_and_sidechain(read):
    name, (session,), tally = read("claude_code/compaction_branch_sidechain.constructed.jsonl")
    assert name == "claude-code"
    assert texts(session) == [
        "Rule: never push to main. The staging port is 8443.", "Understood.", "Working tree is clean.",
        "Which port is staging on?",
    ]  # fmt: skip
    assert [fold.kind for fold in session.of_kind(Fold)] == ["boundary", "summary"]
    assert session.of_kind(Fold)[0].tokens == 155025
    assert [(side.id, texts(side)) for side in session.sidechains] == [
        ("agent-1", ["sidechain (sub-agent) text: must not become a user fact"])
    ]
    assert (session.title, session.abandoned) == ("Git status check", 1)
    assert (session.usage.input_tokens, session.usage.output_tokens) == (22, 18)
    assert [problem.line for problem in tally.problems] == [15]
    assert [call.result for call in session.of_kind(Called)] == ["clean"]


def test_claude_code_none_of_the_sixteen_titles_is_of_this_session(read):
    _, (session,), tally = read("claude_code/contaminated_summaries.jsonl")
    assert (session.title, tally.aside["title of a session that is not here"]) == ("", 16)
    assert (tally.broken, session.usage.output_tokens) == (0, 4)


def test_claude_code_malformed_records(read):
    _, sessions, tally = read("claude_code/edge_cases.jsonl")
    edge = next(session for session in sessions if session.id == "edge_cases")
    assert "wow error" in texts(edge, "user")
    assert any("中文" in text and "🚀" in text for text in texts(edge, "user"))
    assert tally.unknown == {"user without content": 2, "(no kind)": 1}
    assert sorted(problem.line for problem in tally.problems) == [13, 15, 16]
    assert tally.aside["command"] == 3
    todo = next(session for session in sessions if session.id != "edge_cases").of_kind(Called)[0]
    assert todo.args["todos"][0] == "broken_todo"
    assert edge.of_kind(Called)[0].failed


def test_claude_code_all_files_at_once(read):
    names = ("representative_messages", "session_b", "todowrite_examples", "tool_records_v2")
    _, sessions, tally = read(*(f"claude_code/{name}.jsonl" for name in names))
    assert {"test_session", "session_b", "todowrite_session"} <= {session.id for session in sessions}
    assert (tally.broken, dict(tally.unknown)) == (0, {})


def test_codex(read):
    _, (old,), tally = read("codex_rollout/rollout_v0.40_2025-09.jsonl")
    assert (old.id, old.model_names) == ("01997ea4-a70d-7da3-8c20-c736db82a7c5", ("gpt-5-codex",))
    assert [(call.failed, call.result[:10]) for call in old.of_kind(Called)] == [
        (True, "bash: -c: "), (True, "sed: apps/"), (False, "(protected"),
    ]  # fmt: skip
    assert (len(texts(old, "user")), len(texts(old, "agent"))) == (2, 2)
    assert (old.usage.input_tokens, old.usage.output_tokens) == (7571, 397)
    assert tally.repeats == 4
    _, (new,), tally = read("codex_rollout/rollout_v0.104_compacted.constructed.jsonl")
    assert texts(new) == ["Do not touch the billing module. Fix the tests."]
    assert [(call.id, call.result) for call in new.of_kind(Called)] == [("call_A", "12 passed"), ("call_B", "0 files")]
    assert [fold.text for fold in new.of_kind(Fold)] == ["Summary: tests were fixed.\nuser: Fix the tests."]
    name, (stream,), _ = read("codex_rollout/exec_json_stream_4.jsonl")
    assert (name, len(stream.of_kind(Called)), stream.started) == ("codex-exec", 1, None)


def test_openai(read):
    _, (pair,), _ = read("openai_chat/chat_completions_pairs.constructed.jsonl")
    assert (pair.id, pair.user, pair.model_names) == ("session-1", "user-1", ("gpt-4o-mini-2024-07-18",))
    _, (response,), _ = read("openai_chat/responses_api.constructed.json")
    assert response.id == "conv_1"
    assert [(call.name, call.result) for call in response.of_kind(Called)] == [("lookup_order", "shipped")]
    _, batch, tally = read("openai_chat/batch_output.constructed.jsonl")
    assert ([session.id for session in batch], tally.aside["failed answers"]) == (["case-1"], 1)
    _, toy, _ = read("openai_chat/fine_tuning_toy.jsonl")
    assert [len(texts(session, "user")) for session in toy] == [1, 1, 0]
    _, (tools,), _ = read("openai_chat/fine_tuning_tools.constructed.jsonl")
    assert tools.of_kind(Called)[0].result == "shipped, total $1,234.50"


def test_chatgpt(read):
    _, (session,), tally = read("chatgpt_export/conversations.constructed.json")
    assert texts(session, "user")[0] == "Remember: I am allergic to peanuts, not to almonds."
    assert [(operation.kind, operation.text) for operation in session.of_kind(MemoryOperation)] == [
        ("read", ""),
        ("write", "User is allergic to peanuts (almonds are fine)."),
    ]
    shown = [item.text for operation in session.of_kind(MemoryOperation) for item in operation.items]
    assert any("User prefers metric units." in text for text in shown)
    assert (session.abandoned, tally.aside["context"]) == (2, 1)
    assert [call.result for call in session.of_kind(Called)] == ["Model set context updated.", "1"]


def test_langsmith_langfuse_and_langgraph(read):
    for name in ("langsmith/ingest_post_runs.json", "langsmith/runs_export.constructed.jsonl",
                 "langfuse/trace_v3.constructed.json", "langfuse/observations_v2.constructed.jsonl"):  # fmt: skip
        _, (session,), _ = read(name)
        assert (session.id, session.user) == ("session-1", "user-1")
        assert texts(session) == ["Where is my order #4021?", "Your order 4021 has shipped."]
        assert [item.text for item in session.of_kind(MemoryOperation)[0].items] == ["User prefers email"]
        assert len(session.of_kind(Called)) == 1
        assert session.usage.input_tokens == 50
    _, _, tally = read("langfuse/session_v3.constructed.json")
    assert any("without observations" in note for note in tally.notes)
    _, (thread,), _ = read("langgraph/state_history.json")
    assert (thread.id, thread.user, len(texts(thread)), len(thread.of_kind(Called))) == ("thread-1", "user-1", 2, 1)
    _, (store,), tally = read("langgraph/store_items.json")
    assert (store.of_kind(MemoryOperation)[0].text, tally.memory_writes) == ("User prefers email", 1)
    _, (saved,), tally = read("langgraph/checkpoints.sqlite")
    assert (texts(saved), saved.user, saved.started) == (texts(thread), "user-1", thread.started)
    assert saved.usage == thread.usage
    assert thread.usage.input_tokens == 50
    assert ([call.result for call in saved.of_kind(Called)], tally.broken) == (
        ["Order 4021: shipped, total $1,234.50"], 0,
    )  # fmt: skip


def test_spans(read):
    for name, user in (("otel_genai", ""), ("openinference", "user-1")):
        _, (session,), tally = read(f"{name}/otlp_spans.json")
        assert (session.id, session.user) == ("session-1", user)
        assert texts(session)[1:] == ["Where is my order #4021?", "Your order 4021 has shipped."]
        assert [call.args for call in session.of_kind(Called)] == [{"order_id": "4021"}]
        assert (session.usage.input_tokens, tally.turns["user"]) == (100, 1)


def test_sharegpt(read):
    _, (dummy,), _ = read("sharegpt/dummy_conversation.json")
    assert (dummy.id, len(texts(dummy))) == ("identity_0", 4)
    _, (tools,), _ = read("sharegpt/tools_variant.constructed.jsonl")
    assert [(call.name, call.result) for call in tools.of_kind(Called)] == [("lookup_order", "shipped")]


def test_letta_also_the_real_one_that_is_encoded_twice(read):
    name, (twice,), _ = read("letta_af/double_encoded_real.af")
    assert (name, twice.id) == ("letta", "outreach_workflow_agent")
    _, (loop,), _ = read("letta_af/loop_trimmed.af")
    assert texts(loop, "agent") == ["I'm Loop. I remember. What's on your mind?"]
    _, (memgpt,), tally = read("letta_af/memgpt_trimmed.af")
    assert [operation.text for operation in memgpt.of_kind(MemoryOperation)] == ["human", "persona"]
    assert tally.memory_reads == 2


def test_locomo_tau_inspect_and_promptfoo(read):
    _, (talk,), tally = read("locomo/locomo10_shape.constructed.json")
    assert (talk.started.text, tally.aside["questions of the benchmark"]) == ("2023-05-08T13:56:00", 3)
    _, (run,), _ = read("tau_bench/trajectory_trimmed.json")
    assert (run.user, len(texts(run, "user")), len(run.of_kind(Called))) == ("sophia_taylor_9065", 5, 1)
    _, (simulation,), _ = read("tau_bench/tau2_results.constructed.json")
    assert simulation.of_kind(Called)[0].result == '{"user_id": "u_1"}'
    _, voice, tally = read("tau_bench/tau2_simulation_voice_trimmed.json")
    assert (voice, tally.aside["ticks"]) == ([], 1)
    _, (inspected,), _ = read("inspect_ai/sample.json")
    assert (inspected.id, inspected.user) == ("s1-epoch-1", "user-1")
    _, (archived,), _ = read("inspect_ai/sample.eval")
    assert (archived.id, texts(archived), archived.usage) == (inspected.id, texts(inspected), inspected.usage)
    _, results, tally = read("promptfoo/output_gotchas.json")
    assert (len(results), tally.aside["failed answers"]) == (18, 3)
    assert [len(read(f"promptfoo/{name}.json")[1]) for name in ("output", "output_csv", "output_zero_tests")] == [
        2,
        5,
        0,
    ]


def test_a_table_and_what_is_no_log(read):
    _, rows, _ = read("promptfoo/tests.csv")
    assert [texts(row)[0] for row in rows] == ["It costs 150", "a, b", 'say ""hi""', "x", "0123"]
    with pytest.raises(UsageError, match="import longmemeval"):
        read("longmemeval/mini.constructed.json")
    with pytest.raises(UsageError, match="no known log format"):
        read("tau_bench/tau2_tasks_sample.json")


def test_nothing_that_a_program_put_in_is_taken_for_the_user(read):
    _, sessions, _ = read("claude_code/compaction_branch_sidechain.constructed.jsonl",
                          "claude_code/edge_cases.jsonl")  # fmt: skip
    said = [entry for session in sessions for entry in session.entries if isinstance(entry, Said)]
    assert {entry.kind for entry in said} == {"said", "command"}
    assert not any(entry.text.startswith(("<", "Caveat")) for entry in said if entry.kind == "said")
