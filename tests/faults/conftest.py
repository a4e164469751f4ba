"""A project whose cases are the cells of the fault matrix: each loses the same fact at another stage."""

from __future__ import annotations

import json
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from foldproof import run_set
from foldproof.agents.memories import MEMORIES, Recall
from foldproof.logs import MemoryItem, as_lines
from foldproof.testing import ScriptedModel, write_project
from foldproof.testing.faulty import FAULTS, FaultyMind

PHRASE, WEAK = "no NSAIDs", "NSAIDs"
QUESTION = "Which painkillers are fine ({})?"
HISTORY = [
    {
        "session": "s1",
        "at": "2026-03-01",
        "turns": [
            {"role": "user", "text": "Painkillers: no NSAIDs are fine for me, since I have gastritis."},
            {"role": "agent", "text": "Noted."},
            {"role": "user", "text": "The painkillers that are on my desk are from last year."},
            {"role": "user", "text": "My train leaves at nine."},
        ],
    }
]


def _case(stage, how):
    fault = {"fault": stage, "how": how or "lost", "phrase": PHRASE, "weak": WEAK, "k": 2}
    name = f"{stage or 'nothing'}-{how or 'kept'}"
    return {
        "id": name,
        "question": QUESTION.format(name),
        "history": "u",
        "memory_config": fault,
        "expected_facts": [PHRASE],
    }


class FaultyMemory:
    """The mind as a memory, for `recall` and `chat`."""

    compacts = True

    def __init__(self, settings, _):
        self._mind = FaultyMind(settings)

    async def build(self, history):
        self._mind.write(as_lines(history))

    async def fold(self):
        self._mind.fold()

    async def recall(self, question):
        given = self._mind.retrieve(question)
        return Recall(tuple(MemoryItem(item, rank=rank) for rank, item in enumerate(given, 1)))

    async def items(self):
        return tuple(MemoryItem(item) for item in self._mind.items)


@pytest.fixture(scope="session")
def upstream():
    """A model that repeats the known lines, but for questions that ask for a fault of use."""

    def answer(request):
        question = request.question.rpartition("Question: ")[2] or request.question
        known = [line for line in request.prompt.splitlines() if "desk" in line or "gastritis" in line]
        if "use-lost" in question:
            known = [line for line in known if PHRASE not in line]
        text = " ".join(known) or "I would rather ask a doctor."
        return text.replace(PHRASE, WEAK) if "use-degraded" in question else text

    with ScriptedModel(answer) as server:
        yield server


@pytest.fixture(scope="session")
def agent_server():
    """An agent behind an address: it takes the history as messages and its fault from the body."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = [turn for turn in body["messages"][:-1] if turn["role"] == "user"]
            question = body["messages"][-1]["content"]
            mind = FaultyMind(body["memory_config"])
            mind.write([{"turns": [{"role": "user", "text": turn["content"]} for turn in said]}])
            mind.fold()
            prompt = mind.prompt(question, mind.retrieve(question))
            wire = self.headers.get("x-foldproof-wire")
            if wire:
                sent = json.dumps({"model": "m", "messages": [{"role": "user", "content": prompt}]}).encode()
                asked = urllib.request.Request(f"{wire}/chat/completions", sent, {"Content-Type": "application/json"})
                with urllib.request.urlopen(asked, timeout=30) as response:
                    response.read()
            answer = {"choices": [{"message": {"role": "assistant", "content": mind.answer(prompt)}}]}
            content = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def _configurations(upstream, agent_server):
    command = [sys.executable, "-m", "foldproof.testing.faulty"]
    http = {"http": agent_server, "history": "messages", "memory_field": "memory_config"}
    return {
        "python": {"agent": "python:foldproof.testing.faulty:FaultyAgent"},
        "command": {"agent": {"command": command}, "wire": False},
        "command, wire": {"agent": {"command": [*command, "--calls"]}, "wire": {"openai": upstream.url}},
        "command, otel": {"agent": {"command": [*command, "--spans"]}, "wire": False, "otel": True},
        "http": {"agent": http, "wire": False},
        "http, wire": {"agent": http, "wire": {"openai": upstream.url}},
        "chat": {
            "agent": "chat",
            "model": {"base_url": upstream.url, "name": "scripted", "temperature": 0},
            "memory": {"kind": "faulty"},
        },
        "recall": {"agent": "recall", "memory": {"kind": "faulty"}},
    }


@pytest.fixture(scope="session")
def places():
    """The folder of each kind that has run."""
    return {}


@pytest.fixture(scope="session")
def scored(tmp_path_factory, upstream, agent_server, places):
    """Runs all cells of one kind of agent, once; gives the score of each cell."""
    done = {}
    configurations = _configurations(upstream, agent_server)

    def of(kind):
        if kind not in done:
            folder = places[kind] = tmp_path_factory.mktemp("matrix")
            write_project(
                folder,
                cases=[_case(*cell) for cell in FAULTS],
                configs={"subject": configurations[kind], "other": {"agent": "recall"}},
                histories={"u": HISTORY},
                baseline="other",
            )
            with pytest.MonkeyPatch.context() as patch:
                patch.setitem(MEMORIES._builtins, "faulty", f"{__name__}:FaultyMemory")
                patch.setitem(sys.modules, __name__, sys.modules.get(__name__) or _this_module())
                patch.chdir(folder)
                done[kind] = run_set("subject", project=folder).scores
        return done[kind]

    return of


def _this_module():
    module = type(sys)(__name__)
    module.FaultyMemory = FaultyMemory
    return module
