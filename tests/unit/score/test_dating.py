"""A14: a day that no turn states is lost where its session's day is; what cannot be seen names nobody."""

import pytest

from foldproof.cases import Case, Provenance, Source
from foldproof.logs import History, MemoryItem, Session, Turn
from foldproof.matching import Fact
from foldproof.record import StoreListing, Trial
from foldproof.score import Records
from foldproof.score.dating import day_lost
from foldproof.score.evidence import TrialEvidence

DAY = Fact("date", "2025-11-20")
SAID = "The dentist called, the appointment is tomorrow."


def lost(*items, said=SAID, at="2025-11-19T15:00", fact=DAY, source=("s1", 1), prompt=None, seen=True, expected=(DAY,)):
    """Who lost a day of which a memory holds these items."""
    history = History("h", (Session("s1", (Turn("user", said),), at),))
    store = StoreListing(tuple(MemoryItem(text) for text in items))
    case = Case(
        "a", "When?", "episodic", expected, history="h", provenance={0: Provenance(computed=True)},
        source=(Source("h", *source),) if source else (),
    )  # fmt: skip
    trial = Trial("a", 0, "Soon.", store_written=store.sha256 if seen else None, prompt=prompt)
    records = Records({"h": history}, {store.sha256: store}.get)
    return day_lost(fact, TrialEvidence(case, trial, records))


def test_the_words_without_a_day():
    told = ("write", "written without the day on which 'tomorrow' was said")
    assert lost(SAID) == told
    assert lost("A note on food.", "dentist appointment tomorrow") == told


def test_another_day_is_named():
    assert lost("dentist appointment on 2025-12-06") == (
        "write", "written with another day: 'dentist appointment on 2025-12-06'",
    )  # fmt: skip
    assert lost("the dentist called, appointment on November 19, 2025")[0] == "write", (
        "the session's own is another too"
    )


def test_a_day_that_was_kept_is_lost_where_nobody_counts_from_it():
    kept = f"[2025-11-19] {SAID}"
    assert lost(kept) is None, "the prompt cannot be seen"
    assert lost(kept, prompt=f"Known: {SAID}") is None, "the prompt does not have it: somebody else lost it"
    assert lost(kept, prompt=f"Known: {kept}") == (
        "use", "'tomorrow' stands in the prompt with the day on which it was said",
    )  # fmt: skip


@pytest.mark.parametrize(
    "given",
    [
        {"at": ""},
        {"at": "spring"},
        {"said": "The dentist called, the appointment is on Thursday week."},
        {"fact": Fact("normalized", "20 November")},
        {"fact": Fact("date", "2025-11-21")},
        {"source": None},
        {"source": ("s2", 1)},
        {"source": ("s1", 2)},
        {"seen": False},
    ],
)
def test_nothing_is_said_where_nothing_shows_it(given):
    assert lost(SAID, **given) is None


def test_a_memory_that_holds_nothing_of_the_turn_shows_nothing():
    assert lost("likes tea") is None
    assert lost("tea", said="tomorrow") is None, "no word is left to know it by"


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("I left my old job three weeks ago.", "three weeks ago"),
        ("We climbed it last Friday with Vera.", "last Friday"),
        ("Der Termin beim Zahnarzt ist morgen.", "morgen"),
        ("El dentista es mañana, creo.", "mañana"),
        ("明天 dentist", "明天"),
    ],
)
def test_words_for_a_day_in_several_languages(said, word):
    assert lost(said, said=said) == ("write", f"written without the day on which '{word}' was said")
