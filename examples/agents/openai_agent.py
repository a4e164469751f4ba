"""An agent on the official `openai` client, streaming, with a tool.

`agent: {command: [python, openai_agent.py]}`. Of foldproof it knows the JSON lines alone. The client finds its model
by `OPENAI_BASE_URL`, which foldproof sets to a recording proxy: so the exact prompts are seen.
"""

import json
import os
import sys

from openai import OpenAI

CLIENT, MODEL = OpenAI(), os.environ.get("OPENAI_MODEL", "gpt-4.1-mini")
SYSTEM = "You help one customer. Look up what they said in earlier conversations before you answer."
QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
TOOL = {"name": "lookup_memory", "description": "What the customer said before.", "parameters": QUERY}


def lookup_memory(notes: list[str], query: str) -> str:
    """The three notes that share most words with the query."""
    return "\n".join(sorted(notes, key=lambda note: -len({*query.lower().split()} & {*note.lower().split()}))[:3])


def reply(notes: list[str], text: str) -> str:
    """Ask the model, and carry out its tool calls until it answers."""
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]
    while True:
        tools = [{"type": "function", "function": TOOL}]
        with CLIENT.chat.completions.stream(model=MODEL, messages=messages, tools=tools) as stream:
            said = stream.get_final_completion().choices[0].message
        if not said.tool_calls:
            return said.content
        kept = {"id": True, "type": True, "function": {"name", "arguments"}}
        calls = [call.model_dump(include=kept) for call in said.tool_calls]
        messages.append({"role": "assistant", "content": said.content, "tool_calls": calls})
        for call in said.tool_calls:
            found = lookup_memory(notes, **json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": found})


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
