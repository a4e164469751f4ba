"""Public fakes for tests: a scripted model that speaks the providers' protocols, rules for it, a shop to act on."""

from foldproof.testing.answers import Answer, ModelFailure, ModelReply, Rule, in_turn
from foldproof.testing.asked import ModelRequest, Said, ToolResult
from foldproof.testing.endpoint import ScriptedEndpoint
from foldproof.testing.judges import claim_asked, judged_by
from foldproof.testing.projects import write_project
from foldproof.testing.rules import answer_from_context, extract_facts, look_up_first, summarize
from foldproof.testing.scripted import ScriptedModel
from foldproof.testing.shop import Shop

__all__ = [
    "Answer",
    "ModelFailure",
    "ModelReply",
    "ModelRequest",
    "Rule",
    "Said",
    "ScriptedEndpoint",
    "ScriptedModel",
    "Shop",
    "ToolResult",
    "answer_from_context",
    "claim_asked",
    "extract_facts",
    "in_turn",
    "judged_by",
    "look_up_first",
    "summarize",
    "write_project",
]
