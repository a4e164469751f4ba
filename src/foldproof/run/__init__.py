"""The run: a pure plan, and the runner that carries it out and yields records."""

from foldproof.run.plan import Plan, PlannedTrial, plan_trials
from foldproof.run.runner import RunRecord, run_trials

__all__ = ["Plan", "PlannedTrial", "RunRecord", "plan_trials", "run_trials"]
