"""Laws of the matcher."""

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from foldproof.matching import Fact, Text, match_fact, match_many, normalize
from foldproof.matching.fold import _SMALL, _VANISHING, SMALL_DIGITS, VANISHING, fold, fold_mapped
from foldproof.matching.normalized import find_normalized, needles_of
from foldproof.matching.tokens import CLAUSE_ENDS, HYPHEN, close_up, gaps_of, trace

PIECES = (
    "Postgres 15 -15 $15 1,234.50 3.1 a the an not no n't don't vegetarian MongoDB eu-west-1 C++ C# 60% 太郎 私は"
    " Python café cafe\u0301 über naïve ½ 10² non- -free なし ではない 不 是 is use really กำ กิน hepatitis A"
    " . , ; ! \n — - ( ) * _ `"
    " Ana’s ’ \u00ad \u200b 𝟙 ｶﾞ が か\u3099 가 각 ᆨ ŉ ΐ İ ß"
    " 0.5 .5 1.5kg v15 … ™ ÷ , \ud800"
    " 15'000 15\u202f000 15\u00a0000 1/15 15:30 ' : / 2026-01-15 15kg kg 二 十五 は を食べません 食べ ない と 别 特 all"
    " at no means sin Comic sans una de c'est if enough can't without \n\n \n- \r\n @ ann@x.com .com mary. if can mai"
)
WORDS = PIECES.split(" ")
MIX = st.lists(st.sampled_from(WORDS), max_size=14).flatmap(
    lambda words: st.sampled_from(["", " ", " ", "  "]).map(lambda blank: blank.join(words))
)
TEXTS = MIX | st.text(max_size=40) | st.text(alphabet="aA1.,-+#% $\u0301は不\n", max_size=20)
PLAIN = st.sampled_from(
    [
        "Postgres 15",
        "vegetarian",
        "raw SQL",
        "eu-west-1",
        "café",
        "太郎",
        "1,234.50",
        "C++",
        "15",
        "60 %",
        "15 kg",
        "½",
        "ann@x.com",
    ]
)
FACTS = (MIX | PLAIN).filter(lambda fact: normalize(fact) != "")


@given(TEXTS)
def test_never_raises_and_offsets_are_in_order(raw):
    mapped = fold_mapped(raw)
    assert mapped.text == fold(raw)
    assert len(mapped.starts) == len(mapped.ends) == len(mapped.text)
    places = list(zip(mapped.starts, mapped.ends, strict=True))
    assert places == sorted(places)
    assert all(0 <= start < end <= len(raw) for start, end in places)


@given(TEXTS)
def test_every_token_has_its_place(raw):
    padded = close_up(fold(raw))
    assert len(trace(raw)) == len(padded.split())
    assert gaps_of(fold(raw)).replace("\n", " ").replace(HYPHEN, " ") == padded


@given(TEXTS)
def test_normalize_is_idempotent(raw):
    once = normalize(raw)
    assert normalize(once) == once


@given(TEXTS)
def test_composed_and_decomposed_agree(raw):
    assert normalize(unicodedata.normalize("NFC", raw)) == normalize(unicodedata.normalize("NFD", raw))


@given(FACTS, TEXTS)
def test_offsets_point_at_the_hit(fact, raw):
    needles = needles_of(fact)
    for span in match_fact(fact, f"{raw} {fact} {raw}").spans:
        hit = f"{raw} {fact} {raw}"[span.start : span.end]
        assert match_fact(fact, hit).held or any(f" {one} " in f" {normalize(hit)} " for one in needles)


@given(FACTS)
def test_a_fact_holds_in_itself(fact):
    assert match_fact(fact, fact).held


@given(FACTS, TEXTS)
def test_the_short_way_says_what_the_long_way_says(fact, raw):
    found = find_normalized(fact)
    finders = getattr(found, "_finders", [found])
    for text in (raw, f"{raw} {fact}", f"{raw} {fact} {raw}", f"{raw}{fact}{raw}"):
        quick = found.outcome(Text(text))
        hits = [(finder, hit) for finder in finders for hit in finder._hits(Text(text))]
        negated = [finder._negation(Text(text), hit) for finder, hit in hits]
        assert quick == ("missed" if not hits else "negated" if all(negated) else "held")


@given(st.from_regex(r"[a-z]{2,8}|[1-9][0-9]{0,3}", fullmatch=True), st.sampled_from("abcxyz0189"), st.booleans())
def test_inside_a_longer_word_nothing_holds(fact, letter, before):
    for kind in ("normalized", "exact") + (("number",) if fact.isdigit() and letter.isdigit() else ()):
        longer = letter + fact if before else fact + letter
        same_value = kind == "number" and int(longer) == int(fact)
        assert same_value or not match_fact(fact, f"§ {longer}.", kind).held


@given(
    PLAIN,
    st.sampled_from(["{}", "**{}**", "`{}`", "“{}”", "'{}'", "- {}", "> {}", "# {}", "_{}_", "```\n{}\n```", "({})"]),
)
def test_case_quotes_and_markdown_change_nothing(fact, wrap):
    for text in (f"We use {wrap.format(fact)} here", f"We use\n{wrap.format(fact.upper())}\nhere", wrap.format(fact)):
        assert match_fact(fact, text).held
        assert match_fact(fact.upper(), text).held
    assert not match_fact(fact, f"We use {wrap.format('another thing')} here").held


@given(FACTS, TEXTS, TEXTS)
def test_more_text_never_turns_held_to_missed(fact, raw, more):
    if match_fact(fact, raw).held:
        assert match_fact(fact, f"{raw}\n\n{more}").held


@given(st.lists(FACTS, max_size=4), st.lists(TEXTS, max_size=3), st.data())
@settings(max_examples=60)
def test_many_says_what_one_says(words, texts, data):
    facts = [Fact("normalized", word) for word in words]
    facts += [Fact("any", any=tuple(facts)), Fact("exact", "15"), Fact("number", "15")][not facts :]
    texts = [f"{text} {data.draw(st.sampled_from(words))}" if words else text for text in texts]
    many = {(fact, text): match for fact, text, match in match_many(facts, texts)}
    for place, fact in enumerate(facts):
        for at, text in enumerate(texts):
            one = match_fact(fact, text)
            found = many.get((place, at))
            assert (found.outcome if found else "missed") == one.outcome
            assert (found.spans if found else ()) == one.spans


@given(TEXTS)
@settings(max_examples=60)
def test_every_kind_takes_any_text(raw):
    for fact in (Fact("exact", "15"), Fact("pattern", "[a-c]+|\\d"), Fact("number", "15"), Fact("date", "2026-03-04")):
        match = match_fact(fact, raw)
        assert match.reason
        assert match.nearest is None or match.nearest.text
        assert all(0 <= span.start < span.end <= len(raw) for span in match.spans)


def test_the_hard_coded_sets_are_those_of_unicode():
    every = [chr(code) for code in range(0x110000)]
    format_characters = [char for char in every if unicodedata.category(char) == "Cf" and ord(char) < 0x13440]
    assert all(_VANISHING.match(char) for char in format_characters)
    digits = [char for char in every if not char.isdecimal() and _has_digit_edge(char)]
    assert all(_SMALL.match(char) for char in digits if ord(char) < 0x1F100)
    blanks = [char for char in every if unicodedata.normalize("NFKC", char)[0] == " " and char != "　"]
    assert all(fold(f"a{char}b") == "a b" for char in blanks)
    assert VANISHING.isascii() == SMALL_DIGITS.isascii() == set(CLAUSE_ENDS).isdisjoint(".")


def _has_digit_edge(char):
    plain = unicodedata.normalize("NFKC", char)
    return plain != char and (plain[0].isdecimal() or plain[-1].isdecimal())
