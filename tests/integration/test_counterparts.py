"""Live counterparts through the command line: corrections, scripted rules and simulated users, with every adapter."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldproof.logs import ToolCall
from foldproof.testing import ModelFailure, ModelReply, ModelRequest, ScriptedModel, write_project
from foldproof.testing.answers import pieces_of

SHOP = """
from foldproof import Reply, ToolCall

WHICH, OF = 4021, {4021: "kettle", 4022: "blender"}


class Shop:
    first, then = [4021], [4022]

    def __init__(self, memory_config):
        self.off = memory_config.get("kind") == "none"

    def start_session(self, info):
        return Talk(self)


class Talk:
    def __init__(self, shop):
        self.shop = shop
        self.before = 0

    def reply(self, message):
        orders = [] if self.shop.off else self.shop.then if self.before else self.shop.first
        self.before += 1
        calls = [ToolCall("create_refund", {"order_id": order}) for order in orders]
        said = " and ".join(OF[order] for order in orders) or self.shop.otherwise
        return Reply(f"About the {said}.", tool_calls=calls)

Shop.otherwise = "blender: I am so sorry"


class RightAtOnce(Shop):
    first = [4022]

class Asks(Shop):
    first = then = []
    otherwise = "order: which one is it?"

class Again(Shop):
    then = [4021]

class Both(Shop):
    then = [4022, 4021]

class Sorry(Shop):
    then = []
"""
NAMES = ("Shop", "RightAtOnce", "Asks", "Again", "Both", "Sorry")
AFTER = "tool_called: create_refund(order_id=4021)"
CORRECTION = {
    "id": "correction-blender",
    "class": "episodic",
    "user": "Refund my order.",
    "correction": {"after": AFTER, "say": "No, the other one, the blender."},
    "expect": [{"tool_called": "create_refund(order_id=4022)"}, {"reply_mentions": "blender"}],
}
EXPECTED, CORRECTED = "tool_called: create_refund(order_id=4022)", f"correction after {AFTER}"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    def write(*cases: dict[str, Any], **project: Any) -> Path:
        configs = {name: {"agent": f"python:shop:{name}"} for name in NAMES} | project.pop("configs", {})
        given = [{"memory_config": {}, **case} for case in cases or (CORRECTION,)]
        write_project(tmp_path, cases=given, configs=configs, **{"baseline": "Shop", **project})
        (tmp_path / "shop.py").write_text(SHOP, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        return tmp_path

    return write


def facts_of(document):
    (case,) = document["cases"]
    return {fact["fact"]: (fact["outcome"], fact["reason"]) for fact in case["trials"][0]["facts"]}


@pytest.mark.parametrize(
    ("agent", "code", "first", "after", "fact", "reason"),
    [
        ("Shop", 0, (0, 1), (1, 1), CORRECTED, ""),
        ("RightAtOnce", 0, (1, 1), (0, 0), CORRECTED, ""),
        ("Asks", 1, (0, 1), (0, 0), CORRECTED, f"it was never corrected: '{AFTER}' did not come about"),
        ("Again", 1, (0, 1), (0, 1), CORRECTED, "the corrected call was made again: create_refund(order_id=4021)"),
        ("Both", 1, (0, 1), (0, 1), CORRECTED, "the corrected call was made again: create_refund(order_id=4021)"),
        (
            "Sorry",
            1,
            (0, 1),
            (0, 1),
            "tool_called: create_refund(order_id=4022)",
            "after the correction, no call was made",
        ),
    ],
)
def test_each_agent_passes_or_fails_with_its_reason(shop, cli, agent, code, first, after, fact, reason):
    shop()
    found = cli("run", agent, "--repeat", "1", "--json")
    assert found.code == code
    (row,) = found.document["corrections"]
    assert (row["class"], row["first_try"], row["trials"]) == ("episodic", *first)
    assert (row["after_correction"], row["corrected"]) == after
    assert facts_of(found.document)[fact] == ("missed" if code else "held", reason)


def test_both_attempts_are_explained_and_scored_again(shop, cli):
    folder = shop()
    cli("run", "Both")
    told = cli("explain", "latest", "correction-blender").out
    for words in (
        "s1.t1\n    user: Refund my order.\n    agent: About the kettle.",
        "s1.t1.a2\n    user, correcting: No, the other one, the blender.\n    agent: About the blender and kettle.",
        "the user had nothing more to say",
    ):
        assert words in told
    (trial,) = cli("explain", "latest", "correction-blender", "--json").document["trials"]
    assert [turn["speaker"] for turn in trial["turns"]] == ["case", "correction"]
    assert [len(turn["facts"]) for turn in trial["turns"]] == [0, 3]
    cli("explain", "latest", "correction-blender", "--markdown", "told.md")
    assert "- user, correcting: `No, the other one, the blender.`" in (folder / "told.md").read_text("utf-8")
    again = cli("rescore", "latest", "--json")
    assert (again.code, facts_of(again.document)[CORRECTED][0]) == (1, "missed")


def test_a_check_puts_both_rates_side_by_side(shop, cli):
    folder = shop()
    cli("run", "Shop")
    assert cli("baseline", "accept", "--yes").code == 0
    found = cli("check", "Both", "--json")
    assert found.code == 1
    (before,), (after,) = found.document["corrections_before"], found.document["corrections_after"]
    assert (before["first_try"], before["after_correction"], before["corrected"]) == (0, 1, 1)
    assert (after["first_try"], after["after_correction"], after["corrected"]) == (0, 0, 3)
    page = cli("check", "Both", "--markdown", "check.md").out
    assert "| `episodic` | 0 of 1 | 0 of 3 | 1 of 1 | 0 of 3 |" in (folder / "check.md").read_text("utf-8")
    cli("run", "Shop", "--markdown", "run.md")
    assert "### First tries and corrections (they inform)" in (folder / "run.md").read_text("utf-8")
    assert "first tries and corrections (they inform)" in page
    assert "kept -> lost at use (it had just been corrected)" in page


def test_a_case_that_needs_no_memory_is_vacuous(shop, cli):
    shop()
    assert "0 of 1 case pass with the memory cut off" in cli("run", "Shop", "--control", "unplugged").out


def test_calls_that_nobody_shows_make_no_verdict(shop, cli):
    folder = shop(configs={"hides": {"agent": "python:shop:hides"}})
    (folder / "shop.py").write_text(SHOP + "\ndef hides(question, memory_config):\n    return 'Refunded.'\n", "utf-8")
    found = cli("run", "hides")
    assert found.code == 7
    assert "it cannot be seen whether" in found.out


def test_rules_answer_the_agent(shop, cli):
    rules = [
        {"when": "reply_mentions: which one", "say": "The blender."},
        {"when": {"reply_mentions": "which one"}, "say": "The blender, please.", "times": 2},
    ]
    case = {**CORRECTION, "counterpart": rules, "expect": [{"reply_mentions": "which one"}]}
    del case["correction"]
    shop(case)
    found = cli("run", "Asks", "--json")
    assert found.document["corrections"] == []
    (trial,) = cli("explain", "latest", case["id"], "--json").document["trials"]
    assert [turn["user"] for turn in trial["turns"]][1:] == ["The blender.", *["The blender, please."] * 2]
    assert trial["turns"][-1]["close"] == "silent"


SIMULATED = {
    "id": "sim",
    "class": "episodic",
    "user": "Hello, I want a refund.",
    "simulated": {"goal": "Get the blender refunded.", "knows": ["the order is 4022"], "turns": 4},
    "expect": [{"reply_mentions": "4022 is refunded"}],
}


def plays(request: ModelRequest) -> str:
    """A user that names its order once, and is done when it has what it wants."""
    met = "is refunded" in request.question
    return json.dumps({"say": "" if met else "Order 4022, the blender.", "done": met, "goal_met": met or None})


def serves(request: ModelRequest) -> Any:
    """The agent's model: it asks for the order, and refunds it."""
    return "4022 is refunded." if "4022" in request.question else "Which order do you mean?"


COMMAND = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = {}
    if asked["do"] == "reply":
        text = "4022 is refunded." if "4022" in asked["text"] else "Which order do you mean?"
        answer = {"text": text, "tool_calls": []}
    elif asked["do"] == "memories":
        answer = {"unsupported": True}
    print(json.dumps(answer), flush=True)
"""
PYTHON = """
def refunds(question, memory_config):
    return "4022 is refunded." if "4022" in question else "Which order do you mean?"
"""


@pytest.mark.parametrize("adapter", ["python", "command", "http", "chat"])
def test_a_simulated_user_talks_to_every_adapter(shop, cli, adapter):
    with ScriptedModel(plays) as user, ScriptedModel(serves) as upstream:
        configs = {
            "python": {"agent": "python:refunds:refunds"},
            "command": {"agent": {"command": [sys.executable, "refunds_program.py"]}, "wire": False},
            "http": {"agent": {"http": upstream.url}, "model": {"name": "scripted"}},
            "chat": {"agent": "chat", "model": {"base_url": upstream.url, "name": "scripted", "temperature": 0}},
        }
        folder = shop(SIMULATED, configs=configs, simulator={"base_url": user.url, "name": "player", "temperature": 0})
        (folder / "refunds.py").write_text(PYTHON, "utf-8")
        (folder / "refunds_program.py").write_text(COMMAND, "utf-8")
        found = cli("run", adapter, "--json")
        assert found.code == 0, found.out
        assert "the simulated user is player, told by simulate/1" in found.document["notes"]
        (trial,) = cli("explain", "latest", "sim", "--json").document["trials"]
        assert [(turn["speaker"], turn["close"], turn["goal_met"]) for turn in trial["turns"]] == [
            ("case", "", None),
            ("simulated", "done", True),
        ]


def simulator(model: ScriptedModel, **more: Any) -> dict[str, Any]:
    return {"base_url": model.url, "name": "player", "temperature": 0, **more}


REFUNDS = {"refunds": {"agent": "python:refunds:refunds"}}


@pytest.fixture
def refunds(shop):
    def write(*cases, **project):
        folder = shop(*cases or (SIMULATED,), configs=REFUNDS, **project)
        (folder / "refunds.py").write_text(PYTHON, "utf-8")
        return folder

    return write


def test_what_the_simulated_user_costs_counts_and_is_limited(refunds, shop, cli):
    with ScriptedModel(plays) as user, ScriptedModel(serves) as upstream:
        refunds(simulator=simulator(user))
        told = cli("run", "refunds", "--max-cost", "1")
        assert (told.code, "the `simulator` has no price" in told.err) == (4, True)
        free = {"name": "scripted", "price": {"input": 0, "output": 0}}
        configs = {"http": {"agent": {"http": upstream.url}, "model": free}}
        shop(SIMULATED, configs=configs, simulator=simulator(user, price={"input": 1e6, "output": 0}))
        cost = cli("run", "http", "--json").document["run"]["cost_usd"]
        asked = sum(len(pieces_of(request.prompt)) for request in user.requests)
    assert cost == pytest.approx(asked, rel=0.2)


def test_without_a_simulator_nobody_is_asked(refunds, cli):
    refunds()
    told = cli("run", "refunds")
    assert told.code == 4
    assert "which needs the model under `simulator:` in foldproof.yaml, and the project has none" in told.err


def test_a_simulator_that_fails_makes_no_verdict(refunds, cli):
    with ScriptedModel(lambda _: ModelFailure(400, "no such model")) as user:
        refunds(simulator=simulator(user), limits={"retries": 0})
        found = cli("run", "refunds")
    assert found.code == 7
    assert "counterpart: session 1, turn 1: the model of the simulated user gave no answer" in " ".join(
        found.out.split()
    )


def test_another_simulator_is_another_run_and_a_set_without_one_does_not_care(refunds, shop, cli):
    with ScriptedModel(plays) as user:
        refunds(simulator=simulator(user))
        first = cli("run", "refunds", "--json").document["run"]["run"]
        refunds(simulator=simulator(user, seed=8))
        told = cli("run", "refunds", "--resume", first)
        assert (told.code, "the environment changed since it began" in told.err) == (4, True)
        shop(simulator=simulator(user))
        one = cli("run", "Shop", "--json").document["run"]["run"]
        shop(simulator=simulator(user, seed=9))
        assert cli("run", "Shop", "--resume", one).code == 0


def test_a_cassette_says_that_it_keeps_nothing_of_the_simulated_user(refunds, cli):
    with ScriptedModel(plays) as user:
        refunds(simulator=simulator(user))
        notes = cli("run", "refunds", "--cassette", "auto", "--json").document["notes"]
    assert "the cassette keeps nothing of what the simulated user says: it is asked anew" in notes


def test_no_key_of_the_simulator_stands_in_a_record(refunds, cli, monkeypatch):
    key = "sk-player-0123456789abcdef"
    monkeypatch.setenv("PLAYER_KEY", key)
    with ScriptedModel(plays, key=key) as user:
        folder = refunds(simulator=simulator(user, api_key_env="PLAYER_KEY"))
        assert cli("run", "refunds").code == 0
    assert key.encode() not in (folder / ".foldproof" / "runs.db").read_bytes()


def test_tool_calls_over_http_are_conditions_too(shop, cli):
    def refunds_over_http(request: ModelRequest) -> ModelReply:
        order = 4022 if "blender" in request.question else 4021
        return ModelReply(f"Refunded {order}.", (ToolCall("create_refund", {"order_id": order}),))

    with ScriptedModel(refunds_over_http) as upstream:
        case = {**CORRECTION, "expect": [{"tool_called": "create_refund(order_id=4022)"}]}
        shop(case, configs={"http": {"agent": {"http": upstream.url}, "model": {"name": "scripted"}}})
        (row,) = cli("run", "http", "--json").document["corrections"]
    assert (row["first_try"], row["corrected"], row["after_correction"]) == (0, 1, 1)


def test_the_doctor_says_whether_the_user_can_be_played(refunds, shop, cli):
    def found():
        told = {row["name"]: row for row in cli("doctor", "--json").document["findings"]}
        return (told["simulator"]["ok"], told["simulator"]["detail"]) if "simulator" in told else None

    with ScriptedModel(plays) as user:
        refunds(simulator=simulator(user))
        ok, detail = found()
        assert (ok, detail.startswith("player; 127.0.0.1:")) == (True, True)
    ok, detail = found()
    assert (ok, "the simulator cannot be reached" in detail) == (False, True)
    refunds()
    ok, detail = found()
    assert (ok, "the project has none" in detail) == (False, True)
    shop().joinpath("replay.json").write_text("{}", "utf-8")
    assert found() is None, "what is wrong with the set is told of the set"
