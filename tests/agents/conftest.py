"""What the contract suite stands on: a history, a project folder with agents in it, a chat endpoint in-process."""

import os
import re
import shutil
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from foldproof.agents import open_agents
from foldproof.cases import Configuration
from foldproof.logs import History, Session, Turn
from foldproof.testing import ScriptedModel, answer_from_context, look_up_first, summarize
from foldproof.testing.embeddings import hashed_words

EXAMPLES = Path(__file__).parents[2] / "examples" / "agents"


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def history():
    return History(
        "acme",
        (
            Session("s1", (Turn("user", "I am allergic to penicillin."), Turn("agent", "Noted.")), "2026-03-01"),
            Session("s2", (Turn("user", "Our billing runs on Postgres 15."), Turn("user", "My cat is Tom."))),
        ),
    )


@pytest.fixture
def other_history():
    return History("other", (Session("s1", (Turn("user", "Our billing runs on MongoDB."),)),))


@pytest.fixture
def root(tmp_path):
    for name in ("echo_memory.mjs", "agent.sh", "agent.py", "function_agent.py"):
        shutil.copy(EXAMPLES / name, tmp_path / name)
    (tmp_path / "contract_functions.py").write_text(
        "import function_agent\n"
        "def sync(question, memory_config, history):\n"
        "    return function_agent.answer(question, memory_config, history)\n"
        "async def plain_async(question, memory_config, history):\n"
        "    return function_agent.answer(question, memory_config, history)\n"
    )
    (tmp_path / "python_agent.py").write_text(PYTHON_PROGRAM)
    (tmp_path / "question.md").write_text("Look up what you need.\n\n{question}")
    return tmp_path


PYTHON_PROGRAM = """
import json, sys
turns = []
for line in sys.stdin:
    step = json.loads(line)
    answer = {}
    if step["do"] == "ingest":
        turns = [turn["text"] for session in step["history"] for turn in session["turns"]]
    elif step["do"] == "memories":
        answer = {"items": [{"id": str(n), "text": text, "kind": "turn"} for n, text in enumerate(turns)]}
    elif step["do"] == "reply":
        words = {word.strip(".?") for word in step["text"].lower().split() if len(word) > 3}
        hits = [text for text in turns if words & {word.strip(".?") for word in text.lower().split()}]
        answer = {"text": "\\n".join(hits) or "no idea", "memory_reads": hits, "usage": {"input_tokens": 7}}
    print(json.dumps(answer), flush=True)
    if step["do"] == "close":
        break
"""


@pytest.fixture
async def endpoint():
    """A chat endpoint that answers with the messages that share a word with the last one."""
    from aiohttp import web
    from aiohttp.test_utils import TestServer

    async def complete(request):
        body = await request.json()
        *past, asked = [message["content"] for message in body["messages"]]
        words = {word.strip(".?") for word in asked.lower().split() if len(word) > 3}
        hits = [text for text in past if words & {word.strip(".?") for word in text.lower().split()}]
        message = {"role": "assistant", "content": "\n".join(hits) or "no idea"}
        return web.json_response(
            {"choices": [{"message": message}], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}
        )

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    server = TestServer(app)
    await server.start_server()
    yield str(server.make_url("/v1"))
    await server.close()


@pytest.fixture
def scripted():
    """A model that compacts where it is asked to, searches where it can, and answers from its prompt.

    Its embeddings find words inside of sentences without spaces, and know that Python is a language.
    """

    def rule(request):
        if request.question.startswith("You keep the memory"):
            return summarize(request)
        return look_up_first(answer_from_context, tool="search_memory")(request)

    def embed(text, dimensions):
        apart = re.sub("([A-Za-z]+)", r" \1 ", text).replace("language", "Python")
        return hashed_words(apart, dimensions)

    with ScriptedModel(rule, embed=embed) as model:
        yield model


@pytest.fixture
def opened(root, scripted):
    @asynccontextmanager
    async def opening(agent, memory=None, model=None):
        if "recall" in agent or "chat" in agent:
            model = {"base_url": scripted.url, "name": "scripted", "temperature": 0, **(model or {})}
        configuration = Configuration("tried", agent, model=model or {}, memory=memory or {})
        async with open_agents(configuration, dict(os.environ), root) as agents:
            yield agents.factory

    return opening
