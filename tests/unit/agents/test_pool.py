"""What a pool reads of an answer: unpacked, and within bounds."""

import gzip
import zlib

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from foldproof.agents.errors import AgentError
from foldproof.agents.packing import PackedError, unpacked
from foldproof.agents.pool import Pool

pytestmark = pytest.mark.anyio
_RAW = zlib.compressobj(wbits=-15)
PACKED = {
    "gzip": gzip.compress(b"tea"),
    "x-gzip": gzip.compress(b"tea"),
    "deflate": zlib.compress(b"tea"),
    " Deflate ": _RAW.compress(b"tea") + _RAW.flush(),
    "": b"tea",
    "identity": b"tea",
}


@pytest.mark.parametrize("coding", PACKED)
def test_what_is_packed_is_unpacked(coding):
    assert unpacked(PACKED[coding], coding, 3) == b"tea"
    assert unpacked(b"", coding, 3) == b""


def test_of_what_was_cut_the_beginning_is_read():
    assert unpacked(gzip.compress(b"tea")[:-4], "gzip", 3) == b"tea"


@pytest.mark.parametrize(
    ("raw", "coding", "words"),
    [
        (b"tea", "br", "it is packed as 'br', which is not read"),
        (b"tea", "gzip", "it says that it is packed as 'gzip', and is not"),
        (gzip.compress(bytes(2**20 + 1)), "gzip", "it has more than 1 MB once it is unpacked"),
    ],
)
def test_what_cannot_be_unpacked_is_refused(raw, coding, words):
    with pytest.raises(PackedError, match=words):
        unpacked(raw, coding, 2**20)
    assert len(unpacked(gzip.compress(bytes(2**20)), "gzip", 2**20)) == 2**20


@pytest.fixture
async def answer_of(monkeypatch):
    """What a pool gets from a server that answers with this."""
    monkeypatch.setattr("foldproof.agents.pool.MOST_BYTES", 2**20)

    async def asking(body, *, status=200, headers=None, asked=None):
        async def handle(request):
            if asked is not None:
                asked.append(request)
            return web.Response(body=body, status=status, headers=headers)

        app = web.Application()
        app.router.add_route("*", "/", handle)
        pool = Pool()
        async with TestServer(app) as server:
            try:
                return await pool.post(str(server.make_url("/")), b"{}", {})
            finally:
                await pool.close()

    return asking


@pytest.mark.parametrize("coding", ["gzip", "deflate", "identity"])
async def test_an_answer_comes_unpacked(answer_of, coding):
    asked = []
    found = await answer_of(PACKED[coding], headers={"Content-Encoding": coding}, asked=asked)
    assert (found.status, found.body) == (200, b"tea")
    assert asked[0].headers.getall("Accept-Encoding") == ["gzip, deflate"]


async def test_an_answer_may_be_as_long_as_the_bound_and_no_longer(answer_of):
    assert len((await answer_of(bytes(2**20))).body) == 2**20
    with pytest.raises(AgentError, match="the endpoint's answer is longer than 1 MB: it was not read to its end"):
        await answer_of(bytes(2**20 + 1))
    with pytest.raises(AgentError, match="cannot be read: it has more than 1 MB once it is unpacked"):
        await answer_of(gzip.compress(bytes(2**24)), headers={"Content-Encoding": "gzip"})


async def test_an_error_whose_body_cannot_be_read_keeps_its_status(answer_of):
    found = await answer_of(b"no", status=503, headers={"Content-Encoding": "br"})
    assert (found.status, found.body) == (503, b"")
    with pytest.raises(AgentError, match="packed as 'br', which is not read"):
        await answer_of(b"no", headers={"Content-Encoding": "br"})
