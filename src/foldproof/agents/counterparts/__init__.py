"""Counterparts of an agent under test that are themselves made by a model: the simulated user."""

from foldproof.agents.counterparts.simulator import (
    SimulatedUser,
    Simulator,
    SimulatorError,
    Spoken,
    check_simulator,
    open_simulator,
    simulator_note,
)

__all__ = [
    "SimulatedUser",
    "Simulator",
    "SimulatorError",
    "Spoken",
    "check_simulator",
    "open_simulator",
    "simulator_note",
]
