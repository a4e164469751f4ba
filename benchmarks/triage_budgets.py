"""The demo's set on memories that compact, at falling budgets: how many cases of each class pass, of how many."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path

from foldproof import load_set, run_set
from foldproof.demo import write_showcase

MEMORIES = ("window", "head", "head_tail", "triage")
BUDGETS = (12000, 6000, 4000, 3000, 2000, 1500, 1000, 500, 250)
Figures = dict[str, dict[int, dict[str, int]]]


def measure(budgets: tuple[int, ...] = BUDGETS, memories: tuple[str, ...] = MEMORIES) -> tuple[Figures, dict[str, int]]:
    """Passed cases by memory, budget in tokens and class; and how many cases each class has.

    Every turn counts for `window`: nothing but the budget bounds it. `unsafe` counts the cases whose memory said that
    the budget cannot hold what must be kept.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_showcase(folder)
        cases = load_set(folder / "replay.yaml").cases
        more = {"window": ", turns: 100000"}
        configs = "".join(
            f"  {kind}-{budget}: {{agent: recall, memory: {{kind: {kind}, budget: {budget}{more.get(kind, '')}}}}}\n"
            for kind in memories
            for budget in budgets
        )
        project = f"foldproof: 1\nreplay_set: replay.yaml\nbaseline: {memories[0]}-{budgets[0]}\nconfigs:\n{configs}"
        (folder / "foldproof.yaml").write_text(project, encoding="utf-8")
        figures: Figures = {kind: {} for kind in memories}
        for kind in memories:
            for budget in budgets:
                report = run_set(f"{kind}-{budget}", project=folder)
                passed = Counter(case.case_class for case in cases if report.scores[case.id].outcome == "pass")
                unsafe = sum(any("unsafe:" in note for note in trial.notes) for trial in report.trials)
                figures[kind][budget] = {**passed, "unsafe": unsafe}
    return figures, dict(Counter(case.case_class for case in cases))


def table(figures: Figures, sizes: dict[str, int]) -> str:
    """The figures in Markdown: a row a budget and memory, `passed/cases` for each class."""
    rows = ["| budget | memory | " + " | ".join(sizes) + " | unsafe |", "|---|---|" + "---|" * (len(sizes) + 1)]
    for budget in next(iter(figures.values())):
        for kind, by_budget in figures.items():
            found = by_budget[budget]
            cells = " | ".join(f"{found.get(name, 0)}/{size}" for name, size in sizes.items())
            rows.append(f"| {budget} | `{kind}` | {cells} | {found['unsafe'] or ''} |")
    return "\n".join(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=int, action="append", help="tokens; may be given more than once")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found, cases = measure(tuple(arguments.budget or BUDGETS))
    print(json.dumps({"cases": cases, "passed": found}) if arguments.json else table(found, cases))
