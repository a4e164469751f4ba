"""Agents that fail while they write: A1, A2, A5, A8, A10 to A12, A14, A16 to A18, A32. The first of each is sound."""

from __future__ import annotations

from datetime import datetime, timedelta

from keeper import UNKNOWN, Keeper


class Likes(Keeper):
    """A1: what contradicts an earlier like takes its place."""

    def hear(self, turn, session):
        known = [item for item in self.items if "Chinese food" in item.text and "Chinese food" in turn.text]
        for item in known:
            self.delete(item)
        self.write(turn.text, contradicts=bool(known))

    def write(self, text, *, contradicts):
        self.add(text)


class ContradictionDeletesBoth(Likes):
    """One DELETE for the old fact, and no ADD for the new one."""

    def write(self, text, *, contradicts):
        if not contradicts:
            self.add(text)


class Superseding(Keeper):
    """A2: a new name supersedes the old one."""

    def hear(self, turn, session):
        for item in [item for item in self.items if "my name is" in item.text.lower()]:
            self.delete(item)
        self.add(turn.text)


class AddOnly(Keeper):
    """Both names stay, and the oldest comes first."""

    def search(self, question):
        return self.items[: self.k]


class AddOnlyOfOne(AddOnly):
    """Of both, only the oldest is returned."""

    k = 1


class AddOnlySaysTheOldest(AddOnly):
    """Both are returned and stand in the prompt; the answer takes the first."""

    def answer(self, question, prompt):
        return super().answer(question, "\n".join(prompt.splitlines()[:3]))


class SaysWhatItReads(Keeper):
    """No model: the answer is the prompt, and the prompt is what was found."""

    def prompt(self, question, given):
        return "\n".join(item.text for item in given) or UNKNOWN

    def answer(self, question, prompt):
        return prompt


class CorrectsById(SaysWhatItReads):
    """A5: the tool `correct` replaces the item with the id that it is given."""

    def hear(self, turn, session):
        if turn.text.startswith("更正"):
            self.correct(turn.text)
        else:
            self.add(turn.text)

    def correct(self, text):
        self.update(self.items[0], text)


class CorrectsByQuery(CorrectsById):
    """The same tool, given a query in place of an id, only adds."""

    def correct(self, text):
        self.add(text)


class KeepsFacts(Keeper):
    """A8: small talk holds no fact, and nothing is kept."""

    def hear(self, turn, session):
        if "my " in turn.text.lower():
            self.add(turn.text)


class KeepsItsInstructions(KeepsFacts):
    """Where nothing was found, a sentence of the extraction prompt is taken for the fact."""

    def hear(self, turn, session):
        super().hear(turn, session)
        if not self.items:
            self.add("The new retrieved facts are mentioned in the triple backticks.")


class TakesTheUsersWord(Keeper):
    """A10: what the agent said is the agent's."""

    def hear(self, turn, session):
        if turn.role == "user" and "?" not in turn.text and not turn.text.startswith("Explain"):
            self.add(turn.text)


class TakesTheAgentsWord(TakesTheUsersWord):
    """What the agent said becomes something that the user did."""

    def hear(self, turn, session):
        super().hear(turn, session)
        if turn.role == "agent" and "recursive solution" in turn.text:
            self.add("The user implemented a recursive solution of LeetCode 25.")


class KnowsWhoSpeaks(Keeper):
    """A11: who said something, and of whom, is kept. In a group only what the asker said is the asker's."""

    def hear(self, turn, session):
        speaker, mark, text = turn.text.partition(": ")
        if not mark:
            self.add(turn.text)
        elif speaker == self.settings.get("user", speaker):
            self.add(text)


class PinsItOnTheUser(Keeper):
    """Whoever it is about, and whoever said it: it is the user's own."""

    def hear(self, turn, session):
        text = turn.text.partition(": ")[2] or turn.text
        self.add(text.replace("Jack hates football, I love it", "The user hates football"))


class Withdraws(Keeper):
    """A12: a correction takes the false belief out."""

    def hear(self, turn, session):
        if turn.role != "user":
            return
        if "was not me" in turn.text:
            self.correct(turn.text)
        else:
            self.add(turn.text, score=0.728)

    def correct(self, text):
        for item in list(self.items):
            self.delete(item)
        self.add(text)


class BelievesItMore(Withdraws):
    """The correction is answered, not carried out: its own retelling counts as a second witness."""

    def correct(self, text):
        [held] = self.items
        self.items = []
        self.add(held.text, score=0.8)


class KeepsTheLanguage(Keeper):
    """A16: kept as it was said."""


class Translates(Keeper):
    """Kept in English, and the names with it."""

    def hear(self, turn, session):
        self.add("The user is called Li Guosong and works at Blue Screen Coffee in Beijing.")


class Block(Keeper):
    """A17: one block of text with a limit. What does not fit is refused, and nothing is touched."""

    limit = 2000

    def hear(self, turn, session):
        if not self.items:
            self.add(turn.text.rjust(self.limit - 1, "."))
            return
        self.save(turn.text)

    def save(self, text):
        self.notes.append(f"write failed: the block would have {len(self.items[0].text) + len(text)} characters")


class HalfApplied(Block):
    """The limit is checked after the new text stands in the block, which is cut to it."""

    def save(self, text):
        self.update(self.items[0], (text + self.items[0].text)[: self.limit])
        super().save(text)


class ReplacesNothing(Block):
    """An empty old string stands before every character, so the new one is put there."""

    def save(self, text):
        self.update(self.items[0], self.items[0].text.lstrip(".").replace("", text))


class Dated(Keeper):
    """A32: times with and without a zone are brought together before they are compared."""

    def hear(self, turn, session):
        self.add(turn.text)
        self.since = max(getattr(self, "since", self.time_of(session)), self.time_of(session))

    def time_of(self, session):
        return datetime.fromisoformat(session.at).replace(tzinfo=None)


class ComparesUnlikeTimes(Dated):
    """The driver drops the zone of some times, and the comparison raises."""

    def time_of(self, session):
        return datetime.fromisoformat(session.at)


class WriterAway(Keeper):
    """A18: every write fails, and the failure is raised."""

    def add(self, text, **named):
        raise RuntimeError("the extraction was rejected: strict JSON schema, status 400")


class WriterAwayUnheard(Keeper):
    """Every write fails, and nothing but a note tells."""

    def add(self, text, **named):
        self.notes.append("memory write failed: the extraction was rejected with status 400")


class Dated(Keeper):
    """A14: the time of the session is the capture time, and a word for a day is written as that day."""

    def hear(self, turn, session):
        if turn.role == "user":
            self.add(turn.text.replace("tomorrow", f"on {self.day_after(session.at)}"))

    def day_after(self, at):
        return (datetime.fromisoformat(at) + timedelta(days=1)).date().isoformat()


class SendsNoCaptureTime(Keeper):
    """The word is stored as it was said, without any time."""


class DatesFromToday(Dated):
    """The day is counted from the day on which the writer runs."""

    def day_after(self, at):
        return super().day_after("2025-12-05T09:00:00+08:00")


class DatesInAnotherZone(Dated):
    """The day of the session is taken in UTC after it was cut to the day: a day too early."""

    def day_after(self, at):
        return datetime.fromisoformat(at).date().isoformat()


class KeepsTheDay(Keeper):
    """The day of the session is written beside the words, and nobody counts from it."""

    def hear(self, turn, session):
        self.add(f"[{session.at[:10]}] {turn.text}")
