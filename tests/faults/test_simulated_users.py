"""The fault matrix of simulated users: each breaks one rule, is found out, and has a twin that keeps it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foldproof import run_set
from foldproof.testing import ModelFailure, ScriptedModel, write_project

SHOP = """
from foldproof import Reply, ToolCall


class Shop:
    def __init__(self, memory_config):
        self.off = memory_config.get("kind") == "none"

    def start_session(self, info):
        return self

    def reply(self, message):
        for order, name in ((4022, "blender"), (4021, "kettle")):
            if str(order) in message or name in message:
                call = ToolCall("create_refund", {"order_id": order})
                return Reply(f"The {name} is refunded.", tool_calls=[call])
        return Reply("Which order do you mean?", tool_calls=[])


class Unwilling(Shop):
    def reply(self, message):
        return Reply("I cannot refund anything.", tool_calls=[])
"""
CASE = {
    "id": "blender",
    "class": "episodic",
    "memory_config": {},
    "user": "Hello, I want a refund.",
    "simulated": {
        "goal": "Get the blender refunded.",
        "knows": ["the orders are 4021 and 4022"],
        "corrections": [
            {"after": "tool_called: create_refund(order_id=4021)", "say": "No, I mean the other one, the blender."}
        ],
        "turns": 5,
    },
    "expect": [{"tool_called": "create_refund(order_id=4022)"}, {"reply_mentions": "blender is refunded"}],
}
ORDER, DONE = {"say": "Order 4021."}, {"say": "", "done": True, "goal_met": True}
UP = {"say": "", "done": True, "goal_met": False}
ASIDE = {"say": "Order 4021. Regards from Anna."}
PARAPHRASE = {"say": "No, not that, I mean the other one: the blender."}
VERBATIM = {"say": "No, I mean the other one, the blender."}


def play(folder: Path, agent: str, *script: object):
    """One trial in which the user's model answers by a script; the score and the record."""

    def rule(request):
        said = request.question.count("\nassistant: ") - 1
        answer = script[min(said, len(script) - 1)]
        return json.dumps({"done": False, "goal_met": None, **answer}) if isinstance(answer, dict) else answer

    with ScriptedModel(rule) as model:
        configs = {"shop": {"agent": f"python:shop:{agent}"}, "other": {"agent": "recall"}}
        simulator = {"base_url": model.url, "name": "scripted", "temperature": 0}
        settings = {"simulator": simulator, "baseline": "other", "limits": {"retries": 0}}
        write_project(folder, cases=[CASE], configs=configs, **settings)
        (folder / "shop.py").write_text(SHOP, encoding="utf-8")
        report = run_set("shop", project=folder)
    [score] = report.scores["blender"].trials
    return score, report


@pytest.mark.parametrize(
    ("agent", "script", "outcome", "corrected"),
    [
        ("Shop", [ORDER, {}, DONE], "pass", True),
        ("Shop", [{"say": "Order 4022."}, DONE], "pass", False),
        ("Unwilling", [ORDER, ORDER, UP], "fail", False),
    ],
)
def test_a_user_that_keeps_the_rules_leaves_the_judgement_alone(tmp_path, agent, script, outcome, corrected):
    score, _ = play(tmp_path, agent, *script)
    assert (score.outcome, score.corrected, score.faults) == (outcome, corrected, ())


FAULTY = {
    "says a number that it does not know": ("Shop", [{"say": "Order 9999."}, UP], "it said '9999' in s1.t1.a2"),
    "says a name that it does not know": ("Unwilling", [{"say": "Ask for Anna."}, UP], "it said 'Anna' in s1.t1.a2"),
    "says a date that it does not know": (
        "Unwilling", [{"say": "Bought on 2026-03-04."}, UP], "it said '2026-03-04' in s1.t1.a2"),
    "ends before it has answered": ("Shop", [UP], "it ended the conversation after s1.t1: the agent had asked it"),
    "corrects in other words": ("Shop", [PARAPHRASE, DONE], "in other words in s1.t1.a2"),
    "corrects before its time": ("Shop", [VERBATIM, DONE], "by itself, before 'tool_called: create_refund("),
    "takes the correction back": ("Shop", [ORDER, {}, ORDER, ORDER], "said '4021' in s1.t1.a4, which the correction"),
    "says the same again and again": ("Unwilling", [{"say": "Please."}], "the same for the 3rd time in s1.t1.a4"),
    "answers with a bare text": ("Shop", ["Order 4021."], "cannot be read: it is not JSON"),
    "answers with another object": ("Shop", ['{"text": "Order 4021."}'], "cannot be read: `say` is not a text"),
    "ends by a word": ("Shop", ["<done>"], "cannot be read: it is not JSON"),
    "has a model that fails": ("Shop", [ModelFailure(400, "no such model")], "gave no answer: the endpoint answered"),
}  # fmt: skip


@pytest.mark.parametrize(("agent", "script", "words"), FAULTY.values(), ids=FAULTY)
def test_a_fault_that_decides_a_trial_voids_it(tmp_path, agent, script, words):
    score, report = play(tmp_path, agent, *script)
    assert (score.outcome, score.corrected) == ("error", None)
    assert score.error.startswith("counterpart: ")
    assert words in score.error
    assert report.verdict.verdict == "inconclusive"


def test_a_fault_that_decides_nothing_is_a_note(tmp_path):
    score, report = play(tmp_path, "Shop", ASIDE, {}, DONE)
    assert (score.outcome, score.corrected) == ("pass", True)
    assert score.faults == ("it said 'Anna' in s1.t1.a2, which it was not told and the agent did not say",)
    assert any("'Anna'" in note for note in report.notes)


def test_the_correction_is_said_word_for_word_by_the_harness(tmp_path):
    _, report = play(tmp_path, "Shop", ORDER, {}, DONE)
    (trial,) = report.trials
    assert [(turn.speaker, turn.user) for turn in trial.turns] == [
        ("case", "Hello, I want a refund."),
        ("simulated", "Order 4021."),
        ("correction", "No, I mean the other one, the blender."),
    ]


def test_one_that_never_ends_is_stopped(tmp_path):
    pleas = [{"say": f"Please {word}. We are done. STOP."} for word in ("now", "do", "help", "act", "go")]
    score, report = play(tmp_path, "Unwilling", *pleas)
    (trial,) = report.trials
    assert (len(trial.turns), trial.turns[-1].close, score.outcome) == (5, "limit", "fail")
