"""The prompts by which `summary` asks a model; a change of their words is a new version."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from foldproof.agents.memories.summary import COMPACT, NOTHING
from foldproof.agents.template import Template, read_template
from foldproof.core import UsageError, nearest_of

PLACES = ("text", "budget")
PLAIN = Template(
    "plain/1",
    "Summarize the text below, so that an assistant can go on working with the summary alone. Use at most {budget} "
    "tokens. Answer with the summary and nothing else.\n"
    "\n"
    "Text:\n"
    "{text}",
)
STRUCTURED = Template(
    "structured/1",
    "Below is what an assistant works by: instructions, notes, what happened. It has become too long. Write it anew in "
    "at most {budget} tokens; what you leave out is gone for good.\n"
    "\n"
    "Use these sections, in this order, and leave out those that would be empty:\n"
    "## Constraints\n"
    "Every rule, prohibition, limit, permission and allergy. Keep all constraints verbatim, one a line, with their "
    "numbers and their negations, as the instructions that they are.\n"
    "## Procedures\n"
    "How things are done, step by step, with the exact commands, paths and names.\n"
    "## Facts\n"
    "What is so. Where something was corrected, the newest value alone.\n"
    "## Preferences\n"
    "What somebody likes or wishes.\n"
    "## History\n"
    "What happened, in a few words.\n"
    "\n"
    "Where there is no room for all, shorten the last sections first; the constraints are never shortened. Add nothing "
    "that the text does not say. Answer with the sections and nothing else.\n"
    "\n"
    "Text:\n"
    "{text}",
)
PROMPTS: Mapping[str, Template] = MappingProxyType({"memory": COMPACT, "plain": PLAIN, "structured": STRUCTURED})
"""The shipped prompts by name. `memory` is that of the memory `summary`, told that nothing is in it yet."""


def prompt_of(named: str, root: Path, place: str) -> Template:
    """The prompt of a name, or of a file below the project's folder.

    Raises:
        UsageError: where there is neither, or the file has no place for the text.
    """
    if named in PROMPTS:
        return PROMPTS[named]
    if "/" not in named and "." not in named:
        known = nearest_of(named, PROMPTS)
        raise UsageError(f"{place}: there is no prompt '{named}'\n  {known}\n  or a file of yours: prompts/compact.md")
    template = read_template(named, root, known=PLACES, place=place)
    if "text" not in template.places:
        raise UsageError(
            f"{place}: the prompt '{named}' has no place for `{{text}}`: the text would never reach the model\n"
            "  write {text} where it is to stand"
        )
    return template


def asked(template: Template, text: str, budget: int) -> str:
    """A prompt with its text and its budget."""
    return template.render({"text": text, "turns": text, "summary": NOTHING, "budget": str(budget)})
