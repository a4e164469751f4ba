"""Who lost it: the first stage at which a fact is gone, and why, as far as the records show it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from foldproof.cases import Case
from foldproof.matching import Fact, match_fact
from foldproof.score.abstain import admits_ignorance
from foldproof.score.dating import day_lost
from foldproof.score.evidence import STAGES, Part, Shown, Stage, TrialEvidence
from foldproof.score.sighting import Sighting, look_in, standing
from foldproof.score.writing import failure_of, why_unwritten

Owner = Literal["write", "fold", "retrieve", "prompt", "use", "case", "unknown"]
OWNERS: tuple[Owner, ...] = ("case", "write", "fold", "retrieve", "prompt", "use")
"""The owner of each stage, in the order of `STAGES`."""
_EVENTS = frozenset({"episode", "episodic", "event", "dated event"})
_STANDING = frozenset({"fact", "semantic", "preference", "profile", "belief", "constraint", "identity", "rule"})
_ASKS_STANDING = frozenset({"semantic", "preference", "identity", "safety"})
_TURNED = "turned round"
_FROM_NOWHERE = "it comes in here, from no stage before"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


@dataclass(frozen=True, slots=True)
class Loss:
    """Who lost a fact, or where a forbidden one came from.

    `stages` are the six sightings in order. `degraded` says that the object is still there and its negation,
    number or binding form is not. `reason` is a phrase, empty where none can be seen.
    """

    owner: Owner
    reason: str
    stages: tuple[Sighting, ...]
    degraded: bool = False

    def __str__(self) -> str:
        word = "degraded" if self.degraded else "lost"
        if self.owner == "unknown":
            return f"owner unknown: {self.reason}" if self.reason else "owner unknown"
        return f"{word} at {self.owner}" + (f" ({self.reason})" if self.reason else "")


def attribute(fact: Fact, evidence: TrialEvidence) -> Loss:
    """Who lost an expected fact that the answer does not hold.

    A sighting proves every stage before it. The next stage after the last sighting is the owner where it can be
    seen; where it cannot, the owner is unknown. A stage that holds a weaker form has lost the fact; of one that holds a
    near form nobody can say whether it has.
    """
    stages = tuple(look_in(evidence, fact, stage) for stage in STAGES)
    last = max((at for at, seen in enumerate(stages[:-1]) if seen.presence == "held"), default=-1)
    following = stages[last + 1]
    if _is_frozen(fact, evidence):
        return _of_frozen(stages)
    if last < 0 and _is_asked_with(fact, evidence):
        return Loss("use", "the question itself says it", stages)
    if following.presence == "unseen":
        return Loss("unknown", _unseen(stages, last + 1), stages)
    if last < 0:
        owned = day_lost(fact, evidence)
        return Loss(*owned, stages) if owned else _unstated(following, stages, evidence.case)
    if following.presence == "near" and following.stage != "used":
        return Loss("unknown", f"{following.stage} holds a near form only: '{following.text}'", stages)
    owner = OWNERS[last + 1]
    reason = _REASONS[owner](fact, stages, evidence)
    return Loss(owner, reason, stages, degraded=following.presence == "degraded")


def _is_frozen(fact: Fact, evidence: TrialEvidence) -> bool:
    """Whether the frozen turns say a fact: then the agent was handed it, whatever it remembers."""
    return bool(standing([fact], evidence.frozen))


def _of_frozen(stages: tuple[Sighting, ...]) -> Loss:
    """Who lost a fact of the frozen turns: whoever made the prompt of them, or the model that was given it."""
    prompted = stages[STAGES.index("prompted")].presence
    if prompted == "held":
        return Loss("use", "the frozen turns say it, and the prompt holds it", stages)
    if prompted == "unseen":
        return Loss("unknown", "the frozen turns say it; whether it was prompted cannot be seen", stages)
    return Loss("prompt", "the frozen turns say it, and the prompt does not", stages)


def attribute_forbidden(fact: Fact, evidence: TrialEvidence) -> Loss:
    """Where a forbidden fact in the answer came from.

    What the prompt does not have, the answer made up. What only another user's items hold, the retrieval let in. Where
    the prompt has what was expected as well, the wrong one was used, unless a stage after the writing brought it in.
    Otherwise the owner is who lost the expected facts, or the stage that brought this one in.
    """
    stages = tuple(look_in(evidence, fact, stage) for stage in STAGES)
    prompted = stages[STAGES.index("prompted")]
    if prompted.presence == "unseen":
        return Loss("unknown", "the prompt cannot be seen", stages)
    if prompted.presence != "held":
        return Loss("use", "it does not stand in the prompt", stages)
    if _is_anothers(fact, evidence):
        return Loss("retrieve", "another user's items were given", stages)
    expected = [item for item in evidence.case.expected if item.kind != "judged"]
    said = [item for item in expected if _is_asked_with(item, evidence)]
    if said and not match_fact(fact, evidence.case.question).held:
        return Loss("use", "what was expected stands in the question itself", stages)
    given = evidence.stages["prompted"]
    if given is not None and standing(expected, given):
        return _beside(stages, evidence)
    answered = standing(expected, evidence.answer)
    for item in (item for at, item in enumerate(expected) if at not in answered):
        lost = attribute(item, evidence)
        if lost.owner not in {"unknown", "case", "use"}:
            return Loss(lost.owner, f"it was given in place of '{item.label}'", stages)
    return Loss("use", "the frozen turns say it", stages) if _is_frozen(fact, evidence) else _origin(stages)


def _beside(stages: tuple[Sighting, ...], evidence: TrialEvidence) -> Loss:
    """Why a forbidden fact was said although what was expected stood in the prompt too."""
    if (invented := _brought_in(stages)) is not None:
        return invented
    if _without_model(evidence):
        return Loss("write", "the memory holds both and does not mark the stale one", stages)
    return Loss("use", "what was expected stands in the prompt beside it", stages)


def _is_asked_with(fact: Fact, evidence: TrialEvidence) -> bool:
    """Whether what the model is told with the question states a fact: a correction, say, to be heeded at once."""
    question, prompt = evidence.case.question.strip(), evidence.trial.prompt
    if prompt is not None and question not in prompt:
        return False
    said = (sentence.strip() for sentence in _SENTENCE_END.split(question))
    return any(match_fact(fact, sentence).held for sentence in said if not sentence.endswith(("?", "？")))


def _is_anothers(fact: Fact, evidence: TrialEvidence) -> bool:
    """Whether a fact was given, and by items only that belong to another user than the one who asks."""
    given, own = evidence.stages["retrieved"], evidence.users
    holding = [part.item for part in given.parts if part.item and match_fact(fact, part.text).held] if given else []
    return bool(own and holding) and all(item.user not in {"", *own} for item in holding)


def _without_model(evidence: TrialEvidence) -> bool:
    """Whether the answer is the prompt itself, so that there is no use that could choose."""
    return evidence.trial.prompt is not None and evidence.trial.prompt == evidence.trial.answer


def _brought_in(stages: tuple[Sighting, ...]) -> Loss | None:
    """The stage after the writing that has a fact first, where the one before can be seen not to; else None.

    What the writing has first may be what was said, in the words of whoever extracted it.
    """
    first = next(at for at, seen in enumerate(stages) if seen.presence == "held")
    if first <= STAGES.index("written") or stages[first - 1].presence in {"unseen", "near"}:
        return None
    return Loss(OWNERS[first], _FROM_NOWHERE, stages)


def _origin(stages: Sequence[Sighting]) -> Loss:
    """The first stage that has a fact which the stage before it can be seen not to have.

    What was said, and is retrieved though no listing has it any more, was taken out of one store and not of another.
    """
    for at in range(STAGES.index("prompted"), 0, -1):
        before = stages[at - 1].presence
        if before == "unseen":
            return Loss("unknown", f"whether it was {stages[at - 1].stage} cannot be seen", tuple(stages))
        if before != "held" and STAGES[at] == "retrieved" and any(seen.presence == "held" for seen in stages[:at]):
            listed = stages[STAGES.index("written")].presence == "held"
            reason = "the memory no longer lists it, and its retrieval still gives it"
            return Loss("fold" if listed else "write", reason, tuple(stages))
        if before != "held":
            return Loss(OWNERS[at], _FROM_NOWHERE, tuple(stages))
    return Loss("write", "it was stated, and the memory still holds it as current", tuple(stages))


def _unseen(stages: Sequence[Sighting], at: int) -> str:
    seen = next(place for place in range(at, len(stages)) if stages[place].presence != "unseen")
    hidden = [sighting.stage for sighting in stages[at:seen]]
    return f"whether it was {' or '.join(hidden)} cannot be seen"


def _unstated(stated: Sighting, stages: tuple[Sighting, ...], case: Case) -> Loss:
    """A fact that no stage holds: stale or wrong in the case, unless the history says it in other words."""
    if stated.presence in {"near", "degraded"} or case.source:
        where = f" ({', '.join(map(str, case.source))})" if case.source else f": '{stated.text}'"
        return Loss("unknown", f"the history says it in other words{where}: add them as an alternative", stages)
    return Loss("case", f"{'no turn states' if case.frozen else 'the history does not state'} it", stages)


def _why_written(fact: Fact, stages: Sequence[Sighting], evidence: TrialEvidence) -> str:
    written = stages[STAGES.index("written")]
    return why_unwritten(fact, evidence) if written.presence == "gone" else _form(written)


def _why_folded(_: Fact, stages: Sequence[Sighting], evidence: TrialEvidence) -> str:
    kept = stages[STAGES.index("kept")]
    if kept.presence == "gone":
        failure = failure_of(evidence)
        return f"dropped; while the memory was built: {failure}" if failure else "dropped"
    return _TURNED if kept.gone == "negation" else f"generalised: its {kept.gone} is gone"


def _why_retrieved(fact: Fact, stages: Sequence[Sighting], evidence: TrialEvidence) -> str:
    for part in evidence.dropped:
        if part.item is not None and match_fact(fact, part.text).held:
            return _left_out(
                part.item.rank, part.item.dropped, {**evidence.case.memory_config, **evidence.records.memory}
            )
    retrieved = stages[STAGES.index("retrieved")]
    if retrieved.presence != "gone":
        return _form(retrieved)
    given = evidence.stages["retrieved"]
    parts = given.parts if given else ()
    own = evidence.users
    if own and any(part.item and part.item.user not in {"", *own} for part in parts):
        return "another user's items were given"
    forbidden = [item for item in evidence.case.forbidden if item.kind != "judged"]
    if given is not None and standing(forbidden, given):
        return "outranked by a stale value"
    if wrong := _wrong_kind(fact, evidence):
        return wrong
    count = len(_items_in(parts))
    return f"not among the {count} items given" if count else "nothing was given"


def _left_out(rank: int, why: str, memory: Mapping[str, Any]) -> str:
    k = memory.get("k")
    return f"rank {rank}, k = {k}" if why == "beyond k" and k is not None else f"rank {rank}, {why}"


def _wrong_kind(fact: Fact, evidence: TrialEvidence) -> str:
    kept = evidence.stages["kept"]
    holding = [part.item for part in kept.parts if part.item and match_fact(fact, part.text).held] if kept else []
    kinds = {item.kind.casefold() for item in holding}
    if kinds and kinds <= _EVENTS and evidence.case.case_class in _ASKS_STANDING:
        return "wrong kind: stored only as a dated event, asked for as a standing fact"
    if kinds and kinds <= _STANDING and evidence.case.case_class == "episodic":
        return "wrong kind: stored only as a standing fact, asked for as an event"
    return ""


def _why_prompted(_: Fact, stages: Sequence[Sighting], evidence: TrialEvidence) -> str:
    prompted = stages[STAGES.index("prompted")]
    if prompted.presence != "gone":
        return _form(prompted)
    given, texts = _parts_of(evidence, "retrieved"), [part.text.padded for part in _parts_of(evidence, "prompted")]
    inserted = _items_in([part for part in given if any(part.text.padded in text for text in texts)])
    if not inserted:
        return "no retrieved item stands whole in the prompt"
    return f"cut: {len(inserted)} of {len(_items_in(given))} retrieved items stand whole in the prompt"


def _items_in(parts: Sequence[Part]) -> set[int]:
    """The different items among parts: one item may have two readings."""
    return {id(part.item) for part in parts}


def _why_used(fact: Fact, stages: Sequence[Sighting], evidence: TrialEvidence) -> str:
    used = stages[STAGES.index("used")]
    if used.presence == "degraded":
        return _TURNED if used.gone == "negation" else f"its {used.gone} is gone"
    if used.presence == "held":
        return "it stands in a tool call and not in the answer"
    if any(match_fact(fact, part.text).held for part in evidence.said):
        return "the model said it, and the agent's answer does not"
    forbidden = [item for item in evidence.case.forbidden if item.kind != "judged"]
    prompt = evidence.stages["prompted"]
    said = standing(forbidden, evidence.answer)
    if said:
        known = prompt is not None and said & standing(forbidden, prompt)
        return "a stale value was said" if known else "what is forbidden was said in its place"
    if admits_ignorance(evidence.trial.answer, evidence.case.question):
        return "the answer says that it does not know"
    return f"a near form only: '{used.text}'" if used.presence == "near" else "in the prompt and unused"


def _parts_of(evidence: TrialEvidence, stage: Stage) -> tuple[Part, ...]:
    shown = evidence.stages[stage]
    return shown.parts if shown else ()


def _form(sighting: Sighting) -> str:
    return _TURNED if sighting.gone == "negation" else f"its {sighting.gone} is gone"


_REASONS = {
    "write": _why_written,
    "fold": _why_folded,
    "retrieve": _why_retrieved,
    "prompt": _why_prompted,
    "use": _why_used,
}


def disagreements(evidence: TrialEvidence) -> tuple[str, ...]:
    """Where two sources show different things of one trial: which facts of the case only one of them has."""
    facts = [fact for fact in (*evidence.case.expected, *evidence.case.forbidden) if fact.kind != "judged"]
    told = []
    for what, sources in (("prompt", evidence.prompts), ("retrieved items", evidence.reads)):
        for other in sources[1:]:
            told += _differences(facts, what, sources[0], other)
    names = {call.name for call in evidence.trial.tool_calls or ()}
    for seen in evidence.trial.seen:
        made = {call.name for model_call in seen.calls for call in model_call.tool_calls}
        if evidence.trial.tool_calls is not None and not made <= names:
            missing = ", ".join(sorted(made - names))
            told.append(f"tool calls: {seen.source} shows {missing}, of which the adapter does not tell")
    return tuple(told)


def _differences(facts: Sequence[Fact], what: str, one: Shown, other: Shown) -> list[str]:
    in_one, in_other = standing(facts, one), standing(facts, other)
    return [
        f"{what}: '{facts[at].label}' stands in what {mine.source} shows and not in what {theirs.source} shows"
        for at in sorted(in_one ^ in_other)
        for mine, theirs in [(one, other) if at in in_one else (other, one)]
    ]
