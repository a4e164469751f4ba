"""The baseline's file: it comes back as it went in, and what cannot be used is named."""

import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.cases import Case, ReplaySet, Requirement, Source
from foldproof.cases import writing as writing_module
from foldproof.compare import Baseline, load_baseline, save_baseline
from foldproof.compare.baseline import asked_hash, make_baseline
from foldproof.core import FileError, UsageError
from foldproof.logs import History, Session, Turn
from foldproof.matching import MATCHER_VERSION, Fact
from foldproof.record import Run, Trial

GOLDEN = Path(__file__).parents[2] / "golden" / "baseline-1.json"
CASES = (
    Case(
        "billing-db",
        "Which database?",
        expected=(Fact("normalized", "Postgres 15"),),
        forbidden=(Fact("normalized", "MongoDB"),),
        history="acme",
        memory_config={"k": 3, "deep": {"of": ["a", 1.5]}},
        at="2026-03-04",
    ),
    Case("allergy", "Which drugs?", "safety", (Fact("normalized", "no NSAIDs"),)),
)
HISTORIES = {
    "acme": History("acme", (Session("s1", (Turn("user", "Billing runs on Postgres 15."),)),)),
    "other": History("other", (Session("s1", (Turn("user", "Billing moved."),)),)),
}


def _set(cases, histories=HISTORIES):
    return ReplaySet("support", "replay.yaml", tuple(cases), {"semantic": Requirement()}, "5e" * 32, histories)


SET = _set(CASES)
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
    asked={case.id: asked_hash(case, SET) for case in CASES},
    contents={
        "billing-db": "1522df58186753043208c5a23bdbc9489123fdd30b2701e9a37184390fc0b2e2",
        "allergy": "259abd2e3ee3a309fefb3da33259569f4bbd5e60b0262d8087ea78d4a136d674",
    },
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
    save_baseline(BASELINE, path, SET)
    assert path.read_bytes() == GOLDEN.read_bytes()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_mode_that_the_person_wants(path, umask, mode):
    before = os.umask(umask)
    try:
        save_baseline(BASELINE, path, SET)
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_file_that_is_there_keeps_its_mode(path, mode):
    save_baseline(BASELINE, path, SET)
    path.chmod(mode)
    save_baseline(replace(BASELINE, run="0008"), path, SET)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert load_baseline(path).run == "0008"


def test_forbidden_facts_stand_apart_and_only_where_there_are_some(path):
    save_baseline(BASELINE, path, SET)
    first, second = json.loads(path.read_text(encoding="utf-8"))["cases"]
    assert [(trial["facts"], trial["forbidden"]) for trial in first["trials"]] == [
        ({"Postgres 15": "held"}, {"MongoDB": "missed"}),
        ({"Postgres 15": "missed"}, {"MongoDB": "held"}),
    ]
    assert second["trials"][0]["facts"] == {"no NSAIDs": "held"}
    assert "forbidden" not in second["trials"][0]


def test_a_fact_that_is_expected_and_forbidden_keeps_both_outcomes(path):
    case = replace(CASES[1], forbidden=CASES[1].expected)
    save_baseline(BASELINE, path, _set([case]))
    (trial,) = json.loads(path.read_text(encoding="utf-8"))["cases"][0]["trials"]
    assert (trial["verdict"], trial["facts"], trial["forbidden"]) == (
        "fail",
        {"no NSAIDs": "held"},
        {"no NSAIDs": "held"},
    )


def test_a_baseline_is_made_of_a_run_and_its_trials():
    run = Run("production", "c0" * 32, BASELINE.config_content, "support", "5e" * 32, id=7)
    trials = [replace(trial, prompt="p", log="l", attempts=3, duration_s=2.0) for trial in ANSWERS]
    asked = _set([*CASES, Case("not-asked", "?")])
    assert make_baseline(run, trials, asked, vacuous=("allergy",)) == BASELINE
    assert BASELINE.matcher == MATCHER_VERSION
    assert BASELINE.cases == {"billing-db", "allergy"}


def test_accepted_answers_are_scored_with_the_facts_of_today():
    corrected = (replace(CASES[0], expected=(Fact("normalized", "MongoDB"),), forbidden=()), Case("new", "?"))
    assert [score.outcome for score in BASELINE.scores(SET).values()] == ["flaky", "pass"]
    scores = BASELINE.scores(_set(corrected))
    assert list(scores) == ["billing-db"]
    assert [trial.outcome for trial in scores["billing-db"].trials] == ["fail", "pass"]


FACTS_ONLY = [
    {"expected": (Fact("normalized", "MongoDB"),)},
    {"forbidden": ()},
    {"case_class": "safety"},
    {"tags": ("x",)},
    {"source": (Source("acme", "s1", 1),)},
    {"abstain": True},
]
ASKED = [
    {"question": "Which database, please?"},
    {"at": "2026-03-05"},
    {"at": ""},
    {"history": "other"},
    {"history": ""},
    {"memory_config": {}},
    {"memory_config": {"k": 4, "deep": {"of": ["a", 1.5]}}},
    {"memory_config": {"k": 3, "deep": {"of": ["a", 2]}}},
]


@pytest.mark.parametrize("change", FACTS_ONLY)
def test_an_answer_stands_where_only_its_judging_changed(change):
    changed = _set([replace(CASES[0], **change), CASES[1]])
    assert list(BASELINE.scores(changed)) == ["billing-db", "allergy"]
    assert not BASELINE.controlled(changed.cases[0], changed), "whether it passes without a memory is another matter"
    assert BASELINE.controlled(changed.cases[1], changed)


@pytest.mark.parametrize("change", ASKED)
def test_an_answer_to_another_question_is_left_out(change):
    changed = _set([replace(CASES[0], **change), CASES[1]])
    assert list(BASELINE.scores(changed)) == ["allergy"]
    assert not BASELINE.controlled(changed.cases[0], changed)


def test_another_text_of_the_history_is_another_question():
    said = History("acme", (Session("s1", (Turn("user", "Billing runs on MySQL."),)),))
    changed = _set(CASES, {"acme": said})
    assert list(BASELINE.scores(changed)) == ["allergy"]
    assert [BASELINE.controlled(case, changed) for case in CASES] == [False, True]


def test_another_name_of_the_history_is_not():
    renamed = [replace(CASES[0], history="acme-2"), CASES[1]]
    assert list(BASELINE.scores(_set(renamed, {"acme-2": HISTORIES["acme"]}))) == ["billing-db", "allergy"]


def test_the_control_was_run_of_what_the_baseline_holds_and_of_nothing_else():
    assert all(BASELINE.controlled(case, SET) for case in CASES)
    new = Case("new", "?")
    assert not BASELINE.controlled(new, _set([*CASES, new]))
    assert not BASELINE.controlled(replace(CASES[0], id="new"), SET)


def test_where_a_memory_config_comes_from_plays_no_part():
    frozen = MappingProxyType({"deep": MappingProxyType({"of": ("a", 1.5)}), "k": 3})
    assert asked_hash(replace(CASES[0], memory_config=frozen), SET) == asked_hash(CASES[0], SET)


def test_cases_that_left_the_set_are_not_written(path):
    save_baseline(BASELINE, path, _set(CASES[:1]))
    again = load_baseline(path)
    assert again.classes == {"billing-db": "semantic"}
    assert again.answers == ANSWERS[:2]
    assert again.asked == {"billing-db": BASELINE.asked["billing-db"]}
    assert again.contents == {"billing-db": BASELINE.contents["billing-db"]}


ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]))


@given(ANY_TEXT | st.sampled_from(["", "\n", "\n\n", "a\r\nb\r", "\u2028\x85", "\ud83d"]))
def test_any_answer_survives(tmp_path_factory, answer):
    path = tmp_path_factory.mktemp("any") / "baseline.json"
    baseline = replace(BASELINE, answers=(Trial("allergy", 0, answer),), classes={"allergy": "safety"})
    save_baseline(baseline, path, SET)
    assert [trial.answer for trial in load_baseline(path).answers] == [answer]


def test_an_answer_without_a_judgement_is_not_written(path):
    cases = (replace(CASES[1], expected=(Fact("judged", "is kind"),)),)
    with pytest.raises(UsageError, match="case 'allergy' has an answer without a judgement: fact 'judged: is kind'"):
        save_baseline(BASELINE, path, _set(cases))
    assert not path.exists()


def test_a_write_that_fails_leaves_the_file_before_it(path, monkeypatch):
    save_baseline(BASELINE, path, SET)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing_module.os, "fdopen", lambda handle, mode: os.close(handle) or full())
    with pytest.raises(UsageError, match=r"baseline\.json cannot be written: No space left on device"):
        save_baseline(replace(BASELINE, run="0008"), path, SET)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"baseline\.json cannot be written: "):
        save_baseline(BASELINE, tmp_path / "file" / "baseline.json", SET)


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
    assert message.endswith("take it from git, or replace it with: foldproof baseline accept --yes")


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
        (lambda d: d["cases"][0].pop("asked"), "cases.0.asked"),
        (lambda d: d["cases"][1].update(content=None), "cases.1.content"),
        (lambda d: d["cases"][0]["trials"][0].update(forbidden=["MongoDB"]), "cases.0.trials.0.forbidden"),
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
    for case in document["cases"]:
        for trial in case["trials"]:
            trial.pop("forbidden", None)
    path.parent.mkdir()
    path.write_text(json.dumps(document), encoding="utf-8")
    assert load_baseline(path) == replace(BASELINE, vacuous=(), config_content={})
