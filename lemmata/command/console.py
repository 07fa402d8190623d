"""Shared by all commands: errors as one line and an exit status, signals, and the options --out and --seed."""

import contextlib
import errno
import functools
import os
import signal
import sys
import warnings
from collections.abc import Callable
from typing import IO, Any, Never, ParamSpec, TypeVar

import click

from lemmata import lab
from lemmata.bounds.catalogue.paper_file import clean_text

LEDGER_ROOT = 20251120  # as in experiments.engine.streams, whose import costs a second
LIBRARIES = ("JOBLIB_", "LOKY_", "MPL", "TQDM_")  # whose variables are read when they are imported, and then raise
CLOSED = 128 + 13  # the exit status of a program that SIGPIPE ends, where there is such a signal

P = ParamSpec("P")
R = TypeVar("R")


class Usage(click.ClickException):
    """A user's mistake: one line, exit status 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        with contextlib.suppress(OSError):  # where even this finds no room, the exit status says it
            click.echo(f"lemmata: {self.message}", err=True)


class Fault(Usage):
    """A fault: one line, exit status 3."""

    exit_code = 3


class Terminated(KeyboardInterrupt):
    """A signal, SIGTERM or SIGHUP, asked the process to end; the argument is its number."""


def install_signal_handlers() -> None:
    """Treat SIGTERM and SIGHUP as an interrupt, and silence two warnings of joblib.

    One says at import that processes cannot share memory here, which `run` reports itself. The other says that a
    worker was replaced, which happens to free memory.
    """
    warnings.filterwarnings("ignore", message=".*joblib will operate in serial mode")
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given to the executor")
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # as the program begins
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform == "win32":
        return

    def terminated(number: int, _: object) -> Never:
        raise Terminated(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, terminated)


class PlainText:
    """A stream of text that a terminal shows and does not obey, whoever has written it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        self.stream.write(clean_text(text))
        return len(text)


class Hints(PlainText):
    """The stream of hints, progress and messages. A full disk loses its text but fails no command."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self.stream.write("\r" * text.startswith("\r") + clean_text(text.removeprefix("\r")))  # as a bar begins
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self.stream.flush()


def open_standard_streams() -> None:
    """Open closed standard streams on the null device; otherwise the next file would take their number.

    A full disk behind stderr must not fail a command: results go to stdout, and the exit status tells success.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  open to the end
    if sys.stderr is sys.__stderr__:
        sys.stderr = Hints(sys.stderr)
    if sys.stdout is sys.__stdout__:
        sys.stdout = PlainText(sys.stdout)


def exit_with(status: int) -> Never:
    """End the command with an exit status. A SystemExit always comes from foreign code and never means success."""
    raise click.exceptions.Exit(status)


def one_line_errors(resumable: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Report every error as one line and an exit status; `stored` says that finished work is kept."""

    def decorate(command: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(command)
        def run(*arguments: P.args, **options: P.kwargs) -> R:
            try:
                return command(*arguments, **options)
            except (click.ClickException, click.exceptions.Exit, click.Abort):
                raise
            except KeyboardInterrupt as signalled:
                rest = "; finished results are stored, run it again to continue" if resumable else ""
                click.echo(f"lemmata: interrupted{rest}", err=True)
                exit_with(128 + (signalled.args[0] if isinstance(signalled, Terminated) else signal.SIGINT))
            except BrokenPipeError:  # who reads has what they wanted; click would end with 1, which says REFUTED
                discard_stdout()
                exit_with(CLOSED)
            except (NotADirectoryError, FileExistsError) as error:
                raise Usage(f"--out = {error.filename}: {error.strerror}") from None
            except OSError as error:
                if error.errno == errno.EMFILE:
                    raise Fault("the limit of open files is too low; `ulimit -n` shows it") from None
                if error.errno == errno.ENOENT and error.filename is None and not is_in_folder():
                    raise Usage("the working folder does not exist any more; change to another one") from None
                printing = error.errno == errno.ENOSPC and error.filename is None
                place = "the output could not be written: " if printing else ""
                if printing:
                    discard_stdout()
                raise Fault(f"{place}{error}") from None
            except (SystemExit, GeneratorExit) as error:  # of others' code: the commands end by `exit_with`
                if os.environ.get("LEMMATA_TRACEBACK"):
                    raise
                raised = describe_error(error)
                raise Fault(f"code that was run here raised {raised}; LEMMATA_TRACEBACK=1 shows where") from None
            except MemoryError:
                raise Fault("out of memory") from None
            except Exception as error:
                if type(error).__name__ == "PaperError":
                    raise Usage(str(error)) from None
                if needed := lab.missing(command_name(command), error):
                    raise Usage(needed) from None
                if type(error).__name__ in ("StoreError", "ReusedSeed", "Fault"):
                    raise Fault(str(error)) from None
                if isinstance(error, ValueError) and (variable := find_misread_variable(str(error))):
                    raise Usage(f"the environment variable {variable} is not valid for its library") from None
                if os.environ.get("LEMMATA_TRACEBACK"):
                    raise
                raise Fault(f"unexpected {describe_error(error)}; LEMMATA_TRACEBACK=1 shows where") from None

        return run

    return decorate


def describe_error(error: BaseException) -> str:
    """The class of an error and the first line of its message."""
    return f"{type(error).__name__}: {error}".splitlines()[0]


def is_in_folder() -> bool:
    """Whether the working folder still exists."""
    try:
        return bool(os.getcwd())
    except FileNotFoundError:
        return False


def find_misread_variable(said: str) -> str:
    """The environment variable quoted in a library's error, as `TQDM_NCOLS = 'abc'`; else ""."""
    ours = {name: repr(value) for name, value in os.environ.items() if name.startswith(LIBRARIES)}
    return next((f"{name} = {value}" for name, value in ours.items() if value in said), "")


class Program(click.Group):
    """A group of commands that also reports errors while printing help and version as one line."""

    make_context = one_line_errors()(click.Group.make_context)

    @one_line_errors()
    def invoke(self, ctx: click.Context) -> Any:
        return super().invoke(ctx)


def discard_stdout() -> None:
    """Discard buffered output that cannot be written; otherwise Python would print an error of its own at exit."""
    stream = sys.__stdout__
    if stream is not None and stream is getattr(sys.stdout, "stream", sys.stdout):
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def command_name(command: Callable[..., Any]) -> str:
    """The name of the running command, such as `ledger`."""
    context = click.get_current_context(silent=True)
    return context.info_name if context and context.info_name else command.__name__


PROCESSES = click.IntRange(1, max(32, 4 * (os.cpu_count() or 1)))  # more of them take memory only, and then all of it
out_option = click.option(
    "--out", metavar="FOLDER", help="Folder for results.  [default: reports/ in the paper's folder or the checkout]"
)
root_option = click.option(  # as large as a store takes it
    "--seed", "root", default=LEDGER_ROOT, type=click.IntRange(0, 2**63 - 1), help="Root seed of all random streams."
)
