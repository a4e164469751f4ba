"""Worlds of the `chat` agent: what their methods become for a model, and what goes wrong in them."""

import sys
import textwrap
import time

import anyio
import pytest

from foldproof.agents import SessionInfo, world_tools
from foldproof.agents.world_tools import ToolError
from foldproof.core import UsageError
from foldproof.logs import ToolCall
from foldproof.run.border import recordable_reply
from foldproof.testing import ScriptedEndpoint, ScriptedModel

pytestmark = pytest.mark.anyio
WORLD = '''
import datetime
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from pydantic import Field

class Base:
    def first(self): """Comes first."""

class Till(Base):
    count = 0

    def __init__(self):
        self.paid = []
        self.notes = ["not a tool"]

    def pay(self, amount: float, way: Literal["card", "cash"] = "cash", note: str | None = None) -> dict:
        """Pays.

        In euros.
        """
        self.paid.append({"amount": amount, "way": way, "method": note})
        return self.paid[-1]

    async def later(self, when: Annotated[datetime.date, Field(description="A day.")], **more: int):
        return {"when": when, "more": more}

    def odd(self, method: str, what, self_: int = 1): return f"{method} {what} {self_}"
    def quiet(self): ...
    def breaks(self, how: str):
        if how == "key": raise KeyError(5310)
        if how == "exit": raise SystemExit(3)
        if how == "json": return object()
        raise ValueError("the till is closed")

    @staticmethod
    def fixed(): return 7
    @classmethod
    def made(cls): return cls.__name__

    @property
    def open(self): return True
    class Inner: ...
    def _hidden(self): ...
    def state(self): return {"paid": self.paid, "day": datetime.date(2026, 3, 1)}
    def close(self): type(self).count += 1
'''


@pytest.fixture
def acting(opened, tmp_path):
    """What the model is told, and what the agent replies, where a scripted model makes these calls one by one."""

    async def act(world, *calls, code=WORLD, memory=None):
        (tmp_path / "till.py").write_text(textwrap.dedent(code))

        def rule(request):
            results = request.tool_results
            return calls[len(results)] if len(results) < len(calls) else "\n".join(one.text for one in results)

        with ScriptedModel(rule) as server:
            model = {"base_url": server.url, "name": "scripted", "temperature": 0}
            chat = {"chat": {"world": world}}
            async with opened(chat, memory=memory or {"kind": "none"}, model=model, environ={}) as factory:
                agent = await factory.make(memory or {"kind": "none"}, "t1")
                conversation = await agent.start_session(SessionInfo("u", "s"))
                reply = await conversation.reply("Do it.") if calls else None
                await agent.close()
                tools = [tool["function"] for tool in server.requests[-1].body["tools"]] if calls else []
        return reply, tools

    return act


def of(name, **args):
    return ToolCall(name, args)


async def test_public_methods_are_tools_in_the_order_of_the_class(acting):
    reply, tools = await acting("till:Till", of("fixed"), of("made"), of("quiet"))
    assert [tool["name"] for tool in tools] == ["first", "pay", "later", "odd", "quiet", "breaks", "fixed", "made"]
    assert reply.text == "7\nTill\nDone."
    pay = tools[1]
    assert pay["description"] == "Pays.\n\nIn euros."
    assert pay["parameters"] == {
        "type": "object",
        "additionalProperties": False,
        "required": ["amount"],
        "properties": {
            "amount": {"type": "number"},
            "way": {"type": "string", "enum": ["card", "cash"], "default": "cash"},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
    }
    assert tools[2]["parameters"]["properties"]["when"] == {"type": "string", "format": "date", "description": "A day."}
    assert tools[3]["parameters"]["required"] == ["method", "what"]
    assert "description" not in tools[3]


async def test_calls_are_carried_out_in_order_and_are_calls_of_the_reply(acting):
    made = [of("pay", amount=3), of("later", when="2026-03-04", x=2), of("odd", method="a", what=[1])]
    reply, _ = await acting("till:Till", *made)
    assert reply.text.splitlines() == [
        '{"amount": 3.0, "way": "cash", "method": null}',
        '{"when": "2026-03-04", "more": {"x": 2}}',
        "a [1] 1",
    ]
    assert reply.tool_calls == tuple(made)
    assert reply.state == {"paid": [{"amount": 3, "way": "cash", "method": None}], "day": "2026-03-01"}
    assert reply.notes == ()


async def test_calls_that_are_made_at_once_are_answered_in_order(acting):
    reply, _ = await acting("till:Till", [of("pay", amount=1), of("pay", amount=2, way="card"), of("fixed")])
    assert [line[:12] for line in reply.text.splitlines()] == ['{"amount": 1', '{"amount": 2', "7"]
    assert [paid["amount"] for paid in reply.state["paid"]] == [1, 2]


@pytest.mark.parametrize(
    ("call", "told", "noted"),
    [
        (of("payy"), "there is no tool 'payy'; did you mean `pay`?", ""),
        (of("_hidden"), "there is no tool '_hidden'", ""),
        (of("state"), "there is no tool 'state'", ""),
        (of("open"), "there is no tool 'open'", ""),
        (of("pay"), "the argument `amount` is missing", ""),
        (of("pay", amount="3"), 'the argument `amount` is "3": Input should be a valid number', ""),
        (of("pay", amount=True), "the argument `amount` is true", ""),
        (of("pay", amount=3, way="cheque"), "the argument `way` is \"cheque\": Input should be 'card' or 'cash'", ""),
        (of("pay", amount=3, amonut=3), "there is no argument 'amonut'; did you mean `amount`?", ""),
        (of("breaks", how="value"), "the till is closed", "ValueError: the till is closed ("),
        (of("breaks", how="key"), "KeyError: 5310", "KeyError: 5310 ("),
        (of("breaks", how="exit"), "SystemExit: 3", "SystemExit: 3 ("),
        (of("breaks", how="json"), "`breaks` gave what JSON cannot say", ""),
    ],
)
async def test_a_call_that_fails_is_told_to_the_model_and_noted(acting, call, told, noted):
    reply, _ = await acting("till:Till", call)
    assert reply.text.startswith(f"Error: {told}")
    assert reply.notes[0].startswith(f"the model's call of `{call.name}` was answered with an error: {noted or told}")
    assert reply.tool_calls == (call,)
    assert reply.state["paid"] == []


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('{"amount": NaN}', 'the arguments are no JSON object: {"amount": NaN}'),
        ('{"amount": 1e999}', 'the arguments are no JSON object: {"amount": 1e999}'),
        ("[3]", "the arguments are no JSON object: [3]"),
        ('{"amount": 3, "note": "\\ud800"}', "the arguments cannot be read: Invalid JSON"),
        (f'{{"amount": {"[" * 40}3{"]" * 40}}}', "the argument `amount` is [[["),
        (f'{{"amount": {"[" * 400}3{"]" * 400}}}', "the arguments are no JSON object"),
    ],
)
async def test_whatever_a_model_writes_as_arguments_is_answered(opened, ask, tmp_path, written, told):
    (tmp_path / "till.py").write_text(WORLD)

    def rule(text):
        if text != "Pay.":
            return text
        call = {"id": "c1", "function": {"name": "pay", "arguments": written}}
        return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}

    with ScriptedEndpoint(rule) as server:
        model = {"base_url": server.url, "name": "scripted"}
        async with opened({"chat": {"world": "till:Till"}}, {"kind": "none"}, model, {}) as factory:
            reply = recordable_reply(await ask(await factory.make({"kind": "none"}, "t1"), "Pay."))
    assert reply.text.startswith(f"Error: {told}")
    assert reply.state["paid"] == []


async def test_each_trial_and_each_user_has_a_world_of_its_own_that_sessions_share(opened, tmp_path):
    (tmp_path / "till.py").write_text(WORLD)

    def rule(request):
        return "Paid." if request.tool_results else of("pay", amount=1)

    with ScriptedModel(rule) as server:
        model = {"base_url": server.url, "name": "scripted", "temperature": 0}
        async with opened({"chat": {"world": "till:Till"}}, {"kind": "none"}, model, {}) as factory:
            one, two = [await factory.make({"kind": "none"}, name) for name in ("t1", "t2")]
            paid = []
            for agent, user in ((one, "a"), (one, "a"), (one, "b"), (two, "a")):
                conversation = await agent.start_session(SessionInfo(user, "s"))
                paid.append(len((await conversation.reply("Pay.")).state["paid"]))
            assert paid == [1, 2, 1, 1]
            await one.close()
            await two.close()


async def test_a_call_that_does_not_end_is_given_up_and_the_state_is_not_told(acting, monkeypatch):
    monkeypatch.setattr(world_tools, "TOOL_S", 0.05)
    code = """
    import time
    class Till:
        def wait(self): time.sleep(2)
        def quick(self): return 1
        def state(self): return {}
    """
    before = time.monotonic()
    with anyio.fail_after(5):
        reply, _ = await acting("till:Till", of("wait"), of("quick"), code=code)
    assert time.monotonic() - before < 2
    assert reply.text == "Error: `wait` gave no result within 0.05 s\nError: `wait` gave no result within 0.05 s"
    assert reply.state is None
    assert reply.notes[-1] == "the state of the world cannot be told: `wait` gave no result within 0.05 s"


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("", ""),
        ("def state(self): return [1]", "`state` gave list, where an object is expected"),
        ("def state(self): return {'a': float('nan')}", "`state` gave what JSON cannot say"),
        ("def state(self): raise ValueError('the till is closed')", "ValueError: the till is closed"),
    ],
)
async def test_a_state_that_cannot_be_told_is_none_and_noted(acting, state, told):
    reply, _ = await acting("till:Till", of("pay"), code=f"class Till:\n    def pay(self): ...\n    {state}\n")
    assert reply.text == "Done."
    assert reply.state is None
    if told:
        assert reply.notes[0].startswith(f"the state of the world cannot be told: {told}")
    else:
        assert reply.notes == ()


async def test_the_shop_is_registered(acting):
    reply, tools = await acting("shop", of("create_refund", order_id=5310, method="store_credit"))
    assert [tool["name"] for tool in tools] == [
        "list_orders",
        "check_eligibility",
        "create_refund",
        "schedule_callback",
    ]
    assert [refund["method"] for refund in reply.state["refunds"]] == ["store_credit"]


@pytest.mark.parametrize(
    ("world", "code", "told"),
    [
        (
            "shopp",
            "",
            "unknown world 'shopp'\n  did you mean `shop`?\n  a class of your own is written `my_world:Shop`",
        ),
        ("til:Till", "class Till: ...", "there is no module `til` in"),
        ("till:Til", "class Till: ...", "`till` has no `Til`\n  did you mean `Till`?"),
        ("till:", "class Till: ...", "the world `till:` is not of the form `module:name`"),
        ("till:Till", "class Till: ...", "Till has no public methods"),
        ("till:Till", "raise ValueError('no till')", "importing `till` fails with ValueError: no till"),
        ("till:TILL", "class Till:\n    def a(self): ...\nTILL = Till()", "is Till, which trials would share"),
        (
            "till:Till",
            "class Till:\n    def __init__(self, x): ...\n    def a(self): ...",
            "cannot be made: TypeError: Till.__init__() missing 1 required positional argument: 'x'",
        ),
        ("till:Till", "class Till:\n    def a(self, x, /): ...", "its method `a` has arguments without a name"),
        ("till:Till", "class Till:\n    def a(self, *x): ...", "its method `a` has arguments without a name"),
        (
            "till:Till",
            "class Till:\n    def forget(self): ...",
            "its method `forget` has the name of a tool of the memory",
        ),
        ("till:Till", "class Till:\n    def ä(self): ...", "its method `ä` cannot be a tool"),
        ("till:Till", "class Till:\n    def a(self, x: object()): ...", "has a signature that JSON cannot say"),
        ("till:Till", "class Till:\n    def a(self, x: 'Gone'): ...", "has a signature that JSON cannot say"),
    ],
)
async def test_a_world_that_cannot_be_used_is_refused_at_once(acting, world, code, told):
    with pytest.raises(UsageError) as caught:
        await acting(world, code=code)
    assert "configuration 'candidate' (line 7): " in str(caught.value)
    assert told in str(caught.value)


@pytest.mark.parametrize("world", [3, "", " ", ["shop"], None])
async def test_the_name_of_a_world_is_a_text(acting, world):
    with pytest.raises(UsageError, match=r"`world` is .*, where a name is expected: shop, or my_world:Shop"):
        await acting(world)


async def test_a_factory_and_an_async_world(acting):
    code = """
    class Till:
        def __init__(self, start): self.sum = start
        async def pay(self, amount: int): self.sum += amount; return self.sum
        async def state(self): return {"sum": self.sum}
        async def close(self): self.sum = 0
    def make(): return Till(10)
    class Loop(Till):
        def __init__(self): import asyncio; asyncio.get_running_loop(); super().__init__(1)
        async def pay(self, amount: int): return await super().pay(amount)
    """
    for world, total in (("till:make", 15), ("till:Loop", 6)):
        reply, _ = await acting(world, of("pay", amount=5), code=code)
        assert (reply.text, reply.state) == (str(total), {"sum": total})


async def test_a_world_that_fails_to_close_keeps_no_other_from_it(opened, tmp_path):
    code = """
    closed = []
    class Till:
        def pay(self): return "Paid."
        def close(self):
            closed.append(self)
            raise ValueError("the till is stuck")
    """
    (tmp_path / "till.py").write_text(textwrap.dedent(code))
    with ScriptedModel(lambda _: "x") as server:
        model = {"base_url": server.url, "name": "scripted", "temperature": 0}
        async with opened({"chat": {"world": "till:Till"}}, {"kind": "none"}, model, {}) as factory:
            agent = await factory.make({"kind": "none"}, "t1")
            for user in ("a", "b"):
                await agent.start_session(SessionInfo(user, "s"))
            with pytest.raises(ToolError, match="the till is stuck"):
                await agent.close()
            assert len(sys.modules["till"].closed) == 2


async def test_the_file_of_a_world_is_part_of_the_fingerprint(opened, tmp_path):
    found = []
    for code in ("class Till:\n    def a(self): ...\n", "class Till:\n    def b(self): ...\n"):
        (tmp_path / "till.py").write_text(code)
        with ScriptedModel(lambda _: "x") as server:
            model = {"base_url": server.url, "name": "scripted"}
            async with opened({"chat": {"world": "till:Till"}}, {"kind": "none"}, model, {}) as factory:
                found.append(factory.fingerprint)
    assert found[0] != found[1]
