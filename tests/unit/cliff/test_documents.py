"""A corpus is read as it lies there, and a line is known by what it says."""

import hashlib
import json

import pytest

from foldproof.cliff import Document, line_hash, lines_of, read_corpus
from foldproof.core import FileError, NothingSelectedError


def test_a_line_is_known_by_its_words_not_by_its_blanks():
    assert line_hash("  - Never\tpush  to main. ") == line_hash("- Never push to main.")
    assert line_hash("- never push to main.") != line_hash("- Never push to main.")
    assert line_hash("é") == line_hash("e\u0301")
    assert line_hash("- Never push") == hashlib.sha256(b"- Never push").hexdigest()


def test_lines_keep_their_place_and_equal_ones_are_told_apart():
    lines = lines_of(Document("a", "one\r\n\r\ntwo\rone\n  one\u2028still one"))
    assert [(line.place, line.number, line.text) for line in lines] == [
        (1, 1, "one"),
        (3, 1, "two"),
        (4, 2, "one"),
        (5, 1, "  one\u2028still one"),
    ]


def test_half_a_character_has_a_hash():
    assert len(line_hash("\ud800")) == 64


@pytest.fixture
def folder(tmp_path):
    texts = {"b.md": "two", "a/x.md": "one", ".hidden": "h", ".git/config": "g", "c.json": "{}", "labels.yaml": "l"}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_of_a_folder_texts_are_read_by_name_and_nothing_hidden(folder):
    assert read_corpus(folder) == (Document("a/x.md", "one"), Document("b.md", "two"))


def test_only_what_is_wanted_is_read_hidden_or_not(folder):
    (folder / "broken.md").write_bytes(b"\xff\xfe\xfd")
    wanted = [".hidden", "b.md", "c.json", "gone.md"]
    found = (Document(".hidden", "h"), Document("b.md", "two"), Document("c.json", "{}"))
    assert read_corpus(folder, only=wanted) == found


def test_nothing_outside_the_folder_is_read(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("secret", "utf-8")
    (folder / "link.md").symlink_to(outside)
    with pytest.raises(NothingSelectedError, match=r"none of the documents that are wanted is there: '.*'link.md'"):
        read_corpus(folder, only=["link.md", str(outside), f"../{outside.parent.name}/secret.md"])


def test_every_unreadable_file_is_told(folder):
    (folder / "x.md").write_bytes(b"ok\n\xff")
    (folder / "y.md").write_bytes(b"\xff")
    with pytest.raises(FileError) as told:
        read_corpus(folder)
    assert [(problem.line, "not UTF-8" in problem.message) for problem in told.value.problems] == [(2, True), (1, True)]


def test_one_file_is_a_corpus(folder):
    assert read_corpus(folder / "b.md") == (Document("b.md", "two"),)


def test_lines_of_json_are_documents(tmp_path):
    place = tmp_path / "c.jsonl"
    rows = [{"document": "b", "text": "two"}, {"document": "a", "text": "one", "more": 1}]
    place.write_text("\n\n".join(json.dumps(row) for row in rows) + "\n", "utf-8")
    assert read_corpus(place) == (Document("a", "one"), Document("b", "two"))
    assert read_corpus(place, only=["b"]) == (Document("b", "two"),)


def test_every_broken_line_of_json_is_told(tmp_path):
    place = tmp_path / "c.jsonl"
    place.write_text('{"document": "a", "text": "x"}\nno\n{"document": "a", "text": "y"}\n{"text": 1}\n'
                     '{"document": " ", "text": "z"}\n' + "[" * 2000, "utf-8")  # fmt: skip
    with pytest.raises(FileError) as told:
        read_corpus(place)
    assert [(problem.line, problem.message) for problem in told.value.problems] == [
        (2, "the line is no document"),
        (3, "document 'a' stands here a second time"),
        (4, "the line is no document"),
        (5, "the document has no name"),
        (6, "the line is no document"),
    ]


def test_an_empty_corpus_is_no_corpus(tmp_path):
    with pytest.raises(NothingSelectedError, match="holds no document"):
        read_corpus(tmp_path)
