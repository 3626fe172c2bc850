"""The `indirectml` command: arguments, text, exit codes. The only place that prints.

Exit codes: 0 done, 1 the answer is no (a model is invalid), 2 wrong usage, 3 input or output
failed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from indirectml import __version__, _native
from indirectml.catalogue import operator_names
from indirectml.errors import DirectMLError, SettingError
from indirectml.feature_levels import FeatureLevel, as_feature_level
from indirectml.models.parsing import parse_model
from indirectml.models.running import ModelRun
from indirectml.models.text import parse_json
from indirectml.operators import implemented_operators
from indirectml.runtime import Device
from indirectml.sequences import RULES
from indirectml.settings import State, available_targets, configure

DONE, REFUSED, USAGE, INPUT_OUTPUT, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with the given arguments, or those of the process; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return USAGE
    try:
        configure(target=options.target, max_threads=options.threads)
        code: int = options.command(options)
    except KeyboardInterrupt:
        return _failed("interrupted", INTERRUPTED, options)
    except BrokenPipeError:
        # Whoever read the output has closed it; Python must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INPUT_OUTPUT
    except SettingError as error:
        return _failed(str(error), USAGE, options)
    except DirectMLError as error:
        return _failed(str(error), REFUSED, options)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _failed(f"{place}{error.strerror or error}", INPUT_OUTPUT, options)
    except MemoryError as error:
        return _failed(f"out of memory: {error}", INPUT_OUTPUT, options)
    return code


def _failed(message: str, code: int, options: argparse.Namespace) -> int:
    if options.debug:
        traceback.print_exc()
    print(f"indirectml: {message}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--target",
        metavar="NAME",
        help=f"force an instruction set: {', '.join(available_targets())}",
    )
    shared.add_argument("--threads", type=_positive, metavar="N", help="use at most N threads")
    shared.add_argument("--debug", action="store_true", help="show where an error came from")

    parser = argparse.ArgumentParser(
        prog="indirectml",
        description="DirectML operators without Direct3D.",
        epilog="example: indirectml run examples/fill_value_sequence.json",
    )
    parser.add_argument("--version", action="version", version=f"indirectml {__version__}")
    parser.set_defaults(command=None, debug=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    run = commands.add_parser(
        "run",
        parents=[shared],
        help="run a dispatch model (DxDispatch's JSON)",
        description="Run a dispatch model: create its resources, compile its operators, carry out "
        "its commands, and print what DxDispatch prints.",
        epilog="example: indirectml run examples/fill_value_sequence.json --feature-level 2_1",
    )
    run.add_argument("model", type=Path, help="a JSON file; comments and trailing commas are fine")
    run.add_argument(
        "--feature-level",
        "--dml_feature_level",
        type=_feature_level,
        default=max(FeatureLevel),
        metavar="LEVEL",
        help="what operators may ask for: 1_0 to 6_4 (default: 6_4)",
    )
    run.add_argument(
        "--sequence-rule",
        choices=RULES,
        default="accumulate",
        help="how a sequence's elements are defined (default: accumulate)",
    )
    run.add_argument(
        "--memory-limit",
        type=float,
        default=4.0,
        metavar="GIB",
        help="refuse models whose resources take more than this (default: 4)",
    )
    run.set_defaults(command=_run)

    info = commands.add_parser(
        "info",
        parents=[shared],
        help="show version, instruction sets, threads, feature levels, operators",
        description="Show what this installation can do on this machine.",
        epilog="example: indirectml info --json",
    )
    info.add_argument("--json", action="store_true", help="as one JSON object")
    info.set_defaults(command=_info)
    return parser


def _feature_level(text: str) -> FeatureLevel:
    try:
        return as_feature_level(text)
    except DirectMLError as error:
        raise argparse.ArgumentTypeError(f"{error.required}, got {error.given}") from None


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"needs a number from 1 up, got {text!r}")
    return int(text)


def _run(options: argparse.Namespace) -> int:
    device = Device(feature_level=options.feature_level, sequence_rule=options.sequence_rule)
    try:
        text = options.model.read_bytes().decode("utf-8-sig")
        model = parse_model(parse_json(text))
        run = ModelRun(model, device, int(options.memory_limit * 2**30))
    except UnicodeDecodeError as error:
        return _failed(f"{options.model}: needs UTF-8, got {error.reason}", REFUSED, options)
    except DirectMLError as error:
        return _failed(f"{options.model}: {error}", REFUSED, options)
    print(f"Running on '{_device_name()}'")
    for line in run.lines():
        print(line)
    return DONE


def _device_name() -> str:
    policy = State.policy
    return f"CPU ({policy.target}, {policy.max_threads} threads)"


def _info(options: argparse.Namespace) -> int:
    facts = _facts()
    if options.json:
        print(json.dumps(facts, indent=2))
        return DONE
    for name, value in facts.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        print(f"{name.replace('_', ' '):24} {shown}")
    return DONE


def _facts() -> dict[str, Any]:
    policy = State.policy
    levels = list(FeatureLevel)
    return {
        "version": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "numpy": np.__version__,
        "compiler": _native.COMPILER,
        "system": f"{platform.system()} {platform.machine()}",
        "devices": ["cpu"],
        "instruction_sets": list(available_targets()),
        "instruction_set_in_use": policy.target,
        "threads": policy.max_threads,
        "cache_bytes": policy.streaming_bytes,
        "feature_levels": f"{levels[0]} to {levels[-1]}",
        "operators_known": len(operator_names()),
        "operators_implemented": list(implemented_operators()),
    }
