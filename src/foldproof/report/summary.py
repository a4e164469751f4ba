"""What a report says before its tables: the headline, the losses, the statistics, the next command. Pure."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foldproof.compare.diff import Change
from foldproof.report.benchmarks import key_lines, recall_rows
from foldproof.report.documents import CaseRow, CheckDocument, FactRow, GateRow, RunDocument, ScoredCase
from foldproof.report.text import BRIEF, counted, inline
from foldproof.score import Owner
from foldproof.score.trials import FactOutcome, FactRole

CHANGED: tuple[Change, ...] = ("lost", "recovered", "flaky", "error", "vacuous", "new", "gone")
"""What a report lists one by one; kept and failing cases are counted."""
_REASON_IN_LINE = 60
_LISTED = 30
_EXPECTED = {"held": "kept", "missed": "lost", "negated": "negated", "degraded": "degraded", "error": "not judged"}
_FORBIDDEN = {**_EXPECTED, "held": "said", "missed": "absent", "negated": "absent"}
_UNDER = {
    "unplugged": "with the memory cut off; none should",
    "oracle": "with their facts in the prompt; each should",
    "full": "with the whole history in the prompt",
    "live": "with the user's messages said anew in place of the frozen turns",
}
_PLAIN_WORD = re.compile(r"[\w.:@%+,=/-]+")


@dataclass(frozen=True, slots=True)
class Loss:
    """One fact that was right before and is not now (or, of a single run, is not right), in words to be shown."""

    case: str
    case_class: str
    fact: str
    change: str
    trials: str
    reason: str = ""
    kind: FactRole = "expected"

    @property
    def flaky(self) -> bool:
        """Whether some trials still have the fact right."""
        return self.trials.endswith("flaky")

    @property
    def negated(self) -> bool:
        """Whether the fact is there, but in a negation."""
        return "negated" in self.change

    @property
    def telling(self) -> bool:
        """Whether the reason says what the row does not: a negation, or in what the calls differ."""
        return self.negated or self.kind == "expectation"

    @property
    def name(self) -> str:
        """The case and the fact."""
        return f"{self.case} / {self.fact}" if self.fact else self.case


def right(kind: FactRole, outcome: FactOutcome | None) -> bool:
    """Whether this outcome lets a case pass: an expected fact held, a forbidden one not."""
    return outcome in ({"missed", "negated"} if kind == "forbidden" else {"held"})


def fact_word(kind: FactRole, outcome: FactOutcome | None) -> str:
    """The outcome of a fact as reports say it: kept, lost, said (a forbidden one)."""
    if outcome is None:
        return "not there"
    return (_FORBIDDEN if kind == "forbidden" else _EXPECTED)[outcome]


def outcome_word(kind: FactRole, outcome: FactOutcome) -> str:
    """The outcome of a fact where there is nothing to compare it with: held, missed, said (a forbidden one)."""
    return outcome if kind != "forbidden" and outcome != "error" else fact_word(kind, outcome)


def fact_name(kind: FactRole, fact: str) -> str:
    """The fact as reports name it, in full, on one line."""
    return f"forbidden: {inline(fact)}" if kind == "forbidden" else inline(fact)


def is_lost(case: CaseRow, fact: FactRow) -> bool:
    """Whether this fact was right in every trial before and is not right in some trial after."""
    return case.change in {"lost", "flaky"} and fact.bad > 0 and fact.after != "error" and right(fact.kind, fact.before)


def check_losses(document: CheckDocument) -> list[Loss]:
    """The lost facts of a check, in the order of the set.

    A case that was lost without a single fact of which that can be said stands for itself.
    """
    found: list[Loss] = []
    for case in document.cases:
        facts = [_loss(case, fact) for fact in case.facts if is_lost(case, fact)]
        if not facts and case.change == "lost":
            trials = counted(case.trials, "trial")
            facts = [Loss(inline(case.id), inline(case.case_class), "", "pass -> fail", trials)]
        found += facts
    return found


def _loss(case: CaseRow, fact: FactRow) -> Loss:
    change = f"{fact_word(fact.kind, fact.before)} -> {fact_word(fact.kind, fact.after)}"
    reason = inline(fact.reason, BRIEF)
    if fact.owner is not None:
        change, reason = at_owner(change, fact.owner, inline(fact.why, BRIEF), reason)
    trials = f"{fact.bad} of {counted(fact.trials, 'trial')}" + (", flaky" if case.change == "flaky" else "")
    name = fact_name(fact.kind, fact.fact)
    return Loss(inline(case.id), inline(case.case_class), name, change, trials, reason, fact.kind)


def at_owner(change: str, owner: Owner, why: str, reason: str) -> tuple[str, str]:
    """The change with its owner, and the reason that stands under it; a short why stands beside the owner."""
    if owner == "unknown":
        return change, why or reason
    if why and len(why) <= _REASON_IN_LINE:
        return f"{change} at {owner} ({why})", reason
    return f"{change} at {owner}", why or reason


def owners_line(owners: Mapping[str, int]) -> str:
    """How many facts each owner lost, in one line, and where to read on of those unknown; empty where none was lost."""
    line = ", ".join(f"{owner} {count}" for owner, count in owners.items())
    return f"{line} (`foldproof explain` shows what was seen)" if "unknown" in owners else line


def change_counts(document: CheckDocument) -> Counter[str]:
    """How many cases there are of each change."""
    return Counter(case.change for case in document.cases)


def check_headline(document: CheckDocument) -> str:
    """What follows the verdict: facts lost, unstable and recovered, cases judged, errors, cases gone from the set."""
    changes = change_counts(document)
    asked = sum(case.after is not None for case in document.cases)
    recovered = sum(
        max(1, sum(fact.bad == 0 and not right(fact.kind, fact.before) for fact in case.facts))
        for case in document.cases
        if case.change == "recovered"
    )
    errors = f" ({counted(changes['error'], 'error')})" if changes["error"] else ""
    losses = check_losses(document)
    unstable = sum(loss.flaky for loss in losses)
    parts = [f"{counted(len(losses) - unstable, 'fact')} lost"]
    if unstable:
        parts.append(f"{unstable} unstable")
    parts += [f"{recovered} recovered", f"{asked - changes['error']} of {asked} judged{errors}"]
    if changes["gone"]:
        parts.append(f"{counted(changes['gone'], 'accepted case')} gone from the set")
    return ", ".join(parts)


def unchanged_line(document: CheckDocument) -> str:
    """The counts of the cases that a report does not list."""
    changes = change_counts(document)
    parts = [f"{changes['kept']} kept", f"{changes['failing']} still failing"]
    return ", ".join(part for part in parts if not part.startswith("0 ")) or "none"


def before_after(case: CaseRow) -> str:
    """`pass -> fail`; a side that does not have the case is `-`, and nothing is said where neither has it."""
    return "" if case.before is None and case.after is None else f"{case.before or '-'} -> {case.after or '-'}"


def wrong_facts(case: CaseRow) -> list[str]:
    """The facts of a case that are not right after, other than those that the losses list."""
    return [
        f"{fact_name(fact.kind, fact.fact)}: {outcome_word(fact.kind, fact.after)} in {fact.bad} of "
        f"{counted(fact.trials, 'trial')}"
        for fact in case.facts
        if fact.bad and fact.after not in (None, "error") and not is_lost(case, fact)
    ]


def check_next(document: CheckDocument) -> str:
    """The command that shows the first loss, else the first error; empty where there is neither."""
    losses = check_losses(document)
    lost = {loss.case for loss in losses} or {inline(name) for row in document.gate for name in row.failed}
    for case in document.cases:
        if inline(case.id) in lost:
            return explain_command(document.after.run, case.id)
    for case in document.cases:
        if case.change == "error":
            run = document.after if case.after == "error" or case.error else document.before
            return explain_command(run.run, case.id)
    return ""


def explain_command(run: str, case_id: str) -> str:
    """The command that shows one case of a run, ready to be pasted."""
    words = (inline(run), inline(case_id))
    # `shlex.quote` would quote letters beyond ASCII too, which no shell needs.
    return " ".join(["foldproof explain", *(w if _PLAIN_WORD.fullmatch(w) else shlex.quote(w) for w in words)])


def run_headline(document: RunDocument) -> str:
    """What follows the verdict of a single run."""
    outcomes = Counter(case.outcome for case in document.cases)
    cases = counted(len(document.cases), "case")
    if document.run.control:
        parts = [f"{outcomes['pass']} of {cases} pass {_UNDER[document.run.control]}"]
    else:
        parts = [f"{outcomes['pass']} of {cases} pass"]
        parts += [f"{outcomes[word]} {word}" for word in ("fail", "flaky") if outcomes[word]]
        if left := document.set.cases - len(document.cases) - len(document.disputed):
            parts.append(f"{left} of {document.set.cases} not asked")
    if outcomes["error"]:
        parts.append(counted(outcomes["error"], "error"))
    return ", ".join(parts)


def run_losses(document: RunDocument) -> list[Loss]:
    """The facts that a single run did not have right; without a memory it is not expected to have any."""
    if document.run.control == "unplugged":
        return []
    return [loss for case in document.cases for loss in _wrong_in(case)]


def _wrong_in(case: ScoredCase) -> list[Loss]:
    judged = [trial for trial in case.trials if trial.outcome != "error"]
    found = []
    for scores in zip(*(trial.facts for trial in judged), strict=True):
        # A trial that passed may hold a fact that it did not need: an admission makes up for a missing value.
        bad = [score for score, trial in zip(scores, judged, strict=True) if not score.ok and trial.outcome == "fail"]
        if bad and case.outcome in {"fail", "flaky"}:
            trials = f"{len(bad)} of {counted(len(judged), 'trial')}"
            name = fact_name(bad[0].kind, bad[0].fact)
            word = outcome_word(bad[0].kind, bad[0].outcome)
            reason = inline(bad[0].reason, BRIEF)
            if bad[0].owner is not None:
                word, reason = at_owner(word, bad[0].owner, inline(bad[0].why, BRIEF), reason)
            found.append(Loss(inline(case.id), inline(case.case_class), name, word, trials, reason, bad[0].kind))
    return found


def first_error(case: ScoredCase) -> str:
    """Why the first trial of a case without a judgement has none, on one line."""
    if not case.trials:
        return "not asked"
    return next((inline(trial.error, BRIEF) for trial in case.trials if trial.error), "")


def run_next(document: RunDocument) -> str:
    """The command that shows the first case that does not pass; empty where all do or none was asked."""
    unwanted = {"pass", "error"} if document.run.control == "unplugged" else {"fail", "flaky", "error"}
    wrong = [case for case in document.cases if case.outcome in unwanted and case.trials]
    return " ".join([explain_command(document.run.run, wrong[0].id), document.set.flag]).rstrip() if wrong else ""


def disputed_lines(document: RunDocument | CheckDocument) -> list[str]:
    """What became of the disputed cases; of a check those that changed too. Nothing where no key is disputed."""
    outcomes = [case.after if isinstance(case, CaseRow) else case.outcome for case in document.disputed]
    lines = key_lines(document.keys, len(outcomes), outcomes.count("pass"))
    moved = [case for case in document.disputed if isinstance(case, CaseRow) and case.before != case.after]
    return lines + [f"{inline(case.id)}: {before_after(case)}" for case in moved]


def check_recall_rows(document: CheckDocument) -> list[tuple[str, ...]]:
    """The recall of both runs of a check."""
    return [*recall_rows(document.recall_before, "before"), *recall_rows(document.recall_after, "after")]


def untold(reasons: Sequence[str], gate: Sequence[GateRow]) -> list[str]:
    """The reasons that the gate's table does not say as well."""
    told = tuple(f"{row.case_class}: {row.got} of {row.of} cases pass, " for row in gate if row.ok is False)
    return [reason for reason in reasons if not reason.startswith(told)]


def gate_word(row: GateRow) -> str:
    """The word for what became of a class."""
    return {True: "ok", False: "blocked", None: "undecided"}[row.ok]


def _some(names: Sequence[str]) -> str:
    """The names; of many the first, and how many more there are: `--json` has all of them."""
    more = [f"{len(names) - _LISTED} more"] if len(names) > _LISTED else []
    return ", ".join([*map(inline, names[:_LISTED]), *more])


def gate_names(row: GateRow) -> list[str]:
    """Why a class stands as it does, by case."""
    unasked = row.of - row.got - len(row.failed) - len(row.unjudged)
    parts = [("against it", row.failed), ("not judged", row.unjudged), ("waived", row.waived)]
    named = [f"{title}: {_some(names)}" for title, names in parts if names]
    return [*named, f"{unasked} not asked"] if unasked > 0 else named
