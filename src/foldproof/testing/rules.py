"""Ready rules of a scripted model: answer from the prompt alone, extract facts for a memory, summarise.

Each is a rule as it stands; `functools.partial` sets its options. None knows a language: they compare words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from foldproof.logs import ToolCall
from foldproof.testing.answers import Answer, Rule
from foldproof.testing.asked import ModelRequest
from foldproof.testing.words import stems_of

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[.!?][\"')\]])\s+|(?<=[。！？])|\n+")
_BULLET = re.compile(r"^\s*(?:[-*•>#]+|\d+[.)])\s+")
_KNOWN = re.compile(r"What is known:\n(?P<lines>(?:- .*\n)+)")
_REMARK = re.compile(r".*:|\(.*\)")
_SPEAKER = re.compile(
    r"^[ \t]*(?:\[[^\]\n]*\][ \t]*)?(?P<name>user|human|agent|assistant|ai|system|tool)[ \t]*:[ \t]*"
    r"|^=+[ \t](?P<banner>Human|Ai|System|Tool)[ \t]Message[ \t]=+$",
    re.IGNORECASE | re.MULTILINE,
)
_SECTION = re.compile(r"^#+[ \t]*(?:new messages|conversation|input)[ \t]*$\n(?P<text>.*?)(?=^#+[ \t]|\Z)",
                      re.IGNORECASE | re.MULTILINE | re.DOTALL)  # fmt: skip


def answer_from_context(request: ModelRequest, *, most: int = 3, otherwise: str = "I don't know.") -> str:
    """The sentences of the prompt that share most words with the question, at most `most`, in reading order.

    The question is the last sentence of the user's last message that ends with a question mark, or else that
    message's last line. A sentence fits where it shares at least a third of the question's words (stems; words of
    grammar do not count) and half as many as the best one does; questions themselves are left out. `otherwise` is
    said where none fits. Nothing that is not in the prompt can be in the answer.

    What the user's last message lists under `What is known:`, as the oracle control does, is the answer as it stands:
    a fact such as "penicillin" shares no word with its question.
    """
    if known := _KNOWN.match(request.question):
        return " ".join(line.removeprefix("- ") for line in known["lines"].splitlines())
    question = _question_of(request.question)
    asked = set(stems_of(question))
    told = dict.fromkeys(
        sentence
        for said in request.messages
        for sentence in sentences_of(_plain(said.text))
        if sentence != question and not sentence.endswith(("?", "？"))
    )
    shared = {sentence: len(asked & set(stems_of(sentence))) for sentence in told}
    best = max(shared.values(), default=0)
    fitting = [
        sentence for sentence, count in shared.items() if count and 3 * count >= len(asked) and 2 * count >= best
    ]
    kept = set(sorted(fitting, key=lambda sentence: -shared[sentence])[:most])
    return " ".join(sentence for sentence in fitting if sentence in kept) or otherwise


def extract_facts(request: ModelRequest, *, drop: str = "") -> Answer:
    """What the user said, a memory a sentence, in the form that the prompt asks for.

    Where a tool with a field `content` is on offer, each memory is a call of it. Otherwise the answer is JSON:
    `{"memory": [{"id", "text", "event"}]}` where the prompt names `"memory"` and not `"facts"`, else
    `{"facts": […]}`. The user's sentences are those of the lines that begin with `user:` in the last message, of
    its section of new messages where it has one, or of the whole message. Questions are left out, and what the
    pattern `drop` finds.
    """
    facts = [fact for text in _said_by_user(request.question) for fact in sentences_of(text)
             if not fact.endswith(("?", "？")) and not (drop and re.search(drop, fact))]  # fmt: skip
    facts = list(dict.fromkeys(facts))
    if (tool := _content_tool(request.body)) and facts:
        return [ToolCall(tool, {"content": fact}) for fact in facts]
    prompt = request.prompt
    if '"memory"' in prompt and '"facts"' not in prompt:
        rows = [{"id": str(at), "text": fact, "event": "ADD"} for at, fact in enumerate(facts)]
        return json.dumps({"memory": rows}, ensure_ascii=False)
    return json.dumps({"facts": facts}, ensure_ascii=False)


def summarize(request: ModelRequest, *, keep: int | None = None, drop: str = "") -> str:
    """The text to compact, without the sentences that the pattern `drop` finds, cut to the first `keep` of the rest.

    That text is the user's last message where a system prompt gives the instruction, else what follows its first
    blank line, or all of it where it has none. Headings, which end with a colon, and remarks in brackets are left out.
    """
    text = request.question
    if not any(said.role == "system" for said in request.messages):
        text = text.partition("\n\n")[2] or text
    told = [sentence for sentence in sentences_of(text) if not _REMARK.fullmatch(sentence)]
    kept = [sentence for sentence in told if not (drop and re.search(drop, sentence))]
    return "\n".join(kept[:keep])


def look_up_first(rule: Rule, *, tool: str, argument: str = "query") -> Rule:
    """A rule that calls a tool with the user's last message, and then answers by another rule with what came back.

    Where that tool is not on offer, the other rule answers at once.
    """

    def asked(request: ModelRequest) -> Answer:
        if tool in request.tools and not request.tool_results:
            return ToolCall(tool, {argument: request.question})
        return rule(request)

    return asked


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, without bullets; a line break ends one, and so does a full stop before a blank."""
    parts = (_BULLET.sub("", part).strip() for part in _SENTENCE_END.split(text))
    return [part for part in parts if part]


def _question_of(text: str) -> str:
    sentences = sentences_of(_plain(text))
    asked = [sentence for sentence in sentences if sentence.endswith(("?", "？"))]
    return (asked or sentences or [""])[-1]


def _plain(text: str) -> str:
    """The text, or the texts of a JSON document, one a line: tools like to answer in JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return "\n".join(_texts(value)) if isinstance(value, (dict, list)) else text


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _said_by_user(text: str) -> Iterator[str]:
    section = _SECTION.search(text)
    text = section["text"] if section else text
    try:
        turns = json.loads(text)
    except (ValueError, RecursionError):
        turns = None
    if isinstance(turns, list) and all(isinstance(turn, dict) for turn in turns):
        yield from (str(turn.get("content", "")) for turn in turns if turn.get("role") == "user")
        return
    marks = list(_SPEAKER.finditer(text))
    if not marks:
        yield text
    for at, mark in enumerate(marks):
        if (mark["name"] or mark["banner"]).lower() in {"user", "human"}:
            yield text[mark.end() : marks[at + 1].start() if at + 1 < len(marks) else len(text)]


def _content_tool(body: Mapping[str, Any]) -> str:
    """The first tool whose schema has a field `content`, in any protocol's form; empty where there is none."""
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else []:
        place = tool.get("function", tool) if isinstance(tool, dict) else {}
        schema = place.get("parameters") or place.get("input_schema") if isinstance(place, dict) else None
        fields = schema.get("properties") if isinstance(schema, dict) else None
        if isinstance(fields, dict) and "content" in fields:
            return str(place.get("name", ""))
    return ""
