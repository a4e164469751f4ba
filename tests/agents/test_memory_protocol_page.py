"""The memory protocol's page and its examples: what is shown there is what the programs answer."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from foldproof.agents.memories import Resources, make_memory
from foldproof.testing import write_project

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "memories"


def test_the_transcript_is_true():
    page = (ROOT / "docs" / "memory-protocol.md").read_text(encoding="utf-8")
    lines = re.search(r"```json\n(.*?)```", page, re.DOTALL)[1].splitlines()
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "last_turns.py")],
        input="\n".join(lines[::2]) + "\n",
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [json.loads(line) for line in lines[1::2]]
    assert done.stderr == ""


class Passages(BaseHTTPRequestHandler):
    """The paths of Letta's archival memory that the example uses, as its documentation describes them."""

    held: dict
    asked: list

    def log_message(self, *words):
        pass

    def answer(self, body):
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append(("POST", self.path))
        if self.path == "/v1/agents":
            return self.answer({"id": "agent-1", **body})
        passage = {"id": f"passage-{len(self.held) + 1}", "text": body["text"]}
        self.held[passage["id"]] = passage
        return self.answer([passage])

    def do_GET(self):
        parts = urlsplit(self.path)
        self.asked.append(("GET", parts.path))
        if parts.path.endswith("/search"):
            words = set(parse_qs(parts.query)["query"][0].lower().strip("?").split())
            hits = [one for one in self.held.values() if words & set(one["text"].lower().strip(".").split())]
            return self.answer({"results": [{"id": one["id"], "content": one["text"]} for one in hits]})
        return self.answer(list(self.held.values()))

    def do_DELETE(self):
        self.asked.append(("DELETE", self.path))
        self.held.pop(self.path.rpartition("/")[2], None)
        self.answer(None)


@pytest.mark.anyio
async def test_the_http_example_speaks_as_the_page_says(tmp_path, history):
    handler = type("Handler", (Passages,), {"held": {}, "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    command = [sys.executable, str(EXAMPLES / "letta_memory.py")]
    config = {"kind": "process", "command": command, "url": f"http://127.0.0.1:{server.server_port}", "k": 2}
    memory = make_memory(config, Resources(tmp_path, dict(os.environ), {}, "trial"))
    try:
        await memory.build(history)
        assert len(await memory.items()) == 4
        found = (await memory.recall("Which database for billing?")).items
        assert ["Postgres 15" in item.text for item in found] == [True]
        await memory.forget(found[0].id)
        assert (await memory.recall("Which database for billing?")).items == ()
    finally:
        await memory.close()
        server.shutdown()
        thread.join()
        server.server_close()
    assert handler.asked[0] == ("POST", "/v1/agents")
    assert handler.asked[-1] == ("DELETE", "/v1/agents/agent-1")


def test_a_program_is_run_and_explained_as_any_memory(tmp_path, capsys):
    """The last two turns of four: what stands before them is lost at retrieve, and nothing is an error."""
    from foldproof.cli.main import run

    shutil.copy(EXAMPLES / "last_turns.py", tmp_path)
    said = ["Our billing runs on Postgres 15.", "My cat is Tom.", "I moved to Leipzig.", "I drink tea."]
    turns = [{"role": "user", "text": text} for text in said]
    memory = {"kind": "process", "command": [sys.executable, "last_turns.py"], "k": 2}
    project = write_project(
        tmp_path,
        cases=[
            {"id": "old", "history": "h", "question": "Which database?", "expected_facts": ["Postgres 15"]},
            {"id": "new", "history": "h", "question": "Where do I live?", "expected_facts": ["Leipzig"]},
        ],
        histories={"h": [{"session": "s1", "turns": turns}]},
        configs={"production": {"agent": "recall", "memory": memory}},
    )
    assert run(["run", "production", "--repeat", "1", "--project", str(project), "--json"]) == 1
    cases = {case["id"]: case for case in json.loads(capsys.readouterr().out)["cases"]}
    assert {name: case["outcome"] for name, case in cases.items()} == {"old": "fail", "new": "pass"}
    assert {fact["owner"] for fact in cases["old"]["trials"][0]["facts"]} == {"retrieve"}
    assert run(["explain", "production", "old", "--project", str(project)]) == 0
    assert "Postgres 15: lost at retrieve" in capsys.readouterr().out
