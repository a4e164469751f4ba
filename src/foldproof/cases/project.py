"""Finding and loading `foldproof.yaml`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from pydantic import ValidationError

from foldproof.cases.faults import problems_of
from foldproof.cases.nodes import data_of, line_at, read_text, shown
from foldproof.cases.project_records import (
    Configuration,
    DeclaredCompactor,
    HoldoutSettings,
    JudgeSettings,
    Limits,
    Project,
    Repeats,
)
from foldproof.cases.project_wire import ConfigWire, HoldoutWire, JudgeSettingsWire, ProjectWire
from foldproof.cases.tree import read_tree
from foldproof.core import FileError, Problem, UsageError, nearest_of

PROJECT_FILE = "foldproof.yaml"
_SQLITE = "sqlite:///"
_USUAL = "production"


def find_project(start: Path) -> Path:
    """The `foldproof.yaml` in a folder or in the nearest folder above it.

    Raises:
        UsageError: where there is none.
    """
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / PROJECT_FILE).is_file():
            return folder / PROJECT_FILE
    raise UsageError(f"no `{PROJECT_FILE}` in {start} or above it\n  write one with: foldproof init")


def project_environment(project: Project) -> Mapping[str, str]:
    """The environment that `${NAME}` is read from: the process's own, with `.env` beside the file below it.

    Nothing is written to the process's environment.

    Raises:
        FileError: for a `.env` that cannot be read.
    """
    place = project.root / ".env"
    there = place.exists() and not place.is_dir()  # some keep a virtual environment in a folder of that name
    written = dotenv_values(stream=StringIO(read_text(place))) if there else {}
    known = {name: value for name, value in written.items() if value is not None}
    return {**known, **os.environ}


def load_project(path: Path | str) -> Project:
    """The project of a file.

    Raises:
        FileError: with every problem of the file, sorted by place.
    """
    return _Loader(Path(path)).load()


class _Loader:
    """One reading of one project file: problems are gathered and decide at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.file = shown(path)
        self.root, self.unreadable = read_tree(path)
        self.problems: list[Problem] = []
        self.broken: set[str] = set()

    def wrong(self, path: tuple[str, ...], message: str, hint: str) -> None:
        self.problems.append(Problem(self.file, line_at(self.root, path), message, hint, rule="project"))

    def load(self) -> Project:
        wire = self.wire(data_of(self.root))
        if wire is not None:
            if not wire.configs and not wire.compactors and not self.problems:
                self.wrong((), "the project lacks the field `configs`", "add it")
            configs = self.configs(wire.configs)
            baseline = self.baseline(wire)
            store = self.store(wire.store)
            compactors = self.compactors(wire)
            for key in ("replay_set", "baseline_file"):
                if "\0" in (getattr(wire, key) or ""):
                    self.wrong((key,), f"`{key}` holds the character NUL, which no path has", "write the path")
            if wire.holdout and "\0" in f"{wire.holdout.file}{wire.holdout.log}":
                self.wrong(("holdout",), "`holdout` holds the character NUL, which no path has", "write the path")
        self.settle()
        assert wire is not None  # noqa: S101  # None leaves problems, and problems were raised
        root = self.path.parent
        return Project(
            path=self.path,
            root=root,
            replay_set=Path(os.path.normpath(root / wire.replay_set)),
            configs=configs,
            baseline=baseline,
            baseline_file=Path(os.path.normpath(root / (wire.baseline_file or f"baselines/{baseline or _USUAL}.json"))),
            store=store,
            repeats=Repeats(wire.repeats.always, wire.repeats.borderline),
            limits=Limits(**dict(wire.limits)),
            judge=_judge_of(wire.judge),
            simulator=wire.simulator,
            holdout=_holdout_of(wire.holdout, root) if wire.holdout else None,
            compactors=compactors,
        )

    def settle(self) -> None:
        """Raise what was found. One line, one cause: what an unreadable line also breaks is not told again."""
        lines = {problem.line for problem in self.unreadable}
        told = [item for item in self.problems if item.line not in lines]
        if told or self.unreadable:
            raise FileError([*self.unreadable, *told])

    def wire(self, data: dict[str, Any]) -> ProjectWire | None:
        """What the file says; broken parts are reported and left out, so that the rest can be checked too."""
        while True:
            try:
                return ProjectWire.model_validate(data)
            except ValidationError as error:
                self.problems += problems_of(error, ProjectWire, file=self.file, node=self.root, subject="the project")
                faults = {tuple(map(str, item["loc"][:2])) for item in error.errors(include_url=False)}
            for top, *inner in faults:
                if top == "configs" and inner:
                    self.broken.add(inner[0])
                    data[top].pop(inner[0])
                else:
                    data.pop(top, None)
            if not data.get("configs"):
                return None

    def baseline(self, wire: ProjectWire) -> str:
        name = wire.baseline if wire.baseline is not None else _USUAL
        if not wire.configs and wire.baseline is None:
            return ""  # a project of compactors has nothing that a baseline could be taken of
        known = {*wire.configs, *self.broken}
        if name not in known:
            said = f"`baseline` names the unknown configuration '{name}'"
            unsaid = f"`baseline` is not set, and there is no configuration '{_USUAL}'"
            self.wrong(("baseline",), unsaid if wire.baseline is None else said, nearest_of(name, known))
        if wire.repeats.borderline < wire.repeats.always:
            message = f"`repeats`: borderline {wire.repeats.borderline} is less than always {wire.repeats.always}"
            self.wrong(("repeats", "borderline"), message, "a case in doubt needs at least as many trials as any other")
        return name

    def store(self, written: str) -> str:
        place = written.removeprefix(_SQLITE)
        if not written.startswith(_SQLITE) or not place or place == ":memory:" or "${" in place or "\0" in place:
            message = f"`store` is '{written}', which this version cannot use"
            self.wrong(("store",), message, "allowed: a file, `sqlite:///.foldproof/runs.db`; PostgreSQL comes later")
        return _SQLITE + os.path.normpath(self.path.parent / place)

    def compactors(self, wire: ProjectWire) -> dict[str, DeclaredCompactor]:
        """The compactors in the order of the file; one that folds a configuration names one that is there."""
        known = {*wire.configs, *self.broken}
        found = {}
        for name, settings in wire.compactors.items():
            found[name] = DeclaredCompactor(name, settings, line_at(self.root, ("compactors", name)))
            if "config" in settings and settings["config"] not in known:
                message = f"compactor '{name}' folds the unknown configuration '{settings['config']}'"
                self.wrong(("compactors", name, "config"), message, nearest_of(settings["config"], known))
        return found

    def configs(self, wires: Mapping[str, ConfigWire]) -> dict[str, Configuration]:
        """The configurations with `extends` applied, in the order of the file."""
        merged: dict[str, dict[str, Any] | None] = {}
        found: dict[str, Configuration] = {}
        for name in wires:
            settings = self.merged(name, wires, merged, ())
            if settings is None:
                continue
            if not settings.get("agent"):
                message = f"configuration '{name}' has no `agent`"
                self.wrong(("configs", name), message, "write `agent: recall`, or take one over with `extends`")
                continue
            line = line_at(self.root, ("configs", name))
            found[name] = Configuration(
                name,
                settings["agent"],
                settings.get("model", {}),
                settings.get("memory", {}),
                settings.get("folds"),
                settings.get("wire"),
                settings.get("otel"),
                line,
            )
        return found

    def merged(
        self, name: str, wires: Mapping[str, ConfigWire], done: dict[str, dict[str, Any] | None], chain: tuple[str, ...]
    ) -> dict[str, Any] | None:
        """The settings of a configuration over those of its parents, None where the parents cannot be had."""
        if name in done:
            return done[name]
        wire = wires[name]
        own = {key: value for key, value in dict(wire).items() if key in wire.model_fields_set and key != "extends"}
        parent = wire.extends
        if parent is None:
            base: dict[str, Any] | None = {}
        elif parent not in wires:
            if parent not in self.broken:
                message = f"configuration '{name}' extends the unknown configuration '{parent}'"
                self.wrong(("configs", name, "extends"), message, nearest_of(parent, {*wires, *self.broken}))
            base = None
        elif parent in (*chain, name):
            self.circle((*chain, name, parent))
            base = None
        else:
            base = self.merged(parent, wires, done, (*chain, name))
        done[name] = None if base is None else _over(base, own)
        return done[name]

    def circle(self, chain: tuple[str, ...]) -> None:
        """Report configurations that extend each other, at the last of the chain."""
        names = chain[chain.index(chain[-1]) :]
        message = f"configurations extend each other: {' -> '.join(names)}"
        self.wrong(("configs", chain[-2], "extends"), message, "take one `extends` out")


def _holdout_of(wire: HoldoutWire, root: Path) -> HoldoutSettings:
    file = Path(os.path.normpath(root / wire.file))
    log = Path(os.path.normpath(root / wire.log)) if wire.log else usual_log(file)
    return HoldoutSettings(file, log, wire.most_openings)


def usual_log(file: Path) -> Path:
    """Where the log of a sealed file stands unless a project says otherwise: beside it."""
    return file.with_name(f"{file.name}.log.jsonl")


def _judge_of(wire: JudgeSettingsWire) -> JudgeSettings:
    return JudgeSettings(
        base_url=wire.base_url,
        api_key=wire.api_key,
        seed=wire.seed,
        repeats=wire.repeats,
        max_tokens=wire.max_tokens,
        json_schema=wire.json_schema,
        price=dict(wire.price) if wire.price else {},
        parameters=wire.parameters,
    )


def _over(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The child's settings over the parent's. Another agent or kind of memory takes nothing over."""
    result = {**base, **own}
    for key in ("agent", "memory", "model"):
        if key in base and key in own and _same_kind(key, base[key], own[key]):
            result[key] = _deep(base[key], own[key])
    return result


def _same_kind(key: str, base: Mapping[str, Any], own: Mapping[str, Any]) -> bool:
    if key == "agent":
        return next(iter(base)) == next(iter(own))
    return key != "memory" or "kind" not in own or own["kind"] == base.get("kind")


def _deep(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in own.items():
        held = result.get(key)
        result[key] = _deep(held, value) if isinstance(held, Mapping) and isinstance(value, Mapping) else value
    return result
