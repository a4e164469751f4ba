"""LoCoMo: ten long talks of two people in dated sessions, and questions about them with the turns that answer them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from foldproof.core import FileError, Problem
from foldproof.logs.benchmarks import Benchmark, Layout, Question, answer_text, data_hash, said
from foldproof.logs.messages import text_of
from foldproof.logs.moments import Moment, moment_of
from foldproof.logs.talk import Role, Session, Turn

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""What the numbers of the data mean, which is not the order in which the paper names them."""
_LAYOUT = Layout("locomo", "LoCoMo is one JSON list of conversations with `qa`: locomo10.json")
_SESSION = re.compile(r"session_(\d{1,6})")
_CITED = re.compile(r"[;,\s]+")
Fields = dict[str, Any]


def talk_of(value: object) -> Fields:
    """The part that holds the sessions: `conversation`, or in the older layout the record itself; else empty."""
    if not isinstance(value, dict):
        return {}
    inner = value.get("conversation", value)
    return inner if isinstance(inner, dict) and "speaker_a" in inner else {}


def session_keys(talk: Fields) -> list[tuple[int, str]]:
    """The sessions by number, each with its key: of `session_10` and `session_9` the latter comes first."""
    return sorted((int(match[1]), key) for key in talk if (match := _SESSION.fullmatch(str(key))))


def session_time(value: object) -> Moment | None:
    """`1:56 pm on 8 May, 2023`, without a zone since none is told; None where no time is."""
    if not isinstance(value, str):
        return None
    try:
        at = datetime.strptime(value.strip().lower(), "%I:%M %p on %d %B, %Y")  # noqa: DTZ007  # no zone is told
    except ValueError:
        return moment_of(value)
    return Moment(value, at)


def turn_text(turn: Fields) -> str:
    """What was said, with the caption of the image that was shown."""
    text = text_of(turn.get("text") or turn.get("clean_text"))
    caption = text_of(turn.get("blip_caption"))
    return f"{text}\n[image: {caption}]".strip() if caption else text


def turn_role(turn: Fields, talk: Fields) -> Role:
    """`speaker_a` is taken as the user; neither of the two is an agent."""
    return "user" if turn.get("speaker") == talk.get("speaker_a") else "agent"


def read_locomo(source: Path) -> Benchmark:
    """The benchmark of its published JSON file.

    Questions are named as lists of its errors name them: `locomo_0_qa1`, both numbers from 0. What is said carries the
    speaker's name, since questions ask for people by name. The questions tell no time at which they are asked.

    Raises:
        FileError: where the file is missing, is not UTF-8, or is no list of conversations.
    """
    raw = _LAYOUT.raw(source)
    try:
        value = json.loads(_LAYOUT.text(raw, source))
    except (ValueError, RecursionError) as error:
        message = f"the JSON is broken: {error}" if isinstance(error, ValueError) else "the JSON is nested too deeply"
        raise FileError([_LAYOUT.problem(source, getattr(error, "lineno", 0), message)]) from None
    if not isinstance(value, list):
        raise FileError([_LAYOUT.problem(source, 1, "the file is no list of conversations")])
    benchmark = Benchmark(iter(()), data_hash(raw))
    benchmark.questions = _questions(value, source, benchmark.problems)
    return benchmark


@dataclass(slots=True)
class _Conversation:
    """One conversation: its sessions, where each turn that can be cited stands, and what is asked about it."""

    name: str
    sessions: tuple[Session, ...]
    places: Mapping[str, tuple[str, int]]
    asked: list[Any]


def _questions(value: list[object], path: Path, problems: list[Problem]) -> Iterator[Question]:
    names: set[str] = set()
    for number, item in enumerate(value):
        try:
            talk = _conversation(item, number, lambda told: problems.append(_LAYOUT.problem(path, 0, told)))
        except (KeyError, TypeError, ValueError) as error:
            problems.append(_LAYOUT.problem(path, 0, f"conversation {number} cannot be read: {_told(error)}"))
            continue
        if talk.name in names:
            # Two conversations of one name are two pasts.
            talk.name = f"{talk.name}-{number}"
        names.add(talk.name)
        for at, one in enumerate(talk.asked):
            name = f"locomo_{number}_qa{at}"
            try:
                yield _question(name, one, talk)
            except (KeyError, TypeError, ValueError) as error:
                problems.append(_LAYOUT.problem(path, 0, f"question '{name}' cannot be read: {_told(error)}"))


def _told(error: Exception) -> str:
    return f"lacks the field {error}" if isinstance(error, KeyError) else str(error)


def _conversation(item: object, number: int, tell: Callable[[str], None]) -> _Conversation:
    talk = talk_of(item)
    if not talk or not isinstance(item, dict):
        raise ValueError("it has no `conversation` with `speaker_a`")
    asked = item["qa"]
    if not isinstance(asked, list):
        raise TypeError("its `qa` is no list of questions")
    sessions: list[Session] = []
    places: dict[str, tuple[str, int]] = {}
    twice: set[str] = set()
    for count, key in session_keys(talk):
        turns = talk[key]
        if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
            raise TypeError(f"its `{key}` is no list of turns")
        name = f"s{count}"
        told = talk.get(f"{key}_date_time")
        at = session_time(told)
        if told is not None and at is None:
            tell(f"conversation {number}: its `{key}_date_time` is {told!r:.60}, which is no time")
        spoken = tuple(Turn(turn_role(turn, talk), _spoken(turn)) for turn in turns)
        sessions.append(Session(name, spoken, at.at.isoformat(timespec="minutes") if at else ""))
        own = [(str(turn["dia_id"]), (name, place)) for place, turn in enumerate(turns, 1) if "dia_id" in turn]
        twice |= {one for one, count in Counter(one for one, _ in own).items() if count > 1 or one in places}
        places |= dict(own)
    for one in sorted(twice):
        tell(f"conversation {number}: '{one}' is the name of several turns, so no turn is cited by it")
        del places[one]
    return _Conversation(str(item.get("sample_id") or f"conversation-{number}"), tuple(sessions), places, asked)


def _spoken(turn: Fields) -> str:
    return said(f"{turn.get('speaker', '')}: {turn_text(turn)}", empty=True)


def _question(name: str, item: Fields, talk: _Conversation) -> Question:
    if not isinstance(item, dict):
        raise TypeError("it is no mapping")
    number = item["category"]
    kind = CATEGORIES.get(number) if isinstance(number, int) and not isinstance(number, bool) else None
    if kind is None:
        raise ValueError(f"its category is {number!r}; known are 1 to {len(CATEGORIES)}")
    abstain = kind == "adversarial" and "answer" not in item
    evidence, notes = turns_cited(item.get("evidence"), talk.places)
    if kind == "adversarial" and not abstain:
        notes = (*notes, "it is of the category that has no answer, and has one: asked as a question with an answer")
    wrong = item.get("adversarial_answer")
    return Question(
        id=name,
        kind=kind,
        text=said(item["question"]).strip(),
        at="",
        answer="" if abstain else answer_text(item["answer"]),
        abstain=abstain,
        sessions=talk.sessions,
        evidence=evidence,
        notes=notes,
        history=talk.name,
        wrong="" if wrong is None else answer_text(wrong),
        places=talk.places,
    )


def turns_cited(
    value: object, places: Mapping[str, tuple[str, int]]
) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
    """The turns that are cited, and a note for each citation that names none; several may stand in one text."""
    listed = value if isinstance(value, list) else [value] if value else []
    cited = dict.fromkeys(part for text in listed for part in _CITED.split(str(text)) if part)
    found = tuple(places[part] for part in cited if part in places)
    return found, tuple(f"it cites '{part}', which names no turn" for part in cited if part not in places)
