"""A project with judged facts, whose judge is a scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from foldproof.judging import default_prompt
from foldproof.record import Claim
from foldproof.testing import ScriptedModel, judged_by, write_project

NAME = "scripted-2026-01-01"
AGENT = """
ANSWERS = {
    "Which database?": "Postgres 15 it is. I would not put an ORM in front, it is too slow.",
    "Which day?": "On Monday, in the morning.",
    "Who calls?": "",
}

def knows(question, memory_config):
    if memory_config.get("kind") == "none":
        return "I do not know."
    return ANSWERS[question]

def forgets(question, memory_config):
    return "Some database or other, on some day." if memory_config.get("kind") != "none" else "I do not know."

def partly(question, memory_config):
    return knows(question, memory_config) if question == "Which day?" else forgets(question, memory_config)
"""
CASES: list[dict[str, Any]] = [
    {
        "id": "db",
        "class": "semantic",
        "question": "Which database?",
        "memory_config": {"kind": "own"},
        "expected_facts": ["Postgres 15", {"judged": "advises against an ORM because of latency"}],
        "forbidden_facts": [{"judged": "recommends MongoDB"}],
    },
    {
        "id": "day",
        "class": "episodic",
        "question": "Which day?",
        "memory_config": {"kind": "own"},
        "expected_facts": [{"judged": "names the first day of the week"}],
    },
]
TRUE = {
    "advises against an ORM because of latency": "I would not put an ORM in front, it is too slow.",
    "names the first day of the week": "On Monday",
}


def sound(claim: Claim) -> Any:
    """A judge that is right, also about its controls."""
    if claim.answer.startswith("That is an easy one") and claim.fact in claim.answer:
        return "met"
    known = TRUE.get(claim.fact, "")
    return ("met", known) if known and known in claim.answer else "not met"


def judge(decide: Callable[[Claim], Any] = sound, **options: Any) -> ScriptedModel:
    return ScriptedModel(judged_by(decide), **options)


def judged_project(folder: Path, model: ScriptedModel | str, *, cases: Any = None, **settings: Any) -> Path:
    """Write the project; `model` is the judge's server, or its address."""
    url = model if isinstance(model, str) else model.url
    prompt = folder / "judges" / "fact.md"
    prompt.parent.mkdir(parents=True, exist_ok=True)
    prompt.write_text(default_prompt(), encoding="utf-8")
    (folder / "answering.py").write_text(AGENT, encoding="utf-8")
    names = {"production": "knows", "candidate": "forgets", "partly": "partly"}
    known = {"base_url": url, **settings.pop("judge", {})}
    return write_project(
        folder,
        cases=cases or CASES,
        configs={name: {"agent": f"python:answering:{agent}"} for name, agent in names.items()},
        replay={"judge": {"model": NAME, "prompt": "judges/fact.md"}},
        judge=known,
        baseline="production",
        **{"limits": {"retries": 0}, **settings},
    )


def write_labels(folder: Path, each: int, *, wrong: int = 0) -> None:
    """As many answers of each label, of which the sound judge gets `wrong` ones of those that are not met wrong."""
    fact = "names the first day of the week"
    right = [{"fact": fact, "answer": f"On Monday, at {number}.", "label": "met"} for number in range(each)]
    days = ["Monday" if number < wrong else "Sunday" for number in range(each)]
    false = [{"fact": fact, "answer": f"On {day}, {at}.", "label": "not met"} for at, day in enumerate(days)]
    rows = [*right, *false]
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
