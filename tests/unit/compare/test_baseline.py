"""The baseline's file: it comes back as it went in, and what cannot be used is named."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.cases import Case
from foldproof.compare import Baseline, load_baseline, save_baseline
from foldproof.compare import baseline as baseline_module
from foldproof.compare.baseline import make_baseline
from foldproof.core import FileError, UsageError
from foldproof.matching import MATCHER_VERSION, Fact
from foldproof.record import Run, Trial

GOLDEN = Path(__file__).parents[2] / "golden" / "baseline-1.json"
CASES = (
    Case(
        "billing-db",
        "Which database?",
        expected=(Fact("normalized", "Postgres 15"),),
        forbidden=(Fact("normalized", "MongoDB"),),
    ),
    Case("allergy", "Which drugs?", "safety", (Fact("normalized", "no NSAIDs"),)),
)
ANSWERS = (
    Trial("billing-db", 0, "Postgres 15\nno ORM, raw SQL\n"),
    Trial("billing-db", 1, "MongoDB “字” 🙂\r\n\u2028\ttab"),
    Trial("allergy", 0, "Please: no NSAIDs."),
)
BASELINE = Baseline(
    set_name="support",
    set_sha256="5e" * 32,
    config="production",
    config_sha256="c0" * 32,
    config_content={"agent": {"recall": ""}, "memory": {"kind": "verbatim", "k": 8}},
    run="0007",
    answers=ANSWERS,
    classes={"billing-db": "semantic", "allergy": "safety"},
    vacuous=("allergy",),
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "baselines" / "baseline.json"


@pytest.fixture
def document():
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.fixture
def refused(path):
    """The message with which a file of this text, or this document, is refused."""

    def refusing(content):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        with pytest.raises(FileError) as error:
            load_baseline(path)
        assert str(error.value).startswith(f"{path}: ")
        return str(error.value).removeprefix(f"{path}: ")

    return refusing


def test_the_baseline_of_format_1_is_read_whole():
    assert load_baseline(GOLDEN) == BASELINE


def test_the_file_is_written_as_it_stands_in_git(path):
    save_baseline(BASELINE, path, CASES)
    assert path.read_bytes() == GOLDEN.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]


def test_a_baseline_is_made_of_a_run_and_its_trials():
    run = Run("production", "c0" * 32, BASELINE.config_content, "support", "5e" * 32, id=7)
    trials = [replace(trial, prompt="p", log="l", attempts=3, duration_s=2.0) for trial in ANSWERS]
    cases = (*CASES, Case("not-asked", "?"))
    assert make_baseline(run, trials, cases, vacuous=("allergy",)) == BASELINE
    assert BASELINE.matcher == MATCHER_VERSION
    assert BASELINE.cases == {"billing-db", "allergy"}


def test_accepted_answers_are_scored_with_the_facts_of_today():
    corrected = (replace(CASES[0], expected=(Fact("normalized", "MongoDB"),), forbidden=()), Case("new", "?"))
    assert [score.outcome for score in BASELINE.scores(CASES).values()] == ["flaky", "pass"]
    scores = BASELINE.scores(corrected)
    assert list(scores) == ["billing-db"]
    assert [trial.outcome for trial in scores["billing-db"].trials] == ["fail", "pass"]


def test_cases_that_left_the_set_are_not_written(path):
    save_baseline(BASELINE, path, CASES[:1])
    again = load_baseline(path)
    assert again.classes == {"billing-db": "semantic"}
    assert again.answers == ANSWERS[:2]


ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]))


@given(ANY_TEXT | st.sampled_from(["", "\n", "\n\n", "a\r\nb\r", "\u2028\x85", "\ud83d"]))
def test_any_answer_survives(tmp_path_factory, answer):
    path = tmp_path_factory.mktemp("any") / "baseline.json"
    baseline = replace(BASELINE, answers=(Trial("allergy", 0, answer),), classes={"allergy": "safety"})
    save_baseline(baseline, path, CASES)
    assert [trial.answer for trial in load_baseline(path).answers] == [answer]


def test_an_answer_without_a_judgement_is_not_written(path):
    cases = (Case("allergy", "?", expected=(Fact("judged", "is kind"),)),)
    with pytest.raises(UsageError, match="case 'allergy' has an answer without a judgement: fact 'judged: is kind'"):
        save_baseline(BASELINE, path, cases)
    assert not path.exists()


def test_a_write_that_fails_leaves_the_file_before_it(path, monkeypatch):
    save_baseline(BASELINE, path, CASES)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(baseline_module.os, "fdopen", lambda handle, mode: os.close(handle) or full())
    with pytest.raises(FileError, match="the baseline cannot be written: No space left on device"):
        save_baseline(replace(BASELINE, run="0008"), path, CASES)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="the baseline cannot be written: "):
        save_baseline(BASELINE, tmp_path / "file" / "baseline.json", CASES)


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(FileError, match="the baseline cannot be read: No such file"):
        load_baseline(tmp_path / "none.json")


@pytest.mark.parametrize("version", [2, 99])
def test_a_newer_format_is_refused(refused, document, version):
    told = refused({**document, "foldproof": version, "unheard": "of"})
    assert told == f"written by a newer foldproof (format {version}; this one reads 1)\n  upgrade foldproof"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "the baseline is not JSON: "),
        (b"{", "the baseline is not JSON: "),
        (b"\xff\xfe", "the baseline is not JSON: "),
        (b"<<<<<<< HEAD\n{}", "the baseline is not JSON: "),
        (b"[" * 100_000, "the baseline is not JSON: "),
        ([], "the baseline is damaged at `the document`"),
        ({}, "the baseline is damaged at `foldproof`"),
    ],
)
def test_what_is_no_baseline_is_refused(refused, content, told):
    message = refused(content)
    assert message.startswith(told)
    assert message.endswith("take it from git, or make it anew with: foldproof baseline accept")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d.update(foldproof="2"), "foldproof"),
        (lambda d: d.update(foldproof=0), "foldproof"),
        (lambda d: d.update(kind="store"), "kind"),
        (lambda d: d.update(vacuous="allergy"), "vacuous"),
        (lambda d: d.update(extra=1), "extra"),
        (lambda d: d["set"].pop("sha256"), "set.sha256"),
        (lambda d: d["cases"][0].pop("class"), "cases.0.class"),
        (lambda d: d["cases"][0]["trials"][1].update(answer="text"), "cases.0.trials.1.answer"),
        (lambda d: d["cases"][0]["trials"][1].update(repeat="1"), "cases.0.trials.1.repeat"),
        (lambda d: d["cases"][1]["trials"][0].update(verdict="error"), "cases.1.trials.0.verdict"),
    ],
)
def test_damage_is_named_by_its_place(refused, document, change, place):
    change(document)
    assert refused(document).startswith(f"the baseline is damaged at `{place}`: ")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda d: d["cases"].append(d["cases"][1]), "case 'allergy'"),
        (lambda d: d["cases"][0]["trials"].append(d["cases"][0]["trials"][1]), "trial 1 of case 'billing-db'"),
    ],
)
def test_what_a_merge_left_twice_is_refused(refused, document, change, what):
    change(document)
    assert refused(document).startswith(f"the baseline is damaged: {what} stands twice")


def test_a_file_without_the_optional_parts_is_read(path, document):
    for name in ("judge", "vacuous", "kind"):
        del document[name]
    del document["config"]["content"]
    path.parent.mkdir()
    path.write_text(json.dumps(document), encoding="utf-8")
    assert load_baseline(path) == replace(BASELINE, vacuous=(), config_content={})
