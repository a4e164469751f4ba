"""The documents of `label`: what a sitting gave, and how far labellers agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from foldproof.cliff import Label, LabelAgreement, Labels, Sitting
from foldproof.compare.statistics import Agreement
from foldproof.report.explained import Document
from foldproof.report.judges import AgreementRow


class LabellingDocument(Document):
    """The document of `foldproof label`."""

    schema_name: Literal["foldproof/labelling/1"] = Field(
        default="foldproof/labelling/1", validation_alias="schema", serialization_alias="schema"
    )
    file: str = Field(description="the labels file; it holds hashes and classes, no text of the corpus")
    labeller: str = Field(description="who labelled; empty where differing labels were settled")
    given: int = Field(description="lines labelled, or settled, now")
    left: int = Field(description="lines that were to be labelled and are not yet")
    labels: int = Field(description="labels in the file")
    documents: int = Field(description="documents with a label in the file")
    classes: dict[str, int] = Field(description="labels in the file by the class that counts")
    written: str = Field(default="", description="where the lines to be labelled were written, if that was asked for")
    next: list[str] = Field(default=[], description="what to do next")


class DifferingLine(Document):
    """A line on which two labellers differ."""

    document: str
    place: int = Field(description="its line in the document, from 1")
    sha256: str
    text: str
    first: str
    second: str
    counts_as: str = Field(description="the class that counts")
    settled: bool = Field(description="whether somebody decided on it")


class LabellersRow(Document):
    """Two labellers over the lines that both labelled."""

    first: str
    second: str
    of: int
    agreed: int
    kappa: AgreementRow | None = Field(description="Cohen's kappa over all classes; null where chance explains all")
    ac1: AgreementRow | None = Field(description="Gwet's AC1 over all classes")
    rule_kappa: AgreementRow | None = Field(description="Cohen's kappa of `safety` or not")
    rule_ac1: AgreementRow | None = Field(description="Gwet's AC1 of `safety` or not")
    counts: dict[str, dict[str, int]] = Field(description="lines by the first's class, then by the second's")
    differing: list[DifferingLine]


class LabelAgreementDocument(Document):
    """The document of `foldproof label --agreement`."""

    schema_name: Literal["foldproof/label-agreement/1"] = Field(
        default="foldproof/label-agreement/1", validation_alias="schema", serialization_alias="schema"
    )
    file: str
    labels: int
    pairs: list[LabellersRow]
    unsettled: int = Field(description="lines on which labellers differ and nobody has decided")
    next: list[str] = Field(default=[], description="what to do next")


def labelling_document(
    sitting: Sitting, *, file: str, written: str = "", following: Sequence[str] = ()
) -> LabellingDocument:
    """The document of a sitting as it stands now."""
    labels = sitting.labels
    counts = Counter(label.cls for label in labels.labels)
    return LabellingDocument(
        file=file,
        labeller="" if sitting.settling else sitting.labeller,
        given=sitting.given,
        left=sitting.left,
        labels=len(labels.labels),
        documents=len(labels.documents),
        classes=dict(counts.most_common()),
        written=written,
        next=list(following),
    )


def agreement_document(
    labels: Labels,
    found: Sequence[LabelAgreement],
    *,
    lines: Mapping[tuple[str, str, int], tuple[int, str]],
    following: Sequence[str] = (),
) -> LabelAgreementDocument:
    """The document of how far labellers agree. `lines` has place and text of each labelled line."""
    unsettled = sum(label.differs and not label.settled for label in labels.labels)
    return LabelAgreementDocument(
        file=labels.file,
        labels=len(labels.labels),
        pairs=[_pair(pair, lines) for pair in found],
        unsettled=unsettled,
        next=list(following) if unsettled else [],
    )


def _pair(pair: LabelAgreement, lines: Mapping[tuple[str, str, int], tuple[int, str]]) -> LabellersRow:
    counts: dict[str, dict[str, int]] = {}
    for (first, second), count in sorted(pair.counts.items()):
        counts.setdefault(first, {})[second] = count
    return LabellersRow(
        first=pair.first,
        second=pair.second,
        of=pair.of,
        agreed=sum(count for (first, second), count in pair.counts.items() if first == second),
        kappa=_row(pair.kappa),
        ac1=_row(pair.ac1),
        rule_kappa=_row(pair.rule_kappa),
        rule_ac1=_row(pair.rule_ac1),
        counts=counts,
        differing=[_differing(label, pair, *lines[label.at]) for label in pair.differing],
    )


def _differing(label: Label, pair: LabelAgreement, place: int, text: str) -> DifferingLine:
    return DifferingLine(
        document=label.document,
        place=place,
        sha256=label.sha256,
        text=text,
        first=label.given_by(pair.first),
        second=label.given_by(pair.second),
        counts_as=label.cls,
        settled=label.settled,
    )


def _row(found: Agreement | None) -> AgreementRow | None:
    return None if found is None else AgreementRow(value=found.value, low=found.interval.low, high=found.interval.high)
