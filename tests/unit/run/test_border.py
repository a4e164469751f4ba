"""What an agent hands over is recorded only as what the store can read again."""

import math
from datetime import date
from types import MappingProxyType

import pytest

from foldproof.agents import AgentError, Reply
from foldproof.logs import MemoryItem, ToolCall, Usage
from foldproof.record import StoreListing
from foldproof.run.border import recordable_listing, recordable_reply

GOOD = Reply(
    "text \ud800",
    tool_calls=(ToolCall("t", {"a": [1, 2.5, None, {"b": True}]}),),
    memory_reads=(),
    memory_writes=(MemoryItem("x", "id", "kind", 1, 0.5),),
    prompt="p",
    usage=Usage(1, 2, 0.5),
    notes=("n",),
)


def test_a_good_reply_passes_unchanged():
    assert recordable_reply(GOOD) == GOOD
    assert recordable_reply("text") == Reply("text")
    assert recordable_reply(Reply("")) == Reply("")


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (None, "`text` is None"),
        (42, "`text` is 42"),
        (Reply(["text"]), "`text` is "),
        (Reply("x", tool_calls=(ToolCall("t", {"at": date(2026, 3, 4)}),)), "date is not JSON serializable"),
        (Reply("x", tool_calls=(ToolCall("t", MappingProxyType({})),)), "mappingproxy"),
        (Reply("x", tool_calls=(ToolCall(None),)), "`tool_calls.0.name` is None"),
        (Reply("x", memory_reads=(MemoryItem("x", score=math.nan),)), "not JSON compliant"),
        (Reply("x", memory_reads=("x",)), "`memory_reads.0` is 'x'"),
        (Reply("x", usage=Usage(cost_usd=math.inf)), "not JSON compliant"),
        (Reply("x", usage=Usage(input_tokens="many")), "`usage.input_tokens` is 'many'"),
        (Reply("x", prompt=[{"role": "user"}]), "`prompt` is "),
    ],
)
def test_what_cannot_be_kept_is_the_agents_error(reply, told):
    with pytest.raises(AgentError, match="the reply cannot be recorded: ") as error:
        recordable_reply(reply)
    assert told in str(error.value)


def test_a_good_listing_passes_unchanged():
    items = [MemoryItem("a", "1", "k", 0, 0.5), MemoryItem("b")]
    assert recordable_listing(items) == StoreListing(tuple(items))
    assert recordable_listing([]) == StoreListing(())


@pytest.mark.parametrize("items", [["x"], [MemoryItem(None)], [MemoryItem("x", score=math.nan)], None, 7])
def test_a_listing_that_cannot_be_kept_is_the_agents_error(items):
    with pytest.raises((AgentError, TypeError)):
        recordable_listing(items)
