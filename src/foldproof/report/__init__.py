"""Reports: documents made of the stages' records, and everything that is rendered from documents.

Every renderer is pure and answers with a text that ends in one line feed.
"""

from foldproof.report.build import (
    baseline_document,
    check_document,
    compare_document,
    compared_run,
    lint_document,
    run_document,
    run_info,
)
from foldproof.report.controls import ControlsPart, controls_part
from foldproof.report.cuts import CutDocument, cut_document, points_document
from foldproof.report.documents import (
    DOCUMENTS,
    BaselineDocument,
    CheckDocument,
    CompareDocument,
    DemoDocument,
    DoctorDocument,
    ErrorDocument,
    FilesDocument,
    Finding,
    LintDocument,
    MatchDocument,
    PlanDocument,
    RunDocument,
    document_schema,
)
from foldproof.report.evidence import explain_document
from foldproof.report.explained import ExplainDocument
from foldproof.report.grades import GradeDocument, grade_document
from foldproof.report.imports import ImportDocument, import_document
from foldproof.report.judges import (
    DisagreementRow,
    calibration_document,
    disagreement_row,
    judge_part,
    pin_document,
    reconciliation_document,
)
from foldproof.report.junit import junit_check, junit_run
from foldproof.report.machine import json_text, write_schemas
from foldproof.report.markdown import markdown_check, markdown_compare, markdown_explain, markdown_run
from foldproof.report.markdown_grades import markdown_grades
from foldproof.report.terminal import (
    render_baseline,
    render_calibration,
    render_check,
    render_compare,
    render_cut,
    render_demo,
    render_doctor,
    render_explain,
    render_files,
    render_grades,
    render_import,
    render_lint,
    render_match,
    render_pin,
    render_reconciliation,
    render_run,
)

__all__ = [
    "DOCUMENTS",
    "BaselineDocument",
    "CheckDocument",
    "CompareDocument",
    "ControlsPart",
    "CutDocument",
    "DemoDocument",
    "DisagreementRow",
    "DoctorDocument",
    "ErrorDocument",
    "ExplainDocument",
    "FilesDocument",
    "Finding",
    "GradeDocument",
    "ImportDocument",
    "LintDocument",
    "MatchDocument",
    "PlanDocument",
    "RunDocument",
    "baseline_document",
    "calibration_document",
    "check_document",
    "compare_document",
    "compared_run",
    "controls_part",
    "cut_document",
    "disagreement_row",
    "document_schema",
    "explain_document",
    "grade_document",
    "import_document",
    "json_text",
    "judge_part",
    "junit_check",
    "junit_run",
    "lint_document",
    "markdown_check",
    "markdown_compare",
    "markdown_explain",
    "markdown_grades",
    "markdown_run",
    "pin_document",
    "points_document",
    "reconciliation_document",
    "render_baseline",
    "render_calibration",
    "render_check",
    "render_compare",
    "render_cut",
    "render_demo",
    "render_doctor",
    "render_explain",
    "render_files",
    "render_grades",
    "render_import",
    "render_lint",
    "render_match",
    "render_pin",
    "render_reconciliation",
    "render_run",
    "run_document",
    "run_info",
    "write_schemas",
]
