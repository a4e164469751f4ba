"""What reports say of disputed keys and of the recall of sources."""

from foldproof.cases import BenchmarkData
from foldproof.report.benchmarks import KeyRow, RecallGroup, RecallPart, RecallRow, data_word, key_lines, recall_rows
from foldproof.report.explained import data_info


def group(name, cases, *rows):
    return RecallGroup(name=name, cases=cases, at=[RecallRow(k=k, recall=r, any=a, all=w) for k, r, a, w in rows])


def test_rows_of_all_cases_and_of_disputed_sources_and_what_could_not_be_traced():
    part = RecallPart(
        groups=[group("", 3, (1, 0.5, 1, 0.25), (4, 1, 1, 1)), group("multi-hop", 2, (4, 0, 0, 0)),
                group("disputed-source", 1, (4, 0.125, 1, 0))], untraced=2,
    )  # fmt: skip
    assert recall_rows(part, "after") == [
        ("after, 3 cases", "first 1", "0.500", "1.000", "0.250"),
        ("", "all 4", "1.000", "1.000", "1.000"),
        ("after, 1 case, source disputed", "all 4", "0.125", "1.000", "0.000"),
        ("2 more cases: nothing shows which turns were retrieved", "", "", "", ""),
    ]
    assert recall_rows(part.model_copy(update={"untraced": 0}))[-1][0] == "1 case, source disputed"
    assert recall_rows(None) == []


def key(name, passed, *, cases=4, wrong=1, passed_wrong=0):
    ceiling = cases - wrong
    return KeyRow(name=name, cases=cases, passed=passed, wrong=wrong, passed_wrong=passed_wrong, ceiling=ceiling,
                  above=passed > ceiling)  # fmt: skip


def test_a_ceiling_is_told_once_and_each_group_above_it():
    above = "4 of 4 pass, above the 3 that the keys allow (said to be wrong: 1)"
    assert key_lines([key("", 3), key("temporal", 3), key("hop", 4, passed_wrong=1)], 2, 1) == [
        "1 of 2 disputed cases pass",
        "3 of 4 is the most that can pass without a wrong key (said to be wrong: 1, of which 0 pass)",
        f"hop: {above}: these keys are right after all, or the run agrees with errors",
    ]
    assert key_lines([], 0, 0) == []
    assert key_lines([], 1, 1) == ["1 of 1 disputed case pass"], "only its source is disputed"


def test_the_data_in_a_word():
    assert data_word(None) == ""
    assert data_word(data_info(BenchmarkData("LoCoMo", "a" * 64))) == "LoCoMo aaaaaaaaaaaa"
    assert data_word(data_info(BenchmarkData("LoCoMo", "a" * 64, "b" * 64))) == (
        "LoCoMo aaaaaaaaaaaa, wrong keys bbbbbbbbbbbb"
    )
