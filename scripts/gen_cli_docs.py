"""Write docs/cli.md from the commands themselves; with --check, only say whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from generated import write

from foldproof.cli.app import COMMANDS, app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "cli.md"
HEAD = """\
# Command line

This page is generated from the commands themselves by `scripts/gen_cli_docs.py`; a test keeps it equal to them.

Every command answers with one of the [exit codes](exit-codes.md). Every command but a group takes `--help`, and
with `--json` prints one machine-readable document instead of text; see [reports](reports.md). `NO_COLOR`,
`FORCE_COLOR`, `CI` and `GITHUB_STEP_SUMMARY` are respected.
"""


def page() -> str:
    """The whole page."""
    context = click.Context(app, info_name="foldproof")
    parts = [HEAD, *_summary(), *(part for name in COMMANDS for part in _command(context, name))]
    return "\n".join(parts).rstrip("\n") + "\n"


def _summary() -> Iterator[str]:
    yield "| command | what it is for |"
    yield "|---|---|"
    for name, (_, summary) in COMMANDS.items():
        yield f"| [`foldproof {name}`](#foldproof-{name}) | {_cell(summary)} |"
    yield ""


def _command(parent: click.Context, name: str, level: int = 2) -> Iterator[str]:
    assert isinstance(parent.command, click.Group)  # noqa: S101  # only groups are descended into
    command = parent.command.get_command(parent, name)
    if command is None:
        raise LookupError(name)
    context = click.Context(command, info_name=name, parent=parent)
    yield f"{'#' * level} foldproof {context.command_path.partition(' ')[2]}"
    yield ""
    yield f"```text\n{_usage(context)}\n```"
    yield ""
    for paragraph in (command.help or "").split("\n\n"):
        yield " ".join(paragraph.split())
        yield ""
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            yield from _command(context, inner, level + 1)
        return
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    if options:
        yield "| option | what it does |"
        yield "|---|---|"
        yield from (_option(option) for option in options)
        yield ""


def _usage(context: click.Context) -> str:
    words = [context.command_path]
    for parameter in context.command.params:
        if isinstance(parameter, click.Argument):
            word = parameter.metavar or (parameter.name or "").upper()
            word += "…" if parameter.nargs == -1 else ""
            words.append(word if parameter.required else f"[{word}]")
    words.append("COMMAND" if isinstance(context.command, click.Group) else "[OPTIONS]")
    return " ".join(words)


def _option(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" `{_value(option)}`"
    default = f" Default: `{option.default}`." if option.show_default else ""
    needed = " Required." if option.required else ""
    return f"| {names}{_cell(value)} | {_cell((option.help or '') + default + needed)} |"


def _value(option: click.Option) -> str:
    kind = option.type
    if option.metavar:
        return option.metavar
    if isinstance(kind, click.Choice):
        return "|".join(map(str, kind.choices))
    if isinstance(kind, (click.IntRange, click.FloatRange)):
        return f"{kind.min}..{kind.max}" if kind.max is not None else f"{kind.min}.."
    return "PATH" if isinstance(kind, click.Path) else kind.name.upper()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(write(PAGE, page()))
