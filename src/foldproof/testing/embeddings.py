"""OpenAI's embeddings, as a scripted model makes them: hashed words, so that texts which share words are near."""

from __future__ import annotations

import base64
import hashlib
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from foldproof.testing.answers import ModelFailure, RefusedError, pieces_of
from foldproof.testing.asked import ModelRequest
from foldproof.testing.dialect import needs_text, whole_number
from foldproof.testing.words import stems_of

DIMENSIONS = 256
_MOST_DIMENSIONS = 8192
Embed = Callable[[str, int], Sequence[float] | ModelFailure]


def hashed_words(text: str, dimensions: int) -> Sequence[float]:
    """A unit vector: each stem of the text adds 1 or -1 at a place that its hash gives.

    Two texts are as near as the words that they share; other words for the same thing are far. A text without
    words gets the vector of its characters.
    """
    vector = [0.0] * dimensions
    for stem in stems_of(text) or list(text):
        digest = hashlib.blake2b(stem.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        vector[int.from_bytes(digest[:7]) % dimensions] += 1.0 if digest[7] & 1 else -1.0
    length = math.hypot(*vector)
    # Two stems that meet at one place with unlike signs may leave nothing, and a vector of zeros is near nothing.
    return [value / length for value in vector] if length else [1.0, *([0.0] * (dimensions - 1))]


def read_embeddings(body: Mapping[str, Any]) -> ModelRequest:
    """The request; each text is one to be embedded.

    Raises:
        RefusedError: where the provider would refuse it.
    """
    needs_text(body, "model")
    given = body.get("input")
    one = not isinstance(given, list) or all(isinstance(part, int) for part in given)
    several: list[Any] = [given] if one else list(given or [])
    if not all(_is_text(part) for part in several):
        raise RefusedError(f"`input` must be texts or lists of tokens, none of them empty, not {given!r}")
    if body.get("encoding_format") not in (None, "float", "base64"):
        raise RefusedError(f"`encoding_format` must be `float` or `base64`, not {body['encoding_format']!r}")
    if (whole_number(body, ["dimensions"]) or 0) > _MOST_DIMENSIONS:
        raise RefusedError(f"`dimensions` must be at most {_MOST_DIMENSIONS}, not {body['dimensions']!r}")
    texts = tuple(part if isinstance(part, str) else " ".join(map(str, part)) for part in several)
    return ModelRequest("embeddings", body, texts=texts)


def embedded(request: ModelRequest, embed: Embed) -> Mapping[str, Any] | ModelFailure:
    """The body of the answer, or the failure that `embed` gave for one of the texts."""
    dimensions = request.body.get("dimensions") or DIMENSIONS
    data = []
    for at, text in enumerate(request.texts):
        vector = embed(text, dimensions)
        if isinstance(vector, ModelFailure):
            return vector
        packed: object = list(vector)
        if request.body.get("encoding_format") == "base64":
            packed = base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
        data.append({"object": "embedding", "index": at, "embedding": packed})
    read = sum(len(pieces_of(text)) for text in request.texts)
    usage = {"prompt_tokens": read, "total_tokens": read}
    return {"object": "list", "data": data, "model": request.model_name, "usage": usage}


def _is_text(part: object) -> bool:
    if isinstance(part, list):
        return bool(part) and all(isinstance(token, int) and not isinstance(token, bool) for token in part)
    return isinstance(part, str) and bool(part)
