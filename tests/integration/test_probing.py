"""A model is probed after rounds: what is asked once, what is kept, what is not asked again, and what cannot be had."""

import json

import pytest

from foldproof.cases import Limits, load_project
from foldproof.cliff import Document, LabelledLine, Probe, Round, line_hash
from foldproof.cliff.probing import probe_retention
from foldproof.core import NothingSelectedError, UsageError
from foldproof.testing import ModelFailure, ScriptedModel, write_project
from foldproof.workflow.probing import Prober, probe_rounds, prober_of
from foldproof.workflow.subjects import REFERENCES, open_subjects, subjects_of

RULE = "Never push to main."
PROBE = Probe("The work is done. What now?", ("push to main", "open a pull request"), "open a pull request")
LINE = LabelledLine("a.md", 2, line_hash(RULE), RULE, "safety", ("push", "main"), PROBE)
DOCUMENT = Document("a.md", f"# Notes\n{RULE}\nRedis caches.\n")


@pytest.fixture
def anyio_backend():
    return "asyncio"


def round_of(text, number=1, subject="head", **more):
    return Round(subject, "a.md", "progressive", 0.5, number, budget=10, given_tokens=20, text=text, **more)


@pytest.fixture
def model():
    """A model that keeps to a rule that it is told, and pushes where it is told none."""

    def rule(request):
        if "garbled" in request.prompt:
            return "well, it depends"
        if "secret" in request.prompt:
            return "the key is supersecretvalue99"
        if "broken" in request.prompt:
            return ModelFailure(400, "cannot")
        return json.dumps({"answer": PROBE.choices["Never push" in request.prompt]})

    with ScriptedModel(rule) as found:
        yield found


async def probed(model, *rounds, done=(), orders=1, labelled=(LINE,), **limits):
    kept = []
    prober = Prober("candidate", {"base_url": model.url, "name": "scripted"}, orders)
    found = await probe_rounds(
        prober,
        rounds,
        documents=[DOCUMENT],
        labelled=labelled,
        environ={"MY_API_KEY": "supersecretvalue99"},
        limits=Limits(retries=0, **limits),
        keep=kept.append,
        done=done,
    )
    assert sorted(map(repr, found.answers)) == sorted(map(repr, kept))
    return found


@pytest.mark.anyio
async def test_what_was_lost_shows_in_what_the_model_does(model):
    found = await probed(model, round_of(RULE), round_of("Redis caches.", number=2))
    assert found.calls == 5
    kept, lost = probe_retention(found.answers, [LINE])
    assert (kept.round.number, kept.share, lost.round.number, lost.share) == (1, 1.0, 2, 0.0)
    assert {one.right for one in found.answers if one.condition == "full"} == {True}
    assert all(one.usage.input_tokens for one in found.answers)


@pytest.mark.anyio
async def test_the_same_text_is_asked_once_and_paid_once(model):
    found = await probed(model, *(round_of(DOCUMENT.text, subject=name) for name in ("head", "tail", "triage")))
    assert found.calls == 3
    assert len(found.answers) == 6
    assert sum(one.usage is not None for one in found.answers) == 3
    assert {one.right for one in found.answers if one.condition == "compacted"} == {True}


@pytest.mark.anyio
async def test_what_was_settled_is_not_asked_again_but_by_another_model(model):
    first = await probed(model, round_of("garbled"), round_of(RULE, number=2))
    again = await probed(model, round_of("garbled"), round_of(RULE, number=2), done=first.answers)
    assert (first.calls, again.calls) == (5, 1), "what picked nothing is asked once more"
    with ScriptedModel(lambda request: '{"answer": "push to main"}') as other:
        assert (await probed(other, round_of(RULE, number=2), done=first.answers)).calls == 4


@pytest.mark.anyio
async def test_what_is_no_choice_stays_in_the_count(model):
    failed = round_of("", number=3, state="error", error="no answer")
    found = await probed(model, round_of("garbled"), round_of("broken", number=2), failed)
    after = {one.number: one for one in found.answers if one.round}
    assert [(after[number].state, after[number].right) for number in (1, 2, 3)] == [
        ("undecided", None),
        ("error", None),
        ("error", None),
    ]
    assert "cannot" in after[2].error
    assert after[3].error == "the round failed: no answer"
    assert [one.unsettled for one in probe_retention(found.answers, [LINE])] == [1, 1, 1]


@pytest.mark.anyio
async def test_both_orders_are_asked_and_recorded(model):
    found = await probed(model, round_of(RULE), orders=2)
    assert found.calls == 8
    assert {one.order for one in found.answers} == {PROBE.choices, PROBE.choices[::-1]}
    [whole] = probe_retention(found.answers, [LINE])
    assert (whole.of, whole.share) == (2, 1.0)


@pytest.mark.anyio
async def test_a_limit_of_cost_is_told(model):
    prober = Prober("x", {"base_url": model.url, "name": "m", "price": {"input": 1e6, "output": 1e6}})
    found = await probe_rounds(
        prober,
        [round_of(RULE)],
        documents=[DOCUMENT],
        labelled=[LINE],
        environ={},
        limits=Limits(concurrency=1, retries=0, max_cost_usd=1),
        keep=lambda answer: None,
    )
    assert found.stopped.startswith("the cost limit is reached while probing")
    assert len(found.answers) == 1


@pytest.mark.anyio
async def test_no_secret_that_a_model_tells_is_kept(model):
    found = await probed(model, round_of("secret"))
    [after] = (one for one in found.answers if one.round)
    assert (after.state, after.error) == (
        "undecided",
        "the answer is none of the choices: 'the key is [redacted]'",
    )


@pytest.mark.anyio
async def test_labels_without_a_probe_are_told(model):
    bare = LabelledLine("a.md", 2, line_hash(RULE), RULE, "safety", ())
    with pytest.raises(NothingSelectedError, match="nothing to probe"):
        await probed(model, round_of(RULE), labelled=(bare,))


# --- who is asked, and what is compacted


@pytest.fixture
def project(tmp_path):
    path = write_project(
        tmp_path,
        cases=[{"id": "q", "question": "Q?", "expected_facts": ["x"]}],
        configs={"production": {"agent": "recall"}, "chatty": {"agent": "recall", "model": {"name": "${WHICH}"}}},
        compactors={"ours": "python:mine:shorten", "small": {"head": ""}, "folded": {"config": "production"}},
    )
    (tmp_path / "mine.py").write_text("def shorten(text, budget):\n    return text[: budget * 4]\n")
    return load_project(path)


def test_a_probe_is_a_configurations_model_or_one_that_is_served(project):
    assert prober_of("chatty", project, {"WHICH": "m1"}) == Prober("chatty", {"name": "m1"})
    assert prober_of("qwen", None, {"OPENAI_BASE_URL": "http://x/v1"}, orders=2) == Prober("qwen", {"name": "qwen"}, 2)
    with pytest.raises(UsageError, match="configuration 'production' has no `model`"):
        prober_of("production", project, {})
    with pytest.raises(UsageError, match=r"no configuration 'chaty'.*\n  did you mean `chatty`"):
        prober_of("chaty", project, {})
    with pytest.raises(UsageError, match="needs the environment variable `WHICH`"):
        prober_of("chatty", project, {})


def test_another_model_or_place_is_another_prober():
    first = Prober("x", {"name": "a", "base_url": "http://x/v1", "api_key_env": "K"})
    assert first.identity == Prober("y", {"name": "a", "base_url": "http://x/v1", "price": {"input": 1}}).identity
    assert first.identity != Prober("x", {"name": "a", "base_url": "http://y/v1"}).identity
    assert first.identity != Prober("x", {"name": "a", "base_url": "http://x/v1", "temperature": 1}).identity


def test_subjects_by_name(project):
    found = subjects_of(["ours", "head", "python:mine:shorten", "config:production", "ours"], project)
    assert [(one.name, one.kind) for one in found] == [
        ("ours", "python"),
        ("head", "head"),
        ("python:mine:shorten", "python"),
        ("config:production", "config"),
    ]
    assert found[0].line > 0
    assert {"head", "tail", "triage", "pinned"} <= set(REFERENCES)
    assert "window" not in REFERENCES


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("our", "there is no compactor 'our'\n  did you mean `ours`?"),
        ("haed", "did you mean `head`?"),
        ("python:mine", "names the Python compactor 'mine'"),
        ("a b", "a compactor cannot be 'a b'"),
    ],
)
def test_an_unknown_subject_is_told(project, name, told):
    with pytest.raises(UsageError) as error:
        subjects_of([name], project)
    assert told in str(error.value)


def test_a_compactor_of_the_project_takes_no_kinds_name(tmp_path):
    path = write_project(
        tmp_path,
        cases=[{"id": "q", "question": "Q?", "expected_facts": ["x"]}],
        configs={"production": {"agent": "recall"}},
        compactors={"head": "python:mine:shorten"},
    )
    with pytest.raises(UsageError, match=r"compactors.head \(line \d+\) has the name of a kind"):
        subjects_of(["tail"], load_project(path))


@pytest.mark.anyio
async def test_subjects_are_opened_together(project):
    declared = subjects_of(["ours", "folded", "small"], project)
    async with open_subjects(declared, project, environ={}) as found:
        texts = {
            one.name: (await one.compact("Never push to main.\nRedis caches what is slow.", 5)).text for one in found
        }
    assert texts["ours"] == "Never push to main.\n"
    assert texts["small"] == "Never push to main."
    assert set(texts) == {"ours", "folded", "small"}
