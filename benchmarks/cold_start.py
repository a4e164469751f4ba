"""`foldproof --help` from cold, against `python -c "import click"`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from processes import median, timed


def measure(rounds: int = 15) -> dict[str, float]:
    """Medians of alternating runs, in seconds, and their ratio."""
    script = str(Path(sys.executable).parent / "foldproof")
    ours, click = [], []
    for _ in range(rounds):
        click.append(timed([sys.executable, "-c", "import click"]).seconds)
        ours.append(timed([script, "--help"]).seconds)
    return {"help_s": median(ours), "import_click_s": median(click), "ratio": median(ours) / median(click)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    figures = measure()
    if parser.parse_args().json:
        print(json.dumps(figures))
    else:
        times = f"foldproof --help {figures['help_s']:.3f} s, import click {figures['import_click_s']:.3f} s"
        print(f"{times}: {figures['ratio']:.2f} x")
