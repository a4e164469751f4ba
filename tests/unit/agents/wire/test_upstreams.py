"""Where the proxy sends what it gets."""

import pytest

from foldproof.agents.watch import Watching, WatchSetup
from foldproof.agents.wire.upstreams import Upstreams, detour, upstreams_of
from foldproof.core import UsageError


def found(settings=None, model=None, **environ):
    return upstreams_of(WatchSetup("configs.c.wire", settings or {}, model or {}, environ, Watching(), "c"))


def test_settings_come_before_the_model_and_the_model_before_the_environment():
    environ = {"OPENAI_BASE_URL": "http://env/v1", "ANTHROPIC_BASE_URL": "http://aenv", "OPENAI_API_BASE": "http://old"}
    model = {"base_url": "${HOST:-http://model}/v1/"}
    settings = {"openai": "https://${WHERE}/v1", "anthropic": "http://a"}
    assert found(settings, model, WHERE="set", **environ) == Upstreams("https://set/v1", "http://a")
    assert found({}, model, **environ) == Upstreams("http://model/v1", "http://aenv")
    assert found({}, {"name": "m"}, **environ) == Upstreams("http://env/v1", "http://aenv")
    assert found(OPENAI_API_BASE="http://old/v1", OPENAI_BASE_URL="").openai == "http://old/v1"
    assert found({"on": True}) == Upstreams("https://api.openai.com/v1", "https://api.anthropic.com")
    assert found(ANTHROPIC_BASE_URL="http://a/v1/").anthropic == "http://a"


def test_a_base_url_may_hold_the_route_as_it_may_without_the_wire():
    assert found(model={"base_url": "http://m/v1/chat/completions/"}).openai == "http://m/v1"
    assert found({"openai": "http://s/v1/chat/completions"}).openai == "http://s/v1"
    assert found(OPENAI_BASE_URL="http://e/v1/chat/completions").openai == "http://e/v1"
    assert found(model={"base_url": "http://m/chat"}).openai == "http://m/chat"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"opnai": "http://x"}, "configs.c.wire: unknown setting `opnai`\n  did you mean `openai`?"),
        ({"openai": 7}, "configs.c.wire.openai is 7: it is no text"),
        ({"openai": "localhost:8000"}, "it is no address"),
        ({"openai": "http://[::1"}, "it is no address"),
        ({"openai": "http://x:0"}, "it is no address"),
        ({"openai": ""}, "it is no address"),
        ({"anthropic": "http://x?key=1"}, "has a query or a fragment"),
        ({"anthropic": "http://me:word@x"}, "a user name or a password"),
        ({"openai": "${NOT_THERE}"}, "environment variable `NOT_THERE`, which is not set"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings, words):
    with pytest.raises(UsageError) as caught:
        found(settings)
    assert words in str(caught.value)


def test_other_places_are_named():
    with pytest.raises(UsageError, match=r"configs\.c\.wire: the model's `base_url` is 'here'"):
        found({}, {"base_url": "here"})
    with pytest.raises(UsageError, match="the environment variable `OPENAI_BASE_URL` is 'here'"):
        found(OPENAI_BASE_URL="here")
    with pytest.raises(UsageError, match=r"`configs\.c\.model\.base_url` needs"):
        found({}, {"base_url": "${NOT_THERE}"})


@pytest.mark.parametrize(
    ("path", "anthropic", "url"),
    [
        ("/v1/chat/completions?a=1", False, "http://o/v1/chat/completions?a=1"),
        ("/chat/completions", False, "http://o/v1/chat/completions"),
        ("/v1/v1/chat/completions", False, "http://o/v1/chat/completions"),
        ("/v1", False, "http://o/v1"),
        ("/v1?x=1", False, "http://o/v1?x=1"),
        ("/v10/x", False, "http://o/v1/v10/x"),
        ("/v1/messages", True, "http://a/v1/messages"),
        ("/v1/v1/messages", True, "http://a/v1/messages"),
        ("/messages", True, "http://a/v1/messages"),
    ],
)
def test_addresses(path, anthropic, url):
    assert Upstreams("http://o/v1", "http://a").url_of(path, anthropic=anthropic) == url


@pytest.mark.parametrize(
    ("url", "environ", "taken"),
    [
        ("https://api.example/v1", {"HTTPS_PROXY": "http://p:3128"}, "http://p:3128"),
        ("https://api.example/v1", {"https_proxy": "http://p:3128", "HTTPS_PROXY": "http://q"}, "http://p:3128"),
        ("https://api.example/v1", {"http_proxy": "http://p:3128"}, None),
        ("https://api.example/v1", {"ALL_PROXY": "http://p"}, "http://p"),
        ("https://api.example/v1", {"ALL_PROXY": "socks5://p"}, None),
        ("http://127.0.0.1:8000/v1", {"http_proxy": "http://p", "NO_PROXY": "x, 127.0.0.1"}, None),
        ("http://127.0.0.1:8000/v1", {"http_proxy": "http://p", "no_proxy": "127.0.0.1:8000"}, None),
        ("http://127.0.0.1:8000/v1", {"http_proxy": "http://p", "no_proxy": "127.0.0.1:9"}, "http://p"),
        ("http://api.example", {"http_proxy": "http://p", "no_proxy": ".example"}, None),
        ("http://api.example", {"http_proxy": "http://p", "no_proxy": "*"}, None),
        ("http://api.example", {"http_proxy": "http://p", "no_proxy": "pi.example,,"}, "http://p"),
        ("http://api.example", {}, None),
    ],
)
def test_the_proxy_of_the_environment(url, environ, taken):
    assert detour(url, environ) == taken
