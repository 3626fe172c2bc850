"""`indirectml fill` and `indirectml diff`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from indirectml.cli.common import (
    DONE,
    REFUSED,
    USAGE,
    Commands,
    HelpFormatter,
    Progress,
    add_rule,
    at_least,
    data_type,
    failed,
    size_text,
)
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DirectMLError, SettingError
from indirectml.fills.array_files import ArrayFile, open_npy, open_raw
from indirectml.fills.comparing import Comparison, Difference, compare, number_text
from indirectml.fills.file_fills import fill_file
from indirectml.fills.sequences import Sequence, equal_elements

_KINDS = ("constant", "sequence")


def add_fill(commands: Commands[Any], shared: argparse.ArgumentParser) -> None:
    """Add `indirectml fill`."""
    fill = commands.add_parser(
        "fill",
        parents=[shared],
        formatter_class=HelpFormatter,
        help="write a constant or a sequence to a .npy or raw file of any size",
        description="Write a constant or a sequence to a file: .npy by its suffix, anything else "
        "raw. The file appears when it is complete.",
        epilog="example: indirectml fill sequence --data-type FLOAT32 --start 0 --delta 0.5 "
        "--sizes 1,1,2,4 -o /tmp/ramp.npy",
    )
    fill.add_argument("kind", choices=_KINDS)
    add_numbers(fill)
    add_sizes(fill, required=True)
    fill.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    fill.set_defaults(command=_fill)


def add_numbers(parser: argparse.ArgumentParser, *, default_type: str | None = "FLOAT32") -> None:
    """Add what describes a fill: data type, numbers, rule."""
    kept = "" if default_type is None else f" (default: {default_type})"
    parser.add_argument(
        "--data-type",
        type=data_type,
        default=default_type and TensorDataType[default_type],
        metavar="TYPE",
        help=f"FLOAT16, FLOAT32, FLOAT64, INT8 to INT64, UINT8 to UINT64{kept}",
    )
    parser.add_argument("--value", metavar="X", help="of a constant")
    parser.add_argument("--start", metavar="X", help="element 0 of a sequence")
    parser.add_argument("--delta", metavar="X", help="what is added from element to element")
    add_rule(parser)


def add_sizes(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Add the two ways to say how many elements there are."""
    group = parser.add_mutually_exclusive_group(required=required)
    group.add_argument("--sizes", type=_sizes, metavar="N,N,...", help="of a row-major tensor")
    group.add_argument(
        "--count", type=at_least(0), metavar="N", help="elements in one dimension; also as 10**9"
    )


def _sizes(text: str) -> tuple[int, ...]:
    read = at_least(0)
    return tuple(read(part) for part in text.split(","))


def sequence_of(kind: str, options: argparse.Namespace, type_: TensorDataType) -> Sequence:
    """Return the sequence that the arguments describe.

    Raises
    ------
    SettingError
        A number is missing, is none, or the data type cannot hold it.
    """
    names = ("value",) if kind == "constant" else ("start", "delta")
    for name in ("value", "start", "delta"):
        given = getattr(options, name)
        if (given is None) == (name in names):
            needs = "is required for" if name in names else "has no meaning for"
            raise SettingError(f"{needs} a {kind}", field=f"--{name}")
    numbers = [number(getattr(options, name), name) for name in names]
    try:
        if kind == "constant":
            return equal_elements(numbers[0], type_)
        return Sequence(numbers[0], numbers[1], type_, rule=options.rule)
    except DirectMLError as error:
        field = "value" if kind == "constant" else error.field
        raise SettingError(error.required, given=error.given, field=f"--{field}") from None


def number(text: str, name: str) -> int | float:
    """Read a number: an integer, a decimal, 0x1p-3, nan or inf.

    Raises
    ------
    SettingError
        It is none.
    """
    text = text.strip()
    for read in (int, float, float.fromhex):
        try:
            value: int | float = read(text)
        except (ValueError, OverflowError):
            continue
        if isinstance(value, float) and math.isinf(value) and "inf" not in text.lower():
            break
        return value
    raise SettingError("needs a number", given=repr(text[:40]), field=f"--{name}")


def _fill(options: argparse.Namespace) -> int:
    sequence = sequence_of(options.kind, options, options.data_type)
    sizes = (options.count,) if options.sizes is None else options.sizes
    progress = Progress()
    began = time.perf_counter()
    try:
        with _termination_as_interrupt():
            total = fill_file(options.output, sequence, sizes, progress=progress)
    finally:
        progress.clear()
    seconds = time.perf_counter() - began
    if sys.stdout.isatty():
        count = math.prod(sizes)
        print(
            f"{options.output}: {count} elements of {sequence.data_type.name}, "
            f"{size_text(total)} in {seconds:.2f} s"
        )
    return DONE


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """Let a request to end clean up, as Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)


# ---- diff ----


def add_diff(commands: Commands[Any], shared: argparse.ArgumentParser) -> None:
    """Add `indirectml diff`."""
    diff = commands.add_parser(
        "diff",
        parents=[shared],
        formatter_class=HelpFormatter,
        help="compare two files, or a file and a fill, bit by bit",
        description="Compare a .npy or raw file with another one, or with the constant or "
        "sequence that it should hold. Exit code 0: the same; 1: not.",
        epilog="example: indirectml diff examples/ramp.npy --expect sequence "
        "--start 3.2 --delta 1.5",
    )
    diff.add_argument("actual", type=Path, metavar="A", help="a .npy file, or a raw one")
    diff.add_argument("expected", type=Path, metavar="B", nargs="?", help="what it is compared to")
    diff.add_argument("--expect", choices=_KINDS, help="instead of B: what A should hold")
    add_numbers(diff, default_type=None)
    add_sizes(diff, required=False)
    diff.add_argument(
        "--max-ulp",
        type=at_least(0),
        metavar="N",
        help="accept values at most N representable values apart; NaNs are 0 apart, and so are "
        "+0 and -0 (default: equal bits)",
    )
    diff.add_argument("--json", action="store_true", help="as one JSON object")
    diff.set_defaults(command=_diff)


def _diff(options: argparse.Namespace) -> int:
    if (options.expected is None) == (options.expect is None):
        error = SettingError("needs either a file B or --expect")
        return failed(f"diff: {error}", USAGE, options, error)
    sizes = options.sizes
    if options.count is not None:
        sizes = (options.count,)
    actual = _opened(options.actual, options.data_type, sizes)
    expected: ArrayFile | Sequence
    if options.expected is None:
        expected = sequence_of(options.expect, options, actual.data_type)
    else:
        expected = _opened(options.expected, actual.data_type, actual.sizes)
    mismatch = _mismatch(actual, expected)
    if mismatch is not None:
        print(json.dumps({"equal": False, "accepted": False, "reason": mismatch}, indent=2)
              if options.json else f"not comparable: {mismatch}")  # fmt: skip
        return REFUSED
    progress = Progress()
    try:
        found = compare(actual, expected, max_ulp=options.max_ulp, progress=progress)
    finally:
        progress.clear()
    if options.json:
        print(json.dumps(_as_json(found), indent=2))
    else:
        _print_comparison(found)
    return DONE if found.is_accepted else REFUSED


def _opened(path: Path, type_: TensorDataType | None, sizes: tuple[int, ...] | None) -> ArrayFile:
    if path.suffix.lower() == ".npy":
        return open_npy(path)
    if type_ is None:
        raise SettingError("is required for a raw file", field="--data-type")
    return open_raw(path, type_, sizes)


def _mismatch(actual: ArrayFile, expected: ArrayFile | Sequence) -> str | None:
    """Return why both cannot be compared; None if they can."""
    if actual.data_type is not expected.data_type:
        return f"A is {actual.data_type.name}, B is {expected.data_type.name}"
    if isinstance(expected, ArrayFile) and actual.sizes != expected.sizes:
        return f"A has sizes {list(actual.sizes)}, B has sizes {list(expected.sizes)}"
    return None


def _print_comparison(found: Comparison) -> None:
    shown = f"{found.element_count} elements of {found.data_type.name} {list(found.sizes)}"
    if found.different_count == 0:
        print(f"equal: {shown}")
        return
    share = 100 * found.different_count / found.element_count
    verdict = "different"
    if found.max_ulp is not None:
        verdict = "accepted" if found.is_accepted else "refused"
    print(f"{verdict}: {shown}")
    print(f"different bits      {found.different_count} elements, {share:.3g} %")
    if found.max_ulp is not None:
        print(f"beyond {found.max_ulp} ULP".ljust(19), f"{found.beyond_count} elements")
    for title, difference in (("first", found.first), ("largest", found.largest)):
        if difference is not None:
            _print_difference(title, difference, found.data_type)


def _print_difference(title: str, difference: Difference, type_: TensorDataType) -> None:
    ulp = "NaN and a number" if difference.ulp is None else f"{difference.ulp} ULP apart"
    print(f"{title + ' difference':19} at {list(difference.coordinate)}, "
          f"element {difference.index}: {ulp}")  # fmt: skip
    print(f"{'A':>19} {number_text(difference.actual_bits, type_)}")
    print(f"{'B':>19} {number_text(difference.expected_bits, type_)}")


def _as_json(found: Comparison) -> dict[str, Any]:
    def as_json(difference: Difference | None) -> dict[str, Any] | None:
        if difference is None:
            return None
        digits = found.data_type.bits // 4
        return dataclasses.asdict(difference) | {
            "actual_bits": f"0x{difference.actual_bits:0{digits}X}",
            "expected_bits": f"0x{difference.expected_bits:0{digits}X}",
        }

    return {
        "equal": found.different_count == 0,
        "accepted": found.is_accepted,
        "data_type": found.data_type.name,
        "sizes": list(found.sizes),
        "elements": found.element_count,
        "different": found.different_count,
        "max_ulp": found.max_ulp,
        "beyond_max_ulp": found.beyond_count,
        "first": as_json(found.first),
        "largest": as_json(found.largest),
    }
