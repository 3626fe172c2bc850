"""Sums, normalization, windows and resampling, beside the libraries that are known for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.sections.beside import Work, compare, imported, libraries_on, session_of
from benchmarks.sections.section import Context, Section
from indirectml.arithmetic.normalization import normalize_by_moments
from indirectml.arithmetic.resampling import coordinates, linear_taps, resample
from indirectml.arithmetic.softmax import softmax
from indirectml.arithmetic.sums import sum16
from indirectml.arithmetic.windows import Window, average_pool, max_pool

NAME = "reductions"

#: What is summed: sizes, and along which axis.
SUMS = [
    ((1024, 1024), 1),
    ((4096, 4096), 1),
    ((1 << 20, 16), 1),
    ((16, 64, 1024), 1),
    ((64, 64, 4096), 1),
    ((1024, 1024), 0),
    ((4096, 4096), 0),
]
_AXES = {1: ("first", "last"), 2: ("first", "middle", "last")}
_IMAGES = (1, 64, 112, 112)
_ROWS = (1024, 1024)
_EPSILON = 1e-5


def run(context: Context) -> Section:
    """Compare each work on one thread."""
    section = Section(
        NAME,
        "Sums, normalization, windows, resampling",
        "ours: the best of the others; the others: ours",
        notes=["on one thread: seconds of its processor"],
    )
    small = context.effort.least_rounds == 1
    with libraries_on(1):
        for sizes, axis in SUMS[:1] if small else SUMS:
            shown = " x ".join(str(n) if n < 1 << 16 else "2^20" for n in sizes)
            name = f"sum along the {_AXES[len(sizes) - 1][axis]} axis of {shown}"
            compare(section, context, name, 1, _sum(sizes, axis), 0.7)
        compare(section, context, "softmax of 1024 x 1024", 1, _softmax(), 0.35)
        compare(section, context, "layer norm of 1024 x 1024", 1, _layer_norm(), 0.7)
        for kind in () if small else ("average", "largest"):
            name = f"{kind} of 3 x 3, stride 2, of 64 x 112 x 112"
            compare(section, context, name, 1, _pooling(kind), 0.8)
        if not small:
            name = "resampling by 2 of 64 x 112 x 112"
            compare(section, context, name, 1, _resampling(), 0.8)
    return section


def _random(*sizes: int) -> Any:
    return np.random.default_rng(0).normal(size=sizes).astype(np.float32)


def _sum(sizes: tuple[int, ...], axis: int) -> Work:
    """Return the sum along an axis by each library."""
    x = _random(*sizes)
    work: Work = {
        "indirectml": lambda: sum16(x, [axis], keepdims=False, dtype=np.float32),
        "NumPy": lambda: np.sum(x, axis=axis),
    }
    torch = imported("torch")
    if torch:
        tensor = torch.from_numpy(x)
        work["PyTorch"] = lambda: torch.sum(tensor, dim=axis)
    axes = {"axes": np.array([axis], np.int64)}
    return work | _onnx("ReduceSum", {"x": x}, axes, keepdims=0)


def _softmax() -> Work:
    x = _random(*_ROWS)
    work: Work = {"indirectml": lambda: softmax(x, [1], np.float32)}
    torch = imported("torch")
    if torch:
        tensor = torch.from_numpy(x)
        work["PyTorch"] = lambda: torch.softmax(tensor, dim=1)
    return work | _onnx("Softmax", {"x": x}, {}, axis=1)


def _layer_norm() -> Work:
    x, scale, bias = _random(*_ROWS), _random(1, _ROWS[1]), _random(1, _ROWS[1])
    work: Work = {
        "indirectml": lambda: normalize_by_moments(x, [1], _EPSILON, scale, bias, dtype=np.float32)
    }
    torch = imported("torch")
    if torch:
        a, b, c = (torch.from_numpy(v) for v in (x, scale[0], bias[0]))
        work["PyTorch"] = lambda: torch.nn.functional.layer_norm(a, (_ROWS[1],), b, c, _EPSILON)
    factors = {"scale": scale[0], "bias": bias[0]}
    return work | _onnx("LayerNormalization", {"x": x}, factors, axis=1, epsilon=_EPSILON)


def _pooling(kind: str) -> Work:
    x = _random(*_IMAGES)
    window = Window([3, 3], [2, 2], [1, 1], [1, 1], [1, 1])
    torch = imported("torch")
    geometry = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    if kind == "average":
        work: Work = {"indirectml": lambda: average_pool(x, window, dtype=np.float32)}
        if torch:
            images = torch.from_numpy(x)
            work["PyTorch"] = lambda: torch.nn.functional.avg_pool2d(
                images, 3, 2, 1, count_include_pad=False
            )
        return work | _onnx("AveragePool", {"x": x}, {}, **geometry)
    work = {"indirectml": lambda: max_pool(x, window)}
    if torch:
        images = torch.from_numpy(x)
        work["PyTorch"] = lambda: torch.nn.functional.max_pool2d(images, 3, 2, 1)
    return work | _onnx("MaxPool", {"x": x}, {}, **geometry)


def _resampling() -> Work:
    x = _random(*_IMAGES)
    size = _IMAGES[2]
    taps = linear_taps(coordinates(size, 2 * size, 2), size)
    work: Work = {"indirectml": lambda: resample(x, {2: taps, 3: taps}, np.float32)}
    torch = imported("torch")
    if torch:
        images = torch.from_numpy(x)
        work["PyTorch"] = lambda: torch.nn.functional.interpolate(
            images, scale_factor=2, mode="bilinear"
        )
    scales = np.array([1, 1, 2, 2], np.float32)
    return work | _onnx("Resize", {"x": x, "roi": None}, {"scales": scales}, mode="linear")


def _onnx(node: str, inputs: dict[str, Any], constants: dict[str, Any], **options: Any) -> Work:
    """Return the work of ONNX Runtime where that is installed."""
    session = session_of(node, inputs, constants, threads=1, **options)
    return {"ONNX Runtime": session} if session else {}
