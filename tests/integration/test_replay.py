"""Cases with a frozen prefix through the command line: run, explained, lived through, and cut out of sessions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from foldproof.logs import ToolCall
from foldproof.testing import ModelRequest, ScriptedModel, write_project

PREFIX = [
    {"user": "I want to return the blender from order #4022."},
    {"agent": "Let me look.", "calls": [{"call": "list_orders", "result": [{"order_id": 4022, "item": "blender"}]}]},
    {"agent": "I can help. Was the item damaged, or is this a change of mind?"},
    {"user": "It arrived cracked. Also I'm traveling, contact me by email only."},
    {"agent": "Understood: damaged item, and we'll use email."},
]
CASE = {
    "id": "replay-1188",
    "class": "episodic",
    "frozen": PREFIX,
    "user": "So what do I do now?",
    "expect": [
        {"tool_called": "check_eligibility(order_id=4022)"},
        {"no_tool_called": "schedule_callback"},
        {"reply_mentions": "email"},
    ],
    "cut_from": {"session": "58f2", "turn": 6},
}
Shop = Callable[..., Path]


def agent_of(name: str) -> Callable[[ModelRequest], Any]:
    """A model by what its agent is known for; it looks up before it speaks."""

    def rule(request: ModelRequest) -> Any:
        done = bool(request.messages) and request.messages[-1].role == "tool"
        texts = " ".join(message.text for message in request.messages)
        if "what do I do now" not in request.question:
            return "Noted." if done or name == "good" else "Which order?"
        if name == "apologises":
            return "I am so sorry about that! We will be in touch by email."
        if name == "calls back" and not done:
            return ToolCall("schedule_callback", {"when": "today"})
        if name in {"good", "stays"} and not done:
            number = 4022 if "4022" in texts else 4021
            return ToolCall("check_eligibility", {"order_id": number})
        return "It can be refunded; we write you an email." if "email" in texts else "We will call you."

    return rule


def stays_on_the_path(request: ModelRequest) -> Any:
    """Does what the frozen agent did, on the same messages."""
    if request.messages[-1].role != "tool" and "return the blender" in request.question:
        return ToolCall("list_orders", {})
    return agent_of("good")(request)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    """A project with the case, and a `chat` agent on a shop for each rule that is given."""
    servers: list[ScriptedModel] = []

    def write(cases: list[dict[str, Any]] | None = None, **rules: Callable[[ModelRequest], Any]) -> Path:
        configs: dict[str, Any] = {}
        for name, rule in rules.items():
            server = ScriptedModel(rule)
            server.__enter__()
            servers.append(server)
            model = {"base_url": server.url, "name": "scripted", "temperature": 0}
            configs[name] = {
                "agent": {"chat": {"world": "shop"}},
                "model": model,
                "memory": {"kind": "full"},
                "wire": True,
            }
        configs["functional"] = {"agent": "python:agents:function"}
        configs["remembered"] = {"agent": "recall"}
        write_project(tmp_path, cases=cases or [CASE], configs=configs, baseline=next(iter(rules), "functional"))
        (tmp_path / "agents.py").write_text(
            "def function(question, memory_config):\n    return 'never asked'\n", "utf-8"
        )
        monkeypatch.chdir(tmp_path)
        return tmp_path

    yield write
    for server in servers:
        assert server.refused == []
        server.__exit__(None, None, None)


@pytest.mark.parametrize(
    ("name", "code", "reason"),
    [
        ("good", 0, ""),
        ("apologises", 1, "no call was made"),
        ("calls back", 1, "called: schedule_callback"),
    ],
)
def test_the_case_of_the_design_on_a_chat_agent(cli: Any, shop: Shop, name: str, code: int, reason: str) -> None:
    shop(agent=agent_of(name))
    ran = cli("run", "agent", "--json")
    assert ran.code == code, ran.out
    explained = cli("explain", "agent", "replay-1188")
    assert reason in explained.out
    assert "frozen before the question:" in explained.out
    assert "user: I want to return the blender from order #4022." in explained.out
    assert 'called: list_orders {} -> [{"order_id": 4022, "item": "blender"}]' in explained.out
    document = cli("explain", "agent", "replay-1188", "--json", "--markdown", "e.md").document
    assert [turn["speaker"] for turn in document["frozen"]] == ["user", "agent", "agent", "user", "agent"]
    assert document["frozen"][1]["calls"] == [
        {"name": "list_orders", "args": {}, "result": [{"order_id": 4022, "item": "blender"}]}
    ]
    assert "were not made in the world" in str(document["trials"][0]["notes"])
    assert "frozen before the question" in Path("e.md").read_text("utf-8")


def test_an_agent_that_cannot_keep_a_prefix_is_never_asked_without_it(cli: Any, shop: Shop) -> None:
    shop()
    ran = cli("run", "functional", "--json")
    assert ran.code == 7
    [trial, *_] = cli("explain", "functional", "replay-1188", "--json").document["trials"]
    assert "the frozen turns cannot be handed to the agent: the agent is a function" in trial["score"]["error"]
    assert "write the user's turns as `sessions`" in trial["score"]["error"]
    assert trial["score"]["answer"] == ""


def test_recall_answers_with_what_the_memory_gives(cli: Any, shop: Shop) -> None:
    shop()
    assert cli("run", "remembered", "--json").code == 1
    [trial, *_] = cli("explain", "remembered", "replay-1188", "--json").document["trials"]
    assert trial["score"]["answer"] == "I have no memory of this."


def test_the_unplugged_control_asks_the_bare_question(cli: Any, shop: Shop) -> None:
    shop(agent=agent_of("good"))
    assert cli("run", "agent", "--unplugged", "--json").code == 0
    document = cli("explain", "1", "replay-1188", "--json").document
    assert document["frozen"] == []
    assert document["trials"][0]["score"]["outcome"] == "fail"
    vacuous = {**CASE, "expect": [{"reply_mentions": "call you"}]}
    shop([vacuous], agent=agent_of("apologises and calls"))
    assert cli("run", "agent", "--unplugged", "--json").code == 7


def test_where_it_leaves_the_frozen_path_replay_misleads(cli: Any, shop: Shop) -> None:
    shop(before=stays_on_the_path, stays=stays_on_the_path, asks=agent_of("asks"))
    assert cli("run", "before", "--json").code == 0
    assert cli("baseline", "accept", "--yes").code == 0
    stayed = cli("check", "stays", "--controls", "--json").document["controls"]
    assert [row["finding"] for row in stayed["findings"] if row["control"] == "live"] == []
    assert "live" in [run["control"] for run in stayed["runs"]]
    left = cli("check", "asks", "--controls")
    assert "replay misleads: on the same messages of the user these leave the path" in left.out
    assert "from turn 1 on" in " ".join(left.out.split())
    assert "asks back where list_orders was called" in " ".join(left.out.split())
    assert "let a simulated user answer" in " ".join(left.out.split())


def test_the_live_control_alone(cli: Any, shop: Shop) -> None:
    plain = {"id": "plain", "question": "q", "expected_facts": ["x"]}
    shop([CASE, plain], stays=stays_on_the_path, asks=agent_of("asks"))
    stayed = cli("run", "stays", "--control", "live")
    assert stayed.code == 0, stayed.out
    assert "1 of 1 case pass with the user's messages said anew" in " ".join(stayed.out.split())
    assert "no live control for plain: it has no frozen turns" in " ".join(stayed.out.split())
    left = cli("run", "asks", "--control", "live", "--json")
    assert left.code == 7
    assert any("replay misleads from turn 1 on" in note for note in left.document["notes"])
    document = cli("explain", "1", "replay-1188", "--json").document
    assert [turn["user"][:6] for turn in document["trials"][0]["turns"]] == ["I want", "It arr", "So wha"]


def test_recall_leaves_no_path(cli: Any, shop: Shop) -> None:
    shop(before=agent_of("good"))
    cli("run", "before", "--json")
    cli("baseline", "accept", "--yes")
    notes = cli("check", "remembered", "--controls", "--json").document["controls"]["notes"]
    assert "the live control was not run: `recall` decides nothing, so it can leave no path" in notes


LOG = [
    {"role": "user", "content": "I want to return the blender from order #4022."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "list_orders", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "[4022]"},
    {"role": "assistant", "content": "Was it damaged?"},
    {"role": "user", "content": "It was. Write me an email."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c2",
                "type": "function",
                "function": {"name": "check_eligibility", "arguments": '{"order_id": 4022}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c2", "content": '{"eligible": true}'},
    {"role": "assistant", "content": "It can be refunded; I write you an email."},
]


def log_of(folder: Path, *sessions: list[dict[str, Any]]) -> Path:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps({"messages": messages}) + "\n" for messages in sessions), "utf-8")
    return path


def test_a_case_is_cut_out_of_a_log_and_runs(cli: Any, shop: Shop) -> None:
    folder = shop([{"id": "other", "question": "q", "expected_facts": ["x"]}], agent=agent_of("good"))
    log_of(folder, LOG)
    listed = cli("sessions", "cut", "log.jsonl")
    assert listed.code == 0
    assert "personal data is left as it is" in listed.out
    assert "the user speaks in 2 turns, and a case can be cut at 1 of them" in " ".join(listed.out.split())
    points = cli("sessions", "cut", "log.jsonl", "--json").document["points"]
    assert [(point["turn"], bool(point["fault"])) for point in points] == [(1, True), (3, False)]
    printed = cli("sessions", "cut", "log.jsonl", "--turn", "3", "--session", "log:1", "--format", "openai")
    assert printed.out.startswith("# cut from log.jsonl (")
    (folder / "alone.yaml").write_text(printed.out, "utf-8")
    assert cli("lint", "--set", "alone.yaml").code == 0
    added = cli("sessions", "cut", "log.jsonl", "--turn", "3", "--to", "replay.json")
    assert added.code == 0
    assert "added case 'replay-log-1-3' to replay.json" in added.out
    again = cli("sessions", "cut", "log.jsonl", "--turn", "3", "--to", "replay.json")
    assert (again.code, "case 'replay-log-1-3' is cut from this turn already" in again.err) == (4, True)
    other = [*LOG[:4], {"role": "user", "content": "Where is it?"}, *LOG[5:]]
    log_of(folder, other)
    added = cli("sessions", "cut", "log.jsonl", "--turn", "3", "--to", "replay.json", "--json").document
    assert (added["case"]["id"], added["written"]) == ("replay-log-1-3-2", "replay.json")
    begun = cli("sessions", "cut", "log.jsonl", "--turn", "3", "--to", "fresh.yaml")
    assert "began fresh.yaml with case 'replay-log-1-3'" in begun.out
    assert "is a draft: it expects what an agent did" in cli("lint").out


def test_personal_data_is_replaced_where_that_is_asked_for(cli: Any, shop: Shop) -> None:
    talk = [{**message} for message in LOG]
    talk[4]["content"] = "Write to ada@example.org."
    log_of(shop([{**CASE, "frozen": PREFIX, "user": "Write to ada@example.org."}], agent=agent_of("good")), talk)
    words = ("sessions", "cut", "log.jsonl", "--turn", "3", "--json")
    assert cli(*words).document["case"]["user"] == "Write to ada@example.org."
    replaced = cli(*words, "--personal-data", "email").document
    assert replaced["case"]["user"].startswith("Write to email-")
    assert any(note.startswith("personal data is replaced by pseudonyms") for note in replaced["notes"])
    cli("run", "agent", "--json")
    of_run = ("sessions", "cut", "--run", "latest", "--case", "replay-1188", "--turn", "6", "--json")
    assert cli(*of_run, "--personal-data", "email").document["case"]["user"] == replaced["case"]["user"]


def test_what_cannot_be_cut_is_refused(cli: Any, shop: Shop) -> None:
    folder = shop()
    log_of(folder, LOG, LOG[:4])
    for words, told in (
        (["log.jsonl", "--turn", "3"], "the log has 2 sessions: log:1, log:2"),
        (["log.jsonl", "--session", "log:3"], "no session 'log:3' in the log"),
        (["log.jsonl", "--session", "log:1", "--turn", "1"], "nothing stands before it"),
        (["log.jsonl", "--session", "log:2", "--turn", "9"], "no turn of the session can be"),
        (["log.jsonl", "--run", "latest", "--case", "x"], "a session is one of a log, or one of a run"),
        ([], "a session is one of a log, or one of a run"),
        (["--run", "latest"], "both --run RUN and --case ID"),
        (["none.jsonl"], "none.jsonl"),
    ):
        refused = cli("sessions", "cut", *words)
        assert (refused.code, told in refused.err) == (4, True), refused.err
    (folder / "empty.jsonl").write_text(json.dumps({"type": "summary", "summary": "x", "leafUuid": "y"}) + "\n")
    assert cli("sessions", "cut", "empty.jsonl", "--format", "claude-code").code == 4


SESSIONS = {
    "id": "two-days",
    "sessions": [
        {"at": "day 1", "turns": [{"user": "Hello."}]},
        {
            "at": "day 2",
            "turns": [
                {"user": "I want to return the blender from order #4022."},
                {"user": "By email. So what do I do now?", "expect": [{"reply_mentions": "email"}]},
            ],
        },
    ],
}


def test_a_case_is_cut_out_of_a_run(cli: Any, shop: Shop) -> None:
    shop([SESSIONS, CASE], agent=stays_on_the_path)
    cli("run", "agent", "--json")
    assert "has 2 sessions" in cli("sessions", "cut", "--run", "latest", "--case", "two-days").err
    assert "allowed: 1 to 2" in cli("sessions", "cut", "--run", "latest", "--case", "two-days", "--session", "3").err
    words = ("sessions", "cut", "--run", "latest", "--case")
    document = cli(*words, "two-days", "--session", "2", "--turn", "3", "--json").document
    assert any("what the memory held when the session began is no part" in note for note in document["notes"])
    cut = document["case"]
    assert cut["frozen"][1]["calls"][0]["call"] == "list_orders"
    assert "blender" in cut["frozen"][1]["calls"][0]["result"]
    assert cut["frozen"][2] == {"agent": "Noted."}
    assert cut["expect"] == [{"tool_called": "check_eligibility(order_id=4022)"}]
    assert cut["cut_from"] == {"session": "0001-two-days-s2", "turn": 3}
    document = cli(*words, "replay-1188", "--turn", "6", "--json").document
    assert not any("the memory held" in note for note in document["notes"])
    frozen = document["case"]
    assert [list(turn) for turn in frozen["frozen"]] == [["user"], ["agent", "calls"], ["agent"], ["user"], ["agent"]]
    assert frozen["user"] == "So what do I do now?"


def test_a_run_that_was_not_watched_has_calls_without_results(cli: Any, shop: Shop) -> None:
    turns = [{"user": "I want to return the blender from order #4022."}, {"user": "Well?"}]
    case = {"id": "one", "sessions": [{"turns": turns}], "expected_facts": ["noted"]}
    folder = shop([case], agent=stays_on_the_path)
    project = folder / "foldproof.yaml"
    project.write_text(
        project.read_text("utf-8").replace('"wire": true', '"wire": false').replace("wire: true", "wire: false")
    )
    cli("run", "agent", "--json")
    words = ("sessions", "cut", "--run", "latest", "--case", "one")
    refused = cli(*words, "--turn", "3")
    assert "the log has no result of the call of list_orders" in refused.err
    assert "with `wire: on` they are read" in refused.err
    assert any("with `wire: on`" in note for note in cli(*words, "--json").document["notes"])


def test_a_run_that_cannot_be_cut_is_refused(cli: Any, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shop([{"id": "plain", "question": "q", "expected_facts": ["never"]}, CASE])
    cli("run", "functional", "--json")
    words = ("sessions", "cut", "--run", "latest", "--case")
    assert "the trial ended in an error" in cli(*words, "replay-1188").err
    assert "the agent does not show its tool calls" in cli(*words, "plain").err
    assert "did you mean" in cli(*words, "plane").err
    assert cli(*words, "plain", "--session", "2").code == 4
    assert folder.exists()
