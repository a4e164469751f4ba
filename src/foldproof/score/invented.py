"""Whose fault it is that an answer says something where it should have admitted ignorance. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from foldproof.matching import Text
from foldproof.score.attribution import Loss
from foldproof.score.evidence import Part, TrialEvidence

_STEM = 4
"""Letters by which a word of an item is taken for one of the question: rather too much is related than too little."""
_FUNCTION_WORDS = (
    "a an the i you he she it we they me him us them my your his her its our their is are was were am be been being do"
    " does did done have has had having of to in on at for from with by as into and or but nor so if then than that"
    " this these those there here what which where when who whom whose why how can could will would shall should may"
    " might must about also just now not no yes s t d m ll re ve"
)
_SMALL = frozenset(_FUNCTION_WORDS.split())
"""English words without matter. Those of other languages count as words, so that less is said of them."""


def attribute_abstention(evidence: TrialEvidence) -> Loss | None:
    """Who brought an answer to say something about what nobody told, or None where that cannot be told.

    Where the answer takes up what was retrieved, the retrieval is to blame if that was said just so and shares no word
    with the question: it had no floor. Where the answer has no word of what was given and none of the prompt, it was
    made up in use. Everything else is left open: words are compared, not meanings.
    """
    given, prompted = evidence.stages["retrieved"], evidence.stages["prompted"]
    asked = _words(Text(evidence.case.question))
    said = _words(Text(evidence.trial.answer)) - asked
    if not said or given is None:
        return None
    taken = [part for part in given.parts if said & _words(part.text)]
    if taken:
        stems = {word[:_STEM] for word in asked}
        unrelated = bool(stems) and all(stems.isdisjoint(word[:_STEM] for word in _words(part.text)) for part in taken)
        if unrelated and _was_said(taken, evidence):
            return Loss("retrieve", "what was given shares no word with the question: there is no floor", ())
        return None
    if prompted is None or any(said & _words(part.text) for part in prompted.parts):
        return None
    return Loss("use", "no word of it stands in the prompt", ())


def _was_said(parts: Sequence[Part], evidence: TrialEvidence) -> bool:
    """Whether each item repeats a turn, so that nothing in it was made up when it was written."""
    stated = evidence.stages["stated"]
    turns = [turn.text.padded for turn in stated.parts if turn.text.padded.strip()] if stated else []
    return all(any(turn in part.text.padded for turn in turns) for part in parts)


def _words(text: Text) -> set[str]:
    """The words of a text that carry its matter."""
    return {word for word in text.padded.split() if word not in _SMALL}
