"""The `python` adapter with a class or a factory: optional methods, sync or async, each object in its own thread."""

import textwrap

import anyio
import pytest

from foldproof.agents import AgentError, UnsupportedError
from foldproof.core import UsageError
from foldproof.logs import History, MemoryItem, Session, Turn

pytestmark = pytest.mark.anyio
HISTORY = History("h", (Session("s1", (Turn("user", "tea, no milk"),)),))


@pytest.fixture
def write(tmp_path):
    def writing(code, name="subject"):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(code))

    return writing


CLASS = """
from foldproof.agents import MemoryItem, Reply
class Talk:
    def __init__(self, box): self.box = box
    def reply(self, message): return Reply(message, memory_reads=[MemoryItem("a"), MemoryItem("b")])
class Full:
    def __init__(self, memory_config): self.config = memory_config; self.closed = 0
    def ingest(self, history): self.history = history
    async def fold(self): self.folded = True
    def start_session(self, info): return Talk(self)
    async def memories(self, user): return [MemoryItem("a", id="1")]
    def close(self): self.closed += 1; assert self.closed == 1
class Bare:
    def __init__(self, memory_config): pass
    async def start_session(self, info): return Talk(self)
async def make(memory_config): return Bare(memory_config)
def wrong(memory_config): return object()
class Mute(Bare):
    async def start_session(self, info): return None
    def memories(self, user): return {"text": [7], "texts": ["tea"]}.get(user, "tea")
"""


async def test_a_class_is_called_for_what_it_has_methods_for(opened, ask, write):
    write(CLASS)
    async with opened({"python": "subject:Full"}) as factory:
        assert factory.default_folds == 1
        made = await factory.make({}, "t")
        await made.ingest(HISTORY)
        await made.fold()
        reply = await ask(made)
        assert [item.rank for item in reply.memory_reads] == [1, 2]
        assert [item.id for item in await made.memories("u1")] == ["1"]
        with pytest.raises(UnsupportedError):
            await made.snapshot()
        await made.close()
        await made.close()


@pytest.mark.parametrize("named", ["Bare", "make"])
async def test_only_start_session_is_needed(opened, ask, write, named):
    write(CLASS)
    async with opened({"python": f"subject:{named}"}) as factory:
        made = await factory.make({}, "t")
        for step in (made.ingest(HISTORY), made.fold(), made.memories("u"), made.snapshot(), made.restore(1)):
            with pytest.raises(UnsupportedError):
                await step
        assert (await ask(made)).text == "Hello?"
        await made.close()


SQLITE = """
import sqlite3
class Talk:
    def __init__(self, box): self.box = box
    {word} reply(self, message): return self.box.db.execute("SELECT text FROM notes").fetchone()[0]
class Notes:
    def __init__(self, memory_config):
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE TABLE notes (text)")
    {word} ingest(self, history): self.db.execute("INSERT INTO notes VALUES (?)", (history.sessions[0].turns[0].text,))
    {word} start_session(self, info): return Talk(self)
    {word} close(self): self.db.close()
"""


@pytest.mark.parametrize("word", ["def", "async def"])
async def test_what_an_object_opens_stays_in_its_thread(opened, ask, write, word):
    write(SQLITE.format(word=word))
    async with opened({"python": "subject:Notes"}) as factory:
        made = await factory.make({}, "t")
        await made.ingest(HISTORY)
        assert (await ask(made)).text == "tea, no milk"
        await made.close()


async def test_an_object_can_be_closed_after_a_call_that_never_returns(opened, ask, write):
    write(
        """
        import time
        class Slow:
            def __init__(self, memory_config): self.closed = False
            def start_session(self, info): return self
            def reply(self, message): time.sleep(30)
            def close(self): self.closed = True
        """
    )
    async with opened({"python": "subject:Slow"}) as factory:
        made = await factory.make({}, "t")
        with anyio.move_on_after(0.1) as scope:
            await ask(made)
        assert scope.cancelled_caught
        with anyio.fail_after(10):
            await made.close()


async def test_what_a_factory_makes_wrongly_is_told(opened, ask, write):
    write(CLASS)
    async with opened({"python": "subject:wrong"}) as factory:
        with pytest.raises(UsageError, match="it made object, which has no method `start_session`"):
            await factory.make({}, "t")
    async with opened({"python": "subject:Mute"}) as factory:
        made = await factory.make({}, "t")
        with pytest.raises(AgentError, match="`start_session` gave NoneType"):
            await ask(made)
        with pytest.raises(AgentError, match="`memories` gave int in its list"):
            await made.memories("text")
        with pytest.raises(AgentError, match="`memories` gave str"):
            await made.memories("u")
        assert await made.memories("texts") == (MemoryItem("tea"),)


STATES = """
from foldproof.agents import Reply, UnsupportedError
class Talk:
    def __init__(self, said): self.said = said
    def reply(self, message): return Reply(message, state={"said": "in the reply"}) if self.said else message
class Till:
    given, told = {"refunds": [5310]}, False
    def __init__(self, memory_config): pass
    def start_session(self, info): return Talk(self.told)
    def state(self): return self.given
class Later(Till):
    async def state(self): return {"later": True}
class Says(Till):
    told = True
class Wrong(Till):
    given = [1]
class Odd(Till):
    given = {1, 2}
class Silent(Till):
    def state(self): raise UnsupportedError("not now")
class Breaks(Till):
    def state(self): raise RuntimeError("the till is closed")
class Field(Till):
    state = {"not": "a method"}
"""


@pytest.mark.parametrize(
    ("named", "state"),
    [
        ("Till", {"refunds": [5310]}),
        ("Later", {"later": True}),
        ("Says", {"said": "in the reply"}),
        ("Silent", None),
        ("Field", None),
    ],
)
async def test_the_state_of_an_agents_world_is_shown_with_each_reply(opened, ask, write, named, state):
    write(STATES)
    async with opened({"python": f"subject:{named}"}) as factory:
        made = await factory.make({}, "t")
        assert (await ask(made)).state == state
        await made.close()


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("Wrong", r"the agent's `state` is \[1\], where an object is expected"),
        ("Odd", "the agent's `state` is set, where an object is expected"),
        ("Breaks", "the agent raised RuntimeError: the till is closed"),
    ],
)
async def test_a_state_that_cannot_be_told_is_the_agents_failure(opened, ask, write, named, told):
    write(STATES)
    async with opened({"python": f"subject:{named}"}) as factory:
        made = await factory.make({}, "t")
        with pytest.raises(AgentError, match=told):
            await ask(made)
        await made.close()
