"""The GitHub action: nothing of the outside becomes text of a script, and the exit code of the check comes through."""

import os
import re
import shutil
import subprocess

import pytest
import yaml

EXPRESSION = re.compile(r"\$\{\{")
BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="the scripts of the action need bash")


@pytest.fixture(scope="module")
def action(root):
    return yaml.safe_load((root / "action.yml").read_text("utf-8"))


@pytest.fixture(scope="module")
def steps(action):
    return action["runs"]["steps"]


def test_its_inputs(action):
    assert action["runs"]["using"] == "composite"
    assert set(action["inputs"]) == {
        "candidate", "project", "version", "python-version", "junit", "comment", "token",
    }  # fmt: skip
    assert [name for name, given in action["inputs"].items() if given.get("required")] == ["candidate"]
    assert all(given["description"] for given in action["inputs"].values())


def test_no_expression_stands_in_a_script(steps):
    assert [step["run"] for step in steps if EXPRESSION.search(step.get("run", ""))] == []


def test_every_script_names_its_shell(steps):
    assert [step for step in steps if "run" in step and step.get("shell") != "bash"] == []


def test_the_workflows_keep_expressions_out_of_their_scripts(root):
    for path in sorted((root / ".github" / "workflows").glob("*.yml")):
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
            assert [step for step in job["steps"] if EXPRESSION.search(step.get("run", ""))] == [], path.name


def script_of(steps, words):
    return next(step["run"] for step in steps if words in step.get("run", ""))


@pytest.fixture
def runner(tmp_path):
    """A runner with fakes of `python` and `gh` that write down how they were called."""
    tools = tmp_path / "bin"
    tools.mkdir()

    def fake(name, text):
        (tools / name).write_text(f"#!/bin/sh\n{text}\n", "utf-8")
        (tools / name).chmod(0o755)

    def run(script, **environ):
        given = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "RUNNER_TEMP": str(tmp_path),
                 "GITHUB_OUTPUT": str(tmp_path / "output"), "CALLS": str(tmp_path / "calls"), **environ}  # fmt: skip
        command = [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        return subprocess.run(command, cwd=tmp_path, env=given, capture_output=True, text=True, check=False)

    run.fake = fake
    run.calls = lambda: (tmp_path / "calls").read_text("utf-8").splitlines()
    run.folder = tmp_path
    return run


@pytest.mark.parametrize("code", [0, 1, 4, 7])
def test_the_exit_code_comes_through(runner, steps, code):
    runner.fake("python", f'printf "%s\\n" "$@" >> "$CALLS"; exit {code}')
    given = {"FOLDPROOF_CANDIDATE": "candidate", "FOLDPROOF_PROJECT": ".", "FOLDPROOF_JUNIT": "out.xml"}
    done = runner(script_of(steps, "foldproof check"), **given)
    assert done.returncode == code
    assert f"exit-code={code}\n" in (runner.folder / "output").read_text("utf-8")
    report = str(runner.folder / "foldproof.md")
    assert runner.calls() == ["-m", "foldproof", "check", "--project", ".", "--markdown", report,
                              "--junit", "out.xml", "--", "candidate"]  # fmt: skip


@pytest.mark.parametrize("name", ["$(touch pwned)", "`touch pwned`", '"; touch pwned; "', "--help", "a b", "*"])
def test_an_input_is_never_run(runner, steps, name):
    runner.fake("python", 'printf "%s\\n" "$@" >> "$CALLS"')
    given = {"FOLDPROOF_CANDIDATE": name, "FOLDPROOF_PROJECT": name, "FOLDPROOF_JUNIT": ""}
    assert runner(script_of(steps, "foldproof check"), **given).returncode == 0
    calls = runner.calls()
    assert (calls[4], calls[-2:], "--junit" in calls) == (name, ["--", name], False)
    assert not (runner.folder / "pwned").exists()


@pytest.mark.parametrize(("version", "asked"), [("", "foldproof"), ("0.1.0", "foldproof==0.1.0")])
def test_the_version_is_installed(runner, steps, version, asked):
    runner.fake("python", 'printf "%s\\n" "$@" >> "$CALLS"')
    assert runner(script_of(steps, "pip install"), FOLDPROOF_VERSION=version).returncode == 0
    assert runner.calls()[-1] == asked


def comment(root, runner, found, *, report="## foldproof check: blocked\n", code=0):
    """Run the script of the comment against a GitHub that has these comments of ours."""
    runner.fake("gh", f"""
echo "gh $*" >> "$CALLS"
case "$*" in
  *--paginate*) printf '%s' '{found}'; exit {code};;
  *) for word in "$@"; do case "$word" in body=@*) cp "${{word#body=@}}" "$RUNNER_TEMP/sent";; esac; done; exit {code};;
esac""")  # fmt: skip
    (runner.folder / "report.md").write_text(report, "utf-8")
    given = {"FOLDPROOF_REPORT": str(runner.folder / "report.md"), "FOLDPROOF_EXIT_CODE": "1", "GH_REPO": "acme/agent",
             "FOLDPROOF_CANDIDATE": "candidate", "FOLDPROOF_PROJECT": ".", "NUMBER": "7"}  # fmt: skip
    return runner(f'bash "{root}/scripts/comment.sh"', **given)


def test_the_first_comment_is_added(root, runner):
    assert comment(root, runner, "").returncode == 0
    assert runner.calls()[1].startswith("gh api --silent repos/acme/agent/issues/7/comments --field body=@")
    first, rest = (runner.folder / "sent").read_text("utf-8").split("\n", 1)
    assert re.fullmatch(r"<!-- foldproof:action:[0-9a-f]{16} -->", first)
    assert rest == "## foldproof check: blocked\n"


def test_a_later_one_takes_its_place(root, runner):
    assert comment(root, runner, "101\n102").returncode == 0
    assert "--method PATCH repos/acme/agent/issues/comments/101 " in runner.calls()[1]


def test_a_comment_that_cannot_be_written_is_a_warning(root, runner):
    done = comment(root, runner, "", code=1)
    assert done.returncode == 0
    assert "::warning title=foldproof::" in done.stdout


def test_without_a_report_the_comment_says_so(root, runner):
    assert comment(root, runner, "", report="").returncode == 0
    assert "came to no report (exit code 1)" in (runner.folder / "sent").read_text("utf-8")


def test_a_long_report_is_cut_and_says_so(root, runner):
    assert comment(root, runner, "", report="x" * 70000).returncode == 0
    sent = (runner.folder / "sent").read_text("utf-8")
    assert len(sent) < 65536
    assert "The report was cut" in sent
