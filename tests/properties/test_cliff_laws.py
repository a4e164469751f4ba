"""Laws of the cliff: on any text, whatever a compactor makes of it."""

from __future__ import annotations

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from foldproof.cases import Limits
from foldproof.cliff import SCHEDULES, Document, LabelledLine, Round, line_hash
from foldproof.cliff.curves import curves_of
from foldproof.cliff.gate import demands_of, hold_demands
from foldproof.cliff.invented import Source
from foldproof.cliff.rounds import RoundPlan, run_rounds
from foldproof.cliff.scoring import score_rounds
from foldproof.cliff.survival import SURVIVALS, Wanted, survivals
from foldproof.cliff.units import stem
from foldproof.compaction import Compacted, count_tokens
from foldproof.compare.statistics import clustered
from foldproof.matching import telling_tokens

SAID = "never push to main always the lab 50 $50 15kg must not no only asked said is fine . ! , : - * don't 不要 Nüsse"
WORDS = st.sampled_from([*SAID.split(), "forbidden", "reply", "Postgres"])
LINES = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=80) | LINES
TALK = ("user: lunch was soup", "assistant: it was raining in the harbour")


def labelled(text: str, document: str = "one", place: int = 1) -> LabelledLine:
    return LabelledLine(document, place, line_hash(text), text.strip(), "safety", telling_tokens(text))


@given(line=ANY.filter(str.strip), output=st.lists(ANY, max_size=5).map("\n".join))
def test_every_line_has_one_outcome_in_any_output(line: str, output: str) -> None:
    [found] = survivals([Wanted(labelled(line))], output)
    assert found.outcome in SURVIVALS
    assert bool(found.lack) == (found.outcome == "degraded")


@given(line=LINES, before=st.lists(LINES, max_size=3), after=st.lists(LINES, max_size=3))
def test_a_line_that_stands_as_it_is_is_verbatim(line: str, before: list[str], after: list[str]) -> None:
    [found] = survivals([Wanted(labelled(line))], "\n".join([*before, f"  {line} ", *after]))
    assert found.outcome == "verbatim"


@given(text=st.lists(ANY, max_size=5).map("\n".join))
def test_nothing_of_a_text_is_invented_in_it(text: str) -> None:
    assert Source([text]).invented(text) == ()


@given(word=st.text(max_size=12))
def test_a_stem_keeps_the_beginning(word: str) -> None:
    assert word.startswith((stem(word), stem(word)[:-1]))  # "carries" is "carry"


@given(counts=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted).map(tuple), max_size=9))
def test_a_share_lies_in_its_interval(counts: list[tuple[int, int]]) -> None:
    found = clustered(counts)
    assert found is None or 0 <= found.low <= found.share <= found.high <= 1


class Halving:
    name = "halving"

    async def compact(self, text: str, budget: int) -> Compacted:
        return Compacted(text.encode()[: budget * 4].decode("utf-8", "ignore"))


async def _all(plan: RoundPlan, done: dict[object, Round]) -> list[Round]:
    async with run_rounds(plan, [Halving()], limits=Limits(2), done=done, clean=str) as stream:
        return [one async for one in stream if isinstance(one, Round)]


@settings(max_examples=25)
@given(texts=st.lists(st.lists(LINES, min_size=1, max_size=6).map("\n".join), min_size=1, max_size=3), data=st.data())
def test_a_run_that_goes_on_ends_where_one_would_that_was_never_cut(texts: list[str], data: st.DataObject) -> None:
    documents = tuple(Document(f"d{at}", text) for at, text in enumerate(texts))
    plan = RoundPlan(documents, SCHEDULES, (0.5,), 3, TALK)
    whole = {one.key: one for one in anyio.run(_all, plan, {})}
    assert len(whole) == plan.per_subject
    done = {key: one for key, one in whole.items() if data.draw(st.booleans())}
    rest = {one.key: one for one in anyio.run(_all, plan, done)}
    assert {**done, **rest} == whole
    assert all(one.kept_tokens <= one.budget == max(1, one.budget) for one in whole.values())


@given(kept=st.lists(st.sampled_from(["kept", "lost", "error"]), min_size=1, max_size=5), need=st.integers(1, 5))
def test_an_error_never_makes_a_gate_pass(kept: list[str], need: int) -> None:
    text = "Never push to main."
    documents = [Document(f"d{at}", text) for at in range(len(kept))]
    lines = [labelled(text, one.name) for one in documents]

    def verdict(states: list[str]) -> bool | None:
        rounds = [
            Round("s", one.name, "window", 0.5, 1, budget=9, given_tokens=9, text=text if state == "kept" else "x",
                  state="error" if state == "error" else "ok", kept_tokens=count_tokens(text))
            for one, state in zip(documents, states, strict=True)
        ]  # fmt: skip
        curves = curves_of(score_rounds(rounds, documents, lines), lines, {one.name: 5 for one in documents})
        asked = demands_of([f"safety={min(need, len(kept))}/{len(kept)}@1"], {"safety": len(kept)}, rounds=1)
        return hold_demands(asked, curves)[0].ok

    found = verdict(kept)
    if found:
        assert verdict(["lost" if state == "error" else state for state in kept])
    if found is False:
        assert verdict(["kept" if state == "error" else state for state in kept]) is False
