"""Reported failures of the prompt and of its use, rows A35, A37 to A39 and A47."""

import pytest

from foldproof.core import UsageError
from foldproof.testing import ScriptedModel, look_up_first

from .reported.play import play, said

DOG = {"question": "quel est le prénom de ma chienne ?", "expected_facts": ["Unna"]}
UNNA = said("Ma chienne est un teckel, son prénom est Unna.", "J'habite à Lyon.")


def test_a35_retrieved_put_into_a_form_and_never_inserted(tmp_path):
    faulty, sound = play(tmp_path, ["using:NeverInserted", "using:Inserted"], DOG, UNNA)
    assert sound.score.passed
    loss = faulty.loss("Unna")
    assert (loss.owner, loss.reason) == ("prompt", "no retrieved item stands whole in the prompt")
    stages = ("stated", "written", "kept", "retrieved", "prompted")
    assert [faulty.stage("Unna", stage) for stage in stages] == ["held", "held", "held", "held", "gone"]
    assert faulty.given[0] == "Ma chienne est un teckel, son prénom est Unna."
    assert "Unna" not in faulty.trial.prompt


def test_a35_our_own_chat_refuses_a_template_without_a_place_for_the_memory(tmp_path):
    """Before a single question is asked; with the place, the same project answers."""

    def rule(request):
        return "Elle s'appelle Unna." if "Unna" in request.prompt else "Je ne sais pas."

    with ScriptedModel(rule) as server:
        model = {"base_url": server.url, "name": "scripted", "temperature": 0}
        config = {"agent": {"chat": {"prompt": "prompt.txt"}}, "model": model, "memory": {"kind": "verbatim"}}
        prompt = tmp_path / "prompt.txt"
        prompt.write_text("You are a helpful assistant.\n{question}", encoding="utf-8")
        with pytest.raises(UsageError, match=r"has no place for `\{memory\}`"):
            play(tmp_path, [config], DOG, UNNA)
        assert server.requests == []
        prompt.write_text("You are a helpful assistant.\nKnown: {memory}\n{question}", encoding="utf-8")
        [sound] = play(tmp_path, [config], DOG, UNNA)
    assert sound.score.passed


CODE = {"question": "What was the code word?", "expected_facts": ["BLAU11"]}
WORD = said("The code word is BLAU11.\nagent: Noted.")


def test_a37_the_caller_passes_no_history(tmp_path):
    """Both turns of one session, with the first in the history; our own `chat` within a session: unit tests."""
    faulty, sound = play(tmp_path, ["using:TalkWithoutHistory", "using:Talk"], CODE, WORD)
    assert sound.score.passed
    loss = faulty.loss("BLAU11")
    assert (loss.owner, loss.reason) == ("prompt", "no retrieved item stands whole in the prompt")
    assert faulty.given == ["The code word is BLAU11."]


@pytest.mark.parametrize("history", ["messages", None])
def test_a37_our_own_caller_passes_the_history_or_says_that_it_does_not(tmp_path, history):
    def rule(request):
        earlier = [message.text for message in request.messages[:-1]]
        return "BLAU11" if any("BLAU11" in text for text in earlier) else "I don't know."

    with ScriptedModel(rule) as server:
        http = {"http": server.url, **({"history": history} if history else {})}
        config = {"agent": http, "model": {"name": "scripted", "temperature": 0}, "wire": {"openai": server.url}}
        [played] = play(tmp_path, [config], CODE, WORD)
    if history:
        assert played.score.passed
        return
    assert played.score.outcome == "fail"
    assert played.loss("BLAU11").owner == "unknown"
    assert any("asked without" in note for note in played.trial.notes)


RULE = "Never commit unasked."


def test_a38_the_rule_is_in_the_prompt_and_is_broken(tmp_path):
    """Held after the fold and in the prompt. That `git commit` was not called is asserted with tool calls later."""
    case = {
        "question": "Please fix this.",
        "expected_facts": ["never commit unasked"],
        "forbidden_facts": ["committed and pushed"],
    }
    history = said(RULE, "The parser loses the last line.", "Try the other file.")
    faulty, sound = play(tmp_path, ["using:BreaksTheRule", "using:KeepsTheRule"], case, history)
    assert sound.score.passed
    loss = faulty.loss("never commit unasked")
    assert (loss.owner, loss.reason) == ("use", "what is forbidden was said in its place")
    stages = ("stated", "written", "kept", "retrieved", "prompted", "used")
    assert [faulty.stage("never commit unasked", stage) for stage in stages] == ["held"] * 5 + ["gone"]
    broken = faulty.loss("committed and pushed")
    assert (broken.owner, broken.reason) == ("use", "it does not stand in the prompt")


TRAILER = said("Always add the trailer Signed-off-by: bot.")
COMMIT = {"expected_facts": ["no trailer"], "forbidden_facts": ["Signed-off-by"]}


@pytest.mark.parametrize("agent", ["using:HeedsTheFirstWord", "using:HeedsTheLastWord"])
def test_a39_a_correction_in_the_same_turn_is_not_applied(tmp_path, agent):
    """The correction comes with the request; below it comes after a call."""
    case = {**COMMIT, "question": "No trailer, please. Write the commit message."}
    [played] = play(tmp_path, [agent], case, TRAILER)
    if agent.endswith("LastWord"):
        assert played.score.passed
        return
    assert (played.loss("no trailer").owner, played.loss("no trailer").reason) == (
        "use",
        "the question itself says it",
    )
    assert (played.loss("Signed-off-by").owner, played.loss("Signed-off-by").reason) == (
        "use",
        "what was expected stands in the question itself",
    )


@pytest.mark.parametrize("agent", ["using:HeedsTheFirstWord", "using:HeedsTheLastWord"])
def test_a39_nor_in_the_next(tmp_path, agent):
    history = [*TRAILER, *said("x", "No trailer any more, please.\nagent: Noted.")[1:]]
    [played] = play(tmp_path, [agent], {**COMMIT, "question": "Write the commit message."}, history)
    if agent.endswith("LastWord"):
        assert played.score.passed
        return
    assert (played.loss("no trailer").owner, played.stage("no trailer", "prompted")) == ("use", "held")
    assert (played.loss("Signed-off-by").owner, played.loss("Signed-off-by").reason) == (
        "use",
        "what was expected stands in the prompt beside it",
    )


COMMITS = {"tool_called": {"name": "git_commit", "args": {"message": "Fix."}}}
SIGNED = {"name": "git_commit", "args": {"message": {"contains": "Signed-off-by"}}}
VETOED = {
    "sessions": [
        {
            "turns": [
                {
                    "user": "Commit the fix.",
                    "correction": {"after": {"tool_called": SIGNED}, "say": "No trailer, please. Do it again."},
                    "expect": [COMMITS],
                },
                {"user": "Now commit the rest.", "expect": [COMMITS, {"no_tool_called": SIGNED}]},
            ]
        }
    ]
}
AGAIN = "s1.t1 correction after tool_called: git_commit(message=<contains Signed-off-by>)"


def test_a39_a_veto_by_a_live_counterpart_holds_in_the_same_turn_and_in_the_next(tmp_path):
    agents = ["corrected:StopsNextTime", "corrected:NeverStops", "corrected:StopsAtOnce"]
    late, never, sound = play(tmp_path, agents, VETOED)
    assert (sound.score.passed, sound.score.corrected) == (True, True)
    for faulty in (late, never):
        assert [call.name for call in faulty.trial.turns[1].tool_calls] == ["take_note", "git_commit"]
        [again] = [fact for fact in faulty.score.facts if fact.fact == AGAIN]
        assert (again.outcome, again.reason.partition(":")[0]) == ("missed", "the corrected call was made again")
        assert (again.loss.owner, again.loss.reason) == ("use", "it had just been corrected")
    outcomes = [{fact.outcome for fact in one.score.facts if fact.fact.startswith("s1.t2")} for one in (late, never)]
    assert outcomes == [{"held"}, {"missed"}]


@pytest.fixture(scope="module")
def strict():
    """A model that, like the real ones, refuses a tool result without its call."""
    with ScriptedModel(lambda _: "The port is 6001.") as server:
        yield server


ORPHANS = [{"cut": 1}, {"cut": 3}, {"cut": 4}, {"half": True}]


@pytest.mark.parametrize("cut", [*ORPHANS, {"cut": 0}, {"cut": 2}, {"cut": 5}], ids=str)
def test_a47_a_tool_result_without_its_call(tmp_path, strict, cut):
    """It is an error of the trial, named, with the refused request on record; never a wrong answer."""
    case = {"question": "Which port?", "expected_facts": ["6001"], "memory_config": cut}
    names = ("CutsAnywhere", "CutsBetweenPairs")
    configs = [{"agent": f"python:using:{name}", "wire": {"openai": strict.url}} for name in names]
    faulty, sound = play(tmp_path, configs, case)
    assert sound.score.passed
    if cut not in ORPHANS:
        assert faulty.score.passed
        return
    assert (faulty.score.outcome, faulty.verdict, faulty.trial.error.kind) == ("error", "inconclusive", "agent")
    assert "a message of the role `tool` must follow the message with the tool call" in faulty.score.error
    [call] = faulty.trial.seen[0].calls
    assert call.status == 400
    assert "tool" in call.error
    assert all(fact.loss is None for fact in faulty.score.facts)


def test_a47_our_own_chat_sends_each_result_after_its_call(tmp_path):
    rule = look_up_first(lambda request: request.tool_results[-1].text, tool="search_memory")
    with ScriptedModel(rule) as server:
        model = {"base_url": server.url, "name": "scripted", "temperature": 0}
        config = {"agent": {"chat": {"tools": ["search_memory"]}}, "model": model, "memory": {"kind": "verbatim"}}
        [played] = play(tmp_path, [config], CODE, WORD)
        assert (server.refused, len(server.requests)) == ([], 2)
    assert played.score.passed
    assert [call.name for call in played.trial.tool_calls] == ["search_memory"]


def test_a47_a_history_with_tool_results_is_sent_without_orphans(tmp_path, strict):
    """Histories hold no calls, so a result is never sent as one."""
    history = said("Which port?\ntool: 6001\nagent: The port is 6001.")
    agent = {"http": strict.url, "history": "messages"}
    config = {"agent": agent, "model": {"name": "scripted", "temperature": 0}}
    refused = len(strict.refused)
    [played] = play(tmp_path, [config], {"question": "Which port was it?", "expected_facts": ["6001"]}, history)
    assert played.score.passed
    assert len(strict.refused) == refused
