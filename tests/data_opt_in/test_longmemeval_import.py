"""The 16 questions of LongMemEval-S that lie beside the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from foldproof.cases import import_benchmark, lint_set, load_project, load_set

DATA = Path(__file__).parents[3] / "shared" / "data" / "longmemeval_s_16q"

pytestmark = [pytest.mark.data, pytest.mark.skipif(not DATA.is_dir(), reason=f"needs {DATA}, which is not here")]


def test_the_sixteen_questions_become_a_project(tmp_path):
    report = import_benchmark("longmemeval", DATA, folder=tmp_path / "project")
    found = load_set(report.replay_set)
    assert (report.cases, report.histories, report.problems) == (16, 1, ())
    history = found.histories["all"]
    assert (len(history.sessions), sum(len(session.turns) for session in history.sessions)) == (82, 612)
    assert [session.at for session in history.sessions] == sorted(session.at for session in history.sessions)
    assert report.review == ("gpt4_59c863d7", "gpt4_f49edff3")
    assert [fact.label for fact in found.case("6a1eabeb").expected] == ["any: 25 minutes and 50 seconds | 25:50"]
    assert [fact.label for fact in found.case("gpt4_59149c77").expected] == ["any: 7 days | 8 days"]
    assert sum(bool(case.source) for case in found.cases) == 15
    assert {problem.rule for problem in lint_set(found)} >= {"no-gate", "unstated"}
    assert list(load_project(report.project).configs) == ["production", "window"]
