from __future__ import annotations

import json

import pytest

from foldproof.core import FileError
from foldproof.logs import Turn
from foldproof.logs.longmemeval import iso_date, read_longmemeval


def question(**changes):
    item = {
        "question_id": "q1",
        "question_type": "knowledge-update",
        "question": "Where do I work now?",
        "question_date": "2023/05/30 (Tue) 21:56",
        "answer": "Acme",
        "answer_session_ids": ["answer_2"],
        "haystack_dates": ["2023/05/21 (Sun) 10:00", "2023/04/01 (Sat) 09:00"],
        "haystack_session_ids": ["answer_2", "noise"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I now work at Acme.", "has_answer": True},
                {"role": "assistant", "content": ""},
            ],
            [{"role": "user", "content": "Pasta?"}],
        ],
    }
    return {**item, **changes}


def flat_session(name="a", **changes):
    return {
        "id": name,
        "timestamp": "2023/05/20 (Sat) 02:21",
        "turns": [{"role": "user", "content": f"turn of {name}", "metadata": {"has_answer": True}}],
        **changes,
    }


def flat_question(**changes):
    truth = {"answer": "Acme", "supporting_session_ids": ["b", "nix"], "valid_as_of": "2023/05/30 (Tue) 23:40"}
    return {
        "id": "q1",
        "category": "temporal",
        "question": "Where?",
        "ground_truth": truth,
        "constraints": {},
        **changes,
    }


@pytest.fixture
def read(tmp_path):
    def _read(*items, raw=None):
        path = tmp_path / "data.json"
        path.write_bytes(raw if raw is not None else json.dumps(items).encode())
        found = read_longmemeval(path)
        return list(found.questions), found

    return _read


@pytest.fixture
def read_flat(tmp_path):
    def _read(questions, sessions):
        (tmp_path / "questions.jsonl").write_text(
            "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in questions)
        )
        (tmp_path / "sessions.jsonl").write_text(
            "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in sessions)
        )
        found = read_longmemeval(tmp_path)
        return list(found.questions), found

    return _read


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2023/05/30 (Tue) 21:56", "2023-05-30T21:56"),
        ("2023/05/30 21:56", "2023-05-30T21:56"),
        ("2023/05/30", "2023-05-30"),
        (" yesterday ", "yesterday"),
        ("half \ud800", "half ?"),
        ("", ""),
    ],
)
def test_dates(text, iso):
    assert iso_date(text) == iso


def test_sessions_are_sorted_and_their_labels_hidden(read):
    (found,), benchmark = read(question())
    assert [(session.id, session.at) for session in found.sessions] == [
        ("s1", "2023-04-01T09:00"),
        ("s2", "2023-05-21T10:00"),
    ]
    assert found.sessions[1].turns == (Turn("user", "I now work at Acme."), Turn("agent", ""))
    assert found.evidence == (("s2", 1),)
    assert (found.at, found.answer, found.abstain, found.notes) == ("2023-05-30T21:56", "Acme", False, ())
    assert (benchmark.problems, benchmark.shared, len(benchmark.sha256)) == ([], (), 64)


@pytest.mark.parametrize(("answer", "text"), [(3, "3"), (2.5, "2.5"), ("x", "x")])
def test_answers_that_are_numbers_become_text(read, answer, text):
    assert read(question(answer=answer))[0][0].answer == text


def test_an_abstention_has_no_answer_and_no_evidence(read):
    (found,), _ = read(question(question_id="q1_abs", answer="You did not say."))
    assert (found.abstain, found.answer, found.evidence) == (True, "", ())


def test_repeated_session_ids_are_told_apart_and_noted(read):
    (found,), _ = read(question(haystack_session_ids=["same", "same"]))
    assert [session.id for session in found.sessions] == ["s1", "s2"]
    assert found.notes == ("1 session ids stand more than once in its haystack",)


@pytest.mark.parametrize(
    ("changes", "needle"),
    [
        ({"haystack_dates": []}, "question 'q1' cannot be read: it has 2 session ids, 0 dates and 2 sessions"),
        ({"answer": ["a"]}, "its answer is of type list"),
        ({"answer": True}, "its answer is of type bool"),
        ({"answer": " "}, "it has nothing but blanks where a text is expected"),
        ({"question_type": ["x"]}, "it has list where a text is expected"),
        ({"question": None}, "it has NoneType where a text is expected"),
        ({"haystack_sessions": [[], [{"role": "bot", "content": "x"}]]}, "a turn has the role 'bot'"),
        ({"haystack_sessions": [[], [{"content": "x"}]]}, "lacks the field 'role'"),
        ({"haystack_sessions": [[], ["x"]]}, "cannot be read"),
        ({"haystack_dates": None}, "cannot be read"),
    ],
)
def test_a_broken_question_is_named_and_never_fatal(read, changes, needle):
    found, benchmark = read(question(**changes), 5, question(question_id="q2"))
    assert [item.id for item in found] == ["q2"]
    assert needle in benchmark.problems[0].message
    assert "question '2' cannot be read" in benchmark.problems[1].message


def test_a_cut_file_keeps_what_came_before(read):
    found, benchmark = read(raw=json.dumps([question()]).encode()[:-1] + b",\n{")
    assert len(found) == 1
    assert (benchmark.problems[0].line, "question 2" in benchmark.problems[0].message) == (2, True)
    assert read(raw=b"[" * 100_000)[1].problems


def test_files_that_are_no_benchmark(read, tmp_path):
    for raw in (b"{}", b"", b"\xff"):
        with pytest.raises(FileError):
            read(raw=raw)
    with pytest.raises(FileError, match="cannot be read: No such file"):
        read_longmemeval(tmp_path / "nix.json")
    with pytest.raises(FileError, match="cannot be read"):
        read_longmemeval(tmp_path)


def test_the_flat_form_shares_one_history(read_flat):
    found, benchmark = read_flat(
        [flat_question(), flat_question(id="q2", constraints={"abstention_expected": True})],
        [flat_session("b"), flat_session("a", timestamp="2023/01/01 (Sun) 10:00")],
    )
    assert [(session.id, session.turns[0].text) for session in benchmark.shared] == [
        ("s1", "turn of a"),
        ("s2", "turn of b"),
    ]
    assert [(item.answer, item.evidence, item.sessions, item.at) for item in found] == [
        ("Acme", (("s2", 1),), (), "2023-05-30T23:40"),
        ("", (), (), "2023-05-30T23:40"),
    ]
    assert not benchmark.problems


def test_broken_lines_of_the_flat_form_are_named(read_flat):
    found, benchmark = read_flat(
        ["", "nope", "3", flat_question(), flat_question(question=3), flat_question(ground_truth=None)],
        [flat_session(turns=[{"role": "user"}]), flat_session("ok"), "[" * 100_000],
    )
    assert [item.id for item in found] == ["q1"]
    assert [session.id for session in benchmark.shared] == ["s2"]
    assert len(benchmark.problems) == 6
