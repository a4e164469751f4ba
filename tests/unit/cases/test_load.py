from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path

import pytest

from foldproof.cases import Fact, JudgePin, Requirement, Source, Waiver, load_set
from foldproof.core import FileError

CASE = "- id: {id}\n  class: {kind}\n  question: q {id}\n  expected_facts: [fact {id}]\n"
TURNS = '[{"role": "user", "text": "a"}, {"role": "assistant", "text": "b"}]'
SESSION = f'{{"session": "s12", "at": "2026-01-02", "turns": {TURNS}}}'


def cases(**kinds: str) -> str:
    return "cases:\n" + "".join(CASE.format(id=name, kind=kind) for name, kind in kinds.items())


def test_the_full_form_loads(load, write):
    write(SESSION, "histories/acme.jsonl")
    prompt = write("Is the fact there?", "judges/fact.md")
    digest = hashlib.sha256(prompt.read_bytes()).hexdigest()
    found = load(f"""\
foldproof: 1
name: support-agent
judge: {{model: gpt-4.1-2025-04-14, prompt: judges/fact.md, sha256: {digest}}}
gate: {{safety: all, semantic: 1/1}}
histories: {{acme: histories/acme.jsonl}}
waivers:
- {{case: db, reason: the index is rebuilt, until: 2026-12-31}}
cases:
- id: db
  class: semantic
  history: acme
  at: 2026-02-01
  question: Which database?
  expected_facts:
  - Postgres 15       # normalized
  - any: [read replica, number of, {{number: 15}}]
  - exact: "no ORM"
  - judged: advises against it
  - pattern: 'RTO\\s+\\d+'
  - number: 1234.50
  - date: 2026-03-04
  forbidden_facts: [MongoDB]
  source: [acme/s12.t2]
  memory_config: {{k: 8, zip: 0123, on: no, ratio: .5, deep: [true, ~, 0x1F, .inf, 1e999]}}
  tags: [a, 15]
""")
    case = found.case("db")
    assert case.expected == (
        Fact("normalized", "Postgres 15"),
        Fact("any", any=(Fact("normalized", "read replica"), Fact("normalized", "number of"), Fact("number", "15"))),
        Fact("exact", "no ORM"),
        Fact("judged", "advises against it"),
        Fact("pattern", r"RTO\s+\d+"),
        Fact("number", "1234.50"),
        Fact("date", "2026-03-04"),
    )
    assert case.forbidden == (Fact("normalized", "MongoDB"),)
    assert (case.history, case.at, case.tags, case.source) == (
        "acme",
        "2026-02-01",
        ("a", "15"),
        (Source("acme", "s12", 2),),
    )
    assert case.memory_config == {
        "k": 8,
        "zip": "0123",
        "on": "no",
        "ratio": 0.5,
        "deep": [True, None, 31, ".inf", "1e999"],
    }
    assert (case.line("question"), case.line("expected_facts.1"), case.line("abstain"), case.line("source.0")) == (
        13,
        16,
        9,
        23,
    )
    assert found.gate == {"safety": Requirement(), "semantic": Requirement(1, 1)}
    assert (found.gate_declared, found.gate_lines, found.name) == (True, {"safety": 4, "semantic": 4}, "support-agent")
    assert found.waivers == (Waiver("db", "the index is rebuilt", date(2026, 12, 31)),)
    assert found.judge == JudgePin("gpt-4.1-2025-04-14", "judges/fact.md", digest)
    assert [turn.role for turn in found.histories["acme"].sessions[0].turns] == ["user", "agent"]
    with pytest.raises(KeyError):
        found.case("nix")


def test_a_set_without_gate_asks_all_of_each_class_in_the_order_of_reports(load):
    found = load(cases(a="zebra", b="semantic", c="safety", d="apple"))
    assert list(found.gate) == ["safety", "semantic", "apple", "zebra"]
    assert not found.gate_declared


def test_the_hash_is_that_of_the_content_alone(load, write):
    write(SESSION, "h.jsonl")
    write(SESSION, "other.jsonl")
    case = "- id: a\n  history: h\n  question: q\n  expected_facts: [x]\n  source: [h/s12.t1]\n"
    base = f"histories: {{h: h.jsonl}}\ncases:\n{case}"
    turned = "- question: q\n  history: o\n  expected_facts:\n  - 'x'\n  source: [o/s12.t1]\n  id: a\n"
    first = load(base).sha256
    same = [
        "# comment\nname: other\n" + base,
        f"histories: {{o: other.jsonl, unused: h.jsonl}}\ncases:\n{turned}",
        base + "gate: {semantic: all}\n",
    ]
    assert {load(text).sha256 for text in same} == {first}
    write(SESSION.replace('"b"', '"c"'), "other.jsonl")
    changed = [
        base.replace("[x]", "[y]"),
        base + "gate: {semantic: 1/1}\n",
        base.replace("h.jsonl", "other.jsonl"),
        base.replace(".t1", ".t2"),
    ]
    assert len({first, *(load(text).sha256 for text in changed)}) == 5


def test_the_judges_prompt_is_part_of_the_hash_and_its_name_is_not(load, write):
    write("one", "a.md")
    write("one", "b.md")
    text = "judge: {model: m:7b, prompt: %s}\n" + cases(a="semantic")
    first = load(text % "a.md").sha256
    assert load(text % "b.md").sha256 == first
    write("two", "b.md")
    assert load(text % "b.md").sha256 != first


@pytest.mark.parametrize(
    ("gate", "needle"),
    [
        ("semantic: 4/5", "counts 5 cases, but the set has 2"),
        ("semantic: 3/2", "asks for more cases than it counts"),
        ("semantic: 0/2", "asks for nothing"),
        ("semantic: 80%", "is no gate"),
        ("semantic: most", "is no gate"),
        ("safety: 1/1", "asks less than all of class 'safety'"),
        ("identity: 1/1", "asks less than all of class 'identity'"),
        ("canary: 1/1", "asks less than all of class 'canary'"),
    ],
)
def test_gates_that_are_refused(problems, gate, needle):
    (problem,) = problems(
        f"gate:\n  {gate}\n" + cases(a="semantic", b="semantic", c="safety", d="identity", e="canary")
    )
    assert (problem.line, problem.rule) == (2, "gate")
    assert needle in problem.message


def test_a_gate_counts_broken_cases_too(problems):
    text = "gate: {semantic: 1/2}\n" + cases(a="semantic") + "- id: b\n  question: q\n  nix: 1\n"
    assert [problem.rule for problem in problems(text)] == ["unknown-field"]


@pytest.mark.parametrize(
    ("waiver", "needle"),
    [
        ("{case: a, reason: r, until: tomorrow}", "is no day"),
        ("{case: a, reason: r, until: 2026-02-30}", "is no day"),
        ("{case: a, reason: r, until: 20260203}", "is no day"),
        ("{case: nix, reason: r, until: 2026-02-03}", "unknown case 'nix'"),
        ("{case: s, reason: r, until: 2026-02-03}", "a case of class 'safety'"),
        ("{case: a, until: 2026-02-03}", "lacks the field `reason` in `waivers[1]`"),
        ("{case: a, reason: '', until: 2026-02-03}", "`waivers[1].reason` is empty"),
        ("{case: a, resaon: x, reason: r, until: 2026-02-03}", "has an unknown field `resaon` in `waivers[1]`"),
        ("nix", "`waivers[1]` must be a mapping, not 'nix'"),
    ],
)
def test_waivers_that_are_refused(problems, waiver, needle):
    (problem,) = problems(f"waivers:\n- {waiver}\n" + cases(a="semantic", s="safety"))
    assert problem.line == 2
    assert needle in problem.message


def test_a_waiver_of_a_broken_case_is_not_reported_twice(problems):
    text = "waivers: [{case: b, reason: r, until: 2026-02-03}]\n" + cases(a="semantic") + "- id: b\n  question: ''\n"
    assert [problem.rule for problem in problems(text)] == ["value"]


@pytest.mark.parametrize(
    "model",
    [
        "gpt-4.1-2025-04-14",
        "claude-3-5-sonnet-20241022",
        "gemini-1.5-pro-002",
        "mistral-large-2407",
        "qwen2.5:7b",
        "org/model@abc123",
        "command-r-08-2024",
    ],
)
def test_pinned_judges(load, write, model):
    write("p", "p.md")
    assert load(f"judge: {{model: '{model}', prompt: p.md}}\n" + cases(a="semantic")).judge.model == model


@pytest.mark.parametrize(
    "model", ["gpt-4o", "claude-3-5-sonnet-latest", "qwen2.5:latest", "LATEST", "chatgpt-4o-latest"]
)
def test_aliases_are_no_judges(problems, write, model):
    write("p", "p.md")
    (problem,) = problems(f"judge:\n  model: '{model}'\n  prompt: p.md\n" + cases(a="semantic"))
    assert problem.line == 2
    assert "is an alias" in problem.message


@pytest.mark.parametrize(
    ("judge", "needle"),
    [
        ("sha256: abc", "the judge's `sha256` is 'abc'"),
        (f"sha256: {'0' * 64}", "is not the pinned one"),
        ('prompt: "a\\0b"', "cannot be read"),
    ],
)
def test_pins_that_do_not_hold(problems, write, judge, needle):
    write("p", "p.md")
    text = (
        "judge:\n  model: m:7b\n"
        + ("" if "prompt" in judge else "  prompt: p.md\n")
        + f"  {judge}\n"
        + cases(a="semantic")
    )
    (problem,) = problems(text)
    assert needle in problem.message


def test_a_pin_without_prompt_file_is_told_once(problems):
    (problem,) = problems(f"judge: {{model: m:7b, prompt: p.md, sha256: {'0' * 64}}}\n" + cases(a="semantic"))
    assert problem.message == "the judge's prompt 'p.md': the file does not exist"


@pytest.mark.parametrize(
    ("kind", "judge", "rules"),
    [
        ("safety", True, ["judged-safety"]),
        ("identity", True, []),
        ("semantic", False, ["no-judge"]),
        ("safety", False, ["judged-safety", "no-judge"]),
    ],
)
def test_judged_facts(load, problems, write, kind, judge, rules):
    write("p", "p.md")
    head = "judge: {model: m:7b, prompt: p.md}\n" if judge else ""
    text = f"{head}cases:\n- id: a\n  class: {kind}\n  question: q\n  expected_facts:\n  - judged: is kind\n"
    if rules:
        assert sorted(problem.rule for problem in problems(text)) == rules
    else:
        assert load(text).cases


def one(lines: str) -> str:
    case = f"- id: a\n  question: q\n  history: acme\n  expected_facts: [x]\n{lines}"
    return f"histories: {{acme: acme.jsonl}}\ncases:\n{case}"


@pytest.mark.parametrize(
    ("line", "needle"),
    [
        ("  source: [acme/s12.t3]", "that session has 2 turns"),
        ("  source: [acme/s1.t1]", "no session 's1'"),
        ("  source: [acme/s12]", "has the source 'acme/s12'"),
        ("  source: [acme/s12.t0]", "has the source"),
        ("  source: [other/s12.t1]", "but its history is 'acme'"),
        ("  forbidden_facts: [X]", "expects 'x' and forbids it too"),
        ("  forbidden_facts: [{any: [y, x]}]", "expects 'x' and forbids it too"),
        ("  forbidden_facts: [{pattern: '('}]", "does not compile"),
        ("  class: Safety", "`class` cannot be the class 'Safety'"),
        ("  abstain: maybe", "`abstain` must be true or false, not 'maybe'"),
        ("  memory_config:", "`memory_config` is empty"),
        ("  memory_config: x", "`memory_config` must be a mapping, not 'x'"),
        ("  tags: {a: b}", "`tags` must be a list, not a mapping"),
        ("  source: x", "`source` must be a list, not 'x'"),
        ("  at: [x]", "`at` must be a text, not a list"),
        ("  <<: {class: x}", "`<<` is a merge key"),
        ("  question: again", "the key `question` stands twice, first in line 4"),
        ("  forbidden_facts: [{exact: a, number: 3}]", "needs exactly one kind of fact, found `exact`, `number`"),
        ("  forbidden_facts: [{}]", "needs exactly one kind of fact, found none"),
        ("  forbidden_facts: [{any: [{any: [b]}]}]", "has an `any` inside an `any`"),
        ("  forbidden_facts: [{any: b}]", "needs a list of alternatives under `any`, not 'b'"),
        ("  forbidden_facts: [[b]]", "must be a text, not a list"),
        ("  forbidden_facts: [{nmber: [b]}]", "has an unknown kind of fact `nmber`"),
    ],
)
def test_cases_that_are_refused(problems, write, line, needle):
    write(SESSION, "acme.jsonl")
    (problem,) = problems(one(f"{line}\n"))
    assert problem.line == 7 or "expects" in needle
    assert needle in problem.message
    assert problem.hint


def test_a_source_without_history(problems):
    (problem,) = problems("cases:\n- id: a\n  question: q\n  expected_facts: [x]\n  source: [acme/s12.t1]\n")
    assert problem.message.endswith("but it has no history")


@pytest.mark.parametrize("name", ["a b", "a/b", "x" * 121, "a\\tb"])
def test_ids_that_are_refused(problems, name):
    (problem,) = problems(f'cases:\n- id: "{name}"\n  question: q\n  expected_facts: [x]\n')
    assert "`id` cannot be" in problem.message


def test_unknown_histories(problems, write):
    write(SESSION, "acme.jsonl")
    found = problems(one("").replace("history: acme", "history: acm"))
    assert [(item.line, item.rule, item.hint) for item in found] == [(5, "unknown-history", "did you mean `acme`?")]
    assert (
        problems("cases:\n- id: a\n  question: q\n  history: h\n  expected_facts: [x]\n")[0].hint
        == "add it under `histories:`"
    )
    bad = problems(one("").replace("acme: acme", "'a b': acme").replace("  history: acme\n", ""))
    assert "`histories.a b` cannot be 'a b'" in bad[0].message


@pytest.mark.parametrize(
    ("name", "text", "line", "needle"),
    [
        ("h.jsonl", "{\n", 1, "the line is no JSON"),
        ("h.jsonl", f"{SESSION}\n\nnope\n", 3, "the line is no JSON: Expecting value at column 1"),
        ("h.jsonl", "1" * 5000, 1, "the line is no JSON: ValueError"),
        ("h.jsonl", "[" * 100_000, 1, "the line is no JSON: RecursionError"),
        ("h.jsonl", "3\n", 1, "a session must be a mapping, not '3'"),
        ("h.jsonl", '{"turns": []}\n', 1, "a session has the id nothing"),
        ("h.jsonl", '{"session": "a", "at": 3, "turns": []}\n', 1, "session 'a' has the time '3'"),
        ("h.jsonl", '{"session": "a", "turns": {}}\n', 1, "session 'a' has the turns a mapping"),
        ("h.jsonl", '{"session": "a", "turns": [], "tunrs": []}\n', 1, "session 'a' has an unknown field `tunrs`"),
        ("h.jsonl", f"{SESSION}\n{SESSION}\n", 2, "session 's12' stands twice, first in line 1"),
        ("h.jsonl", '{"session": "a", "turns": ["x"]}\n', 1, "session 'a', turn 1, must be a mapping, not 'x'"),
        ("h.jsonl", SESSION.replace("assistant", "bot"), 1, "turn 2, has the role 'bot'"),
        ("h.jsonl", SESSION.replace('"text": "a"', '"txt": "a"'), 1, "turn 1, has an unknown field `txt`"),
        ("h.jsonl", SESSION.replace('"a"', "5"), 1, "turn 1, has the text '5'"),
        ("h.jsonl", SESSION.replace('"a"', '"\\ud83d"'), 1, "half a character"),
        ("h.jsonl", "\n", 3, "the history holds no session"),
        ("h.json", "[]", 3, "the history holds no session"),
        ("h.json", "{}", 1, "the file must hold a list of sessions"),
        ("h.json", "[\n{},\n]", 3, "a comma stands before ']'"),
        ("h.json", f"[{SESSION},\n 3]", 2, "a session must be a mapping, not '3'"),
        ("nix.jsonl", None, 3, "history 'acme', nix.jsonl: the file does not exist"),
    ],
)
def test_histories_that_are_refused(problems, write, name, text, line, needle):
    if text is not None:
        write(text, name)
    found = problems(
        f"cases:\n{CASE.format(id='a', kind='semantic')}".replace(
            "cases:\n", f"# 1\nhistories:\n  acme: {name}\ncases:\n"
        )
    )
    assert any(item.line == line and needle in item.message for item in found)


def test_a_json_history_loads(load, write):
    write(f"[{SESSION}]", "h.json")
    assert load("histories: {a: h.json}\n" + cases(a="semantic")).histories["a"].sessions[0].at == "2026-01-02"


@pytest.mark.parametrize(
    ("text", "line", "needle"),
    [
        ("", 0, "the file is empty"),
        ("# only\n", 0, "the file is empty"),
        ("---\n", 0, "the file is empty"),
        ("- a\n", 1, "the file must hold a mapping"),
        ("cases: [\n", 0, "this is no YAML"),
        ("cases:\n\t- a\n", 2, "this is no YAML"),
        ("a: 1\n---\nb: 1\n", 2, "a second document starts here"),
        ("? [a]\n: b\n", 1, "a mapping or a list stands where a key is expected"),
        ("a: \x00\n", 0, "this is no YAML"),
        ('a: "\\UFFFFFFFF"\n', 1, "this is no YAML"),
        ("a: " + "[" * 60, 1, "more than 50 deep"),
        ("foldproof: 2\nnix: 1\n", 1, "the file has format 2, and this version of foldproof reads up to 1"),
        ("foldproof: one\n" + cases(a="semantic"), 1, "must be 1, not 'one'"),
        ("foldproof: true\n" + cases(a="semantic"), 1, "must be 1, not 'true'"),
        ("cases: 3\n", 1, "`cases` must be a list, not '3'"),
        ("cases: [3]\n", 1, "case 1 must be a mapping, not '3'"),
        ("cases:\n- question: q\n  expected_facts: [x]\n", 2, "case 1 lacks the field `id`"),
        ("cases:\n- id: ''\n  question: q\n  expected_facts: [x]\n", 2, "case 1: `id` is empty"),
        ("histories: []\n" + cases(a="semantic"), 1, "`histories` must be a mapping, not a list"),
        ("judge: x\ngate: 3\n" + cases(a="semantic"), 2, "`gate` must be a mapping, not '3'"),
    ],
)
def test_files_that_are_refused(problems, text, line, needle):
    found = problems(text)
    assert any((not line or item.line == line) and needle in item.message for item in found)


@pytest.mark.parametrize(
    ("text", "line", "needle"),
    [
        ("", 0, "the file is empty"),
        ("{", 1, "a key is expected"),
        ('{"a" 1}', 1, "':' is expected after the key 'a'"),
        ('{"a": 1,}', 1, "a comma stands before '}'"),
        ('{"a": 1 "b": 2}', 1, "'}' or ',' is expected, found '\"'"),
        ('{"a": [1', 1, "']' or ',' is expected, found the end of the file"),
        ('{"a":\n NaN}', 2, "a value is expected, found 'NaN'"),
        ('{"a": }', 1, "a value is expected, found '}'"),
        ('{"a": ', 1, "a value is expected, found the end of the file"),
        ('{"a": "x', 1, "a text is broken"),
        ('{"a": "\\x"}', 1, "a text is broken"),
        ("{} x", 1, "something follows"),
        ('{"cases": [],\n"cases": []}', 2, "the key `cases` stands twice, first in line 1"),
        ('{"a": ' + "[" * 60, 1, "more than 50 deep"),
        ('{"cases": [{"id": "a", "question": null, "expected_facts": [true]}]}', 1, "must be a text, not nothing"),
    ],
)
def test_json_that_is_refused(problems, text, line, needle):
    found = problems(text, "replay.json")
    assert any(item.line == line and needle in item.message for item in found)


def test_unreadable_files(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path, needle in (
        (tmp_path, "cannot be read"),
        (Path("nix.yaml"), "does not exist"),
        (Path("a\0b"), "cannot be read"),
    ):
        with pytest.raises(FileError, match=needle):
            load_set(path)
    monkeypatch.setattr("foldproof.cases.nodes.LARGEST_FILE", 3)
    Path("big.yaml").write_text("cases: []")
    with pytest.raises(FileError, match="the file has more than 3 bytes"):
        load_set("big.yaml")


def test_messages_name_a_file_elsewhere_in_full(write, tmp_path, monkeypatch):
    path = write("nix: 1")
    with pytest.raises(FileError, match=str(path)):
        load_set(path)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(FileError, match=str(path)):
        load_set(path)


@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
def test_both_yaml_parsers_give_the_same(load, problems, monkeypatch, loader):
    yaml = pytest.importorskip("yaml")
    monkeypatch.setattr("foldproof.cases.yaml_nodes.LOADER", getattr(yaml, loader))
    found = load("cases:\n- id: é   # note\n  question: |\n    a #b\n  expected_facts: ['x', {any: [no, 15:30]}]\n")
    assert (found.cases[0].question, found.cases[0].line("expected_facts")) == ("a #b\n", 5)
    told = problems("cases:\n- id: é\n  question: é #4\n  expected_facts: [&a b, *c, !d e, '\\x']\n")
    assert [item.line for item in told] == [3, 4, 4, 4]
    assert "no YAML" in problems('a: "\\UFFFFFFFF"\n')[0].message


def test_half_a_character_is_found_with_either_parser(problems, monkeypatch):
    yaml = pytest.importorskip("yaml")
    monkeypatch.setattr("foldproof.cases.yaml_nodes.LOADER", yaml.SafeLoader)
    (problem,) = problems('cases:\n- id: a\n  question: "\\ud800"\n  expected_facts: [x]\n')
    assert (problem.line, "half a character" in problem.message) == (3, True)


def test_a_source_in_an_unreadable_history_is_not_told_twice(problems, write):
    write("nope", "acme.jsonl")
    assert [item.rule for item in problems(one("  source: [acme/s1.t1]\n"))] == ["history"]


def test_a_number_of_thousands_of_digits_stays_text(load):
    digits = "9" * 5000
    text = f"cases:\n- {{id: a, question: q, expected_facts: [x], memory_config: {{n: {digits}}}}}\n"
    assert load(text).cases[0].memory_config == {"n": digits}


@pytest.mark.parametrize("gate", ["{semantic: all}", "{semantic: all, identity: all}"])
def test_strict_classes_are_gated_whether_the_gate_names_them_or_not(load, gate):
    found = load(f"gate: {gate}\n" + cases(a="semantic", b="safety", c="identity", d="canary"))
    assert {name: str(need) for name, need in found.gate.items()} == {
        "safety": "all",
        "identity": "all",
        "canary": "all",
        "semantic": "all",
    }
    assert found.sha256 != load("gate: {semantic: all}\n" + cases(a="semantic")).sha256
    named = "{semantic: all, identity: all, safety: all, canary: all}"
    assert found.sha256 == load(f"gate: {named}\n" + cases(a="semantic", b="safety", c="identity", d="canary")).sha256


@pytest.mark.parametrize("name", ["safety", "identity", "canary"])
def test_twin_a_strict_class_without_cases_is_not_added(load, name):
    assert name not in load("gate: {semantic: all}\n" + cases(a="semantic")).gate


@pytest.mark.parametrize(
    ("gate", "meant", "other"),
    [
        ("saftey: all", "safety", "safety"),
        ("saftey: all", "safety", "semantic"),  # a known class is meant, even without a case
        ("safety: all", "saftey", "saftey"),  # the slip is in the case
        ("ware-houses: 1/1", "warehouse", "warehouse"),
    ],
)
def test_a_gate_class_that_is_mistyped(problems, gate, meant, other):
    (problem,) = problems(f"gate:\n  semantic: all\n  {gate}\n" + cases(a="semantic", b=other))
    name = gate.partition(":")[0]
    assert problem.message == f"gate '{gate}' asks for class '{name}', of which the set has no case"
    assert (problem.line, problem.rule, problem.hint) == (3, "gate", f"did you mean `{meant}`?")


@pytest.mark.parametrize("name", ["warehouse", "safety", "preference"])
def test_twin_a_gate_class_that_is_like_no_other_loads(load, name):
    assert name in load(f"gate: {{semantic: all, {name}: all}}\n" + cases(a="semantic")).gate


@pytest.mark.parametrize("gate", ["{}", "{safety: all}"])
def test_a_gate_that_could_never_block_is_refused(problems, gate):
    (problem,) = problems(f"gate: {gate}\n" + cases(a="semantic"))
    assert "nothing could block" in problem.message


def test_a_case_has_one_waiver(problems):
    waiver = "- {case: a, reason: r, until: 2026-02-03}\n"
    (problem,) = problems(f"waivers:\n{waiver}{waiver}" + cases(a="semantic"))
    assert (problem.line, problem.message) == (3, "the case 'a' has two waivers")
