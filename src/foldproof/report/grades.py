"""The document of `sessions grade`: the verdict of each session, where the failed ones went wrong, and the counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import Field

from foldproof.report.explained import Document
from foldproof.score.divergence import Divergence, Reach
from foldproof.score.grades import Failure, Said, SessionGrade, SessionVerdict, tally_of, verdict_of
from foldproof.score.signs import Sign, SignKind

Finder = Literal["judge", "signs"]
TURNS_TELL = "a share of good turns says nothing about the sessions: one bad turn can lose one"
FIRST_AID = "signs are first aid: they say where to begin to read, not that a session failed"


class SignRow(Document):
    """One sign, found without a model: the step that it blames, the step that shows it, and the words there."""

    kind: SignKind
    step: int
    shown_at: int
    quote: str


class FailureRow(Document):
    """Where a session is taken to go wrong, and who says so."""

    step: int = Field(description="among all steps of the session, from 1")
    place: str = Field(default="", description="the log's own id of the step, where it has one")
    by: Finder = Field(description="a judge, or the signs: those are first aid")
    turn: int = Field(description="the agent's turn, from 1")
    message: int = Field(
        description="the user's message before it, as `sessions cut` counts; 0 where nothing can be cut"
    )
    kind: str = Field(description="the tool that was called, the agent's name, `reply` or `thought`")
    last_good: str = Field(description="the same of the agent's step before it; `(start)` where there is none")
    quote: str
    cut: str = Field(default="", description="the command that makes a case of the place")


class DivergenceRow(Document):
    """The judged search: the agent's step that it found, and every answer it rests on."""

    step: int | None = Field(description="among the agent's steps, from 1; null where the answers do not tell")
    open_after: int = Field(description="the last of the agent's steps after which the goal was within reach")
    lost_after: int = Field(description="the first after which it was lost")
    answers: dict[int, Reach] = Field(description="what the judge said, by the number of the agent's steps it saw")
    doubts: list[str] = Field(default=[], description="what speaks against the step; with any it is no finding")


class GradeRow(Document):
    """One session."""

    id: str
    user: str = ""
    verdict: SessionVerdict
    by: Said = Field(description="who gave the verdict; empty where nobody was asked")
    quotation: str = ""
    reason: str = ""
    steps: int
    turns: int = Field(description="turns of the agent")
    bad_turns: int = Field(description="those that hold a sign or the divergence")
    failure: FailureRow | None = None
    divergence: DivergenceRow | None = None
    locator: SignRow | None = Field(default=None, description="the sign that the locator blames")
    agrees: bool | None = Field(default=None, description="whether judge and locator name one step")
    signs: list[SignRow] = Field(default=[], description="the most trusted signs, by step")
    signs_found: int = 0
    questions: int = Field(default=0, description="what a judge was asked about it, stored answers too")
    shortened: bool = Field(default=False, description="the judge did not see the whole of it")


class TransitionRow(Document):
    """How many sessions went from one kind of step, the last good one, to another, the first bad one."""

    last_good: str
    first_failure: str
    by: Finder
    sessions: int


class GradeDocument(Document):
    """The document of `foldproof sessions grade`."""

    schema_name: Literal["foldproof/grade/1"] = Field(
        default="foldproof/grade/1", validation_alias="schema", serialization_alias="schema"
    )
    verdict: Literal["pass", "blocked", "inconclusive"]
    reasons: list[str]
    need: int | None = Field(default=None, description="sessions that had to meet their goal")
    format: str
    judge: str = Field(default="", description="who judged; empty where nobody did")
    outcome: str = Field(default="", description="the log's own label that counted as the verdict")
    sessions: dict[str, int] = Field(description="sessions by verdict; those without one stay in the count")
    turns: int = Field(description="turns of the agents, in all sessions")
    bad_turns: int
    transitions: list[TransitionRow] = Field(default=[], description="most frequent first")
    signs: dict[str, int] = Field(default={}, description="sessions that hold a sign of a kind")
    agreed: int = Field(default=0, description="failed sessions in which judge and locator name one step")
    compared: int = Field(default=0, description="failed sessions in which both name a step")
    doubted: int = Field(default=0, description="searches whose answers contradict each other, or do not tell")
    questions: int = Field(default=0, description="what a judge was asked, stored answers too")
    asked: int = Field(default=0, description="calls of the judge that were made now")
    rows: list[GradeRow]
    notes: list[str] = Field(default=[])

    @property
    def headline(self) -> str:
        """The verdict in a word; where no count was needed nothing passes, it is only graded."""
        return "graded" if self.verdict == "pass" and self.need is None else self.verdict


def grade_document(
    grades: Sequence[SessionGrade],
    *,
    format_name: str,
    cut: Callable[[str, int], str],
    judge: str = "",
    outcome: str = "",
    asked: int = 0,
    need: int | None = None,
    notes: Sequence[str] = (),
) -> GradeDocument:
    """The document of graded sessions. `cut` gives the command that cuts a session at a message of its user."""
    tally = tally_of(grades)
    verdict, why = verdict_of(tally, need)
    ranked = sorted(tally.transitions.items(), key=lambda pair: (-pair[1], pair[0]))
    return GradeDocument(
        verdict=verdict,
        reasons=[why],
        need=need,
        format=format_name,
        judge=judge,
        outcome=outcome,
        sessions={word: tally.verdicts[word] for word in ("met", "not met", "cannot tell", "error", "unknown")},
        turns=tally.turns,
        bad_turns=tally.bad_turns,
        transitions=[
            TransitionRow(last_good=good, first_failure=bad, by=by, sessions=count) for (good, bad, by), count in ranked
        ],
        signs=dict(sorted(tally.signs.items(), key=lambda pair: (-pair[1], pair[0]))),
        agreed=tally.agreed,
        compared=tally.compared,
        doubted=tally.doubted,
        questions=tally.questions,
        asked=asked,
        rows=[_row(grade, cut) for grade in grades],
        notes=list(notes),
    )


def _row(grade: SessionGrade, cut: Callable[[str, int], str]) -> GradeRow:
    return GradeRow(
        id=grade.id,
        user=grade.user,
        verdict=grade.ruling.verdict,
        by=grade.ruling.by,
        quotation=grade.ruling.quotation,
        reason=grade.ruling.reason,
        steps=grade.steps,
        turns=grade.turns,
        bad_turns=grade.bad_turns,
        failure=_failure(grade.failure, grade.id, cut) if grade.failure else None,
        divergence=_divergence(grade.divergence) if grade.divergence else None,
        locator=_sign(grade.sign) if grade.sign else None,
        agrees=grade.agrees,
        signs=[_sign(sign) for sign in grade.signs],
        signs_found=grade.signs_found,
        questions=grade.questions,
        shortened=grade.shortened,
    )


def _failure(failure: Failure, session: str, cut: Callable[[str, int], str]) -> FailureRow:
    return FailureRow(
        step=failure.step,
        place=failure.place,
        by=failure.by,
        turn=failure.turn,
        message=failure.message,
        kind=failure.label,
        last_good=failure.last_good,
        quote=failure.quote,
        cut=cut(session, failure.message) if failure.message else "",
    )


def _divergence(found: Divergence) -> DivergenceRow:
    return DivergenceRow(
        step=found.step,
        open_after=found.between[0],
        lost_after=found.between[1],
        answers=dict(sorted(found.answers.items())),
        doubts=list(found.doubts),
    )


def _sign(sign: Sign) -> SignRow:
    return SignRow(kind=sign.kind, step=sign.step, shown_at=sign.shown_at, quote=sign.quote)


def session_counts(document: GradeDocument) -> str:
    """The session pass rate in words; what has no verdict is named beside it."""
    of = sum(document.sessions.values())
    told = [f"{document.sessions['met']} of {of} met the user's goal", f"{document.sessions['not met']} did not"]
    names = {"cannot tell": "the judge cannot tell", "error": "judge error", "unknown": "no verdict"}
    told += [f"{names[word]}: {document.sessions[word]}" for word in names if document.sessions[word]]
    return ", ".join(told)


def turn_counts(document: GradeDocument) -> str:
    """The turn pass rate in words."""
    good = document.turns - document.bad_turns
    share = f" ({100 * good // document.turns} %)" if document.turns else ""
    return f"{good} of the agent's {document.turns} hold no sign and no divergence{share}"


def failure_words(row: GradeRow) -> list[str]:
    """Where a session went wrong and how sure that is, one sentence a line."""
    found = row.failure
    if found is None:
        return ["no sign was found"]
    place = f" (id {found.place})" if found.place else ""
    at = f"step {found.step} of {row.steps}{place}: {found.kind}"
    lines = [f"first divergence: {at}" if found.by == "judge" else f"first aid: {at}", f"  {found.quote}"]
    if row.divergence is not None:
        lines += [f"doubt: {doubt}" for doubt in row.divergence.doubts]
    if row.shortened:
        lines.append("doubt: the session was too long to be shown to the judge whole")
    if row.locator is not None:
        seen = "" if row.locator.shown_at == row.locator.step else f", seen at step {row.locator.shown_at}"
        about = f"{row.locator.kind}{seen}: {row.locator.quote}"
        if found.by == "signs":
            lines.append(f"sign: {about}")
        else:
            word = "agrees" if row.agrees else f"blames step {row.locator.step}"
            lines.append(f"the locator {word}, {about}")
    return lines


def agreement_words(document: GradeDocument) -> str:
    """How often judge and locator name one step; empty where there was nothing to compare."""
    if not document.compared:
        return ""
    return f"judge and locator name one step in {document.agreed} of {document.compared} failed sessions"
