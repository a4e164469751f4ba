"""The nearest likeness of a missed fact: for the reader only, it never scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from foldproof.matching.mapped import Span
from foldproof.matching.text import Text, normalize

SIMILAR = 60.0
"""Per cent of likeness below which nothing is shown."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The part of a text that comes nearest to a missed fact.

    `text` is `raw[span.start:span.end]`; `distance` counts the single-character edits (Levenshtein) between the
    normalized fact and the normalized part.
    """

    span: Span
    text: str
    distance: int


def resembling(wanted: str, texts: Sequence[Text], *, likeness: float) -> list[int]:
    """Which texts may hold a part that is like a fact, in per cent: a quick look over many, in their order.

    None that has such a part is left out; one that has none may be named.
    """
    from rapidfuzz import fuzz, process  # as above

    wanted = normalize(wanted)
    found = process.extract(
        wanted, [text.padded for text in texts], scorer=fuzz.partial_ratio, score_cutoff=likeness, limit=None
    )
    return sorted(at for _, _, at in found)


def nearest_to(wanted: str, text: Text) -> Nearest | None:
    """The nearest part, from token border to token border; nothing where no part is similar."""
    from rapidfuzz import fuzz  # import does nothing costly: only a reader of misses needs it
    from rapidfuzz.distance import Levenshtein

    wanted, padded = normalize(wanted), text.padded
    found = fuzz.partial_ratio_alignment(wanted, padded[1:-1], score_cutoff=SIMILAR) if wanted else None
    if found is None:
        return None
    # One token more or less at either side may come nearer than the cut that the alignment made.
    start = padded.rfind(" ", 0, found.dest_start + 2)
    end = padded.find(" ", max(found.dest_end, start + 2))
    starts = {start, padded.find(" ", start + 1)}
    ends = {end, padded.rfind(" ", 0, end)}
    cuts = [(fuzz.ratio(wanted, padded[a + 1 : b]), -a, b) for a in starts for b in ends if b > a + 1]
    likeness, start, end = max(cuts)
    if likeness < SIMILAR:
        return None
    [span] = text.spans([(-start, end)])
    distance = Levenshtein.distance(wanted, padded[-start + 1 : end])
    return Nearest(span, text.raw[span.start : span.end], distance)
