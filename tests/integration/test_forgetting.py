"""What a user takes back, through the command line: baselines, checks, explanations, lint, several users.

The forget twin of the store-credit case, against a `chat` agent, stands in `test_long_session_cases.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldproof.testing import write_project

CLERK = """
from foldproof import MemoryItem, Reply, ToolCall

class Clerk:
    deletes, shows = True, True

    def __init__(self, memory_config):
        self.off = memory_config.get("kind") == "none"
        self.notes = {}

    def memories(self, user):
        return [MemoryItem(note) for note in self.notes.get(user, [])]

    def fold(self):
        pass

    def start_session(self, info):
        self.user = info.user
        return self

    def reply(self, message):
        notes = [] if self.off else self.notes.setdefault(self.user, [])
        reads = [MemoryItem(note, rank=n) for n, note in enumerate(notes, 1)]
        prompt = chr(10).join([*notes, message])
        if message.startswith("Forget"):
            notes[:] = [note for note in notes if "credit" not in note or not self.deletes]
            text = "Forgotten."
        elif message.endswith("?"):
            text = " ".join(notes) or "I don't know."
        else:
            notes.append(message)
            text = "Noted."
        return Reply(text, tool_calls=[], memory_reads=reads, memory_writes=[], prompt=prompt) if self.shows else text

class SaysSo(Clerk):
    deletes = False

class Everyone(Clerk):
    def reply(self, message):
        if message.startswith("Forget"):
            for notes in self.notes.values():
                notes[:] = [note for note in notes if "credit" not in note]
        return super().reply(message)

class Shared(Clerk):
    def memories(self, user):
        return [MemoryItem(note) for notes in self.notes.values() for note in notes]
"""
SESSIONS = [
    {"at": "day 1", "turns": [{"user": "Refund me in store credit."}, {"user": "Write to me by email only."}]},
    {"user": "bob", "at": "day 1", "turns": [{"user": "Always wrap it as a gift."}]},
    {"at": "day 2", "turns": [{"user": "Forget the store credit."}], "maintain": True},
    {"at": "day 4", "turns": [{"user": "What do you know?", "expect": [{"reply_mentions": "by email"}]}]},
]
FORGET = {
    "means": "not derivable",
    "facts": ["store credit"],
    "derived": ["no money back"],
    "retain": ["by email only"],
    "bystander": {"user": "bob", "facts": ["as a gift"]},
}


@pytest.fixture
def house(cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    def write(forget: Any = FORGET, sessions: Any = SESSIONS) -> Path:
        case = {"id": "credit", "class": "preference", "sessions": sessions, **({"forget": forget} if forget else {})}
        names = ("Clerk", "SaysSo", "Everyone", "Shared")
        configs: dict[str, Any] = {name: {"agent": f"python:clerk:{name}"} for name in names}
        configs |= {kind: {"agent": "recall", "memory": {"kind": kind}} for kind in ("verbatim", "full")}
        write_project(tmp_path / "house", cases=[case], configs=configs, baseline="Clerk")
        (tmp_path / "house" / "clerk.py").write_text(CLERK, "utf-8")
        monkeypatch.chdir(tmp_path / "house")
        monkeypatch.delenv("CI", raising=False)
        return tmp_path / "house"

    return write


def test_a_baseline_keeps_what_forgetting_is_judged_by(cli, house):
    folder = house()
    assert cli("run", "Clerk").code == 0
    assert cli("baseline", "accept", "--yes").code == 0
    place = folder / "baselines" / "Clerk.json"
    kept = json.loads(place.read_text("utf-8"))["cases"][0]["trials"][0]
    assert kept["verdict"] == "pass"
    assert kept["turns"][2]["whose"] == "bob"
    assert kept["turns"][2]["listings"][1] == {
        "user": "bob",
        "ended": [{"text": "Always wrap it as a gift."}],
        "after": [{"text": "Always wrap it as a gift."}],
    }
    assert kept["turns"][4]["prompt"] == ["Write to me by email only.", "What do you know?"]
    assert cli("check", "Clerk").code == 0
    blocked = cli("check", "SaysSo", "--json")
    assert blocked.code == 1
    (case,) = blocked.document["cases"]
    assert case["change"] == "lost"
    assert {fact["fact"] for fact in case["facts"] if fact["outcome"] == "missed"} == {
        f"forget: not {where}: store credit" for where in ("in the reply", "retrieved", "in the store", "in the prompt")
    }


@pytest.mark.parametrize("kind", ["verbatim", "full"])
def test_what_was_said_is_never_forgotten_by_a_memory_that_keeps_all_that_is_said(cli, house, kind):
    """The wish itself is kept, too; each user has a memory apart."""
    house({**FORGET, "means": "not in store", "derived": []})
    result = cli("run", kind, "--json")
    assert result.code == 1
    (case,) = result.document["cases"]
    facts = {fact["fact"]: fact for fact in case["trials"][0]["facts"]}
    stored = facts["forget: not in the store: store credit"]
    assert (stored["outcome"], stored["owner"]) == ("missed", "write")
    assert facts["users apart"]["ok"]


def test_a_leak_blocks_a_check_and_comes_first(cli, house):
    house()
    assert cli("run", "Clerk").code == 0
    assert cli("baseline", "accept", "--yes").code == 0
    result = cli("check", "Shared", "--json")
    assert result.code == 1
    assert result.document["reasons"][0] == "what one user said was shown to another: credit"


def test_a_baseline_without_what_is_asked_by_now_has_no_answer(cli, house):
    house(forget=None, sessions=[{key: value for key, value in one.items() if key != "user"} for one in SESSIONS])
    assert cli("run", "Clerk").code == 0
    assert cli("baseline", "accept", "--yes").code == 0
    alone = {name: FORGET[name] for name in ("means", "facts", "retain")}
    house(forget=alone, sessions=[{key: value for key, value in one.items() if key != "user"} for one in SESSIONS])
    result = cli("check", "Clerk", "--json")
    (case,) = result.document["cases"]
    assert case["change"] == "new"


def test_an_explanation_names_users_and_what_the_memory_held(cli, house):
    house()
    assert cli("run", "SaysSo").code == 1
    page = cli("explain", "SaysSo", "credit").out
    assert "must forget: store credit; no money back (after session 3: not derivable)" in page
    assert "s2.t1   bob   day 1" in page
    assert "memory of bob: 1 item: Always wrap it as a gift." in page
    assert "forget: not in the store: store credit: came in at write (it was never deleted)" in page
    assert cli("explain", "SaysSo", "credit", "--markdown", "page.md").code == 0
    written = Path("page.md").read_text("utf-8")
    assert "Must forget: `store credit; no money back (after session 3: not derivable)`" in written
    assert "#### s2.t1, bob, day 1" in written
    assert cli("rescore", "SaysSo").code == 1, "what is judged over the sessions is in the record"
    document = cli("explain", "SaysSo", "credit", "--json").document
    assert document["forget"] == {"after": 3, **FORGET}
    (trial,) = document["trials"]
    assert [turn["whose"] for turn in trial["turns"]] == ["", "", "bob", "", ""]
    assert trial["notes"] == [], "a user's first session has nothing to be free of"
    listed = trial["turns"][3]["listings"][0]["ended"]
    assert [item["facts"] for item in listed] == [["store credit"], ["by email", "by email only"]]


def test_a_set_is_told_what_its_forgetting_does_not_show(cli, house):
    house(forget={"means": "not in store", "facts": ["store credit", "by fax"], "after": 3})
    told = {problem["rule"]: problem["message"] for problem in cli("lint", "--json").document["problems"]}
    assert "no-forget-case" not in told
    assert "an agent that deletes everybody's memory passes" in told["forget-without-bystander"]
    assert "an agent that deletes all that the user said passes" in told["forget-without-retain"]
    assert "has 'by fax' under `forget.facts`, which that user does not say before" in told["unstated"]
    assert "forget-not-maintained" not in told


def test_another_user_may_go_on_wishing_what_one_takes_back(cli, house):
    same = {"user": "bob", "at": "day 1", "turns": [{"user": "Refund me in store credit."}]}
    forget = {**FORGET, "bystander": {"user": "bob", "facts": ["store credit"]}}
    house(forget, [SESSIONS[0], same, *SESSIONS[2:]])
    assert cli("run", "Clerk").code == 0
    failed = cli("run", "Everyone", "--json")
    assert failed.code == 1
    wrong = [fact for fact in failed.document["cases"][0]["trials"][0]["facts"] if not fact["ok"]]
    assert [(fact["fact"], fact["owner"]) for fact in wrong] == [("forget: kept for bob: store credit", "write")]
