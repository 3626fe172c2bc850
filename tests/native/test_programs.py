"""Programs in the native code: any layouts, sizes around blocks, and what would crash it."""

import math
from fractions import Fraction

import numpy as np
import pytest

import indirectml as dml
from indirectml import _native
from indirectml.arithmetic import functions
from indirectml.core.data_types import TensorDataType
from indirectml.core.scalars import exact_bits
from indirectml.core.settings import Settings
from indirectml.descriptors.definitions import implemented_operators
from indirectml.devices import cpu
from indirectml.numpy_forms import calculated
from indirectml.passes.tracing import template
from indirectml.programs import Instruction, Program
from tests.bits import assert_bits_equal
from tests.operators.test_targets_agree import _trials

SETTINGS = [(target, threads) for target in dml.available_targets() for threads in (1, 4)]

#: Around a vector, a block, and rows that are blocks of their own.
COUNTS = (1, 3, 63, 64, 65, 127, 128, 129, 511, 513, 1023, 1024, 1025, 2049)


def _binary(name, type_="float32", to=None):
    return _native.Program([type_] * 2, [], [(name, type_, to or type_, [0, 1])], [2])


def _run_step(size, place, memory):
    step = _native.ProgramStep(_binary("add"), [size], [place] * 3)
    return _native.StepList([step]).run([memory], Settings.policy, 0)


# ---- operators: programs and definitions ----


@pytest.mark.parametrize("name", implemented_operators())
def test_programs_have_the_bits_of_definitions(name, monkeypatch):
    device = dml.Device()
    for desc, inputs in _trials(name):
        if template(desc) is None:
            continue
        joined = device.compile_operator(device.create_operator(desc))
        with monkeypatch.context() as patch:
            patch.setattr(cpu, "fuse", lambda plan, former: plan)
            plain = device.compile_operator(device.create_operator(desc))
        expected = plain(inputs)
        for target, threads in SETTINGS:
            dml.configure(target=target, max_threads=threads)
            for actual, wanted in zip(joined(inputs), expected, strict=True):
                if wanted is not None:
                    assert_bits_equal(actual=actual, expected=wanted, where=f"{name} {target}")


def test_most_operators_that_are_element_wise_have_a_program():
    found = {
        name for name in implemented_operators() for desc, _ in _trials(name) if template(desc)
    }

    assert len(found) >= 85
    assert {"BATCH_NORMALIZATION", "CAST", "ELEMENT_WISE_IF", "ACTIVATION_GELU"} <= found


# ---- FLOAT64 ----

_NAN = float("nan")


def _whole(function, x):
    return math.copysign(float(function(x)), x) if math.isfinite(x) else x


def _quotient(x, y):
    if y != 0 or math.isnan(x):
        return x / y if y != 0 else x
    return _NAN if x == 0 else math.copysign(math.inf, x) * math.copysign(1, y)


def _rest(x, y):
    return _NAN if math.isinf(x) or y == 0 or x != x or y != y else math.fmod(x, y)  # noqa: PLR0124


#: Instructions on FLOAT64, and the same of Python's numbers.
ON_DOUBLES = {
    "absolute": abs, "negative": lambda x: -x, "canonical": lambda x: x,
    "ceil": lambda x: _whole(math.ceil, x), "floor": lambda x: _whole(math.floor, x),
    "rint": lambda x: _whole(round, x), "trunc": lambda x: _whole(math.trunc, x),
    "sign": lambda x: x if x != x else float((x > 0) - (x < 0)),  # noqa: PLR0124 (NaN)
    "add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "multiply": lambda x, y: x * y,
    "divide": _quotient, "fmod": _rest,
    "copysign": math.copysign,
    "isnan": math.isnan, "isinf": math.isinf, "signbit": lambda x: math.copysign(1, x) < 0,
    "less": lambda x, y: x < y, "less_equal": lambda x, y: x <= y, "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y,
}  # fmt: skip


DOUBLES = np.array(
    [0.0, -0.0, 0.5, -1.5, 2.5, 1e300, -1e300, 5e-324, -2.2e-308, np.inf, -np.inf, np.nan,
     2.0**52 + 1, -(2.0**63), 2.0**64, 65519.99, 65520.0, 2**-25, 3 * 2.0**-26, 1 + 2.0**-30]
)  # fmt: skip


def _doubles(count, seed):
    """Return any bits, numbers of some size, and special ones; NaNs that arithmetic gives."""
    generator = np.random.default_rng(seed)
    wild = generator.integers(0, 2**64, count, np.uint64).view(np.float64)
    near = generator.standard_normal(count) * 10.0 ** generator.integers(-9, 9, count)
    x = np.choose(generator.integers(0, 3, count), [wild, near, generator.choice(DOUBLES, count)])
    return np.where(np.isnan(x), np.nan, x)


def _run(name, to, *arrays):
    """Return what an instruction makes of arrays of FLOAT64 on every target, and its NumPy form."""
    sources = tuple(range(len(arrays)))
    program = Program(
        ("float64",) * len(arrays), (), (Instruction(name, "float64", to, sources),),
        (len(arrays),),
    )  # fmt: skip
    with np.errstate(all="ignore"):
        results = calculated(program, list(arrays))
    for target, threads in SETTINGS:
        dml.configure(target=target, max_threads=threads)
        out = np.zeros(arrays[0].shape, to)
        program.native.run([*arrays, out], Settings.policy)
        results.append(out)
    return [np.asarray(r).view(to) for r in results]


@pytest.mark.parametrize("name", ON_DOUBLES)
def test_instructions_on_doubles_have_the_bits_of_python(name):
    of = ON_DOUBLES[name]
    count = of.__code__.co_argcount if hasattr(of, "__code__") else 2 if name == "copysign" else 1
    arrays = [_doubles(1037, seed) for seed in range(count)]
    is_truth = name in {"isnan", "isinf", "signbit", "less", "less_equal", "equal", "not_equal"}
    to = "uint8" if is_truth else "float64"
    expected = np.array([of(*map(float, xs)) for xs in zip(*arrays, strict=True)])
    expected = expected.astype(to)
    if not is_truth and name not in {"negative", "copysign"}:
        expected[np.isnan(expected)] = np.nan
    for actual in _run(name, to, *arrays):
        assert_bits_equal(actual=actual, expected=expected, where=name)


def _from_double(x, to):
    """Return a number in another type, by fractions of Python."""
    dtype = np.dtype(to)
    if dtype.kind == "f":
        if not math.isfinite(x):
            return dtype.type(math.nan if math.isnan(x) else x)
        data_type = TensorDataType[dtype.name.upper()]
        try:
            bits = exact_bits(Fraction(x), data_type) if x else 0
        except dml.ScalarError:
            return dtype.type(math.copysign(math.inf, x))
        bits |= (math.copysign(1, x) < 0) << (8 * dtype.itemsize - 1)
        return np.array(bits, f"u{dtype.itemsize}").view(dtype)[()]
    limits = np.iinfo(dtype)
    if math.isnan(x):
        return dtype.type(0)
    return dtype.type(int(max(int(limits.min), min(int(limits.max), _cut(x)))))


def _cut(x):
    return int(x) if math.isfinite(x) else int(math.copysign(2**70, x))


@pytest.mark.parametrize("to", ["float16", "float32"])
def test_doubles_are_rounded_once(to):
    middles = np.arange(0x7BFF, dtype=np.uint16).view(np.float16).astype(np.float64)
    middles = (middles + np.arange(1, 0x7C00, dtype=np.uint16).view(np.float16)) / 2
    x = np.concatenate([
        _doubles(3001, 5), middles[::17], np.nextafter(middles[::19], 0),
        np.nextafter(middles[::23], 9e9), -middles[::29],
        np.array([0xFFF0000000000123, 0xFFF8000000000000], np.uint64).view(np.float64),
    ])  # fmt: skip
    expected = np.array([_from_double(float(v), to) for v in x])
    for actual in _run("convert", to, x):
        assert_bits_equal(actual=actual, expected=expected, where=to)


@pytest.mark.parametrize(
    "to", [f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)]
)
def test_doubles_become_integers_and_integers_doubles(to):
    x = np.concatenate([_doubles(1001, 6), np.ldexp(1.0, np.arange(70)), -np.ldexp(1.0, range(70))])
    expected = np.array([_from_double(float(v), to) for v in x])
    for actual in _run("truncate", to, x):
        assert_bits_equal(actual=actual, expected=expected, where=to)

    limits = np.iinfo(to)
    integers = np.random.default_rng(7).integers(limits.min, limits.max, 1001, to, endpoint=True)
    program = _native.Program([to], [], [("convert", to, "float64", [0])], [1])
    for target, threads in SETTINGS:
        dml.configure(target=target, max_threads=threads)
        out = np.zeros(integers.shape)
        program.run([integers, out], Settings.policy)
        assert_bits_equal(actual=out, expected=np.array([float(int(n)) for n in integers]))


#: Divisors whose quotients are found by their inverse, at both ends; others; and no numbers.
SCALES = (1.0, 0.1, 1 / 3, 2.0**-30, 2.0**30, float(np.nextafter(np.float32(2), np.float32(0))),
          2.0**-31, 3.0 * 2.0**30, 1e-40, -0.25, 0.0, math.inf, math.nan)  # fmt: skip


def _quantized(x, zero, to):
    """Return numbers as integers of a type, by NumPy."""
    info = np.iinfo(to)
    whole = np.where(np.isnan(x), 0, np.rint(x)).astype(np.float64)
    return np.clip(whole + zero, info.min, info.max).astype(to)


def _near_halves(scale, count):
    """Return any FLOAT32, and those that are near to halves after a division by a scale."""
    generator = np.random.default_rng(count)
    wild = generator.integers(0, 2**32, count, np.uint32)
    with np.errstate(all="ignore"):
        halves = (generator.integers(-300, 300, count) + 0.5).astype(np.float32) * np.float32(scale)
    near = halves.view(np.uint32) + generator.integers(-2, 3, count).astype(np.uint32)
    return np.choose(generator.integers(0, 4, count), [wild, near, near, near]).view(np.float32)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("to", [np.uint8, np.int8])
def test_quotients_are_quantized_as_by_numpy(scale, to):
    name, zero = np.dtype(to).name, 100 if to is np.uint8 else -7
    program = _native.Program(
        ["float32"] * 3, [],
        [("divide", "float32", "float32", [0, 1]), ("quantize", "float32", name, [3, 2]),
         ("convert", name, "float32", [4]), ("add", "float32", "float32", [5, 0])],
        [4, 6],
    )  # fmt: skip
    alone = _native.Program(
        ["float32"] * 3, [],
        [("divide", "float32", "float32", [0, 1]), ("quantize", "float32", name, [3, 2])], [4],
    )  # fmt: skip
    for count in (513, 1024, 70_001):
        x = _near_halves(scale, count)
        with np.errstate(all="ignore"):
            expected = _quantized(x / np.float32(scale), zero, to)
        sources = [np.broadcast_to(np.float32(one), (count,)) for one in (scale, zero)]
        for target, threads in SETTINGS:
            dml.configure(target=target, max_threads=threads)
            out, other, total = (
                np.zeros(count, to),
                np.zeros(count, to),
                np.zeros(count, np.float32),
            )
            alone.run([x, *sources, out], Settings.policy)
            program.run([x, *sources, other, total], Settings.policy)
            assert_bits_equal(actual=out, expected=expected, where=target)
            assert_bits_equal(actual=other, expected=expected, where=target)


@pytest.mark.parametrize("to", [np.uint8, np.int8])
@pytest.mark.parametrize("factor", [0.01, math.inf, math.nan])
def test_sums_are_requantized_as_by_numpy(to, factor):
    name, zero = np.dtype(to).name, 3
    requantized = [
        ("add", "int32", "int32", [0, 1]), ("convert", "int32", "float32", [4]),
        ("multiply", "float32", "float32", [5, 2]), ("quantize", "float32", name, [6, 3]),
    ]  # fmt: skip
    types = ["int32", "int32", "float32", "float32"]
    alone = _native.Program(types, [], requantized, [7])
    chained = _native.Program(
        types, [],
        [*requantized, ("convert", name, "float32", [7]),
         ("multiply", "float32", "float32", [8, 2]), ("quantize", "float32", name, [9, 3])], [10],
    )  # fmt: skip
    generator = np.random.default_rng(5)
    for count in COUNTS:
        x, others = (generator.integers(-(2**15), 2**15, count).astype(np.int32) for _ in range(2))
        x[::7] = 2**31 - 1  # sums wrap
        for more in (others, np.broadcast_to(others[:1], (count,))):
            for factors in (np.full(count, factor, np.float32), np.float32([factor])):
                with np.errstate(all="ignore"):
                    first = _quantized((x + more).astype(np.float32) * factors, zero, to)
                    second = _quantized(first.astype(np.float32) * factors, zero, to)
                sources = [x, more, np.broadcast_to(factors, (count,)),
                           np.broadcast_to(np.float32(zero), (count,))]  # fmt: skip
                for target, threads in SETTINGS:
                    dml.configure(target=target, max_threads=threads)
                    for program, expected in ((alone, first), (chained, second)):
                        out = np.zeros(count + 64, to)
                        program.run([*sources, out[:count]], Settings.policy)
                        assert_bits_equal(actual=out[:count], expected=expected, where=target)
                        assert not out[count:].any()


@pytest.mark.parametrize(("low", "high"), [(0, 1), (1, 0), (0, 1.5), (1, 1), (np.nan, 1)])
def test_one_limit_in_another_is_that_of_numpy_whichever_is_more(low, high):
    with np.errstate(all="ignore"):
        wild = _doubles(900, 1).astype(np.float32)
    x = np.concatenate([wild, np.linspace(-4, 4, 124, dtype=np.float32)])
    low, high, third, half = np.array([low, high, 1 / 3, 0.5], np.float32)
    constants = [("float32", int(n.view(np.uint32))) for n in (low, high, third, half)]
    program = _native.Program(
        ["float32"], constants,
        [("multiply", "float32", "float32", [0, 3]), ("add", "float32", "float32", [5, 4]),
         ("less_equal", "float32", "uint8", [6, 1]), ("less_equal", "float32", "uint8", [2, 6]),
         ("choose", "uint32", "uint32", [8, 2, 6]), ("choose", "uint32", "uint32", [7, 1, 9]),
         ("multiply", "float32", "float32", [0, 10])],
        [11],
    )  # fmt: skip
    with np.errstate(all="ignore"):
        y = x * third + half
        expected = x * np.where(y <= low, low, np.where(y >= high, high, y))
    expected[np.isnan(expected)] = np.nan
    for target, threads in SETTINGS:
        dml.configure(target=target, max_threads=threads)
        out = np.zeros_like(x)
        program.run([x, out], Settings.policy)
        assert_bits_equal(actual=out, expected=expected, where=target)


def _wild(count):
    """Return numbers near 0, and some of any bits."""
    generator = np.random.default_rng(count)
    near = (3 * generator.standard_normal(count)).astype(np.float32)
    any_bits = generator.integers(0, 2**32, count, np.uint32).view(np.float32)
    return np.where(generator.random(count) < 0.1, any_bits, near)


@pytest.mark.parametrize("root", [math.sqrt(2), 1.5])
@pytest.mark.parametrize("half", [0.5, 0.25])
@pytest.mark.parametrize("given", ["constants", "inputs", "one for each row"])
def test_activations_have_the_bits_of_their_operations(root, half, given):
    is_known = given == "constants"
    numbers = np.array([root, 1, half], np.float32)
    constants = [("float32", int(n.view(np.uint32))) for n in numbers]
    types = ["float32"] * (2 if is_known else 5)
    gelu = [
        ("add", [0, 1]), ("divide", [5, 2]), ("erf", [6]), ("add", [7, 3]),
        ("multiply", [8, 5]), ("multiply", [9, 4]),
    ]  # fmt: skip
    silu = [("add", [0, 1]), ("sigmoid", [5]), ("multiply", [6, 5])]
    for operations in (gelu, silu):
        instructions = [(name, "float32", "float32", sources) for name, sources in operations]
        program = _native.Program(
            types, constants if is_known else [], instructions, [4 + len(operations)]
        )
        for rows, channels in ((1, 513), (40, 100), (3, 1024)):
            x = _wild(rows * channels).reshape(rows, channels)
            bias = np.broadcast_to(_wild(channels) / 8, (rows, channels))
            times = np.ones((rows, 1), np.float32)
            if given == "one for each row":
                times[1:] = 2
            of_rows = [np.broadcast_to(n * times, (rows, channels)) for n in numbers]
            others = [] if is_known else of_rows
            with np.errstate(all="ignore"):
                y = x + bias
                if operations is gelu:
                    expected = y * (functions.erf(y / of_rows[0]) + of_rows[1]) * of_rows[2]
                else:
                    expected = y * functions.sigmoid(y)
            expected[np.isnan(expected)] = np.nan
            for target, threads in SETTINGS:
                dml.configure(target=target, max_threads=threads)
                out = np.zeros_like(x)
                program.run([x, bias, *others, out], Settings.policy)
                assert_bits_equal(actual=out, expected=expected, where=target)


# ---- layouts ----


def _laid_out(generator, sizes, dtype):
    """Return an array in memory with gaps, turned round, or at any byte; and that memory."""
    dtype = np.dtype(dtype)
    steps = [int(n) for n in generator.integers(1, 3, len(sizes))]
    order = generator.permutation(len(sizes))
    whole = [size * step for size, step in zip(sizes, steps, strict=True)]
    shift = int(generator.integers(0, 4)) * (1 if generator.random() < 0.3 else dtype.itemsize)
    count = int(np.prod(whole))
    memory = generator.integers(0, 256, count * dtype.itemsize + 64, np.uint8)
    array = memory[shift : shift + count * dtype.itemsize].view(dtype)
    array = array.reshape([whole[k] for k in order]).transpose(np.argsort(order))
    index = tuple(slice(None, None, -step if generator.random() < 0.3 else step) for step in steps)
    return array[index], memory


@pytest.mark.parametrize("seed", range(60))
def test_any_layout_gives_what_numpy_gives_and_writes_nothing_else(seed):
    generator = np.random.default_rng(seed)
    if generator.random() < 0.5:
        sizes = (int(generator.choice(COUNTS)),)
    else:
        sizes = tuple(int(n) for n in generator.choice([1, 2, 3, 5, 40, 130], 3))
    dtype = generator.choice([np.float32, np.int8, np.int16, np.int64])
    name = np.dtype(dtype).name
    inputs = []
    for _ in range(3):
        own = [n if generator.random() < 0.8 else 1 for n in sizes]
        array, _ = _laid_out(generator, own, dtype)
        array[...] = generator.integers(-100, 100, own)
        inputs.append(array)
    a, b, c = inputs
    # Two outputs, a constant, and a value that is read late.
    program = _native.Program(
        [name] * 3,
        [(name, int(np.array(3, dtype).view(f"u{np.dtype(dtype).itemsize}")))],
        [("add", name, name, [0, 1]), ("multiply", name, name, [4, 3]),
         ("subtract", name, name, [5, 2]), ("less", name, "uint8", [0, 6])],
        [6, 7],
    )  # fmt: skip
    expected = ((a + b) * dtype(3) - c) + np.zeros(sizes, dtype)
    for target, threads in SETTINGS:
        dml.configure(target=target, max_threads=threads)
        outputs, memories = zip(
            *(_laid_out(generator, sizes, kind) for kind in (dtype, np.uint8)), strict=True
        )
        before = [memory.copy() for memory in memories]

        program.run([*inputs, *outputs], Settings.policy)

        assert_bits_equal(actual=outputs[0], expected=expected, where=f"seed {seed}")
        assert_bits_equal(actual=outputs[1], expected=(a < expected).astype(np.uint8))
        for output, memory, former in zip(outputs, memories, before, strict=True):
            output[...] = 0
            written = np.ndarray(
                output.shape, output.dtype, former,
                output.ctypes.data - memory.ctypes.data, output.strides,
            )  # fmt: skip
            written[...] = 0
            assert_bits_equal(actual=memory, expected=former, where=f"seed {seed}: guards")


def test_threads_share_long_work():
    count = 300_000
    x = np.linspace(-3, 3, count, dtype=np.float32)
    program = _native.Program(
        ["float32"], [], [("exp", "float32", "float32", [0]), ("tanh", "float32", "float32", [1])],
        [1, 2],
    )  # fmt: skip
    results = []
    for threads in (1, 2, 3, 7):
        dml.configure(max_threads=threads)
        outputs = [np.zeros(count, np.float32) for _ in range(2)]
        program.run([x, *outputs], Settings.policy)
        results.append(outputs)

    for outputs in results[1:]:
        for actual, expected in zip(outputs, results[0], strict=True):
            assert_bits_equal(actual=actual, expected=expected)


def test_an_output_may_be_an_input():
    program = _native.Program(
        ["float32"] * 2, [],
        [("add", "float32", "float32", [0, 1]), ("multiply", "float32", "float32", [2, 0])], [2, 3],
    )  # fmt: skip
    for count in COUNTS:
        a, b = (np.arange(count, dtype=np.float32) + k for k in (1, 5))
        total, product = a + b, (a + b) * a

        program.run([a, b, a, b], Settings.policy)

        assert_bits_equal(actual=a, expected=total)
        assert_bits_equal(actual=b, expected=product)


def test_sizes_beyond_32_bits_by_strides():
    """One element, repeated: what is written is one byte for each of 2^31 + 5 truth values."""
    count = 2**31 + 5
    one = np.broadcast_to(np.float32(1), (count,))
    two = np.broadcast_to(np.float32(2), (count,))
    out = np.lib.stride_tricks.as_strided(np.zeros(1, np.uint8), (count,), (0,))

    # All elements of the output lie on each other: for one thread nothing forbids it here.
    dml.configure(max_threads=1)
    _binary("less", to="uint8").run([one, two, out], Settings.policy)

    assert out[0] == out[count - 1] == 1


# ---- data ----


def test_a_program_is_printed_line_by_line():
    program = Program(
        ("float32",), (("float32", 0x40000000),),
        (Instruction("multiply", "float32", "float32", (0, 1)),), (2,),
    )  # fmt: skip

    assert str(program) == "v2 = multiply(v0, float32 0x40000000) float32"
    assert hash(program) == hash(Program(*vars(program).values()))


CRASHES = [
    pytest.param(lambda: _binary("add", "float80"), TypeError, "no type float80", id="type"),
    pytest.param(lambda: _binary("sub"), ValueError, "no instruction sub", id="instruction"),
    pytest.param(
        lambda: _binary("maximum"), ValueError, "no operation on this type", id="no such kernel"
    ),
    pytest.param(
        lambda: _binary("less"), ValueError, "a result of another type", id="another result"
    ),
    pytest.param(
        lambda: _native.Program(["float32"], [], [("add", "float32", "float32", [0, 1])], [1]),
        ValueError, "no such value", id="reads itself",
    ),
    pytest.param(
        lambda: _native.Program(["float32"], [], [("add", "float32", "float32", [0, -1])], [1]),
        ValueError, "no such value", id="below 0",
    ),
    pytest.param(
        lambda: _native.Program(["int8"], [], [("add", "float32", "float32", [0, 0])], [1]),
        ValueError, "a value of another width", id="narrower than read",
    ),
    pytest.param(
        lambda: _native.Program(["float32"], [], [("exp", "float32", "int8", [0])], [1]),
        ValueError, "a function of another type", id="function to integers",
    ),
    pytest.param(
        lambda: _native.Program(["float32"], [], [("add", "float32", "float32", [0])], [1]),
        ValueError, "another number of sources", id="one source",
    ),
    pytest.param(
        lambda: _native.Program(["float32"], [], [], [3]), ValueError, "no such value", id="output"
    ),
    pytest.param(
        lambda: _native.Program(["float32"], [], [], []), ValueError, "no output", id="no output"
    ),
    pytest.param(
        lambda: _binary("add").run([np.zeros(2, np.float32)] * 2, Settings.policy),
        ValueError, "another number of arrays", id="arrays",
    ),
    pytest.param(
        lambda: _binary("add").run([np.zeros(2)] * 3, Settings.policy),
        TypeError, "elements of another width", id="wider arrays",
    ),
    pytest.param(
        lambda: _binary("add").run(
            [np.zeros(n, np.float32) for n in (2, 3, 2)], Settings.policy
        ),
        ValueError, "sizes other than the output's", id="longer array",
    ),
    pytest.param(
        lambda: _binary("add").run(
            [np.zeros(n, np.float32) for n in ((1, 2), 2, 2)], Settings.policy
        ),
        ValueError, "another number of dimensions", id="dimensions",
    ),
    pytest.param(
        lambda: _native.ProgramStep(_binary("add"), [2], [(0, 0, [4])]),
        ValueError, "another number of places", id="places",
    ),
    pytest.param(
        lambda: _native.ProgramStep(_binary("add"), [2], [(0, 0, [])] * 3),
        ValueError, "another number of strides", id="strides",
    ),
    pytest.param(
        lambda: _native.ProgramStep(_binary("add"), [2], [(0, 0, [-4])] * 3),
        ValueError, "elements before the buffer", id="backwards",
    ),
    pytest.param(
        lambda: _native.ProgramStep(_binary("add"), [2], [(0, -4, [4])] * 3),
        ValueError, "elements before the buffer", id="before the memory",
    ),
    pytest.param(
        lambda: _run_step(2, (0, 4, [4]), np.zeros(11, np.uint8)),
        ValueError, "memory is too small", id="beyond the memory",
    ),
    pytest.param(
        lambda: _run_step(2, (1, 0, [4]), np.zeros(8, np.uint8)),
        ValueError, "no such buffer", id="no buffer",
    ),
    pytest.param(
        lambda: _run_step(1, (0, 0, [4]), np.zeros(16, np.uint8)[::2]),
        ValueError, "contiguous", id="gaps",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("attempt", "error", "text"), CRASHES)
def test_refuses_what_would_crash(attempt, error, text):
    with pytest.raises(error, match=text):
        attempt()
