"""Timing whole processes: wall time and peak memory of a command."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
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
