"""What each report says and in which order; where it is written is the sheet's matter."""

from foldproof.report.pages.baseline import write_baseline
from foldproof.report.pages.check import write_check
from foldproof.report.pages.cliff import write_cliff
from foldproof.report.pages.compare import write_compare
from foldproof.report.pages.coverage import write_coverage
from foldproof.report.pages.cuts import write_cut
from foldproof.report.pages.demo import write_demo
from foldproof.report.pages.explain import write_explain
from foldproof.report.pages.grades import write_grades
from foldproof.report.pages.holdout import write_holdout, write_holdout_log
from foldproof.report.pages.imports import write_import
from foldproof.report.pages.judges import write_calibration, write_pin, write_reconciliation
from foldproof.report.pages.labels import LabelScreen, write_label_agreement, write_labelling, write_question
from foldproof.report.pages.mined import write_mined
from foldproof.report.pages.run import write_run
from foldproof.report.pages.short import write_doctor, write_files, write_lint, write_match
from foldproof.report.pages.triage import write_triage

__all__ = [
    "LabelScreen",
    "write_baseline",
    "write_calibration",
    "write_check",
    "write_cliff",
    "write_compare",
    "write_coverage",
    "write_cut",
    "write_demo",
    "write_doctor",
    "write_explain",
    "write_files",
    "write_grades",
    "write_holdout",
    "write_holdout_log",
    "write_import",
    "write_label_agreement",
    "write_labelling",
    "write_lint",
    "write_match",
    "write_mined",
    "write_pin",
    "write_question",
    "write_reconciliation",
    "write_run",
    "write_triage",
]
