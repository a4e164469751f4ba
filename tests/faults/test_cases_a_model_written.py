"""Reported failures of memories that a model writes, rows A4, A6, A7, A18 and A48: what passes the wire proves them."""

import json
import sys

import pytest

from foldproof.agents.memories import MEMORIES
from foldproof.testing import ModelFailure, ScriptedModel

from .reported import model_written
from .reported.play import play, said


@pytest.fixture
def writer(monkeypatch, tmp_path):
    """Plays a case with `recall` over a memory whose model answers by a rule, one run for each rule."""
    monkeypatch.setitem(sys.modules, "reported_model_written", model_written)
    monkeypatch.setitem(MEMORIES._builtins, "model_written", "reported_model_written:ModelWritten")

    def playing(case, history, *rules, memory=None):
        done = []
        for rule in rules:
            with ScriptedModel(rule) as server:
                model = {"base_url": server.url, "name": "scripted", "temperature": 0}
                settings = {"kind": "model_written", **(memory or {})}
                folder = tmp_path / str(len(done))
                recall = {"agent": "recall", "model": model, "memory": settings, "wire": True}
                done += play(folder, [recall], case, history)
        return done

    return playing


def by_script(*answers):
    """A rule that writes these events for the messages in turn."""
    left = [json.dumps(answer, ensure_ascii=False) for answer in answers]
    return lambda request: left.pop(0)


def add(text):
    return [{"event": "ADD", "text": text}]


def update(number, text):
    return [{"event": "UPDATE", "id": number, "text": text}]


def calls_of(played):
    return [call for seen in played.trial.building for call in seen.calls]


DESK = {"question": "Where is my desk?", "expected_facts": ["5F"], "forbidden_facts": ["3F"]}
DESKS = said("My desk is on 3F.", "I moved to 5F.")


def test_a4_an_update_that_keeps_the_old_text(writer):
    """The event is called UPDATE; only its value shows that nothing was updated."""
    faulty, sound = writer(
        DESK,
        DESKS,
        by_script(add("desk is on 3F"), update("0", "desk is on 3F")),
        by_script(add("desk is on 3F"), update("0", "desk is on 5F")),
    )
    assert sound.score.passed
    assert [json.loads(call.answer)[0]["event"] for call in calls_of(faulty)] == ["ADD", "UPDATE"]
    assert faulty.written == ("desk is on 3F",)
    assert (faulty.loss("5F").owner, faulty.loss("5F").reason) == ("write", "never extracted")
    assert (faulty.loss("3F").owner, faulty.loss("3F").reason) == ("write", "it was given in place of '5F'")


def test_a6_the_model_makes_up_the_id_and_the_update_is_swallowed(writer):
    """The model did give the new fact: that it is not stored is an error of writing, and no fact that was not said."""
    faulty, sound = writer(
        DESK,
        DESKS,
        by_script(add("desk is on 3F"), update("12", "desk is on 5F")),
        by_script(add("desk is on 3F"), update("0", "desk is on 5F")),
    )
    assert sound.score.passed
    assert faulty.written == ("desk is on 3F",)
    loss = faulty.loss("5F")
    assert (loss.owner, loss.reason) == ("write", "write error: a model extracted it, and it was not stored")
    assert '"12"' in calls_of(faulty)[1].answer


def test_a6_the_model_makes_up_the_id_and_the_error_is_let_out(writer):
    rule = by_script(add("desk is on 3F"), update("12", "desk is on 5F"))
    [faulty] = writer(DESK, DESKS, rule, memory={"errors": "raise"})
    assert (faulty.score.outcome, faulty.verdict) == ("error", "inconclusive")
    assert (faulty.trial.error.kind, faulty.trial.error.type) == ("memory", "KeyError")
    assert "'12'" in faulty.score.error
    assert "numbered[number]" in faulty.trial.error.traceback
    assert all(fact.loss is None for fact in faulty.score.facts)


def test_a7_the_first_facts_are_classified_as_no_change(writer):
    case = {"question": "Who am I, and what do I like?", "expected_facts": ["Johnny", "pizza"]}
    facts = ("Name is Johnny", "Likes pizza")
    nothing = [{"event": "NONE", "text": fact} for fact in facts]
    faulty, sound = writer(
        case,
        said("I am Johnny and I like pizza."),
        by_script(nothing),
        by_script([{"event": "ADD", "text": fact} for fact in facts]),
    )
    assert sound.score.passed
    assert faulty.written == ()
    for fact in case["expected_facts"]:
        loss = faulty.loss(fact)
        assert (loss.owner, loss.reason) == ("write", "write error: a model extracted it, and it was not stored")
        assert faulty.stage(fact, "written") == "gone"


def refused(request):
    return ModelFailure(400, "strict JSON schema rejected")


NAMES = {"question": "Who am I?", "expected_facts": ["Johnny"]}
JOHNNY = said("I am Johnny.", "I like pizza.", "I live in Graz.")


def test_a18_every_write_fails_and_nobody_is_told(writer):
    faulty, sound = writer(NAMES, JOHNNY, refused, by_script(add("Johnny"), [], []))
    assert sound.score.passed
    loss = faulty.loss("Johnny")
    assert loss.owner == "write"
    assert loss.reason.startswith("write error: ")
    assert loss.reason.endswith("(3 of 3 model calls failed)")
    assert [call.status for call in calls_of(faulty)] == [400, 400, 400]


def test_a18_every_write_fails_and_the_error_is_let_out(writer):
    [faulty] = writer(NAMES, JOHNNY, refused, memory={"errors": "raise"})
    assert (faulty.score.outcome, faulty.verdict, faulty.trial.error.kind) == ("error", "inconclusive", "memory")
    assert "strict JSON schema rejected" in faulty.score.error
    assert all(fact.loss is None for fact in faulty.score.facts)


def test_a18_the_users_own_extraction_prompt_never_reaches_the_model(writer):
    def obeys(request):
        return json.dumps(add("Johnny") if "Keep names." in request.prompt else [])

    history = said("I am Johnny.")
    [faulty] = writer(NAMES, history, obeys, memory={"prompt": "Keep names.", "forgets_prompt": True})
    assert (faulty.loss("Johnny").owner, faulty.loss("Johnny").reason) == ("write", "never extracted")
    assert not any("Keep names." in call.prompt for call in calls_of(faulty))
    [sound] = writer(NAMES, history, obeys, memory={"prompt": "Keep names."})
    assert sound.score.passed
    assert all("Keep names." in call.prompt for call in calls_of(sound))


RULE = {"question": "What about pushing?", "expected_facts": ["never push unasked"]}
RULES = said("You must never push unasked.", "The build is green.")


def remembers(last):
    def rule(request):
        if request.prompt.startswith("Summarise: "):
            return last
        return json.dumps(add(request.prompt.rpartition("New: ")[2]))

    return rule


@pytest.mark.parametrize(
    ("answer", "kind", "told"),
    [
        (ModelFailure(400, "context too long"), "memory", "context too long"),
        (ModelFailure(429, "slow down"), "transport", "slow down"),
        ("Error: 429", "memory", "an error message in place of a summary"),
        ("", "memory", "an empty text"),
        ("No content to summarize.", "memory", "a placeholder in place of a summary"),
    ],
)
def test_a48_our_own_summary_takes_no_error_text_and_no_placeholder(writer, answer, kind, told):
    [faulty] = writer(RULE, RULES, lambda _: answer, memory={"kind": "summary", "keep_last": 0})
    assert (faulty.score.outcome, faulty.verdict, faulty.trial.error.kind) == ("error", "inconclusive", kind)
    assert "memory 'summary': the fold failed: " in faulty.score.error
    assert told in faulty.score.error
    assert (faulty.written, faulty.kept, faulty.trial.answer) == (None, None, "")


def test_a48_our_own_summary_takes_a_real_one(writer):
    [sound] = writer(RULE, RULES, lambda _: "Never push unasked.", memory={"kind": "summary", "keep_last": 0})
    assert sound.score.passed
    assert sound.kept == ("Never push unasked.",)


def test_a48_a_memory_that_lets_the_error_out(writer):
    rule = remembers(ModelFailure(400, "context too long"))
    [faulty] = writer(RULE, RULES, rule, memory={"folds": "raise"})
    assert (faulty.score.outcome, faulty.verdict, faulty.trial.error.kind) == ("error", "inconclusive", "memory")
    assert "context too long" in faulty.score.error


def test_a48_the_error_text_becomes_the_summary(writer):
    faulty, sound = writer(
        RULE,
        RULES,
        remembers(ModelFailure(400, "context too long")),
        remembers("You must never push unasked."),
        memory={"folds": "store"},
    )
    assert sound.score.passed
    assert faulty.kept[0].startswith("Error: ")
    assert faulty.stage("never push unasked", "written") == "held"
    loss = faulty.loss("never push unasked")
    assert loss.owner == "fold"
    assert loss.reason.startswith("dropped; while the memory was built: ")
    assert loss.reason.endswith("(1 of 3 model calls failed)")
    assert "context too long" in calls_of(faulty)[-1].error


def test_a48_the_placeholder_becomes_the_summary(writer):
    [faulty] = writer(RULE, RULES, remembers("No content to summarize."), memory={"folds": "store"})
    assert (faulty.loss("never push unasked").owner, faulty.loss("never push unasked").reason) == ("fold", "dropped")
    assert faulty.kept == ("No content to summarize.",)
