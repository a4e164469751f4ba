"""The entry point: every way a command can end becomes one exit code and one readable message."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

import click

from foldproof.cli.app import app
from foldproof.core import ExitCode, FoldproofError

_STREAM_FAULTS = frozenset({errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EBADF})
"""What writing a report to standard output can fail with."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with the exit code of DESIGN section 9."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    gc.disable()  # what a command imports stays: walking through it again and again only costs time
    _speak_utf8()
    with contextlib.suppress(ValueError):  # not the main thread: signals stay as they are
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and hasattr(signal, "pthread_sigmask"):
            # `nohup`, a job in the background: Ctrl-C is held back, but the event loop must know how to end on one.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, _as_interrupt)
    code = run(words)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = code if isinstance(error, BrokenPipeError) else _unwritable(error)
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    # Not `sys.exit`: a thread that an agent left behind must neither keep the process nor change what it answers.
    os._exit(int(code))


def run(words: Sequence[str]) -> ExitCode:
    """Carry out one call; nothing escapes but the exit code."""
    as_json = "--json" in words
    try:
        code = app.main(list(words), prog_name="foldproof", standalone_mode=False)
        return code if isinstance(code, ExitCode) else ExitCode.PASS
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else str(error))
        return ExitCode.PASS
    except click.ClickException as error:
        context = f"  try: {error.ctx.command_path} --help" if isinstance(error, click.UsageError) and error.ctx else ""
        return _fail(ExitCode.USAGE, "usage", f"{error.format_message()}\n{context}".rstrip(), as_json=as_json)
    except FoldproofError as error:
        kind = type(error).__name__.removesuffix("Error").lower()
        return _fail(error.exit_code, kind, str(error), as_json=as_json)
    except (KeyboardInterrupt, click.Abort):
        message = "interrupted; what is kept is not asked again: run the same command again to go on"
        return _fail(ExitCode.INTERRUPTED, "interrupted", message, as_json=as_json)
    except BaseException as error:  # noqa: BLE001  # the outermost border: a bug becomes exit code 3 with its trace
        if isinstance(error, SystemExit) and isinstance(error.__context__, OSError):
            error = error.__context__  # click's own way of saying that the reader of the output went away
        if isinstance(error, OSError) and error.errno in _STREAM_FAULTS and error.filename is None:
            return _unwritable(error)
        return _bug(error, as_json=as_json)


def _bug(error: BaseException, *, as_json: bool) -> ExitCode:
    import traceback

    trace = "".join(traceback.format_exception(error))
    opening = f"internal error: {type(error).__name__}: {error}"
    message = f"{opening}\nThis is a bug in foldproof; please report it with:\n{trace}"
    return _fail(ExitCode.INTERNAL, "internal", message, as_json=as_json)


def _fail(code: ExitCode, kind: str, message: str, *, as_json: bool) -> ExitCode:
    if as_json:
        from foldproof.report import ErrorDocument, json_text

        click.echo(json_text(ErrorDocument(exit_code=int(code), kind=kind, message=message)))
    else:
        from foldproof.report.text import clean

        # An error may quote what a model or a file said: nothing in it may steer the terminal.
        click.echo(clean(message), err=True)
    return code


def _unwritable(error: OSError) -> ExitCode:
    """The report cannot be written. Where its reader went away (`| head`) that is said by the code alone.

    Standard output is pointed at nothing, so that the interpreter does not complain of it again at exit.
    """
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return ExitCode.INTERRUPTED
    sys.stderr.write(f"the report cannot be written: {error}\n")
    return ExitCode.USAGE


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    """SIGTERM ends a run as Ctrl-C does, also where Ctrl-C itself is ignored."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.raise_signal(signal.SIGINT)


def _speak_utf8() -> None:
    """A console that cannot show a character shows a replacement; a report is never lost to an encoding."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and (stream.encoding or "").lower().replace("-", "") != "utf8":
            stream.reconfigure(errors="replace")
