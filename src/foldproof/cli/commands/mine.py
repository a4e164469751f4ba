"""The command that finds questions in logs."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import anyio
import click

from foldproof.cli.personal import personal_options, redactor_of
from foldproof.core import ExitCode, UsageError
from foldproof.logs.mining import MineOptions, mine_logs

if TYPE_CHECKING:
    from foldproof.report import DrafterPart
    from foldproof.workflow.proposing import DrafterSettings, Proposals


@click.command(short_help="Find the questions that users really asked, in logs.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--since", default="", metavar="AGE|DAY", help="`21d`, `3w` before the log's newest question, or a day.")
@click.option("--sample", "wanted", type=click.IntRange(1, 100_000), default=200, show_default=True, help="How many.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Another seed draws other lots.")
@click.option("--statements", is_flag=True, help="Keep messages that ask nothing too.")
@click.option("--format", "format_name", default="", metavar="NAME", help="The format; by default it is found out.")
@click.option("--jobs", type=click.IntRange(1, 64), default=None, help="Processes; by default one a core.")
@click.option("--to", "target", type=click.Path(path_type=Path), help="Draft cases for them: the set to write (.yaml).")
@click.option("--drafter", default="", metavar="CONFIG", help="With --to: its model proposes further facts.")
@personal_options
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")
def mine(
    logs: tuple[Path, ...],
    *,
    format_name: str,
    jobs: int | None,
    target: Path | None,
    drafter: str,
    as_json: bool,
    **named: Any,  # noqa: ANN401  # the fields of MineOptions and the personal options, checked there
) -> ExitCode:
    """Read LOGS of one format, drop what asks nothing, merge what is the same, and choose a fair few.

    Every user is asked for before any is twice, then every topic and week. The same logs and seed give the same
    questions. With --to, a case is drafted for each question: it expects what the logged answer holds of what its user
    said before, or else what it says by itself. Nobody has confirmed it yet, and it has the tag `draft`.

    With --drafter, questions, answers and what was said before are sent to the model of that configuration; of what
    it proposes only words that stand in the answer and in what was said are kept.
    """
    if drafter and target is None:
        raise UsageError("--drafter proposes facts of drafts, and none are written\n  name a set with --to")
    # To import what prints takes longer than to read 200,000 lines, and other processes read meanwhile.
    Thread(target=import_module, args=("foldproof.cli.shared",)).start()
    asked = _drafter(drafter) if drafter else None
    redactor, key_note = redactor_of(**{name: named.pop(name) for name in ("kinds", "names", "region", "key")})
    options = MineOptions(**named, jobs=jobs or 0)
    mined = mine_logs(logs, options, format_name=format_name, redactor=redactor)
    from foldproof.cli.shared import show
    from foldproof.report import mine_document, render_mined

    kept = f"personal data is replaced by pseudonyms; {key_note}" if redactor else _PERSONAL
    document = mine_document(mined, notes=[kept], following=["foldproof mine … --to candidates.yaml drafts cases"])
    if target is not None:
        from foldproof.cases import shown
        from foldproof.workflow.mining import draft_set

        write = partial(draft_set, logs, mined.questions, to=target, format_name=mined.format.name, redactor=redactor)
        drafts = anyio.run(partial(write, drafter=asked))
        document.from_answer, document.without = list(drafts.from_answer), list(drafts.without)
        document.drafted = len(drafts.cases) - len(drafts.from_answer) - len(drafts.without)
        document.written = list(drafts.written)
        if drafts.proposals is not None:
            document.drafter = _part(drafts.proposals)
        document.next = [f"foldproof triage CONFIG --set {shown(target)} sorts them by asking with and without memory"]
    show(document, render_mined, as_json=as_json)
    return ExitCode.PASS


def _drafter(name: str) -> DrafterSettings:
    from foldproof.workflow.proposing import drafter_settings

    return drafter_settings(name)


def _part(found: Proposals) -> DrafterPart:
    from foldproof.report import DrafterPart

    return DrafterPart(
        config=found.config,
        model_name=found.model_name,
        host=found.host,
        prompt=found.prompt,
        asked=found.asked,
        proposed=found.proposed,
        held=found.held,
        shortened=found.shortened,
        refused=dict(found.refused),
        failed=found.failed,
        first_error=found.first_error,
        stopped=found.stopped,
    )


_PERSONAL = "personal data is left as it is; secrets are replaced by [redacted]"
