"""Answers that are none: empty ones, and error messages in the clothes of an answer."""

from __future__ import annotations

import re

from foldproof.record import TrialError

_LONGEST = 300
_OPENING = re.compile(
    r"\W*(?:"
    r"(?:i am |i'm |we are |we're |i |we )?(?:so |very )?(?:sorry|apologi[sz]e)\b[^.!?]{0,40}"
    r"\b(?:error|problem|trouble|went wrong|issue)\b"
    r"|(?:oops|uh-oh)\b[^.!?]{0,40}\b(?:error|problem|wrong)\b"
    r"|an? (?:unexpected |internal )?(?:error|exception) (?:has )?occurred\b"
    r"|something went wrong\b"
    r"|(?:internal server error|service unavailable|too many requests|bad gateway|rate limit (?:exceeded|reached))\b"
    r"|(?:http )?error:? (?:code )?[45]\d\d\b"
    r"|traceback \(most recent call last\)"
    r"|\{\s*\"error\"\s*:"
    r")",
    re.IGNORECASE,
)


def answer_fault(text: str) -> TrialError | None:
    """Why this text is no answer, or None where it is one.

    Only a short text that opens like an error message is taken for one, so an answer that speaks of errors
    is left alone. The whole text is kept in the message.
    """
    if not text.strip():
        return TrialError("empty", "the agent answered with an empty text")
    if len(text) <= _LONGEST and _OPENING.match(text):
        return TrialError("error text", f"the answer is an error message: {text.strip()}")
    return None
