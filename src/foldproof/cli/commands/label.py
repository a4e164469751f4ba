"""The command that labels the lines of a text, one key a line."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from foldproof.cases import shown
from foldproof.cases.faults import Fault
from foldproof.cli.keyboard import pressed_keys
from foldproof.cli.shared import Screen, check_places, show
from foldproof.cliff import LINE_CLASSES, NOTHING, Sitting
from foldproof.cliff.label_wire import labeller_of, line_class_of
from foldproof.core import ExitCode, UsageError, nearest_of
from foldproof.report import (
    LabelScreen,
    agreement_document,
    labelling_document,
    render_label_agreement,
    render_labelling,
    render_question,
)
from foldproof.workflow.labelling import (
    LabelFile,
    LabelWork,
    Purpose,
    measure_agreement,
    open_sitting,
    take_answers,
    write_questions,
)

_MEANINGS = {
    "safety": "a rule that an action can break: it forbids, demands, bounds or reserves",
    "procedure": "how something is done: a step, a command, what to do when",
    "semantic": "how things are: what something is, where it lies, what it does",
    "preference": "a wish that leaves a choice: prefer, where possible, rather",
    "episodic": "what happened, or what was so, at a time",
    NOTHING: "nothing: a title, a lead-in, a bare link, the text of an example",
}
_COMMANDS = {"u": "back", "s": "skip", "q": "quit", "?": "help"}
_MOST_OWN = 4
_Read = Callable[[], str | None]


@click.command(short_help="Mark what the lines of a text state, by reading.")
@click.argument("corpus", type=click.Path(path_type=Path))
@click.option("--to", "file", type=click.Path(path_type=Path), default=Path("labels.yaml"), show_default=True,
              help="The labels file; it gets hashes and classes, no text.")  # fmt: skip
@click.option("--labeller", default="", metavar="NAME", help="Who labels; by default `first`, or `second`.")
@click.option("--lines", type=click.IntRange(1), metavar="N", help="So many lines of each document, evenly spaced.")
@click.option("--document", "documents", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--class", "own", multiple=True, metavar="NAME", help="Offer a class of your own; may be repeated.")
@click.option("--second", is_flag=True, help="Label again what others labelled, without sight of what they said.")
@click.option("--draw", type=click.IntRange(1), metavar="N", help="With --second: so many of them, drawn by lot.")
@click.option("--settle", is_flag=True, help="Decide what counts where labellers differ.")
@click.option("--agreement", is_flag=True, help="How far labellers agree; nothing is asked.")
@click.option("--questions", type=click.Path(path_type=Path), help="Write the lines to be labelled here; ask nothing.")
@click.option("--answers", type=click.Path(path_type=Path), help="Take the labels from these JSON lines; ask nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")
def label(
    corpus: Path,
    *,
    file: Path,
    own: tuple[str, ...],
    agreement: bool,
    questions: Path | None,
    answers: Path | None,
    as_json: bool,
    **named: Any,  # noqa: ANN401  # the options of `_work`, checked there
) -> ExitCode:
    """Put the lines of CORPUS before you, one after the other: a folder of texts, one text, or JSON lines.

    One key says what a line states; each label is saved at once, so quit when you like and go on later. Without a
    terminal, answers are read from standard input, one a line: a key or the name of a class. The guideline is in
    docs/labelling.md.
    """
    work = _work(corpus, file, **named)
    if agreement:
        return _show_agreement(work, as_json=as_json)
    check_places(file, questions)
    held = LabelFile(file)
    sitting = open_sitting(work, held)
    written = ""
    if questions is not None:
        write_questions(questions, sitting)
        written = shown(questions)
    elif answers is not None:
        take_answers(answers, sitting)
        held.save(sitting.labels)
    else:
        _Desk(sitting, held, _keys_of(own), to_stderr=as_json or (not sys.stdout.isatty() and _at_terminal())).work()
    document = labelling_document(sitting, file=shown(file), written=written, following=_next(work, sitting))
    show(document, render_labelling, as_json=as_json)
    return ExitCode.PASS


def _work(
    corpus: Path,
    file: Path,
    *,
    labeller: str,
    lines: int | None,
    draw: int | None,
    second: bool,
    settle: bool,
    documents: tuple[str, ...],
) -> LabelWork:
    if second and settle:
        raise UsageError("`--second` labels and `--settle` decides\n  take one of the two")
    if lines and (second or settle):
        raise UsageError("`--lines` is for lines that nobody has labelled\n  with --second, `--draw` says how many")
    if draw and not second:
        raise UsageError("`--draw` is for a second opinion\n  add --second, or use `--lines`")
    try:
        name = labeller_of(labeller) if labeller else "second" if second else "first"
    except Fault as fault:
        raise UsageError(f"`--labeller` {fault}\n  {fault.hint}") from None
    purpose: Purpose = "second" if second else "settle" if settle else "first"
    return LabelWork(corpus, file, name, purpose, lines or draw or 0, documents)


def _keys_of(own: tuple[str, ...]) -> dict[str, str]:
    """What each key stands for: `1` to `5` and `0`, then the user's own classes."""
    names = [*LINE_CLASSES[:-1]]
    for name in own:
        try:
            names.append(line_class_of(name))
        except Fault as fault:
            raise UsageError(f"`--class` {fault}\n  {fault.hint}") from None
    if len(own) > _MOST_OWN:
        raise UsageError(f"there are keys for {_MOST_OWN} classes of your own, and {len(own)} are named\n  take fewer")
    return {**{str(key): name for key, name in enumerate(names, 1)}, "0": NOTHING}


@dataclass(frozen=True, slots=True)
class _Desk:
    """Where a person labels: a line is shown, a key is read, the file is saved."""

    sitting: Sitting
    file: LabelFile
    keys: dict[str, str]
    to_stderr: bool

    def work(self) -> None:
        """Until the end of the lines, of the input, or of the person's patience."""
        if _at_terminal():
            with pressed_keys() as read:
                self._work(read)
        else:
            self._work(_piped())

    def _work(self, read: _Read) -> None:
        for word in self._words(read):
            if word == "q":
                return
            if word == "?":
                self._help()
            elif word == "s":
                self.sitting.skip()
            elif word == "u":
                self._back()
            else:
                self.sitting.give(self.keys.get(word, word))
                self.file.save(self.sitting.labels)
            if self.sitting.current is None:
                return

    def _words(self, read: _Read) -> Iterator[str]:
        """One word a question: a key of this desk, or a command."""
        known = {*self.keys, *self.keys.values(), *_COMMANDS}
        while True:
            self._show()
            word = read()
            while word not in known:
                if word is None:
                    return
                if not _at_terminal():
                    raise UsageError(f"'{word}' is no key and no class; what was answered before it is kept\n  "
                                     f"{nearest_of(word, known)}")  # fmt: skip
                self._say("? shows the keys")
                word = read()
            yield word

    def _show(self) -> None:
        question = self.sitting.current
        assert question is not None  # noqa: S101  # `work` ends with the last of them
        screen = LabelScreen(
            question, self.sitting.at + 1, len(self.sitting.questions), (*self.keys.items(), *_COMMANDS.items())
        )
        terminal = Screen.current()
        self._say("\n" + render_question(screen, width=terminal.width, colour=terminal.colour))

    def _back(self) -> None:
        if self.sitting.back():
            self.file.save(self.sitting.labels)
        else:
            self._say("this is the first line of this sitting")

    def _help(self) -> None:
        for key, name in self.keys.items():
            self._say(f"  {key}  {name}: {_MEANINGS.get(name, 'a class of your own')}")
        self._say("  of several that fit, the first counts: a rule before a step, a step before a wish")

    def _say(self, text: str) -> None:
        click.echo(text, err=self.to_stderr, color=None)


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _piped() -> _Read:
    words = (line.strip() for line in sys.stdin or ())

    def read() -> str | None:
        try:
            return next((word for word in words if word), None)
        except UnicodeDecodeError:
            raise UsageError("the standard input is no text; what was answered before it is kept") from None

    return read


def _show_agreement(work: LabelWork, *, as_json: bool) -> ExitCode:
    report = measure_agreement(work.corpus, work.file)
    following = [f"{_command(work)} --settle"]
    show(
        agreement_document(report.labels, report.found, lines=report.lines, following=following),
        render_label_agreement,
        as_json=as_json,
    )
    return ExitCode.PASS


def _next(work: LabelWork, sitting: Sitting) -> list[str]:
    if work.purpose == "first":
        return [] if sitting.left else [f"{_command(work)} --second --labeller NAME"]
    return [f"{_command(work)} --agreement"]


def _command(work: LabelWork) -> str:
    return f"foldproof label {shlex.quote(str(work.corpus))} --to {shlex.quote(str(work.file))}"
