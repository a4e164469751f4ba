"""Laws of mining: the choice is fair and repeats itself, and what is merged was alike."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from foldproof.logs import Whose, read_logs, scanning
from foldproof.logs.choosing import _sorted, fair_order, mixed
from foldproof.logs.mining import _distinct
from foldproof.logs.near import alike, merged, parts_of
from foldproof.logs.scanning import (
    NO_DAY,
    Range,
    _days,
    _same_words_each,
    hashes,
    lines_of,
    same_words,
    scan,
    scan_files,
)
from foldproof.logs.small_talk import _LONGEST, _program, _short, _unless_asking, why_dropped, whys_dropped

ASKED = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3)), max_size=40)
SAID = ("which", "port", "is", "staging", "on", "now", "again", "please", "8443", "8444")
WORDS = st.lists(st.sampled_from(SAID), min_size=1, max_size=9)


def order_of(asked, seed=0):
    user, topic, week = (np.array([row[at] for row in asked], np.int64) for at in range(3))
    lots = mixed(np.arange(len(asked)).astype(np.uint64), seed)
    return fair_order(lots, user=user, topic=topic, week=week).tolist()


def fair(taken, left):
    """No value was taken two times more often than one that is still left."""
    counts = Counter(taken)
    return all(counts[one] <= counts[other] + 1 for one in counts for other in left)


@given(ASKED, st.integers(0, 2**63))
def test_every_question_is_taken_once_and_the_same_seed_takes_the_same(asked, seed):
    order = order_of(asked, seed)
    assert sorted(order) == list(range(len(asked)))
    assert order == order_of(asked, seed)


@given(ASKED, st.data())
def test_any_beginning_is_fair_to_users(asked, data):
    order = order_of(asked)
    cut = data.draw(st.integers(0, len(order)))
    assert fair([asked[at][0] for at in order[:cut]], {asked[at][0] for at in order[cut:]})


@given(ASKED, st.data())
def test_any_beginning_is_fair_to_the_topics_of_a_user_and_to_the_weeks_of_a_topic(asked, data):
    order = order_of(asked)
    cut = data.draw(st.integers(0, len(order)))
    taken, left = [asked[at] for at in order[:cut]], [asked[at] for at in order[cut:]]
    alone = {user for user, *_ in asked if sum(row[0] == user for row in asked) == len(asked)}
    for user in alone:
        assert fair([row[1] for row in taken if row[0] == user], {row[1] for row in left})
        for topic in {row[1] for row in asked}:
            weeks = [row[2] for row in taken if row[1] == topic]
            assert fair(weeks, {row[2] for row in left if row[1] == topic})


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.data())
def test_users_who_asked_once_are_shared_between_topics(topics, data):
    asked = [(user, topic, 0) for user, topic in enumerate(topics)]
    order = order_of(asked)
    cut = data.draw(st.integers(0, len(order)))
    assert fair([asked[at][1] for at in order[:cut]], {asked[at][1] for at in order[cut:]})


def test_another_seed_draws_other_lots():
    asked = [(user, 0, 0) for user in range(50)]
    assert order_of(asked, 1) != order_of(asked, 2)


def test_a_choice_that_favours_one_is_told():
    assert not fair([0, 0], {1})
    assert fair([0, 0, 1], {1})


@given(st.lists(WORDS.map(" ".join), max_size=12))
def test_what_is_merged_is_alike_and_stands_for_itself(texts):
    stands = merged(texts)
    assert stands == merged(texts)
    for number, first in enumerate(stands):
        assert first <= number
        assert stands[first] == first
        assert alike(parts_of(texts[first]), parts_of(texts[number]))
    kept = [texts[number] for number, first in enumerate(stands) if first == number]
    assert len({parts_of(text) for text in kept}) == len(kept)


@given(WORDS, WORDS)
def test_questions_with_other_numbers_are_never_alike(one, other):
    numbers = [{word for word in words if word.isdigit()} for words in (one, other)]
    parts = [parts_of(" ".join(words)) for words in (one, other)]
    assert alike(*parts) is alike(*reversed(parts))
    if numbers[0] != numbers[1]:
        assert not alike(*parts)


def test_most_alike_pairs_are_found():
    words = "please tell me which of the three gate codes we agreed on for the back door of the house by the river"
    texts = [words, *(f"{words} {end}" for end in ("now", "today", "again", "then", "really"))]
    assert merged(texts) == [0] * 6
    assert all(alike(parts_of(one), parts_of(other)) for one, other in combinations(texts, 2))


TEXTS = st.sampled_from((
    "Which port?", "thanks", "I like tea.", "", "  ", "\x1c", 'say "role": "user" \\ "why"?', "naïve 東京?", "a\nb?",
    "\0?", "\ud800 why?", '{"role": "user", "content": "x?"}',
))  # fmt: skip
NAMES = st.sampled_from(("ada", "", None, 7, 0, True, 1.5, [], {}, "\udfff", "b ö"))
TIMES = st.sampled_from(
    (1767225600, 1767225600.5, "2026-01-02T10:00:00Z", "2026-01-02", "soon", 0, "", None, True, [], 10**30)
)
ROLES = st.sampled_from(
    ("user", "user", "assistant", "tool", "system", "developer", "function", "User", "human", "", None, 3)
)
IDS = dict.fromkeys(("user", "user_id", "session_id", "conversation_id", "thread_id"), NAMES)
PARTS = st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}) | TEXTS, max_size=2)
MESSAGE = st.fixed_dictionaries(
    {"role": ROLES, "content": TEXTS | TEXTS | PARTS | st.none() | st.just(5)},
    optional={
        "type": st.sampled_from(("message", "text", "tool_use", None)),
        "from": st.sampled_from(("human", "function_call", None)),
        "id": st.just(["m"]),
        "kwargs": st.sampled_from(({"role": "user", "content": "Who?"}, None)),
        "data": st.sampled_from(({"role": "user", "content": "Who?"}, None)),
        "tool_calls": st.just([{"function": {"name": "f", "arguments": "{}"}}]),
        "text": TEXTS,
    },
)
SAID_ONLY = st.fixed_dictionaries({"role": ROLES, "content": TEXTS})
MESSAGES = st.lists(SAID_ONLY | SAID_ONLY | MESSAGE | st.just(["user", "Who?"]), max_size=4)
CHAT = MESSAGES | MESSAGES | st.lists(MESSAGES, max_size=2) | st.none() | st.just("Who?")
META = st.none() | st.just("x") | st.fixed_dictionaries({}, optional=IDS)
ODD_KEYS = {
    "conversation": st.sampled_from(("c", {"id": "c"}, None)),
    "object": st.sampled_from(("response", "", None)),
    "body": st.sampled_from(({"messages": [{"role": "user", "content": "Who?"}], "user": "eve"}, {}, None)),
    "custom_id": NAMES,
}
REQUEST = st.fixed_dictionaries({"messages": CHAT}, optional={**IDS, "metadata": META, "conversation": NAMES})
RESPONSE = st.fixed_dictionaries({}, optional={"created": TIMES, "created_at": TIMES, **ODD_KEYS})
CALL = st.fixed_dictionaries(
    {"request": REQUEST | REQUEST | st.none() | st.just({})},
    optional={"response": RESPONSE | st.none(), "created_at": TIMES, "metadata": META, "messages": CHAT, **IDS},
)
ODD_CALL = st.tuples(CALL, st.fixed_dictionaries({}, optional=ODD_KEYS)).map(lambda two: two[0] | two[1])
USUAL_TALK = st.lists(SAID_ONLY, max_size=3).map(lambda talk: [*talk, {"role": "user", "content": "Which port?"}])
USUAL = st.builds(
    lambda talk, request, response: {"request": {"messages": talk, **request}, "response": response},
    USUAL_TALK | MESSAGES,
    st.dictionaries(st.sampled_from(sorted(IDS)), st.sampled_from(("ada", "", None)), max_size=2),
    st.fixed_dictionaries({}, optional={"created": TIMES}),
)
NEARLY = st.builds(
    lambda call, part, more: {**call, part: {**call[part], **more}},
    USUAL,
    st.sampled_from(("request", "response")),
    st.dictionaries(st.sampled_from(("metadata", *ODD_KEYS, *IDS)), NAMES | META, max_size=1),
)
CALLS = USUAL | NEARLY | CALL | ODD_CALL
ROW = st.fixed_dictionaries({"question": TEXTS | NAMES}, optional={
    **dict.fromkeys(("user", "user_id", "session", "session_id", "thread_id"), NAMES),
    **dict.fromkeys(("at", "time", "date", "created_at"), TIMES), "query": TEXTS,
})  # fmt: skip


@st.composite
def written(draw, values):
    """A line as somebody writes it: blanks, escapes or letters, now and then broken."""
    value = draw(values)
    text = json.dumps(
        value, ensure_ascii=draw(st.booleans()), separators=draw(st.sampled_from(((", ", ": "), (",", ":"))))
    )
    raw = text.encode("utf-8", "surrogatepass")
    at = draw(st.integers(0, len(raw)))
    breaks = (raw[:at], raw[:at] + b"\xff" + raw[at:], raw[:at] + raw, b"", b"  ", raw + b"\r", b"NaN")
    return draw(st.sampled_from((raw,) * 6 + breaks))


def read(way, raw):
    try:
        return list(way(raw))
    except (ValueError, RecursionError) as error:
        return type(error)


@given(written(CALLS))
@example(b'{"request": {"messages": [{"role": "user", "content": "Who?"}], "x": "\xff"}}')
@example(b'{"request": {"messages": [[{"role": "user", "content": "Who?"}], {"role": "user", "content": "Why?"}]}}')
@example(b'{"request": {"user": "a", "messages": [{"role": "user", "content": "Who?"}], "user": "b"}}')
@example(b'{"\\u0072equest": {"messages": [{"role": "user", "content": "Who?"}]}}')
def test_a_call_is_read_the_quick_way_as_it_is_surely(raw):
    lines = lines_of("openai")
    assert read(lines.asked, raw) == read(lines.surely, raw)


@given(written(ROW))
def test_a_row_is_read_the_quick_way_as_it_is_surely(raw):
    lines = lines_of("questions")
    assert read(lines.asked, raw) == read(lines.surely, raw)


@pytest.mark.parametrize(("name", "raw"), [
    ("openai", b'{"request": {"user": "a", "messages": [{"role": "user", "content": "Who?"}]}, "created_at": 1}'),
    ("questions", b'{"question": "Who?", "user": "a", "at": 1}'),
])  # fmt: skip
def test_a_usual_line_is_read_the_quick_way(name, raw):
    assert lines_of(name).quick(raw) == ("Who?", "a", "", 1)


@settings(max_examples=30)
@given(st.lists(written(CALLS), max_size=6), st.integers(1, 400), st.integers(60, 400), st.booleans(), st.booleans())
def test_lines_are_read_the_same_however_the_file_is_cut(tmp_path_factory, raws, block, size, everything, mark):
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    raws = [raw.replace(b"\n", b" ") for raw in raws]
    path.write_bytes(b"\xef\xbb\xbf" * mark + b"\n".join(raws))
    with mock.patch.object(scanning, "_BLOCK", block), mock.patch.object(scanning, "_RANGE", size):
        found = scan_files([path], "openai", everything=everything, jobs=1)
    expected, broken, dropped, at = [], [], Counter(), 3 * mark
    for number, raw in enumerate(raws, 1):
        told = read(lines_of("openai").surely, raw)
        broken += [number] if isinstance(told, type) else []
        for item, (text, user, session, _) in enumerate([] if isinstance(told, type) else told):
            why = why_dropped(text)
            if why is None or (everything and why == "statement"):
                expected.append((at, item, *hashes([user, session, same_words(text)])))
            else:
                dropped[why] += 1
        at += len(raw) + 1
    columns = zip(found.offset, found.item, found.user, found.session, found.words, strict=True)
    assert [tuple(map(int, row)) for row in columns] == expected
    assert (found.broken, found.dropped) == (len(broken), dropped)
    assert [line for _, line, _ in found.problems] == broken


@settings(max_examples=40)
@given(
    st.lists(written(USUAL | NEARLY | NEARLY | ODD_CALL), min_size=1, max_size=6), st.sampled_from(("ada", "7", "eve"))
)
def test_the_talk_of_some_is_what_they_said_in_the_whole_log(tmp_path_factory, raws, user):
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    path.write_bytes(b"\n".join(raw.replace(b"\n", b" ") for raw in (b'{"request": {}, "response": {}}', *raws)))
    whose = Whose(frozenset({user}), frozenset({"ada", "b ö"}))
    some = read_logs([path], "openai", whose=whose).sessions
    assert list(some) == [one for one in read_logs([path], "openai").sessions if whose.wants(one.user, one.id)]


@given(st.lists(st.text(st.sampled_from("aΣß?!. ？\n\t\0İ"), max_size=6), max_size=6))
def test_the_words_of_many_are_those_of_each(texts):
    assert _same_words_each(texts) == [same_words(text) for text in texts]


@given(st.lists(st.sampled_from((1767225600, 1767312000)), max_size=4), st.lists(TIMES, max_size=2))
def test_the_days_of_many_are_those_of_each(usual, more):
    found = _days([*usual, *more], {}).tolist()
    assert found == [day for at in (*usual, *more) for day in _days([at], {}).tolist()]
    assert found[: len(usual)] == [at // 86_400 for at in usual]


SENTENCES = st.lists(st.sampled_from(
    ("what", "the", "hi", "Thanks", "ok", "which", "tell", "what's", "Est-ce", "don’t", "東京", "<b>", "/clear", '{"',
     "!go", "a_b", "x-y", ".", "!", "?", "？", ",", ";", "\n", "\t", "",
     "and so on and on and on and on and on and on and on")
), max_size=6)  # fmt: skip


@given(st.lists(st.tuples(SENTENCES, st.sampled_from((" ", ""))), max_size=5))
def test_the_first_word_tells_no_more_than_the_rules(written_down):
    texts = [blank.join(words) for words, blank in written_down]
    whys = []
    for text in map(str.strip, texts):
        whys.append(_short.__wrapped__(text) if len(text) <= _LONGEST else _program(text) or _unless_asking(text))
    assert [why_dropped(text) for text in texts] == whys_dropped(texts) == whys


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from((NO_DAY, -1, 0, 20_000))), max_size=30), st.data())
def test_the_newest_of_the_same_words_stands_for_all_of_them(asked, data):
    numbers = [np.array([row[at] for row in asked], kind) for at, kind in ((0, np.uint64), (1, np.int32))]
    columns = mock.Mock(words=numbers[0], day=numbers[1])
    rows = sorted(data.draw(st.sets(st.integers(0, max(0, len(asked) - 1)), max_size=len(asked))))
    found, counts = _distinct(columns, np.array(rows, np.int64))
    words = {word: [row for row in rows if asked[row][0] == word] for word, _ in asked}
    newest = {max(same, key=lambda row: (asked[row][1], row)): len(same) for same in words.values() if same}
    assert dict(zip(found.tolist(), counts.tolist(), strict=True)) == newest
    assert found.tolist() == sorted(found.tolist())


@given(st.lists(st.integers(0, 3) | st.integers(2**61, 2**62), max_size=20))
def test_equal_numbers_stay_as_they_stand(numbers):
    column = np.array(numbers, np.int64)
    assert _sorted(column).tolist() == np.argsort(column, kind="stable").tolist()


def test_a_range_that_begins_in_a_line_without_end_holds_nothing(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"request": ' + b"1" * 100)
    assert scan(Range(str(path), 0, 50, 112, "openai", everything=False)).lines == 0
