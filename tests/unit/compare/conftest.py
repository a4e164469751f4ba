"""Scores made by hand."""

import pytest

from foldproof.cases import Case, ReplaySet, Requirement
from foldproof.score import CaseScore, FactScore, TrialScore

OUTCOMES = {"P": "pass", "F": "fail", "E": "error"}
FACTS = {"P": "held", "F": "missed", "E": "error"}


@pytest.fixture
def score():
    """A case whose trials passed (P), failed (F) or could not be judged (E)."""

    def making(case_id, letters, case_class="semantic", facts=("fact",)):
        def trial(repeat, letter):
            reason, error = {"P": ("", ""), "F": ("why", ""), "E": ("", "agent: broke")}[letter]
            told = tuple(FactScore(fact, "expected", FACTS[letter], reason=reason) for fact in facts)
            return TrialScore(repeat, OUTCOMES[letter], told, error)

        trials = tuple(trial(repeat, letter) for repeat, letter in enumerate(letters))
        return CaseScore(case_id, case_class, trials)

    return making


@pytest.fixture
def scores(score):
    """Cases by their id: `scores(a="P", b=("FE", "safety"))`."""

    def making(**cases):
        return {i: score(i, *((told,) if isinstance(told, str) else told)) for i, told in cases.items()}

    return making


@pytest.fixture
def replay_set():
    """A set of cases by class, with the gate `all` of every class or the one given."""

    def making(classes, gate=None, waivers=()):
        cases = tuple(Case(case_id, "?", name) for case_id, name in classes.items())
        asked = gate or dict.fromkeys(classes.values(), Requirement())
        return ReplaySet("set", "replay.yaml", cases, asked, "5e" * 32, waivers=waivers)

    return making
