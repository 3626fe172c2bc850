"""Functions on OpenCL devices: the bits of the native ones, over a stride of all arguments."""

import numpy as np
import pytest

from indirectml.arithmetic import functions
from indirectml.opencl.functions import FUNCTIONS
from indirectml.opencl.launches import Source
from tests.opencl.forms import context_of

_STRIDE = 100_003
_OF_TWO = {"pow", "atan2"}

_TEXT = """
kernel void apply(global const uint *x, global const uint *z, global uint *y, global ushort *h,
                  ulong n) {{
    const ulong i = get_global_id(0);
    if (i >= n) return;
    y[i] = {name}_float32({arguments});
    h[i] = {name}_float16({arguments});
}}
"""


def arguments_of(name):
    """Return bits of arguments: a stride of all, what FLOAT64 leaves open, and pairs."""
    rng = np.random.default_rng(11)
    x = np.arange(0, 2**32, _STRIDE, np.uint64).astype(np.uint32)
    z = rng.integers(0, 2**32, x.size, np.uint32)
    if name == "gelu":  # halves of numbers next to 0 are ties
        x[:5000] = rng.integers(0, 2**24, 5000)
    if name in _OF_TWO:
        few = x.size // 4
        x[:few] = rng.uniform(0.5, 3, few).astype(np.float32).view(np.uint32)
        z[:few] = rng.uniform(-30, 30, few).astype(np.float32).view(np.uint32)
        # Exact powers, and ties.
        x[:2000] = rng.integers(0, 300, 2000).astype(np.float32).view(np.uint32)
        z[:2000] = (rng.integers(-60, 60, 2000) / 8).astype(np.float32).view(np.uint32)
    # Exact results in FLOAT16 are near ties too.
    halves = np.arange(0, 2**16, 7, np.uint16).view(np.float16).astype(np.float32)
    return np.concatenate([x, halves.view(np.uint32)]), np.resize(z, x.size + halves.size)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_have_the_bits_of_the_native_ones(name):
    context = context_of()
    if not FUNCTIONS[name].is_for("float32", context.abilities):
        pytest.skip("the device has no FLOAT64")
    x, z = arguments_of(name)
    given = (x, z) if name in _OF_TWO else (x,)
    text = _TEXT.format(name=name, arguments="x[i], z[i]" if name in _OF_TWO else "x[i]")
    y, h = np.zeros(x.size, np.uint32), np.zeros(x.size, np.uint16)
    with context.used():
        kernel = context.library.kernel(Source(FUNCTIONS[name].files, text=text), "apply")
        memories = [context.heap.upload(a.view(np.uint8)) for a in (x, z, y, h)]
        kernel.set_args(*(m.buffer for m in memories), np.uint64(x.size))
        context.start(kernel, (-(-x.size // 64) * 64,), (64,))
        found = [context.heap.read(m) for m in memories[2:]]

    numbers = [a.view(np.float32) for a in given]
    for dtype, bits in ((np.float32, found[0]), (np.float16, found[1])):
        expected = getattr(functions, name)(*numbers, dtype)
        np.testing.assert_array_equal(bits, expected.view(np.uint8))
