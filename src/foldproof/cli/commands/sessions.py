"""The commands on recorded and imported sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from foldproof.cases import add_to_set, cases_text, load_set, points_of, shown
from foldproof.cases import cut as cut_at
from foldproof.cli.commands.grading import grade
from foldproof.cli.personal import personal_options, redactor_of
from foldproof.cli.shared import project_options, show, workspace
from foldproof.core import ExitCode, UsageError
from foldproof.logs.imported import redacted
from foldproof.report import cut_document, points_document, render_cut
from foldproof.workflow import FoundSession, session_in_log, session_of_run

_PERSONAL = "personal data is left as it is: look at the turns before you share the set"


@click.group(short_help="What recorded sessions show: grade them, cut a case out of one.")
def sessions() -> None:
    """Work on recorded and imported sessions."""


sessions.add_command(grade)


@sessions.command()
@click.argument("log", nargs=-1, type=click.Path(path_type=Path))
@click.option("--turn", type=click.IntRange(1), help="The message of the user to grade; left out, they are listed.")
@click.option("--session", default="", metavar="ID", help="The session, where there are several; of a run its number.")
@click.option("--format", "format_name", default="", metavar="NAME", help="The format; by default it is found out.")
@click.option("--run", "run_name", default="", metavar="RUN", help="A run of this project in place of a log.")
@click.option("--case", "case_id", default="", metavar="ID", help="The case of that run.")
@click.option(
    "--to", "target", type=click.Path(path_type=Path), help="The set to add the case to; by default it is printed."
)
@personal_options
@project_options
def cut(
    log: tuple[Path, ...],
    *,
    turn: int | None,
    target: Path | None,
    as_json: bool,
    **named: Any,  # noqa: ANN401  # the fields of _Named and the personal options, checked there
) -> ExitCode:
    """Cut a case out of a session: freeze what stands before one message of the user, expect what the agent then did.

    The session is one of LOG, or one that a run recorded (--run and --case). The expectations are a draft: confirm
    them. What cannot be frozen is refused, with the reason and the nearest turns that can be.
    """
    personal = {name: named.pop(name) for name in ("kinds", "names", "region", "key")}
    found = _Named(**named, personal=personal).found(log)
    if turn is None:
        points = points_of(found.session)
        notes = (*found.notes, found.hint) if found.hint else found.notes
        document = points_document(points, session=found.session.id, source=found.source, notes=notes)
        show(document, render_cut, as_json=as_json)
        return ExitCode.PASS
    return _write(found, turn, target, as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Named:
    """Which session was named."""

    session: str
    format_name: str
    run_name: str
    case_id: str
    project_path: Path | None
    set_path: Path | None
    personal: Mapping[str, Any]

    def found(self, log: tuple[Path, ...]) -> FoundSession:
        if bool(log) == bool(self.run_name) or bool(self.run_name) != bool(self.case_id):
            hint = "name LOG files, or both --run RUN and --case ID"
            raise UsageError(f"a session is one of a log, or one of a run\n  {hint}")
        redactor, key_note = redactor_of(**self.personal)
        if log:
            found = session_in_log(log, self.session, format_name=self.format_name, redactor=redactor)
        else:
            with workspace(self.project_path, self.set_path) as opened:
                found = session_of_run(opened, self.run_name, case_id=self.case_id, session=self.session)
            found = replace(found, session=redacted(found.session, redactor)) if redactor else found
        kept = f"personal data is replaced by pseudonyms; {key_note}" if redactor else _PERSONAL
        return replace(found, notes=(*found.notes, kept))


def _write(found: FoundSession, turn: int, target: Path | None, *, as_json: bool) -> ExitCode:
    begun = target is not None and not target.exists()
    taken = () if target is None or begun else {case.id for case in load_set(target).cases}
    try:
        made = cut_at(found.session, turn, taken=taken)
    except UsageError as error:
        raise UsageError(f"{error}\n  {found.hint}" if found.hint else str(error)) from error
    if target is not None:
        add_to_set(target, made.case)
    written = "" if target is None else shown(target)
    session = found.session.id
    document = cut_document(made, session=session, source=found.source, notes=found.notes, written=written, begun=begun)
    if target is None and not as_json:
        told = [f"cut from {found.source}, session {found.session.id}, turn {turn}", *document.notes, *document.next]
        click.echo(cases_text([made.case], "\n".join(" ".join(line.split()) for line in told)).rstrip("\n"))
    else:
        show(document, render_cut, as_json=as_json)
    return ExitCode.PASS
