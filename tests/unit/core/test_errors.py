"""Errors that a person can act on: exit codes, problems in order of their place, the nearest name."""

import pytest

from foldproof.core import (
    ExitCode,
    FileError,
    FoldproofError,
    MissingExtraError,
    NothingSelectedError,
    Problem,
    UsageError,
    nearest_of,
)


def test_exit_codes_are_those_of_the_design():
    assert {code.name: code.value for code in ExitCode} == {
        "PASS": 0,
        "BLOCKED": 1,
        "INTERRUPTED": 2,
        "INTERNAL": 3,
        "USAGE": 4,
        "NOTHING": 5,
        "INCONCLUSIVE": 7,
    }


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FoldproofError("x"), ExitCode.INTERNAL),
        (UsageError("x"), ExitCode.USAGE),
        (FileError([]), ExitCode.USAGE),
        (MissingExtraError("adapter 'mem0'", "mem0ai", "mem0"), ExitCode.USAGE),
        (NothingSelectedError("x"), ExitCode.NOTHING),
    ],
)
def test_each_family_has_its_exit_code(error, code):
    assert error.exit_code is code


def test_a_missing_extra_names_the_install_line():
    assert str(MissingExtraError("adapter 'mem0'", "mem0ai", "mem0")) == (
        "adapter 'mem0' needs the package `mem0ai`, which is not installed\n  run: pip install \"foldproof[mem0]\""
    )


def test_problems_of_a_file_come_sorted_by_place_and_all_at_once():
    late = Problem("b.yaml", 2, "late")
    error = FileError([late, Problem("a.yaml", 10, "ten"), Problem("a.yaml", 9, "nine"), Problem("a.yaml", 0, "whole")])
    assert [str(problem) for problem in error.problems] == [
        "a.yaml: whole",
        "a.yaml:9: nine",
        "a.yaml:10: ten",
        "b.yaml:2: late",
    ]
    assert str(error).splitlines() == [str(problem) for problem in error.problems]


def test_a_hint_stands_indented_below_its_problem():
    assert str(Problem("a.yaml", 3, "wrong", "allowed: `x`\nrun: y")) == "a.yaml:3: wrong\n  allowed: `x`\n  run: y"


@pytest.mark.parametrize(
    ("value", "allowed", "told"),
    [
        ("expect_facts", ["question", "expected_facts"], "did you mean `expected_facts`?"),
        ("zebra", ["b", "a"], "allowed: `a`, `b`"),
        ("zebra", [], "none is known"),
    ],
)
def test_nearest_name_else_all_names(value, allowed, told):
    assert nearest_of(value, iter(allowed)) == told


def test_a_long_list_of_names_is_cut_and_counted():
    told = nearest_of("zebra", [f"{number:03}" for number in range(200)])
    assert told.startswith("allowed: `000`, `001`, ")
    assert told.endswith(", `011`, 188 more")
    assert told.count("`") == 24


@pytest.mark.parametrize(("count", "end"), [(11, "`10`"), (12, "`11`"), (13, "`11`, 1 more")])
def test_no_more_than_twelve_names_are_listed(count, end):
    assert nearest_of("zebra", [f"{number:02}" for number in range(count)]).endswith(f", {end}")


def test_the_nearest_of_many_names_is_found_wherever_it_stands():
    assert nearest_of("case-150x", [f"case-{number:03}" for number in range(200)]) == "did you mean `case-150`?"
