"""Whatever is written reads back; whatever is read never crashes."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.cases import (
    Case,
    CaseSession,
    CaseTurn,
    Expectation,
    Fact,
    append_cases,
    dump_set,
    load_project,
    load_set,
    set_case_field,
)
from foldproof.cases.facts import FACT_KINDS
from foldproof.cases.histories import read_history
from foldproof.cases.yaml_nodes import read_yaml
from foldproof.core import FileError
from foldproof.matching import check_fact
from foldproof.score.trials import expectation_labels

START = "# top\ncases:\n- id: zero   # first\n  question: q\n  expected_facts: [x1]\n\n# end\n"
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text.strip())
tricky = st.sampled_from(
    [
        "no",
        "on",
        "~",
        "null",
        "15:30",
        "0123",
        "1_000",
        "1.10",
        "2026-01-02",
        "order #4021",
        "#x",
        "a: b",
        "- a",
        "&a",
        "*a",
        "@a",
        "%a",
        "`a`",
        "{{a}}",
        "!a",
        "|",
        ">",
        "'",
        '"',
        "a\\b",
        "a\tb",
        "\u2028x",
        "x\x85y",
        "\x7fz",
        "a \n b",
        "x ",
        " x",
        "?",
        ": a",
        "[a]",
        "y",
        "=",
        "<<",
        "a,b",
        "---",
        "...x",
        "e\u0301",
        "\ufeffx",
        "0x1F",
        "1e3",
        ".5",
        ".inf",
        "N",
        "x:",
        "x:y",
        "\x00x",
    ]
)
text = st.one_of(texts, tricky)
names = st.text(
    st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"], exclude_characters="/"), min_size=1, max_size=20
)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), text)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(text, inner, max_size=3)),
    max_leaves=8,
)
facts = st.one_of(
    text.map(lambda value: Fact("normalized", value)),
    text.map(lambda value: Fact("exact", value)),
    st.lists(text.map(lambda value: Fact("normalized", value)), min_size=1, max_size=3).map(
        lambda some: Fact("any", any=tuple(some))
    ),
).filter(lambda fact: not check_fact(fact))


@st.composite
def cases(draw):
    return Case(
        id="c-" + draw(names),
        question=draw(text),
        case_class=draw(st.sampled_from(["semantic", "episodic", "no", "y"])),
        expected=tuple(draw(st.lists(facts, min_size=1, max_size=3))),
        memory_config=draw(st.dictionaries(text, values, max_size=3)),
        tags=tuple(draw(st.lists(text, max_size=3))),
        at=draw(st.one_of(st.just(""), text)),
    )


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@given(case=cases())
def test_any_case_survives_writing_and_loading(folder, case):
    path = folder / "replay.yaml"
    for start, name in (
        (START, "replay.yaml"),
        ('{"cases": [{"id": "zero", "question": "q", "expected_facts": ["x1"]}]}', "replay.json"),
    ):
        path = folder / name
        path.write_text(start, "utf-8")
        append_cases(path, [case])
        found = load_set(path)
        assert found.cases[1] == case
        copy = folder / "copy.yaml"
        dump_set(found, copy)
        again = load_set(copy)
        assert (again.cases, again.sha256) == (found.cases, found.sha256)
    assert (folder / "replay.yaml").read_text("utf-8").startswith(START.split("\n\n", maxsplit=1)[0])


@given(value=text, field=st.sampled_from(["question", "at"]))
def test_any_text_survives_setting(folder, value, field):
    path = folder / "set.yaml"
    path.write_text(START, "utf-8")
    set_case_field(path, "zero", field, value)
    assert getattr(load_set(path).cases[0], field) == value
    assert "# first" in path.read_text("utf-8")
    assert path.read_text("utf-8").endswith("\n# end\n")


@given(value=text)
def test_readers_of_both_yaml_versions_read_the_same_text(folder, value):
    import yaml
    from ruamel.yaml import YAML

    path = folder / "readers.yaml"
    path.write_text(START, "utf-8")
    set_case_field(path, "zero", "question", value)
    set_case_field(path, "zero", "tags", [value])
    set_case_field(path, "zero", "memory_config", {value: value})
    for load in (yaml.safe_load, YAML(typ="safe", pure=True).load):
        case = load(path.read_text("utf-8"))["cases"][0]
        assert (case["question"], case["tags"], case["memory_config"]) == (value, [value], {value: value})


yaml_like = st.lists(
    st.sampled_from(
        [
            "cases:",
            "- ",
            "  ",
            "\n",
            "id: a",
            "question",
            ": ",
            "expected_facts: ",
            "[",
            "]",
            "{",
            "}",
            "x",
            "#",
            " #",
            "&a ",
            "*a",
            "!t ",
            "'",
            '"',
            "|",
            ">",
            "\t",
            "---\n",
            "...\n",
            "? ",
            "<<: ",
            "gate: {a: 1/1}",
            "waivers: ",
            "judge: ",
            "histories: ",
            "null",
            "configs: ",
            "extends: ",
            "agent: recall",
            "production: ",
            "foldproof: 1\n",
            "%",
            "@",
            "`",
            ",",
            "\\",
            "1e999",
            "\u2028",
            "\r",
        ]
    )
).map("".join)


def told(load, path):
    """Load, or fail with problems that have a message and a place."""
    with contextlib.suppress(FileError):
        try:
            load(path)
        except FileError as error:
            faults = [item for item in error.problems if not item.message or item.line < 0]
            if faults or not error.problems:
                pytest.fail(f"a problem says nothing: {faults}")
            raise


@given(
    raw=st.one_of(
        st.binary(), yaml_like.map(str.encode), st.text().map(lambda value: value.encode("utf-8", "replace"))
    ),
    suffix=st.sampled_from([".yaml", ".json"]),
)
def test_the_loaders_raise_nothing_but_file_errors(folder, raw, suffix):
    path = folder / f"any{suffix}"
    path.write_bytes(raw)
    for load in (load_set, load_project, lambda place: read_history("h", place)):
        told(load, path)


@given(
    data=st.dictionaries(
        st.sampled_from(
            [
                "cases",
                "gate",
                "histories",
                "waivers",
                "judge",
                "name",
                "configs",
                "limits",
                "repeats",
                "baseline",
                "store",
            ]
        ),
        values,
    )
)
def test_any_json_value_is_loaded_or_explained(folder, data):
    path = folder / "value.json"
    path.write_text(json.dumps(data), "utf-8")
    for load in (load_set, load_project):
        told(load, path)


@given(yaml_like)
def test_both_yaml_parsers_agree_on_values(body):
    import yaml

    import foldproof.cases.yaml_nodes as reader
    from foldproof.cases.nodes import data_of

    trees = []
    for loader in (yaml.SafeLoader, reader.LOADER):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reader, "LOADER", loader)
            root, problems = read_yaml(body, "f")
            trees.append(None if root is None or problems else data_of(root))
    if None not in trees:
        assert trees[0] == trees[1]


expectations = st.one_of(
    st.builds(Expectation, st.sampled_from(["reply_mentions", "memory_read", "memory_write", "store_has"]), fact=facts),
    st.builds(
        lambda fields: Expectation("memory_write", fields=fields),
        st.dictionaries(
            text.filter(lambda key: key not in FACT_KINDS),
            st.sampled_from(["x", "no", "4 kits"]),
            min_size=1,
            max_size=2,
        ),
    ),
)
turns = st.builds(CaseTurn, text, st.lists(expectations, max_size=3).map(tuple))
sessions = st.builds(
    CaseSession, st.lists(turns, min_size=1, max_size=2).map(tuple), st.sampled_from(["", "then"]), st.booleans()
)


@given(held=st.lists(sessions, min_size=1, max_size=3), fact=facts)
def test_any_sessions_survive_writing_and_loading(folder, held, fact):
    path = folder / "sessions.yaml"
    path.write_text(START, "utf-8")
    case = Case("two-days", held[-1].turns[-1].user, expected=(fact,), sessions=tuple(held))
    append_cases(path, [case])
    found = load_set(path)
    assert found.cases[1] == case
    labels = expectation_labels(case)
    assert labels == expectation_labels(found.cases[1])
    assert len(set(labels)) == len(labels)
    names = [label.partition(" ")[0] for label in labels]
    places = [tuple(map(int, name[1:].split(".t"))) for name in names]
    assert places == sorted(places)
    dump_set(found, folder / "copy.yaml")
    again = load_set(folder / "copy.yaml")
    assert (again.cases, again.sha256) == (found.cases, found.sha256)
