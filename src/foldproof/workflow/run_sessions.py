"""The sessions that a run recorded, as those of a log: each with the verdict of its case as its outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from foldproof.core import UsageError
from foldproof.logs import ImportedSession, Outcome
from foldproof.workflow.cutting import session_of_run
from foldproof.workflow.reading import explain_case
from foldproof.workflow.workspace import Workspace

VERDICT = "verdict"
"""The outcome of a recorded session: what came of its case, `pass`, `fail` or `error`."""


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """One session of a run, with its case and its number in it, 0 where the case is one question."""

    session: ImportedSession
    case: str
    number: int = 0


def sessions_of_run(workspace: Workspace, run_name: str) -> Iterator[RecordedSession]:
    """Every session of a run, in the order of the set, of the first repetition of each case.

    One of which nothing can be shown (the trial failed, the agent does not show its calls) comes without entries: it
    stays in the count. Cases that are no longer in the set are left out.

    Raises:
        UsageError: for a run that the store does not have.
    """
    run = workspace.store.run(run_name)
    asked = {trial.case for trial in workspace.store.trials(run)}
    for case in workspace.replay_set.cases:
        if case.id not in asked:
            continue
        outcome = Outcome(VERDICT, explain_case(workspace, run.name, case.id).trials[0].score.outcome)
        for number in range(1, len(case.sessions) + 1) if case.sessions else (0,):
            try:
                found = session_of_run(workspace, run.name, case_id=case.id, session=str(number or "")).session
            except UsageError:
                found = ImportedSession(f"{run.name}-{case.id}" + (f"-s{number}" if number else ""))
            yield RecordedSession(replace(found, outcomes=(outcome,)), case.id, number)
