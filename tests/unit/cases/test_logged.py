"""Questions that were really asked, drafts that expect nothing yet, and sets that are written anew."""

from __future__ import annotations

from datetime import date

import pytest

from foldproof.cases import Logged, ReplaySet, check_new_set, dump_new_sets, dump_set, lint_set, load_set
from foldproof.core import FileError, UsageError
from foldproof.logs import History, Session, Turn

CASE = "{id: a, question: Which?, expected_facts: [port 8443]"


@pytest.fixture
def load(tmp_path):
    def write(*cases):
        path = tmp_path / "replay.yaml"
        path.write_text("foldproof: 1\ncases:\n" + "".join(f"- {case}\n" for case in cases), encoding="utf-8")
        return load_set(path)

    return write


def test_where_a_question_was_asked_is_kept_and_changes_no_identity(load, tmp_path):
    plain = load(f"{CASE}}}")
    asked = load(f"{CASE}, logged: {{user: ada, session: s3, day: 2026-01-04, asked: 12}}}}")
    assert plain.cases[0].logged is None
    assert asked.cases[0].logged == Logged("ada", "s3", date(2026, 1, 4), 12)
    assert asked.sha256 == plain.sha256
    dump_set(asked, tmp_path / "again.yaml")
    assert load_set(tmp_path / "again.yaml").cases == asked.cases
    bare = load(f"{CASE}, logged: {{}}}}")
    assert bare.cases[0].logged == Logged()
    dump_set(bare, tmp_path / "bare.yaml")
    assert load_set(tmp_path / "bare.yaml").cases == bare.cases


@pytest.mark.parametrize("wrong", ["{asked: 0}", "{day: 4 May}", "{who: ada}", "often"])
def test_what_is_no_such_place_is_told(load, wrong):
    with pytest.raises(FileError) as told:
        load(f"{CASE}, logged: {wrong}}}")
    assert "logged" in str(told.value)


def test_a_draft_may_expect_nothing_yet_and_is_warned_of(load):
    found = load("{id: a, question: Which?, tags: [draft]}", f"{CASE.replace('id: a', 'id: b')}, tags: [draft]}}")
    told = {problem.line: problem for problem in lint_set(found) if problem.rule == "draft"}
    assert "expects nothing yet" in told[3].message
    assert "`expected_facts`" in told[3].hint
    assert "it expects what an agent did" in told[4].message


@pytest.mark.parametrize(
    "case", ["{id: a, question: Which?}", "{id: a, question: Q?, forbidden_facts: [x1], tags: [draft]}"]
)
def test_any_other_case_without_facts_is_an_error(load, case):
    with pytest.raises(FileError, match="has no expected facts"):
        load(case)


def test_new_sets_share_a_history_that_says_the_same_and_take_no_other(load, tmp_path):
    history = History("talk", (Session("s1", (Turn("user", "Port 8443."),)),))
    made = ReplaySet("s", "", load(f"{CASE}}}").cases, {}, "", {"talk": history}, gate_declared=False)
    first, second = tmp_path / "one.yaml", tmp_path / "two.yml"
    written = dump_new_sets({first: (made, "by hand"), second: (made, "")})
    assert written == (first, second, tmp_path / "histories" / "talk.jsonl")
    assert first.read_text("utf-8").startswith("# by hand\n")
    assert load_set(second).cases == made.cases
    (tmp_path / "histories" / "talk.jsonl").write_text('{"session": "s2", "turns": []}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="another history of that name"):
        dump_new_sets({tmp_path / "three.yaml": (made, "")})
    assert not (tmp_path / "three.yaml").exists()
    with pytest.raises(UsageError, match="there already"):
        check_new_set(first)
    with pytest.raises(UsageError, match=r"name it .*three\.yaml"):
        check_new_set(tmp_path / "three.json")


def test_where_the_second_set_cannot_be_written_the_first_is_taken_away_again(load, tmp_path):
    history = History("talk", (Session("s1", (Turn("user", "Port 8443."),)),))
    made = ReplaySet("s", "", load(f"{CASE}}}").cases, {}, "", {"talk": history}, gate_declared=False)
    (tmp_path / "a file").write_text("", encoding="utf-8")
    dump_new_sets({tmp_path / "there.yaml": (made, "")})
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match=r"cannot be written: .*\n.*the room on the disk"):
        dump_new_sets({tmp_path / "one.yaml": (made, ""), tmp_path / "a file" / "two.yaml": (made, "")})
    assert sorted(tmp_path.rglob("*")) == before, "the history that was shared stays"
