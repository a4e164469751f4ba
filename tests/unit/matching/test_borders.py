"""Where a fact ends and the text goes on: numbers in numbers, units, identifiers, multipliers."""

import pytest

from foldproof.matching import match_fact, normalize

HELD = {
    "normalized": [
        ("15'000", "15'000 CHF"),
        ("15000", "15\u202f000 CHF"),
        ("15\u202f000", "15’000 CHF"),
        ("15,000", "15\u00a0000 CHF"),
        ("1234567", "1'234'567.-"),
        ("15", "15 000"),
        ("15", "about '15'"),
        ("15", "at 15: see"),
        ("15", "10-15"),
        ("1/2 mg", "½ mg"),
        ("½ mg", "1⁄2 mg"),
        ("5½", "5½ cups"),
        ("5½", "5+1/2"),
        ("-½", "it is -½."),
        ("1/2", "½-¾ cup"),
        ("3/4", "½-¾ cup"),
        ("15:30", "at 15:30."),
        ("2026-01-15", "on 2026-01-15."),
        ("1", "eu-west-1"),
        ("eu-west-1", "in EU-West-1"),
        ("二十五", "我今年二十五岁"),
        ("五", "五岁"),
        ("京都", "東京都"),
        ("15 kg", "15kg"),
        ("15kg", "15 kg"),
        ("15 kg 3 mg", "15kg 3mg"),
        ("15 kg 3mg", "15kg 3 mg"),
        ("1 kg 2 kg 3 kg 4 kg", "1 kg 2kg 3kg 4 kg"),
        ("at 3 pm", "at 3pm."),
        ("10:30am", "10:30 am"),
        ("20 °C", "20°C"),
        ("60 %", "60%"),
        ("Postgres 15 GB", "postgres 15GB"),
        ("1,5 l", "1,5l"),
        ("ann@x.com", "Write to ann@x.com."),
        ("ann@x.com", "<ann@x.com>, please"),
        ("ann@x.com", "mary.ann@x.com or ann@x.com"),
        ("example.com", "see example.com/path."),
        ("https://x.com", "see https://x.com/a"),
        ("e.g. Postgres", "e.g. Postgres"),
        ("example.com", "see **example.com**"),
        ("example.com", "see the example.com ... now"),
    ],
    "exact": [
        ("4021", "number 4021."),
        ("4021", "4021 - B"),
        ("ann@x.com", "ann@x.com. Next"),
        ("DE89 3704 0044", "DE89 3704 0044 0532"),
        ("15", "at 15: see"),
    ],
    "number": [
        ("1000000", "1 000 000 people"),
        ("1000000.5", "1 000 000,5"),
        ("15", "15 m and 15 km"),
        ("15", "15m"),
        ("15", "15 kids"),
        ("15", "15 may be enough"),
        ("15", "15 out of 20"),
        ("15", "15 Maybe"),
        ("2026", "March 2026"),
        ("15", "15 marches"),
        ("45", "March 45"),
        ("15", "15-20"),
        ("0.5", "0.5-1.5"),
        ("0", "0-15"),
        ("5", "5 600 700 or 5"),
        ("100", "100 200"),
        ("-12345678901234567890123456789012345", "-12345678901234567890123456789012345"),
        ("15", "15 years"),
        ("15", "It was 15. March came"),
        ("15", "15% more"),
        ("15", "The 15e is it"),
        ("15", "15年"),
        ("15", "10 x 15"),
        ("3", "Sub-March 31 or 3"),
        ("15000", "15'000 CHF"),
    ],
}
MISSED = {
    "normalized": [
        ("15", "15'000 CHF"),
        ("000", "15'000 CHF"),
        ("15", "15\u202f000"),
        ("15", "15\u00a0000"),
        ("15", "15\u2009000"),
        ("15", "１５\u00a0０００"),
        ("15", "1/15"),
        ("15", "15/16"),
        ("15", "15:30"),
        ("30", "15:30"),
        ("15", "2026-01-15"),
        ("15", "2026–01–15"),
        ("01", "2026-01-15"),
        ("15", "15.01.2026"),
        ("2 mg", "1/2 mg"),
        ("2 mg", "½ mg"),
        ("1", "½ mg"),
        ("5", "5'000"),
        ("5", "5½"),
        ("51/2", "5½"),
        ("15", "-15-16-17"),
        ("十五", "二十五"),
        ("五", "二十五"),
        ("十五", "三百一十五元"),
        ("15", "15kg"),
        ("kg", "15kg"),
        ("15 kg", "115kg"),
        ("xy bc", "xy the the the the the bc"),
        ("15 kg", "15kgs"),
        ("15kg", "2.15 kg"),
        ("15 k", "15kg"),
        ("ann@x.com", "mary.ann@x.com"),
        ("ann@x.com", "mary+ann@x.com"),
        ("ann@x.com", "ann@x.com.au"),
        ("ann@x.com", "ann@x.com-old"),
        ("example.com", "evil-example.com"),
        ("example.com", "evil‑example.com"),
        ("example.com", "example.com.evil.org"),
        ("example.com", "me@example.com"),
        ("https://x.com", "https://x.com.evil"),
    ],
    "exact": [
        ("4021", "4021-B"),
        ("4021", "A-4021"),
        ("4021", "4021_B"),
        ("ann@x.com", "mary.ann@x.com"),
        ("example.com", "example.com.evil.org"),
        ("foo", "foo_bar"),
        ("15", "15:30"),
        ("15", "1/15"),
        ("15", "15'000"),
        ("15", "15’000"),
    ],
    "number": [
        ("15", "15k"),
        ("15", "15 k"),
        ("15", "15K"),
        ("15", "$15 million"),
        ("15", "15-million-dollar"),
        ("10", "10-15 million"),
        ("15", "15bn"),
        ("15", "15M"),
        ("15", "$15m"),
        ("15", "15 Mio. Euro"),
        ("15", "15万"),
        ("15", "15 mil pesos"),
        ("1.5", "1.5E+10"),
        ("15", "15e3"),
        ("10", "1.5E+10"),
        ("1.5", "1.5 × 10^3"),
        ("1.5", "1.5x10³"),
        ("15", "March 15, 2026"),
        ("15", "March 15"),
        ("15", "March the 15th"),
        ("15", "15 March 2026"),
        ("15", "15. März"),
        ("15", "15th of May"),
        ("15", "15 may 2026"),
        ("15", "15 de marzo"),
        ("15", "3月15日"),
        ("3", "3月"),
        ("15", "555-15"),
        ("555", "555-15"),
        ("15", "2026-15"),
        ("15", "01-15"),
        ("1", "1 000 000"),
        ("1000000", "5 1 000 000"),
        ("15", "15 000"),
        ("15000", "15 000"),
        ("1000000", "1 000 000 5"),
        ("1000000", "1 000 0000"),
        ("-12345678901234567890123456789012345", "-12345678901234567890123456789000000"),
        ("1", "1" * 1001),
        ("15", "1\u03015"),
    ],
}


def _rows(table):
    return [(kind, fact, text) for kind, rows in table.items() for fact, text in rows]


@pytest.mark.parametrize(("kind", "fact", "text"), _rows(HELD))
def test_held(kind, fact, text):
    match = match_fact(fact, text, kind)
    assert match.held
    assert match.spans
    assert match.reason


@pytest.mark.parametrize(("kind", "fact", "text"), _rows(MISSED))
def test_missed(kind, fact, text):
    match = match_fact(fact, text, kind)
    assert (match.outcome, match.spans) == ("missed", ())
    assert match.reason


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("15'000 1'234'567.50 1234'567 15'30", "15000 1234567.50 1234 567 15 30"),
        ("15\u202f000 1234\u00a0567 15\u00a00000", "15000 1234 567 15 0000"),
        ("1/15 15:30:00 24/7 1,000/2,000", "1/15 15:30:00 24/7 1000/2000"),
        ("2026-01-15 10-15 1,000-2,000 1-800-555", "2026-01-15 10 15 1000 2000 1-800-555"),
        ("½ 5½ ½kg x½ -½ 5-½", "1/2 5+1/2 1/2 kg x 1/2 -1/2 5 1/2"),
        ("2026-01-15T10:30", "2026-01-15t10:30"),
        ("二十五 一 五十万円", "二十五 一 五十万 円"),
        ("and/or km/h a:b it's", "and or km h a b it s"),
        ("-10-15 -10-15-20", "-10 15 -10-15-20"),
        ("localhost:8080 .5/1", "localhost 8080 0.5/1"),
    ],
)
def test_tokens(text, tokens):
    assert normalize(text) == tokens
    assert normalize(tokens) == tokens


@pytest.mark.parametrize(
    ("kind", "fact", "text", "reason"),
    [
        ("normalized", "15", "15'000", "'15' stands only inside the longer token '15000'"),
        ("normalized", "15 kg", "16kg", "'15' is not in the text"),
        ("normalized", "x.com", "y@x.com", "'x.com' stands only inside a longer name or address"),
        ("normalized", "15 kg", "not 15kg", "'15 kg' stands only in a negation: 'not 15kg'"),
        ("exact", "15", "15-B", "'15' stands only inside a longer word, number or name"),
        ("number", "15", "$15 million", "the number 15 stands only in '15 million', which is another value"),
        ("number", "15", "15 March", "the number 15 stands only in '15 March', which is a date"),
        ("number", "15", "March 15", "the number 15 stands only in 'March 15', which is a date"),
        ("number", "15", "15:30", "the number 15 stands only in '15:30', which is a date, time, fraction or name"),
        ("number", "15", "15 000", "the number 15 stands only in '15 000', which may be one number or two"),
        ("number", "1.5", "1.5e+3", "the number 1.5 stands only in '1.5e+3', which is another value"),
    ],
)
def test_reason(kind, fact, text, reason):
    assert match_fact(fact, text, kind).reason == reason


@pytest.mark.parametrize(
    ("fact", "text", "hits"),
    [
        ("15", "10-15", ["15"]),
        ("1/2", "a ½ b 1/2", ["½", "1/2"]),
        ("15000", "é 15\u202f000", ["15\u202f000"]),
        ("二十五", "我今年二十五岁", ["二十五"]),
        ("15 kg", "15kg or 15 kg", ["15kg", "15 kg"]),
        ("ann@x.com", "mary.ann@x.com or ann@x.com", ["ann@x.com"]),
    ],
)
def test_spans(fact, text, hits):
    assert [text[span.start : span.end] for span in match_fact(fact, text).spans] == hits


@pytest.mark.parametrize(
    "text",
    [
        "why don't you take penicillin",
        "Can't you take penicillin",
        "isn't this penicillin",
        "whether or not penicillin",
        "believe it or not penicillin",
        "more often than not penicillin",
        "as often as not penicillin",
    ],
)
def test_idioms_that_deny_nothing(text):
    assert match_fact("penicillin", text).outcome == "held"


@pytest.mark.parametrize("text", ["Don't take penicillin", "you can't take penicillin", "this isn't penicillin"])
def test_plain_contractions_still_deny(text):
    assert match_fact("penicillin", text).outcome == "negated"
