"""What makes two runs one run, and what names a listing."""

from dataclasses import replace

import pytest

from foldproof.logs import MemoryItem
from foldproof.record import StoreListing, TrialKey


@pytest.mark.parametrize(
    "change",
    [
        {"set_sha256": "s1"},
        {"config_sha256": "c1"},
        {"settings_sha256": "e1"},
        {"control": "unplugged"},
        {"fingerprint": "f1"},
        {"foldproof": "9"},
    ],
)
def test_the_identity_changes_with_what_must_agree(new_run, change):
    assert new_run(**change).identity != new_run().identity


@pytest.mark.parametrize(
    "change",
    [
        {"config": "renamed"},
        {"set_name": "other"},
        {"state": "finished"},
        {"id": 7},
        {"notes": ("x",)},
        {"started_at": "now"},
        {"config_content": {"agent": {"recall": "x"}}},
    ],
)
def test_the_identity_stays_with_everything_else(new_run, change):
    assert new_run(**change).identity == new_run().identity


def test_no_value_may_stand_for_another_in_the_identity(new_run):
    fields = ("set_sha256", "config_sha256", "settings_sha256", "fingerprint", "foldproof")
    assert len({new_run(**{name: "x"}).identity for name in fields}) == len(fields)


@pytest.mark.parametrize(("number", "name"), [(7, "0007"), (12345, "12345")])
def test_the_name_has_four_digits_at_least(new_run, number, name):
    assert new_run(id=number).name == name


def test_a_listing_is_named_by_its_items_and_their_order():
    one, two = MemoryItem("a"), MemoryItem("b")
    assert StoreListing((one, two)).sha256 == StoreListing((one, two)).sha256
    others = {StoreListing(items).sha256 for items in [(two, one), (one,), (), (replace(one, kind="k"), two)]}
    assert len(others) == 4
    assert StoreListing((one, two)).sha256 not in others


def test_the_key_of_a_trial(full_trial):
    assert full_trial.key == TrialKey("q1", 2) == ("q1", 2)
