"""The fact: something an answer must say, or must not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FactKind = Literal["normalized", "exact", "pattern", "number", "date", "judged", "any"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One named fact. `any` holds the alternatives of a fact of kind `any`; the others use `text`.

    A `number` carries its number as it was written, a `date` its ISO date, a `pattern` its RE2 expression.
    """

    kind: FactKind
    text: str = ""
    any: tuple[Fact, ...] = ()

    @property
    def label(self) -> str:
        """How the fact stands in reports and baselines: its text, with its kind where that is not the default."""
        if self.kind == "any":
            return "any: " + " | ".join(fact.label for fact in self.any)
        return self.text if self.kind == "normalized" else f"{self.kind}: {self.text}"
