"""A forced choice: a model that works by a text is asked what it would do, and picks one of the choices given."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from foldproof.agents.endpoint import Chat, message_json
from foldproof.agents.errors import AgentError, TransientError
from foldproof.agents.http_answers import Completion
from foldproof.agents.model import chat_of
from foldproof.agents.pool import Pool
from foldproof.agents.template import Template
from foldproof.agents.waiting import patiently
from foldproof.cases import Limits
from foldproof.judging.feeding import work_off
from foldproof.logs import Usage
from foldproof.record.spending import Spending

ChoiceState = Literal["chosen", "undecided", "invalid", "error"]
PROBE = Template(
    "probe/1",
    "You are an assistant. What you know of the work and of the people you work for, and the rules you keep to, stand "
    "below. Nothing else was told to you.\n"
    "\n"
    "{text}",
)
"""What the model works by; a change of its words, or of how the question is put, is a new version."""
NOTHING = "(nothing)"
_LONGEST_TOLD = 200
_NO_SCHEMA = re.compile(r"response_?format|json_?schema", re.IGNORECASE)
"""What endpoints name that take no schema for their answers."""
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(?P<inside>.*?)\n?```\s*", re.DOTALL)
_EDGES = re.compile(r"^[\s\"'`*_(\[-]+|[\s\"'`*_.)\]]+$")


@dataclass(frozen=True, slots=True)
class ForcedChoice:
    """What is asked: the text that the model works by, the question, and the choices in the order they are shown."""

    text: str
    question: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What came of it. `choice` is one of the choices where the state is `chosen`; else `error` says why there is none.

    `undecided` is an answer that picks none of them, or several; `invalid` one that was cut off, refused or filtered;
    `error` no answer at all. None of them is a wrong choice.
    """

    state: ChoiceState
    choice: str = ""
    error: str = ""
    usage: Usage | None = None


@dataclass(slots=True)
class Chooser:
    """A model that is asked to choose, in a schema that allows the choices alone.

    Once an endpoint says that it takes no schema, it is asked without: what picks no choice is then undecided.
    """

    name: str
    chat: Chat = field(repr=False)
    json_schema: bool = True

    async def choose(self, asked: ForcedChoice) -> Chosen:
        """The model's choice.

        Raises:
            AgentError: where the endpoint gives no answer; `TransientError` where it may later.
        """
        told = PROBE.render({"text": asked.text.strip() or NOTHING})
        messages = ",".join([message_json("system", told), message_json("user", _question(asked))])
        if self.json_schema:
            try:
                return chosen_of(await self.chat.complete(f"[{messages}]", _schema_part(asked.choices)), asked.choices)
            except TransientError:
                raise
            except AgentError as error:
                if not _NO_SCHEMA.search(str(error)):
                    raise
                self.json_schema = False
        return chosen_of(await self.chat.complete(f"[{messages}]"), asked.choices)


def _question(asked: ForcedChoice) -> str:
    shown = "\n".join(f"- {choice}" for choice in asked.choices)
    return (
        f"{asked.question}\n\nChoose one of these:\n{shown}\n\n"
        'Answer with one JSON object and nothing else: {"answer": "…"}, with the choice copied word for word.'
    )


def _schema_part(choices: Sequence[str]) -> str:
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["answer"],
        "properties": {"answer": {"type": "string", "enum": list(choices)}},
    }
    form = {"type": "json_schema", "json_schema": {"name": "choice", "strict": True, "schema": schema}}
    return f',"response_format":{json.dumps(form)}'


def chosen_of(answer: Completion, choices: Sequence[str]) -> Chosen:
    """What a model's answer picks: a choice by its own words and no other, in the object asked for or alone.

    A sentence that holds a choice picks none: "I would not push to main" holds one.
    """
    if answer.notes:  # cut off, filtered or refused: what there is of it need not be what was meant
        return Chosen("invalid", error=f"{answer.notes[0]}: {_short(answer.text)}", usage=answer.usage)
    fenced = _FENCED.fullmatch(answer.text)
    said = fenced["inside"] if fenced else answer.text
    try:
        value = json.loads(said)
    except (ValueError, RecursionError):
        value = said
    if isinstance(value, dict):
        value = value.get("answer")
    if isinstance(value, str):
        for choice in choices:
            if _bare(choice) == _bare(value):
                return Chosen("chosen", choice, usage=answer.usage)
    return Chosen("undecided", error=f"the answer is none of the choices: {_short(answer.text)}", usage=answer.usage)


def _bare(text: str) -> str:
    return _EDGES.sub("", " ".join(text.split())).casefold()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= _LONGEST_TOLD else line[: _LONGEST_TOLD - 1] + "…")


async def ask_choices(
    chooser: Chooser, asked: Sequence[ForcedChoice], *, limits: Limits, keep: Callable[[ForcedChoice, Chosen], None]
) -> str:
    """Ask a model each choice; `keep` hears what came of each as it comes, in no fixed order.

    A model that fails gives an `error`, never an exception here. The answer is the limit that ended the asking
    early, or empty.
    """
    bench = _Bench(chooser, limits, keep)
    await work_off(asked, bench.work, concurrency=limits.concurrency)
    return bench.stopped


class _Bench:
    def __init__(self, chooser: Chooser, limits: Limits, keep: Callable[[ForcedChoice, Chosen], None]) -> None:
        self._chooser = chooser
        self._limits = limits
        self._keep = keep
        self._spending = Spending(limits, doing="probing", unpriced="the model does not show what a choice costs")
        self.stopped = ""

    async def work(self, feed: Iterator[ForcedChoice]) -> None:
        for asked in feed:
            if reason := self._spending.limit_reached():
                self.stopped = reason
                return
            found = await self._asked(asked)
            self._spending.count(found.usage, answered=found.state != "error" or found.usage is not None)
            self._keep(asked, found)

    async def _asked(self, asked: ForcedChoice) -> Chosen:
        limits = self._limits
        try:
            return await patiently(
                lambda: self._chooser.choose(asked), timeout_s=limits.timeout_s, retries=limits.retries
            )
        except AgentError as error:
            return Chosen("error", error=str(error))
        except TimeoutError:
            return Chosen("error", error=f"no choice within {self._limits.timeout_s:g} s")


@asynccontextmanager
async def open_chooser(
    settings: Mapping[str, Any], environ: Mapping[str, str], *, place: str
) -> AsyncIterator[Chooser]:
    """A model that chooses, for as long as the context lasts; its settings are those of a configuration's `model`.

    The temperature is 0 unless they say.

    Raises:
        UsageError: where the settings name no model that can be asked.
    """
    pool = Pool()
    try:
        chat = chat_of({"temperature": 0, **settings}, environ, pool, place=place)
        yield Chooser(str(settings["name"]), chat)
    finally:
        await pool.close()
