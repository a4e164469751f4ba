"""Answers that are none: empty ones, and error messages in the clothes of an answer."""

from __future__ import annotations

from foldproof.agents.error_texts import is_error_text
from foldproof.record import TrialError


def answer_fault(text: str) -> TrialError | None:
    """Why this text is no answer, or None where it is one; the whole text is kept in the message."""
    if not text.strip():
        return TrialError("empty", "the agent answered with an empty text")
    if is_error_text(text):
        return TrialError("error text", f"the answer is an error message: {text.strip()}")
    return None
