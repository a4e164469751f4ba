"""The baseline: accept a run, show what was accepted."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from foldproof.cases import shown
from foldproof.cli.commands.asking import controls_of
from foldproof.cli.shared import ask_agents, progress, project_options, show, workspace
from foldproof.compare import diff_scores, load_baseline
from foldproof.core import ExitCode, UsageError
from foldproof.report import baseline_document, render_baseline
from foldproof.workflow import Options, apply_acceptance, propose_baseline, verdicts_of


@click.group()
def baseline() -> None:
    """Accept a run as the baseline, or show what was accepted."""


@baseline.command()
@click.argument("run", default="")
@project_options
@click.option("--yes", is_flag=True, help="Replace an accepted baseline without asking.")
@click.option("--controls", is_flag=True, help="Also ask the oracle and the full context; they inform.")
@click.option("-j", "--jobs", "concurrency", type=click.IntRange(1, 1000), help="Questions in flight.")
def accept(
    run: str,
    project_path: Path | None,
    set_path: Path | None,
    *,
    as_json: bool,
    yes: bool,
    controls: bool,
    concurrency: int | None,
) -> ExitCode:
    """Accept RUN (the newest of the baseline configuration by default) as what is right.

    Shows what would change before it writes. Refused where `CI` is set. The unplugged control is run first
    where this set has none yet.
    """
    with workspace(project_path, set_path) as opened:
        with progress(quiet=as_json) as listener:
            options = Options(yes=yes, controls=controls, concurrency=concurrency, listener=listener)
            proposal = ask_agents(propose_baseline, opened, run, options)
        document = baseline_document(
            proposal.baseline,
            opened.replay_set,
            file=shown(opened.project.baseline_file),
            accepted=False,
            replaces=proposal.replaces,
            changes=proposal.changes,
            noise=proposal.noise,
            warnings=proposal.warnings,
        ).model_copy(update={"controls": controls_of(proposal.controls, proposal.run.config)})
        if not as_json:
            show(document, render_baseline, as_json=False)
        if proposal.replaces and not yes:
            if as_json or not sys.stdin.isatty():
                raise UsageError("this replaces an accepted baseline\n  look at the change, then say so with --yes")
            click.confirm("Accept?", abort=True, err=True)
        apply_acceptance(opened, proposal, environ=os.environ)
        accepted = document.model_copy(update={"accepted": True})
    if as_json:
        show(accepted, render_baseline, as_json=True)
    else:
        click.echo(f"accepted: {accepted.file}\n  commit it, so that the next reviewer sees what it holds")
    return ExitCode.PASS


@baseline.command("show")
@project_options
def show_(project_path: Path | None, set_path: Path | None, *, as_json: bool) -> ExitCode:
    """Show the accepted baseline, scored with the facts as they stand now."""
    with workspace(project_path, set_path) as opened:
        held = load_baseline(opened.project.baseline_file)
        scores = held.scores(opened.replay_set, verdicts_of(opened))
        document = baseline_document(
            held,
            opened.replay_set,
            file=shown(opened.project.baseline_file),
            accepted=True,
            changes=diff_scores(scores, scores, vacuous=held.vacuous),
            noise=tuple(score.id for score in scores.values() if score.outcome == "flaky"),
        )
    show(document, render_baseline, as_json=as_json)
    return ExitCode.PASS
