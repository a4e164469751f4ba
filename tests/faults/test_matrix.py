"""The fault matrix: a fake loses a fact at a stage, and attribution names that stage, or says that it cannot see it."""

from __future__ import annotations

import pytest

from foldproof.testing.faulty import FAULTS, STAGES

NAMES = [f"{stage or 'nothing'}-{how or 'kept'}" for stage, how in FAULTS]
WHOLE = {stage: stage for stage in STAGES}
NO_MODEL = "recall has no model: its answer is its prompt, and the prompt is what was retrieved"
# What attribution has to say of a fault at each stage. Where a stage is not shown, nobody may be named for what could
# have happened at it or next to it.
EXPECTED = {
    "python": WHOLE,
    "command": WHOLE,
    "command, wire": WHOLE,
    "command, otel": {**dict.fromkeys(("write", "fold", "retrieve"), "unknown"), "prompt": "prompt", "use": "use"},
    "http": dict.fromkeys(STAGES, "unknown"),
    "http, wire": {**dict.fromkeys(("write", "fold", "retrieve", "prompt"), "unknown"), "use": "use"},
    "chat": WHOLE,
    "recall": WHOLE,
}
IMPOSSIBLE = {
    ("chat", "prompt"): "chat puts everything that was recalled into its prompt, and refuses a template that would not",
    ("recall", "prompt"): NO_MODEL,
    ("recall", "use"): NO_MODEL,
}


@pytest.mark.parametrize("kind", EXPECTED)
@pytest.mark.parametrize(("stage", "how"), FAULTS, ids=NAMES)
def test_the_stage_that_lost_it_is_named(scored, kind, stage, how):
    if (kind, stage) in IMPOSSIBLE:
        pytest.skip(IMPOSSIBLE[kind, stage])
    score = scored(kind)[NAMES[FAULTS.index((stage, how))]]
    [trial] = score.trials
    assert not trial.error
    [fact] = trial.facts
    if not stage:
        assert (trial.outcome, fact.outcome, fact.loss) == ("pass", "held", None)
        return
    assert trial.outcome == "fail"
    assert fact.outcome == ("missed" if how == "lost" else "degraded")
    assert fact.loss.owner == EXPECTED[kind][stage]
    if fact.loss.owner != "unknown":
        assert fact.loss.degraded == (how == "degraded")
    else:
        assert "cannot be seen" in fact.loss.reason
    assert fact.loss.stages[0].stage == "stated"
    assert fact.loss.stages[0].presence == "held"


def test_every_cell_is_there():
    assert len(FAULTS) == 1 + 2 * len(STAGES)
    assert all(set(owners) == set(STAGES) for owners in EXPECTED.values())
