"""The simulated user: a model that plays whoever talks to the agent, and says by a field that it is done."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from foldproof.agents.endpoint import Chat, message_json
from foldproof.agents.errors import AgentError, TransientError
from foldproof.agents.model import chat_of, steadiness_notes
from foldproof.agents.pool import Pool
from foldproof.agents.template import Template
from foldproof.core import UsageError
from foldproof.logs import Turn, Usage

if TYPE_CHECKING:
    from foldproof.cases.counterparts import Simulated

PLACE = "simulator"
PLAY = Template(
    "simulate/1",
    "You play a user who talks to an assistant. You are never the assistant.\n"
    "\n"
    "What you want: {goal}\n"
    "Who you are: {persona}\n"
    "What you know:\n"
    "{knows}\n"
    "\n"
    "- Say one short message at a time, as such a user would, in the language of the conversation.\n"
    "- Ask for what you want until you have it. Answer what the assistant asks from what you know.\n"
    "- You know nothing else. Where you do not know something, say so; make up no name, no number, no date.\n"
    "- Write names, numbers and dates as they stand above. Keep to what you said last: a correction of yours holds.\n"
    '- Answer with one JSON object: {{"say": your next message, "done": false, "goal_met": null}}. When you have what '
    'you want, or see that you will not get it, answer {{"say": "", "done": true, "goal_met": true or false}}.',
)
"""The shipped prompt; a change of its words is a new version."""
NOTHING = "(nothing more)"
NOBODY = "a customer"
_SCHEMA = {
    "type": "object",
    "properties": {
        "say": {"type": "string"},
        "done": {"type": "boolean"},
        "goal_met": {"type": ["boolean", "null"]},
    },
    "required": ["say", "done", "goal_met"],
    "additionalProperties": False,
}
_FORMAT = {"type": "json_schema", "json_schema": {"name": "user_message", "strict": True, "schema": _SCHEMA}}
_MORE = f',"response_format":{json.dumps(_FORMAT)}'
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(?P<inside>.*?)\n?```\s*", re.DOTALL)
_LONGEST_TOLD = 200


class SimulatorError(Exception):
    """The simulated user failed: its answer cannot be read, or its model gave none. No fault of the agent.

    `usage` is what an answer cost that cannot be read, None where there is none or nobody tells.
    """

    usage: Usage | None = None


class Spoken(NamedTuple):
    """What a simulated user says next. With `done` it says nothing more; `goal_met` is its own opinion, or None."""

    say: str
    done: bool = False
    goal_met: bool | None = None
    usage: Usage | None = None


class SimulatedUser(Protocol):
    """Whoever plays a user."""

    async def say(self, user: Simulated, talk: Sequence[Turn]) -> Spoken:
        """What this user says after what was said in the session so far.

        Raises:
            SimulatorError: where it fails for good.
            TransientError: where another attempt may fare better.
        """
        ...


@dataclass(frozen=True)
class Simulator:
    """A user played by a model behind an OpenAI-compatible endpoint."""

    chat: Chat

    async def say(self, user: Simulated, talk: Sequence[Turn]) -> Spoken:
        """What the model says as this user; the whole conversation is told to it each time."""
        knows = "\n".join(f"- {fact}" for fact in user.knows)
        told = {"goal": user.goal, "persona": user.persona or NOBODY, "knows": knows or NOTHING}
        said = "\n".join(f"{'you' if turn.role == 'user' else 'assistant'}: {turn.text}" for turn in talk)
        messages = ",".join([message_json("system", PLAY.render(told)), message_json("user", _asked(said))])
        try:
            done = await self.chat.complete(f"[{messages}]", _MORE)
        except TransientError as error:
            raise TransientError(f"the simulated user: {error}", error.retry_after_s) from error
        except AgentError as error:
            raise SimulatorError(f"the model of the simulated user gave no answer: {error}") from error
        try:
            return spoken_of(done.text)._replace(usage=done.usage)
        except SimulatorError as error:
            error.usage = done.usage
            raise


def _asked(said: str) -> str:
    return f"What was said so far:\n{said}\n\nYour next message, as the JSON object:"


def spoken_of(text: str) -> Spoken:
    """What a model answered as a simulated user.

    Only the field `done` ends a conversation: no word of the text does.

    Raises:
        SimulatorError: where it is not the object that was asked for, or says nothing and is not done.
    """
    fenced = _FENCED.fullmatch(text)
    try:
        value = json.loads(fenced["inside"] if fenced else text)
    except (ValueError, RecursionError):
        raise _unreadable(text, "it is not JSON") from None
    if not isinstance(value, dict):
        raise _unreadable(text, "it is no JSON object")
    say, done, goal_met = value.get("say"), value.get("done"), value.get("goal_met")
    if not isinstance(say, str):
        raise _unreadable(text, "`say` is not a text")
    if not isinstance(done, bool):
        raise _unreadable(text, "`done` is not true or false")
    if goal_met is not None and not isinstance(goal_met, bool):
        raise _unreadable(text, "`goal_met` is not true, false or null")
    if not done and not say.strip():
        raise _unreadable(text, "it says nothing, and is not done")
    return Spoken(say.strip(), done, goal_met)


def _unreadable(text: str, why: str) -> SimulatorError:
    short = text if len(text) <= _LONGEST_TOLD else text[: _LONGEST_TOLD - 1] + "…"
    return SimulatorError(f"the answer of the simulated user cannot be read: {why}: {short!r}")


def check_simulator(settings: Mapping[str, Any]) -> None:
    """See that a simulator is named at all; what else is wrong with it shows when it is opened.

    Raises:
        UsageError: where it has no name.
    """
    name = settings.get("name")
    if not isinstance(name, str) or not name.strip():
        told = "the project has none" if not settings else "it has no `name`"
        raise UsageError(
            f"a case has a simulated user, which needs the model under `{PLACE}:` in foldproof.yaml, and {told}\n"
            '  write `simulator: {base_url: http://localhost:11434/v1, name: "qwen2.5:7b", temperature: 0, seed: 7}`'
        )


@asynccontextmanager
async def open_simulator(settings: Mapping[str, Any], environ: Mapping[str, str]) -> AsyncIterator[Simulator]:
    """The simulated user of a project, for as long as the context lasts. `settings` have their `${NAME}` filled in.

    Raises:
        UsageError: where the settings name no model that can be asked.
    """
    check_simulator(settings)
    pool = Pool()
    try:
        yield Simulator(chat_of(settings, environ, pool, place=PLACE))
    finally:
        await pool.close()


def simulator_note(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What the reader of a report should know of who played the user, and how steadily."""
    steady = (note.replace("the model", "its model", 1) for note in steadiness_notes(settings))
    return ("; ".join([f"the simulated user is {settings.get('name')}, told by {PLAY.name}", *steady]),)
