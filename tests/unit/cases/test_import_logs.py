"""Histories written from logs: one user a file, in order, whole, and nothing written over."""

from __future__ import annotations

import json
import sys

import pytest

from foldproof.cases import import_logs
from foldproof.cases.histories import read_history
from foldproof.core import Redactor, UsageError


def talk(session, user, *texts, at="2026-01-01T00:00:00Z"):
    """One line of a message log."""
    roles = ("user", "assistant")
    messages = [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]
    return {"messages": messages, "session_id": session, "user": user, "created_at": at}


@pytest.fixture
def log(tmp_path):
    def write(*records):
        path = tmp_path / "log.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


def run(path, to=None, **options):
    return import_logs([path], to, redactor=Redactor({}), **options)


def sessions_of(path):
    return [(session.id, session.at, [(turn.role, turn.text) for turn in session.turns])
            for session in read_history("h", path).sessions]  # fmt: skip


def test_sessions_stand_in_the_order_of_their_times(tmp_path, log):
    path = log(talk("b", "ada", "Later?", "Yes.", at="2026-02-01T00:00:00Z"), talk("a", "ada", "Hi", "Hello"),
               talk("c", "ada", "After a.", at=None), talk("d", "ada", "Naive.", at="2026-01-15T00:00:00"))  # fmt: skip
    report = run(path, tmp_path / "out" / "ada.jsonl")
    assert report.written == (tmp_path / "out" / "ada.jsonl",)
    assert (report.format, report.users, report.silent) == ("openai", {"ada": 4}, 0)
    assert sessions_of(report.written[0]) == [
        ("a", "2026-01-01T00:00:00Z", [("user", "Hi"), ("agent", "Hello")]),
        ("c", "", [("user", "After a.")]),
        ("d", "2026-01-15T00:00:00", [("user", "Naive.")]),
        ("b", "2026-02-01T00:00:00Z", [("user", "Later?"), ("agent", "Yes.")]),
    ]


def test_without_a_target_nothing_is_written(tmp_path, log):
    path = log(talk("a", "ada", "Hi"))
    assert run(path).written == ()
    assert sorted(place.name for place in tmp_path.iterdir()) == ["log.jsonl"]


def test_several_users_are_never_one_history(tmp_path, log):
    path = log(talk("a", "ada", "Hi"), talk("b", "ben", "Hi"), talk("c", None, "Hi"))
    with pytest.raises(UsageError, match=r"3 users \(\(not told\): 1, ada: 1, ben: 1\)"):
        run(path, tmp_path / "all.jsonl")
    assert not (tmp_path / "all.jsonl").exists()
    report = run(path, tmp_path / "out")
    assert [place.name for place in report.written] == ["no-user.jsonl", "ada.jsonl", "ben.jsonl"]
    assert [len(sessions_of(place)) for place in report.written] == [1, 1, 1]


def test_many_users_are_not_all_listed(tmp_path, log):
    path = log(*(talk(str(number), f"u{number:02d}", "Hi") for number in range(20)))
    with pytest.raises(UsageError, match="u07: 1, 12 more"):
        run(path, tmp_path / "all.jsonl")


def test_one_user_is_chosen(tmp_path, log):
    path = log(talk("a", "ada", "Hi"), talk("b", "ben", "Ho"), talk("c", None, "Hum"))
    assert sessions_of(run(path, tmp_path / "b.jsonl", user="ben").written[0])[0][2] == [("user", "Ho")]
    assert sessions_of(run(path, tmp_path / "c.jsonl", user="").written[0])[0][2] == [("user", "Hum")]
    with pytest.raises(UsageError, match="did you mean `ada`"):
        run(path, tmp_path / "d.jsonl", user="adda")


def test_a_users_name_is_a_safe_file_name_of_its_own(tmp_path, log):
    users = ["ada", "Ada", "../ada", "a/b", "a b", "no-user", "…", "x" * 300]
    report = run(log(*(talk(str(number), user, "Hi") for number, user in enumerate(users))), tmp_path / "out")
    assert len(report.written) == len(set(report.written)) == len(users)
    assert {place.parent for place in report.written} == {tmp_path / "out"}
    assert len({place.name.lower() for place in report.written}) == len(users)
    assert max(len(place.name) for place in report.written) < 100


def test_a_session_id_that_stands_twice_is_made_two(tmp_path, log):
    rows = "question,id\nOne?,s-2\nTwo?,s\nThree?,s\nFour?,s-2\n"
    path = tmp_path / "q.csv"
    path.write_text(rows)
    report = run(path, tmp_path / "h.jsonl")
    names = [name for name, *_ in sessions_of(report.written[0])]
    assert names == ["s-2", "s", "s-3", "s-2-2"]


def test_a_session_without_an_id_gets_one(tmp_path):
    path = tmp_path / "history.json"
    config = {"configurable": {"thread_id": "", "checkpoint_id": "1"}}
    path.write_text(json.dumps([{"values": {"messages": [{"type": "human", "content": "Hi"}]}, "config": config}]))
    assert [name for name, *_ in sessions_of(run(path, tmp_path / "h.jsonl").written[0])] == ["session"]


def test_a_history_that_no_set_could_read_is_not_written(tmp_path, log, monkeypatch):
    path = log(talk("a", "ada", "x" * 200))
    module = sys.modules["foldproof.cases.import_logs"]  # the package shows the function under this name
    monkeypatch.setattr(module, "LARGEST_FILE", 250)
    with pytest.raises(UsageError, match="and a set reads up to 250"):
        run(path, tmp_path / "h.jsonl")
    assert not (tmp_path / "h.jsonl").exists()
    monkeypatch.setattr(module, "LARGEST_FILE", 300)
    assert run(path, tmp_path / "h.jsonl").written


def test_what_is_there_is_not_written_over(tmp_path, log):
    path, target = log(talk("a", "ada", "Hi")), tmp_path / "ada.jsonl"
    target.write_text("kept")
    for to in (target, tmp_path):
        with pytest.raises(UsageError, match="with --force"):
            run(path, to)
    assert target.read_text() == "kept"
    run(path, target, force=True)
    assert "Hi" in target.read_text()


def test_a_target_must_be_a_history_or_a_folder(tmp_path, log):
    path = log(talk("a", "ada", "Hi"))
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "file").write_text("x")
    for name, says in (
        ("out.json", "ending in `.jsonl`"),
        ("folder.jsonl", "a folder stands"),
        ("file", "is JSON lines"),
    ):
        with pytest.raises(UsageError, match=says):
            run(path, tmp_path / name)
    (tmp_path / "v1.2").mkdir()
    assert run(path, tmp_path / "v1.2").written == (tmp_path / "v1.2" / "ada.jsonl",)


def test_a_log_in_which_nobody_speaks_has_no_history(tmp_path, log):
    record = {"messages": [{"role": "system", "content": "Be kind."}], "user": "ada"}
    report = run(log(record))
    assert (report.silent, report.users) == (1, {"ada": 1})
    with pytest.raises(UsageError, match="no history to write"):
        run(log(record), tmp_path / "h.jsonl")
    assert sessions_of(run(log(record), tmp_path / "h.jsonl", extras=("system",)).written[0])[0][2] == [
        ("system", "Be kind.")
    ]


def test_more_than_talk_is_written_where_it_is_asked_for(tmp_path, log):
    call = {"id": "c1", "function": {"name": "look", "arguments": '{"n": 1}'}}
    open_call = {"id": "c2", "function": {"name": "wait", "arguments": "{}"}}
    record = {
        "user": "ada",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Where?"},
            {"role": "assistant", "tool_calls": [call, open_call]},
            {"role": "tool", "tool_call_id": "c1", "content": "here"},
            {"role": "assistant", "content": "There."},
        ],
    }
    plain = run(log(record), tmp_path / "a.jsonl")
    assert sessions_of(plain.written[0])[0][2] == [("user", "Where?"), ("agent", "There.")]
    whole = run(log(record), tmp_path / "b.jsonl", extras=("tools", "system"))
    assert sessions_of(whole.written[0])[0][2] == [
        ("system", "Be kind."), ("user", "Where?"), ("tool", 'look {"n": 1}\nhere'), ("tool", "wait {}"),
        ("agent", "There."),
    ]  # fmt: skip


def test_interim_words_and_folds(tmp_path):
    def line(kind, **payload):
        return json.dumps({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}) + "\n"

    def message(role, text, **more):
        return line("response_item", type="message", role=role, content=[{"type": "input_text", "text": text}], **more)

    path = tmp_path / "rollout.jsonl"
    path.write_text(message("user", "Fix it.") + message("assistant", "I look.", phase="commentary")
                    + line("compacted", message="Summary.") + message("assistant", "Done."))  # fmt: skip
    assert [text for _, text in sessions_of(run(path, tmp_path / "a.jsonl").written[0])[0][2]] == ["Fix it.", "Done."]
    more = run(path, tmp_path / "b.jsonl", extras=("interim",))
    assert [text for _, text in sessions_of(more.written[0])[0][2]] == ["Fix it.", "I look.", "Done."]
    assert more.tally.folds == {"compacted": 1}


def test_the_same_log_gives_the_same_bytes(tmp_path, log):
    path = log(*(talk(f"s{number % 5}", "ada", f"Question {number}?", "Yes.") for number in range(30)))
    first, second = (run(path, tmp_path / f"{name}.jsonl").written[0].read_bytes() for name in "ab")
    assert first == second


TOMORROW = "Meeting tomorrow at 3pm."
SPOKEN = {"role": "user", "content": TOMORROW}
CAPTURED = {
    "claude-code": (
        lambda at: {"type": "user", "uuid": "1", "sessionId": "s", "timestamp": at, "message": SPOKEN},
        "2025-11-19T07:00:00Z", "2025-11-19T07:00:00Z"),
    "codex": (
        lambda at: {"timestamp": at, "type": "event_msg", "payload": {"type": "user_message", "message": TOMORROW}},
        "2025-11-19T15:00:00+08:00", "2025-11-19T07:00:00Z"),
    "openai": (
        lambda at: {"messages": [SPOKEN], "session_id": "s", "created_at": at},
        "2025-11-19T15:00:00", "2025-11-19T15:00:00"),
    "questions": (lambda at: {"question": TOMORROW, "at": at}, "1763535600", "2025-11-19T07:00:00Z"),
}  # fmt: skip


@pytest.mark.parametrize("name", CAPTURED)
def test_a14_the_time_of_capture_is_kept_and_none_is_made_up(tmp_path, name):
    """A zone that is told gives UTC, one that is not is not guessed; "tomorrow" stays the word that was said."""
    record, at, kept = CAPTURED[name]
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(record(at)) + "\n")
    told = import_logs([path], tmp_path / "told.jsonl", format_name=name, redactor=Redactor({}))
    assert [row[1:] for row in sessions_of(told.written[0])] == [(kept, [("user", TOMORROW)])]
    for missing in ("", "tomorrow", "2025-13-45"):
        path.write_text(json.dumps(record(missing)) + "\n")
        silent = import_logs([path], tmp_path / "no.jsonl", format_name=name, force=True, redactor=Redactor({}))
        assert [row[1:] for row in sessions_of(silent.written[0])] == [("", [("user", TOMORROW)])]
        assert silent.tally.without_time == 1


def test_a14_formats_without_times_are_given_none(tmp_path):
    path = tmp_path / "dump.jsonl"
    path.write_text(json.dumps({"id": "t", "conversations": [{"from": "human", "value": TOMORROW}]}) + "\n")
    report = import_logs([path], tmp_path / "out.jsonl", redactor=Redactor({}))
    assert (report.format, report.tally.without_time) == ("sharegpt", 1)
    assert sessions_of(report.written[0]) == [("t", "", [("user", TOMORROW)])]
