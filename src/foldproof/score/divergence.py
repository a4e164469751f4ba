"""The first divergence of a failed session: a search over its beginnings that asks few questions.

A beginning holds the agent's first steps; the empty one is the session before it did anything. The question about
each: could the goal still be met, if the agent acted rightly from here on? At first it can, in a failed session in
the end it cannot, and the first divergence is the step that takes it from the one to the other. The search knows no
judge: it yields lengths and is sent answers.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

Reach = Literal["open", "lost", "cannot tell"]
"""The goal can still be met; it cannot; the judge does not say (or failed to)."""
Search = Generator[int, Reach, "Divergence"]


@dataclass(frozen=True, slots=True)
class Divergence:
    """What a search found: the agent's step, counted among its steps from 1; None where the answers do not tell.

    `between` are the last length known open and the first known lost. `answers` holds every answer by length.
    `doubts` say what speaks against the step; with a doubt it is a place to look at, not a finding.
    """

    step: int | None
    between: tuple[int, int]
    answers: Mapping[int, Reach] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()


def most_questions(steps: int) -> int:
    """The most questions that a search over so many steps asks: two for each halving, and two for the neighbours.

    Half of that, and the two, where no answer is `cannot tell`.
    """
    return 2 * halvings(steps) + 2


def halvings(steps: int) -> int:
    """How often so many steps are halved until one is left: the logarithm to the base of two, rounded up."""
    return max(steps - 1, 0).bit_length()


def search_divergence(steps: int) -> Search:
    """Search a failed session in which the agent took so many steps; each yielded length wants an answer.

    That the goal was open before the first step, and lost after the last, is taken from the session's verdict and
    asked only at the end, where the step found lies beside it. The neighbours of the step are asked too: answers that
    contradict each other are kept and become doubts.

    Raises:
        ValueError: for a session without a step of the agent, in which there is nothing to search.
    """
    if steps < 1:
        raise ValueError("a session without a step of the agent has no divergence")
    answers: dict[int, Reach] = {}
    opened, lost = 0, steps
    while lost - opened > 1:
        middle = (opened + lost) // 2
        for beside in range(middle, min(middle + 2, lost)):
            if beside not in answers:
                answers[beside] = yield beside
            middle = beside
            if answers[beside] != "cannot tell":
                break
        if answers[middle] == "cannot tell":
            doubt = f"the judge cannot tell where between step {opened + 1} and step {lost}"
            return Divergence(None, (opened, lost), answers, (doubt, *_contradictions(answers)))
        if answers[middle] == "open":
            opened = middle
        else:
            lost = middle
    for neighbour in (opened - 1, opened, lost, lost + 1):
        if 0 <= neighbour <= steps and neighbour not in answers:
            answers[neighbour] = yield neighbour
    return Divergence(lost, (opened, lost), answers, tuple(_doubts(answers, steps)))


def _doubts(answers: Mapping[int, Reach], steps: int) -> list[str]:
    doubts = _contradictions(answers)
    if answers.get(0) == "lost":
        doubts.append("the judge holds that the goal was out of reach before the agent's first step")
    if answers.get(steps) == "open":
        doubts.append("the judge holds that the goal was still within reach at the end: the session was not finished")
    unsure = [length for length in sorted(answers) if answers[length] == "cannot tell"]
    if unsure:
        doubts.append(f"the judge cannot tell after step {', '.join(map(str, unsure))}")
    return doubts


def _contradictions(answers: Mapping[int, Reach]) -> list[str]:
    """Answers that cannot both hold: what is lost stays lost."""
    pairs = combinations(sorted(answers), 2)
    return [
        f"the judge holds the goal lost after step {early}, and within reach after step {late}"
        for early, late in pairs
        if answers[early] == "lost" and answers[late] == "open"
    ]
