"""Cases: the replay set and the project file, loaded, linted and written."""
from foldproof.cases.environment import expand
from foldproof.cases.load import load_set
from foldproof.cases.project import find_project, load_project, project_environment
from foldproof.cases.project_records import Configuration, Limits, Project, Repeats
from foldproof.cases.records import (
    CLASSES,
    STRICT_CLASSES,
    Case,
    JudgePin,
    ReplaySet,
    Requirement,
    Source,
    Waiver,
)
from foldproof.matching import Fact

__all__ = [
    "CLASSES",
    "STRICT_CLASSES",
    "Case",
    "Configuration",
    "Fact",
    "JudgePin",
    "Limits",
    "Project",
    "Repeats",
    "ReplaySet",
    "Requirement",
    "Source",
    "Waiver",
    "expand",
    "find_project",
    "load_project",
    "load_set",
    "project_environment",
]
