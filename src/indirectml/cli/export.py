"""`indirectml export`."""

from __future__ import annotations

import argparse
from pathlib import Path

from indirectml.cli.common import (
    DONE,
    REFUSED,
    Commands,
    Parser,
    add_command,
    add_rule,
    code_of,
    failed,
    rule_of,
    tell,
)
from indirectml.cli.graph_files import (
    ONNX_SUFFIX,
    SUFFIX,
    first_refusal,
    is_graph,
    opened_model,
    read_graph,
)
from indirectml.cli.model_files import decoded
from indirectml.cli.model_options import add_onnx_options
from indirectml.core.errors import DirectMLError, OnnxExportError, SettingError
from indirectml.models.checking import Limits, check_model
from indirectml.models.context import ReadingOptions
from indirectml.models.graphs import graph_of_model
from indirectml.models.parsing import read_model
from indirectml.models.problems import Problems, printable
from indirectml.models.text import parse_json
from indirectml.onnx_import.model import OnnxModelError
from indirectml.runtime import Device
from indirectml.serialized.graph import SerializedGraph

#: Larger models are refused.
_MODEL_BYTES = 1 << 26


def add_export(commands: Commands, shared: Parser) -> None:
    """Add the command."""
    export = add_command(
        commands,
        shared,
        "export",
        summary="write a dispatch model or a graph as an ONNX model or a serialized graph",
        description="Write the dispatches of a model, or a serialized graph, as one ONNX model, or "
        "as one serialized DirectML graph, which DxDispatch runs too. Resources that nothing has "
        "written are its inputs, and what is printed or written to files are its outputs.",
        example="indirectml export examples/fill_value_sequence.json -o model.onnx",
    )
    export.add_argument(
        "model", type=Path, help="a JSON file, or a graph to be written again; - is standard input"
    )
    export.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="where to write: an ONNX model, *.onnx, or a serialized graph, *.bin; large constants "
        "lie in files beside it",
    )
    export.add_argument(
        "--opset",
        type=int,
        help="of an ONNX model, from 18 on; 18 by default, or what an operator needs",
    )
    export.add_argument(
        "--no-functions",
        dest="functions",
        action="store_false",
        help="write ONNX's operators alone, for runtimes that take no functions of a model; what "
        "is loaded from there may round otherwise",
    )
    add_rule(export)
    add_onnx_options(export)
    export.set_defaults(command=_export)


def _export(options: argparse.Namespace) -> int:
    is_onnx = options.output.suffix.lower() == ONNX_SUFFIX
    if not is_graph(options.output):
        needs = f"needs a {ONNX_SUFFIX} or {SUFFIX} file"
        raise SettingError(needs, given=f"{options.output}", field="--output")
    if options.opset is not None and not is_onnx:
        raise SettingError("goes with an ONNX model", given=f"{options.output}", field="--opset")
    with opened_model(options.model, _MODEL_BYTES) as (file, raw):
        try:
            graph = read_graph(file, options) if raw is None else graph_of_text(file, raw, options)
        except OnnxModelError as error:
            raise first_refusal(error, file) from None
        except DirectMLError as error:
            if raw is not None:
                return failed(f"{options.model}: {error}", code_of(error), options, error)
            raise
        return _write(graph, options, is_onnx=is_onnx)


def _write(graph: SerializedGraph, options: argparse.Namespace, *, is_onnx: bool) -> int:
    if is_onnx:
        try:
            graph.to_onnx(
                options.output,
                opset=options.opset,
                sequence_rule=rule_of(options),
                functions=options.functions,
            )
        except OnnxExportError as error:
            first, *others = error.refusals or [str(error)]
            code = failed(f"{options.model}: {first}", REFUSED, options, error)
            for other in others:
                tell(f"{options.model}: {other}")
            return code
    else:
        graph.serialize(options.output)
    print(printable(f"{graph!r} written to '{options.output}'"))
    return DONE


def graph_of_text(path: Path, raw: bytes, options: argparse.Namespace) -> SerializedGraph:
    """Return the graph that the dispatches of a dispatch model are together.

    Raises
    ------
    DirectMLError
        It is no model, or breaks a rule, or its dispatches are no graph.
    """
    problems = Problems()
    reading = ReadingOptions(
        input_path=path.parent,
        input_sizes=dict(options.input_sizes),
        dimensions=dict(options.dimensions),
    )
    model = read_model(parse_json(decoded(raw)), problems, reading)
    check_model(model, Device(), Limits(), problems)
    problems.raise_first()
    return graph_of_model(model)
