"""The commands on recorded and imported sessions."""

from __future__ import annotations

import click


@click.group(short_help="What recorded sessions show: cut a case out of one.")
def sessions() -> None:
    """Work on recorded and imported sessions."""
