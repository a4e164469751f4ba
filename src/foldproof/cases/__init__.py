"""Cases: the replay set and the project file, loaded, linted and written."""

from foldproof.cases.compactor_wire import compactor_named
from foldproof.cases.cut import Cut, Point, cut, points_of
from foldproof.cases.environment import expand
from foldproof.cases.expectations import ArgumentCheck, CallCount, Expectation, ExpectedCall
from foldproof.cases.forgetting import Bystander, Forgetting
from foldproof.cases.frozen import CutFrom
from foldproof.cases.git import GitError, Repository, repository_of
from foldproof.cases.holdout import (
    HoldoutError,
    HoldoutKey,
    cases_in_holdout,
    key_is_open,
    make_key,
    open_sealed,
    read_key,
    seal_set,
    sealed_header,
)
from foldproof.cases.holdout_log import LogEntry, append_entry, file_hash, log_problems, openings, read_log
from foldproof.cases.import_benchmark import BenchmarkName, ImportReport, import_benchmark
from foldproof.cases.import_logs import Extra, LogImport, import_logs
from foldproof.cases.lint import lint_set
from foldproof.cases.load import load_set
from foldproof.cases.logged import Logged
from foldproof.cases.nodes import shown
from foldproof.cases.project import find_project, load_project, project_environment, usual_log
from foldproof.cases.project_records import (
    Configuration,
    DeclaredCompactor,
    HoldoutSettings,
    JudgeSettings,
    Limits,
    Project,
    Repeats,
)
from foldproof.cases.provenance import Provenance, Source
from foldproof.cases.records import (
    CLASSES,
    DISPUTED,
    DISPUTED_SOURCE,
    DRAFT,
    STRICT_CLASSES,
    BenchmarkData,
    Case,
    JudgePin,
    ReplaySet,
    Requirement,
    Waiver,
)
from foldproof.cases.save import (
    add_to_set,
    append_cases,
    cases_text,
    check_new_set,
    dump_new_sets,
    dump_set,
    set_case_field,
)
from foldproof.cases.schemas import project_schema, replay_set_schema
from foldproof.cases.sessions import CaseSession, CaseTurn
from foldproof.cases.since import lint_since, lost_sources, without_doubles
from foldproof.matching import Fact

__all__ = [
    "CLASSES",
    "DISPUTED",
    "DISPUTED_SOURCE",
    "DRAFT",
    "STRICT_CLASSES",
    "ArgumentCheck",
    "BenchmarkData",
    "BenchmarkName",
    "Bystander",
    "CallCount",
    "Case",
    "CaseSession",
    "CaseTurn",
    "Configuration",
    "Cut",
    "CutFrom",
    "DeclaredCompactor",
    "Expectation",
    "ExpectedCall",
    "Extra",
    "Fact",
    "Forgetting",
    "GitError",
    "HoldoutError",
    "HoldoutKey",
    "HoldoutSettings",
    "ImportReport",
    "JudgePin",
    "JudgeSettings",
    "Limits",
    "LogEntry",
    "LogImport",
    "Logged",
    "Point",
    "Project",
    "Provenance",
    "Repeats",
    "ReplaySet",
    "Repository",
    "Requirement",
    "Source",
    "Waiver",
    "add_to_set",
    "append_cases",
    "append_entry",
    "cases_in_holdout",
    "cases_text",
    "check_new_set",
    "compactor_named",
    "cut",
    "dump_new_sets",
    "dump_set",
    "expand",
    "file_hash",
    "find_project",
    "import_benchmark",
    "import_logs",
    "key_is_open",
    "lint_set",
    "lint_since",
    "load_project",
    "load_set",
    "log_problems",
    "lost_sources",
    "make_key",
    "open_sealed",
    "openings",
    "points_of",
    "project_environment",
    "project_schema",
    "read_key",
    "read_log",
    "replay_set_schema",
    "repository_of",
    "seal_set",
    "sealed_header",
    "set_case_field",
    "shown",
    "usual_log",
    "without_doubles",
]
