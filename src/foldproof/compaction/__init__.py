"""Compaction: what shortens a text to a budget, and what is kept of it. Pure: nothing here reads, writes or calls."""

from foldproof.compaction.knowledge import CLASS_OF, KnowledgeType
from foldproof.compaction.records import Compacted, Compactor, CompactorKind, Passage
from foldproof.compaction.tokens import BYTES_PER_TOKEN, cost_of, count_tokens, room_of

__all__ = [
    "BYTES_PER_TOKEN",
    "CLASS_OF",
    "Compacted",
    "Compactor",
    "CompactorKind",
    "KnowledgeType",
    "Passage",
    "cost_of",
    "count_tokens",
    "room_of",
]
