"""Shipped projects: the showcase that `foldproof demo` runs, and the starter that `foldproof init` writes."""

from foldproof.demo.projects import write_showcase, write_starter

__all__ = ["write_showcase", "write_starter"]
