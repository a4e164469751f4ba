"""The connections that the agents of a configuration share, opened with the first call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from aiohttp import ClientSession


class Answered(NamedTuple):
    """What a server answered to one request, its body whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Pool:
    """Connections to any number of servers.

    Their number has no limit of its own: the run's concurrency is the limit. There is no time-out either, but for
    opening a connection: the run cancels what takes too long. Cookies are not kept, redirections not followed.
    """

    def __init__(self) -> None:
        self._session: ClientSession | None = None

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answered:
        """The answer to one request.

        Raises:
            aiohttp.ClientError: where there is none; also `TimeoutError` and `ConnectionError`.
        """
        import aiohttp  # half a second to import, wanted only here

        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        async with self._session.post(url, data=body, headers=headers, allow_redirects=False) as response:
            return Answered(response.status, response.headers, await response.read())

    async def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        if self._session is not None:
            await self._session.close()
            self._session = None
