"""What a case must forget, and what must survive that, against everything that its sessions show. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from foldproof.cases import Case, Forgetting
from foldproof.cases.call_text import short
from foldproof.core import REDACTED
from foldproof.matching import Fact, Text, match_fact
from foldproof.score.attribution import Owner
from foldproof.score.channels import Channel, messages_of, prepared, shown_in, stored
from foldproof.score.turns import JudgedTurn
from foldproof.score.whole import Blame, WholeVerdict

LABELS: dict[Channel, str] = {
    "reply": "forget: not in the reply",
    "calls": "forget: not in a tool call",
    "retrieved": "forget: not retrieved",
    "store": "forget: not in the store",
    "prompt": "forget: not in the prompt",
}
"""How each channel stands in the label of what must not be found there."""
UNSEEN: dict[Channel, str] = {
    "calls": "the agent does not show its tool calls",
    "retrieved": "the agent does not show what it read from its memory",
    "store": "the agent does not list its memory",
    "prompt": "the prompt cannot be seen",
}
_NOT_DELETED = "it was never deleted"
_ANEW = "what held it was deleted, and another item holds it"
_BACK = "it came back with the maintenance"
_SHOWN = 80
"""Characters that a reason shows of a text."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """What the memory listed of a user at one moment."""

    session: int
    maintained: bool
    texts: tuple[str, ...] | None

    @property
    def when(self) -> str:
        """The moment, for a sentence."""
        return f"after {'the maintenance of ' if self.maintained else ''}session {self.session}"

    def holding(self, fact: Fact, *, negated: bool) -> list[str]:
        """The items that say a fact; with `negated` those that deny it too, whose words are there."""
        allowed = {"held", "negated"} if negated else {"held"}
        return [text for text in self.texts or () if match_fact(fact, prepared(text)).outcome in allowed]


@dataclass(frozen=True, slots=True)
class _Trial:
    """The turns of a trial as a case that must forget something looks at them."""

    case: Case
    forget: Forgetting
    turns: tuple[JudgedTurn, ...]

    @property
    def user(self) -> str:
        """Who takes something back."""
        return self.case.sessions[self.forget.after - 1].user

    def turns_of(self, user: str) -> list[JudgedTurn]:
        """A user's turns in the sessions after something was taken back."""
        return [turn for turn in self.turns if turn.session > self.forget.after and self.user_of(turn) == user]

    def user_of(self, turn: JudgedTurn) -> str:
        """Whose session a turn is in."""
        return self.case.sessions[turn.session - 1].user

    def listings(self, user: str) -> list[_Listed]:
        """What the memory listed of a user, in order. A maintenance that did not take place shows nothing new."""
        return [
            _Listed(session, over, None if items is None else tuple(item.text for item in items))
            for session, over, items in stored(self.turns, user)
            if not over or self.case.sessions[session - 1].maintain
        ]


def forget_labels(case: Case) -> list[str]:
    """The labels of what a case must forget and must keep, in the order of their verdicts."""
    forget = case.forget
    if forget is None:
        return []
    gone = [f"{LABELS[channel]}: {fact.label}" for fact in _unique(forget.gone) for channel in forget_channels(forget)]
    kept = [_kept_label(fact, "") for fact in _unique(forget.retain)]
    if other := forget.bystander:
        kept += [_kept_label(fact, _whose(other.user)) for fact in _unique(other.facts)]
    return [*gone, *kept]


def judge_forgetting(case: Case, turns: tuple[JudgedTurn, ...]) -> list[WholeVerdict]:
    """What became of every line of a `forget` block.

    What must be gone is looked for in every channel that its meaning asks for, in all later sessions of the user who
    took it back, and in the store from the end of the session in which that happened. A channel that cannot be seen
    is an error and never a pass, unless it was found where it was seen. What must survive is looked for in the store;
    where that cannot be seen, in what is retrieved and answered later.
    """
    if case.forget is None:
        return []
    trial, forget = _Trial(case, case.forget, turns), case.forget
    found = [_gone(fact, channel, trial) for fact in _unique(forget.gone) for channel in forget_channels(forget)]
    found += [_kept(fact, trial.user, "", trial) for fact in _unique(forget.retain)]
    if other := forget.bystander:
        found += [_kept(fact, other.user, _whose(other.user), trial) for fact in _unique(other.facts)]
    return found


def forget_channels(forget: Forgetting) -> tuple[Channel, ...]:
    """The channels in which nothing of what is forgotten may be found, by what is meant."""
    found: tuple[Channel, ...] = ("reply", "calls")
    found += ("retrieved", "store") if forget.reaches("not in store") else ()
    return (*found, "prompt") if forget.reaches("not derivable") else found


def _gone(fact: Fact, channel: Channel, trial: _Trial) -> WholeVerdict:
    label = f"{LABELS[channel]}: {fact.label}"
    if channel == "store":
        return _gone_from_store(fact, label, trial)
    unsure = ""
    for turn in trial.turns_of(trial.user):
        shown = shown_in(channel, turn)
        if shown is None:
            unsure = unsure or f"{turn.name}: {UNSEEN[channel]}"
        for place, raw in shown or ():
            text = prepared(raw)
            match = match_fact(fact, text)
            if match.held or (match.outcome == "negated" and channel in {"retrieved", "prompt"}):
                where = f"{turn.name}: {place} holds it: '{_around(text.raw, match.spans[0].start)}'"
                return WholeVerdict(label, "missed", where, Blame(*_who(fact, turn, trial), fact, turn))
            if match.unsure or (REDACTED in text.raw and match.outcome == "missed"):
                unsure = unsure or f"{turn.name}: {place} may hold it, or not"
    if unsure:
        return WholeVerdict(label, "error", unsure)
    told = channel == "reply" and fact in trial.forget.facts  # what gives a fact away need never have been there
    return WholeVerdict(label, "held", _unknown_before(fact, trial) if told else "")


def _gone_from_store(fact: Fact, label: str, trial: _Trial) -> WholeVerdict:
    listings = list(_since(trial.listings(trial.user), trial))
    for listed in listings:
        if held := listed.holding(fact, negated=True):
            owner, why = _of_store(fact, listed, trial)
            retracting = [turn for turn in trial.turns if turn.session == trial.forget.after]
            said = [text for turn in retracting for text in messages_of(turn)]
            note = any(Text(text).padded in Text(held[0]).padded for text in said if match_fact(fact, text).held)
            what = "the words by which it was taken back are kept" if note else "the memory holds it"
            reason = f"{listed.when} {what}: '{short(held[0])}'"
            after = _turn_after(listed, trial.user, trial)
            return WholeVerdict(label, "missed", reason, Blame(owner, why, fact, after))
    if not listings or any(one.texts is None for one in listings):
        return WholeVerdict(label, "error", UNSEEN["store"])
    if any(REDACTED in text for one in listings for text in one.texts or ()):
        return WholeVerdict(label, "error", "a part of an item was redacted, and it may stand in it")
    return WholeVerdict(label, "held")


def _since(listings: Sequence[_Listed], trial: _Trial) -> Iterator[_Listed]:
    """The listings in which something must be gone: where the session is maintained, deleting may wait until then."""
    after = trial.forget.after
    for listed in listings:
        waits = listed.session == after and not listed.maintained and trial.case.sessions[after - 1].maintain
        if listed.session >= after and not waits:
            yield listed


def _of_store(fact: Fact, listed: _Listed, trial: _Trial) -> tuple[Owner, str]:
    """Who left a fact in the store, or brought it back there."""
    listings = trial.listings(trial.user)
    at = listings.index(listed)
    before = listings[at - 1] if at else None
    if before is not None and listed.maintained and before.texts is not None and not before.holding(fact, negated=True):
        return "fold", _BACK
    earlier = [one for one in listings[:at] if one.session < trial.forget.after and one.texts is not None]
    had = earlier[-1].holding(fact, negated=True) if earlier else []
    left = listed.holding(fact, negated=True)
    if any(not one.holding(fact, negated=True) for one in _since(listings[:at], trial) if one.texts is not None):
        return "write", f"it came back in session {listed.session}"
    if had and not set(had) & set(left):
        return "write", _ANEW
    if 0 < len(left) < len(had):
        return "write", f"{len(had) - len(left)} of {len(had)} items that hold it were deleted"
    return "write", _NOT_DELETED


def _who(fact: Fact, turn: JudgedTurn, trial: _Trial) -> tuple[Owner, str]:
    """Who let a forgotten fact into a turn: the first stage that has it after one that has not."""
    if turn.leaked:
        return "prompt", f"the context was not fresh: {turn.leaked}"
    before = [one for one in trial.listings(trial.user) if one.session < turn.session]
    listed = before[-1] if before and before[-1].texts is not None else None
    if listed is not None and listed.holding(fact, negated=True):
        return _of_store(fact, listed, trial)
    reads = shown_in("retrieved", turn)
    if reads is not None and any(match_fact(fact, text).outcome != "missed" for _, text in reads):
        if listed is None:
            return "unknown", "whether the memory still held it cannot be seen"
        return "retrieve", "the memory no longer lists it, and its retrieval still gives it"
    if listed is None and reads is None:
        return "unknown", "neither the memory nor what was retrieved can be seen"
    prompts = shown_in("prompt", turn)
    if prompts is None:
        return "unknown", "the prompt cannot be seen"
    if any(match_fact(fact, text).outcome != "missed" for _, text in prompts):
        return "prompt", "it comes in here, from no stage before"
    return "use", "it does not stand in the prompt"


def _kept(fact: Fact, user: str, whose: str, trial: _Trial) -> WholeVerdict:
    """Whether a fact of a user survived that another, or another user's, was forgotten."""
    label = _kept_label(fact, whose)
    listings = trial.listings(user)
    since = [one for one in listings if one.session >= trial.forget.after and one.texts is not None]
    for at, listed in enumerate(since):
        if listed.holding(fact, negated=False):
            continue
        earlier = [one for one in listings if one.session < trial.forget.after and one.texts is not None]
        folded = listed.maintained and at > 0 and since[at - 1].session == listed.session
        why = "dropped" if folded else "it was deleted with what was taken back" if not at else "it was deleted later"
        if not at and earlier and not earlier[-1].holding(fact, negated=False):
            why = "it was not in the memory before either"
        reason = f"it stands in none of the {len(listed.texts or ())} items {listed.when}"
        blame = Blame("fold" if folded else "write", why, fact, _turn_after(listed, user, trial))
        return WholeVerdict(label, "missed", reason, blame)
    if since:
        return WholeVerdict(label, "held")
    later = trial.turns_of(user)
    shown = [text for turn in later for channel in _SURVIVES for _, text in shown_in(channel, turn) or ()]
    if any(match_fact(fact, text).held for text in shown):
        return WholeVerdict(label, "held")
    return WholeVerdict(label, "error", f"{UNSEEN['store']}, and no later reply or retrieved item says it")


_SURVIVES: tuple[Channel, ...] = ("retrieved", "reply")


def _unknown_before(fact: Fact, trial: _Trial) -> str:
    """That the memory did not hold a fact when it was taken back; empty where it did, or nobody can say."""
    before = [one for one in trial.listings(trial.user) if one.session < trial.forget.after and one.texts is not None]
    known = not before or before[-1].holding(fact, negated=True)
    return "" if known else "the memory did not hold it before it was taken back: nothing had to be forgotten"


def _turn_after(listed: _Listed, user: str, trial: _Trial) -> JudgedTurn | None:
    """The first turn of a user after a listing, whose records show what came of it; None where there is none."""
    return next((turn for turn in trial.turns_of(user) if turn.session > listed.session), None)


def _unique(facts: Sequence[Fact]) -> list[Fact]:
    return list(dict.fromkeys(facts))


def _kept_label(fact: Fact, whose: str) -> str:
    return f"forget: kept{whose}: {fact.label}"


def _whose(user: str) -> str:
    return f" for {user}" if user else " for the other user"


def _around(text: str, start: int) -> str:
    """The words of a text around a place, on one line."""
    low = max(0, start - _SHOWN // 2)
    return f"{'…' if low else ''}{' '.join(text[low : low + _SHOWN].split())}{'…' if len(text) > low + _SHOWN else ''}"
