"""What is shipped to be tried: projects for `foldproof demo` and `foldproof init`, and the corpus of the cliff."""

from foldproof.demo.corpus import CorpusPlaces, corpus_places
from foldproof.demo.projects import write_showcase, write_starter

__all__ = ["CorpusPlaces", "corpus_places", "write_showcase", "write_starter"]
