"""Every instruction of programs on an OpenCL device, on special bits, beside NumPy forms."""

import numpy as np
import pytest

from indirectml import numpy_forms
from indirectml.arithmetic.gathering import scatter_elements, scatter_tuples
from indirectml.core.data_types import TensorDataType
from indirectml.opencl import launches, programs, steps
from indirectml.passes.tracing import instructions
from indirectml.plans import ProgramStep, View
from indirectml.programs import Instruction, Program
from tests.opencl.forms import FAST, POOR, ROUGH, assert_same, context_of

COUNT = 4096
SEED = 20261123
FLOATS = ("float16", "float32", "float64")
INTEGERS = tuple(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64))
KINDS = instructions()
TYPES = {t.name.lower(): t for t in TensorDataType}


def _special(type_, generator):
    """Return elements: any bits, small whole numbers and halves of these, limits."""
    dtype = np.dtype(type_)
    found = generator.integers(0, 256, COUNT * dtype.itemsize, np.uint8).view(dtype).copy()
    small = generator.integers(-9, 10, COUNT // 2)
    if dtype.kind == "f":
        found[: COUNT // 2] = small / 2
        limits = [0.0, -0.0, np.inf, -np.inf, np.nan, np.finfo(dtype).max, np.finfo(dtype).tiny]
        powers = [
            2.0**k for k in (7, 8, 15, 16, 31, 32, 63, 64) if 2.0**k < float(np.finfo(dtype).max)
        ]
        limits += [*powers, *(-p for p in powers), *(p - 0.5 for p in powers)]
    else:
        found[: COUNT // 2] = small.astype(dtype)
        info = np.iinfo(dtype)
        limits = [0, 1, info.max, info.min, info.max - 1, info.max // 2 + 1]
    found[COUNT // 2 : COUNT // 2 + 512] = generator.choice(np.array(limits, dtype), 512)
    return generator.permutation(found)


def _assert_same(made, given, way="own"):
    """Assert that a device makes of arrays what the NumPy forms of instructions do."""
    context = context_of(way)
    types = tuple(x.dtype.name for x in given)
    program = Program(types, (), tuple(made), tuple(range(len(given), len(given) + len(made))))
    each = (*types, *(i.type for i in made))
    views = [View(k, TYPES[type_], (COUNT,), (1,)) for k, type_ in enumerate(each)]
    read, written = tuple(views[: len(given)]), tuple(views[len(given) :])
    strides = ((1,),) * len(read), ((1,),) * len(written)
    step = ProgramStep(program, ("",), (COUNT,), read, written, *strides)
    memories = [*(x.view(np.uint8) for x in given)]
    memories += [np.zeros(COUNT * np.dtype(i.type).itemsize, np.uint8) for i in made]
    assert steps.launches_of(step, context.abilities) is not None
    there = [context.heap.upload(memory) for memory in memories]
    with context.used():
        context.ready([step]).execute(there)
        found = [context.heap.read(memory) for memory in there[len(given) :]]
    numpy_forms.carry_out(step, memories)
    for instruction, own, wanted in zip(made, found, memories[len(given) :], strict=True):
        np.testing.assert_array_equal(own, wanted, f"{instruction}, seed {SEED}")


def _cases():
    """Yield instructions: name, types of source and result, and how many sources."""
    two = {"add", "subtract", "multiply", "divide", "fmod", "copysign", "floor_divide", "remainder"}
    two |= {"maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift"}
    two |= {"right_shift", "less", "less_equal", "equal", "not_equal"}
    truths = KINDS["to truth values, 0 or 1"]
    whole = "on integers, modulo 2^bits"
    for kind, types in (("on floats", FLOATS), (whole, INTEGERS), ("on bits", INTEGERS)):
        for name in sorted(KINDS[kind]):
            for type_ in types:
                result = "uint8" if name == "bitwise_count" else type_
                yield name, type_, result, 1 + (name in two)
    for name in sorted(truths):
        of_all = FLOATS if name in {"isnan", "isinf", "signbit"} else (*FLOATS, *INTEGERS)
        yield from ((name, type_, "uint8", 1 + (name in two)) for type_ in of_all)
    for source in FLOATS:
        yield "canonical", source, source, 1
        yield from (("convert", source, type_, 1) for type_ in FLOATS if type_ != source)
        yield from (("truncate", source, type_, 1) for type_ in INTEGERS)
    for source in INTEGERS:
        others = (type_ for type_ in (*FLOATS, *INTEGERS) if type_ != source)
        yield from (("convert", source, type_, 1) for type_ in others)


CASES = sorted(set(_cases()))


@pytest.mark.parametrize("way", ["own", POOR])
@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS])
def test_instructions_have_the_bits_of_numpy(source, way):
    assert_instructions_are_numpys(source, {name for name, *_ in CASES}, way)


def assert_instructions_are_numpys(source, names, way="own"):
    """Assert that a device has the bits of NumPy's forms in instructions on a type."""
    generator = np.random.default_rng(SEED)
    given = [_special(source, generator) for _ in range(2)]
    own = (case for case in CASES if case[1] == source and case[0] in names)
    made = [Instruction(name, of, type_, (0, 1)[:count]) for name, of, type_, count in own]

    _assert_same(made, given, way)


def test_quotients_are_rounded_once_where_those_of_the_device_are_not():
    assert_instructions_are_numpys("float32", {"divide"}, way=ROUGH)


@pytest.mark.parametrize("type_", ["int8", "uint8"])
def test_numbers_are_quantized(type_):
    generator = np.random.default_rng(SEED)
    x = _special("float32", generator)
    zero = generator.integers(-128, 256, COUNT).astype(np.float32)
    _assert_same([Instruction("quantize", "float32", type_, (0, 1))], [x, zero])


#: Functions between other instructions; the first value is written where x is, and read by all.
WHOLE = Program(
    ("float32", "float32", "float16"),
    (("float32", 0x40490FDB),),
    (
        Instruction("multiply", "float32", "float32", (0, 1)),
        Instruction("exp", "float32", "float32", (4,)),
        Instruction("add", "float32", "float32", (5, 0)),
        Instruction("sin", "float32", "float32", (6,)),
        Instruction("tanh", "float32", "float32", (1,)),
        Instruction("convert", "float16", "float32", (2,)),
        Instruction("add", "float32", "float32", (7, 9)),
        Instruction("multiply", "float32", "float32", (10, 3)),
        Instruction("gelu", "float32", "float32", (3,)),
        Instruction("subtract", "float32", "float32", (8, 12)),
        Instruction("convert", "float32", "float16", (13,)),
    ),
    (11, 14, 5),
)


@pytest.mark.parametrize("sizes", [(2, 3, 77), (3, 1100), (5, 7)])
@pytest.mark.parametrize("way", ["own", "no vectors", FAST, "several elements", POOR])
def test_functions_between_instructions(sizes, way, monkeypatch):
    if way == "several elements":  # of a work-item, as where there are many
        monkeypatch.setattr(programs, "_GROUPS_OF_UNIT", 0)
        monkeypatch.setattr(launches, "_MOST_WORK", 1 << 22)  # and started in parts
        way = FAST
    context = context_of(way)
    generator = np.random.default_rng(SEED)
    rows = sizes[:-1]
    count = int(np.prod(sizes))
    packed = tuple(int(np.prod(sizes[k + 1 :])) for k in range(len(sizes)))
    across = (*(0 for _ in rows), 1)  # the same in every row
    apart = tuple(-2 * s for s in packed)
    x, y = generator.standard_normal((2, count)).astype(np.float32)
    half = generator.standard_normal(2 * count).astype(np.float16)
    memories = [a.view(np.uint8) for a in (x, y, half)]
    memories += [np.zeros(count * size, np.uint8) for size in (2, 4)]
    f32, f16 = TensorDataType.FLOAT32, TensorDataType.FLOAT16
    views = (
        View(0, f32, sizes, packed),
        View(1, f32, sizes, across),
        View(2, f16, sizes, apart, 4 * (count - 1)),
        View(0, f32, sizes, packed),  # in place
        View(3, f16, sizes, packed),
        View(4, f32, sizes, packed),
    )
    strides = packed, across, apart
    step = ProgramStep(WHOLE, ("",), sizes, views[:3], views[3:], strides, (packed,) * 3)
    there = [context.heap.upload(memory) for memory in memories]
    with context.used():
        context.ready([step]).execute(there)
        found = [context.heap.read(memory) for memory in there]

    numpy_forms.carry_out(step, memories)

    for own, wanted in zip(found, memories, strict=True):
        np.testing.assert_array_equal(own, wanted)


def test_of_several_updates_the_last_one_stays():
    generator = np.random.default_rng(SEED)
    x, updates = np.zeros((7, 3), np.float32), generator.standard_normal((500, 3), np.float32)
    indices = generator.integers(-9, 9, (500, 3)).astype(np.int64)

    assert_same(scatter_elements, x, indices, updates, axis=0)
    assert_same(scatter_tuples, x, indices[:, :1].astype(np.int32), updates)
