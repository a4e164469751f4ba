"""The folders are layers, and import-linter says so on every run."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("importlinter", reason="import-linter comes with the extra `dev`")
LINT = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(folder / "src")}
    command = [sys.executable, "-c", LINT, "--no-cache"]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)


def copy_of(root: Path, folder: Path) -> Path:
    shutil.copytree(root / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy(root / "pyproject.toml", folder)
    return folder / "src" / "foldproof"


def test_the_layers_hold(root):
    result = lint_imports(root)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Contracts: 3 kept, 0 broken." in result.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("core/version.py", "from foldproof.report import json_text", "layers"),
        ("score/trials.py", "from foldproof.agents import Reply", "forbidden"),
        ("compare/gate.py", "import foldproof.compare.verdict", "acyclic"),
    ],
)
def test_a_broken_layer_is_told(root, tmp_path, module, line, contract):
    place = copy_of(root, tmp_path) / module
    text = place.read_text("utf-8")
    future = "from __future__ import annotations\n"
    place.write_text(text.replace(future, f"{future}{line}\n", 1) if future in text else f"{text}\n{line}\n", "utf-8")
    result = lint_imports(tmp_path)
    assert result.returncode == 1, result.stdout
    assert any(words.startswith(f"{contract}:") and words.endswith("BROKEN") for words in result.stdout.splitlines())


def test_a_stage_without_a_layer_is_told(root, tmp_path):
    stage = copy_of(root, tmp_path) / "helpers"
    stage.mkdir()
    (stage / "__init__.py").write_text("", "utf-8")
    assert lint_imports(tmp_path).returncode == 1


def test_the_page_of_the_architecture_says_the_same(root):
    page = (root / "ARCHITECTURE.md").read_text("utf-8")
    assert len(page.splitlines()) < 60
    told = [set(re.findall(r"`(\w+)`", row)) for row in re.findall(r"^\| \d+ \| ([^|]+) \|", page, re.MULTILINE)]
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = next(contract["layers"] for contract in settings["contracts"] if contract["type"] == "layers")
    assert told == [set(layer.split(" | ")) for layer in reversed(layers)]


def test_the_files_that_it_points_to_are_there(root, source):
    page = (root / "ARCHITECTURE.md").read_text("utf-8")
    places = re.findall(r"`([\w/]+\.py)`", page)
    assert len(places) > 10
    assert [place for place in places if not (source / place).is_file()] == []
