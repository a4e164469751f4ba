"""The `python` adapter: what may be named, what is handed over, and how foreign code fails."""

import os
import subprocess
import sys
import textwrap
import threading
import time

import anyio
import pytest

from foldproof.agents import AgentError, SessionInfo, TransientError, UnsupportedError, agent
from foldproof.core import UsageError
from foldproof.logs import History, Session, Turn

pytestmark = pytest.mark.anyio
HISTORY = History("h", (Session("s1", (Turn("user", "tea, no milk"),)),))


@pytest.fixture
def write(tmp_path):
    def writing(code, name="subject"):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(code))

    return writing


async def test_a_plain_function_is_enough(opened, ask, write):
    write("def run(question, memory_config): return f'{question} {memory_config}'")
    async with opened({"python": "subject:run"}) as factory:
        reply = await ask(await factory.make({"k": 2}, "t"))
        assert reply.text == "Hello? {'k': 2}"
        assert factory.notes == ("the agent function takes no `history`: histories are not handed over",)
        assert factory.default_folds == 0
        assert len(factory.fingerprint) == 64


@pytest.mark.parametrize(
    "code",
    [
        "async def run(question, memory_config): return question",
        "def run(question, config): return question",
        "def run(*, memory_config, question): return question",
        "def run(question, /, memory_config, extra=1): return question",
        "def run(*args): return args[0]",
        "def run(question, **rest): return question if 'memory_config' in rest else ''",
        "import functools\nasync def go(a, question, memory_config): return question\nrun = functools.partial(go, 1)",
        "class C:\n  async def __call__(self, question, memory_config): return question\nrun = C()",
        "from foldproof.agents import agent\n@agent\ndef run(question, memory_config): return question",
        "from foldproof.agents import Reply\ndef run(question, memory_config): return Reply(question)",
        "class Box:\n  @staticmethod\n  def run(q, c): return q\nrun = Box.run",
    ],
)
async def test_every_way_to_write_such_a_function(opened, ask, write, code):
    write(code)
    async with opened({"python": "subject:run"}) as factory:
        assert (await ask(await factory.make({}, "t"))).text == "Hello?"


@pytest.mark.parametrize(
    "order", ["question, memory_config, history, session", "history, question, session, memory_config"]
)
async def test_history_and_session_are_handed_over_where_they_are_named(opened, ask, write, order):
    write(f"def run({order}): return f'{{question}} {{session.user}} {{len(history.sessions)}} {{memory_config}}'")
    async with opened({"python": "subject:run"}) as factory:
        assert factory.notes == ()
        made = await factory.make({}, "t")
        assert (await ask(made)).text == "Hello? u1 0 {}", "no history is an empty history"
        await made.ingest(HISTORY)
        assert (await ask(made)).text == "Hello? u1 1 {}"
        assert (await ask(made, label="bob")).text == "Hello? u1 0 {}", "a history is the trial's own user's"


async def test_a_function_without_history_says_so(opened, write):
    write("def run(question, memory_config): return question")
    async with opened({"python": "subject:run"}) as factory:
        made = await factory.make({}, "t")
        with pytest.raises(UnsupportedError):
            await made.ingest(HISTORY)


async def test_each_trial_has_its_own_memory_config(opened, ask, write):
    write("def run(q, c):\n c['seen'].append(1)\n return str(len(c['seen']))")
    given = {"seen": []}
    async with opened({"python": "subject:run"}) as factory:
        for _ in range(2):
            assert (await ask(await factory.make(given, "t"))).text == "1"
    assert given == {"seen": []}


async def test_a_memory_config_is_expanded_from_the_environment(opened, ask, write):
    write("def run(q, c): return c['key']")
    async with opened({"python": "subject:run"}, environ={"MEM_KEY": "k-1"}) as factory:
        assert (await ask(await factory.make({"key": "${MEM_KEY}"}, "t"))).text == "k-1"
        with pytest.raises(UsageError, match="NOT_SET"):
            await factory.make({"key": "${NOT_SET}"}, "t")


@pytest.mark.parametrize(
    ("value", "words"),
    [("None", "returned NoneType"), ("42", "returned int"), ("b'x'", "returned bytes"), ("['a']", "returned list")],
)
async def test_a_wrong_type_is_told(opened, ask, write, value, words):
    write(f"def run(q, c): return {value}")
    async with opened({"python": "subject:run"}) as factory:
        with pytest.raises(AgentError, match=words):
            await ask(await factory.make({}, "t"))


async def test_a_reply_of_a_wrong_text_is_told(opened, ask, write):
    write("from foldproof.agents import Reply\ndef run(q, c): return Reply(None)")
    async with opened({"python": "subject:run"}) as factory:
        with pytest.raises(AgentError, match="NoneType"):
            await ask(await factory.make({}, "t"))


@pytest.mark.parametrize("prefix", ["", "async "])
async def test_what_the_agent_raises_is_its_failure_with_kind_and_place(opened, ask, write, prefix):
    write(f"{prefix}def run(q, c):\n    raise KeyError('iban')")
    async with opened({"python": "subject:run"}) as factory:
        with pytest.raises(AgentError, match=r"raised KeyError: 'iban' .*subject\.py:2") as caught:
            await ask(await factory.make({}, "t"))
        assert not isinstance(caught.value, TransientError)
        assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("raised", ["SystemExit(3)", "StopIteration()", "StopAsyncIteration()", "AssertionError('x')"])
async def test_nothing_that_it_raises_ends_the_run(opened, ask, write, raised):
    write(f"def run(q, c):\n    raise {raised}")
    async with opened({"python": "subject:run"}) as factory:
        with pytest.raises(AgentError, match=raised.partition("(")[0]):
            await ask(await factory.make({}, "t"))


@pytest.mark.parametrize(
    ("body", "passing"),
    [
        ("class E(Exception): status_code = 429", True),
        ("class E(Exception): status_code = 503", True),
        ("class E(Exception): status_code = 401", False),
        ("class E(ConnectionResetError): pass", True),
        ("class R: status_code = 500\nclass E(Exception): response = R()", True),
        ("from foldproof.agents import TransientError as E", True),
    ],
)
async def test_failures_that_may_pass_are_told_apart(opened, ask, write, body, passing):
    write(f"{body}\ndef run(q, c): raise E('x')")
    async with opened({"python": "subject:run"}) as factory:
        with pytest.raises(AgentError) as caught:
            await ask(await factory.make({}, "t"))
        assert isinstance(caught.value, TransientError) is passing


async def test_a_blocking_function_does_not_stop_the_others(opened, ask, write):
    write("import time\ndef run(q, c):\n time.sleep(0.2)\n return q")
    async with opened({"python": "subject:run"}) as factory:
        start = time.perf_counter()
        async with anyio.create_task_group() as group:
            for _ in range(60):
                group.start_soon(ask, await factory.make({}, "t"))
        assert time.perf_counter() - start < 10


async def test_a_call_that_never_returns_is_left_behind(opened, ask, write):
    write("import time\ndef run(q, c): time.sleep(30)")
    async with opened({"python": "subject:run"}) as factory:
        start = time.perf_counter()
        with anyio.move_on_after(0.1) as scope:
            await ask(await factory.make({}, "t"))
        assert scope.cancelled_caught
        assert time.perf_counter() - start < 10


def test_a_call_that_never_returns_does_not_keep_the_process_alive(tmp_path):
    (tmp_path / "subject.py").write_text("import time\ndef run(q, c): time.sleep(600)")
    program = """
    import anyio, sys
    from pathlib import Path
    from foldproof.agents import SessionInfo, open_agents
    from foldproof.cases import Configuration
    async def main():
        async with open_agents(Configuration("c", {"python": "subject:run"}), {}, Path(sys.argv[1])) as agents:
            talk = await (await agents.factory.make({}, "t")).start_session(SessionInfo("u", "s"))
            with anyio.move_on_after(0.1):
                await talk.reply("?")
    anyio.run(main)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), tmp_path], timeout=60, check=False, env=os.environ
    )
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("subjekt:run", ["configuration 'candidate' (line 7)", "no module `subjekt`", "did you mean `subject`?"]),
        ("subject:rum", ["`subject` has no `rum`", "did you mean `run`?"]),
        ("subject", ["python:module:name"]),
        (":run", ["python:module:name"]),
        ("broken:run", ["importing `broken` fails with ZeroDivisionError", "broken.py:2", "try it alone"]),
        ("syntax:run", ["importing `syntax` fails with SyntaxError", "syntax.py:1"]),
        ("needs:run", ["importing `needs` fails with ModuleNotFoundError: No module named 'not_there'", "needs.py:1"]),
        ("subject:value", ["it is int", "name a function"]),
        ("subject:shared", ["an agent object, which trials would share"]),
        ("subject:one", ["it takes question, so the fold under test could not reach it"]),
        ("subject:three", ["nothing is known to hand over for its parameter `user`"]),
        ("subject:Needy", ["cannot be called with the memory_config alone", "__init__"]),
    ],
)
async def test_what_cannot_be_an_agent_is_refused_with_a_remedy(opened, write, named, words):
    write(
        """
        def run(question, memory_config): return question
        def one(question): return question
        def three(question, memory_config, user): return question
        class Needy:
            def __init__(self, a, b): pass
        class Agent:
            def start_session(self, info): return self
        shared = Agent()
        value = 3
        """
    )
    write("x = 1\ny = 1 / 0", "broken")
    write("def (", "syntax")
    write("import not_there", "needs")
    with pytest.raises(UsageError) as caught:
        async with opened({"python": named}):
            pass
    for part in words:
        assert part in str(caught.value)


async def test_an_unknown_setting_is_refused(opened, write):
    write("def run(q, c): return q")
    with pytest.raises(UsageError, match="unknown setting `histories`"):
        async with opened({"python": "subject:run", "histories": "omit"}):
            pass


async def test_a_project_is_not_given_the_modules_of_another(opened, ask, write, tmp_path):
    write("def run(q, c): return 'first'", "namesake")
    async with opened({"python": "namesake:run"}) as factory:
        assert (await ask(await factory.make({}, "t"))).text == "first"
    second = tmp_path / "second"
    second.mkdir()
    (second / "namesake.py").write_text("def run(q, c): return 'second'")
    from foldproof.agents import open_agents
    from foldproof.cases import Configuration

    (tmp_path / "namesake.py").unlink()
    sys.modules["namesake"].__file__ = "/elsewhere/namesake.py"
    async with open_agents(Configuration("c", {"python": "namesake:run"}), {}, second) as agents:
        assert (await ask(await agents.factory.make({}, "t"))).text == "second"
    assert str(second) not in sys.path


async def test_threads_end_with_their_work(opened, ask, write):
    write("def run(q, c): return q")
    before = set(threading.enumerate())
    async with opened({"python": "subject:run"}) as factory:
        for _ in range(5):
            await ask(await factory.make({}, "t"))
    with anyio.fail_after(20):
        while set(threading.enumerate()) - before:  # noqa: ASYNC110  # a thread tells nobody that it has ended
            await anyio.sleep(0.05)


async def test_the_place_of_an_error_is_in_the_agents_own_code(opened, ask, write):
    write("import json\ndef run(q, c):\n    return json.loads('{')")
    async with opened({"python": "subject:run"}) as factory:
        with pytest.raises(AgentError, match=r"JSONDecodeError: .* \(.*subject\.py:3\)"):
            await ask(await factory.make({}, "t"))


def test_the_decorator_returns_the_function_and_refuses_what_cannot_be_called():
    def good(question, memory_config, session):
        return question

    assert agent(good) is good
    with pytest.raises(UsageError, match=r"`@agent` on .*bad"):

        @agent
        def bad(question):
            return question

    with pytest.raises(UsageError, match="not a function"):
        agent(SessionInfo)


@pytest.mark.parametrize("name", ["memory_reads", "memory_writes"])
async def test_items_may_be_texts_or_mappings(opened, ask, write, name):
    write(f"""
    from foldproof import Reply
    def run(question, memory_config):
        return Reply("x", {name}=["tea", {{"text": "milk", "id": "m2", "score": 0.5}}])
    """)
    async with opened({"python": "subject:run"}) as factory:
        items = getattr(await ask(await factory.make({}, "t")), name)
    ranks = (1, 2) if name == "memory_reads" else (0, 0)
    assert [(item.text, item.id, item.score, item.rank) for item in items] == [
        ("tea", "", None, ranks[0]),
        ("milk", "m2", 0.5, ranks[1]),
    ]


@pytest.mark.parametrize(
    ("given", "told"), [("'tea'", "is str"), ("7", "is int"), ("[7]", "holds int"), ("[{'id': 'x'}]", "holds")]
)
async def test_items_of_another_kind_are_refused_by_name(opened, ask, write, given, told):
    write(f"""
    from foldproof import Reply
    def run(question, memory_config):
        return Reply("x", memory_reads={given})
    """)
    async with opened({"python": "subject:run"}) as factory:
        with pytest.raises(AgentError, match=f"the agent's `Reply.memory_reads` {told}"):
            await ask(await factory.make({}, "t"))
