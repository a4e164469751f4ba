"""What a kind of compactor is made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from foldproof.agents.pool import Pool
from foldproof.core import UsageError, nearest_of

if TYPE_CHECKING:
    from foldproof.cases import Configuration


@dataclass(frozen=True, slots=True)
class CompactorSetup:
    """What a kind of compactor is made with, beside its settings.

    `name` is the compactor's own, `root` the project's folder, `environ` its expanded environment, `configs` the
    configurations of the project. `pool` holds the connections; who made the setup closes it.
    """

    name: str
    root: Path
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    configs: Mapping[str, Configuration] = field(default_factory=dict)
    pool: Pool = field(default_factory=Pool, repr=False, compare=False)
    line: int = 0
    beside: ClassVar[tuple[str, ...]] = ("retries", "timeout_s")
    """The settings of every kind, which are read before it is made."""

    @property
    def place(self) -> str:
        """Where an error is: the compactor, with its line in the project file where it stands in one."""
        return f"compactor '{self.name}'" + (f" (line {self.line})" if self.line else "")

    def allow(self, settings: Mapping[str, object], *names: str) -> None:
        """Refuse settings that a kind does not know.

        Raises:
            UsageError: naming the first unknown one.
        """
        for name in settings:
            if name not in names:
                raise UsageError(
                    f"{self.place} has an unknown setting `{name}`\n  {nearest_of(name, [*names, *self.beside])}"
                )
