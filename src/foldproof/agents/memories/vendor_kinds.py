"""The memories that run in a process of their own: their settings, their packages, and how each is started."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from foldproof.agents.memories.child import ChildMemory, Launch
from foldproof.agents.memories.memory import Resources
from foldproof.core import MissingExtraError, UsageError, nearest_of
from foldproof.core.settings import Setting, mapping, number, read_settings, switch, text, whole

_HOST = Path(__file__).parent / "vendors" / "host.py"
_SILENT = {
    "ANONYMIZED_TELEMETRY": "False",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "MEM0_DIR": "{home}",
    "MEM0_TELEMETRY": "False",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "TMPDIR": "{home}",
}
"""Nobody is told of a run, and nothing is left outside of the trial's folder."""
_MODEL = {
    "base_url": text(),
    "name": text(),
    "temperature": number(None),
    "seed": whole(None, 0),
    "api_key_env": text(),
}
_EMBED = {"base_url": text(), "name": text("text-embedding-3-small"), "dims": whole(None), "api_key_env": text()}
_SUMMARIZE = {"max_tokens": whole(2000), "max_tokens_before_summary": whole(None), "max_summary_tokens": whole(256)}
_TOOLS = ("write", "search", "list", "delete", "fold")
_TOOL = {"tool": text(), "text": text("text"), "query": text("query"), "id": text("id")}
_SERVER = "node_modules/@modelcontextprotocol/server-memory/dist/index.js"


def _is_command(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    return listed and bool(value) and all(isinstance(part, str) for part in value)


_COMMAND = Setting(None, "a list of texts", _is_command)


@dataclass(frozen=True, slots=True)
class Vendor:
    """One kind: the distribution that it needs, the extra that brings it, and the settings beside the usual ones."""

    kind: str
    package: str
    extra: str
    settings: Mapping[str, Setting | int]

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The settings, with those that every vendor's memory has."""
        usual = {"python": text(), "settle_s": number(10.0)}
        return read_settings(self.kind, {**usual, **self.settings}, given)

    def memory(
        self, settings: Mapping[str, Any], config: Mapping[str, Any], resources: Resources, *, compacts: bool = False
    ) -> ChildMemory:
        """The memory, not started yet."""
        launch = Launch(
            argv=[self._interpreter(settings["python"], resources), str(_HOST), self.kind],
            memory_config=config,
            kind=self.kind,
            compacts=compacts,
            settle_s=settings["settle_s"],
            # What foldproof's own interpreter is told to import is not for another one.
            environ={**_SILENT, "PYTHONPATH": ""} if settings["python"] else _SILENT,
            remedy=f'install "foldproof[{self.extra}]" there, or the package alone',
        )
        return ChildMemory(launch, resources)

    def _interpreter(self, python: str | None, resources: Resources) -> str:
        if python is None:
            try:
                distribution(self.package)
            except PackageNotFoundError:
                missing = MissingExtraError(f"memory '{self.kind}'", self.package, self.extra)
                hint = "or name an interpreter that has it: `python: .venvs/…/bin/python`"
                raise UsageError(f"{missing}\n  {hint}") from None
            return sys.executable
        # Joined and not resolved: the interpreter of a virtual environment is a link, and what it is called counts.
        place = str(resources.root / python) if "/" in python else python
        found = shutil.which(place, path=resources.environ.get("PATH", os.defpath))
        if found is None:
            raise UsageError(
                f"memory '{self.kind}': `python` is {python!r}, where no interpreter can be run\n"
                f"  {place} must be executable; a path is taken from the project's folder"
            )
        return found


_MEM0 = Vendor(
    "mem0",
    "mem0ai",
    "mem0",
    {
        "k": 8,
        "threshold": number(0.1),
        "infer": switch(default=True),
        "instructions": text(),
        "model": mapping(),
        "embed": mapping(),
    },
)
_LANGGRAPH = Vendor(
    "langgraph", "langgraph", "langgraph", {"k": 8, "embed": mapping(), "model": mapping(), "summarize": mapping()}
)
_MCP = Vendor(
    "mcp",
    "mcp",
    "mcp",
    {
        "k": 8,
        "command": _COMMAND,
        "env": mapping(),
        "search": text("words", allowed=("words", "question")),
        "tools": mapping(),
        "writes": text("serial", allowed=("serial", "concurrent")),
    },
)
_OPENAI_AGENTS = Vendor("openai_agents", "openai-agents", "openai-agents", {"k": whole(None)})


def mem0(settings: Mapping[str, Any], resources: Resources) -> ChildMemory:
    """mem0, with FAISS on disk.

    Raises:
        UsageError: where settings, model or package are missing.
    """
    read = _MEM0.read(settings)
    model = _model_of("mem0", read["model"], resources)
    if read["infer"] and not (model.get("name") and model.get("base_url")):
        raise UsageError(
            "memory 'mem0' extracts facts with a model, and none is configured\n"
            "  write `model: {base_url: …, name: …}`, or `infer: false` to store the messages as they are"
        )
    embed = _embed_of("mem0", read["embed"], resources)
    config = {
        **{name: read[name] for name in ("k", "threshold", "infer", "instructions")},
        "model": model,
        "embed": embed,
    }
    return _MEM0.memory(read, config, resources)


def langgraph(settings: Mapping[str, Any], resources: Resources) -> ChildMemory:
    """LangGraph's store, or with `summarize` a thread that LangMem folds.

    Raises:
        UsageError: as `mem0`.
    """
    read = _LANGGRAPH.read(settings)
    if "summarize" not in settings:
        embed = _embed_of("langgraph", read["embed"], resources) if "embed" in settings else None
        return _LANGGRAPH.memory(read, {"k": read["k"], "embed": embed}, resources)
    summarize = read_settings("langgraph.summarize", _SUMMARIZE, read["summarize"])
    if summarize["max_summary_tokens"] >= summarize["max_tokens"]:
        raise UsageError("memory 'langgraph': `summarize` needs `max_summary_tokens` below `max_tokens`")
    for name in ("k", "embed"):
        if name in settings:
            raise UsageError(f"memory 'langgraph': `{name}` plays no part with `summarize`\n  leave one of them out")
    model = _model_of("langgraph", read["model"], resources)
    if not (model.get("name") and model.get("base_url")):
        raise UsageError(
            "memory 'langgraph' summarizes with a model, and none is configured\n"
            "  write `model: {base_url: …, name: …}`"
        )
    return _LANGGRAPH.memory(read, {"summarize": summarize, "model": model}, resources, compacts=True)


def mcp(settings: Mapping[str, Any], resources: Resources) -> ChildMemory:
    """A memory server of the Model Context Protocol over stdio.

    Raises:
        UsageError: as `mem0`, or where the server cannot be run.
    """
    read = _MCP.read(settings)
    if read["command"] is None:
        raise UsageError(
            "memory 'mcp' has no `command` that starts a server\n"
            f"  for instance `npm install @modelcontextprotocol/server-memory`, then `command: [node, {_SERVER}]`"
        )
    command = list(read["command"])
    command[0] = _program("mcp", command[0], resources)
    tools = {}
    for name, tool in read["tools"].items():
        if name not in _TOOLS or not isinstance(tool, Mapping):
            raise UsageError(
                f"memory 'mcp': `tools` has {name!r}: {tool!r}, where a tool is expected\n"
                f"  {nearest_of(name, _TOOLS)}; for instance `search: {{tool: search_notes, query: query}}`"
            )
        tools[name] = read_settings(f"mcp.tools.{name}", _TOOL, tool)
        if tools[name]["tool"] is None:
            raise UsageError(f"memory 'mcp': `tools.{name}` names no `tool`\n  for instance `{{tool: search_notes}}`")
    if tools and not {"write", "search"} <= tools.keys():
        raise UsageError("memory 'mcp': `tools` needs at least `write` and `search`")
    config = {
        **{name: read[name] for name in ("k", "search", "writes")},
        "command": command,
        "env": {"MEMORY_FILE_PATH": "{folder}/memory.jsonl", **read["env"]},
        "tools": tools,
        "root": str(resources.root),
    }
    return _MCP.memory(read, config, resources, compacts="fold" in tools)


def openai_agents(settings: Mapping[str, Any], resources: Resources) -> ChildMemory:
    """The OpenAI Agents SDK's session in an SQLite file.

    Raises:
        UsageError: as `mem0`.
    """
    read = _OPENAI_AGENTS.read(settings)
    return _OPENAI_AGENTS.memory(read, {"k": read["k"]}, resources)


def process(settings: Mapping[str, Any], resources: Resources) -> ChildMemory:
    """Any program that speaks `foldproof-memory/1`; what is not known here is handed to it.

    Raises:
        UsageError: where the program cannot be run.
    """
    known = {"command": _COMMAND, "settle_s": number(10.0)}
    read = read_settings("process", known, {name: settings[name] for name in known if name in settings})
    if read["command"] is None:
        raise UsageError("memory 'process' has no `command`\n  for instance `command: [python3, my_memory.py]`")
    argv = list(read["command"])
    argv[0] = _program("process", argv[0], resources)
    config = {name: value for name, value in settings.items() if name not in known}
    launch = Launch(argv, config, "process", compacts=True, settle_s=read["settle_s"])
    return ChildMemory(launch, resources)


def _model_of(kind: str, given: Mapping[str, Any], resources: Resources) -> dict[str, Any]:
    """The model that the memory asks: its own, else the configuration's, through the wire where that one is tapped."""
    own = {name: value for name, value in read_settings(f"{kind}.model", _MODEL, given).items() if value is not None}
    theirs = {name: resources.model[name] for name in _MODEL if resources.model.get(name) is not None}
    upstream = theirs.get("base_url") or resources.environ.get("OPENAI_BASE_URL")
    found = {**({"base_url": upstream} if upstream else {}), **theirs, **own}
    if resources.tap.wire_url and own.get("base_url", upstream) == upstream:
        found["base_url"] = resources.tap.wire_url
    return found


def _embed_of(kind: str, given: Mapping[str, Any], resources: Resources) -> dict[str, Any]:
    """Where embeddings come from. They never go over the wire: they are no talk with a model."""
    read = read_settings(f"{kind}.embed", _EMBED, given)
    read["base_url"] = read["base_url"] or resources.model.get("base_url") or resources.environ.get("OPENAI_BASE_URL")
    if not read["base_url"]:
        raise UsageError(
            f"memory '{kind}' searches by embeddings, and none are configured\n"
            "  write `embed: {base_url: …, name: …}` with an OpenAI-compatible address"
        )
    return read


def _program(kind: str, program: str, resources: Resources) -> str:
    place = str(resources.root / program) if "/" in program else program
    if shutil.which(place, path=resources.environ.get("PATH", os.defpath)) is None:
        raise UsageError(
            f"memory '{kind}': the program `{program}` of `command` cannot be run\n"
            f"  it must be executable and stand {f'below {resources.root}' if '/' in program else 'on the PATH'}"
        )
    return place
