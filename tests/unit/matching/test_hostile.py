"""Texts that were written to hang a matcher: 100 kB of each, and every kind answers at once."""

import time

import pytest

from foldproof.matching import Fact, Text, match_fact

SIZE = 100_000
REPEATED = [
    "0", "1,", "1.", "1'", "1'000", "1-", "1/", "1:", "1 000 ", "1+", "-", "#", "+", "%", "$", " the a", " a", "x ", "x the ",
    "15 ", "not 15 ", "no 15 ", "no x ", "sin x ", "1a", "1\u0301", "\n", " ", "\n- ", "a\n", "ann@x.com ", "a.", "四", "不",
    "不是x", "太郎", "太郎は食べない", "é", "½", "²", "5½", "\u0301", "\u0301\u0323", "e\u0323\u0301 ", "4 march ", "4 march",
    "march 4, ", "1 1 ", "2026-03-04 ", "3/4/2026 ", "4-", "k", "15k ", "x can t ", "not x enough ", "\u202f", "1\u202f000",
    "'", "_", "1e+", "\u200b", "ｶﾞ", "각", " the", "x a the ", "\U0001d7d8", "15 000 ", "x\u0301\u0302", "may ", "4th of ",
]  # fmt: skip
TEXTS = {
    **{unit: unit * (SIZE // len(unit)) for unit in REPEATED},
    "digits after a point": "15 mg y x 0.5 mg, " + "0" * SIZE,
    "articles": "x" + " a the" * (SIZE // 6) + " q z",
    "one march": "march" + " " * SIZE + "x 4 march" + " " * SIZE,
    "one number": "1" + "a" * SIZE,
    "one word": "x" * SIZE + "é",
}
FACTS = [
    Fact("normalized", "x a a a a a z"),
    Fact("normalized", "15 mg"),
    Fact("normalized", "1"),
    Fact("normalized", "x"),
    Fact("normalized", "a 15"),
    Fact("normalized", "ann@x.com"),
    Fact("normalized", "太郎"),
    Fact("exact", "x"),
    Fact("exact", "1"),
    Fact("pattern", "é+|x"),
    Fact("pattern", "1"),
    Fact("number", "15"),
    Fact("number", "1"),
    Fact("date", "2026-03-04"),
]


@pytest.mark.parametrize("name", TEXTS)
def test_every_kind_answers_at_once(name):
    for fact in FACTS:
        start = time.process_time()
        match = match_fact(fact, Text(TEXTS[name]))
        took = [time.process_time() - start]
        for read in (lambda: match.spans, lambda: match.reason, lambda: match.unsure):
            start = time.process_time()
            read()
            took.append(time.process_time() - start)
        assert max(took) < 1, (fact.label, took)
