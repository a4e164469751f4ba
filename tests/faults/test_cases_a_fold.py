"""Reported failures of folding, rows A40, A42, A43 and A45: real memories of ours, folded by a scripted model or cut.

That a tool was not called, or was called once more, is asserted with tool-call expectations later; here the answer
says it.
"""

import re
from functools import partial

import pytest

from foldproof.testing import ScriptedModel, summarize

from .reported.play import play, said

FOLDS = "Said since then:"


def folding(summary, answer=None):
    """A model that compacts by one rule, and answers by another: by default with what it was told."""
    said_again = answer or (lambda request: request.prompt.rpartition("\n")[0])
    return lambda request: summary(request) if FOLDS in request.prompt else said_again(request)


@pytest.fixture
def folded(tmp_path):
    """Plays a case with the memory `summary` by a rule each, with `recall` or with `chat`."""

    def playing(case, history, *rules, agent="recall"):
        done = []
        for rule in rules:
            with ScriptedModel(rule) as server:
                model = {"base_url": server.url, "name": "scripted", "temperature": 0}
                memory = {"kind": "summary", "keep_last": 0}
                config = {"agent": agent, "model": model, "memory": memory, "wire": True}
                done += play(tmp_path / str(len(done)), [config], case, history)
        return done

    return playing


def summary_of(*lines):
    """A rule of compaction that gives these lines, whatever was said."""
    return lambda request: "\n".join(lines)


RULE = "Write every commit with no Co-Authored-By line."
PROGRESS = [f"Step {number} is done, {number * 3} tests pass." for number in range(1, 41)]
COMMIT = {"question": "Commit this.", "expected_facts": ["no Co-Authored-By"]}


def test_a40_a_summary_keeps_the_progress_and_drops_the_rule(folded):
    history = said(RULE, *PROGRESS)
    dropping, keeping = (folding(partial(summarize, drop=drop)) for drop in ("Co-Authored", "Step 7 "))
    faulty, sound = folded(COMMIT, history, dropping, keeping)
    assert sound.score.passed
    loss = faulty.loss("no Co-Authored-By")
    assert (loss.owner, loss.reason) == ("fold", "dropped")
    stages = ("stated", "written", "kept")
    assert [faulty.stage("no Co-Authored-By", stage) for stage in stages] == ["held", "held", "gone"]
    assert "Step 40 is done" in faulty.kept[0]


def test_a40_a_window_drops_the_rule_and_the_rules_of_triage_keep_it(tmp_path):
    configs = [{"agent": "recall", "memory": {"kind": kind, "budget": 300}} for kind in ("window", "triage")]
    history = said(RULE, *PROGRESS)
    faulty, sound = play(tmp_path, configs, COMMIT, history)
    assert sound.score.passed
    assert (faulty.loss("no Co-Authored-By").owner, faulty.loss("no Co-Authored-By").reason) == ("fold", "dropped")
    assert len(faulty.written) == 41
    assert len(faulty.kept) < 41
    assert "Step 40" in faulty.kept[-1]


def test_a40_the_model_that_was_not_told_the_rule_breaks_it(folded):
    def commits(request):
        kept = "no Co-Authored-By" in request.prompt
        return "Fix. No Co-Authored-By line, as agreed." if kept else "Fix.\n\nCo-Authored-By: bot"

    case = {
        "question": "Commit this.",
        "expected_facts": ["no Co-Authored-By"],
        "forbidden_facts": ["Co-Authored-By: bot"],
    }
    dropping, keeping = (folding(summary_of(line), commits) for line in ("40 steps are done.", RULE))
    faulty, sound = folded(case, said(RULE, *PROGRESS), dropping, keeping, agent="chat")
    assert sound.score.passed
    assert faulty.loss("no Co-Authored-By").owner == "fold"
    assert faulty.loss("Co-Authored-By: bot").owner == "use"
    assert faulty.loss("Co-Authored-By: bot").reason == "it does not stand in the prompt"


PUSH = {"question": "What about pushing the branch?", "expected_facts": ["do not push"]}
PUSHES = said("Do NOT push.", "The branch is called fix-7.")


@pytest.mark.parametrize("agent", ["recall", "chat"])
def test_a42_a_binding_rule_becomes_history(folded, agent):
    told = summary_of("The user had asked not to push.", "The branch is called fix-7.")
    kept = summary_of("Do NOT push.", "The branch is called fix-7.")
    faulty, sound = folded(PUSH, PUSHES, folding(told), folding(kept), agent=agent)
    assert sound.score.passed
    loss = faulty.loss("do not push")
    assert (loss.owner, loss.degraded, loss.reason) == ("fold", True, "generalised: its binding is gone")
    assert [faulty.stage("do not push", stage) for stage in ("written", "kept")] == ["held", "degraded"]
    [fact] = faulty.score.facts
    assert fact.outcome == "degraded"


def test_a42_and_the_model_pushes(folded):
    def acts(request):
        return "I do not push: you said so." if "Do NOT push" in request.prompt else "Pushed to the remote."

    told = folding(summary_of("The user had asked not to push."), acts)
    kept = folding(summary_of("Do NOT push."), acts)
    faulty, sound = folded(PUSH, PUSHES, told, kept, agent="chat")
    assert sound.score.passed
    assert (faulty.loss("do not push").owner, faulty.loss("do not push").degraded) == ("fold", True)


SHIP = {"question": "What about shipping?", "expected_facts": ["ship it at once"], "forbidden_facts": ["do not ship"]}
SHIPS = said("Ship it at once.", "The build is green.")


@pytest.mark.parametrize(
    ("summary", "reason"),
    [
        (("Constraint recorded: do not ship.",), "it was given in place of 'ship it at once'"),
        (("Ship it at once.", "Constraint recorded: do not ship before a review."), "it comes in here, from no stage"),
    ],
    ids=["instead", "beside"],
)
@pytest.mark.parametrize("agent", ["recall", "chat"])
def test_a43_a_rule_that_nobody_gave(folded, agent, summary, reason):
    """No turn and no item before the fold holds it."""
    faulty, sound = folded(
        SHIP, SHIPS, folding(summary_of(*summary)), folding(summary_of("Ship it at once.")), agent=agent
    )
    assert sound.score.passed
    loss = faulty.loss("do not ship")
    assert loss.owner == "fold"
    assert loss.reason.startswith(reason)
    stages = [faulty.stage("do not ship", stage) for stage in ("stated", "written", "kept", "prompted")]
    assert (stages[2:], "held" in stages[:2]) == (["held", "held"], False)
    if len(summary) == 1:
        assert (faulty.loss("ship it at once").owner, faulty.loss("ship it at once").reason) == ("fold", "dropped")


NUMBERS = {
    "question": "What is the total, and how many units?",
    "expected_facts": [{"number": "1234.50"}, {"number": "17"}],
    "forbidden_facts": [{"number": "1310.00"}, {"number": "18"}],
}
TOTALS = said("Look the order up.\ntool: total $1,234.50; 17 units\nagent: I have the figures.")
SURE = "The total is $1,310.00 for 18 units."


def _figures(request):
    """Says the figures of the prompt, and plausible ones where it has none."""
    found = re.search(r"total \$([\d,.]+); (\d+) units", request.prompt)
    return f"The total is ${found[1]} for {found[2]} units." if found else SURE


def test_a45_numbers_are_made_up_after_the_fold(folded):
    dropping = folding(summary_of("The order was looked up, and the figures are known."), _figures)
    keeping = folding(summary_of("The order: total $1,234.50; 17 units."), _figures)
    faulty, sound = folded(NUMBERS, TOTALS, dropping, keeping, agent="chat")
    assert sound.score.passed
    assert faulty.trial.answer == SURE
    for value in ("1234.50", "17"):
        fact = next(told for told in faulty.score.facts if value in told.fact)
        assert (fact.loss.owner, fact.loss.reason) == ("fold", "dropped")
        assert [sighting.presence for sighting in fact.loss.stages[:3]] == ["held", "held", "gone"]
    for value in ("1310", "18"):
        fact = next(told for told in faulty.score.facts if value in told.fact)
        assert (fact.loss.owner, fact.loss.reason) == ("use", "it does not stand in the prompt")


def test_a45_the_numbers_were_still_there(folded):
    keeping = folding(summary_of("The order: total $1,234.50; 17 units."), lambda _: SURE)
    [faulty] = folded(NUMBERS, TOTALS, keeping, agent="chat")
    assert all(fact.loss.owner == "use" for fact in faulty.score.facts)
    assert all(fact.loss.stages[4].presence == "held" for fact in faulty.score.facts if fact.role == "expected")


def test_a45_without_a_model_the_numbers_are_dropped_or_there(folded):
    dropping, keeping = (folding(summary_of(line)) for line in ("The figures are known.", "$1,234.50; 17 units"))
    faulty, sound = folded(NUMBERS, TOTALS, dropping, keeping)
    assert sound.score.passed
    assert {fact.loss.owner for fact in faulty.score.facts if fact.loss} == {"fold"}
