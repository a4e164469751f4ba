"""Forgetting over sessions, with a bystander: rows A19, A20, A22 and A24 to A26, and what else may go wrong."""

from __future__ import annotations

import pytest

from .reported.play import play

CREDIT = "From now on, refund me in store credit only."
TAKEN_BACK = "Forget what I said about store credit."
SESSIONS = [
    {"at": "day 1", "turns": [{"user": CREDIT}, {"user": "Write to me by email only."}]},
    {"user": "bob", "at": "day 1", "turns": [{"user": "I always want a gift card."}]},
    {"at": "day 2", "turns": [{"user": TAKEN_BACK}]},
    {
        "at": "day 4",
        "turns": [{"user": "Refund the kettle.", "expect": [{"tool_called": "refund"}]}],
        "maintain": True,
    },
    {"at": "day 5", "turns": [{"user": "What do you know of me?", "expect": [{"reply_mentions": "email"}]}]},
]
FORGET = {
    "after": 3,
    "means": "not in store",
    "facts": ["store credit"],
    "retain": ["by email only"],
    "bystander": {"user": "bob", "facts": ["gift card"]},
}
CASE = {"class": "preference", "sessions": SESSIONS, "forget": FORGET}
REPLY, CALL = "forget: not in the reply: store credit", "forget: not in a tool call: store credit"
READ, STORE = "forget: not retrieved: store credit", "forget: not in the store: store credit"
PROMPT = "forget: not in the prompt: store credit"
KEPT, BOB = "forget: kept: by email only", "forget: kept for bob: gift card"
APART = "users apart"


def meaning(means, **more):
    return {**CASE, "forget": {**FORGET, "means": means, **more}}


def wrong(played):
    return {told.fact: told for told in played.score.facts if not told.ok}


def blamed(played):
    return {label: told.loss.owner if told.loss else "" for label, told in wrong(played).items()}


def test_a_clerk_that_forgets_rightly_passes_in_every_meaning(tmp_path):
    cases = [CASE, meaning("not used"), meaning("not derivable")]
    agents = ["Clerk", "DeletesLate", "SaysNoMore", "OpensWithStatus"]
    rows = play(tmp_path, [f"clerk:{name}" for name in agents], cases)
    late = [{"at": "day 2", "turns": [{"user": TAKEN_BACK}], "maintain": True}]
    [clerk, in_time] = play(
        tmp_path / "late",
        ["clerk:Clerk", "clerk:DeletesLate"],
        {**CASE, "sessions": SESSIONS[:2] + late + SESSIONS[3:]},
    )
    for row in (rows[0], rows[2], rows[3]):
        assert [wrong(played) for played in row] == [{}, {}, {}]
    assert (wrong(clerk), wrong(in_time)) == ({}, {}), "a deletion may wait for the maintenance of its session"
    assert STORE in wrong(rows[1][0]), "and not for that of a later one"
    assert [told.fact for told in rows[0][0].score.facts][-7:] == [APART, REPLY, CALL, READ, STORE, KEPT, BOB]
    assert [told.fact for told in rows[0][1].score.facts][-5:] == [APART, REPLY, CALL, KEPT, BOB]


EVERYWHERE = {REPLY: "write", CALL: "write", READ: "write", STORE: "write"}
LATER = {REPLY: "fold", READ: "fold", STORE: "fold"}


@pytest.mark.parametrize(
    ("agent", "owners", "why"),
    [
        ("SaysSoOnly", EVERYWHERE, {STORE: "it was never deleted"}),
        ("DeletesEveryone", {"s5.t1 reply_mentions: email": "", KEPT: "write", BOB: "write"},
         {BOB: "it was deleted with what was taken back"}),
        ("DeletesTheUser", {"s5.t1 reply_mentions: email": "", KEPT: "write"},
         {KEPT: "it was deleted with what was taken back"}),
        ("DeletesInTheListOnly", {REPLY: "retrieve", CALL: "retrieve", READ: "retrieve"},
         {READ: "the memory no longer lists it, and its retrieval still gives it"}),
        ("DeletesInTheIndexOnly", {STORE: "write"}, {STORE: "it was never deleted"}),
        ("ReadsAgain", LATER, {STORE: "it came back with the maintenance"}),
        ("WritesItAgain", {REPLY: "retrieve", READ: "retrieve", STORE: "write"}, {STORE: "it came back in session 5"}),
        ("NotesTheWish", EVERYWHERE, {}),
        ("KnowsItAnyway", {REPLY: "use"}, {REPLY: "it does not stand in the prompt"}),
        ("KeepsAProfile", {CALL: "prompt"}, {CALL: "it comes in here, from no stage before"}),
        ("DropsWhenFolded", {}, {}),
    ],
)  # fmt: skip
def test_who_did_not_forget_or_forgot_too_much(tmp_path, agent, owners, why):
    [played] = play(tmp_path, [f"clerk:{agent}"], CASE)
    assert blamed(played) == owners
    assert {label: wrong(played)[label].loss.reason for label in why} == why
    assert played.score.outcome == ("fail" if owners else "pass")


def test_a_place_is_named_for_each(tmp_path):
    [played] = play(tmp_path, ["clerk:SaysSoOnly"], CASE)
    told = {label: score.reason for label, score in wrong(played).items()}
    assert told[REPLY] == f"s4.t1: the reply holds it: '{CREDIT} Write to me by email only.'"
    assert told[CALL] == "s4.t1: the call of refund holds it: 'refund method: store_credit.'"
    assert told[READ] == f"s4.t1: what was retrieved (rank 1) holds it: '{CREDIT}'"
    assert told[STORE] == f"after session 3 the memory holds it: '{CREDIT}'"
    [noted] = play(tmp_path / "noted", ["clerk:NotesTheWish"], CASE)
    assert (
        wrong(noted)[STORE].reason == f"after session 3 the words by which it was taken back are kept: '{TAKEN_BACK}'"
    )
    [folded] = play(tmp_path / "folded", ["clerk:ReadsAgain"], CASE)
    assert wrong(folded)[STORE].reason == f"after the maintenance of session 4 the memory holds it: '{CREDIT}'"


def test_a_maintenance_that_drops_what_must_survive(tmp_path):
    sessions = [*SESSIONS[:3], {**SESSIONS[3], "turns": [{"user": "I moved to Graz."}]}, SESSIONS[4]]
    [played] = play(tmp_path, ["clerk:DropsWhenFolded"], {**CASE, "sessions": sessions})
    assert blamed(played)[KEPT] == "fold"
    assert wrong(played)[KEPT].loss.reason == "dropped"
    assert wrong(played)[KEPT].reason == "it stands in none of the 1 items after the maintenance of session 4"


@pytest.mark.parametrize("means", ["not used", "not in store", "not derivable"])
def test_a_meaning_asks_for_what_the_weaker_ones_ask(tmp_path, means):
    """A20 in the list, a profile in the prompt, and a conclusion: each shows from its own meaning on."""
    case = meaning(means, **({"derived": ["never wants money back"]} if means == "not derivable" else {}))
    agents = ["DeletesInTheIndexOnly", "KeepsAProfile", "Derives"]
    listed, profile, derived = play(tmp_path, [f"clerk:{name}" for name in agents], case)
    assert (STORE in wrong(listed)) is (means != "not used")
    assert (PROMPT in wrong(profile)) is (means == "not derivable")
    found = {"forget: not in the prompt: never wants money back": "prompt"} if means == "not derivable" else {}
    assert blamed(derived) == found


def test_what_cannot_be_seen_is_an_error_and_no_pass(tmp_path):
    cases = [meaning("not used"), CASE, meaning("not derivable")]
    agents = [f"clerk:{name}" for name in ("HidesItsCalls", "HidesItsList", "HidesEverything")]
    calls, listing, everything = play(tmp_path, agents, cases)
    assert [played.score.outcome for played in (*calls, *listing, *everything)] == [
        *("error", "error", "error"),
        *("error", "error", "error"),
        *("error", "error", "error"),
    ]
    outcome = {told.fact: told.outcome for told in listing[0].score.facts}
    assert (outcome[REPLY], outcome[CALL], outcome[KEPT]) == ("held", "held", "held"), "what is answered survived"
    assert outcome[BOB] == "error"
    unseen = {told.fact: told.reason for told in calls[0].score.facts if told.outcome == "error"}
    assert unseen[CALL] == "s4.t1: the agent does not show its tool calls"
    assert {told.outcome for told in everything[2].score.facts if told.fact in {CALL, READ, STORE, PROMPT}} == {"error"}


def test_what_is_found_where_it_can_be_seen_needs_no_other_turn(tmp_path):
    [played] = play(tmp_path, ["clerk:SaysSoOnly"], CASE)
    assert {told.outcome for told in wrong(played).values()} == {"missed"}


def test_an_agent_that_never_knew_is_told_apart(tmp_path):
    [played] = play(tmp_path, ["clerk:NeverWrites"], CASE)
    told = {score.fact: score for score in played.score.facts}
    assert told[REPLY].reason == "the memory did not hold it before it was taken back: nothing had to be forgotten"
    assert not told[KEPT].ok
    assert told[KEPT].loss.reason == "it was not in the memory before either"


def test_a19_a_deletion_that_deletes_everyone(tmp_path):
    [faulty, sound] = play(tmp_path, ["clerk:DeletesEveryone", "clerk:Clerk"], meaning("not used"))
    assert sound.score.passed
    assert blamed(faulty)[BOB] == "write"
    alone = {**CASE, "forget": {name: FORGET[name] for name in ("after", "means", "facts")}}
    alone["sessions"] = [*SESSIONS[:4], {"at": "day 5", "turns": [{"user": "What do you know of me?"}]}]
    [unseen] = play(tmp_path / "alone", ["clerk:DeletesEveryone"], alone)
    assert unseen.score.passed, "without a bystander nobody tells"


def test_a20_every_read_route_is_looked_at(tmp_path):
    agents = ["clerk:DeletesInTheListOnly", "clerk:DeletesInTheIndexOnly"]
    searched, listed = play(tmp_path, agents, CASE)
    assert READ in wrong(searched)
    assert STORE not in wrong(searched)
    assert STORE in wrong(listed)
    assert READ not in wrong(listed)


def test_a22_forgetting_one_id_leaves_its_twin(tmp_path):
    twice = {"at": "day 1", "turns": [{"user": CREDIT}]}
    case = {**CASE, "sessions": [SESSIONS[0], twice, *SESSIONS[1:]], "forget": {**FORGET, "after": 4}}
    faulty, sound = play(tmp_path, ["clerk:DeletesOneTwin", "clerk:Clerk"], case)
    assert wrong(sound) == {}
    assert blamed(faulty)[STORE] == "write"
    assert wrong(faulty)[STORE].loss.reason == "1 of 2 items that hold it were deleted"


HOME = {
    "sessions": [
        {"user": "uid1", "turns": [{"user": "Hello, i live in USA."}]},
        {"user": "uid2", "turns": [{"user": "Hello, i live in france."}]},
        {
            "user": "uid2",
            "turns": [
                {
                    "user": "In which country do i live?",
                    "expect": [{"reply_mentions": "france"}, {"reply_omits": "USA"}],
                }
            ],
        },
    ]
}


@pytest.mark.parametrize("agent", ["SearchesAll", "SearchesAllWithOwners"])
def test_a24_retrieval_ignores_the_user_id(tmp_path, agent):
    faulty, sound = play(tmp_path, [f"clerk:{agent}", "clerk:Clerk"], HOME)
    assert sound.score.passed
    assert faulty.score.outcome == "fail"
    assert blamed(faulty)[APART] == "retrieve"
    assert wrong(faulty)[APART].reason.startswith("s2.t1, 'uid2': ")
    assert "'uid1'" in wrong(faulty)[APART].reason
    assert faulty.verdict == "blocked"
    assert faulty.reasons[0] == "what one user said was shown to another: c0", "more than any other failure"


def test_a24_a_leak_blocks_whatever_else_could_not_be_judged(tmp_path):
    case = {**HOME, "sessions": [*HOME["sessions"][:2], {**HOME["sessions"][2], "user": "uid2"}]}
    case["sessions"][2] = {
        "user": "uid2",
        "turns": [{"user": "In which country do i live?", "expect": [{"state": {"orders": {}}}]}],
    }
    faulty, sound = play(tmp_path, ["clerk:SearchesAll", "clerk:Clerk"], case)
    assert sound.score.outcome == "error", "the end state cannot be seen"
    assert (faulty.score.outcome, faulty.verdict) == ("fail", "blocked")


def test_a24_a_listing_that_ignores_the_user_id(tmp_path):
    [faulty] = play(tmp_path, ["clerk:ListsAll"], HOME)
    assert blamed(faulty) == {APART: "write"}
    reason = "after session 1 the memory of 'uid2' holds what 'uid1' said in session 1: 'Hello, i live in USA.'"
    assert wrong(faulty)[APART].reason == reason


SECRETS = {
    "sessions": [
        {"user": "project-a", "turns": [{"user": "Let us talk about the code word BLAU11."}]},
        {
            "user": "project-b",
            "turns": [{"user": "What did we just talk about?", "expect": [{"reply_mentions": "don't know"}]}],
        },
    ]
}


def test_a25_one_conversation_for_two_projects(tmp_path):
    faulty, sound = play(tmp_path, ["clerk:SharesTheTalk", "clerk:Clerk"], SECRETS)
    assert sound.score.passed
    assert blamed(faulty) == {APART: "prompt"}
    assert "the prompt holds what 'project-a' said in session 1" in wrong(faulty)[APART].reason


def test_a25_a_context_by_design_is_no_leak(tmp_path):
    """Neither between users nor between the sessions of one."""
    one = {"sessions": [{"turns": row["turns"]} for row in SECRETS["sessions"]]}
    one["sessions"][1] = {"turns": [{"user": "What now?", "expect": [{"reply_mentions": "BLAU11"}]}]}
    [(two, alone)] = play(tmp_path, ["clerk:OpensWithStatus"], [SECRETS, one])
    assert two.score.passed
    assert alone.score.passed
    assert [turn.fresh for turn in alone.trial.turns] == [None, True]


def test_a25_a_switch_of_one_account_applies_to_the_next(tmp_path):
    says = {"user": "bob", "turns": [{"user": "I live in Graz.", "expect": [{"store_has": "Graz"}]}]}
    asks = {"user": "bob", "turns": [{"user": "Where do I live?", "expect": [{"reply_mentions": "Graz"}]}]}
    case = {"sessions": [{"user": "ann", "turns": [{"user": "Turn my memory off."}]}, says, asks]}
    faulty, sound = play(tmp_path, ["clerk:TogglesForAll", "clerk:Clerk"], case)
    assert sound.score.passed
    assert blamed(faulty) == {"s2.t1 store_has: Graz": "", "s3.t1 reply_mentions: Graz": "write"}


def test_a25_what_a_hidden_prompt_might_hold_is_said_not_to_be_seen(tmp_path):
    [played] = play(tmp_path, ["clerk:HidesEverything"], SECRETS)
    [apart] = [told for told in played.score.facts if told.fact == APART]
    assert apart.ok
    assert apart.reason == "not every prompt was seen, so only the rest was looked through"


def test_a26_deleting_one_agent_deletes_what_another_shares(tmp_path):
    case = {
        "sessions": [
            {"turns": [{"user": "My name is Ana."}, {"user": "Helper X keeps my ticket 77."}]},
            {"turns": [{"user": "Forget what I said about ticket 77."}], "maintain": True},
            {"turns": [{"user": "What is my name?", "expect": [{"reply_mentions": "Ana"}]}]},
        ],
        "forget": {"means": "not in store", "facts": ["ticket 77"], "retain": ["My name is Ana"]},
    }
    faulty, sound = play(tmp_path, ["clerk:DropsSharedBlocks", "clerk:SharedBlocks"], case)
    assert sound.score.passed
    kept = "forget: kept: My name is Ana"
    assert blamed(faulty) == {"s3.t1 reply_mentions: Ana": "", kept: "write"}
