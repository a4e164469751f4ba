"""Whether a reworded line may be used: each verifier with what it must accept and what it must refuse."""

import pytest

from foldproof.compaction import VERIFIERS, adds_nothing, first_clause, is_identical, keeps_steps


def test_a_constraint_stays_token_for_token():
    assert is_identical("Never  push to main.", " Never push to main. ") == ""
    assert is_identical("Never push to main.", "never push to main.") == "it is not word for word what it was"
    assert is_identical("Never push to main.", "Never push to main") != ""
    assert is_identical("", "") == ""


STEP = "2. Run `make release`, wait 30 minutes, then ask Anna; do not push to `main` before that."


@pytest.mark.parametrize(
    "after",
    [
        "Run `make release`, wait 30 min, ask Anna; do not push to `main` before.",
        "2. Run `make release`; 30 minutes later ask Anna, not pushing to `main` before.",
    ],
)
def test_a_step_may_be_put_in_other_words(after):
    assert keeps_steps(STEP.removeprefix("2. "), after.removeprefix("2. ")) == ""


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (STEP, STEP.replace("30", "3"), "its numbers were '2', '30', and are '2', '3'"),
        (STEP, STEP.replace("make release", "make all"), "its commands were '`make release`', '`main`', and are"),
        (STEP, STEP.replace("Anna", "somebody"), "the name 'Anna' is gone"),
        (STEP, STEP.replace("do not", "do"), "a negation word came, went or moved"),
        ("Run it.", "Never run it.", "a negation word came, went or moved"),
        ("Deploy it; you must wait.", "Deploy it; wait.", "a binding word came, went or moved"),
        (
            "Do not push to a branch; deploy it.",
            "Push to a branch; do not deploy it.",
            "a negation word came, went or moved",
        ),
        ("Wait, you must deploy then.", "You must wait, deploy then.", "a binding word came, went or moved, at 'depl'"),
        ("Push nothing; not ever.", "Push nothing.", "a negation word came, went or moved, at 'noth'"),
        ("Restart the queue.", "The queue starts again.", "the step no longer opens with 'restart'"),
        ("Run `a`, then `b`.", "Run `b`, then `a`.", "its commands were '`a`', '`b`', and are '`b`', '`a`'"),
        ("Wait 5 min, then 10.", "Wait 10 min, then 5.", "its numbers were '5', '10', and are '10', '5'"),
        ("Call deploy --force now.", "Call deploy now.", "its commands were '--force', and are none"),
        ("Open https://a.example/x first.", "Open https://a.example/y first.", "its commands were"),
        ("Copy src/a.py there.", "Copy it there.", "its commands were 'src/a.py', and are none"),
        ("Set $HOME/bin=1 there.", "Set it there.", "its numbers were '1', and are none"),
    ],
)
def test_a_step_that_would_do_something_else_is_refused(before, after, reason):
    assert keeps_steps(before, after).startswith(reason)
    assert keeps_steps(before, before) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The billing database is Postgres 15, in Frankfurt", "The billing database is Postgres 15"),
        ("[s1] user: I like long walks by the sea", "[s1] user: I like walks by the sea"),
        ("We went to Rome in spring, by train", "We went to Rome"),
        ("I do not like tea at all", "I do not like tea"),
    ],
)
def test_a_belief_may_say_less(before, after):
    assert adds_nothing(before, after) == ""


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("The limit is 50", "The limit is 500", "the number '500' was not said"),
        ("The database runs", "The database runs on Postgres", "the name 'Postgres' was not said"),
        ("The file is there", "The file src/a.py is there", "the command 'src/a.py' was not said"),
        ("I do not like tea", "I like tea", "a negation word came, went or moved"),
        ("I like tea", "I like no tea", "a negation word came, went or moved"),
        ("Backups run at night", "Backups must run", "a binding word came, went or moved"),
        ("The sky is blue", "Grass grows tall everywhere", "it speaks of something else"),
        ("The sky is blue", "it is so", "it speaks of something else"),
        (
            "The commit is tagged with its date, and what changed is written down into CHANGES",
            "CHANGES",
            "hardly anything is left of it",
        ),
    ],
)
def test_a_belief_may_say_nothing_new(before, after, reason):
    assert adds_nothing(before, after).startswith(reason)


@pytest.mark.parametrize(
    ("line", "short"),
    [
        ("The billing database is in Frankfurt, next to the old one", "The billing database is in Frankfurt …"),
        ("We met Anna in Rome; it was warm", "We met Anna in Rome …"),
        ("We met Anna in Rome — it was warm", "We met Anna in Rome …"),
        ("We met Anna (a friend of ours) in Rome", "We met Anna …"),
        ("[s1] user: We met in Rome, in the rain", "[s1] user: We met in Rome …"),
        ("我们在罗马见面，天气很好", "我们在罗马见面 …"),
        ("Deploys are allowed, except on Fridays", None),
        ("Deploys are fine, but ask first", None),
        ("Deploys are always fine, unless it rains", None),
        ("The oven was repaired, for 1234.50", None),
        ("We eat fish, no nuts", None),
        ("You may deploy, it must be tested", None),
        ("Yes, we met in Rome", None),
        ("The list `a, b` is long", None),
        ("one clause only", None),
        ("a,b,c d e f", None),
        ("", None),
    ],
)
def test_the_first_clause_stays_true_without_the_rest(line, short):
    assert first_clause(line) == (line if short is None else short)


def test_every_type_has_a_verifier_that_refuses_something():
    for verifier in VERIFIERS.values():
        assert verifier("The limit is 50", "The limit is 500")
        assert verifier("The limit is 50", "The limit is 50") == ""
