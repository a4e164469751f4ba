"""The command that holds what users asked against what the set asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from foldproof.cases import load_set, shown
from foldproof.cases.coverage import cover_traffic
from foldproof.cli.personal import personal_options, redactor_of
from foldproof.cli.shared import project_options, show
from foldproof.core import ExitCode
from foldproof.logs.traffic import read_traffic
from foldproof.report import CoverageSet, coverage_document, render_coverage
from foldproof.workflow import locate_project


@click.command(short_help="How much of what users ask the set asks, and what is new.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@project_options
@click.option("--since", default="", metavar="AGE|DAY", help="`21d`, `3w` before the log's newest question, or a day.")
@click.option("--format", "format_name", default="", metavar="NAME", help="The format; by default it is found out.")
@click.option("--jobs", type=click.IntRange(1, 64), default=None, help="Processes; by default one a core.")
@click.option("--details", is_flag=True, help="Show every topic and case.")
@personal_options
def coverage(
    logs: tuple[Path, ...],
    project_path: Path | None,
    set_path: Path | None,
    *,
    as_json: bool,
    details: bool,
    jobs: int | None,
    **named: Any,  # noqa: ANN401  # the arguments of read_traffic and the personal options, checked there
) -> ExitCode:
    """Read LOGS of one format and say how much of what users asked the cases of the set ask too.

    A case covers a question that shares enough of its words with it; rare words weigh most, numbers play no part. The
    same question in other words is not seen. With --since, what was asked earlier tells which topics are new. It
    informs: it exits 0 whatever the share, and 5 where nothing was asked.
    """
    replay_set = load_set(set_path or locate_project(project_path or Path.cwd()).replay_set)
    redactor, key_note = redactor_of(**{name: named.pop(name) for name in ("kinds", "names", "region", "key")})
    traffic = read_traffic(logs, **named, redactor=redactor, jobs=jobs or 0)
    held = cover_traffic(traffic, replay_set.cases)
    kept = f"personal data is replaced by pseudonyms; {key_note}" if redactor else _PERSONAL
    document = coverage_document(
        held,
        traffic,
        replay_set=CoverageSet(
            name=replay_set.name,
            path=shown(Path(replay_set.path)),
            sha256=replay_set.sha256,
            cases=len(replay_set.cases),
        ),
        notes=[kept],
        following=["foldproof mine … --to candidates.yaml drafts cases of what was asked"],
    )
    show(document, render_coverage, as_json=as_json, details=details)
    return ExitCode.PASS


_PERSONAL = "personal data is left as it is; secrets are replaced by [redacted]"
