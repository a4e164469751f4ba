"""Logs: what was said, as sessions and turns."""

from foldproof.logs.arguments import RAW, arguments_of
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

__all__ = [
    "RAW",
    "History",
    "MemoryItem",
    "ModelCall",
    "Role",
    "Seen",
    "Session",
    "Source",
    "ToolCall",
    "Turn",
    "Usage",
    "arguments_of",
    "as_lines",
]
