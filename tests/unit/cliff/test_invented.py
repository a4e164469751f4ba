"""Rules of an output that nothing which was given lays down."""

import pytest

from foldproof.cliff.invented import Source

SOURCE = Source(
    ["Never push to main. Refunds need approval above $50.\nThe lab is in Lisbon.", "user: we ran the tests"]
)


@pytest.mark.parametrize(
    "output",
    [
        "Never share customer data with third parties.",
        "- Always encrypt backups at night.",
        "1. Do not email the press office.",
        "Refunds must have approval above $900.",  # the number stands nowhere
        "Pushing coffee to visitors is forbidden.",
    ],
)
def test_a_rule_without_a_source_is_invented(output):
    assert SOURCE.invented(output) == (output.removeprefix("- ").removeprefix("1. "),)


@pytest.mark.parametrize(
    "output",
    [
        "Never push to main. The lab is in Lisbon.",
        "Never push to main. …",
        "Do not push to the main branch.",
        "Refunds must have approval above $50.",
        "The cat sleeps in the window.",  # no rule
        "We ran no tests.",  # it denies, and commands nothing
        "Never again.",  # too little to say where it comes from
        "",
    ],
)
def test_what_has_a_source_or_rules_nothing_is_not(output):
    assert SOURCE.invented(output) == ()
