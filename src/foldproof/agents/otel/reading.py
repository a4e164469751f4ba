"""From the spans of one trial to what was seen of it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from foldproof.agents.otel.found import Finding, Hidden, ModelSpan, Retrieval, ToolSpan, Writing
from foldproof.agents.otel.genai import genai_finding
from foldproof.agents.otel.messages import Called
from foldproof.agents.otel.openinference import openinference_finding
from foldproof.agents.otel.reranking import reranked
from foldproof.agents.otel.spans import Span
from foldproof.core import canonical_json
from foldproof.logs import MemoryItem, ModelCall, Seen

F = TypeVar("F", Retrieval, Writing)
_OUTERMOST = 50
"""How far up a span's ancestors are followed: traces may hold circles."""
_ON = (
    "turn the capture of contents on, as the instrumentation's documentation says"
    " (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT, OPENINFERENCE_HIDE_…, TRACELOOP_TRACE_CONTENT)"
)
_REMEDIES: dict[Hidden, str] = {
    "no messages": _ON,
    "messages that were cut": (
        "raise the exporter's limits (OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT, OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT)"
    ),
    "messages without their text": "the instrumentation does not record contents of this form",
}


def seen_of(spans: Iterable[Span]) -> Seen:
    """What the spans show, in the order in which they began."""
    whole = _joined(spans)
    findings = [found for found in map(_finding, whole) if found is not None]
    above = {(span.trace, span.id): span.parent for span in whole}
    reads, read_notes = _reads([found for found in findings if isinstance(found, Retrieval)], above)
    writes, write_notes = _writes([found for found in findings if isinstance(found, Writing)], above)
    calls, call_notes = _calls(findings, above)
    none = [f"{len(whole)} spans came, none of them in the GenAI or the OpenInference conventions"]
    notes = (*(none if whole and not findings else ()), *call_notes, *read_notes, *write_notes)
    return Seen("otel", calls, reads, writes, notes)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """The spans in the order of their start, each once, with the log events that belong to them."""
    found: dict[tuple[str, str], Span] = {}
    logs: list[Span] = []
    for span in spans:
        if span.log:
            logs.append(span)
        else:
            found.setdefault((span.trace, span.id), span)
    for log in sorted(logs, key=lambda span: span.start_ns):
        key = (log.trace, log.id)
        known = found.get(key, log)
        found[key] = known if known is log else replace(known, events=(*known.events, *log.events))
    return sorted(found.values(), key=lambda span: span.start_ns)


def _finding(span: Span) -> Finding | None:
    """A span may follow both conventions: the one that shows a prompt, else the one that says what it is."""
    found = [part for part in (openinference_finding(span), genai_finding(span)) if part is not None]
    shown = (part for part in found if not isinstance(part, ModelSpan) or part.prompt)
    return next(shown, found[0] if found else None)


def _calls(findings: Sequence[Finding], above: dict[tuple[str, str], str]) -> tuple[tuple[ModelCall, ...], list[str]]:
    models = _innermost([found for found in findings if isinstance(found, ModelSpan)], above)
    tools = _unheld([found for found in findings if isinstance(found, ToolSpan)], models)
    parts: list[ModelSpan | ToolSpan] = sorted([*models, *tools], key=lambda found: found.span.start_ns)
    calls = tuple(found.call for found in parts)
    hidden = [found for found in models if found.hidden and not found.span.error]
    if not hidden:
        return calls, []
    why = hidden[0].hidden
    note = f"{len(hidden)} of {len(models)} model calls show {why}: {_REMEDIES[why]}"
    if len(hidden) < len(models):
        note += "; the other prompts are left out too, since what is missing in them would prove nothing"
    return tuple(replace(call, prompt="") for call in calls), [note]


def _unheld(tools: Sequence[ToolSpan], models: Sequence[ModelSpan]) -> list[ToolSpan]:
    """The tools at work whose call no model's answer holds: by its id, else by what was called."""
    made = [called for found in models for called in found.calls]
    ids = {called.id for called in made if called.id}
    left = Counter(_name(called) for called in made)
    found = []
    for tool in tools:
        name = _name(tool.called)
        if left[name] and (not tool.called.id or tool.called.id in ids or not ids):
            left[name] -= 1
        elif tool.called.id not in ids:
            found.append(tool)
    return found


def _name(called: Called) -> str:
    return canonical_json([called.call.name, called.call.args])


def _reads(
    findings: Sequence[Retrieval], above: dict[tuple[str, str], str]
) -> tuple[tuple[MemoryItem, ...] | None, list[str]]:
    shown, notes = _that_worked(findings, above, "retrieval")
    given = reranked(shown)
    if len(given) > 1 and not any(found.items is None for found in shown):
        notes.append(f"{len(given)} retrievals, one after the other; each has ranks of its own")
    return _items(given), notes


def _writes(
    findings: Sequence[Writing], above: dict[tuple[str, str], str]
) -> tuple[tuple[MemoryItem, ...] | None, list[str]]:
    shown, notes = _that_worked(findings, above, "memory write")
    return _items(shown), notes


def _that_worked(findings: Sequence[F], above: dict[tuple[str, str], str], what: str) -> tuple[list[F], list[str]]:
    """The outermost of those that did not fail, and what is to be said of the others; failed ones showed nothing."""
    notes = [f"a {what} failed: {found.span.error}" for found in findings if found.span.error]
    shown = _outermost([found for found in findings if not found.span.error], above)
    if unseen := sum(found.items is None for found in shown):
        notes.append(f"{unseen} of {len(shown)} {what} spans do not show the texts: {_ON}")
    return shown, notes


def _items(shown: Sequence[Retrieval | Writing]) -> tuple[MemoryItem, ...] | None:
    """The items of all of them in their order, None where one does not show them, or where there are none."""
    if not shown or any(found.items is None for found in shown):
        return None
    return tuple(item for found in shown for item in found.items or ())


def _innermost(models: list[ModelSpan], above: dict[tuple[str, str], str]) -> list[ModelSpan]:
    """The calls without those that are the same call seen from further away; one that shows its prompt wins."""
    by_key = {(found.span.trace, found.span.id): found for found in models}
    gone = set()
    for key, found in by_key.items():
        for outer in _ancestors(key, above):
            if outer in by_key:
                gone.add(key if by_key[outer].prompt and not found.prompt else outer)
    return [found for key, found in by_key.items() if key not in gone]


def _outermost(findings: Sequence[F], above: dict[tuple[str, str], str]) -> list[F]:
    """Those that stand in no other one: what the outer one returned is what was given. One that shows it wins."""
    by_key = {(found.span.trace, found.span.id): found for found in findings}
    gone = set()
    for key, found in by_key.items():
        for outer in _ancestors(key, above):
            if outer in by_key:
                gone.add(outer if by_key[outer].items is None and found.items is not None else key)
    return [found for key, found in by_key.items() if key not in gone]


def _ancestors(key: tuple[str, str], above: dict[tuple[str, str], str]) -> Iterable[tuple[str, str]]:
    trace, span = key
    for _ in range(_OUTERMOST):
        span = above.get((trace, span), "")
        if not span:
            return
        yield trace, span
