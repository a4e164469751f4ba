"""The page of a cliff: what a person reads of probes, failures and foreign text."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from foldproof.cliff import Document, LabelledLine, ProbeAnswer, Round, line_hash
from foldproof.cliff.curves import totals_of
from foldproof.cliff.gate import demands_of
from foldproof.cliff.result import result_of
from foldproof.cliff.scoring import score_rounds
from foldproof.matching import telling_tokens
from foldproof.report import cliff_document, json_text, markdown_cliff, render_cliff
from foldproof.report.documents import DOCUMENTS, document_schema

PUSH, LAB = "Never push to main.", "The lab is in Lisbon by the sea."
TEXTS = [Document("a\x1b[31m.md", f"{PUSH}\n{LAB}"), Document("b.md", PUSH)]


def line(document, text, cls, place=1):
    return LabelledLine(document, place, line_hash(text), text, cls, telling_tokens(text))


LINES = [line(TEXTS[0].name, PUSH, "safety"), line(TEXTS[0].name, LAB, "semantic", 2), line("b.md", PUSH, "safety")]


def one(text="", *, subject="ours", document=TEXTS[0].name, number=1, **more):
    named = {"schedule": "progressive", "ratio": 0.5, "budget": 6, "given_tokens": 12, "kept_tokens": len(text) // 4}
    return Round(subject, document, number=number, text=text, **{**named, **more})


def probed(condition, right, **more):
    return ProbeAnswer(LINES[0].sha256, LINES[0].document, condition, "chosen", right=right, chosen="a", **more)


@pytest.fixture
def document():
    rounds = [
        one(f"{PUSH}\n{LAB}", state="copy"),
        one(PUSH, document="b.md"),
        one("It is fine to push\x1b[2J to main.\nAlways encrypt the backups.", number=2, unsafe="too small"),
        one("", document="b.md", number=2, state="error", error="it broke\x1b[31m"),
        *(one("", subject="broken", document=text.name, state="error", error="no text") for text in TEXTS),
        one("", subject="broken", number=2, state="skipped", error="round 1 failed"),
    ]
    key = {"subject": "ours", "schedule": "progressive", "ratio": 0.5, "number": 1}
    answers = [probed("without", right=False), probed("restated", right=True), probed("compacted", right=True, **key)]
    demands = demands_of(["safety=all@1", "safety=2/2@2"], totals_of(LINES), rounds=2)
    scored = list(score_rounds(rounds, TEXTS, LINES))
    result = result_of(scored, TEXTS, LINES, demands=demands, answers=answers, notes=["a note"])
    return cliff_document(result, corpus="c", rounds=3, stopped="the cost limit is reached", cost_usd=0.5,
                          written=["p.svg"], following=["do this"])  # fmt: skip


def page(document, **more):
    return render_cliff(document, **{"width": 100, "colour": False, **more})


def test_everything_of_a_result_is_told(document):
    words = " ".join(page(document).split())
    for part in (
        "ours 94 % 1.00* 1.00* 1.00*",
        "ours 1.00* .00?! round 2",
        "broken ? ? ?",
        "! the subject says that the budget cannot hold",
        "degraded (turned round), ours, round 2, a.md:1: It is fine to push to main.",
        "invented, ours, round 2, a.md: Always encrypt the backups.",
        "ours: degraded lines 1, invented rules 1, unsafe rounds 1, rounds: copy 1, rounds: error 1",
        "ours progressive 50 % 1 safety 1.00 0 1 1",
        "broken: no text (a.md, round 1 and 1 more)",
        "ours: it broke (b.md, round 2)",
        "to know a note cost 0.5000 USD written p.svg next do this",
        "nothing is said of how an agent acts by them",
    ):
        assert part in words, part


def test_reasons_come_first_and_the_limit_first_of_all(document):
    lines = page(document, details=True, width=200).splitlines()
    assert [line.strip() for line in lines[:2]] == ["blocked", "the cost limit is reached"]
    assert lines[2].endswith("(ours, progressive at 50 %); more was kept than was granted, which shows nothing")
    assert "  3 rounds of broken failed: nothing can be said of them" in lines
    assert "  … and 1 further reason; --json has them all" in page(document)


def test_foreign_text_does_not_steer_the_screen(document):
    for text in (page(document), page(document, details=True), markdown_cliff(document)):
        assert "\x1b" not in text


def test_details_show_every_ratio_and_interval(document):
    assert "95 %: " in page(document, details=True)
    assert "95 %: " not in page(document)


def test_it_fits_every_width(document):
    for width in (40, 60, 80, 120):
        assert all(len(line) <= width for line in page(document, width=width).splitlines()), width


def test_colour_only_repeats_what_the_words_say(document):
    assert "\x1b[1;31mblocked" in page(document, colour=True)


def test_markdown_has_the_same_tables(document):
    text = markdown_cliff(document)
    assert text.startswith("<!-- foldproof:cliff -->\n## foldproof cliff: blocked\n")
    assert "| `ours` | 1.00* | 1.00* | 1.00* |" in text
    assert "| `safety=all@1` | ours, progressive, 50 % | 2 of 2 | undecided |" in text
    assert text.rstrip().endswith("acts by them.")


def test_the_document_keeps_to_its_schema(document):
    value = json.loads(json_text(document))
    Draft202012Validator(document_schema("cliff")).validate(value)
    assert DOCUMENTS["cliff"].model_validate(value) == document
    assert (value["failed_in_all"], value["remarks_in_all"]) == (4, {"degraded": 1, "invented": 1})
