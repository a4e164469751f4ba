"""Scoring: what the recorded answers hold. It reads records, never the agent."""

from foldproof.score.cases import CaseScore, score_case, score_run
from foldproof.score.trials import FactScore, TrialScore, score_trial

__all__ = ["CaseScore", "FactScore", "TrialScore", "score_case", "score_run", "score_trial"]
