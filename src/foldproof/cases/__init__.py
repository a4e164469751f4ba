"""Cases: the replay set and the project file, loaded, linted and written."""

from foldproof.cases.cut import DRAFT, Cut, Point, cut, points_of
from foldproof.cases.environment import expand
from foldproof.cases.expectations import ArgumentCheck, CallCount, Expectation, ExpectedCall
from foldproof.cases.forgetting import Bystander, Forgetting
from foldproof.cases.frozen import CutFrom
from foldproof.cases.import_logs import Extra, LogImport, import_logs
from foldproof.cases.import_longmemeval import ImportReport, import_longmemeval
from foldproof.cases.lint import lint_set
from foldproof.cases.load import load_set
from foldproof.cases.nodes import shown
from foldproof.cases.project import find_project, load_project, project_environment
from foldproof.cases.project_records import Configuration, JudgeSettings, Limits, Project, Repeats
from foldproof.cases.provenance import Provenance, Source
from foldproof.cases.records import (
    CLASSES,
    STRICT_CLASSES,
    Case,
    JudgePin,
    ReplaySet,
    Requirement,
    Waiver,
)
from foldproof.cases.save import add_to_set, append_cases, cases_text, dump_set, set_case_field
from foldproof.cases.schemas import project_schema, replay_set_schema
from foldproof.cases.sessions import CaseSession, CaseTurn
from foldproof.cases.since import lint_since, lost_sources, without_doubles
from foldproof.matching import Fact

__all__ = [
    "CLASSES",
    "DRAFT",
    "STRICT_CLASSES",
    "ArgumentCheck",
    "Bystander",
    "CallCount",
    "Case",
    "CaseSession",
    "CaseTurn",
    "Configuration",
    "Cut",
    "CutFrom",
    "Expectation",
    "ExpectedCall",
    "Extra",
    "Fact",
    "Forgetting",
    "ImportReport",
    "JudgePin",
    "JudgeSettings",
    "Limits",
    "LogImport",
    "Point",
    "Project",
    "Provenance",
    "Repeats",
    "ReplaySet",
    "Requirement",
    "Source",
    "Waiver",
    "add_to_set",
    "append_cases",
    "cases_text",
    "cut",
    "dump_set",
    "expand",
    "find_project",
    "import_logs",
    "import_longmemeval",
    "lint_set",
    "lint_since",
    "load_project",
    "load_set",
    "lost_sources",
    "points_of",
    "project_environment",
    "project_schema",
    "replay_set_schema",
    "set_case_field",
    "shown",
    "without_doubles",
]
