"""The claims that a person settled where two judges disagreed: a file in git, which others review."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from foldproof.cases.writing import write_atomically
from foldproof.compare.documents import DocumentFile, Wire
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


class _WireSaid(Wire):
    judge: str
    verdict: VerdictWord
    quotation: str = ""
    reason: str = ""


class _WireClaim(Wire):
    id: str
    case: str
    question: str
    fact: str
    answer: list[str] = Field(description="the answer in full, line by line")
    verdict: Literal["met", "not met"] = Field(description="what a person decided")
    old: _WireSaid
    new: _WireSaid


class _WireSettled(Wire):
    foldproof: Literal[1]
    kind: Literal["settled claims"] = "settled claims"
    claims: list[_WireClaim]


_FILE = DocumentFile(
    _WireSettled, "the settled claims", "are", FORMAT, remedy="take it from git, or settle its claims anew"
)


def load_settled(path: Path) -> tuple[SettledClaim, ...]:
    """The settled claims of a file; none where it does not exist.

    Raises:
        FileError: for a file that cannot be read, is damaged, or is from a newer version.
    """
    if not path.exists():
        return ()
    wire = _FILE.read(path)
    claims = tuple(_read(entry) for entry in wire.claims)
    for entry, read in zip(wire.claims, claims, strict=True):
        if entry.id != read.claim.id:
            told = f"claim '{entry.id}' was changed: with this question, fact and answer it is '{read.claim.id}'"
            raise _FILE.unusable(path, told)
    decided: dict[str, str] = {}
    for entry in wire.claims:
        if decided.setdefault(entry.id, entry.verdict) != entry.verdict:
            told = f"claim '{entry.id}' is settled twice, as '{decided[entry.id]}' and as '{entry.verdict}'"
            raise _FILE.unusable(path, told, "decide on one of the two, and take the other out")
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
