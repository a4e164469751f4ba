"""The public API is typed as a user would write it."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy", reason="mypy comes with the extra `dev`")


def mypy(root, *arguments):
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "pyproject.toml", *map(str, arguments)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_a_user_may_write_it_so(root):
    result = mypy(root, "tests/contracts/typed_api.py")
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_wrong_call_is_told(root, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from foldproof import match_fact\nheld: str = match_fact(1, 'text').held\n", "utf-8")
    result = mypy(root, wrong)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "arg-type" in result.stdout
    assert "assignment" in result.stdout
