"""Every kernel on tiny arrays, for Oclgrind, which interprets them. Usage: tiny.py PLATFORM.

Prints the kernels that were started.
"""

import sys

import numpy as np

import indirectml as dml
from indirectml.arithmetic import (
    movement,
    normalization,
    reductions,
    regions,
    resampling,
    softmax,
    sums,
    windows,
)
from indirectml.arithmetic.contraction import contract, contract_integer
from indirectml.arithmetic.convolution import convolve
from indirectml.arithmetic.functions import integer_power
from indirectml.arithmetic.quantization import dequantize_blocks
from indirectml.arithmetic.scans import scan, top_k
from indirectml.opencl import platforms, probe
from indirectml.opencl.context import Context
from indirectml.opencl.words import scans as opencl_scans
from tests.opencl.compare import differing
from tests.opencl.forms import POOR, VECTORS, assert_copied, assert_same

FIELDS = {
    "strides": (1, 1),
    "dilations": (1, 1),
    "start_padding": (1, 1),
    "end_padding": (1, 1),
    "output_padding": (0, 0),
    "group_count": 1,
    "mode": "cross_correlation",
}
SCAN = {"kind": "sum", "exclusive": False, "reverse": True}


def main(platform):
    """Compare words and operators whose launches have every kernel."""
    probe.BRIEF = probe.SPEED_ITEMS = 64
    started, start = set(), Context.start

    def told(context, kernel, *others):
        started.add(kernel.function_name)
        start(context, kernel, *others)

    Context.start = told
    own = [d for d in platforms.devices() if d.platform.name.startswith(platform)]
    platforms.devices = lambda: tuple(own)
    rng = np.random.default_rng(1)

    def of(*sizes):
        return rng.standard_normal(sizes).astype(np.float32)

    bytes_ = rng.integers(0, 256, (5, 9)).astype(np.uint8)
    assert_same(contract, of(5, 20), of(20, 6))
    assert_same(contract_integer, bytes_, bytes_.T, None, None, a_zero_point=3, b_zero_point=0)
    assert_same(convolve, of(1, 2, 4, 4), of(4, 2, 2, 2), of(4), direction="forward", **FIELDS)
    assert_same(convolve, of(1, 2, 3, 3), of(2, 4, 2, 2), None, direction="backward", **FIELDS)
    apart = FIELDS | {"group_count": 2, "direction": "forward"}
    assert_same(convolve, of(1, 2, 3, 5), of(2, 1, 2, 2), None, **apart)
    assert_same(sums.moments, of(2, 20), axes=[1])
    assert_same(sums.largest, of(3, 70), axes=[1])
    assert_same(sums.wrapped_sum, bytes_, axes=[1])
    assert_same(softmax.softmax, of(2, 5), axes=[1], outputs=[np.float32])
    assert_same(softmax.log_softmax, of(2, 5), axes=[1])
    given = {"axes": [1], "epsilon": 1e-3, "outputs": [np.float32]}
    assert_same(normalization.normalize_by_moments, of(2, 6), of(1, 6), None, **given)
    window = windows.Window((2, 2), (1, 1), (1, 1), (1, 0), (0, 1))
    assert_same(windows.average_pool, of(1, 1, 3, 3), window=window)
    assert_same(windows.max_pool_gradient, of(1, 1, 3, 3), of(1, 1, 3, 3), window=window)
    assert_same(top_k, of(2, 9), axis=1, count=3)
    opencl_scans.LONGEST = 4
    assert_same(top_k, of(2, 9), axis=1, count=3)
    taps = resampling.linear_taps(resampling.coordinates(4, 6, 1.5), 4)
    assert_same(resampling.resample, of(2, 4), taps={1: taps})
    for way in ("own", POOR):
        assert_same(sums.sum16, of(40, 18), axes=[0], way=way)
        assert_same(softmax.softmax, of(2, 20), axes=[1], way=way, outputs=[np.float32])
        assert_same(windows.average_pool, of(1, 1, 3, 3), window=window, way=way)
    for kind in (np.float16, np.float32):
        assert_same(scan, of(2, 9).astype(kind), axis=1, **SCAN)
    small = bytes_[:2, :6].astype(np.int8)
    assert_same(dequantize_blocks, small, of(2, 2), small[:, :2].copy())
    assert_same(integer_power, bytes_, bytes_ % 5)
    assert_same(windows.unfold, of(1, 1, 3, 3), window=window)
    assert_regions(of(2, 2, 4, 5), of(3, 2, 2, 2))
    assert_others(of, bytes_, window)
    sys.stdout.write(f"kernels: {' '.join(sorted(started))}\n")


def assert_others(of, bytes_, window):
    """Compare what has kernels of its own beside those above."""
    assert_same(contract, of(2, 20), of(20, 6))
    apart = FIELDS | {"group_count": 2, "direction": "forward"}
    assert_same(convolve, of(1, 2, 3, 5), of(2, 1, 2, 2), None, way=VECTORS, **apart)
    assert_same(sums.sum16, of(2, 20), axes=[1], way=VECTORS)
    assert_same(sums.sum16, of(3, 20), axes=[0], way=VECTORS)
    assert_same(sums.product64, of(2, 5), axes=[1])
    assert_same(windows.max_pool, of(1, 1, 3, 3), window=window)
    given = {"axes": [1], "epsilon": 1e-3, "outputs": [np.float32]}
    assert_same(normalization.normalize_by_norm, of(2, 6), order=2, **given)
    of_squares = given | {"use_mean": False, "use_variance": True}
    assert_same(normalization.normalize_by_moments, of(2, 6), None, None, **of_squares)
    assert_same(normalization.normalize_by_moments, of(2, 70), of(1, 70), of(2, 1), **given)
    assert_same(softmax.softmax, of(2, 70), axes=[1], outputs=[np.float32])
    assert_same(softmax.hardmax, of(2, 5), axes=[1])
    assert_same(resampling.take_nearest, of(2, 4), indices={1: np.array([3, 0])})
    assert_same(movement.from_halves, bytes_[0], sizes=[5], strides=[1], is_signed=True)
    assert_same(movement.into_halves, bytes_[0, :3], bytes_[1, :5], strides=[1])
    assert_same(reductions.l2, of(2, 5), axes=[1], outputs=[np.float64])
    assert_copied(of(4))
    device = dml.Device("opencl")
    for name in ("ELEMENT_WISE_ADD", "FILL_VALUE_CONSTANT", "GATHER", "PADDING", "SCATTER", "RNN"):
        assert not list(differing(name, device, 1)), name


def assert_regions(x, gradient):
    """Compare regions, and what comes back from them."""
    roi = np.float32([[1, 1, 4, 3], [-3, -2, 9, 8], [0.25, 0.5, 1.75, 3]])
    batches = np.array([0, 1, 1], np.uint32)
    sampling = regions.Sampling(
        1, 1, 0.5, -0.5, 1, 2, is_stretched=False, mode="linear", choice="average"
    )
    largest = sampling._replace(choice="largest")
    given = {"outside": 0.0, "output_sizes": (3, 2, 2, 2)}
    for each in (sampling, largest):
        assert_same(regions.roi_align, x, roi, batches, sampling=each, **given)
        own = {"sampling": each, "input_sizes": x.shape}
        of_images = x if each is largest else None
        assert_same(regions.roi_align_gradient, of_images, gradient, roi, batches, **own)
        back = x, gradient, roi, batches
        assert_same(regions.roi_align_gradient_of_regions, *back, sampling=each)
    pooled = np.column_stack([np.float32(batches), roi])[None, None]
    assert_same(regions.roi_pool, x, pooled, scale=1.0, pooled_sizes=(2, 2))


if __name__ == "__main__":
    main(*sys.argv[1:])
