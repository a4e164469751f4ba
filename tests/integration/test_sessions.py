"""Cases with sessions through the command line: agents that write, use, forget and leak."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldproof.testing import ModelRequest, ScriptedModel, write_project

AGENTS = """
from foldproof import MemoryItem, Reply, ToolCall

class Keeper:
    writes, leaks, forgets, lists, shows, uses, breaks = True, False, False, True, True, True, ""

    def __init__(self, memory_config):
        self.off = memory_config.get("kind") == "none"
        self.items = []
        self.said = []

    def ingest(self, history):
        self.items += [MemoryItem(turn.text) for session in history.sessions for turn in session.turns]

    def memories(self, user):
        if not self.lists:
            from foldproof.agents import UnsupportedError
            raise UnsupportedError("no listing")
        return list(self.items)

    def fold(self):
        if self.breaks == "fold":
            raise RuntimeError("the disk is full")
        if self.forgets:
            self.items.clear()

    def start_session(self, info):
        return Talk(self, info)

class Talk:
    def __init__(self, agent, info):
        self.agent, self.info = agent, info
        self.said = agent.said if agent.leaks else []

    def reply(self, message):
        agent = self.agent
        if agent.breaks == message.split()[0]:
            raise RuntimeError("the till is closed")
        if agent.breaks == f"empty {message.split()[0]}":
            return ""
        reads = [MemoryItem(item.text, kind=item.kind, rank=n) for n, item in enumerate(agent.items, 1)]
        self.said.append(message)
        prompt = "\\n".join([f"now: {self.info.now}", *(item.text for item in reads), *self.said])
        writes, calls = [], []
        if message.startswith("From now on"):
            text = "Noted."
            if agent.writes and not agent.off:
                writes = [MemoryItem("refund_method: store_credit", kind="preference")]
                agent.items += writes
        else:
            credit = agent.uses and "store_credit" in prompt
            calls = [ToolCall("create_refund", {"order_id": 5310, "method": "store_credit" if credit else "card"})]
            text = f"On {self.info.now}: refunded " + ("in store credit." if credit else "to your card.")
        if not agent.shows:
            return text
        return Reply(text, tool_calls=calls, memory_reads=reads, memory_writes=writes, prompt=prompt)

class NeverWrites(Keeper):
    writes = False

class NeverUses(Keeper):
    uses = False

class Leaks(Keeper):
    leaks = True

class Forgets(Keeper):
    forgets = True

class Hides(Keeper):
    shows = lists = False

class ListsOnly(Keeper):
    shows = False

class Breaks(Keeper):
    breaks = "The"

class Empty(Keeper):
    breaks = "empty The"

class Vacuous(Keeper):
    def __init__(self, memory_config):
        super().__init__({})

class FoldBreaks(Keeper):
    breaks = "fold"
"""
NAMES = (
    "Keeper",
    "NeverWrites",
    "NeverUses",
    "Leaks",
    "Forgets",
    "Hides",
    "ListsOnly",
    "Breaks",
    "Empty",
    "Vacuous",
    "FoldBreaks",
)
SAYS = "From now on, refund me in store credit, never to my card."
ASKS = "The kettle from order #5310 arrived dented. Refund it."
WROTE = {"memory_write": {"kind": "preference", "refund_method": "store_credit"}}
USES = [
    {"memory_read": "store credit"},
    {"tool_called": "create_refund(order_id=5310, method=store_credit)"},
    {"reply_mentions": "store credit"},
    {"reply_omits": "your card"},
]
SESSIONS = [
    {"at": "day 1", "turns": [{"user": SAYS, "expect": [WROTE]}], "maintain": True},
    {"at": "day 4", "turns": [{"user": ASKS, "expect": USES}]},
]
LABELS = [
    "s1.t1 memory_write: kind=preference, refund_method=store_credit",
    "s2.t1 memory_read: store credit",
    "s2.t1 tool_called: create_refund(order_id=5310, method=store_credit)",
    "s2.t1 reply_mentions: store credit",
    "s2.t1 reply_omits: your card",
]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    def write(sessions: Any = SESSIONS, configs: dict[str, Any] | None = None, **case: Any) -> Path:
        cases = [{"id": "credit", "class": "preference", "sessions": sessions, **case}]
        known = configs or {name: {"agent": f"python:keeper:{name}"} for name in NAMES}
        known.setdefault("production", next(iter(known.values())))
        write_project(tmp_path / "shop", cases=cases, configs=known)
        (tmp_path / "shop" / "keeper.py").write_text(AGENTS, "utf-8")
        monkeypatch.chdir(tmp_path / "shop")
        return tmp_path / "shop"

    return write


def facts_of(result, trial=0):
    (case,) = result.document["cases"]
    return {fact["fact"]: fact for fact in case["trials"][trial]["facts"]}


@pytest.mark.parametrize(
    ("agent", "code", "outcomes", "owners"),
    [
        ("Keeper", 0, ["held"] * 5, [None] * 5),
        ("NeverWrites", 1, ["missed"] * 5, [None, "write", "write", "write", "write"]),
        ("NeverUses", 1, ["held", "held", "missed", "missed", "missed"], [None, None, "use", "use", "use"]),
        ("Forgets", 1, ["held", "missed", "missed", "missed", "missed"], [None, "fold", "fold", "fold", None]),
        ("Leaks", 7, ["held", "error", "held", "held", "held"], [None] * 5),
        ("Hides", 7, ["error", "error", "error", "held", "held"], [None] * 5),
        ("ListsOnly", 7, ["held", "error", "error", "held", "held"], [None] * 5),
    ],
)
def test_a_run_judges_every_turn(cli, shop, agent, code, outcomes, owners):
    shop()
    result = cli("run", agent, "--json")
    facts = facts_of(result)
    assert list(facts) == LABELS
    assert [fact["outcome"] for fact in facts.values()] == outcomes
    assert result.code == code
    found = [fact["owner"] for fact in facts.values()]
    assert found[:4] == owners[:4]


def test_a_context_that_is_not_fresh_is_noted_and_no_pass(cli, shop):
    shop()
    result = cli("run", "Leaks", "--json")
    assert facts_of(result)[LABELS[1]]["reason"] == "the context was not fresh: session 2 saw what was said before it"
    (trial,) = cli("explain", "Leaks", "credit", "--json").document["trials"]
    assert "session 2 saw session 1's conversation" in trial["notes"]
    assert [turn["fresh"] for turn in trial["turns"]] == [None, False]
    cli("run", "Keeper", "--json")
    (trial, *_) = cli("explain", "Keeper", "credit", "--json").document["trials"]
    assert [turn["fresh"] for turn in trial["turns"]] == [None, True]
    assert not any("session" in note for note in trial["notes"])


def test_where_no_prompt_is_seen_freshness_is_said_not_to_be_shown(cli, shop):
    shop()
    cli("run", "ListsOnly", "--json")
    (trial, *_) = cli("explain", "ListsOnly", "credit", "--json").document["trials"]
    assert "it was not shown that session 2 began with a fresh context" in trial["notes"]


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("Breaks", "agent: session 2, turn 1: the agent raised RuntimeError: the till is closed"),
        ("Empty", "empty: session 2, turn 1: the agent answered with an empty text"),
        ("FoldBreaks", "memory: after session 1: the agent raised RuntimeError: the disk is full"),
    ],
)
def test_an_error_names_its_session_and_turn(cli, shop, agent, said):
    shop()
    result = cli("run", agent, "--json")
    assert result.code == 7
    assert result.document["cases"][0]["trials"][0]["error"].partition(" (")[0] == said
    assert {fact["outcome"] for fact in facts_of(result).values()} == {"error"}


@pytest.mark.parametrize(
    ("expect", "agent", "code"),
    [
        ({"store_has": "store credit"}, "Keeper", 0),
        ({"store_has": "store credit"}, "NeverWrites", 1),
        ({"store_has": "store credit"}, "Forgets", 1),
        ({"store_has": "store credit"}, "Hides", 7),
        ({"store_lacks": "store credit"}, "Keeper", 1),
        ({"store_lacks": "store credit"}, "NeverWrites", 0),
        ({"store_lacks": "store credit"}, "Forgets", 0),
        ({"store_lacks": "store credit"}, "Hides", 7),
        ({"memory_write": "store credit"}, "Keeper", 0),
        ({"memory_write": "store credit"}, "NeverWrites", 1),
        ({"memory_write": "store credit"}, "Forgets", 0),
        ({"memory_write": "store credit"}, "ListsOnly", 0),
        ({"memory_write": "store credit"}, "Hides", 7),
        ({"memory_write": {"kind": "episode", "refund_method": "store_credit"}}, "Keeper", 1),
    ],
)
def test_the_store_is_looked_at_after_the_session(cli, shop, expect, agent, code):
    first = {**SESSIONS[0], "turns": [{"user": SAYS, "expect": [expect]}]}
    shop([first, {"turns": [{"user": ASKS, "expect": [{"reply_mentions": "refunded"}]}]}])
    assert cli("run", agent, "--json").code == code


def test_facts_of_the_case_are_about_the_last_reply(cli, shop):
    shop([{"turns": [{"user": SAYS}]}, {"at": "day 4", "turns": [{"user": ASKS}]}], expected_facts=["day 4"])
    assert cli("run", "Keeper", "--json").code == 0
    shop([{"turns": [{"user": ASKS}]}, {"turns": [{"user": SAYS}]}], expected_facts=["refunded"])
    assert cli("run", "Keeper", "--json").code == 1


def test_a_check_blocks_what_the_sessions_lose(cli, shop):
    folder = shop()
    assert cli("run", "production").code == 0
    assert cli("baseline", "accept", "--yes").code == 0
    assert cli("check", "Keeper").code == 0
    assert cli("check", "Forgets").code == 1
    page = folder / "report.md"
    assert cli("check", "Forgets", "--markdown", page).code == 1
    assert "s2.t1 reply_mentions" in page.read_text("utf-8")
    assert cli("rescore", "latest").code == 1


def test_the_unplugged_control_cuts_the_memory_off(cli, shop):
    shop()
    assert "pass. 0 of 1 case pass with the memory cut off; none should" in cli("run", "Keeper", "--unplugged").out
    asked = cli("run", "Vacuous", "--unplugged")
    assert asked.code == 7
    assert "1 of 1 case" in asked.out
    result = cli("run", "Keeper", "--control", "oracle")
    assert result.code == 5
    assert "it has sessions, and no one question" in result.err


def test_explain_shows_the_turns_in_order(cli, shop):
    folder = shop()
    cli("run", "Keeper")
    told = cli("explain", "Keeper", "credit").out
    assert told.index("s1.t1   day 1") < told.index("s2.t1   day 4")
    assert "wrote: 1 item: refund_method: store_credit" in told
    cli("explain", "Keeper", "credit", "--markdown", folder / "page.md")
    page = (folder / "page.md").read_text("utf-8")
    assert page.index("#### s1.t1, day 1") < page.index("#### s2.t1, day 4")


PROGRAM = """
import json, sys

items, said = [], []
for line in sys.stdin:
    step = json.loads(line)
    answer = {}
    if step["do"] == "start":
        said = said if LEAKS else []
        now = step["now"]
    elif step["do"] == "fold":
        answer = {"unsupported": True}
    elif step["do"] == "memories":
        answer = {"items": [{"text": item} for item in items]}
    elif step["do"] == "reply":
        text = step["text"]
        reads = list(items)
        said.append(text)
        prompt = "\\n".join([now, *items, *said])
        if text.startswith("From now on"):
            items.append("preference: store credit")
            answer = {"text": "Noted."}
        else:
            answer = {"text": "In store credit." if "store credit" in prompt else "To your card."}
        answer |= {"prompt": prompt, "memory_reads": [{"text": item} for item in reads]}
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.parametrize(("leaks", "code"), [("False", 0), ("True", 7)])
def test_a_program_is_sent_a_start_for_each_session(cli, shop, leaks, code):
    expect = [{"memory_read": "store credit"}, {"reply_mentions": "store credit"}]
    sessions = [
        {"at": "day 1", "turns": [{"user": SAYS, "expect": [{"memory_write": "store credit"}]}], "maintain": True},
        {"at": "day 4", "turns": [{"user": ASKS, "expect": expect}, {"user": "Thanks a lot for your help."}]},
    ]
    folder = shop(sessions, {"program": {"agent": {"command": [sys.executable, "agent.py"]}}})
    (folder / "agent.py").write_text(PROGRAM.replace("LEAKS", leaks), "utf-8")
    result = cli("run", "program", "--json")
    assert result.code == code
    (trial, *_) = cli("explain", "program", "credit", "--json").document["trials"]
    assert [turn["name"] for turn in trial["turns"]] == ["s1.t1", "s2.t1", "s2.t2"]
    assert "the agent does not fold on request: no maintenance after session 1" in trial["notes"]


@pytest.mark.parametrize(("memory", "code"), [("verbatim", 0), ("full", 0), ("window", 0), ("none", 1), ("paging", 0)])
@pytest.mark.parametrize("wire", ["on", "off"])
def test_the_memory_of_a_chat_takes_in_each_session(cli, shop, memory, code, wire):
    def says(request: ModelRequest) -> str:
        if "kettle" not in request.prompt:
            return "Noted."
        return "In store credit." if "store credit" in request.prompt else "To your card."

    expect = [{"memory_read": "store credit"}, {"reply_mentions": "store credit"}]
    sessions = [
        {"at": "day 1", "turns": [{"user": SAYS, "expect": [{"memory_write": "store credit"}]}]},
        {"at": "day 4", "turns": [{"user": "Refund my dented kettle.", "expect": expect}]},
    ]
    with ScriptedModel(says) as server:
        model = {"base_url": server.url, "name": "scripted"}
        config = {"agent": "chat", "model": model, "memory": {"kind": memory}, "wire": wire}
        shop(sessions, {"talker": config})
        assert cli("run", "talker", "--json").code == code
        (trial, *_) = cli("explain", "talker", "credit", "--json").document["trials"]
    assert trial["turns"][1]["fresh"] is True
    assert not any("takes in nothing" in note for note in trial["notes"])


def test_a_recall_agent_takes_in_what_the_user_said(cli, shop):
    sessions = [
        {"at": "day 1", "turns": [{"user": SAYS}]},
        {"at": "day 4", "turns": [{"user": "refund", "expect": [{"reply_mentions": "store credit"}]}]},
    ]
    shop(sessions, {"r": {"agent": "recall"}, "n": {"agent": "recall", "memory": {"kind": "none"}}})
    assert cli("run", "r", "--json").code == 0
    assert cli("run", "n", "--json").code == 1
