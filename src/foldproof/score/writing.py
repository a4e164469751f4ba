"""Why a memory does not hold what was said: what the traces of building it show. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from foldproof.logs import MemoryItem, ModelCall
from foldproof.matching import Fact, match_fact
from foldproof.score.evidence import Part, TrialEvidence

DELETES = frozenset({"delete", "deleted", "delete_all", "remove", "removed", "forget", "forgotten"})
"""Kinds of a write that take something out."""
_JAPANESE = frozenset({"HIRAGANA", "IDEOGRAPHIC", "KATAKANA", "KATAKANA-HIRAGANA"})
_NO_SCRIPT = frozenset({"", "MODIFIER"})


def why_unwritten(fact: Fact, evidence: TrialEvidence) -> str:
    """Why a fact that was said is not in the memory, as far as its traces tell."""
    trial = evidence.trial
    if failure := failure_of(evidence):
        return f"write error: {failure}"
    noted = [note for note in trial.notes if "write" in note.lower() and "fail" in note.lower()]
    if noted:
        return f"write error: {noted[0]}"
    building = trial.building
    told = [*(trial.memory_writes or ()), *(item for seen in building for item in seen.memory_writes or ())]
    if any(match_fact(fact, item.text).held for item in told):
        return "deleted again" if _is_deleted(fact, told) else "overwritten"
    said = (text for seen in building for call in seen.calls for text in _given_by(call))
    if any(match_fact(fact, text).held for text in said):
        return "write error: a model extracted it, and it was not stored"
    shown = evidence.stages["written"]
    if shown is not None and _is_in_another_script(fact, shown.parts):
        return "never extracted in its own script: the memory may hold it in another language"
    return "never extracted"


def failure_of(evidence: TrialEvidence) -> str:
    """What failed among the model calls that were seen while the memory was built; empty where none did.

    A call that was made again and answered then does not count.
    """
    for seen in evidence.trial.building:
        answered = {call.prompt for call in seen.calls if call.prompt and not call.failure}
        failed = [call for call in seen.calls if call.failure and call.prompt not in answered]
        if failed:
            share = f" ({len(failed)} of {len(seen.calls)} model calls failed)" if len(seen.calls) > 1 else ""
            return f"{failed[0].failure}{share}"
    return ""


def _is_deleted(fact: Fact, told: Sequence[MemoryItem]) -> bool:
    """Whether the last write of a fact is a deletion, or one comes after it."""
    last = max(at for at, item in enumerate(told) if match_fact(fact, item.text).held)
    return any(item.kind.casefold() in DELETES for item in told[last:])


def _given_by(call: ModelCall) -> Iterator[str]:
    yield call.answer
    for made in call.tool_calls:
        yield from map(str, made.args.values())


def _is_in_another_script(fact: Fact, parts: Sequence[Part]) -> bool:
    """Whether each spelling of a fact has a script that stands nowhere in what the memory holds."""
    held = _scripts(part.text.raw for part in parts)
    return bool(held) and all(_scripts([item.text]) - held for item in fact.any or (fact,))


def _scripts(texts: Iterable[str]) -> set[str]:
    """The scripts of the letters of some texts, by the first word of a letter's name; those of Japanese go with Han."""
    letters = {letter for text in texts for letter in unicodedata.normalize("NFKC", text) if letter.isalpha()}
    names = {unicodedata.name(letter, "").partition(" ")[0] for letter in letters}
    return {"CJK" if name in _JAPANESE else name for name in names - _NO_SCRIPT}
