"""Laws of attribution: what is hidden makes an owner unknown, and never another one."""

from dataclasses import replace
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from foldproof.cases import Case
from foldproof.logs import History, MemoryItem, ModelCall, Seen, Session, Turn
from foldproof.matching import Fact
from foldproof.record import StoreListing, Trial
from foldproof.score import STAGES, Records, score_trial
from foldproof.score.attribution import OWNERS
from foldproof.testing.faulty import FAULTS, FaultyMind

QUESTION = "Which painkillers?"
LINES = (
    {"turns": [{"role": "user", "text": text} for text in ("Painkillers: no NSAIDs.", "Tea, painkillers, nuts.")]},
)
CASE = Case("q", QUESTION, expected=(Fact("normalized", "no NSAIDs"),), history="h")
HIDING = st.sets(st.sampled_from(STAGES[:-1]))


@cache
def _recorded(stage, how):
    """A whole trial of a faulty mind with the listings that it names."""
    mind = FaultyMind({"fault": stage, "how": how, "phrase": "no NSAIDs", "weak": "NSAIDs"})
    mind.write(LINES)
    written = StoreListing(tuple(map(MemoryItem, mind.items)))
    mind.fold()
    kept = StoreListing(tuple(map(MemoryItem, mind.items)))
    reads = mind.retrieve(QUESTION)
    prompt = mind.prompt(QUESTION, reads)
    trial = Trial(
        "q",
        0,
        mind.answer(prompt),
        memory_reads=tuple(MemoryItem(text, rank=rank) for rank, text in enumerate(reads, 1)),
        store_written=written.sha256,
        store_kept=kept.sha256,
        prompt=prompt,
    )
    return trial, {listing.sha256: listing for listing in (written, kept)}


def _loss(stage, how, hidden=()):
    trial, listings = _recorded(stage, how)
    turns = tuple(Turn("user", turn["text"]) for line in LINES for turn in line["turns"])
    histories = {} if "stated" in hidden else {"h": History("h", (Session("s", turns),))}
    shown = {"written": "store_written", "kept": "store_kept", "retrieved": "memory_reads", "prompted": "prompt"}
    seen = replace(trial, **{shown[name]: None for name in hidden if name in shown})
    return score_trial(CASE, seen, records=Records(histories, listings.get)).facts[0].loss


@given(st.sampled_from(FAULTS[1:]), HIDING)
def test_hiding_a_stage_never_moves_the_blame(fault, hidden):
    stage, how = fault
    whole = _loss(stage, how)
    assert (whole.owner, whole.degraded) == (stage, how == "degraded")
    part = _loss(stage, how, hidden)
    assert part.owner in {stage, "unknown"}
    if part.owner == "unknown":
        assert hidden
        assert "cannot be seen" in part.reason


@given(st.sampled_from(FAULTS[1:]), HIDING)
def test_an_owner_is_named_where_its_stage_and_the_one_before_are_seen(fault, hidden):
    stage, how = fault
    at = OWNERS.index(stage)
    neighbours = {STAGES[at], STAGES[at - 1]}
    assert (_loss(stage, how, hidden).owner == stage) or (neighbours & hidden)


@given(st.sampled_from(FAULTS[1:]), HIDING)
def test_the_same_records_give_the_same_attribution(fault, hidden):
    one, other = _loss(*fault, hidden), _loss(*fault, hidden)
    assert (str(one), one.stages) == (str(other), other.stages)


@given(st.sampled_from(FAULTS[1:]))
def test_the_wire_shows_what_the_agent_does_not_tell(fault):
    trial, listings = _recorded(*fault)
    call = ModelCall(trial.prompt, trial.answer)
    seen = replace(trial, prompt=None, seen=(Seen("wire", (call,)),))
    turns = tuple(Turn("user", turn["text"]) for line in LINES for turn in line["turns"])
    records = Records({"h": History("h", (Session("s", turns),))}, listings.get)
    assert score_trial(CASE, seen, records=records).facts[0].loss.owner == fault[0]
