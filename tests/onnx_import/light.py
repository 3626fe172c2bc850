"""The light models of the onnx package, with seeded random weights: their own are a constant."""

import math
from pathlib import Path

import numpy as np
import onnx
import onnx.backend.test
from onnx import numpy_helper

FOLDER = Path(onnx.backend.test.__file__).parent / "data" / "light"
NAMES = sorted(path.stem.removeprefix("light_") for path in FOLDER.glob("*.onnx"))


def light_model(name, seed=1):
    """Return a model whose weights are random, such that numbers keep their size on the way."""
    model = onnx.load(FOLDER / f"light_{name}.onnx")
    graph = model.graph
    shapes = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    made = {
        node.output[0]: tuple(shapes[node.input[0]])
        for node in graph.node
        if node.op_type == "ConstantOfShape"
    }
    roles = _roles(graph)
    rng = np.random.default_rng(seed)
    # Sums of branches would grow from block to block.
    spread = (0.2, 0.6) if any(node.op_type == "Sum" for node in graph.node) else (0.5, 1.5)
    tensors = [
        numpy_helper.from_array(_weights(rng, *roles.get(name, ("", 0)), shape, spread), name)
        for name, shape in made.items()
    ]
    nodes = [node for node in graph.node if node.op_type != "ConstantOfShape"]
    del graph.node[:]
    graph.node.extend(nodes)
    graph.initializer.extend(tensors)
    model.ir_version = 8  # before 4, initializers are inputs, too
    pictures = [each for each in graph.input if each.name not in shapes]
    del graph.input[:]
    graph.input.extend(pictures)
    return model


def _roles(graph):
    """Return for each name by which operator, and as which of its inputs, it is read."""
    roles = {}
    for node in reversed(graph.node):
        for index, name in enumerate(node.input):
            roles[name] = (node.op_type, index)
            if node.op_type in {"Unsqueeze", "Reshape"} and node.output[0] in roles:
                roles[name] = roles[node.output[0]]
    return roles


def _weights(rng, operator, index, shape, spread):
    if operator in {"Conv", "Gemm"} and index == 1:
        scale = math.sqrt(2 / math.prod(shape[1:]))
        return rng.standard_normal(shape, np.float32) * np.float32(scale)
    if operator == "BatchNormalization" and index in {1, 4}:
        return rng.uniform(*(spread if index == 1 else (0.5, 1.5)), shape).astype(np.float32)
    return rng.standard_normal(shape, np.float32) * np.float32(0.1)
