"""Every kind of secret goes, wherever it stands; what only looks like one stays what it is."""

from __future__ import annotations

import json
import time

import pytest

from foldproof.core import REDACTED, Redactor

from ...secret_texts import JWT, KINDS, ORDINARY  # noqa: TID252  # one table of secrets for two folders of tests

REDACT = Redactor({})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["{}", "first\n{}\nlast", '"{}"', "see `{}`.", "值{}值"])
def test_a_secret_goes(kind, text):
    whole, secret = KINDS[kind]
    assert secret in whole
    if kind == "yaml" and text != "first\n{}\nlast":
        text = "{}"
    told = REDACT(text.format(whole))
    assert secret not in told
    assert REDACTED in told


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_goes_from_json_text_and_json_in_it(kind):
    whole, secret = KINDS[kind]
    once = json.dumps({"a": whole})
    for text in (once, json.dumps({"b": once}), json.dumps([[json.dumps([once])]])):
        told = REDACT(text)
        for form in {secret, json.dumps(secret)[1:-1]}:
            assert form not in told
        assert REDACTED in told


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_no_secret_stays(text):
    assert REDACT(text) == text
    assert REDACT(json.dumps({"a": text}, ensure_ascii=False)) == json.dumps({"a": text}, ensure_ascii=False)
    assert REDACT.value({"a": [text]}) == {"a": [text]}


@pytest.mark.parametrize("kind", KINDS)
def test_cleaning_twice_changes_nothing_more(kind):
    once = REDACT(KINDS[kind][0])
    assert REDACT(once) == once
    assert REDACT(json.dumps({"a": once})) == json.dumps({"a": once})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("DB_PASSWORD=swordfish", "DB_PASSWORD=[redacted]"),
        ('{"password": "swordfish", "user": "ada"}', '{"password": "[redacted]", "user": "ada"}'),
        ("my password is hunter2.", "my password is [redacted]."),
        ("x?user=ada&password=hunter2&ssl=true", "x?user=ada&password=[redacted]&ssl=true"),
        ("Cookie: a=b; c=d\nHost: x", "Cookie: [redacted]\nHost: x"),
        (f"token={JWT}, then", "token=[redacted], then"),
        ("password=abc-[redacted]", "password=[redacted]"),
        ("token: password=hunter2", "token: password=[redacted]"),
        ("redis://:hunter2@cache:6379", "redis://[redacted]@cache:6379"),
    ],
)
def test_what_stands_around_a_secret_stays(text, told):
    assert REDACT(text) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"password": "swordfish"}, {"password": REDACTED}),
        ({"password": 12345678}, {"password": REDACTED}),
        ({"password": None, "pwd": True, "passwd": 3, "user_password": ""}, None),
        ({"password": {"type": "string"}}, None),
        ({"login": {"db_password": ["swordfish", "trout"]}}, {"login": {"db_password": [REDACTED, REDACTED]}}),
        ({"authorization": "Bearer xyz"}, {"authorization": f"Bearer {REDACTED}"}),
        ({"Authorization": "required"}, None),
        ({"cookie": "sid=abc"}, {"cookie": REDACTED}),
        ({"http.request.header.cookie": ["sid=abc"]}, {"http.request.header.cookie": [REDACTED]}),
        ({"key": "http.request.header.authorization", "value": {"stringValue": "Basic abc"}},
         {"key": "http.request.header.authorization", "value": {"stringValue": f"Basic {REDACTED}"}}),
        ({"name": "x-api-key", "value": "9f8e7d6c5b4a39281706"}, {"name": "x-api-key", "value": REDACTED}),
        ([["x-api-key", "9f8e7d6c5b4a39281706"]], [["x-api-key", REDACTED]]),
        (["token", "of thanks"], None),
        ({"token": "next-week"}, None),
        ({"key": "colour", "value": "swordfish"}, None),
        ({"password": {"new_token": "a1b2c3d4e5"}}, {"password": {"new_token": REDACTED}}),
        ({"max_tokens": 4096, "page_token": "a1b2c3d4e5"}, None),
    ],
)  # fmt: skip
def test_a_key_tells_of_its_value(value, told):
    assert REDACT.value(value) == (value if told is None else told)


def test_a_known_value_goes_in_the_forms_of_json_and_addresses():
    redact = Redactor({"DB_PASSWORD": 'sword"fish/77'})
    assert redact('{"a": "sword\\"fish/77"} sword%22fish%2F77') == '{"a": "[redacted]"} [redacted]'


def test_half_a_character_beside_a_secret_stays():
    assert REDACT("\ud83d password=hunter2 \udc00") == "\ud83d password=[redacted] \udc00"


def test_a_long_value_goes_whole():
    value = "a1" * 3000
    assert REDACT(f'password="{value}" and more') == 'password="[redacted]" and more'


@pytest.mark.parametrize(
    "text",
    ["token:", "password=", "aB3", "-----BEGIN PRIVATE KEY-----", "eyJ", "curl -u ", "sk-", "password is ", "://a:"],
)
def test_no_text_takes_long(text):
    started = time.process_time()
    REDACT(text * (40_000 // len(text)))
    assert time.process_time() - started < 2
