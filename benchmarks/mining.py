"""Mining a generated log beside a plain `json.loads` loop over the same file: time, and memory of all processes.

Both are run in turns, and the best of each counts. On a busy machine look at the processor time: a command that runs as
two processes gets no more of it there than one process does.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

THINGS = ("staging port", "invoice number", "flight", "dentist", "refund limit", "allergy list", "backup job",
          "gate code", "rye order", "oven timer", "train seat", "hotel booking", "tax form", "router key")  # fmt: skip
FORMS = ("What is the {thing} for {place}?", "Can you tell me the {thing} of {place} again?",
         "When is the {thing} in {place} due?", "Which {thing} did we choose for {place} number {number}?",
         "Remind me of the {thing} at {place}, item {number}, please.")  # fmt: skip
TALK = ("thanks!", "ok", "hello there", "/clear", "The {thing} for {place} is {number}.")
PLACES = ("Lisbon", "the warehouse", "Ines", "the second floor", "Berlin", "the bakery", "Tomar", "the shop")
FILLER = "I looked through what we noted together so far, and here is what stands there about it, with the details. "
START = 1_767_225_600
_LOOK_EVERY_S = 0.05


def write_log(path: Path, lines: int, *, seed: int = 1) -> int:
    """Write a log of about 1 KB a line: a third of it asks again what was asked before. The bytes."""
    rng = random.Random(seed)
    system = {"role": "system", "content": FILLER}
    with path.open("w", encoding="utf-8") as file:
        for number in range(lines):
            form = rng.choice(TALK) if rng.random() < 0.2 else rng.choice(FORMS)
            asked = form.format(thing=rng.choice(THINGS), place=rng.choice(PLACES), number=rng.randrange(9999))
            user = f"user-{rng.randrange(max(3, lines // 100))}"
            earlier = [
                {"role": "user", "content": "We go on from yesterday."},
                {"role": "assistant", "content": FILLER},
            ]
            request = {"model": "small-1", "user": user, "metadata": {"session_id": f"{user}-{number // 5000}"},
                       "temperature": 0.2, "max_tokens": 400, "stream": False,
                       "messages": [system, *earlier, {"role": "user", "content": asked}]}  # fmt: skip
            answer = {"role": "assistant", "content": FILLER + f"It is {number}.", "refusal": None}
            response = {"id": f"chatcmpl-{number:012}", "object": "chat.completion", "created": START + number * 3,
                        "model": "small-1-2026", "system_fingerprint": "fp_1", "service_tier": "default",
                        "choices": [{"index": 0, "message": answer, "logprobs": None, "finish_reason": "stop"}],
                        "usage": {"prompt_tokens": 180, "completion_tokens": 40, "total_tokens": 220,
                                  "prompt_tokens_details": {"cached_tokens": 0}}}  # fmt: skip
            file.write(json.dumps({"request": request, "response": response}) + "\n")
    return path.stat().st_size


def loads_seconds(path: Path) -> tuple[float, float]:
    """A plain loop over the file, which keeps nothing: seconds, and seconds of processor time."""
    started, used = time.perf_counter(), time.process_time()
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
    return time.perf_counter() - started, time.process_time() - used


def mined(path: Path) -> dict[str, float]:
    """The command in a process of its own: seconds, processor time of all its processes, their memory at its height."""
    command = [sys.executable, "-m", "foldproof", "mine", str(path), "--sample", "200", "--json"]
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(command, stdout=printed)
        highest = 0.0
        while process.poll() is None:
            highest = max(highest, sum(map(memory_mb, family(process.pid))))
            time.sleep(_LOOK_EVERY_S)
        seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        printed.seek(0)
        read = json.load(printed)["read"]
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": seconds, "used": used, "memory_mb": highest, "lines": read}


def family(pid: int) -> list[int]:
    """The process and all that it started, directly or not."""
    try:
        threads = Path(f"/proc/{pid}/task").glob("*/children")
        started = [child for thread in threads for child in thread.read_text().split()]
    except OSError:  # it ended meanwhile
        started = []
    return [pid, *(member for child in started for member in family(int(child)))]


def memory_mb(pid: int) -> float:
    """What a process holds, with its share of what it holds together with others (PSS)."""
    try:
        told = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in told.splitlines() if line.startswith("Pss:")), 0.0)


def measure(lines: int, *, rounds: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        size = write_log(path, lines)
        plain, ours = zip(*((loads_seconds(path), mined(path)) for _ in range(rounds)), strict=True)
    assert {found["lines"] for found in ours} == {lines}
    loads_s, loads_cpu_s = (min(column) for column in zip(*plain, strict=True))
    mine_s, mine_cpu_s = (min(found[key] for found in ours) for key in ("seconds", "used"))
    return {"lines": lines, "mb": size / 1e6, "loads_s": loads_s, "mine_s": mine_s, "ratio": loads_s / mine_s,
            "loads_cpu_s": loads_cpu_s, "mine_cpu_s": mine_cpu_s, "cpu_ratio": loads_cpu_s / mine_cpu_s,
            "lines_s": lines / mine_s, "memory_mb": max(found["memory_mb"] for found in ours)}  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=50_000, help="2000000 for the real one (2 GB on disk)")
    parser.add_argument("--rounds", type=int, default=1, help="the best of so many counts")
    parser.add_argument("--write", type=Path, help="only write the log")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.write:
        print(write_log(asked.write, asked.lines))
        sys.exit()
    figures = measure(asked.lines, rounds=asked.rounds)
    if asked.json:
        print(json.dumps(figures))
    else:
        print(f"{figures['lines']:.0f} lines, {figures['mb']:.0f} MB: {figures['lines_s']:.0f} lines/s, all processes "
              f"together {figures['memory_mb']:.0f} MB; json.loads {figures['loads_s']:.1f} s, mined in "
              f"{figures['mine_s']:.1f} s: {figures['ratio']:.1f} x as fast; processor time "
              f"{figures['loads_cpu_s']:.1f} s, {figures['mine_cpu_s']:.1f} s: "
              f"{figures['cpu_ratio']:.1f} x")  # fmt: skip
