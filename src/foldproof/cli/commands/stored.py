"""The commands that read what was stored: explain, rescore, export. No agent is called."""

from __future__ import annotations

from pathlib import Path

import click

from foldproof.cli.commands.asking import run_report_document
from foldproof.cli.shared import EXIT_CODES, project_options, show, workspace, write_file
from foldproof.core import ExitCode
from foldproof.report import (
    FilesDocument,
    explain_document,
    json_text,
    junit_run,
    markdown_explain,
    markdown_run,
    render_explain,
    render_files,
    render_run,
    run_info,
)
from foldproof.workflow import explain_case, rescore_run

_FORMATS = {"json": json_text, "junit": junit_run, "md": markdown_run}


@click.command(short_help="What a run recorded of one case.")
@click.argument("run")
@click.argument("case")
@project_options
@click.option("--details", is_flag=True, help="Show long texts in full.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Also write Markdown.")
def explain(
    run: str,
    case: str,
    project_path: Path | None,
    set_path: Path | None,
    *,
    as_json: bool,
    details: bool,
    markdown: Path | None,
) -> ExitCode:
    """Show what RUN recorded of CASE: the answer with its hits marked, what the memory held and returned, the prompt.

    RUN is a number, `latest`, or a configuration (its newest run).
    """
    with workspace(project_path, set_path) as opened:
        explained = explain_case(opened, run, case)
        document = explain_document(
            run_info(explained.run),
            explained.case,
            explained.trials,
            records=explained.records,
            note=explained.note,
        )
    show(document, render_explain, as_json=as_json, details=details)
    if markdown is not None:
        write_file(markdown, markdown_explain(document))
    return ExitCode.PASS


@click.command(short_help="Score stored answers again; no agent is called.")
@click.argument("run")
@project_options
def rescore(run: str, project_path: Path | None, set_path: Path | None, *, as_json: bool) -> ExitCode:
    """Score the stored answers of RUN with the facts as they stand now."""
    with workspace(project_path, set_path) as opened:
        report, note = rescore_run(opened, run)
        document = run_report_document(opened, report, (note,) if note else ())
    show(document, render_run, as_json=as_json)
    return EXIT_CODES[document.verdict]


@click.command(short_help="Write a run as json, junit or md.")
@click.argument("format_", metavar="FORMAT", type=click.Choice(list(_FORMATS)))
@click.argument("run", default="latest")
@project_options
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file to write; standard output by default.")
def export(
    format_: str, run: str, project_path: Path | None, set_path: Path | None, *, as_json: bool, output: Path | None
) -> ExitCode:
    """Write RUN (the latest by default) as FORMAT, scored with the facts as they stand now."""
    with workspace(project_path, set_path) as opened:
        report, note = rescore_run(opened, run)
        text = _FORMATS[format_](run_report_document(opened, report, (note,) if note else ()))
    if output is None:
        click.echo(text.rstrip("\n"))
    else:
        write_file(output, text)
        show(FilesDocument(command="export", written=[str(output)]), render_files, as_json=as_json)
    return ExitCode.PASS
