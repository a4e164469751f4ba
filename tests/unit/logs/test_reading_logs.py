"""Files of every shape, broken in every way: what can be read is read, the rest is counted, named or refused."""

from __future__ import annotations

import json
import os
from importlib import metadata
from importlib.metadata import EntryPoint

import pytest

from foldproof.core import Redactor, UsageError
from foldproof.logs import FORMATS, read_logs, reading
from foldproof.logs.formats import LogFormat

from .written import lines, read_all, told

TALK = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}


def test_the_format_is_found_out_and_said_why(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(lines(TALK, TALK))
    found = read_logs([path])
    assert (found.format.name, found.why) == (
        "openai", "`messages` with roles, `request` and `response`, or `custom_id` (2 of the first 2 records)",
    )  # fmt: skip
    assert read_logs([path], "openai").why == "named"


def test_every_format_says_what_it_is():
    for name in FORMATS.names():
        known = FORMATS.get(name)
        assert isinstance(known, LogFormat)
        assert known.name == name
        assert known.title
        assert known.told_by
        assert known.limits


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b" \n \n", "is empty"),
        (b"\x1f\x8b\x08\x00", "compressed"),
        (b"PK\x03\x04rest", "ZIP archive"),
        (b"SQLite format 3\x00", "get_state_history"),
        ('{"a": 1}'.encode("utf-16"), "UTF-16"),
        (b'{"a": 1, "b": 2}\n', "the first has the keys `a`, `b`"),
        (b"name,price\nx,1\n", "a table with the columns `name`, `price`"),
        (b"just words\n", "a table with the columns"),
        (b'{"type": "assist', "no record could be read"),
        (b"[1, 2]", "none is an object"),
        (b'[{"question_id": "q", "haystack_sessions": []}]', "foldproof import longmemeval"),
        (b"\x00\xff\xfe\x00", "no known log format"),
    ],
)
def test_what_is_no_log_is_refused_with_what_was_looked_at(tmp_path, content, says):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="file") as told_error:
        read_logs([path])
    assert says in str(told_error.value)


def test_a_package_adds_a_format(tmp_path, monkeypatch):
    place = "foldproof.logs.formats.questions:FORMAT"
    point = EntryPoint(name="my-questions", value=place, group="foldproof.logs")
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point] if group == "foldproof.logs" else [])
    path = tmp_path / "q.csv"
    path.write_text("question\nWhere?\n")
    found = read_logs([path], "my-questions")
    assert [told(session) for session in found.sessions] == [["user: Where?"]]


def test_an_unknown_name_tells_the_nearest(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(lines(TALK))
    with pytest.raises(UsageError, match="did you mean `codex`"):
        read_logs([path], "codexx")
    with pytest.raises(UsageError, match="cannot be read"):
        read_logs([tmp_path / "nowhere"])
    with pytest.raises(UsageError, match="no log file"):
        read_logs([])


def test_files_of_two_formats_are_not_mixed(tmp_path):
    (tmp_path / "a.jsonl").write_text(lines(TALK))
    (tmp_path / "b.csv").write_text("question\nx\n")
    with pytest.raises(UsageError, match=r"2 formats \(.*a.jsonl: openai, .*b.csv: questions\)"):
        read_logs([tmp_path / "a.jsonl", tmp_path / "b.csv"])


def test_a_named_format_that_does_not_fit_counts_all_as_unknown(read):
    log = read(lines(TALK), format_name="codex")
    assert (log.sessions, log.tally.unknown) == ([], {"(no kind)": 1})


def test_two_files_of_one_name_are_two(tmp_path):
    rollout = lines({"type": "response_item", "payload": {"type": "message", "role": "user", "content": "Hi"}})
    for content in (lines(TALK), rollout):
        paths = [tmp_path / folder / "log.jsonl" for folder in ("a", "b")]
        for path in paths:
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
        assert len({session.id for session in read_all(paths).sessions}) == 2


@pytest.mark.parametrize("content", [lines(TALK, TALK), "question\nOne?\nTwo?\n"])
def test_a_file_that_changes_while_it_is_read_is_told(tmp_path, content):
    path = tmp_path / "log"
    path.write_text(content)
    sessions = read_logs([path]).sessions
    assert next(sessions).entries
    path.write_text("")
    with pytest.raises(UsageError, match="changed while it was read"):
        list(sessions)


def test_a_pipe_and_a_folder_are_no_logs(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="save it to a file"):
        read_logs([tmp_path / "pipe"])
    with pytest.raises(UsageError, match="cannot be read"):
        read_logs([tmp_path])


def test_a_first_line_that_is_broken_hides_nothing(read):
    log = read('{"messages": [\n' + lines(TALK) + "[1]\n")
    assert told(log.only) == ["user: Hi", "agent: Hello"]
    assert [problem.line for problem in log.tally.problems] == [1, 3]


def test_a_bom_and_carriage_returns_are_no_fault(read):
    log = read(b"\xef\xbb\xbf" + lines(TALK, TALK).replace("\n", "\r\n").encode())
    assert (len(log.sessions), log.tally.broken) == (2, 0)
    listed = read(b"\xef\xbb\xbf" + json.dumps([TALK, TALK], indent=1).encode(), name="a.json")
    assert (len(listed.sessions), listed.tally.broken) == (2, 0)


def test_a_list_is_read_item_by_item_in_every_layout(read):
    for text in (
        json.dumps([TALK] * 3),
        json.dumps([TALK] * 3, indent=2),
        "[\n" + ",\n".join([json.dumps(TALK)] * 3) + "\n]\n",
    ):
        log = read(text, name="a.json")
        assert (len(log.sessions), log.tally.broken) == (3, 0)


def test_items_longer_than_what_is_read_at_once(read, monkeypatch):
    monkeypatch.setattr(reading, "_CHUNK", 7)
    log = read(
        json.dumps([TALK, {"messages": [{"role": "user", "content": "é" * 300}]}], ensure_ascii=False), name="a.json"
    )
    assert [told(session)[0] for session in log.sessions] == ["user: Hi", "user: " + "é" * 300]


@pytest.mark.parametrize(
    ("text", "sessions", "says"),
    [
        (json.dumps([TALK, TALK])[:-1], 2, "the list is cut off"),
        (json.dumps([TALK]) + " [2]", 1, "something follows the list"),
        (json.dumps([TALK])[:-1] + ', {"messages": }]', 1, "the JSON is broken here, the rest cannot be read"),
        ("[" + json.dumps(TALK) + ", 12", 1, "the list is cut off"),
    ],
)
def test_a_broken_list_gives_what_came_before(read, text, sessions, says):
    log = read(text, name="a.json")
    assert len(log.sessions) == sessions
    assert any(says in problem.message for problem in log.tally.problems)


def test_an_item_that_is_no_utf_8_ends_the_list(read):
    text = json.dumps([TALK]).encode()[:-1] + b', {"messages": "\xff"}]'
    log = read(text, name="a.json")
    assert (len(log.sessions), log.tally.broken) == (1, 1)


def test_what_is_too_long_is_named(read, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST", 200)
    monkeypatch.setattr(reading, "_CHUNK", 50)
    long = {"messages": [{"role": "user", "content": "x" * 500}]}
    log = read(lines(TALK, long, TALK))
    assert (len(log.sessions), [problem.line for problem in log.tally.problems]) == (2, [2])
    with pytest.raises(UsageError, match="as JSON lines, or split it"):
        read(json.dumps(long, indent=1), name="a.json")
    listed = read(json.dumps([TALK, long]), name="a.json")
    assert (len(listed.sessions), listed.tally.broken) == (1, 1)


def test_many_broken_lines_are_counted_and_the_first_named(read):
    log = read(lines(TALK, *["{cut"] * 50))
    assert (log.tally.broken, len(log.tally.problems)) == (50, 20)


def test_no_word_of_a_broken_line_is_told(read):
    log = read(lines(TALK, '{"password": "hunter2-hunter2", '))
    assert "hunter2" not in str(log.tally.problems)


def test_numbers_and_depths_that_python_refuses_are_broken_lines(read):
    log = read(lines(TALK, '{"n": ' + "1" * 5000 + "}", "[" * 100_000))
    assert (len(log.sessions), log.tally.broken) == (1, 2)


SECRETS = {
    "a key": "sk-proj-4f8a9b2c1d6e7f8091a2b3c4",
    "a token": "ghp_0123456789abcdefghijABCDEFGHIJ",
    "a bearer": "Authorization: Bearer abcdef0123456789abcdef",
    "a connection": "postgres://ada:hunter2@db/prod",
}


def test_secrets_are_taken_out_everywhere(read):
    whole = " ".join(SECRETS.values())
    call = {"id": "c1", "function": {"name": "f", "arguments": json.dumps({"key": whole, "ghp_" + "a1" * 12: 1})}}
    log = read(lines(
        {"messages": [{"role": "user", "content": whole}, {"role": "assistant", "tool_calls": [call]},
                      {"role": "tool", "tool_call_id": "c1", "content": whole}, {"role": "oracle", "content": whole}],
         "session_id": "ghp_" + "b2" * 12},
    ))  # fmt: skip
    stored = repr(log.only)
    assert [word for word in ("sk-proj", "ghp_", "abcdef0123456789", "hunter2") if word in stored] == []
    assert stored.count("[redacted]") >= 12


def test_half_a_character_is_replaced(read):
    log = read('{"messages": [{"role": "user", "content": "half \\ud83d here"}]}\n')
    assert told(log.only) == ["user: half ? here"]


def test_the_known_secrets_of_the_environment_are_taken_out(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(lines({"messages": [{"role": "user", "content": "it is swordfish-77"}]}))
    found = read_logs([path], redactor=Redactor({"DB_PASSWORD": "swordfish-77"}))
    assert [told(session) for session in found.sessions] == [["user: it is [redacted]"]]


def test_reading_twice_gives_the_same(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        lines(*({**TALK, "session_id": f"s{number % 7}", "user": f"u{number % 3}"} for number in range(50)))
    )
    assert read_all([path]).sessions == read_all([path]).sessions
