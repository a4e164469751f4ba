"""The fingerprint says whether the code of an agent changed, and what runs is what it says."""

import ast
import json
import os
import subprocess
import sys
import textwrap

import pytest

from foldproof.agents import python_sources
from foldproof.agents.fingerprints import digests_of, files_named, fingerprint_of
from foldproof.core import UsageError

pytestmark = pytest.mark.anyio
NAMED = {"python": "fp_agent:run"}


@pytest.fixture(autouse=True)
def _leave_no_module():
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("fp_"):
            del sys.modules[name]


@pytest.fixture
def write(tmp_path):
    def writing(**files):
        for name, code in files.items():
            path = tmp_path / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(code))

    return writing


@pytest.fixture
def seen(opened, ask):
    """The fingerprint and the answer of the agent as it stands."""

    async def seeing(agent=NAMED, **more):
        async with opened(agent, **more) as factory:
            return factory.fingerprint, (await ask(await factory.make({}, "t"))).text

    return seeing


async def test_an_edited_module_is_run_as_it_is_written(write, seen):
    write(fp_agent="def run(q, c): return 'one'")
    first = await seen()
    assert await seen() == first
    write(fp_agent="def run(q, c): return 'two'")  # the same size in the same second
    second = await seen()
    assert (first[1], second[1]) == ("one", "two")
    assert first[0] != second[0]
    write(fp_agent="def run(q, c): return 'one'")
    assert await seen() == first


async def test_a_module_whose_file_is_gone_is_not_run_from_memory(write, seen, tmp_path):
    write(fp_agent="def run(q, c): return 'one'")
    await seen()
    (tmp_path / "fp_agent.py").unlink()
    with pytest.raises(UsageError, match="there is no module `fp_agent`"):
        await seen()


@pytest.mark.parametrize(
    ("agent", "helper"),
    [
        ("from fp_helper import WORD\ndef run(q, c): return WORD", "fp_helper"),
        ("import fp_helper\ndef run(q, c): return fp_helper.WORD", "fp_helper"),
        ("def run(q, c):\n  from fp_helper import WORD\n  return WORD", "fp_helper"),
        ("import importlib\ndef run(q, c): return importlib.import_module('fp_helper').WORD", "fp_helper"),
        ("from fp_between import WORD\ndef run(q, c): return WORD", "fp_helper"),
        ("from fp_pkg.deep import helper\ndef run(q, c): return helper.WORD", "fp_pkg/deep/helper"),
        ("import fp_pkg.inner\ndef run(q, c): return fp_pkg.inner.WORD", "fp_pkg/word"),
    ],
)
async def test_an_edited_helper_is_seen_and_run(write, seen, agent, helper):
    write(
        fp_agent=agent,
        fp_between="from fp_helper import *",
        **{"fp_pkg/__init__": "", "fp_pkg/deep/__init__": "", "fp_pkg/inner": "from .word import WORD"},
        **{helper: "WORD = 'one'"},
    )
    first = await seen()
    assert (await seen()) == first, "what a call loads changes nothing"
    write(**{helper: "WORD = 'two'"})
    second = await seen()
    assert (first[1], second[1]) == ("one", "two")
    assert first[0] != second[0]


async def test_an_agent_in_a_package_covers_the_package(write, seen):
    write(**{"fp_pkg/__init__": "WORD = 'one'", "fp_pkg/agent": "from . import WORD\ndef run(q, c): return WORD"})
    first = await seen({"python": "fp_pkg.agent:run"})
    write(**{"fp_pkg/__init__": "WORD = 'two'"})
    second = await seen({"python": "fp_pkg.agent:run"})
    assert (first[1], second[1]) == ("one", "two")
    assert first[0] != second[0]


async def test_twin_what_the_agent_does_not_import_plays_no_part(write, seen):
    write(fp_agent="import json\ndef run(q, c): return 'one'", fp_other="from fp_third import X", fp_third="X = 1")
    first = await seen()
    await seen({"python": "fp_agent:run"})
    write(fp_third="X = 2")
    assert await seen() == first


async def test_the_fingerprint_is_the_same_whatever_was_loaded_before(write, seen):
    write(
        fp_agent="import fp_shared\ndef run(q, c): return 'a'",
        fp_second="import fp_shared, fp_more\ndef run(q, c): return 'b'",
        fp_shared="",
        fp_more="",
    )
    alone = await seen()
    await seen({"python": "fp_second:run"})
    assert await seen() == alone


async def test_both_agents_of_an_edited_helper_are_run_anew(write, seen):
    helper = "def word(): return '%s'"
    use = "from fp_helper import word\ndef run(q, c): return word()"
    write(fp_agent=use, fp_second=use, fp_helper=helper % "one")
    assert [(await seen())[1], (await seen({"python": "fp_second:run"}))[1]] == ["one", "one"]
    write(fp_helper=helper % "two")
    assert [(await seen())[1], (await seen({"python": "fp_second:run"}))[1]] == ["two", "two"]


async def test_every_opening_has_modules_of_its_own(write, seen):
    write(fp_agent="import fp_helper\ndef run(q, c): return fp_helper.WORD", fp_helper="WORD = 'one'")
    await seen()
    sys.modules["fp_helper"].WORD = "kept by the one before"
    assert (await seen())[1] == "one"


async def test_an_installed_package_below_the_root_is_not_looked_at(write, seen, tmp_path):
    place = tmp_path / "venv" / "site-packages"
    place.mkdir(parents=True)
    (place / "fp_installed.py").write_text("WORD = 'one'")
    write(fp_agent=f"import sys\nsys.path.append({str(place)!r})\nimport fp_installed\ndef run(q, c): return 'x'")
    first = await seen()
    kept = sys.modules["fp_installed"]
    (place / "fp_installed.py").write_text("WORD = 'two'")
    assert await seen() == first
    write(fp_agent="import fp_installed\ndef run(q, c): return 'y'")
    assert (await seen())[1] == "y"
    assert sys.modules["fp_installed"] is kept
    sys.path.remove(str(place))


async def test_sources_in_strange_forms(write, seen, tmp_path):
    (tmp_path / "fp_broken.py").write_bytes(b"def (\n")
    write(
        fp_agent="""
        from fp_odd import *
        try:
            import fp_broken
        except SyntaxError:
            pass
        TEXTS = "a:b.c d", "fp_odd:go", "é" * 300
        """,
        fp_odd="import functools\ndef go(a, q, c): return 'x'\nrun = functools.partial(go, 1)\n",
    )
    first = await seen()
    assert first[1] == "x"
    (tmp_path / "fp_broken.py").write_bytes(b"def ()\n")
    assert (await seen())[0] != first[0]


async def test_a_text_with_an_escape_that_python_warns_of(write, seen):
    write(fp_agent="import warnings\nwarnings.simplefilter('ignore')\nimport fp_odd\nrun = fp_odd.run")
    write(fp_odd="WORD = '\\d'\ndef run(q, c): return WORD")
    assert (await seen())[1] == "\\d"


@pytest.mark.parametrize(
    ("agent", "values"),
    [
        (NAMED, {"memory": {"deep": [{"prompt": "prompts/compact.md"}]}}),
        ({"command": ["cat"]}, {"memory": {"prompt": "prompts/compact.md"}}),
        ({"http": "http://127.0.0.1:9/v1"}, {"model": {"system": "prompts/compact.md"}}),
        ({"recall": ""}, {"model": {"name": "prompts/compact.md"}}),
    ],
)
async def test_files_that_values_name_are_part_of_it(write, opened, tmp_path, agent, values):
    write(fp_agent="def run(q, c): return 'one'")
    prompt = tmp_path / "prompts" / "compact.md"
    prompt.parent.mkdir()

    async def fingerprint():
        async with opened(agent, **values) as factory:
            return factory.fingerprint

    without = await fingerprint()
    prompt.write_text("keep all")
    first = await fingerprint()
    prompt.write_text("keep none")
    assert len({without, first, await fingerprint()}) == 3


@pytest.mark.parametrize("name", ["helper.sh", "helper.py", "helper.js", "helper.mjs", "helper.ts"])
@pytest.mark.parametrize("command", [["sh", "tools/agent.sh"], ["tools/agent"], "sh tools/agent.sh"])
async def test_an_edited_file_beside_a_script_is_seen(opened, tmp_path, command, name):
    (tmp_path / "tools" / "deeper").mkdir(parents=True)
    for script in ("agent.sh", "agent"):
        (tmp_path / "tools" / script).write_text("#!/bin/sh\n. ./tools/helper.sh\n")
        (tmp_path / "tools" / script).chmod(0o755)
    helper = tmp_path / "tools" / name

    async def fingerprint():
        async with opened({"command": command}) as factory:
            return factory.fingerprint

    helper.write_text("one")
    first = await fingerprint()
    for unseen in ("notes.txt", "deeper/helper.sh", "../helper.sh"):
        (tmp_path / "tools" / unseen).write_text("one")
    assert await fingerprint() == first
    helper.write_text("two")
    assert await fingerprint() != first


async def test_twin_a_named_file_that_is_no_script_brings_no_other(opened, tmp_path):
    (tmp_path / "settings.json").write_text("{}")

    async def fingerprint():
        async with opened({"command": ["cat", "settings.json"]}) as factory:
            return factory.fingerprint

    first = await fingerprint()
    (tmp_path / "helper.sh").write_text("one")
    assert await fingerprint() == first
    (tmp_path / "settings.json").write_text("[]")
    assert await fingerprint() != first


def test_names_and_contents_decide(tmp_path):
    one = tmp_path / "one.py"
    one.write_text("a")
    first = fingerprint_of(digests_of([one]), tmp_path)
    one.write_text("b")
    assert fingerprint_of(digests_of([one]), tmp_path) != first
    one.rename(tmp_path / "two.py").write_text("a")
    assert fingerprint_of(digests_of([tmp_path / "two.py"]), tmp_path) != first
    assert fingerprint_of(digests_of([tmp_path / "absent", tmp_path]), tmp_path) == ""
    assert json.dumps(first)


def test_only_files_below_the_root_are_named(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.md").write_text("a")
    (tmp_path / "b.md").write_text("b")
    (root / "link.md").symlink_to(tmp_path / "b.md")
    os.mkfifo(root / "pipe")
    value = {
        "x": ["a.md", 3, None, ("../b.md", "link.md", "pipe", "", ".", "a\0b", "y" * 9999)],
        "z": str(root / "a.md"),
    }
    assert files_named(value, root) == [root / "a.md", root / "a.md"]


def test_an_unreadable_file_is_left_out(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_text("a")

    def refuse(*args, **named):
        raise PermissionError

    monkeypatch.setattr("pathlib.Path.open", refuse)
    assert digests_of([path]) == {}


def test_a_project_above_the_interpreter_forgets_none_of_its_modules(tmp_path):
    code = (
        "import sys, pathlib, foldproof\nfrom foldproof.agents import python_sources as s\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\nimport fp_one\n"
        "p = pathlib.Path(fp_one.__file__).resolve(); s._loaded[p] = 'old'\n"
        "s.forget_loaded(pathlib.Path('/'))\n"
        "assert 'fp_one' not in sys.modules and 'os' in sys.modules and 'foldproof.core' in sys.modules\n"
    )
    (tmp_path / "fp_one.py").write_text("")
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


def test_a_source_is_read_again_where_the_interpreter_trips_over_its_own_garbage(monkeypatch):
    failing = [SystemError("AST constructor recursion depth mismatch")]

    def parse(raw):
        if failing:
            raise failing.pop()
        return compile(raw, "x", "exec", ast.PyCF_ONLY_AST)

    monkeypatch.setattr(python_sources.ast, "parse", parse)
    assert python_sources._parsed(b"import os").body[0].names[0].name == "os"
    failing += [SystemError("one"), SystemError("two")]
    with pytest.raises(SystemError):
        python_sources._parsed(b"import os")
