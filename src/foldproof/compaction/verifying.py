"""Whether a line that was reworded still says what its type must keep: a verifier gives the reason why not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from foldproof.compaction.knowledge import KnowledgeType
from foldproof.compaction.lines import CUT, said_in
from foldproof.matching import normalize, parts_of

Verifier = Callable[[str, str], str]
"""Takes the line as it was and as it would be; gives what is wrong with the second, empty where nothing is."""
_CODE = re.compile(r"`[^`\n]+`|(?<![\w`])--?\w[\w-]*|(?<![\w`])[\w$~@./\\-]*[\w)][/\\_=@:][\w$~@./\\=:-]*\w")
_NAME = re.compile(r"(?<![.!?:]\s)(?<=\s)[^\W\d_a-z]\w+|\b[A-Z]{2,}\b|\b[a-z]+[A-Z]\w*")
_TURNING = re.compile(
    r"\b(?:but|except\w*|unless|until|only|if|when|where|however|instead|rather|otherwise|before|after|than|though"
    r"|although|aber|außer|wenn|sondern|mais|sauf|pero|salvo)\b|但|除|只",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;](?=\s)|[，、；]|\s[–—-](?=\s)|\s(?=\()")
_LEAST_WORDS = 3
_STEM = 4
"""Letters by which "push" and "pushing" are one word."""


def is_identical(before: str, after: str) -> str:
    """For a constraint: the same tokens in the same order, by white space."""
    return "" if before.split() == after.split() else "it is not word for word what it was"


def keeps_steps(before: str, after: str) -> str:
    """For a procedure: the same numbers and commands in the same order, each name, and each negation and binding word.

    The last two must stand before the same word as they did, and the word that the step opens with must be there. A
    command is what stands in backticks, an option, a path, an address or anything else with a sign within. Whether what
    stands between them still says the same is not seen.
    """
    opening = parts_of(said_in(before)).object[:1]
    if opening and opening[0] not in normalize(after).split():
        return f"the step no longer opens with '{opening[0]}'"
    for wanted, found, noun in (
        (_numbers(before), _numbers(after), "number"),
        (_CODE.findall(said_in(before)), _CODE.findall(said_in(after)), "command"),
    ):
        if wanted != found:
            return f"its {noun}s were {_told(wanted)}, and are {_told(found)}"
    if missing := [name for name in _names(before) if name not in _names(after)]:
        return f"the name '{missing[0]}' is gone"
    return _same_rules(before, after)


def adds_nothing(before: str, after: str) -> str:
    """For a belief, a preference or an episode: it may say less, and nothing that was not said.

    No number, command or name comes in, no negation and no binding word comes, goes or moves to another word. Of
    the words that name something at least half were there before, and at least a third of those that were are left.
    """
    for had, has, noun in (
        (_numbers(before), _numbers(after), "number"),
        (_CODE.findall(before), _CODE.findall(after), "command"),
        ({*_names(before), *before.split()}, _names(after), "name"),
    ):
        if added := [one for one in has if one not in had]:
            return f"the {noun} '{added[0]}' was not said"
    words, known = parts_of(said_in(after)).object, parts_of(said_in(before)).object
    shared = len({*words} & {*known})
    if not words or 2 * shared < len(words):
        return "it speaks of something else"
    if 3 * shared < len(known):
        return "hardly anything is left of it"
    return _same_rules(before, after)


def first_clause(line: str) -> str:
    """The line up to the end of its first clause, marked with ` …`; the line itself where that could mislead.

    The rest must hold no number, no negation, no binding word, and none that turns what comes before it ("except",
    "unless", "but", "if"): then it says more about the same thing, and the beginning stays true without it.
    """
    start = len(line) - len(said_in(line))
    for end in _CLAUSE.finditer(line, start):
        begun, rest = line[start : end.start()], line[end.end() :]
        if len(normalize(begun).split()) >= _LEAST_WORDS:
            turned = parts_of(rest).special or _TURNING.search(rest)
            return line if turned or begun.count("`") % 2 else line[: end.start()].rstrip() + CUT
    return line


VERIFIERS: Mapping[KnowledgeType, Verifier] = MappingProxyType(
    {
        "constraint": is_identical,
        "procedure": keeps_steps,
        "belief": adds_nothing,
        "preference": adds_nothing,
        "episode": adds_nothing,
    }
)
"""What a reworded line of each type must pass, or the line stays as it was."""


def _numbers(line: str) -> list[str]:
    return [token for part, token in parts_of(said_in(line)).special if part == "number"]


def _names(line: str) -> list[str]:
    return _NAME.findall(said_in(line))


def _same_rules(before: str, after: str) -> str:
    old, new = _ruled(said_in(before)), _ruled(said_in(after))
    if old == new:
        return ""
    part, word = next(iter((old - new) + (new - old)))
    return f"a {part} word came, went or moved, at '{word}'"


def _ruled(line: str) -> Counter[tuple[str, str]]:
    """What each negation and binding word of a line is about: the word after it that names something, else before."""
    parts = parts_of(line)
    kinds = {token: part for part, token in parts.special if part != "number"}
    tokens = [token for token in normalize(line).split() if token in kinds or token in parts.object]
    found: Counter[tuple[str, str]] = Counter()
    for at, token in enumerate(tokens):
        if token in kinds:
            near = [other for other in (*tokens[at:], *tokens[at::-1]) if other not in kinds]
            found[kinds[token], near[0][:_STEM] if near else ""] += 1
    return found


def _told(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words) or "none"
