"""The loop of `foldproof-memory/1` for the vendors: one JSON object a line in, one out."""

from __future__ import annotations

import json
import os
import shutil
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .store import NotSupportedError, Opener, Store, StoreError

Step = dict[str, Any]
PACKAGES = {
    "langgraph": ("langgraph",),
    "mcp": ("mcp",),
    "mem0": ("mem0ai", "faiss-cpu"),
    "openai_agents": ("openai-agents",),
}
"""The distributions that each kind needs."""
SUMMARIZING = ("langmem", "langchain-openai")


def serve(kind: str) -> int:
    """Answer every line of the standard input until it ends or says `close`.

    What a vendor prints goes to the standard error, or it would be taken for an answer.
    """
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", newline="\n")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    served = Served(kind)
    for line in sys.stdin:
        if not line.strip():
            continue
        step = json.loads(line)
        answers.write(json.dumps(served.answer(step)) + "\n")
        answers.flush()
        if step.get("do") == "close":
            break
    return 0


class Served:
    """One vendor's memory, opened by the first step."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._opener: Opener | None = None
        self._settings: dict[str, Any] = {}
        self._folder = Path()
        self._store: Store | None = None
        self._steps: dict[str, Callable[[Step], Step]] = {
            "open": self._open,
            "ingest": self._ingest,
            "add": self._ingest,
            "fold": self._fold,
            "recall": self._recall,
            "memories": self._memories,
            "forget": self._forget,
            "snapshot": self._snapshot,
            "restore": self._restore,
            "close": self._close,
        }

    def answer(self, step: Step) -> Step:
        """The answer to one step; whatever the vendor raises becomes an `error`."""
        do = self._steps.get(str(step.get("do")))
        if do is None:
            return {"unsupported": True}
        try:
            return do(step)
        except NotSupportedError as reason:
            return {"unsupported": str(reason)}
        except StoreError as error:
            return {"error": str(error)}
        except Exception as error:  # noqa: BLE001  # the border to the vendor: it becomes an answer
            traceback.print_exc()
            return {"error": f"{type(error).__name__}: {str(error)[:2000]}"}

    def _open(self, step: Step) -> Step:
        versions = []
        summarizing = SUMMARIZING if step["memory_config"].get("summarize") else ()
        for package in (*PACKAGES[self._kind], *summarizing):
            try:
                versions.append(f"{package} {version(package)}")
            except PackageNotFoundError:
                return {"missing": package}
        self._settings, self._folder = step["memory_config"], Path(step["folder"])
        self._folder.mkdir(parents=True, exist_ok=True)
        self._opener = import_module(f"{__package__}.{self._kind}").open_store
        self._store = self._opener(self._settings, self._folder)
        return {"notes": [f"memory: {', '.join(versions)}"]}

    def _opened(self) -> Store:
        if self._store is None:
            raise RuntimeError("no memory is open")
        return self._store

    def _ingest(self, step: Step) -> Step:
        store = self._opened()
        written = store.ingest(step["user"], step["history"])
        return {"written": written.ids, "notes": [*written.notes, *store.notes()]}

    def _fold(self, step: Step) -> Step:
        store = self._opened()
        store.fold(step["user"])
        return {"notes": store.notes()}

    def _recall(self, step: Step) -> Step:
        store = self._opened()
        usage = {"usage": {"cost_usd": 0.0}} if store.free else {}
        return {"items": store.recall(step["user"], step["text"]), "notes": store.notes(), **usage}

    def _memories(self, step: Step) -> Step:
        items, notes = self._opened().memories(step["user"])
        return {"items": items, "notes": notes}

    def _forget(self, step: Step) -> Step:
        self._opened().forget(step["user"], step["id"])
        return {}

    def _snapshot(self, step: Step) -> Step:
        self._opened().close()
        shutil.copytree(self._folder, step["folder"], dirs_exist_ok=True)
        self._reopen()
        return {"snapshot": {}}

    def _restore(self, step: Step) -> Step:
        self._opened().close()
        shutil.rmtree(self._folder)
        shutil.copytree(step["folder"], self._folder)
        self._reopen()
        return {}

    def _reopen(self) -> None:
        if self._opener is not None:
            self._store = self._opener(self._settings, self._folder)

    def _close(self, step: Step) -> Step:  # every step is handed over alike
        if self._store is not None:
            self._store.close()
        return {}
