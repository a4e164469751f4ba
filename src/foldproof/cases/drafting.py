"""Drafts of cases: what the logged answer to a question took out of the past, or said by itself. No model. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from foldproof.cases.common_words import COMMON_WORDS
from foldproof.cases.naming import free_name
from foldproof.cases.provenance import Provenance, Source
from foldproof.cases.records import DRAFT, Case
from foldproof.core import REDACTED
from foldproof.logs import Session, Turn
from foldproof.matching import Fact, check_fact, match_fact

CLASSES_DRAFTED = ("safety", "identity", "preference", "episodic", "semantic")
"""The classes that a draft can have, the strictest first."""
Refused = Literal["says nothing by itself", "not in the answer", "in the question", "in nothing that was known before"]
"""Why a span is no fact."""
_MOST = 5
_LONGEST_RULE, _LONGEST_PROPOSAL, _LEAST_SHORTENED = 6, 15, 3
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|"
    "novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_DATE = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}\.? (?:of |de )?(?:{_MONTHS})\b(?:,? \d{{4}})?"
    rf"|\b(?:{_MONTHS}) \d{{1,2}}\b(?:,? \d{{4}})?",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[^\s()\[\]{}\"“”„«»*`|]+")
_NAME = re.compile(r"(?<![.!?:\n] )(?<!^)(?<!\w)[^\W\d_a-z][^\W\d_]+(?: [^\W\d_a-z][^\W\d_]+){0,3}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w+(?:['’.-]\w+)*")
_RULE = re.compile(
    r"\b(?:never|don't|do not|must not|mustn't|cannot|can't|no longer|without|allergic|allergy|avoid|only|always"
    r"|at most|nie|niemals|nicht|kein\w*|ohne|allergisch|nur|immer|jamais|sans|allergique|seulement|toujours|nunca|sin"
    r"|alérgic\w+|solo|siempre)\b",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"\b(?:who|whose|my (?:full )?name|is my (?:wife|husband|boss|sister|brother|mother|father|daughter|son|partner)"
    r"|wer|wessen|mein name|qui|je m'appelle|quién|me llamo)\b",
    re.IGNORECASE,
)
_LIKES = re.compile(
    r"\b(?:like|likes|love|prefer|prefers|preferred|favou?rite|hate|rather|mag|liebe|lieber|lieblings\w+|aime|préfère|"
    r"gusta|prefiero)\b",
    re.IGNORECASE,
)
_SINCE_WHEN = (("wer|wie|was|welche\\w*|wo|wann", "Seit wann?"), ("quel\\w*|où|qui|quand", "Depuis quand ?"),
               ("cuál|qué|quién|dónde", "¿Desde cuándo?"))  # fmt: skip


class Stated(NamedTuple):
    """A turn that can be a source, with its session, its number there and its plain words."""

    session: str
    number: int
    turn: Turn
    words: str


@dataclass(frozen=True)
class Exchange:
    """A question with its logged answer, and what was known before: the talk of its user, and what a memory held.

    `held` are memory items that the log shows, each a session of one turn, as a history carries them.
    """

    question: str
    answer: str
    past: tuple[Session, ...] = ()
    held: tuple[Session, ...] = ()

    @cached_property
    def plain_answer(self) -> str:
        """The words of the answer."""
        return _plain(self.answer)

    @cached_property
    def sources(self) -> tuple[Stated, ...]:
        """Every turn that can be a source, the best one first.

        The user's turns count before the agent's, and these before memory items; of each the last one first.
        """
        turns = [
            (2 if held else turn.role != "user", -at, number, session.id, turn)
            for held, sessions in ((False, self.past), (True, self.held))
            for at, session in enumerate(sessions)
            for number, turn in enumerate(session.turns, 1)
            if turn.role in {"user", "agent"}
        ]
        turns.sort(key=lambda turn: (turn[0], turn[1], -turn[2]))
        return tuple(Stated(session, number, turn, _plain(turn.text)) for _, _, number, session, turn in turns)


@dataclass(frozen=True, slots=True)
class DraftedFact:
    """A span that stands in an earlier turn and in the answer, with that turn and the sentence it stands in there."""

    text: str
    session: str
    turn: int
    sentence: str


def draft_facts(exchange: Exchange) -> tuple[DraftedFact, ...]:
    """The facts that an answer took out of the past: dates, numbers, names, and the words of rules and constraints.

    Each keeps to the span rule (`sourced`). Whether the answer was right, and rests on these words, a person must say.
    """
    users = [source.turn.text for source in exchange.sources if source.turn.role == "user"]
    spans = [*_rules(exchange.answer, users), *_spans(exchange.answer)]
    return joined_facts((), (fact for span in spans if isinstance(fact := sourced(exchange, span), DraftedFact)))


def joined_facts(facts: Sequence[DraftedFact], more: Iterable[DraftedFact]) -> tuple[DraftedFact, ...]:
    """The facts and those of the others that say something else, up to five."""
    found = list(facts)
    for fact in more:
        words = _plain(fact.text)
        if not any(words in _plain(known.text) or _plain(known.text) in words for known in found):
            found.append(fact)
    return tuple(found[:_MOST])


def sourced(exchange: Exchange, span: str) -> DraftedFact | Refused:
    """The span as a fact with its source, or why it is none: the span rule.

    A fact stands word for word in the answer and in an earlier turn or a memory item, and not in the question, which
    tells nothing that has to be remembered.
    """
    plain = _plain(span)
    if not plain.strip() or span.lower() in COMMON_WORDS or REDACTED in span:
        return "says nothing by itself"
    if plain not in exchange.plain_answer:
        return "not in the answer"
    if plain in _plain(exchange.question):
        return "in the question"
    for session, number, turn, words in exchange.sources:
        if plain in words:
            sentence = next((part for part in _SENTENCE.split(turn.text) if plain in _plain(part)), turn.text)
            return DraftedFact(span, session, number, sentence)
    return "in nothing that was known before"


def proposed(exchange: Exchange, text: str) -> DraftedFact | Refused:
    """A text that a model proposes, as a fact with its source, or why it is none.

    Beside the span rule its own answer must pass it: to the matcher `C++` is no `C`, `-42` no `42`, and what an answer
    denies it does not say.
    """
    fact = sourced(exchange, text)
    if isinstance(fact, DraftedFact):
        wanted = Fact("normalized", text)
        if check_fact(wanted) or not match_fact(wanted, exchange.answer).held:
            return "not in the answer"
    return fact


def shortened(exchange: Exchange, text: str) -> DraftedFact | None:
    """The longest words in a row of a text that can be proposed: half of it at least, and three words."""
    least = max(_LEAST_SHORTENED, (len(_WORD.findall(text)) + 1) // 2)
    found = (proposed(exchange, run) for run in _runs(text, _LONGEST_PROPOSAL, least))
    return next((fact for fact in found if isinstance(fact, DraftedFact)), None)


def answer_words(exchange: Exchange) -> tuple[str, ...]:
    """What an answer says that stands neither in its question nor in the past: dates, numbers and names.

    Those of the first sentence that has some, since it answers and the next ones explain. An answer without a memory
    should say them too where the question needs none.
    """
    for sentence in _SENTENCE.split(exchange.answer):
        found: list[str] = []
        for span in _spans(sentence, least=1):
            own = sourced(exchange, span) == "in nothing that was known before"
            if own and not any(_plain(span) in _plain(other) for other in found):
                found.append(span)
        if found:
            return tuple(found[:_MOST])
    return ()


def draft_of_answer(question: str, words: Sequence[str], *, history: str, taken: Collection[str] = ()) -> Case:
    """The draft of a question whose answer took nothing out of the past: it expects these words, without a source.

    Without any words it expects nothing yet.
    """
    expected = tuple(Fact("normalized", text) for text in words)
    return Case(free_name(_id_of(question), taken), question, expected=expected, history=history, tags=(DRAFT,))


def draft_cases(
    question: str,
    facts: Sequence[DraftedFact],
    *,
    history: str,
    taken: Collection[str] = (),
    proposed_class: str = "",
) -> tuple[Case, ...]:
    """The case of a question with these facts, and its twin where a dated event also states something that stands.

    `taken` are ids that are used. A `proposed_class` holds where the rules do not say `safety`. Every case is a draft:
    it has the tag that says so, and nobody has confirmed it.
    """
    if not facts:
        return ()
    sentences = list(dict.fromkeys(fact.sentence for fact in facts))
    dated = [fact for fact in facts if _DATE.search(fact.text)]
    standing = [fact for fact in facts if fact not in dated]
    name = free_name(_id_of(question), taken)
    case_class = _class_of(question, sentences, dated)
    if proposed_class in CLASSES_DRAFTED and case_class != "safety":
        case_class = proposed_class
    own = _case(name, question, standing or dated, history=history, case_class=case_class)
    event = next((match[0] for text in sentences if (match := _DATE.search(text))), "")
    if not standing or not event or _plain(event) in _plain(question):
        return (own,)
    first = next(fact for fact in facts if event in fact.sentence)
    twin = DraftedFact(event, first.session, first.turn, first.sentence)
    since = next((ask for words, ask in _SINCE_WHEN if re.match(words, question.lower().lstrip("¿"))), "Since when?")
    if own.case_class == "episodic":
        own = _case(name, question, standing, history=history, case_class="semantic")
    other = free_name(f"{name}-since", {*taken, name})
    return own, _case(other, f"{question.rstrip()} {since}", [twin], history=history, case_class="episodic")


def _case(name: str, question: str, facts: Sequence[DraftedFact], *, history: str, case_class: str) -> Case:
    sources = [(Source(history, fact.session, fact.turn),) for fact in facts]
    whole = tuple(dict.fromkeys(source for own in sources for source in own))
    return Case(
        name,
        question,
        case_class=case_class,
        expected=tuple(Fact("normalized", fact.text) for fact in facts),
        history=history,
        source=whole,
        tags=(DRAFT,),
        provenance={at: Provenance(own) for at, own in enumerate(sources)} if len(whole) > 1 else {},
    )


def _class_of(question: str, sentences: Sequence[str], dated: Sequence[DraftedFact]) -> str:
    """The class by rules, the strictest first."""
    said = " ".join(sentences)
    if _RULE.search(said):
        return "safety"
    if _WHO.search(question) or _WHO.search(said):
        return "identity"
    if _LIKES.search(question) or _LIKES.search(said):
        return "preference"
    return "episodic" if dated or _DATE.search(said) else "semantic"


def _spans(answer: str, least: int = 2) -> Iterator[str]:
    """Dates, what holds a digit and has so many characters, and names: words in capitals that begin no sentence."""
    yield from (match[0] for match in _DATE.finditer(answer))
    for match in _TOKEN.finditer(answer):
        span = match[0].strip("'’.,:;!?/-")
        if len(span) >= least and any(letter.isdigit() for letter in span):
            yield span
    yield from (match[0] for match in _NAME.finditer(answer))


def _rules(answer: str, texts: Sequence[str]) -> Iterator[str]:
    """The longest words in a row that a rule or a wish of the user shares with the answer, if one says something."""
    said = _plain(answer)
    for text in texts:
        for sentence in _SENTENCE.split(text):
            if not _RULE.search(sentence) and not _LIKES.search(sentence):
                continue
            if run := next((run for run in _runs(sentence, _LONGEST_RULE) if _plain(run) in said), None):
                yield run


def _runs(text: str, longest: int, least: int = 1) -> Iterator[str]:
    """The words in a row of a text that say something, up to so many and no fewer than `least`, the longest first."""
    words = _WORD.findall(text)
    for length in range(min(longest, len(words)), least - 1, -1):
        for start in range(len(words) - length + 1):
            if _own_words(run := words[start : start + length]):
                yield " ".join(run)


def _own_words(run: Sequence[str]) -> bool:
    return any(len(word) > 3 and word.lower() not in COMMON_WORDS and not _RULE.fullmatch(word) for word in run)


def _plain(text: str) -> str:
    """The words of a text between blanks, so that one text stands in another by whole words only."""
    return f" {' '.join(word.strip('.-') for word in _WORD.findall(text.lower()))} "


def _id_of(question: str) -> str:
    words = [word for word in _WORD.findall(question.lower()) if word.isascii() and word not in COMMON_WORDS]
    return "-".join(words[:5])[:50].strip("-.'") or "mined"
