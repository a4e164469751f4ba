"""`check` on recorded cases, end to end: a check whose answers are all stored is carried to its verdict."""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
from pathlib import Path

from processes import FOLDPROOF, median, timed

from foldproof.testing import write_project

AGENT = """
async def run_agent(question, memory_config):
    return "The order ships on Monday, and " + question
"""


def measure(cases: int = 20, rounds: int = 5) -> dict[str, float]:
    """The median of `check` in seconds, where every answer is recorded already."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        entries = [
            {"id": f"q{number}", "question": f"question {number}", "expected_facts": ["Monday"], "memory_config": {}}
            for number in range(cases)
        ]
        write_project(
            folder,
            cases=entries,
            configs={name: {"agent": "python:my_agent:run_agent"} for name in ("production", "candidate")},
        )
        (folder / "my_agent.py").write_text(AGENT, encoding="utf-8")
        for command in (["run", "production"], ["baseline", "accept", "--yes"], ["check", "candidate"]):
            result = timed(["env", "-u", "CI", *FOLDPROOF, *command], cwd=folder)
            if result.code != 0:
                raise SystemExit(result.output)
        seconds = []
        for _ in range(rounds):
            with sqlite3.connect(folder / ".foldproof" / "runs.db") as store:
                store.execute("UPDATE checks SET settled = 0")
            store.close()
            result = timed([*FOLDPROOF, "check", "candidate", "--json"], cwd=folder)
            document = json.loads(result.output)
            if document["verdict"] != "pass" or document["after"]["asked"] or document["before"]["asked"]:
                raise SystemExit(result.output)
            seconds.append(result.seconds)
    return {"cases": cases, "check_s": median(seconds)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = measure(arguments.cases)
    print(
        json.dumps(figures)
        if arguments.json
        else f"check of {figures['cases']:.0f} recorded cases: {figures['check_s']:.2f} s"
    )
