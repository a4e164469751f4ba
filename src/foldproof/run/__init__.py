"""The run: a pure plan, and the runner that carries it out and yields records."""

from foldproof.run.context import CONTEXT_VERSION
from foldproof.run.counterpart import Counterparts
from foldproof.run.plan import Plan, PlannedTrial, control_gap, plan_trials
from foldproof.run.runner import RunRecord, run_trials

__all__ = [
    "CONTEXT_VERSION",
    "Counterparts",
    "Plan",
    "PlannedTrial",
    "RunRecord",
    "control_gap",
    "plan_trials",
    "run_trials",
]
