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
        "Cases with a disputed key: 1.",
        "Entries of the list of wrong keys that are of no question imported: 1 (nix).",
    ):
        assert needle in notes
    assert report.sha256 in report.replay_set.read_text()
    assert list(load_project(report.project).configs) == ["production", "window"]
    assert "answer_" not in "".join(path.read_text() for path in (tmp_path / "out").rglob("*.*l"))


def speeds(*said, answer="500 Mbps", kind="knowledge-update"):
    """A question on what was said in sessions that follow each other, each with its evidence or not."""
    talks = [[{"role": "user", "content": text, "has_answer": named}] for text, named in said]
    dates = [f"2023/05/{day:02} (Mon) 10:00" for day in range(1, len(talks) + 1)]
    ids = [f"s{day}" for day in range(len(talks))]
    more = {"haystack_dates": dates, "haystack_session_ids": ids, "haystack_sessions": talks}
    return question("speed", kind, answer, **more)


OLD, NEW = ("My plan has 500 Mbps.", True), ("I upgraded to 1 Gbps.", True)


def test_b79_of_a_knowledge_update_the_newest_word_wins_and_an_older_key_is_disputed(data, tmp_path):
    report = import_benchmark("longmemeval", data(speeds(OLD, NEW)), folder=tmp_path / "out")
    case = load_set(report.replay_set).cases[0]
    assert case.tags == ("knowledge-updates", "disputed", "disputed-older-value")
    assert report.disputed == ("speed: an older turn states its answer, and the newest, s2.t1, does not",)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (speeds(OLD, NEW, answer="1 Gbps"), "the newest turn states the key"),
        (speeds(OLD, NEW, kind="multi-session"), "not a question of the newest value"),
        (speeds(OLD, (NEW[0], False)), "the newer turn is not named as evidence"),
        (speeds(OLD, NEW, answer="2 Gbps"), "no turn states it: it is computed"),
        (speeds((OLD[0], False), NEW), "the key is stated in no turn that is named"),
    ],
)
def test_b79_nothing_else_is_disputed_for_it(data, tmp_path, asked, why):
    report = import_benchmark("longmemeval", data(asked), folder=tmp_path / "out")
    assert (load_set(report.replay_set).cases[0].tags[1:], report.disputed) == ((), ()), why


def test_b79_a_correction_takes_the_later_value(data, tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps([{"id": "speed", "why": "older value", "correct_answer": "1 Gbps"}]))
    source = data(speeds(OLD, NEW))
    report = import_benchmark("longmemeval", source, folder=tmp_path / "out", errors=wrong, corrected=True)
    case = load_set(report.replay_set).cases[0]
    assert (case.expected, case.tags) == ((plain("1 Gbps"),), ("knowledge-updates", "corrected"))


def test_the_data_stands_in_the_set_and_is_part_of_its_identity(data, tmp_path):
    first = import_benchmark("longmemeval", data(question("q1")), folder=tmp_path / "a")
    second = import_benchmark("longmemeval", data(question("q1", noise=1)), folder=tmp_path / "b")
    one, other = (load_set(report.replay_set) for report in (first, second))
    assert (one.data.name, one.data.sha256) == ("LongMemEval", first.sha256)
    assert one.data.sha256 != other.data.sha256
    assert one.sha256 != other.sha256, "of another release, though the question is the same"


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


def test_half_characters_end_no_import(data, tmp_path):
    odd = question("q1", "odd \ud800 kind", haystack_dates=["2023/05/21 (Sun) 10:00", "\ud800"])
    report = import_benchmark("longmemeval", data(odd), folder=tmp_path / "out")
    assert load_set(report.replay_set).cases[0].tags == ("odd ? kind",)


def test_a_question_with_nothing_before_it_is_left_out(data, tmp_path):
    """A history without a session cannot be loaded: the whole set would be lost for one question."""
    bare = {"haystack_dates": [], "haystack_session_ids": [], "haystack_sessions": []}
    report = import_benchmark("longmemeval", data(question("q1", **bare), question("q2")), folder=tmp_path / "out")
    assert [case.id for case in load_set(report.replay_set).cases] == ["q2"]
    assert report.problems[0].message == "question 'q1' has no session before it"


def test_a_list_names_questions_as_the_data_does(data, tmp_path):
    (tmp_path / "errors.json").write_text('[{"id": "q.1", "why": "wrong"}]')
    report = import_benchmark(
        "longmemeval", data(question("q.1")), folder=tmp_path / "out", errors=tmp_path / "errors.json"
    )
    assert (report.disputed, any("of no question" in note for note in report.notes)) == (("q.1: wrong",), False)


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
