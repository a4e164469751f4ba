"""The options that replace personal data in what is written from a log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from foldproof.core import PERSONAL_KINDS, PersonalKind, PersonalRedactor, UsageError, nearest_of


def _kinds(_: click.Context, __: click.Parameter, value: str | None) -> tuple[PersonalKind, ...]:
    """The kinds of personal data of an option: separated by commas, or all of them."""
    wanted = [part.strip() for part in (value or "").split(",") if part.strip()]
    if wanted == ["all"]:
        return tuple(kind for kind in PERSONAL_KINDS if kind != "name")
    for kind in wanted:
        if kind not in PERSONAL_KINDS:
            raise UsageError(f"'{kind}' is no kind of personal data\n  {nearest_of(kind, (*PERSONAL_KINDS, 'all'))}")
    return tuple(kind for kind in PERSONAL_KINDS if kind in wanted)


def personal_options(command: Any) -> Any:  # noqa: ANN401  # a decorator of click commands
    """What of personal data is replaced, and how."""
    for option in (
        click.option(
            "--pseudonym-key", "key", default="", metavar="FILE|${NAME}", help="By default the project's own."
        ),
        click.option("--phone-region", "region", default="", metavar="XX", help="For phone numbers without a prefix."),
        click.option("--names", type=click.Path(path_type=Path), help="Replace these names too: a person a line."),
        click.option(
            "--personal-data",
            "kinds",
            metavar="KINDS",
            callback=_kinds,
            help="Replace it by pseudonyms: `all`, or some of email,phone,iban,card,ip,user.",
        ),
    ):
        command = option(command)
    return command


def redactor_of(
    *, kinds: tuple[PersonalKind, ...], names: Path | None, region: str, key: str
) -> tuple[PersonalRedactor | None, str]:
    """The redactor of the personal options, and what to tell of its key; nothing where none is given."""
    if names is not None:
        kinds = (*kinds, "name")
    if not kinds:
        return None, ""
    from foldproof.workflow import personal_redactor

    return personal_redactor(kinds, key, names=names, region=region, start=Path.cwd())
