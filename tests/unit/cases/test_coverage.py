"""Coverage: which questions a case covers, what is new, and which cases nobody asks."""

from __future__ import annotations

import pytest

from foldproof.cases import DISPUTED, DRAFT, Case, CaseSession, CaseTurn
from foldproof.cases.coverage import COVERS, Rarity, cover_traffic
from foldproof.logs import FORMATS
from foldproof.logs.topics import by_root
from foldproof.logs.traffic import AskedQuestion, Traffic

BACKGROUND = tuple(
    f"Where is the {thing} of the office?" for thing in ("kettle", "printer", "ladder", "heater", "safe")
)


def asked(text, times=1, *users):
    return AskedQuestion(text, by_root(text), times, frozenset(users or {1}))


def traffic(*questions, earlier=()):
    counts = {"lines": 9, "said": 9, "found": 9, "timeless": 0, "broken": 0, "problems": [], "notes": []}
    return Traffic(
        FORMATS.get("openai"), "named", drawn=sum(one.asked for one in questions), questions=tuple(questions),
        earlier=tuple(earlier), earlier_found=len(earlier), earlier_drawn=len(earlier), **counts,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("case", "question", "covered"),
    [
        ("Which database should I use for the billing service?", "which database for the billing service", True),
        ("Which database should I use for the billing service?", "BILLING database?", True),
        ("What is the staging port?", "Which port is staging on?", True),
        ("What is the staging port?", "Which port is production on?", False),
        ("What is the staging port?", "When is staging down?", False),
        ("Where should the parcels be delivered?", "Do you deliver a parcel?", True),
        ("Refund order 4021.", "Please refund my order #5310", True),
        ("Who is my boss?", "Who is my boss?", True),
        ("Who is my boss?", "Who runs my department?", False),
        ("数据库的端口是多少?", "数据库端口是多少", True),
        ("数据库的端口是多少?", "冰箱在哪里", False),
    ],
)
def test_a_case_covers_what_shares_enough_of_its_words(case, question, covered):
    held = cover_traffic(traffic(asked(question), *map(asked, BACKGROUND)), [Case("a", case)])
    assert (held.covered == 1) is covered
    assert (held.cases[0].asked, held.cases[0].likeness >= COVERS) == (int(covered), covered)


def test_a_rare_word_says_more_than_one_that_many_questions_have():
    rarity = Rarity([frozenset(by_root(text)) for text in (*BACKGROUND, "Where is the vault?")])
    assert rarity.weight("offic") < rarity.weight("vault") == rarity.weight("never said")
    office, vault = (rarity.likeness({"offic", word}, {"vault", word}) for word in ("kettl", "offic"))
    assert office > vault
    assert rarity.likeness({"a"}, {"b"}) == 0.0


def test_topics_are_by_traffic_with_what_covers_them_and_what_is_new():
    held = cover_traffic(
        traffic(
            asked("Which port is staging on?", 3, 1, 2),
            asked("Is the port open?", 2, 2),
            asked("How do I reset my badge?", 4, 3),
            asked("And now?", 2),
            earlier=[asked("Which port was it?", 7)],
        ),
        [Case("port", "What is the staging port?"), Case("tea", "Which tea do I like?")],
    )
    assert (held.asked, held.covered, held.wordless) == (11, 3, 2)
    port, badge = held.topics
    assert (port.topic, port.asked, port.users, port.covered, port.cases) == ("port", 5, 2, 3, ("port",))
    assert (port.example, port.example_asked, port.earlier) == ("Is the port open?", 2, 7)
    assert (badge.topic, badge.covered, badge.cases, badge.earlier) == ("badge", 0, (), 0)
    used, unused = held.cases
    assert (used.asked, used.earlier, unused.asked, unused.nearest, unused.earlier) == (3, 0, 0, "", 0)


def test_a_case_that_is_no_longer_asked_shows_how_often_it_was_and_the_nearest_question():
    before = asked("Which printer has colour ink?", 5)
    held = cover_traffic(traffic(*map(asked, BACKGROUND), earlier=[before]), [Case("ink", before.text)])
    (ink,) = held.cases
    assert (ink.asked, ink.earlier, ink.nearest) == (0, 5, "Where is the printer of the office?")
    assert 0 < ink.likeness < COVERS


def test_what_is_not_known_of_the_time_before_is_not_told_as_nothing():
    held = cover_traffic(traffic(asked("Which port?")), [Case("port", "Which port?")])
    assert (held.topics[0].earlier, held.cases[0].earlier, held.topics[0].example) == (None, None, "Which port?")


def test_drafts_disputed_cases_and_cases_without_own_words_are_left_out_and_every_turn_of_a_session_counts():
    turns = (CaseTurn("My badge is lost."), CaseTurn("And now?"), CaseTurn("How do I reset my badge then?"))
    cases = [
        Case("draft", "Which port?", tags=(DRAFT,)),
        Case("wrong", "Which port?", tags=(DISPUTED,)),
        Case("frozen", "So what do I do now?"),
        Case("talk", turns[-1].user, sessions=(CaseSession(turns),)),
    ]
    held = cover_traffic(traffic(asked("Which port?"), asked("How do I reset a badge?")), cases)
    assert (held.covered, [one.case for one in held.cases]) == (1, ["talk"])
    assert held.left_out == {
        "draft": "nobody has confirmed it: it is a draft",
        "wrong": "its key is disputed: it guards nothing",
        "frozen": "its question has no word of its own",
    }


def test_a_topic_may_have_nearly_half_of_the_questions_but_a_word_that_most_have_is_none():
    refunds = [
        asked(f"Acme refund of the {thing}?") for thing in ("kettle", "lamp", "sofa", "rug", "desk", "fan", "pot")
    ]
    others = [asked(f"Acme {word}?") for word in ("tea", "rye", "jam", "oil", "soy", "fig", "nut", "egg", "ham", "dip")]
    more = [asked(f"Acme {word}?") for word in ("hours", "jobs", "logo", "news")]
    held = cover_traffic(traffic(*refunds, *others, *more), [Case("a", "Which refund?")])
    assert (held.topics[0].topic, held.topics[0].asked, held.topics[0].cases) == ("refund", 7, ("a",))
    assert "acme" not in {topic.topic for topic in held.topics}
