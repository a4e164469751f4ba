"""The commands by name. Only the command that is called is imported, so that `--help` is quick."""

from __future__ import annotations

import importlib
from typing import Any

import click

from foldproof.core import __version__, nearest_of

_COMMANDS = "foldproof.cli.commands"
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("start:demo", "A whole check on shipped data; no key, no network."),
    "init": ("start:init", "Write a project that works at once."),
    "mine": ("mine:mine", "Find the questions that users really asked, in logs."),
    "triage": ("triage:triage", "Sort cases by asking with the memory and without it."),
    "coverage": ("coverage:coverage", "How much of what users ask the set asks, and what is new."),
    "label": ("label:label", "Mark what the lines of a text state, by reading."),
    "lint": ("files:lint", "Everything that is wrong with the replay set."),
    "run": ("asking:run", "Ask every question on one configuration."),
    "baseline": ("baseline:baseline", "Accept a run as the baseline, or show what was accepted."),
    "check": ("asking:check", "Prove or refuse that a candidate still knows what it must."),
    "compare": ("asking:compare", "Put configurations side by side."),
    "explain": ("stored:explain", "What a run recorded of one case."),
    "rescore": ("stored:rescore", "Score stored answers again; no agent is called."),
    "match": ("files:match", "Try one fact on a text."),
    "cliff": ("cliff:cliff", "What survives rounds of compaction, by class."),
    "import": ("importing:import_", "Make histories from logs, or a replay set from a benchmark."),
    "judge": ("judge:judge", "Pin the judge, measure it, hold a new one against it."),
    "sessions": ("sessions:sessions", "What recorded sessions show: grade them, cut a case out of one."),
    "holdout": ("holdout:holdout", "Seal a second set, and run it at release only."),
    "export": ("stored:export", "Write a run as json, junit or md."),
    "doctor": ("start:doctor", "What is installed, reachable and missing."),
}
"""Where each command stands and what it is for, in the order of the journey."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's own signature
        """The names in the order of the journey."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # as above
        """The command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(f"{_COMMANDS}.{module}"), name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:  # noqa: ANN401  # click's own type
        """As click does it, but a mistyped name is answered with the nearest one."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no command '{args[0]}'\n  {nearest_of(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # as above
        """The commands with their summaries, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="foldproof")
def app() -> None:
    """Prove, before a memory change ships, that an agent still knows what its users told it.

    Exit codes: 0 pass, 1 blocked, 2 interrupted, 3 internal error, 4 usage or file error, 5 nothing selected,
    7 inconclusive.
    """
