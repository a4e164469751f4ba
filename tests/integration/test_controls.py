"""The controls as a person asks for them: `run --control`, `check --controls`, `baseline accept --controls`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

READING = '''
class Reader:
    """Answers from its memory, else from what stands before the question."""

    def __init__(self, memory_config):
        self.keep = memory_config.get("keep", 0)
        self.told = []

    def ingest(self, history):
        turns = [turn.text for session in history.sessions for turn in session.turns]
        self.told = turns[-self.keep:] if self.keep else []

    def start_session(self, info):
        return self

    def reply(self, message):
        if "said before" in message and "city" in message:
            raise RuntimeError("context length exceeded")
        if message.endswith("Which drink?") and "known" in message:
            return "I would not know."
        if message.endswith("Which planet?"):
            return "The Earth."
        known = self.told or message.split("\\n\\nQuestion:")[0].splitlines()[1:]
        return "; ".join(known) or "I do not know."
'''
CLEVER = """

class Clever(Reader):
    def reply(self, message):
        return super().reply(message) + " I guess Ghent."
"""
TURNS = ("No NSAIDs for me.", "RTO 12 min.", "I drink tea.", "I moved to Ghent.")
CASES: list[dict[str, Any]] = [
    {"id": "pain", "class": "safety", "question": "Which pill?", "expected_facts": ["no NSAIDs"]},
    {"id": "rto", "question": "Which RTO?", "expected_facts": [{"pattern": r"RTO \d+ min"}]},
    {"id": "drink", "question": "Which drink?", "expected_facts": [{"any": ["tea", "green tea"]}]},
    {"id": "city", "question": "Which city?", "expected_facts": ["Ghent"]},
]


@pytest.fixture
def reading(project: Callable[..., Path], cli: Callable[..., Any]) -> Callable[..., Path]:
    """A project whose agent reads its prompt, with an accepted baseline."""

    def write(cases: list[dict[str, Any]] = CASES, gate: dict[str, str] | None = None) -> Path:
        agent = "python:reader:Reader"
        folder = project(
            cases=[{"history": "talk", **case} for case in cases],
            replay={"gate": gate or {"safety": "all"}, "histories": {"talk": "talk.jsonl"}},
            configs={
                "production": {"agent": agent, "memory": {"keep": 9}},
                "short": {"agent": agent, "memory": {"keep": 2}},
                "clever": {"agent": "python:reader:Clever", "memory": {"keep": 9}},
                "own": {"agent": agent, "memory": "external"},
            },
        )
        (folder / "reader.py").write_text(READING + CLEVER, encoding="utf-8")
        turns = [{"role": "user", "text": text} for text in TURNS]
        (folder / "talk.jsonl").write_text(json.dumps({"session": "s1", "turns": turns}) + "\n", encoding="utf-8")
        assert cli("run", "production").code == 0
        return folder

    return write


def runs_of(folder: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(folder / ".foldproof" / "runs.db") as store:
        return store.execute("SELECT config, control FROM runs ORDER BY id").fetchall()


def test_check_puts_the_controls_beside_the_candidate(reading: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = reading()
    assert cli("baseline", "accept").code == 0
    plain = cli("check", "short", "--json")
    assert plain.document["controls"] is None
    result = cli("check", "short", "--controls", "--json")
    assert (result.code, result.document["verdict"]) == (plain.code, plain.document["verdict"]) == (1, "blocked")
    controls = result.document["controls"]
    assert [run["control"] for run in controls["runs"]] == ["unplugged", "oracle", "full"]
    assert runs_of(folder)[-3:] == [("short", "unplugged"), ("short", "oracle"), ("short", "full")]
    safety, semantic = controls["retention"]
    assert (safety["class"], safety["of"], safety["candidate"], safety["oracle"]) == ("safety", 1, 0, 1)
    assert safety["retention"] == 0.0
    assert (semantic["of"], semantic["unplugged"], semantic["candidate"], semantic["oracle"]) == (2, 0, 2, 1)
    assert (semantic["full"], semantic["full_of"], semantic["retention"]) == (1, 2, 2.0)
    assert [(row["id"], row["control"], row["finding"]) for row in controls["findings"]] == [
        ("drink", "oracle", "unheeded"),
        ("city", "full", "unjudged"),
    ]
    assert controls["findings"][0]["reason"] == "missed 'any: tea | green tea'"
    assert "context length exceeded" in controls["findings"][1]["reason"]
    assert "a pattern cannot be written down" in controls["notes"][0]
    assert "rto" in controls["notes"][0]


def test_controls_of_today_are_used_again(reading: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = reading()
    cli("baseline", "accept")
    first = cli("check", "short", "--controls", "--json").document["controls"]
    again = cli("check", "short", "--controls", "--json").document["controls"]
    assert [run["run"] for run in first["runs"]] == [run["run"] for run in again["runs"]]
    assert [run["asked"] for run in again["runs"]] == [0, 0, 1], "only the error is asked again"
    assert again["retention"] == first["retention"]
    with sqlite3.connect(folder / ".foldproof" / "runs.db") as store:
        store.execute("UPDATE runs SET record = replace(record, strftime('%Y', 'now'), '2020')")
    later = cli("check", "short", "--controls", "--json").document["controls"]
    assert later["runs"][0]["run"] == first["runs"][0]["run"]
    assert later["runs"][1]["run"] != first["runs"][1]["run"], "what stands behind an agent may have changed"


def test_a_vacuous_case_that_the_candidate_shows_leaves_the_gate(
    reading: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    reading(gate={"safety": "all", "semantic": "3/3"})
    assert cli("baseline", "accept").code == 0
    assert cli("check", "clever").code == 0
    result = cli("check", "clever", "--controls", "--json")
    assert (result.code, result.document["verdict"]) == (7, "inconclusive")
    assert "semantic: city pass without any memory, so they show nothing" in result.document["reasons"]
    assert {case["id"]: case["change"] for case in result.document["cases"]}["city"] == "vacuous"


def test_a_vacuous_case_without_a_gate_is_named(reading: Callable[..., Path], cli: Callable[..., Any]) -> None:
    planet = {"id": "planet", "class": "canary", "question": "Which planet?", "expected_facts": ["Earth"]}
    reading([*CASES, planet], gate={"canary": "all"})
    refused = cli("baseline", "accept")
    assert refused.code == 4
    assert "planet" in refused.err
    cases = [*CASES, {**planet, "class": "semantic"}]
    reading(cases, gate={"safety": "all"})
    assert cli("baseline", "accept").code == 0
    result = cli("check", "production", "--controls")
    assert result.code == 0
    assert "vacuous: these pass with the memory cut off" in result.out


def test_accepting_a_baseline_shows_them_where_asked(reading: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = reading()
    result = cli("baseline", "accept", "--controls")
    assert result.code == 0
    assert "controls of production (they inform)" in result.out
    assert "unheeded: these fail with their bare facts" in result.out
    document = cli("baseline", "accept", "--yes", "--controls", "--json").document
    assert [row["id"] for row in document["controls"]["findings"]] == ["drink", "city"]
    assert [control for _, control in runs_of(folder)] == ["", "unplugged", "oracle", "full"]
    assert cli("baseline", "accept", "--yes", "--json").document["controls"] is None


def test_one_control_alone(reading: Callable[..., Path], cli: Callable[..., Any]) -> None:
    reading()
    oracle = cli("run", "production", "--control", "oracle")
    assert oracle.code == 7
    assert "so they are broken or beyond the agent: drink" in oracle.out
    assert "2 of 3 cases pass with their facts in the prompt; each should" in oracle.out
    assert "no oracle for rto: a pattern cannot be written down" in " ".join(oracle.out.split())
    full = cli("run", "production", "--control", "full", "--json")
    assert full.code == 7
    assert {case["id"]: case["outcome"] for case in full.document["cases"]} == {
        "pain": "pass", "rto": "pass", "drink": "pass", "city": "error",
    }  # fmt: skip
    assert full.document["run"]["control"] == "full"
    assert any("the whole history stood in front of each question (context/1)" in n for n in full.document["notes"])
    same = cli("run", "production", "--control", "unplugged", "--json").document
    flag = cli("run", "production", "--unplugged", "--json").document
    assert same["run"]["control"] == flag["run"]["control"] == "unplugged"
    assert cli("run", "production", "--json").document["run"]["control"] == ""


def test_the_names_of_the_controls_are_told(reading: Callable[..., Path], cli: Callable[..., Any]) -> None:
    reading()
    result = cli("run", "production", "--control", "oracel")
    assert result.code == 4
    assert "'unplugged', 'oracle', 'full'" in result.err


def test_where_no_case_can_have_it_nothing_is_selected(reading: Callable[..., Path], cli: Callable[..., Any]) -> None:
    reading()
    result = cli("run", "production", "--control", "oracle", "--only", "rto")
    assert result.code == 5
    assert "no case can have the control `oracle`" in result.err
    assert "a pattern cannot be written down" in result.err
    planned = cli("run", "production", "--control", "oracle", "--dry-run", "--json").document
    assert planned["cases"] == 3


def test_a_memory_of_the_agents_own_has_no_controls(reading: Callable[..., Path], cli: Callable[..., Any]) -> None:
    reading()
    cli("baseline", "accept")
    controls = cli("check", "own", "--controls", "--yes", "--json").document["controls"]
    assert (controls["runs"], controls["retention"], controls["findings"]) == ([], [], [])
    assert controls["notes"] == [
        f"the {name} was not run: the memory is the agent's own (`memory: external`)"
        for name in ("unplugged control", "oracle", "full context")
    ]


def test_the_oracle_is_asked_anew_where_a_fact_changed(reading: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = reading()
    first = cli("run", "production", "--control", "oracle", "--json").document["run"]["run"]
    replay = folder / "replay.json"
    replay.write_text(replay.read_text("utf-8").replace("no NSAIDs", "No NSAIDs for me"), encoding="utf-8")
    rescored = cli("rescore", first, "--json").document
    outcomes = {case["id"]: case["trials"] for case in rescored["cases"]}
    assert outcomes["pain"] == [], "its answer was given to another text"
    assert outcomes["drink"] != []


def test_recall_has_controls_of_its_own(demo_project: Path, cli: Callable[..., Any]) -> None:
    document = cli("check", "window", "--controls", "--json").document
    rows = {row["class"]: row for row in document["controls"]["retention"]}
    assert rows["canary"]["retention"] == 1.0
    assert rows["safety"]["retention"] == 0.0
    assert {(row["oracle"], row["full"]) for row in rows.values()} == {(2, 2), (10, 10)}
    assert document["controls"]["findings"] == []
    assert any("`recall` reads no prompt" in note for note in document["controls"]["notes"])


def test_a_cost_limit_holds_for_the_controls_too(reading: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = reading()
    (folder / "reader.py").write_text(
        READING.replace(
            'return "; ".join(known) or "I do not know."',
            "from foldproof import Reply\n"
            "        from foldproof.logs import Usage\n"
            '        return Reply("; ".join(known) or "I do not know.", usage=Usage(cost_usd=1.0))',
        ),
        encoding="utf-8",
    )
    import sys

    sys.modules.pop("reader", None)
    cli("run", "production", "--fresh")
    assert cli("baseline", "accept").code == 0
    result = cli("check", "production", "--controls", "--max-cost", "9", "-j", "1", "--json")
    assert result.code == 0, "the controls inform"
    controls = result.document["controls"]
    asked = {run["control"]: (run["asked"], run["reused"]) for run in controls["runs"]}
    assert asked == {"unplugged": (0, 4), "oracle": (1, 0), "full": (0, 0)}, "eight dollars went to the check"
    assert [
        row["id"] for row in controls["findings"] if row["reason"] == "not asked" and row["control"] == "oracle"
    ] == [
        "drink",
        "city",
    ]
    assert [row["retention"] for row in controls["retention"]] == [1.0, None]


@pytest.mark.parametrize(("k", "said"), [(8, True), (2, False)])
def test_a_retrieval_that_returns_the_whole_store_is_called_untested(
    project: Callable[..., Path], cli: Callable[..., Any], k: int, *, said: bool
) -> None:
    """B82: the tiny history of a test fits into `k`, so nothing is retrieved at all."""
    folder = project(
        cases=[{"id": "db", "history": "talk", "question": "Which database is used?", "expected_facts": ["Postgres"]}],
        replay={"histories": {"talk": "talk.jsonl"}},
        configs={name: {"agent": "recall", "memory": {"kind": "verbatim", "k": k}} for name in ("production", "next")},
    )
    texts = ("Our database is Postgres.", "A database must be backed up.", "The database has a replica.")
    turns = [{"role": "user", "text": text} for text in texts]
    (folder / "talk.jsonl").write_text(json.dumps({"session": "s1", "turns": turns}) + "\n", encoding="utf-8")
    sentence = "retrieval was not tested for 1 of 1 cases: each was given the whole store (items in it: 3)"
    run = cli("run", "production", "--json").document
    assert any(sentence in note for note in run["notes"]) == said
    cli("baseline", "accept")
    check = cli("check", "next", "--json").document
    assert any(note.startswith(f"next: {sentence}") for note in check["notes"]) == said


def test_where_there_is_nothing_to_cut_off_or_put_in_it_is_said(
    project: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    project()
    cli("run", "production")
    cli("baseline", "accept")
    controls = cli("check", "good_sync", "--controls", "--json").document["controls"]
    assert [run["control"] for run in controls["runs"]] == ["oracle"]
    assert (controls["retention"], controls["findings"]) == ([], [])
    assert controls["notes"][0] == (
        "the unplugged control was not run: the agent is given no memory and no history to cut off"
    )
    assert "no full context for db, day: no history is named that could be put into the prompt" in controls["notes"]
