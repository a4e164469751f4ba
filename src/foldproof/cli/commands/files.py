"""The commands on files and texts: lint, match, import."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from foldproof.cases import (
    Extra,
    ReplaySet,
    import_logs,
    import_longmemeval,
    lint_set,
    lint_since,
    load_set,
    lost_sources,
    shown,
    without_doubles,
)
from foldproof.cli.personal import personal_options, redactor_of
from foldproof.cli.shared import project_options, show
from foldproof.core import (
    ExitCode,
    FileError,
    Problem,
    UsageError,
)
from foldproof.logs import FORMATS
from foldproof.matching import Fact, FactKind, check_fact, match_fact
from foldproof.report import (
    FilesDocument,
    MatchDocument,
    import_document,
    lint_document,
    render_files,
    render_import,
    render_lint,
    render_match,
)
from foldproof.workflow import locate_project

_KINDS = ("normalized", "exact", "pattern", "number", "date")


@click.command(short_help="Everything that is wrong with the replay set.")
@project_options
@click.option("--strict", is_flag=True, help="Exit 4 on warnings too.")
@click.option(
    "--since",
    metavar="REV",
    help="Also fail where facts and histories changed without each other since this commit, branch or tag of git.",
)
def lint(
    project_path: Path | None, set_path: Path | None, *, as_json: bool, strict: bool, since: str | None
) -> ExitCode:
    """Say everything that is wrong with the replay set, errors and warnings, each with its place.

    With --since it also reads git: a turn that said an expected fact and no longer does, a fact that changed while its
    memory did not, a source that is gone and a superseded fact that is still expected are errors.

    Exits 4 on errors, 0 otherwise; no agent is called and nothing is stored.
    """
    problems: tuple[Problem, ...]
    replay_set: ReplaySet | None = None
    try:
        path = set_path or locate_project(project_path or Path.cwd()).replay_set
        problems = ()
        try:
            replay_set = load_set(path)
        except FileError as error:
            problems = error.problems if since is None else lost_sources(error.problems, path, rev=since)
        if replay_set is not None:
            told = () if since is None else lint_since(replay_set, since)
            problems = without_doubles(lint_set(replay_set), told)
    except FileError as error:
        problems = error.problems
    show(lint_document(problems, replay_set), render_lint, as_json=as_json)
    bad = any(problem.severity == "error" or strict for problem in problems)
    return ExitCode.USAGE if bad else ExitCode.PASS


@click.command(short_help="Try one fact on a text.")
@click.argument("fact")
@click.argument("text", required=False)
@click.option("--kind", type=click.Choice(_KINDS), default="normalized", show_default=True, help="How it is matched.")
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")
def match(fact: str, text: str | None, kind: FactKind, *, as_json: bool) -> ExitCode:
    """Say whether FACT holds in TEXT (or standard input), where, and why not.

    Exits 0 where it holds, 1 where it does not.
    """
    wanted = Fact(kind, fact)
    if wrong := check_fact(wanted):
        raise UsageError(f"fact '{fact}' cannot be used: {wrong}")
    answer = sys.stdin.read() if text is None else text
    found = match_fact(wanted, answer)
    document = MatchDocument(
        fact=wanted.label,
        text=answer,
        outcome=found.outcome,
        spans=[(span.start, span.end) for span in found.spans],
        nearest=found.nearest.text if found.nearest else "",
        reason=found.reason,
    )
    show(document, render_match, as_json=as_json)
    return ExitCode.PASS if found.held else ExitCode.BLOCKED


@click.group("import")
def import_() -> None:
    """Make histories from logs, or a replay set from a benchmark."""


@import_.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--into", "target", type=click.Path(path_type=Path), required=True, help="The folder of the project to write."
)
@click.option("--limit", type=click.IntRange(1), help="Only the first questions.")
@click.option("--force", is_flag=True, help="Write over a project that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")
def longmemeval(source: Path, target: Path, limit: int | None, *, force: bool, as_json: bool) -> ExitCode:
    """LongMemEval: its JSON file, or a folder with questions.jsonl and sessions.jsonl."""
    report = import_longmemeval(source, target, limit=limit, force=force)
    doubtful = [f"unlikely to be found as text, look at it: {case}" for case in report.review]
    disputed = [f"the answer is doubted: {case}" for case in report.disputed]
    document = FilesDocument(
        command="import longmemeval",
        written=[str(report.project), str(report.replay_set)],
        notes=[
            f"{report.cases} cases; histories: {report.histories}; sha256 of the data: {report.sha256[:12]}",
            *report.notes,
            *doubtful,
            *disputed,
            *map(str, report.problems),
        ],
        next=[f"cd {target}", "foldproof run production", "foldproof baseline accept", "foldproof check window"],
    )
    show(document, render_files, as_json=as_json)
    return ExitCode.PASS


@import_.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "format_name", default="", metavar="NAME", help="The format; by default it is found out.")
@click.option(
    "--to", "target", type=click.Path(path_type=Path), help="The history to write (.jsonl), or a folder: one a user."
)
@click.option("--user", help="Only the sessions of this user.")
@click.option(
    "--with",
    "extras",
    multiple=True,
    type=click.Choice(("tools", "system", "interim")),
    help="Write these too: tool calls with results, system prompts, what the agent says between steps.",
)
@personal_options
@click.option("--force", is_flag=True, help="Write over a history that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")
def logs(
    files: tuple[Path, ...],
    *,
    format_name: str,
    target: Path | None,
    user: str | None,
    extras: tuple[Extra, ...],
    force: bool,
    as_json: bool,
    **personal: Any,  # noqa: ANN401  # the personal options, checked there
) -> ExitCode:
    """Logs of agents and chats: read FILES of one format, count what is in them, write the talk as a history.

    Secrets are taken out; personal data by choice. Two users never share a history. `foldproof import formats` lists
    the formats.
    """
    redactor, key_note = redactor_of(**personal)
    report = import_logs(
        files, target, format_name=format_name, user=user, extras=extras, force=force, redactor=redactor
    )
    written = [shown(path) for path in report.written]
    following = [f"name it in replay.yaml: histories: {{{path.stem}: {shown(path)}}}" for path in report.written[:1]]
    document = import_document(report, written=written, following=following, key_note=key_note)
    show(document, render_import, as_json=as_json)
    return ExitCode.PASS


@import_.command()
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")
def formats(*, as_json: bool) -> ExitCode:
    """The formats of logs that are known, and what each is known by."""
    known = [FORMATS.get(name) for name in FORMATS.names()]
    document = FilesDocument(
        command="import formats",
        written=[],
        notes=[f"{one.name}: {one.title}; known by {one.told_by}" for one in known],
        next=["foldproof import logs FILE --to histories/NAME.jsonl"],
    )
    show(document, render_files, as_json=as_json)
    return ExitCode.PASS
