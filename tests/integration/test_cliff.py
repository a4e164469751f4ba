"""`foldproof cliff` as a person calls it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from foldproof.agents.compactors import COMPACTORS
from foldproof.cliff import line_hash
from foldproof.compaction import Head

QUICK = ("--rounds", "2", "--ratio", "50", "--schedule", "progressive")
MINE = """
import time
from foldproof import compactor

@compactor
def shorten(text, budget):
    print("noise that is no part of the report")
    return text[: budget * 4]

@compactor
def copy(text):
    return text

@compactor
def nothing(text):
    return ""

@compactor
def sorry(text):
    return "I'm sorry, an internal error occurred."

@compactor
def broken(text):
    raise ValueError("the key is sk-proj-a1B2c3D4e5F6g7H8a1B2c3D4")

@compactor
def slow(text, budget):
    time.sleep(0.04)
    return text[: budget * 4]
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with compactors, a small corpus of one's own and its labels."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mine.py").write_text(MINE, "utf-8")
    yield tmp_path
    sys.modules.pop("mine", None)


@pytest.fixture
def corpus(here, cli):
    texts = here / "texts"
    texts.mkdir()
    (texts / "a.md").write_text(
        "Never push to main.\nThe lab is in Lisbon by the sea.\n" + "Filler talk.\n" * 9, "utf-8"
    )
    (texts / "b.md").write_text("Filler talk.\n" * 9 + "Refunds above $50 need approval by a person.\n", "utf-8")
    rows = [("a.md", "Never push to main.", "safety"), ("a.md", "The lab is in Lisbon by the sea.", "semantic"),
            ("b.md", "Refunds above $50 need approval by a person.", "safety")]  # fmt: skip
    from foldproof.cliff import Label, Labels, line_hash, save_labels

    labels = tuple(Label(document, line_hash(text), cls) for document, text, cls in rows)
    save_labels(here / "labels.yaml", Labels(labels, own=True))
    return ("--corpus", texts, "--labels", here / "labels.yaml")


def test_the_shipped_corpus_needs_nothing_from_outside(here, cli, snapshot):
    done = cli("cliff", "head", "tail", "head_tail", "--rounds", "3")
    assert (done.code, done.err) == (0, "")
    assert done.out == snapshot
    assert all(len(line) <= 100 for line in done.out.splitlines())


def test_the_page_fits_on_a_narrow_screen_and_has_no_colour(here, cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = cli("cliff", "head", "triage", "--details")
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert "\x1b" not in done.out
    assert "95 %: " in done.out


def test_the_document_has_everything_and_is_the_same_again(here, cli):
    first, again = (cli("cliff", "head", "tail", *QUICK, "--json") for _ in range(2))
    assert first == again
    document = first.document
    assert document["schema"] == "foldproof/cliff/1"
    assert (document["verdict"], document["subjects"], document["shown"]) == (None, ["head", "tail"], "safety")
    row = document["curves"][0]["rounds"][0]
    assert row["classes"]["safety"]["low"] < row["classes"]["safety"]["share"] < row["classes"]["safety"]["high"]
    ceiling = document["ceiling"][0]["rounds"]
    for curve in document["curves"]:
        for point, most in zip(curve["rounds"], ceiling, strict=True):
            assert point["kept"] <= point["granted"]
            for name, found in point["classes"].items():
                assert found["verbatim"] <= most["classes"][name]["verbatim"], name


def test_head_and_tail_change_places_between_schedules(here, cli):
    document = cli("cliff", "head", "tail", "--ratio", "50", "--json").document
    [flip] = document["flips"]
    assert (flip["first"], flip["second"], flip["under"], flip["but_under"]) == (
        "head",
        "tail",
        "window",
        "progressive",
    )
    alone = cli("cliff", "head", "head_tail", *QUICK, "--schedule", "window,budget")
    assert "nobody: the ranking by safety is the same under every schedule" in alone.out


def test_a_corpus_of_ones_own(corpus, cli):
    document = cli("cliff", "head", *corpus, "--rounds", "1", "--ratio", "50", "--json").document
    [point] = document["curves"][0]["rounds"]
    kept = {name: found["verbatim"] for name, found in point["classes"].items()}
    assert kept == {"all": 2, "safety": 1, "semantic": 1}
    assert document["corpus"]["lines"] == {"all": 3, "safety": 2, "semantic": 1}


def test_a_function_of_five_lines(here, cli):
    done = cli("cliff", "python:mine:shorten", *QUICK)
    assert done.code == 0
    assert "noise" not in done.out
    assert "python:mine:shorten" in done.out


@pytest.mark.parametrize(
    ("subject", "state", "cell", "code"),
    [
        ("copy", "copy", "1.00*", 7),
        ("nothing", "empty", ".00", 1),
        ("sorry", "error", "?", 7),
        ("broken", "error", "?", 7),
    ],
)
def test_a_subject_that_goes_wrong_gets_no_pass(here, cli, subject, state, cell, code):
    words = ("cliff", f"python:mine:{subject}", *QUICK, "--require", "safety=30/54@1")
    done = cli(*words)
    row = next(line for line in done.out.splitlines() if line.strip().startswith("python:mine") and " : " not in line)
    assert (done.code, cell in row.split()) == (code, True), done.out
    document = cli(*words, "--json").document
    assert document["curves"][0]["rounds"][0]["states"] == {state: 8}
    assert document["verdict"] == ("blocked" if code == 1 else "inconclusive")
    assert "sk-proj" not in done.out + json.dumps(document)


def test_without_a_gate_what_failed_is_still_no_pass(here, cli):
    done = cli("cliff", "head", "python:mine:broken", *QUICK)
    assert done.code == 7
    assert "16 rounds of python:mine:broken failed: nothing can be said of them" in done.out
    assert "python:mine:broken: the compactor raised ValueError: the key is [redacted]" in done.out


@pytest.mark.parametrize(
    ("demand", "code"),
    [("safety=all@1", 1), ("safety=24/54@1", 0), ("safety=25/54@1", 1), ("all=1/190@2", 0)],
)
def test_the_gate_is_a_count(here, cli, demand, code):
    done = cli("cliff", "head", *QUICK, "--require", demand)
    assert done.code == code, done.out
    assert demand in done.out


@pytest.mark.parametrize(
    ("words", "told", "code"),
    [
        (["hed"], "did you mean `head`?", 4),
        (["head", "--require", "safety=50%@1"], "percentages move with the corpus", 4),
        (["--require", "safety=all@1"], "name the one that it is about", 4),
        (["--schedule", "windows"], "did you mean `window`?", 4),
        (["--schedule", " "], "allowed: `budget`, `progressive`, `window`", 4),
        (["--ratio", "0"], "write per cent", 4),
        (["--ratio", "half"], "'half' is no share", 4),
        (["--corpus", "x"], "--corpus and --labels belong together", 4),
        (["--class", "saftey"], "did you mean `safety`?", 5),
        (["--plot", "a.gif"], ".png or .svg", 4),
        (["--from", "nowhere"], "name a folder that --out wrote", 4),
        (["--from", "nowhere", "head"], "leave them out", 4),
        (["--from", "nowhere", "--rounds", "2"], "--rounds asks for new rounds", 4),
        (["--project", "nowhere"], "nowhere", 4),
        (["head", "--out", "."], "holds no records of a cliff", 4),
        (["head", "--talk", "nowhere"], "nowhere", 4),
    ],
)
def test_what_cannot_be_done_is_told(here, cli, words, told, code):
    done = cli("cliff", *words)
    assert (done.code, told in done.err) == (code, True), done.err
    assert "Traceback" not in done.err


def test_records_are_kept_and_scored_again_without_a_call(here, cli, monkeypatch):
    first = cli("cliff", "head", "python:mine:shorten", *QUICK, "--out", "kept", "--json")
    monkeypatch.setattr(Head, "compact", None)
    monkeypatch.setattr(COMPACTORS, "get", None)
    again = cli("cliff", "--from", "kept", "--json")
    assert again.out == first.out
    gated = cli("cliff", "--from", "kept", "--require", "safety=1/54@1", "--class", "semantic", "--json").document
    assert (gated["verdict"], gated["shown"]) == ("pass", "semantic")


def test_what_is_kept_is_gone_on_with(here, cli):
    cli("cliff", "head", *QUICK, "--out", "kept")
    before = (here / "kept" / "rounds.jsonl").read_bytes()
    more = cli("cliff", "head", "tail", "--rounds", "3", *QUICK[2:], "--out", "kept", "--json")
    after = (here / "kept" / "rounds.jsonl").read_bytes()
    assert after.startswith(before)
    assert len(after.splitlines()) == 8 * 2 + 8 + 8 * 3
    assert cli("cliff", "--from", "kept", "--json").out == more.out


def test_records_of_other_texts_are_refused(corpus, here, cli):
    cli("cliff", "head", *corpus, "--rounds", "1", "--out", "kept")
    assert cli("cliff", "--from", "kept").code == 0  # the places are remembered
    (here / "texts" / "b.md").write_text("Refunds above $50 need approval by a person.\nMore.\n", "utf-8")
    for words in (("--from", "kept"), ("head", *corpus, "--rounds", "1", "--out", "kept")):
        done = cli("cliff", *words)
        assert (done.code, "document 'b.md' is not what" in done.err) == (4, True), done.err
    nothing = here / "none"
    cli("cliff", "head", "--rounds", "1", "--out", nothing)
    (nothing / "rounds.jsonl").write_text("", "utf-8")
    assert cli("cliff", "--from", nothing).code == 5
    assert cli("cliff", "--from", "kept", *corpus[:0], "--labels", here / "labels.yaml").code == 4


def test_a_secret_in_a_text_is_not_what_is_lost(here, cli):
    (here / "texts").mkdir()
    secret = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 2
    (here / "texts" / "a.md").write_text(f"Never show {secret} to others.\n" + "Filler talk.\n" * 20, "utf-8")
    from foldproof.cliff import Label, Labels, line_hash, save_labels

    save_labels(here / "l.yaml", Labels((Label("a.md", line_hash(f"Never show {secret} to others."), "safety"),)))
    words = ("--corpus", "texts", "--labels", "l.yaml", "--rounds", "1", "--ratio", "50", "--out", "kept", "--json")
    document = cli("cliff", "head", *words).document
    assert document["curves"][0]["rounds"][0]["classes"]["safety"]["verbatim"] == 1
    assert secret not in (here / "kept" / "rounds.jsonl").read_text("utf-8")


def test_a_killed_run_goes_on_where_it_was(here, cli):
    words = ["cliff", "python:mine:slow", *QUICK, "--out", "kept", "-j", "1", "--json"]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(sys.modules["foldproof"].__file__).parents[1])])}
    process = subprocess.Popen([sys.executable, "-m", "foldproof", *words], stdout=subprocess.DEVNULL, env=environ)
    place = here / "kept" / "rounds.jsonl"
    deadline = time.monotonic() + 60
    while (not place.exists() or place.read_bytes().count(b"\n") < 3) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = place.read_bytes().count(b"\n")
    assert 3 <= done < 16
    whole = cli(*words)
    assert place.read_bytes().count(b"\n") == 16
    assert cli("cliff", "--from", "kept", "--json").out == whole.out
    assert cli("cliff", "python:mine:slow", *QUICK, "-j", "8", "--json").out == whole.out


def test_a_slow_compactor_is_an_error_and_no_loss(here, cli):
    done = cli("cliff", "python:mine:slow", *QUICK, "--timeout", "0.01", "-j", "8")
    assert done.code == 7
    assert "gave no text within 0.01 s" in done.out


def test_curves_are_drawn_the_same_each_time(here, cli):
    pytest.importorskip("matplotlib", reason="comes with the extra `plot`")
    for name in ("a.svg", "b.svg", "c.png"):
        done = cli("cliff", "head", "tail", *QUICK, "--plot", name)
        assert done.code == 0, done.err
        assert name in done.out
    drawn = (here / "a.svg").read_text("utf-8")
    assert drawn == (here / "b.svg").read_text("utf-8")
    assert "progressive" in drawn
    assert "share of safety lines that survive" in drawn
    assert "<dc:date>" not in drawn
    assert (here / "c.png").read_bytes().startswith(b"\x89PNG")


def test_a_plot_without_matplotlib_is_refused_before_anything_is_asked(here, cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = cli("cliff", "head", *QUICK, "--out", "kept", "--plot", "a.png")
    assert (done.code, 'pip install "foldproof[plot]"' in done.err) == (4, True)
    assert not (here / "kept").exists()


def test_markdown_for_a_comment(here, cli, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    done = cli("cliff", "head", "tail", "--rounds", "2", "--require", "safety=all@1", "--markdown", "a.md")
    assert done.code == 1
    page = (here / "a.md").read_text("utf-8")
    assert page.startswith("<!-- foldproof:cliff -->\n## foldproof cliff: blocked\n")
    assert "| `head` | .44 (" in page
    assert (here / "summary.md").read_text("utf-8").strip() == page.strip()


def test_a_model_is_probed_by_forced_choice(here, cli, monkeypatch):
    done = cli("cliff", "head", *QUICK, "--probe", "nobody")
    assert (done.code, "there is no configuration 'nobody'" in done.err) == (4, True)


def test_a_probe_that_cannot_be_is_told_before_a_round_is_paid_for(here, cli, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "no address")
    done = cli("cliff", "head", *QUICK, "--probe", "m", "--out", "kept")
    assert (done.code, "no address" in done.err) == (4, True)
    assert not (here / "kept").exists()
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    (here / "corpus").mkdir()
    (here / "corpus" / "a.md").write_text("Never push to main.\n", "utf-8")
    bare = f'{{document: a.md, sha256: "{line_hash("Never push to main.")}", class: safety}}'
    (here / "labels.yaml").write_text(f"foldproof: 1\nown: true\nlabels:\n- {bare}\n", "utf-8")
    texts = ("--corpus", "corpus", "--labels", "labels.yaml")
    done = cli("cliff", "head", *QUICK, "--probe", "m", "--out", "kept", *texts)
    assert (done.code, "nothing to probe: no label" in done.err) == (5, True)
    assert not (here / "kept").exists()
