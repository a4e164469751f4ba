"""Mining: what was asked in logs of every shape, the counts of each step, the choice."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest

from foldproof.core import Redactor, UsageError
from foldproof.logs import Whose, read_logs
from foldproof.logs.formats import FORMATS
from foldproof.logs.mining import MineOptions, mine_logs
from foldproof.logs.scanning import same_words, scan_files

from .written import lines


def call(asked, user="ada", day=1, session="s", **more):
    talk = [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "hello"},
        {"role": "user", "content": asked},
    ]
    request = {"messages": talk, "user": user, "metadata": {"session_id": session}}
    answer = {
        "choices": [{"message": {"role": "assistant", "content": "It is so."}}],
        "created": 1767225600 + day * 86400,
    }
    return {"request": request, "response": answer, **more}


@pytest.fixture
def mine(tmp_path):
    def run(*contents, name="log.jsonl", **options):
        paths = []
        for number, content in enumerate(contents):
            path = tmp_path / f"{number}-{name}"
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            paths.append(path)
        return mine_logs(paths, MineOptions(**options), redactor=Redactor({}))

    return run


def asked(mined):
    return {question.text for question in mined.questions}


def test_each_step_is_counted_and_nothing_is_lost_between_two(mine):
    said = ("Which port is it?", "which  PORT is it", "thanks!", "/clear", "I like tea.", "Where is the spare key?",
            "Where is the spare key then?", "When is 4 due?", "When is 5 due?")  # fmt: skip
    records = [call(text) for text in said]
    mined = mine(lines(*records, "{cut"))
    assert (mined.lines, mined.said, mined.broken) == (10, 9, 1)
    assert mined.dropped == {"thanks": 1, "command": 1, "statement": 1}
    assert mined.said == mined.found + sum(mined.dropped.values())
    assert (mined.found, mined.exact, mined.distinct) == (6, 1, 5)
    assert (mined.compared, mined.near) == (5, 1)
    assert asked(mined) == {"which  PORT is it", "Where is the spare key?", "When is 4 due?", "When is 5 due?"}
    assert [(line, told) for _, line, told in mined.problems] == [(10, "the line is no JSON: JSONDecodeError")]


def test_what_is_nearly_the_same_is_merged_and_counted_and_another_number_is_another_question(mine):
    long = "Please tell me once more which of the three gate codes we agreed on for the back door of the warehouse {}?"
    mined = mine(
        lines(*(call(long.format(end)) for end in ("", "now", "now")), call(long.format("7")), call(long.format("8")))
    )
    assert (mined.exact, mined.near) == (1, 1)
    assert sorted((question.asked, question.alike) for question in mined.questions) == [(1, 0), (1, 0), (1, 2)]


def test_lines_of_other_shapes_are_read_as_the_importer_does(mine):
    parts = [{"type": "text", "text": "Which door is it?"}]
    other = [
        {"messages": [{"role": "user", "content": "What is first?"}, {"role": "assistant", "content": "1"},
                      {"role": "user", "content": "What is second?"}]},
        {"request": {"messages": [{"role": "user", "content": parts}], "user": 7}, "response": {}},
        {"request": {"input": "Who is it?"}, "response": {"object": "response", "output": []}},
        {"custom_id": "c", "body": {"messages": [{"role": "user", "content": "Why is it?"}]}, "response": {"body": {}}},
        {"request": {"messages": [{"role": "user", "content": "Where is it?"}, {"role": "assistant", "content": "x"}]},
         "response": {}},
        {"nothing": True},
    ]  # fmt: skip
    mined = mine(b"\xef\xbb\xbf" + lines(call("Is it?"), *other).encode() + b'"a text"\n\n[1]\n')
    parts = (
        "Is it?",
        "What is first?",
        "What is second?",
        "Which door is it?",
        "Who is it?",
        "Why is it?",
        "Where is it?",
    )
    assert asked(mined) == set(parts)
    assert {question.user for question in mined.questions} == {"ada", "7", ""}
    assert mined.broken == 0


def test_ranges_and_processes_change_nothing(tmp_path, monkeypatch):
    path = tmp_path / "log.jsonl"
    path.write_text(
        lines(*(call(f"What is number {number}?", f"u{number % 7}") for number in range(300)), "{bad", call("Who?"))
    )
    whole = scan_files([path], "openai", jobs=1)
    assert (len(whole), whole.lines, whole.problems[0][1]) == (301, 302, 301)
    monkeypatch.setattr("foldproof.logs.scanning._RANGE", 997)
    monkeypatch.setattr("foldproof.logs.scanning._BLOCK", 300)
    monkeypatch.setattr("foldproof.logs.scanning._SHARE", 1)
    cut = scan_files([path], "openai", jobs=1)
    shared = scan_files([path], "openai", jobs=2)
    for other in (cut, shared):
        assert (other.lines, other.problems, other.broken) == (whole.lines, whole.problems, whole.broken)
        for name in ("offset", "item", "user", "session", "day", "words"):
            assert getattr(other, name).tolist() == getattr(whole, name).tolist(), name


def test_what_JSON_can_write_and_no_file_can_hold_ends_nothing(mine):
    half = json.dumps(call("Is \ud800 mine?", user="a\udfff"))
    deep = json.dumps(call("Is it deep?"))[:-1] + ', "more": ' + "[" * 100_000 + "]" * 100_000 + "}"
    odd = b'{"request": {"messages": [{"role": "user", "content": "Is it?"}], "x": "\xff"}, "response": {}}'
    mined = mine(b"\n".join((half.encode(), deep.encode(), odd, json.dumps(call("Is it so?")).encode())))
    assert {(question.text, question.user) for question in mined.questions} == {
        ("Is ? mine?", "a?"),
        ("Is it so?", "ada"),
    }
    assert [(line, told) for _, line, told in mined.problems] == [
        (2, "the line is no JSON: RecursionError"),
        (3, "the line is no JSON: UnicodeDecodeError"),
    ]


def test_a_line_that_is_too_long_is_counted_and_the_next_is_read(tmp_path, monkeypatch):
    path = tmp_path / "log.jsonl"
    path.write_text(lines(call("Who?"), call("Why? " + "x" * 5_000), call("When?")))
    for share, jobs in ((10**9, 1), (1, 2)):
        monkeypatch.setattr("foldproof.logs.scanning._SHARE", share)
        for block in (64, 2**18):
            monkeypatch.setattr("foldproof.logs.scanning._BLOCK", block)
            monkeypatch.setattr("foldproof.logs.scanning._RANGE", 700)
            monkeypatch.setattr("foldproof.logs.scanning.LARGEST", 2_000)
            found = scan_files([path], "openai", jobs=1)
            assert (len(found), found.lines, found.broken) == (2, 3, 1)
            assert found.problems == [(str(path), 2, "the line is longer than 0 MiB")]
            monkeypatch.setattr("foldproof.logs.scanning.LARGEST", 2**20)
            assert len(scan_files([path], "openai", jobs=jobs)) == 3


@pytest.mark.parametrize("roles", [("tool", "assistant"), ("assistant",), ("developer", "function", "system")])
def test_a_call_that_goes_on_after_tools_still_asks_the_last_question_of_the_user(mine, roles):
    record = call("Which port is it?")
    record["request"]["messages"] += [{"role": role, "content": None, "tool_calls": []} for role in roles]
    assert asked(mine(lines(record))) == {"Which port is it?"}
    assert FORMATS.get("openai").flat.reader()(json.dumps(record).encode()) is not None


def test_the_day_is_the_one_that_the_log_writes_whatever_the_zone_and_whatever_came_before(mine):
    times = ("2026-01-02T23:30:00-05:00", "2026-01-02T01:00:00+09:00", "2026-01-02", "2026-01-02 10:00")
    rows = [{"question": f"What is {number}?", "at": at} for number, at in enumerate(times)]
    more = [{"question": "What is never?", "at": "2026-01-02 in the morning"}, {"question": "When?", "at": 1767312000}]
    mined = mine(lines(*rows, *more))
    assert {question.day for question in mined.questions} == {"2026-01-02", ""}
    assert [question.text for question in mined.questions if not question.day] == ["What is never?"]


def test_since_counts_back_from_the_newest_question_of_the_log(mine):
    records = [call(f"What was on day {day}?", day=day) for day in range(40)]
    timeless = call("When was it?")
    del timeless["response"]["created"]
    log = lines(*records, timeless)
    mined = mine(log, since="21d")
    assert mined.since == "2026-01-20"
    assert (len(mined.questions), mined.dropped) == (21, {"before": 19, "no time": 1})
    assert len(mine(log, since="3w").questions) == 21
    assert len(mine(log, since="2026-02-08").questions) == 2
    with pytest.raises(UsageError, match="'soon' is no time"):
        mine(log, since="soon")
    with pytest.raises(UsageError, match="tells no time"):
        mine(lines(timeless), since="1d")


def test_the_newest_of_the_same_words_stands_for_them(mine):
    mined = mine(lines(call("Which port?", day=5, user="new"), call("which port", day=2, user="old")))
    (question,) = mined.questions
    assert (question.user, question.day, question.asked) == ("new", "2026-01-06", 2)


def test_B76_a_table_of_questions_is_mined_as_it_is_imported(mine):
    raw = b'\xef\xbb\xbfquestion,user\r\n"a, b?",ada\r\n"say ""hi""?",007\r\n,ada\r\n0123?,ada\r\n'
    mined = mine(raw, name="q.csv")
    assert not mined.quick
    assert asked(mined) == {"a, b?", 'say "hi"?', "0123?"}
    assert {question.user for question in mined.questions} == {"ada", "007"}
    assert [told for *_, told in mined.problems] == ["the row has no question"]


def test_a_table_and_json_lines_of_the_same_questions_give_the_same(mine):
    rows = [{"question": f"Where is {thing}?", "user": user, "session": "", "at": "2026-01-02T10:00:00+01:00"}
            for thing in ("tea", "rye", "jam") for user in ("ada", "ben")]  # fmt: skip
    out = StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    flat, table = mine(lines(*rows)), mine(out.getvalue(), name="q.csv")
    assert (flat.quick, table.quick) == (True, False)
    assert [(one.text, one.user, one.day, one.asked) for one in flat.questions] == [
        (one.text, one.user, one.day, one.asked) for one in table.questions
    ]


def test_sessions_of_a_format_without_flat_lines_are_mined_too(mine):
    def turn(uuid, parent, role, text):
        return {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s-1", "isSidechain": False,
                "timestamp": "2026-02-01T09:00:00Z", "message": {"role": role, "content": text}}  # fmt: skip

    mined = mine(lines(turn("1", None, "user", "Which file is it?"), turn("2", "1", "assistant", "a.py"),
                       turn("3", "2", "user", "thanks")))  # fmt: skip
    assert (mined.format.name, mined.quick, mined.said, mined.dropped) == ("claude-code", False, 2, {"thanks": 1})
    (question,) = mined.questions
    assert (question.text, question.session, question.day) == ("Which file is it?", "s-1", "2026-02-01")


def test_statements_are_kept_where_asked_for(mine):
    log = lines(call("I like tea."), call("thanks"))
    assert asked(mine(log)) == set()
    assert asked(mine(log, statements=True)) == {"I like tea."}


def test_no_secret_is_in_what_is_told(mine):
    key = "sk-proj-4f8a9b2c1d6e7f8091a2b3c4"
    mined = mine(lines(call(f"Is {key} my key?", user=key, session=key)))
    assert key not in json.dumps([repr(question) for question in mined.questions])
    assert asked(mined) == {"Is [redacted] my key?"}


def test_no_piece_of_a_secret_is_a_topic(mine):
    (question,) = mine(lines(call("Is sk-proj-abcdefghijklmnopqrstuvwxyz1234 my key?"))).questions
    assert (question.text, question.topic) == ("Is [redacted] my key?", "key")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("Which port?", "which  port", True), ("A\nb", "a b", True), ("a?", "b?", False), ("a1", "a2", False)],
)
def test_the_same_words(one, other, same):
    assert (same_words(one) == same_words(other)) is same


def test_of_the_talk_of_some_no_other_line_is_decoded_and_a_chain_of_calls_stays_whole(tmp_path, monkeypatch):
    path = tmp_path / "log.jsonl"
    chain = [{"request": {"messages": [{"role": "user", "content": f"Go {number}?"}], "user": "ada"},
              "response": {"id": f"r{number}", "previous_response_id": f"r{number - 1}" if number else None}}
             for number in range(3)]  # fmt: skip
    key = "sk-proj-4f8a9b2c1d6e7f8091a2b3c4"
    path.write_text(lines(chain[0], call("Who?", user="ben"), chain[1], call("I am it.", user=key), chain[2], "{cut"))
    decoded = []
    loads = json.loads
    reading = read_logs([path], "openai", redactor=Redactor({}), whose=Whose(frozenset({"ada", "[redacted]"})))
    monkeypatch.setattr("foldproof.logs.reading.json.loads", lambda text: decoded.append(text) or loads(text))
    told = {session.user: [said.text for said in session.said()] for session in reading.sessions}
    assert told == {"ada": ["Go 0?", "Go 1?", "Go 2?"], "[redacted]": ["be kind", "hello", "I am it.", "It is so."]}
    assert not any("ben" in text for text in decoded)
    assert any(key in text for text in decoded)
    assert [(problem.line, problem.message[:18]) for problem in reading.tally.problems] == [(6, "the line is no JSO")]
