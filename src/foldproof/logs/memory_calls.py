"""Which tool calls are reads or writes of a memory, by the names that memories are known under."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

_READ = re.compile(r"(?:^|_)(?:search|recall|get|read|list|retrieve|query|find|fetch|view|lookup|load)(?:$|_)")
_WRITE = re.compile(
    r"(?:^|_)(?:add|insert|append|replace|save|store|update|delete|create|write|manage|rethink|forget|remove|put|edit"
    r"|finish|patch|set|clear)(?:$|_)"
)
_MEMORY = re.compile(r"(?:^|_)memor(?:y|ies)(?:$|_)")
_ALONE: dict[str, Literal["read", "write"]] = {
    "bio": "write",
    "conversation_search": "read",
    "forget": "write",
    "remember": "write",
}
_VIEWS = frozenset({"view", "read", "list", "search"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_FILES = frozenset({"claude.md", "claude.local.md", "memory.md", "agents.md", "gemini.md"})
_FOLDERS = frozenset({"memory", "memories"})
_PATHS = ("file_path", "path", "notebook_path")
_TEXTS = ("content", "text", "memory", "new_content", "new_string", "new_str", "file_text", "fact", "value", "query")


def memory_operation(name: str, args: Mapping[str, Any]) -> Literal["read", "write"] | None:
    """What a tool call does to a memory; None where its name does not say that it touches one.

    A name tells it (`archival_memory_search`, `mcp__x__add_memories`), or the path of a file that is a memory
    (`CLAUDE.md`, `MEMORY.md`, a folder `memories`). An unknown tool is never guessed to be a memory.
    """
    plain = _CAMEL.sub("_", name.rpartition("__")[2]).lower().replace("-", "_").replace(".", "_")
    if plain in _ALONE:
        return _ALONE[plain]
    if plain == "memory":
        return "read" if str(args.get("command", args.get("action", ""))) in _VIEWS else "write"
    if _MEMORY.search(plain):
        if _READ.search(plain):
            return "read"
        return "write" if _WRITE.search(plain) else None
    if _memory_file(args):
        if _READ.search(plain):
            return "read"
        return "write" if _WRITE.search(plain) or plain == "multi_edit" else None
    return None


def memory_text(args: Mapping[str, Any]) -> str:
    """What a memory is asked or told with these arguments: the first that is a text of its own."""
    return next((args[key] for key in _TEXTS if isinstance(args.get(key), str) and args[key]), "")


def _memory_file(args: Mapping[str, Any]) -> bool:
    path = next((args[key] for key in _PATHS if isinstance(args.get(key), str)), "")
    parts = path.lower().replace("\\", "/").split("/")
    return parts[-1] in _FILES or (parts[-1].endswith(".md") and bool(_FOLDERS & set(parts[:-1])))
