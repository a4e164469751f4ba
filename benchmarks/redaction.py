"""What it costs to keep secrets out of text, against what the first, much shorter list of patterns cost."""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Callable

from foldproof.core import Redactor

FIRST_LIST = re.compile(
    r"\b(?:sk|pk|rk)-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|(?<=://)[^/\s:@]{1,200}:[^/\s@]{1,200}(?=@)"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\bAIza[A-Za-z0-9_-]{30,}"
    r"|\bhf_[A-Za-z0-9]{20,}"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"
    r"|(?i:(?<=bearer )(?=[A-Za-z._~+/-]*\d)[A-Za-z0-9._~+/-]{16,}=*)"
)
WORDS = [
    "the",
    "order",
    "of",
    "your",
    "kettle",
    "was",
    "shipped",
    "to",
    "Berlin",
    "with",
    "number",
    "40215",
    "and",
    "we",
    "will",
    "refund",
    "12.50",
    "EUR",
    "to",
    "the",
    "account",
    "thank",
    "you",
    "for",
    "this",
    "question",
    "about",
    "billing",
    "see",
    "https://example.org/help?page=2",
    "or",
    "reset",
    "it",
    "under",
    "settings",
    "on",
    "Friday",
    "pH-neutral",
    "sk-learn",
    "task-management",
    "Straße",
    "東京",
    "привет",
    "max_tokens",
    "9d5ed678fe57",
    "2026-03-04",
]


def texts(megabytes: int, every: int) -> list[str]:
    """Ordinary texts of 20 to 120 words; each of `every` names a password or a token without telling it."""
    rng = random.Random(1)
    made, size, number = [], 0, 0
    while size < megabytes * 1_000_000:
        number += 1
        words = rng.choices(WORDS, k=rng.randrange(20, 120))
        if number % every == 0:
            words.insert(5, rng.choice(("the token: see below", "password: required", "the password is set")))
        text = " ".join(words)
        made.append(text)
        size += len(text.encode())
    return made


def seconds(clean: Callable[[str], str], made: list[str]) -> float:
    started = time.process_time()
    for text in made:
        if clean(text) != text:
            raise SystemExit(f"this is no secret: {text}")
    return time.process_time() - started


def measure(megabytes: int = 100) -> dict[str, float]:
    """Megabytes a second of both on the same texts, in processor time, and how often the new one is the quicker."""
    made = texts(megabytes, every=20)
    size = sum(len(text.encode()) for text in made) / 1e6
    redact = Redactor({})
    redact("warm up: password=")
    after = size / seconds(redact, made)
    before = size / seconds(lambda text: FIRST_LIST.sub("[redacted]", text), made)
    return {"megabytes": size, "before_mb_s": before, "now_mb_s": after, "ratio": after / before}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    figures = measure(asked.megabytes)
    if asked.json:
        print(json.dumps(figures))
    else:
        told = f"{figures['now_mb_s']:.0f} MB/s, the first list {figures['before_mb_s']:.1f} MB/s"
        print(f"{figures['megabytes']:.0f} MB of ordinary text: {told}: {figures['ratio']:.0f} x")
