"""The wire models of the project file, and how an agent may be written."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from foldproof.cases.addresses import Addresses, command_of, module_of, url_of
from foldproof.cases.compactor_wire import Declared
from foldproof.cases.faults import Fault, quoted
from foldproof.cases.nodes import FORMAT, Plain, resolve
from foldproof.cases.wire_types import (
    Amount,
    AmountFromZero,
    Count,
    CountFromZero,
    Flag,
    FreeMapping,
    Text,
    Version,
    Wire,
    text_of,
)

_CONFIG = re.compile(r"[^\s/\x00-\x1f\x7f]{1,80}")
_HISTORY = ("omit", "messages")
_FORMS = (
    "allowed: `recall`, `chat`, `python:module:name`, `{command: [node, agent.js]}`, `{http: http://…}`, "
    "a plugin's name"
)


def agent_of(value: Any) -> dict[str, Any]:  # noqa: ANN401  # any value of a file
    """The agent as `Configuration.agent` documents it: the first key is the adapter.

    Raises:
        Fault: for anything that names no agent.
    """
    agent = _AGENTS.read(value)
    if "http" in agent and agent.get("history", "omit") not in _HISTORY:
        raise Fault(f"has the `history` {quoted(agent['history'])}", "allowed: `omit`, `messages`")
    return agent


def _recall(value: Any) -> str:  # noqa: ANN401  # any value of a file
    if resolve(value) not in {None, ""}:
        raise Fault(f"gives `recall` the value {quoted(value)}", "write `agent: recall`; settings stand under `memory`")
    return ""


def _chat(value: Any) -> Any:  # noqa: ANN401  # any value of a file
    settings = resolve(value)
    if settings in ({}, None, ""):
        return ""
    if not isinstance(settings, dict):
        raise Fault(f"gives `chat` the value {quoted(value)}", "write `agent: chat`, or a mapping of its settings")
    return settings


_AGENTS = Addresses(
    "agent",
    {"recall": _recall, "chat": _chat, "python": module_of, "command": command_of, "http": url_of},
    _FORMS,
)


def _memory(value: Any) -> Any:  # noqa: ANN401  # any value of a file
    if isinstance(value, str) and value == "external":
        return {"kind": "external"}
    if isinstance(value, str) and value:
        raise Fault(f"cannot be {quoted(value)}", f"allowed: `external`, or a mapping: {{kind: {value}}}")
    if isinstance(value, Plain):
        raise Fault("is empty", "write `{kind: verbatim, k: 8}`, or leave the field out")
    memory = resolve(value)
    if isinstance(memory, dict) and not isinstance(memory.get("kind", ""), str):
        raise Fault(f"has the kind {quoted(memory['kind'])}", "`kind` is the name of a memory, as text")
    return memory


def _config_name(value: Any) -> str:  # noqa: ANN401  # any value of a file
    text = text_of(value)
    if not _CONFIG.fullmatch(text):
        raise Fault(f"cannot be {quoted(text)}", "allowed: 1 to 80 characters, no white space, no `/`")
    if text.isdecimal() or text == "latest":
        raise Fault(f"cannot be {quoted(text)}", "runs are named so: a number is a run's, `latest` the newest run's")
    return text


_AGENT_SCHEMA: dict[str, Any] = {"anyOf": [{"type": "string", "minLength": 1}, {"type": "object", "minProperties": 1}]}
_MEMORY_SCHEMA: dict[str, Any] = {"anyOf": [{"const": "external"}, {"type": "object"}]}
_NAME_SCHEMA = {"type": "string", "pattern": r"^(?!(?:[0-9]+|latest)$)[^\s/]{1,80}$"}
ConfigName = Annotated[str, BeforeValidator(_config_name), WithJsonSchema(_NAME_SCHEMA)]


def _watched(value: Any) -> dict[str, Any]:  # noqa: ANN401  # any value of a file
    """`on`, `off`, or a mapping of settings, which is on."""
    if isinstance(value, dict) and value:
        settings = resolve(value)
        if "on" in settings:
            raise Fault("has the setting `on`", "a mapping is on: leave it out, or write `off` in place of the mapping")
        return {str(key): item for key, item in settings.items()}
    said = resolve(value)
    if said in (True, "on", "true"):
        return {}
    if said in (False, "off", "false"):
        return {"on": False}
    raise Fault(f"cannot be {quoted(value)}", "allowed: `on`, `off`, or a mapping of settings")


_WATCH_SCHEMA: dict[str, Any] = {
    "anyOf": [{"enum": ["on", "off", True, False]}, {"type": "object", "minProperties": 1}]
}
Watched = Annotated[dict[str, Any], BeforeValidator(_watched), WithJsonSchema(_WATCH_SCHEMA)]


class ConfigWire(Wire):
    """One configuration, before `extends` is applied."""

    extends: Text | None = None
    agent: Annotated[dict[str, Any], BeforeValidator(agent_of), WithJsonSchema(_AGENT_SCHEMA)] | None = None
    model: FreeMapping = Field(default_factory=dict)
    memory: Annotated[dict[str, Any], BeforeValidator(_memory), WithJsonSchema(_MEMORY_SCHEMA)] = Field(
        default_factory=dict
    )
    folds: CountFromZero | None = None
    wire: Watched | None = None
    otel: Watched | None = None


class RepeatsWire(Wire):
    """Trials a case."""

    always: Count = 1
    borderline: Count = 3


class LimitsWire(Wire):
    """How far a run may go."""

    concurrency: Count = 8
    timeout_s: Amount = 120.0
    retries: CountFromZero = 4
    max_cost_usd: AmountFromZero | None = None
    max_time_s: Amount | None = None


def _key(value: Any) -> str:  # noqa: ANN401  # any value of a file
    text = text_of(value)
    if not _VARIABLE.fullmatch(text):
        raise Fault("must name an environment variable, not hold a key", "write `api_key: ${JUDGE_KEY}`")
    return text


def _seed(value: Any) -> int:  # noqa: ANN401  # any value of a file
    found = resolve(value)
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    raise Fault(f"must be a whole number, not {quoted(value)}", "write it without quotes")


def _still(value: Any) -> int:  # noqa: ANN401  # any value of a file
    found = resolve(value)
    if found == 0 and not isinstance(found, bool):
        return 0
    raise Fault(f"must be 0, not {quoted(value)}", "a judge does not draw lots: leave it out, 0 is what is sent")


def _parameters(value: Any) -> dict[str, Any]:  # noqa: ANN401  # any value of a file
    found = resolve(value)
    if not isinstance(found, dict):
        raise Fault(f"must be a mapping, not {quoted(value)}", "write `{reasoning_effort: low}`, or leave it out")
    for taken in _TAKEN_OF_JUDGE:
        if taken in found:
            raise Fault(f"cannot set `{taken}`", "it has a place of its own, or is the judge's own business")
    return {str(key): item for key, item in found.items()}


_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_TAKEN_OF_JUDGE = (
    *("messages", "tools", "functions", "user", "n", "stream", "model", "name", "response_format"),
    *("temperature", "seed", "max_tokens", "base_url", "api_key", "api_key_env", "headers", "price"),
)


class PriceWire(Wire):
    """What a model costs, in US dollars per million tokens."""

    input: AmountFromZero
    output: AmountFromZero


class JudgeSettingsWire(Wire):
    """How the judge of the set is reached, and what goes with every question."""

    base_url: Text = ""
    api_key: Annotated[str, BeforeValidator(_key), WithJsonSchema({"type": "string", "pattern": r"^\$\{\w+\}$"})] = ""
    temperature: Annotated[int, BeforeValidator(_still), WithJsonSchema({"const": 0})] = 0
    seed: Annotated[int, BeforeValidator(_seed), WithJsonSchema({"type": "integer"})] = 7
    repeats: Count = 1
    max_tokens: Count | None = None
    json_schema: Flag = True
    price: PriceWire | None = None
    parameters: Annotated[dict[str, Any], BeforeValidator(_parameters), WithJsonSchema({"type": "object"})] = Field(
        default_factory=dict
    )


class HoldoutWire(Wire):
    """The sealed second set."""

    file: Text
    log: Text | None = None
    most_openings: CountFromZero | None = None


class ProjectWire(Wire):
    """The project file. It has configurations, or at least compactors, which need none."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["configs"]}, {"required": ["compactors"]}]})

    foldproof: Version = FORMAT
    replay_set: Text = "replay.yaml"
    baseline: Text | None = None
    baseline_file: Text | None = None
    store: Text = "sqlite:///.foldproof/runs.db"
    repeats: RepeatsWire = Field(default_factory=RepeatsWire)
    limits: LimitsWire = Field(default_factory=LimitsWire)
    judge: JudgeSettingsWire = Field(default_factory=JudgeSettingsWire)
    simulator: FreeMapping = Field(default_factory=dict)
    holdout: HoldoutWire | None = None
    compactors: dict[ConfigName, Declared] = Field(default_factory=dict, min_length=1)
    configs: dict[ConfigName, ConfigWire] = Field(default_factory=dict, min_length=1)
