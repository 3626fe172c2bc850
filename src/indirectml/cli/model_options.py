"""The options of `indirectml run` and `indirectml validate`."""

from __future__ import annotations

import argparse
from argparse import SUPPRESS
from pathlib import Path
from typing import Any, get_args

from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.cli.arrays import given_array
from indirectml.cli.common import Parser, add_device, add_rule, feature_level, one_of
from indirectml.cli.numbers import at_least, memory_bytes, milliseconds
from indirectml.core.errors import SettingError
from indirectml.onnx_import.quantized_graphs import Quantized

DEFAULT_MEMORY_BYTES = 4 << 30

#: What `load_onnx` has for quantized graphs, as one word each.
_QUANTIZED = tuple(choice.replace(" ", "-") for choice in get_args(Quantized))

#: What DxDispatch asks a device for if nothing is said.
DEFAULT_LEVEL_LIKE_DIRECTML = FeatureLevel.LEVEL_5_0

_NO_DIRECT3D = "there is no Direct3D here"
_NO_RUNTIME = "ONNX Runtime takes no part here"

#: Options of DxDispatch that scripts pass and that change nothing here: whether they take a value,
#: and why they have no effect.
WITHOUT_EFFECT: dict[tuple[str, ...], tuple[bool, str]] = {
    ("-a", "--adapter"): (True, "--device names what it runs on"),
    ("-d", "--debug"): (False, "every check is made at all times"),
    ("-q", "--queue_type"): (True, _NO_DIRECT3D),
    ("-S", "--show_dependencies"): (False, "`indirectml info` tells versions"),
    ("--post_dispatch_barriers",): (True, _NO_DIRECT3D),
    ("--present_separator",): (False, _NO_DIRECT3D),
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
    ("-e", "--onnx_session_config_entry"): (True, _NO_RUNTIME),
    ("-l", "--onnx_graph_optimization_level"): (True, _NO_RUNTIME),
    ("-L", "--onnx_logging_level"): (True, _NO_RUNTIME),
    ("-p", "--print_onnx_bindings"): (False, _NO_RUNTIME),
    ("-x", "--enable_ort_extensions"): (False, _NO_RUNTIME),
    ("--enable_onnx_profiling",): (False, _NO_RUNTIME),
}


class _WithoutEffect(argparse.Action):
    """Keeps the name of an option that has no effect."""

    def __call__(
        self, _: argparse.ArgumentParser, options: argparse.Namespace, __: Any, flag: Any = None
    ) -> None:
        options.without_effect = (*options.without_effect, (flag, self.option_strings))


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add what both commands have to know."""
    parser.add_argument(
        "models",
        type=Path,
        nargs="*",
        metavar="MODEL",
        help="JSON files, or folders with them; comments and trailing commas are fine; - is "
        "standard input",
    )
    parser.add_argument(
        "-m",
        "--model",
        type=Path,
        action="append",
        dest="named",
        metavar="MODEL",
        help="the same, as an option",
    )
    parser.add_argument(
        "--feature-level",
        "--dml_feature_level",
        type=feature_level,
        metavar="LEVEL",
        help="what operators may ask for: 1_0 to 6_4 (default: 6_4)",
    )
    add_device(parser)
    add_rule(parser)
    roundings = ("nearest", "toward-zero")
    parser.add_argument(
        "--float16-rounding",
        type=one_of(roundings),
        choices=roundings,
        help="how JSON numbers become FLOAT16; DxDispatch truncates (default: nearest)",
    )
    parser.add_argument(
        "--memory-limit",
        type=memory_bytes,
        default=DEFAULT_MEMORY_BYTES,
        metavar="GIB",
        help="refuse models that take more memory than this (default: 4)",
    )
    parser.add_argument(
        "--input_path",
        "--input-path",
        type=Path,
        metavar="DIR",
        help="where models and files of initial values are (default: beside the model)",
    )
    parser.add_argument(
        "--confine-reads",
        action="store_true",
        help="refuse files of initial values outside of --input_path",
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
    parser.add_argument(
        "--no-replace",
        action="store_true",
        help="refuse models that would replace a file; without this `run` says which it replaces",
    )


def add_onnx_options(parser: Parser) -> None:
    """Add what fixes the sizes that an ONNX model leaves open, and how it is read."""
    group = parser.add_argument_group(
        "ONNX models", "MODEL.onnx has fixed sizes; what it leaves open is given."
    )
    group.add_argument(
        "-b",
        "--input-sizes",
        "--binding_shape",
        type=_named_sizes,
        action="append",
        default=[],
        metavar="NAME:N,N,...",
        help="the sizes of an input; may be given several times",
    )
    group.add_argument(
        "-f",
        "--dimension",
        "--onnx_free_dim_name_override",
        "-F",
        "--onnx_free_dim_denotation_override",
        dest="dimensions",
        type=_named_size,
        action="append",
        default=[],
        metavar="NAME:N",
        help="the size of a dimension that has a name, or a denotation",
    )
    group.add_argument(
        "--constant",
        dest="constants",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what an input is once and for all, where that decides sizes or a branch: a .npy "
        "file, or elements, NAME=16000 and NAME=[1, 2] of INT64, NAME=0.5 of FLOAT32, NAME=true, "
        "NAME=INT32:7 of another data type; may be given several times",
    )
    group.add_argument(
        "--quantized",
        type=one_of(_QUANTIZED),
        choices=_QUANTIZED,
        help="what becomes of DequantizeLinear, an operator and QuantizeLinear: these three, in "
        "FLOAT32, or one operator of integers, as ONNX Runtime optimizes them, which rounds "
        "otherwise (default: as-written)",
    )


def reading_of_onnx(options: argparse.Namespace) -> dict[str, Any]:
    """Return what these options say of ONNX models, as `ReadingOptions` has it.

    Raises
    ------
    DirectMLError, OSError
        A constant is none, or cannot be read.
    """
    is_in_integers = getattr(options, "quantized", None) == "integers"
    return {
        "input_sizes": dict(getattr(options, "input_sizes", ())),
        "dimensions": dict(getattr(options, "dimensions", ())),
        "constants": dict(_constant(pair) for pair in getattr(options, "constants", ())),
        "quantized": "integers" if is_in_integers else "as written",
    }


def _constant(pair: str) -> tuple[str, Any]:
    name, _, text = pair.partition("=")
    if not name or not text:
        raise SettingError(
            "needs NAME=VALUE, with the name of an input", given=repr(pair[:60]), field="--constant"
        )
    return name, given_array(text, pair, "--constant")


def _named_sizes(text: str) -> tuple[str, list[int]]:
    """Read the name of an input, which may have a colon too, and sizes."""
    name, _, numbers = text.replace("=", ":").rpartition(":")
    try:
        sizes = [int(number) for number in numbers.split(",")] if numbers else []
    except ValueError:
        sizes, name = [], ""
    if not name or any(size < 0 for size in sizes):
        raise argparse.ArgumentTypeError(f"needs NAME:N,N,..., got {text[:40]!r}")
    return text[: len(name)], sizes


def _named_size(text: str) -> tuple[str, int]:
    name, sizes = _named_sizes(text)
    if len(sizes) != 1:
        raise argparse.ArgumentTypeError(f"needs NAME:N, got {text[:40]!r}")
    return name, sizes[0]


def add_run_options(run: Parser) -> None:
    """Add what only running has to know."""
    run.add_argument(
        "--precision",
        type=one_of(("6", "exact")),
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
    run.add_argument(
        "--random",
        type=at_least(0),
        metavar="SEED",
        help="make up the inputs that are not given, of this seed; without any input 0 is taken",
    )
    run.add_argument(
        "--json", action="store_true", help="as one JSON object, or a list of them for several"
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
        type=milliseconds,
        metavar="MS",
        help="measure for so long, pauses included, instead of -i times",
    )
    timing.add_argument(
        "-I",
        "--dispatch_interval",
        type=milliseconds,
        default=0,
        metavar="MS",
        help="the least time from one measurement to the next (default: 0)",
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
        "-s", "--show_adapters", action="store_true", help="name the one there is"
    )
    for flags, (takes_value, _) in WITHOUT_EFFECT.items():
        nargs = None if takes_value else 0
        adapters.add_argument(
            *flags, action=_WithoutEffect, nargs=nargs, dest="without_effect", help=SUPPRESS
        )
    run.silent_options = frozenset(flag for flags in WITHOUT_EFFECT for flag in flags)
    run.set_defaults(without_effect=())
