"""Functions of one and two numbers against MPFR, on every target."""

import itertools

import numpy as np
import pytest

import indirectml as dml
from indirectml.arithmetic import functions
from indirectml.core.errors import DataTypeError, LayoutError
from tests.arithmetic import digits
from tests.bits import assert_bits_equal
from tests.every_target import on_every_target
from tests.extent import every
from tests.parameters import in_one_test

OF_TWO = ("pow", "atan2")
OF_ONE = tuple(name for name in digits.FUNCTIONS if name not in OF_TWO)
RESULTS = (np.float32, np.float16)
INF, NAN, ZERO = np.inf, np.nan, 0.0
TINY, LARGEST = 2.0**-149, float(np.finfo(np.float32).max)
PI = 3.141592653589793

#: What the definitions say of zeros, infinities and the ends of domains.
SPECIAL = {
    "exp": [(0, 1), (-ZERO, 1), (-INF, 0), (INF, INF), (89, INF), (-104, 0)],
    "expm1": [(0, 0), (-ZERO, -ZERO), (-INF, -1), (INF, INF), (-TINY, -TINY), (89, INF), (-20, -1)],
    "log": [(0, -INF), (-ZERO, -INF), (1, 0), (INF, INF), (-1, NAN), (-INF, NAN), (-TINY, NAN)],
    "sin": [(0, 0), (-ZERO, -ZERO), (INF, NAN), (-INF, NAN), (TINY, TINY)],
    "cos": [(0, 1), (-ZERO, 1), (INF, NAN), (-INF, NAN), (TINY, 1)],
    "tan": [(0, 0), (-ZERO, -ZERO), (INF, NAN), (-INF, NAN), (-TINY, -TINY)],
    "asin": [(0, 0), (-ZERO, -ZERO), (1, PI / 2), (-1, -PI / 2), (1.0000001, NAN), (-INF, NAN)],
    "acos": [(1, 0), (-1, PI), (0, PI / 2), (-ZERO, PI / 2), (1.0000001, NAN), (INF, NAN)],
    "atan": [(0, 0), (-ZERO, -ZERO), (INF, PI / 2), (-INF, -PI / 2), (TINY, TINY)],
    "sinh": [(0, 0), (-ZERO, -ZERO), (INF, INF), (-INF, -INF), (90, INF)],
    "cosh": [(0, 1), (-ZERO, 1), (INF, INF), (-INF, INF), (-90, INF)],
    "tanh": [(0, 0), (-ZERO, -ZERO), (INF, 1), (-INF, -1), (LARGEST, 1)],
    "asinh": [(0, 0), (-ZERO, -ZERO), (INF, INF), (-INF, -INF)],
    "acosh": [(1, 0), (INF, INF), (0, NAN), (-2, NAN), (-INF, NAN), (0.9999999, NAN)],
    "atanh": [(0, 0), (-ZERO, -ZERO), (1, INF), (-1, -INF), (1.0000001, NAN), (-INF, NAN)],
    "erf": [(0, 0), (-ZERO, -ZERO), (INF, 1), (-INF, -1), (LARGEST, 1)],
    "sigmoid": [(0, 0.5), (-ZERO, 0.5), (INF, 1), (-INF, 0), (-LARGEST, 0)],
    "softplus": [(INF, INF), (-INF, 0), (-LARGEST, 0)],
    "gelu": [(0, 0), (-ZERO, -ZERO), (INF, INF), (-INF, -ZERO), (-LARGEST, -ZERO), (TINY, TINY)],
    "sqrt": [(0, 0), (-ZERO, -ZERO), (INF, INF), (-INF, NAN), (-TINY, NAN), (16, 4)],
    "rsqrt": [(0, INF), (-ZERO, -INF), (INF, 0), (-INF, NAN), (-TINY, NAN), (16, 0.25)],
    "recip": [(0, INF), (-ZERO, -INF), (INF, 0), (-INF, -ZERO), (TINY, INF)],
}

#: IEEE 754-2019, 9.2.1.
SPECIAL_POWERS = [
    *[((x, y), 1) for x in (0, -ZERO, 2, -3, INF, -INF, NAN) for y in (0, -ZERO)],
    *[((1, y), 1) for y in (2, -0.5, INF, -INF, NAN)],
    *[((0, y), INF) for y in (-1, -2, -0.5, -INF)],
    ((-ZERO, -1), -INF), ((-ZERO, -3), -INF), ((-ZERO, -2), INF), ((-ZERO, -0.5), INF),
    ((-ZERO, -INF), INF), ((0, 3), 0), ((-ZERO, 3), -ZERO), ((-ZERO, 2), 0), ((-ZERO, 0.5), 0),
    ((-ZERO, TINY), 0), ((0, TINY), 0), ((-1, INF), 1), ((-1, -INF), 1),
    ((0.5, INF), 0), ((-0.5, INF), 0), ((2, INF), INF), ((-2, INF), INF),
    ((0.5, -INF), INF), ((2, -INF), 0), ((-2, -INF), 0),
    ((INF, -TINY), 0), ((INF, 0.5), INF), ((-INF, -3), -ZERO), ((-INF, -2), 0), ((-INF, -0.5), 0),
    ((-INF, 3), -INF), ((-INF, 2), INF), ((-INF, 0.5), INF),
    ((-8, 0.5), NAN), ((-2, 1.5), NAN), ((-TINY, -0.25), NAN),
    ((NAN, 1), NAN), ((2, NAN), NAN), ((-1, NAN), NAN), ((0, NAN), NAN), ((NAN, INF), NAN),
    ((-2, 3), -8), ((-2, -3), -0.125), ((-2, 4), 16), ((-1, 16777217), 1), ((-1, 8388609), -1),
    ((-1, LARGEST), 1), ((-3, 1), -3), ((9, 0.5), 3), ((4, -0.5), 0.5), ((2, -149), TINY),
    ((2, -150), 0), ((2, 128), INF), ((LARGEST, 1), LARGEST),
]  # fmt: skip

SPECIAL_ANGLES = [
    ((0, 1), 0), ((-ZERO, 1), -ZERO), ((0, -1), PI), ((-ZERO, -1), -PI),
    ((0, 0), 0), ((-ZERO, 0), -ZERO), ((0, -ZERO), PI), ((-ZERO, -ZERO), -PI),
    ((1, 0), PI / 2), ((1, -ZERO), PI / 2), ((-1, 0), -PI / 2), ((-1, -ZERO), -PI / 2),
    ((1, INF), 0), ((-1, INF), -ZERO), ((1, -INF), PI), ((-1, -INF), -PI),
    ((INF, 1), PI / 2), ((-INF, -1), -PI / 2), ((INF, INF), PI / 4), ((-INF, INF), -PI / 4),
    ((INF, -INF), 3 * PI / 4), ((-INF, -INF), -3 * PI / 4), ((0, INF), 0), ((-ZERO, -INF), -PI),
    ((NAN, 1), NAN), ((1, NAN), NAN), ((TINY, LARGEST), 0), ((-TINY, LARGEST), -ZERO),
]  # fmt: skip


def assert_on_every_target(name, *arrays, expected, where=""):
    for target in on_every_target():
        actual = apply(name, *arrays, dtype=expected.dtype)
        assert_bits_equal(actual=actual, expected=expected, where=f"{target} {where}")


def bits(values):
    return np.array(values, np.uint32).view(np.float32)


def arguments(seed, count):
    """Return numbers of every binade, numbers around 1, and those with few bits."""
    random = np.random.default_rng(seed)
    anywhere = random.integers(0, 1 << 32, count, dtype=np.uint32).view(np.float32)
    near = (random.normal(size=count) * 2).astype(np.float32)
    few = (random.integers(-2048, 2049, count) / 256).astype(np.float32)
    return random.permutation(np.concatenate([anywhere, near, few]))


def pairs(name, seed, count):
    """Return arguments of a function, one array for each."""
    x = arguments(seed, count)
    if name not in OF_TWO:
        return [x]
    y = np.random.default_rng(seed).permutation(x)
    if name == "pow" and seed % 3 == 1:  # results in range
        return [np.abs(x), np.where(np.abs(y) < 64, y, x)]
    if name == "pow" and seed % 3 == 2:  # which have a way of their own
        return [x, np.full_like(x, 3)]
    return [x, y]


def apply(name, *arrays, **options):
    return getattr(functions, name)(*arrays, **options)


@pytest.mark.parametrize("dtype", RESULTS)
@pytest.mark.parametrize("name", SPECIAL)
def test_zeros_infinities_and_the_ends_of_domains(name, dtype):
    x, expected = (np.array(values, np.float64) for values in zip(*SPECIAL[name], strict=True))

    # Doubled to more than a vector of any target, and NaN with and without payload.
    x = np.concatenate([np.tile(x.astype(np.float32), 5), bits([0x7FC00000, 0xFFC00123])])
    with np.errstate(over="ignore"):
        expected = np.concatenate([np.tile(expected, 5), [NAN, NAN]]).astype(dtype)

    assert_on_every_target(name, x, expected=expected)


@pytest.mark.parametrize("dtype", RESULTS)
@pytest.mark.parametrize(
    ("name", "table"), [("pow", SPECIAL_POWERS), ("atan2", SPECIAL_ANGLES)], ids=OF_TWO
)
def test_special_pairs(name, table, dtype):
    x, y = np.array([pair for pair, _ in table], np.float32).T
    with np.errstate(over="ignore"):
        expected = np.array([result for _, result in table], np.float64).astype(dtype)

    assert_on_every_target(name, x, y, expected=expected)


@pytest.mark.parametrize("dtype", RESULTS)
@pytest.mark.parametrize("name", digits.FUNCTIONS)
def test_random_arguments_equal_mpfr(name, dtype):
    for seed in (1, 2, 3) if name == "pow" else (1, 2):
        arrays = pairs(name, seed, 1500)

        expected = digits.rounded(name, dtype, *arrays)

        assert_on_every_target(name, *arrays, expected=expected, where=f"seed {seed}")


@pytest.mark.parametrize("name", digits.FUNCTIONS)
def test_all_targets_equal_the_portable_one(name):
    arrays = pairs(name, 3, 40_000)
    for dtype in RESULTS:
        with dml.configure(target="portable"):
            expected = apply(name, *arrays, dtype=dtype)
        for target in dml.available_targets():
            with dml.configure(target=target):
                actual = apply(name, *arrays, dtype=dtype)
            assert_bits_equal(actual=actual, expected=expected, where=target)


@pytest.mark.parametrize("dtype", RESULTS)
@pytest.mark.parametrize("name", ["exp", "sin", "tan", "pow"])
def test_threads_and_blocks_change_no_bit(name, dtype):
    arrays = pairs(name, 4, 100_000)
    with dml.configure(max_threads=1):
        expected = apply(name, *arrays, dtype=dtype)

    for threads in (2, 3, 7):
        with dml.configure(max_threads=threads):
            actual = apply(name, *arrays, dtype=dtype)
            strided = np.zeros((len(actual), 2), dtype)
            apply(name, *(a[::-1] for a in arrays), out=strided[::-1, 1])
        assert_bits_equal(actual=actual, expected=expected, where=f"{threads} threads")
        assert_bits_equal(actual=strided[:, 1], expected=expected, where=f"{threads} threads")
        assert not strided[:, 0].any()


@in_one_test(count=range(19))
@pytest.mark.parametrize("dtype", RESULTS)
def test_any_count_at_any_address(count, dtype):
    x = arguments(5, 10)[:count]
    memory = np.zeros(4 * count + 8, np.uint8)
    unaligned = memory[1 : 4 * count + 1].view(np.float32)
    unaligned[...] = x
    expected = digits.rounded("exp", dtype, x)

    for target in on_every_target():
        guarded = np.full(count + 2, 7, dtype)

        apply("exp", unaligned, out=guarded[1:-1])

        assert_bits_equal(actual=guarded[1:-1], expected=expected, where=target)
        assert guarded[0] == guarded[-1] == 7


def test_any_strides_and_sizes():
    x = arguments(6, 700)[: 2 * 3 * 5 * 7 * 9].reshape(2, 3, 5, 7, 9)
    with np.errstate(over="ignore"):
        half = x.astype(np.float16)
    views = [
        x.T,
        x[:, ::2, ::-1],
        x[..., 0],
        np.broadcast_to(x[:, :, :1], x.shape),
        x[:0],
        x[1, 2, 3, 4, 5],
        np.asfortranarray(x)[1:],
        half,
    ]
    for number, view in enumerate(views):
        for dtype in RESULTS:
            with np.errstate(all="ignore"):
                packed = np.ascontiguousarray(view, np.float32).reshape(np.shape(view))
            actual = functions.tanh(np.asarray(view), dtype)
            assert_bits_equal(
                actual=actual, expected=functions.tanh(packed, dtype), where=f"view {number}"
            )


def test_results_in_place_of_an_argument():
    x = arguments(7, 5000)
    for view in (np.s_[:], np.s_[::3], np.s_[::-2]):
        own = x.copy()
        result = functions.sigmoid(own[view], out=own[view])
        assert_bits_equal(actual=result, expected=functions.sigmoid(x[view]))
        untouched = np.ones(x.shape, np.bool_)
        untouched[view] = False
        assert_bits_equal(actual=own[untouched], expected=x[untouched])


def test_sizes_are_broadcast():
    x, y = np.abs(arguments(8, 40))[:60].reshape(3, 1, 20), np.arange(-3, 4, dtype=np.float32)
    for name, (a, b) in itertools.product(OF_TWO, [(x, y[:, None]), (y[:, None], x), (x, y[2])]):
        expected = digits.rounded(name, np.float32, *map(np.array, np.broadcast_arrays(a, b)))
        assert_bits_equal(actual=apply(name, a, np.asarray(b)), expected=expected)


@pytest.mark.parametrize("name", ["sqrt", "pow"])
@pytest.mark.parametrize("dtype", RESULTS)
def test_ties_go_to_the_even_neighbour(name, dtype):
    """Squares of midpoints of FLOAT16, and powers that are midpoints of FLOAT32."""
    middles = np.arange(2049, 4096, 2, dtype=np.float32)
    if name == "sqrt":
        arrays = [middles * middles]  # 24 bits
    else:
        roots = [*range(4097, 5793, 2), *range(257, 323, 2)]
        powers = [2] * 848 + [3] * 33
        more = [(r**4, 0.75) for r in range(3, 64, 2)] + [(r**2, 1.5) for r in range(257, 323, 2)]
        x, y = zip(*zip(roots, powers, strict=True), *more, (3, 15), (-3, 15), strict=True)
        arrays = [np.array(x, np.float32), np.array(y, np.float32)]

    expected = digits.rounded(name, dtype, *arrays)

    assert_on_every_target(name, *arrays, expected=expected)


def test_softplus_to_half_precision_is_above_the_midpoint_that_it_seems_to_be():
    x = np.arange(2049, 65519, 2, dtype=np.float32)

    expected = digits.rounded("softplus", np.float16, x)

    assert_on_every_target("softplus", x, expected=expected)


def test_gelu_of_subnormals_is_above_the_midpoint_that_it_seems_to_be():
    x = np.arange(1, 4001, 3, dtype=np.uint32).view(np.float32)
    x = np.concatenate([x, -x, bits([0x00800001, 0x80800001, 0x80FFFFFF])])

    expected = digits.rounded("gelu", np.float32, x)

    assert_on_every_target("gelu", x, expected=expected)


@pytest.mark.parametrize("name", OF_ONE)
def test_half_precision_arguments(name):
    """Every seventh: a number has other neighbours in each binade."""
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)[:: every(7)]

    expected = digits.rounded(name, np.float16, x.astype(np.float32))

    assert_on_every_target(name, x, expected=expected)


INTEGERS = [f"{kind}{8 * size}" for kind in ("int", "uint") for size in (1, 2, 4, 8)]


@in_one_test(exponents=INTEGERS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_powers_of_integers_equal_pythons(dtype, exponents):
    def power(base, exponent):
        if exponent >= 0:
            return pow(base, exponent, 1 << 64)
        return {1: 1, -1: -1 if exponent % 2 else 1}.get(base, 0)

    def numbers(name):
        limits = np.iinfo(name)
        near = [v for v in range(-5, 20) if limits.min <= v]
        return np.array([*near, limits.min, limits.max, limits.max - 1, limits.max // 3], name)

    x, y = numbers(dtype)[:, None], numbers(exponents)

    result = functions.integer_power(x, y)

    expected = [[power(int(a), int(b)) for b in y] for a in x[:, 0]]
    wrapped = np.array([[v % (1 << 64) for v in row] for row in expected], np.uint64).astype(
        f"u{x.itemsize}"
    )
    assert_bits_equal(actual=result, expected=wrapped.view(dtype))


def test_refusals():
    x = np.ones(3, np.float32)
    with pytest.raises(DataTypeError, match=r"^x: needs FLOAT32, or FLOAT16 .*, got float64$"):
        functions.exp(x.astype(np.float64))
    with pytest.raises(DataTypeError, match=r"^dtype: needs FLOAT32 or FLOAT16, got int8$"):
        functions.exp(x, np.int8)
    with pytest.raises(LayoutError, match=r"^out: needs .* \(3,\), got float32 of sizes \(2,\)$"):
        functions.exp(x, out=x[:2])
    with pytest.raises(ValueError, match="broadcast"):
        functions.pow(x, x[:2])
