"""Which sentences the memory `paging` pins: what binds, and who the user is."""

from __future__ import annotations

import re

from foldproof.compaction import type_of
from foldproof.logs import Role

_IDENTITY = re.compile(
    r"\b(?:my|our)\s+(?:full\s+|first\s+|last\s+|sur|middle\s+|nick)?name(?:'s|\s+is)\b|\bcall\s+me\b"
    r"|\bI(?:'m|\s+am)\s+(?:an?\s+\w+|called|named|from|based|married|\d+\s+years\s+old|(?-i:[A-Z])\w+\b)"
    r"|\bI\s+(?:live|work|moved|was\s+born|grew\s+up|study)\b"
    r"|\bmy\s+(?:wife|husband|partner|son|daughter|mother|father|birthday|email|e-mail|phone|address|job|employer"
    r"|pronouns|time\s?zone)\b[^?]*\b(?:is|are|'s)\b"
    r"|\bich\s+(?:heiße|bin|wohne|arbeite)\b|\bmein\s+name\b|\bje\s+(?:m'appelle|suis|vis|travaille)\b"
    r"|\bme\s+llamo\b|\bmi\s+nombre\b|\bvivo\s+en\b|меня\s+зовут|я\s+живу"
    r"|(?:私|僕|俺|わたし)(?:の名前)?は|と申します|我叫|我的名字|我是|我住|제\s*이름은|저는",
    re.IGNORECASE,
)


def is_pinned(role: Role, sentence: str) -> bool:
    """Whether a sentence belongs into the core: a constraint, or a line of the user's about who they are.

    Rules, not a model: what is put another way is not seen, and goes to the storage, where it is searched for.
    """
    if sentence.rstrip().endswith(("?", "？")):
        return False
    return type_of(sentence) == "constraint" or (role == "user" and _IDENTITY.search(sentence) is not None)
