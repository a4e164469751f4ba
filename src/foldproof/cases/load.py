"""Loading a replay set: everything that is wrong with it, at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from foldproof.cases.case_checks import case_problems
from foldproof.cases.contents import set_hash
from foldproof.cases.counterpart_wire import counterpart_of
from foldproof.cases.counterparts import ANSWERED_BY
from foldproof.cases.faults import problems_of, quoted
from foldproof.cases.forgetting import Bystander, Forgetting, placed_forgetting, retracting_session
from foldproof.cases.forms import form_faults
from foldproof.cases.frozen import CutFrom
from foldproof.cases.gates import gate_of_all, requirements_of, waiver_of
from foldproof.cases.histories import read_history
from foldproof.cases.judges import judge_problems, prompt_hash
from foldproof.cases.logged import Logged
from foldproof.cases.nodes import Node, ReadBytes, data_of, line_at, read_bytes, shown
from foldproof.cases.provenance import source_of
from foldproof.cases.records import UNGATED, BenchmarkData, Case, JudgePin, ReplaySet, Waiver
from foldproof.cases.sessions import CaseSession, CaseTurn
from foldproof.cases.tree import read_tree
from foldproof.cases.wire import CaseWire, ForgetWire, HeadWire, SetWire
from foldproof.core import FileError, Problem
from foldproof.logs import History

_EMPTY = Node({}, 0)


def load_set(path: Path | str, *, read: ReadBytes = read_bytes) -> ReplaySet:
    """The replay set of a YAML or JSON file, with the histories that it names; `read` says where files come from.

    Raises:
        FileError: with every problem of the set and of its histories, sorted by place.
    """
    return _Loader(Path(path), read).load()


class _Loader:
    """One reading of one file: problems are gathered and decide at the end."""

    def __init__(self, path: Path, read: ReadBytes) -> None:
        self.path = path
        self.read = read
        self.file = shown(path)
        self.root, self.unreadable = read_tree(path, read)
        self.problems: list[Problem] = []
        self.histories: dict[str, History] = {}
        self.ids: dict[str, int] = {}
        self.counts: Counter[str] = Counter()

    def wrong(self, line: int, message: str, hint: str, rule: str = "value") -> None:
        self.problems.append(Problem(self.file, line, message, hint, rule=rule))

    def load(self) -> ReplaySet:
        nodes = self.case_nodes()
        self.identify(nodes)
        head = self.head()
        self.read_histories(head)
        cases = [case for number, node in enumerate(nodes, 1) if (case := self.case(node, number, head))]
        lines = self.part("gate").keys
        gate = gate_of_all(self.counts)
        if head.gate is not None:
            gate, problems = requirements_of(head.gate, self.counts, file=self.file, lines=lines)
            self.problems += problems
        waivers = self.waivers(head, cases)
        judge = self.judge(head)
        self.settle()
        prompt = prompt_hash(self.path.parent / judge.prompt, self.read) if judge else ""
        data = BenchmarkData(head.data.name, head.data.sha256, head.data.quarantine) if head.data else None
        return ReplaySet(
            name=head.name or self.path.stem,
            path=str(self.path),
            cases=tuple(cases),
            gate=gate,
            sha256=set_hash(cases, self.histories, gate=gate, waivers=waivers, judge=judge, prompt=prompt, data=data),
            histories=self.histories,
            waivers=tuple(waivers),
            judge=judge,
            gate_declared=head.gate is not None,
            review_after_days=head.review_after_days,
            data=data,
            gate_lines=dict(lines),
        )

    def settle(self) -> None:
        """Raise what was found. One line, one cause: what an unreadable line also breaks is not told again."""
        lines = {problem.line for problem in self.unreadable}
        told = [item for item in self.problems if item.file != self.file or item.line not in lines]
        if told or self.unreadable:
            raise FileError([*self.unreadable, *told])

    def part(self, key: str) -> Node:
        """The node of a top-level key, empty where there is none."""
        assert isinstance(self.root.value, dict)  # noqa: S101  # read_tree gives mappings only
        return self.root.value.get(key, _EMPTY)

    def case_nodes(self) -> list[Node]:
        """The nodes of the cases; a set without any tests nothing."""
        node = self.part("cases")
        if isinstance(node.value, list) and node.value:
            return node.value
        line = line_at(self.root, ("cases",)) if node is not _EMPTY else 0
        if node is _EMPTY or not node.value:
            self.wrong(line, "the set has no cases", "write at least one under `cases:`; an empty set proves nothing")
        else:
            message = f"`cases` must be a list, not {quoted(data_of(node))}"
            self.wrong(line, message, "one case an item, each after a dash")
        return []

    def identify(self, nodes: list[Node]) -> None:
        """Ids and classes of all cases, broken ones included: waivers count them, a gate those that can decide."""
        for node in nodes:
            data = data_of(node)
            if not isinstance(data, dict):
                continue
            tags = data.get("tags")
            if not isinstance(tags, list) or not any(tag in UNGATED for tag in tags if isinstance(tag, str)):
                self.counts[str(data.get("class", "semantic"))] += 1
            if not isinstance(name := data.get("id"), str):
                continue
            line = line_at(node, ("id",))
            if name in self.ids:
                message = f"the case id '{name}' stands twice, first in line {self.ids[name]}"
                self.wrong(line, message, "give each case its own id")
            self.ids.setdefault(str(name), line)

    def head(self) -> HeadWire:
        """Everything but the cases; what is broken stays at its default and is reported."""
        data: dict[str, Any] = data_of(self.root)
        data.pop("cases", None)
        while True:
            try:
                return HeadWire.model_validate(data)
            except ValidationError as error:
                self.problems += problems_of(error, SetWire, file=self.file, node=self.root, subject="the set")
                for item in error.errors(include_url=False):
                    data.pop(str(item["loc"][0]), None)

    def read_histories(self, head: HeadWire) -> None:
        for name, place in head.histories.items():
            try:
                self.histories[name] = read_history(name, self.path.parent / place, read=self.read)
            except FileError as error:
                line = line_at(self.root, ("histories", name))
                self.problems += [
                    item._replace(file=self.file, line=line, message=f"history '{name}', {item.file}: {item.message}")
                    if item.line == 0
                    else item
                    for item in error.problems
                ]

    def case(self, node: Node, number: int, head: HeadWire) -> Case | None:
        """The record of one case, or None where it is broken."""
        data = data_of(node)
        if not isinstance(data, dict):
            self.wrong(node.line, f"case {number} must be a mapping, not {quoted(data)}", "start it with `id:`")
            return None
        subject = f"case '{data['id']}'" if isinstance(data.get("id"), str) and data["id"] else f"case {number}"
        unfit = list(form_faults(data))
        for key, message, hint, rule in unfit:
            self.wrong(line_at(node, (key,)), f"{subject} {message}", hint, rule)
        try:
            wire = CaseWire.model_validate(data)
        except ValidationError as error:
            self.problems += problems_of(error, CaseWire, file=self.file, node=node, subject=subject)
            return None
        if unfit:
            return None
        case = _record(wire, node)
        self.problems += case_problems(
            case, _sources(wire), self.histories, known=head.histories, file=self.file, judged=head.judge is not None
        )
        return case

    def waivers(self, head: HeadWire, cases: list[Case]) -> list[Waiver]:
        by_id = {case.id: case for case in cases}
        found: list[Waiver] = []
        for index, wire in enumerate(head.waivers):
            line = line_at(self.root, ("waivers", index))
            waiver = waiver_of(wire, by_id, self.ids, file=self.file, line=line)
            if isinstance(waiver, Problem):
                self.problems.append(waiver)
            elif any(other.case == waiver.case for other in found):
                message = f"the case '{waiver.case}' has two waivers"
                self.wrong(line, message, "keep the one that holds", "waiver")
            else:
                found.append(waiver)
        return found

    def judge(self, head: HeadWire) -> JudgePin | None:
        if head.judge is None:
            return None
        pin = JudgePin(head.judge.model, head.judge.prompt, head.judge.sha256)
        line = line_at(self.root, ("judge", "model"))
        self.problems += judge_problems(pin, self.path.parent, file=self.file, line=line, read=self.read)
        return pin


def _record(wire: CaseWire, node: Node) -> Case:
    lines = {"": node.line, **node.keys}
    lines.setdefault("question", lines.get("user", node.line))
    for key in ("expected_facts", "forbidden_facts", "expect", "source", "frozen"):
        for index, _ in enumerate(getattr(wire, key)):
            lines[f"{key}.{index}"] = line_at(node, (key, index))
    answered = counterpart_of(wire)
    if answered is not None:
        place = "sessions.0.turns.0"
        lines |= {place: lines["question"]}
        lines |= {f"{place}.{key}": line for key, line in lines.items() if key.startswith(("expect.", *ANSWERED_BY))}
    for at, session in enumerate(wire.sessions):
        lines[f"sessions.{at}"] = line_at(node, ("sessions", at))
        for number, turn in enumerate(session.turns):
            place = f"sessions.{at}.turns.{number}"
            lines[place] = line_at(node, ("sessions", at, "turns", number))
            for index, _ in enumerate(turn.expect):
                line = line_at(node, ("sessions", at, "turns", number, "expect", index))
                lines[f"{place}.expect.{index}"] = line
    sessions = _sessions(wire)
    return Case(
        id=wire.id,
        question=wire.sessions[-1].turns[-1].user if wire.sessions else wire.question or wire.user,
        case_class=wire.case_class,
        expected=tuple(item.fact for item in wire.expected_facts),
        forbidden=tuple(wire.forbidden_facts),
        history=wire.history,
        memory_config=wire.memory_config,
        source=tuple(source for text in wire.source if (source := source_of(text))),
        abstain=wire.abstain,
        tags=tuple(wire.tags),
        lines=lines,
        at="" if answered else wire.at,
        expect=() if answered else tuple(wire.expect),
        sessions=sessions,
        forget=_forgetting(wire.forget, sessions, node, lines=lines) if wire.forget else None,
        frozen=tuple(wire.frozen),
        cut_from=CutFrom(wire.cut_from.session, wire.cut_from.turn) if wire.cut_from else None,
        asks_as="user" if wire.user else "question",
        provenance={at: said for at, item in enumerate(wire.expected_facts) if (said := item.provenance)},
        valid_from=wire.valid_from,
        reviewed=wire.reviewed,
        logged=_logged(wire),
    )


def _logged(wire: CaseWire) -> Logged | None:
    at = wire.logged
    return Logged(at.user, at.session, at.day, at.asked) if at else None


def _sources(wire: CaseWire) -> list[tuple[str, str]]:
    """The sources of a case and of its facts, as they are written, each with its place."""
    own = [(f"expected_facts.{at}", text) for at, item in enumerate(wire.expected_facts) for text in item.sources]
    return [*((f"source.{at}", text) for at, text in enumerate(wire.source)), *own]


def _sessions(wire: CaseWire) -> tuple[CaseSession, ...]:
    """The sessions of a case; a question that somebody goes on with is one of one turn."""
    answered = counterpart_of(wire)
    if answered is not None:
        return (CaseSession((CaseTurn(wire.user or wire.question, tuple(wire.expect), answered),), wire.at),)
    return tuple(
        CaseSession(
            tuple(CaseTurn(turn.user, tuple(turn.expect), counterpart_of(turn)) for turn in one.turns),
            one.at,
            one.maintain,
            one.user,
        )
        for one in wire.sessions
    )


def _forgetting(wire: ForgetWire, sessions: Sequence[CaseSession], node: Node, *, lines: dict[str, int]) -> Forgetting:
    other = Bystander(wire.bystander.user, tuple(wire.bystander.facts)) if wire.bystander else None
    after = wire.after or retracting_session(sessions, other.user if other else None)
    facts = tuple(wire.facts)
    forget = Forgetting(facts, wire.means, after, tuple(wire.derived), tuple(wire.retain), other)
    places = [place for place, _, _ in placed_forgetting(forget)]
    for place in ("forget.after", "forget.derived", "forget.bystander", *places):
        way = [int(key) if key.isdecimal() else key for key in place.split(".")]
        lines[place] = line_at(node, way)
    return forget
