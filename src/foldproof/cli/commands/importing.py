"""`foldproof import`: histories from logs, replay sets from benchmarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from foldproof.cases import BenchmarkName, Extra, ImportReport, import_benchmark, import_logs, shown
from foldproof.cli.personal import personal_options, redactor_of
from foldproof.cli.shared import show
from foldproof.core import ExitCode
from foldproof.logs import FORMATS
from foldproof.report import FilesDocument, import_document, render_files, render_import

_NAMED = 5


@click.group("import")
def import_() -> None:
    """Make histories from logs, or a replay set from a benchmark."""


def benchmark_options(command: Any) -> Any:  # noqa: ANN401  # a decorator of click commands
    """What the import of every benchmark takes."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document."),
        click.option("--force", is_flag=True, help="Write over a project that is there."),
        click.option("--limit", type=click.IntRange(1), help="Only the first questions."),
        click.option("--corrected", is_flag=True, help="Take the answers and sources that the list has instead."),
        click.option(
            "--errors",
            type=click.Path(path_type=Path),
            help="A list of wrong keys (JSON): its questions are disputed, asked, and never gate.",
        ),
        click.option(
            "--into",
            "target",
            type=click.Path(path_type=Path),
            required=True,
            help="The folder of the project to write.",
        ),
        click.argument("source", type=click.Path(path_type=Path)),
    ):
        command = option(command)
    return command


@import_.command()
@benchmark_options
def longmemeval(source: Path, target: Path, *, as_json: bool, **options: Any) -> ExitCode:  # noqa: ANN401  # checked there
    """LongMemEval: its JSON file, or a folder with questions.jsonl and sessions.jsonl."""
    return _benchmark("longmemeval", source, target, as_json=as_json, **options)


@import_.command()
@benchmark_options
def locomo(source: Path, target: Path, *, as_json: bool, **options: Any) -> ExitCode:  # noqa: ANN401  # checked there
    """LoCoMo: its JSON file. Each conversation becomes a history, the speaker `speaker_a` its user."""
    return _benchmark("locomo", source, target, as_json=as_json, **options)


def _benchmark(
    name: BenchmarkName,
    source: Path,
    target: Path,
    *,
    as_json: bool,
    **options: Any,  # noqa: ANN401  # the options of `import_benchmark`, checked there
) -> ExitCode:
    report = import_benchmark(name, source, folder=target, **options)
    document = FilesDocument(
        command=f"import {name}",
        written=[str(report.project), str(report.replay_set)],
        notes=[
            f"{report.cases} cases; histories: {report.histories}; sha256 of the data: {report.sha256[:12]}",
            *report.notes,
            *_doubts(report),
            *(str(problem).replace("\n  ", "; ") for problem in report.problems),
        ],
        next=[f"cd {target}", "foldproof run production", "foldproof baseline accept", "foldproof check window"],
    )
    show(document, render_files, as_json=as_json)
    return ExitCode.PASS


def _doubts(report: ImportReport) -> Iterator[str]:
    """What a person should look at: all of a few, of many how many and the first."""
    yield from _some("unlikely to be found as text, look at it", report.review)
    kinds = Counter(line.partition(": ")[2] for line in report.disputed)
    if len(report.disputed) > _NAMED:
        yield "disputed keys by kind: " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    else:
        yield from (f"its key is disputed: {line}" for line in report.disputed)


def _some(what: str, names: Sequence[str]) -> Iterator[str]:
    if len(names) > _NAMED:
        yield f"{what}: {', '.join(names[:_NAMED])} and {len(names) - _NAMED} more cases"
    else:
        yield from (f"{what}: {name}" for name in names)


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
