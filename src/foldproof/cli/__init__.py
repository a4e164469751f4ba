"""The command line: parse, call the workflow, print, answer with an exit code."""

from foldproof.cli.main import main

__all__ = ["main"]
