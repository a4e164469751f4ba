"""The user's own Python files: which of them an agent is made of, and whether what is loaded is what they say."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import os
import re
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

_INSTALLED = tuple(
    os.path.realpath(sysconfig.get_paths()[name]) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_PACKAGE_FOLDERS = frozenset({"site-packages", "dist-packages"})
_FOLDPROOF = Path(__file__).resolve().parents[1]
_MODULE_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_LONGEST_NAME = 200

_loaded: dict[Path, str] = {}
"""The SHA-256 of each file when an agent that is made of it was opened in this process."""


def sources_of(module: Any, thing: Any, root: Path) -> dict[Path, str]:  # noqa: ANN401  # whatever the user named
    """The files that an agent is made of, with their SHA-256: as they were loaded.

    From the module that was named and the one in which the thing is written, along every import that stands in
    them, also those inside functions, as far as it leads to files below the root. Texts that are the name of a
    module there count as imports. The answer depends on the files alone, never on what else is loaded.
    """
    found: dict[Path, str] = {}
    search = _Search(root)
    queue = [(str(module.__name__), path)] if (path := _file_of(module)) else []
    with suppress(TypeError):  # an object or a partial has no source of its own: the module has to do
        if written := inspect.getsourcefile(inspect.unwrap(thing)):
            queue.append((str(getattr(thing, "__module__", "")), Path(written).resolve()))
    while queue:
        name, path = queue.pop()
        if path in found:
            continue
        raw = _read(path)
        found[path] = hashlib.sha256(raw).hexdigest()
        if search.is_own(path):
            queue += search.imported(raw, name, package=path.name == "__init__.py")
    _loaded.update(found)
    return found


def forget_loaded(root: Path) -> None:
    """Let go of the modules that an agent was made of before, and of all below the root where a file has changed.

    The next import makes them anew: two configurations of one check must not share what a module keeps (a client, a
    cache), and a module that stayed would hold what it took from an edited one. A module that was loaded before an
    agent made of it was first opened is taken to be as its file.
    """
    search = _Search(root)
    own = {
        name: path
        for name, module in list(sys.modules.items())
        if name != "__main__" and (path := _file_of(module)) and search.is_own(path)
    }
    edited = {
        path for path in own.values() if path in _loaded and hashlib.sha256(_read(path)).hexdigest() != _loaded[path]
    }
    for name, path in own.items():
        if edited or path in _loaded:
            del sys.modules[name]
    for path in edited:
        del _loaded[path]
        # compiled code is told apart by the second and the size only
        with suppress(OSError, NotImplementedError):
            Path(importlib.util.cache_from_source(str(path))).unlink()


def _read(path: Path) -> bytes:
    """The file's content; nothing where it is gone."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _file_of(module: Any) -> Path | None:  # noqa: ANN401  # sys.modules may hold anything
    """A module's real file, or None. No attribute is looked up: some modules load more when they are asked."""
    place = getattr(module, "__dict__", {}).get("__file__")
    if not isinstance(place, str) or not place:
        return None
    return Path(place) if place.startswith(_INSTALLED) else Path(place).resolve()


class _Search:
    """Finds the user's modules below one root."""

    def __init__(self, root: Path) -> None:
        self.base = root.resolve()
        entries = [self.base, *(Path(entry).resolve() for entry in sys.path if entry)]
        self.entries = [entry for entry in dict.fromkeys(entries) if self.is_own(entry)]

    def is_own(self, path: Path) -> bool:
        """Whether a path lies below the root and belongs to no installed package and not to foldproof."""
        if str(path).startswith(_INSTALLED) or not path.is_relative_to(self.base) or path.is_relative_to(_FOLDPROOF):
            return False
        return _PACKAGE_FOLDERS.isdisjoint(path.relative_to(self.base).parts)

    def imported(self, raw: bytes, name: str, *, package: bool) -> list[tuple[str, Path]]:
        """The own modules that a source may import, with the packages that they lie in."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they were given when it was imported
                tree = _parsed(raw)
        except (SyntaxError, ValueError, RecursionError):
            return []  # an extension module, or what Python itself could not read
        inside = name if package else name.rpartition(".")[0]
        names: dict[str, None] = {}
        for full in {name, *_names_in(tree, inside)}:
            parts = full.split(".")
            names.update(dict.fromkeys(".".join(parts[:count]) for count in range(1, len(parts) + 1)))
        return [(found, place) for found in sorted(names) if (place := self.file_of(found))]

    def file_of(self, name: str) -> Path | None:
        """The file of a module of that name, or None where it is not the user's own."""
        parts = name.split(".")
        for entry in self.entries:
            for place in (entry.joinpath(*parts, "__init__.py"), entry.joinpath(*parts[:-1], f"{parts[-1]}.py")):
                if place.is_file() and self.is_own(real := place.resolve()):
                    return real
        known = _file_of(sys.modules.get(name))
        return known if known and self.is_own(known) else None


def _parsed(raw: bytes) -> ast.Module:
    """The tree of a source.

    CPython 3.11 fails with a `SystemError` where garbage is collected in the middle of it and a finalizer that logs a
    traceback parses code as well (cpython#106905): that garbage is then gone, so a second attempt fares better.
    """
    try:
        return ast.parse(raw)
    except SystemError:
        return ast.parse(raw)


def _names_in(tree: ast.AST, inside: str) -> Iterator[str]:
    """The names of modules that stand in a source; `inside` is the package that it lies in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = inside.split(".")[: len(inside.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            if base:
                yield base
                yield from (f"{base}.{alias.name}" for alias in node.names if alias.name != "*")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= _LONGEST_NAME:
            named = node.value.partition(":")[0]
            if _MODULE_NAME.fullmatch(named):
                yield named
