"""The workspace: one project with its set and its store, opened for the length of a command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from foldproof.cases import (
    Case,
    Configuration,
    Project,
    ReplaySet,
    find_project,
    load_project,
    load_set,
    project_environment,
)
from foldproof.cases.nodes import ReadBytes, read_bytes
from foldproof.core import FileError, NothingSelectedError, Redactor, UsageError, nearest_of
from foldproof.record import Run, StoreListing
from foldproof.record.store import Store, StoreError
from foldproof.score import Records


@dataclass(frozen=True, slots=True)
class Workspace:
    """A project, its loaded set, its open store and the environment that its configurations read.

    `read` is how the files of the set are read, which for a sealed one are on no disk.
    """

    project: Project
    replay_set: ReplaySet
    store: Store
    environ: Mapping[str, str]
    read: ReadBytes = read_bytes

    def configuration(self, name: str) -> Configuration:
        """The configuration of that name, or one made of an agent named directly (`python:module:name`).

        Raises:
            UsageError: for an unknown name, with the nearest one.
        """
        if name in self.project.configs:
            return self.project.configs[name]
        if name.startswith("python:"):
            return Configuration(name, {"python": name.removeprefix("python:")})
        raise UsageError(
            f"no configuration '{name}' in {self.project.path}\n  {nearest_of(name, self.project.configs)}"
        )

    def select(self, only: tuple[str, ...]) -> tuple[Case, ...]:
        """The cases whose id or class is among `only`; all of them where it is empty.

        Raises:
            UsageError: for a name that is neither.
            NothingSelectedError: where no case is left.
        """
        cases = self.replay_set.cases
        known = {case.id for case in cases} | {case.case_class for case in cases} | set(self.replay_set.gate)
        for name in only:
            if name not in known:
                raise NothingSelectedError(
                    f"nothing selected: '{name}' is no case and no class of {self.replay_set.path}\n"
                    f"  {nearest_of(name, known)}"
                )
        chosen = tuple(case for case in cases if not only or case.id in only or case.case_class in only)
        if not chosen:
            raise NothingSelectedError(f"nothing selected: no case of {', '.join(only)} in {self.replay_set.path}")
        return chosen


@contextmanager
def open_workspace(start: Path, *, replay_set: Path | None = None) -> Iterator[Workspace]:
    """Open the project found from `start` upwards, or of the named file.

    With a `replay_set` and no project file, an empty project in the set's folder is assumed, so that a plain
    set can be run against an agent named directly.

    Raises:
        FileError: with everything that is wrong with the project file or the set.
    """
    project = _project(start, replay_set)
    loaded = load_set(replay_set or project.replay_set)
    environ = project_environment(project)
    path = Path(project.store.removeprefix("sqlite:///"))
    with Store.open(path, Redactor(environ)) as store:
        yield Workspace(project, loaded, store, environ)


def need_project(workspace: Workspace) -> None:
    """Refuse what only a project file can say: which configuration is the accepted one.

    Raises:
        UsageError: where a set is used without a project.
    """
    if not workspace.project.baseline:
        raise UsageError(
            "a baseline and a check need a project file, which says what runs today and what you want to change to\n"
            "  write one with: foldproof init"
        )


def locate_project(start: Path) -> Project:
    """The project of a file, or of the nearest folder upwards that has one."""
    return load_project(start if start.is_file() else find_project(start))


def _project(start: Path, replay_set: Path | None) -> Project:
    try:
        return locate_project(start)
    except UsageError as error:
        if replay_set is None or isinstance(error, FileError):
            raise
    folder = start.resolve()
    return Project(
        path=folder / "foldproof.yaml",
        root=folder,
        replay_set=replay_set,
        configs={},
        baseline="",
        baseline_file=folder / "baselines" / "baseline.json",
        store=f"sqlite:///{folder / '.foldproof' / 'runs.db'}",
    )


def records_of(workspace: Workspace, run: Run) -> Records | None:
    """What attribution needs beside the trials of a run; a control has no memory that could lose anything."""
    if run.control:
        return None

    def listing(sha256: str) -> StoreListing | None:
        with suppress(StoreError):  # a listing that is not kept is one that cannot be seen
            return workspace.store.listing(sha256)
        return None

    return Records(workspace.replay_set.histories, listing, run.config_content.get("memory", {}))
