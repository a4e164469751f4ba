"""The ways in which an agent fails that the runner tells apart."""

from __future__ import annotations


class AgentError(Exception):
    """The agent answered that it failed, or answered what cannot be read."""


class TransientError(AgentError):
    """A failure that may pass (429, 5xx, a lost connection): worth another attempt.

    `retry_after_s` is the server's own wish, or None.
    """

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class UnsupportedError(Exception):
    """The agent does not know this step of the protocol: it is skipped, and what it would show is unknown."""
