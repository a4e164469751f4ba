"""A Letta server's archival memory as a memory of foldproof, in `foldproof-memory/1`, by plain HTTP.

Written from Letta's published API and not run against a real server: take it as a start. Each trial gets an agent of
its own, deleted at the end.
"""

from __future__ import annotations

import json
import sys
from http.client import HTTPConnection, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlsplit


class Letta:
    """One agent of a server; a passage of its archival memory for each turn."""

    def __init__(self, user: str, config: dict[str, Any]) -> None:
        place = urlsplit(config["url"])
        kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
        self.connection = kind(place.netloc, timeout=60)
        self.k = config.get("k", 8)
        self.agent = self.call("POST", "/v1/agents", {"name": user, **config.get("agent", {})})["id"]
        self.passages = f"/v1/agents/{self.agent}/archival-memory"

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:  # noqa: ANN401  # any JSON value
        """What the server answers."""
        content = None if body is None else json.dumps(body)
        self.connection.request(method, path, content, {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        text = response.read().decode()
        if response.status >= 400:
            raise OSError(f"{method} {path}: {response.status} {text[:300]}")
        return json.loads(text or "null")

    def answer(self, step: dict[str, Any]) -> dict[str, Any]:
        """The answer to one step."""
        if step["do"] == "ingest":
            said = [
                f"[{session['session']} {session['at']}] {turn['role']}: {turn['text']}"
                for session in step["history"]
                for turn in session["turns"]
            ]
            made = [self.call("POST", self.passages, {"text": text}) for text in said]
            return {"written": [passage["id"] for passages in made for passage in passages]}
        if step["do"] == "recall":
            found = self.call("GET", f"{self.passages}/search?query={quote(step['text'])}&top_k={self.k}")["results"]
            return {"items": [{"id": hit.get("id", ""), "text": hit["content"]} for hit in found[: self.k]]}
        if step["do"] == "memories":
            held = self.call("GET", f"{self.passages}?limit=10000")
            return {"items": [{"id": passage["id"], "text": passage["text"]} for passage in held]}
        if step["do"] == "forget":
            self.call("DELETE", f"{self.passages}/{step['id']}")
        elif step["do"] == "close":
            self.call("DELETE", f"/v1/agents/{self.agent}")
        else:
            return {"unsupported": True}
        return {}


def main() -> None:
    """Answer each line until the memory is closed."""
    letta: Letta | None = None
    for line in sys.stdin:
        step, told = json.loads(line), {}
        try:
            if step["do"] == "open":
                letta = Letta(step["user"], step["memory_config"])
            elif letta is not None:
                told = letta.answer(step)
        except Exception as error:  # noqa: BLE001  # whatever fails is told, and recorded as an error of the memory
            told = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(told), flush=True)
        if step["do"] == "close":
            break


if __name__ == "__main__":
    main()
