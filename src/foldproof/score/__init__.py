"""Scoring: what the recorded answers hold, and who lost what they do not. It reads records, never the agent."""

from foldproof.score.attribution import Loss, Owner, disagreements
from foldproof.score.calls import CallMatch, match_calls
from foldproof.score.cases import CaseScore, score_case, score_run
from foldproof.score.evidence import STAGES, Records, Stage, TrialEvidence
from foldproof.score.sighting import Presence, Sighting
from foldproof.score.trials import FactScore, TrialScore, score_trial
from foldproof.score.verdicts import Settlement, Verdicts, claims_of

__all__ = [
    "STAGES",
    "CallMatch",
    "CaseScore",
    "FactScore",
    "Loss",
    "Owner",
    "Presence",
    "Records",
    "Settlement",
    "Sighting",
    "Stage",
    "TrialEvidence",
    "TrialScore",
    "Verdicts",
    "claims_of",
    "disagreements",
    "match_calls",
    "score_case",
    "score_run",
    "score_trial",
]
