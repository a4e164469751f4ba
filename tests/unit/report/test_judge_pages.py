"""What a person reads of a judge: every number with what it counts, and nothing of a model's text steers the screen."""

from foldproof.cases import JudgePin
from foldproof.compare.calibration import measure_judge
from foldproof.compare.judge_controls import ControlVerdict, control_rates
from foldproof.compare.settled import Said
from foldproof.record import Claim, JudgeIdentity
from foldproof.report import (
    calibration_document,
    disagreement_row,
    pin_document,
    reconciliation_document,
    render_calibration,
    render_pin,
    render_reconciliation,
)

JUDGE = JudgeIdentity("m-2026-01-01", "ab" * 32, "foldproof-judge/1", {"temperature": 0, "seed": 7})
HOSTILE = "On\x1b[31m Monday\u202e [bold]x[/bold]"


def shown(render, document, **options):
    text = render(document, width=100, colour=False, **options)
    return "\n".join(" ".join(line.split()) for line in text.replace("\n    ", " ").splitlines())


def controls(*verdicts):
    return control_rates(ControlVerdict(kind, "day", "names a day", word) for kind, word in verdicts)


def test_a_pin_names_all_that_is_pinned():
    pin = JudgePin("m-2026-01-01", "judges/fact.md", "ab" * 32)
    text = shown(render_pin, pin_document(pin, JUDGE, set_file="replay.yaml", written=["replay.yaml"]))
    for part in ("ab" * 32, "temperature: 0, seed: 7", "foldproof-judge/1", "wrote replay.yaml"):
        assert part in text
    assert "nothing was written" in shown(render_pin, pin_document(pin, JUDGE, set_file="replay.yaml", written=[]))


def test_a_calibration_without_labels_says_so_and_divides_by_nothing():
    text = shown(render_calibration, calibration_document(JUDGE, measure_judge([], []), controls=None))
    assert text.startswith("inconclusive. m-2026-01-01")
    assert "too few labels" in text
    assert "0 of 0" in text
    assert "none: one label only" in text
    assert "labelled met: none" in text
    assert "not corrected: the judge has no labels of both kinds" in text
    assert "the set has no judged fact" in text


def test_a_calibration_shows_failures_and_a_judge_that_may_not_gate():
    heard = [("met", "met")] * 30 + [("not met", "not met")] * 29 + [("not met", "met"), ("met", "failed")]
    document = calibration_document(
        JUDGE,
        measure_judge(heard, [False] * 50),
        controls=controls(("stated", "met"), ("vague", "met"), ("wrong", None)),
        first_error=HOSTILE,
    )
    text = shown(render_calibration, document)
    assert text.startswith("measured. ")
    assert "29 of 30 0.97 (0.83 to 1.00)" in text
    assert "labelled met: failed 1, met 30" in text
    assert "0 of 50 by the judge; corrected for its errors 0.00" in text
    assert "the formula left 0 to 1" in text
    assert "a wrong answer passed for day: names a day" in text
    assert "without a verdict" in text
    assert "may not gate: it does not tell" in text
    assert "first failure: On Monday [bold]x[/bold]" in text


def test_a_disagreement_shows_both_sides_and_steers_nothing():
    claim = Claim("Which day?", "names a day", HOSTILE)
    old, new = Said("old-1", "met", HOSTILE, HOSTILE), Said("new-1", "not met")
    rows = [disagreement_row("day", claim, old=old, new=new, settled=settled) for settled in (None, "not met")]
    document = reconciliation_document(
        "old-1", JUDGE, rows=rows, agreed=3, undecided=[], accepted=False, controls=controls(("stated", "met"))
    )
    document.next, document.written = ["foldproof judge reconcile"], ["judges/settled.json"]
    text = shown(render_reconciliation, document)
    assert text.startswith("blocked. 2 disagreements, 3 accepted verdicts the same")
    assert f"{claim.id} day not settled" in text
    assert f"{claim.id} day settled: not met" in text
    assert "old: met, quoting “On Monday [bold]x[/bold]”: On Monday [bold]x[/bold]" in text
    assert "new: not met" in text
    assert "judges/settled.json" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
