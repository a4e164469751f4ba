"""A memory in a process of its own, spoken to by `foldproof-memory/1`: those of vendors, and any other program."""

from __future__ import annotations

import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from foldproof.agents.errors import AgentError, UnsupportedError
from foldproof.agents.memories.memory import Recall, Resources
from foldproof.agents.memories.scratch import Scratch
from foldproof.agents.process import AgentProcess
from foldproof.agents.shapes import items_of, usage_of
from foldproof.agents.steps import Steps
from foldproof.core import UsageError
from foldproof.logs import History, MemoryItem, Session, as_lines

_GOODBYE = b'{"do": "close"}'
_LONGEST_WAIT_S = 0.5
_NOTES = 20


@dataclass(frozen=True, slots=True)
class Launch:
    """How the program of a memory is started and what it is opened with.

    `remedy` tells the reader what to do where the program says that a package is missing. `settle_s` is how long a
    write may take until a listing shows it.
    """

    argv: Sequence[str]
    memory_config: Mapping[str, Any]
    kind: str
    compacts: bool
    settle_s: float
    environ: Mapping[str, str] = field(default_factory=dict)
    remedy: str = ""
    notes: tuple[str, ...] = ()


class Copy:
    """A built memory: what its program answered, and the files that it left in the folder.

    The folder is gone with the object, and at the latest when the scratch is closed.
    """

    def __init__(self, value: Any, folder: Path, scratch: Scratch, *, user: str, notes: tuple[str, ...]) -> None:  # noqa: ANN401  # JSON
        self.value = value
        self.folder = folder
        self.user = user
        self.notes = notes
        weakref.finalize(self, scratch.drop, folder)


class ChildMemory:
    """One process with one folder, started when it is first needed and ended by `close`.

    Notes of the program on its writes are given with each recall, so that they stand in the record of every trial.
    """

    def __init__(self, launch: Launch, resources: Resources) -> None:
        self.compacts = launch.compacts
        self._launch = launch
        self._resources = resources
        self._user = resources.trial or "foldproof"
        self._folder: Path | None = None
        self._process: AgentProcess | None = None
        self._steps: Steps | None = None
        self._notes = launch.notes

    @property
    def log(self) -> str:
        """The last 64 kB of the program's standard error."""
        return self._process.log if self._process else ""

    async def build(self, history: History) -> None:
        """Start anew with an empty folder, hand the history over, and wait until all of it is listed.

        Raises:
            AgentError: where a write failed, or was not listed in time.
            UsageError: where the vendor's package is missing.
        """
        await self.close()
        await self._write("ingest", history, "")

    async def add(self, session: Session, *, user: str = "") -> None:
        """Hand one more session over, and wait until all of it is listed.

        Raises:
            AgentError: as `build`.
            UnsupportedError: where the program takes in nothing later.
        """
        await self._write("add", History("", (session,)), user)

    def serve(self, user: str) -> ChildUser:
        """The same program and folder, for another user: whether it keeps the two apart is its own matter."""
        return ChildUser(self, user)

    async def fold(self, *, user: str = "") -> None:
        """Ask for one compaction.

        Raises:
            UnsupportedError: where the memory has none.
        """
        self._note(await self._asked("fold", user))

    async def recall(self, question: str, *, user: str = "") -> Recall:
        """What the memory finds, in its own order and with its own scores; candidates with `dropped` come last."""
        answer = await self._asked("recall", user, text=question)
        found = items_of(answer.get("items"), "the memory's `items`", ranks=True)
        if found is None:
            raise AgentError("the memory answered `recall` without `items`")
        given = tuple(item for item in found if not item.dropped)
        notes = tuple(dict.fromkeys((*self._notes, *_notes_of(answer))))
        usage = usage_of(answer.get("usage"), "input_tokens", "output_tokens")
        return Recall(given, notes, usage, passed_over=tuple(item for item in found if item.dropped))

    async def items(self, *, user: str = "") -> Sequence[MemoryItem]:
        """All that the memory lists of its user.

        Raises:
            UnsupportedError: where it cannot list.
        """
        answer = await self._asked("memories", user)
        found = items_of(answer.get("items"), "the memory's `items`")
        if found is None:
            raise UnsupportedError("the memory answered `memories` without `items`")
        self._note(answer)
        return found

    async def forget(self, item_id: str, *, user: str = "") -> None:
        """Delete one item.

        Raises:
            UnsupportedError: where the memory cannot.
        """
        await self._asked("forget", user, id=item_id)

    async def snapshot(self) -> Copy:
        """The built memory, kept in a folder beside; the process goes on."""
        scratch = self._resources.scratch
        folder = scratch.folder("copy")
        try:
            answer = await self._asked("snapshot", folder=str(folder))
        except BaseException:
            scratch.drop(folder)
            raise
        copied = Copy(answer.get("snapshot"), folder, scratch, user=self._user, notes=self._notes)
        if "snapshot" not in answer:
            raise UnsupportedError("the memory answered `snapshot` without one")
        return copied

    async def restore(self, snapshot: Copy) -> None:
        """Take over a built memory, under the user id that it was built for."""
        await self.close()
        self._user = snapshot.user
        await self._asked("restore", snapshot=snapshot.value, folder=str(snapshot.folder))
        self._notes = snapshot.notes

    async def close(self) -> None:
        """End the process and delete its folder."""
        process, folder, self._steps, self._folder = self._process, self._folder, None, None
        self._notes = self._launch.notes
        try:
            if process is not None:
                await process.close(_GOODBYE)
        finally:
            if folder is not None:
                self._resources.scratch.drop(folder)

    async def _opened(self) -> Steps:
        """The running program; started with an empty folder where it is not."""
        if self._steps is not None:
            return self._steps
        folder = self._resources.scratch.folder("memory")
        weakref.finalize(self, self._resources.scratch.drop, folder)
        self._folder = folder
        tap, data = self._resources.tap, folder / "data"
        data.mkdir()
        (folder / "home").mkdir()
        own = {name: value.replace("{home}", str(folder / "home")) for name, value in self._launch.environ.items()}
        environ = {**self._resources.environ, **tap.environ, **own}
        self._process = await AgentProcess.start(self._launch.argv, self._resources.root, environ, who="the memory")
        steps = Steps(self._process)
        try:
            answer = await steps.send(
                {
                    "do": "open",
                    "memory_config": self._launch.memory_config,
                    "user": self._user,
                    "folder": str(data),
                    "wire_url": tap.wire_url,
                }
            )
        except BaseException:
            await self.close()
            raise
        if missing := answer.get("missing"):
            await self.close()
            raise UsageError(
                f"memory '{self._launch.kind}' needs the package `{missing}`, which `{self._launch.argv[0]}` does not "
                f"have\n  {self._launch.remedy}"
            )
        self._steps = steps
        self._note(answer)
        return steps

    async def _asked(self, do: str, user: str = "", **fields: Any) -> dict[str, Any]:  # noqa: ANN401  # any JSON value
        steps = await self._opened()
        return await steps.supported({"do": do, "user": user or self._user, **fields})

    async def _write(self, do: str, history: History, user: str) -> None:
        answer = await self._asked(do, user, history=as_lines(history))
        self._note(answer)
        written = answer.get("written")
        if isinstance(written, list) and written:
            await self._landed([str(one) for one in written], user)

    async def _landed(self, written: Sequence[str], user: str) -> None:
        """Wait until a listing shows what was written.

        Raises:
            AgentError: where some of it is never shown.
        """
        until = time.monotonic() + self._launch.settle_s
        wait = 0.02
        while True:
            try:
                held = {item.id for item in await self.items(user=user)}
            except UnsupportedError:
                self._notes += ("the memory cannot be listed: whether its writes landed is unknown",)
                return
            lost = [one for one in written if one not in held]
            if not lost:
                return
            if time.monotonic() >= until:
                raise AgentError(
                    f"{len(lost)} of {len(written)} writes never landed: the memory did not list them within "
                    f"{self._launch.settle_s:g} s, for instance `{lost[0]}`"
                )
            await anyio.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT_S)

    def _note(self, answer: Mapping[str, Any]) -> None:
        if "usage" in answer:
            self._resources.spent.add(usage_of(answer["usage"], "input_tokens", "output_tokens"))
        self._notes = tuple(dict.fromkeys((*self._notes, *_notes_of(answer))))[:_NOTES]


class ChildUser:
    """A further user of a program's memory; it lives as long as the memory that it is a user of."""

    def __init__(self, memory: ChildMemory, user: str) -> None:
        self.compacts = memory.compacts
        self._memory = memory
        self._user = user

    async def build(self, history: History) -> None:
        """Take the sessions in; what the program holds of this user already stays."""
        for session in history.sessions:
            await self.add(session)

    async def add(self, session: Session) -> None:
        """As `ChildMemory.add`."""
        await self._memory.add(session, user=self._user)

    async def fold(self) -> None:
        """As `ChildMemory.fold`."""
        await self._memory.fold(user=self._user)

    async def recall(self, question: str) -> Recall:
        """As `ChildMemory.recall`."""
        return await self._memory.recall(question, user=self._user)

    async def items(self) -> Sequence[MemoryItem]:
        """As `ChildMemory.items`."""
        return await self._memory.items(user=self._user)

    async def forget(self, item_id: str) -> None:
        """As `ChildMemory.forget`."""
        await self._memory.forget(item_id, user=self._user)


def _notes_of(answer: Mapping[str, Any]) -> tuple[str, ...]:
    notes = answer.get("notes")
    return tuple(str(note) for note in notes) if isinstance(notes, list) else ()
