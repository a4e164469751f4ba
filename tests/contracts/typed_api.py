"""The public API as a user writes it. It is type-checked under `mypy --strict` and never run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import foldproof
from foldproof import (
    Agent,
    CallMatch,
    Case,
    Check,
    Configuration,
    Conversation,
    ExitCode,
    Fact,
    FoldproofError,
    History,
    Match,
    MemoryItem,
    Project,
    ReplaySet,
    Reply,
    Session,
    SessionInfo,
    ToolCall,
    Turn,
    Verdict,
    agent,
    check,
    compactor,
    compare_runs,
    lint_set,
    load_project,
    load_set,
    match_calls,
    match_fact,
    run_set,
)
from foldproof.testing import (
    Answer,
    ModelFailure,
    ModelRequest,
    ScriptedEndpoint,
    ScriptedModel,
    answer_from_context,
    look_up_first,
    write_project,
)


@compactor
def shorten(text: str, budget: int) -> str:
    return text[: budget * 4]


@compactor
async def last_ten(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    return messages[-10:]


@agent
def plain(question: str, memory_config: dict[str, Any]) -> str:
    return question


@agent
async def with_history(
    question: str, memory_config: Mapping[str, Any], history: History, session: SessionInfo
) -> Reply:
    told = [turn.text for past in history.sessions for turn in past.turns if turn.role == "user"]
    reads = tuple(MemoryItem(text, id=str(number), rank=number) for number, text in enumerate(told, 1))
    return Reply(text=f"{session.user}: {question}", memory_reads=reads, tool_calls=(ToolCall("look_up", {"k": 3}),))


class Talk:
    async def reply(self, message: str) -> Reply | str:
        return message


class Support:
    def __init__(self, memory_config: Mapping[str, Any]) -> None:
        self.notes: list[str] = []

    async def ingest(self, history: History) -> None:
        self.notes = [turn.text for session in history.sessions for turn in session.turns]

    async def memories(self, user: str) -> Sequence[MemoryItem]:
        return [MemoryItem(note) for note in self.notes]

    async def start_session(self, info: SessionInfo) -> Conversation:
        return Talk()


def an_agent(memory_config: Mapping[str, Any]) -> Agent:
    return Support(memory_config)


def match_by_hand(answer: str) -> bool:
    match: Match = match_fact("Postgres 15", answer)
    numbers: Match = match_fact(Fact("number", "1234.50"), answer)
    pattern: Match = match_fact(r"RTO\s+\d+", answer, kind="pattern")
    marked = [answer[span.start : span.end] for span in match.spans]
    near = match.nearest.text if match.nearest else match.reason
    return match.held and numbers.outcome == "held" and pattern.outcome != "negated" and bool(marked or near)


def match_calls_by_hand(reply: Reply) -> list[str]:
    made = reply.tool_calls or ()
    match: CallMatch = match_calls(["look_up", {"no_tool_called": "refund"}, ToolCall("log", {"n": 1})], made)
    alone: CallMatch = match_calls("look_up(k=3)", [{"name": "look_up", "args": '{"k": 3}'}, "log(n=1)"])
    pairs = [made[call].name for _, call in match.pairs]
    return [*match.reasons, *pairs, *(item.label for item in alone.missing), *(call.name for call in match.forbidden)]


def look_at(place: Path) -> list[str]:
    replay_set: ReplaySet = load_set(place / "replay.yaml")
    project: Project = load_project(place / "foldproof.yaml")
    config: Configuration = project.configs["production"]
    case: Case = replay_set.cases[0]
    said = [str(problem) for problem in lint_set(replay_set)]
    return [*said, case.question, case.case_class, config.adapter, *(fact.label for fact in case.expected)]


def prove(candidate: str, place: Path) -> int:
    try:
        run = run_set("production", project=place)
        report = check(candidate, project=place)
    except FoldproofError as error:
        return int(error.exit_code)
    outcome: Check = report.check
    verdict: Verdict = outcome.verdict
    compared = compare_runs("production", candidate, project=place)
    if verdict == "pass" and not outcome.reasons and run.scores and compared.columns:
        return ExitCode.PASS
    return ExitCode.BLOCKED if verdict == "blocked" else ExitCode.INCONCLUSIVE


def in_a_test(folder: Path) -> str:
    with ScriptedEndpoint(lambda question: f"You asked: {question}") as endpoint:
        project = write_project(
            folder,
            cases=[{"id": "q1", "question": "Which database?", "expected_facts": ["Postgres 15"]}],
            configs={"production": {"agent": {"http": endpoint.url}, "model": {"name": "scripted"}}},
        )
        return f"{project} {endpoint.asked.total()} {foldproof.__version__}"


def a_rule(request: ModelRequest) -> Answer:
    if "weather" in request.question and not request.tool_results:
        return ToolCall("weather", {"city": "Lyon"})
    found = [result.text for result in request.tool_results]
    return " ".join(found) or ModelFailure(429, "slow down", headers={"retry-after": "1"})


def with_a_model() -> int:
    with ScriptedModel(a_rule, key="sk-test") as scripted, ScriptedModel(answer_from_context) as other:
        return scripted.asked.total() + len(other.requests) + len(scripted.environ["OPENAI_BASE_URL"])


LOOKING_UP = look_up_first(answer_from_context, tool="look_up")
HISTORY = History("acme", (Session("s1", (Turn("user", "We run Postgres 15."),), at="2026-01-02"),))
