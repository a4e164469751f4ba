"""Whose fault it is that an answer says something where it should have admitted ignorance."""

import pytest

from foldproof.cases import Case
from foldproof.logs import History, MemoryItem, Session, Turn
from foldproof.matching import Fact
from foldproof.record import Trial
from foldproof.score import Records, score_trial

SAID = "Sourdough rises overnight."
SHOP = "Where is the Brandt shop?"


@pytest.fixture
def blamed():
    """Scores a trial of a case to be abstained from, and gives what is said of the abstention."""

    def scoring(answer, *given, said=(SAID,), question=SHOP, prompt=None, expected=()):
        history = None if said is None else History("h", (Session("s", tuple(Turn("user", text) for text in said)),))
        case = Case("q", question, history="h", abstain=True, expected=expected)
        reads = None if given == (None,) else tuple(MemoryItem(text, rank=at) for at, text in enumerate(given, 1))
        known = f"Known: {' '.join(given)}" if reads and prompt is None else prompt
        trial = Trial("q", 0, answer, memory_reads=reads, prompt=known)
        return score_trial(case, trial, records=Records({"h": history} if history else {})).facts[0]

    return scoring


def owner(told):
    return told.loss and told.loss.owner


def test_what_was_given_has_nothing_to_do_with_the_question(blamed):
    told = blamed(SAID, SAID)
    assert owner(told) == "retrieve"
    assert told.reason == told.loss.reason == "what was given shares no word with the question: there is no floor"
    assert owner(blamed(SAID, f"[s1 2026-03-01] user: {SAID}")) == "retrieve"
    assert owner(blamed(SAID, SAID, "The Brandt shop sells tea.")) == "retrieve"


@pytest.mark.parametrize(
    ("answer", "given", "how"),
    [
        ("Brandt sells tea.", "Brandt sells tea.", {"said": ("Brandt sells tea.",)}),  # it bears on the question
        ("Shopping is on Friday.", "Shopping is on Friday.", {"said": ("Shopping is on Friday.",)}),  # so may this
        (SAID, SAID, {"said": ("I bake.",)}),  # the writing may have made it up
        (SAID, SAID, {"said": None}),  # nobody knows what was said
        (SAID, SAID, {"said": ("?",)}),  # a turn without words says nothing
        (SAID, SAID, {"question": "?"}),  # a question without words is shared by nothing
    ],
)
def test_what_cannot_be_told_is_left_open(blamed, answer, given, how):
    assert owner(blamed(answer, given, **how)) is None


@pytest.mark.parametrize("given", [(), (SAID,)])
def test_what_stands_nowhere_was_made_up(blamed, given):
    told = blamed("Seven Baker Street.", *given, prompt=None if given else "Known: nothing")
    assert (owner(told), told.loss.reason) == ("use", "no word of it stands in the prompt")


@pytest.mark.parametrize(
    ("answer", "given", "prompt"),
    [
        ("Seven Baker Street.", (), "Known: Baker Street"),  # from somewhere else in the prompt
        ("Seven Baker Street.", (), None),
        ("Seven Baker Street.", (None,), "Known: nothing"),
        ("It is there.", (), "Known: nothing"),  # it says nothing at all
    ],
)
def test_what_was_not_seen_is_left_open(blamed, answer, given, prompt):
    assert owner(blamed(answer, *given, prompt=prompt)) is None


def test_where_a_fact_would_have_done_as_well_only_the_fact_is_traced(blamed):
    told = blamed("Seven Baker Street.", prompt="Known: nothing", expected=(Fact("normalized", "Brandt"),))
    assert (told.outcome, told.loss) == ("missed", None)


def test_an_admission_is_nobodys_fault(blamed):
    assert (blamed("I don't know.", SAID).outcome, blamed("I don't know.", SAID).loss) == ("held", None)
