"""The locator of `sessions grade` on Who&When: agent and step of the decisive error, beside three baselines.

The data is not part of the project: DIR is a folder with `Algorithm-Generated` and `Hand-Crafted`. The locator sees the
imported session alone. Its rules were made on the logs of even number; those of odd number were held back.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foldproof.logs import read_logs
from foldproof.score.signs import find_signs, most_telling
from foldproof.score.steps import Step, steps_of

PARTS = ("Algorithm-Generated", "Hand-Crafted")


@dataclass(frozen=True)
class Guess:
    """What was named for one log, and how far from the labels it is; a share where it is a matter of chance."""

    step: float
    agent: float
    off: int | None = None


@dataclass(frozen=True)
class Labelled:
    """One log: the whole session, and the labels that only the comparison looks at."""

    part: str
    number: int
    session: tuple[Step, ...]
    agent: str
    step: int

    @property
    def steps(self) -> list[Step]:
        """The messages of the log; the question stands in it apart, and comes first in the session."""
        return [step for step in self.session if step.place.isdecimal()]


def labelled(folder: Path) -> Iterator[Labelled]:
    """The logs of both parts, by number."""
    for part in PARTS:
        for path in sorted((folder / part).glob("*.json"), key=lambda path: int(path.stem)):
            (session,) = read_logs([path], "named-agents").sessions
            labels = json.loads(path.read_text("utf-8"))
            agent, step = str(labels["mistake_agent"]), int(labels["mistake_step"])
            yield Labelled(part, int(path.stem), steps_of(session), agent, step)


def located(log: Labelled) -> Guess:
    """The step that the locator blames."""
    sign = most_telling(find_signs(log.session))
    return named(log, next(step for step in log.steps if sign is not None and step.number == sign.step))


def named(log: Labelled, step: Step) -> Guess:
    """A guess of one step."""
    off = abs(int(step.place) - log.step)
    return Guess(float(off == 0), float(who(step) == log.agent), off)


def who(step: Step) -> str:
    """The agent of a step; the user has no name."""
    return step.speaker or step.name


def at_random(log: Labelled) -> Guess:
    """Any message, any agent."""
    return Guess(1 / len(log.steps), 1 / len({who(step) for step in log.steps if who(step)}))


def first_step(log: Labelled) -> Guess:
    """The first message."""
    return named(log, log.steps[0])


def most_talkative(log: Labelled) -> Guess:
    """The agent with the most messages, at its first; tools are no agents, which makes it a better guess."""
    name, _ = Counter(who(step) for step in log.steps if step.by_agent).most_common(1)[0]
    return named(log, next(step for step in log.steps if who(step) == name))


METHODS = {"locator": located, "random": at_random, "first step": first_step, "most talkative": most_talkative}


def scored(logs: list[Labelled]) -> dict[str, dict[str, Any]]:
    """Accuracies by method."""
    told: dict[str, dict[str, Any]] = {}
    for name, method in METHODS.items():
        guesses = [method(log) for log in logs]
        near = [sum(guess.off is not None and guess.off <= most for guess in guesses) for most in (1, 2)]
        told[name] = {
            "agent": sum(guess.agent for guess in guesses) / len(logs),
            "step": sum(guess.step for guess in guesses) / len(logs),
            "within_1": near[0] / len(logs) if name != "random" else None,
            "within_2": near[1] / len(logs) if name != "random" else None,
        }
    return told


def measure(folder: Path) -> dict[str, dict[str, Any]]:
    """Everything by group: both parts, each part, and each part's even (made on) and odd (held back) numbers."""
    logs = list(labelled(folder))
    groups: dict[str, list[Labelled]] = {"both parts": logs}
    for part in PARTS:
        own = [log for log in logs if log.part == part]
        groups[part] = own
        groups[f"{part}, even"] = [log for log in own if log.number % 2 == 0]
        groups[f"{part}, odd (held back)"] = [log for log in own if log.number % 2]
    groups["both parts, odd (held back)"] = [log for log in logs if log.number % 2]
    return {name: {"logs": len(own), **scored(own)} for name, own in groups.items()}


def _told(value: float | None) -> str:
    return "    -" if value is None else f"{value:5.3f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not any((arguments.folder / part).is_dir() for part in PARTS):
        raise SystemExit(f"{arguments.folder}: holds neither {PARTS[0]} nor {PARTS[1]}\n  name the folder `logs`")
    figures = measure(arguments.folder)
    if arguments.json:
        print(json.dumps(figures))
    else:
        for group, told in figures.items():
            print(f"{group}: {told['logs']} logs\n  {'':16}agent   step   ±1     ±2")
            for method in METHODS:
                row = told[method]
                print(
                    f"  {method:16}" + "  ".join(_told(row[name]) for name in ("agent", "step", "within_1", "within_2"))
                )
