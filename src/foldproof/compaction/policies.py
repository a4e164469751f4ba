"""How each type of knowledge is made to need less room: one small object a policy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

from foldproof.compaction.knowledge import KnowledgeType
from foldproof.compaction.lines import said_in
from foldproof.compaction.records import Passage
from foldproof.compaction.tokens import cost_of
from foldproof.compaction.verifying import first_clause
from foldproof.matching import normalize

Reword = Callable[[str], Awaitable[str]]
"""A model, or anything else that says a line in fewer words; what it gives is verified before it is used."""
Shorter = Callable[[Passage], Passage]
"""The shorter form of a passage that its verifier accepted; the passage itself where there is none."""


@dataclass(frozen=True)
class Policy(ABC):
    """What becomes of the lines of one type when they do not fit.

    With `reword` a line is shortened by that, without by `shorten`; in both cases what the type's verifier does not
    accept is not used. What still does not fit after `reduce` is dropped, the oldest first and each line whole.
    """

    name: ClassVar[str]
    reword: Reword | None = None

    def shorten(self, line: str) -> str:
        """The shorter form that needs no model: by default none, the line itself."""
        return line

    @abstractmethod
    def reduce(self, lines: Sequence[Passage], room: int, shorter: Shorter) -> list[Passage]:
        """The lines, of which all together need more than `room` bytes, in as few as this policy can."""


@dataclass(frozen=True)
class Verbatim(Policy):
    """Word for word or not at all; nobody rewords it."""

    name: ClassVar[str] = "verbatim"
    reword: None = field(default=None, init=False)

    def reduce(self, lines: Sequence[Passage], room: int, shorter: Shorter) -> list[Passage]:  # noqa: ARG002  # as asked
        """Nothing is shortened."""
        return list(lines)


@dataclass(frozen=True)
class Rewrite(Policy):
    """In other words that do the same, the oldest lines first and no more of them than needed.

    Without a model nothing is rewritten: no rule can tell what a step does.
    """

    name: ClassVar[str] = "rewrite"

    def reduce(self, lines: Sequence[Passage], room: int, shorter: Shorter) -> list[Passage]:
        """Reworded from the oldest on until all fit."""
        return _from_the_oldest(lines, room, shorter)


@dataclass(frozen=True)
class Compress(Policy):
    """In fewer words, the oldest lines first and no more of them than needed; without a model the first clause."""

    name: ClassVar[str] = "compress"

    def shorten(self, line: str) -> str:
        """Its first clause."""
        return first_clause(line)

    def reduce(self, lines: Sequence[Passage], room: int, shorter: Shorter) -> list[Passage]:
        """Shortened from the oldest on until all fit."""
        return _from_the_oldest(lines, room, shorter)


@dataclass(frozen=True)
class Merge(Policy):
    """Lines that say the same become one, the newest; with a model they are then reworded, the oldest first.

    The same means the same words by the rules of the matcher, whoever said them.
    """

    name: ClassVar[str] = "merge"

    def reduce(self, lines: Sequence[Passage], room: int, shorter: Shorter) -> list[Passage]:
        """One of each, in their order."""
        newest = {normalize(said_in(line.text)): line for line in lines}
        merged = sorted(newest.values(), key=lambda line: line.place)
        return _from_the_oldest(merged, room, shorter)


@dataclass(frozen=True)
class Gist(Policy):
    """Every line down to its gist; without a model the first clause."""

    name: ClassVar[str] = "gist"

    def shorten(self, line: str) -> str:
        """Its first clause."""
        return first_clause(line)

    def reduce(self, lines: Sequence[Passage], room: int, shorter: Shorter) -> list[Passage]:  # noqa: ARG002  # all at once
        """All shortened, whatever the room: an episode is worth its gist."""
        return [shorter(line) for line in lines]


POLICIES: Mapping[KnowledgeType, Policy] = MappingProxyType(
    {
        "constraint": Verbatim(),
        "procedure": Rewrite(),
        "belief": Compress(),
        "preference": Merge(),
        "episode": Gist(),
    }
)
"""The treatment that "The Compaction Cliff" (Zerhoudi et al., arXiv 2608.22752) gives to each type."""


def _from_the_oldest(lines: Sequence[Passage], room: int, shorter: Shorter) -> list[Passage]:
    found = list(lines)
    over = sum(cost_of(line.text) for line in found) - room
    for at, line in enumerate(found):
        if over <= 0:
            break
        found[at] = shorter(line)
        over -= cost_of(line.text) - cost_of(found[at].text)
    return found
