"""First tries and corrections side by side, as part of a document and in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import Field

from foldproof.compare.corrections import CorrectionRate
from foldproof.report.explained import Document


class CorrectionRow(Document):
    """The trials of one class whose cases have a correction; `all` over every class. It informs only."""

    case_class: str = Field(validation_alias="class", serialization_alias="class")
    trials: int = Field(description="trials with a judgement")
    first_try: int = Field(description="those that passed without a correction")
    corrected: int = Field(description="those in which the agent was corrected")
    after_correction: int = Field(description="those of the corrected that passed")
    errors: int = Field(default=0, description="trials without a judgement, which are in no other count")


HEADING = "first tries and corrections (they inform)"
RUN_HEADER = ("class", "right at the first try", "right after the correction")
CHECK_HEADER = ("class", "first try before", "after", "correction before", "after")


def correction_rows(rates: Iterable[CorrectionRate]) -> list[CorrectionRow]:
    """The rates as a document holds them."""
    return [
        CorrectionRow(
            case_class=rate.case_class,
            trials=rate.trials,
            first_try=rate.first_try,
            corrected=rate.corrected,
            after_correction=rate.after,
            errors=rate.errors,
        )
        for rate in rates
    ]


def first_try_word(row: CorrectionRow | None) -> str:
    """How many trials were right at once; `-` where there is none to tell of."""
    if row is None or not row.trials:
        return "-"
    return f"{row.first_try} of {row.trials}" + (f" ({row.errors} not judged)" if row.errors else "")


def after_word(row: CorrectionRow | None) -> str:
    """How many of the corrected trials were right then; `-` where none was corrected."""
    return "-" if row is None or not row.corrected else f"{row.after_correction} of {row.corrected}"


def run_rows(rows: Sequence[CorrectionRow]) -> list[tuple[str, str, str]]:
    """One line a class: its name and its two rates."""
    return [(row.case_class, first_try_word(row), after_word(row)) for row in rows]


def compared_rows(
    before: Sequence[CorrectionRow], after: Sequence[CorrectionRow]
) -> list[tuple[str, str, str, str, str]]:
    """One line a class of either run: its name and its two rates, each before and after."""
    old, new = ({row.case_class: row for row in rows} for rows in (before, after))
    return [
        (
            name,
            first_try_word(old.get(name)),
            first_try_word(new.get(name)),
            after_word(old.get(name)),
            after_word(new.get(name)),
        )
        for name in dict.fromkeys((*new, *old))
    ]
