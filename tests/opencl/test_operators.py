"""Operators and random graphs on OpenCL: the bits of the CPU, on four implementations."""

import pytest

import indirectml as dml
from indirectml.descriptors.definitions import implemented_operators
from tests.bits import assert_bits_equal
from tests.extent import Extent, every
from tests.graphs.random_graphs import random_graph
from tests.opencl.compare import differing
from tests.opencl.implementations import elsewhere, is_alone, needs_pocl, pocl

#: As many cases of each operator: any bits and moderate numbers of FLOAT32, then of FLOAT16.
CASES = 2

#: Of a process that `tests.opencl.whole` starts, all.
EACH = implemented_operators()[:: 1 if is_alone() else every(3)]

#: What rusticl and Intel's runtime are tried with: what is moved, computed, quantized, compared.
SOME = [
    "CAST", "ELEMENT_WISE_ADD", "ELEMENT_WISE_CLIP", "ELEMENT_WISE_DIVIDE", "ELEMENT_WISE_IF",
    "ELEMENT_WISE_MODULUS_FLOOR", "ELEMENT_WISE_QUANTIZE_LINEAR", "ELEMENT_WISE_ROUND",
    "ELEMENT_WISE_LOGICAL_LESS_THAN", "FILL_VALUE_SEQUENCE", "GATHER", "GATHER_ND", "ONE_HOT",
    "PADDING", "SCATTER", "SCATTER_ND", "SLICE", "TILE", "GEMM", "CONVOLUTION", "REDUCE",
    "MAX_POOLING", "AVERAGE_POOLING", "LP_POOLING", "MAX_POOLING_GRAD", "RESAMPLE",
    "CUMULATIVE_SUMMATION", "ELEMENT_WISE_EXP", "ELEMENT_WISE_SQRT", "ELEMENT_WISE_RECIP",
    "ELEMENT_WISE_POW", "ELEMENT_WISE_ERF", "ELEMENT_WISE_TAN", "ELEMENT_WISE_ATAN_YX",
    "ELEMENT_WISE_ACOSH", "ACTIVATION_GELU", "LOCAL_RESPONSE_NORMALIZATION",
    "ROI_ALIGN", "ROI_ALIGN_GRAD",
    "ACTIVATION_SOFTMAX", "MEAN_VARIANCE_NORMALIZATION", "LP_NORMALIZATION",
]  # fmt: skip

#: What Oclgrind interprets, a work-item after the other.
TINY = ["GATHER", "SCATTER", "PADDING"]


@needs_pocl
@pytest.mark.parametrize("name", EACH)
def test_operators_have_the_bits_of_the_cpu(name):
    count = None if Extent.whole else CASES

    assert not list(differing(name, dml.Device(pocl()), count))


@needs_pocl
def test_random_graphs_have_the_bits_of_the_cpu_and_run_there():
    device, own, all_steps = dml.Device(pocl()), 0, 0
    for seed in range(200 if Extent.whole else 2):
        made = random_graph(seed, 12)
        there = random_graph(seed, 12, device=device).compile()
        for actual, wanted in zip(there(made.data), made.compile()(made.data), strict=True):
            assert_bits_equal(actual=actual, expected=wanted, where=f"{seed}: {made.used}")
        forms = [device.implementation.has_form(step) for step in there.plan.steps]
        own, all_steps = own + sum(forms), all_steps + len(forms)

    assert own > FLOOR * all_steps


#: What part of the steps of random graphs has kernels, at least.
FLOOR = 0.97


@pytest.mark.parametrize(
    ("implementation", "patterns", "cases", "names", "lacks"),
    [
        # All of them: tests.opencl.whole.
        ("rusticl", 1 << 14, 2, SOME[1::4], "no FLOAT64, no subnormals, no fma, no division"),
        ("intel", 1 << 14, 2, SOME[::8], "no fma, no division"),
        *([("oclgrind", 64, 2, TINY, "FLOAT64, subnormals, no fma")] if Extent.whole else []),
    ],
)
def test_other_implementations_have_the_bits_of_the_cpu(
    implementation, patterns, cases, names, lacks, tmp_path
):
    done = elsewhere(implementation, tmp_path, str(patterns), str(cases), *names)

    assert done.returncode == 0, done.stdout + done.stderr
    assert lacks in done.stdout
    assert done.stdout.splitlines()[-1].partition(" ")[0] not in {"", "0"}
    # Of Oclgrind: races between work-items, and what was read before it was written.
    assert "race" not in done.stderr
    assert "ninitialized" not in done.stderr
