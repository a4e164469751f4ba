"""Expected facts as a file writes them: a fact, by choice with where it comes from and how long it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from foldproof.cases.facts import FACT_KINDS, FACT_SCHEMA, fact_of, fact_value
from foldproof.cases.faults import Fault, quoted
from foldproof.cases.nodes import resolve
from foldproof.cases.provenance import Provenance, source_of
from foldproof.cases.wire_types import text_of
from foldproof.core import nearest_of
from foldproof.matching import Fact

_ABOUT = ("source", "computed", "valid_from", "superseded_by", "reviewed")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class AgedFact:
    """An expected fact with what the file says of it, `sources` as they are written; None where it says nothing."""

    fact: Fact
    about: Provenance | None = None
    sources: tuple[str, ...] = field(default=())

    @property
    def provenance(self) -> Provenance | None:
        """What the file says of the fact, without the sources that are of no known form."""
        found = tuple(source for text in self.sources if (source := source_of(text)))
        about = self.about
        return about and Provenance(found, about.computed, about.valid_from, about.superseded_by, about.reviewed)


def aged_fact_of(value: Any) -> AgedFact:  # noqa: ANN401  # any value of a file
    """An expected fact as the file writes it: as any fact, or under `fact` or its kind with what is said of it beside.

    Raises:
        Fault: for anything that is no such fact.
    """
    if not isinstance(value, dict) or not ({"fact", *_ABOUT} & set(value)):
        return AgedFact(fact_of(value))
    rest = {key: item for key, item in value.items() if key not in _ABOUT}
    if len(rest) != 1:
        found = ", ".join(f"`{key}`" for key in rest) or "none"
        raise Fault(f"needs exactly one fact beside what is said of it, found {found}", "write the fact under `fact`")
    ((kind, inner),) = rest.items()
    if kind not in {"fact", *FACT_KINDS}:
        raise Fault(f"has an unknown field `{kind}`", nearest_of(kind, ("fact", *FACT_KINDS, *_ABOUT)))
    fact = Fact("normalized", text_of(inner)) if kind == "fact" else fact_of(rest)
    return AgedFact(fact, _about(value), _sources(value.get("source", [])))


def _about(value: Mapping[str, Any]) -> Provenance:
    computed = resolve(value.get("computed", False))
    if not isinstance(computed, bool):
        raise Fault(f"has `computed` {quoted(value['computed'])}", "write `true` or `false`, without quotes")
    newer = value.get("superseded_by")
    return Provenance(
        computed=computed,
        valid_from=day_of(value["valid_from"]) if "valid_from" in value else None,
        superseded_by=None if newer is None else _newer(newer),
        reviewed=day_of(value["reviewed"]) if "reviewed" in value else None,
    )


def _newer(value: Any) -> Fact:  # noqa: ANN401  # any value of a file
    fact = fact_of(value)
    if fact.kind == "normalized" and source_of(fact.text):
        raise Fault(
            f"has `superseded_by` {quoted(fact.text)}, which looks like a turn",
            "write the fact that took its place: `superseded_by: 12 Canal Street`",
        )
    return fact


def _sources(value: Any) -> tuple[str, ...]:  # noqa: ANN401  # any value of a file
    return tuple(text_of(item) for item in (value if isinstance(value, list) else [value]))


def day_of(value: Any) -> date:  # noqa: ANN401  # any value of a file
    """A day, `YYYY-MM-DD`.

    Raises:
        Fault: for anything else, and for a day that does not exist.
    """
    text = text_of(value)
    try:
        return date.fromisoformat(text if _DAY.fullmatch(text) else "")
    except ValueError:
        raise Fault(f"has {quoted(text)}, which is no day", "write it as YYYY-MM-DD, such as 2026-03-04") from None


def aged_value(fact: Fact, about: Provenance | None) -> Any:  # noqa: ANN401  # a text or a mapping
    """The expected fact as the file writes it."""
    value = fact_value(fact)
    if about is None:
        return value
    sources = [str(source) for source in about.source]
    said: dict[str, Any] = {
        "source": sources if len(sources) != 1 else sources[0],
        "computed": about.computed,
        "valid_from": about.valid_from and about.valid_from.isoformat(),
        "superseded_by": about.superseded_by and fact_value(about.superseded_by),
        "reviewed": about.reviewed and about.reviewed.isoformat(),
    }
    return {
        **(value if isinstance(value, dict) else {"fact": value}),
        **{key: item for key, item in said.items() if item},
    }


_DAY_SCHEMA = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
_TEXTS = {"type": "array", "items": {"type": "string", "minLength": 1}}
_TEXT_SCHEMA = {"type": ["string", "number"], "minLength": 1}
_AGED_SCHEMA: dict[str, Any] = {
    "anyOf": [
        _TEXT_SCHEMA,
        {
            "type": "object",
            "additionalProperties": False,
            "oneOf": [{"required": [kind]} for kind in ("fact", *FACT_KINDS)],
            "properties": {
                "fact": _TEXT_SCHEMA,
                **{
                    kind: inner
                    for branch in FACT_SCHEMA["anyOf"]
                    for kind, inner in branch.get("properties", {}).items()
                },
                "source": {"anyOf": [{"type": "string", "minLength": 1}, _TEXTS]},
                "computed": {"type": "boolean"},
                "valid_from": _DAY_SCHEMA,
                "superseded_by": {"type": ["string", "number", "object"]},
                "reviewed": _DAY_SCHEMA,
            },
        },
    ]
}
WireAgedFact = Annotated[AgedFact, PlainValidator(aged_fact_of), WithJsonSchema(_AGED_SCHEMA)]
WireDay = Annotated[date, PlainValidator(day_of), WithJsonSchema(_DAY_SCHEMA)]
