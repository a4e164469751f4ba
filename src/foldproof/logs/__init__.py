"""Logs: what was said, as sessions and turns."""

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
    "as_lines",
]
