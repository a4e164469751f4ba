"""The rules that type a line for triage, against labels that people gave by reading: what they see of each class."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from foldproof.cliff import lines_of, load_labels, read_corpus
from foldproof.compaction import CLASS_OF, by_rules
from foldproof.demo import corpus_places

Table = dict[str, dict[str, int]]


def measure(labels: Path, corpus: Path) -> Table:
    """Labelled lines by their class and by the class of the type that the rules give them."""
    read = load_labels(labels)
    given = {label.at: label.cls for label in read.labels}
    counts: Counter[tuple[str, str]] = Counter()
    for document in read_corpus(corpus, only=read.documents):
        lines = lines_of(document)
        for line, kind in zip(lines, by_rules([line.text for line in lines]), strict=True):
            cls = given.get((line.document, line.sha256, line.number))
            if cls is not None:
                counts[cls, CLASS_OF[kind]] += 1
    classes = [*CLASS_OF.values(), *sorted({cls for cls, _ in counts} - set(CLASS_OF.values()))]
    return {cls: {seen: counts[cls, seen] for seen in CLASS_OF.values()} for cls in classes}


def page(table: Table) -> str:
    """The table in Markdown, with recall and precision for `safety`."""
    rows = ["| labelled | " + " | ".join(f"typed `{cls}`" for cls in CLASS_OF.values()) + " |", "|---|" + "---|" * 5]
    rows += [
        f"| `{cls}` ({sum(row.values())}) | " + " | ".join(map(str, row.values())) + " |" for cls, row in table.items()
    ]
    hit, seen = table["safety"]["safety"], sum(row["safety"] for row in table.values())
    of = sum(table["safety"].values())
    return "\n".join(
        [*rows, "", f"safety: recall {hit}/{of} = {hit / of:.2f}, precision {hit}/{seen} = {hit / seen:.2f}"]
    )


if __name__ == "__main__":
    shipped = corpus_places()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", type=Path, nargs="?", default=shipped.labels)
    parser.add_argument("corpus", type=Path, nargs="?", default=shipped.texts)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = measure(arguments.labels, arguments.corpus)
    print(json.dumps(found) if arguments.json else page(found))
