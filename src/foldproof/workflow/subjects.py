"""The subjects of a cliff: compactors by name, of the project, of the command line, or of foldproof's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from foldproof.agents.compactors import COMPACTORS, open_compactors
from foldproof.cases import DeclaredCompactor, Limits, Project, compactor_named
from foldproof.compaction import REFERENCE, Compactor
from foldproof.core import UsageError, nearest_of

REFERENCES: tuple[str, ...] = tuple(name for name in REFERENCE if name != "window")
"""The reference strategies; `window` is `tail` by another name."""


def subjects_of(names: Iterable[str], project: Project | None) -> tuple[DeclaredCompactor, ...]:
    """The compactors of these names, each once: those of the project by theirs, else as a text stands for one.

    `head`, `python:module:name`, `http://…` and `config:NAME` need no declaration.

    Raises:
        UsageError: for a name that stands for none, with the nearest, or one that the project gives to another kind.
    """
    own = project.compactors if project else {}
    for name in own:
        if name in COMPACTORS.names() and own[name].kind != name:
            place = f"compactors.{name}" + (f" (line {own[name].line})" if own[name].line else "")
            raise UsageError(f"{place} has the name of a kind of compactor\n  give it one of its own: my-{name}")
    return tuple(_subject(name, own) for name in dict.fromkeys(names))


def _subject(name: str, own: Mapping[str, DeclaredCompactor]) -> DeclaredCompactor:
    if name in own:
        return own[name]
    found = DeclaredCompactor(name, compactor_named(name))
    if found.kind not in COMPACTORS.names():
        close = nearest_of(name, {*own, *COMPACTORS.names()})
        raise UsageError(
            f"there is no compactor '{name}'\n  {close}\n"
            "  one of yours: `python:module:name`, or under `compactors:` in foldproof.yaml"
        )
    return found


@asynccontextmanager
async def open_subjects(
    declared: Iterable[DeclaredCompactor],
    project: Project | None,
    *,
    environ: Mapping[str, str],
    limits: Limits | None = None,
) -> AsyncIterator[tuple[Compactor, ...]]:
    """The compactors, guarded, for as long as the context lasts; without a project the working folder is their root.

    `limits` are those of the project unless others are given.

    Raises:
        UsageError: where one cannot be made as it is declared.
    """
    async with open_compactors(
        list(declared),
        root=project.root if project else Path.cwd(),
        environ=environ,
        configs=project.configs if project else {},
        limits=limits or (project.limits if project else Limits()),
    ) as found:
        yield found
