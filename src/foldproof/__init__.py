"""foldproof: proves, before a memory change ships, that an AI agent still knows what its users told it.

The names below are the public ones; each is imported on first use, so that `import foldproof` costs nothing.
More stands behind the door of each stage (`foldproof.cases`, `foldproof.matching`, …).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from foldproof.core.version import __version__

if TYPE_CHECKING:
    from foldproof.agents import Agent, Conversation, Reply, SessionInfo, agent
    from foldproof.agents.compactors import compactor
    from foldproof.cases import Case, Configuration, Project, ReplaySet, lint_set, load_project, load_set
    from foldproof.compare import Check, Verdict
    from foldproof.core import ExitCode, FoldproofError
    from foldproof.logs import History, MemoryItem, Session, ToolCall, Turn
    from foldproof.matching import Fact, Match, match_fact
    from foldproof.score import CallMatch, match_calls
    from foldproof.workflow.api import check, compare_runs, run_set

__all__ = [
    "Agent",
    "CallMatch",
    "Case",
    "Check",
    "Configuration",
    "Conversation",
    "ExitCode",
    "Fact",
    "FoldproofError",
    "History",
    "Match",
    "MemoryItem",
    "Project",
    "ReplaySet",
    "Reply",
    "Session",
    "SessionInfo",
    "ToolCall",
    "Turn",
    "Verdict",
    "__version__",
    "agent",
    "check",
    "compactor",
    "compare_runs",
    "lint_set",
    "load_project",
    "load_set",
    "match_calls",
    "match_fact",
    "run_set",
]

_PLACES = {
    "foldproof.agents": ("Agent", "Conversation", "Reply", "SessionInfo", "agent"),
    "foldproof.agents.compactors": ("compactor",),
    "foldproof.cases": ("Case", "Configuration", "Project", "ReplaySet", "lint_set", "load_project", "load_set"),
    "foldproof.compare": ("Check", "Verdict"),
    "foldproof.core": ("ExitCode", "FoldproofError"),
    "foldproof.logs": ("History", "MemoryItem", "Session", "ToolCall", "Turn"),
    "foldproof.matching": ("Fact", "Match", "match_fact"),
    "foldproof.score": ("CallMatch", "match_calls"),
    "foldproof.workflow.api": ("check", "compare_runs", "run_set"),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401  # whatever the name stands for
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'foldproof' has no attribute '{name}'")
    return getattr(importlib.import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
