import pytest

from foldproof.matching import Fact, match_fact

TABLE = {
    ("exact", "held"): [
        ("no ORM, raw SQL", "We chose no  ORM,\nraw SQL!"),
        ("15", "(15)"),
        ("café", "cafe\u0301!"),
        ("太", "私の太郎"),
        (" a ", "a"),
        ("vegetarian", "not vegetarian"),
        ("15", "end. 15"),
        ("15.", "15.5 or 15. x"),
        ("!", "a!b"),
        ("👍", "ok 👍"),
        ("15", "15, 16"),
        ("-15", "is -15"),
    ],
    ("exact", "missed"): [
        ("15", "150"),
        ("15", "15.5"),
        ("15", "1,515"),
        ("15", "3.15"),
        ("15", ".15"),
        ("15", " .15"),
        ("15", "-15"),
        ("15", "15,5"),
        ("at", "cat"),
        ("ORM", "orm"),
        ("e", "e\u0301x"),
        ("x", "x\u0301y"),
        ("a,b", "a b"),
        ("\u0323x", "e\u0323x"),
        ("15", "v15"),
        ("15", "15kg"),
        ("15", "x²15"),
        ("foo", "foo_bar"),
        ("15", "eu-15"),
        ("15", "x.15 "),
        ("15", "a-15"),
    ],
    ("pattern", "held"): [
        (r"RTO\s+\d+\s*min", "RTO 30 min"),
        ("café", "cafe\u0301"),
        ("(?i)rto", "RTO"),
        (".", "\ud800"),
    ],
    ("pattern", "missed"): [("rto", "RTO"), (r"\bat\b", "cat"), (r"^\b", "")],
    ("number", "held"): [
        ("1234.50", "$1,234.50"),
        ("1234.50", "1234.5"),
        ("1234.5", "1\u00a0234.50"),
        ("1234.5", "1\u202f234,50"),
        ("1234.50", "1.234,50"),
        ("12.5", "12,5"),
        ("1234", "1,234"),
        ("1234567", "12,34,567"),
        ("1234567", "1.234.567"),
        ("15", "15kg"),
        ("15", "15%"),
        ("-15", "-$15"),
        ("-15", "−15"),
        ("15", "10-15"),
        ("10", "10-15"),
        ("0.5", ".5"),
        ("72", "is 72, in total"),
        ("15", "１５円"),
        ("15", "(15)"),
        ("15", "価格15円"),
        ("$1,234.50", "1234.5"),
        ("15", "no.15"),
        ("0", "0.0"),
        ("1234.5", "1'234.50"),
        ("15", "not 3, but 15"),
        ("15", "Room no 15"),
        ("0.123", "0,123"),
        ("12345", "12 or 12,345"),
        ("15", "_15_"),
        ("15", "is 15."),
        ("-15", "$-15"),
        ("15", "15€-20€"),
        ("20", "15€-20€"),
    ],
    ("number", "missed"): [
        ("15", "v15"),
        ("15", "A15"),
        ("15", "150"),
        ("15", "2026-01-15"),
        ("15", "15:30"),
        ("15", "1-2-15"),
        ("15", "3.15"),
        ("15", "3.1.15"),
        ("15", "-15"),
        ("-15", "10-15"),
        ("15", "15/16"),
        ("5", ".5"),
        ("1", "1,2,3"),
        ("4", "4f2a"),
        ("5", "1,5"),
        ("15", "fifteen"),
        ("12345", "1234\u00a0567"),
        ("1234567", "1234\u00a0567"),
        ("3.1", "3.10.1"),
    ],
    ("number", "negated"): [
        ("15", "not 15%"),
        ("15", "it isn't $15"),
        ("15", "not 15, never 15"),
        ("15", "15ではない"),
    ],
    ("date", "held"): [
        ("2026-03-04", text)
        for text in (
            "2026-03-04",
            "2026/03/04",
            "2026.3.4",
            "2026-03-04T10:30",
            "March 4, 2026",
            "March 4th, 2026",
            "Mar. 4 2026",
            "4 March 2026",
            "4th of March 2026",
            "Wed, 4 March, 2026",
            "4. März 2026",
            "le 4 mars 2026",
            "4 de marzo de 2026",
            "4 marzo 2026",
            "4 de março de 2026",
            "4 maart 2026",
            "2026年3月4日",
            "２０２６年３月４日",
            "on **March 4, 2026**.",
            "4-Mar-2026",
            "4-March-2026",
            "March the 4th, 2026",
            "March 4,2026",
            "04 mar 2026",
            "not on March 5, 2026 but March 4, 2026",
        )
    ]
    + [
        ("2026-03-13", "13/03/2026"),
        ("2026-03-13", "03/13/2026"),
        ("2026-03-03", "3.3.2026"),
        ("2024-02-29", "29 Feb 2024"),
    ],
    ("date", "missed"): [
        ("2026-03-04", text)
        for text in (
            "03/04/2026",
            "4.3.2026",
            "March 4",
            "4 March",
            "March 4, 2025",
            "March 14, 2026",
            "14 March 2026",
            "12026-03-04",
            "2026-03-041",
            "March 4, 20261",
            "5 March 2026",
            "smarch 4, 2026",
            "13/04/2026",
            "03/13/2026",
            "04/03/2025",
            "March 4:30",
            "1.4 March 2026",
            "2026-13-04",
            "4-Mar-20261",
            "March 4,20261",
            "March 4.5, 2026",
            "March 4,202",
            "04.03.26",
        )
    ],
    ("date", "negated"): [("2026-03-04", "not on March 4, 2026"), ("2026-03-04", "no longer 2026-03-04.")],
}
ROWS = [(kind, outcome, *row) for (kind, outcome), rows in TABLE.items() for row in rows]


@pytest.mark.parametrize(("kind", "outcome", "fact", "text"), ROWS)
def test_table(kind, outcome, fact, text):
    match = match_fact(fact, text, kind)
    assert match.outcome == outcome
    assert bool(match.spans) == (outcome != "missed")
    assert all(0 <= span.start < span.end <= len(text) for span in match.spans)
    assert match.reason


@pytest.mark.parametrize(
    ("kind", "fact", "text", "hit"),
    [
        ("exact", "no ORM, raw", "é no \n ORM, raw", "no \n ORM, raw"),
        ("exact", "é", "xe\u0301 e\u0301", "e\u0301"),
        ("pattern", "t+", "cafe\u0301 att", "tt"),
        ("number", "-15", "e\u0301 -$15", "-$15"),
        ("number", "0.5", "is .5!", ".5"),
        ("date", "2026-03-04", "é “4 März 2026”", "4 März 2026"),
    ],
)
def test_span(kind, fact, text, hit):
    [span] = match_fact(fact, text, kind).spans
    assert text[span.start : span.end] == hit


@pytest.mark.parametrize(
    ("kind", "fact", "text", "reason"),
    [
        ("exact", "ORM", "an ORM", "'ORM' stands in the text, character for character"),
        ("exact", "ORM", "orm", "'ORM' stands in the text with other upper and lower case only"),
        ("exact", "15", "150", "'15' stands only inside a longer word, number or name"),
        ("exact", "15", "16", "'15' is not in the text, character for character"),
        ("pattern", "a+", "baa", "'aa' matches the pattern 'a+'"),
        ("pattern", "a+", "b", "nothing in the text matches the pattern 'a+'"),
        ("number", "15", "15", "the number 15 stands in the text"),
        ("number", "15", "not 15", "the number 15 stands only in a negation: 'not 15'"),
        ("number", "15", "none", "the number 15 is not in the text, which states no number"),
        ("number", "15", "1 2 2", "the number 15 is not in the text, which states 1, 2"),
        ("number", "15", "1 2 3 4 5 6", "the number 15 is not in the text, which states 1, 2, 3, 4, 5, …"),
        ("date", "2026-03-04", "2026-03-04", "the date 2026-03-04 stands in the text"),
        ("date", "2026-03-04", "not 2026-03-04", "the date 2026-03-04 stands only in a negation: 'not 2026-03-04'"),
        ("date", "2026-03-04", "soon", "the date 2026-03-04 is not in the text"),
        ("date", "2026-03-04", "4 March 2025", "the date 2026-03-04 is not in the text"),
        ("date", "2026-03-04", "4/3/2026", "'4/3/2026' is ambiguous: day and month may stand in either order"),
        ("date", "2026-03-04", "4/3/2025", "the date 2026-03-04 is not in the text"),
        ("date", "2026-03-04", "on March 4", "'march 4' has no year, so it may be another day than 2026-03-04"),
    ],
)
def test_reason(kind, fact, text, reason):
    assert match_fact(fact, text, kind).reason == reason


def test_any_takes_the_best_alternative():
    fact = Fact("any", any=(Fact("normalized", "Mongo"), Fact("number", "15")))
    assert match_fact(fact, "no Mongo, 15").held
    assert match_fact(fact, "no Mongo").outcome == "negated"
    missed = match_fact(fact, "a Mango and 150")
    assert missed.outcome == "missed"
    assert missed.nearest.text in ("Mango", "150")
    assert missed.reason == "'mongo' is not in the text; the number 15 is not in the text, which states 150"
    assert [span.start for span in match_fact(fact, "Mongo 15").spans] == [0, 6]


UNSURE = ["03/04/2026", "4.3.2026", "March 4", "on 4 March.", "04.03.26", "3/4/26", "not 2026-03-04 but 4/3/2026"]
SURE = ["", "4/4/2026", "03/04/2025", "March 5", "04.03.25", "5/3/26", "2025-03-04", "13/03/2026", "not on 2026-03-04"]


@pytest.mark.parametrize(("text", "unsure"), [*((text, True) for text in UNSURE), *((text, False) for text in SURE)])
def test_unsure(text, unsure):
    assert match_fact("2026-03-04", text, "date").unsure is unsure
    both = Fact("any", any=(Fact("exact", "soon"), Fact("date", "2026-03-04")))
    assert match_fact(both, text).unsure is unsure
    assert not match_fact(both, f"soon, {text}").unsure
    assert not match_fact("2026-03-04", f"{text} 2026-03-04", "date").unsure


@pytest.mark.parametrize("kind", ["normalized", "exact", "pattern", "number"])
def test_other_kinds_are_never_unsure(kind):
    assert not match_fact("15", "03/15/2026", kind).unsure


def test_a_date_with_two_digits_for_its_year():
    assert match_fact("2026-03-04", "04.03.26", "date").reason == "'04.03.26' is ambiguous: its year has two digits"
