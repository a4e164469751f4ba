"""The judge in both files: how it is reached, what is pinned of it, and labels to measure it by."""

import pytest
import yaml

from foldproof.cases import JudgePin, JudgeSettings, load_project, load_set
from foldproof.cases.judges import moves
from foldproof.cases.labels import Labelled, read_labels
from foldproof.cases.save import read_judge, set_judge
from foldproof.core import FileError

CONFIGS = "configs: {production: {agent: recall}}\n"
FULL = """\
judge:
  base_url: "${JUDGE_URL}"
  api_key: ${JUDGE_KEY}
  temperature: 0
  seed: -3
  repeats: 5
  max_tokens: 400
  json_schema: false
  price: {input: 0.5, output: 2}
  parameters: {reasoning_effort: low}
"""


def test_how_a_judge_is_reached(write):
    found = load_project(write(FULL + CONFIGS, "foldproof.yaml")).judge
    assert found == JudgeSettings(
        base_url="${JUDGE_URL}",
        api_key="${JUDGE_KEY}",
        seed=-3,
        repeats=5,
        max_tokens=400,
        json_schema=False,
        price={"input": 0.5, "output": 2.0},
        parameters={"reasoning_effort": "low"},
    )
    assert load_project(write(CONFIGS, "foldproof.yaml")).judge == JudgeSettings()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("api_key: sk-123456", "must name an environment variable, not hold a key"),
        ("api_key: ${A}${B}", "must name an environment variable"),
        ("temperature: 0.7", "a judge does not draw lots"),
        ("temperature: false", "must be 0"),
        ("seed: '7'", "must be a whole number"),
        ("seed: true", "must be a whole number"),
        ("repeats: 0", "must be a whole number of at least 1"),
        ("price: {input: 1}", "output"),
        ("parameters: [a]", "must be a mapping"),
        ("parameters: {temperature: 1}", "cannot set `temperature`"),
        ("parameters: {response_format: x}", "cannot set `response_format`"),
        ("model: gpt", "unknown field `model`"),
    ],
)
def test_what_a_judge_cannot_be_reached_with(write, text, told):
    with pytest.raises(FileError) as caught:
        load_project(write(f"{CONFIGS}judge:\n  {text}\n", "foldproof.yaml"))
    assert told in str(caught.value)
    assert "sk-123456" not in str(caught.value)


@pytest.mark.parametrize("name", ["gpt-4.1-2025-04-14", "claude-3-5-sonnet-20241022", "qwen2.5:7b", "a@rev"])
def test_a_dated_name_stays(name):
    assert not moves(name)


@pytest.mark.parametrize("name", ["gpt-4.1", "latest", "gpt-2025-04-14-latest", ""])
def test_an_alias_moves(name):
    assert moves(name)


@pytest.mark.parametrize("written", ["judge: [a]", "judge: {model: {}}", "judge: text"])
def test_a_judge_that_cannot_be_read_is_told(write, written):
    path = write(f"{written}\ncases:\n- {{id: a, question: q, expected_facts: [x1]}}\n")
    with pytest.raises(FileError, match=r"replay.yaml:1: `judge` cannot be read"):
        read_judge(path)


SET = "# head\ncases:\n- {id: a, question: q, expected_facts: [{judged: is kind}]}\n"
PIN = JudgePin("m-2026-01-01", "fact.md", "ab" * 32)


@pytest.mark.parametrize(
    "text",
    [
        SET,
        "judge: {model: x-2026-01-01, prompt: fact.md}  # flow\n" + SET,
        "judge:\n  model: x-2026-01-01   # kept\n  sha256: 00\n" + SET,
        '{"cases": [{"id": "a", "question": "q", "expected_facts": ["x1"]}]}',
    ],
)
def test_a_judge_is_written_into_a_set_and_read_back(write, text):
    path = write(text)
    set_judge(path, PIN)
    assert read_judge(path) == PIN
    assert yaml.safe_load(path.read_text("utf-8"))["judge"]["model"] == "m-2026-01-01"
    for comment in ("# head", "# flow", "# kept"):
        assert (comment in text) is (comment in path.read_text("utf-8"))


def test_an_empty_prompt_is_none(write):
    write(" \n", "fact.md")
    path = write("judge: {model: m-2026-01-01, prompt: fact.md}\n" + SET)
    with pytest.raises(FileError, match=r"the judge's prompt 'fact\.md': the file is empty"):
        load_set(path)


def test_a_pinned_set_loads_and_another_prompt_does_not(write):
    prompt = write("Judge.\n", "fact.md")
    path = write(SET)
    assert read_judge(path) is None
    set_judge(path, JudgePin("m-2026-01-01", "fact.md", _sha(prompt)))
    assert load_set(path).judge.model == "m-2026-01-01"
    assert load_set(path).case("a").asks_judge
    write("Judge mildly.\n", "fact.md")
    with pytest.raises(FileError, match="is not the pinned one"):
        load_set(path)


def _sha(path):
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_labels_are_read_in_their_order(write):
    lines = '{"fact": "f", "answer": "a", "label": "met"}\n\n'
    lines += '{"question": null, "fact": "f", "answer": "b", "label": " NOT met"}\n'
    expected = (Labelled("", "f", "a", "met"), Labelled("", "f", "b", "not met"))
    assert read_labels(write(lines, "l.jsonl")) == expected
    assert read_labels(write("label,answer, fact\nmet,a,f\n\nnot met,b,f\n", "l.CSV")) == expected


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("l.jsonl", '{"fact": "f", "answer": "a", "label": "mett"}\n', "the label is 'mett'"),
        ("l.jsonl", '\n{"fact": "f", "answer": "a"}\n', "there is no `label`"),
        ("l.jsonl", '{"fact": "f", "anwser": "a", "label": "met"}', "did you mean `answer`?"),
        ("l.jsonl", '{"fact": 5, "answer": "a", "label": "met"}', "`fact` is 5, where a text is expected"),
        ("l.jsonl", "[1]\n{", "the line is no JSON"),
        ("l.jsonl", "", "the file holds no labelled answer"),
        ("l.csv", "fact,answer\nf,a\n", "the header has no `label`"),
        ("l.csv", 'fact,answer,label\nf,"a,met\n', "the row cannot be read"),
        ("l.csv", "fact,answer,label\nf,a,met,more\n", "the row has 4 cells"),
        ("l.csv", "fact,answer,label\nf,a,met\nf,a,not met\n", "labelled 'not met' here and 'met' in line 2"),
        ("l.csv", "fact,answer,label\nf,a,met\nf,a,met\n", "the answer stands in line 2 already"),
        ("l.jsonl", '{"a": ' * 100_000, "the line is no JSON"),
        ("l.jsonl", "5\n", "must be an object"),
        ("l.csv", "", "the header has no `fact`"),
        ("l.csv", "fact,answer,label\nf,a\n", "there is no `label`"),
        ("l.csv", "fact,answer,label, label\nf,a,met,not met\n", "the header has `label` twice"),
        ("l.csv", 'fact,answer,label\nf,"  ",not met\n', "there is no `answer`"),
        ("l.jsonl", '{"fact": " ", "answer": "a", "label": "met"}\n', "there is no `fact`"),
        ("l.csv", "fact,answer,label,extra\nf,a,met,x\n", "unknown field `extra`"),
    ],
)
def test_labels_that_cannot_be_read(write, name, text, told):
    with pytest.raises(FileError) as caught:
        read_labels(write(text, name))
    assert told in str(caught.value)
