"""The command that draws what survives rounds of compaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from foldproof.cases import shown
from foldproof.cli.shared import EXIT_CODES, check_places, progress, show, step_summary, write_file
from foldproof.cliff import SCHEDULES, Schedule
from foldproof.cliff.schedules import MOST_ROUNDS
from foldproof.core import ExitCode, UsageError, nearest_of
from foldproof.report import (
    CliffDocument,
    check_plot_place,
    cliff_document,
    markdown_cliff,
    plot_cliff,
    render_cliff,
)
from foldproof.workflow.cliff import CliffOptions, CliffReport, rescore_cliff, run_cliff

_OWN = (
    "label your own texts: foldproof label CORPUS --to labels.yaml",
    "draw them for your compactor: foldproof cliff SUBJECT --corpus CORPUS --labels labels.yaml",
)
_ASKING = ("out", "concurrency", "timeout_s", "max_cost_usd", "probe", "schedules", "ratios", "rounds", "orders")
"""The options that ask for new rounds."""


@click.command(short_help="What survives rounds of compaction, by class.")
@click.argument("subjects", nargs=-1)
@click.option("--corpus", type=click.Path(path_type=Path), help="Your texts: a folder, one text, or JSON lines.")
@click.option("--labels", type=click.Path(path_type=Path), help="Their labels, as `foldproof label` writes them.")
@click.option("--talk", type=click.Path(path_type=Path), help="What is said between rounds; by default shipped talk.")
@click.option("--schedule", "schedules", default=",".join(SCHEDULES), show_default=True, metavar="NAMES",
              help="How rounds follow each other.")  # fmt: skip
@click.option("--ratio", "ratios", default="50,25,10", show_default=True, metavar="PER CENT",
              help="Shares of the tokens that are granted; tables by round are of the first.")  # fmt: skip
@click.option("--rounds", type=click.IntRange(1, MOST_ROUNDS), default=5, show_default=True, help="How many.")
@click.option("--require", multiple=True, metavar="CLASS=N@ROUND",
              help="Block unless so many lines survive: `safety=all@1`, `safety=18/20@3`.")  # fmt: skip
@click.option("--class", "line_class", default="", metavar="NAME", help="The class that tables by round are of.")
@click.option("--probe", default="", metavar="CONFIG|MODEL", help="Ask this model, by forced choice, what it would do.")
@click.option("--orders", type=click.IntRange(1, 10), default=1, show_default=True,
              help="Orders of the choices that each probe is asked in.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), help="Keep the records here, and go on with what is kept.")
@click.option("--from", "from_", type=click.Path(path_type=Path), help="Score the records of a folder again.")
@click.option("-j", "--concurrency", type=click.IntRange(1, 1000), help="Compactions in flight.")
@click.option("--timeout", "timeout_s", type=click.FloatRange(0, min_open=True), help="Seconds for one compaction.")
@click.option("--max-cost", "max_cost_usd", type=click.FloatRange(0), help="Stop at this cost (US dollars).")
@click.option("--plot", type=click.Path(path_type=Path), help="Also draw the curves: a .png or .svg file.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Also write Markdown.")
@click.option("--details", is_flag=True, help="Every ratio by round, with intervals, and every remark.")
@click.option("--project", type=click.Path(path_type=Path), help="The project whose compactors have names.")
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")
def cliff(
    subjects: tuple[str, ...],
    *,
    from_: Path | None,
    plot: Path | None,
    markdown: Path | None,
    details: bool,
    as_json: bool,
    **named: Any,  # noqa: ANN401  # the fields of CliffOptions, checked in `_options`
) -> ExitCode:
    """Compact texts round after round, and count which labelled lines are still there.

    SUBJECTS are compactors: `head`, `triage` and the other reference strategies, `python:module:function`,
    `command:…`, `http://…`, `config:NAME`, or a name under `compactors:` in foldproof.yaml. Without any, all reference
    strategies are compared. Without --corpus the shipped texts are taken, which need nothing from outside.
    """
    if named["require"] and not subjects and from_ is None:
        hint = "name the one that it is about: foldproof cliff SUBJECT --require …"
        raise UsageError(f"--require asks something of a compactor\n  {hint}")
    options = _options(subjects, named)
    check_places(markdown, plot)
    if plot is not None:
        check_plot_place(plot)
    if from_ is not None:
        _refuse_beside_from(subjects)
        report = rescore_cliff(from_, options)
    else:
        report = _carried_out(options, quiet=as_json)
    document = _document(report, [place for place in (plot, markdown) if place is not None])
    if plot is not None:
        plot_cliff(document, plot)
    if markdown is not None:
        write_file(markdown, markdown_cliff(document))
    step_summary(markdown_cliff(document))
    show(document, render_cliff, as_json=as_json, details=details)
    return ExitCode.PASS if document.verdict is None else EXIT_CODES[document.verdict]


def _carried_out(options: CliffOptions, *, quiet: bool) -> CliffReport:
    import contextlib
    import sys
    from dataclasses import replace

    import anyio

    # What a Python compactor prints must not end up inside the report.
    with progress(quiet=quiet) as listener, contextlib.redirect_stdout(sys.stderr):
        return anyio.run(run_cliff, replace(options, listener=listener))


def _document(report: CliffReport, written: Sequence[Path]) -> CliffDocument:
    options = report.options
    following: list[str] = []
    if options.corpus is None:
        following += _OWN
    if report.stopped and options.out is not None:
        following.append(f"the same command again goes on from {shown(options.out)}")
    return cliff_document(
        report.result,
        corpus=str(options.corpus) if options.corpus else "the shipped corpus",
        rounds=options.rounds,
        stopped=report.stopped,
        cost_usd=report.cost_usd,
        written=[shown(place) for place in written],
        following=following,
    )


def _options(subjects: tuple[str, ...], named: Mapping[str, Any]) -> CliffOptions:
    """What was asked for.

    Raises:
        UsageError: for schedules and ratios that are none.
    """
    values = {**named, "schedules": _schedules(named["schedules"]), "ratios": _ratios(named["ratios"])}
    return CliffOptions(subjects, **values)


def _schedules(text: str) -> tuple[Schedule, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in SCHEDULES:
            raise UsageError(f"--schedule: there is no schedule '{name}'\n  {nearest_of(name, SCHEDULES)}")
    if not names:
        raise UsageError(f"--schedule is empty\n  {nearest_of('', SCHEDULES)}")
    return tuple(name for name in SCHEDULES if name in names)


def _ratios(text: str) -> tuple[float, ...]:
    """Per cent as shares, in the order given."""
    found = []
    for part in text.split(","):
        try:
            share = float(part.strip().removesuffix("%")) / 100
        except ValueError:
            share = 0.0
        if not 0.001 <= share <= 0.99:
            raise UsageError(
                f"--ratio: '{part.strip()}' is no share that could be kept\n  write per cent, from 0.1 to 99: 50,25,10"
            )
        found.append(share)
    return tuple(dict.fromkeys(found))


def _refuse_beside_from(subjects: tuple[str, ...]) -> None:
    """Refuse what asks for new rounds where old ones are scored again.

    Raises:
        UsageError: naming the first.
    """
    ctx = click.get_current_context()
    given = [name for name in _ASKING if ctx.get_parameter_source(name) != click.core.ParameterSource.DEFAULT]
    if subjects:
        raise UsageError("--from scores what is kept; subjects cannot be chosen\n  leave them out")
    if given:
        flag = next(param.opts[-1] for param in ctx.command.params if param.name == given[0])
        raise UsageError(f"--from scores what is kept, and {flag} asks for new rounds\n  leave one of the two out")
