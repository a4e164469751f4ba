"""The group knows its commands' summaries without importing them; they must be the commands' own."""

import subprocess
import sys

import click
import pytest

from foldproof.cli.app import COMMANDS, app


@pytest.fixture(scope="module")
def context():
    return click.Context(app, info_name="foldproof")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_is_the_commands_own(context, name):
    command = app.get_command(context, name)
    assert command is not None
    assert (command.short_help or (command.help or "").partition("\n")[0]) == COMMANDS[name][1]


def test_an_unknown_command_is_none(context):
    assert app.get_command(context, "chekc") is None


def test_the_page_of_the_command_line_is_generated(root):
    check_generated(root, "gen_cli_docs.py")


def test_the_page_of_the_public_names_is_generated(root):
    check_generated(root, "gen_reference_docs.py")


def check_generated(root, script):
    command = [sys.executable, str(root / "scripts" / script), "--check"]
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
