"""Does a text say a fact? Deliberately dumb, versioned, and the same on both sides of a fold.

The rules are in `docs/matcher.md`. Scoring, the loader and the linter use what is exported here.
"""

from foldproof.matching.check import check_fact
from foldproof.matching.exact import fold_blanks
from foldproof.matching.fact import Fact, FactKind
from foldproof.matching.finder import Outcome
from foldproof.matching.many import match_many
from foldproof.matching.mapped import Span
from foldproof.matching.match import MATCHER_VERSION, Match, match_fact, match_facts
from foldproof.matching.nearest import Nearest, resembling
from foldproof.matching.parts import Part, Parts, parts_of
from foldproof.matching.quoted import quoted_at
from foldproof.matching.text import Text, normalize
from foldproof.matching.tokens import UNSPACED, is_unspaced
from foldproof.matching.weakened import Weakened, reworded, telling_tokens, weakened

__all__ = [
    "MATCHER_VERSION",
    "UNSPACED",
    "Fact",
    "FactKind",
    "Match",
    "Nearest",
    "Outcome",
    "Part",
    "Parts",
    "Span",
    "Text",
    "Weakened",
    "check_fact",
    "fold_blanks",
    "is_unspaced",
    "match_fact",
    "match_facts",
    "match_many",
    "normalize",
    "parts_of",
    "quoted_at",
    "resembling",
    "reworded",
    "telling_tokens",
    "weakened",
]
