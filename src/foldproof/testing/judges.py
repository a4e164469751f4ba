"""Scripted judges: what a judge was asked, and a rule that answers as one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from foldproof.record import Claim, VerdictWord
from foldproof.testing.answers import Rule
from foldproof.testing.asked import ModelRequest

_MARKED = r"<{0} (?P<sign>[0-9a-f]{{16}})>\n(?P<text>.*?)\n</{0} (?P=sign)>"


def claim_asked(request: ModelRequest) -> Claim:
    """What a judge was asked: the question, the fact and the answer between the marks.

    Raises:
        ValueError: where the request is no question to a judge.
    """
    parts = []
    for name in ("question", "fact", "answer"):
        found = re.search(_MARKED.format(name), request.question, re.DOTALL)
        if found is None and name != "question":
            raise ValueError(f"the request asks no judge: there is no `{name}` between marks")
        parts.append(found["text"] if found else "")
    return Claim(*parts)


def judged_by(decide: Callable[[Claim], VerdictWord | tuple[VerdictWord, str]]) -> Rule:
    """A rule that answers as a judge does: `decide` gives the verdict, and with it the quotation, of each claim.

    Without a quotation a `met` quotes the whole answer.
    """

    def rule(request: ModelRequest) -> str:
        claim = claim_asked(request)
        decided = decide(claim)
        verdict, quotation = (decided, claim.answer) if isinstance(decided, str) else decided
        quoted = quotation if verdict == "met" else ""
        return json.dumps({"reason": "as its rule says", "quotation": quoted, "verdict": verdict}, ensure_ascii=False)

    return rule
