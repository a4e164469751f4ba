"""Agents that forget too much or too little, and agents that mix up their users: A19, A20, A22 and A24 to A26."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from keeper import Keeper


class Household(Keeper):
    """A19: a store of several users. A turn is `name: text`; a wish to be forgotten concerns the one who has it."""

    def hear(self, turn, session):
        name, _, text = turn.text.partition(": ")
        if text == "Forget everything about me.":
            self.forget(name)
        else:
            self.add(text, user=name)

    def forget(self, name):
        for item in [item for item in self.items if item.user == name]:
            self.delete(item)

    def search(self, question):
        return [item for item in super().search(question) if item.user == self.settings["user"]]

    def reply(self, message):
        return replace_users(super().reply(message), self.settings["user"], self.user)


def replace_users(reply, name, user):
    """The reply, with the id that this trial has for one of the users."""
    reads = tuple(replace(item, user=user) if item.user == name else item for item in reply.memory_reads)
    return replace(reply, memory_reads=reads)


class DeletesEveryone(Household):
    """The deletion of one user ends with a reset of the whole collection."""

    def forget(self, name):
        for item in list(self.items):
            self.delete(item)


class TwoStores(Keeper):
    """A20: a list and a graph; what is to be forgotten leaves both."""

    def __init__(self, memory_config):
        super().__init__(memory_config)
        self.graph = []

    def hear(self, turn, session):
        if turn.text.startswith("Forget my port"):
            for item in [item for item in self.items if "port is" in item.text]:
                self.forget(item)
            return
        self.graph.append(self.add(turn.text))

    def forget(self, item):
        self.delete(item)
        self.graph.remove(item)

    def search(self, question):
        return self.graph[: self.k]


class ForgetsInTheListOnly(TwoStores):
    """The list is clean, the search still serves the graph."""

    def forget(self, item):
        self.delete(item)


class ForgetsInTheGraphOnly(TwoStores):
    """The search is clean, the list still has it."""

    def forget(self, item):
        self.graph.remove(item)


class ForgetsLate(TwoStores):
    """The list is cleaned by maintenance, and the graph is not."""

    def forget(self, item):
        self.doomed = item

    def fold(self):
        self.delete(self.doomed)


class ForgetsTheWords(Keeper):
    """A22: every item that says the same is forgotten."""

    def hear(self, turn, session):
        if turn.text.startswith("Forget my port"):
            self.forget([item for item in self.items if "port is" in item.text])
        else:
            self.add(turn.text)

    def forget(self, found):
        for item in found:
            self.delete(item)


class ForgetsTheId(ForgetsTheWords):
    """One id is forgotten; the same sentence under another one stays."""

    def forget(self, found):
        super().forget(found[:1])


class PerUser(Keeper):
    """A24: the search sees the asker's own items only."""

    def hear(self, turn, session):
        name, _, text = turn.text.partition(": ")
        self.add(text, user=name)

    def memories(self, user):
        self.own(user)
        return list(self.items)

    def own(self, user):
        self.items = [replace(item, user=user) if item.user == "uid2" else item for item in self.items]

    def search(self, question):
        return [item for item in self.items if item.user == self.user]


class IgnoresTheUser(PerUser):
    """The filter by user is documented, taken, and without effect."""

    def search(self, question):
        return self.items[: self.settings.get("k", self.k)]


class FreshTalk(Keeper):
    """A25: a session begins with nothing but the memory of its own project."""

    talks: ClassVar[list[str]] = []

    def prompt(self, question, given):
        return f"{self.before()}\nQuestion: {question}".strip()

    def before(self):
        return ""

    def reply(self, message):
        done = super().reply(message)
        type(self).talks.append(message)
        return done


class SharedTalk(FreshTalk):
    """All sessions of the process share one conversation."""

    def before(self):
        return "\n".join(f"- {said}" for said in self.talks)


class OpensWithStatus(FreshTalk):
    """Every session opens with the state of the working tree, which the agent declares or not."""

    def before(self):
        return "- On branch main, 2 files changed."

    def reply(self, message):
        done = super().reply(message)
        return done if self.settings.get("declares") else replace(done, prompt=None)


class SharedBlocks(Keeper):
    """A26: agents X and Y share the block `human`. An agent that goes takes only what nobody else holds."""

    def hear(self, turn, session):
        if turn.text == "Delete agent X.":
            self.drop("X")
            return
        self.holders = {**getattr(self, "holders", {}), turn.text: {"X", "Y"} if "name" in turn.text else {"X"}}
        self.add(turn.text)

    def drop(self, agent):
        for item in list(self.items):
            self.holders[item.text].discard(agent)
            if not self.holders[item.text]:
                self.delete(item)


class DropsSharedBlocks(SharedBlocks):
    """Every block that the agent held goes with it."""

    def drop(self, agent):
        for item in [item for item in self.items if agent in self.holders[item.text]]:
            self.delete(item)
