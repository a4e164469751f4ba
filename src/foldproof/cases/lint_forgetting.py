"""What is doubtful about a `forget:` block that loads."""

from __future__ import annotations

from collections.abc import Iterator

from foldproof.cases.case_checks import placed_facts
from foldproof.cases.forgetting import Forgetting, placed_forgetting
from foldproof.cases.records import Case
from foldproof.logs import History
from foldproof.matching import Fact, Text, match_fact

_Doubt = tuple[str, str, str, str]
"""Field of the case, rule, message that follows the case's name, hint."""


def forget_doubts(case: Case, history: History | None) -> Iterator[_Doubt]:
    """Blocks that let an agent pass which forgets too much, too little, or nothing because it never knew."""
    if case.forget is None:
        return
    forget = case.forget
    if forget.bystander is None:
        message = " forgets without a bystander: an agent that deletes everybody's memory passes"
        hint = "let another `user` speak in a session, and name under `forget.bystander` what must survive of them"
        yield "forget", "forget-without-bystander", message, hint
    if not forget.retain:
        message = " forgets without `retain`: an agent that deletes all that the user said passes"
        yield "forget", "forget-without-retain", message, "name facts of the same user that must survive"
    if forget.reaches("not in store") and not any(one.maintain for one in case.sessions[forget.after - 1 :]):
        message = f" means '{forget.means}', and the memory is not maintained after the facts were taken back"
        hint = "write `maintain: true` into a session from then on: what is re-read or re-indexed may come back"
        yield "forget", "forget-not-maintained", message, hint
    yield from _said(case, forget, history)
    yield from _asked_again(case, forget)


def _said(case: Case, forget: Forgetting, history: History | None) -> Iterator[_Doubt]:
    """Facts that nobody says before they are taken back; what gives one away need not be said."""
    past = [turn.text for session in history.sessions for turn in session.turns] if history else []
    user = case.sessions[forget.after - 1].user
    for place, fact, _ in placed_forgetting(forget):
        whose = forget.bystander.user if forget.bystander and ".bystander." in place else user
        said = [turn.user for one in case.sessions[: forget.after] if one.user == whose for turn in one.turns]
        texts = [Text(text) for text in (said if whose else [*past, *said])]
        if ".derived." not in place and not any(match_fact(fact, text).held for text in texts):
            message = f" has '{fact.label}' under `{place.rpartition('.')[0]}`, which that user does not say before"
            yield place, "unstated", message, "write it as the user says it, or let the user say it in a session"


def _asked_again(case: Case, forget: Forgetting) -> Iterator[_Doubt]:
    """Facts that come back by what the user says or by what the case itself asks for."""
    user = case.sessions[forget.after - 1].user
    later = [
        (part, turn)
        for (at, turn), part in zip(
            ((at, turn) for at, one in enumerate(case.sessions, 1) for turn in one.turns), case.parts, strict=True
        )
        if at > forget.after and case.sessions[at - 1].user == user
    ]
    for place, fact, survives in placed_forgetting(forget):
        if survives:
            continue
        if any(match_fact(fact, turn.user).held for _, turn in later):
            message = f" must forget '{fact.label}', which the user says again afterwards"
            yield place, "forgotten-said-again", message, "ask without naming it: what is said anew may be known"
        wanted = [item for part, _ in later for _, item in placed_facts(part, wanted=True)]
        if clash := next((item for item in (*wanted, *forget.retain) if _holds(item, fact)), None):
            message = f" must forget '{fact.label}', and expects '{clash.label}' afterwards: no agent can pass"
            yield place, "forbidden-in-expected", message, "forget more exactly, or expect other words"


def _holds(wanted: Fact, fact: Fact) -> bool:
    items = wanted.any or (wanted,)
    plain = all(item.kind in {"normalized", "exact"} for item in items)
    return plain and all(match_fact(fact, item.text).held for item in items)
