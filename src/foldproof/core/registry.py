"""One small door for everything that a plugin can add."""

from __future__ import annotations

import importlib
from typing import Any, Generic, TypeVar

from foldproof.core.errors import UsageError, nearest_of

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to things; built-ins and plugins use the same door.

    A thing is registered as `module:attribute` and imported on first use, so a registry costs nothing at
    import. Plugins add to it with the entry-point group of the registry's own name.
    """

    def __init__(self, group: str, noun: str, builtins: dict[str, str]) -> None:
        self._group = group
        self._noun = noun
        self._builtins = dict(builtins)

    def names(self) -> list[str]:
        """Every name that can be asked for, sorted."""
        return sorted(self._places())

    def get(self, name: str) -> T:
        """The thing behind a name.

        Raises:
            UsageError: for an unknown name, a name registered twice, or a plugin that cannot be imported.
        """
        places = self._places()
        if name not in places:
            raise UsageError(f"unknown {self._noun} '{name}'\n  {nearest_of(name, places)}")
        module, _, attribute = places[name].partition(":")
        try:
            thing: Any = importlib.import_module(module)
            for part in attribute.split("."):
                thing = getattr(thing, part)
        except UsageError:
            raise
        except (Exception, SystemExit) as error:  # a plugin is foreign code: whatever it raises becomes one message
            raise UsageError(
                f"{self._noun} '{name}' cannot be loaded from `{places[name]}`: {type(error).__name__}: {error}"
            ) from error
        found: T = thing
        return found

    def _places(self) -> dict[str, str]:
        from importlib.metadata import entry_points  # dear, and only needed once something is asked for

        places = dict(self._builtins)
        for point in entry_points(group=self._group):
            if places.get(point.name, point.value) != point.value:
                raise UsageError(
                    f"{self._noun} '{point.name}' is registered twice: `{places[point.name]}` and `{point.value}`\n"
                    "  uninstall one of the two packages"
                )
            places[point.name] = point.value
        return places
