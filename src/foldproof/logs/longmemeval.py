"""LongMemEval: questions over a haystack of sessions, as published (one JSON list) and as two flat JSON-lines files."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from foldproof.core import FileError, Problem
from foldproof.logs.benchmarks import Benchmark, Layout, Question, answer_text, data_hash, said
from foldproof.logs.talk import Role, Session, Turn

QUESTIONS, SESSIONS = "questions.jsonl", "sessions.jsonl"
"""The names of the two flat files in their folder."""

_LAYOUT = Layout("longmemeval", "LongMemEval is one JSON list, or a folder with questions.jsonl and sessions.jsonl")
_DATE = re.compile(r"(\d{4})/(\d{2})/(\d{2})(?: \([A-Za-z]+\))?(?: (\d{2}:\d{2}))?")
_ROLES: dict[str, Role] = {"user": "user", "assistant": "agent", "system": "system", "tool": "tool"}
_BLANK = re.compile(r"[\s,]*")


def iso_date(text: str) -> str:
    """`2023/05/30 (Tue) 21:56` as `2023-05-30T21:56`, without a zone since none is told; other texts as they are."""
    text = said(text.strip(), empty=True)
    match = _DATE.fullmatch(text)
    if not match:
        return text
    day = f"{match[1]}-{match[2]}-{match[3]}"
    return f"{day}T{match[4]}" if match[4] else day


def read_longmemeval(source: Path) -> Benchmark:
    """The benchmark of a published JSON file, or of a folder that holds the two flat files.

    The text of a JSON file is held in memory once, its questions one at a time.

    Raises:
        FileError: where a file is missing, is not UTF-8, or is no list of questions.
    """
    if source.is_dir():
        return _flat(source)
    raw = _LAYOUT.raw(source)
    text = _LAYOUT.text(raw, source)
    benchmark = Benchmark(iter(()), data_hash(raw))
    del raw
    if not text.lstrip().startswith("["):
        raise FileError([_LAYOUT.problem(source, 1, "the file is no list of questions")])
    benchmark.questions = _published(text, source, benchmark.problems)
    return benchmark


def _published(text: str, path: Path, problems: list[Problem]) -> Iterator[Question]:
    decoder = json.JSONDecoder()
    at, number = text.index("[") + 1, 0
    while True:
        blank = _BLANK.match(text, at)
        at = blank.end() if blank else at
        if text[at : at + 1] == "]":
            return
        number += 1
        try:
            item, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            line = text.count("\n", 0, getattr(error, "pos", at)) + 1
            problems.append(
                _LAYOUT.problem(path, line, f"the JSON is broken in question {number}; the rest cannot be read")
            )
            return
        name = item.get("question_id") if isinstance(item, dict) else None
        try:
            yield _question(item)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            reason = f"lacks the field {error}" if isinstance(error, KeyError) else str(error)
            problems.append(_LAYOUT.problem(path, 0, f"question '{name or number}' cannot be read: {reason}"))


def _question(item: dict[str, Any]) -> Question:
    dates, ids, talks = item["haystack_dates"], item["haystack_session_ids"], item["haystack_sessions"]
    if not len(dates) == len(ids) == len(talks):
        raise ValueError(f"it has {len(ids)} session ids, {len(dates)} dates and {len(talks)} sessions")
    rows = sorted(zip(dates, ids, talks, strict=True), key=lambda row: iso_date(str(row[0])))
    sessions, evidence = [], []
    for number, (date, _, talk) in enumerate(rows, 1):
        name = f"s{number}"
        sessions.append(Session(name, tuple(_turn(turn) for turn in talk), iso_date(str(date))))
        evidence += [(name, place) for place, turn in enumerate(talk, 1) if turn.get("has_answer") is True]
    repeated = sorted(name for name, count in Counter(map(str, ids)).items() if count > 1)
    notes = (f"{len(repeated)} session ids stand more than once in its haystack",) if repeated else ()
    name = str(item["question_id"])
    abstain = name.endswith("_abs")
    answer = "" if abstain else answer_text(item["answer"])
    return Question(
        id=name,
        kind=said(item["question_type"]),
        text=said(item["question"]),
        at=iso_date(str(item.get("question_date", ""))),
        answer=answer,
        abstain=abstain,
        sessions=tuple(sessions),
        evidence=() if abstain else tuple(evidence),
        notes=notes,
    )


def _turn(turn: dict[str, Any]) -> Turn:
    role = turn["role"]
    if role not in _ROLES:
        raise ValueError(f"a turn has the role '{role}'")
    return Turn(_ROLES[role], said(turn["content"], empty=True))


def _flat(folder: Path) -> Benchmark:
    raw = {name: _LAYOUT.raw(folder / name) for name in (QUESTIONS, SESSIONS)}
    digest = data_hash(*raw.values())
    benchmark = Benchmark(iter(()), digest)
    rows: list[tuple[str, dict[str, Any]]] = []
    for _, item in _lines(folder / SESSIONS, raw[SESSIONS], benchmark.problems):
        rows.append((str(item.get("id", "")), item))
    rows.sort(key=lambda row: iso_date(str(row[1].get("timestamp", ""))))
    sessions: list[Session] = []
    evidence: dict[str, list[tuple[str, int]]] = {}
    for number, (name, item) in enumerate(rows, 1):
        new = f"s{number}"
        try:
            turns = tuple(_turn(turn) for turn in item["turns"])
            held = [place for place, turn in enumerate(item["turns"], 1) if turn["metadata"]["has_answer"] is True]
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            message = f"session '{name}' cannot be read: {type(error).__name__}: {error}"
            benchmark.problems.append(_LAYOUT.problem(folder / SESSIONS, 0, message))
            continue
        sessions.append(Session(new, turns, iso_date(str(item.get("timestamp", "")))))
        evidence.setdefault(name, []).extend((new, place) for place in held)
    benchmark.shared = tuple(sessions)
    benchmark.questions = _flat_questions(folder / QUESTIONS, raw[QUESTIONS], evidence, benchmark.problems)
    return benchmark


def _flat_questions(
    path: Path, raw: bytes, evidence: dict[str, list[tuple[str, int]]], problems: list[Problem]
) -> Iterator[Question]:
    for line, item in _lines(path, raw, problems):
        try:
            truth = item["ground_truth"]
            name = str(item["id"])
            abstain = name.endswith("_abs") or item.get("constraints", {}).get("abstention_expected") is True
            supporting = [] if abstain else truth.get("supporting_session_ids", [])
            question = Question(
                id=name,
                kind=said(item["category"]),
                text=said(item["question"]),
                at=iso_date(str(truth.get("valid_as_of", ""))),
                answer="" if abstain else answer_text(truth["answer"]),
                abstain=abstain,
                evidence=tuple(place for session in supporting for place in evidence.get(session, [])),
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            problems.append(
                _LAYOUT.problem(path, line, f"the question cannot be read: {type(error).__name__}: {error}")
            )
        else:
            yield question


def _lines(path: Path, raw: bytes, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(_LAYOUT.text(raw, path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError):
            item = None
        if isinstance(item, dict):
            yield number, item
        else:
            problems.append(_LAYOUT.problem(path, number, "the line is no JSON object"))
