"""The memory `paging`: what is pinned, that nothing is half-applied, and that the storage is searched."""

from pathlib import Path

import pytest

from foldproof.agents.memories import Resources, count_tokens, make_memory
from foldproof.agents.memories.paging_rules import is_pinned
from foldproof.logs import History, Session, Turn

pytestmark = pytest.mark.anyio


async def built(*texts, role="user", **settings):
    memory = make_memory({"kind": "paging", **settings}, Resources(Path()))
    await memory.build(History("h", (Session("s", tuple(Turn(role, text) for text in texts), "2026-03-01"),)))
    return memory


@pytest.mark.parametrize(
    "line",
    [
        "My name is Odile Brandvik.",
        "Call me Taro.",
        "I'm a nurse from Bergen.",
        "I am 34 years old.",
        "I live in Lisbon.",
        "My wife is called Ana and she is a baker.",
        "My time zone is UTC+1.",
        "Ich heiße Jonas.",
        "Je m'appelle Odile.",
        "私の名前は太郎です",
        "我叫小明",
        "меня зовут Анна",
        "I am allergic to penicillin.",
        "Never use an ORM.",
    ],
)
def test_constraints_and_lines_of_identity_are_pinned(line):
    assert is_pinned("user", line)


@pytest.mark.parametrize(
    "line",
    ["What is my name?", "私の名前は？", "It rained on Tuesday.", "The database is Postgres 15.", "I am so tired"],
)
def test_other_lines_are_not(line):
    assert not is_pinned("user", line)


def test_what_the_agent_says_of_itself_is_not_who_the_user_is():
    assert not is_pinned("agent", "My name is Ava.")
    assert is_pinned("agent", "You must never take NSAIDs.")


async def test_the_core_is_in_every_recall_and_the_storage_is_searched():
    memory = await built(
        "My name is Taro.", "The database is Postgres 15. Never use an ORM.", *(f"Filler {n}" for n in range(30)), k=2
    )
    tiers = {item.text.rpartition("user: ")[2]: item.kind for item in await memory.items()}
    assert tiers["My name is Taro."] == tiers["Never use an ORM."] == "core"
    assert tiers["The database is Postgres 15."] == tiers["Filler 3"] == "storage"
    recall = await memory.recall("Which database?")
    assert [item.text.rpartition("user: ")[2] for item in recall.items] == [
        "My name is Taro.",
        "Never use an ORM.",
        "The database is Postgres 15.",
    ]
    assert [item.kind for item in (await memory.recall("kangaroo")).items] == ["core", "core"]
    assert (await memory.recall("2026-03-01")).items[-1].kind == "storage", "when it was said can be searched for"
    assert (await memory.recall("user")).passed_over == (), "the speaker is no word to search"


async def test_A17_what_does_not_fit_the_core_goes_to_the_storage_whole():
    rules = [f"Never use tool number {n:02}." for n in range(10)]
    memory = await built(*rules, core=50, budget=500, k=3)
    items = await memory.items()
    core = [item.text for item in items if item.kind == "core"]
    stored = [item.text for item in items if item.kind == "storage"]
    assert core == [f"[s 2026-03-01] user: {rule}" for rule in rules[: len(core)]], "old facts stay as they were"
    assert core + stored == [f"[s 2026-03-01] user: {rule}" for rule in rules], "and nothing is cut or lost"
    assert count_tokens("\n".join(core)) <= 50
    assert 0 < len(stored) < 10
    recall = await memory.recall("May I use tool number 09?")
    assert recall.items[len(core)].text.endswith("tool number 09.")
    assert recall.notes == (f"paging: pinned lines that overflowed into the storage: {len(stored)}",)


async def test_A17_one_more_fact_at_the_edge_leaves_the_core_as_it_was():
    line = "Never use tool number 01."
    size = count_tokens(f"[s 2026-03-01] user: {line}\n")
    full = await built(line, core=size, budget=500)
    more = await built(line, "Never use tool number 02.", core=size, budget=500)
    core = [[item for item in await memory.items() if item.kind == "core"] for memory in (full, more)]
    assert core[0] == core[1] != []


async def test_the_core_is_a_quarter_of_the_budget_unless_it_is_said():
    rules = [f"Never use tool number {n:02}." for n in range(40)]
    memory = await built(*rules, budget=400)
    core = [item.text for item in await memory.items() if item.kind == "core"]
    assert 80 < count_tokens("\n".join(core)) <= 100


async def test_the_whole_fits_the_budget_and_what_was_passed_over_is_told():
    memory = await built("Never lie.", *(f"The tea number {n} is green" for n in range(20)), budget=40, core=10, k=5)
    recall = await memory.recall("tea green")
    assert count_tokens(recall.text) <= 40
    assert [item.rank for item in recall.reads] == list(range(1, len(recall.reads) + 1))
    assert {item.dropped for item in recall.passed_over} == {"over the budget", "beyond k"}
    assert "not all of them fit in what the core leaves of the budget" in recall.notes[0]
