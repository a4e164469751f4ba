"""First tries and corrections side by side, in words."""

from foldproof.compare.corrections import CorrectionRate
from foldproof.report.corrections import after_word, compared_rows, correction_rows, first_try_word, run_rows

RATES = (CorrectionRate("episodic", 5, 2, 3, 1), CorrectionRate("all", 0, 0, 0, 0, 2))


def test_a_run_has_one_line_a_class():
    rows = correction_rows(RATES)
    assert run_rows(rows) == [("episodic", "2 of 5", "1 of 3"), ("all", "-", "-")]
    assert rows[0].model_dump() == {
        "class": "episodic",
        "trials": 5,
        "first_try": 2,
        "corrected": 3,
        "after_correction": 1,
        "errors": 0,
    }


def test_what_could_not_be_judged_is_told():
    (row,) = correction_rows([CorrectionRate("episodic", 5, 2, 3, 1, 4)])
    assert first_try_word(row) == "2 of 5 (4 not judged)"
    assert (first_try_word(None), after_word(None)) == ("-", "-")


def test_a_check_has_both_rates_before_and_after():
    before, after = correction_rows(RATES[:1]), correction_rows([CorrectionRate("preference", 1, 1, 0, 0), *RATES[:1]])
    assert compared_rows(before, after) == [
        ("preference", "-", "1 of 1", "-", "-"),
        ("episodic", "2 of 5", "2 of 5", "1 of 3", "1 of 3"),
    ]
