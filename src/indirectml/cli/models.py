"""`indirectml run` and `indirectml validate`."""

from __future__ import annotations

import argparse
import json
import sys
from argparse import SUPPRESS
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.cli.common import (
    DONE,
    REFUSED,
    Commands,
    HelpFormatter,
    add_rule,
    at_least,
    at_least_seconds,
    failed,
    feature_level,
    memory_bytes,
)
from indirectml.core.errors import ModelError, SettingError
from indirectml.core.settings import State
from indirectml.models.checking import Limits, check_model
from indirectml.models.context import ReadingOptions
from indirectml.models.model import Model
from indirectml.models.parsing import read_model
from indirectml.models.problems import Problem, Problems
from indirectml.models.running import ModelRun, RunOptions
from indirectml.models.schema import stored_schema
from indirectml.models.text import Document, read_json
from indirectml.runtime import Device

#: More mistakes than these are counted, not shown.
_SHOWN_PROBLEMS = 100

_DEFAULT_MEMORY_BYTES = 4 << 30

_NO_DIRECT3D = "there is no Direct3D here"

#: Options of DxDispatch that scripts pass and that change nothing here: whether they take a value,
#: and why they have no effect.
_WITHOUT_EFFECT: dict[tuple[str, ...], tuple[bool, str]] = {
    ("-a", "--adapter"): (True, "there is one adapter, the CPU"),
    ("-d",): (False, "every check is made at all times"),
    ("-q", "--queue_type"): (True, _NO_DIRECT3D),
    ("--post_dispatch_barriers",): (True, _NO_DIRECT3D),
    ("--max_gpu_time_measurements",): (True, "everything runs on the CPU"),
    ("--disable_custom_heaps",): (False, _NO_DIRECT3D),
    ("--clear_shader_caches",): (False, _NO_DIRECT3D),
    ("--disable_gpu_timeout",): (False, _NO_DIRECT3D),
    ("--enable_dred",): (False, _NO_DIRECT3D),
    ("--disable_background_processing",): (False, _NO_DIRECT3D),
    ("--set_stable_power_state",): (False, _NO_DIRECT3D),
    ("--disable_agility_sdk",): (False, _NO_DIRECT3D),
    ("--print_hlsl_disassembly",): (False, _NO_DIRECT3D),
    ("--xbox_allow_precompile",): (False, _NO_DIRECT3D),
    ("-c", "--pix_capture_type"): (True, _NO_DIRECT3D),
    ("-o", "--pix_capture_name"): (True, _NO_DIRECT3D),
}


def add_run(commands: Commands[Any], shared: argparse.ArgumentParser) -> None:
    """Add `indirectml run`."""
    run = commands.add_parser(
        "run",
        parents=[shared],
        formatter_class=HelpFormatter,
        help="run a dispatch model (DxDispatch's JSON)",
        description="Run a dispatch model: create its resources, compile its operators, carry out "
        "its commands, and print what DxDispatch prints.",
        epilog="example: indirectml run examples/fill_value_sequence.json --feature-level 2_1",
    )
    _add_model_options(run)
    run.add_argument(
        "--precision",
        choices=("6", "exact"),
        default="6",
        help="digits of printed floats: 6 as DxDispatch, or as many as bring every bit back",
    )
    run.add_argument(
        "--print_commands",
        "--print-commands",
        action="store_true",
        help="tell of every command when it begins and ends",
    )
    timing = run.add_argument_group("timing")
    timing.add_argument(
        "-i",
        "--dispatch_iterations",
        type=at_least(1),
        default=1,
        metavar="N",
        help="measure every dispatch N times (default: 1)",
    )
    timing.add_argument(
        "-r",
        "--dispatch_repeat",
        type=at_least(1),
        default=1,
        metavar="N",
        help="dispatches in one measurement (default: 1)",
    )
    timing.add_argument(
        "-t",
        "--milliseconds_to_run",
        type=at_least_seconds,
        metavar="MS",
        help="measure for so long instead of -i times",
    )
    timing.add_argument(
        "-I",
        "--dispatch_interval",
        type=at_least_seconds,
        default=0,
        metavar="MS",
        help="wait between measurements (default: 0)",
    )
    timing.add_argument(
        "-w",
        "--warmup_samples",
        type=at_least(0),
        default=1,
        metavar="N",
        help="first measurements that the median leaves out (default: 1)",
    )
    timing.add_argument(
        "-v",
        "--timing_verbosity",
        type=int,
        choices=(0, 1, 2),
        default=0,
        help="0: median; 1: also average, min and max; 2: every measurement",
    )
    adapters = run.add_argument_group(
        "adapters and Direct3D",
        "-a NAME, -d, -q TYPE and the others that DxDispatch has are accepted and have no effect.",
    )
    adapters.add_argument(
        "-s", "--show_adapters", action=_ShowAdapters, help="name the one there is, and end"
    )
    for flags, (takes_value, _) in _WITHOUT_EFFECT.items():
        nargs = None if takes_value else 0
        adapters.add_argument(
            *flags, action=_WithoutEffect, nargs=nargs, dest="without_effect", help=SUPPRESS
        )
    run.set_defaults(command=_run, without_effect=())


class _WithoutEffect(argparse.Action):
    """Keeps the name of an option that has no effect."""

    def __call__(
        self, _: argparse.ArgumentParser, options: argparse.Namespace, __: Any, flag: Any = None
    ) -> None:
        options.without_effect = (*options.without_effect, (flag, self.option_strings))


class _ShowAdapters(argparse.Action):
    """Names the adapters and ends."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(nargs=0, **arguments)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        print(_device_name())
        parser.exit()


def add_validate(commands: Commands[Any], shared: argparse.ArgumentParser) -> None:
    """Add `indirectml validate`."""
    validate = commands.add_parser(
        "validate",
        parents=[shared],
        formatter_class=HelpFormatter,
        help="list every mistake of a dispatch model, with its place",
        description="Check everything that `run` would check, without running: every mistake is "
        "listed with line, column and path. What has no effect is listed as a warning.",
        epilog="example: indirectml validate examples/fill_value_sequence.json",
    )
    _add_model_options(validate)
    validate.add_argument("--json", action="store_true", help="as one JSON object")
    validate.add_argument(
        "--schema",
        action=_PrintSchema,
        help="print the JSON Schema of models, for editors, and end",
    )
    validate.set_defaults(command=_validate)


class _PrintSchema(argparse.Action):
    """Prints the schema and ends, as --version does."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(nargs=0, **arguments)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        print(stored_schema(), end="")
        parser.exit()


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add what both commands have to know."""
    parser.add_argument(
        "model", type=Path, nargs="?", help="a JSON file; comments and trailing commas are fine"
    )
    parser.add_argument(
        "-m", "--model", type=Path, dest="named", metavar="MODEL", help="the same, as an option"
    )
    parser.add_argument(
        "--feature-level",
        "--dml_feature_level",
        type=feature_level,
        default=max(FeatureLevel),
        metavar="LEVEL",
        help="what operators may ask for: 1_0 to 6_4 (default: 6_4)",
    )
    add_rule(parser)
    parser.add_argument(
        "--float16-rounding",
        choices=("nearest", "toward-zero"),
        default="nearest",
        help="how JSON numbers become FLOAT16; DxDispatch truncates (default: nearest)",
    )
    parser.add_argument(
        "--memory-limit",
        type=memory_bytes,
        default=_DEFAULT_MEMORY_BYTES,
        metavar="GIB",
        help="refuse models whose resources take more than this (default: 4)",
    )
    parser.add_argument(
        "--input_path",
        "--input-path",
        type=Path,
        metavar="DIR",
        help="where files of initial values are (default: beside the model)",
    )
    parser.add_argument(
        "--output_path",
        "--output-path",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="where writeFile writes (default: the current directory)",
    )
    parser.add_argument(
        "--allow-outside",
        action="store_true",
        help="let writeFile write outside of --output_path too",
    )


@dataclass(frozen=True)
class _Checked:
    """A model that has been read and checked, as far as that was possible."""

    document: Document
    model: Model
    problems: Problems

    def sorted(self, problems: Iterable[Problem]) -> list[tuple[int, int, Problem]]:
        """Return the problems in the order of their places, with line and column."""
        placed = [(*self.document.place(problem), problem) for problem in problems]
        return sorted(placed, key=lambda item: item[:2])


def _checked(options: argparse.Namespace, device: Device, limits: Limits) -> _Checked:
    """Read a model from its file and check it.

    Raises
    ------
    UnicodeDecodeError
        The file is not UTF-8.
    """
    if options.model.suffix.lower() == ".onnx":
        raise ModelError("ONNX models are not supported yet", field=f"{options.model}")
    # One byte more than allowed tells enough of a file that may never end.
    with options.model.open("rb") as file:
        raw = file.read(options.memory_limit + 1)
    if len(raw) > options.memory_limit:
        raise OSError(27, "File too large; --memory-limit raises this", str(options.model))
    document = read_json(raw.decode("utf-8-sig"))
    problems = Problems()
    problems.mistakes.extend(document.problems)
    model = Model({}, {}, ())
    if document.is_complete:
        input_path = options.input_path or options.model.parent
        toward_zero = options.float16_rounding == "toward-zero"
        reading = ReadingOptions(toward_zero=toward_zero, input_path=input_path)
        model = read_model(document.root, problems, reading)
        check_model(model, device, limits, problems)
    return _Checked(document, model, problems)


def _take_model(options: argparse.Namespace) -> None:
    """Let `options.model` be the path that was given in one of two ways.

    Raises
    ------
    SettingError
        It was given in none of them, or in both.
    """
    if (options.model is None) == (options.named is None):
        raise SettingError("needs one model", given="none" if options.model is None else "two")
    options.model = options.model or options.named


def _device(options: argparse.Namespace) -> Device:
    return Device(feature_level=options.feature_level, sequence_rule=options.rule)


def _limits(options: argparse.Namespace) -> Limits:
    return Limits(options.memory_limit, options.output_path, options.allow_outside)


def _run(options: argparse.Namespace) -> int:
    _take_model(options)
    for flag, flags in options.without_effect:
        _, reason = _WITHOUT_EFFECT[tuple(flags)]
        print(f"indirectml: {flag} has no effect: {reason}", file=sys.stderr)
    device, limits = _device(options), _limits(options)
    try:
        checked = _checked(options, device, limits)
    except UnicodeDecodeError as error:
        return _not_utf8(error, options)
    mistakes = checked.sorted(checked.problems.mistakes)
    if mistakes:
        line, column, problem = mistakes[0]
        message = f"{options.model}:{line}:{column}: {problem.error}"
        if len(mistakes) > 1:
            message += f" (and {len(mistakes) - 1} more: indirectml validate {options.model})"
        return failed(message, REFUSED, options, problem.error)
    run = ModelRun(checked.model, device, _run_options(options, limits))
    print(f"Running on '{_device_name()}'")
    for piece in run.text():
        sys.stdout.write(piece)
    return DONE


def _run_options(options: argparse.Namespace, limits: Limits) -> RunOptions:
    return RunOptions(
        limits=limits,
        iterations=options.dispatch_iterations,
        repeat=options.dispatch_repeat,
        milliseconds=options.milliseconds_to_run,
        interval_ms=options.dispatch_interval,
        warmup_samples=options.warmup_samples,
        timing_verbosity=options.timing_verbosity,
        print_commands=options.print_commands,
        precision=options.precision,
    )


def _validate(options: argparse.Namespace) -> int:
    _take_model(options)
    try:
        checked = _checked(options, _device(options), _limits(options))
    except UnicodeDecodeError as error:
        return _not_utf8(error, options)
    problems = [*checked.problems.mistakes, *checked.problems.warnings]
    placed = checked.sorted(problems)
    if options.json:
        print(json.dumps(_as_json(options.model, placed), indent=2))
    else:
        _print_problems(options.model, placed, checked)
    return REFUSED if checked.problems.mistakes else DONE


def _print_problems(path: Path, placed: list[tuple[int, int, Problem]], checked: _Checked) -> None:
    for line, column, problem in placed[:_SHOWN_PROBLEMS]:
        kind = "warning: " if problem.is_warning else ""
        print(f"{path}:{line}:{column}: {kind}{problem.error}")
    if len(placed) > _SHOWN_PROBLEMS:
        print(f"{path}: and {len(placed) - _SHOWN_PROBLEMS} more")
    mistakes, warnings = len(checked.problems.mistakes), len(checked.problems.warnings)
    model = checked.model
    parts = [
        *([_counted(mistakes, "mistake")] if mistakes else []),
        *([_counted(warnings, "warning")] if warnings else []),
    ]
    if not mistakes:
        parts.append(_counted(len(model.resources), "resource"))
        parts.append(_counted(len(model.dispatchables), "dispatchable"))
        parts.append(_counted(len(model.commands), "command"))
    print(f"{path}: {'invalid' if mistakes else 'valid'}: {', '.join(parts)}")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _as_json(path: Path, placed: list[tuple[int, int, Problem]]) -> dict[str, Any]:
    return {
        "file": str(path),
        "valid": all(problem.is_warning for *_, problem in placed),
        "problems": [
            {
                "line": line,
                "column": column,
                "path": problem.error.field,
                "severity": "warning" if problem.is_warning else "mistake",
                "message": problem.error.required,
                "given": problem.error.given,
                "hint": problem.error.hint,
            }
            for line, column, problem in placed
        ],
    }


def _not_utf8(error: UnicodeDecodeError, options: argparse.Namespace) -> int:
    message = f"{options.model}: needs UTF-8, got {error.reason} at byte {error.start}"
    return failed(message, REFUSED, options, error)


def _device_name() -> str:
    policy = State.policy
    return f"CPU ({policy.target}, {policy.max_threads} threads)"
