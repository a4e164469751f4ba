"""One fragment a change, one sentence a user understands, and a release can gather them."""

import re
import subprocess
import sys

import pytest

KINDS = ("added", "changed", "fixed", "removed")


@pytest.fixture(scope="module")
def fragments(root):
    return {path.name: path.read_text("utf-8") for path in sorted((root / "changelog.d").glob("*.md"))}


def test_each_fragment_names_its_subject_and_its_kind(fragments):
    pattern = re.compile(rf"[a-z0-9-]+\.({'|'.join(KINDS)})\.md")
    assert [name for name in fragments if not pattern.fullmatch(name)] == []


def test_each_fragment_is_one_line_that_ends(fragments):
    assert [name for name, text in fragments.items() if not re.fullmatch(r"[^\n]+\.\n", text)] == []


def test_a_release_gathers_them(root, fragments):
    pytest.importorskip("towncrier", reason="towncrier comes with the extra `dev`")
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "0.0.0"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    missing = [name for name, text in fragments.items() if " ".join(text.split()).rstrip(".") not in told]
    assert missing == []


def test_the_changelog_has_its_place_for_them(root):
    assert "\n<!-- towncrier release notes start -->\n" in (root / "CHANGELOG.md").read_text("utf-8")
