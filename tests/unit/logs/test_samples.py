"""One small log of each format, made for this project, and the whole of what is read of it as a golden text."""

from __future__ import annotations

from pathlib import Path

import pytest

from foldproof.logs import FORMATS

from .written import read_all, told

SAMPLES = sorted((Path(__file__).parent / "samples").iterdir())


def moment(at):
    return "-" if at is None else at.text + (" (no zone)" if at.naive else "")


def lines_of(session, depth=0):
    """A session in lines: what it is, then each entry with its time."""
    used = f"{session.usage.input_tokens}/{session.usage.output_tokens}" if session.usage else "-"
    about = f"user '{session.user}', models {list(session.model_names)}, tokens {used}, title '{session.title}'"
    outcomes = {outcome.name: outcome.value for outcome in session.outcomes}
    yield f"session {session.id}: {about}, left {session.abandoned}, outcomes {outcomes}"
    for entry, text in zip(session.entries, told(session), strict=True):
        yield f"  {moment(getattr(entry, 'at', None))}  {text}"
    for side in session.sidechains:
        yield from (f"  side: {line}" for line in lines_of(side, depth + 1))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_sample_is_read_whole(path, snapshot):
    log = read_all([path])
    counted = {name: value for name in ("records", "repeats", "broken", "naive_times", "without_time")
               if (value := getattr(log.tally, name))}  # fmt: skip
    aside = {name: count for name, count in sorted(log.tally.aside.items()) if count}
    heads = [f"format {log.format}", f"counted {counted}, no talk {aside}, unknown {dict(log.tally.unknown)}"]
    assert "\n".join([*heads, *(line for session in log.sessions for line in lines_of(session))]) == snapshot


def test_every_format_has_a_sample():
    assert {read_all([path]).format for path in SAMPLES} == set(FORMATS.names())
