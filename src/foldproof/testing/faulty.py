"""A fake agent that loses one phrase at a chosen stage, in whole or in part: what attribution is tested with.

`python -m foldproof.testing.faulty` speaks the agent protocol on standard input and output. With `--calls` it tells
nothing of its prompt and sends it to the model at `OPENAI_BASE_URL`; with `--spans` it tells nothing of its inside and
sends spans to `OTEL_EXPORTER_OTLP_ENDPOINT`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.agents import MemoryItem, Reply, SessionInfo
from foldproof.logs import History, as_lines

STAGES = ("write", "fold", "retrieve", "prompt", "use")
"""Where the phrase can be lost; each is also the owner that attribution has to name."""
FAULTS = (("", ""), *((stage, how) for stage in STAGES for how in ("lost", "degraded")))
"""Every fault as (stage, how); the first is none."""
_UNSURE = "I would rather ask a doctor."


class FaultyMind:
    """A memory and its use in plain steps. `fault` is a stage, `how` is `lost` or `degraded`; empty, nothing is lost.

    Lost, what holds `phrase` is left out at that stage; degraded, `phrase` becomes `weak` there. Settings come from
    a `memory_config` with these names; `k` items are given for a question.
    """

    def __init__(self, memory_config: Mapping[str, Any]) -> None:
        self.phrase = str(memory_config.get("phrase", ""))
        self.weak = str(memory_config.get("weak", ""))
        self.fault = str(memory_config.get("fault", ""))
        self.how = str(memory_config.get("how", "lost"))
        self.k = int(memory_config.get("k", 2))
        self.items: list[str] = []

    def write(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Keep what the user said in each session."""
        said = [turn["text"] for line in lines for turn in line["turns"] if turn["role"] == "user"]
        self.items = self._at("write", said)

    def fold(self) -> None:
        """Compact: the items stay, but for the fault."""
        self.items = self._at("fold", self.items)

    def retrieve(self, question: str) -> list[str]:
        """The items that share most words with the question, best first."""
        ranked = sorted(self.items, key=lambda item: -len(_words(item) & _words(question)))
        return self._at("retrieve", ranked)[: self.k]

    def prompt(self, question: str, given: Sequence[str]) -> str:
        """What a model would be sent."""
        known = "\n".join(f"- {item}" for item in self._at("prompt", list(given)))
        return f"Answer from what is known.\nKnown:\n{known}\nQuestion: {question}"

    def answer(self, prompt: str) -> str:
        """What stands in the prompt as known."""
        known = [line[2:] for line in prompt.splitlines() if line.startswith("- ")]
        return " ".join(self._at("use", known)) or _UNSURE

    def _at(self, stage: str, texts: list[str]) -> list[str]:
        if stage != self.fault:
            return texts
        if self.how == "degraded":
            return [text.replace(self.phrase, self.weak) for text in texts]
        return [text for text in texts if self.phrase not in text]


class FaultyAgent:
    """The mind as a Python agent that shows everything."""

    def __init__(self, memory_config: Mapping[str, Any]) -> None:
        self._mind = FaultyMind(memory_config)

    def ingest(self, history: History) -> None:
        """Write the history down."""
        self._mind.write(as_lines(history))

    def fold(self) -> None:
        """Compact."""
        self._mind.fold()

    def memories(self, user: str) -> list[MemoryItem]:  # noqa: ARG002  # one user a mind
        """Everything held."""
        return [MemoryItem(item) for item in self._mind.items]

    def start_session(self, info: SessionInfo) -> FaultyAgent:  # noqa: ARG002  # it has no context to keep apart
        """A session."""
        return self

    def reply(self, message: str) -> Reply:
        """The answer, with what was retrieved and the prompt."""
        given = self._mind.retrieve(message)
        prompt = self._mind.prompt(message, given)
        reads = tuple(MemoryItem(item, rank=rank) for rank, item in enumerate(given, 1))
        return Reply(self._mind.answer(prompt), memory_reads=reads, prompt=prompt)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def main(argv: Sequence[str]) -> None:
    """Speak the agent protocol until the input ends."""
    mind = FaultyMind({})
    for line in sys.stdin:
        step = json.loads(line)
        answer: dict[str, Any] = {}
        if step["do"] == "open":
            mind = FaultyMind(step["memory_config"])
        elif step["do"] == "ingest":
            mind.write(step["history"])
        elif step["do"] == "fold":
            mind.fold()
        elif step["do"] == "reply":
            answer = _reply(mind, step["text"], argv)
        elif step["do"] == "memories" and "--spans" not in argv:
            answer = {"items": [{"text": item} for item in mind.items]}
        elif step["do"] not in {"start", "close"}:
            answer = {"unsupported": True}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _reply(mind: FaultyMind, question: str, argv: Sequence[str]) -> dict[str, Any]:
    given = mind.retrieve(question)
    prompt = mind.prompt(question, given)
    answer = mind.answer(prompt)
    if "--spans" in argv:
        _post(os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces", _spans(prompt, given, answer))
        return {"text": answer}
    reads = [{"text": item} for item in given]
    if "--calls" in argv:
        body = {"model": "scripted", "messages": [{"role": "user", "content": prompt}]}
        _post(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)
        return {"text": answer, "memory_reads": reads}
    return {"text": answer, "memory_reads": reads, "prompt": prompt}


def _post(url: str, body: Mapping[str, Any]) -> None:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310  # the loopback address that the test hands over
    with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310  # as above
        response.read()


def _spans(prompt: str, given: Sequence[str], answer: str) -> dict[str, Any]:
    """One retrieval and one model call, in the OpenInference convention."""
    documents = {f"retrieval.documents.{place}.document.content": item for place, item in enumerate(given)}
    messages = {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": prompt,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": answer,
    }
    spans = [_span("01", "RETRIEVER", documents), _span("02", "LLM", messages)]
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {}, "spans": spans}]}]}


def _span(number: str, kind: str, attributes: Mapping[str, str]) -> dict[str, Any]:
    began = time.time_ns()
    told = {"openinference.span.kind": kind, **attributes}
    return {
        "traceId": "0" * 30 + "01",
        "spanId": "0" * 14 + number,
        "name": kind.lower(),
        "startTimeUnixNano": str(began),
        "endTimeUnixNano": str(began + 1000),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in told.items()],
    }


if __name__ == "__main__":
    main(sys.argv[1:])
