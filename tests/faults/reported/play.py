"""How a reported failure is played: a project as a user has it, with the agent that fails and the one that does not."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from foldproof import run_set
from foldproof.record.store import Store
from foldproof.testing import write_project

HERE = Path(__file__).parent
ROLES = ("user", "agent", "system", "tool")


def said(*sessions):
    """Sessions of a history, one a text; a line that begins with another role is not the user's."""
    return [
        {"session": f"s{number}", "at": f"2026-03-{number:02}", "turns": [_turn(line) for line in text.splitlines()]}
        for number, text in enumerate(sessions, 1)
    ]


def _turn(line):
    role, mark, rest = line.partition(": ")
    return {"role": role, "text": rest} if mark and role in ROLES else {"role": "user", "text": line}


@dataclass(frozen=True)
class Played:
    """One case that one configuration was asked: its score, its record, and what its memory held."""

    score: object
    trial: object
    written: tuple[str, ...] | None
    kept: tuple[str, ...] | None
    verdict: str
    reasons: tuple[str, ...]

    def loss(self, fact):
        """Who lost this fact, or where a forbidden one came from."""
        [found] = [told for told in self.score.facts if told.fact == fact]
        return found.loss

    def stage(self, fact, stage):
        """How this fact stands at a stage."""
        [found] = [sighting for sighting in self.loss(fact).stages if sighting.stage == stage]
        return found.presence

    @property
    def given(self):
        """The texts that were retrieved."""
        return [item.text for item in self.trial.memory_reads or () if not item.dropped]


def set_up(folder, configs, cases, history=None, *, others=None, **project):
    """Write a project with the fakes in its folder; the answer is the names of its configurations.

    A configuration may be given as the `module:Class` of a fake. `others` are further histories.
    """
    told = {"memory_config": {}, **({"history": "h"} if history else {})}
    named = {f"config{at}": _configuration(given) for at, given in enumerate(configs)}
    write_project(
        folder,
        cases=[{"id": f"c{at}", **told, **row} for at, row in enumerate(cases)],
        configs={**named, "other": {"agent": "recall"}},
        histories={**({"h": history} if history else {}), **(others or {})},
        **{"baseline": "other", "limits": {"concurrency": 1, "retries": 0}, **project},
    )
    for fake in set(HERE.glob("*.py")) - {Path(__file__)}:
        shutil.copy(fake, folder)
    return list(named)


def play(folder, configs, case, history=None, **project):
    """Run each configuration over a case, or several, in the project that `set_up` writes.

    The answer is a `Played` for each, in order; a list of them, by case, where there is a list of cases.
    """
    one = isinstance(case, dict)
    done = [_played(folder, name) for name in set_up(folder, configs, [case] if one else case, history, **project)]
    return [rows[0] for rows in done] if one else done


def _configuration(given):
    return {"agent": f"python:{given}"} if isinstance(given, str) else given


def _played(folder, config):
    report = run_set(config, project=folder)
    store = Store.open(folder / ".foldproof" / "runs.db")
    try:
        return [_one(report, trial, store) for trial in sorted(report.trials, key=lambda trial: trial.case)]
    finally:
        store.close()


def _one(report, trial, store):
    [score] = report.scores[trial.case].trials
    held = [_texts(store, sha256) for sha256 in (trial.store_written, trial.store_kept)]
    return Played(score, trial, *held, report.verdict.verdict, report.verdict.reasons)


def _texts(store, sha256):
    return None if sha256 is None else tuple(item.text for item in store.listing(sha256).items)
