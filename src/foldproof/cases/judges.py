"""The judge of a set: a name that cannot move, a prompt that cannot change unseen."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from foldproof.cases.nodes import ReadBytes, read_bytes, shown
from foldproof.cases.records import JudgePin
from foldproof.core import FileError, Problem

_ALIAS = re.compile(r"(?:^|[^a-z])latest(?:$|[^a-z])", re.IGNORECASE)
_PINNED = re.compile(
    r"\d{4}-\d{2}-\d{2}"  # gpt-4.1-2025-04-14
    r"|(?<!\d)\d{8}(?!\d)"  # claude-3-5-sonnet-20241022
    r"|[-@]\d{3,4}$"  # gemini-1.5-pro-002, mistral-large-2407
    r"|\d{2}-\d{4}$"  # command-r-08-2024
    r"|[^:/]:[^:/]+$"  # qwen2.5:7b, a tag of a local registry
    r"|@.+"  # name@revision, name@sha256:…
)
_HASH = re.compile(r"[0-9a-f]{64}")


def judge_problems(
    judge: JudgePin, folder: Path, *, file: str, line: int, read: ReadBytes = read_bytes
) -> list[Problem]:
    """What is wrong with the pin: a name that moves, a missing prompt, a prompt that is not the pinned one."""
    problems: list[Problem] = []

    def wrong(message: str, hint: str) -> None:
        problems.append(Problem(file, line, message, hint, rule="judge"))

    if moves(judge.model):
        wrong(
            f"the judge `{judge.model}` is an alias that may name another model tomorrow",
            "write a dated name (gpt-4.1-2025-04-14), a tag (qwen2.5:7b) or a revision (name@revision)",
        )
    prompt = folder / judge.prompt
    found = ""
    try:
        found = prompt_hash(prompt, read)
    except FileError as error:
        reason = error.problems[0].message
        hint = f"it is looked for at {shown(prompt)}"
        if not prompt.exists() and not judge.sha256:
            hint += "; `foldproof judge pin` writes the prompt that comes with foldproof there"
        wrong(f"the judge's prompt '{judge.prompt}': {reason}", hint)
    if judge.sha256 and not _HASH.fullmatch(judge.sha256):
        wrong(f"the judge's `sha256` is '{judge.sha256}'", "write the sha256 of the prompt file, 64 digits")
    elif judge.sha256 and found and found != judge.sha256:
        wrong(
            f"the judge's prompt '{judge.prompt}' is not the pinned one: its hash is {found}",
            "another prompt is another judge: take the change back, or keep it in a file of its own and hold\n"
            "the two against each other: foldproof judge reconcile",
        )
    return problems


def moves(name: str) -> bool:
    """Whether the name of a model may mean another one tomorrow."""
    return bool(_ALIAS.search(name)) or not _PINNED.search(name)


def prompt_hash(path: Path, read: ReadBytes = read_bytes) -> str:
    """SHA-256 of the prompt file.

    Raises:
        FileError: where it cannot be read, or is empty.
    """
    text = read(path)
    if not text.strip():
        raise FileError([Problem(shown(path), 0, "the file is empty", "write what the judge is told", rule="judge")])
    return hashlib.sha256(text).hexdigest()
