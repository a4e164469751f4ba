"""LoCoMo, from the file beside the repository: what the import makes of it, and the known figures of retrieval."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from foldproof.cases import import_benchmark, lint_set, load_set

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "locomo"
FILE, ERRORS = DATA / "locomo10.json", DATA / "audit" / "errors.json"

pytestmark = [pytest.mark.data, pytest.mark.skipif(not FILE.is_file(), reason=f"needs {FILE}, which is not here")]


def test_the_ten_talks_become_a_set_with_the_wrong_keys_apart(tmp_path):
    report = import_benchmark("locomo", FILE, folder=tmp_path, errors=ERRORS)
    found = load_set(report.replay_set)
    assert (report.cases, report.histories, report.problems) == (1986, 10, ())
    assert Counter(case.tags[0] for case in found.cases) == {
        "single-hop": 841, "adversarial": 446, "temporal": 321, "multi-hop": 282, "open-domain": 96,
    }  # fmt: skip
    assert (len(found.disputed), sum("disputed-source" in case.tags for case in found.cases)) == (156, 57)
    assert sum("names no turn" in note for note in report.notes) == 5
    assert sum(bool(case.source) for case in found.cases if case.tags[0] != "adversarial") == 1535
    assert all(session.at for history in found.histories.values() for session in history.sessions)
    assert not [problem for problem in lint_set(found) if problem.severity == "error"]


def test_corrections_take_the_place_of_all_keys_but_those_that_are_open(tmp_path):
    report = import_benchmark("locomo", FILE, folder=tmp_path, errors=ERRORS, corrected=True)
    found = load_set(report.replay_set)
    assert (len(found.disputed), sum("corrected" in case.tags for case in found.cases)) == (13, 143)


@pytest.mark.skipif(find_spec("bm25s") is None, reason="needs bm25s, which the extra `dev` has")
def test_retrieval_figures():
    command = [sys.executable, str(ROOT / "benchmarks" / "locomo_retrieval.py"), "--data", str(FILE)]
    done = subprocess.run([*command, "--errors", str(ERRORS), "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["known_release"]
    bm25 = told["methods"]["bm25"]
    rows = {row["k"]: row for row in bm25["all"]["at"]}
    assert bm25["all"]["n"] == 1535
    assert [rows[k]["recall"] for k in (1, 5, 10, 20, 50)] == pytest.approx(
        [0.277, 0.492, 0.569, 0.632, 0.698], abs=0.01
    )
    assert (rows[10]["any"], rows[10]["all"]) == pytest.approx((0.630, 0.519), abs=0.01)
    wrong = bm25["disputed-source"]
    assert (wrong["n"], next(row["recall"] for row in wrong["at"] if row["k"] == 10)) == (
        56,
        pytest.approx(0.351, abs=0.01),
    )
