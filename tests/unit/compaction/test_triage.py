"""Knowledge triage: the lanes, the policies, the models that reword, and a budget that is unsafe."""

import anyio
import pytest

from foldproof.compaction import (
    CLASS_OF,
    POLICIES,
    Compress,
    Gist,
    Merge,
    Pinned,
    Rewrite,
    Shortage,
    Triage,
    Verbatim,
    count_tokens,
)
from foldproof.core import UsageError

BELIEFS = [f"The server {n:02} is in the hall, next to the door of rack {'abc'[n % 3]}" for n in range(20)]
OTHERS = ["1. Open the valve", "I prefer tea", "We met Anna in Rome, in the rain", "I prefer tea."]
TEXT = "\n".join(["Never push to main.", *BELIEFS, *OTHERS])


def test_what_binds_is_kept_and_the_rest_is_shortened(compacted):
    found = compacted(Triage(), TEXT, 100)
    lines = found.text.splitlines()
    assert lines[0] == "Never push to main."
    assert "1. Open the valve" in lines
    assert "We met Anna in Rome …" in lines or "We met Anna in Rome, in the rain" in lines
    assert any(line.endswith("hall …") for line in lines)
    assert found.unsafe == ""
    assert count_tokens(found.text) <= 100
    assert found.notes[0] == f"triage: {len(lines)} of 25 lines kept in 100 tokens"


def test_a_lane_that_fits_stays_as_it_is(compacted):
    lines = compacted(Triage(), TEXT, 200).text.splitlines()
    assert [line for line in lines if "prefer" in line] == ["I prefer tea", "I prefer tea."]
    assert "We met Anna in Rome, in the rain" in lines


def lane(kind, *texts):
    """A text whose lines are all of one type, for a classifier that says so."""
    return "\n".join(texts), lambda lines: [kind] * len(lines)


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        (Verbatim(), ["beta is so, as we saw", "gamma is so, as we saw"]),
        (Rewrite(), ["beta is so, as we saw", "gamma is so, as we saw"]),
        (Compress(), ["alpha is so …", "beta is so, as we saw", "gamma is so, as we saw"]),
        (Gist(), ["alpha is so …", "beta is so …", "gamma is so …"]),
        (Merge(), ["beta is so, as we saw", "gamma is so, as we saw"]),
    ],
)
def test_each_policy_shortens_in_its_own_way(compacted, policy, kept):
    text, classify = lane("belief", "alpha is so, as we saw", "beta is so, as we saw", "gamma is so, as we saw")
    found = compacted(Triage(classify=classify, policies={**POLICIES, "belief": policy}), text, 16)
    assert found.text.splitlines() == kept


def test_lines_that_say_the_same_become_the_newest_of_them(compacted):
    text, classify = lane("preference", "I like tea", "I like JAZZ!", "I like tea.", "I like *jazz*")
    assert compacted(Triage(classify=classify), text, 8).text.splitlines() == ["I like tea.", "I like *jazz*"]


def test_a_policy_that_would_change_a_constraint_is_not_let(compacted):
    text, classify = lane("constraint", "Do not push, says Anna", "Do not pull, says Anna")
    triage = Triage(classify=classify, policies={**POLICIES, "constraint": Gist()})
    found = compacted(triage, text, 8)
    assert found.text == "Do not pull, says Anna"
    assert found.unsafe.startswith("the constraints alone need 12 tokens, the budget is 8: give 12 tokens or more")


def model(answers, asked):
    async def reword(line):
        await anyio.lowlevel.checkpoint()
        asked.append(line)
        return answers(line)

    return reword


STEPS = [f"{n}. Restart the server number {n} by hand and wait until it says that it is ready" for n in range(1, 9)]


@pytest.mark.anyio
async def test_a_model_rewrites_what_does_not_fit_and_is_believed_only_where_it_keeps_the_steps():
    asked = []
    reword = model(lambda line: line.replace(" and wait until it says that it is ready", "\n, wait for ready"), asked)
    triage = Triage(policies={**POLICIES, "procedure": Rewrite(reword)})
    found = await triage.compact("\n".join(STEPS), 118)
    assert found.unsafe == ""
    assert asked == STEPS
    assert found.text.splitlines() == [
        *(f"{n}. Restart the server number {n} by hand , wait for ready" for n in range(1, 8)),
        *STEPS[7:],
    ]
    lying = Triage(policies={**POLICIES, "procedure": Rewrite(model(lambda line: "Restart all servers", []))})
    found = await lying.compact("\n".join(STEPS), 110)
    assert found.text.splitlines() == STEPS[-5:]
    assert found.unsafe.startswith("constraints and procedures need 158 tokens, the budget is 110")
    assert found.notes[1:] == (
        "triage: 3 lines of procedures did not fit",
        "triage: 8 of 8 reworded lines were not accepted: its numbers were '1', '1', and are none",
    )


@pytest.mark.anyio
async def test_a_model_is_asked_for_no_lane_that_fits():
    asked = []
    reword = model(lambda line: "", asked)
    triage = Triage(policies={kind: type(policy)(reword) for kind, policy in POLICIES.items() if kind != "constraint"}
                    | {"constraint": Verbatim()})  # fmt: skip
    text = "Never lie.\nI like tea\n" + "\n".join(BELIEFS)
    found = await triage.compact(text, 100)
    assert asked == BELIEFS
    assert found.notes[-1] == "triage: 20 of 20 reworded lines were not accepted: nothing is left of it"
    assert "Never lie.\nI like tea\n" in found.text


@pytest.mark.anyio
async def test_a_model_speaks_for_a_line_of_talk_without_its_head():
    text = "\n".join(f"[s{n}] user: The cat number {n} is in the garden behind the house" for n in range(9))
    asked = []
    reword = model(lambda line: line.replace(" behind the house", ""), asked)
    found = await Triage(policies={**POLICIES, "belief": Compress(reword)}).compact(text, 110)
    assert asked[0] == "The cat number 0 is in the garden behind the house"
    assert "[s2] user: The cat number 2 is in the garden\n" in found.text


@pytest.mark.anyio
async def test_a_classifier_may_wait_for_a_model():
    async def classify(lines):
        await anyio.lowlevel.checkpoint()
        return ["constraint" if "UTC" in line else "episode" for line in lines]

    text = "Payments run on UTC in every country and at night.\n" + "\n".join(BELIEFS * 2)
    found = await Triage(classify=classify).compact(text, 32)
    assert found.text.startswith("Payments run on UTC in every country and at night.\n")
    assert "UTC" not in (await Triage().compact(text, 32)).text


@pytest.mark.parametrize(
    ("types", "words"),
    [
        (["constraint"], "the classifier gave 1 types for 25 lines"),
        (["constrain"] * 25, "the classifier gave the type 'constrain'\n  did you mean `constraint`"),
        ([None] * 25, "the classifier gave the type None"),
    ],
)
def test_a_classifier_that_gives_no_types_is_told(types, words):
    for compactor in (Triage(classify=lambda lines: types), Pinned(classify=lambda lines: types)):
        with pytest.raises(UsageError) as caught:
            compactor.compact(TEXT, 50).send(None)
        assert words in str(caught.value)


def test_a_shortage_says_what_to_do():
    short = Shortage(100, 30, alone=False)
    assert short.told == "constraints and procedures need 100 tokens, the budget is 30"
    assert short.remedy == "give 100 tokens or more, or split the text into 4 parts or more"
    assert Shortage(100, 0, alone=True).remedy.endswith("100 parts or more")


@pytest.mark.parametrize("short_by", [0, 1])
def test_the_least_safe_budget_is_what_constraints_and_procedures_need(compacted, short_by):
    bound = ["Never push to main.", "1. Open the valve", "Always ask first."]
    needs = count_tokens("\n".join(bound))
    found = compacted(Triage(), "\n".join([*bound, *BELIEFS]), needs - short_by)
    assert bool(found.unsafe) is bool(short_by)
    assert (found.text == "\n".join(bound)) is not bool(short_by)
    if short_by:
        assert f"need {needs} tokens" in found.unsafe


def test_every_type_has_a_class_and_a_policy():
    assert list(CLASS_OF) == list(POLICIES)
    assert CLASS_OF["constraint"] == "safety"
    with pytest.raises(TypeError):
        CLASS_OF["constraint"] = "semantic"
