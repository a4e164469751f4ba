"""What is public is said in one place, sorted, importable and described."""

import ast
import importlib
import re

import pytest

import foldproof


def doors(source):
    return {path.parent.relative_to(source).as_posix(): path for path in sorted(source.glob("*/__init__.py"))}


def names_of(path):
    """The `__all__` of a module, read without importing it; None where it has none."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return ast.literal_eval(node.value)
    return None


def in_order(names):
    """Constants, then classes, then functions, each by the alphabet: the order that ruff's RUF022 keeps."""
    return sorted(names, key=lambda name: (0 if name.isupper() else 1 if name[0].isupper() else 2, name))


def test_the_root_exports_about_25_names_in_order():
    assert foldproof.__all__ == sorted(foldproof.__all__)
    assert len(set(foldproof.__all__)) == len(foldproof.__all__)
    assert 20 <= len([name for name in foldproof.__all__ if name != "__version__"]) <= 30


@pytest.mark.parametrize("name", foldproof.__all__)
def test_each_name_is_there(name):
    assert getattr(foldproof, name) is not None
    assert name in dir(foldproof)


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        foldproof.no_such_name


@pytest.mark.parametrize("name", [name for name in foldproof.__all__ if name != "__version__"])
def test_each_name_says_what_it_is(name):
    assert (getattr(foldproof, name).__doc__ or "").strip() or name == "Verdict"  # a Literal has no docstring


def test_each_name_is_described_in_the_reference(root):
    described = re.findall(r"^### `(\w+)`$", (root / "docs" / "reference.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(described) == sorted(foldproof.__all__)


def test_the_hint_for_type_checkers_names_the_same(source):
    tree = ast.parse((source / "__init__.py").read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    hinted = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert hinted | {"__version__"} == set(foldproof.__all__)


def test_the_names_of_each_stage_are_sorted(source):
    unsorted = {}
    for stage, path in doors(source).items():
        names = names_of(path)
        if names is not None and names != in_order(names):
            unsorted[stage] = names
    assert unsorted == {}


def test_each_stage_is_a_door(source):
    assert [stage for stage, path in doors(source).items() if names_of(path) is None] == []


@pytest.mark.parametrize("stage", ["core", "matching", "logs", "compaction", "cases", "agents", "record", "run",
                                   "score", "compare", "report", "demo", "workflow", "cli"])  # fmt: skip
def test_what_a_stage_exports_is_there(source, stage):
    module = importlib.import_module(f"foldproof.{stage}")
    names = names_of(source / stage / "__init__.py") or []
    assert [name for name in names if not hasattr(module, name)] == []


def test_every_package_has_a_docstring(source):
    silent = [path.relative_to(source).as_posix() for path in source.rglob("*.py") if not _said(path)]
    assert silent == []


def _said(path):
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").strip()
