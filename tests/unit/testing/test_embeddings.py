"""Embeddings of a scripted model: near where words are shared, the same at any time, in both encodings."""

import base64
import math
import struct

import pytest

from foldproof.testing import ModelFailure, ScriptedModel
from foldproof.testing.embeddings import hashed_words

EMBEDDINGS = "/v1/embeddings"


def near(one, other):
    return sum(a * b for a, b in zip(hashed_words(one, 256), hashed_words(other, 256), strict=True))


def test_texts_that_share_words_are_near():
    question = "Which database does the billing service use?"
    assert near(question, "Billing runs on the database Postgres 15.") > 0.4
    assert near(question, "My cat is called Tom.") < 0.2
    assert near("What am I allergic to?", "The user has an allergy: penicillin.") > 0.4
    assert near("北京的猫", "北京的猫") == pytest.approx(1)


@pytest.mark.parametrize("text", ["Postgres 15", "the of and", "…", "a\ud83d", "1"])
@pytest.mark.parametrize("dimensions", [1, 8, 256])
def test_a_vector_has_the_length_one(text, dimensions):
    vector = hashed_words(text, dimensions)
    assert len(vector) == dimensions
    assert math.hypot(*vector) == pytest.approx(1)


def test_words_that_cancel_out_leave_a_vector():
    words = [f"w{n}" for n in range(50)]
    signs = {word: hashed_words(word, 1)[0] for word in words}
    plus, minus = (next(word for word in words if signs[word] == sign) for sign in (1.0, -1.0))
    assert math.hypot(*hashed_words(f"{plus} {minus}", 1)) == 1


def test_a_request_is_answered_in_its_encoding(send):
    body = {"model": "m", "input": ["my cat", "my dog"], "dimensions": 8}
    with ScriptedModel(lambda _: "no") as scripted:
        plain = send(scripted, EMBEDDINGS, body).body
        packed = send(scripted, EMBEDDINGS, body | {"encoding_format": "base64"}).body
        [request, _] = scripted.requests
        assert scripted.asked == {"my cat": 2, "my dog": 2}
    assert [row["embedding"] for row in plain["data"]] == [list(hashed_words(text, 8)) for text in body["input"]]
    unpacked = [struct.unpack("<8f", base64.b64decode(row["embedding"])) for row in packed["data"]]
    assert unpacked == [pytest.approx(row["embedding"]) for row in plain["data"]]
    assert [row["index"] for row in plain["data"]] == [0, 1]
    assert plain["usage"] == {"prompt_tokens": 4, "total_tokens": 4}
    assert (request.api, request.texts, request.prompt) == ("embeddings", ("my cat", "my dog"), "my cat\nmy dog")


@pytest.mark.parametrize(("given", "count"), [("my cat", 1), ([5, 7], 1), ([[5, 7], [9]], 2)])
def test_a_text_and_tokens_are_taken(given, count, send):
    with ScriptedModel(lambda _: "no") as scripted:
        assert len(send(scripted, EMBEDDINGS, {"model": "m", "input": given}).body["data"]) == count


def test_vectors_may_be_of_the_tests_own_or_fail(send):
    def embed(text, dimensions):
        return ModelFailure(503, "no vectors today") if "down" in text else [1.0, 0.0]

    with ScriptedModel(lambda _: "no", embed=embed) as scripted:
        fine = send(scripted, EMBEDDINGS, {"model": "m", "input": "up"})
        broken = send(scripted, EMBEDDINGS, {"model": "m", "input": ["up", "down"]})
    assert fine.body["data"][0]["embedding"] == [1.0, 0.0]
    assert (broken.status, broken.body["error"]["message"]) == (503, "no vectors today")
