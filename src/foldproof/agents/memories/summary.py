"""The memory `summary`: what was said, compacted by a model with a named prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from foldproof.agents.errors import AgentError, UnsupportedError
from foldproof.agents.memories.memory import Recall, Resources
from foldproof.agents.memories.summarizing import summarized
from foldproof.agents.memories.text import fit, ranked, turn_items, without
from foldproof.agents.model import chat_of, memory_wire
from foldproof.agents.template import Template, read_template
from foldproof.agents.usage import FREE, summed
from foldproof.compaction import count_tokens, room_of
from foldproof.core import UsageError
from foldproof.core.settings import mapping, read_settings, text, whole
from foldproof.logs import History, MemoryItem, Session, Usage

PLACES = ("budget", "summary", "turns")
NOTHING = "(nothing yet)"
COMPACT = Template(
    "compact/1",
    "You keep the memory of an assistant that talks to one user. Below are the memory so far, and what was said "
    "since then. Write the memory anew, so that it holds both.\n"
    "- Keep every rule, prohibition, allergy and standing wish of the user word for word, as the instruction that it "
    "is.\n"
    "- Keep names, numbers, dates, amounts and identifiers exactly as they were written.\n"
    "- Where something was corrected or has changed, keep the newest value and say that it replaced the old one.\n"
    "- Say who said it, where it was not the user. Add nothing that was not said. Leave small talk out.\n"
    "- At most {budget} tokens. Answer with the memory alone, one fact a line, in the language of the conversation.\n"
    "\n"
    "Memory so far:\n"
    "{summary}\n"
    "\n"
    "Said since then:\n"
    "{turns}",
)
"""The shipped prompt; a change of its words is a new version."""
_SETTINGS = {
    "prompt": text(),
    "every": whole(None),
    "budget": whole(2000),
    "keep_last": whole(10, 0),
    "model": mapping(),
}


class Folded(NamedTuple):
    """What a summary stands for: its text, the turns that went into it, the calls that made it and their usage."""

    text: str = ""
    turns: int = 0
    calls: int = 0
    usage: Usage | None = FREE
    cut_off: bool = False


class Summary:
    """Holds every turn until it is folded; then a summary of all but the last `keep_last`, and these as they were.

    With `every` a fold goes through the turns as an agent that compacts after each so many, one model call for each
    part, each with the summary so far; without it, one call for all. Folding again changes nothing more.

    The same history gives the same summary only as far as the model answers alike. An empty text, an error message
    or a placeholder is never taken for a summary: the fold fails, and what was held stays.
    """

    compacts: bool = True

    def __init__(self, settings: Mapping[str, Any], resources: Resources) -> None:
        self.settings = read_settings("summary", _SETTINGS, settings)
        model = _model_of(resources.model, self.settings["model"])
        if not model:
            raise UsageError(
                "memory 'summary' is written by a model, and the configuration has none\n"
                '  write `model: {base_url: http://localhost:11434/v1, name: "qwen2.5:7b"}` beside `memory`'
            )
        self._chat = chat_of(
            model, resources.environ, resources.pool, place="memory 'summary'", wire_url=memory_wire(model, resources)
        )
        self._name = model["name"]
        self._template = COMPACT
        if self.settings["prompt"] is not None:
            self._template = _template_of(self.settings["prompt"], resources)
        self._spent = resources.spent
        self._items: tuple[MemoryItem, ...] = ()
        self._folded = Folded()

    async def build(self, history: History) -> None:
        """Take in every turn."""
        self._items, self._folded = turn_items(history), Folded()

    async def add(self, session: Session) -> None:
        """Take in its turns."""
        self._items += turn_items(History("", (session,)))

    async def fold(self) -> None:
        """Put all but the last turns into the summary.

        Raises:
            AgentError: where the model fails, or gives what is no summary.
        """
        last = len(self._items) - self.settings["keep_last"]
        part = self.settings["every"] or last
        folded = self._folded
        for start in range(0, last, max(part, 1)):
            folded = await self._compacted(folded, self._items[start : min(start + part, last)])
        if last > 0:
            self._items, self._folded = self._items[last:], folded

    async def recall(self, question: str) -> Recall:  # noqa: ARG002  # it does not search
        """The summary, and the newest of the other turns that fit."""
        budget = self.settings["budget"]
        held = self._held()
        notes = self._notes()
        if count_tokens("\n".join(item.text for item in held)) <= budget:
            return Recall(ranked(held), notes, FREE)
        first = fit(held[: len(held) - len(self._items)], room_of(budget))
        room = room_of(budget) - sum(len(item.text.encode("utf-8", "surrogatepass")) + 1 for item in first)
        rest = fit(self._items[::-1], room)
        share = f"summary: {len(first) + len(rest)} of {len(held)} items fit in {budget} tokens, the newest turns first"
        return Recall(ranked([*first, *reversed(rest)]), (*notes, share), FREE)

    async def items(self) -> Sequence[MemoryItem]:
        """The summary, then the turns that are not in it."""
        return self._held()

    async def forget(self, item_id: str) -> None:
        """Let go of a turn that is not in the summary yet.

        Raises:
            UnsupportedError: once there is a summary: nobody can tell what of the turn is in it.
        """
        if self._folded.calls:
            raise UnsupportedError("what went into a summary cannot be taken out of it")
        self._items = without(self._items, item_id)

    async def snapshot(self) -> tuple[tuple[MemoryItem, ...], Folded]:
        """The turns and the summary."""
        return self._items, self._folded

    async def restore(self, snapshot: tuple[tuple[MemoryItem, ...], Folded]) -> None:
        """Take over turns and summary; nothing is asked for them again."""
        self._items, self._folded = snapshot

    def _held(self) -> tuple[MemoryItem, ...]:
        if not self._folded.calls:
            return self._items
        return (MemoryItem(self._folded.text, id="summary", kind="summary"), *self._items)

    async def _compacted(self, so_far: Folded, turns: Sequence[MemoryItem]) -> Folded:
        said = self._template.render(
            {
                "summary": so_far.text or NOTHING,
                "turns": "\n".join(item.text for item in turns),
                "budget": str(self.settings["budget"] // 2 or 1),
            }
        )
        try:
            done = await summarized(self._chat, said, self._spent.add)
        except AgentError as error:
            error.args = (f"memory 'summary': the fold failed: {error}",)
            raise
        usage = summed([so_far.usage, done.usage])
        cut_off = so_far.cut_off or any("cut" in note for note in done.notes)
        return Folded(done.text.strip(), so_far.turns + len(turns), so_far.calls + 1, usage, cut_off)

    def _notes(self) -> tuple[str, ...]:
        calls, turns = self._folded.calls, self._folded.turns
        if not calls:
            return ()
        usage = self._folded.usage or Usage()
        times = f"{calls} call{'s' if calls > 1 else ''}"
        if usage.input_tokens is not None and usage.output_tokens is not None:
            times += f" of {usage.input_tokens} + {usage.output_tokens} tokens"
        notes = [f"summary: {turns} turns folded by {self._name} in {times}, prompt {self._template.name}"]
        if self._folded.cut_off:
            notes.append("summary: an answer was cut off, so the end of a summary is missing")
        return tuple(notes)


def _model_of(theirs: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration's model with the memory's own settings; another model does not have the first one's price."""
    another = any(name in own and own[name] != theirs.get(name) for name in ("name", "base_url"))
    return {**{name: value for name, value in theirs.items() if name != "price" or not another}, **own}


def _template_of(file: str, resources: Resources) -> Template:
    template = read_template(file, resources.root, known=PLACES, place="memory 'summary'")
    for name, lost in (("turns", "what was said"), ("summary", "what an earlier fold kept")):
        if name not in template.places:
            raise UsageError(
                f"memory 'summary': the prompt '{file}' has no place for `{{{name}}}`: {lost} would never reach the "
                f"model\n  write {{{name}}} where it is to stand"
            )
    return template
