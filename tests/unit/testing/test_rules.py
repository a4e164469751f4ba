"""The ready rules: what stands in the prompt is answered, and nothing else."""

import json
from functools import partial

import pytest

from foldproof.agents.memories.summary import COMPACT, NOTHING
from foldproof.cases import Case
from foldproof.logs import ToolCall
from foldproof.matching import Fact
from foldproof.run.context import context_of
from foldproof.testing import ModelRequest, Said, answer_from_context, extract_facts, look_up_first, summarize
from foldproof.testing.rules import sentences_of

NOTES = """\
Answer the question from these notes only. If they do not say it, say "I don't know".
- Billing runs on Postgres 15, no ORM, raw SQL.
* The cat of the user is called Tom.
1. The user is allergic to penicillin.
"""


def asked(*said, **body):
    tools = tuple(tool.get("function", tool)["name"] for tool in body.get("tools", []))
    return ModelRequest("chat", body, tuple(Said(role, text) for role, text in said), tools=tools)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which database should I use for billing?", "Billing runs on Postgres 15, no ORM, raw SQL."),
        ("What allergies do I have?", "The user is allergic to penicillin."),
        ("What is my cat called?", "The cat of the user is called Tom."),
        ("Where do I live?", "I don't know."),
        ("Which colour, size and price has the billing plan of our office?", "I don't know."),
    ],
)
def test_an_answer_stands_in_the_prompt(question, answer):
    assert answer_from_context(asked(("system", NOTES), ("user", question))) == answer
    assert answer_from_context(asked(("user", f"{NOTES}\nQuestion: {question}"))) == answer


def test_a_fact_that_left_the_prompt_leaves_the_answer():
    cut = NOTES.replace("Postgres 15", "a database")
    assert "Postgres" not in answer_from_context(asked(("system", cut), ("user", "Which database is billing on?")))


def test_the_best_sentences_come_in_reading_order_and_not_too_many():
    notes = "I lived in Boston. I like tea. I moved from Boston to Lisbon: I live in Lisbon. Boston is cold. Boston!"
    talk = asked(("system", notes), ("user", "Do I live in Boston?"))
    assert (
        answer_from_context(talk)
        == "I lived in Boston. I moved from Boston to Lisbon: I live in Lisbon. Boston is cold."
    )
    assert answer_from_context(talk, most=1) == "I moved from Boston to Lisbon: I live in Lisbon."


def test_earlier_turns_and_tool_results_are_context_and_questions_are_not():
    found = Said("tool", json.dumps({"found": [{"text": "Billing runs on Postgres 15."}]}), answers=ToolCall("look_up"))
    said = (
        Said("user", "Is billing slow?"),
        Said("agent", "Yes."),
        Said("user", "Which database is billing on?"),
        found,
    )
    assert answer_from_context(ModelRequest("chat", {}, said)) == "Billing runs on Postgres 15."
    assert answer_from_context(ModelRequest("chat", {}, said[:3]), otherwise="No idea.") == "No idea."


def test_nothing_asked_is_nothing_known():
    assert answer_from_context(asked()) == "I don't know."
    assert answer_from_context(asked(("user", "?"))) == "I don't know."


def test_a_tool_is_called_once_and_only_where_it_is_on_offer():
    rule = look_up_first(answer_from_context, tool="look_up", argument="q")
    question = ("user", "Which database is billing on?")
    call = ToolCall("look_up", {"q": question[1]})
    assert rule(asked(question, tools=[{"name": "look_up"}])) == call
    assert rule(asked(question, tools=[{"name": "other"}])) == "I don't know."
    said = (Said(*question), Said("agent", "", (call,)), Said("tool", "Billing runs on Postgres 15.", answers=call))
    assert rule(ModelRequest("chat", {}, said, tools=("look_up",))) == "Billing runs on Postgres 15."


MEM0 = """\
## Last k Messages
user: I live in Boston.

## New Messages
user: I moved to Lisbon. My cat is called Tom.
assistant: Noted. I like cats.
user: Where do I live?

## Current Date
2026-01-02
"""
BANNERS = """\
================================ Human Message =================================

I moved to Lisbon. My cat is called Tom.
================================== Ai Message ==================================

Noted. I like cats.
"""
FACTS = ["I moved to Lisbon.", "My cat is called Tom."]


@pytest.mark.parametrize(
    "talk",
    [
        MEM0,
        BANNERS,
        "[s1 2026-01-02] user: I moved to Lisbon. My cat is called Tom.\n[s1] agent: Noted.",
        json.dumps([{"role": "user", "content": " ".join(FACTS)}, {"role": "assistant", "content": "Noted."}]),
        "I moved to Lisbon. My cat is called Tom. I moved to Lisbon.",
    ],
)
def test_facts_are_what_the_user_said(talk):
    assert json.loads(extract_facts(asked(("user", talk)))) == {"facts": FACTS}


def test_facts_come_in_the_form_that_the_prompt_asks_for():
    told = [{"id": "0", "text": FACTS[0], "event": "ADD"}, {"id": "1", "text": FACTS[1], "event": "ADD"}]
    memory = extract_facts(asked(("system", 'Return {"memory": [{"id": "0", "text": "…"}]}'), ("user", MEM0)))
    facts = extract_facts(asked(("system", 'Return {"facts": []}, as "memory"'), ("user", MEM0)))
    assert (json.loads(memory), json.loads(facts)) == ({"memory": told}, {"facts": FACTS})
    schema = {"type": "object", "properties": {"content": {"type": "string"}}}
    for tool in ({"function": {"name": "Memory", "parameters": schema}}, {"name": "Memory", "input_schema": schema}):
        calls = extract_facts(asked(("user", MEM0), tools=[{"name": "other"}, tool]))
        assert calls == [ToolCall("Memory", {"content": fact}) for fact in FACTS]


def test_facts_may_be_dropped():
    assert json.loads(extract_facts(asked(("user", MEM0)), drop="Lisbon")) == {"facts": FACTS[1:]}
    assert json.loads(extract_facts(asked(("user", "Where do I live?")))) == {"facts": []}


def test_a_summary_keeps_the_first_and_drops_what_it_is_told():
    text = "I take no NSAIDs. I live in Rome.\n- I like tea. I have a cat."
    system = asked(("system", "Compact this."), ("user", text))
    assert summarize(system) == "I take no NSAIDs.\nI live in Rome.\nI like tea.\nI have a cat."
    assert partial(summarize, keep=2)(system) == "I take no NSAIDs.\nI live in Rome."
    assert partial(summarize, drop="NSAID", keep=2)(system) == "I live in Rome.\nI like tea."
    assert summarize(asked(("user", f"Compact this.\n\n{text}")), keep=1) == "I take no NSAIDs."
    assert summarize(asked(("user", "One line.")), keep=1) == "One line."


def test_the_shipped_prompt_of_summaries_is_understood():
    turns = "[s1] user: I take no NSAIDs.\n[s1] user: I live in Rome."
    first = COMPACT.render({"summary": NOTHING, "turns": turns, "budget": "100"})
    again = COMPACT.render({"summary": "The user has a cat.", "turns": turns, "budget": "100"})
    assert summarize(asked(("user", first))) == turns
    assert summarize(asked(("user", again)), drop="NSAID") == "The user has a cat.\n[s1] user: I live in Rome."


def test_sentences_end_at_stops_and_lines():
    assert sentences_of("A b. C (d.) E!\n\n# F\n> g\n3.14 is pi。是的。") == [
        "A b.",
        "C (d.)",
        "E!",
        "F",
        "g",
        "3.14 is pi。",
        "是的。",
    ]


def test_what_the_oracle_tells_is_the_answer():
    told = context_of(Case("q", "What must I avoid?", expected=(Fact("normalized", "penicillin"),)), "oracle", None)
    assert answer_from_context(asked(("user", told.before("What must I avoid?")))) == "penicillin"
    assert answer_from_context(asked(("user", "What is known:\n\nQuestion: Who?"))) == "I don't know."
