"""The cases of long sessions against a `chat` agent: a good one passes, and each fault fails with its own reason.

The model is a rule that works from its prompt alone: what is not in the prompt it does not know.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from foldproof import ToolCall
from foldproof.agents.chat import ChatAgent
from foldproof.agents.memories.notes import Notes
from foldproof.logs import History
from foldproof.testing import ModelRequest, ScriptedModel, write_project

STORE_CREDIT = """
- id: memory-store-credit-preference
  class: preference
  sessions:
  - at: day 1
    turns:
    - user: "From now on, refund me in store credit, never to my card."
      expect:
      - memory_write: {kind: preference, refund_method: store_credit}
  - at: day 4                                  # fresh context; only the memory store persists
    turns:
    - user: "The kettle from order #5310 arrived dented. Refund it."
      expect:
      - memory_read: store credit
      - tool_called: create_refund(order_id=5310, method=store_credit)
      - reply_mentions: store credit
"""
END_STATE = STORE_CREDIT + "      - state: {refunds: [{order_id: 5310, method: store_credit}]}\n"
REPLAY = """
- id: replay-1188
  class: episodic
  frozen:
  - user: "I want to return the blender from order #4021."
  - agent: I can help. Was the item damaged, or is this a change of mind?
  - user: "It arrived cracked. Also I'm traveling, contact me by email only."
  - agent: "Understood: damaged item, and we'll use email."
  user: So what do I do now?
  expect:
  - tool_called: check_eligibility(order_id=4021)
  - no_tool_called: schedule_callback
  - reply_mentions: email
  cut_from: {session: 58f2, turn: 5}
"""
CORRECTION = """
- id: correction-blender
  class: episodic
  user: Refund my order.
  correction: {after: "tool_called: create_refund(order_id=4021)", say: "No, the other one, the blender."}
  expect:                                       # graded on the attempt that follows the correction
  - tool_called: create_refund(order_id=4022)
  - reply_mentions: blender
"""
FORGET = """
- id: forget-store-credit
  class: preference
  tags: [forget]
  sessions:
  - user: ben
    at: day 1
    turns:
    - user: "From now on, write to me by post only."
  - at: day 1
    turns:
    - user: "From now on, refund me in store credit, never to my card."
      expect:
      - memory_write: {kind: preference, refund_method: store_credit}
    - user: "From now on, write to me by email only."
  - at: day 2
    turns:
    - user: "Forget the store credit. My card is fine again."
    maintain: true
  - at: day 4
    turns:
    - user: "The kettle from order #5310 arrived dented. Refund it."
      expect:
      - tool_called: create_refund(order_id=5310, method=card)
      - reply_mentions: email
  - user: ben
    at: day 5
    turns:
    - user: "The blender from order #4022 leaks. Refund it."
      expect:
      - reply_mentions: by post
  forget:
    after: 3
    means: not in store
    facts: [store credit]
    retain: [email only]
    bystander: {user: ben, facts: [post only]}
"""
WRITES, READS, REFUNDS, SAYS = (
    "s1.t1 memory_write: kind=preference, refund_method=store_credit",
    "s2.t1 memory_read: store credit",
    "s2.t1 tool_called: create_refund(order_id=5310, method=store_credit)",
    "s2.t1 reply_mentions: store credit",
)
STATE = 's2.t1 state: refunds=[{"order_id": 5310, "method": "store_credit"}]'


@dataclass(frozen=True)
class Support:
    """A model of a shop's support agent. Each field that is off is one fault."""

    writes: bool = True
    reads: bool = True
    uses: bool = True
    looks_first: bool = True
    emails: bool = True
    corrected: str = "acts"
    forgets: str = "it"

    def __call__(self, request: ModelRequest) -> Any:
        done = {result.call.name: result.text for result in request.tool_results}
        for step in (self.noting, self.searching, self.forgetting, self.advising, self.correcting, self.refunding):
            if (found := step(request, done)) is not None:
                return found
        return "I do not know."

    def noting(self, request: ModelRequest, done: dict[str, str]) -> Any:
        """Keep a wish that is meant for later."""
        if not request.question.startswith("From now on"):
            return None
        way = re.search(r"refund me in (\w+ \w+)", request.question)
        if self.writes and "remember" in request.tools and "remember" not in done:
            value = {"refund_method": way[1].replace(" ", "_")} if way else {}
            return ToolCall("remember", {"kind": "preference", "text": request.question, **value})
        return "Noted."

    def searching(self, request: ModelRequest, done: dict[str, str]) -> Any:
        """Look up what is known of the user."""
        if self.reads and "search_memory" in request.tools and "search_memory" not in done:
            return ToolCall("search_memory", {"query": "how to refund"})
        return None

    def forgetting(self, request: ModelRequest, done: dict[str, str]) -> Any:
        """Delete the notes that say what the user takes back."""
        taken_back = re.match(r"Forget the ([\w ]+)\.", request.question)
        if not taken_back:
            return None
        lines = done.get("search_memory", "").splitlines()
        every = self.forgets == "everything"
        ids = [line.split()[0][1:] for line in lines if every or taken_back[1] in line]
        if self.forgets != "nothing" and ids and "forget" not in done:
            return [ToolCall("forget", {"id": one}) for one in ids]
        return "That is forgotten."

    def advising(self, request: ModelRequest, done: dict[str, str]) -> Any:
        """Tell how an order that was talked of is returned, on the way that the user can be reached."""
        talk = [said.text for said in request.messages if said.role == "user"]
        order = re.search(r"order #(\d+)", " ".join(talk))
        if not order or "what do I do now" not in request.question:
            return None
        if "check_eligibility" not in done:
            return ToolCall("check_eligibility", {"order_id": int(order[1])})
        if self.emails and any("email only" in text for text in talk):
            return f"Order {order[1]} can be returned; the label comes by email."
        if "schedule_callback" not in done:
            return ToolCall("schedule_callback", {"when": "tomorrow"})
        return "We call you tomorrow. There will be no email."

    def correcting(self, request: ModelRequest, done: dict[str, str]) -> Any:
        """Refund an order that is not named by its number: the first, then the one that the user meant."""
        meant = re.search(r"the other one, the (\w+)", request.question)
        if not meant and request.question != "Refund my order.":
            return None
        if meant and self.corrected == "apologises":
            return "I am sorry, the blender of course."
        if "list_orders" not in done:
            return ToolCall("list_orders", {})
        orders = json.loads(done["list_orders"])
        wanted = [order for order in orders if meant and self.corrected == "acts" and order["item"] == meant[1]]
        order = (wanted or orders)[0]
        if "create_refund" not in done:
            return ToolCall("create_refund", {"order_id": order["order_id"]})
        return f"The {meant[1] if meant else order['item']} is refunded."

    def refunding(self, request: ModelRequest, done: dict[str, str]) -> Any:
        """Refund the order that is named, the way that is known."""
        order = re.search(r"order #(\d+).*Refund it", request.question)
        if not order:
            return None
        order_id = int(order[1])
        known = "\n".join(said.text for said in request.messages if said.text != request.question)
        credit = self.uses and re.search(r"store.credit", known) is not None
        if self.looks_first and "check_eligibility" not in done:
            return ToolCall("check_eligibility", {"order_id": order_id})
        if "create_refund" not in done:
            return ToolCall("create_refund", {"order_id": order_id, "method": "store_credit" if credit else "card"})
        refund = json.loads(done["create_refund"])
        told = "".join(f" We confirm it by {way}." for way in ("email", "post") if f"by {way} only" in known)
        return f"Order {order_id} is refunded: {refund['amount']} euros {_WAYS[refund['method']]}.{told}"


_WAYS = {"store_credit": "in store credit", "card": "to your card"}
GOOD = Support()


@pytest.fixture
def asked(cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """What a command says of a `chat` agent on a model, with its one case, as a JSON document."""

    def ask(model: Any, cases: str, *command: str, memory: str = "notes") -> Any:
        folder = tmp_path / "support"
        with ScriptedModel(model) as server:
            config = {
                "agent": {"chat": {"world": "shop"}},
                "model": {"base_url": server.url, "name": "scripted", "temperature": 0},
                "memory": {"kind": memory},
            }
            configs = {"production": config, "forgetful": {"extends": "production", "memory": {"kind": "none"}}}
            write_project(folder, cases=[], configs=configs, replay_set="replay.yaml")
            (folder / "replay.yaml").write_text(f"foldproof: 1\nname: support\ncases:{cases}", "utf-8")
            monkeypatch.chdir(folder)
            return cli(*(command or ("run", "production")), "--json")

    return ask


def test_the_four_cases_are_a_set_that_can_be_accepted_and_checked(asked):
    four = STORE_CREDIT + REPLAY + CORRECTION + FORGET
    assert asked(GOOD, four).code == 0
    accepted = asked(GOOD, four, "baseline", "accept", "--yes")
    assert accepted.code == 0, "none of them passes with nothing to go by"
    assert asked(GOOD, four, "check", "production").code == 0
    blocked = asked(GOOD, four, "check", "forgetful")
    assert blocked.code == 1
    assert {case["id"]: case["change"] for case in blocked.document["cases"]} == {
        "memory-store-credit-preference": "lost",
        "replay-1188": "kept",
        "correction-blender": "kept",
        "forget-store-credit": "lost",
    }


def facts_of(result: Any) -> dict[str, Any]:
    (case,) = result.document["cases"]
    return {fact["fact"]: fact for fact in case["trials"][0]["facts"]}


def told(result: Any) -> dict[str, tuple[str, str | None]]:
    """Of each fact what became of it, and who lost it."""
    return {name: (fact["outcome"], fact["owner"]) for name, fact in facts_of(result).items()}


def test_a_good_agent_passes_the_case_over_two_sessions(asked):
    result = asked(GOOD, STORE_CREDIT)
    assert result.code == 0
    assert told(result) == dict.fromkeys((WRITES, READS, REFUNDS, SAYS), ("held", None))


def test_what_is_never_written_is_lost_at_write(asked):
    result = asked(Support(writes=False), STORE_CREDIT)
    assert result.code == 1
    assert told(result) == {
        WRITES: ("missed", None),
        READS: ("missed", "write"),
        REFUNDS: ("missed", "write"),
        SAYS: ("missed", "write"),
    }


def test_an_agent_that_writes_and_never_reads_loses_it_at_retrieve(asked):
    result = asked(Support(reads=False), STORE_CREDIT)
    assert result.code == 1
    assert told(result) == {
        WRITES: ("held", None),
        READS: ("missed", "retrieve"),
        REFUNDS: ("missed", "retrieve"),
        SAYS: ("missed", "retrieve"),
    }
    assert facts_of(result)[READS]["reason"] == "it stands in none of the 0 items that were read"


def test_an_agent_that_reads_and_does_not_use_it_loses_it_at_use(asked):
    result = asked(Support(uses=False), END_STATE)
    assert result.code == 1
    assert told(result) == {
        WRITES: ("held", None),
        READS: ("held", None),
        REFUNDS: ("missed", "use"),
        SAYS: ("missed", "use"),
        STATE: ("missed", "use"),
    }
    reasons = {name: fact["reason"] for name, fact in facts_of(result).items()}
    assert 'method: value (expected the text "store_credit", called with the text "card")' in reasons[REFUNDS]
    assert reasons[STATE] == (
        'the state differs in refunds[0].method: value (expected the text "store_credit", found the text "card")'
    )


@pytest.fixture
def leaking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the conversations of an agent go on with one another: none begins with a fresh context."""
    start = ChatAgent.start_session

    async def start_session(self, info):
        conversation = await start(self, info)
        conversation.turns = self.__dict__.setdefault("leaked", conversation.turns)
        return conversation

    monkeypatch.setattr(ChatAgent, "start_session", start_session)


@pytest.mark.usefixtures("leaking")
def test_an_agent_that_keeps_the_context_shows_nothing_of_its_memory(asked):
    for model, written in ((GOOD, "held"), (Support(writes=False, reads=False), "missed")):
        result = asked(model, STORE_CREDIT)
        assert result.code == 7
        assert {name: outcome for name, (outcome, _) in told(result).items()} == {
            WRITES: written,
            READS: "error",
            REFUNDS: "held",
            SAYS: "held",
        }
        assert facts_of(result)[READS]["reason"] == "the context was not fresh: session 2 saw what was said before it"


def test_the_unplugged_control_makes_the_case_fail(asked):
    result = asked(GOOD, STORE_CREDIT, "run", "production", "--unplugged")
    assert result.code == 0, "none should pass, and none does"
    assert {name: outcome for name, (outcome, _) in told(result).items()} == {
        WRITES: "missed",
        READS: "missed",
        REFUNDS: "missed",
        SAYS: "missed",
    }


@pytest.mark.usefixtures("leaking")
def test_an_agent_whose_context_leaks_is_caught_as_vacuous(asked):
    result = asked(GOOD, STORE_CREDIT, "run", "production", "--unplugged")
    assert result.code == 7
    assert set(facts_of(result)) == {REFUNDS, SAYS}, "of a memory that is cut off nothing is expected"
    assert {fact["outcome"] for fact in facts_of(result).values()} == {"held"}
    assert result.document["reasons"] == [
        "these pass with the memory cut off, so they test nothing: memory-store-credit-preference"
    ]


def test_B39_the_end_state_does_not_ask_for_the_way(asked):
    for model in (GOOD, Support(looks_first=False)):
        result = asked(model, END_STATE)
        assert result.code == 0
        assert told(result)[STATE] == ("held", None)


ELIGIBLE, SILENT, EMAIL = (
    "tool_called: check_eligibility(order_id=4021)",
    "no_tool_called: schedule_callback",
    "reply_mentions: email",
)


def test_a_good_agent_goes_on_from_a_frozen_prefix(asked):
    result = asked(GOOD, REPLAY)
    assert result.code == 0
    assert told(result) == dict.fromkeys((ELIGIBLE, SILENT, EMAIL), ("held", None))


def test_an_agent_that_calls_the_callback_has_forgotten_what_the_prefix_says(asked):
    result = asked(Support(emails=False), REPLAY)
    assert result.code == 1
    found = facts_of(result)
    assert [found[name]["outcome"] for name in (ELIGIBLE, SILENT, EMAIL)] == ["held", "missed", "negated"]
    assert found[SILENT]["reason"] == "called: schedule_callback(when=tomorrow)"
    assert found[EMAIL]["owner"] == "use", "the prefix stood in the prompt"


MEANT, NAMED, CORRECTED = (
    "tool_called: create_refund(order_id=4022)",
    "reply_mentions: blender",
    "correction after tool_called: create_refund(order_id=4021)",
)


def test_a_good_agent_heeds_the_correction(asked):
    result = asked(GOOD, CORRECTION)
    assert result.code == 0
    assert told(result) == dict.fromkeys((MEANT, NAMED, CORRECTED), ("held", None))


def test_an_agent_that_refunds_the_wrong_order_twice_repeats_what_was_corrected(asked):
    result = asked(Support(corrected="repeats"), CORRECTION)
    assert result.code == 1
    assert told(result) == {MEANT: ("missed", None), NAMED: ("held", None), CORRECTED: ("missed", "use")}
    found = facts_of(result)
    assert "order_id: value (expected the number 4022, called with the number 4021)" in found[MEANT]["reason"]
    assert found[CORRECTED]["reason"] == "the corrected call was made again: create_refund(order_id=4021)"


def test_an_agent_that_apologises_and_does_not_act_is_told_by_the_call(asked):
    result = asked(Support(corrected="apologises"), CORRECTION)
    assert result.code == 1
    assert told(result) == {MEANT: ("missed", None), NAMED: ("held", None), CORRECTED: ("held", None)}
    assert facts_of(result)[MEANT]["reason"].startswith("after the correction, no such tool was called; called: ")


def test_what_was_said_is_not_what_was_done(asked):
    state = "  - state: {refunds: [{order_id: 4021}, {order_id: 4022, method: card}]}\n"
    assert asked(GOOD, CORRECTION + state).code == 0
    found = facts_of(asked(Support(corrected="apologises"), CORRECTION + state))
    (label,) = (name for name in found if name.startswith("state: "))
    assert found[label]["reason"].startswith("the state differs in refunds[1]: missing (expected object {")


REPLY, CALL, RETRIEVED, STORED = (
    f"forget: not {where}: store credit" for where in ("in the reply", "in a tool call", "retrieved", "in the store")
)
KEPT, KEPT_FOR_BEN = "forget: kept: email only", "forget: kept for ben: post only"
BY_POST = "s5.t1 reply_mentions: by post"


def wrong(result: Any) -> dict[str, tuple[str, str | None]]:
    """What did not become of the facts what should."""
    return {name: found for name, found in told(result).items() if found[0] != "held"}


def test_a_good_agent_forgets_what_is_taken_back_and_no_more(asked, cli):
    result = asked(GOOD, FORGET)
    assert result.code == 0
    assert set(told(result)) > {REPLY, CALL, RETRIEVED, STORED, KEPT, KEPT_FOR_BEN, BY_POST}
    assert wrong(result) == {}
    page = cli("explain", "latest", "forget-store-credit").out
    assert "deleted: 1 item: [n1 day 1] preference: From now on, refund me in store credit" in page
    assert page.count("wrote: 1 item") == 3 * page.count("deleted: 1 item"), "in each trial three notes, and one gone"


def test_an_agent_that_forgets_nothing_is_found_in_every_channel(asked):
    result = asked(Support(forgets="nothing"), FORGET)
    assert result.code == 1
    lost = wrong(result)
    assert {REPLY, CALL, RETRIEVED, STORED} < set(lost)
    assert all(lost[name] == ("missed", "write") for name in (REPLY, CALL, RETRIEVED, STORED))
    assert "s4.t1 tool_called: create_refund(order_id=5310, method=card)" in lost
    assert "never to my card" in facts_of(result)[STORED]["reason"]


def test_an_agent_that_forgets_everything_loses_the_neighbour(asked):
    result = asked(Support(forgets="everything"), FORGET)
    assert result.code == 1
    assert wrong(result) == {"s4.t1 reply_mentions: email": ("missed", None), KEPT: ("missed", "write")}


def test_an_agent_that_forgets_everyone_loses_the_bystander(asked, monkeypatch):
    users: list[Notes] = []
    make = Notes.__init__

    def made(self, *args):
        make(self, *args)
        users.append(self)

    async def forget(self, item_id):
        for user in users:
            await user.build(History(""))

    monkeypatch.setattr(Notes, "__init__", made)
    monkeypatch.setattr(Notes, "forget", forget)
    # One trial at a time: it would take the notes of another that is on its way, too.
    result = asked(GOOD, FORGET, "run", "production", "--jobs", "1")
    assert result.code == 1
    lost = wrong(result)
    assert set(lost) == {"s4.t1 reply_mentions: email", KEPT, KEPT_FOR_BEN, BY_POST}
    assert lost[KEPT_FOR_BEN][0] == "missed"


def test_the_forget_twin_does_not_pass_without_a_memory(asked):
    result = asked(GOOD, FORGET, "run", "production", "--unplugged")
    assert result.code == 0
    assert KEPT in wrong(result)
