"""Whole command lines, in process: exit code, output, error output."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from foldproof.cli.main import run
from foldproof.testing import write_project


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document, held against its shipped schema."""
        document = json.loads(self.out)
        name = document["schema"].split("/")[1]
        schema = json.loads((files("foldproof") / "schemas" / f"{name}-1.schema.json").read_text("utf-8"))
        jsonschema.Draft202012Validator(schema).validate(document)
        return document


Cli = Callable[..., Result]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    for name in ("CI", "GITHUB_STEP_SUMMARY", "FORCE_COLOR", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*words: str | Path) -> Result:
        capsys.readouterr()
        code = run([str(word) for word in words])
        captured = capsys.readouterr()
        return Result(int(code), captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def finished_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "project"
    assert run(["demo", "--into", str(folder), "--json"]) == 0
    return folder


@pytest.fixture
def demo_project(finished_demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "demo"
    shutil.copytree(finished_demo, folder)
    monkeypatch.chdir(folder)
    return folder


AGENTS = """
import asyncio

async def good(question, memory_config):
    return f"Noted: {question} The answer is Postgres 15, on Monday."

def good_sync(question, memory_config):
    return f"Noted: {question} The answer is Postgres 15, on Monday."

async def forgetful(question, memory_config):
    return "I do not remember that."

async def raising(question, memory_config):
    raise RuntimeError("the memory server is away")

async def hanging(question, memory_config):
    await asyncio.sleep(3600)

async def apologising(question, memory_config):
    return "Sorry, I ran into an error. Please try again."

def needs_memory(question, memory_config):
    return "Postgres 15, on Monday." if memory_config.get("kind") != "none" else "I do not know."
"""
CASES = [
    {
        "id": "db",
        "class": "semantic",
        "question": "Which database?",
        "memory_config": {},
        "expected_facts": ["Postgres 15"],
    },
    {"id": "day", "class": "episodic", "question": "Which day?", "memory_config": {}, "expected_facts": ["Monday"]},
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write a project whose configurations are the agents of `AGENTS`, and go there."""

    def write(
        *, cases: list[dict[str, Any]] | None = None, replay: dict[str, Any] | None = None, **settings: Any
    ) -> Path:
        folder = tmp_path / "project"
        names = ("good", "good_sync", "forgetful", "raising", "hanging", "apologising", "needs_memory")
        configs = {name: {"agent": f"python:agents_under_test:{name}"} for name in names}
        configs["production"] = {"agent": "python:agents_under_test:good"}
        configs |= settings.pop("configs", {})
        write_project(folder, cases=cases or CASES, configs=configs, replay=replay, **settings)
        (folder / "agents_under_test.py").write_text(AGENTS, encoding="utf-8")
        monkeypatch.chdir(folder)
        return folder

    return write
