"""Timing whole processes: wall time and peak memory of a command."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDPROOF = (sys.executable, "-m", "foldproof")


@dataclass(frozen=True)
class Timed:
    """Wall time in seconds, peak memory in MB, exit code and standard output of a finished process."""

    seconds: float
    peak_mb: float
    code: int
    output: str


def timed(command: Sequence[str], *, cwd: Path | None = None) -> Timed:
    """Run a command to its end."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    return Timed(time.perf_counter() - started, usage.ru_maxrss / 1024, process.returncode, output)


def median(values: Sequence[float]) -> float:
    """The middle of the values; of two middle ones the lower."""
    return sorted(values)[(len(values) - 1) // 2]


def command_line(
    measure: Callable[..., dict[str, float]],
    tell: Callable[[dict[str, float]], None],
    *,
    about: str | None,
    rounds: int,
) -> None:
    """A benchmark with `--questions` and `--rounds`; its figures for a person, with `--json` for a program."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = measure(arguments.questions, rounds=arguments.rounds)
    if arguments.json:
        print(json.dumps(figures))
    else:
        tell(figures)
