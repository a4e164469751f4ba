"""The one door for plugins: unknown, twice registered and broken names are told, never guessed."""

import importlib.metadata
import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

from foldproof.core import MissingExtraError, Registry, UsageError

GROUP = "foldproof.things"


@pytest.fixture
def plugins(monkeypatch):
    points = []
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda *, group: [p for p in points if p.group == group])
    return lambda name, value, group=GROUP: points.append(EntryPoint(name, value, group))


@pytest.fixture
def things():
    return Registry(GROUP, "thing", {"dumps": "json:dumps", "path": "os:path.join"})


@pytest.fixture
def broken_module(monkeypatch):
    """A module whose attribute `thing` raises what it is told to."""

    def breaking(error):
        class Broken(ModuleType):
            def __getattr__(self, name):
                raise error

        monkeypatch.setitem(sys.modules, "broken_plugin", Broken("broken_plugin"))

    return breaking


def test_builtins_and_plugins_use_the_same_door(things, plugins):
    plugins("loads", "json:loads")
    plugins("other", "json:loads", group="foldproof.others")
    assert things.names() == ["dumps", "loads", "path"]
    assert things.get("loads") is sys.modules["json"].loads
    assert things.get("path") is sys.modules["os"].path.join


def test_an_unknown_name_is_refused_with_the_nearest(things, plugins):
    with pytest.raises(UsageError) as told:
        things.get("dump")
    assert str(told.value) == "unknown thing 'dump'\n  did you mean `dumps`?"


def test_a_name_registered_twice_shows_both(things, plugins):
    plugins("dumps", "elsewhere:dumps")
    with pytest.raises(UsageError) as told:
        things.get("path")
    assert "thing 'dumps' is registered twice: `json:dumps` and `elsewhere:dumps`" in str(told.value)


def test_the_same_place_named_twice_is_no_conflict(things, plugins):
    plugins("dumps", "json:dumps")
    assert things.get("dumps") is sys.modules["json"].dumps


@pytest.mark.parametrize("error", [RuntimeError("no licence"), SystemExit(0), ImportError("no licence")])
def test_a_plugin_that_raises_is_a_usage_error(things, plugins, broken_module, error):
    plugins("broken", "broken_plugin:thing")
    broken_module(error)
    with pytest.raises(UsageError) as told:
        things.get("broken")
    assert f"thing 'broken' cannot be loaded from `broken_plugin:thing`: {type(error).__name__}" in str(told.value)
    assert told.value.__cause__ is error


@pytest.mark.parametrize("place", ["no_such_module:thing", "json:no_such", "json"])
def test_a_place_without_a_thing_is_a_usage_error(plugins, place):
    with pytest.raises(UsageError, match="cannot be loaded from"):
        Registry(GROUP, "thing", {"x": place}).get("x")


def test_a_missing_extra_of_a_plugin_stays_what_it_is(things, plugins, broken_module):
    plugins("broken", "broken_plugin:thing")
    broken_module(MissingExtraError("x", "y", "z"))
    with pytest.raises(MissingExtraError):
        things.get("broken")
