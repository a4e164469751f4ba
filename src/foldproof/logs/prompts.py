"""How a recorded prompt is written: the messages under their roles, then the tools that the model was offered."""

from __future__ import annotations

OFFERED = "tools"
"""The head of the part that names the tools; it comes last."""
_HEAD = f"\n\n[{OFFERED}]\n"


def without_tools(prompt: str) -> str:
    """A prompt without the tools on offer: that one can refund in store credit says nothing of what a user wants."""
    told, head, _ = prompt.rpartition(_HEAD)
    return told if head else prompt
