"""Opens agents of a configuration in a temporary project."""

import os
from contextlib import asynccontextmanager

import pytest

from foldproof.agents import SessionInfo, open_agents
from foldproof.cases import Configuration


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def opened(tmp_path):
    @asynccontextmanager
    async def opening(agent, memory=None, model=None, environ=None):
        configuration = Configuration("candidate", agent, model=model or {}, memory=memory or {}, line=7)
        async with open_agents(configuration, os.environ if environ is None else environ, tmp_path) as agents:
            yield agents.factory

    return opening


@pytest.fixture
def ask():
    async def asking(agent, question="Hello?", **info):
        conversation = await agent.start_session(SessionInfo(**{"user": "u1", "session": "s1", **info}))
        return await conversation.reply(question)

    return asking
