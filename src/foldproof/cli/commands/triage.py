"""The command that sorts cases by asking with and without the memory."""

from __future__ import annotations

import os
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from foldproof.cases import ReplaySet, shown
from foldproof.cli.commands.asking import cassette_option
from foldproof.cli.shared import (
    EXIT_CODES,
    ask_agents,
    check_places,
    progress,
    project_options,
    set_flag,
    show,
    workspace,
)
from foldproof.core import ExitCode, UsageError
from foldproof.report import AskedBy, TriageDocument, gate_texts, render_triage, run_info, triage_document
from foldproof.workflow import Options, TriageReport, check_chosen, triage_cases, with_choice, write_chosen

_RANGE = re.compile(r"([1-9]\d{0,3})(?:\s*-\s*([1-9]\d{0,3}))?")
_FEW = (10, 30)


def _choice(_context: click.Context, _option: click.Parameter, value: str) -> tuple[int, int]:
    match = _RANGE.fullmatch(value.strip())
    least, most = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if least > most:
        raise click.BadParameter(f"'{value}' is no number of cases: write how many, as 20, or a range, as 10-30")
    return least, most


@click.command(short_help="Sort cases by asking with the memory and without it.")
@click.argument("config")
@project_options
@click.option("--repeats", "--repeat", "repeats", type=click.IntRange(1, 1000), default=3, show_default=True,
              help="Trials a case with the memory.")  # fmt: skip
@click.option("--choose", default="{}-{}".format(*_FEW), show_default=True, metavar="N|MIN-MAX", callback=_choice,
              help="How many cases to choose at most; fewer than MIN are told.")  # fmt: skip
@click.option("--to", "place", type=click.Path(path_type=Path), help="The set to write (.yaml), its backlog beside it.")
@click.option("--confirm", is_flag=True, help="Say that what the chosen cases expect is right: no drafts any more.")
@click.option("--only", multiple=True, metavar="CLASS|ID", help="Sort only these; may be repeated.")
@click.option("-j", "--jobs", "concurrency", type=click.IntRange(1, 1000), help="Questions in flight.")
@click.option("--max-cost", "max_cost_usd", type=click.FloatRange(0), help="Stop at this cost (US dollars).")
@click.option("--fresh", is_flag=True, help="Ask with the memory anew, also where answers of today are in the store.")
@click.option("--yes", is_flag=True, help="Agree to what would be asked.")
@cassette_option
@click.option("--details", is_flag=True, help="Show every case, and what the chosen ones expect.")
def triage(
    config: str,
    project_path: Path | None,
    set_path: Path | None,
    *,
    as_json: bool,
    choose: tuple[int, int],
    place: Path | None,
    confirm: bool,
    **asked_for: Any,  # noqa: ANN401  # the fields of Options, checked there, and `details`
) -> ExitCode:
    """Sort the cases of a set by how CONFIG does on them, and choose a few that only its memory can answer.

    Each case is asked with the memory cut off; those that fail so with the memory; those that fail even then with their
    facts told. Exits 0 where every case was judged and something can be chosen, 7 where that is not so.
    """
    details = asked_for.pop("details")
    if confirm and place is None:
        raise UsageError("--confirm says what the cases that are written are worth\n  name the set with --to FILE")
    check_places(place)
    if place is not None:
        check_chosen(place, confirmed=confirm, environ=os.environ)
    with workspace(project_path, set_path) as opened:
        with progress(quiet=as_json) as listener:
            report = ask_agents(triage_cases, opened, config, Options(**asked_for, listener=listener))
        report = with_choice(report, choose[1])
        document = _document(opened.replay_set, report, least=choose[0])
        document.notes = [*_left_undone(report, place, confirm=confirm), *document.notes]
        if place is not None and report.chosen:
            today = datetime.now(UTC).date() if confirm else None
            written = write_chosen(opened, report, to=place, confirmed=today, environ=os.environ)
            document.written, document.gate = [shown(path) for path in written.files], gate_texts(written.gate)
        own = opened.project.replay_set
        wanted = "" if choose == _FEW else f"--choose {'-'.join(map(str, dict.fromkeys(choose)))}"
        document.next = _next(document, place=place, confirm=confirm, flags=(set_flag(set_path), wanted), own=own)
    show(document, render_triage, as_json=as_json, details=details)
    return EXIT_CODES[document.verdict]


def _document(replay_set: ReplaySet, report: TriageReport, *, least: int) -> TriageDocument:
    few = f"only {len(report.chosen)} of the {least} that were asked for could be chosen"
    return triage_document(
        replay_set,
        report.triaged,
        config=report.config,
        chosen=report.chosen,
        asked_by={name: AskedBy(one.user, one.topic, one.asked) for name, one in report.origins.items()},
        runs=[run_info(one.run, asked=one.asked, reused=one.reused, cost_usd=one.cost_usd) for one in report.runs],
        stopped=[one.stopped for one in report.runs if one.stopped],
        notes=[*([few] if len(report.chosen) < least else []), *report.notes],
    )


def _left_undone(report: TriageReport, place: Path | None, *, confirm: bool) -> list[str]:
    """What a person who wanted a set would miss in it: the whole of it, or cases that they had looked at."""
    if place is not None and not report.chosen:
        return ["nothing was written: no case could be chosen"]
    if confirm and report.left_out:
        most = len(report.chosen) + report.left_out
        return [f"{report.left_out} more could be confirmed, and were left out: --choose {most} takes them"]
    return []


def _next(
    document: TriageDocument, *, place: Path | None, confirm: bool, flags: tuple[str, str], own: Path
) -> list[str]:
    """What to do next. `flags` name the set and how many to choose.

    `own` is the set of the project, where a confirmed one goes that is not there yet.
    """
    command = f"foldproof triage {document.config}"
    if not document.chosen:
        return []
    if place is None:
        return [" ".join(filter(None, (command, *flags, "--to chosen.yaml writes the chosen cases as a set")))]
    if not confirm and any(case.draft and case.chosen for case in document.cases):
        free = own if not own.exists() else place.with_name(f"{place.stem}-confirmed.yaml")
        again = (command, set_flag(Path(shown(place))), flags[1], "--confirm --to", shlex.quote(shown(free)))
        return [f"look at each case in {shown(place)} and change what is wrong", " ".join(filter(None, again))]
    following = f"foldproof run {document.config}, then foldproof baseline accept"
    if place.resolve() == own.resolve():
        return [following]
    return [f"name the set in foldproof.yaml: `replay_set: {shown(place)}`", following]
