"""The reference compactors: what each keeps of a text, and what its name and settings are."""

import math
from types import SimpleNamespace

import pytest

from foldproof.compaction import (
    REFERENCE,
    Head,
    HeadTail,
    Pinned,
    Salience,
    Tail,
    Uniform,
    UpdateAware,
    count_tokens,
)
from foldproof.compaction.salience import centrality
from foldproof.core import Registry, UsageError

KINDS = Registry("foldproof.compactors", "kind of compactor", dict(REFERENCE))
NUMBERS = "\n".join(f"line number {n:03}" for n in range(100))


def numbers(found):
    return [int(line.split()[-1]) for line in found.text.splitlines()]


def test_head_keeps_the_beginning_and_tail_the_end(compacted):
    head, tail = compacted(Head(), NUMBERS, 40), compacted(Tail(), NUMBERS, 40)
    assert numbers(head) == list(range(10))
    assert numbers(tail) == list(range(90, 100))
    assert head.notes == ("head: 10 of 100 lines kept in 40 tokens",)
    assert (head.unsafe, head.error, head.usage) == ("", "", None)


def test_what_fits_is_left_to_the_byte(compacted):
    text = " a \n\n\r\nb\t"
    for name in REFERENCE:
        found = compacted(KINDS.get(name)({}), text, 10)
        assert (found.text, found.notes) == (text, ())


def test_head_tail_keeps_both_ends(compacted):
    found = numbers(compacted(HeadTail(), NUMBERS, 40))
    assert found == [0, 1, 2, 3, 4, 95, 96, 97, 98, 99]


def test_a_line_is_cut_at_the_side_that_stays(compacted):
    text = "One is here. Two is there. Three is gone.\n" * 2
    assert compacted(Head(), text, 8).text == "One is here. Two is there. …"
    assert compacted(Tail(), text, 8).text == "… Two is there. Three is gone."


def test_uniform_spreads_what_it_keeps(compacted):
    assert numbers(compacted(Uniform(), NUMBERS, 4)) == [50]
    assert numbers(compacted(Uniform(), NUMBERS, 12)) == [25, 50, 75]
    assert numbers(compacted(Uniform(), NUMBERS, 28)) == [12, 25, 37, 50, 62, 75, 87]
    assert compacted(Uniform(), "one giant line " * 50, 10).text == ""


def test_uniform_passes_over_what_does_not_fit(compacted):
    assert compacted(Uniform(), "short\n" + "long " * 40 + "\nbrief", 5).text == "short\nbrief"


def test_salience_keeps_what_the_text_is_about(compacted):
    text = (
        "The oven of the bakery bakes bread.\nA comet passed in June.\nBread of the bakery needs the oven.\n"
        "The bakery sells bread from the oven."
    )
    kept = compacted(Salience(), text, 20).text.splitlines()
    assert len(kept) == 2
    assert "A comet passed in June." not in kept
    assert kept == [line for line in text.splitlines() if line in kept], "the order stays"


def test_centrality_is_the_mean_cosine_with_the_others():
    assert centrality([]) == []
    assert centrality(["alone"]) == [0.0]
    assert centrality(["same", "same"]) == [0.0, 0.0], "what stands in every line says nothing"
    assert centrality(["", "a", "b"]) == [0.0, 0.0, 0.0]
    assert centrality(["red", "red", "blue"]) == [0.5, 0.5, 0.0]
    assert centrality(["猫 犬", "猫", "鳥"])[0] == pytest.approx(
        0.5 * math.log(1.5) / math.hypot(math.log(1.5), math.log(3))
    )


RULES = "Never push to main.\nThe sky is blue.\nAlways ask first.\n" + "\n".join(
    f"We met man {n} ago" for n in range(40)
)


def test_pinned_holds_the_constraints_and_the_window_has_the_rest(compacted):
    found = compacted(Pinned(), RULES, 30)
    lines = found.text.splitlines()
    assert lines[:2] == ["Never push to main.", "Always ask first."]
    assert lines[2:] == [f"We met man {n} ago" for n in range(40 - len(lines) + 2, 40)]
    assert found.unsafe == ""
    assert compacted(Pinned(Head()), RULES, 30).text.splitlines()[1] == "The sky is blue."
    assert compacted(Pinned(classify=lambda lines: ["episode"] * len(lines)), RULES, 30) == compacted(
        Tail(name="pinned"), RULES, 30
    )


def test_pins_that_do_not_fit_are_unsafe(compacted):
    found = compacted(Pinned(), RULES, 5)
    assert found.text == "Always ask first."
    assert found.unsafe == (
        "the constraints alone need 10 tokens, the budget is 5: give 10 tokens or more, or split the text into 2 parts "
        "or more"
    )
    assert compacted(Pinned(), RULES, 0).text == ""
    assert "split the text into 10 parts" in compacted(Pinned(), RULES, 0).unsafe


def test_every_kind_is_made_by_its_name_and_called_as_it_was_declared(compacted):
    assert sorted(REFERENCE) == KINDS.names()
    for name in KINDS.names():
        kind = KINDS.get(name)
        assert kind({}, None).name == name
        declared = kind({}, SimpleNamespace(name="mine"))
        assert declared.name == "mine"
        found = compacted(declared, NUMBERS, 40)
        assert found.notes[0].startswith("mine: ") or name == "update_aware"
        assert count_tokens(found.text) <= 40
        with pytest.raises(UsageError, match=f"compactor '{name}' has no setting `budgets`"):
            kind({"budgets": 3})


def test_an_inner_compactor_is_named():
    assert isinstance(KINDS.get("pinned")({"inner": "head"}).inner, Head)
    assert isinstance(KINDS.get("update_aware")({"inner": "uniform"}).inner, Uniform)
    assert isinstance(KINDS.get("update_aware")({}), UpdateAware)
    with pytest.raises(UsageError, match="`inner` is 'triage', where one of"):
        KINDS.get("pinned")({"inner": "triage"})


def test_policies_of_a_compactor_are_named():
    made = KINDS.get("triage")({"policies": {"belief": "verbatim"}})
    assert {kind: policy.name for kind, policy in made.policies.items()} == {
        "constraint": "verbatim",
        "procedure": "rewrite",
        "belief": "verbatim",
        "preference": "merge",
        "episode": "gist",
    }
    with pytest.raises(UsageError, match="compactor 'triage': `policies` has the type 'beliefs'"):
        KINDS.get("triage")({"policies": {"beliefs": "verbatim"}})
    with pytest.raises(UsageError, match=r"`policies.belief` is 'gits'\n  did you mean `gist`"):
        KINDS.get("triage")({"policies": {"belief": "gits"}})
