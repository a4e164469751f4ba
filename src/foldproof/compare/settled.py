"""The claims that a person settled where two judges disagreed: a file in git, which others review."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from foldproof.cases import shown
from foldproof.cases.writing import write_atomically
from foldproof.core import FileError, Problem
from foldproof.record import Claim, VerdictWord
from foldproof.score import Settlement

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Said:
    """One judge's side of a disagreement: its name, its verdict, the passage that it quotes and its reason."""

    judge: str
    verdict: VerdictWord
    quotation: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SettledClaim:
    """A claim with what both judges said of it and what a person decided. `case` is where it came from."""

    case: str
    claim: Claim
    verdict: Literal["met", "not met"]
    old: Said
    new: Said

    @property
    def settlement(self) -> Settlement:
        """The decision as scoring takes it, with the quotation of a side that it agrees with."""
        agreeing = next((side for side in (self.new, self.old) if side.verdict == self.verdict), None)
        return Settlement(self.verdict, agreeing.quotation if agreeing else "")


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class _WireSaid(_Wire):
    judge: str
    verdict: VerdictWord
    quotation: str = ""
    reason: str = ""


class _WireClaim(_Wire):
    id: str
    case: str
    question: str
    fact: str
    answer: list[str] = Field(description="the answer in full, line by line")
    verdict: Literal["met", "not met"] = Field(description="what a person decided")
    old: _WireSaid
    new: _WireSaid


class _WireSettled(_Wire):
    foldproof: Literal[1]
    kind: Literal["settled claims"] = "settled claims"
    claims: list[_WireClaim]


def load_settled(path: Path) -> tuple[SettledClaim, ...]:
    """The settled claims of a file; none where it does not exist.

    Raises:
        FileError: for a file that cannot be read, is damaged, or is from a newer version.
    """
    if not path.exists():
        return ()
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _unusable(path, f"the settled claims cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _unusable(path, f"the settled claims are not JSON: {error}") from error
    version = document.get("foldproof") if isinstance(document, dict) else None
    if isinstance(version, int) and version > FORMAT:
        told = f"written by a newer foldproof (format {version}; this one reads {FORMAT})"
        raise _unusable(path, told, "upgrade foldproof")
    try:
        wire = _WireSettled.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the document"
        raise _unusable(path, f"the settled claims are damaged at `{place}`: {first['msg']}") from error
    claims = tuple(_read(entry) for entry in wire.claims)
    for entry, read in zip(wire.claims, claims, strict=True):
        if entry.id != read.claim.id:
            told = f"claim '{entry.id}' was changed: with this question, fact and answer it is '{read.claim.id}'"
            raise _unusable(path, told)
    decided: dict[str, str] = {}
    for entry in wire.claims:
        if decided.setdefault(entry.id, entry.verdict) != entry.verdict:
            told = f"claim '{entry.id}' is settled twice, as '{decided[entry.id]}' and as '{entry.verdict}'"
            raise _unusable(path, told, "decide on one of the two, and take the other out")
    return claims


def save_settled(path: Path, claims: Iterable[SettledClaim]) -> None:
    """Write the file anew, whole or not at all, in the order of the cases.

    Raises:
        UsageError: where it cannot be written.
    """
    ordered = sorted(claims, key=lambda settled: (settled.case, settled.claim.id))
    document = {"foldproof": FORMAT, "kind": "settled claims", "claims": [_entry(settled) for settled in ordered]}
    content = (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")
    write_atomically(path, content)


def _entry(settled: SettledClaim) -> dict[str, Any]:
    claim = settled.claim
    return {
        "id": claim.id,
        "case": settled.case,
        "question": claim.question,
        "fact": claim.fact,
        "answer": claim.answer.split("\n"),
        "verdict": settled.verdict,
        **{
            name: {"judge": side.judge, "verdict": side.verdict, "quotation": side.quotation, "reason": side.reason}
            for name, side in (("old", settled.old), ("new", settled.new))
        },
    }


def _read(entry: _WireClaim) -> SettledClaim:
    claim = Claim(entry.question, entry.fact, "\n".join(entry.answer))
    old, new = (Said(side.judge, side.verdict, side.quotation, side.reason) for side in (entry.old, entry.new))
    return SettledClaim(entry.case, claim, entry.verdict, old, new)


def _unusable(path: Path, message: str, remedy: str = "take it from git, or settle its claims anew") -> FileError:
    return FileError([Problem(shown(path), 0, message, remedy)])
