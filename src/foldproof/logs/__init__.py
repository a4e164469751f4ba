"""Logs: what was said, as sessions and turns."""

from foldproof.logs.talk import History, MemoryItem, Role, Session, ToolCall, Turn, Usage, as_lines

__all__ = ["History", "MemoryItem", "Role", "Session", "ToolCall", "Turn", "Usage", "as_lines"]
