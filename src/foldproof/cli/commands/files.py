"""The commands on files and texts: lint, match."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from foldproof.cases import (
    ReplaySet,
    lint_set,
    lint_since,
    load_set,
    lost_sources,
    without_doubles,
)
from foldproof.cli.shared import project_options, show
from foldproof.core import (
    ExitCode,
    FileError,
    Problem,
    UsageError,
)
from foldproof.matching import Fact, FactKind, check_fact, match_fact
from foldproof.report import (
    MatchDocument,
    lint_document,
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
