"""`indirectml fill` and `indirectml diff`."""

from __future__ import annotations

import argparse
import dataclasses
import errno
import json
import math
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from indirectml.cli.common import (
    DONE,
    NOT_COMPARABLE,
    REFUSED,
    STANDARD,
    USAGE,
    Commands,
    Parser,
    Progress,
    add_command,
    add_rule,
    data_type,
    failed,
    interruptible,
    nearest_file,
    one_of,
    rule_of,
    size_text,
    standard_input,
)
from indirectml.cli.numbers import add_tolerance, at_least, number, sizes, tolerance_of
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DirectMLError, FileFormatError, SettingError
from indirectml.fills.array_files import ArrayFile, check_suffix, open_npy, open_raw
from indirectml.fills.comparing import (
    Comparison,
    Difference,
    Tolerance,
    common_type,
    compare,
    number_text,
)
from indirectml.fills.file_fills import fill_file, fill_stream
from indirectml.fills.sequences import Sequence, equal_elements
from indirectml.models.problems import printable

_KINDS = ("constant", "sequence")


def add_fill(commands: Commands, shared: Parser) -> None:
    """Add `indirectml fill`."""
    fill = add_command(
        commands,
        shared,
        "fill",
        summary="write a constant or a sequence to a .npy or raw file of any size",
        description="Write a constant or a sequence to a file: .npy by its suffix, anything else "
        "raw. The file appears, or is replaced, when it is complete and on the disk.",
        example="indirectml fill sequence --data-type FLOAT32 --start 0 --delta 0.5 "
        "--sizes 1,1,2,4 -o /tmp/ramp.npy",
    )
    fill.add_argument("kind", type=one_of(_KINDS), choices=_KINDS)
    add_numbers(fill, kept=" (default: FLOAT32)")
    add_sizes(fill, required=True)
    fill.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="- is standard output, which gets the elements alone",
    )
    fill.set_defaults(command=_fill)


def add_numbers(parser: argparse.ArgumentParser, *, kept: str = "") -> None:
    """Add what describes a fill: data type, numbers, rule. None of them has a default."""
    parser.add_argument(
        "--data-type",
        type=data_type,
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
    group.add_argument("--sizes", type=sizes, metavar="N,N,...", help="of a row-major tensor")
    group.add_argument(
        "--count",
        type=at_least(0),
        metavar="N",
        help="elements in one dimension; also as 1e9 or 2**20",
    )


def refuse_given(options: argparse.Namespace, names: tuple[str, ...], where: str) -> None:
    """Refuse options that would be ignored.

    Raises
    ------
    SettingError
        One of them is given.
    """
    for name in names:
        if getattr(options, name) is not None:
            field = f"--{name.replace('_', '-')}"
            raise SettingError(f"has no meaning {where}", field=field)


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
        return Sequence(numbers[0], numbers[1], type_, rule=rule_of(options))
    except DirectMLError as error:
        field = "value" if kind == "constant" else error.field
        raise SettingError(error.required, given=error.given, field=f"--{field}") from None


def _fill(options: argparse.Namespace) -> int:
    type_ = options.data_type or TensorDataType.FLOAT32
    sequence = sequence_of(options.kind, options, type_)
    extents = (options.count,) if options.sizes is None else options.sizes
    progress = Progress()
    began = time.perf_counter()
    try:
        with interruptible():
            if options.output == STANDARD:
                fill_stream(sys.stdout.buffer, sequence, math.prod(extents), progress=progress)
                return DONE
            total = fill_file(options.output, sequence, extents, progress=progress)
    finally:
        progress.clear()
    seconds = time.perf_counter() - began
    if sys.stdout is not None and sys.stdout.isatty():
        print(
            f"{printable(str(options.output))}: {math.prod(extents)} elements of {type_.name}, "
            f"{size_text(total)} in {seconds:.2f} s"
        )
    return DONE


# ---- diff ----


def add_diff(commands: Commands, shared: Parser) -> None:
    """Add `indirectml diff`."""
    diff = add_command(
        commands,
        shared,
        "diff",
        summary="compare two files, or a file and a fill, bit by bit",
        description="Compare a .npy or raw file with another one, or with the constant or "
        "sequence that it should hold; - is standard input. Exit code 0: the same; 1: not; "
        "4: not comparable. Floats of different types are compared in the narrower one, to which "
        "the others are rounded, and with --rtol or --atol as the numbers that they are.",
        example="indirectml diff examples/ramp.npy --expect sequence --start 3.2 --delta 1.5",
    )
    diff.add_argument("actual", type=Path, metavar="A", help="a .npy file, or a raw one")
    diff.add_argument("expected", type=Path, metavar="B", nargs="?", help="what it is compared to")
    diff.add_argument(
        "--expect", type=one_of(_KINDS), choices=_KINDS, help="instead of B: what A should hold"
    )
    add_numbers(diff)
    add_sizes(diff, required=False)
    add_tolerance(diff)
    diff.add_argument("--json", action="store_true", help="as one JSON object")
    diff.set_defaults(command=_diff)


def _diff(options: argparse.Namespace) -> int:
    if (options.expected is None) == (options.expect is None):
        error = SettingError("needs either a file B or --expect")
        return failed(f"diff: {error}", USAGE, options, error)
    if options.expected is not None:
        names = ("value", "start", "delta", "rule", "like")
        refuse_given(options, names, "without --expect: B says what A should hold")
        if options.actual == options.expected == STANDARD:
            raise SettingError("needs one of A and B from standard input", given="both")
    tolerance = tolerance_of(options)
    with ExitStack() as inputs:
        try:
            path = inputs.enter_context(standard_input(options.actual))
            actual = _opened(path, options)
            expected: ArrayFile | Sequence
            if options.expected is None:
                expected = sequence_of(options.expect, options, actual.data_type)
            else:
                path = inputs.enter_context(standard_input(options.expected))
                expected = _expected_file(path, actual)
            return _compared(actual, expected, tolerance, options)
        except FileFormatError as error:
            return failed(str(error), NOT_COMPARABLE, options, error)


def _compared(
    actual: ArrayFile,
    expected: ArrayFile | Sequence,
    tolerance: Tolerance,
    options: argparse.Namespace,
) -> int:
    mismatch = _mismatch(actual, expected, tolerance)
    if mismatch is not None:
        print(json.dumps({"equal": False, "accepted": False, "reason": mismatch}, indent=2)
              if options.json else f"not comparable: {mismatch}")  # fmt: skip
        return NOT_COMPARABLE
    progress = Progress()
    try:
        found = compare(actual, expected, tolerance=tolerance, progress=progress)
    finally:
        progress.clear()
    if options.json:
        print(json.dumps(_as_json(found), indent=2))
    else:
        _print_comparison(found, actual.data_type, expected.data_type)
    return DONE if found.is_accepted else REFUSED


def _opened(path: Path, options: argparse.Namespace) -> ArrayFile:
    """Open A, which a .npy file describes itself: options may repeat that, not contradict it."""
    check_suffix(path)
    _check_exists(path)
    name, extents = "--sizes", options.sizes
    if options.count is not None:
        name, extents = "--count", (options.count,)
    if path.suffix.lower() != ".npy":
        if options.data_type is None:
            raise SettingError("is required for a raw file", field="--data-type")
        return open_raw(path, options.data_type, extents)
    file = open_npy(path)
    if options.data_type not in {None, file.data_type}:
        needs = f"needs the data type that the file A says, {file.data_type.name}"
        raise SettingError(needs, given=options.data_type.name, field="--data-type")
    if extents is not None and extents != file.sizes:
        needs = f"needs the sizes that the file A says, {list(file.sizes)}"
        raise SettingError(needs, given=f"{list(extents)}", field=name)
    return file


def _expected_file(path: Path, actual: ArrayFile) -> ArrayFile:
    """Open B, which is what A is if it is raw."""
    check_suffix(path)
    _check_exists(path)
    if path.suffix.lower() == ".npy":
        return open_npy(path)
    return open_raw(path, actual.data_type, actual.sizes)


def _check_exists(path: Path) -> None:
    if not path.exists() and (hint := nearest_file(path)) is not None:
        raise FileNotFoundError(errno.ENOENT, f"No such file or directory; {hint}", str(path))


def _mismatch(
    actual: ArrayFile, expected: ArrayFile | Sequence, tolerance: Tolerance
) -> str | None:
    """Return why both cannot be compared; None if they can."""
    if common_type(actual.data_type, expected.data_type, tolerance) is None:
        return f"A is {actual.data_type.name}, B is {expected.data_type.name}"
    if isinstance(expected, ArrayFile) and actual.sizes != expected.sizes:
        return f"A has sizes {list(actual.sizes)}, B has sizes {list(expected.sizes)}"
    return None


def _print_comparison(found: Comparison, actual: TensorDataType, expected: TensorDataType) -> None:
    shown = f"{found.element_count} elements of {found.data_type.name} {list(found.sizes)}"
    if actual is not expected:
        shown += f", A of {actual.name}, B of {expected.name}"
    if found.different_count == 0:
        print(f"equal: {shown}")
        return
    share = 100 * found.different_count / found.element_count
    allowed = _tolerance_text(found.tolerance)
    verdict = "different"
    if allowed:
        verdict = "accepted" if found.is_accepted else "refused"
    print(f"{verdict}: {shown}")
    print(f"different bits      {found.different_count} elements, {share:.3g} %")
    if allowed:
        print(f"beyond {allowed}".ljust(19), f"{found.beyond_count} elements")
    for title, difference in (("first", found.first), ("largest", found.largest)):
        if difference is not None:
            _print_difference(title, difference, found.data_type)


def _tolerance_text(tolerance: Tolerance) -> str:
    """Return what is allowed besides equal bits; "" for nothing."""
    if tolerance.max_ulp is not None:
        return f"{tolerance.max_ulp} ULP"
    parts = [] if tolerance.atol is None else [f"{tolerance.atol:g}"]
    parts += [] if tolerance.rtol is None else [f"{tolerance.rtol:g} * |B|"]
    return " + ".join(parts)


def _print_difference(title: str, difference: Difference, type_: TensorDataType) -> None:
    ulp = "NaN and a number" if difference.ulp is None else f"{difference.ulp} ULP apart"
    if type_.is_float and math.isfinite(difference.distance):
        ulp += f", {difference.distance:.6g}"
    print(f"{title + ' difference':19} at {list(difference.coordinate)}, "
          f"element {difference.index}: {ulp}")  # fmt: skip
    print(f"{'A':>19} {number_text(difference.actual_bits, type_)}")
    print(f"{'B':>19} {number_text(difference.expected_bits, type_)}")


def _as_json(found: Comparison) -> dict[str, Any]:
    def as_json(difference: Difference | None) -> dict[str, Any] | None:
        if difference is None:
            return None
        digits = found.data_type.bits // 4
        distance = difference.distance
        return dataclasses.asdict(difference) | {
            "distance": distance if math.isfinite(distance) else None,
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
        **dataclasses.asdict(found.tolerance),
        "beyond": found.beyond_count,
        "first": as_json(found.first),
        "largest": as_json(found.largest),
    }
