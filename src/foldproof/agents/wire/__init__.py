"""Wire capture: a proxy on loopback that shows what an agent says to its model, with no change to the agent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from foldproof.agents.watch import WatchSetup
from foldproof.core import Redactor, UsageError

if TYPE_CHECKING:
    from foldproof.agents.wire.proxy import Proxy

__all__ = ["open_wire"]


@asynccontextmanager
async def open_wire(setup: WatchSetup) -> AsyncIterator[Proxy]:
    """The recording proxy of one configuration, for as long as the context lasts.

    Raises:
        UsageError: for settings or a cassette that cannot be used.
    """
    from foldproof.agents.wire.cassette import Cassette
    from foldproof.agents.wire.proxy import open_proxy  # half a second to import, wanted only here
    from foldproof.agents.wire.upstreams import upstreams_of

    upstreams = upstreams_of(setup)
    cassette, watching = None, setup.watching
    if watching.cassette:
        if watching.folder is None:
            raise UsageError(f"{setup.place}: a cassette needs a folder")
        path = watching.folder / f"{setup.configuration}.jsonl"
        cassette = Cassette.load(watching.cassette, path, Redactor(setup.environ))
    # `on` is only there where nobody asked for the wire: then an agent without a model is nothing to remark on.
    async with open_proxy(upstreams, setup.environ, cassette, expected="on" not in setup.settings) as proxy:
        yield proxy
