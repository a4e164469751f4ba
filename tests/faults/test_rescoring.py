"""A recorded run is scored again with the network blocked, and comes to the same, byte for byte."""

from __future__ import annotations

import json
import socket
from contextlib import contextmanager

import pytest

from foldproof.cli.main import run as call


@pytest.fixture
def offline():
    """For as long as its context lasts, whatever connects, looks up a name or starts a process fails."""

    def refused(*_, **__):
        raise AssertionError("scoring reached for the network")

    @contextmanager
    def blocking():
        with pytest.MonkeyPatch.context() as patch:
            for name in ("connect", "connect_ex"):
                patch.setattr(socket.socket, name, refused)
            patch.setattr(socket, "getaddrinfo", refused)
            patch.setattr("subprocess.Popen.__init__", refused)
            yield

    return blocking


@pytest.mark.parametrize("kind", ["python", "command, wire", "command, otel", "http, wire", "chat", "recall"])
def test_scores_and_owners_are_the_same(scored, places, offline, monkeypatch, capsys, kind):
    told = scored(kind)
    monkeypatch.chdir(places[kind])
    capsys.readouterr()
    documents = []
    with offline():
        for _ in range(2):
            assert call(["rescore", "subject", "--json"]) == 1
            documents.append(capsys.readouterr().out)
    assert documents[0] == documents[1]
    cases = json.loads(documents[0])["cases"]
    assert {case["id"] for case in cases} == set(told)
    for case in cases:
        [trial] = case["trials"]
        [fact] = trial["facts"]
        before = told[case["id"]].trials[0].facts[0]
        loss = (before.loss.owner, before.loss.reason) if before.loss else (None, "")
        assert (fact["outcome"], fact["owner"], fact["why"]) == (before.outcome, *loss)


def test_the_block_is_one(offline):
    with offline(), pytest.raises(AssertionError, match="reached for the network"):
        socket.create_connection(("127.0.0.1", 9), timeout=1)
