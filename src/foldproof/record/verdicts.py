"""What a judge said: who it is, what it was asked, its verdict, and how it was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from foldproof.core import content_hash
from foldproof.logs import Usage

VerdictWord = Literal["met", "not met", "cannot tell"]


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """Everything that makes a verdict beside what is judged: two judges that differ in any of it are two judges.

    `name` is the model's own, a dated one: where it is served is no part of the identity.
    """

    name: str
    prompt_sha256: str
    protocol: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """Hash of it all."""
        return content_hash([self.name, self.prompt_sha256, self.protocol, self.parameters])

    @property
    def title(self) -> str:
        """How a person tells judges apart: the name, and the first digits of the prompt's hash and of the identity."""
        return f"{self.name} (prompt {self.prompt_sha256[:8]}, judge {self.sha256[:8]})"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a judge is asked: whether an answer to a question states a fact."""

    question: str
    fact: str
    answer: str

    @property
    def sha256(self) -> str:
        """Hash of the three."""
        return content_hash([self.question, self.fact, self.answer])

    @property
    def id(self) -> str:
        """How a person names the claim: the first digits of its hash."""
        return self.sha256[:8]


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """What one judge said of one claim, once. `judge` is the hash of its identity, `slot` counts repeats from 0.

    `quotation` is the part of the answer that a `met` rests on, `reason` the judge's own words. Where the judge failed
    there is no verdict: `verdict` is None and `error` says why. That is no judgement, and is asked again.
    """

    judge: str
    claim: Claim
    verdict: VerdictWord | None
    quotation: str = ""
    reason: str = ""
    slot: int = 0
    usage: Usage | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a judge did against answers that a person labelled; `document` is the whole report of it.

    `reasons` say why it is inconclusive, where it is. `worthless` says that there were labels enough, and that the
    judge does not tell right from wrong. `made_at` is UTC in ISO form.
    """

    judge: str
    document: Mapping[str, Any]
    reasons: tuple[str, ...] = ()
    worthless: bool = False
    made_at: str = ""

    @property
    def conclusive(self) -> bool:
        """Whether the judge was measured."""
        return not self.reasons
