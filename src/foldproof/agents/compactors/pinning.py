"""The compactor `pinned` around one from outside: constraints are held apart, and a model or program has the rest."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from foldproof.agents.compactors.answers import checked
from foldproof.agents.compactors.guarding import without_error_text
from foldproof.agents.compactors.kinds import make_compactor
from foldproof.agents.compactors.setup import CompactorSetup
from foldproof.compaction import (
    BYTES_PER_TOKEN,
    Compacted,
    Compactor,
    Pinned,
    by_rules,
    count_tokens,
    kinds,
    passages_of,
    room_of,
    said_in,
)
from foldproof.compaction.lines import newest_whole
from foldproof.core import UsageError


def pinned(settings: Mapping[str, Any], setup: CompactorSetup) -> Compactor:
    """The reference compactor, or with one from outside as its `inner` the one around that.

    Raises:
        UsageError: for settings that neither can use.
    """
    from foldproof.cases import compactor_named  # brings the YAML reader, which the door does not need

    inner = settings.get("inner")
    if isinstance(inner, str) and inner and inner not in kinds.INNER:
        inner = compactor_named(inner)
    if not isinstance(inner, Mapping) or not inner:
        return kinds.pinned(settings, setup)
    setup.allow(settings, "inner")
    for name in setup.beside:
        if name in inner:
            raise UsageError(
                f"{setup.place}: `{name}` stands within `inner`\n  write it beside `pinned`, whose rounds it is for"
            )
    return PinnedAround(make_compactor(inner, setup), setup.name)


class PinnedAround:
    """Holds every line that the rules call a constraint word for word, and lets `inner` compact the rest.

    The constraints come first, as a list outside of what is compacted; `inner` is told what they leave of the budget
    and never sees them. Where they do not fit, the output is `unsafe` and holds the newest of them.
    """

    def __init__(self, inner: Compactor, name: str) -> None:
        self.name = name
        self.serial = getattr(inner, "serial", False) is True
        self._inner = inner
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Open `inner`, where that is needed."""
        if isinstance(self._inner, AbstractAsyncContextManager):
            await self._stack.enter_async_context(self._inner)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let `inner` go."""
        await self._stack.aclose()

    async def compact(self, text: str, budget: int) -> Compacted:
        """The constraints, then what `inner` makes of the others; its error is the round's.

        Raises:
            AgentError: as `inner`.
        """
        if count_tokens(text) <= budget:
            return Compacted(text)
        passages = passages_of(text)
        types = by_rules([said_in(passage.text) for passage in passages])
        bound = [passage for passage, kind in zip(passages, types, strict=True) if kind == "constraint"]
        held, free = newest_whole(bound, room_of(budget))
        if len(held) < len(bound):
            return await Pinned(name=self.name).compact(text, budget)  # it says why that is unsafe
        pins = [passage.text for passage in held]
        apart = {passage.place for passage in bound}
        others = "\n".join(passage.text for passage in passages if passage.place not in apart)
        told = f"{self.name}: {len(pins)} constraints held apart"
        left = (free - 1) // BYTES_PER_TOKEN
        if left < 1:
            return Compacted("\n".join(pins), notes=(told,))
        # below the constraints an error message would pass for what is left of the rest
        found = without_error_text(checked(await self._inner.compact(others, left)), others)
        if found.error:
            return found
        return replace(found, text="\n".join([*pins, found.text]).rstrip("\n"), notes=(told, *found.notes))
