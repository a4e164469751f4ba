"""What the recording proxy costs: 1,000 requests of 50 ms with and without it, and the first byte of a stream."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

from processes import command_line, median

from foldproof.agents.watch import Watching, WatchSetup
from foldproof.agents.wire import open_wire

UPSTREAM = r"""
import asyncio, json, sys
message = {"role": "assistant", "content": "The order ships on Monday."}
choice = {"index": 0, "message": message, "finish_reason": "stop"}
usage = {"prompt_tokens": 900, "completion_tokens": 8}
body = json.dumps({"object": "chat.completion", "model": "m", "choices": [choice], "usage": usage}).encode()
whole = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body
head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
def chunk(data):
    return b"%x\r\n" % len(data) + data + b"\r\n"
def event(**delta):
    choice = {"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}
    return chunk(b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [choice]}).encode() + b"\n\n")
async def serve(reader, writer):
    try:
        while True:
            asked = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(asked.partition(b"content-length:")[2].split()[0])
            streamed = b'"stream": true' in await reader.readexactly(length)
            await asyncio.sleep(LATENCY)
            if not streamed:
                writer.write(whole)
                continue
            writer.write(head)
            for word in "The order ships on Monday .".split():
                writer.write(event(content=word + " "))
                await writer.drain()
                await asyncio.sleep(0.005)
            writer.write(event() + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
LATENCY = float(sys.argv[1])
asyncio.run(main())
"""
CLIENT = r"""
import asyncio, json, sys, time, aiohttp
async def main(url, questions, jobs, streamed):
    waiting, firsts = iter(range(questions)), []
    past = [{"role": "user", "content": "An earlier turn of this conversation, as long as such turns are."}] * 40
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async def work():
            for number in waiting:
                body = {"model": "m", "messages": [*past, {"role": "user", "content": f"question {number}"}]}
                asked = time.perf_counter()
                async with session.post(url + "/chat/completions", json=body | {"stream": streamed}) as response:
                    if streamed:
                        await response.content.readany()
                        firsts.append(time.perf_counter() - asked)
                        await response.read()
                    else:
                        (await response.json())["choices"][0]["message"]["content"]
        started = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(jobs)))
        print(json.dumps([time.perf_counter() - started, sorted(firsts)]))
asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "streamed"))
"""


async def asked(url: str, questions: int, jobs: int, *, streamed: bool = False) -> tuple[float, float]:
    """Seconds that a client in another process takes, and its median time to the first byte of a stream."""
    command = [sys.executable, "-c", CLIENT, url, str(questions), str(jobs), "streamed" if streamed else "whole"]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    output, _ = await process.communicate()
    if process.returncode != 0:
        raise SystemExit("the client failed")
    seconds, firsts = json.loads(output)
    return seconds, median(firsts) if firsts else 0.0


async def measured(port: str, questions: int, jobs: int, rounds: int) -> dict[str, float]:
    """Each round asks directly and through the proxy, which runs in this process as it does in a run's."""
    direct = f"http://127.0.0.1:{port}/v1"
    setup = WatchSetup("benchmark", {"openai": direct}, {}, {}, Watching())
    plain: list[float] = []
    watched: list[float] = []
    delays: list[float] = []
    taking: list[float] = []
    async with open_wire(setup) as wire:
        for number in range(rounds):
            tap = wire.begin(f"trial-{number}", number)
            plain.append((await asked(direct, questions, jobs))[0])
            watched.append((await asked(tap.wire_url, questions, jobs))[0])
            _, first = await asked(direct, 200, 8, streamed=True)
            _, first_watched = await asked(tap.wire_url, 200, 8, streamed=True)
            delays.append(first_watched - first)
            started = time.perf_counter()
            seen = await wire.take(f"trial-{number}", ended=True)
            taking.append((time.perf_counter() - started) / (questions + 200))
            if seen is None or len(seen.calls) != questions + 200 or any(call.error for call in seen.calls):
                raise SystemExit("the proxy did not record every call")
    return {
        "ideal_s": questions * 0.05 / jobs,
        "direct_s": min(plain),
        "watched_s": min(watched),
        "ratio": min(watched) / min(plain),
        "first_byte_delay_ms": median(delays) * 1e3,
        "read_a_call_us": median(taking) * 1e6,
    }


def measure(questions: int = 1000, jobs: int = 50, rounds: int = 5) -> dict[str, float]:
    """Seconds with and without the proxy, the fastest of the rounds each, and the median delay of the first byte.

    Three processes share the machine, so whatever else runs there costs the proxy first: only the fastest rounds
    can be compared.
    """
    command = [sys.executable, "-c", UPSTREAM, "0.05"]
    upstream = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path.cwd())
    assert upstream.stdin is not None
    assert upstream.stdout is not None
    try:
        return asyncio.run(measured(upstream.stdout.readline().strip(), questions, jobs, rounds))
    finally:
        upstream.stdin.close()
        upstream.wait()
        upstream.stdout.close()


def told(figures: dict[str, float]) -> None:
    """The figures, for a person."""
    print(f"ideal                {figures['ideal_s']:.2f} s")
    print(f"directly             {figures['direct_s']:.2f} s")
    print(f"through the proxy    {figures['watched_s']:.2f} s  {figures['ratio']:.2f} x directly")
    print(f"first streamed byte  {figures['first_byte_delay_ms']:.2f} ms later at the median")
    print(f"reading a call       {figures['read_a_call_us']:.0f} us, after its answer was passed on")


if __name__ == "__main__":
    command_line(measure, told, about=__doc__, rounds=5)
