"""The pytest plugin: every case of a replay set as a test, and a `replay` fixture, both through the workflow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from foldproof.score import FactScore
    from foldproof.workflow import CheckReport, RunReport, Workspace


class ReplayFailure(AssertionError):  # noqa: N818  # pytest's own word for what a failed test raises
    """A case did not pass; the text names the facts."""


class ReplayNotJudged(Exception):  # noqa: N818  # as above
    """A case could not be judged: the agent failed, or its answer was none."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--replay-set`, `--replay-config` and `--replay-repeat`."""
    group = parser.getgroup("foldproof")
    group.addoption("--replay-set", metavar="FILE", help="Collect every case of this replay set as a test.")
    group.addoption(
        "--replay-config",
        metavar="CONFIG",
        help="The configuration, or an agent such as python:module:function (default: the baseline's).",
    )
    group.addoption("--replay-repeat", type=int, metavar="N", help="Trials a case.")


def pytest_configure(config: pytest.Config) -> None:
    """A named replay set is collected wherever pytest is started."""
    if named := config.getoption("--replay-set"):
        path = Path(named).absolute()
        if not path.is_file():
            raise pytest.UsageError(f"--replay-set: no such file: {path}")
        if not any(Path(argument).absolute() == path for argument in config.args):
            config.args.append(str(path))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The named replay set, as a file of tests."""
    named = parent.config.getoption("--replay-set")
    if named and file_path == Path(named).absolute():
        return ReplayFile.from_parent(parent, path=file_path)
    return None


@pytest.fixture
def replay(request: pytest.FixtureRequest) -> Iterator[Replay]:
    """The project at the root of the tests (or the set named with --replay-set), ready to be run or checked."""
    named = request.config.getoption("--replay-set")
    with _open(request.config, Path(named).absolute() if named else None) as workspace:
        yield Replay(workspace)


@dataclass(frozen=True, slots=True)
class Replay:
    """What the `replay` fixture gives: runs and checks of the project, as reports."""

    workspace: Workspace

    def run(self, config: str = "", *, only: tuple[str, ...] = (), repeats: int | None = None) -> RunReport:
        """Run a configuration (the baseline's by default) or an agent named directly."""
        import anyio

        from foldproof.workflow import Options, run_config

        options = Options(only=only, repeats=repeats, fresh=True)
        return anyio.run(run_config, self.workspace, config or self.workspace.project.baseline, options)

    def check(self, candidate: str) -> CheckReport:
        """Check a candidate against the accepted baseline."""
        import anyio

        from foldproof.workflow import Options, check_candidate

        return anyio.run(check_candidate, self.workspace, candidate, Options(fresh=True))


def _open(config: pytest.Config, replay_set: Path | None) -> AbstractContextManager[Workspace]:
    from foldproof.workflow import open_workspace

    return open_workspace(replay_set.parent if replay_set else config.rootpath, replay_set=replay_set)


class ReplayFile(pytest.File):
    """A replay set; its cases are asked together when the first of them is due."""

    _report: RunReport | None = None

    def collect(self) -> Iterator[pytest.Item]:
        """One test a case, selectable by class with `-k`; a set with problems is an error of collection."""
        from foldproof.cases import load_set
        from foldproof.core import FoldproofError

        try:
            cases = load_set(self.path).cases
        except FoldproofError as error:
            raise self.CollectError(str(error)) from None
        for case in cases:
            item = ReplayItem.from_parent(self, name=case.id)
            item.extra_keyword_matches.add(case.case_class)
            yield item

    def report(self) -> RunReport:
        """The run of all the cases that pytest has selected, asked when the first of them is due."""
        if self._report is None:
            mine = tuple(item.name for item in self.session.items if item.parent is self)
            with _open(self.config, self.path) as workspace:
                config = self.config.getoption("--replay-config") or workspace.project.baseline
                repeats = self.config.getoption("--replay-repeat")
                self._report = Replay(workspace).run(config, only=mine, repeats=repeats)
        return self._report


def _at(fact: FactScore) -> str:
    """Whose door the loss of a fact is put at."""
    if fact.loss is None or fact.loss.owner == "unknown":
        return ""
    return f" at {fact.loss.owner}: {fact.loss.reason}" if fact.loss.reason else f" at {fact.loss.owner}"


class ReplayItem(pytest.Item):
    """One case of a replay set."""

    def runtest(self) -> None:
        """Pass where every trial passed; an answer that could not be judged is told apart from a lost fact."""
        assert isinstance(self.parent, ReplayFile)  # noqa: S101  # what `collect` made
        report = self.parent.report()
        score = report.scores[self.name]
        if report.stopped or not score.trials:
            raise ReplayNotJudged(f"case '{self.name}' was not judged: {report.stopped or 'it was not asked'}")
        for trial in score.trials:
            if trial.outcome == "error":
                raise ReplayNotJudged(f"case '{self.name}' was not judged: {trial.error}")
        lost = [
            f"  {'must not say' if fact.role == 'forbidden' else 'lost'}: {fact.fact} ({fact.outcome}{_at(fact)}) "
            f"{fact.reason}".rstrip()
            for trial in score.trials
            for fact in trial.facts
            if trial.outcome == "fail" and not fact.ok
        ]
        if score.outcome != "pass":
            passed = f"{score.passes} of {len(score.trials)} trials passed"
            raise ReplayFailure("\n".join([f"case '{self.name}' ({score.case_class}): {passed}", *dict.fromkeys(lost)]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: str | None = None) -> str:  # noqa: ARG002  # pytest's signature
        """The message alone; the frames are foldproof's and help nobody."""
        from foldproof.core import FoldproofError

        if isinstance(excinfo.value, (ReplayFailure, ReplayNotJudged, FoldproofError)):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo, None))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the case stands."""
        return self.path, None, f"{self.path.name}: {self.name}"
