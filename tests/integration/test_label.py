"""`foldproof label` as a person calls it."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from foldproof.cliff import line_hash, load_labels

RULES = "# Rules\n\nNever push to main.\nRun make test first.\nThe API lives in server.\n"
KEYS = "1 safety  2 procedure  3 semantic  4 preference  5 episodic  0 none  u back  s skip  q quit  ? help"


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.md").write_text(RULES, "utf-8")
    return tmp_path


@pytest.fixture
def label(corpus, cli, monkeypatch):
    def call(*words, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        return cli("label", "texts", *words)

    return call


def classes(place="labels.yaml"):
    return [one.cls for one in load_labels(Path(place)).labels]


def test_a_line_is_shown_with_those_around_it(label):
    done = label(typed="s\nq\n")
    assert done.code == 0, done.err
    assert done.out.splitlines()[:9] == [
        "",
        "1 of 3  a.md  line 3",
        "  under Rules",
        "",
        "    # Rules",
        "  > Never push to main.",
        "    Run make test first.",
        "    The API lives in server.",
        "",
    ]
    assert KEYS in done.out
    assert "labelled 0. 3 left for first" in done.out
    assert not Path("labels.yaml").exists()


def test_each_label_is_saved_and_a_later_sitting_goes_on(label):
    assert label(typed="1\nprocedure\n").code == 0
    assert classes() == ["safety", "procedure"]
    done = label("--json", typed="3\n")
    assert (done.document["given"], done.document["left"], done.document["labels"]) == (1, 0, 3)
    assert "line 5" in done.err, "with --json the lines go to the error stream"
    assert "Never push" not in Path("labels.yaml").read_text("utf-8")
    assert label(typed="").code == 5


def test_a_label_can_be_taken_back(label):
    assert label(typed="u\n1\nu\n2\nq\n").code == 0
    assert classes() == ["procedure"]
    assert "this is the first line of this sitting" in label(typed="u\n").out
    assert label("--to", "other.yaml", typed="1\nu\nq\n").code == 0
    assert not Path("other.yaml").exists(), "a file without labels is none"


def test_a_word_that_is_no_answer_ends_the_sitting_and_loses_nothing(label):
    done = label(typed="1\nsaftey\n")
    assert done.code == 4
    assert "'saftey' is no key and no class" in done.err
    assert "did you mean `safety`?" in done.err
    assert classes() == ["safety"]


def test_the_second_labeller_does_not_see_the_first(label):
    label(typed="1\n2\n3\n")
    done = label("--second", "--labeller", "ben", typed="1\n1\n3\n")
    assert done.code == 0
    shown = done.out.split("labelled 3.")[0]
    assert "said" not in shown
    assert "first" not in shown.replace("make test first", "")
    assert classes() == ["safety", "procedure", "semantic"], "what counts stays"
    assert label("--second", "--labeller", "ben").code == 5


def test_agreement_and_settling(label):
    label(typed="1\n2\n3\n")
    assert label("--agreement").code == 5
    label("--second", "--draw", "2", typed="1\n3\n")
    done = label("--agreement")
    assert done.code == 0
    for part in ("first and second: 2 lines", "Cohen's κ", "safety or not", "1 line to be settled", "a.md:4"):
        assert part in done.out, part
    document = label("--agreement", "--json").document
    assert document["pairs"][0]["agreed"] == 1
    assert document["pairs"][0]["differing"][0]["text"] == "Run make test first."
    done = label("--settle", typed="1\n")
    assert "first said procedure" in done.out
    assert "settled 1. 0 left" in done.out
    assert "0 lines to be settled" in label("--agreement").out
    assert label("--settle").code == 5


def test_of_many_lines_on_which_two_differ_the_first_are_shown(label, corpus):
    (corpus / "texts" / "a.md").write_text("".join(f"This is line {at}.\n" for at in range(15)), "utf-8")
    label(typed="1\n" * 15)
    label("--second", typed="2\n" * 15)
    assert "… and 3 further lines; --json has them all" in label("--agreement").out
    assert len(label("--agreement", "--json").document["pairs"][0]["differing"]) == 15


def test_lines_can_be_labelled_elsewhere(label):
    done = label("--questions", "ask.jsonl", "--json").document
    assert (done["written"], done["left"]) == ("ask.jsonl", 3)
    assert "wrote again.jsonl, 3 lines to be labelled" in label("--questions", "again.jsonl").out
    asked = [json.loads(line) for line in Path("ask.jsonl").read_text("utf-8").splitlines()]
    assert (asked[1]["text"], asked[1]["before"]) == ("Run make test first.", ["# Rules", "Never push to main."])
    assert "class" not in asked[0]
    answers = [{"document": row["document"], "sha256": row["sha256"], "class": "safety"} for row in asked[:2]]
    Path("said.jsonl").write_text("\n\n".join(map(json.dumps, answers)), "utf-8")
    assert label("--answers", "said.jsonl", "--json").document["given"] == 2
    assert classes() == ["safety", "safety"]


def test_every_wrong_answer_from_elsewhere_is_told(label):
    known = {"document": "a.md", "sha256": line_hash("Never push to main."), "class": "safety"}
    rows = [known, "no", {**known, "class": "none"}, {**known, "class": "Safe ty"}, {**known, "sha256": "0" * 64},
            {**known, "number": [1]}]  # fmt: skip
    Path("said.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n{cut", "utf-8")
    done = label("--answers", "said.jsonl")
    assert done.code == 4
    places = [line.split(":")[1] for line in done.err.splitlines() if line.startswith("said.jsonl")]
    assert places == ["2", "3", "4", "5", "6", "7"]
    assert not Path("labels.yaml").exists()
    Path("said.jsonl").write_text("", "utf-8")
    assert "holds no answer" in label("--answers", "said.jsonl").err


def test_a_text_that_changed_is_an_error(label, corpus):
    label(typed="1\n")
    (corpus / "texts" / "a.md").write_text(RULES.replace("push", "pull"), "utf-8")
    done = label(typed="1\n")
    assert done.code == 4
    assert "the text was changed" in done.err
    assert "labels.yaml:3" in done.err


def test_a_labels_file_that_changed_meanwhile_is_not_written_over(label, corpus, monkeypatch):
    class Typing:
        def isatty(self):
            return False

        def __iter__(self):
            yield "1\n"
            (corpus / "labels.yaml").write_text("changed", "utf-8")
            yield "2\n"

    monkeypatch.setattr(sys, "stdin", Typing())
    from foldproof.cli.main import run

    assert run(["label", "texts"]) == 4
    assert (corpus / "labels.yaml").read_text("utf-8") == "changed"


def test_a_text_cannot_steer_the_terminal(label, corpus, monkeypatch):
    evil = "Never \x1b[2J\x1b]0;title\x07 push\x9b31m \u202eto main \x00now. " + "long " * 5000
    (corpus / "texts" / "a.md").write_text(evil, "utf-8")
    monkeypatch.setenv("COLUMNS", "20")
    done = label("--json", typed="q\n")
    assert done.code == 0
    assert not set(done.err) & set("\x1b\x07\x9b\u202e\x00")
    assert "Never push" in " ".join(done.err.split())
    assert len(done.err) < 5000
    assert max(map(len, done.err.splitlines())) <= 30


def test_hidden_documents_that_are_labelled_stay_in_the_corpus(label, corpus):
    (corpus / "texts" / ".rules").write_text("Always ask before you delete.\n", "utf-8")
    assert label("--document", ".rules", typed="1\n").code == 0
    assert label("--lines", "1", typed="2\n").code == 0
    assert {one.document for one in load_labels(Path("labels.yaml")).labels} == {".rules", "a.md"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--second", "--settle"], "take one of the two"),
        (["--second", "--lines", "3"], "`--draw` says how many"),
        (["--draw", "3"], "add --second"),
        (["--labeller", "a b"], "cannot be 'a b'"),
        (["--class", "all"], "stands for all classes"),
        (["--class", "Big"], "cannot be the class 'Big'"),
        ([word for name in "abcde" for word in ("--class", name)], "there are keys for 4 classes"),
        (["--document", "b.md"], "is there: 'b.md'"),
        (["--document", "a.md", "--document", "b.md"], "there is no document 'b.md'"),
        (["--to", "texts"], "cannot be"),
    ],
)
def test_what_cannot_be_done_is_told(label, words, told):
    done = label(*words, typed="1\n")
    assert (done.code in {4, 5}, told in done.err) == (True, True), done.err


def test_classes_of_ones_own_get_keys(label):
    assert label("--class", "tone", "--class", "legal", typed="?\n7\ntone\n0\n").code == 0
    assert classes() == ["legal", "tone", "none"]


def test_a_labelled_hidden_document_that_is_gone_is_told(label, corpus):
    (corpus / "texts" / ".rules").write_text("Always ask before you delete.\n", "utf-8")
    label("--document", ".rules", typed="1\n")
    (corpus / "texts" / ".rules").unlink()
    assert "document '.rules' is not in the corpus" in label(typed="1\n").err


def read_until(master, wanted, seconds=20):
    seen = b""
    end = time.monotonic() + seconds
    while wanted not in seen and time.monotonic() < end:
        if select.select([master], [], [], 0.2)[0]:
            seen += os.read(master, 65536)
    assert wanted in seen, seen
    return seen


def test_at_a_terminal_one_key_is_enough_and_ctrl_c_keeps_all(corpus):
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    words = [sys.executable, "-m", "foldproof", "label", "texts"]
    work = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True)
    try:
        read_until(master, b"1 of 3")
        os.write(master, b"x")
        read_until(master, b"? shows the keys")
        os.write(master, b"1")
        read_until(master, b"2 of 3")
        work.send_signal(signal.SIGINT)
        read_until(master, b"interrupted")
        assert work.wait(10) == 2
    finally:
        work.kill()
        os.close(master)
        os.close(slave)
    assert classes(corpus / "labels.yaml") == ["safety"]


def test_input_that_is_no_text_or_is_closed_ends_the_sitting(corpus):
    words = [sys.executable, "-m", "foldproof", "label", "texts"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(words, input=b"1\n\xff\n", capture_output=True, env=environment, check=False)
    assert (done.returncode, b"the standard input is no text" in done.stderr) == (4, True)
    closed = subprocess.run(
        f"{sys.executable} -m foldproof label texts <&-", shell=True, capture_output=True, check=False
    )
    assert (closed.returncode, b"3 left" in closed.stdout) == (0, True), closed.stderr
