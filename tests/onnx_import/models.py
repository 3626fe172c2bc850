"""Models to load: of text, in ONNX's own syntax."""

import onnx

import indirectml as dml


def model(graph, opset=18, extra="", functions=""):
    """Return a model; `graph` is "(inputs) => (outputs) { nodes }"."""
    imports = f'"" : {opset}{extra}'
    return onnx.parser.parse_model(
        f"<ir_version: 8, opset_import: [{imports}]>\nmodel {graph}\n{functions}"
    )


def load(graph, *, sizes=None, dimensions=None, device=None, **parts):
    """Return a model of text, loaded."""
    return dml.load_onnx(model(graph, **parts), device, sizes=sizes, dimensions=dimensions)
