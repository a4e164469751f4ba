"""Agents that do not put it into the prompt, or do not heed it there: A35, A37 to A39 and A47."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

from keeper import UNKNOWN, Keeper

from foldproof.agents import Reply


class Inserted(Keeper):
    """A35: what was found stands in the prompt."""


class NeverInserted(Inserted):
    """What was found is counted and put into a form, and the template has no place for it."""

    def prompt(self, question, given):
        self.notes.append(f"memory: {len(given)} items, {sum(len(item.text) for item in given)} characters")
        return f"You are a helpful assistant.\nQuestion: {question}"


class Talk(Keeper):
    """A37: each message is sent with the messages before it."""

    history = 20

    def search(self, question):
        return list(self.items)

    def prompt(self, question, given):
        before = given[len(given) - self.history :] if len(given) > self.history else given
        return super().prompt(question, before if self.history else [])


class TalkWithoutHistory(Talk):
    """The caller passes none of them."""

    history = 0


class KeepsTheRule(Keeper):
    """A38: the rule stands in the summary and in the reminder, and is heeded."""

    k = 9

    def fold(self):
        self.items = [item for item in self.items if "commit" in item.text]

    def answer(self, question, prompt):
        return "Fixed. I never commit unasked, so it is yours to look at."


class BreaksTheRule(KeepsTheRule):
    """The rule stands in both, and is broken."""

    def answer(self, question, prompt):
        return "Fixed, committed and pushed."


class HeedsTheLastWord(Keeper):
    """A39: a correction holds from the turn in which it is made."""

    def answer(self, question, prompt):
        return "Fix the parser. No trailer, as you asked." if "o trailer" in prompt else f"Fix. {self.trailer}"

    trailer = "Signed-off-by: bot"


class HeedsTheFirstWord(HeedsTheLastWord):
    """The note is taken, and the old instruction holds until the next turn."""

    def answer(self, question, prompt):
        return f"Fix the parser.\n{self.trailer}"


PAIRS = [
    ("assistant", ["a"]), ("tool", "a"), ("assistant", ["b", "c"]), ("tool", "b"), ("tool", "c"),
]  # fmt: skip
HALF_CALLED = [("assistant", ["b"]), ("tool", "b"), ("tool", "c")]


def as_message(role, ids):
    if role == "tool":
        return {"role": "tool", "tool_call_id": ids, "content": f"the port of {ids} is 6001"}
    function = {"name": "look_up", "arguments": "{}"}
    return {
        "role": role,
        "content": None,
        "tool_calls": [{"id": one, "type": "function", "function": function} for one in ids],
    }


class CutsAnywhere:
    """A47: folds a talk with tool calls by leaving out its first messages, wherever the cut falls."""

    def __init__(self, memory_config):
        talk = HALF_CALLED if memory_config.get("half") else PAIRS
        self.messages = [as_message(role, ids) for role, ids in talk[memory_config.get("cut", 0) :]]

    def start_session(self, info):
        self.url = info.wire_url
        return self

    def reply(self, message):
        sent = [*self.repaired(self.messages), {"role": "user", "content": message}]
        body = json.dumps({"model": "scripted", "messages": sent}).encode()
        request = urllib.request.Request(f"{self.url}/chat/completions", body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return Reply(json.load(response)["choices"][0]["message"]["content"] or UNKNOWN)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"status {error.code}: {json.load(error)['error']['message']}") from None

    def repaired(self, messages):
        return messages


class CutsBetweenPairs(CutsAnywhere):
    """A result whose call was cut off goes with it, and is not sent."""

    def repaired(self, messages):
        known, kept = set(), []
        for message in messages:
            known |= {call["id"] for call in message.get("tool_calls", [])}
            if message["role"] != "tool" or message["tool_call_id"] in known:
                kept.append(message)
        return kept
