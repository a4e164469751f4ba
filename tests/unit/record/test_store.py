"""What goes into the store comes out of it, in one process and in the next."""

from dataclasses import replace

import pytest

from foldproof.logs import MemoryItem, ModelCall, Seen, ToolCall, Usage
from foldproof.record import StoreListing, Trial, TrialError, TrialKey, TurnRecord
from foldproof.record.store import StoreError


def test_reopening_keeps_everything(open_store, full_run, full_trial, errored, listing):
    store = open_store()
    run = store.create_run(full_run)
    store.add(run, [full_trial, errored], [listing])
    check = store.create_check("check", run, run)
    store.set_state(run, "interrupted")
    store.close()

    again = open_store()
    assert again.runs() == [replace(full_run, id=1, state="interrupted")]
    assert again.trials(run) == [errored, full_trial]
    assert again.answered(run) == {TrialKey("q1", 2)}
    assert again.listing(listing.sha256) == listing
    assert again.open_check("check") == check


def test_unseen_and_seen_empty_stay_apart(store, new_run):
    run = store.create_run(new_run())
    trials = [
        Trial("a", 0, tool_calls=None, memory_reads=None, memory_writes=None),
        Trial("b", 0, tool_calls=(), memory_reads=(), memory_writes=()),
        Trial("c", 0, tool_calls=(ToolCall("t"),), usage=Usage()),
    ]
    store.add(run, trials)
    assert store.trials(run) == trials


def test_turns_come_back_as_they_went_in(store, new_run):
    run = store.create_run(new_run())
    items = (MemoryItem("tea", kind="preference"),)
    turns = (
        TurnRecord(1, 1, "Say.", "day 1", "Noted.", (), None, items, store_written="a", before=(), ended=items),
        TurnRecord(2, 1, "Ask.", answer="Tea.", tool_calls=(ToolCall("t", {"a": 1}),), prompt="p", fresh=True),
        TurnRecord(2, 2, "And?", seen=(Seen("wire", (ModelCall("p"),)),), fresh=False, after=()),
    )
    store.add(run, [Trial("a", 0, "Tea.", turns=turns)])
    (found,) = store.trials(run)
    assert found.turns == turns
    assert [turn.name for turn in found.turns] == ["s1.t1", "s2.t1", "s2.t2"]


def test_trials_come_by_case_and_repetition(store, new_run):
    run = store.create_run(new_run())
    other = store.create_run(new_run())
    store.add(run, [Trial("b", 0), Trial("a", 10), Trial("a", 2)])
    store.add(other, [Trial("z", 0)])
    assert [trial.key for trial in store.trials(run)] == [("a", 2), ("a", 10), ("b", 0)]
    assert [trial.key for trial in store.trials(other)] == [("z", 0)]


def test_an_answered_trial_is_never_replaced(store, new_run, errored):
    run = store.create_run(new_run())
    first = Trial("q1", 0, "first")
    store.add(run, [first])
    store.add(run, [Trial("q1", 0, "second")])
    store.add(run, [errored])
    assert store.trials(run) == [first]


def test_an_errored_trial_is_replaced_by_a_later_attempt(store, new_run, errored):
    run = store.create_run(new_run())
    store.add(run, [errored])
    assert store.answered(run) == set()
    later = replace(errored, error=TrialError("timeout", "too slow"))
    store.add(run, [later])
    assert store.trials(run) == [later]
    store.add(run, [Trial("q1", 0, "an answer")])
    assert store.trials(run) == [Trial("q1", 0, "an answer")]
    assert store.answered(run) == {TrialKey("q1", 0)}


def test_trials_and_their_listings_go_in_together_or_not_at_all(store, new_run, listing):
    run = store.create_run(new_run())
    with pytest.raises(StoreError):
        store.add(run, [Trial("q1", 0), Trial("q2", None)], [listing])
    assert store.trials(run) == []
    with pytest.raises(StoreError, match=f"no memory listing '{listing.sha256[:12]}'"):
        store.listing(listing.sha256)
    store.add(run, [Trial("q1", 0)], [listing])
    assert store.listing(listing.sha256) == listing


def test_a_listing_is_kept_once_and_nothing_is_no_work(store, new_run, listing):
    run = store.create_run(new_run())
    store.add(run, [])
    store.add(run, [], [listing])
    store.add(run, [], [StoreListing(listing.items)])
    assert store.trials(run) == []
    assert store.listing(listing.sha256).sha256 == listing.sha256


def test_runs_come_newest_first_by_configuration_or_identity(store, new_run):
    first = store.create_run(new_run())
    second = store.create_run(new_run("candidate", config_sha256="c1"))
    third = store.create_run(new_run())
    assert [run.id for run in store.runs()] == [3, 2, 1]
    assert store.runs(config="production") == [third, first]
    assert store.runs(identity=second.identity) == [second]
    assert store.runs(config="production", identity=second.identity) == []


@pytest.mark.parametrize(
    ("name", "found"),
    [("latest", 3), ("2", 2), ("0002", 2), ("4", 4), ("production", 3), ("candidate", 2)],
)
def test_a_person_names_a_run(store, new_run, name, found):
    for run in (new_run(), new_run("candidate"), new_run(), new_run(control="unplugged")):
        store.create_run(run)
    assert store.run(name).id == found


@pytest.mark.parametrize(("name", "told"), [("productoin", "did you mean `production`?"), ("9" * 5000, "allowed: ")])
def test_an_unknown_run_is_refused_with_the_nearest(store, new_run, name, told):
    store.create_run(new_run())
    with pytest.raises(StoreError) as error:
        store.run(name)
    assert f"no run '{name}'" in str(error.value)
    assert told in str(error.value)


def test_no_run_at_all_has_no_latest(store):
    with pytest.raises(StoreError, match="no run 'latest'"):
        store.run("latest")


def test_a_check_is_open_until_it_is_settled(store, new_run):
    before, after = store.create_run(new_run()), store.create_run(new_run("candidate"))
    assert store.open_check("one") is None
    check = store.create_check("one", before, after)
    assert (check.before_run, check.after_run, check.settled) == (1, 2, False)
    assert store.open_check("one") == check
    assert store.open_check("other") is None
    store.settle_check(check)
    assert store.open_check("one") is None
    assert store.open_check("one") is None
    again = store.create_check("one", before, after)
    assert again.id != check.id
    assert store.open_check("one") == again


def test_half_a_surrogate_pair_becomes_a_replacement_character(store, new_run):
    run = store.create_run(new_run())
    store.add(run, [Trial("q1", 0, "a\ud800b 🙂", tool_calls=(ToolCall("t", {"k": "\ud83d"}),))])
    assert store.trials(run) == [Trial("q1", 0, "a\ufffdb 🙂", tool_calls=(ToolCall("t", {"k": "\ufffd"}),))]


SECRET = 'p"ss\\word\n12345'
SHAPED = "sk-proj-" + "a1B2" * 6


def _bytes(path):
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


@pytest.mark.parametrize("secret", [SECRET, SHAPED, "ghp_" + "x1" * 18])
@pytest.mark.parametrize("text", ["it is {}", "{}", "on its own line:\n{}\n", "tab\t{}"])
def test_no_secret_reaches_the_file(open_store, path, new_run, secret, text):
    store = open_store({"OPENAI_API_KEY": SECRET})
    text = text.format(secret)
    run = store.create_run(new_run(config_content={"model": {"key": text}}, notes=(text,)))
    trial = Trial(
        "q1",
        0,
        text,
        tool_calls=(ToolCall("t", {"deep": [text]}),),
        memory_reads=(MemoryItem(text),),
        prompt=text,
        notes=(text,),
        log=text,
    )
    failed = Trial("q2", 0, error=TrialError("agent", text, traceback=text))
    store.add(run, [trial, failed], [StoreListing((MemoryItem(text),))])
    written = _bytes(path)
    for part in (secret, secret.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n"), "word\\n12345"):
        assert part.encode() not in written
    assert b"[redacted]" in written
    assert store.trials(run)[0].answer == text.replace(secret, "[redacted]")
    store.close()
    assert secret.encode() not in _bytes(path)


def test_a_bearer_token_does_not_reach_the_file(open_store, path, new_run):
    store = open_store()
    run = store.create_run(new_run())
    store.add(run, [Trial("q1", 0, log="Authorization: Bearer abcdef0123456789abcdef")])
    assert b"abcdef0123456789" not in _bytes(path)
    assert store.trials(run)[0].log == "Authorization: Bearer [redacted]"


def test_what_is_no_secret_reaches_the_file_as_it_is(open_store, path, new_run):
    store = open_store({"OPENAI_API_KEY": SECRET, "PATH": "an ordinary value"})
    store.add(store.create_run(new_run()), [Trial("q1", 0, "an ordinary value")])
    assert b"an ordinary value" in _bytes(path)


def test_a_case_or_configuration_called_like_a_secret_is_still_found(open_store, new_run):
    store = open_store({"A_TOKEN": "billing-db", "B_TOKEN": "production"})
    run = store.create_run(new_run())
    store.add(run, [Trial("billing-db", 0, "Postgres 15")])
    assert [trial.key for trial in store.trials(run)] == [("billing-db", 0)]
    assert store.run("production").config == "production"
