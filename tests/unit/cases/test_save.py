from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest

from foldproof.cases import (
    Case,
    Fact,
    JudgePin,
    Requirement,
    Source,
    Waiver,
    append_cases,
    dump_set,
    load_set,
    set_case_field,
)
from foldproof.core import FileError, UsageError
from foldproof.logs import History, Session, Turn

COMMENTED = """\
# what support must remember
foldproof: 1
cases:
  - id: a   # the first
    question: q one   # why: it was asked
    expected_facts: ['x', "no"]   # a list

  # between
  - id: b
    question: |
      several
      lines

    expected_facts:
      - z   # the last

# about waivers
waivers: []
"""
NEW = Case(
    "new",
    "what: #4?",
    expected=(Fact("normalized", "no"), Fact("any", any=(Fact("normalized", "15:30"), Fact("exact", "a  b")))),
    forbidden=(Fact("number", "0123"),),
    memory_config={"k": 1, "deep": {"list": [1, "2", None, {}, []]}},
    tags=("x", "y"),
    at="2026-01-02",
)


def test_appending_leaves_every_other_byte(write):
    path = write(COMMENTED)
    append_cases(path, [NEW])
    text = path.read_text()
    before, after = COMMENTED.split("\n# about waivers")
    assert text.startswith(before)
    assert text.endswith("\n# about waivers" + after)
    assert load_set(path).cases[2] == NEW
    assert "  - id: new\n    class: semantic\n" in text


@pytest.mark.parametrize("text", [COMMENTED, "cases: []  # none\n", '{ "cases":[] }'])
def test_appending_nothing_writes_nothing(write, text):
    path = write(text)
    append_cases(path, [])
    assert path.read_text() == text


# Everything that a library for YAML likes to write anew.
WRITTEN = """\


# the file's own comment
---   # starts here
# what support must remember

foldproof: 1
name: 0123   # a text
gate:   # fixed

  # strict
  safety: all

cases:   # several

- id: traps   # id

  # before the list
  expected_facts:   # beside the key
  # before the first
  - 0123
  - 1_000   # beside an item

  - 1.10
  - 2026-01-02
  # between
  - 15:30
  - 0o17
  - 1e3
  - ~
  - no
  - "null"   # null
  - ""
  - 'it''s'
  - "\\u2028 \\xe9 \\/ é 😀"
  - a:b#c, d [e] {f}
  # after the last
  class: safety
  source: [15:30, a:b, -, 'x', "no", {number: 1.10}, [], {}]   # in brackets
  forbidden_facts: []
  history:   # nothing
  until:
  memory_config: {k: 0123, deep: {list: [1, ~]}}
  question: LONG
    goes on in the next line

    and the one after   # beside
  at: "also in quotes
    goes on"

- id: last
  question: |2
      led by blanks
    \tand a tab. # no comment
  tags: [a]
  at: >-
    folded

    text


# after the cases
waivers: []   # none

# the end

...
# after the end
""".replace("LONG", "long " * 60 + "text")


def shifted(text):
    """The same with the list of cases, and the lists in them, indented by two blanks."""
    head, cases, rest = re.split(r"(?<=several\n)|(?=\n\n# after the cases)", text)
    lines, in_list = [], False
    for line in cases.split("\n"):
        in_list = line.startswith("  expected_facts:") or (in_list and not line.startswith("  class:"))
        key = line.startswith("  expected_facts:") or "before the list" in line
        lines.append(("    " if in_list and not key else "  ") + line if line else line)
    return head + "\n".join(lines) + rest


@pytest.mark.parametrize("text", [WRITTEN, shifted(WRITTEN)])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_in_the_usual_layouts_every_line_stays(write, text, newline):
    place = "\n\n\n# after the cases"
    before, after = text.split(place)
    raw = text.replace("\n", newline).encode()
    path = write(raw)
    append_cases(path, [replace(NEW, id="n1"), replace(NEW, id="n2")])
    found = path.read_bytes().decode().replace(newline, "\n")
    assert found.startswith(before + "\n")
    assert found.endswith(place + after)
    assert re.findall(r"\n *- id: (\w+)", found) == ["traps", "last", "n1", "n2"]
    path = write(raw)
    set_case_field(path, "last", "class", "safety")
    set_case_field(path, "last", "tags", ["b"])
    indent = re.search(r"\n( *)tags", text)[1]
    changed = text.replace("tags: [a]", "tags: [b]").replace(place, f"\n{indent}class: safety{place}")
    assert path.read_bytes().decode().replace(newline, "\n") == changed


def test_in_other_layouts_content_and_comments_stay(write):
    path = write(
        "gate:\n    safety: all\ncases:\n    -   id: a # x\n        k: 1.10   \n        l: [ a,\n          b ]\n# end\n"
    )
    set_case_field(path, "a", "memory_config", {"k": {"m": [1]}})
    assert path.read_text() == (
        "gate:\n    safety: all\ncases:\n    -   id: a # x\n        k: 1.10\n        l: [a, b]\n"
        "        memory_config:\n            k:\n                m:\n                    -   1\n# end\n"
    )


def test_keys_in_quotes_and_a_comma_too_many(write):
    path = write('{"cases": [{\'id\': a, "question": 15:30,}]}\n')
    set_case_field(path, "a", "at", "no, never")
    set_case_field(path, "a", "question", "x")
    assert path.read_text() == '{"cases": [{\'id\': a, "question": "x", "at": "no, never"}]}\n'


def test_json_keeps_its_indentation_and_its_escapes(write):
    text = '{\n\t"cases": [\n\t\t{\n\t\t\t"id": "a",\n\t\t\t"question": "\\u00e9"\n\t\t}\n\t]\n}\n\n'
    path = write(text, "replay.json")
    set_case_field(path, "a", "at", "é")
    assert path.read_text("utf-8") == text.replace('"\\u00e9"', '"\\u00e9",\n\t\t\t"at": "\\u00e9"')
    path = write(text.replace("\\u00e9", "😀"), "replay.json")
    set_case_field(path, "a", "question", "é")
    assert path.read_text("utf-8") == text.replace("\\u00e9", "é")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_mark_and_mode_stay(write, newline, mark):
    raw = (mark + COMMENTED.replace("\n", newline)).encode()
    path = write(raw)
    path.chmod(0o640)
    append_cases(path, [NEW])
    set_case_field(path, "a", "question", "other")
    changed = path.read_bytes()
    assert changed.startswith(raw[:60])
    assert changed.count(b"\n") == changed.count(newline.encode())
    assert path.stat().st_mode & 0o777 == 0o640
    assert load_set(path).case("a").question == "other"


def test_a_link_stays_a_link(write, tmp_path):
    write(COMMENTED, "real.yaml")
    link = tmp_path / "link.yaml"
    link.symlink_to("real.yaml")
    append_cases(link, [NEW])
    assert link.is_symlink()
    assert load_set(tmp_path / "real.yaml").cases[2] == NEW


@pytest.mark.parametrize(
    ("case", "field", "value", "line"),
    [
        ("a", "question", "on", '    question: "on"   # why: it was asked'),
        ("a", "expected_facts", ["y", "z, y"], "      - z, y   # a list"),
        ("a", "tags", ["n1"], "    tags: [n1]"),
        ("a", "abstain", True, "    abstain: true"),
        ("b", "question", "one line", "    question: one line"),
        ("b", "expected_facts", ["w"], "    expected_facts: [w]   # the last"),
        ("b", "memory_config", {"k": 3}, "    memory_config:"),
    ],
)
def test_setting_a_field(write, case, field, value, line):
    path = write(COMMENTED)
    set_case_field(path, case, field, value)
    text = path.read_text()
    assert line in [re.sub(" +#", "   #", found) for found in text.splitlines()]  # a comment may move sideways
    for comment in ("# what support must remember", "# the first", "# between", "# about waivers"):
        assert comment in text
    assert len(load_set(path).cases) == 2


def test_flow_and_json_files_are_changed_in_place(write):
    text = '{"cases": [{"id":"q1","question":"x","memory_config":{},"expected_facts":["y"]}]}'
    for name in ("replay.json", "replay.yaml"):
        path = write(text, name)
        append_cases(path, [NEW, replace(NEW, id="newer")])
        set_case_field(path, "new", "question", "other")
        set_case_field(path, "q1", "tags", ["no"])
        found = load_set(path)
        assert [case.id for case in found.cases] == ["q1", "new", "newer"]
        assert (found.case("new"), found.case("newer")) == (replace(NEW, question="other"), replace(NEW, id="newer"))
        assert found.case("q1").tags == ("no",)
    path = write('{"cases": []}', "empty.json")
    append_cases(path, [NEW])
    assert load_set(path).cases == (NEW,)


def test_the_first_case_of_an_empty_list_starts_a_block(write):
    path = write("# top\ncases: []\nwaivers: []\n")
    append_cases(path, [NEW])
    assert path.read_text().startswith("# top\ncases:\n- id: new\n  class: semantic\n")
    assert path.read_text().endswith("\nwaivers: []\n")
    assert load_set(path).cases == (NEW,)


def test_what_cannot_be_changed_is_refused_and_left(write):
    path = write(COMMENTED)
    with pytest.raises(UsageError, match="has no case 'c'"):
        set_case_field(path, "c", "question", "x")
    path = write("cases: [3, {id: a}]\n")
    with pytest.raises(UsageError, match="allowed: `None`, `a`"):
        set_case_field(path, "c", "question", "x")
    with pytest.raises(FileError, match="has no list of `cases`"):
        append_cases(write("cases: 3\n"), [NEW])
    with pytest.raises(FileError, match="starts a comment"):
        append_cases(write("a: b #c\ncases: []\n"), [NEW])
    odd = "cases:\n- id: a\n  question: q\n  expected_facts: [x]\n...\n"
    path = write(odd.replace("expected_facts: [x]", "'expected_facts': [x,\n  y]; z"))
    with pytest.raises(FileError):
        append_cases(path, [NEW])


@pytest.mark.parametrize(
    "text",
    [
        "cases: [{id: a, question: q, expected_facts: [x]}, ]\n",
        '{"cases": [{"id": "a"}]}',
        '{"cases": [{"id": "a", "memory_config": {"k": 1e999}}]}',
    ],
)
@pytest.mark.parametrize("value", ["\ud800", float("nan"), object()])
def test_a_change_that_would_not_read_back_is_refused(write, text, value):
    path = write(text)
    with pytest.raises(UsageError, match="cannot be changed"):
        set_case_field(path, "a", "at", value)
    assert path.read_text() == text


@pytest.mark.parametrize(
    "text",
    [
        "cases:\n- id: a\n  tags: [x, # lost by the library\n    y]\n",
        "cases:\n- id: a\t# the library takes no tab here\n",
    ],
)
def test_what_the_library_cannot_keep_is_refused(write, text):
    path = write(text)
    with pytest.raises(UsageError, match="cannot be changed"):
        set_case_field(path, "a", "at", "x")
    assert path.read_text() == text


def test_a_failing_write_leaves_the_old_file_and_no_other(write, monkeypatch):
    path = write(COMMENTED)
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(UsageError, match="cannot be written: No space left"):
        append_cases(path, [NEW])
    assert path.read_text() == COMMENTED
    assert [item.name for item in path.parent.iterdir()] == ["replay.yaml"]


def test_a_whole_set_is_written_and_loads_equal(write, tmp_path):
    prompt = write("judge", "judges/fact.md")
    history = History("acme", (Session("s1", (Turn("user", "a\nb"), Turn("agent", "c")), "2026-01-02"),))
    other = Case(
        "other",
        "q",
        "preference",
        expected=(Fact("judged", "is kind"),),
        history="acme",
        source=(Source("acme", "s1", 2),),
    )
    first = load_set(write(COMMENTED))
    made = replace(
        first,
        cases=(NEW, other, Case("none", "who?", abstain=True)),
        histories={"acme": history},
        gate={"semantic": Requirement(1, 2), "preference": Requirement()},
        gate_declared=True,
        waivers=(Waiver("other", "no", date(2026, 3, 4)),),
        judge=JudgePin("m:7b", "judges/fact.md"),
    )
    path = tmp_path / "replay2.yaml"
    dump_set(made, path, "made by hand\n\nmore")
    assert path.read_text().startswith("# made by hand\n#\n# more\nfoldproof: 1\n")
    found = load_set(path)
    for name in ("cases", "histories", "gate", "waivers", "judge", "name", "gate_declared"):
        assert getattr(found, name) == getattr(made, name)
    assert prompt.read_text() == "judge"
    dump_set(replace(first, histories={}), tmp_path / "plain.yaml")
    assert load_set(tmp_path / "plain.yaml").sha256 == first.sha256


def test_a_long_list_stands_one_item_a_line(tmp_path, write):
    case = Case(
        "a",
        "q",
        expected=tuple(
            Fact("normalized", f"fact number {word}") for word in ("one", "two", "three", "four", "five", "six")
        ),
    )
    first = load_set(write(COMMENTED))
    dump_set(replace(first, cases=(case,)), tmp_path / "r.yaml")
    assert "  expected_facts:\n  - fact number one\n" in (tmp_path / "r.yaml").read_text()


@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
def test_characters_of_every_width_stay(write, monkeypatch, loader):
    yaml = pytest.importorskip("yaml")
    monkeypatch.setattr("foldproof.cases.yaml_nodes.LOADER", getattr(yaml, loader))
    path = write(COMMENTED.replace("support", "suppørt 😀 字").replace("q one", "q 😀 字 one"))
    append_cases(path, [NEW])
    set_case_field(path, "b", "question", "😀 #4")
    text = path.read_text("utf-8")
    assert '    question: "😀 #4"\n' in text
    assert "q 😀 字 one   # why: it was asked" in text
    assert load_set(path).cases[2] == NEW
