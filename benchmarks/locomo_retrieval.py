"""Retrieval on LoCoMo: recall of the cited turns by BM25 over turns, categories 1 to 4, beside the memory `verbatim`.

The data is not part of the project: `--data` names locomo10.json, `--errors` the published list of its wrong keys. A
turn is one text, with its speaker and the caption of its image. BM25 is bm25s with k1 1.5 and b .75; the words that
questions are made of (`STOP`) are left out, which is worth .05 of recall@10. Of the release that the known figures were
taken of, the command fails where a figure is further than .01 from them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import bm25s
import numpy as np

from foldproof.agents.memories.memory import Resources
from foldproof.agents.memories.verbatim import Verbatim
from foldproof.cases import DISPUTED_SOURCE, Case, ReplaySet, import_benchmark, load_set
from foldproof.logs import History
from foldproof.score.recall import CUTS, recall_at

RELEASE = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
KNOWN = {"recall@10": 0.569, "recall@50": 0.698, "any@10": 0.630, "all@10": 0.519}
TOLERANCE = 0.01
TYPES = {"multi-hop", "temporal", "open-domain", "single-hop"}
STOP = [
    *("a", "an", "the"),
    *("is", "are", "was", "were", "be", "do", "does", "did", "has", "have", "had"),
    *("of", "in", "on", "at", "to", "for", "and", "or"),
    *("what", "when", "where", "who", "which", "how", "why"),
]
MOST = CUTS[-1]

Search = Callable[[str], Sequence[str]]
"""The turns that a question finds, best first, as `s12.t3`."""


def bm25(history: History) -> Search:
    """BM25 over the turns; of equal scores the turn that was said first."""
    places = [f"{session.id}.t{at}" for session in history.sessions for at in range(1, len(session.turns) + 1)]
    texts = [turn.text for session in history.sessions for turn in session.turns]
    index = bm25s.BM25(k1=1.5, b=0.75)
    index.index(bm25s.tokenize(texts, stopwords=STOP, show_progress=False), show_progress=False)

    def search(question: str) -> list[str]:
        words = bm25s.tokenize([question], stopwords=STOP, return_ids=False, show_progress=False)[0]
        scores = index.get_scores(words)
        return [places[at] for at in np.argsort(-scores, kind="stable")[:MOST]]

    return search


def verbatim(history: History) -> Search:
    """The product's memory `verbatim`, which leaves out no word; the budget is no limit here."""
    memory = Verbatim({"k": MOST, "budget": 10**6}, Resources(Path()))
    asyncio.run(memory.build(history))

    def search(question: str) -> list[str]:
        items = asyncio.run(memory.recall(question)).items
        return [item.id for item in items if not item.dropped]

    return search


def asked(found: ReplaySet) -> Iterator[Case]:
    """The questions that have a type with an answer, and cite a turn that there is."""
    return (case for case in found.cases if not TYPES.isdisjoint(case.tags) and case.source)


def ranks_by(method: Callable[[History], Search], found: ReplaySet) -> dict[str, list[int]]:
    """For each question the ranks of the turns that it cites, 0 for what is not among the first."""
    by_history: defaultdict[str, list[Case]] = defaultdict(list)
    for case in asked(found):
        by_history[case.history].append(case)
    ranks = {}
    for name, cases in by_history.items():
        search = method(found.histories[name])
        for case in cases:
            place = {turn: rank for rank, turn in enumerate(search(case.question), 1)}
            ranks[case.id] = [place.get(f"{source.session}.t{source.turn}", 0) for source in case.source]
    return ranks


def figures(ranks: Sequence[Sequence[int]]) -> dict[str, Any]:
    """The recall after each number of items."""
    return {"n": len(ranks), "at": [asdict(recall_at(ranks, k)) for k in CUTS] if ranks else []}


def measure(data: Path, errors: Path | None) -> dict[str, Any]:
    """The figures of both methods: of all questions, of each type, of those whose citation is said to be wrong."""
    with tempfile.TemporaryDirectory() as folder:
        report = import_benchmark("locomo", data, folder=folder, errors=errors)
        found = load_set(report.replay_set)
    assert found.data is not None
    told: dict[str, Any] = {"sha256": found.data.sha256, "quarantine": found.data.quarantine, "methods": {}}
    for name, method in (("bm25", bm25), ("verbatim", verbatim)):
        ranks = ranks_by(method, found)
        groups = {tag: [ranks[case.id] for case in asked(found) if tag in case.tags]
                  for tag in (*sorted(TYPES), DISPUTED_SOURCE)}  # fmt: skip
        told["methods"][name] = {"all": figures(list(ranks.values())), **{tag: figures(r) for tag, r in groups.items()}}
    rows = {row["k"]: row for row in told["methods"]["bm25"]["all"]["at"]}
    measured = {name: rows[int(name.partition("@")[2])][name.partition("@")[0]] for name in KNOWN}
    told["known_release"] = told["sha256"] == RELEASE
    told["off"] = {name: round(measured[name] - known, 4) for name, known in KNOWN.items()}
    return told


def write(told: dict[str, Any]) -> None:
    """The figures for a person."""
    release = "the known release" if told["known_release"] else "NOT the release that the known figures were taken of"
    print(f"data sha256 {told['sha256']}: {release}")
    if told["quarantine"]:
        print(f"wrong keys  {told['quarantine']}")
    for method, groups in told["methods"].items():
        print(f"\n{method:15} {'n':>5}" + "".join(f"{f'R@{k}':>7}" for k in CUTS) + f"{'any@10':>8}{'all@10':>8}")
        for name, group in groups.items():
            if group["at"]:
                ten = next(row for row in group["at"] if row["k"] == 10)
                shares = "".join(f"{row['recall']:7.3f}" for row in group["at"])
                print(f"{name:15} {group['n']:5}{shares}{ten['any']:8.3f}{ten['all']:8.3f}")
    print(
        "\nbm25, all, against the known figures: "
        + ", ".join(f"{name} {off:+.3f}" for name, off in told["off"].items())
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="locomo10.json")
    parser.add_argument("--errors", type=Path, help="the list of wrong keys")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    result = measure(arguments.data, arguments.errors)
    if arguments.json:
        print(json.dumps(result))
    else:
        write(result)
    if result["known_release"] and any(abs(off) > TOLERANCE for off in result["off"].values()):
        raise SystemExit(f"further than {TOLERANCE} from the known figures")
