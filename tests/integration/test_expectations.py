"""Expectations through the command line, with agents that return tool calls."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from foldproof import ToolCall
from foldproof.testing import ScriptedModel, write_project

AGENTS = """
from foldproof import Reply, ToolCall

def refund(**args):
    return ToolCall("create_refund", args)

def good(question, memory_config):
    if memory_config.get("kind") == "none":
        return Reply("Refunded to your card.", tool_calls=[refund(order_id=5310, method="card")])
    calls = [ToolCall("look_up", {"order_id": 5310}), refund(method="store_credit", order_id=5310, note=None)]
    return Reply("Refunded as store credit.", tool_calls=calls)

def confused(question, memory_config):
    return Reply("Refunded as store credit.", tool_calls=[refund(order_id="5310", method="Store_Credit")])

def calling_back(question, memory_config):
    reply = good(question, {})
    return Reply(reply.text, tool_calls=[*reply.tool_calls, ToolCall("schedule_callback", {"day": "Monday"})])

def idle(question, memory_config):
    return Reply("I have refunded you as store credit.", tool_calls=())

def hiding(question, memory_config):
    return "Refunded as store credit."

def broken(question, memory_config):
    raise RuntimeError("no tools")
"""
NAMES = ("good", "confused", "calling_back", "idle", "hiding", "broken")
EXPECT = [
    {"tool_called": "create_refund(order_id=5310, method=store_credit)"},
    {"no_tool_called": "schedule_callback"},
    {"reply_mentions": "store credit"},
]


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A project of the agents above; the case has these expectations and nothing else."""

    def write(expect=EXPECT, **case):
        cases = [{"id": "refund", "class": "preference", "question": "Refund the kettle.", "expect": expect, **case}]
        configs = {name: {"agent": f"python:shop_agents:{name}"} for name in NAMES}
        configs["production"] = configs["good"]
        write_project(tmp_path / "shop", cases=cases, configs=configs)
        (tmp_path / "shop" / "shop_agents.py").write_text(AGENTS, "utf-8")
        monkeypatch.chdir(tmp_path / "shop")
        return tmp_path / "shop"

    return write


def facts_of(result):
    (case,) = result.document["cases"]
    return [(fact["kind"], fact["outcome"], fact["ok"]) for fact in case["trials"][0]["facts"]]


@pytest.mark.parametrize(
    ("agent", "code", "outcomes"),
    [
        ("good", 0, ["held", "held", "held"]),
        ("confused", 1, ["missed", "held", "held"]),
        ("calling_back", 1, ["held", "missed", "held"]),
        ("idle", 1, ["missed", "held", "held"]),
        ("hiding", 7, ["error", "error", "held"]),
        ("broken", 7, ["error", "error", "error"]),
    ],
)
def test_a_run_judges_every_expectation(cli, shop, agent, code, outcomes):
    shop()
    result = cli("run", agent, "--json")
    assert result.code == code
    assert facts_of(result) == [("expectation", outcome, outcome == "held") for outcome in outcomes]


def test_a_person_reads_in_what_the_calls_differ(cli, shop):
    shop()
    told = " ".join(cli("run", "confused").out.split())
    assert "refund / tool_called:" in told
    assert 'order_id: type (expected the number 5310, called with the text "5310")' in told
    assert 'method: case (expected the text "store_credit", called with the text "Store_Credit")' in told
    assert "no call was made" in cli("run", "idle").out
    assert "called: schedule_callback(day=Monday)" in cli("run", "calling_back").out
    assert "the agent does not show its tool calls" in " ".join(cli("run", "hiding").out.split())
    shown = cli("explain", "1", "refund").out
    assert "order_id: type" in shown


def test_a_check_blames_what_the_candidate_does_no_longer(cli, shop):
    folder = shop()
    assert cli("run", "production", "--repeat", "2").code == 0
    assert cli("baseline", "accept", "--yes").code == 0
    kept = json.loads((folder / "baselines" / "production.json").read_text("utf-8"))
    assert [call["name"] for call in kept["cases"][0]["trials"][0]["calls"]] == ["look_up", "create_refund"]
    good = cli("check", "good", "--json")
    assert (good.code, good.document["verdict"]) == (0, "pass")
    result = cli("check", "confused", "--json")
    assert (result.code, result.document["verdict"]) == (1, "blocked")
    (case,) = result.document["cases"]
    assert case["change"] == "lost"
    rows = [(fact["kind"], fact["before"], fact["after"], fact["fact"]) for fact in case["facts"]]
    assert rows[0] == (
        "expectation",
        "held",
        "missed",
        "tool_called: create_refund(order_id=5310, method=store_credit)",
    )
    assert [row[:3] for row in rows[1:]] == [("expectation", "held", "held")] * 2
    assert "kept -> lost" in cli("check", "confused").out
    hidden = cli("check", "hiding")
    assert hidden.code == 7, "what cannot be seen is never a pass and never a loss"


def test_a_case_that_passes_without_memory_is_vacuous(cli, shop):
    """Only what need not be remembered: the order stands in the question."""
    shop([{"tool_called": "create_refund(order_id=5310)"}], memory_config={"kind": "notes"})
    assert cli("run", "production", "--repeat", "2").code == 0
    refused = cli("baseline", "accept", "--yes")
    assert refused.code == 4
    assert "memory cut off" in refused.err
    shop(memory_config={"kind": "notes"})
    assert cli("run", "production", "--repeat", "2").code == 0
    assert cli("baseline", "accept", "--yes").code == 0


def test_a_stored_run_is_scored_again_with_the_expectations_of_today(cli, shop):
    shop()
    assert cli("run", "good").code == 0
    shop([*EXPECT[:1], {"tool_order": ["create_refund", "look_up"]}])
    result = cli("rescore", "1", "--json")
    assert result.code == 1
    assert facts_of(result) == [("expectation", "held", True), ("expectation", "missed", False)]


def test_an_unknown_expectation_is_refused_with_its_line(cli, shop):
    shop([{"tool_caled": "f"}, {"memory_write": {"kind": "preference"}}])
    result = cli("lint")
    assert result.code == 4
    told = " ".join((result.out + result.err).split())
    assert "has an unknown kind of expectation `tool_caled` [value] did you mean `tool_called`?" in told
    assert "has the expectation `memory_write`, which is for the turns of `sessions`" in told


def test_a_list_that_asks_for_nothing_is_warned_of(cli, shop):
    shop([{"no_tool_called": "schedule_callback"}])
    result = cli("lint")
    assert result.code == 0
    assert "an agent that does nothing passes" in " ".join(result.out.split())
    shop()
    assert "does nothing passes" not in " ".join(cli("lint").out.split())


def test_reports_for_machines_name_the_expectation(cli, shop, tmp_path):
    shop()
    cli("run", "confused", "--markdown", tmp_path / "r.md", "--junit", tmp_path / "r.xml")
    assert "order_id: type" in Path(tmp_path / "r.md").read_text("utf-8")
    assert "tool_called: create_refund(order_id=5310, method=store_credit): missed" in Path(
        tmp_path / "r.xml"
    ).read_text("utf-8")


PROGRAM = """
import json, os, sys, urllib.request

def ask(messages):
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    body = json.dumps({"model": "m", "messages": messages}).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer sk-test"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
        return json.load(answer)["choices"][0]["message"]

for line in sys.stdin:
    step = json.loads(line)
    if step["do"] == "reply":
        messages = [{"role": "user", "content": step["text"]}]
        said = ask(messages)
        if said.get("tool_calls"):
            done = {"role": "tool", "tool_call_id": said["tool_calls"][0]["id"], "content": "refunded"}
            said = ask([*messages, said, done])
        print(json.dumps({"text": said["content"]}), flush=True)
    else:
        print(json.dumps({} if step["do"] in ("open", "start", "close") else {"unsupported": True}), flush=True)
"""


@pytest.mark.parametrize(
    ("order_id", "wire", "code"),
    [(5310, "on", 0), ("5310", "on", 1), (None, "on", 1), (5310, "off", 7)],
)
def test_calls_of_an_unchanged_program_are_seen_on_the_wire(cli, tmp_path, monkeypatch, order_id, wire, code):
    def rule(request):
        if request.tool_results or order_id is None:
            return "Refunded."
        return ToolCall("create_refund", {"order_id": order_id})

    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").write_text(PROGRAM, "utf-8")
    expect = [{"tool_called": "create_refund(order_id=5310)"}, {"no_tool_called": "schedule_callback"}]
    cases = [{"id": "refund", "question": "Refund the kettle.", "expect": expect}]
    with ScriptedModel(rule) as scripted:
        monkeypatch.setenv("OPENAI_BASE_URL", scripted.environ["OPENAI_BASE_URL"])
        model = {"base_url": scripted.environ["OPENAI_BASE_URL"]}
        agent = {"agent": {"command": [sys.executable, "agent.py"]}, "model": model, "wire": wire}
        write_project(tmp_path, cases=cases, configs={"production": agent})
        result = cli("run", "production", "--json")
    assert result.code == code
    assert {"off": ["error", "error"], "on": ["held" if code == 0 else "missed", "held"]}[wire] == [
        outcome for _, outcome, _ in facts_of(result)
    ]


def test_a_lost_argument_has_an_owner(cli, tmp_path, monkeypatch):
    """The agent refunds by what its memory tells it; the candidate's memory no longer says how."""
    program = """
from foldproof import Reply, ToolCall

class Shop:
    def __init__(self, memory_config):
        self.fold = memory_config.get("fold")

    async def ingest(self, history):
        self.notes = [turn.text for session in history.sessions for turn in session.turns]

    async def memories(self, user):
        from foldproof import MemoryItem
        return [MemoryItem(note) for note in self.kept()]

    def kept(self):
        return ["The user likes tea."] if self.fold else getattr(self, "notes", [])

    async def start_session(self, info):
        return Talk(self)

class Talk:
    def __init__(self, shop):
        self.shop = shop

    async def reply(self, message):
        from foldproof import MemoryItem
        known = " ".join(self.shop.kept())
        method = "store_credit" if "store credit" in known else "card"
        reads = [MemoryItem(note) for note in self.shop.kept()]
        call = ToolCall("refund", {"method": method})
        return Reply("Done.", tool_calls=[call], memory_reads=reads, prompt=f"{known} {message}")
"""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop_by_memory.py").write_text(program, "utf-8")
    history = [{"session": "s1", "turns": [{"role": "user", "text": "Refund me in store credit."}]}]
    cases = [{"id": "refund", "question": "Refund the kettle.", "history": "h",
              "expect": [{"tool_called": "refund(method=store_credit)"}]}]  # fmt: skip
    agent = {"agent": "python:shop_by_memory:Shop"}
    configs = {"production": agent, "candidate": {**agent, "memory": {"fold": True}}}
    write_project(tmp_path, cases=cases, configs=configs, histories={"h": history})
    assert cli("run", "production").code == 0
    result = cli("run", "candidate", "--json")
    assert result.code == 1
    (fact,) = result.document["cases"][0]["trials"][0]["facts"]
    assert (fact["owner"], fact["why"]) == ("write", "'store_credit': never extracted")
    told = " ".join(cli("run", "candidate").out.split())
    assert "missed at write ('store_credit': never extracted)" in told
    assert 'method: value (expected the text "store_credit", called with the text "card")' in told
