"""What each kind of agent is told of a frozen prefix: the same turns, in the shape that it takes."""

import json
import re
import shutil
from contextlib import asynccontextmanager

import anyio
import pytest

from foldproof.agents import AgentError, SessionInfo
from foldproof.agents.protocols import Resumes
from foldproof.logs import AnsweredCall, PastTurn, ToolCall
from foldproof.run.frozen import hand_over

pytestmark = pytest.mark.anyio
PREFIX = (
    PastTurn("user", "Return the blender from order 4021, contact me by email."),
    PastTurn(
        "agent",
        "Let me look.",
        (
            AnsweredCall(ToolCall("check_order", {"order_id": 4021}), {"status": "delivered", "at": "3 März"}),
            AnsweredCall(ToolCall("check_stock", {"item": "blender"}), "3 left", "mine"),
        ),
    ),
    PastTurn("agent", "", (AnsweredCall(ToolCall("log"), None),)),
    PastTurn("agent", "Was it damaged?"),
)
MESSAGES = [
    {"role": "user", "content": "Return the blender from order 4021, contact me by email."},
    {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "check_order", "arguments": '{"order_id": 4021}'},
            },
            {
                "id": "mine",
                "type": "function",
                "function": {"name": "check_stock", "arguments": '{"item": "blender"}'},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": '{"status": "delivered", "at": "3 März"}'},
    {"role": "tool", "tool_call_id": "mine", "content": "3 left"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_2", "type": "function", "function": {"name": "log", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "call_2", "content": "null"},
    {"role": "assistant", "content": "Was it damaged?"},
]


@pytest.fixture
def talk(opened):
    @asynccontextmanager
    async def talking(agent, **more):
        async with opened(agent, **more) as factory:
            made = await factory.make({}, "t1")
            try:
                yield await made.start_session(SessionInfo("u1", "s1"))
            finally:
                await getattr(made, "close", anyio.lowlevel.checkpoint)()

    return talking


@pytest.mark.parametrize("agent", [{"chat": None}, {"chat": {"prompt": "question.md", "tools": ["search_memory"]}}])
async def test_chat_is_told_in_messages_between_its_system_prompt_and_the_question(talk, scripted, agent):
    async with talk(agent, memory={"kind": "none"}) as conversation:
        await hand_over(conversation, PREFIX)
        await conversation.reply("It was.")
        again = await conversation.reply("What now?")
    messages = scripted.requests[0].body["messages"]
    first = next(at for at, message in enumerate(messages) if message["role"] == "user")
    assert [message["role"] for message in messages[:first]] in ([], ["system"])
    assert messages[first : first + len(MESSAGES)] == MESSAGES
    assert len(messages) == first + len(MESSAGES) + 1
    assert not scripted.refused
    assert "Was it damaged?" in again.prompt


async def test_an_endpoint_is_told_in_messages(talk, scripted):
    model = {"name": "scripted"}
    async with talk({"http": scripted.url}, model=model) as conversation:
        await hand_over(conversation, PREFIX)
        await conversation.reply("It was.")
    assert scripted.requests[-1].body["messages"] == [*MESSAGES, {"role": "user", "content": "It was."}]


CLASSES = """
class Agent:
    def __init__(self, memory_config):
        pass

    def start_session(self, info):
        return Talk()

class Talk:
    def __init__(self):
        self.turns = []

    def resume(self, turns):
        self.turns = turns

    def reply(self, message):
        return repr([(t.role, t.text, [(c.id, c.call.name, dict(c.call.args), c.result) for c in t.calls])
                     for t in self.turns])

class Async(Agent):
    async def start_session(self, info):
        return AsyncTalk()

class AsyncTalk(Talk):
    async def resume(self, turns):
        self.turns = turns

class Without(Agent):
    def start_session(self, info):
        return Mute()

class Mute:
    def reply(self, message):
        return "never asked"

class Broken(Agent):
    def start_session(self, info):
        return Breaks()

class Breaks(Talk):
    def resume(self, turns):
        raise KeyError("no room")

def function(question, memory_config):
    return "never asked"
"""


@pytest.mark.parametrize("name", ["Agent", "Async"])
async def test_a_class_is_told_the_turns_themselves(talk, root, name):
    (root / "talkers.py").write_text(CLASSES)
    async with talk({"python": f"talkers:{name}"}) as conversation:
        await hand_over(conversation, PREFIX)
        reply = await conversation.reply("It was.")
    calls = [
        ("call_1", "check_order", {"order_id": 4021}, {"status": "delivered", "at": "3 März"}),
        ("mine", "check_stock", {"item": "blender"}, "3 left"),
    ]
    assert reply.text == repr(
        [
            ("user", "Return the blender from order 4021, contact me by email.", []),
            ("agent", "Let me look.", calls),
            ("agent", "", [("call_2", "log", {}, None)]),
            ("agent", "Was it damaged?", []),
        ]
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Without", "Mute has no method `resume`"),
        ("function", "the agent is a function, which is called anew for each message and keeps no turns"),
    ],
)
async def test_python_that_cannot_keep_a_prefix_is_told_why(talk, root, name, why):
    (root / "talkers.py").write_text(CLASSES)
    async with talk({"python": f"talkers:{name}"}) as conversation:
        with pytest.raises(AgentError, match=f"frozen turns cannot be handed to the agent: {re.escape(why)}"):
            await hand_over(conversation, PREFIX)


async def test_a_class_that_fails_to_take_it_is_an_error_of_the_agent(talk, root):
    (root / "talkers.py").write_text(CLASSES)
    async with talk({"python": "talkers:Broken"}) as conversation:
        with pytest.raises(AgentError, match="KeyError: 'no room'"):
            await hand_over(conversation, PREFIX)


PROGRAM = """
import json, sys
how, turns = sys.argv[1], []
for line in sys.stdin:
    step = json.loads(line)
    answer = {}
    if step["do"] == "resume":
        turns = step["turns"]
        answer = {"count": {"resumed": len(turns)}, "short": {"resumed": 1}, "empty": {},
                  "unsupported": {"unsupported": True}, "error": {"error": "no room"}}[how]
    elif step["do"] == "reply":
        answer = {"text": json.dumps(turns)}
    print(json.dumps(answer), flush=True)
    if step["do"] == "close":
        break
"""


async def test_a_program_is_told_in_one_line(talk, root):
    (root / "program.py").write_text(PROGRAM)
    async with talk({"command": ["python3", "program.py", "count"]}) as conversation:
        await hand_over(conversation, PREFIX)
        turns = json.loads((await conversation.reply("It was.")).text)
    assert turns == [
        {"role": "user", "text": "Return the blender from order 4021, contact me by email."},
        {
            "role": "agent",
            "text": "Let me look.",
            "calls": [
                {
                    "id": "call_1",
                    "name": "check_order",
                    "args": {"order_id": 4021},
                    "result": {"status": "delivered", "at": "3 März"},
                },
                {"id": "mine", "name": "check_stock", "args": {"item": "blender"}, "result": "3 left"},
            ],
        },
        {"role": "agent", "text": "", "calls": [{"id": "call_2", "name": "log", "args": {}, "result": None}]},
        {"role": "agent", "text": "Was it damaged?"},
    ]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("short", 'answered `resume` with {"resumed": 1}, where {"resumed": 4} is due'),
        ("empty", "answered `resume` with {}, where"),
        ("unsupported", "does not support `resume`"),
        ("error", "failed at `resume`: no room"),
    ],
)
async def test_a_program_that_does_not_say_that_it_took_all_is_not_asked(talk, root, how, why):
    (root / "program.py").write_text(PROGRAM)
    async with talk({"command": ["python3", "program.py", how]}) as conversation:
        with pytest.raises(AgentError, match=re.escape(why)):
            await hand_over(conversation, PREFIX)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
async def test_the_node_example_goes_on_from_it(talk):
    async with talk({"command": ["node", "echo_memory.mjs"]}) as conversation:
        await hand_over(conversation, PREFIX)
        reply = await conversation.reply("The blender?")
    assert reply.text == "user: Return the blender from order 4021, contact me by email."


async def test_recall_takes_it_and_answers_with_what_the_memory_gives(opened, history):
    async with opened({"recall": None}, memory={"kind": "verbatim", "k": 1}) as factory:
        agent = await factory.make({"kind": "verbatim", "k": 1}, "t1")
        await agent.ingest(history)
        conversation = await agent.start_session(SessionInfo("u1", "s1"))
        await hand_over(conversation, PREFIX)
        assert "Postgres 15" in (await conversation.reply("billing")).text
        assert "email" not in (await conversation.reply("contact email")).text
        later = await agent.start_session(SessionInfo("u1", "s2"))
        assert "email" in (await later.reply("contact email")).text


def test_the_protocol_can_be_asked_for():
    class Talk:
        async def resume(self, turns): ...

    assert isinstance(Talk(), Resumes)
    assert not isinstance(object(), Resumes)
