"""Matching."""
from foldproof.matching.fact import Fact, FactKind

__all__ = ["Fact", "FactKind"]
