"""The compactor `update_aware`: of two statements about the same thing the newer is kept, before anything is cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from foldproof.compaction.lines import said_in
from foldproof.compaction.records import Passage
from foldproof.compaction.selecting import Selecting, Selection
from foldproof.compaction.truncating import Tail
from foldproof.matching import normalize, parts_of

_MONTH = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul"
    "|aug|sept?|oct|nov|dec)"
)
_TIME = rf"(?:{_MONTH}|now|today|yesterday|monday|last\s\w+|next\s\w+|\d[\w-]*)"
_CHANGE = re.compile(
    rf"\b(?:from\s{_TIME}\son|(?:as of|since)\s{_TIME}|now|no longer|changed to|moved to|switched to|updated to|anymore"
    r"|jetzt|ab sofort|nicht mehr|désormais|maintenant|ahora)\b|现在|改为|今は",
    re.IGNORECASE,
)
_DATED = re.compile(
    rf"[\s>*•-]*(?:on\s)?(?:\d{{1,2}}\.?\s{_MONTH}|{_MONTH}\s\d{{1,2}}|\d{{4}}-\d\d-\d\d)\b", re.IGNORECASE
)
_SAYS = re.compile(r"(?:\b(?P<is>is|are|was|were)\b|(?P<sign>[:=])(?=\s))", re.IGNORECASE)
_MARKS = re.compile(r"[\s>*•-]*(?:\d+[.)]\s+)?")
_HEADING = re.compile(r"#{1,6}\s")
_NUMBER = re.compile(r"\d[\d.,]*")
_DEFINITE = frozenset(["the", "my", "our", "your", "his", "her", "its", "their", "this"])
_NO_KEYS = frozenset(
    ["note", "notes", "important", "example", "examples", "warning", "tip", "caution", "remember", "attention", "see"]
)
_NO_STATEMENT = ("?", "？", "{", "(", ";", ",")
"""How questions and lines of code end."""
_MOST_KEY, _MOST_VALUE = 8, 6
_LEAST_SHARED, _MOST, _NEARLY_ALL = 2, 0.6, 0.8
_REACH = 200
"""Of the lines that share a word, how many are looked at: the latest; a rarer word they share reaches further back."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a line says of a thing that has one value at a time.

    `about` are the words for the thing, `value` those for what it is, both normalized. `keyed` says that it stands as
    `key: value`, `changes` that the line calls itself a change. `section` counts the headings above it. `form` is the
    value with every number alike, `brief` says that it has few words.
    """

    about: str
    value: str
    keyed: bool
    changes: bool
    section: int
    form: str
    brief: bool

    def replaces(self, earlier: Statement) -> bool:
        """Whether this one, said later, takes the place of another about the same thing."""
        if self.value == earlier.value:
            return True
        if not (self.brief and earlier.brief) or (self.section != earlier.section and not self.changes):
            return False
        return self.changes or self.form == earlier.form or (self.keyed and earlier.keyed)


@dataclass(frozen=True, slots=True)
class _Worded:
    """The words by which a line names things, and whether it says that something changed, or opens with a date."""

    words: frozenset[str]
    changes: bool
    dated: bool

    @classmethod
    def of(cls, line: str) -> _Worded:
        """Of a line without its speaker; a question says nothing."""
        asks = line.rstrip().endswith(("?", "？"))
        changes, dated = _CHANGE.search(line) is not None, _DATED.match(line) is not None
        return cls(frozenset(parts_of(line).object), changes and not asks, dated and not asks)

    def replaces(self, earlier: _Worded) -> bool:
        """Whether this one, said later, has enough of the words of another to take its place."""
        shared, of = len(self.words & earlier.words), len(earlier.words)
        if shared < _LEAST_SHARED:
            return False
        return shared >= _MOST * of if self.changes else not earlier.dated and shared >= _NEARLY_ALL * of


@dataclass(frozen=True)
class UpdateAware(Selecting):
    """Drops what a later line replaced, then lets `inner` keep what fits: by default the window.

    A later line replaces an earlier one in two cases. It says that something changed ("now", "no longer", "since May",
    or a date in front), and has most of the words by which the earlier one names things. Or both speak of one thing
    by the same words ("the limit is …", "owner: …"), in a few words, and both give a number of the same kind, or the
    value of one key under one heading. Everything else stays, since two statements about a thing are more often both
    true. What is put in other words is not seen as the same thing, and nothing is dropped from a text that fits.
    """

    name: str = field(default="update_aware", kw_only=True)
    inner: Selecting = field(default_factory=Tail)

    def select(self, passages: Sequence[Passage], room: int) -> Selection:
        """What `inner` keeps of the lines that still hold."""
        stale = outdated(passages)
        found = self.inner.select([passage for passage in passages if passage.place not in stale], room)
        note = (f"{self.name}: {len(stale)} lines were replaced by later ones",) if stale else ()
        return Selection(found.kept, (*note, *found.notes), found.shortage)


def outdated(passages: Sequence[Passage]) -> frozenset[int]:
    """The places of the passages that a later one replaced."""
    return _by_statement(passages) | _by_words(passages)


def _by_statement(passages: Sequence[Passage]) -> frozenset[int]:
    said: dict[str, list[tuple[int, Statement]]] = {}
    section = 0
    for passage in passages:
        section += bool(_HEADING.match(passage.text))
        if statement := statement_of(said_in(passage.text), section=section):
            said.setdefault(statement.about, []).append((passage.place, statement))
    return frozenset(
        place
        for statements in said.values()
        for at, (place, earlier) in enumerate(statements)
        if any(later.replaces(earlier) for _, later in statements[at + 1 :])
    )


def _by_words(passages: Sequence[Passage]) -> frozenset[int]:
    """What lines that announce a change replaced, by the words that name things."""
    lines = [_Worded.of(said_in(passage.text)) for passage in passages]
    places: dict[str, list[int]] = {}
    stale: set[int] = set()
    for at, line in enumerate(lines):
        if line.changes or line.dated:
            near = {place for word in line.words for place in places.get(word, ())[-_REACH:]}
            stale.update(passages[place].place for place in near if line.replaces(lines[place]))
        for word in line.words:
            places.setdefault(word, []).append(at)
    return frozenset(stale)


def statement_of(line: str, *, section: int = 0) -> Statement | None:
    """What a line says of a thing that has one value at a time, or None where it says nothing of the kind."""
    start = _MARKS.match(line)
    body = line[start.end() if start else 0 :]
    verb = None if body.rstrip().endswith(_NO_STATEMENT) else _SAYS.search(body)
    if verb is None:
        return None
    about = normalize(_CHANGE.sub(" ", body[: verb.start()])).split()
    value = normalize(_CHANGE.sub(" ", body[verb.end() :]))
    keyed = verb["sign"] is not None
    definite = bool(about) and about[0] in _DEFINITE
    if not value or not 1 + (definite and not keyed) <= len(about) <= _MOST_KEY or (not keyed and not definite):
        return None
    if keyed and about[0] in _NO_KEYS:
        return None
    form, brief = _NUMBER.sub("0", value), len(value.split()) <= _MOST_VALUE
    changes = _CHANGE.search(body) is not None
    return Statement(" ".join(about).removeprefix("the "), value, keyed, changes, section, form, brief)
