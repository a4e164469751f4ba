"""Whether a fact stands at one stage: held, weakened, near, or gone. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from foldproof.matching import Fact, Weakened, match_fact, match_many, resembling, reworded, weakened
from foldproof.score.evidence import Part, Shown, Stage, TrialEvidence

Presence = Literal["held", "degraded", "near", "gone", "unseen"]
_LONGEST = 160
_LOOKED_THROUGH = 2000
"""Parts of a stage in which likenesses are looked for; a hit is found in any number."""
_SHARED = frozenset({"stated", "written", "kept"})
"""Stages that trials of one history have in common."""
_LIKENESS = 70.0
"""Per cent of likeness, as `rapidfuzz` counts it, that a part with few enough edits is sure to have."""
_NEAR = 0.25
"""Edits a character of the fact, up to which a likeness is shown."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A fact at a stage: where it stands and in which words.

    With `degraded`, `gone` says what the object has lost there: its negation, number or binding form. `near` is a
    likeness for the reader and never counts as held. `source` is who showed the stage, empty where nobody did.
    """

    stage: Stage
    presence: Presence
    source: str = ""
    place: str = ""
    text: str = ""
    gone: str = ""


def look_in(evidence: TrialEvidence, fact: Fact, stage: Stage) -> Sighting:
    """Look for a fact at a stage of a trial; what many trials share is looked through once."""
    shown = evidence.stages[stage]
    if shown is None or stage not in _SHARED:
        return look(fact, stage, shown)
    key = (fact, stage, id(shown.parts))
    if key not in evidence.records.sightings:
        # The parts are kept beside it, so that no other ones ever get their id.
        evidence.records.sightings[key] = look(fact, stage, shown), shown.parts
    found: Sighting = evidence.records.sightings[key][0]
    return found


def look(fact: Fact, stage: Stage, shown: Shown | None) -> Sighting:
    """Look for a fact at a stage. The best that one of its parts shows counts."""
    if shown is None:
        return Sighting(stage, "unseen")
    hits = [(match, shown.parts[at]) for _, at, match in match_many([fact], [part.text for part in shown.parts])]
    for match, part in hits:
        if match.held:
            span = match.spans[0]
            return Sighting(stage, "held", shown.source, part.place, _around(part, span.start, span.end))
    for part in (*(part for _, part in hits), *shown.parts[:_LOOKED_THROUGH]):
        weak = weakened(fact, part.text)
        if weak is not None:
            return _weak(stage, shown, part, weak)
    return _likeness(fact, stage, shown)


def _weak(stage: Stage, shown: Shown, part: Part, weak: Weakened) -> Sighting:
    excerpt = _around(part, weak.span.start, weak.span.end)
    return Sighting(stage, "degraded", shown.source, part.place, excerpt, weak.gone)


def _likeness(fact: Fact, stage: Stage, shown: Shown) -> Sighting:
    best: tuple[float, Part, str] | None = None
    # A value or pattern is there or not: another value is no likeness.
    words = [item.text for item in fact.any or (fact,) if item.kind in {"normalized", "exact"}]
    parts = shown.parts[:_LOOKED_THROUGH]
    texts = [part.text for part in parts]
    like = {at for text in words for at in resembling(text, texts, likeness=_LIKENESS)}
    for at, part in enumerate(parts if words else ()):
        near = match_fact(fact, part.text).nearest if at in like else None
        edits = near.distance / max(1, len(near.text)) if near else 1.0
        if near is not None and edits <= _NEAR and (best is None or edits < best[0]):
            best = edits, part, near.text
        elif best is None and (span := reworded(fact, part.text)):
            best = 1.0, part, _around(part, span.start, span.end)
    if best is None:
        return Sighting(stage, "gone", shown.source)
    return Sighting(stage, "near", shown.source, best[1].place, best[2])


def _around(part: Part, start: int, end: int) -> str:
    """The words around a hit, on one line."""
    raw = part.text.raw
    low = max(0, start - (_LONGEST - (end - start)) // 2) if len(raw) > _LONGEST else 0
    high = max(end, low + _LONGEST)
    return f"{'…' if low else ''}{' '.join(raw[low:high].split())}{'…' if high < len(raw) else ''}"


def standing(facts: Sequence[Fact], shown: Shown) -> frozenset[int]:
    """Which of the facts a stage holds, by their place."""
    texts = [part.text for part in shown.parts]
    return frozenset(at for at, _, match in match_many(facts, texts) if match.held)
