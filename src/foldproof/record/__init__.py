"""Records: what a run yields, and the store that keeps it."""

from foldproof.record.records import (
    Run,
    RunState,
    Stopped,
    StoreListing,
    Trial,
    TrialError,
    TrialKey,
    TurnRecord,
    UserListing,
)
from foldproof.record.verdicts import Calibration, Claim, JudgeIdentity, JudgeVerdict, VerdictWord

__all__ = [
    "Calibration",
    "Claim",
    "JudgeIdentity",
    "JudgeVerdict",
    "Run",
    "RunState",
    "Stopped",
    "StoreListing",
    "Trial",
    "TrialError",
    "TrialKey",
    "TurnRecord",
    "UserListing",
    "VerdictWord",
]
