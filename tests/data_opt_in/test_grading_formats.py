"""Every format that is imported can be graded: its real samples go through the locator and the transcript."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from foldproof.core import UsageError
from foldproof.logs import FORMATS, read_logs
from foldproof.score.grades import Ruling, grade_session
from foldproof.score.steps import agent_steps, steps_of
from foldproof.score.transcripts import beginning, transcript

DATA = Path(__file__).parents[3] / "shared" / "data" / "formats"

pytestmark = [pytest.mark.data, pytest.mark.skipif(not DATA.is_dir(), reason=f"needs {DATA}, which is not here")]


def test_the_sessions_of_every_format_are_graded():
    found = Counter()
    for path in sorted(path for path in DATA.rglob("*") if path.is_file()):
        try:
            reading = read_logs([path])
        except UsageError:
            continue  # schemas, tables and databases beside the logs
        for session in reading.sessions:
            steps = steps_of(session)
            grade = grade_session(session.id, steps, ruling=Ruling("not met"))
            assert bool(grade.failure) == bool(agent_steps(steps))
            for length in range(len(agent_steps(steps)) + 1):
                text, _ = transcript(beginning(steps, length))
                assert (text == "") == (not beginning(steps, length))
            found[reading.format.name] += bool(agent_steps(steps))
    without = {"questions", "named-agents"}  # the one has samples of questions alone, the other lies elsewhere
    assert {name for name, count in found.items() if count} >= set(FORMATS.names()) - without
