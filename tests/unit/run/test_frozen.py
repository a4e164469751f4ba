"""A frozen prefix is handed over whole, or the question is not asked; lived through, its messages are said anew."""

import pytest

from foldproof.agents import AgentError, UnsupportedError
from foldproof.cases import Case
from foldproof.logs import AnsweredCall, PastTurn, ToolCall
from foldproof.run.frozen import hand_over
from foldproof.run.plan import PlannedTrial, control_gap, lived

PREFIX = (PastTurn("user", "a"), PastTurn("agent", "", (AnsweredCall(ToolCall("look"), "x"),)), PastTurn("user", "b"))
CASE = Case("a", "q", frozen=PREFIX, at="day 3", expect=())

pytestmark = pytest.mark.anyio


class Talk:
    def __init__(self, error=None):
        self.turns, self.error = None, error

    async def resume(self, turns):
        if self.error:
            raise self.error
        self.turns = turns


async def test_every_call_has_an_id():
    talk = Talk()
    await hand_over(talk, PREFIX)
    assert [turn.text for turn in talk.turns] == ["a", "", "b"]
    assert [made.id for turn in talk.turns for made in turn.calls] == ["call_1"]


async def test_what_an_agent_does_with_the_turns_stays_with_it():
    call = ToolCall("look", {"at": [1]})
    prefix = (PastTurn("user", "a"), PastTurn("agent", "", (AnsweredCall(call, {"found": 1}, "c1"),)))
    talk = Talk()
    await hand_over(talk, prefix)
    (made,) = talk.turns[1].calls
    made.call.args["at"].append(2)
    made.result.clear()
    assert (call.args, prefix[1].calls[0].result) == ({"at": [1]}, {"found": 1})


async def test_without_a_prefix_nothing_is_handed_over():
    talk = Talk(AgentError("never asked"))
    await hand_over(talk, ())
    await hand_over(object(), ())
    assert talk.turns is None


async def test_who_cannot_take_it_is_told_what_to_do():
    for conversation, why in (
        (object(), "its conversation has no method `resume`"),
        (Talk(UnsupportedError("it is a function")), "it is a function"),
    ):
        with pytest.raises(AgentError, match=f"cannot be handed to the agent: {why}(.|\n)*as `sessions`"):
            await hand_over(conversation, PREFIX)


def planned(**more):
    return PlannedTrial(CASE, 0, {}, None, "key", **more)


def test_with_nothing_known_not_even_the_prefix_is():
    assert planned().prefix == PREFIX
    assert planned(unplugged=True).prefix == ()


def test_lived_through_the_messages_are_said_anew():
    (session,) = lived(CASE).sessions
    assert ([turn.user for turn in session.turns], session.at, lived(CASE).frozen) == (["a", "b", "q"], "day 3", ())
    assert control_gap(CASE, "live", histories={}) == ""
    assert "no frozen turns" in control_gap(Case("b", "q"), "live", histories={})
