"""The score of one trial: fact by fact, then the whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Literal

from foldproof.cases import Case, Expectation
from foldproof.cases.case_checks import NOTHING_ASKED
from foldproof.cases.counterparts import Line
from foldproof.cases.expectations import ABOUT_STORE
from foldproof.core import REDACTED
from foldproof.logs import History
from foldproof.matching import Fact, Text, match_fact, weakened
from foldproof.record import Claim, Trial
from foldproof.score.abstain import admits_ignorance
from foldproof.score.apart import APART, judge_apart
from foldproof.score.attribution import Loss, attribute, attribute_forbidden
from foldproof.score.call_losses import attribute_call, attribute_state
from foldproof.score.calls import CallVerdict, judge_calls
from foldproof.score.corrections import correction_label, judge_correction
from foldproof.score.evidence import STAGES, Part, Records, TrialEvidence
from foldproof.score.forgetting import forget_labels, judge_forgetting
from foldproof.score.hidden import hides, redacted_lines
from foldproof.score.invented import attribute_abstention
from foldproof.score.made import calls_made
from foldproof.score.memory import judge_memory
from foldproof.score.sighting import Sighting, look_in
from foldproof.score.simulated import deciding_fault, user_faults
from foldproof.score.states import judge_state
from foldproof.score.turns import JudgedTurn, judged_turns
from foldproof.score.verdicts import Verdicts
from foldproof.score.whole import Blame

FactRole = Literal["expected", "forbidden", "expectation"]
FactOutcome = Literal["held", "missed", "negated", "degraded", "error"]
TrialOutcome = Literal["pass", "fail", "error"]
_LONGEST_MARKED = 100_000
"""Characters of an answer in which hits are marked and reasons found; a longer one is scored and no more."""
ABSTAIN = "admits that it does not know"
UNSEEN = "the agent does not show its tool calls"
_IGNORED = Loss("use", "it had just been corrected", ())
UNJUDGED = Verdicts()
"""What no judge said: every judged fact is an error."""


@dataclass(frozen=True, slots=True)
class FactScore:
    """What became of one fact in one answer.

    `spans` are half-open offsets of the hits in the answer. `reason` is a sentence where there is one to tell.
    `loss` says who lost the fact, where it is not ok and the records of the trial were at hand.
    """

    fact: str
    role: FactRole
    outcome: FactOutcome
    spans: tuple[tuple[int, int], ...] = ()
    reason: str = ""
    loss: Loss | None = None

    @property
    def ok(self) -> bool:
        """Whether this fact lets the trial pass: an expected one held, a forbidden one not, an expectation met."""
        if self.role == "forbidden":
            return self.outcome in {"missed", "negated"}
        return self.outcome == "held"


@dataclass(frozen=True, slots=True)
class TrialScore:
    """The score of one trial. `error` says why there is none, where `outcome` is `error`.

    `corrected` says whether a live counterpart corrected the agent, None where the case has no correction or nothing
    could be judged. `faults` are those of a simulated user, whether they decided anything or not.
    """

    repeat: int
    outcome: TrialOutcome
    facts: tuple[FactScore, ...] = ()
    error: str = ""
    corrected: bool | None = None
    faults: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the answer holds what its case asks for."""
        return self.outcome == "pass"

    @property
    def leaked(self) -> bool:
        """Whether what one user said was shown to another."""
        return any(fact.fact == APART and fact.outcome == "missed" for fact in self.facts)


def score_trial(
    case: Case,
    trial: Trial,
    *,
    records: Records | None = None,
    verdicts: Verdicts = UNJUDGED,
    histories: Mapping[str, History] | None = None,
    cut_off: bool = False,
) -> TrialScore:
    """Score a recorded answer against its case; with `records`, say who lost what it misses.

    Judged facts are what the stored `verdicts` say. An expected fact may stand in a part of the answer that was
    redacted, unless the agent repeats a line of its `histories` that was redacted before.

    The facts stand in one order in every trial: the admission, what is expected, what is forbidden, then the
    `expect:` list, of which every item must hold. A trial that recorded an error has the outcome `error`, and so has
    one whose facts cannot be judged: a failure to judge is neither a pass nor a fail. A case that asserts nothing is
    such a failure too. Of a case with sessions each turn's list is held against that turn, under labels that open with
    its name; the facts are those of the last reply. What became of a correction is one more item of its turn. Whether
    its users were kept apart, and what it must forget, comes last. One user's words shown to another fail a trial,
    whatever else could not be judged. Where a fault of a simulated user decided it, the outcome is `error`.

    `cut_off` says that the memory was cut off. Where the context of a session was not fresh all the same, what is
    expected of the memory is left out: an agent that does the right thing then has it from elsewhere.
    """
    if cut_off and any(turn.fresh is False for turn in trial.turns):
        case = case.behaviour
    if trial.error is not None:
        return TrialScore(trial.repeat, "error", _unjudged(case), f"{trial.error.kind}: {trial.error.message}")
    turns = judged_turns(case, trial)
    if not turns:
        return TrialScore(trial.repeat, "error", _unjudged(case), "the record has other turns than the case")
    text = Text(trial.answer)
    known = redacted_lines(case, histories or {}) if REDACTED in text.raw else ()
    told_by = partial(_score_named, case=case, text=text, verdicts=verdicts, known=known)
    expected = tuple(told_by(fact, "expected") for fact in case.expected)
    forbidden = tuple(told_by(fact, "forbidden") for fact in case.forbidden)
    admitted = (_score_abstention(trial.answer, _asked(case)),) if case.abstain else ()
    wanted = (admitted, expected) if case.abstain and expected else ((*admitted, *expected),)
    answered = any(all(fact.ok for fact in group) for group in wanted) and all(fact.ok for fact in forbidden)
    listed = [_score_turn(turn, answered=turn is not turns[-1] or answered) for turn in turns]
    # Spans point into the answer of the trial, which is the last reply.
    listed[:-1] = [tuple(replace(score, spans=()) for score in scores) for scores in listed[:-1]]
    whole = tuple(_score_whole(case, turns, records))
    facts = (*admitted, *expected, *forbidden, *(score for scores in listed for score in scores), *whole)
    scored = TrialScore(trial.repeat, "pass", facts, corrected=_corrected(turns), faults=_user_faults(turns))
    if scored.leaked:
        return replace(scored, outcome="fail")
    for fact in facts:
        if fact.outcome == "error":
            what = "expectation" if fact.role == "expectation" else "fact"
            return _voided(scored, f"{what} '{fact.fact}' was not judged: {fact.reason}")
    survives = case.forget is not None and case.forget.asks
    if not (expected or admitted or survives) and all(item.kind in NOTHING_ASKED for item in case.all_expected):
        return _voided(scored, "nothing is asserted: silence would pass")
    held = [all(score.ok for score in scores) for scores in listed]
    held[-1] = held[-1] and answered and all(fact.ok for fact in whole)
    if fault := _deciding(turns, held, facts):
        return _voided(scored, f"counterpart: the simulated user decided it: {fault}")
    if all(held):
        return scored
    if records is not None:
        given = (*(None for _ in admitted), *case.expected, *case.forbidden)
        told = [(turn, TrialEvidence(turn.case, turn.trial, records, turn.earlier)) for turn in turns]
        traced = [_traced(score, fact, *told[-1]) for score, fact in zip(facts, given, strict=False)]
        for scores, one in zip(listed, told, strict=True):
            # What became of corrections stands behind what is expected, and has its owner already.
            items = (*one[0].case.expect, *(None for _ in scores[len(one[0].case.expect) :]))
            traced += [_traced_expectation(*pair, *one) for pair in zip(scores, items, strict=True)]
        scored = replace(scored, facts=(*traced, *whole))
    return replace(scored, outcome="fail")


def _voided(score: TrialScore, error: str) -> TrialScore:
    """A trial without a judgement: nothing is said of a correction either."""
    return replace(score, outcome="error", error=error, corrected=None)


def _corrected(turns: tuple[JudgedTurn, ...]) -> bool | None:
    """Whether the agent was corrected in one of the turns that have a correction; None where none has."""
    found = [turn.corrected for turn in turns if turn.counterpart is not None and turn.counterpart.corrections]
    return any(found) if found else None


def _user_faults(turns: tuple[JudgedTurn, ...]) -> tuple[str, ...]:
    return tuple(fault.message for turn in turns for fault in user_faults(turn))


def _deciding(turns: tuple[JudgedTurn, ...], held: list[bool], facts: tuple[FactScore, ...]) -> str:
    """The fault of a simulated user on which the outcome rests, empty where none does.

    A trial that fails for an earlier turn would have failed without it.
    """
    asked = "\n".join(fact.fact for fact in facts)
    for at, turn in enumerate(turns):
        if not all(held[:at]):
            return ""
        if fault := deciding_fault(user_faults(turn), passed=all(held), asked=asked):
            return fault.message
    return ""


def _score_whole(case: Case, turns: tuple[JudgedTurn, ...], records: Records | None) -> Iterator[FactScore]:
    """What is judged of the sessions as a whole: that users are kept apart, and what must be forgotten."""
    for found in (*judge_apart(case, turns), *judge_forgetting(case, turns)):
        loss = None
        if found.blame and records is not None:
            loss = Loss(found.blame.owner, found.blame.reason, _way_of(found.blame, records))
        yield FactScore(found.label, "expectation", found.outcome, reason=found.reason, loss=loss)


def _way_of(blame: Blame, records: Records) -> tuple[Sighting, ...]:
    if blame.turn is None:
        return ()
    evidence = TrialEvidence(blame.turn.case, blame.turn.trial, records, blame.turn.earlier)
    return tuple(look_in(evidence, blame.fact, stage) for stage in STAGES)


def _traced(score: FactScore, fact: Fact | None, turn: JudgedTurn, evidence: TrialEvidence) -> FactScore:
    if score.ok:
        return score
    if fact is None:
        loss = None if evidence.case.expected else attribute_abstention(evidence)
        return score if loss is None else replace(score, loss=loss, reason=loss.reason)
    if fact.kind == "judged":
        unseen = tuple(Sighting(stage, "unseen") for stage in STAGES)
        return replace(score, loss=Loss("unknown", "a judged fact is looked for in no record", unseen))
    trace = attribute_forbidden if score.role == "forbidden" else attribute
    return replace(score, loss=_of_session(trace(fact, evidence), turn, evidence, fact))


def _traced_expectation(
    score: FactScore, item: Expectation | None, turn: JudgedTurn, evidence: TrialEvidence
) -> FactScore:
    """Who lost what the reply or a call should hold, or brought in what the reply should not.

    Of what is expected of the memory only what should have been read has an owner: the others name a stage themselves.
    """
    if score.ok or item is None or item.kind in ABOUT_STORE:
        return score
    if item.fact is None:
        # What a call lacks may have been said in this very conversation: that is nobody's loss of memory.
        trace_back = attribute_state if item.kind == "state" else attribute_call
        return replace(score, loss=None if turn.said else _of_session(trace_back(item, evidence), turn, evidence))
    trace = attribute_forbidden if item.kind == "reply_omits" else attribute
    loss = _of_session(trace(item.fact, evidence), turn, evidence, item.fact)
    if item.kind == "memory_read" and loss is not None and loss.owner in {"prompt", "use"}:
        return score  # it stands in a prompt or a reply without having been read
    return replace(score, loss=loss)


def _of_session(loss: Loss | None, turn: JudgedTurn, evidence: TrialEvidence, fact: Fact | None = None) -> Loss | None:
    """The loss, or None where the sessions do not let it be told.

    What was said earlier in the same conversation need not come from the memory; what left the memory between two
    sessions without any fold, or can be seen to have left it before one, was not folded away.
    """
    if fact is not None and any(match_fact(fact, text).held for text in turn.said):
        return None
    built = turn.trial.store_written != turn.first_kept
    if loss is None or loss.owner != "fold" or not turn.earlier or built:
        return loss
    around = [
        (evidence.records.items(one.store_written), evidence.records.items(one.store_kept)) for one in turn.earlier
    ]
    seen = [(written, kept) for written, kept in around if written is not None and kept is not None]
    gone = fact is None or not seen or any(_says(fact, written) and not _says(fact, kept) for written, kept in seen)
    return loss if turn.maintained and gone else None


def _says(fact: Fact, parts: Sequence[Part]) -> bool:
    return any(match_fact(fact, part.text).held for part in parts)


def _score_turn(turn: JudgedTurn, *, answered: bool) -> tuple[FactScore, ...]:
    """What is expected of a turn, then what became of its corrections; `answered` says that its facts are right."""
    scores = tuple(_score_expectations(turn))
    met = answered and all(score.ok for score in scores)
    lines = turn.counterpart.corrections if turn.counterpart is not None else ()
    labels = _labels(turn.case, turn.name, lines)[len(scores) :]
    verdicts = (judge_correction(line, turn, met=met) for line in lines)
    told = (
        FactScore(label, "expectation", found.outcome, reason=found.reason, loss=_IGNORED if found.ignored else None)
        for label, found in zip(labels, verdicts, strict=True)
    )
    return (*scores, *told)


def _score_expectations(turn: JudgedTurn) -> Iterator[FactScore]:
    """One score an item of the `expect:` list; an item that stands there twice is numbered."""
    case, text = turn.case, Text(turn.trial.answer)
    verdicts = iter(_judged_calls(case, turn.trial))
    after = "after the correction, " if turn.corrected else ""
    for item, label in zip(case.expect, _labels(case, turn.name), strict=True):
        if item.about_memory:
            found = judge_memory(item, turn)
            yield FactScore(label, "expectation", found.outcome, reason=found.reason)
        elif item.kind == "state":
            state = judge_state(item, turn.trial.state)
            yield FactScore(label, "expectation", state.outcome, reason=state.reason)
        elif item.fact is None:
            verdict = next(verdicts)
            reason = f"{after}{verdict.reason}" if verdict.outcome == "missed" else verdict.reason
            yield FactScore(label, "expectation", verdict.outcome, reason=reason)
        elif item.kind == "reply_mentions":
            yield replace(_score_fact(item.fact, "expected", text), fact=label, role="expectation")
        else:
            score = _score_fact(item.fact, "forbidden", text)
            outcome: FactOutcome = "error" if score.outcome == "error" else "held" if score.ok else "missed"
            reason = "" if outcome == "held" else score.reason
            yield FactScore(label, "expectation", outcome, () if outcome == "held" else score.spans, reason)


def _judged_calls(case: Case, trial: Trial) -> list[CallVerdict]:
    items = [item for item in case.expect if item.about_calls]
    made = calls_made(case, trial) if items else ()
    if made is None:
        return [CallVerdict("error", UNSEEN)] * len(items)
    try:
        return list(judge_calls(items, made))
    except Exception as error:  # noqa: BLE001  # the border to the scorer: its failure is no judgement
        return [CallVerdict("error", f"{type(error).__name__}: {error}")] * len(items)


def expectation_labels(case: Case) -> list[str]:
    """How each item of the `expect:` list stands in scores, reports and baselines; no two alike.

    Those of sessions open with the name of their turn: `s2.t1 reply_mentions: store credit`. What is judged of the
    sessions as a whole comes last.
    """
    turns = [turn.counterpart for session in case.sessions for turn in session.turns] or [None]
    named = zip(case.parts, case.part_names, turns, strict=True)
    listed = [_labels(part, name, who.corrections if who else ()) for part, name, who in named]
    apart = [APART] if len(case.users) > 1 else []
    return [*(label for labels in listed for label in labels), *apart, *forget_labels(case)]


def _labels(case: Case, name: str, corrections: Iterable[Line] = ()) -> list[str]:
    labels: list[str] = []
    for plain in (*(item.label for item in case.expect), *map(correction_label, corrections)):
        numbered = (f"{plain} ({number})" for number in count(2))
        label = plain if plain not in labels else next(one for one in numbered if one not in labels)
        labels.append(label)
    return [f"{name} {label}" if name else label for label in labels]


def _score_named(
    fact: Fact, role: FactRole, *, case: Case, text: Text, verdicts: Verdicts, known: tuple[str, ...]
) -> FactScore:
    """One of the case's own facts: what a matcher finds, or what a judge said."""
    if fact.kind != "judged":
        return _score_fact(fact, role, text, known if role == "expected" else ())
    ruling = verdicts.ruling(Claim(case.question, fact.text, text.raw))
    return FactScore(fact.label, role, ruling.outcome, ruling.spans, ruling.reason)


def _score_fact(fact: Fact, role: FactRole, text: Text, known: tuple[str, ...] = ()) -> FactScore:
    try:
        match = match_fact(fact, text)
    except Exception as error:  # noqa: BLE001  # the border to the scorer: its failure is no judgement
        return FactScore(fact.label, role, "error", reason=f"{type(error).__name__}: {error}")
    if match.outcome == "missed" and hides(text.raw, known):
        return FactScore(
            fact.label, role, "error", reason="a part of the answer was redacted, and the fact may stand in it"
        )
    if role == "forbidden" and match.unsure:
        return FactScore(fact.label, role, "error", reason=f"the answer may say it, or not: {match.reason}")
    if len(text.raw) > _LONGEST_MARKED:
        return FactScore(fact.label, role, match.outcome)
    weak = weakened(fact, text) if role == "expected" and match.outcome == "missed" else None
    if weak is not None:
        reason = f"only '{weak.text}' stands in the text: its {weak.gone} is gone"
        return FactScore(fact.label, role, "degraded", ((weak.span.start, weak.span.end),), reason)
    spans = tuple((span.start, span.end) for span in match.spans)
    return FactScore(fact.label, role, match.outcome, spans, match.reason)


def _asked(case: Case) -> str:
    """All that an answer may take up: what was said before it, and the question."""
    made = [one for turn in case.frozen for one in turn.calls]
    calls = [text for one in made for text in (*map(str, one.call.args.values()), one.text)]
    return "\n".join([*(turn.text for turn in case.frozen), *calls, case.question])


def _score_abstention(answer: str, question: str) -> FactScore:
    held = admits_ignorance(answer, question)
    return FactScore(ABSTAIN, "expectation", "held" if held else "missed")


def _unjudged(case: Case) -> tuple[FactScore, ...]:
    admitted = (FactScore(ABSTAIN, "expectation", "error"),) if case.abstain else ()
    expected = tuple(FactScore(fact.label, "expected", "error") for fact in case.expected)
    forbidden = tuple(FactScore(fact.label, "forbidden", "error") for fact in case.forbidden)
    expectations = tuple(FactScore(label, "expectation", "error") for label in expectation_labels(case))
    return (*admitted, *expected, *forbidden, *expectations)
