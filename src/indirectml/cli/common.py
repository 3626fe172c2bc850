"""What the commands share: exit codes, types of arguments, failures, progress."""

from __future__ import annotations

import argparse
import re
import sys
import time
import traceback
from collections.abc import Callable
from typing import TextIO

from indirectml.catalogue.feature_levels import FeatureLevel, as_feature_level
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DirectMLError
from indirectml.fills.sequences import RULES
from indirectml.models.members import scalar_data_type

DONE, REFUSED, USAGE, INPUT_OUTPUT, INTERRUPTED = 0, 1, 2, 3, 130

#: Where a command adds itself: the parsers of all commands.
Commands = argparse._SubParsersAction  # noqa: SLF001 (argparse has no public name for it)


class HelpFormatter(argparse.HelpFormatter):
    """Keeps examples on one line, so that they can be pasted."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("example:"):
            return indent + text
        return super()._fill_text(text, width, indent)


def failed(message: str, code: int, options: argparse.Namespace, error: BaseException) -> int:
    """Print an error, with --debug also where it came from, and return the exit code."""
    if options.debug:
        traceback.print_exception(error)
    print(f"indirectml: {message}", file=sys.stderr)
    return code


# ---- types of arguments ----

_NEGATIVE_NUMBER = re.compile(r"-(?:[\d.]|inf|nan)", re.IGNORECASE)


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


def at_least(minimum: int) -> Callable[[str], int]:
    """Return a reader of integers from a minimum up, which may be written as 10**6 or 1e6."""

    def read(text: str) -> int:
        value = _integer(text)
        if value is None or value < minimum:
            needs = f"needs a number from {minimum} up"
            hint = "" if value is not None or text.isalpha() else "; write it as 4096, 8e6 or 10**9"
            raise argparse.ArgumentTypeError(f"{needs}, got {text[:40]!r}{hint}")
        return value

    return read


def _integer(text: str) -> int | None:
    """Return 4096, 4_096, 1e6 or 10**6 as an integer; None for anything else."""
    base, _, exponent = text.partition("**") if "**" in text else text.lower().partition("e")
    try:
        if not exponent:
            return int(text)
        power = int(exponent)
        if not 0 <= power <= 30:  # noqa: PLR2004 (more than any count; keeps this quick)
            return None
        return int(int(base) ** power if "**" in text else int(base) * 10**power)
    except ValueError:
        return None


def at_least_seconds(text: str) -> float:
    """Read a number of milliseconds from 0 up."""
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < 1e9:  # noqa: PLR2004 (eleven days)
        raise argparse.ArgumentTypeError(f"needs milliseconds from 0 up, got {text!r}")
    return value


def memory_bytes(text: str) -> int:
    """Read a number of GiB."""
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < 1e9:  # noqa: PLR2004 (an exabyte)
        raise argparse.ArgumentTypeError(f"needs a number of GiB from 0 up, got {text!r}")
    return int(value * 2**30)


def add_rule(parser: argparse.ArgumentParser) -> None:
    """Add the choice between the two rules for sequences, by the same names everywhere."""
    # argparse takes only -1 and -1.5 for numbers; -1e5 and -inf are numbers too.
    parser._negative_number_matcher = _NEGATIVE_NUMBER  # noqa: SLF001
    parser.add_argument(
        "--rule",
        "--sequence-rule",
        choices=RULES,
        default="accumulate",
        help="how a sequence's elements are defined (default: accumulate)",
    )


# ---- progress ----


class Progress:
    """A line on a terminal that shows how far a long task is; nothing anywhere else."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._shows = self._stream.isatty()
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
        self._stream.write(
            f"\r\033[K{100 * done_bytes / max(total_bytes, 1):3.0f} %  "
            f"{size_text(done_bytes)} of {size_text(total_bytes)}  "
            f"{size_text(rate)}/s  {left:.0f} s left"
        )
        self._stream.flush()
        self._is_on_screen = True

    def clear(self) -> None:
        """Take the line away."""
        if self._is_on_screen:
            self._stream.write("\r\033[K")
            self._stream.flush()


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
