"""The memories that ask a model: `summary` and `hybrid`, what they keep, and that no failure passes for a memory."""

import re
from pathlib import Path

import pytest

from foldproof.agents import AgentError, TransientError, UnsupportedError
from foldproof.agents.memories import FREE, Resources, Spent, count_tokens, make_memory
from foldproof.agents.memories.placeholders import summary_fault
from foldproof.agents.memories.summary import COMPACT
from foldproof.agents.pool import Pool
from foldproof.agents.watch import Tap
from foldproof.core import UsageError
from foldproof.logs import History, Session, Turn, Usage
from foldproof.testing import ModelFailure, ModelReply, ScriptedEndpoint, ScriptedModel

pytestmark = pytest.mark.anyio
TEXTS = [f"turn number {number} says word{number}" for number in range(1, 21)]


def talk(*texts):
    return History("h", (Session("s1", tuple(Turn("user", text) for text in texts), "2026-03-01"),))


def parts_of(prompt):
    """The summary so far and the turns of a compaction's prompt."""
    before, _, turns = prompt.partition("Said since then:\n")
    return before.partition("Memory so far:\n")[2].strip(), turns.splitlines()


def keep_last_words(request):
    """A summary of what was said: the last word of each turn, after the words so far."""
    before, turns = parts_of(request.question)
    return " ".join([*([before] if before != "(nothing yet)" else []), *(line.split()[-1] for line in turns)])


@pytest.fixture
async def made(tmp_path):
    """Makes memories behind a scripted model, whose rule and embeddings a test may set."""
    pool = Pool()

    def make(server, behind=None, **settings):
        given = {"base_url": server.url, "name": "scripted", "temperature": 0} if behind is None else behind
        resources = Resources(tmp_path, {}, given, "t1", Tap(), pool)
        return make_memory(settings, resources)

    yield make
    await pool.close()


@pytest.fixture
def scripted():
    with ScriptedModel(keep_last_words) as server:
        yield server


async def test_a_fold_puts_all_but_the_last_turns_into_a_summary(made, scripted):
    memory = made(scripted, kind="summary", keep_last=3)
    await memory.build(talk(*TEXTS))
    assert len(await memory.items()) == 20
    assert scripted.requests == [], "nothing is compacted before the fold"
    await memory.fold()
    first, *rest = await memory.items()
    assert (first.id, first.kind) == ("summary", "summary")
    assert first.text == " ".join(f"word{number}" for number in range(1, 18))
    assert [item.id for item in rest] == ["s1.t18", "s1.t19", "s1.t20"]
    recall = await memory.recall("?")
    assert [item.text for item in recall.items] == [item.text for item in (first, *rest)]
    assert re.fullmatch(
        r"summary: 17 turns folded by scripted in 1 call of \d+ \+ \d+ tokens, prompt compact/1", recall.notes[0]
    )
    await memory.fold()
    assert len(scripted.requests) == 1, "a second fold finds nothing to do"


async def test_a_later_session_goes_into_the_next_summary(made, scripted):
    memory = made(scripted, kind="summary", keep_last=0)
    await memory.build(talk("I like word1"))
    await memory.fold()
    await memory.add(Session("live-1", (Turn("user", "I like word2"),), "day 9"))
    assert [item.text for item in await memory.items()] == ["word1", "[live-1 day 9] user: I like word2"]
    await memory.fold()
    assert [item.text for item in await memory.items()] == ["word1 word2"]


async def test_the_prompt_says_what_is_asked_for(made, scripted):
    memory = made(scripted, kind="summary", keep_last=0, budget=300)
    await memory.build(talk("I take no NSAIDs.", "My cat is Tom."))
    await memory.fold()
    prompt = scripted.requests[0].question
    assert prompt == COMPACT.render(
        {
            "summary": "(nothing yet)",
            "turns": "[s1 2026-03-01] user: I take no NSAIDs.\n[s1 2026-03-01] user: My cat is Tom.",
            "budget": "150",
        }
    )
    assert "word for word" in prompt


async def test_every_so_many_turns_are_one_call_each_with_the_summary_so_far(made, scripted):
    memory = made(scripted, kind="summary", keep_last=2, every=8)
    await memory.build(talk(*TEXTS))
    await memory.fold()
    asked = [parts_of(request.question) for request in scripted.requests]
    assert [len(turns) for _, turns in asked] == [8, 8, 2]
    assert asked[0][0] == "(nothing yet)"
    assert asked[1][0] == " ".join(f"word{number}" for number in range(1, 9))
    assert (await memory.items())[0].text == " ".join(f"word{number}" for number in range(1, 19))
    assert (await memory.recall("?")).notes[0].startswith("summary: 18 turns folded by scripted in 3 calls")


async def test_a_template_of_the_users_own(made, tmp_path):
    (tmp_path / "fold.md").write_text("So far {summary}; now {turns}.", encoding="utf-8")
    with ScriptedModel(lambda _: "It was a.") as server:
        memory = made(server, kind="summary", keep_last=1, prompt="fold.md")
        await memory.build(talk("a", "b"))
        await memory.fold()
    assert server.requests[0].question == "So far (nothing yet); now [s1 2026-03-01] user: a."
    assert (await memory.recall("?")).notes[0].endswith("prompt fold.md")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Now {turns}.", "has no place for `{summary}`: what an earlier fold kept would never reach the model"),
        ("So far {summary}.", "has no place for `{turns}`: what was said would never reach the model"),
        ("{summary} {turns} {memory}", "a place for `{memory}`, which is unknown"),
    ],
)
async def test_a_template_that_loses_something_is_refused(made, scripted, tmp_path, text, words):
    (tmp_path / "fold.md").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        made(scripted, kind="summary", prompt="fold.md")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("", "an empty text"),
        ("---\n", "an empty summary: '---'"),
        ("No conversation to summarize.", "a placeholder in place of a summary: 'No conversation to summarize.'"),
        ("Previous conversation was too long to summarize.", "a placeholder"),
        ("Error code: 500 - {'error': 'x'}", "an error message in place of a summary"),
        ("Sorry, I ran into an error.", "an error message"),
        (ModelFailure(400, "no"), "the endpoint answered 400: no"),
        (ModelFailure(400, "maximum context length is 8 tokens"), "the prompt does not fit the model's context"),
    ],
)
async def test_A48_what_is_no_summary_is_an_error_and_what_was_held_stays(made, answer, words):
    with ScriptedModel(lambda _: answer) as server:
        memory = made(server, kind="summary", keep_last=1, every=2)
        await memory.build(talk(*TEXTS[:6]))
        with pytest.raises(AgentError) as caught:
            await memory.fold()
        held = await memory.items()
    assert words in str(caught.value)
    assert str(caught.value).startswith("memory 'summary': the fold failed: ")
    assert [item.id for item in held] == [f"s1.t{number}" for number in range(1, 7)]


async def test_A48_a_refusal_is_no_summary(made):
    refusal = {"choices": [{"message": {"content": None, "refusal": "I would rather not."}}]}
    with ScriptedEndpoint(lambda _: refusal) as server:
        memory = made(server, kind="summary", keep_last=0)
        await memory.build(talk("a"))
        with pytest.raises(AgentError, match="the model gave a refusal"):
            await memory.fold()


async def test_a_fold_that_fails_halfway_leaves_everything_as_it_was(made):
    answers = iter(["first part", ModelFailure(503), "first part", "second part"])
    with ScriptedModel(lambda _: next(answers)) as server:
        memory = made(server, kind="summary", keep_last=0, every=2)
        await memory.build(talk("a", "b", "c", "d"))
        with pytest.raises(TransientError, match="the fold failed: the endpoint answered 503"):
            await memory.fold()
        assert len(await memory.items()) == 4
        await memory.fold()
        assert [item.text for item in await memory.items()] == ["second part"]


@pytest.mark.parametrize(
    "text",
    [
        "No NSAIDs; gastritis history.",
        "None of the payments may leave before Friday.",
        "The user's previous messages were deleted on request; the budget is 500.",
        "There is no dairy in the house, Tom is allergic.",
        "User asked to summarize reports in German.",
        "Summary: the billing database is Postgres 15.",
        "不要使用阿司匹林",
        "Please send invoices to Odile.",
        "The user is unable to eat nuts.",
    ],
)
def test_a_summary_that_speaks_of_such_things_is_one(text):
    assert summary_fault(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        " ",
        "…",
        "N/A",
        "Summary: none",
        "[Summary here]",
        "**Summary:** (empty)",
        "There is no conversation to summarize.",
        "Nothing to summarize yet.",
        "No previous messages were provided.",
        "I don't see any conversation here.",
        "Please provide the conversation that you would like me to summarize.",
        "I'm sorry, but I can't assist with that.",
    ],
)
def test_a_placeholder_is_seen(text):
    assert summary_fault(text) != ""


async def test_a_summary_that_was_cut_off_is_told(made):
    with ScriptedModel(lambda _: ModelReply("half a summ", finish="length")) as server:
        memory = made(server, kind="summary", keep_last=0)
        await memory.build(talk("a"))
        await memory.fold()
        notes = (await memory.recall("?")).notes
    assert "an answer was cut off" in notes[1]


async def test_a_recall_fits_the_budget_the_newest_turns_first(made):
    with ScriptedModel(lambda _: "the summary " * 8) as server:
        memory = made(server, kind="summary", keep_last=10, budget=60)
        await memory.build(talk(*TEXTS))
        before = await memory.recall("?")
        assert count_tokens(before.text) <= 60
        assert before.items[-1].id == "s1.t20"
        await memory.fold()
        recall = await memory.recall("?")
    assert count_tokens(recall.text) <= 60
    assert recall.items[0].id == "summary"
    assert recall.items[-1].id == "s1.t20"
    assert "of 11 items fit in 60 tokens" in recall.notes[-1]
    assert [item.rank for item in recall.items] == list(range(1, len(recall.items) + 1))


async def test_what_went_into_a_summary_cannot_be_forgotten(made, scripted):
    memory = made(scripted, kind="summary", keep_last=1)
    await memory.build(talk("a", "b", "c"))
    await memory.forget("s1.t1")
    assert [item.id for item in await memory.items()] == ["s1.t2", "s1.t3"]
    await memory.fold()
    with pytest.raises(UnsupportedError, match="cannot be taken out"):
        await memory.forget("s1.t3")


@pytest.mark.parametrize(
    ("settings", "model", "words"),
    [
        ({}, {}, "memory 'summary' is written by a model, and the configuration has none"),
        ({}, {"base_url": "http://127.0.0.1:9/v1"}, "memory 'summary': the model has no `name`"),
        ({"model": {"name": "x"}}, {}, "memory 'summary': model: there is no `base_url`"),
        ({"every": 0}, None, "`every` is 0, where a whole number from 1 is expected\n  leave it out, or write one"),
        ({"keep_last": -1}, None, "`keep_last` is -1, where a whole number from 0 is expected\n  the default is 10"),
        ({"prompt": "x.md"}, None, "the prompt 'x.md' cannot be read"),
        ({"prompt": 3}, None, "memory 'summary': `prompt` is 3, where a text is expected"),
        ({"model": "x"}, None, "`model` is 'x', where a mapping of settings is expected"),
        ({"evry": 3}, None, "did you mean `every`?"),
    ],
)
async def test_a_summarys_settings_are_strict(made, scripted, settings, model, words):
    with pytest.raises(UsageError) as caught:
        made(scripted, model, kind="summary", **settings)
    assert words in str(caught.value)


async def test_a_summary_may_have_a_model_of_its_own_which_the_tap_does_not_see(made, scripted):
    with ScriptedModel(lambda _: "by wire") as wire, ScriptedModel(lambda _: "by another") as other:
        for settings, text in (({}, "by wire"), ({"model": {"base_url": other.url, "name": "small"}}, "by another")):
            resources = {"base_url": scripted.url, "name": "scripted"}
            pool = Pool()
            memory = make_memory(
                {"kind": "summary", "keep_last": 0, **settings},
                Resources(Path(), {}, resources, "t1", Tap(wire.url), pool),
            )
            await memory.build(talk("a"))
            await memory.fold()
            assert (await memory.items())[0].text == text
            await pool.close()
        assert other.requests[0].body["model"] == "small"
    assert scripted.requests == []


def axis(**places):
    """Embeddings in which each text lies on the axis of the first word that it holds."""

    def embed(text, _):
        at = next((place for word, place in places.items() if word in text.casefold()), 7)
        return [1.0 if number == at else 0.0 for number in range(8)]

    return embed


async def test_hybrid_finds_by_meaning_what_shares_no_word(made):
    with ScriptedModel(keep_last_words, embed=axis(car=1, fiat=1)) as server:
        embed = {"base_url": server.url, "name": "axes"}
        memory = made(server, kind="hybrid", k=1, embed=embed)
        await memory.build(talk("I like tea", "I bought a Fiat", "My cat is Tom"))
        recall = await memory.recall("Which car?")
        words_alone = made(server, kind="verbatim", k=1)
        await words_alone.build(talk("I like tea", "I bought a Fiat", "My cat is Tom"))
        by_words = await words_alone.recall("Which car?")
    assert recall.items[0].text.endswith("I bought a Fiat")
    assert "Fiat" not in by_words.text


async def test_hybrid_fuses_by_reciprocal_rank(made):
    with ScriptedModel(keep_last_words, embed=axis(code=1, fiat=1)) as server:
        memory = made(server, kind="hybrid", k=3, embed={"base_url": server.url, "name": "axes"})
        await memory.build(talk("a Fiat", "the code is 7788", "nothing here"))
        found = (await memory.recall("code")).items
    # words: only the second turn; meaning: the first and second alike, in the order in which they were said
    assert [(item.id, item.score) for item in found] == [
        ("s1.t2", round(1 / 61 + 1 / 62, 6)),
        ("s1.t1", round(1 / 61, 6)),
        ("s1.t3", round(1 / 63, 6)),
    ]


async def test_hybrid_embeds_in_batches_equal_texts_once_and_a_copy_not_again(made):
    with ScriptedModel(keep_last_words) as server:
        embed = {"base_url": server.url, "name": "words", "batch": 4, "price": 0.5}
        memory = made(server, kind="hybrid", embed=embed)
        texts = [f"text {number}" for number in range(10)]
        await memory.build(History("h", (Session("s", tuple(Turn("user", text) for text in [*texts, *texts])),)))
        assert [len(request.texts) for request in server.requests] == [4, 4, 2]
        twin = made(server, kind="hybrid", embed=embed)
        await twin.restore(await memory.snapshot())
        assert len(server.requests) == 3
        recall = await twin.recall("text 7")
        assert len(server.requests) == 4
    assert "text 7" in recall.items[0].text
    assert recall.usage.cost_usd == recall.usage.input_tokens * 0.5 / 1e6


async def test_what_building_used_is_noted_once(made, tmp_path):
    with ScriptedModel(keep_last_words) as server:
        pool, spent = Pool(), Spent()
        model = {"base_url": server.url, "name": "scripted", "price": {"input": 1, "output": 1}}
        resources = Resources(tmp_path, {}, model, "t1", Tap(), pool, spent=spent)
        embed = {"base_url": server.url, "name": "words", "price": 1}
        hybrid = make_memory({"kind": "hybrid", "embed": embed}, resources)
        await hybrid.build(talk("one", "two"))
        embedded = spent.with_answer(FREE)
        assert embedded.input_tokens > 0
        assert embedded.cost_usd == pytest.approx(embedded.input_tokens / 1e6)
        summary = make_memory({"kind": "summary", "keep_last": 0, "every": 1}, resources)
        await summary.build(talk("one", "two"))
        assert spent.with_answer(FREE) == FREE, "nothing was asked yet, and what was told is not told again"
        await summary.fold()
        folded = spent.with_answer(Usage(1, 1, 1.0))
        assert folded.cost_usd == pytest.approx(1 + (folded.input_tokens + folded.output_tokens - 2) / 1e6)
        twin = make_memory({"kind": "summary"}, resources)
        await twin.restore(await summary.snapshot())
        assert spent.with_answer(FREE) == FREE
        await pool.close()


async def test_a_summary_that_is_refused_was_paid_for(made, tmp_path):
    with ScriptedModel(lambda _: "No conversation to summarize.") as server:
        pool, spent = Pool(), Spent()
        model = {"base_url": server.url, "name": "scripted", "price": {"input": 1, "output": 1}}
        memory = make_memory(
            {"kind": "summary", "keep_last": 0}, Resources(tmp_path, {}, model, "t1", Tap(), pool, spent=spent)
        )
        await memory.build(talk("one"))
        with pytest.raises(AgentError, match="a placeholder"):
            await memory.fold()
        assert spent.with_answer(FREE).cost_usd > 0
        await pool.close()


async def test_hybrid_is_never_silently_a_search_by_words(made):
    answers = iter([[1.0, 0.0], ModelFailure(500), ModelFailure(500)])
    with ScriptedModel(keep_last_words, embed=lambda *_: next(answers)) as server:
        memory = made(server, kind="hybrid", embed={"base_url": server.url, "name": "x"})
        await memory.build(talk("tea"))
        with pytest.raises(TransientError, match="memory 'hybrid': the embeddings failed: the endpoint answered 500"):
            await memory.recall("tea")
        with pytest.raises(TransientError, match="the embeddings failed"):
            await memory.build(talk("coffee"))
        assert await memory.items() == (), "half a memory is none"
    dead = made(server, kind="hybrid", embed={"base_url": "http://127.0.0.1:9/v1", "name": "x"})
    with pytest.raises(TransientError, match=r"no answer from http://127\.0\.0\.1:9/v1/embeddings"):
        await dead.build(talk("tea"))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"data": []}, "answered with 0 embeddings for 2 texts"),
        ({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}, "2 embeddings for 2 texts"),
        ({"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}, "of different lengths"),
        ({"data": [{"index": 0, "embedding": [0]}, {"index": 1, "embedding": [1]}]}, "no embeddings"),
        ({"data": [{"index": 0, "embedding": "x"}, {"index": 1, "embedding": [1]}]}, "no embeddings"),
        ({"data": [{"index": 0, "embedding": [1e400]}, {"index": 1, "embedding": [1]}]}, "no embeddings"),
        ({"data": [{"index": 0, "embedding": [10**400]}, {"index": 1, "embedding": [1]}]}, "no embeddings"),
        ({"error": {"message": "no such model"}}, "no embeddings"),
        ({"data": None}, "no embeddings"),
    ],
)
async def test_embeddings_that_cannot_be_used_are_an_error(made, aiohttp_embeddings, body, words):
    server = await aiohttp_embeddings(body)
    memory = made(server, kind="hybrid", embed={"base_url": server.url, "name": "x"})
    with pytest.raises(AgentError, match=words):
        await memory.build(talk("tea", "coffee"))


async def test_a_question_from_another_model_is_an_error(made, aiohttp_embeddings):
    server = await aiohttp_embeddings({"data": [{"index": 0, "embedding": [1, 2]}]})
    memory = made(server, kind="hybrid", embed={"base_url": server.url, "name": "x"})
    await memory.build(talk("tea"))
    server.body["data"] = [{"index": 0, "embedding": [1, 2, 3]}]
    with pytest.raises(AgentError, match="an embedding has 3 numbers, those before it have 2"):
        await memory.recall("tea")


@pytest.fixture
async def aiohttp_embeddings():
    """An endpoint that answers each request for embeddings with one body."""
    from aiohttp import web
    from aiohttp.test_utils import TestServer

    class Fixed:
        def __init__(self, body):
            self.body = body

        async def answer(self, _):
            return web.json_response(self.body)

    servers = []

    async def start(body):
        fixed = Fixed(body)
        app = web.Application()
        app.router.add_post("/v1/embeddings", fixed.answer)
        server = TestServer(app)
        await server.start_server()
        servers.append(server)
        fixed.url = str(server.make_url("/v1"))
        return fixed

    yield start
    for server in servers:
        await server.close()


@pytest.mark.parametrize(
    ("embed", "words"),
    [
        (None, "memory 'hybrid' needs embeddings, and has no `embed`"),
        ({"base_url": "http://127.0.0.1:9/v1"}, "memory 'hybrid': `embed` has no `name`"),
        ({"name": "x"}, "memory 'hybrid': embed: there is no `base_url`"),
        ({"nam": "x"}, "memory 'hybrid.embed' has no setting `nam`\n  did you mean `name`?"),
        ({"name": "x", "batch": 0}, "memory 'hybrid.embed': `batch` is 0"),
        ({"name": "x", "price": "much"}, "`price` is 'much', where a number from 0 is expected"),
        ({"name": "x", "price": 10**400}, "where a number from 0 is expected"),
        ("x", "`embed` is 'x', where a mapping of settings is expected"),
    ],
)
async def test_hybrids_settings_are_strict(made, scripted, embed, words):
    with pytest.raises(UsageError) as caught:
        made(scripted, kind="hybrid", **({} if embed is None else {"embed": embed}))
    assert words in str(caught.value)
