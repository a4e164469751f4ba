"""The curves of a cliff as a picture: one panel a schedule, one line a subject, bars for the intervals.

Needs the extra `plot`. The same document gives the same SVG, byte for byte, with the same release of matplotlib.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from foldproof.core import MissingExtraError, UsageError
from foldproof.report.cliff import CliffDocument, CurveRow, percent
from foldproof.report.text import inline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg")
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
"""Okabe and Ito's palette, which people of any colour vision tell apart; its yellow, too pale for a line, is brown."""
_MARKS = "osD^vPX*"
_LINES = ("-", "--", ":")
_DODGE = 0.035
"""Rounds by which neighbouring subjects stand apart, so that bars do not cover each other."""
_SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "foldproof",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def check_plot_place(place: Path) -> None:
    """Refuse a plot that could not be drawn, before anything is asked.

    Raises:
        UsageError: for another ending than those of `FORMATS`.
        MissingExtraError: without matplotlib.
    """
    if place.suffix.lower() not in FORMATS:
        raise UsageError(f"{place}: a plot is written as {' or '.join(FORMATS)}\n  name a file that ends so")
    _figures()


def plot_cliff(document: CliffDocument, place: Path) -> None:
    """Draw the shown class by round at the first ratio.

    Raises:
        MissingExtraError: without matplotlib.
        UsageError: where the file cannot be written.
    """
    figures, settings = _figures()
    with settings(_SETTINGS):
        width = 3.4 * len(document.schedules) + 1.7
        figure = figures(figsize=(max(width, 5.2), 3.6), layout="constrained")
        panels = figure.subplots(1, len(document.schedules), sharey=True, squeeze=False)[0]
        for panel, schedule in zip(panels, document.schedules, strict=True):
            _draw(panel, document, schedule)
        panels[0].set_ylabel(f"share of {inline(document.shown)} lines that survive")
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside right center", frameon=False)
        ratio = percent(document.ratios[0])
        corpus = Path(document.corpus.name).name
        figure.suptitle(f"{inline(corpus)}: {inline(document.shown)}, {ratio} of the tokens granted")
        dated = {"Date": None} if place.suffix.lower() == ".svg" else {}
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(place, dpi=160, metadata=dated)
        except OSError as error:
            raise UsageError(f"{place}: cannot be written: {error.strerror}") from error


def _draw(panel: Axes, document: CliffDocument, schedule: str) -> None:
    rows = [row for row in document.curves if (row.schedule, row.ratio) == (schedule, document.ratios[0])]
    for row in document.ceiling:
        if (row.schedule, row.ratio) == (schedule, document.ratios[0]):
            shares = [point.classes[document.shown].share or 0.0 for point in row.rounds]
            panel.plot(_numbers(row), shares, color="#999999", linestyle=(0, (1, 1.5)), label="(ceiling)", zorder=1)
    for row in rows:
        at = document.subjects.index(row.subject)
        shift = (at - (len(document.subjects) - 1) / 2) * _DODGE
        _line(panel, row, document.shown, at=at, shift=shift)
    panel.axhline(0.5, color="#BBBBBB", linewidth=0.8, zorder=0)
    panel.set_title(schedule)
    panel.set_xlabel("round")
    panel.set_xticks(range(1, document.rounds + 1))
    panel.set_xlim(0.6, document.rounds + 0.4)
    panel.set_ylim(-0.02, 1.02)


def _line(panel: Axes, row: CurveRow, shown: str, *, at: int, shift: float) -> None:
    points = [point.classes[shown] for point in row.rounds]
    places = [number + shift for number in _numbers(row)]
    known = [(x, one, one.share) for x, one in zip(places, points, strict=True) if one.share is not None]
    shares = [share for _, _, share in known]
    low = [share - (share if one.low is None else one.low) for _, one, share in known]
    high = [(share if one.high is None else one.high) - share for _, one, share in known]
    colour = _COLOURS[at % len(_COLOURS)]
    over = " (over budget)" if any(point.over_budget for point in row.rounds) else ""
    panel.errorbar(
        [x for x, _, _ in known],
        shares,
        yerr=(low, high),
        color=colour,
        ecolor=f"{colour}66",
        elinewidth=1,
        marker=_MARKS[at % len(_MARKS)],
        markersize=4,
        linewidth=1.4,
        linestyle=_LINES[at // len(_COLOURS) % len(_LINES)],
        label=inline(row.subject) + over,
    )


def _numbers(row: CurveRow) -> list[int]:
    return [point.round for point in row.rounds]


def _figures() -> tuple[Any, Any]:
    """What makes a figure, without a screen and without anything kept between two, and what sets it up."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("a plot", "matplotlib", "plot") from error
    return Figure, rc_context
