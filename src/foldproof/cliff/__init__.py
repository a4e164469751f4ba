"""The cliff: what survives round after round of compaction, by class. Reads texts, labels and rounds; calls no agent.

The rules are in `docs/cliff.md`.
"""

from foldproof.cliff.agreement import LabelAgreement, agreements
from foldproof.cliff.documents import Document, Line, line_hash, lines_of, read_corpus
from foldproof.cliff.drawing import drawn, spread, statements_of
from foldproof.cliff.label_wire import labels_schema
from foldproof.cliff.labelling import Question, Sitting, open_questions, second_questions, unsettled_questions
from foldproof.cliff.labels import (
    LINE_CLASSES,
    NOTHING,
    Label,
    LabelledLine,
    Labels,
    Probe,
    join_labels,
    labels_text,
    load_labels,
    save_labels,
)
from foldproof.cliff.records import (
    FAILED,
    SCHEDULES,
    ProbeAnswer,
    ProbeCondition,
    ProbeState,
    Round,
    RoundKey,
    RoundState,
    Schedule,
)

__all__ = [
    "FAILED",
    "LINE_CLASSES",
    "NOTHING",
    "SCHEDULES",
    "Document",
    "Label",
    "LabelAgreement",
    "LabelledLine",
    "Labels",
    "Line",
    "Probe",
    "ProbeAnswer",
    "ProbeCondition",
    "ProbeState",
    "Question",
    "Round",
    "RoundKey",
    "RoundState",
    "Schedule",
    "Sitting",
    "agreements",
    "drawn",
    "join_labels",
    "labels_schema",
    "labels_text",
    "line_hash",
    "lines_of",
    "load_labels",
    "open_questions",
    "read_corpus",
    "save_labels",
    "second_questions",
    "spread",
    "statements_of",
    "unsettled_questions",
]
