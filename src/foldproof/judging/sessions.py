"""The two questions about a session: was the user's goal met, and is it already lost after its beginning?

A claim of either has the transcript as its answer, so a verdict that rests on a passage must quote the transcript.
"""

from __future__ import annotations

from importlib import resources

from foldproof.judging.prompts import Form
from foldproof.record import Claim

GOAL = Form(
    name="foldproof-session/1",
    rules="""\
- "met": everything that the user asked for was done or answered rightly, as far as the record shows. `quotation` then \
holds the passage that shows it, copied word for word from the record, in one piece and without an ellipsis.
- "not met": something that the user asked for was not done, was done wrongly, or was answered wrongly.
- "cannot tell": the record does not show what the user wanted, or whether it was done.""",
    asked="Was the user's goal met?",
    names=("goal", "fact", "record"),
)
"""Whether a session met the goal of its user. Asked once a session, before anything else."""
LOST = Form(
    name="foldproof-session-lost/1",
    rules="""\
The record stops in the middle of the conversation. The agent made a mistake somewhere in the whole of it.
- "met": a step in this record has gone wrong, and the session was lost by it. `quotation` then holds the passage that \
went wrong, copied word for word from the record, in one piece and without an ellipsis.
- "not met": nothing has gone wrong so far: every step is one that a good agent could have taken, and an agent that \
acts rightly from here on still meets the goal.
- "cannot tell": the record can be read either way.""",
    asked="Has the session already gone wrong in this record?",
    names=("goal", "fact", "record"),
)
"""Whether the goal is lost after a beginning of a failed session: a step in it went wrong."""


def session_prompt() -> str:
    """The prompt of both questions, as it is shipped."""
    return resources.files("foldproof.judging").joinpath("session.md").read_text("utf-8")


def session_claim(record: str, goal: str = "") -> Claim:
    """What a judge is asked about a transcript; `goal` is the user's goal where somebody wrote it down."""
    return Claim(goal, "", record)
