"""Agents: the system under test, reached through one small protocol, and the reference memories."""

from foldproof.agents.errors import AgentError, TransientError, UnsupportedError
from foldproof.agents.factory import AgentFactory, OpenedAgents, open_agents
from foldproof.agents.protocols import Agent, Conversation, Reply, SessionInfo
from foldproof.agents.signature import agent
from foldproof.logs import MemoryItem, Usage

__all__ = [
    "Agent",
    "AgentError",
    "AgentFactory",
    "Conversation",
    "MemoryItem",
    "OpenedAgents",
    "Reply",
    "SessionInfo",
    "TransientError",
    "UnsupportedError",
    "Usage",
    "agent",
    "open_agents",
]
