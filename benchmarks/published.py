"""Figures that others published, computed again from their data: pass^k of tau-bench, kappa of compaction-integrity."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from foldproof.compare.statistics import Agreement, cohens_kappa, gwets_ac1, pass_hat_k, true_rates

PUBLISHED = ".420, .273, .220, .200"


def pass_hats(runs: Path) -> list[float]:
    """pass^1 to pass^4 of recorded runs: 50 tasks of the airline domain, four trials each."""
    trials = defaultdict(list)
    for run in json.loads(runs.read_text("utf-8")):
        trials[run["task_id"]].append(run["reward"] == 1.0)
    outcomes = [(sum(passed), len(passed)) for passed in trials.values()]
    found = [pass_hat_k(outcomes, k) for k in range(1, 5)]
    return [chance for chance in found if chance is not None]


def labelled(folder: Path) -> list[tuple[bool, bool]]:
    """(a person's label, the judge's verdict) of each answer."""
    rows = [json.loads(line) for line in (folder / "balanced_blind_labeled.jsonl").read_text("utf-8").splitlines()]
    keys = [json.loads(line) for line in (folder / "balanced_key.jsonl").read_text("utf-8").splitlines()]
    judged = {key["id"]: key["judge_retention"] for key in keys}
    return [(row["label"], judged[row["id"]]) for row in rows]


def shown(agreement: Agreement | None) -> dict[str, float]:
    """A coefficient with the interval to show."""
    if agreement is None:
        raise SystemExit("the labels are all the same, so there is nothing to agree on beyond chance")
    return {"value": agreement.value, "low": agreement.interval.low, "high": agreement.interval.high}


def measure(folder: Path) -> dict[str, Any]:
    """The figures from a folder that holds `tau_bench` and `compint`."""
    pairs = labelled(folder / "compint")
    rates = true_rates(pairs)
    return {
        "pass_hat": pass_hats(folder / "tau_bench" / "gpt-4o-airline.json"),
        "of": len(pairs),
        "kappa": shown(cohens_kappa(pairs)),
        "ac1": shown(gwets_ac1(pairs)),
        "positives": rates.positives,
        "false_passes": rates.negatives - rates.refusals,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="holds `tau_bench` and `compint`")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = measure(arguments.folder)
    if arguments.json:
        print(json.dumps(figures))
    else:
        hats = ", ".join(f"{chance:.3f}" for chance in figures["pass_hat"])
        kappa, ac1 = figures["kappa"], figures["ac1"]
        print(f"tau-bench, gpt-4o on airline: pass^1 to pass^4 {hats} (published: {PUBLISHED})")
        print(
            f"compaction-integrity, a person against the judge on {figures['of']} answers:"
            f" kappa {kappa['value']:.2f} ({kappa['low']:.3f} to {kappa['high']:.3f}),"
            f" AC1 {ac1['value']:.2f} ({ac1['low']:.3f} to {ac1['high']:.3f})"
        )
