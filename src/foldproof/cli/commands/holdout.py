"""The commands on the holdout: make a key, seal a set, run it, verify the log of its openings."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from foldproof.cases import (
    HoldoutKey,
    HoldoutSettings,
    Project,
    key_is_open,
    make_key,
    project_environment,
    read_key,
    shown,
    usual_log,
)
from foldproof.cli.shared import EXIT_CODES, ask_agents, progress, show
from foldproof.core import ExitCode, FileError, UsageError
from foldproof.report import (
    FilesDocument,
    HoldoutDocument,
    HoldoutLogDocument,
    holdout_classes,
    holdout_entries,
    holdout_reasons,
    render_files,
    render_holdout,
    render_holdout_log,
    render_run,
    run_document,
    run_info,
)
from foldproof.report.explained import data_info
from foldproof.workflow import (
    HoldoutReport,
    Options,
    check_holdout_log,
    locate_project,
    run_holdout,
    seal_holdout,
)


def _key_option(command: Any) -> Any:  # noqa: ANN401  # a decorator of click commands
    """`--key-file`, in place of the environment variable."""
    return click.option(
        "--key-file",
        type=click.Path(path_type=Path),
        help="The file that holds the key; by default it is in FOLDPROOF_HOLDOUT_KEY.",
    )(command)


def _project_option(command: Any) -> Any:  # noqa: ANN401  # a decorator of click commands
    """`--project`."""
    return click.option(
        "--project",
        "project_path",
        type=click.Path(path_type=Path),
        help="The project's foldproof.yaml or its folder; by default it is looked for upwards from here.",
    )(command)


def _json_option(command: Any) -> Any:  # noqa: ANN401  # a decorator of click commands
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")(command)


@click.group(short_help="Seal a second set, and run it at release only.")
def holdout() -> None:
    """The second set, which nobody sees while the memory is worked on: sealed, run at release, each opening logged."""


@holdout.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write it to this file, which only you can read.")
@_json_option
def key(output: Path | None, *, as_json: bool) -> ExitCode:
    """Make a key: print it, or write it to a file that only you can read.

    Keep it where those who change the memory do not come: a secret of the release job, a password manager. Whoever
    has it can read the holdout; without it nobody can, nor can we.
    """
    made = make_key()
    if output is None and not as_json:
        click.echo(made.text)
        return ExitCode.PASS
    notes = [] if output else [made.text]
    if output:
        _write_key(output, made)
    document = FilesDocument(
        command="holdout key",
        written=[shown(output)] if output else [],
        notes=notes,
        next=["foldproof holdout seal SET -o FILE"],
    )
    show(document, render_files, as_json=as_json)
    return ExitCode.PASS


def _write_key(path: Path, made: HoldoutKey) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(
            f"{shown(path)} is there already\n  a key that is lost opens nothing: name another file"
        ) from None
    except OSError as error:
        raise UsageError(f"{shown(path)}: cannot be written: {error.strerror}") from error
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"{made.text}\n")


@holdout.command()
@click.argument("replay_set", metavar="SET", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The sealed file to write.")
@_key_option
@click.option("--force", is_flag=True, help="Write over a sealed file that is there.")
@_project_option
@_json_option
def seal(
    replay_set: Path,
    *,
    output: Path,
    key_file: Path | None,
    force: bool,
    project_path: Path | None,
    as_json: bool,
) -> ExitCode:
    """Encrypt SET with its histories into a file that can stand in git, and begin the log of its openings."""
    project = _project(project_path)
    place = _settings(project, output)
    sealed = seal_holdout(replay_set, place, key=read_key(_environ(project), key_file), force=force)
    document = FilesDocument(
        command="holdout seal",
        written=[shown(place.file), shown(place.log)],
        notes=[f"{len(sealed.cases)} cases are sealed", _still_open(replay_set), *_open_key(key_file)],
        next=[
            f"write `holdout: {{file: {shown(place.file)}}}` in foldproof.yaml, and commit both files",
            "foldproof holdout run CONFIG",
        ],
    )
    show(document, render_files, as_json=as_json)
    return ExitCode.PASS


def _open_key(file: Path | None) -> list[str]:
    if file is None or not key_is_open(file):
        return []
    return [f"others on this machine can read {shown(file)}: chmod 600 {shown(file)}"]


def _still_open(path: Path) -> str:
    return (
        f"whoever has {shown(path)} or its histories needs no key: take them out of the project, and out of git if they"
        " were ever in it"
    )


@holdout.command()
@click.argument("config")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@_key_option
@_project_option
@click.option("--repeat", "repeats", type=click.IntRange(1, 1000), help="Trials a case.")
@click.option("-j", "--jobs", "concurrency", type=click.IntRange(1, 1000), help="Questions in flight.")
@click.option("--max-cost", "max_cost_usd", type=click.FloatRange(0), help="Stop at this cost (US dollars).")
@click.option("--yes", is_flag=True, help="Agree to what would be asked.")
@click.option("--show", "shown_too", is_flag=True, help="Show questions and answers: the holdout is unseen no more.")
@_json_option
def run(
    config: str,
    file: Path | None,
    *,
    key_file: Path | None,
    project_path: Path | None,
    shown_too: bool,
    as_json: bool,
    **asked_for: Any,  # noqa: ANN401  # the fields of Options, checked there
) -> ExitCode:
    """Open the holdout in memory and run CONFIG on it; FILE where the project file names none.

    Counts by class and the verdict are told, and nothing of what it asks. Who opened it, when, on which commit and
    with what verdict goes into a log, which is to be committed. Exits 0, 1 or 7 as `foldproof run` does.
    """
    project = _project(project_path)
    if project is None:
        raise UsageError("a holdout is run on a configuration of a project file\n  write one with: foldproof init")
    place = _settings(project, file)
    secret = read_key(_environ(project), key_file)
    key_notes = _open_key(key_file)
    with progress(quiet=as_json) as listener:
        options = replace(Options(**asked_for), listener=listener)

        async def work(_: Any, name: str, asked: Options) -> HoldoutReport:  # noqa: ANN401  # as ask_agents calls it
            return await run_holdout(project, place, key=secret, config=name, options=asked, shows=shown_too)

        report = ask_agents(work, None, config, options)
    document = _document(report, place, config, shown_too=shown_too)
    document.notes += [*report.notes, *key_notes]
    show(document, render_holdout, as_json=as_json)
    if shown_too and not as_json:
        show(_run_document(report), render_run, as_json=False, details=True)
    return EXIT_CODES[document.verdict]


def _document(report: HoldoutReport, place: HoldoutSettings, config: str, *, shown_too: bool) -> HoldoutDocument:
    verdict = report.run.verdict
    apart = report.replay_set.ungated
    counted = {name: score for name, score in report.run.scores.items() if name not in apart}
    classes = holdout_classes(counted, verdict)
    errors = Counter(str(trial.error.kind) for trial in report.run.trials if trial.error)
    over = place.most_openings is not None and report.opening > place.most_openings
    return HoldoutDocument(
        verdict=verdict.verdict,
        reasons=holdout_reasons(verdict, classes),
        config=config,
        set_sha256=report.replay_set.sha256,
        classes=classes,
        errors=dict(errors),
        opening=report.opening,
        most_openings=place.most_openings,
        log=shown(place.log),
        notes=[
            *(["it was opened more often than foldproof.yaml states: seal a new set"] if over else []),
            *([f"cases that are drafts or disputed, which are in no count: {len(apart)}"] if apart else []),
        ],
        data=data_info(report.replay_set.data),
        shown=_run_document(report).model_dump(mode="json", by_alias=True) if shown_too else None,
    )


def _run_document(report: HoldoutReport) -> Any:  # noqa: ANN401  # a document of report
    run = report.run
    info = run_info(run.run, asked=run.asked, reused=run.reused, cost_usd=run.cost_usd)
    notes = (*run.run.notes, *run.notes)
    return run_document(
        info, run.scores, replay_set=report.replay_set, verdict=run.verdict, trials=run.trials, notes=notes
    )


@holdout.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@_project_option
@_json_option
def log(file: Path | None, *, project_path: Path | None, as_json: bool) -> ExitCode:
    """Verify the log of the openings of FILE: that no line was removed, changed or moved. Exits 4 where one was.

    Each line carries the hash of the one before it, and every version that git has must begin the next one.
    """
    place = _settings(_project(project_path), file)
    found = check_holdout_log(place)
    document = HoldoutLogDocument(
        ok=not found.problems,
        log=shown(place.log),
        problems=list(found.problems),
        entries=holdout_entries(found.entries),
        openings=found.openings,
        most_openings=place.most_openings,
    )
    show(document, render_holdout_log, as_json=as_json)
    return ExitCode.PASS if document.ok else ExitCode.USAGE


def _project(project_path: Path | None) -> Project | None:
    """The project of this folder, None where there is none and none was named."""
    try:
        return locate_project(project_path or Path.cwd())
    except FileError:
        raise
    except UsageError:
        if project_path is not None:
            raise
        return None


def _environ(project: Project | None) -> Any:  # noqa: ANN401  # a mapping of texts
    return project_environment(project) if project else os.environ


def _settings(project: Project | None, file: Path | None) -> HoldoutSettings:
    """Where the sealed file and its log stand: the project's own, or those of the file that was named.

    Raises:
        UsageError: where neither names a file.
    """
    known = project.holdout if project else None
    if file is None and known is None:
        raise UsageError("no holdout is named\n  name the sealed file, or write `holdout: {file: …}` in foldproof.yaml")
    if file is None or (known is not None and file.absolute() == known.file):
        assert known is not None  # noqa: S101  # one of both is there
        return known
    return HoldoutSettings(file, usual_log(file), known.most_openings if known else None)
