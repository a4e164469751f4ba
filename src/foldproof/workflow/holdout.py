"""The holdout: sealed once, opened at release in memory only, each opening in a log that is only added to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from foldproof.agents.memories.scratch import OFF_DISK
from foldproof.cases import (
    GitError,
    HoldoutError,
    HoldoutKey,
    HoldoutSettings,
    LogEntry,
    Project,
    ReplaySet,
    append_entry,
    cases_in_holdout,
    file_hash,
    log_problems,
    open_sealed,
    openings,
    project_environment,
    read_log,
    repository_of,
    seal_set,
    sealed_header,
    shown,
)
from foldproof.cases.writing import write_atomically
from foldproof.core import FileError, Redactor, UsageError
from foldproof.record.store import Store
from foldproof.workflow.run_reports import RunReport
from foldproof.workflow.running import Options, open_configuration, run_config
from foldproof.workflow.workspace import Workspace

_SHALLOW = "this clone is shallow: older versions of the log were not looked at; run: git fetch --unshallow"


@dataclass(frozen=True, slots=True)
class HoldoutReport:
    """A run of the holdout: its set, what it came to, and which opening of the set it was.

    `notes` say what could not be seen of its log.
    """

    replay_set: ReplaySet
    run: RunReport
    entry: LogEntry
    opening: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HoldoutLog:
    """A log with everything that is wrong with it."""

    entries: tuple[LogEntry, ...]
    problems: tuple[str, ...]
    openings: int


def seal_holdout(path: Path, holdout: HoldoutSettings, *, key: HoldoutKey, force: bool = False) -> ReplaySet:
    """Seal a set into a file, and say so in its log.

    Raises:
        UsageError: for a file that is there already, unless `force` is given, or that cannot be written.
        FileError: with everything that is wrong with the set or the log.
    """
    if holdout.file.exists() and not force:
        raise UsageError(f"{shown(holdout.file)} is there already\n  write over it with --force: the log tells of both")
    read_log(holdout.log)
    who, commit = _signed(holdout.file.absolute().parent)
    raw, replay_set = seal_set(path, key)
    write_atomically(holdout.file, raw)
    details = {"file": file_hash(holdout.file), "set": replay_set.sha256, "cases": len(replay_set.cases)}
    append_entry(holdout.log, "sealed", who=who, commit=commit, details=details)
    return replay_set


def _signed(folder: Path) -> tuple[str, str]:
    """Who works here and on which commit; empty where git does not say, since sealing reads nothing of the sealed."""
    who = commit = ""
    with suppress(GitError):
        repository = repository_of(folder)
        who = repository.user()
        commit = repository.commit()
    return who, commit


async def run_holdout(
    project: Project, holdout: HoldoutSettings, *, key: HoldoutKey, config: str, options: Options, shows: bool = False
) -> HoldoutReport:
    """Open the holdout and run a configuration on it.

    Its questions, answers and histories are kept in memory alone. The opening stands in the log before the first
    question is asked, so that one that is interrupted counts as well. `shows` says that questions and answers will be
    shown.

    Raises:
        GitError: outside of a repository, without a commit, and where git does not know who works here.
        HoldoutError: for a wrong key, a file or a log that is not as it was left.
        FileError: where the chain of the log is broken.
    """
    repository = repository_of(project.root)
    who, commit = repository.user(), repository.commit()
    opened = open_sealed(holdout.file, key)  # says of a damaged file what is wrong with it; nothing is asked yet
    for problem in log_problems(holdout.log, holdout.file, repository=repository):
        raise HoldoutError(f"{problem}\n  take both from git, as they were committed last")
    environ = project_environment(project)
    token = OFF_DISK.set(True)  # a context variable is set by position
    try:
        with Store.in_memory(Redactor(environ)) as store:
            workspace = Workspace(project, opened.replay_set, store, environ, opened.read)
            async with open_configuration(workspace, config, yes=options.yes) as found:
                details = {"config": config, "config_sha256": found.configuration.sha256}
            signed = {"who": who, "commit": commit}
            known = {**details, "set": opened.replay_set.sha256, "file": file_hash(holdout.file)}
            clean = repository.clean(holdout.log)
            entry = append_entry(holdout.log, "opened", **signed, details={**known, "clean": clean, "shown": shows})
            report = await run_config(workspace, config, options)
    finally:
        OFF_DISK.reset(token)
    judged = {**details, "opening": entry.number, "verdict": report.verdict.verdict, "classes": counts_of(report)}
    append_entry(holdout.log, "judged", **signed, details=judged)
    notes = (_SHALLOW,) if repository.shallow else ()
    return HoldoutReport(opened.replay_set, report, entry, openings(read_log(holdout.log)), notes)


def counts_of(report: RunReport) -> dict[str, dict[str, int]]:
    """How many cases of each class came out how; nothing else of a run of the holdout is told or kept."""
    counts: dict[str, dict[str, int]] = {}
    for score in report.scores.values():
        of_class = counts.setdefault(score.case_class, {})
        of_class[score.outcome] = of_class.get(score.outcome, 0) + 1
    return counts


def check_holdout_log(holdout: HoldoutSettings) -> HoldoutLog:
    """A log, held against itself, the sealed file and the versions that git has of it."""
    folder = holdout.log.absolute().parent
    unseen: list[str] = []
    if not holdout.file.exists():
        unseen.append(f"{shown(holdout.file)} is not there: whether the log is its log cannot be seen")
    try:
        entries = read_log(holdout.log)
        problems = log_problems(holdout.log, holdout.file)
    except FileError as error:
        return HoldoutLog((), tuple(str(problem) for problem in error.problems), 0)
    try:
        repository = repository_of(folder)
        repository.commit()
        problems = log_problems(holdout.log, holdout.file, repository=repository)
        if repository.shallow:
            unseen.append(_SHALLOW)
    except GitError as error:
        unseen.append(f"the log cannot be held against git, so a missing end is not seen: {error}".partition("\n")[0])
    return HoldoutLog(entries, (*problems, *unseen), openings(entries))


def holdout_notes(project: Project, replay_set: ReplaySet) -> Iterator[str]:
    """What a check says of the holdout of its project, read without the key."""
    holdout = project.holdout
    if holdout is None:
        return
    try:
        header = sealed_header(holdout.file)
        if both := cases_in_holdout(replay_set.cases, header):
            yield f"of what the holdout asks, the set asks the same, so it is not unseen: {', '.join(both)}"
    except (FileError, HoldoutError) as error:
        yield f"the holdout cannot be compared with the set: {str(error).partition(chr(10))[0]}"
    log = check_holdout_log(holdout)
    yield from (f"the log of the holdout: {problem.partition(chr(10))[0]}" for problem in log.problems)
    if holdout.most_openings is not None and log.openings > holdout.most_openings:
        yield (
            f"the holdout was opened {log.openings} times, more than the {holdout.most_openings} that foldproof.yaml"
            " states: what is looked at often is no longer unseen, seal a new set"
        )
