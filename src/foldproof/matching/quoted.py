"""Where a quotation stands in a text: white space, quotes and letter case play no part, as in the plain matcher."""

from __future__ import annotations

from foldproof.matching.check import check_fact
from foldproof.matching.fact import Fact
from foldproof.matching.mapped import Span
from foldproof.matching.match import match_fact
from foldproof.matching.text import Text


def quoted_at(quotation: str, text: Text) -> tuple[Span, ...]:
    """Where the words of a quotation stand, whole and next to each other; nowhere for one without a word.

    That they stand in a negation plays no part: a quotation is shown, not believed.
    """
    fact = Fact("normalized", quotation)
    return () if check_fact(fact) else match_fact(fact, text).spans
