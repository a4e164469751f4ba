"""The cassette: answers of models kept in a file, so that a rerun asks nobody."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import anyio

from foldproof.agents.error_texts import is_error_text
from foldproof.agents.watch import CASSETTE_MISS, CassetteMode
from foldproof.agents.wire.exchange import Exchange, WireTrial
from foldproof.agents.wire.foreign import error_in, json_in
from foldproof.agents.wire.reading import body_of, call_of, whole_json
from foldproof.core import FileError, Problem, Redactor, UsageError, content_hash

VERSION = 2
_TRIAL = "<foldproof-trial>"
_WIRE = "<foldproof-wire>"
_FIELDS = {"key": str, "repeat": int, "nth": int, "status": int, "type": str, "body": str}


class Slot(NamedTuple):
    """The place of one answer: the request's hash, the repetition of the case, the how-manieth within the trial.

    Trials of several cases that ask the same share it.
    """

    key: str
    repeat: int
    nth: int


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it is kept; what named its own trial is a placeholder in it."""

    status: int
    content_type: str
    body: str

    def for_trial(self, trial: WireTrial, base: str) -> bytes:
        """The body with this trial's own names in it."""
        return self.body.replace(_TRIAL, json.dumps(trial.label)[1:-1]).replace(_WIRE, base).encode("utf-8", "replace")


@dataclass(eq=False)
class Cassette:
    """The answers of one configuration in a JSON Lines file, where of one slot the last line counts.

    Within a run a slot is asked for once: who asks the same while an answer is under way waits for it, and later ones
    have it too. Else each would go on from an answer of its own, of which only the last is kept. Several trials and
    processes may append at once; none sees what another process adds.
    """

    mode: CassetteMode
    path: Path
    redact: Redactor = field(repr=False)
    answers: dict[Slot, Kept] = field(default_factory=dict, repr=False)
    written: set[Slot] = field(default_factory=set, repr=False)
    under_way: dict[Slot, anyio.Event] = field(default_factory=dict, repr=False)

    @classmethod
    def load(cls, mode: CassetteMode, path: Path, redact: Redactor) -> Cassette:
        """The cassette as it lies on disk; an empty one where there is none yet, which is then begun.

        Raises:
            FileError: for a file of another format version, or one that is none.
            UsageError: for a place that cannot be read or written.
        """
        cassette = cls(mode, path, redact)
        try:
            whole = path.read_bytes() if path.exists() else b""
            if whole:
                cassette.answers.update(_entries(path, whole))
            if mode != "replay":
                path.parent.mkdir(parents=True, exist_ok=True)
                _mend(path, whole)
        except OSError as error:
            raise UsageError(f"{path}: the cassette cannot be used: {error.strerror or error}") from error
        return cassette

    def slot(self, exchange: Exchange, trial: WireTrial, base: str) -> Slot:
        """The slot of a request that begins; a number that a failed one gave back is used first."""
        body = body_of(exchange.request, exchange.request_coding)
        text, coding = body.text, ""
        if body.fault:  # told apart by its bytes then, each as one character
            text, coding = exchange.request.decode("latin-1"), exchange.request_coding
        parts = (exchange.upstream, exchange.path, coding, text)
        *place, text = (self.redact(_anonymous(part, trial, base)) for part in parts)
        key = _hash_of([exchange.method, *place], text)
        used = trial.slots.setdefault(key, set())
        nth = next(number for number in range(len(used) + 1) if number not in used)
        used.add(nth)
        return Slot(key, trial.repeat, nth)

    async def find(self, slot: Slot, trial: WireTrial) -> Kept | None:
        """What is kept for a slot, after waiting for who asks for it already.

        None says that there is nothing. Unless only kept answers may be given, it is the caller then who asks, and
        who calls `keep` whatever comes of it.
        """
        while (found := self._found(slot, building=trial.building)) is None and self.mode != "replay":
            other = self.under_way.get(slot)
            if other is None:
                self.under_way[slot] = anyio.Event()
                break
            try:
                await other.wait()
            except BaseException:  # it is cancelled: the next attempt of this client has the number again
                trial.slots[slot.key].discard(slot.nth)
                raise
        return found

    def _found(self, slot: Slot, *, building: bool) -> Kept | None:
        """What is kept for a slot now; a recording takes only what it has written itself.

        While a memory is built that trials share, which of them builds it is chance: where nobody may be asked, the
        answer to another repetition is taken then.
        """
        if self.mode == "record" and slot not in self.written:
            return None
        found = self.answers.get(slot)
        if found is None and building and self.mode == "replay":
            others = (place for place in self.answers if place.key == slot.key and place.nth == slot.nth)
            found = next((self.answers[place] for place in sorted(others)), None)
        return found

    def missed(self, slot: Slot, exchange: Exchange) -> str:
        """What to say of a request that nobody may be asked."""
        there = "" if self.path.exists() else ", which does not exist"
        return (
            f"{CASSETTE_MISS} to {exchange.place} (repeat {slot.repeat}, {slot.nth + 1} of its kind in this trial, "
            f"request {slot.key[:12]}, upstream {exchange.upstream}) in {self.path}{there}; "
            "ask for it with --cassette auto"
        )

    def keep(self, slot: Slot, exchange: Exchange, *, trial: WireTrial, base: str) -> None:
        """Keep an answer, where it is one; else give its slot back, so that another attempt can have it.

        Raises:
            OSError: where the file cannot be written.
        """
        try:
            if is_answer(exchange):
                self._write(slot, exchange, trial, base)
            else:
                trial.slots[slot.key].discard(slot.nth)
        finally:
            self.under_way.pop(slot).set()

    def _write(self, slot: Slot, exchange: Exchange, trial: WireTrial, base: str) -> None:
        text = body_of(b"".join(exchange.chunks), exchange.coding).text
        body = self.redact(_anonymous(text, trial, base))
        kept = Kept(exchange.status, exchange.content_type, body)
        self.answers[slot] = kept
        self.written.add(slot)
        entry = {
            "key": slot.key,
            "repeat": slot.repeat,
            "nth": slot.nth,
            "request": self.redact(_anonymous(exchange.place, trial, base)),
            "upstream": self.redact(exchange.upstream),
            "status": kept.status,
            "type": kept.content_type,
            "body": kept.body,
        }
        _append(self.path, entry)


def is_answer(exchange: Exchange) -> bool:
    """Whether an answer is worth keeping: whole, no error, not empty, no error text in the clothes of an answer."""
    if exchange.error or exchange.cut or not 200 <= exchange.status < 300:
        return False
    if body_of(b"".join(exchange.chunks), exchange.coding).fault:
        return False
    if not exchange.api:
        value = whole_json(exchange)
        return bool(value) and not error_in(value)
    call, _ = call_of(exchange)
    said = bool(call.answer.strip() or call.tool_calls)
    return said and not call.error and not is_error_text(call.answer)


def _anonymous(text: str, trial: WireTrial, base: str) -> str:
    """The text with placeholders for what names the trial, in each way that JSON may write it."""
    for name, place in ((base, _WIRE), (trial.label, _TRIAL)):
        for written in {name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]}:
            text = text.replace(written, place)
    return text


def _hash_of(place: list[str], text: str) -> str:
    body = json_in(text)
    try:
        return content_hash([*place, text if body is None else body])
    except (ValueError, RecursionError):  # NaN, which some clients write, or a nesting that JSON cannot be written of
        return content_hash([*place, text])


def _mend(path: Path, whole: bytes) -> None:
    """Begin a file, or take away a last line that a killed process left half-written."""
    if not whole:
        _append(path, {"foldproof_cassette": VERSION})
    elif not whole.endswith(b"\n"):
        os.truncate(path, whole.rfind(b"\n") + 1)


def _append(path: Path, entry: Mapping[str, Any]) -> None:
    """One line in one write, at the end of the file whoever else writes to it."""
    line = json.dumps(entry).encode() + b"\n"
    with path.open("ab", buffering=0) as file:
        file.write(line)


def _entries(path: Path, whole: bytes) -> dict[Slot, Kept]:
    lines = whole.split(b"\n")
    head = json_in(lines[0]) if len(lines) > 1 else None
    version = head.get("foldproof_cassette") if isinstance(head, dict) else None
    if not isinstance(version, int) or version < 1:
        hint = f'it begins with the line {{"foldproof_cassette": {VERSION}}}; remove the file to begin a new one'
        raise FileError([Problem(str(path), 1, "this is no cassette of foldproof", hint)])
    if version > VERSION:
        what = f"the cassette has the format version {version}, and this foldproof knows {VERSION}"
        raise FileError([Problem(str(path), 1, what, "update foldproof, or remove the file to begin a new one")])
    if version < VERSION:
        what = f"the cassette has the format version {version}, which does not tell the servers apart that answered"
        hint = f"remove the file, and record anew: this foldproof writes version {VERSION}"
        raise FileError([Problem(str(path), 1, what, hint)])
    found: dict[Slot, Kept] = {}
    faults = []
    # After the last line break stands nothing, or what a killed process left half-written.
    for number, line in enumerate(lines[1:-1], 2):
        entry = json_in(line)
        if isinstance(entry, dict) and "foldproof_cassette" in entry:
            continue  # two processes began the file at once
        if not isinstance(entry, dict) or not all(type(entry.get(name)) is kind for name, kind in _FIELDS.items()):
            faults.append(Problem(str(path), number, "this line is no kept answer", "remove the line, or the file"))
            continue
        slot = Slot(entry["key"], entry["repeat"], entry["nth"])
        found[slot] = Kept(entry["status"], entry["type"], entry["body"])
    if faults:
        raise FileError(faults)
    return found
