"""Finding the user's Python code: importing it from the project's folder, and telling what was named."""

from __future__ import annotations

import importlib
import inspect
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from foldproof.agents.python_sources import forget_loaded
from foldproof.agents.signature import MARK
from foldproof.core import UsageError, nearest_of


class Placed(Protocol):
    """Whoever names code: where that stands, for messages, and the folder that it is imported from."""

    @property
    def place(self) -> str:
        """Where the name stands."""
        ...

    @property
    def root(self) -> Path:
        """The project's folder."""
        ...


def load(setup: Placed, named: str, *, what: str, form: str) -> Any:  # noqa: ANN401  # whatever the user named
    """The thing that `module:name` names; `what` and `form` say what it is and how it is written, for messages.

    Raises:
        UsageError: where there is no such module or name, or importing it fails.
    """
    module_name, _, name = named.partition(":")
    if not module_name or not name:
        raise UsageError(f"{setup.place}: {what} is not of the form `{form}`")
    try:
        thing: Any = importlib.import_module(module_name)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:  # the agent-call border: importing runs the user's code
        raise _import_error(setup, module_name, error) from error
    for part in name.split("."):
        if not hasattr(thing, part):
            close = nearest_of(part, [known for known in vars(thing) if not known.startswith("_")])
            raise UsageError(f"{setup.place}: `{module_name}` has no `{name}`\n  {close}")
        thing = getattr(thing, part)
    return thing


def _import_error(setup: Placed, module_name: str, error: BaseException) -> UsageError:
    top = module_name.partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and error.name in (top, module_name):
        return UsageError(
            f"{setup.place}: there is no module `{module_name}` in {setup.root} or on the Python path\n"
            f"  {nearest_of(top, sorted(_modules_in(setup.root)))}"
        )
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename[:1] != "<"]
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if len(frames) > 2 else ""
    if isinstance(error, SyntaxError):
        place = f" ({error.filename}:{error.lineno})"
        text = error.msg
    else:
        text = str(error)
    return UsageError(
        f"{setup.place}: importing `{module_name}` fails with {type(error).__name__}: {text}{place}\n"
        f'  try it alone: cd {setup.root} && python -c "import {module_name}"'
    )


def is_factory(thing: Any, place: str) -> bool:  # noqa: ANN401  # whatever the user named
    """Whether the thing makes agents (a class, or a function of one parameter) or is itself an agent function.

    Raises:
        UsageError: where it is neither.
    """
    if getattr(thing, MARK, False):
        return False
    if not callable(thing):
        what = "an agent object, which trials would share" if hasattr(thing, "start_session") else type(thing).__name__
        raise UsageError(f"{place}: it is {what}\n  name a function, a class, or a function that makes the agent")
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return inspect.isclass(thing)
    if inspect.isclass(thing):
        try:
            inspect.signature(thing).bind({})
        except TypeError as error:
            raise UsageError(
                f"{place}: the class cannot be called with the memory_config alone: {error}\n"
                "  its `__init__` takes `(self, memory_config)`"
            ) from error
        return True
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return len(parameters) == 1 and len(needed) == 1 and needed[0].name != "question"


def _modules_in(root: Path) -> Iterator[str]:
    for path in root.glob("*.py"):
        yield path.stem
    for path in root.glob("*/__init__.py"):
        yield path.parent.name


@contextmanager
def importable(root: Path) -> Iterator[None]:
    """Put the root first on the import path; forget edited modules, and those of another project by the same name."""
    entry = str(root)
    _forget_namesakes(root)
    forget_loaded(root)
    importlib.invalidate_caches()
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        sys.path.remove(entry)


def _forget_namesakes(root: Path) -> None:
    kept = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    base = root.resolve()
    for name in set(_modules_in(root)) - {"foldproof"}:
        place = getattr(sys.modules.get(name), "__file__", None)
        if not place or str(place).startswith(kept) or Path(place).resolve().is_relative_to(base):
            continue
        for loaded in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
            del sys.modules[loaded]
