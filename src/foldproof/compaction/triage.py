"""Knowledge triage: each line is typed, and each type has a lane of the budget and a treatment of its own."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from foldproof.compaction.knowledge import CLASS_OF, KnowledgeType, checked_types
from foldproof.compaction.lines import head_of, newest_whole, passages_of, said_in
from foldproof.compaction.policies import POLICIES, Policy
from foldproof.compaction.records import Compacted, Passage
from foldproof.compaction.rules import by_rules
from foldproof.compaction.selecting import Selection, Shortage, compacted_of
from foldproof.compaction.tokens import BYTES_PER_TOKEN, cost_of, count_tokens, room_of
from foldproof.compaction.verifying import VERIFIERS, Verifier

SHARES: tuple[tuple[KnowledgeType, float], ...] = (("belief", 0.5), ("preference", 0.2), ("episode", 0.3))
"""The rest of the budget, after constraints and procedures, by type; the shares of arXiv 2608.22752."""
BOUND: tuple[KnowledgeType, ...] = ("constraint", "procedure")
"""The types that must be kept whole: without one of their lines a text is no longer safe."""
Classifier = Callable[[Sequence[str]], "Sequence[KnowledgeType] | Awaitable[Sequence[KnowledgeType]]"]
"""Gives the type of each line, without the head of a line of talk; a function or a coroutine function."""


@dataclass(frozen=True)
class Triage:
    """Keeps constraints first, then procedures, then the other types by their `SHARES`, the newest first in each.

    What a share leaves unused goes on to the next one, and what is left at the end to whatever still fits. The lines
    of a lane that fits stay as they are; those of one that does not are treated by the policy of their type, and
    what still does not fit is dropped whole. The output is in the original order and never exceeds the budget.

    A budget below B_min is told as `unsafe`: then the newest constraints that fit are what is left, and such an
    output is not to be trusted. As good as its classifier: a constraint that is not seen as one is not safe.
    """

    name: str = field(default="triage", kw_only=True)
    classify: Classifier = by_rules
    policies: Mapping[KnowledgeType, Policy] = field(default_factory=lambda: POLICIES)
    verifiers: Mapping[KnowledgeType, Verifier] = field(default_factory=lambda: VERIFIERS)

    async def compact(self, text: str, budget: int) -> Compacted:
        """The text in at most `budget` tokens; one that fits is left as it is, to the byte.

        Raises:
            UsageError: where the classifier gives no types, or not one for each line.
        """
        if count_tokens(text) <= budget:
            return Compacted(text)
        passages = passages_of(text)
        types = await self.types_of([said_in(passage.text) for passage in passages])
        room = room_of(budget)
        found = self.select(passages, types, room=room)
        reworded, notes = await self._reworded(passages, types, found)
        if reworded:
            found = self.select(passages, types, room=room, reworded=reworded)
        return compacted_of(self.name, found, of=len(passages), budget=budget, notes=notes)

    async def types_of(self, lines: Sequence[str]) -> list[KnowledgeType]:
        """The types that the classifier gives to some lines.

        Raises:
            UsageError: where it gives no types, or not one for each line.
        """
        given = self.classify(lines)
        return checked_types(await given if inspect.isawaitable(given) else given, len(lines))

    def select(
        self,
        passages: Sequence[Passage],
        types: Sequence[KnowledgeType],
        *,
        room: int,
        reworded: Mapping[int, str] | None = None,
    ) -> Selection:
        """What to keep of some passages, which are in order, in `room` bytes by `cost_of`; lane by lane.

        `reworded` are the forms that a model gave, by the places of their passages. Whatever shortens a line, its
        type's verifier accepts it, or the line stays as it is.
        """
        lanes = _Lanes(self, passages, types, reworded or {})
        free = room
        for kind in BOUND:
            free = lanes.fill(kind, free)
        shares = [(kind, int(free * share)) for kind, share in SHARES]
        over = 0
        for at, (kind, share) in enumerate(shares):
            spare = sum(max(later - lanes.need(other), 0) for other, later in shares[at + 1 :])
            over = lanes.fill(kind, share + over, spare=spare)
        free -= sum(share for _, share in shares) - over
        lanes.fill_up(free)
        return lanes.selection(room)

    def accepted(self, kind: KnowledgeType, before: str, after: str) -> str:
        """Why a shorter form of a line is not used; empty where it is."""
        if not said_in(after).strip():
            return "nothing is left of it"
        if cost_of(after) >= cost_of(before):
            return "it is no shorter"
        return self.verifiers[kind](before, after)

    async def _reworded(
        self, passages: Sequence[Passage], types: Sequence[KnowledgeType], found: Selection
    ) -> tuple[dict[int, str], tuple[str, ...]]:
        """What the models of the policies make of the lanes that did not fit, and how much of it is no use."""
        kept = {passage.place: passage.text for passage in found.kept}
        tight = {kind for passage, kind in zip(passages, types, strict=True) if kept.get(passage.place) != passage.text}
        forms: dict[int, str] = {}
        refused: list[str] = []
        for passage, kind in zip(passages, types, strict=True):
            reword = self.policies[kind].reword
            if reword is None or kind not in tight:
                continue
            said = await reword(said_in(passage.text))
            after = head_of(passage.text) + " ".join(said.split())
            if reason := self.accepted(kind, passage.text, after):
                refused.append(reason)
            else:
                forms[passage.place] = after
        if not refused:
            return forms, ()
        share = f"{len(refused)} of {len(forms) + len(refused)} reworded lines were not accepted"
        return forms, (f"{self.name}: {share}: {refused[0]}",)


class _Lanes:
    """The lanes of one selection, as they are filled: what each holds, and what of it is kept."""

    def __init__(
        self, triage: Triage, passages: Sequence[Passage], types: Sequence[KnowledgeType], reworded: Mapping[int, str]
    ) -> None:
        self._triage = triage
        self._reworded = reworded
        self._held: dict[KnowledgeType, list[Passage]] = {kind: [] for kind in CLASS_OF}
        for passage, kind in zip(passages, types, strict=True):
            self._held[kind].append(passage)
        self._constraints = self.need("constraint")
        self._kept: dict[int, Passage] = {}

    def need(self, kind: KnowledgeType) -> int:
        """Bytes that a lane would take."""
        return sum(cost_of(passage.text) for passage in self._held[kind])

    def fill(self, kind: KnowledgeType, granted: int, *, spare: int = 0) -> int:
        """Keep what fits of a lane, treated by its policy where not all of it does; the bytes that stay free.

        `spare` are those that later lanes will not need: nothing is shortened for want of them.
        """
        lane = self._held[kind]
        room = granted + spare
        if self.need(kind) > room:
            lane = self._triage.policies[kind].reduce(lane, room, lambda passage: self._shorter(kind, passage))
            self._held[kind] = lane
        taken, free = newest_whole(lane, granted)
        self._kept.update((passage.place, passage) for passage in taken)
        return free

    def fill_up(self, free: int) -> None:
        """Give what is left of the room to whatever still fits of the lanes that share."""
        taken, _ = newest_whole([passage for kind, _ in SHARES for passage in self._missing(kind)], free)
        self._kept.update((passage.place, passage) for passage in taken)

    def selection(self, room: int) -> Selection:
        """What is kept, and whether it is safe."""
        steps = len(self._missing("procedure"))
        notes = (f"{self._triage.name}: {steps} lines of procedures did not fit",) if steps else ()
        kept = tuple(sorted(self._kept.values(), key=lambda passage: passage.place))
        return Selection(kept, notes, self._shortage(room))

    def _missing(self, kind: KnowledgeType) -> list[Passage]:
        return [passage for passage in self._held[kind] if passage.place not in self._kept]

    def _shorter(self, kind: KnowledgeType, passage: Passage) -> Passage:
        policy = self._triage.policies[kind]
        before = passage.text
        after = self._reworded.get(passage.place, before) if policy.reword else policy.shorten(before)
        return passage if self._triage.accepted(kind, before, after) else Passage(after, passage.place)

    def _shortage(self, room: int) -> Shortage | None:
        if not any(self._missing(kind) for kind in BOUND):
            return None
        alone = self._constraints > room
        needed = [passage.text for kind in BOUND if kind == "constraint" or not alone for passage in self._held[kind]]
        return Shortage(count_tokens("\n".join(needed)), (room - 1) // BYTES_PER_TOKEN, alone)
