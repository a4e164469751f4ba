"""The labels file: what it may hold, what is wrong with it, and how it is joined to a corpus."""

import json
from importlib.resources import files

import jsonschema
import pytest
import yaml

from foldproof.cliff import (
    Document,
    Label,
    LabelledLine,
    Labels,
    Probe,
    join_labels,
    labels_schema,
    labels_text,
    line_hash,
    load_labels,
    save_labels,
)
from foldproof.core import FileError, UsageError

RULE, CARD, CREDIT = "Never push to main.", "Refunds go to the card.", "Refunds go to store credit now."
TEXT = f"# Rules\n\n- {RULE}\n{CARD}\n{CREDIT}\n- {RULE}\nfor instance:\n"
CORPUS = (Document("a.md", TEXT), Document("b.md", "Only here."))
HASH = line_hash(f"- {RULE}")
PROBE = Probe("How does it reach main?", ("pushed", "reviewed"), "reviewed")


def file_of(tmp_path, text, name="labels.yaml"):
    place = tmp_path / name
    place.write_text(text, "utf-8")
    return place


def told_by(tmp_path, text):
    with pytest.raises(FileError) as told:
        load_labels(file_of(tmp_path, text))
    return [(problem.line, problem.message, problem.hint) for problem in told.value.problems]


def one(**fields):
    row = {"document": "a.md", "sha256": HASH, "class": "safety", **fields}
    return yaml.safe_dump({"foldproof": 1, "own": True, "labels": [row]}, sort_keys=False)


FULL = Labels(
    (
        Label("a.md", HASH, "safety", by=(("ana", "safety"), ("ben", "procedure")), settled=True),
        Label("a.md", HASH, "house-rule", 2, key=("push", "main"), probe=PROBE),
        Label("a.md", line_hash(CARD), "preference"),
        Label("a.md", line_hash(CREDIT), "preference", replaces=line_hash(CARD)),
        Label("a.md", line_hash("for instance:"), "none"),
    ),
    own=True,
)


@pytest.mark.parametrize("name", ["labels.yaml", "labels.json"])
def test_what_is_saved_is_loaded_again(tmp_path, name):
    save_labels(tmp_path / name, FULL)
    loaded = load_labels(tmp_path / name)
    assert (loaded.labels, loaded.own) == (FULL.labels, True)
    assert [label.line for label in loaded.labels] == (
        [4, 5, 6, 7, 8] if name.endswith("yaml") else [5, 15, 33, 38, 44]
    )
    save_labels(tmp_path / f"again-{name}", loaded)
    assert (tmp_path / f"again-{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_what_is_saved_fits_the_shipped_schema():
    shipped = json.loads((files("foldproof") / "schemas" / "labels-1.schema.json").read_text("utf-8"))
    assert shipped == labels_schema()
    check = jsonschema.Draft202012Validator(shipped)
    check.validate(yaml.safe_load(labels_text(FULL)))
    assert not check.is_valid({"labels": [{"document": "a", "sha256": HASH}]})
    assert not check.is_valid({"labels": [{"document": "a", "sha256": "12", "class": "safety"}]})


def test_a_file_without_own_text_holds_none(tmp_path):
    stranger = Labels(FULL.labels[:1])
    text = labels_text(stranger)
    assert "own" not in text
    assert "push" not in text
    assert load_labels(file_of(tmp_path, text)).labels == stranger.labels


def test_labels_are_sorted_by_document():
    rows = labels_text(Labels((Label("b", HASH, "none"), Label("a", HASH, "none")))).splitlines()[2:]
    assert [row.split('"')[1] for row in rows] == ["a", "b"]


def test_who_labelled_and_what():
    assert FULL.documents == ("a.md",)
    assert FULL.labellers == ("ana", "ben")
    assert [label.differs for label in FULL.labels[:2]] == [True, False]
    assert (FULL.labels[0].given_by("ben"), FULL.labels[0].given_by("cleo")) == ("procedure", "")


def test_the_lines_of_a_corpus_get_their_labels():
    lines = join_labels(FULL, CORPUS)
    assert lines[1:] == (
        LabelledLine("a.md", 4, line_hash(CARD), CARD, "preference", ("refunds", "go", "card"), replaced_by=5),
        LabelledLine("a.md", 5, line_hash(CREDIT), CREDIT, "preference", ("refunds", "go", "store", "credit", "now")),
        LabelledLine("a.md", 6, HASH, f"- {RULE}", "house-rule", ("push", "main"), PROBE),
    )
    assert (lines[0].place, lines[0].key) == (3, ("never", "push", "main"))


def test_a_line_of_small_words_is_its_own_key():
    label = Label("a", line_hash("It is what it is."), "semantic")
    (line,) = join_labels(Labels((label,)), [Document("a", "It is what it is.")])
    assert line.key == ("it", "is", "what")


GONE = "use the version that was labelled, or label the line again: foldproof label"


@pytest.mark.parametrize(
    ("label", "message", "hint"),
    [
        (Label("a.mdd", HASH, "safety"), "document 'a.mdd' is not in the corpus", "did you mean `a.md`?"),
        (
            Label("a.md", HASH, "safety", 3),
            f"'a.md' has the line {HASH[:12]}… 2 times, and number 3 is labelled",
            GONE,
        ),
        (
            Label("a.md", line_hash("Only here."), "safety"),
            f"'a.md' has no line {line_hash('Only here.')[:12]}… any more: the text was changed",
            f"it stands in 'b.md'\n{GONE}",
        ),
        (
            Label("a.md", "0" * 64, "none"),
            "'a.md' has no line 000000000000… any more: the text was changed",
            GONE,
        ),
        (
            Label("a.md", line_hash(CARD), "safety", replaces=HASH),
            "`replaces` names no labelled line of 'a.md' that stands before this one",
            "write the `sha256` of the older line's label",
        ),
        (
            Label("a.md", line_hash(CARD), "safety", replaces=line_hash(CARD)),
            "`replaces` names no labelled line of 'a.md' that stands before this one",
            "write the `sha256` of the older line's label",
        ),
        (
            Label("a.md", line_hash(CARD), "safety", replaces="0" * 64),
            "`replaces` names no labelled line of 'a.md' that stands before this one",
            "write the `sha256` of the older line's label",
        ),
    ],
)
def test_a_label_without_its_line_is_told(label, message, hint):
    with pytest.raises(FileError) as told:
        join_labels(Labels((label,), file="labels.yaml"), CORPUS)
    assert [(problem.message, problem.hint) for problem in told.value.problems] == [(message, hint)]


def test_every_label_without_a_line_is_told_at_its_place():
    labels = Labels((Label("x", HASH, "safety", line=7), Label("a.md", "0" * 64, "safety", line=3)), file="l.yaml")
    with pytest.raises(FileError) as told:
        join_labels(labels, CORPUS)
    assert [problem.place for problem in told.value.problems] == ["l.yaml:3", "l.yaml:7"]


@pytest.mark.parametrize(
    ("fields", "message", "hint"),
    [
        ({"clas": "x"}, "the labels file has an unknown field `clas` in `labels[1]`", "did you mean `class`?"),
        (
            {"sha256": "ab"},
            "the labels file: `labels[1].sha256` cannot be 'ab'",
            "write the 64 hex digits that `foldproof label` writes",
        ),
        (
            {"class": "Safety"},
            "the labels file: `labels[1].class` cannot be the class 'Safety'",
            "allowed: a small letter, then up to 39 small letters, digits, `-`, `_`",
        ),
        (
            {"by": {"an a": "safety"}},
            "the labels file: `labels[1].by.an a` cannot be 'an a'",
            "allowed: a letter or digit, then up to 39 letters, digits, `.`, `_`, `@`, `-`",
        ),
        (
            {"by": {"ana": "safety", "ben": "none"}, "class": "saftey"},
            "the class is 'saftey', which nobody gave",
            "did you mean `safety`?\nif it was decided on afterwards, write `settled: true`",
        ),
        (
            {"class": "all"},
            "the labels file: `labels[1].class` cannot be the class 'all', which stands for all classes together",
            "give it another name",
        ),
        (
            {"probe": {"question": "?", "choices": ["a", "a", "b"], "right": "a"}},
            "the probe has the same choice twice",
            "take one out, or tell them apart",
        ),
        (
            {"probe": {"question": "?", "choices": ["yes", "no"], "right": "yess"}},
            "the right choice 'yess' is none of the choices",
            "did you mean `yes`?",
        ),
    ],
)
def test_what_is_wrong_with_a_label_is_told(tmp_path, fields, message, hint):
    assert [(found, told) for _, found, told in told_by(tmp_path, one(**fields))] == [(message, hint)]


def test_a_class_that_was_settled_needs_no_giver(tmp_path):
    text = one(by={"ana": "none", "ben": "safety"}, **{"class": "procedure"}, settled=True)
    assert load_labels(file_of(tmp_path, text)).labels[0].cls == "procedure"


def test_text_of_others_is_refused(tmp_path):
    text = one(key=["main"], probe={"question": "?", "choices": ["a", "b"], "right": "a"}).replace("own: true\n", "")
    told = told_by(tmp_path, text)
    assert [message for _, message, _ in told] == [
        "`key` holds text, and the file does not say that the corpus is your own",
        "`probe` holds text, and the file does not say that the corpus is your own",
    ]
    assert [line for line, _, _ in told] == [6, 8]


def test_a_line_is_labelled_once(tmp_path):
    text = one() + one().split("labels:\n")[1]
    assert told_by(tmp_path, text) == [
        (
            7,
            "the line of 'a.md' is labelled in line 4 already",
            "take one out; a second labeller's class stands under `by`",
        )
    ]


def test_a_newer_format_is_refused(tmp_path):
    assert "reads up to 1" in told_by(tmp_path, one().replace("foldproof: 1", "foldproof: 2"))[0][1]


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        save_labels(tmp_path / "file" / "labels.yaml", FULL)
