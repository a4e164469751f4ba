"""The records of a `forget:` block: what a user takes back, what that means, and what must survive it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from foldproof.cases.facts import fact_value
from foldproof.cases.sessions import CaseSession
from foldproof.core import nearest_of
from foldproof.matching import Fact, check_fact

Means = Literal["not used", "not in store", "not derivable"]
"""What it means that something is forgotten, the weakest first; each asks for what the ones before it ask."""
MEANS: tuple[Means, ...] = get_args(Means)
_Found = tuple[str, str, str, str]
"""Field of the case, rule, message that follows the case's name, hint."""


@dataclass(frozen=True, slots=True)
class Bystander:
    """Another user of the same memory, by label, and the facts of that user that must survive."""

    user: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What must be forgotten from the end of session `after` on, counted from 1, in which its user takes it back.

    `facts` must not be found afterwards, of `derived` nothing that would give them away. `retain` are facts of the
    same user that must survive. `after` is 0 where no session of the case can be it.
    """

    facts: tuple[Fact, ...]
    means: Means
    after: int
    derived: tuple[Fact, ...] = ()
    retain: tuple[Fact, ...] = ()
    bystander: Bystander | None = None

    @property
    def gone(self) -> tuple[Fact, ...]:
        """Everything that must not be found any more."""
        return (*self.facts, *self.derived)

    @property
    def asks(self) -> bool:
        """Whether something must survive: otherwise an agent that keeps nothing meets it."""
        return bool(self.retain or self.bystander)

    def reaches(self, means: Means) -> bool:
        """Whether what is meant here asks for all that `means` asks for."""
        return MEANS.index(self.means) >= MEANS.index(means)


def retracting_session(sessions: Sequence[CaseSession], bystander: str | None) -> int:
    """The session in which something is taken back where the file names none, counted from 1; 0 where there is none.

    It is the last but one of the user who speaks last, leaving the bystander out.
    """
    users = [session.user for session in sessions]
    speaker = next((user for user in reversed(users) if user != bystander), None)
    places = [at for at, user in enumerate(users, 1) if user == speaker]
    return places[-2] if len(places) > 1 else 0


def forgetting_value(forget: Forgetting) -> dict[str, Any]:
    """The block as the file writes it."""
    lists = {name: [fact_value(fact) for fact in getattr(forget, name)] for name in ("facts", "derived", "retain")}
    value: dict[str, Any] = {"after": forget.after, "means": forget.means, **lists}
    if forget.bystander:
        user, facts = forget.bystander.user, forget.bystander.facts
        value["bystander"] = {**({"user": user} if user else {}), "facts": [fact_value(fact) for fact in facts]}
    return {key: item for key, item in value.items() if item}


def placed_forgetting(forget: Forgetting) -> Iterator[tuple[str, Fact, bool]]:
    """Every fact of the block with its place in the case, and whether it must survive."""
    lists = {"facts": forget.facts, "derived": forget.derived, "retain": forget.retain}
    lists["bystander.facts"] = forget.bystander.facts if forget.bystander else ()
    for name, facts in lists.items():
        for at, fact in enumerate(facts):
            yield f"forget.{name}.{at}", fact, name in {"retain", "bystander.facts"}


def forgetting_problems(forget: Forgetting, sessions: Sequence[CaseSession]) -> Iterator[_Found]:
    """What cannot be carried out: no session to take something back in, none after it, a bystander who is none."""
    users = [session.user for session in sessions]
    other = forget.bystander
    if other and not other.user and set(users) == {""}:
        message = " has a bystander without `user`, and all sessions are of one user, who is no bystander of itself"
        yield "forget.bystander", "forget", message, "label another user's session, `user: bob`, and name it here"
    elif not forget.after:
        message = " has `forget`, and nobody in it has two sessions: one to take something back, one after it"
        yield "forget", "forget", message, "add a session after the one in which the user takes it back"
    elif forget.after > len(sessions):
        message = f" has `forget.after` {forget.after}, and {len(sessions)} sessions"
        yield "forget.after", "forget", message, "name the session in which the user takes it back, from 1"
    elif users[forget.after - 1] not in users[forget.after :]:
        message = f" has `forget.after` {forget.after}, and no later session of that user"
        yield "forget.after", "forget", message, "add one: what is forgotten is looked for in the sessions after it"
    elif other and other.user == users[forget.after - 1]:
        message = " has a bystander who is the user that takes something back"
        yield "forget.bystander", "forget", message, "name another `user` of the sessions"
    elif other and other.user not in users[: forget.after]:
        who = f"'{other.user}'" if other.user else "without a label"
        message = f" has the bystander {who}, who has no session up to then, and so nothing to lose"
        known = nearest_of(other.user, {user for user in users if user})
        hint = "let that user speak before" if other.user in users else known
        yield "forget.bystander", "forget", message, hint
    if forget.derived and not forget.reaches("not derivable"):
        message = f" has `forget.derived`, and means '{forget.means}'"
        yield "forget.derived", "forget", message, "only `means: not derivable` looks for what would give a fact away"
    for place, fact, survives in placed_forgetting(forget):
        if not survives and fact in forget.retain:
            message = f" must forget '{fact.label}' and keep it too"
            yield place, "expected-and-forbidden", message, "remove one of the two"
        if any(item.kind == "judged" for item in (fact, *fact.any)):
            hint = "match it: a text, `any`, `exact`, `pattern`, `number`, `date`"
            yield place, "forget", f" has the judged fact '{fact.label}' under `forget`", hint
        elif wrong := check_fact(fact):
            what, _, how = wrong.partition("\n")
            yield place, "fact", f": {what}", how.strip() or "write it another way"
