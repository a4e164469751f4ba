"""What the tests of the fakes stand on: raw requests, and the events of a stream."""

import http.client
import json
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest


@dataclass(frozen=True)
class Got:
    status: int
    headers: dict
    content: bytes
    cut: bool = False

    @property
    def body(self):
        return json.loads(self.content)

    @property
    def events(self):
        """The events of a stream as pairs of their name and their data."""
        found = []
        for block in self.content.decode().split("\n\n"):
            lines = dict(line.split(": ", 1) for line in block.splitlines())
            if "data" in lines:
                data = lines["data"]
                found.append((lines.get("event", ""), data if data == "[DONE]" else json.loads(data)))
        return found


def send(place, path, body=None, *, method="POST", headers=None):
    """One request as no client library would shape it; `body` is JSON or the bytes themselves."""
    connection = http.client.HTTPConnection(urlsplit(place.root_url).netloc, timeout=10)
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    told = {"anthropic-version": "2023-06-01"} if path == MESSAGES else {}
    try:
        connection.request(method, path, content, {**told, **(headers or {})})
        answer = connection.getresponse()
        names = {name.lower(): value for name, value in answer.getheaders()}
        try:
            return Got(answer.status, names, answer.read())
        except http.client.IncompleteRead as error:
            return Got(answer.status, names, error.partial, cut=True)
    finally:
        connection.close()


CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
EMBEDDINGS = "/v1/embeddings"


def asking(path, text="Which database?", **more):
    """The least body of each protocol that asks a question."""
    said = [{"role": "user", "content": text}]
    return {
        CHAT: {"model": "m", "messages": said},
        RESPONSES: {"model": "m", "input": text},
        MESSAGES: {"model": "m", "max_tokens": 100, "messages": said},
    }[path] | more


@pytest.fixture(name="send")
def send_fixture():
    return send


@pytest.fixture(name="asking")
def asking_fixture():
    return asking
