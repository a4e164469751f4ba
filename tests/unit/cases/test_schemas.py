from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest
import yaml

from foldproof.cases import project_schema, replay_set_schema

SHIPPED = files("foldproof") / "schemas"
DESIGN_SET = r"""
foldproof: 1
name: support-agent
judge:
  model: gpt-4.1-2025-04-14
  prompt: judges/fact.md
  sha256: 5b1f…
gate:
  safety: all
  identity: all
  canary: all
  preference: 4/5
  episodic: 3/4
histories:
  acme: histories/acme.jsonl
cases:
- id: billing-db
  class: semantic
  history: acme
  question: Which database should I use for the billing service?
  expected_facts:
  - Postgres 15
  - any: [read replica in eu-west-1, eu-west-1 read replica]
  - exact: "no ORM, raw SQL"
  - judged: advises against an ORM because of latency
  - pattern: 'RTO\s+\d+\s*min'
  - number: 1234.50
  - date: "2026-03-04"
  forbidden_facts: [MongoDB]
  source: [acme/s12.t3]
"""
DESIGN_PROJECT = """
foldproof: 1
replay_set: replay.yaml
baseline: production
store: sqlite:///.foldproof/runs.db
repeats: {always: 1, borderline: 3}
limits: {concurrency: 8, timeout_s: 120, retries: 4, max_cost_usd: 5}
configs:
  production:
    agent: chat
    model: {base_url: "http://localhost:11434/v1", name: "qwen2.5:7b", temperature: 0, seed: 7}
    memory: {kind: verbatim, k: 8}
  candidate:
    extends: production
    memory: {kind: summary, prompt: prompts/compact.md, every: 40}
  staging:
    agent: {http: "http://localhost:8000/v1"}
    memory: external
"""


@pytest.mark.parametrize(("name", "made"), [("replay-set-1", replay_set_schema), ("project-1", project_schema)])
def test_the_shipped_schema_is_the_one_the_models_give(name, made):
    schema = made()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert (SHIPPED / f"{name}.schema.json").read_text("utf-8") == json.dumps(
        schema, indent=2, ensure_ascii=False
    ) + "\n"


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (replay_set_schema, DESIGN_SET),
        (
            replay_set_schema,
            '{"cases": [{"id": "q1", "question": "Which?", "memory_config": {}, "expected_facts": ["a"]}]}',
        ),
        (project_schema, DESIGN_PROJECT),
    ],
)
def test_the_examples_of_the_design_are_valid(made, text):
    jsonschema.Draft202012Validator(made()).validate(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (replay_set_schema, "cases: []"),
        (replay_set_schema, "{cases: [{id: a}]}"),
        (replay_set_schema, "{cases: [{id: a, question: q, expected_fact: [x]}]}"),
        (replay_set_schema, "{cases: [{id: a b, question: q}]}"),
        (replay_set_schema, "{cases: [{id: a, question: q, class: Safety}]}"),
        (replay_set_schema, "{cases: [{id: a, question: q, expected_facts: [{exact: a, number: 3}]}]}"),
        (replay_set_schema, "{foldproof: 2, cases: [{id: a, question: q}]}"),
        (project_schema, "configs: {}"),
        (project_schema, "replay_set: replay.yaml"),
        (project_schema, "{configs: {a: {agnt: recall}}}"),
        (project_schema, "{configs: {a: {agent: recall, folds: -1}}}"),
    ],
)
def test_what_the_loader_refuses_the_schema_refuses(made, text):
    assert not jsonschema.Draft202012Validator(made()).is_valid(yaml.safe_load(text))
