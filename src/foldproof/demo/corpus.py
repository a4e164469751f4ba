"""The shipped corpus of the cliff: eight short texts of our own, with a label for every line that states something."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import NamedTuple


class CorpusPlaces(NamedTuple):
    """Where the texts and their labels lie, and talk that lays down no rule, for schedules that need some."""

    texts: Path
    labels: Path
    talk: Path


def corpus_places() -> CorpusPlaces:
    """The shipped texts and labels, as files of the installed package."""
    place = Path(str(files("foldproof.demo") / "corpus"))
    return CorpusPlaces(place / "texts", place / "labels.yaml", place / "talk.txt")
