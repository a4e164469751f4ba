"""From declarations to compactors: each made, guarded, and let go."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foldproof.agents.compactors.guarding import Guarded
from foldproof.agents.compactors.kinds import make_compactor
from foldproof.agents.compactors.setup import CompactorSetup
from foldproof.agents.pool import Pool
from foldproof.agents.shapes import number_of
from foldproof.compaction import Compactor
from foldproof.core import FoldproofError, UsageError

if TYPE_CHECKING:
    from foldproof.cases import Configuration, DeclaredCompactor, Limits


@asynccontextmanager
async def open_compactors(
    declared: Sequence[DeclaredCompactor],
    *,
    root: Path,
    environ: Mapping[str, str],
    configs: Mapping[str, Configuration],
    limits: Limits,
) -> AsyncIterator[tuple[Compactor, ...]]:
    """The compactors in their order, each guarded, for as long as the context lasts.

    `root` is the project's folder: Python compactors are imported from it, commands run in it. `${NAME}` in the
    settings is replaced from `environ`, which commands also receive as their environment. `limits` gives the
    `timeout_s` and `retries` of those that have none of their own.

    Raises:
        UsageError: where one cannot be made as it is declared.
    """
    from foldproof.cases import expand  # brings the YAML reader, which the door does not need

    pool = Pool()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(pool.close)
        made = []
        for one in declared:
            setup = CompactorSetup(one.name, root, environ, configs, pool, one.line)
            settings = expand(one.settings, environ, f"compactors.{one.name}")
            bounds = {name: settings.pop(name) for name in setup.beside if name in settings}
            timeout_s = _amount(bounds.get("timeout_s", limits.timeout_s), setup)
            retries = _count(bounds.get("retries", limits.retries), setup)
            with _foreign(setup, "making it"):
                found = make_compactor(settings, setup)
            if isinstance(found, AbstractAsyncContextManager):
                await stack.enter_async_context(_held(found, setup))
            made.append(Guarded(found, one.name, timeout_s=timeout_s, retries=retries))
        yield tuple(made)


@asynccontextmanager
async def _held(found: AbstractAsyncContextManager[Any], setup: CompactorSetup) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        with _foreign(setup, "opening it"):
            await stack.enter_async_context(found)
        leave = stack.pop_all().aclose
        try:
            yield
        finally:
            with _foreign(setup, "closing it"):
                await leave()


@contextmanager
def _foreign(setup: CompactorSetup, doing: str) -> Iterator[None]:
    """What may be foreign code; whatever it raises becomes one message."""
    try:
        yield
    except FoldproofError:
        raise
    except (Exception, SystemExit) as error:  # the agent-call border: making, opening and closing run a plugin's code
        raise UsageError(f"{setup.place}: {doing} fails with {type(error).__name__}: {error}") from error


def _amount(value: Any, setup: CompactorSetup) -> float:  # noqa: ANN401  # any value of a file
    number = number_of(value)
    if number is None or number <= 0:
        raise UsageError(
            f"{setup.place}: its `timeout_s` is {value!r}, where a number above 0 is expected\n  in seconds"
        )
    return number


def _count(value: Any, setup: CompactorSetup) -> int:  # noqa: ANN401  # any value of a file
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UsageError(
            f"{setup.place}: its `retries` is {value!r}, where a whole number from 0 is expected\n"
            "  how often a failure that may pass is tried again"
        )
    return value
