"""Exit codes are an API: the enum, the page and the help text say the same."""

import re

import pytest

from foldproof.core import ExitCode

ROW = re.compile(r"^\| (\d+) \| `?([\w-]+)`? \| ([^|]+) \|", re.MULTILINE)


@pytest.fixture(scope="module")
def table(root):
    rows = ROW.findall((root / "docs" / "exit-codes.md").read_text("utf-8"))
    return {int(number): (name, meaning.strip()) for number, name, meaning in rows}


def test_the_page_lists_every_code_and_no_other(table):
    assert {number: name for number, (name, _) in table.items()} == {int(code): code.name for code in ExitCode}


def test_the_page_is_in_order_and_says_what_each_means(table):
    assert list(table) == sorted(table)
    assert all(len(meaning) > 10 for _, meaning in table.values())


def test_the_numbers_are_those_of_the_contract():
    assert {code.name: int(code) for code in ExitCode} == {
        "PASS": 0,
        "BLOCKED": 1,
        "INTERRUPTED": 2,
        "INTERNAL": 3,
        "USAGE": 4,
        "NOTHING": 5,
        "INCONCLUSIVE": 7,
    }


def test_the_help_text_names_every_code():
    from foldproof.cli.app import app

    assert set(map(int, re.findall(r"\b(\d) [a-z]", app.help or ""))) == {int(code) for code in ExitCode}


def test_errors_carry_a_code_that_is_no_verdict():
    from foldproof.core import FoldproofError

    families = {error: error.exit_code for error in all_below(FoldproofError)}
    assert {error.__name__ for error, code in families.items() if code in (ExitCode.PASS, ExitCode.BLOCKED)} == set()


def all_below(family):
    import foldproof.workflow

    assert foldproof.workflow  # its import brings every error of the stages
    return {family, *(deeper for child in family.__subclasses__() for deeper in all_below(child))}
