"""Pinning the judge of a set: its name, and the hash of its prompt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from foldproof.cases import JudgePin, JudgeSettings, Project
from foldproof.cases.judges import judge_problems, moves, prompt_hash
from foldproof.cases.nodes import shown
from foldproof.cases.save import read_judge, set_judge
from foldproof.cases.writing import write_atomically
from foldproof.compare import load_baseline
from foldproof.core import FileError, UsageError
from foldproof.judging import default_prompt, identity_of
from foldproof.record import JudgeIdentity

PROMPT = "judges/fact.md"
"""Where the prompt stands that is written where a set names none."""


@dataclass(frozen=True, slots=True)
class PinReport:
    """A judge that is pinned. `written` are the files that were changed, none where it was pinned already."""

    path: Path
    pin: JudgePin
    identity: JudgeIdentity
    written: tuple[Path, ...]


def pin_judge(path: Path, *, name: str = "", prompt: str = "", project: Project | None = None) -> PinReport:
    """Write the hash of the prompt into a set, and what else was given; a prompt that is not there yet is written.

    The set need not load otherwise: a prompt that is not the pinned one is what this is for.

    Raises:
        FileError: for a set that cannot be read, and a name that may mean another model tomorrow.
        UsageError: where no judge is named, where the prompt would be written outside the set's folder, and where the
            accepted baseline holds the verdicts of another one.
    """
    there = read_judge(path) or JudgePin("", "")
    pin = JudgePin(name or there.model, prompt or there.prompt or PROMPT)
    if not pin.model:
        raise UsageError(
            f"{shown(path)} names no judge\n  name one, dated: foldproof judge pin --model gpt-4.1-2025-04-14"
        )
    place = path.parent / pin.prompt
    fresh = not place.exists() and not moves(pin.model)
    if fresh:
        _refuse_outside(place, path.parent)
        write_atomically(place, default_prompt().encode())
    if wrong := judge_problems(pin, path.parent, file=shown(path), line=0):
        raise FileError(wrong)
    pin = JudgePin(pin.model, pin.prompt, prompt_hash(place))
    identity = identity_of(pin.model, project.judge if project else JudgeSettings(), prompt_sha256=pin.sha256)
    _refuse_another(identity, project)
    changed = pin != there
    if changed:
        set_judge(path, pin)
    written = (*([place] if fresh else []), *([path] if changed else []))
    return PinReport(path, pin, identity, written)


def _refuse_outside(place: Path, folder: Path) -> None:
    """A prompt is written beside its set or below it: that is where the set is versioned."""
    if not place.resolve().is_relative_to(folder.resolve()):
        raise UsageError(
            f"{shown(place)} does not exist, and stands outside the folder of the set\n"
            f"  write the prompt yourself, or name a place below {shown(folder)}"
        )


def _refuse_another(identity: JudgeIdentity, project: Project | None) -> None:
    """Another judge than the one whose verdicts were accepted is not pinned over it unseen."""
    if project is None or not project.baseline_file.exists():
        return
    accepted = load_baseline(project.baseline_file).judge
    if accepted and accepted != identity.title:
        raise UsageError(
            f"{shown(project.baseline_file)} holds the verdicts of another judge: {accepted}\n"
            f"  this one would be {identity.title}: hold the two against each other with\n"
            f"  foldproof judge reconcile {identity.name}, or accept a new baseline"
        )
