"""Where the proxy sends what it gets: the models behind the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from foldproof.agents.endpoint import base_of
from foldproof.agents.watch import WatchSetup
from foldproof.agents.wire.exchange import after_v1
from foldproof.core import UsageError, nearest_of

_SETTINGS = ("anthropic", "openai")
_OPENAI = "https://api.openai.com/v1"
_ANTHROPIC = "https://api.anthropic.com"


@dataclass(frozen=True, slots=True)
class Upstreams:
    """The base URLs, without a slash at the end; `openai` ends as its clients have it, usually in `/v1`."""

    openai: str
    anthropic: str

    def url_of(self, path: str, *, anthropic: bool) -> str:
        """The address of a request whose path, with its query, follows the trial's own part."""
        bare = after_v1(path)
        return f"{self.anthropic}/v1{bare}" if anthropic else f"{self.openai}{bare}"


def upstreams_of(setup: WatchSetup) -> Upstreams:
    """The upstreams that settings, the configuration's model and the environment name, in this order.

    Raises:
        UsageError: for an unknown setting, or a value that is no address.
    """
    from foldproof.cases import expand  # brings the YAML reader

    for name in setup.settings:
        if name not in (*_SETTINGS, "on"):
            raise UsageError(f"{setup.place}: unknown setting `{name}`\n  {nearest_of(name, _SETTINGS)}")
    settings: Mapping[str, Any] = expand(setup.settings, setup.environ, setup.place)
    environ = setup.environ
    base_url = expand(setup.model_settings.get("base_url"), environ, f"{setup.place.rpartition('.')[0]}.model.base_url")
    return Upstreams(
        openai=_first(
            (f"{setup.place}.openai", settings.get("openai")),
            (f"{setup.place}: the model's `base_url`", base_url),
            ("the environment variable `OPENAI_BASE_URL`", environ.get("OPENAI_BASE_URL") or None),
            ("the environment variable `OPENAI_API_BASE`", environ.get("OPENAI_API_BASE") or None),
            ("", _OPENAI),
        ),
        anthropic=_first(
            (f"{setup.place}.anthropic", settings.get("anthropic")),
            ("the environment variable `ANTHROPIC_BASE_URL`", environ.get("ANTHROPIC_BASE_URL") or None),
            ("", _ANTHROPIC),
        ).removesuffix("/v1"),
    )


def _first(*candidates: tuple[str, Any]) -> str:
    place, value = next((place, value) for place, value in candidates if value is not None)
    fault = _fault_of(value)
    if fault:
        raise UsageError(
            f"{place} is {value!r}: {fault}\n  write a base URL as clients have it: http://localhost:8000/v1"
        )
    return base_of(str(value))


def _fault_of(value: Any) -> str:  # noqa: ANN401  # any value of a file
    if not isinstance(value, str):
        return "it is no text"
    try:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            return "it is no address"
    except ValueError:  # a bracket that does not close, a port that is no number
        return "it is no address"
    if parts.username or parts.password:
        return "it holds a user name or a password, which belong into the headers that the agent sends"
    return "it has a query or a fragment" if parts.query or parts.fragment else ""


def detour(url: str, environ: Mapping[str, str]) -> str | None:
    """The HTTP proxy that the environment names for this address, as the agent's own client would take it."""
    parts = urlsplit(url)
    names = (f"{parts.scheme}_proxy", f"{parts.scheme}_proxy".upper(), "all_proxy", "ALL_PROXY")
    found = next((environ[name] for name in names if environ.get(name)), "")
    kept_off = (environ.get("no_proxy") or environ.get("NO_PROXY") or "").split(",")
    host, place = parts.hostname or "", parts.netloc.lower()
    if any(_covers(entry.strip().lower(), host, place) for entry in kept_off):
        return None
    return found if found.startswith(("http://", "https://")) else None


def _covers(entry: str, host: str, place: str) -> bool:
    """Whether an entry of `NO_PROXY` names this host: itself, with its port, a domain above it, or all."""
    return bool(entry) and (entry in ("*", host, place) or host.endswith("." + entry.lstrip("*").lstrip(".")))
