"""The turns of a case with sessions, in their order, at a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from foldproof.cases.call_text import short, written_call
from foldproof.record.records import Speaker
from foldproof.report.explained import ExplainedTrialRow, ItemRow, TurnRow
from foldproof.report.sheet import Row, Sheet, verdict_mark
from foldproof.report.summary import outcome_word
from foldproof.report.text import BRIEF, LONG, counted, inline
from foldproof.score.writing import DELETES


def write_turns(sheet: Sheet, trial: ExplainedTrialRow) -> None:
    """Each turn: what the user said, what the agent answered, read and wrote, and what is expected of it."""
    for turn in trial.turns:
        limit = None if sheet.details else LONG
        at = "".join(f"   {inline(text)}" for text in (turn.whose, turn.at) if text)
        sheet.line(
            (turn.name, "strong"), at, ("   not a fresh context" if turn.fresh is False else "", "bad"), indent=2
        )
        sheet.line((f"{SPEAKERS[turn.speaker]}: ", "quiet"), inline(turn.user, limit), indent=4)
        sheet.line(("agent: ", "quiet"), inline(turn.answer, limit) or "nothing", indent=4)
        for title, text in turn_lines(turn):
            sheet.line((f"{title}: ", "quiet"), inline(text, limit), indent=4)
        if turn.close:
            sheet.line((close_word(turn), "quiet"), indent=4)
        sheet.table([_fact(turn, place) for place in range(len(turn.facts))], indent=4)
        for title, text in listing_lines(turn):
            sheet.line((f"{title}: ", "quiet"), inline(text, limit), indent=4)


LISTED = 5
"""How many items of a listing a line shows."""
SPEAKERS: dict[Speaker, str] = {
    "case": "user",
    "correction": "user, correcting",
    "rule": "user, by a rule",
    "simulated": "simulated user",
}
"""Who speaks, by who chose the words."""
_CLOSES = {
    "silent": "the user had nothing more to say",
    "limit": "the user was stopped at the limit of turns",
    "done": "the simulated user was done",
}
_OPINIONS = {True: ", and has what it wanted", False: ", and has not what it wanted", None: ""}


def close_word(turn: TurnRow) -> str:
    """Why the user said nothing more in a turn; empty where that was not to be decided."""
    return f"{_CLOSES[turn.close]}{_OPINIONS[turn.goal_met]}" if turn.close else ""


def turn_lines(turn: TurnRow) -> list[tuple[str, str]]:
    """What a turn read, wrote and called, and the state after it, as far as it was seen and there was any."""
    writes = turn.memory_writes or []
    deleted = [item for item in writes if item.kind.casefold() in DELETES]
    items = (
        ("read", turn.memory_reads),
        ("wrote", [item for item in writes if item not in deleted]),
        ("deleted", deleted),
    )
    lines = [(title, _joined([item for item in held if not item.dropped])) for title, held in items if held]
    calls = [_call(call) for call in turn.tool_calls or ()]
    called = [("called", ", ".join(calls))] if calls else []
    state = [] if turn.state is None else [("state", state_text(turn.state))]
    return [*((title, text) for title, text in lines if text), *called, *state]


def _call(call: Mapping[str, Any]) -> str:
    args = call.get("args") or {}
    return short(written_call(str(call.get("name", "?")), args) if args else str(call.get("name", "?")))


def state_text(state: Mapping[str, object]) -> str:
    """The state of a world on one line, as JSON."""
    return json.dumps(state, ensure_ascii=False)


def listing_lines(turn: TurnRow) -> list[tuple[str, str]]:
    """What the memory held of each user after the session, and after its maintenance where that changed it."""
    lines = []
    for listing in turn.listings:
        whose = f" of {listing.user}" if listing.user else ""
        changed = listing.after != listing.ended
        for title, items in (("memory", listing.ended), *([("after maintenance", listing.after)] if changed else [])):
            held = "not seen" if items is None else _joined(items, LISTED) or "nothing"
            lines.append((f"{title}{whose}", held))
    return lines


def _joined(items: list[ItemRow], first: int = 3) -> str:
    shown = "; ".join(item.text for item in items[:first])
    return f"{counted(len(items), 'item')}: {shown}{' …' if len(items) > first else ''}" if items else ""


def _fact(turn: TurnRow, place: int) -> Row:
    fact = turn.facts[place]
    label = fact.fact.removeprefix(f"{turn.name.partition('.a')[0]} ")
    word = outcome_word(fact.kind, fact.outcome)
    return Row((inline(label, BRIEF), (word, "good" if fact.ok else verdict_mark("lost"))))
