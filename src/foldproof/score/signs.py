"""Signs that a session goes wrong, found without a model: first aid for a reader, and a check of a judge.

Each rule looks at the words and calls of the session alone. A sign is no verdict: a session may hold many and meet
its goal, or hold none and fail. The order of the kinds is the order of trust in them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from foldproof.score import sign_texts as texts
from foldproof.score.steps import Step

SignKind = Literal[
    "user correction",
    "contradiction",
    "made up",
    "ignored error",
    "tool error",
    "asked again",
    "unsourced",
    "same again",
    "first act",
]
KINDS: tuple[SignKind, ...] = get_args(SignKind)
_QUOTED = 160
_REMEMBERED = 200
"""Questions back to which an earlier one is looked for."""
_MOST_NAMED = 10
_LEAST_NEW = 2
"""New values in one message from which on they are taken to come from nowhere: one may be a sum."""


@dataclass(frozen=True, slots=True)
class Sign:
    """One sign: the step that it blames, the step where it shows (the same or a later one), and the words there."""

    kind: SignKind
    step: int
    shown_at: int
    quote: str


def find_signs(steps: Sequence[Step]) -> tuple[Sign, ...]:
    """Every sign in a session, by the step that is blamed; at most one of a kind a step.

    `first act` is only there where nothing else is: it names the step at which a reader should begin.
    """
    found: dict[tuple[int, int], Sign] = {}
    for rule in _RULES:
        for sign in rule(steps):
            found.setdefault((sign.step, KINDS.index(sign.kind)), sign)
    if not found:
        found = {(sign.step, 0): sign for sign in _first_act(steps)}
    return tuple(found[key] for key in sorted(found))


def most_telling(signs: Sequence[Sign]) -> Sign | None:
    """The earliest sign of the most trusted kind; None where there is none."""
    return min(signs, key=trust, default=None)


def trust(sign: Sign) -> tuple[int, int]:
    """What signs are ranked by: the kind, then the step."""
    return KINDS.index(sign.kind), sign.step


def quoted(text: str) -> str:
    """The beginning of a text, on one line."""
    words = " ".join(text[: 4 * _QUOTED].split())
    return words if len(words) <= _QUOTED else f"{words[:_QUOTED]} …"


def _sign(kind: SignKind, step: Step, shown: Step, quote: str = "") -> Sign:
    return Sign(kind, step.number, shown.number, quoted(quote or shown.text))


def _corrections(steps: Sequence[Step]) -> Iterator[Sign]:
    blamed: Step | None = None
    for step in steps:
        if step.by_agent:
            blamed = step
        elif step.kind == "said" and blamed and texts.corrects(step.text, asked=texts.asks(blamed.text)):
            yield _sign("user correction", blamed, step)


def _contradictions(steps: Sequence[Step]) -> Iterator[Sign]:
    stated: dict[str, set[str]] = {}
    seen: set[str] = set()
    for step in steps:
        if step.by_agent and step.kind != "thought":
            own = texts.labelled_args(step.args) if step.kind == "called" else texts.labelled(step.text)
            for label, value in own:
                if label in stated and value not in stated[label] and value not in seen:
                    said = stated[label]
                    # Named where they are few: a long session may state thousands, and each contradiction tells them.
                    named = ", ".join(sorted(said)) if len(said) <= _MOST_NAMED else f"{len(said)} others"
                    yield _sign("contradiction", step, step, f"{label} {value}, but the user said {named}")
        elif not step.by_agent and step.kind == "said":
            for label, value in texts.labelled(step.text):
                stated.setdefault(label, set()).add(value)
        if not step.by_agent or step.kind == "called":
            seen |= texts.values(step.text)


def _made_up(steps: Sequence[Step]) -> Iterator[Sign]:
    wished = " ".join(step.text for step in steps if not step.by_agent and step.kind == "said").casefold()
    for step in _acts(steps):
        if quote := texts.makes_up(texts.said_and_sent(step), unless_in=wished):
            yield _sign("made up", step, step, quote)


def _ignored_errors(steps: Sequence[Step]) -> Iterator[Sign]:
    failed: Step | None = None
    for step in steps:
        if step.kind in {"called", "result"}:
            if texts.failed(step):
                failed = step
            elif failed is not None and step.name == failed.name:
                failed = None
        elif not step.by_agent:
            failed = None
        elif step.kind == "said" and failed is not None:
            if texts.claims_success(step.text):
                yield _sign("ignored error", step, step)
            failed = None


def _tool_errors(steps: Sequence[Step]) -> Iterator[Sign]:
    blamed: Step | None = None
    for step in steps:
        if step.by_agent:
            blamed = step
        if blamed and texts.failed(step) and (step.kind == "result" or (step.kind == "called" and step.by_agent)):
            yield _sign("tool error", blamed, step)


def _asked_again(steps: Sequence[Step]) -> Iterator[Sign]:
    asked: deque[frozenset[str]] = deque(maxlen=_REMEMBERED)
    answered: tuple[frozenset[str], ...] = ()
    given: set[str] = set()
    for step in steps:
        if step.kind != "said":
            continue
        if not step.by_agent:
            given |= texts.given(step.text)
            answered = tuple(asked)
            continue
        for question in texts.questions(step.text):
            words = texts.content_words(question)
            if texts.asked_for(question) in given or any(texts.same_words(words, known) for known in answered):
                yield _sign("asked again", step, step, question)
            asked.append(words)


def _unsourced(steps: Sequence[Step]) -> Iterator[Sign]:
    seen: set[str] = set()
    acts = {step.number for step in _acts(steps)}
    for step in steps:
        told = texts.values(step.text)
        if step.kind == "said" and step.number in acts and len(new := texts.long_values(told - seen)) >= _LEAST_NEW:
            shown = ", ".join(sorted(new)[:3])
            yield _sign("unsourced", step, step, f"{len(new)} values that nothing before holds: {shown}")
        seen |= told | texts.values(texts.sent(step))


def _same_again(steps: Sequence[Step]) -> Iterator[Sign]:
    made: set[tuple[str, str]] = set()
    for step in steps:
        if step.kind == "said" and not step.by_agent:
            made.clear()
        if not step.by_agent or step.kind == "thought":
            continue
        key = (step.label, texts.sent(step) if step.kind == "called" else " ".join(step.text.split()))
        if key in made and (step.kind == "said" or step.args):
            yield _sign("same again", step, step, f"{step.label} {key[1]}")
        made.add(key)


def _first_act(steps: Sequence[Step]) -> Iterator[Sign]:
    own = [step for step in steps if step.by_agent]
    calls = (step for step in own if step.kind == "called" or (step.kind == "said" and texts.has_code(step.text)))
    first = next(calls, None) or next((step for step in _acts(steps) if step.kind == "said"), None)
    if first is not None or own:
        step = first or own[0]
        yield _sign("first act", step, step, texts.said_and_sent(step))


def _acts(steps: Sequence[Step]) -> list[Step]:
    """What the agent said and did itself; a message that hands on what the user asked, word for word, is not that."""
    asked = next((" ".join(step.text.split()) for step in steps if not step.by_agent and step.kind == "said"), "")
    own = [step for step in steps if step.by_agent and step.kind != "thought"]
    if len(asked) < texts.WHOLE_REQUEST:
        return own
    return [step for step in own if asked not in " ".join(step.text.split())]


_RULES: tuple[Callable[[Sequence[Step]], Iterator[Sign]], ...] = (
    _corrections,
    _contradictions,
    _made_up,
    _ignored_errors,
    _tool_errors,
    _asked_again,
    _unsourced,
    _same_again,
)
