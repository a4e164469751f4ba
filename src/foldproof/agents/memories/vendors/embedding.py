"""Embeddings from an OpenAI-compatible address, each text asked for once."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from .store import StoreError

_BATCH = 100
_TIMEOUT_S = 60


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows nobody elsewhere: the key would go along to whoever is named there."""

    def redirect_request(self, *_args: object, **_named: object) -> None:
        """Nothing to ask in its place, so that the answer counts as the failure that it is."""
        return


class Embeddings:
    """Texts to vectors. What was asked is kept in a file, so that a memory that is restored does not ask again."""

    def __init__(self, endpoint: dict[str, Any], file: Path) -> None:
        self._url = f"{endpoint['base_url'].rstrip('/')}/embeddings"
        self._name = endpoint["name"]
        self._key = os.environ.get(endpoint.get("api_key_env") or "OPENAI_API_KEY") or "none"
        self._file = file
        self._known: dict[str, list[float]] = json.loads(file.read_text("utf-8")) if file.exists() else {}
        # Straight to the configured address, whatever proxy the environment names for others.
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects()).open

    def __call__(self, texts: list[str]) -> list[list[float]]:
        """A vector for each text, in their order."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            self._known.update(zip(batch, self._asked(batch), strict=True))
        return [self._known[text] for text in texts]

    def save(self) -> None:
        """Keep what is known."""
        self._file.write_text(json.dumps(self._known), "utf-8")

    def _asked(self, texts: list[str]) -> list[list[float]]:
        body = json.dumps({"model": self._name, "input": texts, "encoding_format": "float"}).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        request = urllib.request.Request(self._url, body, headers)  # noqa: S310  # the address that the user configured
        try:
            with self._open(request, timeout=_TIMEOUT_S) as response:
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                to = f" (it redirects to {error.headers.get('Location')})" if error.code < 400 else ""
            raise StoreError(f"no embeddings from {self._url}: {error}{to}") from error
        except OSError as error:
            raise StoreError(f"no embeddings from {self._url}: {error}") from error
        rows = sorted(answer["data"], key=lambda row: int(row["index"]))
        return [[float(value) for value in row["embedding"]] for row in rows]


def dimensions_of(endpoint: dict[str, Any], folder: Path) -> int:
    """How long the vectors are: as the settings say, else as the address answers."""
    return int(endpoint.get("dims") or len(Embeddings(endpoint, folder / "none.json")(["."])[0]))
