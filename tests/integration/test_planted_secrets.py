"""Secrets of every kind, planted in all that an agent, a model or a log can say: none of them is stored or shown."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from foldproof.testing import ScriptedEndpoint, write_project

from ..secret_texts import KINDS  # noqa: TID252  # one table of secrets for two folders of tests

PLANTED = "\n".join(f"{number}. {text}" for number, (text, _) in enumerate(KINDS.values()))
SECRETS = sorted({secret for _, secret in KINDS.values()})

AGENT = """
import json, os, sys, urllib.request

planted = open("planted.txt", encoding="utf-8").read()
for line in sys.stdin:
    step = json.loads(line)
    out = {}
    if step["do"] == "reply" and "fail" in step["text"]:
        print(planted, file=sys.stderr, flush=True)
        out = {"error": "it failed: " + planted}
    elif step["do"] == "reply":
        body = {"messages": [{"role": "system", "content": planted}, {"role": "user", "content": "say"}]}
        url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        said = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
        args = {"text": planted, "nested": json.dumps({"body": json.dumps({"text": planted})}), "password": "swordfish"}
        out = {
            "text": said,
            "tool_calls": [{"name": "send", "args": args}],
            "memory_reads": [{"text": planted, "score": 1}],
            "memory_writes": [{"text": planted}],
            "prompt": planted,
        }
    elif step["do"] == "memories":
        out = {"items": [{"id": "1", "text": planted}]}
    elif step["do"] in ("fold", "snapshot"):
        out = {"unsupported": True}
    print(json.dumps(out), flush=True)
"""


def left(text: str) -> list[str]:
    """The secrets that stand in a text, as they are and as JSON and XML write them."""
    forms = {secret: {secret, json.dumps(secret)[1:-1], secret.replace("&", "&amp;")} for secret in SECRETS}
    return sorted(secret for secret, written in forms.items() if any(form in text for form in written))


def stored(folder: Path) -> Iterator[Path]:
    """Every file that a command wrote."""
    given = {"planted.txt", "agent.py", "replay.json", "foldproof.yaml", "log.jsonl", "spans.json"}
    yield from (path for path in folder.rglob("*") if path.is_file() and path.name not in given)


def test_the_planted_text_holds_every_secret() -> None:
    assert left(PLANTED) == SECRETS
    assert len(KINDS) >= 40


def test_nothing_of_a_run_or_a_check_is_stored_or_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planted.txt").write_text(PLANTED, "utf-8")
    (tmp_path / "agent.py").write_text(AGENT, "utf-8")
    cases = [
        {"id": "says", "question": "What do you know?", "expected_facts": ["Monday"]},
        {"id": "sends", "question": "Send it.", "expect": [{"tool_called": "send"}]},
        {"id": "fails", "question": "Please fail.", "expected_facts": ["Monday"]},
    ]
    configs = {
        name: {"agent": {"command": [sys.executable, "agent.py"]}, "wire": "on", "memory": {"kind": name}}
        for name in ("production", "candidate")
    }
    shown: list[str] = []
    with ScriptedEndpoint(lambda _: f"It ships on Monday.\n{PLANTED}") as endpoint:
        for config in configs.values():
            config["model"] = {"base_url": endpoint.url}
        write_project(tmp_path, cases=cases, configs=configs)
        reports = ("--junit", "out.xml", "--markdown", "out.md", "--json")
        for words in (
            ("run", "production", "--cassette", "record", *reports),
            ("baseline", "accept"),
            ("check", "candidate", "--cassette", "auto", *reports),
            ("explain", "1", "says"),
            ("explain", "1", "fails", "--json"),
            ("baseline", "show"),
        ):
            result = cli(*words)
            shown += [result.out, result.err]
            written = [path.read_text("utf-8", "replace") for path in stored(tmp_path)]
            assert {secret: words for text in [*written, *shown] for secret in left(text)} == {}
        assert any(PLANTED in str(request) or left(str(request)) for request in endpoint.requests), (
            "it went to the model"
        )
    names = {path.name for path in stored(tmp_path)}
    assert {"runs.db", "out.xml", "out.md"} <= names
    assert any(name.endswith(".jsonl") for name in names), "a cassette was written"
    with sqlite3.connect(tmp_path / ".foldproof" / "runs.db") as database:
        records = "\n".join(str(row) for row in database.execute("select record from trials"))
    assert records.count("[redacted]") > 6 * len(KINDS)
    assert "It ships on Monday" in records


def _logs(folder: Path) -> Iterator[Path]:
    once = json.dumps({"text": PLANTED, "password": "swordfish"})
    talk = [
        {"role": "user", "content": PLANTED},
        {"role": "assistant", "content": once, "tool_calls": [
            {"id": "c1", "function": {"name": "send", "arguments": json.dumps({"body": json.dumps({"in": once})})}}]},
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps([once])},
    ]  # fmt: skip
    log = folder / "log.jsonl"
    log.write_text(json.dumps({"messages": talk, "session_id": "s1", "user": "ada"}) + "\n", "utf-8")
    yield log
    headers = [
        {"key": "http.request.header.authorization", "value": {"stringValue": "Basic YWRhOmh1bnRlcjItaG9yc2U="}},
        {"key": "http.request.header.cookie", "value": {"arrayValue": {"values": [{"stringValue": "s=s3cr3t-horse"}]}}},
        {"key": "gen_ai.conversation.id", "value": {"stringValue": "s1"}},
        {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
        {"key": "gen_ai.tool.name", "value": {"stringValue": "send"}},
        {"key": "gen_ai.tool.call.arguments", "value": {"stringValue": json.dumps({"headers": {
            "Cookie": "s=s3cr3t-horse", "X-Api-Key": "9f8e7d6c5b4a39281706"}, "text": PLANTED})}},
        {"key": "gen_ai.tool.call.result", "value": {"stringValue": once}},
        {"key": "gen_ai.input.messages", "value": {"stringValue": json.dumps(
            [{"role": "user", "parts": [{"type": "text", "content": PLANTED}]}])}},
    ]  # fmt: skip
    span = {"traceId": "a" * 32, "spanId": "b" * 16, "name": "send", "startTimeUnixNano": "1767225600000000000",
            "endTimeUnixNano": "1767225600000000000", "attributes": headers}  # fmt: skip
    spans = folder / "spans.json"
    spans.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}), "utf-8")
    yield spans


def test_nothing_of_a_log_is_stored_or_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    for log in _logs(tmp_path):
        words = ("import", "logs", log.name, "--to", f"{log.stem}.history.jsonl", "--with", "tools", "--with", "system")
        result = cli(*words)
        assert result.code == 0, result.err
        history = (tmp_path / f"{log.stem}.history.jsonl").read_text("utf-8")
        assert left(history + result.out + result.err) == []
        assert history.count("[redacted]") > len(KINDS)
        assert "s3cr3t" not in history
        assert "swordfish" not in history
