"""The cliff: what survives round after round of compaction, by class. Reads texts, labels and rounds; calls no agent.

The rules are in `docs/cliff.md`.
"""

from foldproof.cliff.records import (
    FAILED,
    SCHEDULES,
    ProbeAnswer,
    ProbeCondition,
    Round,
    RoundKey,
    RoundState,
    Schedule,
)

__all__ = [
    "FAILED",
    "SCHEDULES",
    "ProbeAnswer",
    "ProbeCondition",
    "Round",
    "RoundKey",
    "RoundState",
    "Schedule",
]
