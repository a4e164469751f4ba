"""`foldproof lint --since`: facts and memory must change in one diff. Each fault has a good twin."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SET = """\
foldproof: 1
gate: {preference: all}
histories: {mara: mara.jsonl}
cases:
- id: address
  class: preference
  history: mara
  question: Where do you send my parcels?
  expected_facts: [12 Mill Lane]
  source: [mara/s1.t1]
- id: allergy
  class: preference
  history: mara
  question: What must my order not hold?
  expected_facts: [no peanuts]
- id: nights
  class: preference
  history: mara
  question: How long do I stay?
  expected_facts:
  - fact: 7 nights
    source: mara/s2.t1
    computed: true
"""
TURNS = {
    "s1": ["I live at 12 Mill Lane.", "My orders hold no peanuts, please."],
    "s2": ["I arrive on March 4 and leave on March 11."],
}


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], check=True, capture_output=True, text=True)
    return done.stdout


class Project:
    """A repository with a set and a history, whose first commit is tagged `before`."""

    def __init__(self, folder: Path, cli: Callable[..., Any]) -> None:
        self.folder, self.cli = folder, cli

    def write(self, text: str = SET, **turns: list[str]) -> None:
        (self.folder / "replay.yaml").write_text(text)
        lines = [
            {"session": name, "turns": [{"role": "user", "text": said} for said in texts]}
            for name, texts in {**TURNS, **turns}.items()
        ]
        (self.folder / "mara.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines if line["turns"]))

    def errors(self, rev: str = "before") -> list[tuple[str, str]]:
        result = self.cli("lint", "--set", self.folder / "replay.yaml", "--since", rev, "--json")
        found = [item for item in result.document["problems"] if item["severity"] == "error"]
        assert (result.code == 4) is bool(found)
        assert all(item["hint"] and (item["line"] > 0 or item["rule"] in {"", "since"}) for item in found)
        return [(item["rule"], item["message"]) for item in found]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]) -> Project:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    git("init", "-q", "-b", "main")
    git("config", "user.name", "Mara")
    git("config", "user.email", "mara@example.org")
    made = Project(folder, cli)
    made.write()
    git("add", ".")
    git("commit", "-qm", "the set")
    git("tag", "before")
    return made


def test_nothing_changed(project: Project) -> None:
    assert project.errors() == []


def test_the_memory_changed_and_the_fact_did_not(project: Project) -> None:
    project.write(s1=["I live at 12 Mill Lane.", "My orders may hold anything, please."])
    ((rule, message),) = project.errors()
    assert rule == "memory-changed"
    assert "'no peanuts', but the turn that said it, mara/s1.t2, was changed" in message


def test_it_is_found_in_a_commit_as_well(project: Project) -> None:
    project.write(s1=["I live at 12 Mill Lane.", "My orders may hold anything, please."])
    git("commit", "-qam", "the memory alone")
    assert [rule for rule, _ in project.errors("HEAD~1")] == ["memory-changed"]
    assert project.errors("HEAD") == []


def test_both_changed_in_one_diff(project: Project) -> None:
    project.write(
        SET.replace("no peanuts", "no walnuts"), s1=["I live at 12 Mill Lane.", "My orders hold no walnuts, please."]
    )
    assert project.errors() == []


def test_a_turn_that_moved_still_says_it(project: Project) -> None:
    project.write(s1=["I live at 12 Mill Lane."], s2=[*TURNS["s2"], TURNS["s1"][1]])
    assert project.errors() == []


def test_a_new_turn_says_the_contrary(project: Project) -> None:
    project.write(s2=[*TURNS["s2"], "Please, not 12 Mill Lane any more."])
    ((rule, message),) = project.errors()
    assert rule == "memory-changed"
    assert "says the contrary" in message
    project.write(s2=[*TURNS["s2"], "I still live at 12 Mill Lane."])
    assert project.errors() == []


def test_the_fact_changed_and_the_memory_did_not(project: Project) -> None:
    project.write(SET.replace("no peanuts", "no walnuts"))
    ((rule, message),) = project.errors()
    assert rule == "fact-changed"
    assert "'no walnuts', which is new since 'before', while its history 'mara' did not change" in message


def test_the_memory_changed_beside_the_new_fact(project: Project) -> None:
    project.write(SET.replace("no peanuts", "no walnuts"), s2=[*TURNS["s2"], "Send it soon."])
    ((rule, message),) = project.errors()
    assert rule == "fact-changed"
    assert "changed, but does not say it" in message


def test_a_fact_is_worded_as_the_memory_always_had_it(project: Project) -> None:
    project.write(SET.replace("no peanuts", "hold no peanuts"))
    assert project.errors() == []


def test_the_source_turn_was_removed(project: Project) -> None:
    project.write(s1=TURNS["s1"][1:])
    ((rule, message),) = project.errors()
    assert rule == "source-removed"
    assert "the turn that said it, mara/s1.t1, was removed" in message


def test_the_source_turn_was_removed_and_nothing_stands_in_its_place(project: Project) -> None:
    text = SET.replace("[no peanuts]", "[no peanuts]\n  source: [mara/s1.t2]")
    project.write(text)
    git("commit", "-qam", "a source for each")
    git("tag", "-f", "before")
    project.write(text, s1=TURNS["s1"][:1])
    ((rule, message),) = project.errors()
    assert rule == "source-removed"
    assert "has the source 'mara/s1.t2', but that session has 1 turns" in message


def test_the_source_turn_and_its_fact_were_removed(project: Project) -> None:
    before, _, after = SET.partition("- id: address")
    project.write(before + after[after.index("- id: allergy") :], s1=TURNS["s1"][1:])
    assert project.errors() == []


def test_the_source_turn_moved_with_its_name(project: Project) -> None:
    project.write(SET.replace("mara/s1.t1", "mara/s1.t2"), s1=TURNS["s1"][::-1])
    assert project.errors() == []


SUPERSEDED = SET.replace("[12 Mill Lane]", "[{fact: 12 Mill Lane, superseded_by: 3 Quay Road}]")
TWIN = SET.replace("[12 Mill Lane]\n  source: [mara/s1.t1]", "[3 Quay Road]\n  forbidden_facts: [12 Mill Lane]")
MOVED = {"s2": [*TURNS["s2"], "I moved to 3 Quay Road."]}


def test_a_superseded_fact_is_still_expected(project: Project) -> None:
    project.write(SUPERSEDED, **MOVED)
    ((rule, message),) = project.errors()
    assert rule == "superseded-expected"
    assert "'12 Mill Lane', which was superseded by '3 Quay Road'" in message


def test_its_forbidden_twin_is_proposed_and_passes(project: Project) -> None:
    project.write(SUPERSEDED, **MOVED)
    shown = project.cli("lint", "--set", "replay.yaml", "--since", "before").out
    start = shown.index("    - id: address") if "    - id: address" in shown else shown.index("  - id: address")
    twin = shown[start:].split("\n\n")[0]
    indent = len(twin) - len(twin.lstrip())
    lines = [line[indent:] for line in twin.splitlines()]
    assert "expected_facts:" in twin
    assert "forbidden_facts:" in twin
    before, _, after = SET.partition("- id: address")
    project.write("\n".join([before.rstrip(), *lines, after[after.index("- id: allergy") :]]), **MOVED)
    assert project.errors() == []


def test_the_twin_in_place_of_the_case(project: Project) -> None:
    project.write(TWIN, **MOVED)
    assert project.errors() == []


def test_another_case_still_expects_what_one_forbids_by_now(project: Project) -> None:
    second = (
        "- id: parcel\n  class: preference\n  history: mara\n  question: Which street?\n"
        "  expected_facts: [12 Mill Lane]\n"
    )
    project.write(SET + second)
    git("commit", "-qam", "a second case")
    project.write(TWIN + second, **MOVED)
    ((rule, message),) = project.errors("HEAD")
    assert rule == "superseded-expected"
    assert "case 'parcel'" in message
    assert "as case 'address' says" in message


def test_what_was_superseded_before_is_a_doubt_no_error(project: Project) -> None:
    project.write(SUPERSEDED, **MOVED)
    git("commit", "-qam", "superseded")
    assert project.errors("HEAD") == []
    assert "[superseded]" in project.cli("lint", "--set", "replay.yaml", "--since", "HEAD").out


def test_a_computed_fact_is_looked_at_again(project: Project) -> None:
    moved = {"s2": ["I arrive on March 5 and leave on March 11."]}
    project.write(**moved)
    ((rule, message),) = project.errors()
    assert rule == "memory-changed"
    assert "'7 nights', which rests on mara/s2.t1, changed since 'before'" in message
    project.write(SET.replace("computed: true", "computed: true\n    reviewed: 2026-11-30"), **moved)
    assert project.errors() == []


def test_a_computed_fact_is_not_changed_alone(project: Project) -> None:
    project.write(SET.replace("7 nights", "6 nights"))
    ((rule, _),) = project.errors()
    assert rule == "fact-changed"
    project.write(
        SET.replace("7 nights", "6 nights").replace("computed: true", "computed: true\n    reviewed: 2026-11-30")
    )
    assert project.errors() == []


def test_what_others_did_since_is_no_change_of_ones_own(project: Project) -> None:
    git("checkout", "-qb", "work")
    git("checkout", "-q", "main")
    project.write(SET.replace("no peanuts", "no walnuts"), s1=["I live at 12 Mill Lane.", "My orders hold no walnuts."])
    git("commit", "-qam", "both, by somebody else")
    git("checkout", "-q", "work")
    assert project.errors("main") == []


def test_a_set_that_was_not_there_yet(project: Project) -> None:
    git("mv", "replay.yaml", "other.yaml")
    result = project.cli("lint", "--set", "other.yaml", "--since", "before", "--json")
    assert result.code == 0
    assert "since-new" in [item["rule"] for item in result.document["problems"]]


def test_a_set_that_did_not_load_then(project: Project) -> None:
    git("rm", "-q", "--cached", "mara.jsonl")
    git("commit", "-qm", "the history is forgotten")
    (told,) = project.errors("HEAD")
    assert told[0] == "since"
    assert "does not load" in told[1]


@pytest.mark.parametrize("rev", ["nowhere", "--output=x", "-h", "", "before..main", "0" * 40])
def test_a_revision_that_is_none(project: Project, rev: str) -> None:
    result = project.cli("lint", "--set", "replay.yaml", f"--since={rev}")
    assert result.code == 4
    assert f"'{rev}'" in result.err
    assert list(project.folder.glob("x*")) == []


def test_outside_of_a_repository(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    outside = Project(tmp_path / "plain", project.cli)
    outside.folder.mkdir()
    outside.write()
    result = project.cli("lint", "--set", outside.folder / "replay.yaml", "--since", "HEAD")
    assert result.code == 4
    assert "lies in no git repository" in result.err
    assert project.cli("lint", "--set", outside.folder / "replay.yaml").code == 0


def test_a_shallow_clone(project: Project, tmp_path: Path) -> None:
    project.write(SET.replace("Where", "To where"))
    git("commit", "-qam", "second")
    git("clone", "-q", "--depth", "1", f"file://{project.folder}", str(tmp_path / "shallow"))
    result = project.cli("lint", "--set", tmp_path / "shallow" / "replay.yaml", "--since", "HEAD~1")
    assert result.code == 4
    assert "this clone is shallow" in result.err
    assert "fetch --unshallow" in result.err


def test_a_pointer_in_place_of_a_history(project: Project) -> None:
    (project.folder / "mara.jsonl").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    git("commit", "-qam", "a pointer")
    project.write()
    (told,) = project.errors("HEAD")
    assert "Git LFS pointer" in told[1]


def test_a_turn_that_no_case_names_was_removed(project: Project) -> None:
    project.write(s1=TURNS["s1"][:1])
    ((rule, message),) = project.errors()
    assert rule == "memory-changed"
    assert "'no peanuts', but the turn that said it, mara/s1.t2, was removed" in message


def test_where_the_fact_stands_now_is_told(project: Project) -> None:
    project.write(s1=["I live where I live.", *TURNS["s1"][1:]], s2=[*TURNS["s2"], "It is 12 Mill Lane."])
    assert [rule for rule, _ in project.errors()] == ["memory-changed"]
    told = project.cli("lint", "--set", "replay.yaml", "--since", "before").out
    assert "the fact stands in mara/s2.t2: name that turn as its `source`" in told
    assert "source-silent" not in told, "one fault is told once"


def test_a_fact_that_was_never_stated_is_not_left_behind(project: Project) -> None:
    text = SET.replace("[no peanuts]", "[no walnuts]")
    project.write(text)
    git("commit", "-qam", "a fact that no turn states")
    project.write(text, s2=[*TURNS["s2"], "Send it soon."])
    assert project.errors("HEAD") == []


def test_a_case_without_a_history_has_its_memory_elsewhere(project: Project) -> None:
    text = SET + "- {id: abroad, class: preference, question: Where am I?, expected_facts: [Lisbon]}\n"
    project.write(text)
    git("commit", "-qam", "a case on a memory of the agent's own")
    project.write(text.replace("Lisbon", "Porto"))
    assert project.errors("HEAD") == []


def test_what_a_case_never_expected_may_be_forbidden(project: Project) -> None:
    project.write(SET.replace("[no peanuts]", "[no peanuts]\n  forbidden_facts: [12 Mill Lane]"))
    assert project.errors() == []


def test_a_judged_fact_is_looked_at_again(project: Project) -> None:
    judged = SET.replace("[12 Mill Lane]", "[{judged: names the street}]").replace(
        "gate:", "judge: {model: gpt-4.1-2025-04-14, prompt: mara.jsonl}\ngate:"
    )
    project.write(judged)
    assert project.errors() == [], "a new one is for the judge"
    git("commit", "-qam", "judged")
    project.write(judged, s1=["I live at 3 Quay Road.", *TURNS["s1"][1:]])
    ((rule, message),) = project.errors("HEAD")
    assert rule == "memory-changed"
    assert "'judged: names the street', which rests on mara/s1.t1" in message


def test_what_else_is_wrong_with_the_set_is_told_as_ever(project: Project) -> None:
    project.write(SET.replace("question: Where", "qestion: Where"))
    assert "unknown-field" in [rule for rule, _ in project.errors()]


def test_a_pointer_in_place_of_the_set(project: Project) -> None:
    (project.folder / "replay.yaml").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    git("commit", "-qam", "a pointer")
    project.write()
    (told,) = project.errors("HEAD")
    assert "Git LFS pointer" in told[1]


def test_a_revision_that_has_nothing_in_common(project: Project) -> None:
    git("checkout", "-q", "--orphan", "other")
    git("commit", "-qm", "another beginning")
    result = project.cli("lint", "--set", "replay.yaml", "--since", "before")
    assert result.code == 4
    assert "'before' has no commit in common with the present work" in result.err


def test_a_hook_does_not_point_git_elsewhere(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert project.errors() == []


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("", "git is not installed"),
        ("echo 'fatal: detected dubious ownership in repository' >&2; exit 128", "git does not trust the repository"),
        ("sleep 5", "git did not answer within"),
    ],
)
def test_a_git_that_does_not_answer(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, told: str
) -> None:
    (tmp_path / "bin").mkdir()
    if program:
        place = tmp_path / "bin" / "git"
        place.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{program}\n")
        place.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("foldproof.cases.git._PATIENCE_S", 0.5)
    result = project.cli("lint", "--set", "replay.yaml", "--since", "before")
    assert result.code == 4
    assert told in result.err
