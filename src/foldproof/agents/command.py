"""The `command` adapter: any program that speaks JSON lines, protocol `foldproof-agent/1`."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from foldproof.agents.errors import AgentError, UnsupportedError
from foldproof.agents.factory import AgentFactory, Setup
from foldproof.agents.fingerprints import digests_of, files_named
from foldproof.agents.memories.scratch import Scratch
from foldproof.agents.process import LOG_BYTES, AgentProcess
from foldproof.agents.protocols import Reply, SessionInfo
from foldproof.agents.resuming import past_lines
from foldproof.agents.shapes import items_of, state_of, tool_calls_of, usage_of
from foldproof.agents.steps import Steps
from foldproof.core import UsageError
from foldproof.logs import History, MemoryItem, PastTurn, as_lines

_SOURCES = frozenset({".py", ".js", ".mjs", ".ts", ".sh"})
_GOODBYE = b'{"do": "close"}'
_LIVES = ("trial", "session")
STORE = "FOLDPROOF_STORE"
"""The variable with the folder that outlives the processes of a trial's sessions."""


@asynccontextmanager
async def open_command(setup: Setup) -> AsyncIterator[AgentFactory]:
    """The agents of a program, one process a trial or a session; none of them outlives the context."""
    setup.allow("command", "process")
    argv = argv_of(setup.agent["command"], setup.root, setup.environ, whose=f"{setup.place}: the agent's")
    fingerprint = setup.fingerprint(digests_of(_code_of(argv, setup.root)))
    factory = CommandFactory(setup, argv, fingerprint, each_session=_each_session(setup))
    try:
        yield factory
    finally:
        with anyio.CancelScope(shield=True):
            async with anyio.create_task_group() as group:
                for agent in list(factory.running):
                    group.start_soon(agent.close)
        factory.scratch.close()


@dataclass
class CommandFactory:
    """Starts one process a trial; with `each_session` one for each session of it, which share a folder."""

    setup: Setup = field(repr=False)
    argv: Sequence[str]
    fingerprint: str
    default_folds: int = 1  # a program without a fold answers that it is unsupported
    notes: tuple[str, ...] = ()
    running: set[CommandAgent] = field(default_factory=set, repr=False)
    each_session: bool = False
    scratch: Scratch = field(default_factory=Scratch, repr=False)

    async def make(self, memory_config: Mapping[str, Any], trial: str) -> CommandAgent:
        """A new process, opened with the memory_config."""
        tap = self.setup.watch.tap(trial)
        environ = {**self.setup.environ, **tap.environ}
        opening = {"do": "open", "memory_config": self.setup.memory_of(memory_config), "wire_url": tap.wire_url}
        store = None
        if self.each_session:
            store = self.scratch.folder("store")
            environ[STORE] = opening["store"] = str(store)
        agent = CommandAgent(Launch(self.argv, self.setup.root, environ, opening), self, store)
        await agent.open()
        return agent


@dataclass(frozen=True, slots=True)
class Launch:
    """How a program is started, and the step that opens it."""

    argv: Sequence[str]
    root: Path
    environ: Mapping[str, str] = field(repr=False)
    opening: Mapping[str, Any]


class CommandAgent:
    """A process as an agent. Steps are sent one after the other, each answered before the next.

    With a `store`, the folder that outlives a session, a process ends with the session that it held: what comes next, a
    listing, a fold, another session, is asked of a new one.
    """

    process: AgentProcess
    _steps: Steps

    def __init__(self, launch: Launch, factory: CommandFactory, store: Path | None = None) -> None:
        self._launch = launch
        self._factory = factory
        self._store = store
        self._held = False
        self._logs = ""

    async def open(self) -> None:
        """Start the program and hand it its settings.

        Raises:
            AgentError: where that fails; the process has ended then.
        """
        launch = self._launch
        self.process = await AgentProcess.start(launch.argv, launch.root, launch.environ)
        self._steps = Steps(self.process)
        self._factory.running.add(self)
        try:
            await self.send(launch.opening)
        except BaseException:
            await self.close()
            raise

    async def _renew(self) -> None:
        """End the process of a session that is over, where each has one of its own, and start the next."""
        if self._store is None or not self._held:
            return
        await self.process.close(_GOODBYE)
        self._logs = f"{self._logs}{self.process.log}"[-LOG_BYTES:]
        self._held = False
        await self.open()

    @property
    def log(self) -> str:
        """The last 64 kB of the program's standard error, that of the processes before among it."""
        return f"{self._logs}{self.process.log}"[-LOG_BYTES:]

    async def send(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one step; an answer that it is unsupported comes back as it is.

        Raises:
            AgentError: where the program fails, says that it failed, or answers no JSON object.
        """
        return await self._steps.send(step)

    async def ingest(self, history: History) -> None:
        """Send the history."""
        await self._steps.supported({"do": "ingest", "history": as_lines(history)})

    async def fold(self) -> None:
        """Ask for one compaction."""
        await self._renew()
        await self._steps.supported({"do": "fold"})

    async def start_session(self, info: SessionInfo) -> CommandConversation:
        """Start a session; a program that knows no sessions is taken to have one."""
        await self._renew()
        self._held = True
        await self.send({"do": "start", "user": info.user, "session": info.session, "now": info.now})
        return CommandConversation(self)

    async def resume(self, turns: Sequence[PastTurn]) -> None:
        """Send what was said and done so far in the session.

        Raises:
            UnsupportedError: where the program does not say that it took all of it: many a program answers `{}` to what
                it does not know.
        """
        answer = await self._steps.supported({"do": "resume", "turns": past_lines(turns)})
        if answer.get("resumed") != len(turns):
            told = json.dumps(answer)[:200]
            raise UnsupportedError(f'the agent answered `resume` with {told}, where {{"resumed": {len(turns)}}} is due')

    async def memories(self, user: str) -> Sequence[MemoryItem]:
        """Ask for the items held."""
        await self._renew()
        answer = await self._steps.supported({"do": "memories", "user": user})
        items = items_of(answer.get("items"), "the agent's `items`")
        if items is None:
            raise UnsupportedError("the agent answered `memories` without `items`")
        return items

    async def snapshot(self) -> Any:  # noqa: ANN401  # any JSON value
        """Ask for the built memory as JSON."""
        answer = await self._steps.supported({"do": "snapshot"})
        if "snapshot" not in answer:
            raise UnsupportedError("the agent answered `snapshot` without one")
        return answer["snapshot"]

    async def restore(self, snapshot: Any) -> None:  # noqa: ANN401  # any JSON value
        """Hand a built memory over."""
        await self._steps.supported({"do": "restore", "snapshot": snapshot})

    async def close(self) -> None:
        """Say goodbye and see to it that the process and its children end."""
        try:
            await self.process.close(_GOODBYE)
        finally:
            self._factory.running.discard(self)
            if self._store is not None:
                self._factory.scratch.drop(self._store)


@dataclass(frozen=True, slots=True)
class CommandConversation:
    """A session with a process."""

    agent: CommandAgent

    async def resume(self, turns: Sequence[PastTurn]) -> None:
        """Send the turns that the session goes on from."""
        await self.agent.resume(turns)

    async def reply(self, message: str) -> Reply:
        """The program's answer."""
        answer = await self.agent.send({"do": "reply", "text": message})
        text = answer.get("text")
        if not isinstance(text, str):
            has = ", ".join(f"`{name}`" for name in answer) or "nothing"
            what = f"with the `text` {json.dumps(text)[:200]}, where a text is expected" if "text" in answer else ""
            raise AgentError(
                f"the agent answered `reply` {what or f'without a `text`; it has {has}'}{self.agent.process.tail}"
            )
        prompt, notes = answer.get("prompt"), answer.get("notes")
        return Reply(
            text,
            tool_calls=tool_calls_of(answer.get("tool_calls"), "the agent's `tool_calls`"),
            memory_reads=items_of(answer.get("memory_reads"), "the agent's `memory_reads`", ranks=True),
            memory_writes=items_of(answer.get("memory_writes"), "the agent's `memory_writes`"),
            prompt=prompt if isinstance(prompt, str) or prompt is None else json.dumps(prompt, ensure_ascii=False),
            usage=usage_of(answer.get("usage"), "input_tokens", "output_tokens"),
            notes=tuple(str(note) for note in notes) if isinstance(notes, list) else (),
            state=state_of(answer.get("state"), "the agent's `state`"),
        )


def _code_of(argv: Sequence[str], root: Path) -> list[Path]:
    """The files below the root that the command names, and the sources that lie beside a script among them."""
    program, named = files_named(argv[0], root), files_named(list(argv), root)
    folders = {path.parent for path in named if path.suffix in _SOURCES or path in program}
    return [*named, *(path for folder in folders for path in folder.iterdir() if path.suffix in _SOURCES)]


def _each_session(setup: Setup) -> bool:
    """Whether each session has a process of its own."""
    told = setup.agent.get("process", _LIVES[0])
    if told not in _LIVES:
        allowed = "`trial` (one process for all sessions of a trial), `session` (one for each)"
        raise UsageError(f"{setup.place}: the agent's `process` is {told!r}\n  allowed: {allowed}")
    return bool(told == "session")


def argv_of(command: Any, root: Path, environ: Mapping[str, str], *, whose: str) -> list[str]:  # noqa: ANN401  # any value of a file
    """A program with its arguments as it can be started; `whose` opens messages, for instance `the agent's`.

    Raises:
        UsageError: where it is no list of texts, or the program cannot be run.
    """
    try:
        argv = shlex.split(command) if isinstance(command, str) else command
    except ValueError as error:
        text = f"{whose} `command` cannot be split: {error}\n  write it as a list"
        raise UsageError(text) from error
    if not isinstance(argv, (list, tuple)) or not argv or not all(isinstance(part, str) for part in argv):
        raise UsageError(
            f"{whose} `command` is {command!r}, where a list of texts is expected\n"
            "  for instance [node, agent.mjs]; put quotes around numbers"
        )
    program = argv[0]
    where = str(root / program) if "/" in program else program
    if shutil.which(where, path=environ.get("PATH")) is None:
        raise UsageError(
            f"{whose} `command` names the program `{program}`, which cannot be run\n"
            f"  it must be executable and stand {f'below {root}' if '/' in program else 'on the PATH'}"
        )
    return [where, *argv[1:]]
