"""The reference compactors by name, each made of its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, cast

from foldproof.compaction.knowledge import CLASS_OF, KnowledgeType
from foldproof.compaction.pinned import Pinned
from foldproof.compaction.policies import POLICIES, Compress, Gist, Merge, Policy, Rewrite, Verbatim
from foldproof.compaction.records import Compactor, CompactorKind
from foldproof.compaction.salience import Salience
from foldproof.compaction.selecting import Selecting
from foldproof.compaction.triage import Triage
from foldproof.compaction.truncating import Head, HeadTail, Tail, Uniform
from foldproof.compaction.update_aware import UpdateAware
from foldproof.core import UsageError, nearest_of
from foldproof.core.settings import Setting, mapping, read_settings, text

_POLICIES: Mapping[str, Policy] = {
    policy.name: policy for policy in (Verbatim(), Rewrite(), Compress(), Merge(), Gist())
}
INNER: Mapping[str, Callable[[], Selecting]] = {
    "head": Head,
    "head_tail": HeadTail,
    "salience": Salience,
    "tail": Tail,
    "uniform": Uniform,
}


def policies_of(
    given: Mapping[str, Any], *, owner: str, usual: Mapping[KnowledgeType, Policy] = POLICIES
) -> dict[KnowledgeType, Policy]:
    """The policies that a setting `policies: {belief: gist, …}` names, those of `usual` for the other types.

    Raises:
        UsageError: for an unknown type or policy; `owner` says whose setting it is.
    """
    found = dict(usual)
    for kind, name in given.items():
        if kind not in CLASS_OF:
            raise UsageError(f"{owner}: `policies` has the type {kind!r}\n  {nearest_of(str(kind), CLASS_OF)}")
        if not isinstance(name, str) or name not in _POLICIES:
            raise UsageError(f"{owner}: `policies.{kind}` is {name!r}\n  {nearest_of(str(name), _POLICIES)}")
        found[cast("KnowledgeType", kind)] = _POLICIES[name]
    return found


def triage(settings: Mapping[str, Any], setup: object = None) -> Triage:
    """Triage by rules, with the policies that the setting names.

    Raises:
        UsageError: for an unknown setting, type or policy.
    """
    read = _read("triage", {"policies": mapping()}, settings, setup)
    policies = policies_of(read["policies"], owner=_place_of(setup, "triage"))
    return Triage(policies=policies, name=_name_of(setup, "triage"))


def _name_of(setup: object, kind: str) -> str:
    """The name under which it was declared, that of its kind where it was not."""
    return str(getattr(setup, "name", kind))


def _place_of(setup: object, kind: str) -> str:
    return str(getattr(setup, "place", f"compactor '{kind}'"))


def _read(kind: str, known: Mapping[str, Setting], settings: Mapping[str, Any], setup: object) -> dict[str, Any]:
    beside = getattr(setup, "beside", ())
    return read_settings(kind, known, settings, place=_place_of(setup, kind), beside=beside)


def _plain(kind: str, make: Callable[..., Selecting]) -> CompactorKind:
    def made(settings: Mapping[str, Any], setup: object = None) -> Compactor:
        _read(kind, {}, settings, setup)
        return make(name=_name_of(setup, kind))

    return made


def _around(kind: str, make: Callable[..., Selecting]) -> CompactorKind:
    def made(settings: Mapping[str, Any], setup: object = None) -> Compactor:
        known = {"inner": text("tail", allowed=tuple(INNER))}
        inner = INNER[_read(kind, known, settings, setup)["inner"]]()
        return make(inner, name=_name_of(setup, kind))

    return made


head = _plain("head", Head)
head_tail = _plain("head_tail", HeadTail)
pinned = _around("pinned", Pinned)
salience = _plain("salience", Salience)
tail = _plain("tail", Tail)
uniform = _plain("uniform", Uniform)
update_aware = _around("update_aware", UpdateAware)
window = _plain("window", Tail)
REFERENCE: Mapping[str, str] = MappingProxyType(
    {
        "head": f"{__name__}:head",
        "head_tail": f"{__name__}:head_tail",
        "pinned": f"{__name__}:pinned",
        "salience": f"{__name__}:salience",
        "tail": f"{__name__}:tail",
        "triage": f"{__name__}:triage",
        "uniform": f"{__name__}:uniform",
        "update_aware": f"{__name__}:update_aware",
        "window": f"{__name__}:window",
    }
)
"""The places of the reference compactors, as a registry takes them: each is a `CompactorKind`."""
