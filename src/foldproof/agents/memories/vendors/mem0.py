"""mem0: `Memory` with a FAISS index on disk, its model and its embeddings behind OpenAI-compatible addresses."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

from .embedding import dimensions_of
from .store import LOOKED_AT, Item, NotSupportedError, Sessions, StoreError, Writing, Written, plain_name

LISTED = 100_000
"""How many items `get_all` is asked for: its own default is 20."""
_NAME = "foldproof"
_HARMLESS = ("does not support keyword search", "spaCy is not installed")
"""What it logs of its optional parts; a note says once what that means."""


class Heard(logging.Handler):
    """What mem0 only logs and does not raise, for instance a reply of the model that it could not read."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message; those of other libraries go to the log alone."""
        text = record.getMessage()
        if record.name.startswith("mem0") and not any(part in text for part in _HARMLESS):
            self.texts.append(text)

    def taken(self) -> list[str]:
        """The messages since the last call, each once, with their number."""
        counts: dict[str, int] = {}
        for text in self.texts:
            counts[text] = counts.get(text, 0) + 1
        self.texts = []
        return [f"mem0 logged{f' {count} times' if count > 1 else ''}: {text[:300]}" for text, count in counts.items()]


class Mem0:
    """One FAISS collection and one history file; users are told apart by mem0's own filter on `user_id`."""

    free = False

    def __init__(self, settings: dict[str, Any], folder: Path) -> None:
        self._heard = Heard()
        logging.getLogger().addHandler(self._heard)
        from mem0 import Memory

        self._settings = settings
        self._memory = Memory.from_config(_config_of(settings, folder))
        self._heard.taken()
        self._plain = _no_download()

    def ingest(self, user: str, sessions: Sessions) -> Written:
        """One `add` a session: the messages as they are, or what the model extracts of them."""
        infer, empty = self._settings["infer"], []
        told = [(session, messages) for session in sessions if (messages := _messages(session, infer=infer))]
        write, found = Writing(len(told), "writes to mem0"), Written()
        for session, messages in told:
            metadata = {"session": session["session"], **({"at": session["at"]} if session["at"] else {})}
            answer = write(self._memory.add, messages, user_id=plain_name(user), metadata=metadata, infer=infer)
            if answer is None:
                continue
            results = answer["results"]
            found.ids += [str(result["id"]) for result in results if result.get("event") == "ADD"]
            if not results:
                empty.append(session["session"])
        write.end()
        if empty:
            names = ", ".join(empty[:8]) + (" …" if len(empty) > 8 else "")
            found.notes.append(f"mem0 stored nothing of {len(empty)} of {len(told)} sessions: {names}")
        return found

    def fold(self, user: str) -> None:
        """Not possible."""
        raise NotSupportedError("mem0 extracts as it writes, and has no maintenance of its own")

    def recall(self, user: str, text: str) -> list[Item]:
        """`search`, best first; then what a second search, wider and without a threshold, finds beside."""
        k, threshold, whose = self._settings["k"], self._settings["threshold"], {"user_id": plain_name(user)}
        found = self._memory.search(text, filters=whose, top_k=k, threshold=threshold)["results"]
        wider = self._memory.search(text, filters=whose, top_k=k + LOOKED_AT, threshold=0.0)["results"]
        given = {hit["id"] for hit in found}
        items = [{"text": hit["memory"], "id": hit["id"], "score": hit["score"]} for hit in found]
        for hit in wider:
            if hit["id"] not in given:
                why = "beyond k" if hit["score"] >= threshold else "below the threshold"
                items.append({"text": hit["memory"], "id": hit["id"], "score": hit["score"], "dropped": why})
        return items

    def memories(self, user: str) -> tuple[list[Item], list[str]]:
        """`get_all`, oldest first."""
        found = self._memory.get_all(filters={"user_id": plain_name(user)}, top_k=LISTED)["results"]
        found = sorted(found, key=lambda one: str(one.get("created_at") or ""))
        cut = [f"mem0 listed {LISTED} items, its limit here: there may be more"] if len(found) >= LISTED else []
        return [{"text": one["memory"], "id": one["id"]} for one in found], cut

    def forget(self, user: str, item_id: str) -> None:
        """`delete`, after a look whether the item is this user's: mem0 itself asks for no user."""
        held = self._memory.get(item_id)
        if held is None or held.get("user_id") != plain_name(user):
            raise StoreError(f"mem0 holds no item {item_id!r} of this user")
        self._memory.delete(item_id)

    def notes(self) -> list[str]:
        """What mem0 logged as a warning or an error, and that it searches by embeddings alone where it does."""
        plain = ["mem0 has no spaCy model here: it searches by embeddings alone"] if self._plain else []
        return [*plain, *self._heard.taken()]

    def close(self) -> None:
        """Every write is on disk already."""
        self._memory.close()
        logging.getLogger().removeHandler(self._heard)


def open_store(settings: dict[str, Any], folder: Path) -> Mem0:
    """The memory in a folder."""
    return Mem0(settings, folder)


def _config_of(settings: dict[str, Any], folder: Path) -> dict[str, Any]:
    embed, said = settings["embed"], settings["model"]
    path = folder / "faiss"
    path.mkdir(exist_ok=True)
    config: dict[str, Any] = {
        "vector_store": {
            "provider": "faiss",
            "config": {
                "collection_name": _NAME,
                "path": str(path),
                "embedding_model_dims": dimensions_of(embed, folder),
                "distance_strategy": "cosine",
            },
        },
        "embedder": {
            "provider": "openai",
            "config": {"model": embed["name"], "openai_base_url": embed["base_url"], "api_key": _key(embed)},
        },
        "llm": {
            "provider": "openai",
            "config": {
                "model": said.get("name") or "none",
                "openai_base_url": said.get("base_url") or "http://127.0.0.1:9/v1",
                "api_key": _key(said),
                "temperature": said.get("temperature", 0),
            },
        },
        "history_db_path": str(folder / "history.db"),
    }
    if settings.get("instructions"):
        config["custom_instructions"] = settings["instructions"]
    return config


def _key(endpoint: dict[str, Any]) -> str:
    """The endpoint's key, by the name of its variable; a server that needs none is sent a word."""
    return os.environ.get(endpoint.get("api_key_env") or "OPENAI_API_KEY") or "none"


def _messages(session: dict[str, Any], *, infer: bool) -> list[dict[str, str]]:
    """The messages of a session as mem0 takes them, none where it would take none.

    Blank ones are left out, since no endpoint embeds them. mem0 itself leaves out what a tool said where it extracts,
    and what the system said where it does not: with nothing else in it, it would embed an empty text.
    """
    roles = {"agent": "assistant"}
    messages = [
        {"role": roles.get(turn["role"], turn["role"]), "content": turn["text"]}
        for turn in session["turns"]
        if turn["text"].strip()
    ]
    passed_over = "tool" if infer else "system"
    return messages if any(message["role"] != passed_over for message in messages) else []


def _no_download() -> bool:
    """Whether mem0 does without spaCy's model; where only the model is missing, mem0 is kept from fetching it."""
    try:
        import spacy
    except ImportError:
        return True
    if spacy.util.is_package("en_core_web_sm"):
        return False
    from mem0.utils import spacy_models

    spacy_models._load_failed_full = spacy_models._load_failed_lemma = True  # noqa: SLF001  # its own switch
    return True
