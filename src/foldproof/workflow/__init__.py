"""The only place that chains the stages; the command line and the pytest plugin call it and nothing below."""

from foldproof.workflow.baselines import Acceptance, apply_acceptance, propose_baseline
from foldproof.workflow.calibrating import calibrate_judge, keep_calibration
from foldproof.workflow.checking import CheckReport, check_candidate
from foldproof.workflow.control import Controls
from foldproof.workflow.cutting import FoundSession, session_in_log, session_of_run
from foldproof.workflow.examining import Found, examine
from foldproof.workflow.grading import GradeOptions, GradeReport, grade_logs, grade_sessions
from foldproof.workflow.holdout import (
    HoldoutLog,
    HoldoutReport,
    check_holdout_log,
    holdout_notes,
    run_holdout,
    seal_holdout,
)
from foldproof.workflow.personal import personal_redactor
from foldproof.workflow.pinning import pin_judge
from foldproof.workflow.reading import CompareReport, Explanation, compare_runs, explain_case, rescore_run
from foldproof.workflow.reconciling import Disagreement, Proposed, Reconciliation, reconcile_judge
from foldproof.workflow.run_reports import RunReport
from foldproof.workflow.run_sessions import RecordedSession, sessions_of_run
from foldproof.workflow.running import ConfirmationNeededError, Options, plan_size, run_config
from foldproof.workflow.sink import Progress
from foldproof.workflow.triage import TriageReport, check_chosen, triage_cases, with_choice, write_chosen
from foldproof.workflow.verdicts import verdicts_of
from foldproof.workflow.workspace import Workspace, locate_project, open_workspace

__all__ = [
    "Acceptance",
    "CheckReport",
    "CompareReport",
    "ConfirmationNeededError",
    "Controls",
    "Disagreement",
    "Explanation",
    "Found",
    "FoundSession",
    "GradeOptions",
    "GradeReport",
    "HoldoutLog",
    "HoldoutReport",
    "Options",
    "Progress",
    "Proposed",
    "Reconciliation",
    "RecordedSession",
    "RunReport",
    "TriageReport",
    "Workspace",
    "apply_acceptance",
    "calibrate_judge",
    "check_candidate",
    "check_chosen",
    "check_holdout_log",
    "compare_runs",
    "examine",
    "explain_case",
    "grade_logs",
    "grade_sessions",
    "holdout_notes",
    "keep_calibration",
    "locate_project",
    "open_workspace",
    "personal_redactor",
    "pin_judge",
    "plan_size",
    "propose_baseline",
    "reconcile_judge",
    "rescore_run",
    "run_config",
    "run_holdout",
    "seal_holdout",
    "session_in_log",
    "session_of_run",
    "sessions_of_run",
    "triage_cases",
    "verdicts_of",
    "with_choice",
    "write_chosen",
]
