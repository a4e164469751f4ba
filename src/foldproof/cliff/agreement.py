"""How far two that labelled the same lines agree: in all classes, and on whether a line is a rule. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from foldproof.cliff.labels import LINE_CLASSES, Label, Labels
from foldproof.compare.statistics import Agreement, cohens_kappa, gwets_ac1

RULE = "safety"
"""The class of rules, which the cliff asks about first."""


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Two labellers over the lines that both labelled, each without sight of the other.

    `counts` is by (class of the first, class of the second). `kappa` and `ac1` are over all classes, those of `rule`
    over whether a line is `safety` or not. `differing` are the labels on which they differ, in the file's order.
    """

    first: str
    second: str
    counts: Counter[tuple[str, str]]
    kappa: Agreement | None
    ac1: Agreement | None
    rule_kappa: Agreement | None
    rule_ac1: Agreement | None
    differing: tuple[Label, ...]

    @property
    def of(self) -> int:
        """Lines that both labelled."""
        return self.counts.total()

    @property
    def unsettled(self) -> int:
        """Lines on which they differ and nobody has decided."""
        return sum(not label.settled for label in self.differing)


def agreements(labels: Labels) -> tuple[LabelAgreement, ...]:
    """One for each two labellers that have a line in common, in the order of the file."""
    return tuple(_agreement(labels, *pair) for pair in _pairs(labels))


def _pairs(labels: Labels) -> Iterator[tuple[str, str]]:
    for first, second in combinations(labels.labellers, 2):
        if any(label.given_by(first) and label.given_by(second) for label in labels.labels):
            yield first, second


def _agreement(labels: Labels, first: str, second: str) -> LabelAgreement:
    both = [label for label in labels.labels if label.given_by(first) and label.given_by(second)]
    pairs = [(label.given_by(first), label.given_by(second)) for label in both]
    rules = [(one == RULE, other == RULE) for one, other in pairs]
    return LabelAgreement(
        first,
        second,
        Counter(pairs),
        cohens_kappa(pairs),
        gwets_ac1(pairs, labels=LINE_CLASSES),
        cohens_kappa(rules),
        gwets_ac1(rules, labels=(True, False)),
        tuple(label for label, (one, other) in zip(both, pairs, strict=True) if one != other),
    )
