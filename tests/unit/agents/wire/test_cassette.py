"""The cassette: what is kept, what is never kept, and to whom a kept answer is given."""

import json

import anyio
import pytest
from aiohttp import web

from foldproof.agents.watch import cassette_miss
from foldproof.agents.wire.reading import _READERS
from foldproof.core import FileError, UsageError

pytestmark = pytest.mark.anyio
KEY = "sk-test-0123456789abcdef0123"


@pytest.fixture
def cassette_file(tmp_path):
    return tmp_path / "cassettes" / "c.jsonl"


@pytest.fixture
def asked(wired, post):
    """Sends bodies in one trial; gives the answers and what was seen."""

    async def asking(mode, *bodies, trial="fp-1-q-0-aaaaaaaa", repeat=0, route="/chat/completions", environ=None):
        async with wired(mode, environ=environ) as proxy:
            url = proxy.begin(trial, repeat).wire_url + route
            answers = [await post(url, body) for body in bodies]
            return answers, await proxy.take(trial, ended=True)

    return asking


def entries(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


async def test_what_was_recorded_is_replayed_and_nobody_is_asked(asked, upstream, bodies, cassette_file):
    body = bodies.asked("Tea?")
    first, _ = await asked("record", body)
    upstream.answer = bodies.answer("another")
    second, seen = await asked("replay", body, trial="fp-2-q-0-bbbbbbbb")
    assert first == second == [(200, json.dumps(bodies.answer()))]
    assert len(upstream.asked) == 1
    (call,) = seen.calls
    assert (call.prompt, call.answer, call.status, call.error) == ("[user]\nTea?", "fine", 200, "")
    assert seen.notes == ("answered from the cassette: 1 of 1 calls",)
    head, entry = entries(cassette_file)
    assert head == {"foldproof_cassette": 2}
    assert entry["request"] == "POST /v1/chat/completions"


async def test_recording_always_asks_and_the_last_answer_counts(asked, upstream, bodies):
    body = bodies.asked("Tea?")
    await asked("record", body)
    upstream.answer = bodies.answer("newer")
    assert "newer" in (await asked("record", body))[0][0][1]
    assert "newer" in (await asked("replay", body))[0][0][1]
    assert len(upstream.asked) == 2


async def test_auto_asks_for_what_is_not_there(asked, upstream, bodies):
    one, two = bodies.asked("one"), bodies.asked("two")
    await asked("auto", one)
    answers, seen = await asked("auto", one, two)
    assert [status for status, _ in answers] == [200, 200]
    assert len(upstream.asked) == 2
    assert seen.notes == ("answered from the cassette: 1 of 2 calls",)
    await asked("replay", one, two)
    assert len(upstream.asked) == 2


async def test_a_miss_is_an_error_that_names_what_was_missed(asked, upstream, bodies, cassette_file):
    await asked("record", bodies.asked("one"))
    answers, seen = await asked("replay", bodies.asked("two"), repeat=3)
    status, text = answers[0]
    error = json.loads(text)["error"]
    assert (status, error["code"]) == (404, "cassette_miss")
    assert "no answer to POST /v1/chat/completions (repeat 3, " in error["message"]
    assert str(cassette_file) in error["message"]
    assert "does not exist" not in error["message"]
    assert len(upstream.asked) == 1
    assert seen.calls[0].error == error["message"] == cassette_miss([seen])
    _, hit = await asked("replay", bodies.asked("one"))
    assert cassette_miss([hit]) == ""


async def test_a_miss_of_a_request_that_asks_no_model_is_one_too(asked):
    answers, seen = await asked("replay", {"input": "tea"}, route="/embeddings")
    assert answers[0][0] == 404
    assert "which does not exist" in cassette_miss([seen])
    assert "/v1/embeddings" in cassette_miss([seen])


async def test_each_repeat_has_its_own_slot(asked, upstream, bodies):
    body = bodies.asked("Tea?")
    for repeat in (0, 1):
        upstream.answer = bodies.answer(f"answer {repeat}")
        await asked("record", body, repeat=repeat)
    for repeat in (1, 0):
        assert f"answer {repeat}" in (await asked("replay", body, repeat=repeat))[0][0][1]
    assert (await asked("auto", body, repeat=2))[0][0][0] == 200
    assert len(upstream.asked) == 3


async def test_equal_requests_of_a_trial_are_told_apart_by_their_number(asked, upstream, bodies):
    numbers = iter(range(9))

    async def count(_):
        return web.json_response(bodies.answer(f"answer {next(numbers)}"))

    upstream.answer = count
    body = bodies.asked("Tea?")
    await asked("record", body, body)
    answers, _ = await asked("replay", body, body, body)
    assert ["answer 0" in answers[0][1], "answer 1" in answers[1][1], answers[2][0]] == [True, True, 404]


async def test_the_trials_own_names_play_no_part(asked, upstream, bodies, wired, post):
    """Its label in a user id, its address in the body: both differ from run to run."""
    label = 'fp-1-"é"-0-aaaaaaaa'

    async def echo(request):
        return web.json_response(bodies.answer(f"for {(await request.json())['user']}"))

    upstream.answer = echo
    body = bodies.asked("Tea?", user=label, session=f"{label}-question", url="")
    await asked("record", body, trial=label)
    other = 'fp-2-"é"-0-bbbbbbbb'
    renamed = {**body, "user": other, "session": f"{other}-question"}
    answers, _ = await asked("replay", renamed, trial=other)
    assert json.loads(answers[0][1])["choices"][0]["message"]["content"] == f"for {other}"
    assert (await asked("replay", {**renamed, "user": "Ann"}, trial=other))[0][0][0] == 404
    async with wired("auto") as proxy:
        url = proxy.begin("t-1", 0).wire_url
        await post(f"{url}/chat/completions", bodies.asked("x", user="u", base=url))
    async with wired("replay") as proxy:
        url = proxy.begin("t-2", 0).wire_url
        assert (await post(f"{url}/chat/completions", bodies.asked("x", user="u", base=url)))[0] == 200


async def test_the_order_of_keys_plays_no_part(asked, bodies):
    body = bodies.asked("Tea?", seed=1)
    await asked("record", body)
    assert (await asked("replay", dict(reversed(body.items()))))[0][0][0] == 200
    assert (await asked("replay", {**body, "seed": 2}))[0][0][0] == 404


@pytest.mark.parametrize(
    "answer",
    [
        {"status": 500},
        {"status": 429},
        {"text": ""},
        {"text": " \n"},
        {"text": "Sorry, something went wrong on our end. Please try again."},
        {"text": "Error: 503 Service Unavailable"},
        {"body": {"error": {"message": "overloaded"}}},
        {"body": {}},
        {"raw": "<html>"},
        {"raw": ""},
    ],
)
async def test_what_is_no_answer_is_never_kept(asked, upstream, bodies, cassette_file, answer):
    body = bodies.asked("Tea?")

    async def fail(_):
        if "raw" in answer:
            return web.Response(text=answer["raw"])
        given = answer.get("body", bodies.answer(answer.get("text", "")))
        return web.json_response(given, status=answer.get("status", 200))

    upstream.answer = fail
    await asked("record", body)
    assert len(entries(cassette_file)) == 1
    assert (await asked("replay", body))[0][0][0] == 404
    upstream.answer = bodies.answer("now")
    assert "now" in (await asked("auto", body))[0][0][1]
    assert "now" in (await asked("replay", body))[0][0][1]


async def test_an_answer_that_speaks_of_errors_is_kept(asked, upstream, bodies):
    upstream.answer = bodies.answer("The build failed with an error in line 7 of the parser.")
    await asked("record", bodies.asked("?"))
    assert (await asked("replay", bodies.asked("?")))[0][0][0] == 200


async def test_a_tool_call_without_text_is_kept(asked, upstream, bodies):
    function = {"name": "f", "arguments": "{}"}
    upstream.answer = bodies.answer(None, tool_calls=[{"id": "1", "function": function}])
    await asked("record", bodies.asked("?"))
    assert (await asked("replay", bodies.asked("?")))[0][0][0] == 200


async def test_embeddings_are_kept(asked, upstream):
    upstream.answer = {"data": [{"embedding": [0.5]}]}
    await asked("record", {"input": "tea"}, route="/embeddings")
    answers, _ = await asked("replay", {"input": "tea"}, route="/embeddings")
    assert json.loads(answers[0][1]) == upstream.answer
    assert len(upstream.asked) == 1


async def test_a_client_that_tries_again_has_its_second_answer_in_the_first_slot(asked, upstream, bodies):
    statuses = iter([429, 500, 200])

    async def flaky(_):
        return web.json_response(bodies.answer("at last"), status=next(statuses))

    upstream.answer = flaky
    body = bodies.asked("Tea?")
    await asked("record", body, body, body)
    answers, _ = await asked("replay", body)
    assert answers[0][0] == 200
    assert "at last" in answers[0][1]


async def test_a_stream_is_replayed_as_a_stream(wired, upstream, client, bodies):
    parts = (bodies.piece("Tea "), bodies.piece("please", "stop"))
    upstream.answer = bodies.streaming(*parts)
    body = bodies.asked("?", stream=True)
    for mode in ("record", "replay"):
        async with wired(mode) as proxy:
            url = proxy.begin(mode, 0).wire_url
            async with client.post(f"{url}/chat/completions", json=body) as response:
                assert response.content_type == "text/event-stream"
                assert response.headers["Transfer-Encoding"] == "chunked"
                assert (await response.read()).decode() == bodies.stream(*parts)
            (call,) = (await proxy.take(mode, ended=True)).calls
            assert (call.answer, call.stream, call.error) == ("Tea please", True, "")
    assert len(upstream.asked) == 1


@pytest.mark.parametrize("broken", [True, False])
async def test_a_stream_that_did_not_end_is_never_kept(wired, upstream, client, bodies, cassette_file, broken):
    upstream.answer = bodies.streaming(bodies.piece("Half"), done=False, broken=broken)
    async with wired("record") as proxy:
        url = proxy.begin("t", 0).wire_url
        async with client.post(f"{url}/chat/completions", json=bodies.asked("?")) as response:
            await response.content.readany()
        await proxy.take("t", ended=True)
    assert len(entries(cassette_file)) == 1


async def test_no_key_is_in_the_cassette(asked, upstream, bodies, cassette_file):
    upstream.answer = bodies.answer(f"your key is {KEY} and s3cret-word")
    body = bodies.asked(f"my key is {KEY}", session="s3cret-word")
    route = "/chat/completions?key=s3cret-word"
    await asked("record", body, route=route, environ={"SOME_TOKEN": "s3cret-word"})
    text = cassette_file.read_text("utf-8")
    assert "your key is [redacted] and [redacted]" in text
    assert KEY not in text
    assert "s3cret-word" not in text
    answers, _ = await asked("replay", body, route=route, environ={"SOME_TOKEN": "s3cret-word"})
    assert answers[0][0] == 200


async def test_while_a_shared_memory_is_built_another_repeat_may_have_built_it(wired, post, bodies, upstream):
    """Which trial builds a memory for all is chance; the question itself stays with its own repeat."""
    async with wired("record") as proxy:
        url = proxy.begin("t0", 0).wire_url + "/chat/completions"
        await post(url, bodies.asked("extract"))
        await proxy.take("t0", ended=False)
        await post(url, bodies.asked("question"))
    async with wired("replay") as proxy:
        url = proxy.begin("t1", 1).wire_url + "/chat/completions"
        assert (await post(url, bodies.asked("extract")))[0] == 200
        await proxy.take("t1", ended=False)
        assert (await post(url, bodies.asked("question")))[0] == 404
        url = proxy.begin("t0", 0).wire_url + "/chat/completions"
        await proxy.take("t0", ended=False)
        assert (await post(url, bodies.asked("question")))[0] == 200
    async with wired("auto") as proxy:
        url = proxy.begin("t1", 1).wire_url + "/chat/completions"
        await post(url, bodies.asked("extract"))
    assert len(upstream.asked) == 3


@pytest.fixture
def counting(upstream, bodies):
    """Each answer of the upstream is another one, and takes a moment."""
    numbers = iter(range(99))

    async def count(_):
        number = next(numbers)
        await anyio.sleep(0.02)
        return web.json_response(bodies.answer(f"summary {number}"))

    upstream.answer = count


@pytest.mark.parametrize("at_once", [False, True])
async def test_trials_that_build_alike_are_replayed_as_they_were_recorded(
    wired, post, bodies, counting, upstream, at_once
):
    """Each builds a memory of its own, by the same requests, and asks with what came of it."""

    async def said(url, text):
        status, answer = await post(url + "/chat/completions", bodies.asked(text))
        return json.loads(answer)["choices"][0]["message"]["content"] if status == 200 else status

    async def trial(proxy, number, found):
        url = proxy.begin(f"fp-{number}", 0).wire_url
        memory = [await said(url, "summarise what was told"), await said(url, "summarise what was told")]
        await proxy.take(f"fp-{number}", ended=False)
        found[number] = [*memory, await said(url, f"{memory}; question {number}")]
        await proxy.take(f"fp-{number}", ended=True)

    outcomes = []
    for mode in ("record", "replay", "auto"):
        found = {}
        async with wired(mode) as proxy, anyio.create_task_group() as group:
            for number in range(8):
                if at_once:
                    group.start_soon(trial, proxy, number, found)
                else:
                    await trial(proxy, number, found)
        outcomes.append(found)
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert len(upstream.asked) == 2 + 8
    assert {tuple(found[:2]) for found in outcomes[0].values()} == {("summary 0", "summary 1")}
    assert len({found[2] for found in outcomes[0].values()}) == 8


async def test_who_waited_in_vain_asks(wired, post, upstream, bodies):
    statuses = iter([500, 200, 200])

    async def flaky(_):
        status = next(statuses)
        await anyio.sleep(0.05)
        return web.json_response(bodies.answer(f"with {status}"), status=status)

    upstream.answer = flaky
    found = []

    async def ask(url):
        found.append((await post(f"{url}/chat/completions", bodies.asked("?")))[0])

    async with wired("record") as proxy, anyio.create_task_group() as group:
        for number in range(3):
            group.start_soon(ask, proxy.begin(f"t{number}", 0).wire_url)
    assert sorted(found) == [200, 200, 500]
    assert len(upstream.asked) == 2


async def test_who_gives_up_waiting_has_its_place_again(wired, post, upstream, bodies, cassette_file):
    slow = anyio.Event()

    async def wait(_):
        await slow.wait()
        return web.json_response(bodies.answer())

    upstream.answer = wait
    async with wired("record") as proxy, anyio.create_task_group() as group:
        first, second = (proxy.begin(f"t{number}", 0).wire_url + "/chat/completions" for number in range(2))
        group.start_soon(post, first, bodies.asked("?"))
        await upstream.came.wait()
        with anyio.move_on_after(0.1):
            await post(second, bodies.asked("?"))
        await anyio.sleep(0.05)
        slow.set()
        assert (await post(second, bodies.asked("?")))[0] == 200
    assert len(upstream.asked) == 1
    assert [entry["nth"] for entry in entries(cassette_file)[1:]] == [0]


@pytest.mark.parametrize("coding", ["zstd", "br", "gzip", ""])
async def test_bodies_that_cannot_be_read_are_told_apart(wired, upstream, client, bodies, coding):
    """Packed in a way that is not read, not packed as they say, no text: one never has the answer to another."""

    async def count(_):
        return web.json_response(bodies.answer(f"answer {len(upstream.asked)}"))

    upstream.answer = count
    headers = {"Content-Encoding": coding, "Content-Type": "application/json"}

    async def ask(url, data):
        async with client.post(f"{url}/audio/transcriptions", data=data, headers=headers) as response:
            return (await response.json())["choices"][0]["message"]["content"]

    sent = {b"\xff\x01": "answer 1", b"\xff\x02": "answer 2"}
    for asked in (list(sent), reversed(sent)):
        async with wired("auto") as proxy:
            url = proxy.begin("t", 0).wire_url
            assert {data: await ask(url, data) for data in asked} == sent
    assert len(upstream.asked) == 2


async def test_another_server_is_asked_itself(wired, upstream, bodies, post):
    """Under the same name a configuration may have come to another server, with a model of the same name."""
    async with wired("auto") as proxy:
        assert "fine" in (await post(proxy.begin("t", 0).wire_url + "/chat/completions", bodies.asked("?")))[1]
    upstream.answer = bodies.answer("of another")
    elsewhere = {"openai": f"{upstream.url}/another/v1", "anthropic": upstream.url}
    for mode, text in (("replay", "cassette_miss"), ("auto", "of another"), ("replay", "of another")):
        async with wired(mode, settings=elsewhere) as proxy:
            _, answer = await post(proxy.begin("t", 0).wire_url + "/chat/completions", bodies.asked("?"))
        assert text in answer
    async with wired("replay") as proxy:
        assert "fine" in (await post(proxy.begin("t", 0).wire_url + "/chat/completions", bodies.asked("?")))[1]


async def test_an_answer_too_long_to_be_held_is_not_kept(asked, upstream, bodies, cassette_file, monkeypatch):
    monkeypatch.setattr("foldproof.agents.wire.exchange.MOST_BYTES", 2**20)
    upstream.answer = bodies.answer("x" * 2**21)
    for _ in range(2):
        answers, seen = await asked("auto", bodies.asked("?"))
        assert json.loads(answers[0][1]) == upstream.answer
        assert seen.calls[0].error == "cut: the answer is longer than 1 MB, the rest was only passed on"
        assert seen.notes[0] == f"an answer is not in the cassette: {seen.calls[0].error}"
    assert len(upstream.asked) == 2
    assert len(entries(cassette_file)) == 1


async def test_an_answer_that_its_reader_trips_over_is_passed_on_and_not_kept(
    asked, bodies, cassette_file, monkeypatch
):
    def trip(body):
        raise OverflowError("int too large")

    monkeypatch.setitem(_READERS, "chat", _READERS["chat"]._replace(said_in=trip))
    answers, seen = await asked("auto", bodies.asked("Tea?"))
    assert answers == [(200, json.dumps(bodies.answer()))]
    assert [(call.prompt, call.answer) for call in seen.calls] == [("[user]\nTea?", "")]
    assert seen.notes == ("call 1: the answer cannot be read: OverflowError: int too large",)
    assert len(entries(cassette_file)) == 1


async def test_many_trials_write_at_once(wired, post, upstream, bodies, cassette_file):
    async def echo(request):
        return web.json_response(bodies.answer((await request.json())["messages"][0]["content"] * 500))

    upstream.answer = echo
    async with wired("record") as proxy, anyio.create_task_group() as group:
        for number in range(24):
            url = proxy.begin(f"t{number}", 0).wire_url
            group.start_soon(post, f"{url}/chat/completions", bodies.asked(f"<{number}>"))
    kept = [json.loads(entry["body"])["choices"][0]["message"]["content"] for entry in entries(cassette_file)[1:]]
    assert sorted(kept) == sorted(f"<{number}>" * 500 for number in range(24))


async def test_a_half_written_last_line_is_mended(asked, bodies, cassette_file):
    await asked("record", bodies.asked("one"))
    with cassette_file.open("a") as file:
        file.write('{"key": "half')
    assert (await asked("replay", bodies.asked("one")))[0][0][0] == 200
    await asked("auto", bodies.asked("two"))
    answers, _ = await asked("replay", bodies.asked("one"), bodies.asked("two"))
    assert [status for status, _ in answers] == [200, 200]
    assert len(entries(cassette_file)) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"foldproof_cassette": 3}\n', "the cassette has the format version 3, and this foldproof knows 2"),
        ('{"foldproof_cassette": 1}\n', "the format version 1, which does not tell the servers apart"),
        ("{}\n", ":1: this is no cassette of foldproof"),
        ("[]\n", ":1: this is no cassette of foldproof"),
        ("my notes", ":1: this is no cassette of foldproof"),
        ('{"foldproof_cassette": 2}', ":1: this is no cassette of foldproof"),
        ('{"foldproof_cassette": "1"}\n', "this is no cassette"),
        ('{"foldproof_cassette": 2}\nnot JSON\n', ":2: this line is no kept answer"),
        ('{"foldproof_cassette": 2}\n{"key": "k", "repeat": true}\n', ":2: this line is no kept answer"),
    ],
)
@pytest.mark.parametrize("mode", ["replay", "auto"])
async def test_a_file_that_cannot_be_used_is_refused(wired, cassette_file, text, words, mode):
    cassette_file.parent.mkdir()
    cassette_file.write_text(text, "utf-8")
    with pytest.raises(FileError) as caught:
        async with wired(mode):
            pass
    assert words in str(caught.value)
    assert cassette_file.read_text("utf-8") == text


async def test_two_heads_are_no_fault(asked, bodies, cassette_file):
    """Two processes may begin a file at once."""
    await asked("record", bodies.asked("one"))
    text = cassette_file.read_text("utf-8")
    cassette_file.write_text('{"foldproof_cassette": 2}\n' + text, "utf-8")
    assert (await asked("replay", bodies.asked("one")))[0][0][0] == 200


async def test_a_place_that_cannot_be_written_is_refused_at_once(wired, tmp_path):
    (tmp_path / "cassettes").write_text("a file", "utf-8")
    with pytest.raises(UsageError, match="the cassette cannot be used"):
        async with wired("record"):
            pass


async def test_an_answer_that_cannot_be_kept_is_still_an_answer(wired, post, bodies, cassette_file):
    async with wired("auto") as proxy:
        cassette_file.unlink()
        cassette_file.mkdir()
        url = proxy.begin("t", 0).wire_url
        assert (await post(f"{url}/chat/completions", bodies.asked("?")))[0] == 200
        seen = await proxy.take("t", ended=True)
    assert seen.calls[0].answer == "fine"
    assert seen.notes[0].startswith("an answer is not in the cassette: ")
