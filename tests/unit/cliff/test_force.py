"""A line whose words are all there and that says less: each kind has a text that shows it, and a faithful one."""

import pytest

from foldproof.cliff.survival import SURVIVED

from .test_survival import became

LOGS = "Never store card numbers in logs."
FRIDAY = "Do not deploy on Fridays."
ASK = "You must ask before you delete a file."
LINTER = "Always run the linter before a commit."
ADMINS = "Only admins may delete projects."
MAIN = "Never push to main."
REFUNDS = "Refunds above $50 need approval."


@pytest.mark.parametrize(
    ("line", "output", "lack"),
    [
        (LOGS, "Try not to store card numbers in logs.", "weakened"),
        (LOGS, "Ideally never store card numbers in logs.", "weakened"),
        (LOGS, "Never store card numbers in logs unless debugging.", "weakened"),
        (LOGS, "Never store card numbers in logs, except when debugging.", "weakened"),
        (LOGS, "Card numbers must never be stored in logs if possible.", "weakened"),
        (LOGS, "The rule to never store card numbers in logs no longer applies.", "history"),
        (LOGS, "Store card numbers in logs, never in the database.", "turned round"),
        (LOGS, "Never mind: store card numbers in logs.", "turned round"),
        (LOGS, "Do not forget to store card numbers in logs.", "turned round"),
        (FRIDAY, "Deploy on Fridays, do not wait.", "turned round"),
        (FRIDAY, "Do not hesitate to deploy on Fridays.", "turned round"),
        (FRIDAY, "Do not only deploy on Fridays.", "turned round"),
        (FRIDAY, "Why not deploy on Fridays?", "weakened"),
        (FRIDAY, "Do not deploy on Fridays?", "weakened"),
        (ASK, "You must ask after you delete a file.", "turned round"),
        (ASK, "You must delete a file before you ask.", "turned round"),
        (ASK, "You should ask before you delete a file.", "binding"),
        (LINTER, "Run the linter after a commit.", "turned round"),
        (LINTER, "Must run the linter before a commit if you changed code.", "weakened"),
        ("Ask before merging.", "Ask before merging is optional.", "weakened"),
        (ADMINS, "Only admins and editors may delete projects.", "binding"),
        (ADMINS, "Not only admins may delete projects.", "turned round"),
        (
            "All changes must be reviewed by two engineers.",
            "Most changes must be reviewed by two engineers.",
            "weakened",
        ),
        ("Tests may not touch the network.", "Tests might not touch the network.", "weakened"),
        ("The user is allergic to penicillin.", "The user may be allergic to penicillin.", "weakened"),
        ("Keep functions under 50 lines.", "Keep functions over 50 lines.", "turned round"),
        ("Use tabs, not spaces.", "Use spaces, not tabs.", "turned round"),
        ("Use pnpm instead of npm.", "Use npm instead of pnpm.", "turned round"),
        ("Never use npm; use pnpm.", "Never use pnpm; use npm.", "turned round"),
        (REFUNDS, "Refunds above 50 EUR need approval.", "number"),
        ("Nur Admins dürfen Projekte löschen.", "Nur Admins und Gäste dürfen Projekte löschen.", "binding"),
        ("Niemals auf main pushen.", "Möglichst niemals auf main pushen.", "weakened"),
        ("Niemals auf main pushen.", "Niemals auf main pushen, außer im Notfall.", "weakened"),
        ("绝不要删除备份。", "除非必要，绝不要删除备份。", "weakened"),
        ("Do not mail customers without consent.", "Mail customers without consent.", "turned round"),
        ("Do not mail customers without consent.", "Do not mail customers with consent.", "turned round"),
        ("Erst fragen, dann löschen.", "Erst löschen, dann fragen.", "turned round"),
        ("Charge VAT at 19 percent.", "Charge VAT at 7 percent, not 19.", "turned round"),
        ("Approve refunds up to $50.", "Approve refunds over $50.", "turned round"),
        ("Use Python 3.11.", "Use Python 3.11 or newer.", "weakened"),
        ("Never share it with anyone.", "Never share it with anyone but Ben.", "weakened"),
    ],
)
def test_a_line_that_says_less_is_degraded(line, output, lack):
    assert became(line, output) == ("degraded", lack)


@pytest.mark.parametrize(
    ("line", "output"),
    [
        (LOGS, "Card numbers must not be stored in logs."),
        (FRIDAY, "On Fridays, do not deploy."),
        (FRIDAY, "User rule: do not deploy on Fridays (or before holidays)."),
        (FRIDAY, "Never deploy on Fridays. Try to release on Mondays."),
        (ASK, "Before deleting a file, you must ask."),
        (ASK, "Always ask before deleting any file."),
        (ADMINS, "Projects may only be deleted by admins."),
        (MAIN, "Never commit secrets, push to main, or skip tests."),
        (MAIN, "Pushing to main: never."),
        (MAIN, "Never push to main or dev."),
        ("Do not mail customers without consent.", "Customers: do not mail without consent."),
        ("Charge VAT at 19 percent.", "VAT: charge 19 percent, not 7."),
        (MAIN, "Pushes to main are not allowed."),
        (MAIN, "Nobody can push to main."),
        (REFUNDS, "If a refund is above $50, it needs approval."),
        ("The invoice is due in May.", "Invoice: due in May."),
        ("Send 3 mails a week.", "Send at most 3 mails a week."),
        ("Use tabs, not spaces.", "Never use spaces; use tabs."),
        ("Use pnpm instead of npm.", "Instead of npm, use pnpm."),
        ("Should we not deploy on Fridays?", "Should we not deploy on Fridays?  "),
        ("Do not forget to store the key.", "Do not forget: store the key."),
        ("Niemals auf main pushen.", "Auf main pushen ist verboten."),
    ],
)
def test_a_faithful_rewrite_survives(line, output):
    assert became(line, output)[0] in SURVIVED


def test_a_wish_is_no_less_for_a_word_of_wishing():
    line, output = "Small commits to big ones", "Ideally small commits to big ones"
    assert became(line, output, cls="preference") == ("verbatim", "")
    assert became(line, output, cls="safety") == ("degraded", "weakened")


def test_a_line_that_stands_whole_in_one_place_survives_what_another_says():
    assert became(MAIN, "Ideally never push to main.\nRules: never push to main.") == ("verbatim", "")


def test_each_sentence_of_a_line_must_stand_unweakened():
    line = f"{MAIN} Always open a request."
    assert became(line, f"Rules. {line}") == ("verbatim", "")
    assert became(line, f"Ideally {line}") == ("degraded", "weakened")
    assert became(line, f"{line[:-1]} if time allows.") == ("degraded", "weakened")
