"""Sizes and names that keep the house readable: files, functions, parameters, and words that mean one thing."""

import ast
import re
from pathlib import Path

import pytest

FILE_LINES = 400
BODY_LINES = 60
PARAMETERS = 8
POSITIONAL = 4
DOOR_POSITIONAL = 2
NO_MODULES = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
BANNED = {"target", "metric", "sample", "epoch", "task", "reward", "evaluator", "grader"}
BANNED_BARE = {"model", "test"}
# Functions behind a stage's door that take more than two positional parameters, each with its reason.
WIDE_DOORS = {
    "matching.match_fact": "DESIGN section 13 writes it so: (fact, text, kind)",
    "agents.open_agents": "(configuration, environ, root) are three nouns of three types, which no caller can swap",
    "cases.expand": "(value, environ, place): `place` only names the value in a message",
    "cases.set_case_field": "(path, case, field, value) is the order in which one says it",
    "cases.dump_set": "(replay_set, path, comment) are three types, which no caller can swap",
    "compare.save_baseline": "(baseline, path, cases) are three types, which no caller can swap",
    "report.explain_document": "(info, case, trials) are the three records that it joins",
    "workflow.propose_baseline": "called by anyio.run, which hands over positional arguments only",
    "workflow.check_candidate": "as propose_baseline",
    "workflow.triage_cases": "as propose_baseline",
    "workflow.compare_runs": "as propose_baseline",
    "workflow.run_config": "as propose_baseline",
    "workflow.plan_size": "takes what run_config takes",
    "workflow.explain_case": "(workspace, run, case), as the command `foldproof explain RUN CASE`",
}
# Public names that use a banned word for what a file's own key calls so.
BANNED_BUT = {
    "Configuration.model": "the key `model:` of foldproof.yaml, the agent's language model",
    "JudgePin.model": "the key `model:` of a set's judge",
    "ConfigWire.model": "the wire of the key `model:`",
    "JudgeWire.model": "the wire of the key `model:`",
    "Setup.model": "the expanded key `model:`",
    "Resources.model": "as Setup.model",
}


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def body_lines(function):
    """The lines of a function without its docstring."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    return (function.end_lineno - body[0].lineno + 1) if body else 0


def positional(function):
    return [a.arg for a in (*function.args.posonlyargs, *function.args.args) if a.arg not in {"self", "cls"}]


def parameters(function):
    rest = [function.args.vararg, function.args.kwarg]
    return [*positional(function), *(a.arg for a in function.args.kwonlyargs), *(a.arg for a in rest if a)]


def is_command(function):
    """A click command: click hands over every parameter by its name."""
    words = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any(re.match(r"(click|app|\w+_?)\.(command|group)\(", word) for word in words)


def oversized(tree, lines):
    """Everything that is too large, in words."""
    found = [f"{lines} lines"] if lines > FILE_LINES else []
    for function in functions(tree):
        if body_lines(function) > BODY_LINES:
            found.append(f"{function.name}: {body_lines(function)} lines")
        if len(parameters(function)) > PARAMETERS:
            found.append(f"{function.name}: {len(parameters(function))} parameters")
        if len(positional(function)) > POSITIONAL and not is_command(function):
            found.append(f"{function.name}: {len(positional(function))} positional parameters")
    return found


def public_names(tree, exported=None):
    """The names that a reader may use: classes, fields and methods, functions, and the parameters of exported ones."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
            yield node.name, node.name
            if exported is None or node.name in exported:
                yield from ((f"{node.name}({name})", name) for name in parameters(node))
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, node.name
            for inner in node.body:
                if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name):
                    yield f"{node.name}.{inner.target.id}", inner.target.id
                elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)) and not inner.name.startswith("_"):
                    yield f"{node.name}.{inner.name}", inner.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node.target.id


def words_of(name):
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def banned(tree, exported=None):
    """Public names that use a word which the field uses for two things."""
    found = []
    for place, name in public_names(tree, exported):
        words = words_of(name)
        if place.startswith("_") or name.startswith("_") or place in BANNED_BUT:
            continue
        plural = {word + "s" for word in BANNED}
        bare = len(words) == 1 and words[0] in BANNED_BARE
        if set(words) & (BANNED | plural) or bare:
            found.append(place)
    return found


def trees(source):
    for path in sorted(source.rglob("*.py")):
        text = path.read_text("utf-8")
        yield path.relative_to(source).as_posix(), ast.parse(text), len(text.splitlines())


def test_files_and_functions_are_small(source):
    found = {name: told for name, tree, lines in trees(source) if (told := oversized(tree, lines))}
    assert found == {}


def test_what_stands_behind_a_door_takes_two_and_the_rest_by_name(source):
    wide = {}
    for door in sorted(source.glob("*/__init__.py")):
        stage = door.parent.name
        for path in sorted(door.parent.rglob("*.py")):
            for node in ast.parse(path.read_text("utf-8")).body:
                exported = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in names_of(door)
                if exported and len(positional(node)) > DOOR_POSITIONAL:
                    wide[f"{stage}.{node.name}"] = positional(node)
    assert {name: taken for name, taken in wide.items() if name not in WIDE_DOORS} == {}
    assert sorted(WIDE_DOORS.keys() - wide.keys()) == [], "an exception that is no longer needed"


def names_of(path):
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return set(ast.literal_eval(node.value))
    return set()


def test_no_module_is_named_after_nothing(source):
    assert [str(path) for path in source.rglob("*") if path.stem in NO_MODULES] == []


def test_words_mean_one_thing(source):
    names = {}
    for name, tree, _ in trees(source):
        door = source / name.partition("/")[0] / "__init__.py"
        exported = names_of(door) if door.exists() else None
        if told := banned(tree, exported):
            names[name] = told
    modules = [name for name, _, _ in trees(source) if set(words_of(Path(name).stem)) & BANNED]
    assert names == {}
    assert modules == []


def test_no_exception_outlives_its_reason(source):
    places = {place for _, tree, _ in trees(source) for place, _ in public_names(tree)}
    assert sorted(BANNED_BUT.keys() - places) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f():\n" + "    x = 1\n" * 61, ["f: 61 lines"]),
        ("def f():\n" + '    """' + "said\n" * 70 + '"""\n' + "    x = 1\n" * 60, []),
        ("def f(a, b, *, c, d, e, g, h, i, j):\n    pass\n", ["f: 9 parameters"]),
        ("def f(a, b, c, d, e):\n    pass\n", ["f: 5 positional parameters"]),
        ("@click.command()\ndef f(a, b, c, d, e):\n    pass\n", []),
        ("class C:\n    def f(self, a, b, c, d):\n        pass\n", []),
    ],
)
def test_what_is_too_large_is_told(text, told):
    assert oversized(ast.parse(text), 1) == told


def test_a_long_file_is_told():
    assert oversized(ast.parse(""), FILE_LINES + 1) == ["401 lines"]


@pytest.mark.parametrize(
    "text",
    ["class Grader: ...", "def run_task(): ...", "def run(target): ...", "class A:\n    metrics: int", "model: int = 1",
     "class A:\n    def test(self): ...", "class SampleScore: ..."],
)  # fmt: skip
def test_a_banned_word_is_told(text):
    assert banned(ast.parse(text))


@pytest.mark.parametrize("text", ["def _grader(): ...", "class Case: ...", "def model_name(): ...", "retask: int = 1"])
def test_other_words_are_free(text):
    assert banned(ast.parse(text)) == []
