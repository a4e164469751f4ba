"""When an expectation about calls holds, and why it does not. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from foldproof.cases.expectations import CallCount, Expectation, ExpectedCall
from foldproof.score.assignment import assign
from foldproof.score.call_fits import Fits

_LISTED = 5


@dataclass(frozen=True, slots=True)
class Held:
    """Whether an expectation holds, and the places of the calls that serve it, or that it forbids."""

    ok: bool
    calls: tuple[int, ...] = ()


def held_by(expectations: Sequence[Expectation], fits: Fits, *, surely: bool) -> list[Held]:
    """What holds of a list: surely, whatever stands in the parts of calls that cannot be compared, or perhaps."""
    alone = [at for at, item in enumerate(expectations) if _needs_its_own(item)]
    assigned = assign([fits.of(expectations[at].calls[0], unclear=not surely) for at in alone])
    served = dict(zip(alone, assigned, strict=True))
    found = []
    for place, item in enumerate(expectations):
        if place in served:
            call = served[place]
            found.append(Held(call is not None, () if call is None else (call,)))
        elif item.kind == "no_tool_called":
            calls = fits.of(item.calls[0], unclear=surely)
            found.append(Held(not calls, calls))
        elif item.count is not None:
            found.append(_counted(item, item.count, fits, surely=surely))
        else:
            found.append(_ordered(item, fits, surely=surely))
    return found


def _needs_its_own(item: Expectation) -> bool:
    return item.kind == "tool_called" and item.count is None


def _counted(item: Expectation, count: CallCount, fits: Fits, *, surely: bool) -> Held:
    sure, possible = fits.of(item.calls[0]), fits.of(item.calls[0], unclear=True)
    most = len(possible) if count.most is None else count.most
    if surely:
        return Held(count.least <= len(sure) and len(possible) <= most, sure)
    return Held(count.least <= len(possible) and len(sure) <= most, possible)


def _ordered(item: Expectation, fits: Fits, *, surely: bool) -> Held:
    steps = [fits.of(call, unclear=not surely) for call in item.calls]
    found = assign(steps) if item.order == "any" else in_order(steps)
    calls = tuple(at for at in found if at is not None)
    return Held(len(calls) == len(steps), calls)


def in_order(steps: Sequence[Iterable[int]]) -> list[int | None]:
    """For each step the first call behind that of the step before; None from the first step on that has none.

    To take the earliest call each time leaves the later steps most to choose from.
    """
    found: list[int | None] = []
    last: int | None = -1
    for calls in steps:
        last = None if last is None else next((at for at in sorted(calls) if at > last), None)
        found.append(last)
    return found


def why_not(item: Expectation, fits: Fits, held: Held) -> str:
    """Why an expectation does not hold, in one sentence. Call only where it does not."""
    if item.kind == "no_tool_called":
        return f"called: {_listed([fits.label(at) for at in held.calls])}"
    if item.kind == "tool_order":
        return _why_not_ordered(item, fits)
    if item.count is not None:
        fitting = len(held.calls)
        told = f"{fitting or 'no'} call{'s' * (fitting != 1)} fit{'s' * (fitting == 1)}, {item.count} expected"
        return told if fitting else f"{told}; {_why_missing(item.calls[0], fits)}"
    return _why_missing(item.calls[0], fits)


def _why_not_ordered(item: Expectation, fits: Fits) -> str:
    steps = [fits.of(call) for call in item.calls]
    found = assign(steps) if item.order == "any" else in_order(steps)
    missing = found.index(None)
    step = f"step {missing + 1}, {item.calls[missing].label}"
    if item.order == "strict" and steps[missing] and missing:
        before = item.calls[missing - 1].label
        return f"{step}: called, but not after step {missing}, {before}"
    return f"{step}: {_why_missing(item.calls[missing], fits)}"


def _why_missing(call: ExpectedCall, fits: Fits) -> str:
    if not fits.made:
        return "no call was made"
    fitting = fits.of(call)
    if fitting:
        calls = _listed([fits.label(at) for at in fitting])
        return f"each call that fits serves another expectation: {calls}; a call that is expected twice is made twice"
    nearest = fits.nearest(call)
    if nearest is not None:
        at, found = nearest
        return f"the nearest call, {fits.label(at)}, differs in {'; '.join(map(str, found))}"
    names = list(dict.fromkeys(made.name for made in fits.made))
    wanted = {one.name.casefold(): one.name for one in call.alternatives}
    for name in names:
        if name.casefold() in wanted:
            return (
                f"no such tool was called; the nearest, {name}, differs from {wanted[name.casefold()]} in letter case"
            )
    return f"no such tool was called; called: {_listed(names)}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
