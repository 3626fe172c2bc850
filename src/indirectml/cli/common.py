"""What the commands share: exit codes, the parser, failures, files, interrupts, progress."""

from __future__ import annotations

import argparse
import errno
import os
import re
import shutil
import signal
import sys
import tempfile
import textwrap
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NoReturn, Protocol, Self, TextIO

from indirectml.catalogue.feature_levels import FeatureLevel, as_feature_level
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DeviceUnavailableError, DirectMLError, SettingError
from indirectml.core.nearest_names import suggestion
from indirectml.core.progress import listening
from indirectml.core.settings import Settings
from indirectml.fills.sequences import RULES, Rule
from indirectml.models.context import names_beside
from indirectml.models.members import scalar_data_type
from indirectml.models.problems import printable

DONE, REFUSED, USAGE, INPUT_OUTPUT, NOT_COMPARABLE, INTERRUPTED = 0, 1, 2, 3, 4, 130

#: As the name of a file: what is written to, or read from, the command.
STANDARD = Path("-")

#: What `--like` may name: whose results are given where they differ from the specification's.
LIKE = ("directml",)

_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")


#: What lists the names of files, by shell, as shtab wants to know.
_FILES = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "tcsh": "f",
    "fish": "(__fish_complete_path (commandline -ct))",
}


class Parser(argparse.ArgumentParser):
    """A parser that answers with one line, and with nothing that acts on a terminal."""

    def print_help(self, file: Any = None) -> None:
        """Print the help; argparse would not tell that it could not be written."""
        print(end=self.format_help(), file=file)

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and end."""
        self.exit(USAGE, f"{self.format_usage()}{self.prog}: error: {printable(message)}\n")

    def add_argument(self, *names: str, **options: Any) -> argparse.Action:
        """Add an argument; the value of a path is completed by the names of files."""
        action = super().add_argument(*names, **options)
        if options.get("type") is Path:
            vars(action)["complete"] = _FILES
        return action

    #: Options that are accepted and that the help does not list.
    silent_options: frozenset[str] = frozenset()

    def check_options(self, arguments: list[str]) -> None:
        """Print the first option by a long name that is unknown, and end, if there is one."""
        known = {*_OPTION.findall(self.format_help()), *self.silent_options}
        for argument in arguments:
            if argument == "--":
                return
            if argument.startswith("--") and argument.partition("=")[0] not in known:
                self.unknown([argument])

    def unknown(self, arguments: list[str]) -> NoReturn:
        """Print which arguments are unknown, with the option that the first resembles, and end."""
        name = arguments[0].partition("=")[0]
        hint = suggestion(name, _OPTION.findall(self.format_help())) if name[:1] == "-" else None
        shown = " ".join(arguments)
        self.error(f"unrecognized arguments: {shown[:100]}{f'; {hint}' if hint else ''}")


class PrintAndEnd(argparse.Action):
    """Prints a text and ends."""

    def __init__(self, *, text: Callable[[], str], **arguments: Any) -> None:
        super().__init__(nargs=0, **arguments)
        self._text = text

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        """Print, and end."""
        print(end=self._text())
        parser.exit()


class Commands(Protocol):
    """Where a command adds itself: what `ArgumentParser.add_subparsers` returns."""

    def add_parser(
        self,
        name: str,
        *,
        parents: list[Parser],
        formatter_class: Any,
        allow_abbrev: bool,
        help: str,  # noqa: A002 (argparse's name)
        description: str,
        epilog: str,
    ) -> Parser:
        """Return the parser of a new command."""


def add_command(
    commands: Commands,
    shared: Parser,
    name: str,
    *,
    summary: str,
    description: str,
    example: str,
) -> Parser:
    """Return the parser of a new command, whose help ends with an example that can be pasted."""
    parser = commands.add_parser(
        name,
        parents=[shared],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        help=summary,
        description=textwrap.fill(description, 79),
        epilog=f"example: {example}",
    )
    parser.set_defaults(parser=parser)
    return parser


def failed(message: str, code: int, options: argparse.Namespace, error: BaseException) -> int:
    """Print an error, with --traceback also where it came from, and return the exit code."""
    if options.traceback:
        traceback.print_exception(error)
    tell(message)
    return code


def code_of(error: BaseException) -> int:
    """Return the exit code for what has been raised, whatever was read or asked for."""
    if isinstance(error, SettingError | DeviceUnavailableError):
        return USAGE
    return INPUT_OUTPUT if isinstance(error, OSError | MemoryError) else REFUSED


def tell(message: str) -> None:
    """Print one line to standard error, if there is one."""
    if sys.stderr is not None:
        print(f"indirectml: {printable(message)}", file=sys.stderr)


# ---- types of arguments ----


def one_of(names: Iterable[str]) -> Callable[[str], str]:
    """Return a reader of one of the names, which answers any other with the nearest."""
    names = tuple(names)

    def read(text: str) -> str:
        if text in names:
            return text
        hint = suggestion(text, names)
        needs = f"needs {' or '.join(names)}, got {text[:40]!r}"
        raise argparse.ArgumentTypeError(f"{needs}; {hint}" if hint else needs)

    return read


def feature_level(text: str) -> FeatureLevel:
    """Read a feature level: 2_1, or 2.1 and 5 as DxDispatch has them."""
    try:
        return as_feature_level(f"{text}_0" if text.isdecimal() else text)
    except DirectMLError as error:
        raise argparse.ArgumentTypeError(f"{error.required}, got {error.given}") from None


def data_type(text: str) -> TensorDataType:
    """Read the name of a data type, in any letter case: FLOAT16, float16."""
    try:
        return scalar_data_type(text.upper())
    except DirectMLError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_rule(parser: argparse.ArgumentParser) -> None:
    """Add the choice between the two rules for sequences, by the same names everywhere."""
    parser.add_argument(
        "--rule",
        "--sequence-rule",
        type=one_of(RULES),
        choices=RULES,
        help="how a sequence's elements are defined (default: accumulate)",
    )
    parser.add_argument(
        "--like",
        type=one_of(LIKE),
        choices=LIKE,
        help="follow what DirectML does today, where it differs from its specification: "
        "--rule multiply, and in models also DxDispatch's --float16-rounding toward-zero and "
        "--feature-level 5_0; an option that is given itself counts",
    )


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add the choice of a device, by the same name everywhere."""
    parser.add_argument(
        "--device",
        default="cpu",
        metavar="NAME",
        help="what it runs on: cpu, opencl, opencl:1; `indirectml info` lists all (default: cpu)",
    )


def used_device(options: argparse.Namespace) -> str:
    """Return what ran: the instruction set of the CPU, or another device."""
    device: str = options.device
    return Settings.policy.target if device == "cpu" else device


def rule_of(options: argparse.Namespace) -> Rule:
    """Return the rule that the options ask for."""
    rule: Rule = options.rule or ("accumulate" if options.like is None else "multiply")
    return rule


# ---- files ----


def nearest_file(path: Path) -> str | None:
    """Return a hint at the file beside a missing one whose name is most like it."""
    return suggestion(path.name, names_beside(path))


@contextmanager
def standard_input(path: Path) -> Iterator[Path]:
    """Give a file that can be read in any order: for `-` a copy of what comes in."""
    if path != STANDARD:
        yield path
        return
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "standard-input"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        with copy.open("rb") as file:
            is_npy = file.read(6) == b"\x93NUMPY"
        yield copy.rename(copy.with_suffix(".npy")) if is_npy else copy


@contextmanager
def interruptible() -> Iterator[None]:
    """Let a request to end, or a terminal that closes, clean up as Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    names = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    former = {}
    if threading.current_thread() is threading.main_thread():
        # What is ignored stays so: `nohup` ignores that the terminal closes.
        former = {n: signal.getsignal(n) for n in numbers if signal.getsignal(n) != signal.SIG_IGN}
    for signal_number in former:
        signal.signal(signal_number, interrupt)
    try:
        yield
    finally:
        for signal_number, handler in former.items():
            signal.signal(signal_number, handler)


# ---- progress ----


def _show_line(stream: TextIO, text: str) -> None:
    """Show a line in place of the one before; what is cut off would be one that stays."""
    stream.write(f"\r\033[K{text[: shutil.get_terminal_size().columns - 1]}")
    stream.flush()


class Progress:
    """A line on a terminal that shows how far a long task is; nothing anywhere else."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        # A dumb terminal cannot take a line away.
        self._shows = (
            self._stream is not None
            and self._stream.isatty()
            and os.environ.get("TERM", "") != "dumb"
        )
        self._began = self._shown = time.monotonic()
        self._is_on_screen = False

    def __call__(self, done_bytes: int, total_bytes: int) -> None:
        """Show that so much of the total is done, a few times a second."""
        now = time.monotonic()
        if not self._shows or now - self._shown < 0.1:  # noqa: PLR2004 (seconds)
            return
        self._shown = now
        rate = done_bytes / (now - self._began)
        left = (total_bytes - done_bytes) / rate if rate else 0
        _show_line(
            self._stream,
            f"{100 * done_bytes / max(total_bytes, 1):3.0f} %  "
            f"{size_text(done_bytes)} of {size_text(total_bytes)}  "
            f"{size_text(rate)}/s  {left:.0f} s left",
        )
        self._is_on_screen = True

    def clear(self) -> None:
        """Take the line away."""
        if self._is_on_screen:
            self._stream.write("\r\033[K")
            self._stream.flush()


class Steps:
    """What is being done, how far it is, and how long it will take: on a terminal, nowhere else.

    A line appears when a block has taken two seconds, and goes with its end.

    Parameters
    ----------
    what : str
        Such as "loading model.onnx".
    total : int, optional
        How many steps there are; `done` counts them. Without it, they are those of what the block
        calls, where that tells (core/progress.py).
    stream : file, optional
        Standard error by default.
    after_s : float
        When the line appears.
    """

    def __init__(
        self,
        what: str,
        total: int | None = None,
        *,
        stream: TextIO | None = None,
        after_s: float = 2.0,
    ) -> None:
        self.done = 0
        self.what, self._total, self._after_s = what, total, after_s
        self._began = self._late = 0.0
        self._depth = 0
        self._listening = ExitStack()
        self._stream: Any = stream or sys.stderr
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        stream = self._stream
        if stream is not None and stream.isatty() and os.environ.get("TERM", "") != "dumb":
            self._began = time.monotonic()
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
            if self._total is None:
                self._listening.enter_context(listening(self.tell))
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread is not None:
            self._listening.close()
            self._thread.join()

    def _show(self) -> None:
        if self._ended.wait(self._after_s):
            return
        while True:
            text = self.text(time.monotonic() - self._began)
            _show_line(self._stream, text)
            if self._ended.wait(0.2):
                break
        self._stream.write("\r\033[K")
        self._stream.flush()

    def tell(self, done: int, total: int) -> None:
        """Take how far a loop is; of loops in each other the outermost counts."""
        self._depth += bool(total and not done) - (not total)
        if self._depth > 1:
            return
        if not done:
            self._late = time.monotonic() - self._began
        self.done, self._total = done, total

    def text(self, seconds: float) -> str:
        """Return the line after so many seconds."""
        done, total = self.done, self._total
        if not total or total == 1 or not done:
            return f"{printable(self.what)}  {seconds:.0f} s"
        rate = done / max(seconds - self._late, 1e-3)
        return (
            f"{printable(self.what)}  {100 * done / total:3.0f} %  {done} of {total}  "
            f"{rate:.3g}/s  {(total - done) / rate:.0f} s left"
        )


def size_text(size_bytes: float) -> str:
    """Write a number of bytes for people.

    Examples
    --------
    >>> size_text(20), size_text(3 << 29)
    ('20 bytes', '1.5 GiB')
    """
    if size_bytes < 1 << 10:
        return f"{size_bytes:.0f} bytes"
    for unit, power in (("KiB", 10), ("MiB", 20), ("GiB", 30)):
        if size_bytes < 1 << (power + 10):
            return f"{size_bytes / (1 << power):.1f} {unit}"
    return f"{size_bytes / (1 << 40):.1f} TiB"
