"""The receiver and its observer over real HTTP, on loopback."""

import asyncio
import gzip
import io
import json
import time
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp.test_utils import unused_port

from foldproof.agents.otel import open_otel
from foldproof.agents.otel.bodies import BODY_BYTES
from foldproof.agents.watch import Watching, WatchSetup
from foldproof.core import MissingExtraError, UsageError

pytest.importorskip("opentelemetry.proto", reason="the receiver comes with the extra `otel`")
pytestmark = pytest.mark.anyio
ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
SOON_NS = 10**18  # an hour of the year 2001: before any question
LATER_NS = 4 * 10**18  # of the year 2096: after it


def setup(**settings):
    return WatchSetup("configs.candidate.otel", settings, {}, {}, Watching())


@pytest.fixture
def opened():
    @asynccontextmanager
    async def opening(**settings):
        async with open_otel(setup(**{"wait_s": 0.3, **settings})) as observer, aiohttp.ClientSession() as session:

            async def post(url, body, headers=None, content_type="application/json"):
                data = io.BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
                sent = {"Content-Type": content_type, **(headers or {})}
                async with session.post(url, data=data, headers=sent) as response:
                    return response.status, await response.read()

            yield observer, post

    return opening


@pytest.fixture
def question(chat):
    """A model's call that began after the question was asked."""

    def make(said="hello", number=1, start=LATER_NS, **more):
        return chat(number, said, startTimeUnixNano=str(start + number), endTimeUnixNano=str(start + number), **more)

    return make


async def test_spans_on_a_trials_own_path_are_its_own(opened, request_of, question):
    async with opened() as (observer, post):
        taps = [observer.begin(f"trial {number}", 0) for number in range(8)]
        named = {"foldproof.trial": "trial 0"}
        await asyncio.gather(*(
            post(tap.environ[ENDPOINT], request_of(question(f"question {number}"), resource=named))
            for number, tap in enumerate(taps)
        ))  # fmt: skip
        seen = [await observer.take(f"trial {number}", ended=True) for number in range(8)]
    assert [[call.prompt for call in found.calls] for found in seen] == [[f"[user]\nquestion {n}"] for n in range(8)]
    assert all(found.notes == () for found in seen)


@pytest.mark.parametrize("by", ["resource", "span", "trace"])
async def test_spans_on_the_common_address_name_their_trial(opened, request_of, question, by):
    port = unused_port()
    async with opened(port=port) as (observer, post):
        tap = observer.begin("trial/ü", 0)
        observer.begin("another", 0)
        url = f"http://127.0.0.1:{port}/v1/traces"
        trace, parent = tap.headers["traceparent"].split("-")[1:3]
        request = {
            "resource": lambda: request_of(question(), resource={"foldproof.trial": "trial/ü"}),
            "span": lambda: request_of(question(attributes={"foldproof.trial": "trial/ü"})),
            "trace": lambda: request_of({**question(trace=trace), "parentSpanId": parent}),
        }[by]()
        assert await post(url, request) == (200, b"{}")
        seen = await observer.take("trial/ü", ended=True)
        other = await observer.take("another", ended=True)
    assert [call.prompt for call in seen.calls] == ["[user]\nhello"]
    assert seen.notes == ()
    assert other.calls == ()
    assert other.notes[0].startswith("no span arrived within 0.3 s")


async def test_a_span_that_names_no_trial_is_told_and_never_guessed(opened, request_of, question):
    async with opened() as (observer, post):
        observer.begin("one", 0)
        await post(f"{observer.url}/v1/traces", request_of(question(), resource={"foldproof.trial": "of yesterday"}))
        seen = await observer.take("one", ended=True)
    assert seen.calls == ()
    assert [note.partition(":")[0] for note in seen.notes] == [
        "no span arrived within 0.3 s",
        "1 spans name no trial and are left out",
    ]


async def test_what_was_built_stands_apart_from_the_question(opened, request_of, question):
    async with opened(wait_s=5) as (observer, post):
        url = observer.begin("one", 0).environ[ENDPOINT]
        await post(url, request_of(question("building", 1, SOON_NS)))
        built = await observer.take("one", ended=False)
        await post(url, request_of(question("building, late", 2, SOON_NS), question("asked", 3)))
        began = time.monotonic()
        seen = await observer.take("one", ended=True)
        assert time.monotonic() - began < 1, "silence after the last span is enough"
    assert [call.prompt for call in built.calls] == ["[user]\nbuilding"]
    assert [call.prompt for call in seen.calls] == ["[user]\nasked"]
    assert seen.notes == ("1 spans that began before the question was asked came after it and are left out",)


async def test_spans_of_a_clock_that_is_behind_are_told_beside_the_silence(opened, request_of, question):
    async with opened() as (observer, post):
        url = observer.begin("one", 0).environ[ENDPOINT]
        await observer.take("one", ended=False)
        await post(url, request_of(question(start=SOON_NS)))
        seen = await observer.take("one", ended=True)
    assert [note.split()[:3] for note in seen.notes] == [["no", "span", "arrived"], ["1", "spans", "that"]]


async def test_a_building_that_nobody_saw_is_nothing(opened):
    async with opened() as (observer, _):
        observer.begin("one", 0)
        assert await observer.take("one", ended=False) is None
        assert await observer.take("never begun", ended=True) is None
        assert (await observer.take("one", ended=True)).notes != ()
        assert await observer.take("one", ended=True) is None


async def test_the_trial_is_waited_for(opened, request_of, question):
    async with opened(wait_s=5) as (observer, post):
        url = observer.begin("one", 0).environ[ENDPOINT]
        taking = asyncio.create_task(observer.take("one", ended=True))
        await asyncio.sleep(0.2)
        assert not taking.done()
        await post(url, request_of(question()))
        seen = await asyncio.wait_for(taking, 1)
    assert len(seen.calls) == 1


async def test_a_servers_trace_is_waited_for_until_it_is_whole(opened, request_of, question, otlp):
    async with opened(wait_s=5) as (observer, post):
        trace, parent = observer.begin("one", 0).headers["traceparent"].split("-")[1:3]
        await post(f"{observer.url}/v1/traces", request_of(question(trace=trace, number=2, parent=9)))
        taking = asyncio.create_task(observer.take("one", ended=True))
        await asyncio.sleep(0.2)
        assert not taking.done(), "the parent of the call has not come yet"
        root = {**otlp(9, trace=trace, startTimeUnixNano=str(LATER_NS)), "parentSpanId": parent}
        await post(f"{observer.url}/v1/traces", request_of(root))
        seen = await asyncio.wait_for(taking, 1)
    assert len(seen.calls) == 1
    assert seen.notes == ()


async def test_a_trace_that_never_becomes_whole_is_told(opened, request_of, question):
    async with opened() as (observer, post):
        trace = observer.begin("one", 0).headers["traceparent"].split("-")[1]
        await post(f"{observer.url}/v1/traces", request_of(question(trace=trace, number=2, parent=9)))
        seen = await observer.take("one", ended=True)
    assert len(seen.calls) == 1
    assert seen.notes == ("the trace may not be whole: after 0.3 s the parents of some spans are missing",)


async def test_gzip_and_logs_and_measurements(opened, request_of, question, log_request):
    record = (1, "gen_ai.user.message", {}, {"content": "hello"})
    async with opened() as (observer, post):
        url = observer.begin("one", 0).environ[ENDPOINT]
        span = question(attributes={"gen_ai.input.messages": "[]"})
        body = gzip.compress(json.dumps(request_of(span)).encode())
        assert await post(url, body, {"Content-Encoding": "gzip"}) == (200, b"{}")
        logs = json.loads(json.dumps(log_request(record)).replace('"1000000000"', f'"{LATER_NS}"'))
        assert (await post(url.replace("traces", "logs"), logs))[0] == 200
        assert (await post(url.replace("traces", "metrics"), b"\x0a\x00", content_type="application/x-protobuf"))[
            0
        ] == 200
        seen = await observer.take("one", ended=True)
    assert [call.prompt for call in seen.calls] == ["[user]\nhello"]
    assert seen.notes == ()


@pytest.mark.parametrize(
    ("body", "headers", "status", "told"),
    [
        (b"{", {}, 400, "the body is not JSON"),
        (b'{"resourceSpans": 5}', {}, 400, "`resourceSpans` is not a list of objects"),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, {}, 400, ""),
        (b"x", {"Content-Encoding": "gzip"}, 400, "the body is not gzip"),
        (b"x", {"Content-Type": "text/plain"}, 415, "the content type 'text/plain'"),
        (b" " * (BODY_BYTES + 1), {}, 413, "the body is larger than 16 MB"),
        (
            gzip.compress(b" " * 70_000_000, mtime=0),
            {"Content-Encoding": "gzip"},
            413,
            "larger than 64 MB once it is inflated",
        ),
    ],
)
async def test_a_body_that_cannot_be_read_is_refused_and_told(
    opened, request_of, question, body, headers, status, told
):
    async with opened() as (observer, post):
        url = observer.begin("one", 0).environ[ENDPOINT]
        assert (await post(url, body, headers))[0] == status
        assert (await post(url, request_of(question())))[0] == 200, "the next one is taken"
        seen = await observer.take("one", ended=True)
    assert len(seen.calls) == 1
    assert seen.notes[0].startswith("1 export requests could not be read: ")
    assert told in seen.notes[0]


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
         "ConnectionResetError: Connection lost"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/2, as gRPC speaks it: let the exporter send by OTLP over HTTP"),
        (b"no HTTP at all\r\n\r\n", "Bad"),
    ],
)  # fmt: skip
async def test_what_is_no_request_is_a_remark_and_no_traceback(opened, capfd, sent, told):
    async with opened() as (observer, _):
        observer.begin("one", 0)
        _, writer = await asyncio.open_connection("127.0.0.1", int(observer.url.rpartition(":")[2]))
        writer.write(sent)
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.close()
        seen = await observer.take("one", ended=True)
    assert capfd.readouterr().err == ""
    (remark,) = [note for note in seen.notes if note.startswith("1 export requests could not be read: ")]
    assert told in remark


async def test_what_is_beyond_the_bound_is_told_to_both_sides(opened, request_of, question, monkeypatch):
    from foldproof.agents.otel import trials

    monkeypatch.setattr(trials, "SPANS", 2)
    async with opened() as (observer, post):
        url = observer.begin("one", 0).environ[ENDPOINT]
        status, body = await post(url, request_of(*(question(number=n) for n in range(1, 4))))
        seen = await observer.take("one", ended=True)
    assert (status, json.loads(body)["partialSuccess"]["rejectedSpans"]) == (200, "1")
    assert len(seen.calls) == 2
    assert seen.notes[0].startswith("1 spans are left out: no more than ")


async def test_only_loopback_is_answered(opened, request_of, question):
    async with opened() as (observer, post):
        url = observer.begin("one", 0).environ[ENDPOINT]
        for host in ("evil.example", "127.0.0.1.evil.example:80", "", "evil.example:127"):
            assert (await post(url, request_of(question()), {"Host": host}))[0] == 403
        for host in ("localhost", "127.0.0.1:1", "[::1]:4318"):
            assert (await post(url, request_of(question()), {"Host": host}))[0] == 200
        assert (await post(f"{observer.url}/v1/secrets", {}))[0] == 404
        assert (await post(f"{observer.url}/", {}))[0] == 404


async def test_a_port_that_is_taken_is_told_and_a_free_one_can_be_had_again(opened):
    port = unused_port()
    async with opened(port=port) as (observer, _):
        assert observer.url == f"http://127.0.0.1:{port}"
        with pytest.raises(UsageError, match=rf"configs\.candidate\.otel: port {port} cannot be listened on"):
            async with opened(port=port):
                pass
    async with opened(port=port):
        pass


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"prot": 1}, "unknown setting `prot`\n  did you mean `port`"),
        ({"port": 0}, "`port` is 0"),
        ({"port": 65536}, "`port` is 65536"),
        ({"port": True}, "`port` is True"),
        ({"port": "4318"}, "`port` is '4318'"),
        ({"wait_s": 0}, "`wait_s` is 0"),
        ({"wait_s": "5"}, "`wait_s` is '5'"),
        ({"wait_s": True}, "`wait_s` is True"),
        ({"wait_s": 601}, "`wait_s` is 601"),
    ],
)
async def test_settings_that_cannot_be_used(settings, told):
    with pytest.raises(UsageError) as caught:
        async with open_otel(setup(**settings)):
            pass
    assert told in str(caught.value)


async def test_the_missing_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "opentelemetry.proto.collector.trace.v1.trace_service_pb2", None)
    with pytest.raises(MissingExtraError, match=r'run: pip install "foldproof\[otel\]"'):
        async with open_otel(setup()):
            pass
