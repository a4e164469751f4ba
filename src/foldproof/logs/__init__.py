"""Logs: what was said, as sessions and turns; the formats of other programs."""

from foldproof.logs.arguments import RAW, arguments_of
from foldproof.logs.formats import FORMATS, LogFormat
from foldproof.logs.imported import (
    Called,
    Fold,
    ImportedSession,
    MemoryOperation,
    Outcome,
    Said,
    Unknown,
)
from foldproof.logs.importing import Reading, Whose, read_logs
from foldproof.logs.moments import Moment, moment_of
from foldproof.logs.past import AnsweredCall, PastTurn, with_ids
from foldproof.logs.talk import (
    History,
    MemoryItem,
    ModelCall,
    Role,
    Seen,
    Session,
    Source,
    ToolCall,
    Turn,
    Usage,
    as_lines,
)
from foldproof.logs.tally import Tally

__all__ = [
    "FORMATS",
    "RAW",
    "AnsweredCall",
    "Called",
    "Fold",
    "History",
    "ImportedSession",
    "LogFormat",
    "MemoryItem",
    "MemoryOperation",
    "ModelCall",
    "Moment",
    "Outcome",
    "PastTurn",
    "Reading",
    "Role",
    "Said",
    "Seen",
    "Session",
    "Source",
    "Tally",
    "ToolCall",
    "Turn",
    "Unknown",
    "Usage",
    "Whose",
    "arguments_of",
    "as_lines",
    "moment_of",
    "read_logs",
    "with_ids",
]
