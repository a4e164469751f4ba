"""What the records of a trial show at each stage between a statement and its use. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from foldproof.cases import Case
from foldproof.logs import History, MemoryItem, ModelCall, PastTurn, ToolCall
from foldproof.logs.prompts import without_tools
from foldproof.matching import Text
from foldproof.matching.escapes import unescaped
from foldproof.record import StoreListing, Trial, TurnRecord
from foldproof.score.made import EXACT, answering_calls

Stage = Literal["stated", "written", "kept", "retrieved", "prompted", "used"]
STAGES: tuple[Stage, ...] = ("stated", "written", "kept", "retrieved", "prompted", "used")
"""The way of a fact: said, in the memory, in it after the folds, given for the question, in the prompt, answered."""


@dataclass(frozen=True, slots=True)
class Part:
    """One text of a stage: a turn, an item, a prompt, an answer. `item` is the memory item that it is."""

    text: Text
    place: str
    item: MemoryItem | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """What one stage shows. `source` is who showed it: `history`, `adapter`, `wire`, `otel`."""

    source: str
    parts: tuple[Part, ...]


def _nothing(_: str) -> None:
    return None


@dataclass(frozen=True)
class Records:
    """Where scoring finds what a trial only names: histories, memory listings, the memory's settings.

    `listing` gives a listing by its hash, or None where it is not kept. `sightings` is what was looked for before.
    """

    histories: Mapping[str, History] = field(default_factory=dict)
    listing: Callable[[str], StoreListing | None] = _nothing
    memory: Mapping[str, Any] = field(default_factory=dict)
    sightings: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    _parts: dict[str, tuple[Part, ...] | None] = field(default_factory=dict, repr=False)

    def turns(self, history: str) -> tuple[Part, ...] | None:
        """The turns of a history, prepared once for all trials; None where there is none."""
        key = f"history {history}"
        if key not in self._parts:
            found = self.histories.get(history)
            self._parts[key] = None if found is None else _turns(found)
        return self._parts[key]

    def items(self, sha256: str | None) -> tuple[Part, ...] | None:
        """The items of a listing, prepared once for all trials; None where it was not seen."""
        if not sha256:
            return None
        if sha256 not in self._parts:
            listing = self.listing(sha256)
            self._parts[sha256] = None if listing is None else tuple(_items(listing.items))
        return self._parts[sha256]


@dataclass(frozen=True)
class TrialEvidence:
    """The stages of one trial, each looked at once; `earlier` are the turns of the sessions before a turn's own."""

    case: Case
    trial: Trial
    records: Records
    earlier: tuple[TurnRecord, ...] = ()

    @cached_property
    def stages(self) -> dict[Stage, Shown | None]:
        """What each stage shows, None where it cannot be seen."""
        turns = self.records.turns(self.case.history)
        said = (*(Part(Text(turn.user), turn.name) for turn in self.earlier), *self.frozen.parts)
        stated = turns if turns is not None and not said else (*(turns or ()), *said)
        return {
            "stated": Shown("history", stated) if turns is not None or said else None,
            "written": _adapter(self._written()),
            "kept": _adapter(self.records.items(self.trial.store_kept)),
            "retrieved": next(iter(self.reads), None),
            "prompted": next(iter(self.prompts), None),
            "used": Shown("adapter", (*self.answer.parts, *_calls(self.trial))),
        }

    @cached_property
    def frozen(self) -> Shown:
        """What the agent was handed as the conversation so far; nothing for a case without a frozen prefix."""
        return Shown("history", tuple(_frozen(self.case.frozen)))

    def _written(self) -> tuple[Part, ...] | None:
        """Everything that was in the memory before one of its folds, in the earlier sessions too."""
        names = [self.trial.store_written, *(turn.store_written for turn in self.earlier)]
        found = [items for name in names if (items := self.records.items(name)) is not None]
        return tuple(part for items in found for part in items) if found else None

    @cached_property
    def answer(self) -> Shown:
        """The text of the answer alone."""
        return Shown("adapter", (Part(Text(self.trial.answer), "the answer"),))

    @cached_property
    def reads(self) -> tuple[Shown, ...]:
        """What was given for the question, by source; the adapter knows best."""
        return tuple(Shown(source, tuple(_items(items))) for source, items in reads_of(self.trial))

    @cached_property
    def prompts(self) -> tuple[Shown, ...]:
        """What the model received that answered, by source: the wire counts more than spans, and these than the agent.

        A source that did not see the call which gave the answer shows no prompt: what another model got proves nothing.
        """
        seen = sorted(self.trial.seen, key=lambda found: EXACT.index(found.source))
        found = [(source.source, answering_calls(self.case, self.trial, source)) for source in seen]
        shown = [Shown(source, tuple(self._prompts(calls))) for source, calls in found if calls and calls[-1].prompt]
        if self.trial.prompt is not None:
            shown.append(Shown("adapter", tuple(self._given(self.trial.prompt, "the prompt"))))
        return tuple(shown)

    @cached_property
    def said(self) -> tuple[Part, ...]:
        """What the model itself answered, where it was seen and the agent made another answer of it."""
        for source in sorted(self.trial.seen, key=lambda found: EXACT.index(found.source)):
            calls = answering_calls(self.case, self.trial, source)
            if calls and calls[-1].answer.strip() != self.trial.answer.strip():
                return (Part(Text(calls[-1].answer), "the model's answer"),)
        return ()

    def _prompts(self, calls: Sequence[ModelCall]) -> Iterable[Part]:
        """The last prompt; those before it only where it continues them without repeating them.

        What the model itself said in an earlier call is no part of what it was given.
        """
        last = calls[-1]
        question = Text(self.case.question).padded
        whole = len(calls) == 1 or question in Text(last.prompt).padded
        for number, call in enumerate((last,) if whole else calls, 1):
            prompt = call.prompt
            for earlier in calls[: calls.index(call)]:
                prompt = prompt.replace(earlier.answer, "…") if earlier.answer.strip() else prompt
            yield from self._given(prompt, "the prompt" if whole else f"prompt {number}")

    def _given(self, prompt: str, place: str) -> Iterable[Part]:
        """A prompt without the tools and without the question: what the user says anew was not remembered."""
        question, prompt = self.case.question.strip(), without_tools(prompt)
        for text in dict.fromkeys((prompt, unescaped(prompt))):
            yield Part(Text(text.replace(question, "…") if question else text), place)

    @property
    def users(self) -> frozenset[str]:
        """The user ids that are this trial's own: that of the trial that built its memory is one of them."""
        return frozenset(filter(None, (self.trial.user, self.trial.built_by)))

    @property
    def dropped(self) -> tuple[Part, ...]:
        """Candidates of the retrieval that were not given in the end."""
        return tuple(_each(item for _, items in reads_of(self.trial) for item in items if item.dropped))


def reads_of(trial: Trial) -> list[tuple[str, tuple[MemoryItem, ...]]]:
    """What each source shows of a retrieval, with what it passed over; the adapter, which knows best, first."""
    told = [("adapter", trial.memory_reads), *((seen.source, seen.memory_reads) for seen in trial.seen)]
    return [(source, items) for source, items in told if items is not None]


def _adapter(parts: tuple[Part, ...] | None) -> Shown | None:
    return None if parts is None else Shown("adapter", parts)


def _turns(history: History) -> tuple[Part, ...]:
    return tuple(
        Part(Text(turn.text), f"{session.id}.t{number}")
        for session in history.sessions
        for number, turn in enumerate(session.turns, 1)
    )


def _frozen(turns: Sequence[PastTurn]) -> Iterable[Part]:
    for number, turn in enumerate(turns, 1):
        texts = [turn.text, *(text for made in turn.calls for text in (_words(made.call), made.text))]
        yield from (Part(Text(text), f"frozen turn {number}") for text in texts if text)


def _items(items: Sequence[MemoryItem]) -> Iterable[Part]:
    return _each([item for item in items if not item.dropped])


def _each(items: Iterable[MemoryItem]) -> Iterable[Part]:
    for number, item in enumerate(items, 1):
        place = f"rank {item.rank}" if item.rank else item.id or f"item {number}"
        for text in dict.fromkeys((item.text, unescaped(item.text))):
            yield Part(Text(text), place, item)


def _calls(trial: Trial) -> Iterable[Part]:
    for call in trial.tool_calls or ():
        yield Part(Text(_words(call)), f"the call of {call.name}")


def _words(call: ToolCall) -> str:
    return " ".join(f"{name}: {value}." for name, value in call.args.items())
