"""The sealed file: what it keeps, what it tells, and that each way of breaking it is told apart."""

import json
import os
import sys

import pytest

from foldproof.cases import (
    HoldoutError,
    HoldoutKey,
    cases_in_holdout,
    key_is_open,
    load_set,
    make_key,
    open_sealed,
    read_key,
    seal_set,
    sealed_header,
)
from foldproof.cases import holdout as module
from foldproof.core import FileError, MissingExtraError

pytest.importorskip("cryptography", reason="comes with the extra `holdout`")

SET = """
judge: {model: gpt-4.1-2025-04-14, prompt: judges/fact.md}
histories: {mara: ../histories/mara.jsonl}
cases:
- id: address
  history: mara
  question: Where do you send my parcels?
  expected_facts: [12 Mill Lane, {judged: names the street}]
- id: two-sessions
  sessions:
  - turns: [{user: Call me Mara.}]
  - turns: [{user: "Who am I?"}]
  expected_facts: [Mara]
"""
SECRETS = ("parcels", "Mill Lane", "Call me Mara", "names the street", "I live")


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setitem(module._SLOWLY, "n", 2)


@pytest.fixture
def key():
    return make_key()


@pytest.fixture
def source(write):
    write('{"session": "s1", "turns": [{"role": "user", "text": "I live at 12 Mill Lane."}]}', "histories/mara.jsonl")
    write("Does the answer state the fact?", "sets/judges/fact.md")
    return write(SET, "sets/second.yaml")


@pytest.fixture
def sealed(source, key, tmp_path):
    raw, _ = seal_set(source, key)
    place = tmp_path / "elsewhere" / "holdout.sealed"
    place.parent.mkdir()
    place.write_bytes(raw)
    for path in (source, tmp_path / "histories" / "mara.jsonl", tmp_path / "sets" / "judges" / "fact.md"):
        path.unlink()
    return place


def test_a_set_comes_back_with_its_histories_and_its_prompt(source, tmp_path, key):
    plain = load_set(source)
    raw, told = seal_set(source, key)
    assert told == plain
    place = tmp_path / "holdout.sealed"
    place.write_bytes(raw)
    opened = open_sealed(place, key)
    assert opened.replay_set.sha256 == plain.sha256
    assert opened.replay_set.cases == plain.cases
    assert opened.read(tmp_path / "judges" / "fact.md") == b"Does the answer state the fact?"


def test_it_is_opened_without_any_of_its_files(sealed, key):
    opened = open_sealed(sealed, key)
    assert opened.replay_set.histories["mara"].sessions[0].turns[0].text == "I live at 12 Mill Lane."
    with pytest.raises(FileError, match="not part of the holdout"):
        opened.read(sealed)


def test_nothing_of_it_can_be_read_without_the_key(sealed):
    text = sealed.read_text("ascii")
    assert [word for word in SECRETS if word in text] == []
    assert json.loads(text.partition("\n")[0])["cipher"] == "AES-256-GCM"


def test_two_seals_of_one_set_have_nothing_in_common(source, key, tmp_path):
    one, other = (json.loads(seal_set(source, key)[0].partition(b"\n")[0]) for _ in range(2))
    assert one["nonce"] != other["nonce"]
    assert not set(one["fingerprints"]) & set(other["fingerprints"])
    assert len(one["fingerprints"]) == 16


def test_a_wrong_key_is_told(sealed):
    other = make_key()
    with pytest.raises(HoldoutError, match="sealed with another key") as caught:
        open_sealed(sealed, other)
    assert other.text not in str(caught.value)


@pytest.mark.parametrize("kept", [0.3, 0.7, 0.95])
def test_a_file_that_is_cut_off_is_told(sealed, key, kept):
    raw = sealed.read_bytes()
    start = raw.index(b"\n") + 1
    sealed.write_bytes(raw[: start + int((len(raw) - start) * kept)])
    with pytest.raises(HoldoutError, match=r"is cut off: \d+ of \d+ bytes"):
        open_sealed(sealed, key)


def test_a_file_that_is_cut_off_in_its_header_is_told(sealed, key):
    sealed.write_bytes(sealed.read_bytes()[:100])
    with pytest.raises(HoldoutError, match="is cut off in its header"):
        open_sealed(sealed, key)
    sealed.write_bytes(b"")
    with pytest.raises(HoldoutError, match="no sealed holdout: it is empty"):
        open_sealed(sealed, key)


def changed(raw, **fields):
    header, _, body = raw.partition(b"\n")
    text = json.dumps({**json.loads(header), **fields}, sort_keys=True, separators=(",", ":"))
    return text.encode() + b"\n" + body


@pytest.mark.parametrize(
    "fields",
    [
        {"fingerprints": []},
        {"salt": "00" * 16},
        {"matcher": "normalized/0"},
        {"nonce": "00" * 12},
        {"length": 1},
    ],
)
def test_a_header_that_was_changed_is_told(sealed, key, fields):
    sealed.write_bytes(changed(sealed.read_bytes(), **fields))
    with pytest.raises(HoldoutError, match="was changed after it was sealed"):
        open_sealed(sealed, key)


def test_a_content_that_was_changed_is_told(sealed, key):
    raw = bytearray(sealed.read_bytes())
    at = raw.index(b"\n") + 20
    raw[at] = ord("A") if raw[at] != ord("A") else ord("B")
    sealed.write_bytes(raw)
    with pytest.raises(HoldoutError, match="was changed after it was sealed"):
        open_sealed(sealed, key)
    raw[at] = ord("!")
    sealed.write_bytes(raw)
    with pytest.raises(HoldoutError, match="is damaged"):
        open_sealed(sealed, key)


@pytest.mark.parametrize(
    "fields",
    [
        {"nonce": "zz"},
        {"nonce": "00"},
        {"salt": "00"},
        {"salt": 1},
        {"cipher": "ROT13"},
        {"fingerprints": "none"},
        {"fingerprints": [1]},
        {"length": "long"},
        {"version": "1"},
        {"more": 1},
    ],
)
def test_a_header_that_cannot_be_read_is_told(sealed, fields):
    sealed.write_bytes(changed(sealed.read_bytes(), **fields))
    with pytest.raises(HoldoutError, match="header that cannot be read"):
        sealed_header(sealed)


def test_a_newer_version_is_told(sealed, key):
    sealed.write_bytes(changed(sealed.read_bytes(), version=2))
    with pytest.raises(HoldoutError, match="has version 2, and this version of foldproof reads up to 1"):
        open_sealed(sealed, key)


@pytest.mark.parametrize("text", ["", "cases: []\n", "[]\n", '{"format": "other"}\n', "[" * 100_000])
def test_what_is_no_holdout_is_told(write, key, text):
    with pytest.raises(HoldoutError, match="no sealed holdout"):
        open_sealed(write(text, "holdout.sealed"), key)


def test_a_file_that_is_not_there_is_told(tmp_path, key):
    with pytest.raises(FileError, match="does not exist"):
        open_sealed(tmp_path / "nowhere", key)


def test_other_ends_of_lines_do_no_harm(sealed, key):
    sealed.write_bytes(sealed.read_bytes().replace(b"\n", b"\r\n"))
    assert open_sealed(sealed, key).replay_set.name == "second"


def test_a_set_that_this_version_does_not_load_is_not_quoted(source, key, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "load_set", lambda path, *, read: (read(path), load_set(source))[1])
    raw, _ = seal_set(source, key)
    monkeypatch.undo()
    place = tmp_path / "holdout.sealed"
    place.write_bytes(raw)
    with pytest.raises(HoldoutError, match="does not load with this version") as caught:
        open_sealed(place, key)
    assert "mara" not in str(caught.value)


def test_a_set_that_does_not_load_is_not_sealed(write, key):
    with pytest.raises(FileError, match="no cases"):
        seal_set(write("cases: []", "second.yaml"), key)


@pytest.fixture
def no_cipher(monkeypatch):
    for name in ("cryptography", "cryptography.exceptions", "cryptography.hazmat.primitives.ciphers.aead"):
        monkeypatch.setitem(sys.modules, name, None)


def test_the_cipher_comes_with_an_extra(source, key, no_cipher):
    with pytest.raises(MissingExtraError, match=r'pip install "foldproof\[holdout\]"'):
        seal_set(source, key)


def test_the_extra_is_needed_to_open_too(sealed, key, no_cipher):
    with pytest.raises(MissingExtraError, match=r'pip install "foldproof\[holdout\]"'):
        open_sealed(sealed, key)


def test_a_visible_case_is_found_by_its_question(sealed, load):
    header = sealed_header(sealed)
    visible = load(
        "cases:\n"
        "- {id: same, question: 'where do you send **my parcels**', expected_facts: [x]}\n"
        "- {id: other, question: Where do you send her parcels?, expected_facts: [x]}\n"
        "- {id: half, question: 'Who am I?', expected_facts: [x]}\n"
        "- {id: marks, question: '?!', expected_facts: [x]}\n"
    )
    assert cases_in_holdout(visible.cases, header) == ("same",)


def test_a_visible_case_cannot_be_compared_under_other_rules(sealed, load):
    sealed.write_bytes(changed(sealed.read_bytes(), matcher="normalized/0"))
    with pytest.raises(HoldoutError, match="cannot be seen"):
        cases_in_holdout((), sealed_header(sealed))


def test_a_guess_costs_time(monkeypatch):
    monkeypatch.undo()
    assert module._SLOWLY["n"] == 2**14
    assert len(module.fingerprint("a", bytes(16))) == 32


def test_a_key_is_read_from_the_environment_or_a_file(write, key):
    environ = {"FOLDPROOF_HOLDOUT_KEY": f" {key.text}\n"}
    assert read_key(environ) == key
    other = make_key()
    assert read_key(environ, write(f"{other.text}\n", "key")) == other
    assert other != key
    assert other.name != key.name
    assert key.text not in repr(key)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_key_that_an_editor_or_a_shell_marked_is_read(write, key, encoding):
    assert read_key({}, write(f" {key.text}\r\n".encode(encoding), "key")) == key


def test_an_empty_key_is_told(write):
    for call in (lambda: read_key({}, write("\n", "key")), lambda: read_key({"FOLDPROOF_HOLDOUT_KEY": " "})):
        with pytest.raises(HoldoutError, match="holds no key: it is empty"):
            call()


@pytest.mark.skipif(os.name != "posix", reason="only POSIX tells who may read a file by its mode")
def test_a_key_that_others_can_read_is_seen(write, key):
    file = write(key.text, "key")
    file.chmod(0o640)
    assert key_is_open(file)
    file.chmod(0o600)
    assert not key_is_open(file)


@pytest.mark.parametrize(
    "text", ["hunter2-is-my-password", "fp-holdout-short", "fp-holdout-" + "a" * 44, "\u00e9" * 43]
)
def test_what_is_no_key_is_told_and_not_shown(write, text):
    for call in (
        lambda: read_key({"FOLDPROOF_HOLDOUT_KEY": text}),
        lambda: read_key({}, write(text, "key")),
    ):
        with pytest.raises(HoldoutError, match="holds no key") as caught:
            call()
        assert text not in str(caught.value)


def test_no_key_at_all_is_told():
    with pytest.raises(HoldoutError, match="`FOLDPROOF_HOLDOUT_KEY` is not set"):
        read_key({"FOLDPROOF_HOLDOUT_KEY": ""})


def test_a_key_holds_256_bits():
    assert len(make_key().secret) == 32
    assert HoldoutKey(bytes(32)).text == "fp-holdout-" + "A" * 43
