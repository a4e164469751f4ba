"""Sessions for the tests of grading, written short."""

from __future__ import annotations

from foldproof.logs import Called, ImportedSession, Said
from foldproof.score.steps import steps_of


def user(text):
    return Said("user", text)


def agent(text, speaker=""):
    return Said("agent", text, speaker=speaker)


def call(name, result="{}", failed=False, **args):
    return Called(name, args, result, failed)


def steps(*entries):
    return steps_of(ImportedSession("s", entries))
