"""The model of a configuration: which endpoint it stands behind, and the settings that are sent with each call."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from foldproof.agents.endpoint import Chat, Endpoint, base_of, headers_of, is_address, price_of, settings_json
from foldproof.agents.pool import Pool
from foldproof.agents.shapes import number_of
from foldproof.core import UsageError

if TYPE_CHECKING:
    from foldproof.agents.memories import Resources

_TAKEN = ("messages", "tools", "functions", "user", "n", "stream")
"""What a call holds by itself."""
_OWN = ("base_url", "api_key_env", "headers", "price", "temperature")
"""What must not be mistyped: anything else is sent as it stands, to wherever the environment points."""
_NEAR = 0.75


def chat_of(
    model: Mapping[str, Any], environ: Mapping[str, str], pool: Pool, *, place: str, wire_url: str = ""
) -> Chat:
    """The chat completions of a configuration's `model`.

    Without `base_url` it is that of `OPENAI_BASE_URL`. Where `wire_url` is given, calls go there instead: whoever
    listens forwards them.

    Raises:
        UsageError: where the model has no name or no address, or a setting that cannot be used.
    """
    check_model(model, place)
    endpoint = endpoint_of(model, environ, pool, place=f"{place}: model", wire_url=wire_url)
    return Chat(endpoint, settings_json(model, place), price_of(model.get("price"), place))


def endpoint_of(
    settings: Mapping[str, Any], environ: Mapping[str, str], pool: Pool, *, place: str, wire_url: str = ""
) -> Endpoint:
    """The server that settings name by `base_url`, `api_key_env` and `headers`.

    Raises:
        UsageError: where they name none.
    """
    url = settings.get("base_url") or environ.get("OPENAI_BASE_URL", "")
    if not url:
        raise UsageError(
            f"{place}: there is no `base_url`, and the environment variable `OPENAI_BASE_URL` is not set\n"
            "  write where it is served: `base_url: http://localhost:11434/v1`"
        )
    if not is_address(url):
        raise UsageError(
            f"{place}: `base_url` is {url!r}, where a URL is expected\n  for instance http://localhost:11434/v1"
        )
    headers, redact = headers_of(settings.get("headers"), settings.get("api_key_env"), environ, place)
    return Endpoint(base_of(wire_url or url), headers, redact, pool)


def check_model(model: Mapping[str, Any], place: str) -> None:
    """See that a model can be asked as its settings say.

    Raises:
        UsageError: where the name is missing, or a setting is of the wrong type or not for a user to set.
    """
    name = model.get("name")
    if not isinstance(name, str) or not name.strip():
        told = "has no `name`" if name is None else f"has the name {name!r}"
        raise UsageError(
            f'{place}: the model {told}\n  write `model: {{base_url: http://localhost:11434/v1, name: "qwen2.5:7b"}}`'
        )
    for taken in _TAKEN:
        if taken in model:
            raise UsageError(f"{place}: the model's `{taken}` cannot be set: each call has its own\n  leave it out")
    for setting in model:
        near = difflib.get_close_matches(setting, _OWN, n=1, cutoff=_NEAR)
        if near and setting not in _OWN:
            raise UsageError(f"{place}: the model has no setting `{setting}`\n  did you mean `{near[0]}`?")
    for setting, (holds, takes) in _TYPES.items():
        if setting in model and not holds(model[setting]):
            raise UsageError(
                f"{place}: the model's `{setting}` is {model[setting]!r}, where {takes} is expected\n"
                "  leave it out, or write a number without quotes"
            )


def memory_wire(settings: Mapping[str, Any], resources: Resources) -> str:
    """Where the calls of a memory's own model go to be watched: the trial's tap, if it leads to the same server.

    The proxy forwards to the configuration's model; a memory with a model elsewhere is not watched.
    """
    usual = resources.environ.get("OPENAI_BASE_URL", "")
    here, there = (part.get("base_url") or usual for part in (settings, resources.model))
    same = isinstance(here, str) and isinstance(there, str) and base_of(here) == base_of(there)
    return resources.tap.wire_url if same else ""


def steadiness_notes(model: Mapping[str, Any]) -> tuple[str, ...]:
    """What the reader of a report should know of how steadily this model answers."""
    if "temperature" not in model:
        return ("the model has no `temperature`: the endpoint's own holds, and answers may differ; 0 is steadier",)
    if model["temperature"] != 0:
        return (f"the model's temperature is {model['temperature']}: answers may differ from run to run",)
    return ()


def _is_number(value: Any) -> bool:  # noqa: ANN401  # any value of a file
    return number_of(value) is not None


def _is_whole(value: Any) -> bool:  # noqa: ANN401  # any value of a file
    return isinstance(value, int) and not isinstance(value, bool)


_TYPES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "temperature": (lambda value: _is_number(value) and value >= 0, "a number from 0"),
    "top_p": (_is_number, "a number"),
    "seed": (_is_whole, "a whole number"),
    "max_tokens": (lambda value: _is_whole(value) and value >= 1, "a whole number from 1"),
}
