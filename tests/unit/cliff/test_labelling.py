"""Who is asked for which line, what a sitting keeps, and how far two agree."""

import pytest

from foldproof.cliff import (
    Document,
    Label,
    Labels,
    Sitting,
    agreements,
    line_hash,
    open_questions,
    second_questions,
    unsettled_questions,
)

CODE = "```\n# no heading\n```\n"
TEXT = f"Intro words go here.\n\n# Rules\n{CODE}Never push to main.\nRun make test first.\nOk.\nIt is fine.\n"
CORPUS = (Document("a.md", TEXT), Document("b.md", "Only one line here."))


def label(text, *given, document="a.md", **more):
    return Label(document, line_hash(text), given[0][1] if given else "safety", by=given, **more)


BOTH = label("Never push to main.", ("ana", "safety"), ("ben", "procedure"))
ONE = label("Run make test first.", ("ana", "procedure"))
NOBODY = label("It is fine.")


def texts(questions):
    return [question.line.text for question in questions]


def test_lines_that_nobody_labelled_are_asked_with_what_stands_around_them():
    questions = open_questions(Labels((BOTH, NOBODY)), CORPUS)
    assert texts(questions) == ["Intro words go here.", "Run make test first.", "Only one line here."]
    assert [question.heading for question in questions] == ["", "Rules", ""]
    assert [line.text for line in questions[1].before] == ["```", "Never push to main."]
    assert [line.text for line in questions[1].after] == ["Ok.", "It is fine."]
    assert all(question.given == () for question in questions)


def test_a_spread_is_the_same_after_some_are_labelled():
    every = open_questions(Labels(()), CORPUS, most=2)
    assert texts(every) == ["Never push to main.", "It is fine.", "Only one line here."]
    assert texts(open_questions(Labels((BOTH,)), CORPUS, most=2)) == texts(every)[1:]


def test_a_second_opinion_is_blind_and_drawn_once():
    labels = Labels((BOTH, ONE, NOBODY))
    assert texts(second_questions(labels, CORPUS, labeller="cleo")) == [
        "Never push to main.",
        "Run make test first.",
        "It is fine.",
    ]
    assert texts(second_questions(labels, CORPUS, labeller="ana")) == ["It is fine."]
    assert texts(second_questions(labels, CORPUS, labeller="ben")) == ["Run make test first.", "It is fine."]
    drawn = second_questions(labels, CORPUS, labeller="cleo", most=2)
    assert all(question.given == () for question in drawn)
    sitting = Sitting(labels, drawn, "cleo")
    sitting.give("none")
    assert texts(second_questions(sitting.labels, CORPUS, labeller="cleo", most=2)) == texts(drawn)[1:]


def test_what_is_to_be_settled_shows_what_was_said():
    (question,) = unsettled_questions(Labels((BOTH, ONE, NOBODY)), CORPUS)
    assert (question.line.text, question.given) == ("Never push to main.", (("ana", "safety"), ("ben", "procedure")))
    settled = label("Never push to main.", *BOTH.by, settled=True)
    assert unsettled_questions(Labels((settled,)), CORPUS) == []


def test_a_sitting_gives_skips_and_takes_back():
    sitting = Sitting(Labels(()), open_questions(Labels(()), CORPUS), "ana")
    assert not sitting.back()
    sitting.give("none")
    sitting.skip()
    sitting.give("procedure")
    assert (sitting.at, sitting.given, sitting.left) == (3, 2, 3)
    assert [(one.cls, one.by) for one in sitting.labels.labels] == [
        ("none", (("ana", "none"),)),
        ("procedure", (("ana", "procedure"),)),
    ]
    assert sitting.back()
    assert sitting.back()
    assert (sitting.at, sitting.given, sitting.left, len(sitting.labels.labels)) == (1, 1, 4, 1)
    assert sitting.current.line.text == "Never push to main."


def test_a_second_class_leaves_what_counts():
    sitting = Sitting(Labels((ONE, NOBODY)), second_questions(Labels((ONE, NOBODY)), CORPUS, labeller="ben"), "ben")
    sitting.give("safety")
    sitting.give("semantic")
    assert [(one.cls, one.by) for one in sitting.labels.labels] == [
        ("procedure", (("ana", "procedure"), ("ben", "safety"))),
        ("safety", (("unnamed", "safety"), ("ben", "semantic"))),
    ]


def test_settling_decides_and_is_nobodys_label():
    labels = Labels((BOTH,))
    sitting = Sitting(labels, unsettled_questions(labels, CORPUS), "ana", settling=True)
    sitting.give("procedure")
    (label,) = sitting.labels.labels
    assert (label.cls, label.by, label.settled) == ("procedure", BOTH.by, True)


def test_answers_from_elsewhere_label_what_they_name():
    sitting = Sitting(Labels(()), open_questions(Labels(()), CORPUS), "ana")
    sitting.answer({("b.md", line_hash("Only one line here."), 1): "semantic"})
    assert (sitting.given, sitting.left, sitting.current) == (1, 4, None)
    with pytest.raises(IndexError):
        sitting.skip()


def pair_of(*pairs):
    rows = (Label("a", line_hash(str(at)), one, by=(("ana", one), ("ben", two))) for at, (one, two) in enumerate(pairs))
    (found,) = agreements(Labels(tuple(rows)))
    return found


def test_two_that_always_agree():
    found = pair_of(*[("safety", "safety")] * 3, *[("none", "none")] * 3)
    assert (found.first, found.second, found.of, found.differing, found.unsettled) == ("ana", "ben", 6, (), 0)
    assert (found.kappa.value, found.rule_kappa.value, found.rule_ac1.value) == (1.0, 1.0, 1.0)


def test_two_that_differ_on_what_is_no_rule_agree_on_the_rules():
    found = pair_of(*[("safety", "safety")] * 3, *[("semantic", "procedure")] * 3)
    assert found.rule_kappa.value == 1.0
    assert found.kappa.value < 0.5
    assert (len(found.differing), found.unsettled) == (3, 3)
    assert found.counts == {("safety", "safety"): 3, ("semantic", "procedure"): 3}


def test_a_kappa_by_hand():
    # 4 of 6 agree; chance is (3 * 3 + 3 * 3) / 36 = 1/2.
    pairs = [("safety", "safety")] * 2 + [("none", "none")] * 2 + [("safety", "none"), ("none", "safety")]
    assert pair_of(*pairs).kappa.value == pytest.approx((4 / 6 - 1 / 2) / (1 - 1 / 2))


def test_every_two_with_a_line_in_common_are_held_against_each_other():
    rows = (
        label("x", ("ana", "safety"), ("ben", "safety")),
        label("y", ("ben", "none"), ("cleo", "none")),
        label("z", ("cleo", "none")),
    )
    assert [(one.first, one.second, one.of) for one in agreements(Labels(rows))] == [
        ("ana", "ben", 1),
        ("ben", "cleo", 1),
    ]
    assert agreements(Labels((ONE, NOBODY))) == ()
