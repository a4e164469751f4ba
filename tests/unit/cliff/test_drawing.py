"""What is put before a labeller is chosen by form and place, and the same every time."""

import pytest

from foldproof.cliff import Document, Label, drawn, line_hash, lines_of, spread, statements_of

TEXT = """---
title: not this front matter
---
# Not this heading here
Every migration has a rollback.

Not this underlined heading
---------------------------

- Keep functions short, please.
  ```sh
  not this code block here
  # nor this one
  ```
~~~~ python
not this ```
~~~
nor this one here
~~~~
| Name | What it does |
|------|--------------|
<!-- not this comment here -->
<details open class="x">
ok then
两个词语
* * *
The last line counts.
"""


def test_what_may_state_something():
    assert [line.text.strip() for line in statements_of(Document("a", TEXT))] == [
        "Every migration has a rollback.",
        "Not this underlined heading",
        "- Keep functions short, please.",
        "| Name | What it does |",
        "两个词语",
        "The last line counts.",
    ]


def test_a_rule_in_the_middle_opens_no_front_matter():
    assert len(statements_of(Document("a", "one two three\n---\nfour five six\n---\nseven eight nine"))) == 3


def test_an_open_fence_hides_the_rest():
    assert statements_of(Document("a", "```\none two three\n")) == ()


@pytest.mark.parametrize(("of", "most", "places"), [(9, 3, [2, 5, 8]), (3, 3, [1, 2, 3]), (2, 5, [1, 2]), (10, 1, [6])])
def test_lines_are_spread_evenly(of, most, places):
    lines = lines_of(Document("a", "\n".join(f"line {at}" for at in range(of))))
    assert [line.place for line in spread(lines, most)] == places


LABELS = tuple(Label("a", line_hash(str(at)), "safety") for at in range(40))


def test_a_draw_keeps_the_order_and_does_not_change():
    chosen = drawn(LABELS, 10)
    assert len(chosen) == 10
    assert list(chosen) == sorted(chosen, key=LABELS.index)
    assert chosen == drawn(tuple(reversed(LABELS)), 10)[::-1]


def test_a_label_more_moves_one_at_most():
    more = (*LABELS, Label("b", line_hash("new"), "none"))
    assert len(set(drawn(LABELS, 10)) - set(drawn(more, 10))) <= 1


def test_all_are_drawn_where_there_are_no_more():
    assert drawn(LABELS, 1000) == LABELS
