"""Whatever JSON object comes, a protocol reads it or refuses it, and knows no other error."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldproof.testing.answers import Exchange, ModelReply, RefusedError
from foldproof.testing.anthropic_messages import AnthropicMessages
from foldproof.testing.chat import ChatCompletions
from foldproof.testing.dialect import encode
from foldproof.testing.embeddings import embedded, hashed_words, read_embeddings
from foldproof.testing.responses import Responses
from foldproof.testing.rules import answer_from_context, extract_facts, summarize

ROLES = ["system", "developer", "user", "assistant", "tool"]
KINDS = ["message", "function_call", "function_call_output", "reasoning", "item_reference", "text", "tool_use",
         "tool_result"]  # fmt: skip
KEYS = ["role", "content", "type", "text", "id", "call_id", "tool_call_id", "tool_use_id", "tool_calls", "function",
        "name", "arguments", "input", "output", "properties", "parameters"]  # fmt: skip
SETTINGS = ["system", "instructions", "tools", "n", "previous_response_id", "stream_options", "text", "encoding_format",
            "dimensions", "max_tokens", "max_output_tokens", "metadata"]  # fmt: skip
LEAVES = st.sampled_from([None, True, 0, 1, "", "a", "{}", '{"a": 1}', *ROLES, *KINDS]) | st.text(max_size=5)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)
TEXTS = st.sampled_from(["a", "Is it so?", "user: b. c\nassistant: d", '{"e": ["f"]}'])
IDS = st.sampled_from(["x", "y"])
CALLS = st.lists(
    st.builds(lambda one: {"id": one, "type": "function", "function": {"name": "f", "arguments": "{}"}}, IDS)
)
BLOCKS = st.lists(
    st.builds(lambda text: {"type": "text", "text": text}, TEXTS)
    | st.builds(lambda one: {"type": "tool_use", "id": one, "name": "f", "input": {}}, IDS)
    | st.builds(lambda one: {"type": "tool_result", "tool_use_id": one, "content": "g"}, IDS),
    min_size=1,
    max_size=3,
)
# One in nine messages, and one setting a body, is anything at all; more would leave few bodies that are read.
MESSAGES = st.lists(
    st.one_of(
        *[st.builds(lambda text: {"role": "user", "content": text}, TEXTS)] * 3,
        st.builds(lambda blocks: {"role": "user", "content": blocks}, BLOCKS),
        st.builds(lambda blocks: {"role": "assistant", "content": blocks}, BLOCKS),
        st.builds(lambda calls: {"role": "assistant", "content": "h", "tool_calls": calls}, CALLS),
        st.builds(lambda one: {"role": "tool", "tool_call_id": one, "content": "i"}, IDS)
        | st.builds(lambda one: {"type": "function_call", "call_id": one, "name": "f", "arguments": "{}"}, IDS)
        | st.builds(lambda one: {"type": "function_call_output", "call_id": one, "output": "g"}, IDS),
        st.fixed_dictionaries({"role": st.sampled_from(ROLES), "content": JSON}, optional={"tool_calls": JSON}),
        st.dictionaries(st.sampled_from(KEYS), JSON, max_size=5),
    ),
    min_size=1,
    max_size=3,
)
BODIES = st.builds(
    lambda said, one, noise: {"model": "m", "messages": said, "input": said, "max_tokens": 9, one: noise},
    MESSAGES,
    st.sampled_from(SETTINGS),
    st.none() | JSON,
)
EMBEDDED = st.builds(lambda given, body: {**body, "input": given}, TEXTS | st.lists(TEXTS | JSON) | JSON, BODIES)


def read(dialect, body):
    """The request, or None where it is refused as a provider would."""
    try:
        request = dialect(body)
    except RefusedError as error:
        if error.failure.status in {400, 404}:
            return None
        raise
    return request


@pytest.mark.parametrize("kind", [ChatCompletions, Responses, AnthropicMessages])
@given(body=BODIES)
@settings(max_examples=100)
def test_a_body_is_read_or_refused(kind, body):
    dialect = kind()
    request = read(dialect.read, body)
    if request is None:
        return
    for rule in (answer_from_context, extract_facts, summarize):
        rule(request)
    exchange = Exchange(request, ModelReply("Yes."), "label")
    assert encode(dialect.whole(exchange))
    assert all(event.encode().endswith(b"\n\n") for event in dialect.events(exchange))


@given(body=EMBEDDED)
@settings(max_examples=100)
def test_a_body_is_embedded_or_refused(body):
    request = read(read_embeddings, body)
    if request is not None:
        assert len(embedded(request, hashed_words)["data"]) == len(request.texts) > 0
