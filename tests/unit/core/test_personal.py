"""Personal data becomes pseudonyms: the same for the same value, found out by nobody without the key."""

from __future__ import annotations

import re
import sys
import time

import pytest

from foldproof.core import MissingExtraError, PersonalRedactor, Pseudonyms, UsageError
from foldproof.matching import Fact, match_fact

KEY = b"k" * 32
ALL = ("email", "phone", "iban", "card", "ip", "name")
NAMES = [["Ada Lovelace", "Ms Lovelace", "Ada"], ["李明"], ["Zoë"]]
PSEUDONYM = re.compile(r"(?:email|phone|iban|card|ip|person|user)-[b-df-hj-np-tv-xz]{12}")


def pseudonyms(*kinds, key=KEY, **more):
    return Pseudonyms(key, kinds or ALL, **more)


SAME = {
    "email": ("ada.l+x@Example.org", "Ada.L+X@example.ORG"),
    "phone": ("+49 151 23456789", "+4915123456789", "+49 (151) 234-567-89"),
    "iban": ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "de89 3704 0044 0532 0130 00"),
    "card": ("4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111"),
    "ip": ("2001:db8::ff00:42:8329", "2001:0db8:0000:0000:0000:ff00:0042:8329"),
    "name": ("Ada Lovelace", "Ms Lovelace", "Ada"),
}


@pytest.mark.parametrize("kind", SAME)
def test_a_value_is_the_same_pseudonym_however_it_is_written(kind):
    replace = pseudonyms(names=NAMES)
    told = {replace(f"It is {written}, you know.") for written in SAME[kind]}
    (one,) = told
    assert PSEUDONYM.search(one)
    assert re.fullmatch(r"It is \S+, you know\.", one)
    assert replace.counts == {kind: len(SAME[kind])}
    assert {pseudonyms(key=b"another key of 32 bytes, truly")(f"It is {SAME[kind][0]}, you know.")} != told


@pytest.mark.parametrize("kind", SAME)
def test_only_the_kinds_that_are_asked_for_are_replaced(kind):
    others = [other for other in ALL if other != kind]
    text = f"It is {SAME[kind][0]}."
    assert pseudonyms(*others, names=NAMES)(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Order 4021533345 of 2026-03-04, EO-2026-000123, $1,234.50.",
        "4111 1111 1111 1112 has a wrong check digit",
        "DE89 3704 0044 0532 0130 01",
        "react@18.2.0, ann@localhost, @ada, git@github.com:ada/x.git",
        "127.0.0.1 and ::1, 0.0.0.0, at 12:30:45, std::map, aa:bb:cc:dd:ee:ff, 300.1.2.3",
        "Adamant, Granada and adage are no names; 0151 23456789 has no country",
        "sha 9d5ed678fe57bcca610140957afab571ef0f1f9b",
        "550e8400-e29b-41d4-a716-446655440000",
        "Die Straße, la façade, 東京の天気, привет",
        "",
    ],
)
def test_what_is_no_personal_data_stays(text):
    assert pseudonyms(names=NAMES)(text) == text


def test_a_region_makes_national_numbers_known():
    here, abroad = pseudonyms("phone", region="DE"), pseudonyms("phone")
    assert here("ring 0151 23456789") == abroad("ring +49 151 23456789")


def test_names_of_scripts_without_spaces_and_with_accents_are_found():
    assert re.fullmatch(r"请给person-\w{12}打电话", pseudonyms(names=NAMES)("请给李明打电话"))
    assert re.fullmatch(r"Zoës, person-\w{12}'s", pseudonyms(names=NAMES)("Zoës, Zoë's"))


def test_replacing_twice_changes_nothing_more():
    replace = pseudonyms(names=NAMES)
    once = replace(" / ".join(written for forms in SAME.values() for written in forms))
    assert replace(once) == once
    assert len(set(PSEUDONYM.findall(once))) == len(SAME)


def test_a_fact_about_a_pseudonym_can_be_asked_for():
    replace = pseudonyms()
    fact = Fact("normalized", replace("ada@example.org"))
    assert match_fact(fact, replace("Invoices go to ADA@example.org.")).held
    assert not match_fact(fact, replace("Invoices go to ben@example.org.")).held


def test_secrets_go_first_and_objects_are_gone_through():
    clean = PersonalRedactor(pseudonyms(), {})
    told = clean.value({"to": ["ada@example.org"], "password": "ben@example.org hunter2"})
    assert told["password"] == "[redacted]"
    assert PSEUDONYM.fullmatch(told["to"][0])
    assert "[redacted]" in clean("postgres://ada:hunter2@db.example.org/x")


def test_half_a_character_is_no_harm():
    assert "email-" in pseudonyms()("\ud83d ada@example.org")


def test_a_short_key_and_an_unknown_region_are_refused():
    with pytest.raises(UsageError, match="at least 16"):
        pseudonyms(key=b"short")
    with pytest.raises(UsageError, match="'XY' is no region"):
        pseudonyms(region="XY")


@pytest.mark.parametrize(
    ("kind", "module"), [("phone", "phonenumbers"), ("iban", "stdnum.iban"), ("card", "stdnum.luhn")]
)
def test_without_its_library_a_kind_tells_the_extra(kind, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"foldproof\[personal-data\]"):
        pseudonyms(kind)
    assert pseudonyms("email", "ip")("ada@example.org") != "ada@example.org"


@pytest.mark.parametrize("text", ["1", "1 ", "a@", "a.", "4111 ", "AB12 ", "+49 ", "1:", "Ada "])
def test_no_text_takes_long(text):
    started = time.process_time()
    pseudonyms(names=NAMES)(text * (20_000 // len(text)))
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    "text",
    ["{} 12/26 123", "{} 737", "2024 {}", "7 {} 12 26", "Order 77 {}, expires 12", "{} {}", "from {}-12", "{}\n{}"],
)
@pytest.mark.parametrize("card", ["4111 1111 1111 1111", "4111111111111111", "3782 822463 10005"])
def test_a_card_is_found_beside_other_numbers(text, card):
    replace = pseudonyms("card")
    assert replace(text.replace("{}", card)) == text.replace("{}", replace(card))


def test_a_short_address_is_found_also_before_a_colon():
    replace = pseudonyms("ip")
    assert replace("fe80::1, fe80::1%eth0") == f"{replace('fe80::1')}, {replace('fe80::1')}%eth0"
    assert PSEUDONYM.fullmatch(replace("fe80::1"))
    assert replace("std::map, abc::Def, x1::2, face::bad, 12:30, a:1:2") == (
        "std::map, abc::Def, x1::2, face::bad, 12:30, a:1:2"
    )
    assert replace("fe80::1: no answer") == f"{replace('fe80::1')}: no answer"
    assert replace("2001:db8::: no answer") == "2001:db8::: no answer"
