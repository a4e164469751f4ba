"""The figures beside a verdict in words: one line each, for a reader who is no statistician. Pure.

`docs/statistics.md` has a section on each. There is nothing but numbers in them, so no report has to quote a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from foldproof.report.documents import CheckDocument, ComparedRun, HistoryTestRow, PassRateRow, RunDocument
from foldproof.report.text import counted

INFORMS = "informs only, decides nothing"


def check_figures(document: CheckDocument) -> list[str]:
    """The figures of a check; none where the document has none."""
    if document.p_value is None:
        return []
    changes = Counter(case.change for case in document.cases)
    sides = [("before", document.rate_before), ("after", document.rate_after)]
    pairs = f"{counted(changes['lost'], 'case')} lost, {changes['recovered']} recovered"
    return [
        *_rates([(word, rate) for word, rate in sides if rate is not None and rate.judged]),
        f"{pairs}: chance alone would change as much with p = {document.p_value:.3f} (exact McNemar)",
        *_by_history(document.by_history),
        _drop(document.smallest_drop),
    ]


def run_figure_lines(document: RunDocument) -> list[str]:
    """The figures of one run; none for a control or where no case could be judged."""
    return _rates([("", document.rate)]) if document.rate is not None and document.rate.judged else []


def compared_figures(column: ComparedRun) -> str:
    """What the table of a comparison does not say of a run against the first one."""
    return "; ".join([*_by_history(column.by_history), _drop(column.smallest_drop)])


def _rates(sides: Sequence[tuple[str, PassRateRow]]) -> list[str]:
    told = [
        f"{rate.passed} of {rate.judged}{f' {word}' if word else ''} ({rate.low:.2f} to {rate.high:.2f}"
        f"{f'; {rate.unjudged} more not judged' if rate.unjudged else ''})"
        for word, rate in sides
    ]
    lines = (
        [f"judged cases that pass, with the range of the true rate (Wilson, 95 %): {', '.join(told)}"] if told else []
    )
    for word, rate in sides:
        if len(rate.pass_hat) > 1:
            chances = ", ".join(f"{chance:.2f} (k = {k})" for k, chance in enumerate(rate.pass_hat, 1))
            lines.append(f"chance that k trials of a case all pass (pass^k){f', {word}' if word else ''}: {chances}")
    return lines


def _by_history(found: HistoryTestRow | None) -> list[str]:
    if found is None:
        return []
    least = f"{found.moved} of {found.histories} moved, which cannot give less than {found.least:.3f}"
    return [f"with all cases of a history taken as one: p = {found.p_value:.3f} (sign-flip test; {least})"]


def _drop(smallest: int | None) -> str:
    if smallest is None:
        return "this set is too small to tell a drop from noise"
    return f"the smallest drop that this set tells from noise: {counted(smallest, 'case')}"
