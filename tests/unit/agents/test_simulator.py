"""A simulated user on a model: what it is told, how its answer is read, and how it fails."""

import json

import pytest

from foldproof.agents import TransientError
from foldproof.agents.counterparts import SimulatorError, Spoken, check_simulator, open_simulator, simulator_note
from foldproof.agents.counterparts.simulator import spoken_of
from foldproof.cases.counterparts import Simulated
from foldproof.core import UsageError
from foldproof.logs import Turn, Usage
from foldproof.testing import ModelFailure, ScriptedModel

USER = Simulated("Get {the} blender refunded.", "a hurried customer", ("order 4021", "paid by card"))
TALK = [Turn("user", "Hello."), Turn("agent", "Which order?")]
KEY = "sk-simulator-0123456789"


def answer(say="Order 4021.", done=False, goal_met=None):
    return json.dumps({"say": say, "done": done, "goal_met": goal_met})


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def spoken(anyio_backend):
    """What a simulated user says by a rule of a scripted model, and that model."""

    async def saying(rule, user=USER, **settings):
        with ScriptedModel(rule) as model:
            told = {"base_url": model.url, "name": "scripted", "temperature": 0, **settings}
            async with open_simulator(told, {"OPENAI_API_KEY": KEY}) as simulator:
                try:
                    return await simulator.say(user, TALK), model
                except (SimulatorError, TransientError) as error:
                    return error, model

    return saying


@pytest.mark.anyio
async def test_it_is_told_its_goal_what_it_knows_and_the_whole_talk(spoken):
    found, model = await spoken(lambda _: answer(), price={"input": 1e6, "output": 0}, seed=7)
    (request,) = model.requests
    system, asked = request.messages
    for told in (
        "What you want: Get {the} blender refunded.",
        "Who you are: a hurried customer",
        "- order 4021\n- paid",
    ):
        assert told in system.text
    assert '{"say": your next message, "done": false, "goal_met": null}' in system.text
    assert "you: Hello.\nassistant: Which order?\n" in asked.text
    assert found._replace(usage=None) == Spoken("Order 4021.")
    assert found.usage.cost_usd == found.usage.input_tokens
    schema = request.body["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["say", "done", "goal_met"]
    assert (request.body["seed"], request.body["temperature"]) == (7, 0)


@pytest.mark.anyio
async def test_nothing_known_and_no_persona_are_said_to_be_none(spoken):
    _, model = await spoken(lambda _: answer(), Simulated("g"))
    assert "Who you are: a customer\nWhat you know:\n(nothing more)\n" in model.requests[0].messages[0].text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (answer(), Spoken("Order 4021.")),
        (answer(" Order 4021.\n"), Spoken("Order 4021.")),
        (answer("", True, True), Spoken("", True, True)),
        (answer("Thanks, bye.", True, False), Spoken("Thanks, bye.", True, False)),
        (f"```json\n{answer()}\n```", Spoken("Order 4021.")),
        (answer('We are done. {"done": true} STOP'), Spoken('We are done. {"done": true} STOP')),
        (json.dumps({"say": "x", "done": False}), Spoken("x")),
    ],
)
def test_only_the_field_says_that_it_is_done(text, said):
    assert spoken_of(text) == said


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Order 4021.", "it is not JSON: 'Order 4021.'"),
        (f"Sure! {answer()}", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[1]", "it is no JSON object"),
        (json.dumps({"done": False, "goal_met": None}), "`say` is not a text"),
        (json.dumps({"say": "x", "done": "no"}), "`done` is not true or false"),
        (json.dumps({"say": "x", "done": 1}), "`done` is not true or false"),
        (json.dumps({"say": "x", "done": True, "goal_met": "yes"}), "`goal_met` is not true, false or null"),
        (answer(" "), "it says nothing, and is not done"),
    ],
)
def test_what_cannot_be_read_is_a_failure_and_no_turn(text, why):
    with pytest.raises(SimulatorError) as failure:
        spoken_of(text)
    assert why in str(failure.value)
    assert len(str(failure.value)) < 400


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("failure", "kind", "words"),
    [
        (
            ModelFailure(400, "no such model"),
            SimulatorError,
            "the model of the simulated user gave no answer: the endpoint",
        ),
        (ModelFailure(503, "overloaded"), TransientError, "the simulated user: the endpoint answered 503: overloaded"),
        (ModelFailure(429, "slow down", headers={"Retry-After": "3"}), TransientError, "the simulated user: "),
        (ModelFailure(401, f"wrong key {KEY}"), SimulatorError, "wrong key [redacted]"),
    ],
)
async def test_a_model_that_fails_is_the_simulator_s_failure(spoken, failure, kind, words):
    found, _ = await spoken(lambda _: failure)
    assert (type(found), words in str(found), KEY in str(found)) == (kind, True, False), found
    assert getattr(found, "retry_after_s", None) == (3.0 if failure.status == 429 else None)


@pytest.mark.anyio
async def test_usage_that_the_model_does_not_tell_is_unknown(spoken):
    found, _ = await spoken(lambda _: answer())
    assert isinstance(found.usage, Usage)
    assert found.usage.cost_usd is None


@pytest.mark.anyio
async def test_an_answer_that_cannot_be_read_has_its_cost(spoken):
    found, _ = await spoken(lambda _: "Order 4021.", price={"input": 1e6, "output": 0})
    assert (type(found), found.usage.cost_usd == found.usage.input_tokens > 0) == (SimulatorError, True)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "needs the model under `simulator:` in foldproof.yaml, and the project has none"),
        ({"base_url": "http://localhost:1/v1"}, "and it has no `name`"),
        ({"name": " "}, "and it has no `name`"),
    ],
)
def test_a_simulator_without_a_name_is_refused(settings, told):
    with pytest.raises(UsageError) as refusal:
        check_simulator(settings)
    assert told in str(refusal.value)
    assert "write `simulator: {base_url:" in str(refusal.value)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"name": "m"}, "simulator: model: there is no `base_url`"),
        ({"name": "m", "base_url": "localhost"}, "`base_url` is 'localhost'"),
        ({"name": "m", "base_url": "http://localhost:1", "temperature": "0"}, "`temperature` is '0'"),
        ({"name": "m", "base_url": "http://localhost:1", "api_key_env": "NO_SUCH"}, "`NO_SUCH` of `api_key_env`"),
    ],
)
async def test_what_else_is_wrong_is_told_before_anybody_is_asked(anyio_backend, settings, told):
    with pytest.raises(UsageError) as refusal:
        async with open_simulator(settings, {}):
            pass
    assert told in str(refusal.value)


def test_a_reader_is_told_who_played_the_user():
    assert simulator_note({"name": "m", "temperature": 0}) == ("the simulated user is m, told by simulate/1",)
    (warm,) = simulator_note({"name": "m", "temperature": 0.7})
    assert warm.endswith("; its model's temperature is 0.7: answers may differ from run to run")
