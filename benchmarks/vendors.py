"""Real memories on one replay set, from `run` to `explain`: passes, losses by owner, seconds.

Each memory runs in the interpreter that `--python KIND=PATH` names. The model and the embeddings behind them are
scripted ones on loopback, so that the same figures come out again; `--embed-url` takes an endpoint of your own.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from processes import FOLDPROOF

from foldproof.testing import ModelRequest, ScriptedModel, answer_from_context, extract_facts
from foldproof.testing.rules import sentences_of

SHOWCASE = Path(__file__).parents[1] / "src" / "foldproof" / "demo" / "showcase"
SUMMARY_CHARACTERS = 2000
CONFIGS: Mapping[str, Mapping[str, Any]] = {
    "verbatim, k 8": {"kind": "verbatim", "k": 8},
    "mem0, extracted, k 8": {"kind": "mem0", "k": 8},
    "mem0, as it is, k 8": {"kind": "mem0", "k": 8, "infer": False},
    "LangGraph store, k 8": {"kind": "langgraph", "k": 8},
    "LangMem summary, 2,000 tokens": {
        "kind": "langgraph",
        "summarize": {"max_tokens": 2000, "max_summary_tokens": 500},
    },
    "MCP graph, by words, k 8": {"kind": "mcp", "k": 8},
    "MCP graph, by question, k 8": {"kind": "mcp", "k": 8, "search": "question"},
    "OpenAI session, all": {"kind": "openai_agents"},
    "OpenAI session, last 40": {"kind": "openai_agents", "k": 40},
}
OWNERS = ("write", "fold", "retrieve", "prompt", "use", "case", "unknown")
COLUMNS = ("memory", "passes", "of", *OWNERS, "errors", "seconds", "explained")


@dataclass
class Row:
    """What one memory came to; `explained` is the case that `explain` told of, with the owner it names."""

    memory: str
    passes: int = 0
    of: int = 0
    owners: Counter[str] = field(default_factory=Counter)
    errors: int = 0
    seconds: float = 0.0
    explained: str = ""

    def cells(self) -> dict[str, Any]:
        """The row by the names of the columns."""
        losses = {owner: self.owners[owner] for owner in OWNERS}
        return {**vars(self), **losses, "seconds": round(self.seconds, 1)}


def scripted(request: ModelRequest) -> str:
    """The model behind the memories, and behind `chat`: it keeps to what it was given."""
    if request.question.startswith(("Create a summary of", "This is summary of")):
        before = request.question.partition("conversation so far: ")[2].partition("\n\nExtend this")[0].splitlines()
        new = [
            sentence
            for said in request.messages[:-1]
            if said.role == "user"
            for sentence in sentences_of(said.text)[:1]
        ]
        kept = "\n".join(dict.fromkeys([*before, *new]))
        return kept[-SUMMARY_CHARACTERS:]  # the newest, whatever it is about
    if "New Messages" in request.question:
        answer = extract_facts(request)
        return answer if isinstance(answer, str) else ""
    return answer_from_context(request, most=3)


def measured(name: str, project: Path, jobs: int) -> Row:
    """Run one configuration in a process of its own, and explain a case of it: one that fails, where there is one."""
    row = Row(name)
    started = time.perf_counter()
    command = [*FOLDPROOF, "run", "subject", "--json", "--fresh", "--yes", "-j", str(jobs)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    row.seconds = time.perf_counter() - started
    document = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    if "cases" not in document:
        raise SystemExit(f"{name}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    cases = document["cases"]
    row.of = len(cases)
    row.passes = sum(case["outcome"] == "pass" for case in cases)
    row.errors = sum(case["outcome"] == "error" for case in cases)
    for case in cases:
        for fact in case["trials"][0]["facts"]:
            if not fact["ok"] and case["outcome"] == "fail":
                row.owners[fact.get("owner") or "unknown"] += 1
    shown = next((case for case in cases if case["outcome"] != "pass"), cases[0])
    command = [*FOLDPROOF, "explain", "subject", shown["id"]]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: explain {shown['id']}: {done.stderr[-2000:]}")
    for trial in shown["trials"][:1]:
        if trial["error"]:
            print(f"{name}: {shown['id']}: {trial['error']}", file=sys.stderr)
    row.explained = shown["id"]
    return row


def memory_of(config: Mapping[str, Any], arguments: argparse.Namespace, url: str) -> dict[str, Any]:
    """The settings with the interpreter, the embeddings and the server of this machine."""
    kind = config["kind"]
    found = {**config, **({"python": arguments.python[kind]} if kind in arguments.python else {})}
    if kind == "mem0" or (kind == "langgraph" and "summarize" not in config):
        found["embed"] = {"base_url": arguments.embed_url or url, "name": arguments.embed_name}
    if kind == "mcp":
        found["command"] = ["node", str(arguments.mcp_server)]
    return found


def prepared(folder: Path, arguments: argparse.Namespace) -> Path:
    """A project with the set: the demo's, or LongMemEval's as it is imported."""
    project = folder / "project"
    if arguments.longmemeval is None:
        shutil.copytree(SHOWCASE, project)
    else:
        command = [*FOLDPROOF, "import", "longmemeval", str(arguments.longmemeval), "--into", str(project)]
        subprocess.run(command, check=True, capture_output=True)
    return project


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(str(row.cells()[name]) for name in COLUMNS)} |" for row in rows]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", default=[], metavar="KIND=PATH")
    parser.add_argument("--mcp-server", type=Path, help="dist/index.js of @modelcontextprotocol/server-memory")
    parser.add_argument("--longmemeval", type=Path, help="its data, in place of the demo's set")
    parser.add_argument("--agent", choices=["recall", "chat"], default="recall")
    parser.add_argument("--only", action="append", default=[], help="a part of a memory's name; may be repeated")
    parser.add_argument("--embed-url", default="", help="an OpenAI-compatible base URL for the embeddings")
    parser.add_argument("--embed-name", default="scripted")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    arguments.python = {
        kind: str(Path(place).absolute()) for kind, _, place in (one.partition("=") for one in arguments.python)
    }
    rows = []
    with tempfile.TemporaryDirectory() as folder, ScriptedModel(scripted) as served:
        project = prepared(Path(folder), arguments)
        for name, config in CONFIGS.items():
            if (arguments.only and not any(part in name for part in arguments.only)) or (
                config["kind"] == "mcp" and arguments.mcp_server is None
            ):
                continue
            subject = {
                "agent": arguments.agent,
                "model": {"base_url": served.url, "name": "scripted"},
                "memory": memory_of(config, arguments, served.url),
                "wire": "on",
            }
            document = {
                "foldproof": 1,
                "replay_set": "replay.yaml",
                "baseline": "reference",
                "repeats": {"always": 1},
                "configs": {"reference": {"agent": "recall"}, "subject": subject},
            }
            (project / "foldproof.yaml").write_text(json.dumps(document))  # JSON is YAML
            rows.append(measured(name, project, arguments.jobs))
            print(rows[-1], file=sys.stderr)
    print(json.dumps([row.cells() for row in rows]) if arguments.json else table(rows))


if __name__ == "__main__":
    main()
