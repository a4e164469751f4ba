"""What became of a labelled line: every outcome has a text that shows it, and one that does not."""

import pytest

from foldproof.cliff.survival import Wanted, stale_lines, survivals
from foldproof.cliff.units import stem

from .corpora import labelled


def became(line, output, *, cls="safety", key=()):
    [found] = survivals([Wanted(labelled(line, cls=cls, key=key))], output)
    return found.outcome, found.lack


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("Never push to main.", "# Rules\n- **Never** push to main.\nMore."),
        ("- Never push to main.", "first, never push to main, then rest"),
        ("Never push to main.", "You must never push to main, ask first."),
        ("Do not push.", "The user wrote this:\nDo not push."),
        ("The lab uses UTC.", "He said that the lab uses UTC."),  # no rule: a report says as much
        ("→", "→"),  # no word in it: looked for as it is
    ],
)
def test_words_that_stand_together_are_verbatim(line, output):
    assert became(line, output, cls="semantic" if "lab" in line else "safety") == ("verbatim", "")


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("Never push to main.", "Do not push to main."),
        ("Never push to main.", "Pushing is one thing; to push to main is forbidden."),
        ("You must not commit secrets to the repository.", "Never commit secrets to the repository."),
        ("Always reply by email.", "You must reply by email."),
        ("Always reply by email.", "Reply by email."),  # a command binds
        ("Avoid global state.", "Never use global state."),
        ("Refunds above $50 need approval.", "Approval: refunds above $50 need it."),
        ("The load is 15 kg at most.", "Load: 15kg at most."),
        ("Never push to main. Always open a request.", "Always open a request. Do not push to main."),
        ("Use Postgres.", "The store: Postgres"),  # a single word counts where it is a name
    ],
)
def test_key_words_with_all_that_they_came_with_are_kept(line, output):
    assert became(line, output) == ("kept", "")


@pytest.mark.parametrize(
    ("line", "output", "lack"),
    [
        ("Never push to main.", "It is fine to push to main now.", "turned round"),
        ("Never push to main.", "It is no problem to push to main.", "turned round"),
        ("Never push to main.", "It is no longer forbidden to push to main.", "turned round"),
        ("Never deploy on Friday.", "Never push to main. It is fine to deploy on Friday.", "turned round"),
        ("Use pnpm for installs.", "Do not use pnpm for installs.", "turned round"),
        ("Push to main.", "Never push to main.", "turned round"),
        ("The lab is in Lisbon.", "The lab is not in Lisbon.", "turned round"),
        ("The lab is in Lisbon.", "The lab is no longer in Lisbon.", "turned round"),
        ("The diner is gluten tested.", "The diner is tested gluten-free.", "turned round"),
        ("Refunds above $50 need approval.", "Refunds above $500 need approval.", "number"),
        ("Always reply by email.", "The user got a reply by email.", "binding"),
        ("Do NOT push", "the user had asked not to push", "history"),
        ("Do NOT push", "The user said we do not push.", "history"),  # word for word, and still only a report
        ("Use pnpm for installs.", "The user asked to use pnpm for installs.", "history"),
    ],
)
def test_an_object_without_what_it_came_with_is_degraded(line, output, lack):
    assert became(line, output) == ("degraded", lack)


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("Never push to main.", ""),
        ("Never push to main.", "  \n"),
        ("Never push to main.", "Never deploy on Friday."),
        ("The budget is $50", "The budget is $500"),
        ("Never push to main. Always open a request.", "Do not push to main."),  # half of it is gone
        ("Be careful.", "A careful reader."),  # a single common word names nothing
        ("30 minutes", "15 minutes"),
        ("→", "->"),
        ("keep it and so on", "so on"),
    ],
)
def test_what_is_not_there_is_lost(line, output):
    assert became(line, output) == ("lost", "")


@pytest.mark.parametrize(
    ("key", "output", "outcome"),
    [
        (("$50",), "at most $50", ("kept", "")),
        (("$50",), "at most $500", ("lost", "")),
        (("push to main",), "do not push to main", ("kept", "")),
        (("push to main",), "it is fine to push to main now", ("degraded", "turned round")),
        (("push to main",), "do not push the red main branch", ("lost", "")),  # the phrase must stand as it is
        (("push", "main"), "do not push the red main branch", ("kept", "")),
        (("main",), "not on main", ("kept", "")),
        (("→",), "a → b", ("kept", "")),
        (("→",), "a to b", ("lost", "")),
    ],
)
def test_a_key_says_what_must_survive(key, output, outcome):
    assert became("Never push to main with more than $50 → ask.", output, key=key) == outcome


def test_a_common_word_of_a_key_is_nothing_without_the_rest():
    line = "Each reader may take 9 books a month."
    assert became(line, "9 books, each month", key=("9", "books")) == ("kept", "")
    assert became(line, "user: I read books", key=("9", "books")) == ("lost", "")


def test_a_negation_far_from_the_key_is_none_of_its_own():
    line = "Answer by email to each of the customers that wrote in the last week, and never to the press."
    assert became(line, "Answer by email.", key=("answer", "email")) == ("kept", "")
    assert became(line, "To the press: write.", key=("press",)) == ("degraded", "turned round")


def test_what_is_left_of_a_degraded_line_is_shown():
    [found] = survivals([Wanted(labelled("Never push to main."))], "- One.\n- It is fine to push to main. Two.")
    assert found.text == "It is fine to push to main."
    [negated] = survivals([Wanted(labelled("Be careful.", cls="semantic"))], "Do not be careful.")
    assert (negated.outcome, negated.text) == ("degraded", "")


def test_an_old_value_is_stale_where_the_newer_one_is_gone():
    old = labelled("The limit is 1,800 euros at most.", place=1, replaced_by=2)
    new = labelled("The limit is 1,500 euros at most.", place=2)
    wanted = [Wanted(old), Wanted(new)]
    alone = survivals(wanted, "The limit is 1,800 euros at most.")
    assert [one.line.place for one in stale_lines(alone)] == [1]
    assert stale_lines(survivals(wanted, "The limit is 1,500 euros at most.")) == ()
    assert stale_lines(survivals(wanted, f"{old.text}\n{new.text}")) == ()


@pytest.mark.parametrize(
    ("line", "output", "outcome"),
    [
        ("keine Nüsse", "Bitte keine Nüsse bringen", "verbatim"),
        ("Niemals Nüsse servieren", "Nüsse servieren ist verboten", "kept"),
        ("Niemals Nüsse servieren", "Nüsse servieren", "degraded"),
        ("不要推送到主分支", "規則：不要推送到主分支。", "verbatim"),
    ],
)
def test_other_languages_are_read_by_the_same_rules(line, output, outcome):
    assert became(line, output)[0] == outcome


@pytest.mark.parametrize(
    "forms",
    [
        "push pushes pushed pushing",
        "add adds added adding",
        "edit edits edited editing",
        "run runs running",
        "write writes writing",
        "use uses used using",
        "carry carries carried carrying",
        "box boxes",
        "class classes",
        "need needs needed needing",
        "string strings",
        "building buildings build",
        "status",
        "bus",
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms):
    assert len({stem(word) for word in forms.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ask", "asked"),
        ("thing", "th"),
        ("king", "k"),
        ("staging", "stage2"),
        ("15", "1"),
        ("näh", "nähs"),
        ("is", "i"),
    ],
)
def test_what_is_no_form_of_a_word_keeps_its_own(one, other):
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("line", "key", "output", "outcome"),
    [
        ("Migrations are only added, an existing one is not edited.", ("migrations", "only added", "not edited"),
         "Existing migrations must not be edited; only add new ones.", "kept"),
        ("A log line contains neither an IBAN nor a name.", ("log", "neither", "iban"),
         "Logs must not contain an IBAN.", "kept"),
        ("No floating-point number may hold an amount.", ("no", "floating-point", "amount"),
         "Floating-point numbers are allowed for amounts.", "degraded"),
        ("Ask before you add a dependency.", ("ask", "before", "dependency"),
         "The user asked to be told before a dependency is added.", "lost"),
    ],
)  # fmt: skip
def test_a_key_is_found_in_what_a_model_would_write(line, key, output, outcome):
    assert became(line, output, key=key)[0] == outcome
