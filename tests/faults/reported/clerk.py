"""A clerk with a memory of several users over sessions, and clerks that forget too little, too much or too late."""

from __future__ import annotations

from typing import ClassVar

from foldproof import MemoryItem, Reply, ToolCall

WISH = "Forget what I said about "


class Clerk:
    """Keeps what each user says, takes out what is taken back, and acts by what is left.

    `kept` is the list, `index` what is searched; a right deletion reaches both.
    """

    def __init__(self, memory_config):
        self.off = memory_config.get("kind") == "none"
        self.kept = {}
        self.index = {}
        self.heard = []
        self.names = {}

    def start_session(self, info):
        self.names.setdefault(info.user, len(self.names))
        return Talk(self, info.user)

    def memories(self, user):
        return [MemoryItem(text) for text in self.kept.get(user, [])]

    def fold(self):
        """Nothing is compacted."""

    def write(self, user, text):
        self.heard.append((user, text))
        for store in () if self.off else (self.kept, self.index):
            store.setdefault(user, []).append(text)

    def forget(self, user, topic):
        for store in (self.kept, self.index):
            store[user] = [text for text in store.get(user, []) if topic not in text]

    def search(self, user, question):
        return [MemoryItem(text, rank=rank) for rank, text in enumerate(self.index.get(user, []), 1)]

    def before(self, user):
        return "You are a clerk."

    def answer(self, known):
        return " ".join(known) or "I don't know."

    def reply(self, message, reads, prompt):
        known = [item.text for item in reads]
        way = "store_credit" if "store credit" in prompt else "card"
        calls = [ToolCall("refund", {"method": way})] if message.startswith("Refund") else []
        return Reply(self.answer(known), tool_calls=calls, memory_reads=reads, memory_writes=[], prompt=prompt)


class Talk:
    def __init__(self, clerk, user):
        self.clerk, self.user = clerk, user

    def reply(self, message):
        clerk, user = self.clerk, self.user
        reads = clerk.search(user, message)
        prompt = "\n".join([clerk.before(user), *(item.text for item in reads), f"Question: {message}"])
        if message.startswith(WISH):
            clerk.forget(user, message.removeprefix(WISH).rstrip("."))
            return Reply("Forgotten.", tool_calls=[], memory_reads=reads, memory_writes=[], prompt=prompt)
        done = clerk.reply(message, reads, prompt)
        if not message.endswith("?") and not message.startswith("Refund"):
            clerk.write(user, message)
        return done


class SaysSoOnly(Clerk):
    """Nothing is deleted."""

    def forget(self, user, topic):
        """It answers that it was."""


class DeletesEveryone(Clerk):
    """A19: the deletion ends with a reset of the whole collection."""

    def forget(self, user, topic):
        self.kept, self.index = {}, {}


class DeletesTheUser(Clerk):
    """All that the user ever said goes."""

    def forget(self, user, topic):
        self.kept[user], self.index[user] = [], []


class DeletesInTheListOnly(Clerk):
    """A20: the search still serves the other store."""

    def forget(self, user, topic):
        self.kept[user] = [text for text in self.kept[user] if topic not in text]


class DeletesInTheIndexOnly(Clerk):
    """A20: the search is clean, the list still has it."""

    def forget(self, user, topic):
        self.index[user] = [text for text in self.index[user] if topic not in text]


class DeletesOneTwin(Clerk):
    """A22: the same sentence stands there twice; one is forgotten."""

    def forget(self, user, topic):
        for store in (self.kept, self.index):
            store[user].remove(next(text for text in store[user] if topic in text))


class DeletesLate(Clerk):
    """The deletion is carried out by the maintenance: late, and right."""

    doomed = ("", "")

    def forget(self, user, topic):
        self.doomed = (user, topic)

    def fold(self):
        if self.doomed[0]:
            super().forget(*self.doomed)


class ReadsAgain(Clerk):
    """The maintenance indexes all that was ever heard."""

    def fold(self):
        self.kept, self.index = {}, {}
        for user, text in self.heard:
            for store in (self.kept, self.index):
                store.setdefault(user, []).append(text)


class DropsWhenFolded(Clerk):
    """The maintenance keeps the newest item of each user."""

    def fold(self):
        for store in (self.kept, self.index):
            store.update({user: texts[-1:] for user, texts in store.items()})


class WritesItAgain(Clerk):
    """A cache of its own brings it back in the next session."""

    def search(self, user, question):
        if self.names[user] == 0 and question.endswith("?"):
            for store in (self.kept, self.index):
                store[user] = [text for owner, text in self.heard if owner == user]
        return super().search(user, question)


class NotesTheWish(Clerk):
    """It deletes, and keeps a note of what was asked."""

    def forget(self, user, topic):
        super().forget(user, topic)
        for store in (self.kept, self.index):
            store[user].append(f"{WISH}{topic}.")


class KeepsAProfile(Clerk):
    """A text of its own stands in every prompt of a user, whatever the memory says."""

    def before(self, user):
        own = " ".join(" ".join(text.split()[-3:]) for owner, text in self.heard if owner == user)
        return f"You are a clerk. Profile: {own}"


class KnowsItAnyway(Clerk):
    """It says what stands in no prompt."""

    def answer(self, known):
        return super().answer(known) + " Shall it be store credit?"


class SaysNoMore(Clerk):
    """It denies what it no longer knows: that is no mention."""

    def answer(self, known):
        return super().answer(known) + " There is no store credit."


class NeverWrites(Clerk):
    def write(self, user, text):
        """It says "noted"."""


class Derives(Clerk):
    """The memory is clean; what was made of it is not."""

    def before(self, user):
        return "You are a clerk. This person never wants money back."


class HidesItsCalls(Clerk):
    def reply(self, message, reads, prompt):
        done = super().reply(message, reads, prompt)
        return Reply(done.text, memory_reads=reads, memory_writes=[], prompt=prompt)


class HidesEverything(Clerk):
    memories = None

    def reply(self, message, reads, prompt):
        return super().reply(message, reads, prompt).text


class HidesItsList(Clerk):
    memories = None


class SearchesAll(Clerk):
    """A24: the filter by user is taken, and without effect."""

    def search(self, user, question):
        texts = [text for owner in self.index for text in self.index[owner]]
        return [MemoryItem(text, rank=rank) for rank, text in enumerate(texts, 1)]


class SearchesAllWithOwners(Clerk):
    """As above, and each item says whose it is."""

    def search(self, user, question):
        found = [(owner, "short") for owner in self.index]
        return [MemoryItem(text, rank=rank, user=owner) for rank, (owner, text) in enumerate(found, 1)]


class ListsAll(Clerk):
    """The listing has no filter by user."""

    def memories(self, user):
        return [MemoryItem(text) for texts in self.kept.values() for text in texts]


class SharesTheTalk(Clerk):
    """A25: all sessions of the process share one conversation."""

    said: ClassVar[dict] = {}

    def before(self, user):
        return "\n".join(text for _, text in self.heard)


class TogglesForAll(Clerk):
    """A25: one account turns its memory off, and the switch stays off for the next one."""

    silent = False

    def write(self, user, text):
        self.silent = self.silent or "memory off" in text
        if not self.silent:
            super().write(user, text)


class OpensWithStatus(Clerk):
    """A25, the other way: every session opens with a fixed text, by design."""

    def before(self, user):
        return "You are a clerk. On branch main, 2 files changed, as in every session of this shop."

    def answer(self, known):
        return "It was BLAU11." if "BLAU11" in str(known) else super().answer(known)


class SharedBlocks(Clerk):
    """A26: what two helpers share goes only with the last of them."""

    def forget(self, user, topic):
        super().forget(user, topic)


class DropsSharedBlocks(Clerk):
    """A26: every block that the helper held goes with it."""

    def forget(self, user, topic):
        super().forget(user, topic)
        super().forget(user, "My name is")
