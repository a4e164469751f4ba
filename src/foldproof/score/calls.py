"""The calls that an agent made against those that are expected of it. Pure.

The rules stand in `docs/expectations.md`. Each `tool_called` without a count needs a call of its own; a `count`, a
`tool_order` and a `no_tool_called` look at all calls, and take none away from the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from foldproof.cases.call_text import read_call
from foldproof.cases.expectation_wire import expectation_of
from foldproof.cases.expectations import EXPECTATION_KINDS, Expectation, ExpectedCall
from foldproof.cases.faults import Fault
from foldproof.logs import ToolCall, arguments_of
from foldproof.score.call_fits import Fits
from foldproof.score.call_rules import held_by, why_not

CallOutcome = Literal["held", "missed", "error"]


@dataclass(frozen=True, slots=True)
class CallVerdict:
    """What became of one expectation about calls.

    `calls` are the places of the calls that serve it, or that it forbids. `reason` is empty where it is held.
    """

    outcome: CallOutcome
    reason: str = ""
    calls: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CallMatch:
    """What became of a list of expectations about calls.

    `ok` where there is something to hold and all of it does; then there are no `reasons`, else one at least. `pairs`
    are places: (which expectation, which call made), both from 0. `missing` are the expectations of a call that do
    not hold, `forbidden` the calls that were made and must not be.
    """

    ok: bool
    pairs: tuple[tuple[int, int], ...] = ()
    missing: tuple[Expectation, ...] = ()
    forbidden: tuple[ToolCall, ...] = ()
    reasons: tuple[str, ...] = ()


def judge_calls(expectations: Sequence[Expectation], made: Sequence[ToolCall]) -> tuple[CallVerdict, ...]:
    """What became of each expectation, all of them about calls, in order.

    Where a part of a call was redacted, or can be read two ways, it is asked whether the expectation holds whichever
    way it is; where that makes the difference the outcome is `error`.
    """
    fits = Fits(made)
    surely, perhaps = (held_by(expectations, fits, surely=surely) for surely in (True, False))
    found = []
    for place, (sure, possible) in enumerate(zip(surely, perhaps, strict=True)):
        if sure.ok and possible.ok:
            found.append(CallVerdict("held", "", sure.calls))
        elif sure.ok or possible.ok:
            reason = "a part of a call was redacted or can be read two ways, and it makes the difference"
            found.append(CallVerdict("error", reason))
        else:
            found.append(CallVerdict("missed", why_not(expectations[place], fits, possible), possible.calls))
    return tuple(found)


Expected: TypeAlias = str | Mapping[str, Any] | ToolCall | Expectation
"""The ways to say what is expected: see `match_calls`."""


def match_calls(
    expected: Iterable[Expected] | Expected,
    made: Iterable[ToolCall | Mapping[str, Any] | str],
) -> CallMatch:
    """Match the calls that an agent made with those that are expected.

    An expectation is a call as text (`"refund(order_id=4021)"`), one as a mapping (`{"name": …, "args": …}`), a
    `ToolCall`, whose arguments are then taken as they stand, an item of an `expect:` list
    (`{"no_tool_called": "refund"}`), or an `Expectation`; a single one may be given without a list. A call that was
    made is a `ToolCall`, a mapping with `name` and `args` (an object or its JSON text), or a text. An empty list of
    expectations is never `ok`: nothing is asserted.

    Raises:
        ValueError: for an expectation or a call that cannot be read, for one about the reply or the end state, and for
            calls that are None: what cannot be seen cannot be judged.
    """
    if made is None:
        raise ValueError("the agent does not show its tool calls\n  an empty list says that it made none")
    given: Iterable[Any] = [expected] if isinstance(expected, str | Mapping | ToolCall | Expectation) else expected
    expectations = tuple(map(_expectation, given))
    calls = tuple(map(_call, made))
    if not expectations:
        return CallMatch(ok=False, reasons=("nothing is asserted: name at least one call",))
    verdicts = judge_calls(expectations, calls)
    pairs, missing, forbidden = [], [], []
    for place, (expectation, verdict) in enumerate(zip(expectations, verdicts, strict=True)):
        if expectation.kind == "no_tool_called":
            forbidden += [calls[at] for at in verdict.calls]
            continue
        pairs += [(place, at) for at in verdict.calls]
        missing += [expectation] if verdict.outcome != "held" else []
    reasons = tuple(f"{expectations[at].label}: {item.reason}" for at, item in enumerate(verdicts) if item.reason)
    return CallMatch(not reasons, tuple(pairs), tuple(missing), tuple(forbidden), reasons)


def _expectation(given: Any) -> Expectation:  # noqa: ANN401  # whatever the caller has
    if isinstance(given, ToolCall):
        return Expectation("tool_called", (ExpectedCall(given.name, given.args),))
    try:
        if isinstance(given, str):
            return expectation_of({"tool_called": given})
        if isinstance(given, Mapping):
            kinds = set(EXPECTATION_KINDS) & set(given)
            call = {"tool_called": dict(given)}
            given = expectation_of(dict(given) if kinds or not {"name", "any_of"} & set(given) else call)
    except Fault as fault:
        raise ValueError(f"the expectation {fault}\n  {fault.hint}") from fault
    if isinstance(given, Expectation) and given.about_calls:
        return given
    about = "the end state" if isinstance(given, Expectation) and given.state is not None else "the reply"
    told = f"`{given.kind}`, which is about {about}" if isinstance(given, Expectation) else type(given).__name__
    raise ValueError(f"an expectation of a call is {told}\n  write a text, a mapping or a ToolCall; see match_fact")


def _call(given: Any) -> ToolCall:  # noqa: ANN401  # whatever the caller has
    if isinstance(given, ToolCall):
        return given
    if isinstance(given, str):
        try:
            return ToolCall(*read_call(given))
        except Fault as fault:
            raise ValueError(f"{fault}\n  {fault.hint}") from fault
    if isinstance(given, Mapping) and isinstance(given.get("name"), str):
        return ToolCall(given["name"], arguments_of(given.get("args")))
    raise ValueError(f"a call is {type(given).__name__}\n  write a ToolCall, or a mapping with `name` and `args`")
