"""Importing a module does nothing: no file written, no network, no process, not a word; and the doors stay light."""

import json
import subprocess
import sys

import pytest

HEAVY = ("aiohttp", "sqlalchemy", "rich", "ruamel", "re2", "rapidfuzz", "ahocorasick_rs", "pydantic")
LIGHT = ("foldproof", "foldproof.cli.app")
# An interpreter forks a child for each module, so that none waits for a start. Of the modules of a stage none is there
# before its own import, nor any of a later stage; the doors of earlier ones are, each tried alone before, and what most
# modules import of others. The two doors whose lightness is looked at come into an interpreter that has nothing.
USUAL = ("pydantic", "anyio", "click", "sqlalchemy")
STAGES = (
    "core matching logs compaction cases agents record run judging score compare cliff report demo workflow testing"
)
PROBE = r"""
import json, os, sys

FORBIDDEN = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto",
             "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.mkdir", "os.remove",
             "os.rename", "os.rmdir", "os.truncate", "shutil.", "tempfile.", "sqlite3.connect", "urllib.Request",
             "http.client.connect", "webbrowser.open")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def probe(name, answer):
    seen = []

    def listen(event, args):
        if event == "open":
            path, mode, flags = args
            writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (flags or 0) & WRITING
            if writes and "__pycache__" not in str(path) and str(path) != os.devnull:
                seen.append(f"open {path} {mode}")
        elif event.startswith(FORBIDDEN):
            # The interpreter's own cache of compiled files is no work of the module's.
            if not any("__pycache__" in str(arg) for arg in args):
                seen.append(f"{event} {args!r}")

    read, write = os.pipe()
    os.dup2(write, 1)
    os.dup2(write, 2)
    os.set_blocking(read, False)
    sys.addaudithook(listen)
    error = ""
    try:
        __import__(name)
    except BaseException as problem:
        error = f"{type(problem).__name__}: {problem}"
    events = list(seen)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        printed = os.read(read, 65536).decode("utf-8", "replace")
    except BlockingIOError:
        printed = ""
    found = {"module": name, "error": error, "events": events, "printed": printed,
             "loaded": sorted({part.partition(".")[0] for part in sys.modules})}
    with os.fdopen(answer, "w") as file:
        json.dump(found, file)


results = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
for there, names in json.loads(sys.argv[1]):
    for name in there:
        try:
            __import__(name)
        except BaseException:  # it was tried alone before, which tells what is wrong
            pass
    for name in names:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            probe(name, write)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as file:
            print(file.read(), file=results, flush=True)
        os.waitpid(child, 0)
"""


def steps(names):
    """What is imported beforehand, and which modules are tried then: the earliest stages first."""
    done = set()
    for stage in STAGES.split():
        own = [name for name in names if name.split(".")[1:2] == [stage]]
        done |= set(own)
        yield own, [f"foldproof.{stage}"]
    yield [name for name in names if name not in done], []


def probe(names):
    light, others = [name for name in names if name in LIGHT], [name for name in names if name not in LIGHT]
    halves = []
    for part in (others[::2], others[1::2]):
        there, half = list(USUAL), []
        for tried, door in steps(part):
            half.append((there, tried))
            there = door
        halves.append(half if part else [])
    batches = [
        subprocess.Popen([sys.executable, "-c", PROBE, json.dumps(part)], stdout=subprocess.PIPE, text=True)
        for part in ([((), light)], *halves)
        if any(tried for _, tried in part)
    ]
    found = {}
    for batch in batches:
        output, _ = batch.communicate(timeout=300)
        assert batch.returncode == 0
        found.update((record["module"], record) for record in map(json.loads, output.splitlines()))
    return found


# One test, since the processes that share the tests would each import everything again.
def test_every_module_is_imported_alone_does_nothing_and_prints_nothing(source):
    names = []
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source.parent).with_suffix("").parts
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    assert len(names) > 100
    imported = probe(names)
    assert imported.keys() == set(names)
    for what in ("error", "events", "printed"):
        assert {name: record[what] for name, record in imported.items() if record[what]} == {}


@pytest.mark.parametrize("name", LIGHT)
def test_the_doors_stay_light(name):
    record = probe([name])[name]
    assert record["error"] == ""
    assert set(HEAVY) & set(record["loaded"]) == set()


def test_what_prints_waits_for_no_database():
    check = "import sys, foldproof.report; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_what_a_module_does_is_seen(tmp_path, monkeypatch):
    noisy = "import socket, subprocess\nimport pydantic\nprint('hello')\nopen(__file__ + '.out', 'w').close()\n"
    noisy += "socket.getaddrinfo('127.0.0.1', 1)\nsubprocess.run(['true'])\n"
    (tmp_path / "noisy_module.py").write_text(noisy, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    record = probe(["noisy_module"])["noisy_module"]
    kinds = {event.partition(" ")[0] for event in record["events"]}
    assert {"open", "socket.getaddrinfo", "subprocess.Popen"} <= kinds
    assert record["printed"] == "hello\n"
    assert "pydantic" in record["loaded"]
