"""The figures that others published come out of their data."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
NEEDED = [DATA / "tau_bench", DATA / "compint"]

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not all(map(Path.is_dir, NEEDED)), reason=f"needs {' and '.join(map(str, NEEDED))}"),
]


@pytest.fixture(scope="module")
def figures():
    command = [sys.executable, str(ROOT / "benchmarks" / "published.py"), str(DATA), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_pass_hat_k_of_tau_bench(figures):
    assert [round(chance, 3) for chance in figures["pass_hat"]] == [0.420, 0.273, 0.220, 0.200]


def test_kappa_of_compaction_integrity_with_its_interval(figures):
    assert (figures["of"], figures["false_passes"]) == (50, 0)
    assert figures["kappa"]["value"] == 1.0
    # The exact bound of 50 in 50, less chance: (0.025 ^ (1 / 50) - chance) / (1 - chance).
    share = figures["positives"] / 50
    chance = share**2 + (1 - share) ** 2
    assert figures["kappa"]["low"] == pytest.approx((0.025 ** (1 / 50) - chance) / (1 - chance))
    assert figures["kappa"]["low"] < figures["kappa"]["high"] == 1.0
    assert figures["ac1"]["value"] == 1.0
