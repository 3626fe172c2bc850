"""`indirectml export`."""

from __future__ import annotations

import argparse
from pathlib import Path

from indirectml.cli.common import DONE, REFUSED, Commands, Parser, add_command, failed
from indirectml.cli.model_files import decoded, read_bytes
from indirectml.cli.serialized import SUFFIX, is_graph
from indirectml.core.errors import DirectMLError, FileFormatError, SettingError
from indirectml.models.checking import Limits, check_model
from indirectml.models.context import ReadingOptions
from indirectml.models.graphs import graph_of_model
from indirectml.models.parsing import read_model
from indirectml.models.problems import Problems, printable
from indirectml.models.text import parse_json
from indirectml.runtime import Device
from indirectml.serialized.graph import SerializedGraph, read_serialized_graph

#: Larger models are refused.
_MODEL_BYTES = 1 << 26


def add_export(commands: Commands, shared: Parser) -> None:
    """Add the command."""
    export = add_command(
        commands,
        shared,
        "export",
        summary="write a dispatch model as a serialized graph",
        description="Write the dispatches of a model as one serialized DirectML graph, which "
        "DxDispatch runs too. Resources that nothing has written are its inputs, and what is "
        "printed or written to files are its outputs.",
        example="indirectml export examples/fill_value_sequence.json -o graph.bin",
    )
    export.add_argument("model", type=Path, help="a JSON file, or a graph to be written again")
    export.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="GRAPH.bin",
        help="where to write; large constants lie in files beside it",
    )
    export.set_defaults(command=_export)


def _export(options: argparse.Namespace) -> int:
    if not is_graph(options.output):
        raise SettingError(f"needs a {SUFFIX} file", given=f"{options.output}", field="--output")
    try:
        graph = _graph(options.model)
    except FileFormatError:
        raise
    except DirectMLError as error:
        return failed(f"{options.model}: {error}", REFUSED, options, error)
    graph.serialize(options.output)
    print(printable(f"{graph!r} written to '{options.output}'"))
    return DONE


def _graph(path: Path) -> SerializedGraph:
    if is_graph(path):
        return read_serialized_graph(path)
    text = decoded(read_bytes(path, _MODEL_BYTES))
    problems = Problems()
    model = read_model(parse_json(text), problems, ReadingOptions(input_path=path.parent))
    check_model(model, Device(), Limits(), problems)
    problems.raise_first()
    return graph_of_model(model)
