"""The behavioural probe of a row of rounds: a model is asked what it would do, and every answer is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any

from foldproof.cases import Limits, Project, expand
from foldproof.cliff import Document, LabelledLine, ProbeAnswer, Round
from foldproof.cliff.probing import PlannedProbe, planned_probes, unasked_probes
from foldproof.core import NothingSelectedError, Redactor, UsageError, content_hash, nearest_of
from foldproof.judging.choosing import PROBE, Chooser, Chosen, ForcedChoice, ask_choices, open_chooser

Keep = Callable[[ProbeAnswer], None]
_NO_PART = ("price", "headers", "api_key_env")


@dataclass(frozen=True, slots=True)
class Prober:
    """The model that is probed, by the settings of a configuration's `model`, expanded; `name` is what it is told as.

    `orders` is how many orders of the choices each question is asked in.
    """

    name: str
    settings: Mapping[str, Any]
    orders: int = 1

    @property
    def identity(self) -> str:
        """What its answers depend on, as a hash: the model, where it is, what is sent with each question."""
        kept = {name: value for name, value in self.settings.items() if name not in _NO_PART}
        return content_hash([PROBE.name, kept])


@dataclass(frozen=True, slots=True)
class Probing:
    """What a probe came to: every answer, how many calls of the model it took, and the limit that ended it early."""

    answers: tuple[ProbeAnswer, ...]
    calls: int
    stopped: str = ""


def prober_of(named: str, project: Project | None, environ: Mapping[str, str], *, orders: int = 1) -> Prober:
    """The model of a configuration of the project, or the model of that name at `OPENAI_BASE_URL`.

    Raises:
        UsageError: where the configuration has no model, or there is neither.
    """
    configs = project.configs if project else {}
    if named in configs:
        settings: dict[str, Any] = expand(configs[named].model, environ, f"configs.{named}.model")
        if not settings:
            raise UsageError(
                f"configuration '{named}' has no `model` that could be probed\n"
                '  write `model: {base_url: http://localhost:11434/v1, name: "qwen2.5:7b"}`, or name another'
            )
        return Prober(named, settings, orders)
    if not environ.get("OPENAI_BASE_URL"):
        known = nearest_of(named, configs)
        raise UsageError(
            f"there is no configuration '{named}' whose model could be probed\n  {known}\n"
            "  or set `OPENAI_BASE_URL`, and name a model that is served there"
        )
    return Prober(named, {"name": named}, orders)


async def check_prober(
    prober: Prober, documents: Sequence[Document], labelled: Sequence[LabelledLine], environ: Mapping[str, str]
) -> None:
    """See that there is something to ask and somebody to ask it, before the rounds are paid for.

    Raises:
        UsageError: where the model cannot be reached as it is declared.
        NothingSelectedError: where no label has a probe.
    """
    _planned(prober, documents, labelled, ())
    async with _chooser(prober, environ):
        pass


async def probe_rounds(
    prober: Prober,
    rounds: Sequence[Round],
    *,
    documents: Sequence[Document],
    labelled: Sequence[LabelledLine],
    environ: Mapping[str, str],
    limits: Limits,
    keep: Keep,
    done: Iterable[ProbeAnswer] = (),
) -> Probing:
    """Ask the model every question about the rounds; `keep` hears each answer as it comes.

    The same question on the same text is asked once, and its cost stands with the first of its answers. `done` are
    answers of before: what they settled is not asked again. Secrets are replaced in what the model says.

    Raises:
        UsageError: as `check_prober`.
        NothingSelectedError: as `check_prober`.
    """
    planned = _planned(prober, documents, labelled, rounds)
    clean = Redactor(environ)
    known = {one.given: one for one in done if one.state == "chosen"}
    same: dict[str, list[PlannedProbe]] = {}
    for one in planned:
        same.setdefault(content_hash([prober.identity, one.shown]), []).append(one)
    answers: list[ProbeAnswer] = []

    def settle(given: str, found: Chosen) -> None:
        usage = found.usage
        for one in same[given]:
            answer = replace(one.answered(found.state, found.choice, clean(found.error)), given=given, usage=usage)
            usage = None
            answers.append(answer)
            keep(answer)

    for given in same:
        if given in known:
            settle(given, Chosen("chosen", known[given].chosen))
    for failed in unasked_probes(labelled, rounds, orders=prober.orders):
        answers.append(failed)
        keep(failed)
    asked = {
        ForcedChoice(ones[0].text, ones[0].probe.question, ones[0].order): given
        for given, ones in same.items()
        if given not in known
    }
    stopped = ""
    if asked:
        async with _chooser(prober, environ) as chooser:
            stopped = await ask_choices(
                chooser, list(asked), limits=limits, keep=lambda choice, found: settle(asked[choice], found)
            )
    return Probing(tuple(answers), len(asked), stopped)


def _planned(
    prober: Prober, documents: Sequence[Document], labelled: Sequence[LabelledLine], rounds: Sequence[Round]
) -> list[PlannedProbe]:
    planned = list(planned_probes(documents, labelled, rounds, orders=prober.orders))
    if not planned:
        raise NothingSelectedError(
            "nothing to probe: no label of these documents has a `probe`\n"
            "  write one: probe: {question: …, choices: [a, b], right: a}"
        )
    return planned


def _chooser(prober: Prober, environ: Mapping[str, str]) -> AbstractAsyncContextManager[Chooser]:
    return open_chooser(prober.settings, environ, place=f"probe '{prober.name}'")
