"""The 50 agent instruction files of the cliff benchmark, drawn by a rule, and the lines of each that were labelled.

The files are not part of the project: DIR is a folder with `index.json` (file, repository, bytes). The rule: of files
of 3,000 to 12,000 bytes the first by name of each repository; of those the 50 whose repository has the smallest
SHA-256. Of each file nine lines, evenly spaced over those that may state something (`foldproof label --lines 9`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from foldproof.cliff import Document, Line, read_corpus, spread, statements_of

SMALLEST, LARGEST = 3_000, 12_000
FILES = 50
LINES = 9
LABELS = Path(__file__).parent / "labels" / "agents_md.yaml"


def drawn_files(folder: Path) -> tuple[str, ...]:
    """The names of the files, sorted."""
    index: list[dict[str, Any]] = json.loads((folder / "index.json").read_text("utf-8"))
    first: dict[str, str] = {}
    for row in sorted(index, key=lambda row: str(row["file"])):
        if SMALLEST <= row["bytes"] <= LARGEST:
            first.setdefault(row["repository"], row["file"])
    chosen = sorted(first, key=lambda name: hashlib.sha256(name.encode()).hexdigest())[:FILES]
    return tuple(sorted(first[name] for name in chosen))


def documents(folder: Path) -> tuple[Document, ...]:
    """The files as a corpus."""
    return read_corpus(folder, only=drawn_files(folder))


def lines_put(folder: Path) -> tuple[Line, ...]:
    """The lines that were put before the labellers."""
    return tuple(line for one in documents(folder) for line in spread(statements_of(one), LINES))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--links", type=Path, metavar="TO", help="make a folder with links to the files")
    arguments = parser.parse_args()
    names = drawn_files(arguments.folder)
    for name in names:
        print(name)
        if arguments.links:
            place = arguments.links / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes((arguments.folder / name).read_bytes())
