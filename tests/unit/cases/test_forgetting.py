"""The `forget:` block and the users of sessions: read, refused, doubted, written, and known by the hash."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from foldproof.cases import Bystander, Forgetting, dump_set, lint_set, load_set
from foldproof.cases.contents import case_value
from foldproof.cases.forgetting import MEANS
from foldproof.core import FileError
from foldproof.matching import Fact

SESSIONS = [
    {"turns": [{"user": "Refund me in store credit. Write by email only."}]},
    {"user": "bob", "turns": [{"user": "Wrap it as a gift card."}]},
    {"turns": [{"user": "Forget the first wish."}], "maintain": True},
    {"turns": [{"user": "Refund it.", "expect": [{"reply_mentions": "refunded"}]}]},
]
FORGET = {
    "means": "not in store",
    "facts": ["store credit"],
    "retain": ["by email only"],
    "bystander": {"user": "bob", "facts": ["gift card"]},
}


@pytest.fixture
def written(tmp_path):
    def write(forget=FORGET, sessions=SESSIONS, histories=None, **case):
        rows = {"id": "a", "class": "preference", "sessions": sessions, "forget": forget, **case}
        whole = {"foldproof": 1, "name": "s", "gate": {"preference": "all"}, "cases": [rows]}
        if histories:
            for name, turns in histories.items():
                (tmp_path / f"{name}.jsonl").write_text(turns, "utf-8")
            whole["histories"] = {name: f"{name}.jsonl" for name in histories}
        path = tmp_path / "replay.yaml"
        path.write_text(yaml.safe_dump(whole, sort_keys=False, allow_unicode=True), "utf-8")
        return path

    return write


def refused(path):
    with pytest.raises(FileError) as error:
        load_set(path)
    return str(error.value)


def test_a_block_is_read_and_its_session_found(written):
    [case] = load_set(written()).cases
    assert case.users == ("", "bob")
    assert case.forget == Forgetting(
        facts=(Fact("normalized", "store credit"),),
        means="not in store",
        after=3,
        retain=(Fact("normalized", "by email only"),),
        bystander=Bystander("bob", (Fact("normalized", "gift card"),)),
    )
    assert case.lists_all
    assert case.asks_calls
    assert all(part.forget is None for part in case.parts)
    assert [means for means in MEANS if case.forget.reaches(means)] == ["not used", "not in store"]


@pytest.mark.parametrize(
    ("users", "bystander", "after"),
    [
        (["", "", ""], None, 2),
        (["bob", "", "", "bob"], "bob", 2),
        (["", "bob", "", "bob"], None, 2),
        (["", "ann", "ann"], "", 2),
        (["bob", "", "bob"], "bob", 0),
    ],
)
def test_it_is_taken_back_in_the_last_session_but_one_of_who_speaks_last(written, users, bystander, after):
    sessions = [{**({"user": user} if user else {}), "turns": [{"user": "Hello to you."}]} for user in users]
    forget = {"means": "not used", "facts": ["x y"], "retain": ["a b"]}
    if bystander is not None:
        forget["bystander"] = {**({"user": bystander} if bystander else {}), "facts": ["c d"]}
    if after:
        assert load_set(written(forget, sessions)).cases[0].forget.after == after
    else:
        assert "nobody in it has two sessions" in refused(written(forget, sessions))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"means": "not in stor"}, "`forget.means` cannot be 'not in stor'\n  did you mean `not in store`?"),
        ({"means": None}, "`forget.means`"),
        ({"after": 9}, "has `forget.after` 9, and 4 sessions"),
        ({"after": 4}, "has `forget.after` 4, and no later session of that user"),
        ({"after": 0}, "must be a whole number of at least 1"),
        ({"facts": []}, "`forget.facts` must be more than empty"),
        ({"facts": [{"judged": "x"}]}, "has the judged fact 'judged: x' under `forget`"),
        ({"facts": [{"any": ["x", {"judged": "y"}]}]}, "has the judged fact"),
        ({"facts": [{"pattern": "("}]}, "missing )"),
        ({"facts": ["!!"]}, "'!!'"),
        ({"derived": ["no money"]}, "has `forget.derived`, and means 'not in store'"),
        ({"retain": ["store credit"]}, "must forget 'store credit' and keep it too"),
        ({"bystander": {"user": "bo", "facts": ["x"]}}, "has the bystander 'bo'"),
        ({"bystander": {"facts": ["x"]}, "after": 3}, "has a bystander who is the user that takes something back"),
        ({"bystander": {"user": "bob", "facts": []}}, "`forget.bystander.facts` must be more than empty"),
        ({"bystander": {"user": "b b", "facts": ["x"]}}, "`forget.bystander.user` cannot be 'b b'"),
        ({"fact": ["x"]}, "unknown field `fact`"),
    ],
)  # fmt: skip
def test_what_cannot_be_carried_out_is_refused(written, change, told):
    message = refused(written({**FORGET, **change}))
    assert told in message
    assert message.startswith(str(written()) + ":") or "replay.yaml:" in message


def test_a_bystander_needs_a_second_user(written):
    alone = [{key: value for key, value in session.items() if key != "user"} for session in SESSIONS]
    message = refused(written({**FORGET, "bystander": {"facts": ["x"]}}, alone))
    assert "has a bystander without `user`, and all sessions are of one user" in message
    assert "two sessions" not in message


def test_a_bystander_who_speaks_only_afterwards_has_nothing_to_lose(written):
    later = [SESSIONS[0], SESSIONS[2], SESSIONS[3], SESSIONS[1]]
    assert "has the bystander 'bob', who has no session up to then" in refused(written(sessions=later))


def test_a_block_needs_sessions_and_something_that_must_survive(written):
    text = refused(written(sessions=SESSIONS, question="What?"))
    assert "has `question` beside `sessions`" in text
    path = written()
    rows = yaml.safe_load(path.read_text("utf-8"))
    rows["cases"] = [{"id": "q", "question": "What?", "expected_facts": ["x y"], "forget": FORGET}]
    path.write_text(yaml.safe_dump(rows), "utf-8")
    assert "has `forget` without `sessions`" in refused(path)
    silent = [*SESSIONS[:3], {"turns": [{"user": "Refund it."}]}]
    only = {"means": "not used", "facts": ["store credit"]}
    assert "only forbidden ones: silence would pass it" in refused(written(only, silent))
    assert load_set(written({**only, "retain": ["by email only"]}, silent)).cases


SAYS = '{"session": "s2", "turns": [{"role": "agent", "text": "It is refunded."}]}\n'
HISTORY = '{"session": "s1", "turns": [{"role": "user", "text": "I like tea."}]}\n'


def test_a_history_is_that_of_the_user_without_a_label(written):
    labelled = [{"user": "ann", **session} if "user" not in session else session for session in SESSIONS]
    text = refused(written(sessions=labelled, history="h", histories={"h": HISTORY}))
    assert "has the history 'h', and no session of the user without a label, whose it is" in text
    assert load_set(written(history="h", histories={"h": HISTORY})).cases


def test_it_is_written_as_it_was_read(written, tmp_path):
    full = {**FORGET, "after": 3, "means": "not derivable", "derived": [{"any": ["no money", "no cash"]}]}
    loaded = load_set(written(full))
    value = case_value(loaded.cases[0])
    assert value["forget"] == full
    assert value["sessions"][1]["user"] == "bob"
    dump_set(loaded, tmp_path / "again.yaml")
    again = load_set(tmp_path / "again.yaml")
    assert again.cases == loaded.cases
    assert again.sha256 == loaded.sha256
    unnamed = {**full, "bystander": {"facts": ["by email only"]}, "after": 2, "retain": ["as a gift"]}
    sessions = [*SESSIONS[:2], {**SESSIONS[2], "user": "bob"}, SESSIONS[3]]
    assert case_value(load_set(written(unnamed, sessions)).cases[0])["forget"] == unnamed


def test_the_hash_of_a_set_knows_users_and_what_is_forgotten(written):
    known = {load_set(written()).sha256}
    known.add(load_set(written({**FORGET, "means": "not used"})).sha256)
    known.add(load_set(written({**FORGET, "after": 3, "retain": ["email only"]})).sha256)
    other = [SESSIONS[0], {**SESSIONS[1], "user": "bobby"}, *SESSIONS[2:]]
    known.add(load_set(written({**FORGET, "bystander": {"user": "bobby", "facts": ["gift card"]}}, other)).sha256)
    assert len(known) == 4


def test_a_session_without_a_user_is_written_as_before(written):
    [case] = load_set(written()).cases
    bare = replace(case, forget=None)
    assert "forget" not in case_value(bare)
    assert "user" not in case_value(bare)["sessions"][0]


def rules(path):
    return {problem.rule: problem.message for problem in lint_set(load_set(path))}


def test_a_whole_block_is_not_doubted(written):
    assert set(rules(written())) == {"set-size"}


@pytest.mark.parametrize(
    ("change", "rule", "told"),
    [
        ({"bystander": None}, "forget-without-bystander", "an agent that deletes everybody's memory passes"),
        ({"retain": None}, "forget-without-retain", "an agent that deletes all that the user said passes"),
        ({"facts": ["by fax"]}, "unstated", "has 'by fax' under `forget.facts`, which that user does not say before"),
        ({"retain": ["gift card"]}, "unstated", "has 'gift card' under `forget.retain`"),
        ({"bystander": {"user": "bob", "facts": ["by email only"]}}, "unstated", "under `forget.bystander.facts`"),
        ({"facts": ["refund"]}, "forgotten-said-again", "must forget 'refund', which the user says again afterwards"),
        ({"facts": ["refunded"]}, "forbidden-in-expected", "must forget 'refunded', and expects 'refunded' afterwards"),
        ({"facts": ["email"]}, "forbidden-in-expected", "must forget 'email', and expects 'by email only' afterwards"),
    ],
)
def test_a_block_that_lets_a_bad_agent_pass_is_doubted(written, change, rule, told):
    forget = {key: value for key, value in {**FORGET, **change}.items() if value is not None}
    assert told in rules(written(forget))[rule]


def test_maintenance_is_asked_for_where_the_store_is_looked_at(written):
    dry = [{key: value for key, value in session.items() if key != "maintain"} for session in SESSIONS]
    assert "forget-not-maintained" in rules(written(sessions=dry))
    assert "forget-not-maintained" not in rules(written({**FORGET, "means": "not used"}, dry))
    early = [{**dry[0], "maintain": True}, *dry[1:]]
    assert "forget-not-maintained" in rules(written(sessions=early))


def test_a_conclusion_need_not_be_said_and_a_history_says_for_itself(written):
    forget = {**FORGET, "means": "not derivable", "derived": ["wants no money"]}
    assert "unstated" not in rules(written(forget))
    for fact, stated in (("I like tea", True), ("I like cocoa", False)):
        told = rules(written({**FORGET, "facts": [fact]}, history="h", histories={"h": HISTORY + SAYS}))
        assert ("unstated" not in told) is stated
    told = rules(written({**FORGET, "bystander": {"user": "bob", "facts": ["I like tea"]}}, history="h",
                         histories={"h": HISTORY + SAYS}))  # fmt: skip
    assert "under `forget.bystander.facts`" in told["unstated"], "a history is of the user without a label"


def test_a_pattern_among_what_is_expected_is_not_held_against_the_block(written):
    says = {"reply_mentions": {"pattern": "store c.*"}}
    sessions = [*SESSIONS[:3], {"turns": [{"user": "And now?", "expect": [says]}]}]
    assert "forbidden-in-expected" not in rules(written(sessions=sessions))


def test_a_case_that_only_asks_that_things_survive_is_enough(written):
    silent = [*SESSIONS[:3], {"turns": [{"user": "And now?", "expect": [{"reply_omits": "store credit"}]}]}]
    assert "silence-passes" not in rules(written(sessions=silent))
