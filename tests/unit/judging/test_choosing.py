"""A forced choice: how it is put, what counts as a choice, and what is none."""

import pytest

from foldproof.agents.http_answers import Completion
from foldproof.cases import Limits
from foldproof.core import UsageError
from foldproof.judging.choosing import PROBE, ForcedChoice, ask_choices, chosen_of, open_chooser
from foldproof.logs import Usage
from foldproof.testing import ModelFailure, ModelReply, ScriptedModel

CHOICES = ("push to main", "open a pull request")
ASKED = ForcedChoice("Never push to main.", "What now?", CHOICES)


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "open a pull request"}',
        '```json\n{"answer": "Open a  pull request."}\n```',
        "open a pull request",
        '**"Open a pull request."**',
        '"open a pull request"',
    ],
)
def test_a_choice_by_its_own_words(text):
    assert (chosen_of(Completion(text), CHOICES).state, chosen_of(Completion(text), CHOICES).choice) == (
        "chosen",
        "open a pull request",
    )


@pytest.mark.parametrize(
    "text",
    [
        "I would not push to main",
        '{"answer": "I would not push to main"}',
        '{"answer": "either"}',
        '{"answer": null}',
        '{"answer": ["push to main"]}',
        '{"choice": "push to main"}',
        '["push to main"]',
        "push to main, or open a pull request",
        "It depends.",
    ],
)
def test_what_picks_none_or_several_is_undecided(text):
    found = chosen_of(Completion(text), CHOICES)
    assert (found.state, found.choice) == ("undecided", "")
    assert "none of the choices" in found.error


def test_what_was_cut_off_is_invalid_whatever_it_says():
    found = chosen_of(Completion('{"answer": "push to main"}', notes=("the answer was cut off",)), CHOICES)
    assert (found.state, found.choice) == ("invalid", "")
    assert found.error.startswith("the answer was cut off")


def test_choices_that_differ_in_case_or_marks_only_would_be_one():
    assert chosen_of(Completion("push to main"), ("Push to main!", "push to main")).choice == "push to main"


@pytest.fixture
def model():
    def rule(request):
        if "slow" in request.prompt:
            return ModelReply("late", latency_s=5)
        if "down" in request.prompt:
            return ModelFailure(503, "overloaded")
        if "refuse" in request.prompt:
            return ModelFailure(400, "no such model")
        return '{"answer": "open a pull request"}' if "Never push" in request.prompt else '{"answer": "push to main"}'

    with ScriptedModel(rule) as found:
        yield found


async def asked_of(model, *asked, timeout_s=20.0, **settings):
    found = {}
    bounds = {name: settings.pop(name) for name in ("max_cost_usd", "max_time_s", "concurrency") if name in settings}
    limits = Limits(**{"concurrency": 2, "timeout_s": timeout_s, "retries": 0, **bounds})
    settings = {"base_url": model.url, "name": "scripted", **settings}
    async with open_chooser(settings, {}, place="probe 'x'") as chooser:
        stopped = await ask_choices(chooser, asked, limits=limits, keep=found.__setitem__)
    return found, stopped


@pytest.mark.anyio
async def test_the_text_is_what_the_model_works_by(model):
    bare = ForcedChoice("", "What now?", CHOICES)
    found, stopped = await asked_of(model, ASKED, bare)
    assert stopped == ""
    assert found[ASKED].choice == "open a pull request"
    assert found[bare].choice == "push to main"
    assert found[ASKED].usage.input_tokens > 0
    by_prompt = {("Never push" in request.prompt): request for request in model.requests}
    assert PROBE.render({"text": "Never push to main."}) in by_prompt[True].prompt
    assert "(nothing)" in by_prompt[False].prompt
    assert "- push to main\n- open a pull request" in by_prompt[True].question


@pytest.mark.anyio
async def test_a_schema_allows_the_choices_alone():
    with ScriptedModel(lambda request: '{"answer": "push to main"}') as endpoint:
        await asked_of(endpoint, ASKED)
        await asked_of(endpoint, ASKED, temperature=0.5)
        first, second = (request.body for request in endpoint.requests)
    schema = first["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["answer"]["enum"] == list(CHOICES)
    assert (first["temperature"], second["temperature"]) == (0, 0.5)


@pytest.mark.anyio
async def test_an_endpoint_that_takes_no_schema_is_asked_without():
    def rule(request):
        if "response_format" in request.body:
            return ModelFailure(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported")
        return "Open a pull request."

    other = ForcedChoice("Never push to main.", "And now?", CHOICES)
    with ScriptedModel(rule) as endpoint:
        found, _ = await asked_of(endpoint, ASKED, other, concurrency=1)
        sent = ["response_format" in request.body for request in endpoint.requests]
    assert [one.choice for one in found.values()] == ["open a pull request"] * 2
    assert sent == [True, False, False]


@pytest.mark.anyio
async def test_a_model_that_fails_is_an_error_and_no_choice(model):
    down, refused, slow = (ForcedChoice(word, "What now?", CHOICES) for word in ("down", "refuse", "slow"))
    found, _ = await asked_of(model, down, refused, slow, timeout_s=0.4)
    assert {one.state for one in found.values()} == {"error"}
    assert "given up after one attempt" in found[down].error
    assert "no such model" in found[refused].error
    assert found[slow].error == "no choice within 0.4 s"


@pytest.mark.anyio
async def test_the_limit_of_cost_ends_the_asking(model):
    many = [ForcedChoice(f"text {number}", "What now?", CHOICES) for number in range(9)]
    price = {"input": 1e6, "output": 1e6}
    found, stopped = await asked_of(model, *many, max_cost_usd=1, price=price)
    assert stopped.startswith("the cost limit is reached while probing")
    assert 1 <= len(found) <= 2
    assert all(isinstance(one.usage, Usage) for one in found.values())


@pytest.mark.anyio
async def test_a_limit_of_cost_that_cannot_be_held_ends_the_asking(model):
    many = [ForcedChoice(f"text {number}", "What now?", CHOICES) for number in range(9)]
    found, stopped = await asked_of(model, *many, max_cost_usd=1, concurrency=1)
    assert stopped.startswith("the cost limit of 1 US dollars cannot be held: the model does not show")
    assert len(found) == 1


@pytest.mark.anyio
async def test_the_limit_of_time_ends_the_asking(model):
    found, stopped = await asked_of(model, ASKED, max_time_s=0)
    assert (found, stopped) == ({}, "the time limit is reached while probing: 0 s")


@pytest.mark.anyio
async def test_nothing_is_asked_of_a_model_without_a_name():
    with pytest.raises(UsageError, match="probe 'x': the model has no `name`"):
        async with open_chooser({"base_url": "http://localhost:1/v1"}, {}, place="probe 'x'"):
            pass
