"""PyTorch's samples of its operators, as ONNX; a program: `python -m tests.torch_samples`.

PyTorch tests its operators with the arguments of `op_db`. Its exporter makes a model of each here,
and what we compute of that is wrong where neither PyTorch nor ONNX Runtime gives it: the exporter
has mistakes of its own, which the latter repeats.

Needs torch, onnxscript and expecttest.
"""

import argparse
import logging
import sys
import warnings
from collections import Counter

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as trees

import indirectml as dml
from tests.onnx_models import session
from tests.torch_exports import exported, first_line

#: What is sampled: of other types DirectML has few operators, or PyTorch computes them by FLOAT32.
TYPES = (torch.float32, torch.int64, torch.bool)
#: As near have results of FLOAT32 to be, whose sums have other orders.
RELATIVE, ABSOLUTE = 1e-4, 1e-5
#: An operator whose exports fail so often is left.
MOST_FAILURES = 2


class Sampled(torch.nn.Module):
    """An operator with arguments, of which the tensors are inputs."""

    def __init__(self, operator, sample):
        super().__init__()
        arguments = (sample.input, *sample.args), dict(sample.kwargs)
        self._operator = operator
        self._leaves, self._form = trees.tree_flatten(arguments)
        self._places = [n for n, x in enumerate(self._leaves) if isinstance(x, torch.Tensor)]
        self.inputs = tuple(self._leaves[n] for n in self._places)

    def forward(self, *inputs):
        leaves = list(self._leaves)
        for place, tensor in zip(self._places, inputs, strict=True):
            leaves[place] = tensor
        positional, named = trees.tree_unflatten(leaves, self._form)
        results = trees.tree_leaves(self._operator(*positional, **named))
        return [x for x in results if isinstance(x, torch.Tensor)]


def name_of(operator):
    return ".".join(filter(None, (operator.name, operator.variant_test_name)))


def samples_of(operator, count):
    """Yield so many samples of each data type at most, with type and number: first to last."""
    for dtype in TYPES:
        if dtype not in operator.dtypes:
            continue
        found = list(operator.sample_inputs("cpu", dtype, requires_grad=False))
        chosen = np.unique(np.linspace(0, len(found) - 1, min(count, len(found))).astype(int))
        for number in chosen:
            yield dtype, number, found[number]


def outcome(operator, sample):
    """Return what became of a sample, and why: "differs" is our mistake, "refused" our limit.

    "no model" is one that ONNX Runtime takes no more than ours do.
    """
    sampled = Sampled(operator, sample)
    if not sampled.inputs:
        return "not exported", "no tensor among the arguments"
    try:
        # Operators may write to their arguments.
        wanted = [as_exported(x) for x in sampled(*(x.clone() for x in sampled.inputs))]
    except Exception as error:  # noqa: BLE001 (whatever PyTorch says of a sample)
        return "not computed", first_line(error)
    try:
        model = exported(sampled, sampled.inputs)
    except Exception as error:  # noqa: BLE001 (likewise)
        return "not exported", first_line(error)
    raw = model.SerializeToString()
    names = [each.name for each in model.graph.input]
    data = {name: x.numpy() for name, x in zip(names, sampled.inputs, strict=False)}
    try:
        given = [np.asarray(x) for x in dml.load_onnx(raw)(data)]
    except dml.DirectMLError as error:
        kind = "refused" if by_onnx_runtime(raw, data) else "no model"
        return kind, " ".join(str(error).split())
    difference = differences(given, wanted)
    if difference and differences(given, by_onnx_runtime(raw, data)):
        return "differs", difference
    return "passed", ""


def as_exported(tensor):
    """Return the array that a result of PyTorch becomes: of complex numbers, their parts."""
    tensor = tensor.resolve_conj().resolve_neg()
    return (torch.view_as_real(tensor) if tensor.is_complex() else tensor).numpy()


def by_onnx_runtime(raw, data):
    """Return what ONNX Runtime gives; nothing where it refuses."""
    try:
        return session(raw).run(None, data)
    except Exception:  # noqa: BLE001 (it has no base of its errors)
        return []


def differences(given, wanted):
    """Return what is not as it should be of some arrays, or nothing."""
    if len(given) != len(wanted):
        return f"{len(given)} results for {len(wanted)}"
    for ours, theirs in zip(given, wanted, strict=True):
        if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
            return f"{ours.dtype} {ours.shape} for {theirs.dtype} {theirs.shape}"
        if ours.dtype.kind in "fc":
            equal = np.isclose(ours, theirs, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True)
        else:
            equal = ours == theirs
        if not np.all(equal):
            at = tuple(map(int, np.argwhere(~equal)[0]))
            return f"{ours[at]} for {theirs[at]} at {at}, one of {np.sum(~equal)}"
    return ""


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="operators whose names have this text")
    parser.add_argument("--count", type=int, default=9, help="samples of a data type at most")
    chosen = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    counts = Counter()
    for operator in sorted(op_db, key=name_of):
        name, failures = name_of(operator), 0
        if chosen.only not in name:
            continue
        for dtype, number, sample in samples_of(operator, chosen.count):
            kind, why = outcome(operator, sample)
            counts[kind] += 1
            if kind != "passed":
                print(f"{name} {str(dtype).removeprefix('torch.')} {number}: {kind}: {why}")
            failures += kind == "not exported"
            if failures == MOST_FAILURES:
                break
    print(", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
