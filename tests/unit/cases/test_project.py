from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from foldproof.cases import Limits, Repeats, expand, find_project, load_project, project_environment
from foldproof.core import FileError, UsageError

SMALL = "foldproof: 1\nconfigs:\n  production: {agent: recall}\n"


@pytest.fixture
def project(write, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return lambda text: load_project(write(text, "foldproof.yaml"))


@pytest.fixture
def faults(project):
    def _faults(text):
        with pytest.raises(FileError) as caught:
            project(text)
        return [(item.line, item.message) for item in caught.value.problems]

    return _faults


def test_the_full_form(project, tmp_path):
    found = project("""\
foldproof: 1
replay_set: sets/../replay.yaml
baseline: candidate
baseline_file: base.json
store: sqlite:///.foldproof/runs.db
repeats: {always: 2, borderline: 5}
limits: {concurrency: 4, timeout_s: 0.5, retries: 0, max_cost_usd: 0, max_time_s: 60}
configs:
  production:
    agent: chat
    model: {base_url: "${URL}", name: qwen2.5:7b, temperature: 0, seed: 7, options: {a: 1, b: 2}}
    memory: {kind: verbatim, k: 8}
    folds: 0
  candidate:
    extends: production
    model: {options: {b: 3}}
    memory: {kind: summary, every: 40}
  smaller:
    extends: production
    memory: {k: 3}
  external: {extends: smaller, agent: {http: "http://localhost:8000/v1", history: messages}, memory: external, folds: 2}
""")
    assert (found.path, found.root, found.replay_set) == (
        tmp_path / "foldproof.yaml",
        tmp_path,
        tmp_path / "replay.yaml",
    )
    assert (found.baseline, found.baseline_file) == ("candidate", tmp_path / "base.json")
    assert found.store == f"sqlite:///{tmp_path}/.foldproof/runs.db"
    assert found.repeats == Repeats(2, 5)
    assert found.limits == Limits(4, 0.5, 0, 0.0, 60.0)
    configs = found.configs
    assert list(configs) == ["production", "candidate", "smaller", "external"]
    assert configs["candidate"].model["options"] == {"a": 1, "b": 3}
    assert configs["candidate"].memory == {"kind": "summary", "every": 40}
    assert configs["smaller"].memory == {"kind": "verbatim", "k": 3}
    assert configs["external"].agent == {"http": "http://localhost:8000/v1", "history": "messages"}
    assert configs["external"].memory == {"kind": "external"}
    assert [config.folds for config in configs.values()] == [0, 0, 0, 2]
    assert [config.line for config in configs.values()] == [9, 14, 18, 21]
    assert configs["production"].model["base_url"] == "${URL}"
    assert len({config.sha256 for config in configs.values()}) == 4


def test_the_defaults(project, tmp_path):
    found = project(SMALL)
    assert (found.replay_set, found.baseline) == (tmp_path / "replay.yaml", "production")
    assert found.baseline_file == tmp_path / "baselines" / "production.json"
    assert (found.repeats, found.limits) == (Repeats(), Limits())
    assert found.configs["production"].adapter == "recall"


@pytest.mark.parametrize(
    ("written", "agent"),
    [
        ("recall", {"recall": ""}),
        ("{recall: ''}", {"recall": ""}),
        ("{recall: }", {"recall": ""}),
        ("chat", {"chat": ""}),
        ("{chat: {}}", {"chat": ""}),
        ("{chat: {steps: 2, tools: [search_memory]}}", {"chat": {"steps": 2, "tools": ["search_memory"]}}),
        ("{chat: , tools: [a]}", {"chat": "", "tools": ["a"]}),
        ("{mine: {depth: 3}}", {"mine": {"depth": 3}}),
        ("python:my_agent:run_agent", {"python": "my_agent:run_agent"}),
        ("{python: 'a.b:C.make'}", {"python": "a.b:C.make"}),
        ("{command: [node, agent.js, --port, 8080, no]}", {"command": ["node", "agent.js", "--port", "8080", "no"]}),
        ("{command: \"node 'my agent.js'\"}", {"command": ["node", "my agent.js"]}),
        ("'command:node a.js'", {"command": ["node", "a.js"]}),
        ("{timeout_s: 5, http: 'http://x'}", {"http": "http://x", "timeout_s": 5}),
        ("'https://x/v1'", {"http": "https://x/v1"}),
        ("{http: '${BASE}/v1'}", {"http": "${BASE}/v1"}),
    ],
)
def test_agents(project, written, agent):
    found = project(f"configs:\n  production:\n    agent: {written}\n").configs["production"].agent
    assert (found, next(iter(found))) == (agent, next(iter(agent)))


@pytest.mark.parametrize(
    ("written", "needle"),
    [
        ("", "`configs.production.agent` is empty"),
        ("[a]", "cannot be a list"),
        ("{}", "names no agent"),
        ("two words", "cannot be 'two words'"),
        ("python:my_agent", "names the Python agent 'my_agent'"),
        ("{command: []}", "has the command nothing"),
        ("{command: [[a]]}", "has the command a list"),
        ('{command: "a \'b"}', "whose quotes do not close"),
        ("{command: ''}", "has the command nothing"),
        ("{http: localhost}", "has the address 'localhost'"),
        ("{http: 'http://x', history: all}", "has the `history` 'all'"),
        ("{http: 'http://x', command: [a]}", "names two agents, `http` and `command`"),
        ("{recall: 3}", "gives `recall` the value '3'"),
        ("{chat: 3}", "gives `chat` the value '3'"),
        ("{chat: [a]}", "gives `chat` the value a list"),
        ("'chat:x'", "gives `chat` the value 'x'"),
        ("{'a b': 3}", "cannot be 'a b'"),
    ],
)
def test_agents_that_are_refused(faults, written, needle):
    ((line, message),) = faults(f"configs:\n  production:\n    agent: {written}\n")
    assert line == 3
    assert needle in message


@pytest.mark.parametrize(
    ("written", "settings"),
    [
        ("on", {}),
        ("true", {}),
        ("off", {"on": False}),
        ("false", {"on": False}),
        ("{openai: http://x/v1}", {"openai": "http://x/v1"}),
    ],
)
def test_what_is_watched(project, written, settings):
    for name in ("wire", "otel"):
        found = project(f"configs:\n  production:\n    agent: chat\n    {name}: {written}\n").configs["production"]
        assert getattr(found, name) == settings
        assert getattr(found, "otel" if name == "wire" else "wire") is None


@pytest.mark.parametrize(
    ("written", "needle"),
    [
        ("maybe", "cannot be 'maybe'"),
        ("{}", "cannot be"),
        ("[a]", "cannot be a list"),
        ("{on: true, openai: x}", "has the setting `on`"),
    ],
)
def test_watching_that_is_refused(faults, written, needle):
    ((line, message),) = faults(f"configs:\n  production:\n    agent: chat\n    wire: {written}\n")
    assert line == 4
    assert needle in message


@pytest.mark.parametrize(
    ("text", "line", "needle"),
    [
        (SMALL + "nix: 1\n", 4, "the project has an unknown field `nix`"),
        (SMALL + "limits: {retires: 1}\n", 4, "has an unknown field `retires` in `limits`"),
        (SMALL + "limits: {retries: 1.5}\n", 4, "`limits.retries` must be a whole number of at least 0, not '1.5'"),
        (SMALL + "limits: {concurrency: 0}\n", 4, "must be a whole number of at least 1, not '0'"),
        (SMALL + "limits: {timeout_s: 2m}\n", 4, "must be a number above 0, not '2m'"),
        (SMALL + "limits: {timeout_s: 0}\n", 4, "must be a number above 0, not '0'"),
        (SMALL + f"limits: {{timeout_s: {'9' * 350}}}\n", 4, "must be a number above 0"),
        (SMALL + "limits: {max_cost_usd: -1}\n", 4, "must be a number from 0 on, not '-1'"),
        (SMALL + "limits: {retries: true}\n", 4, "not 'true'"),
        (SMALL + "repeats: {always: 5}\n", 4, "borderline 3 is less than always 5"),
        (SMALL + "baseline: prod\n", 4, "`baseline` names the unknown configuration 'prod'"),
        ("configs: {a: {agent: recall}}\n", 1, "`baseline` is not set, and there is no configuration 'production'"),
        (SMALL + "store: postgresql://x\n", 4, "`store` is 'postgresql://x', which this version cannot use"),
        (SMALL + "store: 'sqlite://'\n", 4, "cannot use"),
        (SMALL + "store: 'sqlite:///:memory:'\n", 4, "cannot use"),
        (SMALL + "store: 'sqlite:///${X}'\n", 4, "cannot use"),
        ("foldproof: 1\n", 1, "the project lacks the field `configs`"),
        ("configs: {}\n", 1, "`configs` must be more than empty, not a mapping"),
        ("foldproof: 2\nnix: 3\n", 1, "the file has format 2, and this version of foldproof reads up to 1"),
        ("configs:\n  production: {memory: {kind: x}}\n", 2, "configuration 'production' has no `agent`"),
        ("configs:\n  production: {agent: recall, memory: window}\n", 2, "cannot be 'window'"),
        ("configs:\n  production: {agent: recall, memory: }\n", 2, "`configs.production.memory` is empty"),
        ("configs:\n  production: {agent: recall, memory: [a]}\n", 2, "must be a mapping, not a list"),
        ("configs:\n  production: {agent: recall, memory: {kind: [a]}}\n", 2, "has the kind a list"),
        ("configs:\n  production: {agent: recall, exends: x}\n", 2, "unknown field `exends` in `configs.production`"),
        ("configs:\n  production: recall\n", 2, "`configs.production` must be a mapping, not 'recall'"),
        ("configs:\n  'a b': {agent: recall}\n", 2, "cannot be 'a b'"),
        (SMALL + "  candidate: {extends: prodction}\n", 4, "extends the unknown configuration 'prodction'"),
        (SMALL + "  a: {extends: b}\n  b: {extends: c}\n  c: {extends: b}\n", 6, "extend each other: b -> c -> b"),
        (SMALL + "  a: {extends: a}\n", 4, "extend each other: a -> a"),
        (SMALL + "  a: &x {extends: nix}\n", 4, "`&x` is read as an anchor"),
    ],
)
def test_projects_that_are_refused(faults, text, line, needle):
    ((found, message),) = faults(text)
    assert (found, needle in message) == (line, True), message


def test_all_problems_at_once(faults):
    found = faults(
        "nix: 1\nlimits: {retries: x}\nbaseline: broken\nconfigs:\n  broken: {agent: [a]}\n  child: {extends: broken}\n"
        "  lost: {extends: brokn}\n  bare: {folds: 1}\nstore: x\n"
    )
    assert [line for line, _ in found] == [1, 2, 5, 7, 8, 9]


def test_another_agent_takes_nothing_over_and_the_same_merges(project):
    configs = project(
        "configs:\n  production: {agent: {http: 'http://a', timeout_s: 5}}\n"
        "  same: {extends: production, agent: {http: 'http://b'}}\n  other: {extends: production, agent: recall}\n"
    ).configs
    assert configs["same"].agent == {"http": "http://b", "timeout_s": 5}
    assert configs["other"].agent == {"recall": ""}


def test_finding_upwards(write, tmp_path, monkeypatch):
    path = write(SMALL, "foldproof.yaml")
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_project(deep) == path
    monkeypatch.chdir(deep)
    assert find_project(Path()) == path
    with pytest.raises(UsageError, match="foldproof init"):
        find_project(Path(tmp_path.anchor))


def test_the_environment_wins_over_the_file_and_is_left_alone(project, write, monkeypatch):
    found = project(SMALL)
    assert "FOLDPROOF_T1" not in project_environment(found)
    write("FOLDPROOF_T1=file\nFOLDPROOF_T2='file two'\nFOLDPROOF_T3\n", ".env")
    monkeypatch.setenv("FOLDPROOF_T1", "process")
    environ = project_environment(found)
    assert (environ["FOLDPROOF_T1"], environ["FOLDPROOF_T2"]) == ("process", "file two")
    assert "FOLDPROOF_T3" not in environ
    assert "FOLDPROOF_T2" not in os.environ
    write(b"A=\xff\n", ".env")
    with pytest.raises(FileError, match=r"\.env:1: the file is not UTF-8"):
        project_environment(found)


def test_an_environment_file_that_is_none(project, write, tmp_path):
    found = project(SMALL)
    (tmp_path / ".env").mkdir()
    assert dict(project_environment(found)) == dict(os.environ), "some keep a virtual environment there"
    (tmp_path / ".env").rmdir()
    os.mkfifo(tmp_path / ".env")
    with pytest.raises(FileError, match=r"\.env: the file cannot be read: it is a pipe or a device"):
        project_environment(found)


@pytest.mark.parametrize("name", ["7", "0042", "٣", "latest"])
def test_a_configuration_is_not_named_as_runs_are(faults, name):
    ((line, message),) = faults(SMALL + f"  '{name}': {{agent: recall}}\n")
    assert (line, message) == (4, f"the project: `configs.{name}` cannot be '{name}'")


@pytest.mark.parametrize("name", ["7b", "latest-model", "Latest", "-1", "1.5"])
def test_twin_a_configuration_may_hold_a_number(project, name):
    assert name in project(SMALL + f"  '{name}': {{agent: recall}}\n").configs


@pytest.mark.parametrize("key", ["store", "replay_set", "baseline_file"])
def test_a_path_with_a_nul_is_told(faults, key):
    ((line, _),) = faults(SMALL + f'{key}: "sqlite:///a\\0b"\n')
    assert line == 4


@pytest.mark.parametrize("text", ["${a:-" * 20_000, "$${" * 30_000, "${A:-x}" + "${a:-" * 20_000])
def test_expanding_is_quick_whatever_stands_there(text):
    begun = time.process_time()
    assert expand(text, {}) == text.replace("$${", "${").replace("${A:-x}", "x")
    assert time.process_time() - begun < 1


def test_expanding():
    environ = {"URL": "http://x", "EMPTY": ""}
    value = {
        "a": ["${URL}/v1", 3, None],
        "b": {"c": "${NIX:-d e}${EMPTY:-f}${EMPTY}${URL:-g}"},
        "d": "$${URL} $5 ${",
        "e": ("x",),
    }
    assert expand(value, environ) == {
        "a": ["http://x/v1", 3, None],
        "b": {"c": "d efhttp://x"},
        "d": "${URL} $5 ${",
        "e": ["x"],
    }
    assert expand("${NIX:-}", environ) == ""
    with pytest.raises(UsageError, match=r"`configs.production.model.keys\[2\]` needs the environment variable `KEY`"):
        expand({"model": {"keys": ["a", "${KEY}"]}}, environ, "configs.production")
    with pytest.raises(UsageError, match="a value needs the environment variable `KEY`"):
        expand("${KEY}", environ)


def test_a_holdout_is_named_with_its_log(write, tmp_path):
    text = "configs: {production: {agent: recall}}\nholdout: {file: release/second.sealed, most_openings: 2}\n"
    known = load_project(write(text, "foldproof.yaml")).holdout
    assert known is not None
    assert (known.file, known.most_openings) == (tmp_path / "release" / "second.sealed", 2)
    assert known.log == tmp_path / "release" / "second.sealed.log.jsonl"
    other = load_project(write(text.replace("most_openings: 2", "log: openings.jsonl"), "foldproof.yaml")).holdout
    assert other is not None
    assert (other.log, other.most_openings) == (tmp_path / "openings.jsonl", None)
    assert load_project(write("configs: {production: {agent: recall}}\n", "foldproof.yaml")).holdout is None


@pytest.mark.parametrize("key", ["file", "log"])
def test_no_holdout_lies_at_a_path_that_there_is_not(write, key):
    settings = {"file": "a.sealed", "log": "a.jsonl", key: "a\0b"}
    text = json.dumps({"configs": {"production": {"agent": "recall"}}, "holdout": settings})
    with pytest.raises(FileError, match="holds the character NUL"):
        load_project(write(text, "foldproof.yaml"))


COMPACTORS = "configs: {production: {agent: recall}}\ncompactors:\n"


def test_compactors_are_declared_as_agents_are(tmp_path):
    path = tmp_path / "foldproof.yaml"
    path.write_text(
        COMPACTORS
        + "  ours: python:mine:shorten\n"
        + "  node: {command: node compact.mjs, timeout_s: 5}\n"
        + "  web: http://localhost:8000/compact\n"
        + "  folded: {config: production, budget_as: none}\n"
        + "  written: {summary: structured, model: {name: m, api_key_env: KEY}}\n"
        + "  apart: {pinned: {inner: head}}\n"
        + "  first: head\n"
    )
    found = load_project(path).compactors
    assert {name: one.settings for name, one in found.items()} == {
        "ours": {"python": "mine:shorten"},
        "node": {"command": ["node", "compact.mjs"], "timeout_s": 5},
        "web": {"http": "http://localhost:8000/compact"},
        "folded": {"config": "production", "budget_as": "none"},
        "written": {"summary": "structured", "model": {"name": "m", "api_key_env": "KEY"}},
        "apart": {"pinned": {"inner": "head"}},
        "first": {"head": ""},
    }
    assert found["node"].line == 4
    assert found["node"].kind == "command"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ours: python:mine", "names the Python compactor 'mine'"),
        ("ours: {python: a:b, http: http://x}", "names two compactors, `python` and `http`"),
        ("ours: {}", "names no compactor"),
        ("ours: a b", "cannot be 'a b'"),
        ("ours: {http: localhost}", "has the address 'localhost'"),
        ("ours: {config: prodction}", "compactor 'ours' folds the unknown configuration 'prodction'"),
        ("ours: {summary: ''}", "is empty"),
        ("'12': head", "cannot be '12'"),
    ],
)
def test_a_compactor_that_cannot_be_is_told_with_its_line(tmp_path, line, told):
    path = tmp_path / "foldproof.yaml"
    path.write_text(COMPACTORS + f"  {line}\n")
    with pytest.raises(FileError) as error:
        load_project(path)
    [problem] = error.value.problems
    assert problem.line == 3
    assert told in problem.message


def test_a_project_of_compactors_alone_has_no_baseline(tmp_path):
    path = tmp_path / "foldproof.yaml"
    path.write_text("compactors:\n  ours: python:mine:shorten\n")
    found = load_project(path)
    assert (found.configs, found.baseline, list(found.compactors)) == ({}, "", ["ours"])
    assert found.baseline_file == tmp_path / "baselines" / "production.json"


def test_its_baseline_is_unknown_where_it_names_one(tmp_path):
    path = tmp_path / "foldproof.yaml"
    path.write_text("baseline: production\ncompactors:\n  ours: python:mine:shorten\n")
    with pytest.raises(FileError, match="`baseline` names the unknown configuration 'production'"):
        load_project(path)
