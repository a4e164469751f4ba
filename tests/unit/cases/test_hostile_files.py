"""Files of other people: what is no file is not read, and no text takes long."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from foldproof.cases import load_project, load_set
from foldproof.cases.answers import fact_of_answer
from foldproof.cases.case_checks import source_of
from foldproof.cases.judges import judge_problems
from foldproof.cases.records import JudgePin
from foldproof.core import FileError
from foldproof.logs.longmemeval import iso_date

N = 100_000
CASE = "cases: [{id: a, question: q, history: h, expected_facts: [x1]}]\n"


@pytest.fixture
def quick():
    """Fails where the test took long: a pattern that backtracks takes minutes here."""
    begun = time.process_time()
    yield
    assert time.process_time() - begun < 3


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path("link").symlink_to("/dev/zero")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "needle"),
    [
        ("pipe", "it is a pipe or a device"),
        ("link", "it is a pipe or a device"),
        ("/dev/zero", "it is a pipe or a device"),
        ("folder", "the file cannot be read"),
    ],
)
@pytest.mark.parametrize("what", ["set", "project", "history", "prompt"])
def test_only_regular_files_are_read(place, name, needle, what):
    text = f"histories: {{h: {name}}}\n{CASE}"
    if what == "prompt":
        text = f"judge: {{model: m:7b, prompt: {name}}}\n{CASE.replace('history: h, ', '')}"
    Path("replay.yaml").write_text(text)
    load = load_project if what == "project" else load_set
    with pytest.raises(FileError) as caught:
        load(Path(name if what in {"project", "set"} else "replay.yaml"))
    assert any(needle in problem.message for problem in caught.value.problems), caught.value


@pytest.mark.parametrize("what", ["set", "history", "prompt"])
def test_no_more_is_read_than_may_be_whatever_the_size_says(place, monkeypatch, what):
    monkeypatch.setattr("foldproof.cases.nodes.LARGEST_FILE", 200)
    grown = Path("/proc/self/maps")  # claims to have no byte
    assert grown.stat().st_size == 0
    head = f"histories: {{h: {grown}}}\n" if what == "history" else f"judge: {{model: m:7b, prompt: {grown}}}\n"
    Path("replay.yaml").write_text(head + CASE)
    with pytest.raises(FileError) as caught:
        load_set(grown if what == "set" else "replay.yaml")
    assert "the file has more than 200 bytes" in str(caught.value)


def test_twin_a_link_to_a_file_is_read(place):
    Path("real.yaml").write_text("cases: [{id: a, question: q, expected_facts: [x1]}]\n")
    Path("replay.yaml").symlink_to("real.yaml")
    assert load_set("replay.yaml").cases[0].id == "a"


@pytest.mark.parametrize(
    "value",
    [
        "&x " + "a" * N,
        "&x " + ": " * (N // 2),
        "&x" + " " * N + "b",
        "- " * 40 + "&x " + "- " * (N // 2),
        "[" + "&x a, " * (N // 6) + "]",
        "[a" + " " * N + "#b]",
        "{a: " + "[ " * 30 + " " * N + "}",
        "a" + " #b" * (N // 3),
        "'" + "a " * (N // 2),
    ],
)
def test_a_line_without_end_is_told_quickly(problems, quick, value):
    found = problems(f"cases:\n- id: a\n  question: {value}\n  expected_facts: [x1]\n")
    assert found
    assert all(len(problem.hint) < 400 for problem in found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(or" + " " * N, "(or"),
        ("(or " * N, ("(or " * N).strip()),
        ("(" * N, "(" * N),
        ("a" + " " * N + "b", "a" + " " * N + "b"),
        ("a, " * (N // 3), ("a, " * (N // 3)).strip()),
        ("a. is also " * (N // 11), ("a. is also " * (N // 11)).strip()),
        ("a. b " + " is also" * (N // 8) + " acceptabl", None),
        ("a" + " (b" * (N // 3) + ")", None),
    ],
)
def test_an_answer_without_end_is_read_quickly(quick, text, said):
    fact = fact_of_answer(text)
    assert said is None or fact.text == said


@pytest.mark.parametrize("text", ["a/" * N, "a/" + ".t1" * N + "x", "a/.t" + "1" * N, " " * N])
def test_a_source_without_end_is_read_quickly(quick, text):
    assert source_of(text) is None


@pytest.mark.parametrize("text", ["2024/01/01" + " " * N + "x", "2024/01/01 (" + "a" * N, "1" * N])
def test_a_date_without_end_is_read_quickly(quick, text):
    assert iso_date(text) == text


@pytest.mark.parametrize("text", ["1" * N, "a:" * N, "-123" * N, "latest" * N, "12-" * N])
def test_a_judge_without_end_is_read_quickly(quick, tmp_path, text):
    (tmp_path / "p").write_text("p")
    judge_problems(JudgePin(text, "p"), tmp_path, file="f", line=1)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gate", "{semantic: '%s'}" % ("1" * N)),
        ("gate", "{semantic: '1%s/'}" % (" " * N)),
        ("waivers", "[{case: a, reason: r, until: '%s'}]" % ("2026-" * N)),
        ("histories", "{%s: h}" % ("a" * 900)),
    ],
)
def test_a_value_without_end_is_told_quickly(problems, quick, key, value):
    assert problems(f"{key}: {value}\ncases: [{{id: a, question: q, expected_facts: [x1]}}]\n")


@pytest.mark.parametrize("agent", ["python:" + "a." * N, "python:" + "a" * N, "a" * N, "'" + "a:" * N + "'"])
def test_an_agent_without_end_is_told_quickly(write, quick, agent):
    with pytest.raises(FileError):
        load_project(write(f"configs: {{production: {{agent: {agent}}}}}\n", "foldproof.yaml"))


@pytest.mark.parametrize(
    ("line", "quoted"),
    [
        ("  question: &x y", '"&x y"'),
        ("- &x y: z", '"z"'),
        ("- - a b: &x y", '"&x y"'),
        ("  - '&x': &x", "\"'&x': &x\""),
        ("  a:\t&x y  ", '"&x y"'),
        ("  a: &x", '"&x"'),
        ("&x", '"&x"'),
    ],
)
def test_the_quoted_form_to_write(line, quoted):
    from foldproof.cases.yaml_nodes import _Reader

    assert _Reader(line, "f").quoted(1) == f"put the text in quotes: {quoted}"


def test_twin_the_quoted_form_of_no_line():
    from foldproof.cases.yaml_nodes import _Reader

    assert _Reader("", "f").quoted(1) == _Reader("", "f").quoted(9) == 'put the text in quotes: "…"'
