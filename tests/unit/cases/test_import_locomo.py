"""LoCoMo as a set: categories (B78), wrong keys (B77), citations that name no turn. The data here is made up."""

from __future__ import annotations

import json

import pytest

from foldproof.cases import Fact, Provenance, Source, import_benchmark, lint_set, load_set
from foldproof.cases.answers import day_of, fact_of_answer, facts_of_list
from foldproof.core import FileError, UsageError


def turn(who, place, text, **more):
    return {"speaker": who, "dia_id": place, "text": text, **more}


TALK = {
    "speaker_a": "Ines",
    "speaker_b": "Olaf",
    "session_10_date_time": "9:05 am on 3 June, 2024",
    "session_10": [turn("Olaf", "D10:1", "My kiln broke.", blip_caption="a cracked bowl")],
    "session_2_date_time": "1:56 pm on 8 May, 2024",
    "session_2": [
        turn("Ines", "D2:1", "I bought a red canoe yesterday, and paddles."),
        turn("Olaf", "D2:2", "Lovely! I keep bees and goats."),
    ],
    "session_3_date_time": "2:00 pm on 9 May, 2024",
}


def asked(category, answer="red canoe", evidence=("D2:1",), question="What did Ines buy?", **more):
    told = {} if answer is None else {"answer": answer}
    return {"question": question, "category": category, "evidence": list(evidence), **told, **more}


@pytest.fixture
def made(tmp_path):
    def making(*questions, talk=TALK, wrong=None, **options):
        source = tmp_path / "data.json"
        source.write_text(json.dumps([{"sample_id": "talk 1", "conversation": talk, "qa": list(questions)}]))
        if wrong is not None:
            (tmp_path / "errors.json").write_text(json.dumps(wrong))
            options["errors"] = tmp_path / "errors.json"
        report = import_benchmark("locomo", source, folder=tmp_path / "out", force=True, **options)
        return report, load_set(report.replay_set)

    return making


def test_b78_categories_are_mapped_as_the_data_means_them(made):
    report, found = made(*(asked(n) for n in (1, 2, 3, 4)), asked(5, None, adversarial_answer="a blue kayak"))
    assert [(case.id, case.tags, case.case_class, case.abstain) for case in found.cases] == [
        ("locomo_0_qa0", ("multi-hop",), "episodic", False),
        ("locomo_0_qa1", ("temporal",), "episodic", False),
        ("locomo_0_qa2", ("open-domain",), "semantic", False),
        ("locomo_0_qa3", ("single-hop",), "semantic", False),
        ("locomo_0_qa4", ("adversarial",), "semantic", True),
    ]
    assert (report.cases, report.histories, report.review) == (5, 1, ("locomo_0_qa2",)), "a guess is no quotation"
    bait = found.cases[4]
    assert (bait.expected, [fact.text for fact in bait.forbidden]) == ((), ["a blue kayak"])


def test_sessions_come_by_number_with_their_time_and_speakers(made):
    _, found = made(asked(4))
    history = found.histories["talk-1"]
    assert [(session.id, session.at) for session in history.sessions] == [
        ("s2", "2024-05-08T13:56"), ("s10", "2024-06-03T09:05"),
    ]  # fmt: skip
    assert [(said.role, said.text) for session in history.sessions for said in session.turns] == [
        ("user", "Ines: I bought a red canoe yesterday, and paddles."),
        ("agent", "Olaf: Lovely! I keep bees and goats."),
        ("agent", "Olaf: My kiln broke.\n[image: a cracked bowl]"),
    ]
    assert found.cases[0].at == "", "the data does not tell when it is asked"


@pytest.mark.parametrize(
    ("evidence", "sources", "lost"),
    [
        (["D2:1; D10:1"], [("s2", 1), ("s10", 1)], []),
        (["D2:1 D2:2", "D2:1"], [("s2", 1), ("s2", 2)], []),
        (["D", "D2:2"], [("s2", 2)], ["D"]),
        (["D:2:1"], [], ["D:2:1"]),
        (["D2:01", "D9:9"], [], ["D2:01", "D9:9"]),
        ([], [], []),
        ("D2:2", [("s2", 2)], []),
        (None, [], []),
    ],
)
def test_a_citation_that_names_no_turn_is_told_and_not_guessed(made, evidence, sources, lost):
    report, found = made({**asked(4), "evidence": evidence})
    assert found.cases[0].source == tuple(Source("talk-1", session, at) for session, at in sources)
    told = [note for note in report.notes if "names no turn" in note]
    assert told == [f"question 'locomo_0_qa0': it cites '{one}', which names no turn" for one in lost]


def test_what_follows_from_a_turn_without_standing_in_it_is_computed(made):
    _, found = made(asked(2, "7 May 2024"), asked(1, "red canoe, paddles", ["D2:1", "D2:2"]), asked(1, "bees, kiln"))
    day, both, half = found.cases
    assert (day.expected, day.provenance) == ((Fact("date", "2024-05-07"),), {0: Provenance(computed=True)})
    assert ([fact.text for fact in both.expected], both.provenance) == (["red canoe", "paddles"], {})
    assert half.provenance == {0: Provenance(computed=True), 1: Provenance(computed=True)}
    assert not [problem for problem in lint_set(found) if problem.severity == "error"]


def test_no_secret_is_written(made, tmp_path):
    key = "sk-proj-" + "aB3" * 16
    talk = {**TALK, "session_2": [turn("Ines", "D2:1", f"My key is {key}.")]}
    bait = asked(5, None, adversarial_answer=f"the blue key {key}", question=f"Is it {key}?")
    report, found = made(asked(4, key), bait, talk=talk)
    assert [case.id for case in found.cases] == ["locomo_0_qa1"], "`[redacted]` stands in any text that held a secret"
    assert "has a secret for an answer" in report.problems[0].message
    assert found.cases[0].forbidden == ()
    assert key not in "".join(path.read_text() for path in (tmp_path / "out").rglob("*.*l"))


def test_an_unanswerable_question_with_an_answer_is_asked_for_it(made):
    report, found = made(asked(5, "No", adversarial_answer="Yes"))
    assert ([fact.text for fact in found.cases[0].expected], found.cases[0].abstain) == (["No"], False)
    assert found.cases[0].forbidden == ()
    assert any("of the category that has no answer, and has one" in note for note in report.notes)


@pytest.mark.parametrize("bait", ["Yes", "7", "the buy", " ".join("abcdefghijklmn"), "..."])
def test_a_bait_that_would_forbid_too_much_or_nothing_is_left_out(made, bait):
    question = "What is the buy of Ines?"
    _, found = made(asked(5, None, question=question, adversarial_answer=bait))
    assert found.cases[0].forbidden == ()


def test_the_data_and_the_list_stand_in_the_set(made):
    report, found = made(asked(4), wrong=[])
    assert (found.data.name, found.data.sha256) == ("LoCoMo", report.sha256)
    assert len(found.data.quarantine) == 64
    _, without = made(asked(4))
    assert (without.data.quarantine, without.sha256 == found.sha256) == ("", False)


WRONG = [
    {"question_id": "locomo_0_qa0", "question": "What did  Ines buy?", "error_type": "HALLUCINATION",
     "correct_answer": "a canoe and paddles", "correct_evidence": ["D2:1"]},
    {"question_id": "locomo_0_qa1", "error_type": "WRONG_CITATION", "correct_answer": "bees",
     "correct_evidence": ["D2:2"]},
    {"question_id": "locomo_0_qa2", "error_type": "AMBIGUOUS", "correct_answer": "one or two"},
    {"question_id": "locomo_0_qa3", "question": "Another question?", "error_type": "INCOMPLETE"},
    {"question_id": "locomo_9_qa9", "error_type": "INCOMPLETE"},
]  # fmt: skip
QUESTIONS = (asked(4, "blue canoe"), asked(4, "bees"), asked(4, "two"), asked(4))


def test_b77_wrong_keys_are_kept_tagged_and_told(made):
    report, found = made(*QUESTIONS, wrong=WRONG)
    assert [case.tags[1:] for case in found.cases] == [
        ("disputed", "disputed-hallucination"), ("disputed", "disputed-source"), ("disputed", "disputed-ambiguous"), (),
    ]  # fmt: skip
    assert [case.expected[0].text for case in found.cases[:2]] == ["blue canoe", "bees"], "the key as it was published"
    assert found.ungated == {"locomo_0_qa0", "locomo_0_qa1", "locomo_0_qa2"}
    assert found.gate["semantic"].of is None
    assert report.disputed == (
        "locomo_0_qa0: hallucination", "locomo_0_qa1: wrong-citation", "locomo_0_qa2: ambiguous",
    )  # fmt: skip
    notes = "\n".join(report.notes)
    assert "'locomo_0_qa3': the list of wrong keys means another question" in notes
    assert "are of no question imported: 1 (locomo_9_qa9)" in notes


def test_b77_each_can_be_overridden(made):
    report, found = made(*QUESTIONS, wrong=WRONG, corrected=True)
    assert [case.tags[1:] for case in found.cases] == [
        ("corrected",), ("corrected",), ("disputed", "disputed-ambiguous"), (),
    ]  # fmt: skip
    assert found.cases[0].expected[0].text == "a canoe and paddles"
    assert (found.cases[1].expected[0].text, str(found.cases[1].source[0])) == ("bees", "talk-1/s2.t2")
    assert any(note.startswith("Cases with the corrected key of the list: 2.") for note in report.notes)


def test_a_correction_that_names_no_turn_leaves_the_source_disputed(made):
    wrong = [{"question_id": "locomo_0_qa0", "error_type": "WRONG_CITATION", "correct_evidence": ["D7:7"]}]
    _, found = made(asked(4), wrong=wrong, corrected=True)
    assert found.cases[0].tags == ("single-hop", "disputed", "disputed-source")


def test_what_is_to_be_admitted_is_not_corrected_into_an_answer(made):
    """The key of such a question would stay as it is, and the case gate as if it were right."""
    wrong = [{"question_id": "locomo_0_qa0", "error_type": "HALLUCINATION", "correct_answer": "a blue kayak"}]
    report, found = made(asked(5, None), wrong=wrong, corrected=True)
    assert (found.cases[0].abstain, found.cases[0].ungated) == (True, True)
    assert not any("corrected key" in note for note in report.notes)


def test_a_citation_of_a_correction_that_names_no_turn_is_told(made):
    wrong = [{"question_id": "locomo_0_qa0", "error_type": "WRONG_CITATION", "correct_evidence": ["D2:2", "D7:7"]}]
    report, found = made(asked(4), wrong=wrong, corrected=True)
    assert [str(source) for source in found.cases[0].source] == ["talk-1/s2.t2"]
    assert "question 'locomo_0_qa0', as corrected: it cites 'D7:7', which names no turn" in report.notes


@pytest.mark.parametrize(
    "entry",
    [{"question_id": "conv-1_q2"}, {"question_id": "locomo_0_qa0", "question": "Another question?"}],
)
def test_a_list_of_other_data_is_told_and_not_named_by_the_set(made, entry):
    report, found = made(asked(4), wrong=[entry])
    assert (found.ungated, found.data.quarantine) == (frozenset(), "")
    assert any("No entry of the list of wrong keys is of this data" in note for note in report.notes)


@pytest.mark.parametrize("names", [("one", "one"), ("日本", "中国"), ("a b", "a-b"), (None, "conversation-0")])
def test_no_conversation_takes_the_history_of_another(tmp_path, names):
    other = {**TALK, "session_2": [turn("Ines", "D2:1", "I sold a green kayak.")]}
    talks = [
        {"sample_id": name, "conversation": talk, "qa": [asked(4)]}
        for name, talk in zip(names, (TALK, other), strict=True)
    ]
    (tmp_path / "data.json").write_text(json.dumps(talks))
    report = import_benchmark("locomo", tmp_path / "data.json", folder=tmp_path / "out")
    found = load_set(report.replay_set)
    first, second = (found.histories[case.history].sessions[0].turns[0].text for case in found.cases)
    assert (report.histories, "canoe" in first, "kayak" in second) == (2, True, True)


def test_a_name_of_two_turns_cites_none_of_them_and_a_time_that_is_none_is_told(made):
    talk = {**TALK, "session_10": [turn("Olaf", "D2:1", "My kiln broke.")], "session_2_date_time": "soon"}
    report, found = made(asked(4), asked(4, "bees", ["D2:2"]), talk=talk)
    assert [case.source for case in found.cases] == [(), (Source("talk-1", "s2", 2),)]
    assert [problem.message for problem in report.problems] == [
        "conversation 0: its `session_2_date_time` is 'soon', which is no time",
        "conversation 0: 'D2:1' is the name of several turns, so no turn is cited by it",
    ]


def test_corrections_need_a_list(made):
    with pytest.raises(UsageError, match="--errors FILE"):
        made(asked(4), corrected=True)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ({"question": "?", "category": 9, "answer": "x"}, "its category is 9"),
        ({"question": "?", "category": "1", "answer": "x"}, "its category is '1'"),
        ({"question": "?", "category": 1}, "lacks the field 'answer'"),
        ({"question": "?", "answer": "x"}, "lacks the field 'category'"),
        ({"question": " ", "category": 1, "answer": "x"}, "where a text is expected"),
        ({"question": "?", "category": 1, "answer": ["x"]}, "of type list"),
        ({"question": "?", "category": True, "answer": "x"}, "its category is True"),
        ({"question": "?", "category": 1, "answer": float("nan")}, "which is no number"),
        ("no mapping", "it is no mapping"),
    ],
)
def test_a_question_that_cannot_be_read_is_told_and_ends_nothing(made, question, told):
    report, found = made(question, asked(4))
    assert (len(found.cases), len(report.problems)) == (1, 1)
    assert told in report.problems[0].message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1}', "no list of conversations"),
        ("[", "the JSON is broken"),
        ("[[", "the JSON is broken"),
        ("[" * 100_000, "nested too deeply|the JSON is broken"),
        ('[{"qa": []}]', "no `conversation` with `speaker_a`"),
        ('[{"conversation": {"speaker_a": "A"}}]', "lacks the field 'qa'"),
        ('[{"conversation": {"speaker_a": "A"}, "qa": 1}]', "no list of questions"),
        ('[{"conversation": {"speaker_a": "A", "session_1": [1]}, "qa": []}]', "`session_1` is no list of turns"),
        ("[]", "no usable question"),
        ('[{"conversation": {"speaker_a": "A"}, "qa": [{"category": 4, "question": "?", "answer": 1}]}]', "no session"),
    ],
)
def test_data_that_is_none_is_refused(tmp_path, text, told):
    (tmp_path / "data.json").write_text(text)
    with pytest.raises(FileError, match=told):
        import_benchmark("locomo", tmp_path / "data.json", folder=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def plain(*texts):
    return tuple(fact_of_answer(text) for text in texts)


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        ("yoga, old photos, and the garden.", plain("yoga", "old photos", "the garden")),
        ("bees, goats and sheep", plain("bees", "goats", "sheep")),
        ("Ada; Olaf", plain("Ada", "Olaf")),
        ("salt and pepper", plain("salt and pepper")),
        ("21 February, 2023", plain("21 February, 2023")),
        ("a pose (the tree), a stretch", plain("a pose (the tree), a stretch")),
        ("tea, because it is what her whole family drank", plain("tea, because it is what her whole family drank")),
        ("tea, tea", plain("tea")),
        ("tea, ", plain("tea,")),
        ("tea", plain("tea")),
    ],
)
def test_an_answer_of_several_things_is_several_facts(answer, facts):
    assert facts_of_list(answer) == facts


@pytest.mark.parametrize(
    ("answer", "day"),
    [
        ("7 May 2023", "2023-05-07"),
        ("May 7, 2023.", "2023-05-07"),
        ("21 February, 2023", "2023-02-21"),
        ("31 February 2023", ""),
        ("May 2023", ""),
        ("The week before 9 June 2023", ""),
        ("03/04/2023", ""),
    ],
)
def test_only_a_whole_day_is_a_date(answer, day):
    assert day_of(answer) == day
