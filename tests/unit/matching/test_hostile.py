"""Texts that were written to hang a matcher: 100 kB of each, and every kind answers at once."""

import sys
import time

import pytest

from foldproof.matching import Fact, Text, match_fact

SIZE = 100_000
SECONDS = 3 if sys.gettrace() is None else 20  # a tracer, such as that of coverage, slows every line
REPEATED = [
    *("0", "1,", "1.", "1'", "1'000", "1-", "1/", "1:", "1 000 ", "1+", "-", "#", "+", "%", "$", " the a", " a", "x "),
    *(
        "15 ",
        "not 15 ",
        "no x ",
        "sin x ",
        "1a",
        "1\u0301",
        "\n",
        "\n- ",
        "ann@x.com ",
        "a.",
        "四",
        "不是x",
        "太郎は食べない",
    ),
    *("é", "½", "5½", "\u0301\u0323", "4 march ", "march 4, ", "1 1 ", "2026-03-04 ", "3/4/2026 ", "15k ", "x can t "),
    *("1\u202f000", "'", "\u200b", "각", "x a the ", "15 000 ", "4th of "),
]
TEXTS = {
    **{unit: unit * (SIZE // len(unit.encode())) for unit in REPEATED},
    "digits after a point": "15 mg y x 0.5 mg, " + "0" * SIZE,
    "articles": "x" + " a the" * (SIZE // 6) + " q z",
    "one march": "march" + " " * SIZE + "x 4 march" + " " * SIZE,
    "one number": "1" + "a" * SIZE,
    "one word": "x" * SIZE + "é",
}
FACTS = [
    Fact("normalized", "x a a a a a z"),
    Fact("normalized", "15 mg"),
    Fact("normalized", "x"),
    Fact("normalized", "a 15"),
    Fact("normalized", "ann@x.com"),
    Fact("normalized", "太郎"),
    Fact("exact", "x"),
    Fact("pattern", "é+|x"),
    Fact("number", "15"),
    Fact("number", "1"),
    Fact("date", "2026-03-04"),
]


@pytest.mark.parametrize("name", TEXTS)
def test_every_kind_answers_at_once(name):
    text = Text(TEXTS[name])
    for fact in FACTS:
        start = time.process_time()
        match = match_fact(fact, text)
        took = [time.process_time() - start]
        for read in ("spans", "reason", "unsure"):
            start = time.process_time()
            getattr(match, read)
            took.append(time.process_time() - start)
        assert max(took) < SECONDS, (fact.label, took)
