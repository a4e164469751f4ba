"""Threads for an agent's blocking code, which never keep the process alive."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import Any

_Job = Callable[[], None]


class Worker:
    """One thread, started with the first call, in which calls run one after the other.

    An agent's object keeps to one worker, since what it holds may belong to the thread that made it (a SQLite
    connection does). A cancelled call is left behind with its thread, and the next call starts a new one.
    Not `anyio.to_thread`: its threads are no daemons, so that one agent that never returns would keep the
    process alive after the run has ended with a time-out.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] | None = None

    async def run(self, function: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:  # noqa: ANN401  # foreign code
        """The function's result, or what it raised."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[bool, Any]] = loop.create_future()
        context = contextvars.copy_context()

        def settle(outcome: tuple[bool, Any]) -> None:
            if not future.done():
                future.set_result(outcome)

        def work() -> None:
            try:
                outcome = (True, context.run(function, *args, **named))
            except BaseException as error:  # noqa: BLE001  # carried to the caller, which raises it
                outcome = (False, error)
            try:
                loop.call_soon_threadsafe(settle, outcome)
            except RuntimeError:
                return  # the loop is closed: nobody waits any more

        self._submit(work)
        try:
            good, value = await future
        except asyncio.CancelledError:
            self.stop()
            raise
        if good:
            return value
        raise value

    def stop(self) -> None:
        """Let the thread end after what it is doing."""
        if self._jobs is not None:
            self._jobs.put(None)
            self._jobs = None

    def __del__(self) -> None:
        self.stop()

    def _submit(self, job: _Job) -> None:
        if self._jobs is None:
            self._jobs = SimpleQueue()
            threading.Thread(target=_serve, args=(self._jobs,), name="foldproof agent", daemon=True).start()
        self._jobs.put(job)


def _serve(jobs: SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        job()
        del job  # it holds the answer, which is the caller's now
