"""The rounds: what is asked, in which order, and what is recorded of what came."""

import anyio
import pytest

from foldproof.cases import Limits
from foldproof.cliff.records import RoundKey
from foldproof.cliff.rounds import RoundPlan, run_rounds
from foldproof.compaction import Compacted
from foldproof.core import Redactor, UsageError
from foldproof.logs import Usage
from foldproof.record import Stopped

from .corpora import Subject, of_lines

pytestmark = pytest.mark.anyio
ONE = of_lines("one", *(f"line {number} of the first text" for number in range(20)))
TWO = of_lines("two", *(f"line {number} of the second text" for number in range(20)))
FREE = Limits()
TALK = tuple(f"user: said {number}" for number in range(20))


def half(text, budget):
    return text[: budget * 4]


def plan(**more):
    named = {"documents": (ONE,), "schedules": ("progressive",), "ratios": (0.5,), "rounds": 3, "talk": TALK}
    return RoundPlan(**{**named, **more})


async def carried_out(plan, *subjects, limits=FREE, done=None, clean=str):
    async with run_rounds(plan, subjects, limits=limits, done=done or {}, clean=clean) as stream:
        return [record async for record in stream]


async def test_each_round_is_given_what_the_last_one_kept():
    subject = Subject(half)
    rounds = await carried_out(plan(), subject)
    assert [(one.number, one.state) for one in rounds] == [(1, "ok"), (2, "ok"), (3, "ok")]
    assert [text for text, _ in subject.asked] == [ONE.text, rounds[0].text, rounds[1].text]
    assert [budget for _, budget in subject.asked] == [one.budget for one in rounds]
    assert rounds[1].given_tokens == rounds[0].kept_tokens


async def test_the_first_round_is_asked_once_for_all_schedules_and_paid_once():
    subject = Subject(lambda text, budget: Compacted(half(text, budget), usage=Usage(cost_usd=0.5)))
    rounds = await carried_out(plan(schedules=("progressive", "window", "budget"), rounds=1), subject)
    assert len(subject.asked) == 1
    assert [(one.schedule, one.usage) for one in rounds] == [
        ("progressive", Usage(cost_usd=0.5)), ("window", None), ("budget", None),
    ]  # fmt: skip
    assert len({one.text for one in rounds}) == 1


@pytest.mark.parametrize(
    ("does", "state"),
    [
        (half, "ok"),
        (lambda text, budget: "", "empty"),
        (lambda text, budget: " \n", "empty"),
        (lambda text, budget: text, "copy"),
        (lambda text, budget: f"Summary:\n{text}\n", "copy"),
        (lambda text, budget: "x" * (budget * 4 + 1), "over budget"),
        (lambda text, budget: Compacted(text, error="it broke"), "error"),
    ],
)
async def test_what_came_of_a_round_has_a_name_of_its_own(does, state):
    [found] = await carried_out(plan(rounds=1), Subject(does))
    assert found.state == state
    assert found.failed == (state == "error")
    assert bool(found.text.strip()) == (state in {"ok", "copy", "over budget"})


async def test_after_a_failure_there_is_nothing_to_go_on_with_but_for_a_history():
    subject = Subject(lambda text, budget: Compacted("", error="it broke"))
    rounds = await carried_out(plan(schedules=("progressive", "budget"), rounds=2), subject)
    assert [(one.schedule, one.state) for one in rounds] == [
        ("progressive", "error"), ("progressive", "skipped"), ("budget", "error"), ("budget", "error"),
    ]  # fmt: skip
    assert rounds[1].error == "round 1 failed, so there is no text"
    assert len(subject.asked) == 3  # what failed is asked again under the other schedule


async def test_nothing_is_asked_of_an_empty_text():
    subject = Subject(lambda text, budget: "")
    rounds = await carried_out(plan(), subject)
    assert ([one.state for one in rounds], len(subject.asked)) == (["empty"] * 3, 1)


async def test_what_is_done_is_gone_on_from_and_not_asked_again():
    whole = await carried_out(plan(), Subject(half))
    subject = Subject(half)
    rest = await carried_out(plan(), subject, done={one.key: one for one in whole[:2]})
    assert rest == whole[2:]
    assert [text for text, _ in subject.asked] == [whole[1].text]
    assert await carried_out(plan(), subject, done={one.key: one for one in whole}) == []


async def test_no_secret_and_no_half_character_is_recorded():
    key = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 2
    subject = Subject(lambda text, budget: Compacted(f"{key} \ud800", unsafe=key, notes=(key,)))
    [found] = await carried_out(plan(rounds=1), subject, clean=Redactor({}))
    assert (found.text, found.unsafe, found.notes) == ("[redacted] ?", "[redacted]", ("[redacted]",))
    failing = Subject(lambda text, budget: Compacted("", error=f"bad key {key}"))
    [failed] = await carried_out(plan(rounds=1), failing, clean=Redactor({}))
    assert "sk-proj" not in failed.error


async def test_the_cost_limit_ends_everything():
    subject = Subject(lambda text, budget: Compacted(half(text, budget), usage=Usage(cost_usd=1.0)))
    found = await carried_out(plan(), subject, limits=Limits(max_cost_usd=2.0))
    assert isinstance(found[-1], Stopped)
    assert (found[-1].reason, len(found)) == ("the cost limit is reached: 2.0000 of 2.0 US dollars", 3)
    spent = {one.key: one for one in found[:2]}
    [stopped] = await carried_out(plan(), subject, limits=Limits(1, max_cost_usd=2.0), done=spent)
    assert stopped == found[-1]


async def test_the_time_limit_of_the_project_ends_the_rounds_too():
    [stopped] = await carried_out(plan(), Subject(half), limits=Limits(max_time_s=0.0))
    assert stopped == Stopped("the time limit is reached: 0.0 s")


async def test_a_cost_that_cannot_be_seen_cannot_be_held():
    unknown = Subject(lambda text, budget: Compacted(half(text, budget), usage=Usage()))
    assert "cannot be held" in (await carried_out(plan(), unknown, limits=Limits(1, max_cost_usd=2.0)))[-1].reason
    assert len(await carried_out(plan(), unknown)) == 3
    failing = Subject(lambda text, budget: Compacted("", error="broke", usage=Usage()))
    assert len(await carried_out(plan(), failing, limits=Limits(1, max_cost_usd=2.0))) == 3


async def test_no_more_are_in_flight_than_allowed():
    flying = most = 0

    class Slow(Subject):
        async def compact(self, text, budget):
            nonlocal flying, most
            flying += 1
            most = max(most, flying)
            await anyio.sleep(0.001)
            flying -= 1
            return Compacted(text[: budget * 4])

    named = [Slow(half, f"s{number}") for number in range(4)]
    rounds = await carried_out(plan(documents=(ONE, TWO)), *named, limits=Limits(3))
    assert (most, len(rounds)) == (3, 24)
    assert plan(documents=(ONE, TWO), ratios=(0.5, 0.1)).per_subject == 12


async def test_records_come_while_a_compactor_never_waits():
    keys = []
    async with run_rounds(plan(documents=(ONE, TWO)), [Subject(half)], limits=Limits(1), done={}, clean=str) as stream:
        keys.append((await stream.receive()).key)
        assert len(keys) + stream.statistics().current_buffer_used < 6
    assert keys == [RoundKey("ours", "one", "progressive", 0.5, 1)]


async def test_what_cannot_be_planned_is_told():
    with pytest.raises(UsageError, match="--talk"):
        await carried_out(plan(talk=(), schedules=("window",)), Subject(half))
