"""The connections that the agents of a configuration share, opened with the first call."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from foldproof.agents.errors import AgentError
from foldproof.agents.packing import MOST_BYTES, PackedError, megabytes, unpacked

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

_AT_ONCE = 2**20
"""Bytes that are sent in one piece: more would hold up whatever else is in flight."""


class Answered(NamedTuple):
    """What a server answered to one request, its body whole and unpacked; that of an error is empty if unreadable."""

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
            AgentError: for an answer that is too long, as it comes or unpacked, or cannot be unpacked.
        """
        import aiohttp  # half a second to import, wanted only here

        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"Accept-Encoding": "gzip, deflate"},
                auto_decompress=False,  # unpacked by us, within our bound
            )
        data = body if len(body) <= _AT_ONCE else BytesIO(body)
        async with self._session.post(url, data=data, headers=headers, allow_redirects=False) as response:
            raw = await _whole(response)
            try:
                plain = unpacked(raw, response.headers.get("Content-Encoding", ""), MOST_BYTES)
            except PackedError as error:
                if 200 <= response.status < 300:
                    raise AgentError(f"the endpoint's answer cannot be read: {error}") from error
                plain = b""
            return Answered(response.status, response.headers, plain)

    async def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        if self._session is not None:
            await self._session.close()
            self._session = None


async def _whole(response: ClientResponse) -> bytes:
    """The body as it comes.

    Raises:
        AgentError: where it is longer than the bound; the rest is not read.
    """
    chunks, size = [], 0
    async for chunk in response.content.iter_any():
        size += len(chunk)
        if size > MOST_BYTES:
            response.close()
            most = megabytes(MOST_BYTES)
            raise AgentError(f"the endpoint's answer is longer than {most}: it was not read to its end")
        chunks.append(chunk)
    return b"".join(chunks)
