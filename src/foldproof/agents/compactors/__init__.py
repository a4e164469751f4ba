"""Compactors from outside: functions, programs, addresses, agents and models, behind one protocol."""

from foldproof.agents.compactors.kinds import COMPACTORS
from foldproof.agents.compactors.opening import open_compactors
from foldproof.agents.compactors.setup import CompactorSetup
from foldproof.agents.compactors.signature import compactor

__all__ = ["COMPACTORS", "CompactorSetup", "compactor", "open_compactors"]
