"""Embeddings behind an OpenAI-compatible endpoint: texts in, vectors of length one out."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any

from foldproof.agents.endpoint import Endpoint
from foldproof.agents.errors import AgentError
from foldproof.agents.memories.memory import Resources
from foldproof.agents.model import endpoint_of, memory_wire
from foldproof.agents.shapes import usage_of
from foldproof.agents.usage import summed
from foldproof.core import UsageError
from foldproof.core.settings import mapping, number, read_settings, text, whole
from foldproof.logs import Usage

Vector = Sequence[float]
_ROUTE = "/embeddings"
_SETTINGS = {
    "base_url": text(),
    "name": text(),
    "api_key_env": text(),
    "headers": mapping(),
    "dimensions": whole(None),
    "batch": whole(64),
    "price": number(None),
}


@dataclass(frozen=True)
class Embeddings:
    """One embedding model. `price` is in US dollars per million tokens, None where it is not known."""

    endpoint: Endpoint
    name: str
    dimensions: int | None
    batch: int
    price: float | None

    async def embed(self, texts: Sequence[str]) -> tuple[list[Vector], Usage | None]:
        """A vector of length one for each text, in their order, and what they used; equal texts are sent once.

        Raises:
            AgentError: where a batch fails, or the answer holds not one vector of the same length for each text.
        """
        wanted = list(dict.fromkeys(texts))
        found: dict[str, Vector] = {}
        usages: list[Usage | None] = []
        for start in range(0, len(wanted), self.batch):
            part = wanted[start : start + self.batch]
            # a text of blanks is refused by some servers; no text is longer or shorter for it
            body: dict[str, Any] = {"model": self.name, "input": [text if text.strip() else "." for text in part]}
            if self.dimensions is not None:
                body["dimensions"] = self.dimensions
            answer = await self.endpoint.post(_ROUTE, json.dumps(body, ensure_ascii=False))
            try:
                vectors, usage = _read(answer, len(part))
            except AgentError as error:
                raise self.endpoint.safe(error) from None
            usages.append(self._priced(usage))
            found.update(zip(part, vectors, strict=True))
        if len({len(vector) for vector in found.values()}) > 1:
            raise AgentError("the endpoint answered with embeddings of different lengths")
        return [found[text] for text in texts], summed(usages)

    def _priced(self, usage: Usage | None) -> Usage | None:
        if usage is None or usage.input_tokens is None:
            return usage
        cost = None if self.price is None else usage.input_tokens * self.price / 1e6
        return Usage(usage.input_tokens, usage.output_tokens or 0, cost)


def embeddings_of(given: Mapping[str, Any], resources: Resources, *, kind: str) -> Embeddings:
    """The embedding model that the settings of a memory of this kind name.

    Raises:
        UsageError: for an unknown setting, or where the name or the address is missing.
    """
    settings = read_settings(f"{kind}.embed", _SETTINGS, given)
    place = f"memory '{kind}'"
    if settings["name"] is None:
        raise UsageError(f"{place}: `embed` has no `name`\n  write the embedding model's: `name: nomic-embed-text`")
    wire_url = memory_wire(settings, resources)
    endpoint = endpoint_of(settings, resources.environ, resources.pool, place=f"{place}: embed", wire_url=wire_url)
    return Embeddings(endpoint, settings["name"], settings["dimensions"], settings["batch"], settings["price"])


def likeness(vector: Vector, others: Sequence[Vector]) -> list[float]:
    """The cosine of the vector with each of the others, all of length one.

    Raises:
        AgentError: where their lengths differ: they come from different models.
    """
    if others and len(vector) != len(others[0]):
        raise AgentError(f"an embedding has {len(vector)} numbers, those before it have {len(others[0])}")
    return [sum(map(mul, vector, other)) for other in others]


def _read(body: bytes, count: int) -> tuple[list[Vector], Usage | None]:
    try:
        data = json.loads(body)
        rows = sorted(data["data"], key=lambda row: row["index"])
        vectors = [_normalized(row["embedding"]) for row in rows]
        places = [row["index"] for row in rows]
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        shown = body.decode("utf-8", "replace")[:300]
        raise AgentError(f"the endpoint answered 200 with what are no embeddings: {shown!r}") from error
    if places != list(range(count)):
        raise AgentError(f"the endpoint answered with {len(vectors)} embeddings for {count} texts")
    return vectors, usage_of(data.get("usage"), "prompt_tokens", "completion_tokens")


def _normalized(numbers: Any) -> Vector:  # noqa: ANN401  # any JSON value
    vector = array("d", numbers)
    length = math.sqrt(sum(map(mul, vector, vector)))
    if not math.isfinite(length) or length == 0:
        raise ValueError("an embedding without a direction")  # becomes one message above
    return array("d", [number / length for number in vector])
