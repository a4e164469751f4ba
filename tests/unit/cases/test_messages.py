"""Golden messages: what a person reads after a typical mistake."""

from __future__ import annotations

import pytest

from foldproof.core import FileError

HEAD = "foldproof: 1\nname: support\n"
CASE = "cases:\n- id: late-refund\n  class: preference\n  question: Where does my refund go?\n"

MISTAKES = {
    "a mistyped field": (
        HEAD + CASE + "  expect_facts: [store credit]\n",
        ("replay.yaml:7: case 'late-refund' has an unknown field `expect_facts`\n  did you mean `expected_facts`?"),
    ),
    "a gate that moved": (
        HEAD + "gate:\n  preference: 4/5\n" + CASE + "  expected_facts: [store credit]\n",
        (
            "replay.yaml:4: gate 'preference: 4/5' counts 5 cases, but the set has 1 of class 'preference'\n"
            "  a moving set must not move the threshold: write the count you decided on"
        ),
    ),
    "a swallowed text": (
        HEAD + CASE + "  expected_facts:\n  - order #4021\n",
        (
            "replay.yaml:8: an unquoted `#` starts a comment, so the text after it is lost; what is left is 'order'\n"
            '  put the text in quotes: "order #4021"\n'
            "  if it is a comment, write a blank after the `#`"
        ),
    ),
    "a text with a colon": (
        HEAD + CASE + "  expected_facts:\n  - he said: yes\n",
        (
            "replay.yaml:8: case 'late-refund': `expected_facts[1]` has an unknown kind of fact `he said`\n"
            "  allowed: `any`, `date`, `exact`, `judged`, `number`, `pattern`\n"
            '  if it is meant as text, put it in quotes: "he said: yes"'
        ),
    ),
    "a correction of nothing": (
        HEAD + "cases:\n- id: two-days\n  user: q\n  correction:\n    say: x\n",
        "replay.yaml:6: case 'two-days' lacks the field `after` in `correction`\n  add it",
    ),
    "everything at once": (
        HEAD + "judge: {model: gpt-4o, prompt: nix.md}\nnam: x\n" + CASE + "  expected_facts: [...]\n"
        "- id: late-refund\n  question: &a b\n  history: acme\n  expected_facts: x\n",
        (
            "replay.yaml:3: the judge `gpt-4o` is an alias that may name another model tomorrow\n"
            "  write a dated name (gpt-4.1-2025-04-14), a tag (qwen2.5:7b) or a revision (name@revision)\n"
            "replay.yaml:3: the judge's prompt 'nix.md': the file does not exist\n"
            "  it is looked for at nix.md; `foldproof judge pin` writes the prompt that comes with foldproof there\n"
            "replay.yaml:4: the set has an unknown field `nam`\n"
            "  did you mean `name`?\n"
            "replay.yaml:9: case 'late-refund': the fact '...' has no letter or digit, so nothing is left to look for\n"
            "  use `exact: …`\n"
            "replay.yaml:10: the case id 'late-refund' stands twice, first in line 6\n"
            "  give each case its own id\n"
            "replay.yaml:11: `&a` is read as an anchor, which is not allowed\n"
            '  put the text in quotes: "&a b"\n'
            "  to share settings between configurations, use `extends`\n"
            "replay.yaml:13: case 'late-refund': `expected_facts` must be a list, not 'x'\n"
            "  one item a line, each after a dash"
        ),
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_the_message_says_place_fault_and_remedy(load, name):
    text, message = MISTAKES[name]
    with pytest.raises(FileError) as caught:
        load(text)
    assert str(caught.value) == message
