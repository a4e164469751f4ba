"""The parts of the vendors' programs that need no vendor, loaded as `host.py` loads them."""

import importlib
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import foldproof.agents.memories

VENDORS = Path(foldproof.agents.memories.__file__).parent / "vendors"
KEY = "sk-right-0123456789abcdef"


@pytest.fixture
def program(monkeypatch):
    """A module of the vendors' programs, by its name."""
    package = "vendors_under_trial"
    spec = spec_from_file_location(package, VENDORS / "__init__.py", submodule_search_locations=[str(VENDORS)])
    made = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, package, made)
    spec.loader.exec_module(made)
    yield lambda name: importlib.import_module(f"{package}.{name}")
    for name in [name for name in sys.modules if name.startswith(f"{package}.")]:
        del sys.modules[name]


@pytest.fixture
def server():
    """Starts a server that answers embeddings, or sends on to another place; it keeps what it was asked."""
    started = []

    def start(status=200, to=""):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked.append((self.command, self.headers.get("Authorization")))
                body = b'{"data": [{"index": 0, "embedding": [1, 2]}]}'
                self.send_response(status)
                if to:
                    self.send_header("Location", to)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST  # noqa: N815  # what urllib makes of a request that it sends on

            def log_message(self, *_):
                pass

        asked = []
        made = HTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        started.append((made, thread))
        return f"http://127.0.0.1:{made.server_port}/v1", asked

    yield start
    for made, thread in started:
        made.shutdown()
        thread.join()
        made.server_close()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_key_goes_to_the_configured_address_and_nowhere_else(program, server, tmp_path, monkeypatch, status):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    other, asked_there = server()
    first, asked_here = server(status, other)
    embeddings = program("embedding").Embeddings
    with pytest.raises(program("store").StoreError, match=f"no embeddings from {first}.*{status}.*{other}"):
        embeddings({"base_url": first, "name": "m"}, tmp_path / "none.json")(["tea"])
    assert asked_here == [("POST", f"Bearer {KEY}")]
    assert asked_there == []
    assert embeddings({"base_url": other, "name": "m"}, tmp_path / "none.json")(["tea"]) == [[1.0, 2.0]]
    assert asked_there == [("POST", f"Bearer {KEY}")]


def test_a_refusal_is_told_without_an_address(program, server, tmp_path):
    url, _ = server(401)
    with pytest.raises(program("store").StoreError, match=r"no embeddings from .*HTTP Error 401") as caught:
        program("embedding").Embeddings({"base_url": url, "name": "m"}, tmp_path / "none.json")(["tea"])
    assert "redirects" not in str(caught.value)


class Kept(dict):
    """A store that only keeps."""

    def put(self, space, key, value):
        self[space, key] = value


def test_writing_to_langgraphs_store_takes_no_longer_the_more_is_there(program):
    graph = program("langgraph")
    store = graph.GraphStore.__new__(graph.GraphStore)
    store._store, store._order = Kept(), {}
    before = time.process_time()
    for number in (*range(20_000), *range(20_000)):
        store._put("u", f"s.t{number}", {"content": "x"})
    assert time.process_time() - before < 2
    assert list(store._order) == [("u", f"s.t{number}") for number in range(20_000)]


def test_only_a_memory_that_asks_no_model_is_free(program):
    """An answer's cost is unknown where nobody sees what building the memory cost."""
    graph = program("langgraph")
    assert graph.Summarized.free is False
    assert program("openai_agents").OpenAISession.free is True
