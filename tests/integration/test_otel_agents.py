"""Command agents that are instrumented with OpenTelemetry and know nothing of foldproof: what their record shows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import unused_port

from foldproof.logs import Seen
from foldproof.record import Trial
from foldproof.record.store import Store
from foldproof.testing import write_project

pytest.importorskip("opentelemetry.sdk", reason="the agents export with the OpenTelemetry SDK")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the agents export by OTLP over HTTP")
pytest.importorskip("opentelemetry.proto", reason="the receiver comes with the extra `otel`")

TRIALS = 8
LOOP = """
import json, sys
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("support-agent")
store = []

def span(name, **attributes):
    return tracer.start_as_current_span(name, attributes={key.replace("__", "."): v for key, v in attributes.items()})

def model(system, question):
    known = system.split("Known: ")[1]
    return known

def best(question, k=2):
    words = set(question.lower().strip("?").split())
    ranked = sorted(store, key=lambda text: -len(words & set(text.lower().split())))
    return [(text, float(len(words & set(text.lower().split())))) for text in ranked[:k]]

%s

for line in sys.stdin:
    step = json.loads(line)
    out = {}
    if step["do"] == "ingest":
        ingest([turn["text"] for session in step["history"] for turn in session["turns"]])
    elif step["do"] == "reply":
        with tracer.start_as_current_span("support"):
            out = {"text": answer(step["text"])}
    elif step["do"] in ("fold", "memories", "snapshot", "restore"):
        out = {"unsupported": True}
    print(json.dumps(out), flush=True)
    if step["do"] == "close":
        break
provider.shutdown()
"""
GENAI = """
def ingest(texts):
    with span("upsert_memory", gen_ai__operation__name="upsert_memory",
              gen_ai__memory__records=json.dumps([{"content": text, "id": str(n)} for n, text in enumerate(texts)])):
        store.extend(texts)

def answer(question):
    with span("search_memory", gen_ai__operation__name="search_memory", gen_ai__memory__query__text=question) as found:
        items = best(question)
        records = [{"content": text, "id": str(store.index(text)), "score": score} for text, score in items]
        found.set_attribute("gen_ai.memory.records", json.dumps(records))
    system = "Be brief. Known: " + "; ".join(text for text, _ in items)
    with span("chat m-1", gen_ai__operation__name="chat", gen_ai__request__model="m-1") as call:
        said = model(system, question)
        parts = lambda text: [{"type": "text", "content": text}]
        call.set_attribute("gen_ai.system_instructions", json.dumps(parts(system)))
        call.set_attribute("gen_ai.input.messages", json.dumps([{"role": "user", "parts": parts(question)}]))
        out = [{"role": "assistant", "parts": parts(said), "finish_reason": "stop"}]
        call.set_attribute("gen_ai.output.messages", json.dumps(out))
        call.set_attribute("gen_ai.usage.input_tokens", 30)
        call.set_attribute("gen_ai.usage.output_tokens", 5)
    return said
"""
OPENINFERENCE = """
def ingest(texts):
    store.extend(texts)

def answer(question):
    with span("retriever", openinference__span__kind="RETRIEVER", input__value=question) as found:
        items = best(question)
        for n, (text, score) in enumerate(items):
            found.set_attribute(f"retrieval.documents.{n}.document.content", text)
            found.set_attribute(f"retrieval.documents.{n}.document.id", str(store.index(text)))
            found.set_attribute(f"retrieval.documents.{n}.document.score", score)
    system = "Be brief. Known: " + "; ".join(text for text, _ in items)
    with span("llm", openinference__span__kind="LLM", llm__model_name="m-1") as call:
        said = model(system, question)
        for n, (role, text) in enumerate([("system", system), ("user", question)]):
            call.set_attribute(f"llm.input_messages.{n}.message.role", role)
            call.set_attribute(f"llm.input_messages.{n}.message.content", text)
        call.set_attribute("llm.output_messages.0.message.role", "assistant")
        call.set_attribute("llm.output_messages.0.message.content", said)
        call.set_attribute("llm.token_count.prompt", 30)
        call.set_attribute("llm.token_count.completion", 5)
    return said
"""
SILENT = """
provider.shutdown()

def ingest(texts):
    store.extend(texts)

def answer(question):
    return best(question)[0][0]
"""
SERVER = """
import json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

provider = TracerProvider()
exporter = OTLPSpanExporter(f"http://127.0.0.1:{sys.argv[1]}/v1/traces")
provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=100))
tracer = provider.get_tracer("server")

class Handler(BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = body["messages"][-1]["content"]
        carrier = dict(self.headers.items()) if sys.argv[2] == "goes on" else {}
        carrier = {key.lower(): text for key, text in carrier.items()}
        with tracer.start_as_current_span("POST", context=TraceContextTextMapPropagator().extract(carrier)):
            kind = "openinference.span.kind"
            with tracer.start_as_current_span("find", attributes={kind: "RETRIEVER"}) as found:
                found.set_attribute("retrieval.documents.0.document.content", f"found for {question}")
            time.sleep(0.15)
            with tracer.start_as_current_span("llm", attributes={kind: "LLM", "input.value": question}) as call:
                call.set_attribute("output.value", "noted")
        said = json.dumps({"choices": [{"message": {"role": "assistant", "content": f"noted: {question}"}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""
IN_PROCESS = """
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
exporter = OTLPSpanExporter("http://127.0.0.1:%d/v1/traces")
provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=100))
tracer = provider.get_tracer("agent")

async def answer(question, memory_config, session):
    with tracer.start_as_current_span("agent", attributes={"foldproof.trial": session.user}):
        kind = {"openinference.span.kind": "LLM", "input.value": question}
        with tracer.start_as_current_span("llm", attributes=kind):
            return f"noted: {question}"
"""
CODE = ["amber-11", "birch-22", "cobalt-33", "dune-44", "ember-55", "fjord-66", "grove-77", "heron-88"]


def sessions(code: str) -> list[dict[str, Any]]:
    texts = [f"The gate code is {code}.", f"Parking for {code} is on level two.", "Lunch is at noon."]
    return [{"session": "s1", "at": "", "turns": [{"role": "user", "text": text} for text in texts]}]


def recorded(
    folder: Path, cli: Callable[..., Any], code: str, otel: Any = "on", environ: str = "", trials: int = TRIALS
) -> list[Trial]:
    """The trials of a run of the agent, one for each code word, all at once."""
    cases = [
        {
            "id": f"gate,{number};=ü",
            "history": f"h{number}",
            "question": "What is the gate code?",
            "expected_facts": [word],
        }
        for number, word in enumerate(CODE[:trials])
    ]
    write_project(
        folder,
        cases=cases,
        configs={"production": {"agent": {"command": [sys.executable, "agent.py"]}, "otel": otel, "wire": "off"}},
        histories={f"h{number}": sessions(word) for number, word in enumerate(CODE[:trials])},
        limits={"concurrency": TRIALS},
    )
    (folder / "agent.py").write_text(LOOP % code, "utf-8")
    if environ:
        (folder / ".env").write_text(environ, "utf-8")
    result = cli("run", "production", "--repeat", "1")
    assert result.code in {0, 1}, result.out + result.err
    with Store.open(folder / ".foldproof" / "runs.db") as store:
        return sorted(store.trials(store.run("latest")), key=lambda trial: trial.case)


def only(seen: tuple[Seen, ...]) -> Seen:
    assert [found.source for found in seen] == ["otel"]
    return seen[0]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("code", [GENAI, OPENINFERENCE], ids=["genai", "openinference"])
def test_the_record_shows_prompt_and_retrieval_of_the_right_trial(
    folder: Path, cli: Callable[..., Any], code: str
) -> None:
    trials = recorded(folder, cli, code)
    assert len(trials) == TRIALS
    for word, trial in zip(CODE, trials, strict=True):
        assert trial.error is None, trial
        assert (trial.memory_reads, trial.prompt) == (None, None), "the agent itself shows nothing"
        seen = only(trial.seen)
        assert [(item.rank, item.text, item.score) for item in seen.memory_reads or ()] == [
            (1, f"The gate code is {word}.", 4.0),
            (2, f"Parking for {word} is on level two.", 1.0),
        ]
        (call,) = seen.calls
        known = f"The gate code is {word}.; Parking for {word} is on level two."
        assert call.prompt == f"[system]\nBe brief. Known: {known}\n\n[user]\nWhat is the gate code?"
        assert (call.answer, call.model_name, call.status, call.error) == (known, "m-1", 200, "")
        assert call.usage is not None
        assert (call.usage.input_tokens, call.usage.output_tokens) == (30, 5)
        assert seen.notes == ()


def test_what_was_written_belongs_to_the_building(folder: Path, cli: Callable[..., Any]) -> None:
    (trial,) = recorded(folder, cli, GENAI, trials=1)
    built = only(trial.building)
    assert next(item.text for item in built.memory_writes or ()) == "The gate code is amber-11."
    assert (built.memory_reads, built.calls) == (None, ())
    assert only(trial.seen).memory_writes is None


def test_an_agent_that_sends_nothing_is_told_so(folder: Path, cli: Callable[..., Any]) -> None:
    (trial,) = recorded(folder, cli, SILENT, otel={"wait_s": 0.5}, trials=1)
    assert trial.answer == "The gate code is amber-11."
    seen = only(trial.seen)
    assert (seen.calls, seen.memory_reads, seen.memory_writes) == ((), None, None)
    (note,) = seen.notes
    assert note.startswith("no span arrived within 0.5 s: is the agent instrumented")
    assert trial.building == ()


def test_the_agents_own_settings_do_not_take_its_spans_away(folder: Path, cli: Callable[..., Any]) -> None:
    environ = (
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:9/v1/traces\nOTEL_TRACES_SAMPLER=always_off\n"
        "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT=2\nOTEL_RESOURCE_ATTRIBUTES=service.name=support\n"
        "OTEL_EXPORTER_OTLP_HEADERS=authorization=Basic%20abcdefghij0123456789\n"
    )
    (trial,) = recorded(folder, cli, OPENINFERENCE, environ=environ, trials=1)
    assert "amber-11" in only(trial.seen).calls[0].prompt
    assert b"abcdefghij0123456789" not in (folder / ".foldproof" / "runs.db").read_bytes()


@pytest.fixture
def server() -> Iterator[Callable[..., str]]:
    """Starts a server that was up before the run and exports to a fixed port."""
    with ExitStack() as stack:

        def start(port: int, how: str) -> str:
            command = [sys.executable, "-c", SERVER, str(port), how]
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            stack.callback(process.kill)
            assert process.stdout is not None
            return f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"

        yield start


def asked(folder: Path, cli: Callable[..., Any], agent: Any, otel: dict[str, Any]) -> list[Trial]:
    """The trials of a run of an agent without a history, one for each code word, all at once."""
    write_project(
        folder,
        cases=[{"id": word, "question": f"Where is {word}?", "expected_facts": [word]} for word in CODE],
        configs={"production": {"agent": agent, "otel": otel}},
        limits={"concurrency": TRIALS},
    )
    result = cli("run", "production", "--repeat", "1")
    assert result.code == 0, result.out + result.err
    with Store.open(folder / ".foldproof" / "runs.db") as store:
        return sorted(store.trials(store.run("latest")), key=lambda trial: trial.case)


def test_a_running_server_goes_on_with_the_trace_of_the_request(
    folder: Path, cli: Callable[..., Any], server: Callable[..., str]
) -> None:
    port = unused_port()
    trials = asked(folder, cli, {"http": server(port, "goes on")}, {"port": port})
    for word, trial in zip(CODE, trials, strict=True):
        seen = only(trial.seen)
        assert [call.prompt for call in seen.calls] == [f"[user]\nWhere is {word}?"]
        assert [(item.rank, item.text) for item in seen.memory_reads or ()] == [(1, f"found for Where is {word}?")]
        assert seen.notes == ()


def test_a_server_that_drops_the_trace_is_told_so(
    folder: Path, cli: Callable[..., Any], server: Callable[..., str]
) -> None:
    port = unused_port()
    trials = asked(folder, cli, {"http": server(port, "drops it")}, {"port": port, "wait_s": 1})
    seen = [only(trial.seen) for trial in trials]
    assert all((found.calls, found.memory_reads) == ((), None) for found in seen)
    assert all(found.notes[0].startswith("no span arrived within 1 s") for found in seen)
    told = [int(note.split()[0]) for found in seen for note in found.notes if "name no trial" in note]
    assert 0 < sum(told) <= 3 * TRIALS, "each span is told once"


def test_a_python_agent_names_its_trial_on_a_span(folder: Path, cli: Callable[..., Any]) -> None:
    port = unused_port()
    (folder / "traced_agent.py").write_text(IN_PROCESS % port, "utf-8")
    trials = asked(folder, cli, "python:traced_agent:answer", {"port": port})
    for word, trial in zip(CODE, trials, strict=True):
        seen = only(trial.seen)
        assert ([call.prompt for call in seen.calls], seen.notes) == ([f"[user]\nWhere is {word}?"], ())


@pytest.mark.parametrize(
    ("otel", "told"),
    [
        ({"prot": 4318}, "configs.production.otel: unknown setting `prot`\n  did you mean `port`?"),
        ({"port": 0}, "`port` is 0"),
        ({"wait_s": "soon"}, "`wait_s` is 'soon'"),
    ],
)
def test_a_setting_that_cannot_be_used_is_told(folder: Path, cli: Callable[..., Any], otel: Any, told: str) -> None:
    write_project(
        folder,
        cases=[{"id": "q", "question": "q?", "expected_facts": ["a"]}],
        configs={"production": {"agent": {"command": ["true"]}, "otel": otel}},
    )
    result = cli("run", "production")
    assert result.code == 4
    assert told in result.err
    assert json.dumps("Traceback") not in result.err
