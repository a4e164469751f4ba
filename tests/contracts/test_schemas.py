"""The shipped schemas are valid, versioned and carry an address of their own."""

import json
import re

import jsonschema
import pytest


def shipped(source):
    return {path.name: json.loads(path.read_text("utf-8")) for path in sorted((source / "schemas").glob("*.json"))}


@pytest.fixture(scope="module")
def schemas(source):
    found = shipped(source)
    assert {"project-1.schema.json", "replay-set-1.schema.json"} <= found.keys()
    return found


def test_each_is_a_valid_schema_of_draft_2020_12(schemas):
    for schema in schemas.values():
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        jsonschema.Draft202012Validator.check_schema(schema)


def test_each_name_carries_its_version(schemas):
    assert [name for name in schemas if not re.fullmatch(r"[a-z-]+-\d+\.schema\.json", name)] == []


def test_each_says_what_it_describes(schemas):
    assert [name for name, schema in schemas.items() if not schema.get("title")] == []


def test_an_invalid_schema_is_told():
    with pytest.raises(jsonschema.SchemaError):
        jsonschema.Draft202012Validator.check_schema({"type": "no such type"})
