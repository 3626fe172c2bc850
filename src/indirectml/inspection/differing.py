"""Which node of a model is the first whose results differ from somebody else's."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from indirectml.core.errors import BindingError, DirectMLError, SettingError, shown
from indirectml.core.nearest_names import suggestion
from indirectml.core.progress import told
from indirectml.core.settings import available_targets
from indirectml.devices import device_names
from indirectml.fills.comparing import (
    Comparison,
    Difference,
    Tolerance,
    compare_arrays,
    number_text,
)
from indirectml.inspection.onnx_runtime import OnnxRuntimeSide
from indirectml.inspection.subjects import (
    Arrays,
    Dumps,
    GraphSubject,
    NodeAlone,
    OnnxSubject,
    OnTarget,
    Side,
    SourceNode,
    Subject,
    made_up_inputs,
)
from indirectml.onnx_import.values import Array
from indirectml.runtime import Device
from indirectml.serialized.graph import SerializedGraph, read_serialized_graph

ONNX_RUNTIME = "onnxruntime"

#: What floats of somebody else's may differ by, in parts of the largest element of a tensor.
BOUND, HALF_BOUND = 1e-4, 1e-2


@dataclass(frozen=True)
class TensorComparison:
    """One tensor, here and there.

    Attributes
    ----------
    name : str
        Of the tensor.
    node : SourceNode
        What makes it.
    found : Comparison or None
        None where both cannot be compared.
    reason : str
        Why not; empty where they can.
    """

    name: str
    node: SourceNode
    found: Comparison | None
    reason: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether every element is equal, or near enough."""
        return self.found is not None and self.found.is_accepted

    @property
    def is_equal(self) -> bool:
        """Whether all bits are equal."""
        return self.found is not None and not self.found.different_count


@dataclass(frozen=True)
class DifferingNode:
    """A node that differs beyond bounds, though it was given the same.

    Attributes
    ----------
    node : SourceNode
        The node.
    tensor : TensorComparison
        Its first output that differs, from the same inputs.
    alone : NodeAlone
        The node with these inputs.
    expected : dict
        What the other side makes of them.
    """

    node: SourceNode
    tensor: TensorComparison
    alone: NodeAlone
    expected: Mapping[str, Array]

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write the node as a dispatch model that reproduces it.

        Parameters
        ----------
        folder : path
            "model.json" comes there, its inputs beside it, and NAME.expected.npy for each output.

        Returns
        -------
        path
            Of the model.

        Raises
        ------
        DirectMLError, OSError
            A constant has a form that dispatch models lack, or the folder cannot be written.
        """
        return self.alone.save(Path(folder), self.expected)


@dataclass(frozen=True)
class ModelComparison:
    """What comparing two runs of a model has found. Made by `compare_models`.

    Attributes
    ----------
    title, other : str
        What was compared with what.
    tensors : tuple of TensorComparison
        All tensors that both sides have, in the order in which nodes make them.
    missing : int
        How many tensors the other side does not give.
    first : TensorComparison or None
        The first that differs beyond bounds.
    culprit : DifferingNode or None
        The first node that differs beyond bounds from the other side's inputs. None if none does:
        then what differs are roundings that have grown on the way.
    """

    title: str
    other: str
    tensors: tuple[TensorComparison, ...]
    missing: int
    first: TensorComparison | None
    culprit: DifferingNode | None

    @property
    def is_accepted(self) -> bool:
        """Whether every tensor is equal, or near enough."""
        return self.first is None

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        return f"<pre>{html.escape(str(self))}</pre>"

    def lines(self) -> Iterator[str]:
        """Yield what there is to say, line by line."""
        equal = sum(each.is_equal for each in self.tensors)
        within = sum(each.is_accepted for each in self.tensors) - equal
        beyond = len(self.tensors) - equal - within
        count = f"{len(self.tensors)} tensor{'' if len(self.tensors) == 1 else 's'}"
        yield f"{self.title} compared with {self.other}: {count}"
        yield f"  {equal} have equal bits, {within} differ within bounds, {beyond} beyond"
        if self.missing:
            yield f"  {self.missing} are not given there"
        if self.first is None:
            return
        if self.culprit is None:
            yield f"first tensor beyond bounds: {self.first.name}, of {self.first.node}"
            yield from difference_lines(self.first)
            yield "No node differs beyond bounds by itself: what differs has grown on the way."
            return
        yield f"first node that differs: {self.culprit.node}"
        yield f"  {self.culprit.tensor.name}, made of the same inputs here and there"
        yield from difference_lines(self.culprit.tensor)
        if self.first.node != self.culprit.node:
            yield f"  before it, {self.first.name} of {self.first.node} has grown beyond bounds"

    def as_json(self) -> dict[str, Any]:
        """Return the same as plain data."""
        culprit = self.culprit
        return {
            "model": self.title,
            "other": self.other,
            "accepted": self.is_accepted,
            "missing": self.missing,
            "first": None if self.first is None else _tensor_json(self.first),
            "culprit": None if culprit is None else _tensor_json(culprit.tensor),
            "tensors": [_tensor_json(each) for each in self.tensors],
        }


def difference_lines(tensor: TensorComparison) -> Iterator[str]:
    """Yield how a tensor differs."""
    found = tensor.found
    if found is None:
        yield f"  {tensor.reason}"
        return
    share = 100 * found.different_count / max(found.element_count, 1)
    yield (
        f"  {found.data_type.name} {list(found.sizes)}: {found.different_count} of "
        f"{found.element_count} elements differ ({share:.3g} %), {found.beyond_count} beyond bounds"
    )
    for title, difference in (("first", found.first), ("largest", found.largest)):
        if difference is not None:
            yield f"  {title:8}{_difference_text(difference, found)}"


def _difference_text(difference: Difference, found: Comparison) -> str:
    here, there = (
        number_text(bits, found.data_type)
        for bits in (difference.actual_bits, difference.expected_bits)
    )
    ulp = "one is NaN" if difference.ulp is None else f"{difference.ulp} ULP"
    return f"{list(difference.coordinate)}  {here} here, {there} there, {ulp}"


def _tensor_json(tensor: TensorComparison) -> dict[str, Any]:
    found = tensor.found
    told: dict[str, Any] = {
        "tensor": tensor.name,
        "node": tensor.node.name,
        "operator": tensor.node.operator,
        "accepted": tensor.is_accepted,
    }
    if found is None:
        return told | {"reason": tensor.reason}
    told |= {
        "data_type": found.data_type.name,
        "sizes": list(found.sizes),
        "different": found.different_count,
        "beyond": found.beyond_count,
    }
    digits = found.data_type.bits // 4
    for title, each in (("first", found.first), ("largest", found.largest)):
        told[title] = each and {
            "coordinate": list(each.coordinate),
            "actual": f"0x{each.actual_bits:0{digits}X}",
            "expected": f"0x{each.expected_bits:0{digits}X}",
            "ulp": each.ulp,
        }
    return told


def compare_models(
    model: Any,
    other: Any = ONNX_RUNTIME,
    inputs: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    bound: float | None = None,
    max_ulp: int | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    device: Device | None = None,
    **fixed: Any,
) -> ModelComparison:
    """Run a model here and elsewhere, compare every tensor, and find the first node that differs.

    Parameters
    ----------
    model : path, bytes, onnx.ModelProto or SerializedGraph
        What runs here.
    other : str, path, onnx.ModelProto, SerializedGraph or dict
        What it is compared with: ``"onnxruntime"``; an instruction set of this machine
        (`available_targets`); a device's name; a folder of .npy files by names of tensors; another
        model with the same names; a dict from names to arrays.
    inputs : dict, optional
        From names to arrays. What is left out becomes random numbers of a seed.
    seed : int
        Of these.
    bound : float, optional
        What is accepted of floats: differences in parts of the largest element of a tensor. By
        default 1e-4, and 1e-2 of FLOAT16; with another instruction set or device nothing but equal
        bits.
    max_ulp, rtol, atol : number, optional
        Instead of that, what is accepted element by element: so many representable values, or
        |A - B| <= atol + rtol * |B|.
    device : Device, optional
        What runs the model here.
    **fixed
        As for `load_onnx`: sizes, dimensions, constants, quantized, memory_limit.

    Returns
    -------
    ModelComparison
        `print` shows it; `culprit` is the node.

    Raises
    ------
    DirectMLError, OSError
        One of both cannot be read or run.

    Notes
    -----
    All tensors of the model are in memory at once, twice. A node that differs beyond bounds from
    its own inputs is run again on the other side's inputs: only if it differs then is it named.
    Where a tensor that it reads is not given there, ours stands for it.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.input([3], name="x")
    >>> model = SerializedGraph.of_outputs([exp(x * 2.0)], output_names=["y"])
    >>> print(compare_models(model, "portable", {"x": np.ones(3, np.float32)}))
    graph compared with portable: 3 tensors
      3 have equal bits, 0 differ within bounds, 0 beyond
    """
    tolerance = Tolerance(max_ulp, rtol, atol)
    if (bound is not None) + (max_ulp is not None) + tolerance.is_of_numbers > 1:
        needs = "needs either bound, or max_ulp, or rtol and atol"
        raise SettingError(needs, field="compare_models")
    given = {name: np.asarray(array) for name, array in (inputs or {}).items()}
    if "sizes" not in fixed and not isinstance(model, SerializedGraph):
        fixed["sizes"] = {name: array.shape for name, array in given.items()} or None
    subject = subject_of(model, device, **fixed)
    for name in given:
        if name not in subject.inputs:
            raise BindingError(
                f"needs inputs of the model: {', '.join(subject.inputs) or 'none'}",
                given=shown(name),
                hint=suggestion(name, subject.inputs),
                field="compare_models.inputs",
            )
    side, is_own = _side_of(other, subject, device, **fixed)
    is_given = tolerance != Tolerance()
    rule = _Rule(tolerance if is_given else None, 0.0 if bound is None and is_own else bound)
    return _compared(subject, side, made_up_inputs(subject, seed, given), rule)


def subject_of(model: Any, device: Device | None = None, **fixed: Any) -> Subject:
    """Return a model whose every tensor can be asked for."""
    if isinstance(model, SerializedGraph):
        return GraphSubject(model, "graph", device)
    if isinstance(model, str | os.PathLike) and Path(model).suffix.lower() == ".bin":
        return GraphSubject(read_serialized_graph(model), Path(model).name, device)
    return OnnxSubject(model, device, **fixed)


@dataclass(frozen=True)
class _Given:
    """Tensors that somebody has."""

    arrays: Arrays
    title: str = "what was given"

    def values(self, inputs: Arrays) -> dict[str, Array]:  # noqa: ARG002 (they are what they are)
        return {name: np.asarray(array) for name, array in self.arrays.items()}


def _side_of(
    other: Any, subject: Subject, device: Device | None, **fixed: Any
) -> tuple[Side, bool]:
    """Return the other side, and whether it has to have the same bits."""
    if isinstance(other, Mapping):
        return _Given(other), False
    if not isinstance(other, str):
        is_folder = isinstance(other, os.PathLike) and Path(other).is_dir()
        return (_dumps(Path(other), subject) if is_folder else subject_of(other, **fixed)), False
    if other == ONNX_RUNTIME:
        if not isinstance(subject, OnnxSubject):
            needs = "needs an ONNX model, which ONNX Runtime runs"
            raise SettingError(needs, given=subject.title, field="compare_models.other")
        return OnnxRuntimeSide(subject), False
    if other in available_targets():
        return OnTarget(subject, other), True
    if other.partition(":")[0] in device_names():
        there = subject_of(_source(subject), Device(name=other), **fixed)
        return there, True
    path = Path(other)
    if path.is_dir():
        return _dumps(path, subject), False
    if path.exists():
        return subject_of(path, device, **fixed), False
    known = (ONNX_RUNTIME, *available_targets(), *device_names())
    raise SettingError(
        f"needs one of {', '.join(known)}, a model, or a folder of .npy files",
        given=shown(other),
        hint=suggestion(other, known),
        field="compare_models.other",
    )


def _source(subject: Subject) -> Any:
    return subject.source if isinstance(subject, OnnxSubject) else subject.graph  # type: ignore[attr-defined]


def _dumps(folder: Path, subject: Subject) -> Dumps:
    return Dumps(folder, tuple(name for node in subject.nodes for name in node.outputs))


@dataclass(frozen=True)
class _Rule:
    """What is accepted: elements by a tolerance, or floats in parts of the largest one."""

    tolerance: Tolerance | None
    bound: float | None

    def of(self, expected: Array) -> Tolerance:
        """Return what is accepted of a tensor."""
        if self.tolerance is not None:
            return self.tolerance
        if expected.dtype.kind != "f" or self.bound == 0:
            return Tolerance()
        is_half = expected.dtype == np.float16
        bound = (HALF_BOUND if is_half else BOUND) if self.bound is None else self.bound
        magnitudes = np.abs(expected[np.isfinite(expected)].astype(np.float64))
        return Tolerance(atol=bound * float(magnitudes.max(initial=0.0)))

    def compared(self, name: str, node: SourceNode, here: Array, there: Array) -> TensorComparison:
        """Compare a tensor with what it is elsewhere."""
        here, there = (a.view(np.uint8) if a.dtype == np.bool_ else a for a in (here, there))
        if here.shape != there.shape:
            reason = f"has sizes {list(here.shape)} here, {list(there.shape)} there"
            if here.size != there.size or here.size == 0:
                return TensorComparison(name, node, None, reason)
            there = there.reshape(here.shape)  # a scalar, and one element
        try:
            found = compare_arrays(here, there, tolerance=self.of(there))
        except DirectMLError as error:
            return TensorComparison(name, node, None, str(error))
        return TensorComparison(name, node, found)


def _compared(subject: Subject, side: Side, inputs: Arrays, rule: _Rule) -> ModelComparison:
    here, there = subject.values(inputs), side.values(inputs)
    found: list[TensorComparison] = []
    first: TensorComparison | None = None
    culprit: DifferingNode | None = None
    missing = 0
    for node in told(subject.nodes):
        own = [name for name in node.outputs if name in there]
        missing += len(node.outputs) - len(own)
        compared = [rule.compared(name, node, here[name], there[name]) for name in own]
        found += compared
        beyond = next((each for each in compared if not each.is_accepted), None)
        if beyond is not None:
            first = first or beyond
            culprit = culprit or _by_itself(subject, node, {**here, **there, **inputs}, there, rule)
    return ModelComparison(subject.title, side.title, tuple(found), missing, first, culprit)


def _by_itself(
    subject: Subject, node: SourceNode, arrays: Arrays, expected: Arrays, rule: _Rule
) -> DifferingNode | None:
    """Return a node if it differs beyond bounds from the same inputs."""
    alone = subject.alone(node, arrays)
    wanted = {name: expected[name] for name in node.outputs if name in expected}
    for name, array in wanted.items():
        tensor = rule.compared(name, node, alone.values[name], array)
        if not tensor.is_accepted:
            return DifferingNode(node, tensor, alone, wanted)
    return None
