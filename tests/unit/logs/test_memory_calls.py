"""Which tool calls touch a memory: by name and by path, never by guess."""

from __future__ import annotations

import pytest

from foldproof.logs.memory_calls import memory_operation, memory_text


@pytest.mark.parametrize(
    ("name", "args", "kind"),
    [
        ("archival_memory_search", {}, "read"),
        ("archival_memory_insert", {}, "write"),
        ("core_memory_replace", {}, "write"),
        ("conversation_search", {}, "read"),
        ("mcp__mem__add_memories", {}, "write"),
        ("searchMemory", {}, "read"),
        ("manage_memory", {}, "write"),
        ("memory", {"command": "view"}, "read"),
        ("memory", {"command": "create"}, "write"),
        ("Read", {"file_path": "/p/CLAUDE.md"}, "read"),
        ("Write", {"file_path": "C:\\p\\memories\\ada.md"}, "write"),
        ("MultiEdit", {"file_path": "MEMORY.md"}, "write"),
        ("Read", {"file_path": "/p/readme.md"}, None),
        ("Grep", {"path": "/p/CLAUDE.md"}, None),
        ("remember", {}, "write"),
        ("forget", {}, "write"),
        ("forget_password", {}, None),
        ("memory_usage", {}, None),
        ("get_weather", {}, None),
        ("", {}, None),
    ],
)
def test_what_a_call_does_to_a_memory(name, args, kind):
    assert memory_operation(name, args) == kind


def test_what_it_is_told_or_asked():
    assert memory_text({"label": "human", "content": "Name: Ada"}) == "Name: Ada"
    assert memory_text({"query": "Ada"}) == "Ada"
    assert memory_text({"content": 3}) == ""
