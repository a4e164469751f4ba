"""A corpus that fits on a page, with labels made in place, and compactors that do what they are told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from foldproof.cliff import Document, LabelledLine, Round, line_hash
from foldproof.compaction import Compacted, count_tokens
from foldproof.matching import telling_tokens


def labelled(text: str, *, cls: str = "safety", document: str = "one", key: tuple[str, ...] = (), **more: Any) -> Any:
    """A labelled line, as `join_labels` would make it."""
    place = more.pop("place", 1)
    return LabelledLine(document, place, line_hash(text), text, cls, key or telling_tokens(text), **more)


def of_lines(name: str, *lines: str) -> Document:
    return Document(name, "\n".join(lines))


def a_round(text: str, **more: Any) -> Round:
    """A round of the document `one`, with whatever is said otherwise."""
    named = {
        "subject": "ours", "document": "one", "schedule": "progressive", "ratio": 0.5, "number": 1,
        "budget": 100, "given_tokens": 200, "kept_tokens": count_tokens(text),
    }  # fmt: skip
    return Round(**{**named, "text": text, **more})


@dataclass
class Subject:
    """A compactor that does what it is told, and remembers what it was asked."""

    does: Any
    name: str = "ours"
    asked: list[tuple[str, int]] = field(default_factory=list)

    async def compact(self, text: str, budget: int) -> Compacted:
        self.asked.append((text, budget))
        found = self.does(text, budget)
        return found if isinstance(found, Compacted) else Compacted(found)
