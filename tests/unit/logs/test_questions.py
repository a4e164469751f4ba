"""Tables and JSON lines of questions; B76 of the catalogue."""

from __future__ import annotations

from .written import lines, told


def test_B76_a_table_with_all_that_tables_do(read):
    raw = (
        b"\xef\xbb\xbfquestion,answer,user,at\r\n"
        b'"a, b","It costs ""five""",ada,2026-01-02T10:00:00+01:00\r\n'
        b'say ""hi"",0123,ada,2026-01-02\r\n'
        b'"two\r\nlines",1.10,ada,\r\n'
        b",an answer without a question,ada,\r\n"
        b"x\r\n"
    )
    log = read(raw, name="questions.csv")
    assert log.format == "questions"
    assert [told(session) for session in log.sessions] == [
        ["user: a, b", 'agent: It costs "five"'],
        ['user: say ""hi""', "agent: 0123"],
        ["user: two\r\nlines", "agent: 1.10"],
    ]
    assert [(problem.line, problem.message) for problem in log.tally.problems] == [
        (7, "the row has 1 cells, the head has 4"), (6, "the row has no question"),
    ]  # fmt: skip
    assert [session.started and session.started.text for session in log.sessions] == [
        "2026-01-02T09:00:00Z", "2026-01-02T00:00:00", None,
    ]  # fmt: skip
    assert (log.tally.naive_times, log.tally.without_time) == (1, 1)
    assert {session.user for session in log.sessions} == {"ada"}


def test_other_separators_and_other_names(read):
    log = read("prompt;response\n1;2\n", name="q.csv")
    assert told(log.only) == ["user: 1", "agent: 2"]
    log = read("Query\tReply\na, b; c\tyes\n", name="q.tsv")
    assert told(log.only) == ["user: a, b; c", "agent: yes"]


def test_rows_of_one_session_are_one_session_of_one_user(read):
    log = read("question,answer,user,session\n1,a,ada,s\n2,b,ben,s\n3,c,ada,s\n", name="q.csv")
    assert [(session.id, session.user, told(session)) for session in log.sessions] == [
        ("s", "ada", ["user: 1", "agent: a", "user: 3", "agent: c"]), ("s", "ben", ["user: 2", "agent: b"]),
    ]  # fmt: skip


def test_json_lines_of_questions(read):
    log = read(lines({"question": "Where?", "answer": 42}, {"question": 7}, {"question": ""}, {"query": "Who?"}))
    assert [told(session) for session in log.sessions] == [["user: Where?", "agent: 42"], ["user: 7"], ["user: Who?"]]
    assert [(problem.line, problem.message) for problem in log.tally.problems] == [(3, "the row has no question")]


def test_a_row_that_is_no_utf_8_is_named(read):
    log = read(b"question,answer\na,b\nc\xff,d\ne,f\n", name="q.csv")
    assert [told(session)[0] for session in log.sessions] == ["user: a", "user: e"]
    assert [(problem.line, problem.message) for problem in log.tally.problems] == [
        (3, "the row cannot be read: it is not UTF-8")
    ]
