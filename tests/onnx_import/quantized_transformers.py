"""Quantized transformers node by node beside ONNX Runtime, and where they part.

python -m tests.onnx_import.quantized_transformers

Networks as PyTorch exports them, made QLinear operators by ONNX Runtime's static quantizer, with
random numbers to calibrate by. First each QLinear node alone, given what ONNX Runtime gave the one
before, without its optimizations; sums that differ are decided by exact rational arithmetic. Then
the whole: each node whose integers differ. Then the same once more, with ONNX Runtime's QLinearAdd
taken apart as it is defined.
"""

import argparse
import logging
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnxruntime import quantization

import indirectml as dml

NAMES = ("bert", "gpt")
SEED, CALIBRATIONS = 7, 3
INPUT = "x"


class Calibration(quantization.CalibrationDataReader):
    """What the network is measured with, and random words besides."""

    def __init__(self, words):
        random = np.random.default_rng(SEED)
        more = [random.integers(0, words.max() + 1, words.shape) for _ in range(CALIBRATIONS - 1)]
        self._left = iter([words, *more])

    def get_next(self):
        return next(({INPUT: x} for x in self._left), None)


def quantized_model(name):
    """Return a model of QLinear operators, and its input."""
    from benchmarks import torch_networks  # noqa: PLC0415 (an optional library)

    words = torch_networks.data_of(name)
    with tempfile.TemporaryDirectory() as folder:
        plain, path = Path(folder, "plain.onnx"), Path(folder, "quantized.onnx")
        onnx.save(torch_networks.exported(name), plain)
        quantization.quantize_static(
            plain, path, Calibration(words), quant_format=quantization.QuantFormat.QOperator,
            activation_type=quantization.QuantType.QUInt8,
        )  # fmt: skip
        return onnx.load(path), words


def with_all_tensors(model):
    """Return the model with each output of a node among its own."""
    known = {each.name for each in model.graph.output}
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for node in model.graph.node:
        new = [name for name in node.output if name and name not in known]
        made.graph.output.extend(onnx.ValueInfoProto(name=name) for name in new)
        known.update(new)
    return made


def values_there(model, words, *, is_optimized=False):
    """Return the outputs as ONNX Runtime makes them."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = (
        levels.ORT_ENABLE_ALL if is_optimized else levels.ORT_DISABLE_ALL
    )
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, {INPUT: words}), strict=True))


def values_here(model, words):
    """Return all tensors as IndirectML makes them."""
    loaded = dml.load_onnx(with_all_tensors(model))
    return dict(zip(loaded.outputs, loaded({INPUT: words}), strict=True))


def exact_sum(node, values, at):
    """Return what QLinearAdd is without any rounding but the last, and the quotient before it."""
    a, a_scale, a_zero, b, b_scale, b_zero, scale, zero = (values[name] for name in node.input)
    a, b = (int(x[at]) for x in np.broadcast_arrays(a, b))
    parts = (
        (a - int(a_zero)) * Fraction(float(a_scale)),
        (b - int(b_zero)) * Fraction(float(b_scale)),
    )
    quotient = sum(parts) / Fraction(float(scale))
    limits = np.iinfo(zero.dtype)
    return min(max(round(quotient) + int(zero), limits.min), limits.max), float(quotient)


def tell_nodes(model, words, there):
    """Print how many elements of QLinear nodes differ, each given the same; decide sums."""
    constants = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    values = constants | there | {INPUT: words}
    nodes, elements, differing, exact = Counter(), Counter(), Counter(), Counter()
    for node in model.graph.node:
        if not node.op_type.startswith("QLinear"):
            continue
        names = list(dict.fromkeys(name for name in node.input if name))
        given = {name: values[name] for name in names if name not in constants}
        graph = helper.make_graph(
            [node],
            "node",
            [
                helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
                for n, a in given.items()
            ],
            [onnx.ValueInfoProto(name=node.output[0])],
            [numpy_helper.from_array(constants[n], n) for n in names if n in constants],
        )
        one = helper.make_model(
            graph, opset_imports=model.opset_import, ir_version=model.ir_version
        )
        wanted = values[node.output[0]]
        found = np.asarray(dml.load_onnx(one)(given)[0]).reshape(wanted.shape)
        nodes[node.op_type] += 1
        elements[node.op_type] += found.size
        for at in zip(*np.nonzero(found != wanted), strict=True):
            differing[node.op_type] += 1
            if node.op_type == "QLinearAdd":
                number, quotient = exact_sum(node, values, at)
                exact["here"] += number == found[at]
                exact["there"] += number == wanted[at]
                print(f"  {node.output[0]}: {found[at]} here, {wanted[at]} there, exactly {number}"
                      f" (of {quotient:.9f})")  # fmt: skip
    for kind, count in nodes.items():
        print(f"  {count} {kind}: {differing[kind]} of {elements[kind]} elements differ")
    print(f"  of the sums that differ, exact: {exact['here']} here, {exact['there']} there")


def tell_whole(model, here, there):
    """Print the nodes whose integers differ, and how far the output is."""
    for node in model.graph.node:
        name = node.output[0]
        if name in there and there[name].dtype == np.uint8:
            apart = np.abs(here[name].reshape(there[name].shape).astype(int) - there[name])
            if apart.any():
                print(f"  {node.op_type} {name}: {np.count_nonzero(apart)} of {apart.size}, by"
                      f" {apart.max()} at most")  # fmt: skip
    (output,) = (each.name for each in model.graph.output)
    apart = np.abs(here[output] - there[output]).max() / np.abs(there[output]).max()
    print(f"  the output: {apart:.2g} of the largest")


def with_defined_sums(model):
    """Return the model with QLinearAdd as DequantizeLinear, Add and QuantizeLinear."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    del made.graph.node[:]
    for node in model.graph.node:
        if node.op_type != "QLinearAdd":
            made.graph.node.append(node)
            continue
        y, given = node.output[0], node.input
        a, b, total = (f"{y} {part}" for part in ("a", "b", "sum"))
        made.graph.node.extend(
            (
                helper.make_node("DequantizeLinear", given[:3], [a]),
                helper.make_node("DequantizeLinear", given[3:6], [b]),
                helper.make_node("Add", [a, b], [total]),
                helper.make_node("QuantizeLinear", [total, *given[6:]], [y]),
            )
        )
    return made


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=NAMES, help="of benchmarks/torch_networks.py")
    given = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    for name in given.names:
        model, words = quantized_model(name)
        here, there = values_here(model, words), values_there(with_all_tensors(model), words)
        for output, optimized in values_there(model, words, is_optimized=True).items():
            is_same = optimized.tobytes() == there[output].tobytes()
            print(f"{name}: ONNX Runtime's optimizations change bits: {'no' if is_same else 'yes'}")
        print(f"{name}, each node given the same:")
        tell_nodes(model, words, there)
        print(f"{name}, whole:")
        tell_whole(model, here, there)
        print(f"{name}, whole, with ONNX Runtime's sums as they are defined:")
        tell_whole(model, here, values_there(with_all_tensors(with_defined_sums(model)), words))


if __name__ == "__main__":
    main()
