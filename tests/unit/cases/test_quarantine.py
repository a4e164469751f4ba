"""Lists of wrong keys (B77): read whole or refused with all that is wrong."""

import json

import pytest

from foldproof.cases.quarantine import Dispute, read_quarantine
from foldproof.core import FileError


@pytest.fixture
def read(tmp_path):
    def reading(value):
        path = tmp_path / "errors.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return read_quarantine(path)

    return reading


def test_a_published_list_and_a_short_one_are_read_alike(read):
    told = read([
        {"question_id": "q1", "error_type": "WRONG_CITATION", "question": "Who?", "golden_answer": "Ada",
         "correct_answer": "Ada", "correct_evidence": ["D1:2"], "cited_evidence": ["D1:1"], "reasoning": "…"},
        {"id": "q2", "why": "off by one week", "correct_answer": 3},
        {"id": "q3"},
    ])  # fmt: skip
    assert told.disputes == {
        "q1": Dispute("wrong-citation", "Who?", "Ada", ("D1:2",)),
        "q2": Dispute("off-by-one-week", "", "3"),
        "q3": Dispute("wrong"),
    }
    assert len(told.sha256) == 64
    assert [(one.source_only, one.settled) for one in told.disputes.values()] == [
        (True, True), (False, True), (False, False),
    ]  # fmt: skip


def test_what_can_be_read_in_two_ways_stays_open():
    assert not Dispute("ambiguous", answer="one or two").settled
    assert not Dispute("wrong-citation", answer="Ada").settled, "it says nowhere which turn is right"


def test_everything_wrong_with_a_list_is_told(read):
    with pytest.raises(FileError) as caught:
        read([1, {"why": "x"}, {"id": "q", "correct_evidence": "D1:1"}, {"id": "q"}, {"id": "q"},
              {"id": "r", "why": ["x"]}, {"id": "r", "question": 1}, {"id": "r", "correct_answer": ["x"]}])  # fmt: skip
    assert [problem.message for problem in caught.value.problems] == [
        "entry 1: it is no mapping",
        "entry 2: it has no `question_id`",
        "entry 3: its `correct_evidence` is no list of texts",
        "entry 5: the question 'q' stands twice",
        "entry 6: its `error_type` is no text",
        "entry 7: its `question` is no text",
        "entry 8: its answer is of type list",
    ]


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_blank_correction_is_none(read, value):
    (entry,) = read([{"id": "q", "error_type": None, "correct_answer": value}]).disputes.values()
    assert (entry.why, entry.settled) == ("wrong", False)


@pytest.mark.parametrize(("text", "told"), [("{}", "is no list"), ("[\n{,", "cannot be read as JSON")])
def test_what_is_no_list_is_refused(read, text, told):
    with pytest.raises(FileError, match=told):
        read(text)


def test_a_list_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="cannot be read: No such file"):
        read_quarantine(tmp_path / "none.json")
