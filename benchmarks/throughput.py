"""1,000 questions against a local endpoint of fixed latency: wall time of the whole process, and its peak memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from processes import FOLDPROOF, Timed, command_line, median, timed

from foldproof.testing import write_project

ENDPOINT = """
import sys, time
from foldproof.testing import ScriptedEndpoint
answer = lambda question: "The order ships on Monday, " + question
with ScriptedEndpoint(answer, latency_s=float(sys.argv[1])) as endpoint:
    print(endpoint.url, flush=True)
    sys.stdin.read()
"""
BARE = """
import asyncio, sys, aiohttp
async def main(url, questions, jobs):
    waiting = iter(range(questions))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async def work():
            for number in waiting:
                body = {"model": "m", "messages": [{"role": "user", "content": f"question {number}"}]}
                async with session.post(url + "/chat/completions", json=body) as response:
                    (await response.json())["choices"][0]["message"]["content"]
        await asyncio.gather(*(work() for _ in range(jobs)))
asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""


def measure(questions: int = 1000, jobs: int = 50, latency_s: float = 0.05, rounds: int = 3) -> dict[str, float]:
    """Medians over rounds: seconds, ratio to the ideal, peak MB; the bare client's in the same run."""
    endpoint = subprocess.Popen(
        [sys.executable, "-c", ENDPOINT, str(latency_s)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert endpoint.stdout is not None
    assert endpoint.stdin is not None
    url = endpoint.stdout.readline().strip()
    ours: list[Timed] = []
    bare: list[Timed] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            for round_number in range(rounds):
                bare.append(timed([sys.executable, "-c", BARE, url, str(questions), str(jobs)]))
                project = Path(folder) / str(round_number)
                cases = [
                    {"id": f"q{number}", "question": f"question {number}", "expected_facts": ["Monday"]}
                    for number in range(questions)
                ]
                write_project(
                    project, cases=cases, configs={"production": {"agent": {"http": url}, "model": {"name": "m"}}}
                )
                command = [*FOLDPROOF, "run", "production", "-j", str(jobs), "--repeat", "1", "--json"]
                result = timed(command, cwd=project)
                if result.code != 0:
                    raise SystemExit(result.output[-2000:])
                ours.append(result)
    finally:
        endpoint.stdin.close()
        endpoint.wait()
        endpoint.stdout.close()
    ideal = questions * latency_s / jobs
    seconds = median([result.seconds for result in ours])
    bare_seconds = median([result.seconds for result in bare])
    return {
        "ideal_s": ideal,
        "foldproof_s": seconds,
        "ratio": seconds / ideal,
        "peak_mb": max(result.peak_mb for result in ours),
        "bare_aiohttp_s": bare_seconds,
        "bare_aiohttp_ratio": bare_seconds / ideal,
    }


def told(figures: dict[str, float]) -> None:
    """The figures, for a person."""
    print(f"ideal {figures['ideal_s']:.2f} s")
    ours = f"{figures['foldproof_s']:.2f} s  {figures['ratio']:.2f} x ideal  peak {figures['peak_mb']:.0f} MB"
    print(f"foldproof run    {ours}")
    print(f"bare aiohttp     {figures['bare_aiohttp_s']:.2f} s  {figures['bare_aiohttp_ratio']:.2f} x ideal")


if __name__ == "__main__":
    command_line(measure, told, about=__doc__, rounds=3)
