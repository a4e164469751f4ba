"""The kinds of compactor by name, and how one is made of its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldproof.agents.compactors.setup import CompactorSetup
from foldproof.compaction import REFERENCE, Compactor, CompactorKind
from foldproof.core import Registry, UsageError, nearest_of

_HERE = "foldproof.agents.compactors"
COMPACTORS: Registry[CompactorKind] = Registry(
    "foldproof.compactors",
    "kind of compactor",
    {
        **REFERENCE,
        "command": f"{_HERE}.command:CommandCompactor",
        "config": f"{_HERE}.folding:FoldingAgent",
        "http": f"{_HERE}.http:HttpCompactor",
        "pinned": f"{_HERE}.pinning:pinned",
        "python": f"{_HERE}.python:PythonCompactor",
        "summary": f"{_HERE}.summary:SummaryCompactor",
    },
)
"""A kind is called with its settings and a `CompactorSetup`, and gives a compactor. One that is also an asynchronous
context manager is entered before it is first asked, and left at the end."""


def make_compactor(settings: Mapping[str, Any], setup: CompactorSetup) -> Compactor:
    """A compactor of settings whose first key is its kind and whose first value is what that is given.

    A kind is called with that value under its own name, unless it is empty or a mapping of settings itself.

    Raises:
        UsageError: for an unknown kind, or settings that it cannot use.
    """
    kind, *_ = settings
    if kind not in COMPACTORS.names():
        raise UsageError(f"{setup.place} is of an unknown kind '{kind}'\n  {nearest_of(kind, COMPACTORS.names())}")
    rest = {name: value for name, value in settings.items() if name != kind}
    main = settings[kind]
    if isinstance(main, Mapping):
        return COMPACTORS.get(kind)({**main, **rest}, setup)
    return COMPACTORS.get(kind)({kind: main, **rest} if main != "" else rest, setup)
