"""The doctor: what is installed, what the project needs, what can be reached."""

from __future__ import annotations

import importlib
import platform
import re
import shutil
import socket
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from urllib.parse import urlsplit

from foldproof.agents import open_agents
from foldproof.agents.counterparts import open_simulator
from foldproof.cases import Configuration, Project, expand, lint_set, load_set, project_environment
from foldproof.cases.nodes import read_bytes
from foldproof.cases.save import read_judge
from foldproof.core import FoldproofError, __version__
from foldproof.judging import open_judge
from foldproof.record.store import Store
from foldproof.workflow.workspace import locate_project

_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY")
_CONNECT_S = 2.0
_OF_EXTRA = re.compile(r"""(?P<package>[\w.-]+)[^;]*; extra == ["'](?P<extra>[\w-]+)["']""")
"""A package of an extra. One that only some versions of Python need is passed over."""
_OURS = frozenset({"dev", "docs"})
"""Extras for work on foldproof itself."""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing looked at; `ok` is None where it is optional and absent."""

    name: str
    ok: bool | None
    detail: str
    remedy: str = ""


async def examine(start: Path, environ: Mapping[str, str]) -> list[Found]:
    """Look at everything; a thing that is broken becomes a finding, never an error."""
    found = [*_installation(environ)]
    try:
        project = locate_project(start)
    except FoldproofError as error:
        message, _, remedy = str(error).partition("\n")
        broken = hasattr(error, "problems")
        return [*found, Found("project", False if broken else None, message, remedy.strip())]
    found.append(Found("project", ok=True, detail=str(project.path)))
    found.extend(_files(project))
    agents = [await _agent(project, configuration) for configuration in project.configs.values()]
    return [*found, *agents, *await _judge(project), *await _simulator(project)]


def _installation(environ: Mapping[str, str]) -> Iterator[Found]:
    yield Found("foldproof", True, f"{__version__} on Python {platform.python_version()}, {sys.platform}")
    try:
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE VIRTUAL TABLE t USING fts5(x)")
        connection.close()
        yield Found("SQLite full-text search", True, f"FTS5 in SQLite {sqlite3.sqlite_version}")
    except sqlite3.Error as error:
        remedy = "the `verbatim` memory needs it: use a Python whose SQLite has FTS5"
        yield Found("SQLite full-text search", False, str(error), remedy)
    for module, what in (
        ("re2", "pattern facts"),
        ("ahocorasick_rs", "matching many facts"),
        ("rapidfuzz", "nearest misses"),
    ):
        try:
            importlib.import_module(module)
            yield Found(module, True, f"installed ({what})")
        except ImportError as error:
            yield Found(module, False, f"{what}: {error}", "reinstall: pip install --force-reinstall foldproof")
    yield from _extras()
    for name in _KEYS:
        yield Found(
            name,
            True if environ.get(name) else None,
            "set" if environ.get(name) else "not set (only needed where an agent asks for it)",
        )


def _extras() -> Iterator[Found]:
    """Each extra that a user may install, and which of its packages are not there."""
    wanted: dict[str, list[str]] = {}
    for line in requires("foldproof") or ():
        if (found := _OF_EXTRA.fullmatch(line)) and found["extra"] not in _OURS:
            wanted.setdefault(found["extra"], []).append(found["package"])
    for extra_name, packages in sorted(wanted.items()):
        absent = [package for package in packages if not _is_installed(package)]
        told = f"not installed: {', '.join(absent)}" if absent else "installed"
        remedy = f'pip install "foldproof[{extra_name}]"' if absent else ""
        yield Found(f"extra {extra_name}", None if absent else True, told, remedy)


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def _files(project: Project) -> Iterator[Found]:
    try:
        replay_set = load_set(project.replay_set)
        warnings = len(lint_set(replay_set))
        detail = f"{len(replay_set.cases)} cases, warnings: {warnings}, {replay_set.sha256[:12]}"
        yield Found("replay set", True, detail, "see: foldproof lint" if warnings else "")
    except FoldproofError as error:
        yield Found("replay set", False, str(error).splitlines()[0], "see: foldproof lint")
    path = Path(project.store.removeprefix("sqlite:///"))
    try:
        if path.exists():
            with Store.open(path) as store:
                yield Found("store", True, f"{len(store.runs())} runs in {path}")
        else:
            yield Found("store", None, f"none yet; the first run makes {path}")
    except FoldproofError as error:
        yield Found("store", False, str(error).splitlines()[0], "\n".join(str(error).splitlines()[1:]).strip())
    held = project.baseline_file.exists()
    remedy = "" if held else f"run: foldproof run {project.baseline}, then: foldproof baseline accept"
    yield Found("baseline", True if held else None, str(project.baseline_file) if held else "none accepted yet", remedy)


async def _agent(project: Project, configuration: Configuration) -> Found:
    """Whether the configuration's agent can be opened and, for an endpoint, reached; it is not asked anything."""
    name = f"configuration {configuration.name}"
    environ = project_environment(project)
    try:
        async with open_agents(configuration, environ, project.root):
            pass
        if address := _address(configuration, environ):
            return Found(name, True, f"{configuration.adapter} endpoint {_connected(address)} can be connected to")
        if configuration.adapter == "command":
            words = configuration.agent["command"]
            program = str(expand(words[0] if isinstance(words, list) else words.split()[0], environ))
            if shutil.which(program, path=environ.get("PATH")) is None and not (project.root / program).exists():
                return Found(name, False, f"program '{program}' is not on the PATH", "install it, or name its path")
    except OSError as error:
        return Found(name, False, f"the endpoint cannot be reached: {error}", "start it, or set its address")
    except FoldproofError as error:
        return Found(name, False, str(error).splitlines()[0], "\n".join(str(error).splitlines()[1:]).strip())
    return Found(name, True, f"agent {configuration.adapter} can be opened")


async def _judge(project: Project) -> list[Found]:
    """Whether the judge that the set names can be opened and reached; it is not asked anything."""
    environ = project_environment(project)
    pin = None
    with suppress(FoldproofError):  # what is wrong with the set is told of the set
        pin = read_judge(project.replay_set)
    if pin is None:
        return []
    try:
        prompt = read_bytes(project.replay_set.parent / pin.prompt)
        async with open_judge(pin.model, project.judge, prompt=prompt, environ=environ) as judge:
            where = _connected(judge.chat.endpoint.url)
    except OSError as error:
        return [Found("judge", False, f"the judge cannot be reached: {error}", "start it, or set `judge.base_url`")]
    except FoldproofError as error:
        return [Found("judge", False, str(error).splitlines()[0], "\n".join(str(error).splitlines()[1:]).strip())]
    remedy = "" if pin.sha256 else "run: foldproof judge pin"
    pinned = "pinned" if pin.sha256 else "not pinned"
    return [Found("judge", True, f"{pin.model} ({pinned}); {where} can be connected to", remedy)]


async def _simulator(project: Project) -> list[Found]:
    """Whether the model that plays users can be opened and reached, where a case or the project has one."""
    environ = project_environment(project)
    needed = False
    with suppress(FoldproofError):  # what is wrong with the set is told elsewhere
        needed = any(case.simulated for case in load_set(project.replay_set).cases)
    if not needed and not project.simulator:
        return []
    try:
        async with open_simulator(expand(project.simulator, environ), environ) as simulator:
            where = _connected(simulator.chat.endpoint.url)
    except OSError as error:
        remedy = "start it, or set `simulator.base_url`"
        return [Found("simulator", False, f"the simulator cannot be reached: {error}", remedy)]
    except FoldproofError as error:
        return [Found("simulator", False, str(error).splitlines()[0], "\n".join(str(error).splitlines()[1:]).strip())]
    return [Found("simulator", True, f"{project.simulator['name']}; {where} can be connected to")]


def _connected(address: str) -> str:
    """Host and port of an address, once a connection to them was made.

    Raises:
        OSError: where none can be.
    """
    url = urlsplit(address)
    port = url.port or (443 if url.scheme == "https" else 80)
    with socket.create_connection((url.hostname or "", port), timeout=_CONNECT_S):
        return f"{url.hostname}:{port}"


def _address(configuration: Configuration, environ: Mapping[str, str]) -> str:
    """Where the agent's endpoint is; empty for an agent that has none."""
    if configuration.adapter == "http":
        return str(expand(configuration.agent["http"], environ))
    if configuration.adapter == "chat":
        return str(expand(configuration.model.get("base_url") or environ.get("OPENAI_BASE_URL", ""), environ))
    return ""
