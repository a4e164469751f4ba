"""Secrets go, ordinary text stays."""

import pytest

from foldproof.core import Redactor

SECRET = "hunter2-correct-horse"
KEY = "sk-proj-" + "a1B2" * 6


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "APIKEY",
        "MY_APIKEY",
        "key",
        "GITHUB_TOKEN",
        "CLIENT_SECRET",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PASSWD",
        "GOOGLE_CREDENTIALS",
        "AWS_CREDENTIAL",
        "AWS_SECRET_ACCESS_KEY",
    ],
)
def test_values_of_variables_that_are_named_as_secrets_go(name):
    assert Redactor({name: SECRET})(f"say {SECRET}!") == "say [redacted]!"


@pytest.mark.parametrize("name", ["PATH", "MONKEY", "TOKENIZERS_PARALLELISM", "KEYBOARD", "SECRETARY", "API_KEY_FILE"])
def test_values_of_other_variables_stay(name):
    assert Redactor({name: SECRET})(f"say {SECRET}!") == f"say {SECRET}!"


@pytest.mark.parametrize(
    "secret",
    [
        KEY,
        "sk-ant-api03-" + "x" * 30,
        "ghp_" + "a" * 36,
        "AKIA" + "A1" * 8,
        "AIza" + "b" * 35,
        "hf_" + "c" * 34,
        "xoxb-123456789012-abc",
        "github_pat_" + "d" * 22 + "_" + "E5" * 20,
        "pk-live-" + "c3D4" * 5,
        "rk-" + "abcdefghijklmno9",
        "sk-1bcdefghijklmnop",
    ],
)
@pytest.mark.parametrize("text", ["{}", "key:\n{}", "\t{}", "({}).", '"{}"', "a={}&b"])
def test_shapes_of_well_known_keys_go(secret, text):
    assert Redactor({})(text.format(secret)) == text.format("[redacted]")


def test_the_bearer_stays_and_its_token_goes():
    assert Redactor({})("Authorization: Bearer abcdef0123456789.x/y==") == "Authorization: Bearer [redacted]"
    assert Redactor({})("authorization: bearer ABCDEF0123456789") == "authorization: bearer [redacted]"
    assert Redactor({})("BEARER abc.def.ghi.jkl.mno9") == "BEARER [redacted]"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("postgresql://ann:pa55@db:5432/x", "postgresql://[redacted]@db:5432/x"),
        ("at https://ann:p%40ss:w@host/a?b, twice", "at https://[redacted]@host/a?b, twice"),
        ("redis://u:p@a and redis://u:q@b", "redis://[redacted]@a and redis://[redacted]@b"),
    ],
)
def test_the_password_of_an_address_goes_and_the_address_stays(text, told):
    assert Redactor({})(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "the bearer of good news",
        "http://localhost:8080/v1/chat",
        "http://localhost:8080 or ann@example.org",
        "https://example.org/@ann:x@y",
        "ann:secret@host",
        "mailto:ann@example.org",
        "github_pat_short",
        "task-management-for-everyone-here",
        "sk-short",
        "pk-customers-by-region",
        "see pk-customers-by-region, 2026",
        "rk_of-the-table-sk-warehouse-of-the-north",
        "sk-warehouse-of-the-north. 15 of them",
        "The bearer responsibilities lie with Ann",
        "The bearer responsibilities lie with 12 people",
        "hf_model",
        "AKIA is a prefix",
        "the risk-based-approach-of-2026",
        "",
    ],
)
def test_ordinary_text_stays(text):
    assert Redactor({})(text) == text


def test_values_under_eight_characters_stay():
    redact = Redactor({"A_KEY": "1234567", "B_KEY": "12345678"})
    assert redact("1234567 12345678") == "1234567 [redacted]"


def test_the_longer_of_two_secrets_goes_whole():
    redact = Redactor({"A_KEY": SECRET, "B_KEY": f"{SECRET}-and-more"})
    assert redact(f"{SECRET}-and-more") == "[redacted]"


def test_signs_in_a_secret_are_no_pattern():
    redact = Redactor({"A_KEY": "a.c+(d)[e"})
    assert redact("a.c+(d)[e abcc+(d)[e") == "[redacted] abcc+(d)[e"


def test_named_values_go_too_and_the_environment_is_read_by_default(monkeypatch):
    monkeypatch.setenv("FOLDPROOF_TEST_API_KEY", SECRET)
    redact = Redactor(also=("named-by-hand",))
    assert redact(f"{SECRET} named-by-hand") == "[redacted] [redacted]"


def test_every_text_in_a_json_value_is_cleaned_and_keys_stay():
    redact = Redactor({"A_KEY": SECRET})
    value = {SECRET: [SECRET, 1, None, True, {"deep": f"x {SECRET}"}]}
    assert redact.value(value) == {SECRET: ["[redacted]", 1, None, True, {"deep": "x [redacted]"}]}
