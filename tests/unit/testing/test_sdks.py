"""A scripted model is what the official clients take it for: `openai` and `anthropic` read every shape."""

import json

import pytest

from foldproof.logs import ToolCall
from foldproof.testing import ModelFailure, ModelReply, ScriptedModel, in_turn
from foldproof.testing.embeddings import hashed_words

openai = pytest.importorskip("openai", reason="the package openai comes with the extra `dev`")
anthropic = pytest.importorskip("anthropic", reason="the package anthropic comes with the extra `dev`")

TEXT = "Postgres 15, été 北京."
CALLS = [ToolCall("look_up", {"query": "été 北京", "n": 3}), ToolCall("now")]
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}}
CHAT_TOOLS = [{"type": "function", "function": {"name": "look_up", "parameters": SCHEMA}}]
RESPONSE_TOOLS = [{"type": "function", "name": "look_up", "parameters": SCHEMA, "strict": False}]
MESSAGE_TOOLS = [{"name": "look_up", "input_schema": SCHEMA}]
USER = {"role": "user", "content": "Which database?"}


@pytest.fixture
def clients():
    """The official clients on a scripted model; what they are answered is validated against their own records."""
    opened = []

    def make(rule, **settings):
        scripted = ScriptedModel(rule, key="sk-canary", **settings).__enter__()
        strict = {"max_retries": 0, "_strict_response_validation": True, "api_key": "sk-canary"}
        opened.extend(
            [
                scripted,
                openai.OpenAI(base_url=scripted.url, **strict),
                anthropic.Anthropic(base_url=scripted.root_url, **strict),
            ]
        )
        return opened[-2], opened[-1]

    yield make
    for thing in reversed(opened):
        thing.__exit__(None, None, None)


def args_of(calls):
    return [(call.name, json.loads(call.arguments)) for call in calls]


EXPECTED = [(call.name, call.args) for call in CALLS]


def test_chat_completions(clients):
    client, _ = clients(in_turn(TEXT, CALLS, TEXT, CALLS))
    ask = {"model": "m", "messages": [USER], "tools": CHAT_TOOLS}
    assert client.chat.completions.create(**ask).choices[0].message.content == TEXT
    choice = client.chat.completions.create(**ask).choices[0]
    assert args_of(call.function for call in choice.message.tool_calls) == EXPECTED
    chunks = list(client.chat.completions.create(**ask, stream=True, stream_options={"include_usage": True}))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks[:-1]) == TEXT
    assert chunks[-1].usage.completion_tokens > 1
    with client.chat.completions.stream(**ask) as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_completion().choices[0]
    assert {"chunk", "tool_calls.function.arguments.delta", "tool_calls.function.arguments.done"} <= kinds
    assert args_of(call.function for call in final.message.tool_calls) == EXPECTED
    assert final.finish_reason == "tool_calls"


def test_chat_results_go_back_with_their_calls(clients):
    client, _ = clients(in_turn(CALLS, TEXT))
    first = client.chat.completions.create(model="m", messages=[USER]).choices[0].message
    results = [{"role": "tool", "tool_call_id": call.id, "content": "found"} for call in first.tool_calls]
    talk = [USER, first.model_dump(exclude_none=True), *results]
    with pytest.raises(openai.BadRequestError, match="none with the id"):
        client.chat.completions.create(model="m", messages=[USER, *results])
    assert client.chat.completions.create(model="m", messages=talk).choices[0].message.content == TEXT


def test_responses(clients):
    client, _ = clients(in_turn(TEXT, TEXT, CALLS, TEXT))
    ask = {"model": "m", "input": "Which database?", "tools": RESPONSE_TOOLS}
    whole = client.responses.create(**ask, instructions="Be short.")
    assert (whole.output_text, whole.status) == (TEXT, "completed")
    assert whole.usage.total_tokens > 2
    events = list(client.responses.create(**ask, stream=True))
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == TEXT
    with client.responses.stream(**ask) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert args_of(final.output) == EXPECTED
    results = [{"type": "function_call_output", "call_id": item.call_id, "output": "found"} for item in final.output]
    with pytest.raises(openai.BadRequestError, match="stands before this output"):
        client.responses.create(model="m", input=results)
    assert client.responses.create(model="m", input=results, previous_response_id=final.id).output_text == TEXT


def test_a_cut_response_is_incomplete(clients):
    client, _ = clients(lambda _: "one two three")
    assert client.responses.create(model="m", input="Go.", max_output_tokens=1).status == "incomplete"
    events = list(client.responses.create(model="m", input="Go.", max_output_tokens=1, stream=True))
    assert events[-1].type == "response.incomplete"
    assert events[-1].response.incomplete_details.reason == "max_output_tokens"


def test_anthropic_messages(clients):
    _, client = clients(in_turn(TEXT, CALLS, TEXT, CALLS, TEXT))
    ask = {"model": "m", "max_tokens": 100, "messages": [USER], "tools": MESSAGE_TOOLS}
    assert client.messages.create(**ask, system="Be short.").content[0].text == TEXT
    whole = client.messages.create(**ask)
    assert [(block.name, block.input) for block in whole.content] == EXPECTED
    assert whole.stop_reason == "tool_use"
    events = list(client.messages.create(**ask, stream=True))
    assert "".join(event.delta.text for event in events if event.type == "content_block_delta") == TEXT
    with client.messages.stream(**ask) as stream:
        list(stream)
        final = stream.get_final_message()
    assert [(block.name, block.input) for block in final.content] == EXPECTED
    assert final.usage.output_tokens > 1
    results = [{"type": "tool_result", "tool_use_id": block.id, "content": "found"} for block in final.content]
    answer = {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in final.content]}
    with pytest.raises(anthropic.BadRequestError, match="none with the id"):
        client.messages.create(**ask | {"messages": [USER, {"role": "user", "content": results}]})
    talk = [USER, answer, {"role": "user", "content": results}]
    assert client.messages.create(**ask | {"messages": talk}).content[0].text == TEXT


def test_embeddings_and_models(clients):
    openai_client, anthropic_client = clients(lambda _: TEXT, names=("small",))
    # The client checks before it decodes: base64, which it asks for itself, is to it no list of numbers.
    with openai.OpenAI(base_url=openai_client.base_url, api_key="sk-canary") as lenient:
        packed = lenient.embeddings.create(model="m", input=["my cat", "my dog"])
    plain = openai_client.embeddings.create(model="m", input="my cat", encoding_format="float")
    assert packed.data[0].embedding == pytest.approx(list(hashed_words("my cat", 256)))
    assert plain.data[0].embedding == pytest.approx(packed.data[0].embedding)
    assert (
        [one.id for one in openai_client.models.list()]
        == [one.id for one in anthropic_client.models.list()]
        == ["small"]
    )


@pytest.mark.parametrize(
    ("status", "name"), [(429, "RateLimitError"), (401, "AuthenticationError"), (500, "InternalServerError")]
)
def test_failures_are_the_errors_of_the_clients(status, name, clients):
    openai_client, anthropic_client = clients(lambda _: ModelFailure(status, "not now", headers={"retry-after": "7"}))
    with pytest.raises(getattr(openai, name), match="not now") as told:
        openai_client.chat.completions.create(model="m", messages=[USER])
    assert told.value.response.headers["retry-after"] == "7"
    with pytest.raises(getattr(openai, name), match="not now"):
        openai_client.responses.create(model="m", input="Go.", stream=True)
    with pytest.raises(getattr(anthropic, name), match="not now"):
        anthropic_client.messages.create(model="m", max_tokens=9, messages=[USER])


def read(stream):
    """What came before a stream broke, and the name of the error."""
    got = []
    try:
        for event in stream:
            got.append(event)
    except Exception as error:  # noqa: BLE001  # the HTTP library of the clients has errors of its own
        return got, type(error).__name__
    return got, ""


def test_a_broken_stream_is_an_error_after_what_came(clients):
    openai_client, anthropic_client = clients(lambda _: ModelReply("one two three", breaks_after=3, pace_s=0.01))
    streams = [
        openai_client.chat.completions.create(model="m", messages=[USER], stream=True),
        openai_client.responses.create(model="m", input="Go.", stream=True),
        anthropic_client.messages.create(model="m", max_tokens=9, messages=[USER], stream=True),
    ]
    for stream in streams:
        got, error = read(stream)
        assert error in {"APIConnectionError", "RemoteProtocolError"}
        assert 2 <= len(got) <= 3


def test_an_error_within_a_stream_is_an_error(clients):
    failure = ModelFailure(529, "busy")
    openai_client, anthropic_client = clients(lambda _: ModelReply("one two", breaks_after=2, failure=failure))
    chat = read(openai_client.chat.completions.create(model="m", messages=[USER], stream=True))
    message = read(anthropic_client.messages.create(model="m", max_tokens=9, messages=[USER], stream=True))
    assert (len(chat[0]), chat[1]) == (2, "APIError")
    assert message[1] == "APIStatusError"
    *_, last = openai_client.responses.create(model="m", input="Go.", stream=True)
    assert (last.type, last.message) == ("error", "busy")
