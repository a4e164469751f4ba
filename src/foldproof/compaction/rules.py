"""The rules that type a line where nobody names a better classifier: one list, in order; the first match decides.

The types and their treatment follow "The Compaction Cliff" (Zerhoudi et al., arXiv 2608.22752): a constraint is
kept word for word, a procedure next, a belief may be compressed, a preference summarised, an episode dropped.
Rules of this kind see about 60 % of the constraints that people mark and none that are put as plain statements
("payments run on UTC"), by the same paper. Where in doubt the list prefers `constraint`: a line kept in vain
costs tokens, a lost one costs the user.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from foldproof.compaction.knowledge import KnowledgeType


class Rule(NamedTuple):
    """A type, the pattern that shows it, and why."""

    line_type: KnowledgeType
    pattern: re.Pattern[str]
    reason: str


def _rule(line_type: KnowledgeType, reason: str, pattern: str) -> Rule:
    return Rule(line_type, re.compile(pattern, re.IGNORECASE), reason)


RULES: tuple[Rule, ...] = (
    _rule(
        "constraint",
        "health words: losing one harms a person, however it is put",
        r"\b(?:allerg\w*|intoleran\w*|anaphyla\w*|co?eliac|contraindicat\w*|epi-?pen|unverträglich\w*|al[eé]rgic\w*)",
    ),
    _rule(
        "constraint",
        "a negated rule: what must not be done",
        r"\b(?:never|must not|mustn['’]t|cannot|can['’]t(?! wait)|may not|shall not|shan['’]t|should(?:n['’]t| not)"
        r"|do not|don['’]t(?!\s+(?:know|think|remember|worry|mind|recall|see why)\b)|(?:is|are)(?:n['’]t| not) allowed"
        r"|not allowed|not permitted|forbidden|prohibited|banned|off[- ]limits|under no circumstances|avoid|refrain"
        r"|no longer|without (?:asking|approval|permission|consent)|stop \w+ing|not to be)\b",
    ),
    _rule(
        "constraint",
        "`no X`: short bans such as 'no NSAIDs', but not 'no problem'",
        r"\bno\s+(?!prob|worr|idea|doubt|thanks|rush|hurry|one\b|matter\b|need\b|way\b|luck|news|time|clue|\d)\w",
    ),
    _rule(
        "constraint",
        "a standing rule: what holds each time",
        r"\b(?:must|always|only|from now on|at all times|every time|without exception|no matter|mandatory|required"
        r"|require[sd]?|have to|has to|ensure|make sure|at (?:most|least)"
        r"|no (?:more|less|later|earlier) than|unless)\b",
    ),
    _rule(
        "constraint",
        "the same in German, French and Spanish: the commonest words only",
        r"\b(?:niemals|nie wieder|immer|nur|kein(?:e[nrsm]?)?|darf nicht|dürfen nicht|müssen|muss|verboten|ab sofort"
        r"|jamais|toujours|uniquement|interdit\w*|obligatoire|désormais"
        r"|nunca|jamás|siempre|solamente|únicamente|prohibid[oa]|obligatori[oa])\b",
    ),
    _rule(
        "constraint",
        "the same in Chinese and Japanese, where no spaces mark a word",
        r"过敏|過敏|アレルギー|禁止|不要|不能|不得|必须|必須|总是|只能|绝不|絶対|必ず|しないで|ないでください|今後は",
    ),
    _rule(
        "procedure",
        "a numbered step, a shell line, or a line that opens with a command",
        r"^\s*(?:\d+[.)]\s|\$\s|step \d+|(?:[-*•]\s+)?(?:first|then|next|finally)\b,?\s"
        r"|(?:[-*•]\s+)?(?:run|use|open|click|call|check|create|send|set|add|remove|install|start|restart|ask|escalate"
        r"|verify|confirm|go to|submit|select|enter|deploy|build|test|write|read|copy|move|follow)\s)",
    ),
    _rule(
        "procedure",
        "how something is done, or when",
        r"\b(?:how to|in order to|procedure|workflow|runbook|step \d+|before you|after you"
        r"|when(?:ever)? (?:you|a|an|the)\b|if\b(?:(?!\bif\b)[^.?!]){0,200}?(?:\bthen\b|,))",
    ),
    _rule("episode", "a question asks, it does not state", r"[?？]\s*$"),
    _rule(
        "preference",
        "a taste or a wish",
        r"\b(?:prefer\w*|favou?rite|likes?|loves?|enjoys?|hates?|dislikes?|rather|wish(?:es)?|want(?:s|ed)?|would like"
        r"|please|call me|fan of|lieber|bevorzug\w*|préfère|prefiero)\b|喜欢|好き",
    ),
    _rule(
        "episode",
        "something that happened at a time",
        r"\b(?:yesterday|today|tonight|tomorrow|last (?:week|night|month|year|time)|\w+ ago|this (?:morning|week|month)"
        r"|went|visited|met|bought|arrived|happened|called|ordered|returned|cancell?ed|broke|gestern|hier|ayer)\b",
    ),
    _rule(
        "belief",
        "a statement of how things are",
        r"\b(?:is|are|was|were|['’]s|['’]re|am|i['’]m|has|have|had|lives?|works?|uses?|runs?|costs?|owns?|contains?"
        r"|belongs?|means?|equals?|ist|sind|hat|est|sont|es|son|tiene)\b|[=:]|是|です|である",
    ),
)

_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")
_INDENTED = ("  ", "\t")
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)")
_RULES_HEADING = re.compile(
    r"\b(?:rules|constraints|requirements|prohibitions|guardrails|boundaries|don['’]?ts|no-gos|regeln|verbote"
    r"|règles|reglas)\b|规则|規則|ルール",
    re.IGNORECASE,
)


@lru_cache(maxsize=16_384)  # round after round has the same lines, and looking at one takes all of the rules
def type_of(line: str) -> KnowledgeType:
    """The type of a line; `episode` where no rule sees more, which is what is dropped first."""
    return next((rule.line_type for rule in RULES if rule.pattern.search(line)), "episode")


def by_rules(lines: Sequence[str]) -> list[KnowledgeType]:
    """The type of each line: a classifier.

    An item of a list below "Never:" or the heading "Rules" says the opposite, or nothing, without what leads to it:
    such items are constraints, and so is the line above them. A line that is indented below the item of a constraint
    goes on with it. Any other line is looked at alone.
    """
    types = [type_of(line) for line in lines]
    lead: int | None = None
    item = False
    for at, line in enumerate(lines):
        if _ITEM.match(line):
            item = True
            if lead is not None:
                types[lead] = types[at] = "constraint"
        elif item and line.startswith(_INDENTED):
            types[at] = "constraint" if types[at - 1] == "constraint" else types[at]
        else:
            item, lead = False, at if _leads(line, types[at]) else None
    return types


def _leads(line: str, line_type: KnowledgeType) -> bool:
    """Whether a line makes rules of the list items below it."""
    if _HEADING.match(line):
        return line_type == "constraint" or _RULES_HEADING.search(line) is not None
    return line_type == "constraint" and line.rstrip("*_ ").endswith((":", "："))
