"""The records of an `expect:` list: what is called, what the reply mentions, what comes of it, what the memory does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from foldproof.cases.call_text import json_text, short, value_text, written_call
from foldproof.matching import Fact

ExpectationKind = Literal[
    "tool_called",
    "no_tool_called",
    "tool_order",
    "reply_mentions",
    "reply_omits",
    "state",
    "memory_write",
    "memory_read",
    "store_has",
    "store_lacks",
]
EXPECTATION_KINDS: tuple[ExpectationKind, ...] = (
    "tool_called",
    "no_tool_called",
    "tool_order",
    "reply_mentions",
    "reply_omits",
    "state",
)
"""What may stand in an `expect:` list, in the order of the documentation."""
MEMORY_KINDS: tuple[ExpectationKind, ...] = ("memory_write", "memory_read", "store_has", "store_lacks")
"""What may stand in the `expect:` list of a session's turn besides: they look at the memory."""
ABOUT_CALLS = frozenset({"tool_called", "no_tool_called", "tool_order"})
"""The kinds that look at the calls."""
ABOUT_STORE = frozenset({"memory_write", "store_has", "store_lacks"})
"""The kinds that need the listing of the memory, or may need it."""
CallMode = Literal["subset", "exact"]
CallOrder = Literal["any", "strict"]
ANY_TOOL = "*"
"""The name that stands for every tool."""


CHECK_KEYS = ("value", "matches", "contains", "any_of")
"""The keys of an argument that is checked otherwise than by equality; `tolerance` goes with `value`."""
_RESERVED = frozenset({*CHECK_KEYS, "tolerance"})
_ALIKE = 0.8
"""Likeness from which a key is taken for a mistyped one of a check."""


def is_check(keys: Sequence[str]) -> bool:
    """Whether a mapping with these keys is a check and no object."""
    return bool(keys) and set(keys) <= _RESERVED


def nearly_check(keys: Sequence[str]) -> str:
    """The key of a check that a mapping's only key comes near to, or nothing."""
    import difflib  # only needed for a mapping that is no check

    return next(iter(difflib.get_close_matches(keys[0], _RESERVED, n=1, cutoff=_ALIKE)), "") if len(keys) == 1 else ""


@dataclass(frozen=True, slots=True)
class ArgumentCheck:
    """What an argument must be, where a plain value does not say it.

    `value`: a number, `tolerance` away at most. `matches` and `contains`: a text of which `fact` holds, a pattern or
    any other. `any_of`: one of several values or checks.
    """

    kind: Literal["value", "matches", "contains", "any_of"]
    value: int | float = 0
    tolerance: float = 0.0
    fact: Fact | None = None
    any_of: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One call that is expected, or with `any_of` one of several.

    The values of `args` are JSON values, with an `ArgumentCheck` wherever equality is not asked for. With the mode
    `subset` a call may have further arguments, with `exact` it may not.
    """

    name: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    mode: CallMode = "subset"
    any_of: tuple[ExpectedCall, ...] = ()

    @property
    def alternatives(self) -> tuple[ExpectedCall, ...]:
        """The calls of which one is enough: the call itself unless it has `any_of`."""
        return self.any_of or (self,)

    @property
    def label(self) -> str:
        """How the call stands in reports: as the file writes it in one line."""
        if self.any_of:
            return "any of " + " | ".join(call.label for call in self.any_of)
        text = written_call(self.name, self.args, argument_text) if self.args else self.name
        return f"{text}, exactly" if self.mode == "exact" else text


@dataclass(frozen=True, slots=True)
class CallCount:
    """How many calls must fit; `most` is None where more are welcome."""

    least: int = 1
    most: int | None = None

    def __str__(self) -> str:
        if self.most is None:
            return f"at least {self.least}"
        if self.least == self.most:
            return f"exactly {self.least}"
        return f"{self.least} to {self.most}" if self.least else f"at most {self.most}"


@dataclass(frozen=True, slots=True)
class Expectation:
    """One item of an `expect:` list.

    `calls` holds one call, for a `tool_order` its calls in order. `count` is None where one call of its own is
    enough. `fact` is what the reply mentions or omits, or what the memory holds; `fields` says the same of a
    `memory_write` by its `kind` and its values. `state` holds what the end state must hold, with an `ArgumentCheck`
    wherever equality is not asked for; with the mode `exact` no object in it has further keys.
    """

    kind: ExpectationKind
    calls: tuple[ExpectedCall, ...] = ()
    fact: Fact | None = None
    count: CallCount | None = None
    order: CallOrder = "strict"
    fields: Mapping[str, str] = field(default_factory=dict)
    state: Mapping[str, Any] | None = None
    mode: CallMode = "subset"

    @property
    def about_calls(self) -> bool:
        """Whether the agent's calls must be seen to judge it."""
        return self.kind in ABOUT_CALLS

    @property
    def about_memory(self) -> bool:
        """Whether it looks at what the memory reads, writes or holds."""
        return self.kind in MEMORY_KINDS

    @property
    def silent(self) -> bool:
        """Whether an agent that does and says nothing meets it, or is likely to: a state in which there is nothing."""
        negated = {"no_tool_called", "reply_omits", "store_lacks"}
        untouched = self.state is not None and all(value in ([], {}, None) for value in self.state.values())
        return self.kind in negated or untouched or (self.count is not None and self.count.least == 0)

    @property
    def label(self) -> str:
        """How the expectation stands in reports and baselines."""
        if self.fact is not None:
            return f"{self.kind}: {self.fact.label}"
        if self.fields:
            return f"{self.kind}: {', '.join(f'{key}={value}' for key, value in self.fields.items())}"
        if self.state is not None:
            told = ", ".join(f"{key}={argument_text(value)}" for key, value in self.state.items())
            return f"{self.kind}: {told}{', exactly' if self.mode == 'exact' else ''}"
        joint = " > " if self.order == "strict" else " & "
        counted = f", {self.count}" if self.count else ""
        return f"{self.kind}: {joint.join(call.label for call in self.calls)}{counted}"


def argument_text(value: Any) -> str:  # noqa: ANN401  # an argument or a check of one
    """What is expected of an argument, for a person."""
    if not isinstance(value, ArgumentCheck):
        return short(value_text(_told(value)))
    if value.kind == "value":
        return f"{json_text(value.value)}±{value.tolerance:g}"
    if value.fact is not None:
        return f"<{value.kind} {value.fact.label if value.kind == 'contains' else value.fact.text}>"
    return f"<{' | '.join(map(argument_text, value.any_of))}>"


def _told(value: Any) -> Any:  # noqa: ANN401  # an argument, with checks in it
    """The value with its checks as texts."""
    if isinstance(value, ArgumentCheck):
        return argument_text(value)
    if isinstance(value, Mapping):
        return {key: _told(item) for key, item in value.items()}
    return [_told(item) for item in value] if isinstance(value, list) else value
