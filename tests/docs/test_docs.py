"""The pages are carried out: what they show loads, runs and prints what they say.

The rules for a page stand in CONTRIBUTING.md, under "Pages are executed".
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from foldproof.cases import load_project, load_set

ROOT = Path(__file__).resolve().parents[2]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
         for path in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("**/*.md")))}  # fmt: skip
FENCE = re.compile(r"^(?P<indent> *)```(?P<kind>[\w-]*)[^\n]*\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"<!-- (write|skip: [^>]+) -->\s*\Z")
FILE = re.compile(r"^(?:#|//)\s+([\w./-]+\.(?:py|mjs|js|sh|yaml|yml|json|jsonl|md|toml))\s*$")
LOADED = {"replay.yaml": "set", "foldproof.yaml": "project"}
CARRIED_OUT = {"console", "python", "json", "jsonl", "yaml", "toml"}
TIMEOUT_S = 120


@dataclass(frozen=True)
class Block:
    """One fenced block; `line` counts from 1, `mark` is `write`, `skip: REASON` or empty."""

    kind: str
    text: str
    line: int
    mark: str = ""

    @property
    def first_line(self):
        return self.text.partition("\n")[0].strip()

    @property
    def file(self):
        found = FILE.match(self.first_line)
        return found[1] if found else ""


def blocks_of(text):
    found = []
    for match in FENCE.finditer(text):
        indent = len(match["indent"])
        body = "".join(line[indent:] if line.strip() else line for line in match["text"].splitlines(keepends=True))
        mark = MARK.search(text[: match.start()].rstrip(" "))
        found.append(Block(match["kind"], body, text.count("\n", 0, match.start()) + 1, mark[1] if mark else ""))
    return found


def project_of(text):
    found = re.search(r"^<!-- project: (\w+) -->$", text, re.MULTILINE)
    return found[1] if found else "starter"


def steps_of(text):
    """The commands of a console block, each with the lines that are shown below it."""
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps and steps[-1][0].endswith("\\"):
            steps[-1] = (f"{steps[-1][0][:-1].rstrip()} {line.strip().removeprefix('> ')}", [])
        elif steps:
            steps[-1][1].append(line)
    return steps


def plain(line):
    return " ".join(line.split())


def missing_line(shown, output):
    """The first shown line that the output does not have where it must be; empty where all stand there.

    `…` within a line stands for anything, alone for any number of lines. The first line may stand anywhere, the
    next ones follow it; blank lines and runs of blanks play no part.
    """
    printed = [words for line in output.splitlines() if (words := plain(line))]
    at, free = 0, True
    for line in filter(str.strip, shown):
        wanted = plain(line)
        if wanted == "…":
            free = True
            continue
        pattern = re.compile(".*".join(map(re.escape, wanted.split("…"))))
        places = range(at, len(printed) if free else min(at + 1, len(printed)))
        hit = next((place for place in places if pattern.fullmatch(printed[place])), None)
        if hit is None:
            return line
        at, free = hit + 1, False
    return ""


def anchors_of(text):
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    bare = [re.sub(r"[^\w\s-]", "", re.sub(r"[`*]", "", heading)).strip().lower() for heading in headings]
    return {re.sub(r"\s", "-", words) for words in bare}


def links_of(text):
    prose = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", prose) if not re.match(r"[a-z]+:", link)]


# --- carrying out


@pytest.fixture(scope="session")
def tools(tmp_path_factory):
    """The environment of the commands: `foldproof` on the path, no colour, no CI, nothing of this machine's keys."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "foldproof"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m foldproof "$@"\n', "utf-8")
    script.chmod(0o755)
    kept = {
        name: value for name, value in os.environ.items() if name in {"HOME", "LANG", "PATH", "PYTHONPATH", "TMPDIR"}
    }
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), kept.get("PATH", "")])
    sources = os.pathsep.join(filter(None, [str(ROOT / "src"), kept.get("PYTHONPATH", "")]))
    return {
        **kept,
        "PATH": path,
        "PYTHONPATH": sources,
        "NO_COLOR": "1",
        "PYTHONWARNINGS": "error::DeprecationWarning:foldproof",
    }


@pytest.fixture(scope="session")
def projects(tmp_path_factory, tools):
    """The folders that a page may start from, each made once."""
    made = {}

    def make(name):
        if name in made:
            return made[name]
        folder = tmp_path_factory.mktemp("project") / name
        folder.mkdir()
        lines = {
            "empty": [],
            "starter": ["foldproof init"],
            "accepted": ["foldproof init", "foldproof run production", "foldproof baseline accept"],
            "demo": ["foldproof demo --into ."],
        }[name]
        for line in lines:
            code, output = run_line(line, folder, tools)
            assert code == 0, f"$ {line}\n{output}"
        made[name] = folder
        return folder

    return make


@pytest.fixture
def folder(request, projects, tmp_path):
    """The page's own copy of its project."""
    text = PAGES[request.node.callspec.params["page"]]
    return Path(shutil.copytree(projects(project_of(text)), tmp_path / "project"))


def run_line(line, folder, environ):
    """One command as a shell runs it: its exit code and all that it printed."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environ, text=True, timeout=TIMEOUT_S, check=False, **quiet
    )
    return done.returncode, done.stdout


def run_console(block, place, environ):
    """Run the commands of a block; the folder that it ends in."""
    for command, shown in steps_of(block.text):
        first = command.split()[0]
        if first == "cd":
            place = (place / command.split()[1]).resolve()
            assert place.is_dir(), command
            continue
        if "foldproof" not in re.split(r"[\s;&|()]+", command):
            continue  # installing, editing, git: the reader's own business
        code, output = run_line(command, place, environ)
        told = f"line {block.line}: $ {command}\nexit code {code}\n{output}"
        # The last command of a line may be `echo $?`; an internal error is never what a page means to show.
        assert code != 3, told
        assert "internal error" not in output, told
        assert code in {0, 1, 7} or any(map(str.strip, shown)), told
        missing = missing_line(shown, output)
        assert not missing, f"shown but not printed: {missing}\n{told}"
    return place


def run_python(block, folder, environ):
    if block.first_line == "# fragment":
        compile(block.text, f"<line {block.line}>", "exec")
        return
    name = block.file or f"block_{block.line}.py"
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(block.text, "utf-8")
    done = subprocess.run([sys.executable, "-W", "error", name], cwd=folder, env=environ, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT_S, check=False)  # fmt: skip
    assert done.returncode == 0, f"line {block.line}:\n{done.stdout}{done.stderr}"


def data_of(block):
    if block.kind == "toml":
        return tomllib.loads(block.text)
    if block.kind == "yaml":
        return yaml.safe_load(block.text)
    with contextlib.suppress(json.JSONDecodeError):
        return json.loads(block.text)
    return [json.loads(line) for line in block.text.splitlines() if line.strip()]


def load_data(block, folder):
    """Parse a block; load it where it is a whole set or project."""
    data = data_of(block)
    if not isinstance(data, dict):
        return
    whole = LOADED.get(block.file)
    if whole is None and "cases" in data and (block.kind == "json" or "foldproof" in data):
        whole = "set"
    if whole is None and {"configs", "foldproof"} <= data.keys():
        whole = "project"
    if whole is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ("foldproof.yaml" if whole == "project" else f"replay.{block.kind}")
    path.write_text(block.text, "utf-8")
    if whole == "project":
        assert load_project(path).configs
        return
    write_histories(folder, data)
    assert load_set(path).cases


def write_histories(folder, data):
    """The files that a set names: histories that hold the turns of its sources, and a judge's prompt."""
    needed = {name: {"s1": 1} for name in data.get("histories", {})}
    for case in data["cases"]:
        for source in case.get("source", []):
            history, _, turn = source.partition("/")
            session, _, number = turn.rpartition(".t")
            sessions = needed.setdefault(history, {})
            sessions[session] = max(int(number), sessions.get(session, 1))
    for name, place in data.get("histories", {}).items():
        lines = [{"session": session, "turns": [{"role": "user", "text": f"turn {n + 1}"} for n in range(count)]}
                 for session, count in needed[name].items()]  # fmt: skip
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    if prompt := data.get("judge", {}).get("prompt"):
        (folder / prompt).parent.mkdir(parents=True, exist_ok=True)
        (folder / prompt).write_text("Does the answer state the fact?\n", "utf-8")


@pytest.mark.parametrize("page", [name for name, text in PAGES.items() if blocks_of(text)])
def test_what_a_page_shows_is_true(page, folder, tools, tmp_path):
    place = folder
    for block in blocks_of(PAGES[page]):
        if block.mark.startswith("skip") or block.kind not in CARRIED_OUT:
            continue
        if block.kind == "console":
            place = run_console(block, place, tools)
        elif block.kind == "python":
            run_python(block, place, tools)
        else:
            load_data(block, tmp_path / f"line_{block.line}")
            if block.file and (block.mark == "write" or block.file not in LOADED):
                (place / block.file).parent.mkdir(parents=True, exist_ok=True)
                (place / block.file).write_text(block.text, "utf-8")


def test_the_readme_shows_what_the_demo_prints(tools, tmp_path):
    shown = re.search(r"<!-- demo-output -->\s*```\w*\n(.*?)```\s*<!-- /demo-output -->", PAGES["README.md"], re.DOTALL)
    assert shown, "the demo's output stands between <!-- demo-output --> and <!-- /demo-output -->"
    code, output = run_line("foldproof demo", tmp_path, tools)
    assert code == 0, output
    assert len(shown[1].splitlines()) >= 10
    assert missing_line(shown[1].splitlines(), output) == ""


def test_the_readme_sets_up_with_two_lines():
    commands = re.findall(r"^python3 -m venv .+$", PAGES["README.md"], re.MULTILINE)
    assert [command.rpartition("&& ")[2] for command in commands] == [".venv/bin/foldproof demo", ".venv/bin/pytest"]
    assert PAGES["README.md"].index(commands[1]) < 2500, "both stand on the first screen"


def test_B58_the_documented_line_keeps_the_exit_code(projects, tools, tmp_path):
    folder = shutil.copytree(projects("accepted"), tmp_path / "project")
    lines = re.findall(
        r"^\$ (set -o pipefail; foldproof check candidate \| tee .*); echo", PAGES["docs/ci.md"], re.MULTILINE
    )
    assert len(lines) == 1
    assert run_line(lines[0], folder, tools)[0] == 1
    assert run_line("foldproof check candidate", folder, tools)[0] == 1


def test_B58_the_lines_that_are_warned_of_swallow_it(projects, tools, tmp_path):
    folder = shutil.copytree(projects("accepted"), tmp_path / "project")
    warned = re.findall(r"^\| `(foldproof check candidate.+)` \|", PAGES["docs/ci.md"], re.MULTILINE)
    wrappers = [line.replace("\\|", "|") for line in warned if line != "foldproof check candidate"]
    assert len(wrappers) == 3
    assert [run_line(line, folder, tools)[0] for line in wrappers] == [0, 0, 0]


@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_somewhere(page):
    broken = []
    for link in links_of(PAGES[page]):
        place, _, anchor = link.partition("#")
        there = os.path.normpath(Path(page).parent / place) if place else page
        text = PAGES.get(there)
        if (text is None and not (ROOT / there).exists()) or (anchor and anchor not in anchors_of(text or "")):
            broken.append(link)
    assert broken == []


def test_every_page_stands_in_the_navigation():
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    named = set(re.findall(r"[\w-]+\.md", json.dumps(site["nav"])))
    assert named == {name.removeprefix("docs/") for name in PAGES if name.startswith("docs/")}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_what_it_is_about_and_what_it_skips(page):
    text = PAGES[page]
    assert re.match(r"(<!-- .* -->\n+)?# \S", text)
    unmarked = [block.line for block in blocks_of(text) if not block.kind]
    assert unmarked == [], "a block without a language is carried out by nobody: name it `text`"


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("mkdocs", reason="mkdocs comes with the extra `docs`")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# --- the reader of the pages: what it must find, and what it must not let through


def test_blocks_are_found_with_their_marks():
    text = "# A\n\n<!-- skip: needs a key -->\n```console\n$ x\n```\n"
    text += "\n- b\n\n  ```python\n  # my_agent.py\n  y = 1\n  ```\n"
    first, second = blocks_of(text)
    assert (first.kind, first.mark, first.line) == ("console", "skip: needs a key", 4)
    assert (second.text, second.file, second.mark) == ("# my_agent.py\ny = 1\n", "my_agent.py", "")


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        (["a 1", "b 2"], ""),
        (["a   1"], ""),
        (["a …"], ""),
        (["a 1", "…", "d 4"], ""),
        (["a 1", "d 4"], "d 4"),
        (["b 2", "a 1"], "a 1"),
        (["a 12"], "a 12"),
        (["e"], "e"),
    ],
)
def test_a_line_that_is_not_printed_is_told(shown, missing):
    assert missing_line(shown, "a 1\n\nb  2\nc 3\nd 4\n") == missing


def test_a_wrong_block_fails(tools, tmp_path):
    with pytest.raises(AssertionError, match="shown but not printed"):
        run_console(Block("console", "$ foldproof match a a\nno such words\n", 1), tmp_path, tools)
    with pytest.raises(AssertionError, match="exit code 4"):
        run_console(Block("console", "$ foldproof chekc\n", 1), tmp_path, tools)
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        run_python(Block("python", "1 / 0\n", 1), tmp_path, tools)
    with pytest.raises(json.JSONDecodeError):
        load_data(Block("json", "{'a': 1}\n", 1), tmp_path)
    with pytest.raises(Exception, match="no_such_key"):
        load_data(Block("yaml", "# replay.yaml\nno_such_key: 1\ncases: [{id: a, question: b}]\n", 1), tmp_path)


def test_anchors_and_links():
    assert anchors_of("# Exit `codes`, all\n```\n# not one\n```\n") == {"exit-codes-all"}
    assert links_of("[a](b.md#c) [d](https://e) `[f](g)`\n```\n[h](i)\n```\n") == ["b.md#c"]
