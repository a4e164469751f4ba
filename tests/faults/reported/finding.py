"""Agents whose retrieval fails: A27, A29, A30 and A34. The first class of each is sound."""

from __future__ import annotations

import re

from keeper import UNKNOWN, Keeper, words_of


class AnyScript(Keeper):
    """A27: the words of any script; what shares none with the question is not given."""

    def search(self, question):
        asked = self.split(question)
        return [item for item in self.items if self.split(item.text) & asked]

    def split(self, text):
        return words_of(text)


class LatinLettersOnly(AnyScript):
    """Words are runs of A to Z."""

    def split(self, text):
        return set(re.findall("[a-z]+", text.lower()))


class WordsByBlanks(AnyScript):
    r"""Words are runs of `\\w`: a sentence without blanks is one word, and what is inside it is none."""

    def split(self, text):
        return set(re.findall(r"\w+", text.lower()))


class NewestFirst(Keeper):
    """A29: of what is about the same thing, the newest is given."""

    k = 1

    def search(self, question):
        return self.items[::-1][: self.k]


class OldestFirst(NewestFirst):
    """The one that repeats the question's words outranks the one that is current."""

    def search(self, question):
        return Keeper.search(self, question)


class WithFloor(Keeper):
    """A30: what shares no word with the question is not given."""

    def search(self, question):
        return [item for item in super().search(question) if words_of(item.text) & words_of(question)]


class WithoutFloor(Keeper):
    """The best match is given, however bad, and said."""


class MakesItUp(WithoutFloor):
    """The best match is given, however bad, and the answer makes up something better."""

    def answer(self, question, prompt):
        return "Seven Baker Street, second floor."


class MakesUpFromNothing(WithFloor):
    """Nothing is given, and the answer makes something up."""

    def answer(self, question, prompt):
        return "Seven Baker Street, second floor." if "- " not in prompt else UNKNOWN


class LastTopic(Keeper):
    """A34: "that" is what was talked about last."""

    k = 1

    def search(self, question):
        return self.items[-self.k :]


class FirstTopic(LastTopic):
    """ "That" is looked up like any other word, and the first topic comes up."""

    def search(self, question):
        return self.items[: self.k]
