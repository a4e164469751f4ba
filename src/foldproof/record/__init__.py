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
from foldproof.record.store import Store, StoreError

__all__ = [
    "Run",
    "RunState",
    "Stopped",
    "Store",
    "StoreError",
    "StoreListing",
    "Trial",
    "TrialError",
    "TrialKey",
    "TurnRecord",
    "UserListing",
]
