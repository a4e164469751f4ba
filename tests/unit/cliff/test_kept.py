"""The folder of records: what is written is read again, what was cut off is cut off, what is foreign is refused."""

from dataclasses import replace

import pytest

from foldproof.cliff.kept import Begun, keep_in, read_kept
from foldproof.cliff.records import ProbeAnswer
from foldproof.core import FileError, UsageError
from foldproof.logs import Usage

from .corpora import a_round

BEGUN = Begun({"one": "h1"}, {"ours": "s1"}, "t1", corpus="texts")
ROUND = a_round("späte Zeile\n", usage=Usage(1, 2, 0.5), notes=("n",), unsafe="u")
ANSWER = ProbeAnswer("l", "one", "without", "chosen", right=True, chosen="a", order=("a", "b"))


def fill(folder, *rounds, answers=(), begun=BEGUN):
    with keep_in(folder, begun) as (keeper, kept):
        for one in rounds:
            keeper.round(one)
        for one in answers:
            keeper.probe(one)
        return kept


def test_what_is_written_is_read_again(tmp_path):
    folder = tmp_path / "deep" / "records"
    assert fill(folder, ROUND, answers=[ANSWER]).rounds == {}
    kept = read_kept(folder)
    assert (kept.begun, kept.rounds, kept.probes) == (BEGUN, {ROUND.key: ROUND}, [ANSWER])


def test_a_record_that_came_again_takes_the_place_of_the_first(tmp_path):
    failed = replace(ROUND, text="", state="error", error="x")
    fill(tmp_path / "r", failed, answers=[replace(ANSWER, state="error", right=None), ANSWER])
    kept = fill(tmp_path / "r", ROUND)
    assert kept.rounds == {ROUND.key: failed}
    assert read_kept(tmp_path / "r").rounds == {ROUND.key: ROUND}
    assert read_kept(tmp_path / "r").probes == [ANSWER]


def test_a_line_that_a_kill_cut_in_two_is_left_out_and_then_cut_off(tmp_path):
    fill(tmp_path / "r", ROUND)
    place = tmp_path / "r" / "rounds.jsonl"
    whole = place.read_bytes()
    place.write_bytes(whole + whole[:40])
    assert list(read_kept(tmp_path / "r").rounds) == [ROUND.key]
    other = replace(ROUND, number=2)
    fill(tmp_path / "r", other)
    assert list(read_kept(tmp_path / "r").rounds) == [ROUND.key, other.key]


def test_a_line_that_is_no_record_is_told_at_its_place(tmp_path):
    fill(tmp_path / "r", ROUND)
    place = tmp_path / "r" / "rounds.jsonl"
    place.write_text('{"subject": 1}\nnothing\n' + place.read_text("utf-8"), "utf-8")
    with pytest.raises(FileError) as raised:
        read_kept(tmp_path / "r")
    assert [problem.line for problem in raised.value.problems] == [1, 2]


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (replace(BEGUN, documents={"one": "h2"}), "document 'one' is not what it was"),
        (replace(BEGUN, subjects={"ours": "s2"}), "subject 'ours' is not what it was"),
        (replace(BEGUN, talk="t2"), "other talk"),
    ],
)
def test_records_of_something_else_are_not_gone_on_with(tmp_path, other, told):
    fill(tmp_path / "r", ROUND)
    with pytest.raises(UsageError, match=told):
        fill(tmp_path / "r", begun=other)


def test_more_subjects_and_documents_may_join(tmp_path):
    fill(tmp_path / "r", ROUND)
    fill(tmp_path / "r", begun=replace(BEGUN, documents={"two": "h2"}, subjects={"theirs": "s2"}))
    begun = read_kept(tmp_path / "r").begun
    assert (dict(begun.documents), list(begun.subjects)) == ({"one": "h1", "two": "h2"}, ["ours", "theirs"])


def test_two_runs_do_not_write_at_once(tmp_path):
    with keep_in(tmp_path / "r", BEGUN), pytest.raises(UsageError, match="another run keeps its records there"):
        fill(tmp_path / "r")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"foldproof": 2}', "upgrade foldproof"),
        ('{"foldproof": 1}', "this says not what the records are of"),
        ("[]", "this says not what the records are of"),
        ("no json", "this says not what the records are of"),
    ],
)
def test_a_plan_that_cannot_be_read_is_refused(tmp_path, text, told):
    (tmp_path / "cliff.json").write_text(text, "utf-8")
    with pytest.raises(UsageError, match=told):
        read_kept(tmp_path)


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("x", "utf-8")
    for place in (tmp_path, tmp_path / "mine.txt"):
        with pytest.raises(UsageError, match="holds no records of a cliff"):
            fill(place)
    with pytest.raises(UsageError, match="cannot be written"):
        fill(tmp_path / "mine.txt" / "deeper")
    with pytest.raises(UsageError, match="name a folder that --out wrote"):
        read_kept(tmp_path / "none")
