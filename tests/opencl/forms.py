"""Words on OpenCL devices beside their NumPy forms, in every way that kernels are built."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from indirectml import numpy_forms
from indirectml.arithmetic.words import frozen
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import packed_strides
from indirectml.opencl import platforms, probe
from indirectml.opencl.building import Library
from indirectml.opencl.context import Context
from indirectml.opencl.words import launches_of
from indirectml.plans import CopyStep, View, WordStep
from tests.opencl.implementations import NAMED

#: By NumPy's names of them.
TYPES = {t.name.lower(): t for t in TensorDataType}
#: What lies before and behind results, and has to stay.
_MARGIN, _UNTOUCHED = 32, 0xAB

#: How a device may be: as it is, with work-items that are no vectors, and without fma.
WAYS = ("own", "no vectors", "fma by FLOAT64", "fma by integers")
#: Where there is no FLOAT64.
POOR = "FLOAT64 by integers"
#: Where work-items are turns of a loop over vectors.
VECTORS = "vectors"
#: With dot products of integers of 8 bits, whose functions a header here has.
DOTS = "dot products"
DOTS_HEADER = """
#define DOTS(SIGNS, RESULT, LEFT, RIGHT)                               \\
  static RESULT own_dots_##SIGNS(uint a, uint b) {                     \\
    int sum = 0;                                                       \\
    for (int k = 0; k < 32; k += 8) {                                  \\
      sum += (int)(LEFT)(uchar)(a >> k) * (int)(RIGHT)(uchar)(b >> k); \\
    }                                                                  \\
    return (RESULT)sum;                                                \\
  }
DOTS(ss, int, char, char)
DOTS(su, int, char, uchar)
DOTS(us, int, uchar, char)
DOTS(uu, uint, uchar, uchar)
#define dot_4x8packed_ss_int own_dots_ss
#define dot_4x8packed_su_int own_dots_su
#define dot_4x8packed_us_int own_dots_us
#define dot_4x8packed_uu_uint own_dots_uu
"""
#: The device in use, by the ways.
CONTEXTS = {}
#: Where they are no vectors, and functions begin with FLOAT64.
FAST = "FLOAT64 is fast"
#: Where work-items are no vectors, and quotients and roots are three units of the last place off.
ROUGH = "rough division"
#: What Oclgrind must not have back: of memory that it gives out again it forgets what was written.
_kept = []


def context_of(way="own"):
    """Return the first device, used in one of the ways; skips the test where there is none."""
    if platforms.missing():
        pytest.skip(platforms.missing())

    if way not in CONTEXTS:
        number = int(os.environ.get(NAMED, "").partition(":")[2] or 0)
        context = Context(platforms.devices()[number])
        own = context.abilities
        others = tuple(d for d in own.defines if not d.startswith("FUSED"))
        no_vectors = tuple(d for d in own.defines if d != "HAS_VECTORS")
        rough = tuple(d for d in no_vectors if not d.startswith(("DIVIDED", "ROOTED")))
        rough += ("DIVIDED_BY_FLOAT64",) if own.has_float64 else ()
        context.abilities = {
            "own": own,
            "no vectors": replace(own, vector_width=1, defines=no_vectors),
            "fma by FLOAT64": replace(own, defines=(*others, "FUSED_BY_FLOAT64")),
            "fma by integers": replace(own, defines=others),
            DOTS: replace(
                own, vector_width=1, right=own.right | {o.name for o in probe.OPERATIONS[8]}
            ),
            POOR: _poor(own),
            VECTORS: replace(own, vector_width=4),
            ROUGH: replace(own, vector_width=1, defines=rough),
            FAST: replace(own, vector_width=1, defines=(*no_vectors, "FLOAT64_IS_FAST")),
        }[way]
        before = {f"-D{define}" for define in own.defines}
        kept = [option for option in context.library.options if option not in before]
        options = (*kept, *(f"-D{d}" for d in context.abilities.defines))
        made = {DOTS: _WithDots, ROUGH: _Rough}.get(way, Library)
        context.library = made(context.library.context, options)
        CONTEXTS[way] = context
    return CONTEXTS[way]


class _WithDots(Library):
    """The programs of a device that has not what they call."""

    def build_text(self, source):
        return DOTS_HEADER + super().build_text(source)


class _Rough(Library):
    """The programs of a device that divides as OpenCL demands at least."""

    def build_text(self, source):
        text = super().build_text(source)
        for exact in ("inverse = 1 / d", "root = sqrt(a.x)"):
            assert exact in text or "polynomials.cl" not in source.files, exact
            text = text.replace(exact, f"{exact} * 0x1.000006p0f")
        return text


def _poor(own):
    defines = tuple(d for d in own.defines if "FLOAT64" not in d and d != "ROOTED_BY_DEVICE")
    right = frozenset(name for name in own.right if "float64" not in name)
    return replace(own, right=right, has_float64=False, defines=defines)


def step_of(function, arrays, fields, outputs=()):
    """Return a step of a word over arrays, each in a buffer, and the bytes of these."""
    word, memories = function.word, []
    views = [None if array is None else _view_of(array, memories) for array in arrays]
    given = dict(zip(word.arrays, arrays, strict=True)) | fields
    results = word.results(**{k: v for k, v in given.items() if v is not None})
    targets = []
    for number, (sizes, dtype) in enumerate(results):
        kind = np.dtype(outputs[number] if outputs else dtype)
        view = View(len(memories), TYPES[kind.name], tuple(sizes), packed_strides(sizes), _MARGIN)
        size = view.element_count * kind.itemsize
        memories.append(np.full(size + 2 * _MARGIN, _UNTOUCHED, np.uint8))
        targets.append(view)
    own = tuple((name, frozen(value)) for name, value in fields.items())
    return WordStep(word, word.name, own, tuple(views), tuple(targets)), memories


def _view_of(array, memories):
    """Return a view of an array whose bytes are added to memories, behind some others."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    raw = np.ascontiguousarray(base).reshape(-1).view(np.uint8)
    memories.append(np.concatenate([np.zeros(_MARGIN, np.uint8), raw]))
    strides = tuple(s // array.itemsize for s in array.strides)
    kind = TYPES[array.dtype.name]
    return View(len(memories) - 1, kind, array.shape, strides, _MARGIN + offset)


def assert_same(function, *arrays, outputs=(), way="own", **fields):
    """Assert that a device writes what the NumPy form of a word does, and nothing beside it."""
    context = context_of(way)
    step, memories = step_of(function, arrays, fields, outputs)
    assert launches_of(step, context.abilities) is not None, "there is no form"
    expected = [memory.copy() for memory in memories]
    numpy_forms.carry_out(step, expected)
    on_device = [context.heap.upload(memory) for memory in memories]
    with context.used():
        ready = context.ready([step])
        ready.execute(on_device)
        found = [context.heap.read(memory) for memory in on_device]
    if context.facts.platform == "Oclgrind":
        _kept.append((ready, on_device))
    for memory, own in zip(expected, found, strict=True):
        np.testing.assert_array_equal(own, memory)


def assert_copied(raw):
    """Assert that a device copies the bytes of an array that has no gaps."""
    context, own = context_of(), raw.reshape(-1).view(np.uint8)
    there = [context.heap.upload(each) for each in (own, np.zeros_like(own))]
    views = [View(k, TYPES["uint8"], own.shape, (1,), 0, own.size) for k in (0, 1)]
    with context.used():
        context.ready([CopyStep(*views)]).execute(there)
        found = context.heap.read(there[1])
    np.testing.assert_array_equal(found, own)


def numbers(rng, *sizes, dtype=np.float32):
    """Return numbers of which some are zeros of both signs, infinite, NaN, subnormal and large."""
    special = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-40, -1e-44, 3e38, 6e-8]
    result = rng.standard_normal(sizes).astype(dtype)
    with np.errstate(over="ignore"):
        places = rng.random(sizes) < 0.02
        result[places] = rng.choice(special, places.sum()).astype(dtype)
    return result
