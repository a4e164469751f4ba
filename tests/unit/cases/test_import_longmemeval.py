from __future__ import annotations

import json

import pytest

from foldproof.cases import Fact, import_benchmark, load_project, load_set
from foldproof.cases.answers import fact_of_answer, too_long_to_match
from foldproof.core import FileError, UsageError

TURNS = [
    [{"role": "user", "content": "Luna is my cat.", "has_answer": True}, {"role": "assistant", "content": "Nice."}],
    [{"role": "user", "content": "Pasta?"}],
]


def question(name, kind="single-session-user", answer="Luna", **more):
    return {
        "question_id": name,
        "question_type": kind,
        "question": f"What of {name}?",
        "question_date": "2023/05/30 (Tue) 21:56",
        "answer": answer,
        "haystack_dates": ["2023/05/21 (Sun) 10:00", "2023/04/01 (Sat) 09:00"],
        "haystack_session_ids": ["answer_1", "noise"],
        "haystack_sessions": TURNS,
        **more,
    }


@pytest.fixture
def data(tmp_path):
    def _data(*items):
        path = tmp_path / "data.json"
        path.write_text(json.dumps(items))
        return path

    return _data


def plain(*texts):
    facts = tuple(Fact("normalized", text) for text in texts)
    return facts[0] if len(facts) == 1 else Fact("any", any=facts)


@pytest.mark.parametrize(
    ("answer", "fact"),
    [
        ("Business Administration", plain("Business Administration")),
        ("8 days.", plain("8 days")),
        ("25 minutes and 50 seconds (or 25:50)", plain("25 minutes and 50 seconds", "25:50")),
        ("7 days. 8 days (including the last day) is also acceptable.", plain("7 days", "8 days")),
        ("7 days; 8 days would  be also fine", plain("7 days", "8 days")),
        ("tea, green or black, are also correct.", plain("tea", "green or black,")),
        ("7 days. 8 days must be also fine", plain("7 days. 8 days must be also fine")),
        ("7 days. would be also fine", plain("7 days. would be also fine")),
        (". 8 days is also fine", plain(". 8 days is also fine")),
        ("8 days is also fine", plain("8 days is also fine")),
        ("is also fine", plain("is also fine")),
        ("25 minutes ( or 25:50 ) each", plain("25 minutes each", "25:50")),
        ("a (orange) b (or) c", plain("a b c")),
        ("The Museum (in town)", plain("The Museum")),
        ("(aside)", plain("(aside)")),
        ("four", plain("four", "4")),
        ("20", plain("20", "twenty")),
        ("21", plain("21")),
        ("007", plain("007")),
        ("a (or a)", plain("a")),
    ],
)
def test_answers_become_facts(answer, fact):
    assert fact_of_answer(answer) == fact


def test_an_answer_is_too_long_only_where_every_wording_is():
    long = " ".join("abcdefghijklm")
    assert too_long_to_match(plain(long))
    assert not too_long_to_match(plain(long, "short"))
    assert not too_long_to_match(plain(long[:-2]))


def test_a_project_is_written_that_loads(data, tmp_path):
    sentence = "The user would prefer to be told about the many small restaurants that are near the old town"
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps([{"id": "q4", "why": "issue 12"}, {"id": "nix"}]))
    report = import_benchmark(
        "longmemeval",
        data(
            question("q1"),
            question("q2", "single-session-preference", sentence),
            question("q3_abs"),
            question("q4", "new-kind", 3),
            question("q5", "temporal-reasoning", haystack_session_ids=["a", "a"]),
            question("q1"),
            question("q6", answer="..."),
            question("q 7/x"),
            question("q8", answer=None),
        ),
        folder=tmp_path / "out",
        errors=wrong,
    )
    found = load_set(report.replay_set)
    assert [case.id for case in found.cases] == ["q1", "q2", "q3_abs", "q4", "q5", "q-7-x"]
    assert [case.case_class for case in found.cases] == [
        "semantic",
        "preference",
        "semantic",
        "semantic",
        "episodic",
        "semantic",
    ]
    assert found.cases[3].tags == ("new-kind", "disputed", "disputed-issue-12")
    assert (found.cases[2].abstain, found.cases[2].expected, found.cases[2].tags) == (True, (), ("abstention",))
    assert (str(found.cases[0].source[0]), found.cases[0].at) == ("q1/s2.t1", "2023-05-30T21:56")
    assert not found.gate_declared
    assert (report.cases, report.histories, report.review) == (6, 6, ("q2",))
    assert report.disputed == ("q4: issue-12",)
    assert [problem.message.split("'")[1] for problem in report.problems] == ["q1", "q6", "q8"]
    notes = "\n".join(report.notes)
    for needle in (
        "No gate is declared",
        "unknown type 'new-kind'",
        "more than once",
        "count from today",
        "episodic 1, preference 1",
        "a bare small number",
        "1 cases have a disputed key",
        "1 entries of the list of wrong keys are of no question imported: nix",
    ):
        assert needle in notes
    assert report.sha256 in report.replay_set.read_text()
    assert list(load_project(report.project).configs) == ["production", "window"]
    assert "answer_" not in "".join(path.read_text() for path in (tmp_path / "out").rglob("*.*l"))


def test_limit_and_shared_history(tmp_path):
    source = tmp_path / "flat"
    source.mkdir()
    truth = {"answer": "Luna", "supporting_session_ids": ["a"], "valid_as_of": ""}
    questions = [
        {"id": f"q{n}", "category": "knowledge_update", "question": "Who?", "ground_truth": truth} for n in range(3)
    ]
    session = {"id": "a", "timestamp": "", "turns": [{**turn, "metadata": {"has_answer": True}} for turn in TURNS[0]]}
    (source / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    (source / "sessions.jsonl").write_text(json.dumps(session))
    report = import_benchmark("longmemeval", source, folder=tmp_path / "out", limit=2)
    assert (report.cases, report.histories) == (2, 1)
    assert any("share one history" in note for note in report.notes)
    assert not any("small number" in note for note in report.notes), "no answer is one"
    found = load_set(report.replay_set)
    assert {case.history for case in found.cases} == {"all"}
    assert import_benchmark("longmemeval", source, folder=tmp_path / "all").cases == 3


def test_a_project_that_is_there_is_not_overwritten(data, tmp_path):
    source = data(question("q1"))
    import_benchmark("longmemeval", source, folder=tmp_path / "out")
    with pytest.raises(UsageError, match="is there already"):
        import_benchmark("longmemeval", source, folder=tmp_path / "out")
    assert import_benchmark("longmemeval", source, folder=tmp_path / "out", force=True).cases == 1


def test_data_without_a_question_is_an_error(data, tmp_path):
    for items in ((), (question("q1", answer=None),)):
        with pytest.raises(FileError, match="no usable question"):
            import_benchmark("longmemeval", data(*items), folder=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_target_that_cannot_be_written(data, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        import_benchmark("longmemeval", data(question("q1")), folder=tmp_path / "file" / "out")
