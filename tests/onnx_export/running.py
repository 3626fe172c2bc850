"""A case run here, and exported to ONNX and run there; and how far apart the results are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

import indirectml as dml

#: What ONNX Runtime's CPU provider raises where it has no kernel of a data type.
NO_KERNEL = (
    onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented,
    onnxruntime.capi.onnxruntime_pybind11_state.InvalidGraph,
)


@dataclass(frozen=True)
class Distance:
    """How far results are from IndirectML's.

    Attributes
    ----------
    ulp : float
        The largest distance in ULP, or of integers the largest difference. Infinity where one is a
        NaN and the other none.
    share : float
        The largest difference of numbers that are finite in both, in ULP of the output's largest
        finite number.
    is_equal : bool
        Whether all bits are the same; any NaN is like any other unless the operator keeps bits.
    """

    ulp: float = 0.0
    share: float = 0.0
    is_equal: bool = True

    def __or__(self, other: "Distance") -> "Distance":
        """Return the larger of each."""
        return Distance(
            max(self.ulp, other.ulp),
            max(self.share, other.share),
            self.is_equal and other.is_equal,
        )


def computed(case: Any) -> list[Any]:
    """Return what IndirectML gives for a case."""
    device = dml.Device()
    compiled = device.compile_operator(device.create_operator(case.desc))
    return [a for a in compiled(list(case.arrays)) if a is not None]


def exported(case: Any, opset: int | None = None, *, functions: bool = False) -> Any:
    """Return the ONNX model of a case, by default of plain ONNX operators."""
    device = dml.Device()
    compiled = device.compile_operator(device.create_operator(case.desc))
    return compiled.to_onnx(opset=opset, functions=functions)


def in_onnx_runtime(model: Any, values: dict[str, Any]) -> list[Any]:
    """Return what ONNX Runtime gives for a model."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, values)


def in_reference(model: Any, values: dict[str, Any]) -> list[Any]:
    """Return what the reference of the onnx package gives for a model."""
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, values)


def named(model: Any, arrays: Any) -> dict[str, Any]:
    """Return the arrays that a model is given, by the names of its inputs."""
    kept = [a for a in arrays if a is not None]
    return {i.name: np.array(a) for i, a in zip(model.graph.input, kept, strict=True)}


def run_elsewhere(model: Any, arrays: Any) -> tuple[list[Any], str]:
    """Return what a model gives, and what ran it: "onnxruntime" or "onnx.reference"."""
    values = named(model, arrays)
    try:
        return in_onnx_runtime(model, values), "onnxruntime"
    except NO_KERNEL:
        return in_reference(model, values), "onnx.reference"


def distance(actual: Any, expected: Any, *, keeps_bits: bool) -> Distance:
    """Return how far an array is from the expected one, of the same data type and sizes."""
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if actual.dtype.kind != "f":
        is_equal = actual.tobytes() == expected.tobytes()
        pairs = zip(actual.ravel().tolist(), expected.ravel().tolist(), strict=True)
        farthest = 0 if is_equal else max(abs(a - b) for a, b in pairs)
        return Distance(float(farthest), float(farthest), is_equal)
    with np.errstate(all="ignore"):
        both = np.isnan(actual) & np.isnan(expected)
        same = _bits(actual) == _bits(expected)
        is_equal = bool(np.all(same if keeps_bits else both | same))
        steps = np.abs(_ordered(actual) - _ordered(expected))
        steps = np.where(both, 0.0, np.where(np.isnan(actual) | np.isnan(expected), np.inf, steps))
        apart = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
        largest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
        apart = np.where(np.isfinite(apart), apart, 0.0) / float(np.spacing(largest))
    return Distance(float(steps.max(initial=0)), float(apart.max(initial=0)), is_equal)


def _bits(x: Any) -> Any:
    return np.ascontiguousarray(x).view(f"i{x.dtype.itemsize}")


def _ordered(x: Any) -> Any:
    """Return positions on the line of floats, as FLOAT64; both zeros are one."""
    bits = _bits(x).astype(np.int64)
    least = np.int64(np.iinfo(f"i{x.dtype.itemsize}").min)
    return np.where(bits < 0, least - bits, bits).astype(np.float64)


def compare(
    case: Any, opset: int | None = None, *, functions: bool = False
) -> tuple[Distance, str, Any]:
    """Return how far apart the results of a case are, what ran it elsewhere, and the model."""
    model = exported(case, opset, functions=functions)
    onnx.checker.check_model(model, full_check=True)
    found, where = run_elsewhere(model, case.arrays)
    total = Distance()
    for actual, expected in zip(found, computed(case), strict=True):
        keeps_bits = not case.desc.is_arithmetic
        total |= distance(np.asarray(actual), expected, keeps_bits=keeps_bits)
    return total, where, model
