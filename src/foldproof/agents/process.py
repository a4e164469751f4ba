"""One agent process: lines out, lines in, its log kept, and nothing of it left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import PIPE

import anyio
from anyio.abc import Process

from foldproof.agents.errors import AgentError

LOG_BYTES = 64 * 1024
LINE_BYTES = 16 * 1024 * 1024
GRACE_S = 2.0
"""How long a process may take to end by itself, and again to end when asked by a signal."""
_TAIL_LINES = 5
_SHOWN_BYTES = 200
_STRAY_S = 0.001
"""How long a second line may lag behind an answer and still be noticed before the next question is sent."""


class AgentProcess:
    """A program in a process group of its own, spoken to line by line.

    After an error or a cancelled exchange the two sides may disagree on what was asked: the group is killed.
    `who` is what messages call it.
    """

    def __init__(self, process: Process, who: str = "the agent") -> None:
        self._process = process
        self.who = who
        self._buffer = bytearray()
        self._log: deque[bytes] = deque()
        self._log_size = 0
        self._closed = False
        # No task group: the caller's own errors would reach it wrapped in an exception group.
        self._reader = asyncio.get_running_loop().create_task(self._keep_log())

    @classmethod
    async def start(
        cls, argv: Sequence[str], root: Path, environ: Mapping[str, str], *, who: str = "the agent"
    ) -> AgentProcess:
        """Start the program in the folder `root`, without a shell.

        Raises:
            AgentError: where the system cannot start it.
        """
        try:
            process = await anyio.open_process(
                list(argv), stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=root, env=environ, start_new_session=True
            )
        except OSError as error:
            raise AgentError(f"{who} `{argv[0]}` cannot be started: {error}") from error
        return cls(process, who)

    @property
    def log(self) -> str:
        """The last 64 kB that the program wrote to its standard error."""
        return b"".join(self._log).decode("utf-8", "replace")[-LOG_BYTES:]

    @property
    def pid(self) -> int:
        """The process, which leads its group."""
        return self._process.pid

    async def exchange(self, line: bytes) -> bytes:
        """Send a line and wait for the line that answers it.

        Raises:
            AgentError: where the process has ended, answers a line over 16 MB, or has said more before than it was
                asked: its lines could no longer be told from answers to this one.
        """
        if self._closed:
            raise AgentError(f"{self.who} process was closed")
        try:
            await self._see_that_nothing_is_unread()
            assert self._process.stdin is not None  # noqa: S101  # it was opened with a pipe
            with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await self._process.stdin.send(line + b"\n")
            return await self._read_line()
        except BaseException:
            self.kill()
            raise

    async def _see_that_nothing_is_unread(self) -> None:
        """Refuse to go on with a program that wrote more than its last answer, as far as that has come."""
        assert self._process.stdout is not None  # noqa: S101  # it was opened with a pipe
        with anyio.move_on_after(_STRAY_S), contextlib.suppress(anyio.EndOfStream, anyio.BrokenResourceError):
            self._buffer += await self._process.stdout.receive()
        if surplus := bytes(self._buffer).strip():
            shown = surplus[:_SHOWN_BYTES].decode("utf-8", "replace")
            raise AgentError(f"{self.who} answered more than one line to one question: {shown!r} came after")

    async def _read_line(self) -> bytes:
        assert self._process.stdout is not None  # noqa: S101  # it was opened with a pipe
        searched = 0
        while True:
            end = self._buffer.find(b"\n", searched)
            if end >= 0:
                line = bytes(self._buffer[:end]).strip()
                del self._buffer[: end + 1]
                searched = 0
                if line:
                    return line
                continue
            searched = len(self._buffer)
            if searched > LINE_BYTES:
                raise AgentError(f"{self.who} answered a line of more than 16 MB")
            try:
                self._buffer += await self._process.stdout.receive()
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                raise await self._ended() from None

    async def _ended(self) -> AgentError:
        """The error for a process that closed its output: it is dead, or will be."""
        with anyio.move_on_after(GRACE_S):
            await self._process.wait()
            await asyncio.wait([self._reader], timeout=0.2)
        code = self._process.returncode
        if code is None:
            return AgentError(f"{self.who} closed its standard output but went on running{self.tail}")
        how = f"was killed by {_signal(-code)}" if code < 0 else f"ended with exit code {code}"
        return AgentError(f"{self.who} process {how} before it answered{self.tail}")

    @property
    def tail(self) -> str:
        """The last lines of the log for a message, or nothing."""
        lines = self.log.strip().splitlines()[-_TAIL_LINES:]
        return "".join(f"\n  stderr: {line[:300]}" for line in lines)

    async def _keep_log(self) -> None:
        assert self._process.stderr is not None  # noqa: S101  # it was opened with a pipe
        with contextlib.suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            while True:
                chunk = await self._process.stderr.receive()
                self._log.append(chunk)
                self._log_size += len(chunk)
                while self._log_size - len(self._log[0]) >= LOG_BYTES:
                    self._log_size -= len(self._log.popleft())

    def kill(self) -> None:
        """Kill the group at once; `close` still has to be awaited."""
        self._signal_group(signal.SIGKILL)

    async def close(self, goodbye: bytes = b"") -> None:
        """Say goodbye, then ask with a signal, then kill; also what the program itself had started.

        Cancellation waits for it, six seconds at the most. A second call does nothing.
        """
        if self._closed:
            return
        with anyio.CancelScope(shield=True):
            if self._process.returncode is None and goodbye:
                with anyio.move_on_after(GRACE_S), contextlib.suppress(AgentError):
                    await self.exchange(goodbye)
            self._closed = True
            if self._process.stdin is not None:
                with contextlib.suppress(anyio.BrokenResourceError, OSError):
                    await self._process.stdin.aclose()
            for number in (None, signal.SIGTERM, signal.SIGKILL):
                if self._process.returncode is not None:
                    break
                if number is not None:
                    self._signal_group(number)
                with anyio.move_on_after(GRACE_S):
                    await self._process.wait()
            self.kill()
            await asyncio.wait([self._reader], timeout=0.2)
            self._reader.cancel()
            await asyncio.wait([self._reader])
            await self._process.aclose()

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
