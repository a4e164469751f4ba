"""The content of a set: what its hash identifies, and what a case is on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from foldproof.cases.aged_facts import aged_value
from foldproof.cases.counterparts import counterpart_value
from foldproof.cases.expectation_values import expectation_content, expectation_value
from foldproof.cases.facts import fact_value
from foldproof.cases.forgetting import forgetting_value
from foldproof.cases.frozen import frozen_value
from foldproof.cases.logged import logged_value
from foldproof.cases.records import BenchmarkData, Case, JudgePin, Requirement, Waiver
from foldproof.cases.sessions import sessions_value
from foldproof.core import content_hash
from foldproof.logs import History


def case_value(case: Case) -> dict[str, Any]:
    """The case as the file writes it, in the order that reads well, without what has its default."""
    value: dict[str, Any] = {
        "id": case.id,
        "class": case.case_class,
        "history": case.history,
        "at": case.at,
        "frozen": frozen_value(case.frozen),
        **_asked_value(case),
        "expected_facts": [aged_value(fact, case.provenance.get(at)) for at, fact in enumerate(case.expected)],
        "forbidden_facts": [fact_value(fact) for fact in case.forbidden],
        **({"expect": [expectation_value(item) for item in case.expect]} if case.expect else {}),
        "forget": forgetting_value(case.forget) if case.forget else {},
        "abstain": case.abstain,
        "cut_from": {"session": case.cut_from.session, "turn": case.cut_from.turn} if case.cut_from else None,
        "source": [str(source) for source in case.source],
        "valid_from": case.valid_from and case.valid_from.isoformat(),
        "reviewed": case.reviewed and case.reviewed.isoformat(),
        "memory_config": _free(case.memory_config),
        "logged": logged_value(case.logged) if case.logged else {},
        "tags": list(case.tags),
    }
    return {key: item for key, item in value.items() if item or key in {"id", "class", case.asks_as}}


def _asked_value(case: Case) -> dict[str, Any]:
    """What is asked: a question, one with who goes on with it, or sessions."""
    if not case.sessions:
        return {case.asks_as: case.question}
    (session, *_), turn = case.sessions, case.answered
    if turn is None or session.maintain or session.user or any(item.about_memory for item in turn.expect):
        return {"sessions": sessions_value(case.sessions)}
    asked = {"at": session.at, case.asks_as: turn.user, **counterpart_value(turn.counterpart)}
    return {**asked, "expect": [expectation_value(item) for item in turn.expect]}


def data_value(data: BenchmarkData) -> dict[str, str]:
    """What a set was imported from, as the file writes it."""
    value = {"name": data.name, "sha256": data.sha256, "quarantine": data.quarantine}
    return {key: text for key, text in value.items() if text}


def _free(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    if isinstance(value, Mapping):
        return {key: _free(item) for key, item in value.items()}
    return [_free(item) for item in value] if isinstance(value, list | tuple) else value


def set_hash(
    cases: Iterable[Case],
    histories: Mapping[str, History],
    *,
    gate: Mapping[str, Requirement],
    waivers: Iterable[Waiver],
    judge: JudgePin | None,
    prompt: str,
    data: BenchmarkData | None = None,
) -> str:
    """The hash of a set's content; `prompt` is the hash of the judge's prompt file.

    The order of cases, the names of files and histories, histories that no case uses, and what is said of the age of
    facts play no part.
    """
    contents = []
    for case in (case.timeless for case in cases):
        history = histories.get(case.history)
        content = case_value(case)
        content["history"] = history.sha256 if history else ""
        if case.expect:  # the hash of a case without stays what it was
            content["expect"] = [expectation_content(item) for item in case.expect]
        if case.sessions:  # one way to write a case has the hash of another that means the same
            content = {key: item for key, item in content.items() if key not in _asked_value(case)}
            content["sessions"] = sessions_value(case.sessions, hashed=True)
        elif case.asks_as == "user":  # another way to write the same
            content["question"] = content.pop("user")
        if case.frozen:
            content["frozen"] = frozen_value(case.frozen, hashed=True)
        content["source"] = [[source.session, source.turn] for source in case.source]
        contents.append(content)
    return content_hash(
        {
            "cases": sorted(contents, key=lambda content: str(content["id"])),
            "gate": {name: str(requirement) for name, requirement in gate.items()},
            "waivers": sorted([waiver.case, waiver.reason, waiver.until.isoformat()] for waiver in waivers),
            "judge": [judge.model, prompt] if judge else None,
            **({"data": data_value(data)} if data else {}),  # the hash of a set without stays what it was
        }
    )
