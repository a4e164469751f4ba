"""LangSmith runs, as the export gives them or as the SDK sends them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from foldproof.logs.draft import Draft, Message, Result, call_of
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.formats.retrieved import items_of
from foldproof.logs.imported import ImportedSession, MemoryOperation
from foldproof.logs.messages import json_in, messages_in, text_of
from foldproof.logs.moments import moment_of
from foldproof.logs.reading import LogFile, Record

_SESSIONS = ("session_id", "thread_id", "conversation_id")
_QUESTIONS = ("question", "query", "input", "q", "prompt", "text")
Run = dict[str, Any]


def _runs(value: Any) -> Iterator[Run]:  # noqa: ANN401  # any JSON value
    """The runs of a record: itself, or those of a list, of an export, or of a batch that the SDK sent."""
    if isinstance(value, list):
        for item in value:
            yield from _runs(item)
    elif isinstance(value, dict) and "run_type" in value and "id" in value:
        yield value
    elif isinstance(value, dict):
        for name in ("post", "patch", "runs"):
            for item in value[name] if isinstance(value.get(name), list) else ():
                if isinstance(item, dict) and "id" in item:
                    yield item


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return any("run_type" in run for run in _runs(value))


def _fields(value: Any, *path: str) -> Run:  # noqa: ANN401  # any JSON value
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _about(run: Run) -> Run:
    return {**_fields(run, "metadata"), **_fields(run, "extra", "metadata")}


def _told(run: Run, *names: str) -> str:
    about = _about(run)
    return next((str(about[name]) for name in names if isinstance(about.get(name), str | int) and about[name]), "")


def _trace(run: Run) -> str:
    return str(run.get("trace_id") or run.get("id"))


def _places(record: Record, file: LogFile) -> Iterator[Place]:  # noqa: ARG001  # one signature for all formats
    sessions: dict[str, str] = {}
    for run in _runs(record.value):
        # The top-level `session_id` is the project, never the conversation.
        sessions[_trace(run)] = sessions.get(_trace(run)) or _told(run, *_SESSIONS)
    yield from (Place(trace, session) for trace, session in sessions.items())


def _build(group: Group) -> Iterator[ImportedSession]:
    runs: dict[str, Run] = {}
    for run in group.parts(lambda value: ((_trace(item), item) for item in _runs(value))):
        known = runs.setdefault(str(run["id"]), {})
        news = {key: value for key, value in run.items() if value is not None}
        group.tally.repeats += bool(known) and all(known.get(key) == value for key, value in news.items())
        known.update(news)
    users: dict[str, list[Run]] = {}
    owners: dict[str, str] = {}
    for run in runs.values():
        owners[_trace(run)] = owners.get(_trace(run)) or _told(run, "user_id")
    for run in runs.values():
        users.setdefault(owners[_trace(run)], []).append(run)
    for user, members in users.items():
        name = next((told for run in members if (told := _told(run, *_SESSIONS))), group.session)
        draft = Draft(name, group.tally, user=user)
        _tell(draft, sorted(members, key=_order))
        yield draft.done()


def _order(run: Run) -> tuple[float, str]:
    """By the time of the trace, then by `dotted_order`, which puts a run behind the one that called it."""
    dotted = str(run.get("dotted_order") or "")
    at = moment_of(run.get("start_time"))
    return (0.0, dotted) if dotted else (at.order.timestamp() if at else 0.0, "")


def _tell(draft: Draft, runs: Sequence[Run]) -> None:
    talking = {_trace(run) for run in runs if run.get("run_type") == "llm" and _messages(run)}
    for run in runs:
        kind, at = run.get("run_type"), moment_of(run.get("start_time"))
        if kind == "llm":
            draft.talk(_messages(run))
            _used(draft, run)
        elif kind == "tool":
            draft.ran(call_of(run.get("name"), _arguments(run.get("inputs"))), _result(run), at=at)
        elif kind == "retriever":
            query = _text_of_fields(run.get("inputs"))
            draft.remember(MemoryOperation("read", query, items_of(run.get("outputs")), str(run.get("name", "")), at))
        elif _trace(run) not in talking and not run.get("parent_run_id"):
            draft.talk(_edges(run))
        else:
            draft.tally.aside[f"{kind or 'other'} runs"] += 1


def _result(run: Run) -> Result | None:
    output = run.get("outputs")
    if run.get("error"):
        return Result("", text_of(run["error"]), failed=True)
    text = text_of(output["output"] if isinstance(output, dict) and list(output) == ["output"] else output)
    return Result("", text) if output else None


def _arguments(inputs: Any) -> Any:  # noqa: ANN401  # any JSON value
    """LangChain's tools put their arguments as text into `input`, at times as Python writes them."""
    if isinstance(inputs, dict) and list(inputs) == ["input"]:
        return json_in(inputs["input"]) if isinstance(json_in(inputs["input"]), dict) else inputs
    return inputs


def _messages(run: Run) -> list[Message]:
    inputs, outputs = run.get("inputs"), run.get("outputs")
    asked = messages_in(inputs) if isinstance(inputs, dict | list) else []
    if not asked and isinstance(inputs, dict) and isinstance(inputs.get("prompts"), list):
        asked = [Message("user", text_of(prompt)) for prompt in inputs["prompts"]]
    answered = _answered(outputs)
    at = moment_of(run.get("start_time"))
    return [message if message.at else replace(message, at=at) for message in (*asked, *answered)] if asked else []


def _answered(outputs: Any) -> list[Message]:  # noqa: ANN401  # any JSON value
    """The answer of a call of a model, in the shape of OpenAI, of LangChain, or as it is."""
    if not isinstance(outputs, dict):
        return []
    first = next((outputs[name] for name in ("choices", "generations") if isinstance(outputs.get(name), list)), None)
    while isinstance(first, list) and first:
        first = first[0]
    if isinstance(first, dict):
        found = messages_in([first["message"]]) if isinstance(first.get("message"), dict) else []
        return found or ([Message("agent", text_of(first.get("text")))] if first.get("text") else [])
    if isinstance(outputs.get("messages"), list):
        return messages_in(outputs["messages"])[-1:]
    if found := messages_in([outputs]) if "role" in outputs or "content" in outputs else []:
        return [message for message in found if not message.unknown]
    text = text_of(outputs.get("output")) if "output" in outputs else ""
    return [Message("agent", text)] if text.strip() else []


def _edges(run: Run) -> list[Message]:
    """What went into a root without any call of a model, and what came out."""
    messages = _messages(run)
    asked = _text_of_fields(run.get("inputs"))
    if messages or not asked.strip():
        return messages
    at = moment_of(run.get("start_time"))
    return [
        replace(message, at=message.at or at) for message in (Message("user", asked), *_answered(run.get("outputs")))
    ]


def _text_of_fields(inputs: Any) -> str:  # noqa: ANN401  # any JSON value
    if not isinstance(inputs, dict):
        return text_of(inputs)
    texts = {name: value for name, value in inputs.items() if isinstance(value, str)}
    named = next((texts[name] for name in _QUESTIONS if name in texts), "")
    return named or next(iter(texts.values()), "")


def _used(draft: Draft, run: Run) -> None:
    draft.spoke(_told(run, "ls_model_name"))
    usage = _fields(run, "outputs", "usage_metadata") or _fields(_about(run), "usage_metadata")
    draft.used(
        usage.get("input_tokens", run.get("prompt_tokens")), usage.get("output_tokens", run.get("completion_tokens"))
    )


FORMAT = LogFormat(
    name="langsmith",
    title="LangSmith runs",
    told_by="runs with `run_type`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=("memory writes are seen only where they are tool runs with a name that says so",),
)
