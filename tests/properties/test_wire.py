"""Laws of the wire: trials never mix, readers never fail, and a stream says what the whole answer says."""

import asyncio
import json
from dataclasses import asdict

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
from hypothesis import given, settings
from hypothesis import strategies as st

from foldproof.agents.watch import Watching, WatchSetup
from foldproof.agents.wire import chat, messages, open_wire, responses
from foldproof.agents.wire.exchange import API_PATHS, Exchange, WireTrial
from foldproof.agents.wire.reading import call_of, seen_of
from foldproof.agents.wire.sse import Event, events_of, pieces_of
from foldproof.core import canonical_json

TRIALS = 24
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
WORDS = (
    *("messages", "role", "content", "text", "type", "tool_calls", "function", "name", "arguments", "choices", "delta"),
    *(
        "index",
        "message",
        "usage",
        "error",
        "input",
        "output",
        "system",
        "tools",
        "id",
        "item",
        "output_index",
        "refusal",
    ),
    *("content_block", "partial_json", "response", "finish_reason", "tool_result", "tool_use", "image", "user", "data"),
)
KINDS = ("message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop", "error",
         "response.completed", "response.output_text.delta", "response.output_item.added",
         "response.function_call_arguments.delta", "text", "function_call")  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from((*WORDS, *KINDS))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=12,
)
BODIES = st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=8)
EVENTS = st.lists(
    st.builds(
        Event, st.sampled_from(("", *KINDS)), BODIES.map(lambda body: {"type": "message_start", **body}) | VALUES
    ),
    max_size=6,
)


@settings(max_examples=4)
@given(st.lists(st.lists(TEXTS, min_size=1, max_size=3), min_size=TRIALS, max_size=TRIALS), st.booleans())
def test_parallel_trials_never_mix(prompts, streamed):
    """Each trial finds its own marker in what it received and in what is recorded of it, and no other's."""

    async def answer(request):
        marker = (await request.json())["messages"][-1]["content"].partition("|")[0]
        await asyncio.sleep(0.001)
        if not streamed:
            return web.json_response({"choices": [{"message": {"content": f"for {marker}"}, "finish_reason": "stop"}]})
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for piece in ("for ", marker, None):
            choice = {"delta": {"content": piece}, "finish_reason": None if piece else "stop"}
            await response.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
            await asyncio.sleep(0)
        return response

    async def trial(proxy, session, number):
        url = proxy.begin(f"t{number}", number).wire_url + "/chat/completions"

        async def ask(text):
            body = {"messages": [{"role": "user", "content": f"<{number}>|{text}"}]}
            async with session.post(url, json=body) as response:
                return await response.text()

        answers = await asyncio.gather(*map(ask, prompts[number]))
        return answers, await proxy.take(f"t{number}", ended=True)

    async def run():
        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        async with TestServer(app) as server, aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            setup = WatchSetup("configs.c.wire", {"openai": str(server.make_url("/v1"))}, {}, {}, Watching(), "c")
            async with open_wire(setup) as proxy:
                return await asyncio.gather(*(trial(proxy, session, number) for number in range(TRIALS)))

    for number, (answers, seen) in enumerate(asyncio.run(run())):
        assert all(f"<{number}>" in answer for answer in answers)
        assert sorted(call.prompt for call in seen.calls) == sorted(
            f"[user]\n<{number}>|{text}" for text in prompts[number]
        )
        assert {call.answer for call in seen.calls} == {f"for <{number}>"}
        assert {call.error for call in seen.calls} == {""}


def exchange_of(api, request, answer, *, content_type="application/json", status=200):
    path = next(path for path, name in API_PATHS.items() if name == api)
    made = Exchange("POST", f"/v1{path}", request, handler=None)
    made.status, made.content_type, made.chunks = status, content_type, [answer]
    made.end()
    return made


def recordable(call):
    assert canonical_json(asdict(call)).encode("utf-8", "replace")
    return call


@settings(max_examples=60)
@given(st.sampled_from(sorted(API_PATHS.values())), BODIES, BODIES, st.sampled_from([0, 200, 404, 500]))
def test_no_body_is_too_strange(api, request_body, answer, status):
    made = exchange_of(api, json.dumps(request_body).encode(), json.dumps(answer).encode(), status=status)
    recordable(call_of(made, WireTrial("t", 0, "token"))[0])


@settings(max_examples=60)
@given(st.sampled_from(sorted(API_PATHS.values())), EVENTS)
def test_no_stream_is_too_strange(api, events):
    text = "".join(f"event: {event.name}\ndata: {json.dumps(event.data)}\n\n" for event in events)
    recordable(call_of(exchange_of(api, b"{}", text.encode(), content_type="text/event-stream"))[0])


@settings(max_examples=60)
@given(st.binary(max_size=60), st.binary(max_size=60), st.sampled_from(["", "gzip", "deflate", "br", "x"]))
def test_no_bytes_are_too_strange(request_body, answer, coding):
    for api in API_PATHS.values():
        for content_type in ("application/json", "text/event-stream", ""):
            made = exchange_of(api, request_body, answer, content_type=content_type)
            made.request_coding = made.coding = coding
            recordable(seen_of(WireTrial("t", 0, "token"), [made]).calls[0])


@settings(max_examples=40)
@given(st.lists(TEXTS, max_size=6), st.lists(st.tuples(TEXTS, st.dictionaries(TEXTS, TEXTS, max_size=3)), max_size=3),
       st.integers(1, 7), st.data())  # fmt: skip
def test_a_stream_says_what_the_whole_answer_says(words, calls, size, data):
    """For each protocol, whatever the pieces are."""

    def cut(text):
        return [text[start : start + size] for start in range(0, len(text), size)]

    text, args = "".join(words), [(name or "f", json.dumps(named)) for name, named in calls]

    functions = [{"function": {"name": name, "arguments": written}} for name, written in args]
    whole = chat.said_in({"choices": [{"message": {"content": text, "tool_calls": functions}}]})
    opened = [{"tool_calls": [{"index": n, "function": {"name": name}}]} for n, (name, _) in enumerate(args)]
    parts = [(number, part) for number, (_, written) in enumerate(args) for part in cut(written)]
    pieces = [{"tool_calls": [{"index": number, "function": {"arguments": part}}]} for number, part in parts]
    rest = [{"content": word} for word in words]
    mixed = [*opened, *_interleaved(pieces, rest, data)]
    stream = [Event("", {"choices": [{"delta": delta}]}) for delta in mixed]
    last = Event("", {"choices": [{"delta": {}, "finish_reason": "stop"}]})
    assert chat.said_in_stream([*stream, last]) == whole

    blocks = [
        {"type": "text", "text": text},
        *({"type": "tool_use", "name": n, "input": json.loads(a)} for n, a in args),
    ]
    stream = [Event("", {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})]
    stream += [Event("", {"type": "content_block_delta", "index": 0, "delta": {"text": word}}) for word in words]
    for number, (name, written) in enumerate(args, 1):
        opening = {"type": "tool_use", "name": name, "input": {}}
        stream.append(Event("", {"type": "content_block_start", "index": number, "content_block": opening}))
        stream += [Event("", {"type": "content_block_delta", "index": number, "delta": {"partial_json": part}})
                   for part in cut(written)]  # fmt: skip
    assert messages.said_in_stream([*stream, Event("", {"type": "message_stop"})]) == messages.said_in(
        {"content": blocks}
    )

    items = [{"type": "message", "content": [{"type": "output_text", "text": text}]},
             *({"type": "function_call", "name": name, "arguments": written} for name, written in args)]  # fmt: skip
    kind = "response.output_text.delta"
    stream = [Event("", {"type": kind, "output_index": 0, "content_index": 0, "delta": word}) for word in words]
    for number, (name, written) in enumerate(args, 1):
        opening = {"type": "function_call", "name": name, "arguments": ""}
        stream.append(Event("", {"type": "response.output_item.added", "output_index": number, "item": opening}))
        kind = "response.function_call_arguments.delta"
        stream += [Event("", {"type": kind, "output_index": number, "delta": part}) for part in cut(written)]
    stream.append(Event("", {"type": "response.completed", "response": {}}))
    assert responses.said_in_stream(stream) == responses.said_in({"output": items})


def _interleaved(first, second, data):
    """Two sequences in one, each in its own order."""
    first, second, mixed = list(first), list(second), []
    while first and second:
        mixed.append((first if data.draw(st.booleans()) else second).pop(0))
    return [*mixed, *first, *second]


@settings(max_examples=40)
@given(st.lists(st.tuples(TEXTS, VALUES), max_size=6), st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_however_a_stream_is_cut_it_reads_the_same(given_events, end, data):
    text = "".join(f"data: {json.dumps(value)}{end}{end}" for _, value in given_events)
    raw, chunks = text.encode(), []
    while raw:
        size = data.draw(st.integers(1, len(raw)))
        chunks.append(raw[:size])
        raw = raw[size:]
    whole = exchange_of("chat", b"{}", text.encode(), content_type="text/event-stream")
    cut = exchange_of("chat", b"{}", b"", content_type="text/event-stream")
    cut.chunks, cut.duration_s = chunks, whole.duration_s
    assert repr(call_of(whole)) == repr(call_of(cut))
    assert "".join(pieces_of(text)) == text
    assert len(events_of(text)) == len(pieces_of(text)) == len(given_events)
