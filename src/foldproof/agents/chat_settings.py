"""The settings of the `chat` agent: its prompt, its tools, its world, and how long its tool loop may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foldproof.agents.factory import Setup
from foldproof.agents.fingerprints import digests_of
from foldproof.agents.memories import Keeps, Memory
from foldproof.agents.template import Template, read_template
from foldproof.core import UsageError, content_hash, nearest_of

STEPS = 8
"""Calls of the model for one answer, unless it is said."""
PLACES = ("memory", "now", "question")
NOTHING = "(nothing)"
NOT_KNOWN = "not known"
"""What stands in the prompt where nothing was recalled, and where the time was not told."""
ANSWER = Template(
    "answer/1",
    "You are a helpful assistant. You know this user from earlier conversations.\n"
    "\n"
    "What you remember of them:\n"
    "{memory}\n"
    "\n"
    "Current time: {now}\n"
    "\n"
    "Answer the user's message in a few sentences, and name the facts that the answer rests on. Use what you remember "
    "and what is said in this conversation. Keep to every rule and wish of the user that you know of. Where neither "
    "says it, say that you do not know; invent nothing.",
)
NOTES = Template(
    "notes/1",
    "You are a helpful assistant. What you know of this user from earlier conversations stands in your notes, and "
    "nowhere else.\n"
    "\n"
    "Before you answer or act, search your notes with `search_memory`. When the user tells you something that will "
    "matter in a later conversation, a wish, a rule, a fact, save it with `remember`. When they take something back, "
    "or it has changed, delete the note that says it with `forget`.\n"
    "\n"
    "Current time: {now}\n"
    "\n"
    "Answer the user's message in a few sentences, and name the facts that the answer rests on. Use your notes and "
    "what is said in this conversation. Keep to every rule and wish of the user that you know of. Where neither says "
    "it, say that you do not know; invent nothing.",
)
"""The shipped prompts, the second for a memory that the model keeps; a change of their words is a new version."""
TOOLS = ("search_memory",)
"""What may stand under `tools`."""
_SETTINGS = ("prompt", "steps", "tools", "world")


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """How a chat agent puts its prompt together, and what its model may call.

    `prompt` is None where the shipped one that suits the memory is used. `world` is empty where there is none.
    """

    prompt: Template | None = None
    tools: tuple[str, ...] = ()
    steps: int = STEPS
    world: str = ""

    def template(self, memory: Memory) -> Template:
        """The prompt over this memory."""
        return self.prompt or (NOTES if isinstance(memory, Keeps) else ANSWER)

    def check(self, memory: Memory, kind: str, place: str) -> None:
        """See that what this kind of memory recalls can reach the model.

        Raises:
            UsageError: where neither the prompt nor a tool takes it there.
        """
        template, searched = self.template(memory), "search_memory" in self.tools or isinstance(memory, Keeps)
        if kind != "none" and "memory" not in template.places and not searched:
            raise UsageError(
                f"{place}: the prompt '{template.name}' has no place for `{{memory}}`: what the memory recalls "
                "would never reach the model\n"
                "  write {memory} where it is to stand, or let the model search by itself: `tools: [search_memory]`"
            )

    def digests(self, memory: Memory, root: Path) -> dict[Path, str]:
        """The prompt as part of the agent's fingerprint."""
        template = self.template(memory)
        if self.prompt is None:
            return {Path(template.name.replace("/", "-")): content_hash(template.text)}
        return digests_of([root / template.name])


def opening(template: Template, message: str, *, memory: str, now: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What stands before a conversation, and the user's message as it is sent.

    A template with a place for the question is the user's message; any other is the system's, before it.
    """
    text = template.render({"memory": memory or NOTHING, "question": message, "now": now or NOT_KNOWN})
    if "question" in template.places:
        return [], {"role": "user", "content": text}
    return [{"role": "system", "content": text}], {"role": "user", "content": message}


def read_chat_settings(setup: Setup) -> ChatSettings:
    """The settings as they stand below `chat`.

    Raises:
        UsageError: for an unknown one, or a value that cannot be used.
    """
    for name in setup.agent:
        if name in _SETTINGS:
            raise UsageError(
                f"{setup.place}: `{name}` is a setting of `chat`, and stands beside it\n"
                f"  write it below: `agent: {{chat: {{{name}: …}}}}`"
            )
    setup.allow("chat")
    given = setup.agent["chat"] or {}
    place = f"{setup.place}: chat"
    if not isinstance(given, Mapping):
        raise UsageError(f"{place}: the settings are {given!r}, where a mapping is expected\n  or write `agent: chat`")
    for name in given:
        if name not in _SETTINGS:
            raise UsageError(f"{place} has no setting `{name}`\n  {_nearest_setting(name)}")
    prompt = None
    if "prompt" in given:
        prompt = read_template(given["prompt"], setup.root, known=PLACES, place=place)
    steps = given.get("steps", STEPS)
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise UsageError(
            f"{place}: `steps` is {steps!r}, where a whole number from 1 is expected\n  the default is {STEPS}"
        )
    return ChatSettings(prompt, _tools_of(given.get("tools", []), place), steps, _world_of(given, place))


def _world_of(given: Mapping[str, Any], place: str) -> str:
    name = given.get("world", "")
    if not isinstance(name, str) or ("world" in given and not name.strip()):
        raise UsageError(f"{place}: `world` is {name!r}, where a name is expected: shop, or my_world:Shop")
    return name.strip()


def _tools_of(given: Any, place: str) -> tuple[str, ...]:  # noqa: ANN401  # any value of a file
    if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
        raise UsageError(f"{place}: `tools` is {given!r}, where a list of names is expected: [search_memory]")
    for name in given:
        if name not in TOOLS:
            raise UsageError(f"{place}: there is no tool '{name}'\n  {nearest_of(name, TOOLS)}")
    return tuple(dict.fromkeys(given))


def _nearest_setting(name: str) -> str:
    if name in ("base_url", "max_tokens", "name", "seed", "temperature", "price", "api_key_env"):
        return f"the model's settings stand under `model`: `model: {{{name}: …}}`"
    if name in ("budget", "k", "kind", "memory"):
        return "the memory's settings stand under `memory`: `memory: {kind: verbatim, k: 8}`"
    return nearest_of(name, _SETTINGS)
