"""The grade of a session: its verdict first, and only where it failed the first divergence; counts over sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from foldproof.logs import Outcome
from foldproof.score.divergence import Divergence, Reach
from foldproof.score.sign_texts import said_and_sent
from foldproof.score.signs import Sign, find_signs, most_telling, quoted, trust
from foldproof.score.steps import Step, agent_steps

SessionVerdict = Literal["met", "not met", "cannot tell", "error", "unknown"]
"""Whether the user's goal was met. `cannot tell` is what a judge said, `error` that it failed, `unknown` that nobody
was asked: none of the three is a pass, and none is a failed session."""
Said = Literal["judge", "outcome", ""]
_KEPT = 20
_MET = frozenset({"1", "1.0", "c", "correct", "pass", "passed", "true", "yes", "met", "success"})
_NOT_MET = frozenset({"0", "0.0", "i", "incorrect", "fail", "failed", "false", "no", "not met", "failure"})


@dataclass(frozen=True, slots=True)
class Ruling:
    """What was said of a whole session, by whom, and on what passage it rests."""

    verdict: SessionVerdict = "unknown"
    by: Said = ""
    quotation: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """The step at which a session is taken to go wrong, and who says so: a judge, or the signs (first aid).

    `step` counts all steps of the session, `place` is the log's own id. `message` is the number of the user's message
    that the step answers, among all that was said: `sessions cut` knows the place by it. It is 0 where nothing stands
    before that message, so that nothing can be frozen. `label` is the kind of
    step, `last_good` that of the agent's step before it, `quote` its beginning.
    """

    step: int
    by: Literal["judge", "signs"]
    message: int
    turn: int
    label: str
    last_good: str
    quote: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class SessionGrade:
    """One graded session.

    `turns` counts the turns of the agent, `bad_turns` those that hold a sign or the divergence. Of the signs only the
    most trusted are kept, and `signs_found` counts all; `sign` is the one that the locator blames. `divergence` is what
    the judged search found, None where none was made. `failure` is where to look; `agrees` says whether judge and
    locator name one step, None where one of them names none. `questions` counts what a judge was asked, `shortened`
    says that it did not see the whole session.
    """

    id: str
    steps: int
    turns: int
    bad_turns: int
    ruling: Ruling = Ruling()
    user: str = ""
    signs: tuple[Sign, ...] = ()
    signs_found: int = 0
    sign: Sign | None = None
    divergence: Divergence | None = None
    failure: Failure | None = None
    agrees: bool | None = None
    questions: int = 0
    shortened: bool = False

    @property
    def judged(self) -> bool:
        """Whether there is a verdict."""
        return self.ruling.verdict in {"met", "not met"}


def grade_session(
    id: str,  # noqa: A002  # the record's own field
    steps: Sequence[Step],
    *,
    ruling: Ruling,
    divergence: Divergence | None = None,
    user: str = "",
    questions: int = 0,
    shortened: bool = False,
) -> SessionGrade:
    """The grade of a session from what was said of it; its signs are looked for here.

    A session that met its goal has no failure, whatever its signs; one without a verdict has none without a sign. Of
    a divergence with doubts the step is still where to look.
    """
    signs = find_signs(steps)
    sign = most_telling(signs)
    own = agent_steps(steps)
    found = own[divergence.step - 1] if divergence is not None and divergence.step is not None else None
    failed = ruling.verdict != "met"
    failure = None
    if failed and found is not None:
        failure = _failure(steps, found, "judge")
    elif sign is not None and (ruling.verdict == "not met" or (failed and sign.kind != "first act")):
        failure = _failure(steps, steps[sign.step - 1], "signs")
    bad = {steps[one.step - 1].turn for one in signs if one.kind != "first act"} | ({found.turn} if found else set())
    return SessionGrade(
        id=id,
        steps=len(steps),
        turns=max((step.turn for step in own), default=0),
        bad_turns=len(bad),
        ruling=ruling,
        user=user,
        signs=tuple(sorted(sorted(signs, key=trust)[:_KEPT], key=lambda one: one.step)),
        signs_found=len(signs),
        sign=sign,
        divergence=divergence,
        failure=failure,
        agrees=found.number == sign.step if found is not None and sign is not None else None,
        questions=questions,
        shortened=shortened,
    )


def _failure(steps: Sequence[Step], step: Step, by: Literal["judge", "signs"]) -> Failure:
    earlier = steps[: step.number - 1]
    return Failure(
        step=step.number,
        by=by,
        message=next((one.talk for one in reversed(earlier[1:]) if one.kind == "said" and not one.by_agent), 0),
        turn=step.turn,
        label=step.label,
        last_good=next((one.label for one in reversed(earlier) if one.by_agent), "(start)"),
        quote=quoted(said_and_sent(step)),
        place=step.place,
    )


def ruling_of(outcomes: Iterable[Outcome], name: str) -> Ruling:
    """The verdict that a log's own label gives, where it says plainly yes or no; several of the name must all say yes.

    A score between the two, and any other word, is `cannot tell`; a session without the label is `unknown`.
    """
    told = [outcome.value for outcome in outcomes if outcome.name == name]
    if not told:
        return Ruling("unknown", reason=f"the log holds no `{name}` for this session")
    words = [str(value).strip().lower() for value in told]
    shown = f"{name}: {', '.join(map(str, told))}"
    if any(word in _NOT_MET for word in words):
        return Ruling("not met", "outcome", reason=shown)
    if all(word in _MET for word in words):
        return Ruling("met", "outcome", reason=shown)
    return Ruling("cannot tell", "outcome", reason=f"{shown}: neither a yes nor a no")


def scale_of(outcomes: Iterable[Outcome], name: str) -> float | None:
    """A value of this label beyond 0 to 1, where there is one: a scale, whose 1 is no yes and whose 0 is no no."""
    for outcome in outcomes:
        try:
            value = float(outcome.value)
        except ValueError:
            continue
        if outcome.name == name and (value > 1 or value < 0):
            return value
    return None


def reach_of(verdict: str | None) -> Reach:
    """The answer of a judge about a beginning, who was asked whether the goal is lost there; a failure is no answer."""
    return {"met": "lost", "not met": "open"}.get(verdict or "", "cannot tell")  # type: ignore[return-value]


Transition = tuple[str, str, Literal["judge", "signs"]]


@dataclass(slots=True)
class GradeTally:
    """Counts over sessions.

    `transitions` counts the pairs of the agent's last good step and its first bad one, by kind of step, and by who
    found it. `signs` counts sessions that hold a sign of a kind.
    """

    verdicts: Counter[SessionVerdict] = field(default_factory=Counter)
    turns: int = 0
    bad_turns: int = 0
    questions: int = 0
    agreed: int = 0
    compared: int = 0
    doubted: int = 0
    transitions: Counter[Transition] = field(default_factory=Counter)
    signs: Counter[str] = field(default_factory=Counter)

    @property
    def sessions(self) -> int:
        """All sessions, judged or not."""
        return sum(self.verdicts.values())

    @property
    def unjudged(self) -> int:
        """Sessions without a verdict: they stay in the count."""
        return self.sessions - self.verdicts["met"] - self.verdicts["not met"]

    def take(self, grade: SessionGrade) -> None:
        """Count a session."""
        self.verdicts[grade.ruling.verdict] += 1
        self.turns += grade.turns
        self.bad_turns += grade.bad_turns
        self.questions += grade.questions
        self.doubted += bool(grade.divergence and grade.divergence.doubts)
        self.compared += grade.agrees is not None
        self.agreed += bool(grade.agrees)
        self.signs.update({sign.kind for sign in grade.signs})
        if grade.failure is not None:
            self.transitions[(grade.failure.last_good, grade.failure.label, grade.failure.by)] += 1


def tally_of(grades: Iterable[SessionGrade]) -> GradeTally:
    """The counts of these sessions."""
    tally = GradeTally()
    for grade in grades:
        tally.take(grade)
    return tally


def verdict_of(tally: GradeTally, need: int | None = None) -> tuple[Literal["pass", "blocked", "inconclusive"], str]:
    """What the sessions as a whole come to, and why.

    With `need`, a count decided in advance: pass from so many met on, blocked where that many can no longer be met.
    Without, a verdict on every session is all that is asked for: sessions that failed are a finding, not a refusal.
    """
    met, open_ = tally.verdicts["met"], tally.unjudged
    if not tally.sessions:
        return "inconclusive", "no session was graded"
    if need is None:
        if open_:
            return "inconclusive", f"{open_} of {tally.sessions} sessions have no verdict"
        return "pass", "every session has a verdict"
    if met >= need:
        return "pass", f"{met} sessions met their goal, {need} were needed"
    if met + open_ < need:
        return "blocked", f"{met} sessions met their goal, {need} were needed"
    return "inconclusive", f"{met} sessions met their goal, {need} were needed, and {open_} have no verdict"
