"""An agent with a memory of its own, as a class: `agent: python:agent:Notebook`.

Only `start_session` is needed. Each further method lets foldproof see more: with `memories` it can say whether
a lost fact was lost when it was written, when the memory was folded, or when it was looked up. Methods may be
`async def` or plain; a plain one runs in a worker thread, not always in the same one.
"""

from foldproof.agents import MemoryItem, Reply, SessionInfo
from foldproof.logs import History


class Notebook:
    """Keeps what users said; a fold keeps the last `keep` notes."""

    def __init__(self, memory_config: dict) -> None:
        self.keep = memory_config.get("keep", 20)
        self.notes: tuple[MemoryItem, ...] = ()

    def ingest(self, history: History) -> None:
        """Write a note for each turn of the user."""
        self.notes = tuple(
            MemoryItem(turn.text, id=f"{session.id}.t{number}", kind="note")
            for session in history.sessions
            for number, turn in enumerate(session.turns, 1)
            if turn.role == "user"
        )

    def fold(self) -> None:
        """Compact: the oldest notes go."""
        self.notes = self.notes[-self.keep :]

    def start_session(self, info: SessionInfo) -> "Talk":
        """A conversation with a fresh context: only the notes persist."""
        return Talk(self)

    def memories(self, user: str) -> tuple[MemoryItem, ...]:
        """What the notebook holds."""
        return self.notes

    def snapshot(self) -> tuple[MemoryItem, ...]:
        """The notes; a tuple cannot be changed by the trial that gets it."""
        return self.notes

    def restore(self, snapshot: tuple[MemoryItem, ...]) -> None:
        """Take over notes built for another trial."""
        self.notes = snapshot

    def close(self) -> None:
        """Nothing is open; a database connection would be closed here."""


class Talk:
    """One conversation."""

    def __init__(self, notebook: Notebook) -> None:
        self.notebook = notebook

    async def reply(self, message: str) -> Reply:
        """The notes that share a word with the message. Here a real agent would call its model."""
        asked = {word.strip(".,?!*").casefold() for word in message.split() if len(word) > 3}
        found = tuple(
            note
            for note in self.notebook.notes
            if asked & {word.strip(".,?!*").casefold() for word in note.text.split()}
        )
        text = "\n".join(note.text for note in found) or "I don't know."
        return Reply(text, memory_reads=found, tool_calls=())
