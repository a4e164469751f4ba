"""Texts that stand where a summary should: a short list, in one place."""

from __future__ import annotations

import re

from foldproof.agents.error_texts import is_error_text

_LONGEST = 240
_TALK = r"(?:conversation|messages?|history|chat|dialog(?:ue)?|transcript|turns?|text|content|information)"
_SHAPES = re.compile(
    r"\W*(?:(?:the\s+)?summary\W*)?(?:"
    r"(?:n/?a|none|null|nil|empty|tbd|todo|undefined|summary(?:\s+(?:goes\s+)?here)?|insert summary(?:\s+here)?)\W*$"
    r"|(?:no|nothing)\s+(?:\w+\s+){0,3}?to\s+(?:be\s+)?(?:summari[sz]e|compact|remember|report)"
    rf"|(?:there\s+(?:is|are|was|were)|i\s+(?:do\s+not|don't)\s+(?:see|have))\s+(?:no|any|not)\b[^.]*\b{_TALK}"
    rf"|no\s+(?:previous\s+|earlier\s+)?{_TALK}\s+(?:was|were|has been|to|yet|available|provided)"
    rf"|(?:the\s+)?(?:previous|earlier|prior)\s+{_TALK}\s+(?:was|were)\s+(?:too\s+long|omitted|removed|truncated)"
    rf"|(?:please|could you|can you)\b[^.]*\b(?:provide|share|send|paste)\b[^.]*\b{_TALK}"
    r"|(?:i'm\s+|i\s+am\s+)?(?:sorry|unable|afraid|i\s+can(?:no|')t)\b[^.]*\b(?:summari[sz]e|assist|help|comply)"
    r")",
    re.IGNORECASE,
)


def summary_fault(text: str) -> str:
    """What is wrong with a text that a model gave for a summary, or nothing where it is one.

    A placeholder is short: a long text that opens like one is left alone.
    """
    said = text.replace("’", "'").strip()
    if not re.search(r"\w", said):
        return "an empty summary"
    if is_error_text(said):
        return "an error message in place of a summary"
    if len(said) <= _LONGEST and _SHAPES.match(said):
        return "a placeholder in place of a summary"
    return ""
