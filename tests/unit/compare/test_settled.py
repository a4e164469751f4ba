"""What a person settled is written so that others can review it, and read back as it was."""

import json

import pytest

from foldproof.compare.settled import Said, SettledClaim, load_settled, save_settled
from foldproof.core import FileError
from foldproof.record import Claim

CLAIM = Claim("Which day?", "names a weekday", "On Monday,\nI think \ud800.")
OLD = Said("old (1)", "met", "On Monday", "it does")
NEW = Said("new (2)", "not met")


def settled(verdict="met", claim=CLAIM, case="day", new=NEW):
    return SettledClaim(case, claim, verdict, OLD, new)


def test_what_is_saved_is_read(tmp_path):
    path = tmp_path / "judges" / "settled.json"
    other = settled("not met", Claim("", "f", "a"), "a case")
    save_settled(path, [settled(), other])
    assert load_settled(path) == (other, settled())
    entry = json.loads(path.read_text("utf-8"))["claims"][1]
    assert entry["answer"] == ["On Monday,", "I think \ud800."]
    assert (entry["id"], entry["case"]) == (CLAIM.id, "day")


def test_nothing_is_settled_where_there_is_no_file(tmp_path):
    assert load_settled(tmp_path / "settled.json") == ()


@pytest.mark.parametrize(
    ("verdict", "new", "quotation"),
    [
        ("met", NEW, "On Monday"),
        ("not met", NEW, ""),
        ("met", Said("new", "met", "I think"), "I think"),
        ("not met", Said("new", "cannot tell"), ""),
    ],
)
def test_a_settlement_has_the_quotation_of_the_side_that_it_agrees_with(verdict, new, quotation):
    assert settled(verdict, new=new).settlement.quotation == quotation
    assert settled(verdict, new=new).settlement.verdict == verdict


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path):
    (tmp_path / "settled.json").mkdir()
    with pytest.raises(FileError, match="cannot be read"):
        load_settled(tmp_path / "settled.json")


@pytest.mark.parametrize("text", ["[]", '{"foldproof": 1, "claims": 3}', '{"foldproof": 0, "claims": []}'])
def test_a_document_of_another_shape_is_told(tmp_path, text):
    path = tmp_path / "settled.json"
    path.write_text(text, "utf-8")
    with pytest.raises(FileError, match="are damaged at"):
        load_settled(path)


@pytest.mark.parametrize(
    ("text", "told"), [("{", "are not JSON"), ('{"foldproof": 2}', "written by a newer foldproof")]
)
def test_a_file_that_cannot_be_read_is_told(tmp_path, text, told):
    path = tmp_path / "settled.json"
    path.write_text(text, "utf-8")
    with pytest.raises(FileError, match=told):
        load_settled(path)


def test_a_claim_that_was_edited_is_told(tmp_path):
    path = tmp_path / "settled.json"
    save_settled(path, [settled()])
    path.write_text(path.read_text("utf-8").replace("On Monday,", "On Friday,"), "utf-8")
    with pytest.raises(FileError, match=f"claim '{CLAIM.id}' was changed"):
        load_settled(path)


def test_a_claim_that_a_merge_left_settled_both_ways_is_told(tmp_path):
    path = tmp_path / "settled.json"
    save_settled(path, [settled(), settled()])
    assert len(load_settled(path)) == 2
    save_settled(path, [settled(), settled("not met")])
    with pytest.raises(FileError, match="is settled twice, as 'met' and as 'not met'"):
        load_settled(path)
