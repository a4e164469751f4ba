"""Rounds scored against labels: pure, and the same records and labels give the same scores."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from foldproof.cliff.documents import Document
from foldproof.cliff.invented import Source
from foldproof.cliff.labels import LabelledLine
from foldproof.cliff.records import Round
from foldproof.cliff.survival import LineSurvival, Wanted, stale_lines, survivals


@dataclass(frozen=True, slots=True)
class ScoredRound:
    """What survived in one round, whose text is left out. `lines` is empty where it failed: nothing can be said of it.

    A line whose value a newer one of its document replaces is not among them: nothing is lost with it. `stale` are
    those of these that stay without the newer one. `invented` are rules of the output without a source.
    """

    round: Round
    lines: tuple[LineSurvival, ...]
    stale: tuple[LineSurvival, ...] = ()
    invented: tuple[str, ...] = ()


_Found = tuple[tuple[LineSurvival, ...], tuple[LineSurvival, ...], tuple[str, ...]]


class Scorer:
    """Scores rounds against the labels of their documents. Outputs that are alike are scored once."""

    def __init__(self, documents: Iterable[Document], lines: Sequence[LabelledLine], talk: Sequence[str] = ()) -> None:
        self._texts = {one.name: one.text for one in documents}
        self._wanted = {name: [Wanted(line) for line in lines if line.document == name] for name in self._texts}
        self._talk = "\n".join(talk)
        self._sources: dict[str, Source] = {}
        self._known: dict[tuple[str, bytes], _Found] = {}

    def score(self, found: Round) -> ScoredRound:
        """What survived in a round."""
        bare = replace(found, text="")
        if found.failed:
            return ScoredRound(bare, ())
        at = found.document, hashlib.sha256(found.text.encode("utf-8", "surrogatepass")).digest()
        if at not in self._known:
            self._known[at] = self._found(found.document, found.text)
        return ScoredRound(bare, *self._known[at])

    def _found(self, document: str, output: str) -> _Found:
        if document not in self._sources:
            self._sources[document] = Source((self._texts[document], self._talk))
        every = survivals(self._wanted[document], output)
        current = tuple(one for one in every if one.line.replaced_by is None)
        return current, stale_lines(every), self._sources[document].invented(output)


def score_rounds(
    rounds: Iterable[Round], documents: Iterable[Document], lines: Sequence[LabelledLine], *, talk: Sequence[str] = ()
) -> Iterator[ScoredRound]:
    """The rounds scored, in their order; `talk` is what was said between them, for telling what was invented."""
    scorer = Scorer(documents, lines, talk)
    return map(scorer.score, rounds)


def without_labelled(talk: Sequence[str], lines: Sequence[LabelledLine]) -> tuple[str, ...]:
    """The talk without the lines that say what a labelled line says: by them what was lost would come back."""
    wanted = [Wanted(line) for line in lines]
    return tuple(said for said in talk if not any(one.survived for one in survivals(wanted, said)))
