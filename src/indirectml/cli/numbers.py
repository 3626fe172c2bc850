"""Numbers as people write them in arguments: 4096, 8e6, 10**9, -0.5, 0x1p-3, nan."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable

from indirectml.core.errors import SettingError
from indirectml.fills.comparing import Tolerance

#: Larger powers are no numbers that a data type or a count could hold; computing them takes long.
_MAX_POWER_BITS = 2048

_POWER = re.compile(r"([+-]?)([0-9]+)\*\*([0-9]+)")
_INTEGER = re.compile(r"[+-]?[0-9]+(_[0-9]+)*")
_SCIENTIFIC = re.compile(r"([+-]?[0-9]+)e\+?([0-9]+)", re.IGNORECASE)
_DECIMAL = re.compile(
    r"[+-]?(?:(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:e[+-]?[0-9]+)?|inf|infinity|nan)",
    re.IGNORECASE,
)
_HEXADECIMAL = re.compile(
    r"[+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(p[+-]?[0-9]+)?", re.IGNORECASE
)
#: What C writes after a number to say its type.
_C_SUFFIX = re.compile(r"(.*[0-9.])(?:f|h|l|u|ul|lu|ll|ull|llu)", re.IGNORECASE)


def number(text: str, name: str) -> int | float:
    """Read a number: an integer, a power such as 2**20, a decimal, 0x1p-3, nan or inf.

    Raises
    ------
    SettingError
        It is none, or lies beyond what a double holds.
    """
    text = text.strip()
    value = _number(text)
    if value is not None and not (isinstance(value, float) and _overflowed(value, text)):
        return value
    hint = None
    suffixed = _C_SUFFIX.fullmatch(text)
    if value is None and suffixed is not None and _number(suffixed[1]) is not None:
        hint = f"write {suffixed[1]}, without the suffix that C has; --data-type says the type"
    elif value is None and re.fullmatch(r"[+-]?[0-9a-f]+", text, re.IGNORECASE):
        hint = "hexadecimal numbers begin with 0x"
    raise SettingError("needs a number", given=repr(text[:40]), field=f"--{name}", hint=hint)


def _number(text: str) -> int | float | None:
    value = integer(text)
    if value is not None and not _SCIENTIFIC.fullmatch(text):
        return value
    try:
        if _DECIMAL.fullmatch(text):
            return float(text)
        hexadecimal = _HEXADECIMAL.fullmatch(text)
        if hexadecimal is not None:
            is_integer = hexadecimal[1] is None and "." not in text
            return int(text, 16) if is_integer else float.fromhex(text)
    except OverflowError:
        return math.inf
    except ValueError:  # digits with odd underscores
        return None
    return None


def _overflowed(value: float, text: str) -> bool:
    return math.isinf(value) and "inf" not in text.lower()


def integer(text: str) -> int | None:
    """Return 4096, 4_096, 1e6 or 2**20 as an integer; None for anything else."""
    if (power := _POWER.fullmatch(text)) is not None:
        base, exponent = power[2][:_MAX_POWER_BITS], power[3][:10]
        if len(power[2]) > len(base) or int(exponent) * int(base).bit_length() > _MAX_POWER_BITS:
            return None
        magnitude: int = int(base) ** int(exponent)
        # As in Python: -2**63 is the negative of a power.
        return -magnitude if power[1] == "-" else magnitude
    if (scientific := _SCIENTIFIC.fullmatch(text)) is not None:
        power_of_ten = int(scientific[2][:10])
        return None if power_of_ten > 300 else int(scientific[1]) * 10**power_of_ten  # noqa: PLR2004 (doubles end there)
    # Python refuses to read integers of more than 4300 digits.
    return int(text) if _INTEGER.fullmatch(text) and len(text) <= _MAX_POWER_BITS else None


def at_least(minimum: int) -> Callable[[str], int]:
    """Return a reader of integers from a minimum up, which may be written as 10**6 or 1e6."""

    def read(text: str) -> int:
        value = integer(text)
        if value is None or value < minimum:
            needs = f"needs a number from {minimum} up"
            hint = "" if value is not None or text.isalpha() else "; write it as 4096, 8e6 or 2**20"
            raise argparse.ArgumentTypeError(f"{needs}, got {text[:40]!r}{hint}")
        return value

    return read


def sizes(text: str) -> tuple[int, ...]:
    """Read sizes of a tensor: integers from 0 up, between commas."""
    read = at_least(0)
    return tuple(read(part) for part in text.split(","))


def not_negative(text: str) -> float:
    """Read a number from 0 up."""
    value = _number(text)
    if value is None or not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"needs a number from 0 up, got {text[:40]!r}")
    return float(value)


def milliseconds(text: str) -> float:
    """Read a number of milliseconds from 0 up."""
    value = _number(text)
    if value is None or not 0 <= value < 1e9:  # noqa: PLR2004 (eleven days)
        raise argparse.ArgumentTypeError(f"needs milliseconds from 0 up, got {text[:40]!r}")
    return float(value)


def memory_bytes(text: str) -> int:
    """Read a number of GiB above 0."""
    value = _number(text)
    if value is None or not 0 < value < 1e9:  # noqa: PLR2004 (an exabyte)
        needs = "needs a number of GiB above 0, such as 4 or 0.5"
        raise argparse.ArgumentTypeError(f"{needs}, got {text[:40]!r}")
    return max(int(value * 2**30), 1)


def joined_negatives(arguments: list[str]) -> list[str]:
    """Return arguments with `--start -1e5` as `--start=-1e5`.

    argparse takes only -1 and -1.5 for numbers, and -1e5, -inf and -0x1p3 for options.

    Examples
    --------
    >>> joined_negatives(["--start", "-inf", "--delta", "-2**3", "-o", "-"])
    ['--start=-inf', '--delta=-2**3', '-o', '-']
    """
    joined: list[str] = []
    for argument in arguments:
        takes_number = bool(joined) and joined[-1] in _NUMBER_OPTIONS
        if takes_number and _NEGATIVE.match(argument):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


_NUMBER_OPTIONS = ("--value", "--start", "--delta")
_NEGATIVE = re.compile(r"-(?:[\d.]|inf|nan)", re.IGNORECASE)


def add_tolerance(parser: argparse.ArgumentParser) -> None:
    """Add what is accepted though its bits differ."""
    parser.add_argument(
        "--max-ulp",
        type=at_least(0),
        metavar="N",
        help="accept values at most N representable values apart; NaNs are 0 apart, and so are "
        "+0 and -0 (default: equal bits)",
    )
    for name, what in (("--rtol", "|B| times this"), ("--atol", "this")):
        parser.add_argument(
            name,
            type=not_negative,
            metavar="X",
            help=f"accept |A - B| up to {what}, both together if both are given; NaN is near NaN",
        )


def tolerance_of(options: argparse.Namespace) -> Tolerance:
    """Return what the options accept.

    Raises
    ------
    SettingError
        They ask for both kinds.
    """
    tolerance = Tolerance(options.max_ulp, options.rtol, options.atol)
    if tolerance.is_of_numbers and tolerance.max_ulp is not None:
        raise SettingError("goes without --rtol and --atol", field="--max-ulp")
    return tolerance
