"""Who lost what a call should have been made with, or an end state should hold. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from foldproof.cases.expectations import ArgumentCheck, Expectation, ExpectedCall
from foldproof.matching import Fact, check_fact
from foldproof.score.arguments import state_differences
from foldproof.score.attribution import Loss, attribute
from foldproof.score.call_fits import Fits
from foldproof.score.evidence import TrialEvidence
from foldproof.score.made import calls_made

_LOSING = frozenset({"write", "fold", "retrieve", "prompt"})
_ARGUMENT = re.compile(r"[.\[]")


def attribute_call(item: Expectation, evidence: TrialEvidence) -> Loss | None:
    """Who lost an argument of a call that was not made as expected, or None where that cannot be told.

    The values that the nearest call lacks are followed as facts: of them the first that was lost on its way to the
    prompt, else one that was there and not used. A value that no stage states may be one that the agent works out or
    looks up, so nobody is blamed for it; nor is anybody for a call without arguments, or one that must not be made.
    """
    if item.kind == "no_tool_called":
        return None
    fits = Fits(calls_made(evidence.case, evidence.trial) or ())
    return _first_lost((fact for call in item.calls if not fits.of(call) for fact in _lacking(call, fits)), evidence)


def attribute_state(item: Expectation, evidence: TrialEvidence) -> Loss | None:
    """Who lost a value that an end state lacks, by the same rules as an argument of a call."""
    found = state_differences(item.state or {}, evidence.trial.state or {}, exact=False)
    lacking = (one.wanted for one in found if one.kind in {"missing", "value"})
    return _first_lost((fact for value in lacking for fact in _leaves(value) if not check_fact(fact)), evidence)


def _first_lost(facts: Iterable[Fact], evidence: TrialEvidence) -> Loss | None:
    unused = None
    for fact in facts:
        loss = attribute(fact, evidence)
        if loss.owner in _LOSING:
            return replace(loss, reason=f"'{fact.label}': {loss.reason}")
        if loss.owner == "use" and unused is None:
            said = loss.stages[-1].presence == "held"
            reason = "it stands in the answer or in another call" if said else loss.reason
            unused = replace(loss, reason=f"'{fact.label}': {reason}")
    return unused


def _lacking(call: ExpectedCall, fits: Fits) -> Iterator[Fact]:
    """What the nearest call lacks of an expected one, as facts; everything where there is no such call."""
    nearest = fits.nearest(call)
    lacking = None
    if nearest is not None:
        lacking = {_ARGUMENT.split(found.place)[0] for found in nearest[1] if found.kind in {"missing", "value"}}
    for one in call.alternatives:
        for name, value in one.args.items():
            if lacking is None or name in lacking:
                yield from (fact for fact in _facts_of(value) if not check_fact(fact))


def _leaves(value: Any) -> Iterator[Fact]:  # noqa: ANN401  # a part of an expected state
    """Every value in a part of a state, as facts."""
    parts: Iterable[Any] = ()
    if isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, list):
        parts = value
    else:
        yield from _facts_of(value)
    for part in parts:
        yield from _leaves(part)


def _facts_of(value: Any) -> Iterator[Fact]:  # noqa: ANN401  # an argument or a check of one
    """A value as a fact that a memory may hold; truth values, null and what is made of parts are none."""
    if isinstance(value, ArgumentCheck):
        yield from _checked(value)
    elif isinstance(value, float):
        yield Fact("number", repr(value))
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield Fact("normalized", str(value))


def _checked(check: ArgumentCheck) -> Iterator[Fact]:
    if check.fact is not None:
        yield check.fact
    elif check.kind == "value":
        yield Fact("number", repr(check.value))
    else:
        found = tuple(fact for item in check.any_of for fact in _facts_of(item))
        if len(found) == len(check.any_of):
            yield Fact("any", any=tuple(one for fact in found for one in (fact.any or (fact,))))
