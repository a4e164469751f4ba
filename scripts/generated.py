"""A page that is generated: written, or only compared with what stands in the file."""

from __future__ import annotations

import sys
from pathlib import Path


def write(place: Path, text: str) -> int:
    """Write the page; with `--check` on the command line answer 1 where the file differs, and say what to run."""
    if "--check" not in sys.argv[1:]:
        place.write_text(text, encoding="utf-8")
        return 0
    if place.exists() and place.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{place.name} is not what the code says\n  run: python scripts/{Path(sys.argv[0]).name}\n")
    return 1
