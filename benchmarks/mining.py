"""Mining a generated log: lines a second and peak memory, beside a plain `json.loads` loop over the same file."""

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


def loads_seconds(path: Path) -> float:
    """A plain loop over the file, which keeps nothing."""
    started = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
    return time.perf_counter() - started


def mined(path: Path) -> dict[str, float]:
    """Seconds and peak memory of the command in a process of its own, its workers included."""
    command = [sys.executable, "-m", "foldproof", "mine", str(path), "--sample", "200", "--json"]
    started = time.perf_counter()
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds = time.perf_counter() - started
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024  # of one process; it has a worker a core
    return {"seconds": seconds, "largest_mb": largest, "lines": json.loads(printed)["read"]}


def measure(lines: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        size = write_log(path, lines)
        plain = loads_seconds(path)
        found = mined(path)
    assert found["lines"] == lines
    return {"lines": lines, "mb": size / 1e6, "loads_s": plain, "mine_s": found["seconds"],
            "ratio": plain / found["seconds"], "lines_s": lines / found["seconds"],
            "largest_mb": found["largest_mb"]}  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=50_000, help="2000000 for the real one (2 GB on disk)")
    parser.add_argument("--write", type=Path, help="only write the log")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.write:
        print(write_log(asked.write, asked.lines))
        sys.exit()
    figures = measure(asked.lines)
    if asked.json:
        print(json.dumps(figures))
    else:
        print(f"{figures['lines']:.0f} lines, {figures['mb']:.0f} MB: {figures['lines_s']:.0f} lines/s, the largest "
              f"process {figures['largest_mb']:.0f} MB; json.loads alone {figures['loads_s']:.1f} s, mined in "
              f"{figures['mine_s']:.1f} s: {figures['ratio']:.1f} x as fast")  # fmt: skip
