"""Every sample of the formats: its sessions in order, who spoke, tools, memory operations, folds, first and last time.

`u`, `a` and `s` are what user, agent and system said; a capital is text that nobody said to anybody (context, commands,
thoughts, what is said between steps). `-` is a time that the log does not tell; without `Z` no zone is told.
"""

from __future__ import annotations

import pytest

from foldproof.cases import import_benchmark, load_set
from foldproof.core import Redactor
from foldproof.logs import Called, Fold, MemoryOperation, Said, read_logs

pytestmark = pytest.mark.data

ORDER = (["lookup_order"], "r")
SAMPLES = {
    "chatgpt_export/conversations.constructed.json": [
        ("conv-1", "Uuaua", ["bio", "python"], "rw", "", "2025-12-31T23:59:59Z", "2026-01-01T00:00:23Z")],
    "claude_code/compaction_branch_sidechain.constructed.jsonl": [
        ("11111111-1111-4111-8111-111111111111", "uaauU", ["Bash"], "", "boundary summary",
         "2026-01-05T10:00:00Z", "2026-01-05T11:00:11Z")],
    "claude_code/contaminated_summaries.jsonl": [
        ("10cd5911-8704-4996-9e33-32010589c357", "uaa", ["WebSearch"] * 2, "", "",
         "2025-10-28T11:18:37.185000Z", "2025-10-28T11:19:01.996000Z")],
    "claude_code/edge_cases.jsonl": [
        ("edge_cases", "uauUUUauu", ["FailingTool", "MultiEdit"], "", "",
         "2025-06-14T11:00:00Z", "2025-06-14T11:03:30Z"),
        ("todowrite_session", "", ["TodoWrite"], "", "", "2025-06-14T10:02:00Z", "2025-06-14T10:02:00Z")],
    "claude_code/representative_messages.jsonl": [
        ("test_session", "uauauau", ["Edit", "Bash"], "", "", "2025-06-14T10:00:00Z", "2025-06-14T10:04:00Z")],
    "claude_code/session_b.jsonl": [
        ("session_b", "uau", [], "", "", "2025-06-14T12:00:00Z", "2025-06-14T12:01:00Z")],
    "claude_code/todowrite_examples.jsonl": [
        ("todowrite_session", "uaaua", ["TodoWrite"] * 3, "", "", "2025-06-14T10:00:00Z", "2025-06-14T10:04:00Z")],
    "claude_code/tool_records_v2.jsonl": [
        ("2d984148", "U", ["Edit"], "", "", "2025-10-26T10:38:08.687000Z", "2025-10-26T10:48:55.084000Z"),
        ("10cd5911", "a", ["Read"], "", "", "2025-10-28T11:18:39.657000Z", "2025-10-28T11:19:24.526000Z"),
        ("cfa1e878", "", ["mcp__happy__change_title", "TodoWrite", "Bash"], "", "",
         "2025-10-21T03:21:29.990000Z", "2025-10-21T03:22:08.954000Z"),
        ("06381696", "", ["AskUserQuestion"], "", "", "2025-10-30T12:06:26.401000Z", None),
        ("bb32e6fc", "aa", ["Read"], "", "", "2025-11-29T13:01:38.206000Z", "2025-11-29T13:01:51.850000Z")],
    "codex_rollout/exec_json_stream_1.jsonl": [("019a2d7a-41c4-78b1-b", "Aa", [], "", "", "-", "-")],
    "codex_rollout/exec_json_stream_4.jsonl": [
        ("019a2d7b-231d-7290-a", "AAa", ["command_execution"], "", "", "-", "-")],
    "codex_rollout/rollout_v0.104_compacted.constructed.jsonl": [
        ("019c0000-0000-7000-8", "SUuAU", ["exec_command"] * 2, "", "compacted",
         "2026-02-23T11:40:29.277000Z", "2026-02-23T11:41:10Z")],
    "codex_rollout/rollout_v0.40_2025-09.jsonl": [
        ("01997ea4-a70d-7da3-8", "UuAAaua", ["shell"] * 3, "", "",
         "2025-09-25T02:12:23.966000Z", "2025-09-25T02:16:32.851000Z")],
    "inspect_ai/sample.json": [("s1-epoch-1", "suaa", ["lookup_order"], "", "", "2026-11-30T09:31:44.482203Z", None)],
    "inspect_ai/sample.eval": [("s1-epoch-1", "suaa", ["lookup_order"], "", "", "2026-11-30T09:31:45.403264Z", None)],
    "langfuse/observations_v2.constructed.jsonl": [
        ("session-1", "ua", *ORDER, "", "2026-01-01T00:00:00.100000Z", "2026-01-01T00:00:00.500000Z")],
    "langfuse/trace_v3.constructed.json": [
        ("session-1", "ua", *ORDER, "", "2026-01-01T00:00:00.100000Z", "2026-01-01T00:00:00.500000Z")],
    "langfuse/session_v3.constructed.json": [("session-1", "ua", [], "", "", "2026-01-01T00:00:00Z", None)],
    "langgraph/checkpoints.sqlite": [
        ("thread-1", "ua", ["lookup_order"], "", "", "2026-11-30T09:34:01.826442Z", "2026-11-30T09:34:01.840418Z")],
    "langgraph/state_history.json": [
        ("thread-1", "ua", ["lookup_order"], "", "", "2026-11-30T09:34:01.826442Z", "2026-11-30T09:34:01.840418Z")],
    "langgraph/store_items.json": [
        ("store memories/user-1", "", [], "w", "", "2026-01-01T09:34:01.873909Z", None)],
    "langsmith/ingest_post_runs.json": [
        ("session-1", "ua", *ORDER, "", "2026-11-30T09:34:20.537724Z", "2026-11-30T09:34:20.542338Z")],
    "langsmith/runs_export.constructed.jsonl": [
        ("session-1", "ua", *ORDER, "", "2026-11-30T09:34:20.537724Z", "2026-11-30T09:34:20.542338Z")],
    "letta_af/double_encoded_real.af": [
        ("outreach_workflow_agent", "s", [], "", "", "2025-11-21T03:09:21.194471Z", None)],
    "letta_af/loop_trimmed.af": [
        ("Loop", "sa", [], "rrr", "", "2026-01-22T02:06:34.048456Z", "2026-01-22T02:06:34.048739Z")],
    "letta_af/memgpt_trimmed.af": [("memgpt_agent", "s", [], "rr", "", "2025-10-31T22:56:56.459100Z", None)],
    "locomo/locomo10_shape.constructed.json": [("conv-X-1", "ua", [], "", "", "2023-05-08T13:56:00", None)],
    "openai_chat/batch_output.constructed.jsonl": [
        ("case-1", "", ["lookup_order"], "", "", "2026-01-01T00:00:00Z", None)],
    "openai_chat/chat_completions_pairs.constructed.jsonl": [
        ("session-1", "su", ["lookup_order"], "", "", "2026-01-01T00:00:00Z", None)],
    "openai_chat/fine_tuning_tools.constructed.jsonl": [
        ("fine_tuning_tools.constructed:1", "sua", ["lookup_order"], "", "", "-", "-")],
    "openai_chat/fine_tuning_toy.jsonl": [
        (f"fine_tuning_toy:{line}", roles, [], "", "", "-", "-") for line, roles in enumerate(("sua", "ua", "sa"), 1)],
    "openai_chat/responses_api.constructed.json": [
        ("conv_1", "sua", ["lookup_order"], "", "", "2026-01-01T00:00:00Z", None)],
    "openinference/otlp_spans.json": [
        ("session-1", "sua", ["lookup_order"], "", "", "2026-11-30T09:32:28.923378Z", "2026-11-30T09:32:28.942116Z")],
    "otel_genai/otlp_spans.json": [
        ("session-1", "sua", ["lookup_order"], "", "", "2026-11-30T09:34:51.135222Z", "2026-11-30T09:34:51.183478Z")],
    "sharegpt/dummy_conversation.json": [("identity_0", "uaua", [], "", "", "-", "-")],
    "sharegpt/tools_variant.constructed.jsonl": [("x1", "sua", ["lookup_order"], "", "", "-", "-")],
    "tau_bench/tau2_results.constructed.json": [
        ("sim-1", "au", ["get_user_details"], "", "", "2026-01-01T00:00:00", None)],
    "tau_bench/trajectory_trimmed.json": [
        ("35-trial-0", "suauauauau", ["get_reservation_details"], "", "", "-", "-")],
}  # fmt: skip
"""A last time of None is the first one: only one time is told."""


def role_of(said):
    letter = said.role[0]
    return letter if said.kind == "said" else letter.upper()


def row_of(session):
    times = [at.text for entry in session.entries if (at := getattr(entry, "at", None)) is not None]
    return (
        session.id,
        "".join(role_of(entry) for entry in session.entries if isinstance(entry, Said)),
        [call.name for call in session.of_kind(Called)],
        "".join(operation.kind[0] for operation in session.of_kind(MemoryOperation)),
        " ".join(fold.kind for fold in session.of_kind(Fold)),
        times[0] if times else "-",
        times[-1] if times else "-",
    )


@pytest.fixture
def formats(shared_data):
    folder = shared_data / "formats"
    if not folder.is_dir():
        pytest.skip("the samples of log formats are not there")
    return folder


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_has_the_right_sessions_speakers_tools_memory_and_times(formats, name):
    found = [row_of(session) for session in read_logs([formats / name], redactor=Redactor({})).sessions]
    expected = [(*row[:-1], row[-1] or row[-2]) for row in SAMPLES[name]]
    assert [(row[0][: len(wanted[0])], *row[1:]) for row, wanted in zip(found, expected, strict=True)] == expected


def test_no_format_is_left_out(formats):
    known = {name.partition("/")[0] for name in SAMPLES} | {"longmemeval", "promptfoo"}
    assert known == {folder.name for folder in formats.iterdir()}


def test_the_talk_of_promptfoo_has_the_time_of_the_run(formats):
    for name, at in (("output", "2026-11-30T09:31:21.022000Z"), ("output_csv", "2026-11-30T09:38:03.431000Z")):
        sessions = list(read_logs([formats / "promptfoo" / f"{name}.json"], redactor=Redactor({})).sessions)
        assert all(row_of(session)[1:] == ("ua", [], "", "", at, at) for session in sessions)


def test_the_two_benchmarks_come_with_sessions_questions_and_times(formats, tmp_path):
    update = import_benchmark("longmemeval", formats / "longmemeval" / "mini.constructed.json", folder=tmp_path / "l")
    found = load_set(update.replay_set)
    assert [(case.id, case.at, case.abstain, len(case.source)) for case in found.cases] == [
        ("ku1", "2023-05-30T21:56", False, 1), ("q2_abs", "2023-05-30T22:00", True, 0),
    ]  # fmt: skip
    assert [session.at for session in found.histories["ku1"].sessions] == [
        "2023-04-01T09:00", "2023-05-20T02:21", "2023-05-21T10:00",
    ]  # fmt: skip
    talk = import_benchmark("locomo", formats / "locomo" / "locomo10_shape.constructed.json", folder=tmp_path / "t")
    made = load_set(talk.replay_set)
    assert [(case.tags, case.abstain, [fact.label for fact in case.expected]) for case in made.cases] == [
        (("temporal",), False, ["date: 2023-05-07"]), (("single-hop",), False, ["any: 1 | one"]),
        (("adversarial",), True, []),
    ]  # fmt: skip
    assert [session.at for session in made.histories["conv-X"].sessions] == ["2023-05-08T13:56"]
