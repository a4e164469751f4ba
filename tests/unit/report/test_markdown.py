from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from foldproof.cases import Case
from foldproof.compare import ChangeFigures, diff_scores, run_figures
from foldproof.compare.statistics import SignFlip
from foldproof.logs import MemoryItem
from foldproof.matching import Fact
from foldproof.record import Trial, TrialError
from foldproof.report import (
    compare_document,
    compared_run,
    markdown_check,
    markdown_compare,
    markdown_explain,
    markdown_run,
    run_info,
)
from foldproof.report.markup import MOST_ROWS, code, fenced, table, words
from foldproof.score import score_run

HOSTILE = (
    "@team | `x` ``` <script>alert(1)</script> \\| <!-- --> [a](http://x) www.x.com #12 *b* \n\n| --- |\n# h"
    " </details> \u202e\x1b[31m ~~~ $x$ &lt; a_b_"
)


def test_check(blocked_check, broken_check, check, snapshot):
    assert markdown_check(blocked_check) == snapshot
    assert markdown_check(broken_check) == snapshot(name="inconclusive")
    text = markdown_check(check({}, beside=("model.name: a -> b",)))
    assert text.startswith("<!-- foldproof:check -->\n**More than the memory differs:**")
    assert text == snapshot(name="pass")


def test_run(run, snapshot):
    refused = TrialError("timeout", "no answer")
    assert markdown_run(run({"allergy": ["Any."], "old-address": [refused]})) == snapshot


def test_compare(replay_set, trials, a_run, snapshot):
    document = compared(replay_set(), trials, a_run)
    assert markdown_compare(document) == snapshot


def compared(used, trials, a_run):
    scored = [
        score_run(used.cases[:2], trials({used.cases[0].id: [answer], used.cases[1].id: ["NSAIDs"]}))
        for answer in ("DE89 3704 0044 0532 0130 00", "no")
    ]
    columns = [
        (
            compared_run(
                run_info(a_run("production", number)), scores, figures=run_figures(scores),
                changes=diff_scores(scored[0], scores), against=ChangeFigures(0.25, 6, SignFlip(0.5, 4, 2)),
            ),
            scores,
        )
        for number, scores in enumerate(scored, 1)
    ]  # fmt: skip
    return compare_document(used, columns)


def test_explain(explain, full_trial, snapshot):
    text = markdown_explain(explain(full_trial, written=("Billing runs on Postgres 15.",), kept=()))
    assert text == snapshot


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("plain", "`plain`"),
        ("a\nb", "`a b`"),
        ("", "(empty)"),
        (" \x1b[31m ", "(empty)"),
        ("@team <b>", "`@team <b>`"),
        ("a|b", "<code>a&#124;b</code>"),
        ("`x`", "<code>&#96;x&#96;</code>"),
        ("\\|<i>", "<code>&#92;&#124;&#60;i&#62;</code>"),
    ],
)
def test_code(data, shown):
    assert code(data) == shown


@pytest.mark.parametrize(
    "odd",
    ["ask @team", "see #12", "<b>", "a_b_", "[x](y)", "www.x.com", "http://x", "| a", "- a", "*b*", "`c`", "&lt;"],
)
def test_words_that_could_be_markup_become_code(odd):
    assert words(odd).startswith(("`", "<code>"))


@pytest.mark.parametrize(
    "plain", ["identity: 0 of 1 cases pass, 1 needed (against it: late-refund)", "kept -> lost", "p = 0.500; 6"]
)
def test_words_of_our_own_stay(plain):
    assert words(plain) == plain


def test_a_fence_is_longer_than_any_in_the_text():
    assert fenced("a ```` b").startswith("`````text\n")
    assert fenced("x", [(0, 1)]) == "```text\n[[x]]\n```"


def test_a_long_table_says_what_it_leaves_out():
    lines = table(["a"], [["`x`"]] * (MOST_ROWS + 3))
    assert lines[-2] == "3 more rows: see `--json`"
    assert len(lines) == MOST_ROWS + 5


class Page(HTMLParser):
    """What a reader's browser makes of it: the tags, the cells of each table row, the text outside code."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.rows, self.prose, self._code = [], [], "", 0
        self.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._code += tag in {"code", "pre"}
        if tag == "table":
            self.rows.append([])
        if tag == "tr":
            self.rows[-1].append(0)
        if tag in {"td", "th"}:
            self.rows[-1][-1] += 1

    def handle_endtag(self, tag):
        self.tags.append(f"/{tag}")
        self._code -= tag in {"code", "pre"}

    def handle_data(self, data):
        self.prose += "" if self._code else data


OWN = {
    "h2",
    "h3",
    "h4",
    "p",
    "ul",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "code",
    "pre",
    "details",
    "summary",
    "strong",
}


def hostile_documents(check, run, explain, replay_set, trials, a_run):
    case = Case(HOSTILE, HOSTILE, "identity", (Fact("normalized", f"gold {HOSTILE}"),))
    used = replace(replay_set(), cases=(case, replay_set().cases[1]), name=HOSTILE)
    right = {HOSTILE: [f"gold {HOSTILE}"]}
    item = MemoryItem(HOSTILE, HOSTILE, HOSTILE, 1, 0.5)
    trial = Trial("billing-db", 0, HOSTILE, memory_reads=(item,), prompt=HOSTILE, notes=(HOSTILE,), log=HOSTILE)
    yield markdown_check(
        check(
            {HOSTILE: [HOSTILE]}, before=right, accepted=right, replay_set=used, beside=(HOSTILE,), differs=(HOSTILE,)
        )
    )
    yield markdown_check(
        check({HOSTILE: [TrialError("agent", HOSTILE)]}, replay_set=used, gone={HOSTILE + "2": "semantic"})
    )
    yield markdown_run(run({HOSTILE: [HOSTILE]}, replay_set=used, stopped=HOSTILE))
    yield markdown_run(run({HOSTILE: [TrialError("agent", HOSTILE)]}, replay_set=used))
    yield markdown_compare(compared(used, trials, a_run))
    yield markdown_explain(
        explain(
            trial,
            Trial("billing-db", 1, error=TrialError("agent", HOSTILE, HOSTILE, HOSTILE)),
            written=(HOSTILE,),
            kept=(HOSTILE,),
        )
    )


def test_data_is_never_markup(check, run, explain, replay_set, trials, a_run):
    for text in hostile_documents(check, run, explain, replay_set, trials, a_run):
        page = Page(text)
        assert {tag.strip("/") for tag in page.tags} <= OWN
        for tag in OWN:
            assert page.tags.count(tag) == page.tags.count(f"/{tag}"), tag
        for odd in ("@", "www.", "http", "#12", "script", "\u202e", "\x1b"):
            assert odd not in page.prose
        assert "\u202e" not in text
        assert "\x1b" not in text


def test_the_guard_sees_what_it_guards_against():
    page = Page(f"- {HOSTILE}")
    assert "script" in page.tags
    assert "@" in page.prose


def outside_fences(text):
    fence = ""
    for line in text.splitlines():
        opening = re.match("`{3,}", line)
        if not fence and not opening:
            yield line
        fence = ("" if line == fence else fence) if fence else opening[0] if opening else ""


def test_every_row_of_a_table_has_the_cells_of_its_header(check, run, explain, replay_set, trials, a_run):
    for text in hostile_documents(check, run, explain, replay_set, trials, a_run):
        page = Page(text)
        assert page.rows
        written = [line for line in outside_fences(text) if line.startswith("| ")]
        assert sum(map(len, page.rows)) == len(written) - len(page.rows), "each written row but the rules is a row"
        assert all(line.count(" | ") + 1 in {row[0] for row in page.rows} for line in written)


def test_a_very_long_answer_is_shortened_with_a_count(explain):
    text = markdown_explain(explain(Trial("billing-db", 0, "x" * 10_000)))
    assert "[... 8,800 characters left out ...]" in text
    assert len(text) < 4000
