"""The compactor `command`: any program that speaks JSON lines, protocol `foldproof-compactor/1`."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from foldproof.agents.command import argv_of
from foldproof.agents.compactors.answers import WHO, compacted_of
from foldproof.agents.compactors.setup import CompactorSetup
from foldproof.agents.process import AgentProcess
from foldproof.agents.steps import Steps
from foldproof.compaction import Compacted

_GOODBYE = b'{"do": "close"}'


class CommandCompactor:
    """A program as a compactor: one process, started with the first text, which is sent one text after the other.

    After any failure, a cancelled call included, the next text starts a new process.
    """

    serial = True
    """One text at a time: a time-out does not count while another text is with the program."""

    def __init__(self, settings: Mapping[str, Any], setup: CompactorSetup) -> None:
        setup.allow(settings, "command")
        self.name = setup.name
        self._setup = setup
        self._argv = argv_of(settings.get("command", ""), setup.root, setup.environ, whose=f"{setup.place}: its")
        self._steps: Steps | None = None

    async def __aenter__(self) -> Self:
        """Nothing is started yet."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Say goodbye, and see to it that the program and what it started end."""
        await self._end()

    async def compact(self, text: str, budget: int) -> Compacted:
        """What the program answers.

        Raises:
            AgentError: where it cannot be started, fails, says that it failed, or answers no text.
        """
        try:
            if self._steps is None:
                process = await AgentProcess.start(self._argv, self._setup.root, self._setup.environ, who=WHO)
                self._steps = Steps(process)
            return compacted_of(await self._steps.supported({"do": "compact", "text": text, "budget": budget}))
        except BaseException:
            await self._end()
            raise

    async def _end(self) -> None:
        steps, self._steps = self._steps, None
        if steps is not None:
            await steps.process.close(_GOODBYE)
