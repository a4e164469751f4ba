"""The memory `triage`: sentences by type, the lanes, the treatments, and what happens where a budget is unsafe."""

from pathlib import Path

import pytest

from foldproof.agents.errors import AgentError
from foldproof.agents.memories import Resources, count_tokens, make_memory
from foldproof.cases import load_set
from foldproof.core import UsageError
from foldproof.demo import write_showcase
from foldproof.logs import History, Session, Turn
from foldproof.matching import match_facts

NO_MODEL = Resources(Path())


def told(work):
    """What a memory answers that waits for nothing: the first step ends it."""
    with pytest.raises(StopIteration) as ended:
        work.send(None)
    return ended.value.value


def built(texts, budget, **settings):
    memory = make_memory({"kind": "triage", "budget": budget, **settings}, NO_MODEL)
    told(memory.build(History("h", (Session("s", tuple(Turn("user", text) for text in texts)),))))
    return memory


def test_sentences_are_typed_items_with_the_id_of_their_turn():
    items = told(built(["Tea is good. Never milk.", "ok"], 100).items())
    assert [(item.id, item.kind, item.text) for item in items] == [
        ("s.t1#1", "belief", "[s] user: Tea is good."),
        ("s.t1#2", "constraint", "[s] user: Never milk."),
        ("s.t2#1", "episode", "[s] user: ok"),
    ]


def test_constraints_come_first_wherever_they_stand_and_keep_their_order():
    texts = ["Never use MongoDB.", *(f"We went to place {n} yesterday" for n in range(50)), "Always ask first."]
    memory = built([*texts, *(f"We met person {n} yesterday" for n in range(50))], 40)
    told(memory.fold())
    kept = [item.text for item in told(memory.recall("?")).items]
    assert kept[0] == "[s] user: Never use MongoDB."
    assert "[s] user: Always ask first." in kept
    assert kept == [
        item.text
        for item in told(built([*texts, *(f"We met person {n} yesterday" for n in range(50))], 10**6).items())
        if item.text in kept
    ]
    assert not any(note.startswith("unsafe") for note in told(memory.recall("?")).notes)


def test_too_many_constraints_are_unsafe_and_the_newest_stay():
    texts = [f"Never use tool number {n}." for n in range(100)]
    memory = built([*texts, "The sky is blue"], 50)
    recall = told(memory.recall("?"))
    assert recall.notes[1].startswith("unsafe: the constraints alone need ")
    assert recall.notes[1].endswith("the budget is 50")
    kept = [item.text for item in recall.items]
    assert kept == [f"[s] user: {text}" for text in texts[-len(kept) :]]
    assert count_tokens(recall.text) <= 50
    told(memory.fold())
    assert told(memory.recall("?")).notes == recall.notes, "the note outlives the fold"


def test_the_rest_is_shared_out_and_unused_shares_flow_on():
    beliefs = [f"Fact {n:02} is so" for n in range(60)]
    likes = [f"I like thing {n:02}" for n in range(60)]
    events = [f"We met man {n:02} ago" for n in range(60)]

    def counts(*groups):
        items = told(built([text for group in groups for text in group], 300).recall("?")).items
        return [sum(item.kind == kind for item in items) for kind in ("belief", "preference", "episode")]

    all_three = counts(beliefs, likes, events)
    total = sum(all_three)
    assert [round(10 * count / total) for count in all_three] == [5, 2, 3]
    no_likes = counts(beliefs, events)
    assert no_likes[0] == all_three[0]
    assert no_likes[2] > all_three[2] + all_three[1] - 3
    assert counts(beliefs)[0] > total - 6, "a share that nobody claims comes back"


def test_procedures_come_second_and_what_does_not_fit_is_told():
    texts = ["Never lie."] + [f"{n}. Open valve number {n}" for n in range(1, 60)] + ["The sky is blue"] * 5
    recall = told(built(texts, 60).recall("?"))
    assert recall.items[0].kind == "constraint"
    assert {item.kind for item in recall.items[1:]} == {"procedure"}
    assert any("lines of procedures did not fit" in note for note in recall.notes)


BELIEFS = [f"The server {n:02} is in rack {n:02}, next to the door of the hall" for n in range(20)]


def test_a_treatment_is_named_by_type_and_changes_no_other():
    whole = told(built(BELIEFS, 100).recall("?"))
    assert {item.text for item in whole.items} <= {f"[s] user: {text}" for text in BELIEFS}
    short = told(built(BELIEFS, 100, policies={"belief": "compress"}).recall("?"))
    assert all(item.text.endswith("rack " + item.text[-4:]) and item.text.endswith(" …") for item in short.items)
    assert len(short.items) > len(whole.items)
    assert told(built(BELIEFS, 100, policies={"episode": "gist"}).recall("?")) == whole


def test_same_words_are_merged_where_they_do_not_fit():
    texts = ["I prefer tea", "I like jazz", "I prefer TEA."] * 9
    items = told(built(texts, 30, policies={"preference": "merge"}).recall("?")).items
    assert [item.id for item in items] == ["s.t26#1", "s.t27#1"]


def test_an_unsafe_budget_is_an_error_where_it_is_to_be_one():
    texts = [f"Never use tool number {n}." for n in range(100)]
    memory = built(texts, 50, unsafe="error")
    for work in (memory.fold, lambda: memory.recall("?")):
        with pytest.raises(
            AgentError, match="unsafe: the constraints alone need 898 tokens, the budget is 50"
        ) as caught:
            work().send(None)
        assert "give 898 tokens or more, or split the text into 18 parts or more" in str(caught.value)
    assert len(told(memory.items())) == 100, "nothing is lost"
    told(built(texts, 898, unsafe="error").fold())


def test_procedures_that_do_not_fit_are_unsafe_too():
    texts = ["Never lie."] + [f"{n}. Open valve number {n}" for n in range(1, 60)]
    recall = told(built(texts, 60).recall("?"))
    assert recall.notes[1].startswith("unsafe: constraints and procedures need ")
    with pytest.raises(AgentError, match="unsafe: constraints and procedures need"):
        built(texts, 60, unsafe="error").fold().send(None)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"unsafe": "ignore"}, "`unsafe` is 'ignore', where one of `keep`, `error` is expected"),
        (
            {"policies": {"beleif": "gist"}},
            "`policies` has the type 'beleif'\n  did you mean `belief`",
        ),
        ({"policies": {"belief": "gits"}}, "memory 'triage': `policies.belief` is 'gits'\n  did you mean `gist`"),
        ({"policies": {"belief": None}}, "`policies.belief` is None"),
        ({"policies": {"belief": ["gist"]}}, "`policies.belief` is ['gist']"),
        ({"policies": {3: "gist"}}, "`policies` has the type 3"),
        ({"policies": "gist"}, "`policies` is 'gist', where a mapping of settings is expected"),
    ],
)
def test_its_settings_are_strict(settings, words):
    with pytest.raises(UsageError) as caught:
        built([], 10, **settings)
    assert words in str(caught.value)


def safety_passes(replay_set, kind, budget):
    """How many safety cases a memory passes after a fold; the answer of `recall` is the recalled context."""
    passed = 0
    for case in replay_set.cases:
        if case.case_class == "safety":
            settings = {"kind": kind, "budget": budget, **({"turns": 10**6} if kind == "window" else {})}
            memory = make_memory(settings, NO_MODEL)
            told(memory.build(replay_set.histories[case.history]))
            told(memory.fold())
            matches = match_facts(case.expected, told(memory.recall(case.question)).text)
            passed += all(match.held for match in matches)
    return passed


@pytest.fixture(scope="module")
def demo_set(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    write_showcase(folder)
    return load_set(folder / "replay.yaml")


@pytest.mark.parametrize(
    ("budget", "window", "head_tail", "triage"),
    [(12000, 0, 2, 2), (6000, 0, 1, 2), (4000, 0, 1, 2), (3000, 0, 0, 2), (2000, 0, 0, 0)],
)
def test_the_budgets_of_the_demo_at_which_triage_keeps_the_safety_cases(demo_set, budget, window, head_tail, triage):
    """The table of docs/compaction.md: it holds from 3000 tokens on, and does not below."""
    kinds = {"window": window, "head_tail": head_tail, "triage": triage}
    assert {kind: safety_passes(demo_set, kind, budget) for kind in kinds} == kinds
