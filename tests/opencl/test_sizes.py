"""Which programs are built for an operator of any size: as few as docs/devices.md says."""

from dataclasses import replace

import numpy as np
import pytest

import indirectml as dml
from indirectml.opencl import probe
from indirectml.opencl.launches import Abilities
from indirectml.opencl.steps import launches_of
from tests.opencl.implementations import needs_pocl, pocl

_RIGHT = frozenset(o.name for operations in probe.OPERATIONS.values() for o in operations)
_GPU = Abilities(_RIGHT, has_float64=True, local_bytes=1 << 15, group_size=256, units=16)
#: Where work-items are threads of a GPU, and turns of a loop over vectors.
KINDS = {"GPU": _GPU, "CPU": replace(_GPU, vector_width=16, local_bytes=1 << 20)}

_EXTENTS = (1, 2, 3, 5, 8, 16, 17, 31, 32, 64, 65, 127, 128, 200)
_SUM = {"function": dml.ReduceFunction.SUM}
_WINDOW = {"window_sizes": [3, 3], "strides": [1, 1]}

#: What is made of inputs of four dimensions, and how many programs random sizes of these have.
FEWEST = {
    "product": (dml.gemm, 2, {"GPU": 3, "CPU": 2}),
    "convolution of 3 x 3": (dml.convolution, 2, {"GPU": 3, "CPU": 5}),
    "exp": (dml.exp, 1, {"GPU": 2, "CPU": 1}),
    "sum": (lambda a, b: a + b, 2, {"GPU": 2, "CPU": 1}),
    "sums of rows": (lambda x: dml.reduce(x, axes=[3], **_SUM), 1, {"GPU": 1, "CPU": 2}),
    "sums of columns": (lambda x: dml.reduce(x, axes=[1], **_SUM), 1, {"GPU": 1, "CPU": 2}),
    "softmax": (lambda x: dml.activation_softmax(x, axes=[3]), 1, {"GPU": 4, "CPU": 3}),
    "largest of windows": (lambda x: dml.max_pooling(x, **_WINDOW).values, 1, {"GPU": 1, "CPU": 2}),
}


def _sizes(name, extents):
    """Return sizes of an operator's inputs."""
    n, c, h, w = extents
    if name == "product":
        return (1, 1, n * n, c), (1, 1, c, h * h)
    if name.startswith("convolution"):
        return (1, n, h + 2, w + 2), (c, n, 3, 3)
    own = (n, c, h + 2, w + 2) if "windows" in name else tuple(extents)
    return own, own


def _steps(device, name, extents):
    graph = dml.Graph(device)
    made, count, _ = FEWEST[name]
    sizes = _sizes(name, extents)[:count]
    inputs = [graph.input(own, name=f"x{k}") for k, own in enumerate(sizes)]
    return graph.compile([made(*inputs)])


@pytest.mark.parametrize("name", FEWEST)
def test_any_size_has_one_of_few_programs(name):
    device, found = dml.Device(), {kind: set() for kind in KINDS}
    for extents in np.random.default_rng(30).choice(_EXTENTS, (200, 4)).tolist():
        for step in _steps(device, name, extents).plan.steps:
            for kind, abilities in KINDS.items():
                found[kind] |= {launch.source for launch in launches_of(step, abilities)}

    assert {kind: len(sources) for kind, sources in found.items()} == FEWEST[name][2]


@needs_pocl
@pytest.mark.parametrize("name", FEWEST)
def test_a_new_size_compiles_nothing(name):
    device = dml.Device(pocl())
    library = device.implementation.context.library

    def run(extents):
        compiled = _steps(device, name, extents)
        rng = np.random.default_rng(1)
        given = {
            f"x{k}": rng.standard_normal(sizes).astype(np.float32)
            for k, sizes in enumerate(_sizes(name, extents)[: FEWEST[name][1]])
        }
        compiled(given)
        return library.built_count

    built = run([20, 18, 40, 35])

    assert run([17, 20, 37, 40]) == run([31, 8, 60, 33]) == built
