"""Which agents are watched, and how each is told where to send."""

import json
import sys

import pytest

from foldproof.agents import SessionInfo, open_agents
from foldproof.agents.watch import Watching
from foldproof.cases import Configuration
from foldproof.core import UsageError

pytestmark = pytest.mark.anyio
PROGRAM = """
import json, os, sys
names = ("OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_BASE_URL", "NO_PROXY")
for line in sys.stdin:
    step = json.loads(line)
    if step["do"] == "open":
        told = step["wire_url"]
    text = json.dumps({"wire_url": told, **{name: os.environ.get(name, "") for name in names}})
    print(json.dumps({"text": text} if step["do"] == "reply" else {}), flush=True)
"""


@pytest.fixture
def told(tmp_path):
    """What a program says that it was told."""
    (tmp_path / "agent.py").write_text(PROGRAM, "utf-8")

    async def asking(wire=None, *, cassette="", environ=None):
        configuration = Configuration("c", {"command": [sys.executable, "agent.py"]}, wire=wire)
        watching = Watching(cassette, tmp_path / "cassettes")
        async with open_agents(configuration, environ or {}, tmp_path, watching) as agents:
            tap = agents.watch.begin("t-1", 0)
            agent = await agents.factory.make({}, "t-1")
            try:
                reply = await (await agent.start_session(SessionInfo("u", "s"))).reply("?")
            finally:
                await agent.close()
        return tap, json.loads(reply.text)

    return asking


@pytest.mark.parametrize(
    ("wire", "cassette", "environ", "watched"),
    [
        (None, "", {}, False),
        (None, "", {"OPENAI_API_KEY": "k"}, True),
        (None, "", {"ANTHROPIC_BASE_URL": "http://a"}, True),
        (None, "auto", {}, True),
        ({}, "", {}, True),
        ({"openai": "http://o/v1"}, "", {}, True),
        ({"on": False}, "", {"OPENAI_API_KEY": "k"}, False),
    ],
)
async def test_a_program(told, wire, cassette, environ, watched):
    tap, found = await told(wire, cassette=cassette, environ=environ)
    assert bool(tap.wire_url) is watched
    if watched:
        base = tap.wire_url.removesuffix("/v1")
        assert found == {
            "wire_url": f"{base}/v1",
            "OPENAI_BASE_URL": f"{base}/v1",
            "OPENAI_API_BASE": f"{base}/v1",
            "ANTHROPIC_BASE_URL": base,
            "NO_PROXY": "127.0.0.1",
        }
    else:
        assert found["wire_url"] == found["OPENAI_BASE_URL"] == found["NO_PROXY"] == ""


async def test_a_cassette_without_the_wire_is_refused(told):
    with pytest.raises(UsageError, match="`--cassette replay` needs the wire, which is `off` here"):
        await told({"on": False}, cassette="replay", environ={})


@pytest.mark.parametrize("watched", [True, False])
async def test_an_endpoint(tmp_path, upstream, watched):
    agent = {"http": f"{upstream.url}/v1", "headers": {"X-Team": "blue"}}
    configuration = Configuration("c", agent, wire={} if watched else None)
    async with open_agents(configuration, {}, tmp_path) as agents:
        taps = []
        for label in ("t-1", "t-2"):
            taps.append(agents.watch.begin(label, 0))
            talk = await (await agents.factory.make({}, label)).start_session(SessionInfo(label, "s"))
            assert (await talk.reply("?")).text == "fine"
    sent = [request.headers.get("x-foldproof-wire") for request, _ in upstream.asked]
    assert sent == ([tap.wire_url for tap in taps] if watched else [None, None])
    assert {request.headers["X-Team"] for request, _ in upstream.asked} == {"blue"}
    assert (taps[0].wire_url != taps[1].wire_url) is watched


async def test_a_cassette_needs_a_folder(tmp_path):
    from foldproof.core import UsageError

    configuration = Configuration("c", {"recall": ""})
    with pytest.raises(UsageError, match="a cassette needs a folder"):
        async with open_agents(configuration, {}, tmp_path, Watching("auto")):
            pass
