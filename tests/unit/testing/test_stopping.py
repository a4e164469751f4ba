"""A server that stops closes every connection, also one that is made in that very moment."""

import gc
import socket
import warnings
from urllib.parse import urlsplit

import pytest

from foldproof.testing import ScriptedEndpoint, ScriptedModel


@pytest.mark.parametrize("kind", [ScriptedEndpoint, ScriptedModel])
def test_a_connection_that_is_made_as_it_stops_is_closed(kind):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ResourceWarning)
        for _ in range(20):
            with kind(lambda _: "x") as server:
                client = socket.create_connection(("127.0.0.1", urlsplit(server.url).port))
            client.close()
        gc.collect()
    assert [str(warning.message) for warning in told] == []
