"""The comparison: the accepted baseline, the diff, the gate and the verdict. Pure but for the baseline's file."""

from foldproof.compare.baseline import Baseline, asked_hash, load_baseline, save_baseline
from foldproof.compare.choice import Answerable, Chosen, choose_cases
from foldproof.compare.departures import Departure, departure, path_findings
from foldproof.compare.diff import CaseChange, FactChange, config_differences, diff_scores
from foldproof.compare.figures import ChangeFigures, RunFigures, change_figures, run_figures
from foldproof.compare.gate import ClassGate, gate_scores
from foldproof.compare.retention import (
    ControlFinding,
    ControlScores,
    Retention,
    control_findings,
    effective_retention,
)
from foldproof.compare.triage import ANSWERABLE, BUCKETS, Bucket, Triaged, expects_nothing, triage_case
from foldproof.compare.verdict import Check, Evidence, RunVerdict, Verdict, judge_check, judge_control, judge_run

__all__ = [
    "ANSWERABLE",
    "BUCKETS",
    "Answerable",
    "Baseline",
    "Bucket",
    "CaseChange",
    "ChangeFigures",
    "Check",
    "Chosen",
    "ClassGate",
    "ControlFinding",
    "ControlScores",
    "Departure",
    "Evidence",
    "FactChange",
    "Retention",
    "RunFigures",
    "RunVerdict",
    "Triaged",
    "Verdict",
    "asked_hash",
    "change_figures",
    "choose_cases",
    "config_differences",
    "control_findings",
    "departure",
    "diff_scores",
    "effective_retention",
    "expects_nothing",
    "gate_scores",
    "judge_check",
    "judge_control",
    "judge_run",
    "load_baseline",
    "path_findings",
    "run_figures",
    "save_baseline",
    "triage_case",
]
