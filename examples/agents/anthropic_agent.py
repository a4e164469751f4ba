"""An agent on the official `anthropic` client, streaming, with a tool.

`agent: {command: [python, anthropic_agent.py]}`. Of foldproof it knows the JSON lines alone. The client finds its model
by `ANTHROPIC_BASE_URL`, which foldproof sets to a recording proxy: so the exact prompts are seen.
"""

import json
import os
import sys

from anthropic import Anthropic

CLIENT, MODEL = Anthropic(), os.environ.get("ANTHROPIC_MODEL", "claude-sonnet-4-6")
SYSTEM = "You help one customer. Look up what they said in earlier conversations before you answer."
QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
TOOL = {"name": "lookup_memory", "description": "What the customer said before.", "input_schema": QUERY}


def lookup_memory(notes: list[str], query: str) -> str:
    """The three notes that share most words with the query."""
    return "\n".join(sorted(notes, key=lambda note: -len({*query.lower().split()} & {*note.lower().split()}))[:3])


def reply(notes: list[str], text: str) -> str:
    """Ask the model, and carry out its tool calls until it answers."""
    messages = [{"role": "user", "content": text}]
    while True:
        settings = {"model": MODEL, "max_tokens": 1000, "system": SYSTEM, "tools": [TOOL]}
        with CLIENT.messages.stream(messages=messages, **settings) as stream:
            said = stream.get_final_message()
        if said.stop_reason != "tool_use":
            return "".join(block.text for block in said.content if block.type == "text")
        calls = [block for block in said.content if block.type == "tool_use"]
        found = [{"tool_use_id": call.id, "content": lookup_memory(notes, **call.input)} for call in calls]
        messages.append({"role": "assistant", "content": said.content})
        messages.append({"role": "user", "content": [{"type": "tool_result", **result} for result in found]})


notes: list[str] = []
for step in map(json.loads, sys.stdin):
    answer = {}
    if step["do"] == "ingest":
        notes = [turn["text"] for past in step["history"] for turn in past["turns"] if turn["role"] == "user"]
    elif step["do"] == "reply":
        answer = {"text": reply(notes, step["text"])}
    elif step["do"] in {"fold", "memories", "snapshot", "restore"}:
        answer = {"unsupported": True}
    print(json.dumps(answer), flush=True)
