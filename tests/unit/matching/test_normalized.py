import pytest

from foldproof.matching import match_fact, normalize

FORMS = [
    ("I can't", "i can t"),
    ("Ana's", "ana s"),
    ("foo_bar", "foo bar"),
    ("Straße", "strasse"),
    ("ﬁne", "fine"),
    ("so\u00adft zero\u200bwidth \ufeffbom", "soft zerowidth bom"),
    ("1\ufe0f\u20e3 one", "1 one"),
    ("10²", "10 2"),
    ("1½", "1+1/2"),
    ("x² H₂O", "x2 h2o"),
    ("²5", "2 5"),
    ("Foo™ №5", "foo 5"),
    ("20℃", "20 ° c"),
    ("1,234.50", "1234.50"),
    ("12,34,567", "1234567"),
    ("1,5", "1,5"),
    ("0,123", "0,123"),
    ("3.1 3.10", "3.1 3.10"),
    ("3.1.2.", "3.1.2"),
    ("5, 6.", "5 6"),
    ("15kg v15 1.5kg", "15kg v15 1.5kg"),
    (".5 mg", "0.5 mg"),
    ("v.5", "v 5"),
    ("...5", "5"),
    ("-.5", "-0.5"),
    ("１，２３４", "1234"),
    ("٣.٥", "٣.٥"),
    ("-15 −15 –15", "-15 -15 -15"),
    ("10-15", "10 15"),
    ("eu-west-1", "eu west 1"),
    ("-$15 $-15", "$ -15 $ -15"),
    ("$10-$15", "$ 10 $ 15"),
    ("15€-20€", "15 € 20 €"),
    ("60%-70%", "60 % 70 %"),
    ("2026-01-02", "2026-01-02"),
    ("f(x)-5", "f x 5"),
    ("—5", "-5"),
    ("a - 5", "a 5"),
    ("C++ C# F#", "c++ c# f#"),
    ("c++11", "c++ 11"),
    ("#4021", "4021"),
    ("a+b", "a b"),
    ("A+", "a+"),
    ("c#7", "c 7"),
    ("## Title", "title"),
    ("18+", "18"),
    ("中#", "中"),
    ("c#.5", "c# 0.5"),
    ("私はPythonで", "私 は python で"),
    ("ラーメン", "ラ ー メ ン"),
    ("กำลังGo", "กํ า ลั ง go"),
    ("〇一", "〇一"),
    ("한국어", "한 국 어"),
    ("हिन्दी में", "हिन्दी में"),
    ("か\u3099", "が"),
    ("は\u0301x", "は\u0301 x"),
]


@pytest.mark.parametrize(("text", "tokens"), FORMS)
def test_tokens(text, tokens):
    assert normalize(text) == tokens
    assert normalize(tokens) == tokens


HELD = [
    ("Postgres 15", "We run **Postgres** `15`."),
    ("read replica in eu-west-1", "a read replica in the eu-west-1"),
    ("a read replica", "read replica"),
    ("A Read Replica", "the read replica"),
    ("read replica", "read a replica"),
    ("hepatitis A", "a hepatitis A vaccine"),
    ("hepatitis A vaccine", "the Hepatitis a vaccine"),
    ("the", "the"),
    ("The Who", "who"),
    ("A", "plan a"),
    ("C++", "I use C++, not C."),
    ("15", "-10..15"),
    ("no NSAIDs", "Take no NSAIDs!"),
    ("not vegetarian", "I am not vegetarian"),
    ("raw SQL", "raw\n\n   SQL"),
    ("$15", "for $15."),
    ("15", "$15"),
    ("1234.50", "1,234.50"),
    ("-15", "-$15"),
    ("x", "x x"),
    ("Ana's", "Ana’s"),
    ("Python", "私はPythonでADKを使う"),
    ("2026", "in 2026."),
    ("0.5 mg", ".5 mg"),
    ("the plan A car", "plan a car"),
    ("Postgres 15", "Postgres 15"),
    ("raw SQL", "xraw SQL raw SQL"),
    ("é +5", "é 5"),
    ("Postgres a the Postgres", "Postgres a the Postgres"),
    ("x 15", "x a the 15"),
    ("ŉo", "'no"),
    ("-A", "plan a"),
]
MISSED = [
    ("5kg", "1.5kg"),
    ("5", "1,5"),
    ("15", "-15"),
    ("-15", "15"),
    ("3.1", "3.10"),
    ("hepatitis A", "hepatitis B"),
    ("hepatitis A vaccine", "hepatitis vaccine"),
    ("hepatitis vaccine", "hepatitis A vaccine"),
    ("C", "C++ and C#"),
    ("raw SQL", "SQL raw"),
    ("5", ".5 mg"),
    ("15", "v15"),
    ("102", "10²"),
    ("a b", "b"),
    ("Postgres 15", "Postgres 16, 15 users"),
]


@pytest.mark.parametrize(("fact", "text"), HELD)
def test_held(fact, text):
    match = match_fact(fact, text)
    assert match.held
    assert match.spans
    assert match.nearest is None
    assert match.reason == f"'{fact}' stands in the text"


@pytest.mark.parametrize(("fact", "text"), MISSED)
def test_missed(fact, text):
    match = match_fact(fact, text)
    assert (match.outcome, match.spans) == ("missed", ())
    assert match.reason


@pytest.mark.parametrize(
    ("fact", "text", "reason"),
    [
        ("15", "150", "'15' stands only inside the longer token '150'"),
        ("raw SQL", "SQL raw", "the words of 'raw SQL' are there, but not next to each other in this order"),
        ("raw SQL", "raw food", "'sql' is not in the text"),
        ("vegetarian", "I'm not a vegetarian", "'vegetarian' stands only in a negation: 'not a vegetarian'"),
        ("meat", "I don't eat meat", "'meat' stands only in a negation: 'don't eat meat'"),
        ("gluten", "gluten-free", "'gluten' stands only in a negation: 'gluten-free'"),
        ("猫", "猫ではない", "'猫' stands only in a negation: '猫ではない'"),
    ],
)
def test_reason(fact, text, reason):
    assert match_fact(fact, text).reason == reason


def test_spans_point_into_the_original():
    text = "Caf\u00e9: **Postgres 15**; cafe\u0301 — ½ postgres\n15!"
    spans = match_fact("Postgres 15", text).spans
    assert [text[span.start : span.end] for span in spans] == ["Postgres 15", "postgres\n15"]
    [first, second] = match_fact("café", text).spans
    assert text[first.start : first.end] == "Caf\u00e9"
    assert text[second.start : second.end] == "cafe\u0301"
    text = "so\u00adft กำ\u0e49x は\u0301\u0302x เรา"
    hits = {fact: match_fact(fact, text).spans[0] for fact in ("soft", "x", "は\u0301\u0302", "เ")}
    found = {fact: text[span.start : span.end] for fact, span in hits.items()}
    assert found == {**{fact: fact for fact in hits}, "soft": "so\u00adft"}
    [span] = match_fact("15", "a -$15 b 15").spans
    assert (span.start, span.end) == (9, 11)


def test_spans_leave_out_the_negated_hits():
    text = "Not MongoDB. Use MongoDB, no MongoDB."
    assert [span.start for span in match_fact("MongoDB", text).spans] == [17]
    assert [span.start for span in match_fact("MongoDB", "no MongoDB, never MongoDB").spans] == [3, 18]
