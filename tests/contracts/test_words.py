"""What must not stand in a file that is published: paths of one machine, addresses of registries, open ends."""

import re
import shutil
import subprocess

import pytest

MACHINE = re.compile(r"(?<![\w.~-])/(?:work|root|tmp/v)/")
REGISTRY = re.compile("(?i)" + "|".join(["py" + r"pi\.org", "python" + r"hosted\.org", "registry" + r"\.npmjs",
                                         "index" + "-url", r"\bart" + "ifactory"]))  # fmt: skip
OPEN_END = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
BINARY = {".png", ".ico", ".gz", ".db", ".woff2"}
# Files whose words are data, or that must name a registry to publish to it: each with its reason.
EXCEPT: dict[str, str] = {}


@pytest.fixture(scope="module")
def texts(root):
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        pytest.skip("not a git checkout: there is no list of published files")
    listing = [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")
    paths = {name: root / name for name in names if name and name not in EXCEPT}
    return {name: path.read_text("utf-8", "replace") for name, path in paths.items()
            if path.is_file() and path.suffix not in BINARY}  # fmt: skip


def lines_with(pattern, texts):
    return [f"{name}:{number}: {line.strip()[:100]}" for name, text in texts.items()
            for number, line in enumerate(text.splitlines(), 1) if pattern.search(line)]  # fmt: skip


@pytest.mark.parametrize("pattern", [MACHINE, REGISTRY, OPEN_END], ids=["machine", "registry", "open end"])
def test_no_such_word_is_published(texts, pattern):
    assert lines_with(pattern, texts) == []


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (MACHINE, "see /wo" + "rk/main"),
        (MACHINE, "'/ro" + "ot/x'"),
        (REGISTRY, "https://py" + "pi.org/simple"),
        (REGISTRY, "pip install --index" + "-url X"),
        (OPEN_END, "# TO" + "DO: later"),
    ],
)
def test_such_a_word_is_found(pattern, line):
    assert lines_with(pattern, {"a": line})


@pytest.mark.parametrize(
    "line", ["../shared/data", "src/wo" + "rk/x", "a network/wo" + "rk/ item", "GitHub's /repos/x"]
)
def test_another_word_is_not(line):
    assert lines_with(MACHINE, {"a": line}) == []
