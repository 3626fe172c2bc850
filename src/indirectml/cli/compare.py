"""`indirectml compare`: which node of a model is the first that differs from somebody else's."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from indirectml.cli.arrays import read_npy
from indirectml.cli.common import (
    DONE,
    REFUSED,
    Commands,
    Parser,
    Steps,
    add_command,
    add_device,
    interruptible,
)
from indirectml.cli.export import graph_of_text
from indirectml.cli.graph_files import ONNX_SUFFIX, first_refusal, opened_model
from indirectml.cli.graph_runs import named_files
from indirectml.cli.model_options import add_onnx_options, reading_of_onnx
from indirectml.cli.numbers import add_tolerance, at_least, not_negative, tolerance_of
from indirectml.core.errors import DirectMLError, SettingError
from indirectml.fills.comparing import Tolerance
from indirectml.inspection.differing import ONNX_RUNTIME, ModelComparison, compare_models
from indirectml.models.problems import printable
from indirectml.onnx_import.model import input_names
from indirectml.runtime import Device
from indirectml.serialized.graph import read_serialized_graph

#: Larger texts are refused.
_MODEL_BYTES = 1 << 26


def add_compare(commands: Commands, shared: Parser) -> None:
    """Add the command."""
    compare = add_command(
        commands,
        shared,
        "compare",
        summary="run a model here and elsewhere, and name the first node that differs",
        description="Run a model here and elsewhere on the same inputs, compare every tensor in "
        "order, and name the first node that differs beyond bounds from the same inputs, with both "
        "bit patterns and the distance in ULP. Exit code 0: within bounds; 1: not.",
        example="indirectml compare model.onnx --with onnxruntime --save differing",
    )
    compare.add_argument(
        "model", type=Path, help="an ONNX model, a serialized graph or a dispatch model"
    )
    compare.add_argument(
        "--with",
        dest="other",
        default=ONNX_RUNTIME,
        metavar="OTHER",
        help="onnxruntime (the default); an instruction set of this machine, such as portable; a "
        "device; another model with the same names; a folder of .npy files called as tensors are, "
        "as `run --dump` writes them",
    )
    compare.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="an array that is read, as .npy; may be given several times",
    )
    compare.add_argument(
        "--random",
        type=at_least(0),
        default=0,
        metavar="SEED",
        help="of the random numbers that inputs get that are not given (default: 0)",
    )
    compare.add_argument(
        "--bound",
        type=not_negative,
        metavar="X",
        help="accept floats that differ by X times the largest element of their tensor (default: "
        "1e-4, of FLOAT16 1e-2; with another instruction set or device 0)",
    )
    add_tolerance(compare)
    compare.add_argument(
        "--save",
        type=Path,
        metavar="FOLDER",
        help="write the node that differs there, with its inputs, as a dispatch model",
    )
    compare.add_argument("--json", action="store_true", help="as one JSON object")
    add_device(compare)
    add_onnx_options(compare)
    compare.set_defaults(command=_compare)


def _compare(options: argparse.Namespace) -> int:
    tolerance = tolerance_of(options)
    if options.bound is not None and tolerance != Tolerance():
        raise SettingError("goes without --max-ulp, --rtol and --atol", field="--bound")
    with opened_model(options.model, _MODEL_BYTES) as (file, raw), interruptible():
        model, names = _model(file, raw, options)
        files = named_files("input", options.input, names)
        inputs = {name: np.asarray(read_npy(each)) for name, each in files.items()}
        fixed: dict[str, Any] = {}
        if file.suffix.lower() == ONNX_SUFFIX:
            shapes = {name: array.shape for name, array in inputs.items()}
            fixed = reading_of_onnx(options)
            fixed |= {"sizes": shapes | fixed.pop("input_sizes"), "open_size": 1}
        try:
            with Steps(f"comparing {file.name} with {options.other}"):
                found = compare_models(
                    model,
                    options.other,
                    inputs,
                    seed=options.random,
                    bound=options.bound,
                    max_ulp=options.max_ulp,
                    rtol=options.rtol,
                    atol=options.atol,
                    device=Device(options.device),
                    **fixed,
                )
        except DirectMLError as error:
            if error.field == "compare_models.other":
                raise SettingError(
                    error.required, given=error.given, hint=error.hint, field="--with"
                ) from None
            raise first_refusal(error, file) from None
        return _told(found, options)


def _model(file: Path, raw: bytes | None, options: argparse.Namespace) -> tuple[Any, list[str]]:
    """Return a model as `compare_models` takes it, and the names of its inputs."""
    if raw is not None:
        graph = graph_of_text(file, raw, options)
        return graph, list(graph.inputs)
    if file.suffix.lower() == ONNX_SUFFIX:
        return file, sorted(input_names(file)[0])
    return file, list(read_serialized_graph(file).inputs)


def _told(found: ModelComparison, options: argparse.Namespace) -> int:
    saved = None
    if options.save is not None and found.culprit is not None:
        saved = found.culprit.save(options.save)
    if options.json:
        print(json.dumps(found.as_json() | {"saved": saved and str(saved)}, indent=2))
        return DONE if found.is_accepted else REFUSED
    for line in found.lines():
        print(printable(line))
    if saved is not None:
        folder = printable(str(options.save))
        print(f"saved: indirectml run {printable(str(saved))} --output_path {folder}")
        print("  writes what it makes beside *.expected.npy, which `indirectml diff` compares")
    elif found.culprit is not None:
        print("--save FOLDER writes it as a dispatch model, with its inputs")
    return DONE if found.is_accepted else REFUSED
