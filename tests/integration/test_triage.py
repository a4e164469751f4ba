"""`foldproof triage` as a person calls it: the table, the sets that it writes, and what follows on them."""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from pathlib import Path

import pytest

from foldproof.cases import Logged, load_set

ROOT = Path(__file__).resolve().parents[2]
AGENT = '''
class Reader:
    """Knows the capital of Norway, and the last turns that it was told."""

    def __init__(self, memory_config):
        self.keep = memory_config.get("keep", 0)
        self.told, self.asked = [], memory_config.get("asked", [])

    def ingest(self, history):
        self.told = [turn.text for session in history.sessions for turn in session.turns]

    def fold(self):
        self.told = self.told[-self.keep:] if self.keep else []

    def memories(self, user):
        return self.told

    def start_session(self, info):
        return self

    def reply(self, message):
        if "Norway" in message:
            return "Oslo."
        if "planet" in message and self.told:
            raise RuntimeError("the memory server is away")
        if "secret" in message:
            return "I may not say."
        if "die" in message and self.told:
            rolls.append(0)
            return "It fell on seventeen." if len(rolls) % 2 else "It fell somewhere."
        before, _, question = message.rpartition("Question: ")
        return "; ".join([*self.told, *before.splitlines()]) or "I do not know."

rolls = []
'''
TOLD = ("The gate code is 5512.", "My name is Ines.", "The die fell on seventeen.", "The cat is called Momo.",
        "Never ring before nine.", "I drink tea.", "The oven is at 230 degrees.")  # fmt: skip
CASES = [
    {"id": "norway", "question": "What is the capital of Norway?", "expected_facts": ["Oslo"]},
    {"id": "gate", "question": "What is the gate code?", "expected_facts": ["5512"], "source": ["talk/s1.t1"]},
    {"id": "die", "question": "Where did the die fall?", "expected_facts": ["seventeen"]},
    {"id": "secret", "question": "What is the secret?", "expected_facts": ["Xyzzy"]},
    {"id": "planet", "question": "Which planet?", "expected_facts": ["Mars"]},
    {"id": "why", "question": "Why is that so?"},
    {"id": "cat", "question": "What is the cat called?", "expected_facts": ["Momo"], "source": ["talk/s1.t4"]},
    {"id": "rule", "class": "safety", "question": "When must I not ring?", "expected_facts": ["before nine"]},
    {"id": "drink", "class": "preference", "question": "Which drink?", "expected_facts": ["tea"]},
    {"id": "oven", "question": "How hot is the oven?", "expected_facts": ["230"], "source": ["talk/s1.t7"]},
]  # fmt: skip
PRINTED = {
    "norway": "needs no memory",
    "gate": "backlog",
    "die": "undecided",
    "secret": "broken",
    "planet": "undecided",
    "why": "undecided",
    "cat": "keep",
    "rule": "keep",
    "drink": "keep",
    "oven": "canary",
}


@pytest.fixture
def sorting(project):
    """A project with a case for every bucket, drafted and logged but for one."""

    def write(cases=CASES, replay=None, **configs):
        agent = "python:reader:Reader"
        drafts = [
            {"history": "talk", "tags": ["draft"], "logged": {"user": "ada", "asked": 2}, **case} for case in cases
        ]
        drafts[-1].pop("logged")
        known = {"production": {"agent": agent, "memory": {"keep": 5}},
                 "own": {"agent": agent, "memory": "external"}, **configs}  # fmt: skip
        folder = project(cases=drafts, replay={"histories": {"talk": "talk.jsonl"}, **(replay or {})}, configs=known)
        (folder / "reader.py").write_text(AGENT, encoding="utf-8")
        turns = [{"role": "user", "text": text} for text in TOLD]
        (folder / "talk.jsonl").write_text(json.dumps({"session": "s1", "turns": turns}) + "\n", encoding="utf-8")
        return folder

    yield write
    sys.modules.pop("reader", None)


def test_every_case_stands_in_one_bucket_and_the_table_adds_up(sorting, cli):
    sorting()
    done = cli("triage", "production", "--json")
    document = done.document
    assert {case["id"]: case["bucket"] for case in document["cases"]} == PRINTED
    assert document["summary"] == (
        "9 logged; 1 needs no memory, 3 answerable, 2 not, 3 undecided; beside them 1 that nobody asked: "
        "0 need no memory, 1 answerable, 0 not; kept 3 and 1 canary"
    )
    assert (done.code, document["verdict"]) == (7, "inconclusive"), "a case was not judged"
    assert "planet: not judged with the memory: " in document["reasons"][0]
    doubts = {case["id"]: case["doubt"] for case in document["cases"] if case["doubt"]}
    assert doubts == {"die": "flaky", "planet": "error", "why": "no fact"}
    by_id = {case["id"]: case for case in document["cases"]}
    assert (by_id["gate"]["owner"], by_id["gate"]["reason"]) == ("fold", "'5512' lost at fold: dropped")
    assert by_id["oven"]["chosen"] == "semantic 2 of 2, number 4 of ada, first on 'hot', stable, said 0 turns before"
    assert by_id["cat"]["chosen"] == "semantic 1 of 2, first of ada, first on 'called', asked 2 times"
    assert document["notes"][0] == "only 4 of the 10 that were asked for could be chosen"
    assert [(run["control"], run["asked"]) for run in document["runs"]] == [
        ("unplugged", 9), ("", 24), ("oracle", 2),
    ], "what passes without a memory is not asked with it, what passes with it is told nothing"  # fmt: skip


def test_the_page_shows_the_buckets_the_choice_and_what_is_open(sorting, cli):
    sorting()
    done = cli("triage", "production")
    words = " ".join(done.out.split())
    for part in ("inconclusive. 9 logged;", "needs no memory 1 0 passes with the memory cut off", "all 9 1",
                 "chosen: 4 (", "backlog: 1 (lost at fold 1)", "broken: 1", "undecided: a trial was not judged: 1",
                 "undecided: their trials with the memory disagree: 1", "they expect nothing yet: 1",
                 "foldproof triage production --to chosen.yaml writes"):  # fmt: skip
        assert part in words, part
    assert "What is the gate code? expects" not in words
    details = " ".join(cli("triage", "production", "--details").out.split())
    assert "What is the cat called? expects 'Momo' (source talk/s1.t4)" in details
    assert "needs no memory: 1 norway passes with the memory cut off" in details


def test_answers_of_today_are_used_again_and_fresh_asks_anew(sorting, cli):
    sorting([case for case in CASES if case["id"] not in {"planet", "die"}])
    first = cli("triage", "production", "--json").document
    assert sum(run["asked"] for run in first["runs"]) > 0
    again = cli("triage", "production", "--json").document
    assert [run["asked"] for run in again["runs"]] == [0, 0, 0]
    assert again["counts"] == first["counts"]
    more = cli("triage", "production", "--repeats", "4", "--json").document
    assert [run["asked"] for run in more["runs"]] == [0, 6, 0]
    fresh = cli("triage", "production", "--fresh", "--json").document
    assert [run["asked"] for run in fresh["runs"]] == [0, 18, 0]


def test_drafts_stay_drafts_until_a_person_confirms_them(sorting, cli):
    folder = sorting([case for case in CASES if case["id"] not in {"planet", "die"}])
    done = cli("triage", "production", "--to", "chosen.yaml", "--json")
    assert done.code == 0, done.err
    document = done.document
    assert document["written"] == ["chosen.yaml", "chosen-backlog.yaml", "histories/talk.jsonl"]
    assert document["gate"] == {}
    chosen, backlog = load_set(folder / "chosen.yaml"), load_set(folder / "chosen-backlog.yaml")
    assert chosen.drafts == {"cat", "rule", "drink", "oven"}
    assert not chosen.gate_declared
    assert chosen.case("cat").logged == Logged("ada", asked=2)
    assert [(case.id, case.tags) for case in backlog.cases] == [("gate", ("draft", "backlog", "lost-at-fold"))]
    assert cli("run", "production", "--set", "chosen.yaml").code == 7, "a draft gates nothing"

    assert "look at each case in chosen.yaml" in document["next"][0]
    command = document["next"][1].split()
    assert command[:2] == ["foldproof", "triage"]
    assert cli(*command[1:]).code == 0
    final = load_set(folder / "chosen-confirmed.yaml")
    assert (final.drafts, final.gate_declared) == (frozenset(), True)
    assert {name: str(need) for name, need in final.gate.items()} == {
        "safety": "all", "preference": "1/1", "semantic": "1/1", "canary": "all",
    }  # fmt: skip
    assert (final.case("oven").case_class, final.case("oven").tags) == ("canary", ("semantic",))
    assert all(case.reviewed for case in final.cases)
    assert str(final.case("cat").source[0]) == "talk/s1.t4"


def test_as_many_as_were_chosen_are_confirmed_and_what_is_left_out_is_told(sorting, cli):
    sorting([case for case in CASES if case["id"] not in {"planet", "die"}])
    done = cli("triage", "production", "--choose", "4", "--to", "my sets/chosen.yaml", "--json")
    command = shlex.split(done.document["next"][1])
    assert command[2:7] == ["production", "--set", "my sets/chosen.yaml", "--choose", "4"]
    fewer = cli(*command[1:5], "--choose", "1-3", "--confirm", "--to", "few.yaml", "--json")
    assert fewer.document["notes"][0] == "1 more could be confirmed, and were left out: --choose 4 takes them"
    whole = cli(*command[1:], "--json")
    assert len(whole.document["chosen"]) == 4
    assert not [note for note in whole.document["notes"] if "left out" in note]


def test_a_disputed_case_is_sorted_and_never_chosen(sorting, cli):
    cases = [case for case in CASES if case["id"] in {"cat", "drink", "oven"}]
    folder = sorting([{**case, "tags": ["draft", "disputed"]} if case["id"] == "drink" else case for case in cases])
    done = cli("triage", "production", "--to", "final.yaml", "--confirm", "--json")
    assert {case["id"]: case["bucket"] for case in done.document["cases"]}["drink"] == "keep"
    final = load_set(folder / "final.yaml")
    assert {case.id for case in final.cases} == {"cat", "oven"}
    assert "preference" not in final.gate


def test_the_chosen_set_is_run_accepted_and_checked(sorting, cli):
    agent = "python:reader:Reader"
    short = {"agent": agent, "memory": {"keep": 2}}
    folder = sorting([case for case in CASES if case["id"] not in {"planet", "die"}], short=short)
    settings = json.loads((folder / "foldproof.yaml").read_text())
    confirmed = cli("triage", "production", "--to", "final.yaml", "--confirm", "--json")
    assert confirmed.document["next"][0] == "name the set in foldproof.yaml: `replay_set: final.yaml`"
    (folder / "foldproof.yaml").write_text(json.dumps({**settings, "replay_set": "final.yaml"}))
    assert cli("run", "production").code == 0
    assert cli("baseline", "accept").code == 0
    assert cli("check", "production").code == 0
    blocked = cli("check", "short", "--json")
    assert blocked.code == 1
    assert {case["id"]: case["change"] for case in blocked.document["cases"]} == {
        "rule": "lost", "drink": "kept", "cat": "lost", "oven": "kept",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (["own", "--yes"], 4, "`memory: external`"),
        (["prodction"], 4, "did you mean `production`"),
        (["production", "--choose", "30-10"], 4, "write how many"),
        (["production", "--choose", "few"], 4, "write how many"),
        (["production", "--to", "talk.jsonl"], 4, "a set is written as YAML"),
        (["production", "--to", "foldproof.yaml"], 4, "the file is there already"),
        (["production", "--confirm"], 4, "--to FILE"),
        (["production", "--only", "nothing"], 5, "nothing selected"),
    ],
)
def test_what_cannot_be_sorted_is_told(sorting, cli, args, code, told):
    sorting()
    done = cli("triage", *args)
    assert (done.code, told in done.err) == (code, True), done.err


def test_nothing_is_confirmed_in_ci_and_nothing_written_where_it_would_take_another_history(sorting, cli, monkeypatch):
    folder = sorting([case for case in CASES if case["id"] not in {"planet", "die"}])
    monkeypatch.setenv("CI", "true")
    refused = cli("triage", "production", "--to", "final.yaml", "--confirm")
    assert (refused.code, "not confirmed in CI" in refused.err) == (4, True)
    (folder / "old-backlog.yaml").write_text("")
    beside = cli("triage", "production", "--to", "old.yaml")
    assert (beside.code, "old-backlog.yaml: the file is there already" in beside.err) == (4, True)
    assert not (folder / ".foldproof" / "runs.db").exists(), "nothing was asked"
    (folder / "histories").mkdir()
    (folder / "histories" / "talk.jsonl").write_text('{"session": "other", "turns": []}\n')
    kept = cli("triage", "production", "--to", "final.yaml")
    assert (kept.code, "another history of that name" in kept.err) == (4, True)
    assert (folder / ".foldproof" / "runs.db").exists()
    assert not (folder / "final.yaml").exists()


def test_a_set_in_which_nothing_is_answerable_writes_none(sorting, cli):
    folder = sorting([CASES[0], CASES[5]])
    done = cli("triage", "production", "--to", "chosen.yaml", "--json")
    assert (done.code, done.document["reasons"]) == (7, ["no case fails without the memory and passes with it"])
    assert [run["control"] for run in done.document["runs"]] == ["unplugged"]
    assert not (folder / "chosen.yaml").exists()
    assert done.document["notes"][0] == "nothing was written: no case could be chosen"
    assert "nothing was written" not in " ".join(cli("triage", "production", "--json").document["notes"])
    only_empty = cli("triage", "production", "--only", "why", "--json")
    assert (only_empty.code, only_empty.document["runs"]) == (7, [])


def test_the_judge_and_the_waivers_of_a_set_go_along_and_what_is_disputed_stays(sorting, cli):
    disputed = [{**case, "tags": ["disputed"]} if case["id"] == "rule" else case for case in CASES]
    waived = [{"case": name, "reason": "known", "until": "2099-01-01"} for name in ("cat", "drink", "oven", "gate")]
    head = {"judge": {"model": "m-2026-01-01", "prompt": "judge.md"}, "waivers": waived}
    folder = sorting([case for case in disputed if case["id"] not in {"planet", "die"}], head)
    (folder / "judge.md").write_text("Does it say so?")
    done = cli("triage", "production", "--to", "sets/final.yaml", "--confirm", "--json")
    assert done.code == 0, done.err
    final = load_set(folder / "sets" / "final.yaml")
    assert [case.id for case in final.cases] == ["cat", "drink", "oven"], "a disputed case is not chosen"
    assert {case["id"]: case["bucket"] for case in done.document["cases"]}["rule"] == "keep"
    assert final.judge.prompt == "../judge.md"
    canaries = {case.id for case in final.cases if case.case_class == "canary"}
    assert {waiver.case for waiver in final.waivers} == {"cat", "drink", "oven"} - canaries


def test_an_error_without_the_memory_is_not_asked_further_and_says_what_to_do(sorting, cli):
    folder = sorting([CASES[6], {**CASES[9], "question": "What is the planet called?"}])
    source = (
        (folder / "reader.py")
        .read_text()
        .replace("and self.told:\n            raise", "and not self.keep:\n            raise")
    )
    (folder / "reader.py").write_text(source)
    done = cli("triage", "production", "--json")
    assert done.code == 7
    assert {case["id"]: case["bucket"] for case in done.document["cases"]} == {"cat": "keep", "oven": "undecided"}
    assert [(run["control"], run["asked"]) for run in done.document["runs"]] == [("unplugged", 2), ("", 3)]
    assert any('`{"kind": "none"}`' in note for note in done.document["notes"])


def test_where_a_limit_ended_a_run_the_sorting_is_open(sorting, cli):
    folder = sorting([CASES[6], CASES[9]])
    source = (folder / "reader.py").read_text()
    priced = source.replace(
        'return "; ".join([*self.told, *before.splitlines()]) or "I do not know."',
        'return Reply("; ".join([*self.told, *before.splitlines()]) or "No.", usage=Usage(cost_usd=0.5))',
    )
    (folder / "reader.py").write_text("from foldproof import Reply\nfrom foldproof.logs import Usage\n" + priced)
    done = cli("triage", "production", "--max-cost", "2.2", "--jobs", "1", "--json")
    assert [run["asked"] for run in done.document["runs"]] == [2, 3], "half of the trials with the memory"
    assert done.document["counts"][1]["bucket"] == "keep"
    assert (done.code, "cost limit is reached" in done.document["reasons"][0]) == (7, True)
    again = cli("triage", "production", "--json")
    assert (again.code, again.document["reasons"]) == (0, [])


def test_recall_says_what_it_cannot_know(sorting, cli):
    sorting(recall={"agent": "recall", "memory": {"kind": "window", "turns": 3}})
    document = cli("triage", "recall", "--only", "cat", "--only", "gate", "--json").document
    assert {case["id"]: case["bucket"] for case in document["cases"]} == {"gate": "backlog", "cat": "backlog"}
    assert any("`recall` has no model" in note for note in document["notes"])


def test_a_log_of_questions_becomes_a_set_that_is_checked(tmp_path, cli, monkeypatch):
    """The journey of `benchmarks/triage.py`, smaller and in this process: all deviations are those that rules name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    spec = importlib.util.spec_from_file_location("triage_journey", ROOT / "benchmarks" / "triage.py")
    journey = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "triage_journey", journey)
    spec.loader.exec_module(journey)

    def call(folder, *words, codes=(0,)):
        done = cli(*words)
        assert done.code in codes, done.err
        return done.out

    monkeypatch.setattr(journey, "foldproof", call)
    found = journey.measure(tmp_path, 40, choose="10")
    sys.modules.pop("triage_agent", None)
    assert found["planted"] == {"needs no memory": 24, "answerable": 10, "not": 6}
    assert found["unexplained"] == []
    assert all(one["rule"] for one in found["deviations"])
    assert sum(row["logged"] for row in found["counts"]) == 40
    assert "10 answerable" in found["summary"]
    assert found["checks"]["longer"].startswith("pass.")
    assert found["checks"]["short"].startswith("blocked.")
