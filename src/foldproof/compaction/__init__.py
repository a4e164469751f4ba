"""Compaction: what shortens a text to a budget, and what is kept of it. Pure: nothing here reads, writes or calls.

Budgets are tokens by `count_tokens`; a `room` is bytes by `cost_of`. How to use it is in `docs/compaction.md`.
"""

from foldproof.compaction.kinds import REFERENCE, policies_of
from foldproof.compaction.knowledge import CLASS_OF, KnowledgeType
from foldproof.compaction.lines import (
    Cut,
    first_words,
    fit,
    head_of,
    passages_of,
    said_in,
    sentences_of,
)
from foldproof.compaction.pinned import Pinned
from foldproof.compaction.policies import POLICIES, Compress, Gist, Merge, Policy, Reword, Rewrite, Shorter, Verbatim
from foldproof.compaction.records import Compacted, Compactor, CompactorKind, Passage
from foldproof.compaction.rules import by_rules, type_of
from foldproof.compaction.salience import Salience
from foldproof.compaction.selecting import Selecting, Selection, Shortage
from foldproof.compaction.tokens import BYTES_PER_TOKEN, cost_of, count_tokens, room_of
from foldproof.compaction.triage import BOUND, SHARES, Classifier, Triage
from foldproof.compaction.truncating import Head, HeadTail, Tail, Uniform
from foldproof.compaction.update_aware import UpdateAware
from foldproof.compaction.verifying import VERIFIERS, Verifier, adds_nothing, first_clause, is_identical, keeps_steps

__all__ = [
    "BOUND",
    "BYTES_PER_TOKEN",
    "CLASS_OF",
    "POLICIES",
    "REFERENCE",
    "SHARES",
    "VERIFIERS",
    "Classifier",
    "Compacted",
    "Compactor",
    "CompactorKind",
    "Compress",
    "Cut",
    "Gist",
    "Head",
    "HeadTail",
    "KnowledgeType",
    "Merge",
    "Passage",
    "Pinned",
    "Policy",
    "Reword",
    "Rewrite",
    "Salience",
    "Selecting",
    "Selection",
    "Shortage",
    "Shorter",
    "Tail",
    "Triage",
    "Uniform",
    "UpdateAware",
    "Verbatim",
    "Verifier",
    "adds_nothing",
    "by_rules",
    "cost_of",
    "count_tokens",
    "first_clause",
    "first_words",
    "fit",
    "head_of",
    "is_identical",
    "keeps_steps",
    "passages_of",
    "policies_of",
    "room_of",
    "said_in",
    "sentences_of",
    "type_of",
]
