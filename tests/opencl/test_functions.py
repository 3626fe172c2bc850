"""Functions on OpenCL devices: the bits of the native ones, over a stride of all arguments."""

import numpy as np
import pytest

from indirectml.arithmetic import functions
from indirectml.opencl.functions import FUNCTIONS, IN_LOOPS, SINGLE_FILES, function_files
from indirectml.opencl.launches import Source
from indirectml.opencl.spans import LANES
from tests.opencl.forms import FAST, POOR, ROUGH, context_of

_STRIDE = 100_003
OF_TWO = {"pow", "atan2"}
#: What loops over many elements try in pairs of FLOAT32 first.
_IN_PAIRS = ("erf", "exp", "gelu", "sigmoid", "tanh")
#: How many functions are built together.
_TOGETHER = 6
#: How far from 0 pairs of FLOAT64 are asked.
_REACH = {"erf": 4, "expm1": 80, "sigmoid": 80, "tanh": 40}

#: A kernel for each function.
_TEXT = """
kernel void of_{name}(global const uint *x, global const uint *z, global uint *y,
                      global ushort *h, ulong n) {{
    const ulong i = get_global_id(0);
    if (i >= n) return;
    y[i] = {name}_float32({arguments});
    h[i] = {name}_float16({arguments});
}}
"""

#: And for many elements at once.
_OF_MANY = """
kernel void all_of_{name}(global const uint *x, global uint *y, ulong n) {{
    const ulong first = get_global_id(0) * MANY;
    const int count = first < n ? (int)min((ulong)MANY, n - first) : 0;
    uint from[MANY], to[MANY];
    for (int k = 0; k < MANY; ++k) from[k] = k < count ? x[first + k] : 0;
    all_{name}(count, from, to);
    for (int k = 0; k < count; ++k) y[first + k] = to[k];
}}
"""


#: And for what pairs of FLOAT32 decide.
_TRIED = """
kernel void tried_{name}(global const uint *x, global const uint *z, global uint *y,
                         global uchar *is_decided, ulong n) {{
    const ulong i = get_global_id(0);
    if (i >= n) return;
    float found = 0;
    is_decided[i] = pairs_{name}({arguments}, &found) != 0;
    y[i] = as_uint(found);
}}
"""


_NUMBERS = ("as_float(x[i])", "as_float(x[i]), as_float(z[i])")


def arguments_of(name):
    """Return bits of arguments: a stride of all, what FLOAT64 leaves open, and pairs."""
    rng = np.random.default_rng(11)
    x = np.arange(0, 2**32, _STRIDE, np.uint64).astype(np.uint32)
    z = rng.integers(0, 2**32, x.size, np.uint32)
    if name == "gelu":  # halves of numbers next to 0 are ties
        x[:5000] = rng.integers(0, 2**24, 5000)
    if name in OF_TWO:
        few = x.size // 4
        x[:few] = rng.uniform(0.5, 3, few).astype(np.float32).view(np.uint32)
        z[:few] = rng.uniform(-30, 30, few).astype(np.float32).view(np.uint32)
        # Exact powers, and ties, of both signs.
        x[:2000] = rng.integers(-300, 300, 2000).astype(np.float32).view(np.uint32)
        z[:2000] = (rng.integers(-60, 60, 2000) / 8).astype(np.float32).view(np.uint32)
    # Exact results in FLOAT16 are near ties too.
    halves = np.arange(0, 2**16, 7, np.uint16).view(np.float16).astype(np.float32)
    return np.concatenate([x, halves.view(np.uint32)]), np.resize(z, x.size + halves.size)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_have_the_bits_of_the_native_ones(name):
    assert_native_bits(name, *arguments_of(name))


#: One of each kind: of one argument and of two, and what one operation of a device may round once.
KINDS = ("atan2", "gelu", "pow", "recip", "rsqrt", "sqrt")


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("way", [ROUGH, POOR])
def test_functions_begin_with_pairs_of_float32(name, way):
    assert_bits(context_of(way), source_of(name, way=way, among=KINDS), name, *arguments_of(name))


#: Functions that have pairs of FLOAT32: a quotient has its own.
TRIED = sorted(FUNCTIONS - {"recip"})


@pytest.mark.parametrize("name", TRIED)
def test_pairs_of_float32_decide_with_a_fourth_of_their_margins(name):
    x, z = arguments_of(name)
    is_number = ~np.isnan(x.view(np.float32))
    x, z = x[is_number], z[is_number]

    found, is_decided = tried(name, x, z, "MARGIN_PART=0.25f")

    assert_equal_where(is_decided, found, name, x, z)


@pytest.mark.parametrize("name", TRIED)
def test_pairs_of_float32_decide_999_of_1000_usual_arguments(name):
    rng = np.random.default_rng(13)
    low, high = _USUAL.get(name, (-8, 8))
    x, z = rng.uniform(low, high, (2, 100_000)).astype(np.float32).view(np.uint32)

    found, is_decided = tried(name, x, z)

    assert is_decided.mean() >= 0.999
    assert_equal_where(is_decided, found, name, x, z)


#: Arguments that are no usual ones of all functions.
_USUAL = dict.fromkeys(("log", "rsqrt", "sqrt", "pow"), (0.01, 8))
_USUAL |= dict.fromkeys(("asin", "acos", "atanh"), (-1, 1)) | {"acosh": (1, 8)}


#: Arguments whose results are next to what lies between two numbers: sums of two are beyond it.
HARD = {
    "acosh": 0x41B5B653, "cos": 0x3F53D4A1, "log": 0x4612274F, "sin": 0x5C9EC788,
    "softplus": 0x35B882DA, "tan": 0x4D6A1D97,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(HARD))
def test_pairs_of_float32_without_margins_are_wrong(name):
    x = np.array([HARD[name]], np.uint32)
    how = {"way": "no vectors", "among": sorted(HARD)}
    if not {"DIVIDED_BY_DEVICE", "ROOTED_BY_DEVICE"} <= set(context_of("own").abilities.defines):
        pytest.skip("quotients and roots of the device are others")

    found, is_decided = tried(name, x, x, "MARGIN_PART=0.0f", **how)

    assert is_decided.all()
    with pytest.raises(AssertionError):
        assert_equal_where(is_decided, found, name, x, x)
    assert not tried(name, x, x, **how)[1].any()


def tried(name, x, z, *defines, way=ROUGH, among=TRIED):
    """Return what pairs of FLOAT32 find, and where that is decided; built with some others."""
    texts = (_TRIED.format(name=each, arguments=_NUMBERS[each in OF_TWO]) for each in among)
    context = context_of(way)
    if not {"SINGLES_BY_DEVICE", "FUSED_BY_DEVICE"} <= set(context.abilities.defines):
        pytest.skip("the device has not all of FLOAT32")
    source = Source(SINGLE_FILES, defines, "".join(texts))
    y, flags = np.zeros(x.size, np.uint32), np.zeros(x.size, np.uint8)
    with context.used():
        memories = run(context, source, f"tried_{name}", x, z, y, flags)
        found = [context.heap.read(m) for m in memories[2:]]
    return found[0].view(np.uint32), found[1].astype(bool)


def natives(name, x, z):
    """Return the bits of the native function's results."""
    given = (x, z) if name in OF_TWO else (x,)
    numbers = [np.ascontiguousarray(a).view(np.float32) for a in given]
    return getattr(functions, name)(*numbers, np.float32).view(np.uint32)


def assert_equal_where(is_decided, found, name, x, z):
    """Assert that results have the bits of the native function where they are decided."""
    np.testing.assert_array_equal(found[is_decided], natives(name, x, z)[is_decided])


@pytest.mark.parametrize("name", _IN_PAIRS)
def test_loops_that_begin_with_float64_have_the_bits_of_the_native_ones(name):
    assert_loop_of_float64(name, arguments_of(name)[0])


#: Those of a GPU's work-item.
_FEW = 4
#: Arguments whose results are so near to what lies between two numbers that FLOAT64 is beyond it.
HARD_OF_FLOAT64 = {"atan": (0x3D8D6B23, 0x3EE06DB1, 0x40357F1D), "expm1": (0x3DC252DD,)}


@pytest.mark.parametrize("name", sorted(IN_LOOPS))
@pytest.mark.parametrize("way", ["no vectors", FAST])
def test_a_few_elements_of_a_work_item_have_the_bits_of_the_native_ones(name, way):
    names = sorted(IN_LOOPS)
    first = names.index(name) // _TOGETHER * _TOGETHER
    few = [0, 1 << 31, 1 << 23, 1, *HARD_OF_FLOAT64.get(name, ())]
    x = np.append(arguments_of(name)[0], np.array(few, np.uint32))
    assert_loops(name, x, way=way, among=names[first : first + _TOGETHER])


def assert_loop_of_float64(name, x, *defines):
    """Assert that the loop which is used where no tables are picked from has native results."""
    assert_loops(name, x, "DOUBLES_FIRST", *defines, way="own", among=_IN_PAIRS)


def assert_loops(name, x, *defines, way, among):
    """Assert that loops over elements, built with those of others, have native results."""
    context = context_of(way)
    if not context.abilities.has_float64:
        pytest.skip("the device has no FLOAT64")
    text = "".join(_OF_MANY.format(name=each) for each in among)
    source = Source(function_files(context.abilities), defines, text)
    expected = getattr(functions, name)(x.view(np.float32), np.float32)
    with context.used():
        given = context.heap.upload(x.view(np.uint8))
        assert_loop(context, source, name, given, expected.view(np.uint8))


def assert_loop(context, source, name, given, expected):
    """Assert that a function of many elements has the expected bytes."""
    each = LANES if "HAS_VECTORS" in context.abilities.defines else _FEW
    kernel = context.library.kernel(source, f"all_of_{name}")
    count = given.size_bytes // 4
    found = context.heap.new(given.size_bytes, zeroed=True)
    kernel.set_args(given.buffer, found.buffer, np.uint64(count))
    context.start(kernel, (-(-count // each),), None)
    np.testing.assert_array_equal(context.heap.read(found), expected)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_pairs_of_float64_decide_everything_that_is_left_to_them(name):
    x, z = (a[::40] for a in arguments_of(name))
    # Further out results are 0, 1 or infinite, and FLOAT64 leaves nothing open.
    near = ~(np.abs(x.view(np.float32)) > _REACH.get(name, np.inf))
    assert_native_bits(name, x[near], z[near], "MARGIN=0x1p-6")


#: Next to these, and of both signs, functions begin and end, or change how they are computed.
_EDGES = (0, 1, 2.0**-149, 2.0**-126, 0.5, 2**-0.5, 2**0.5, np.pi / 4, np.pi / 2, np.pi, 3, 4, 8)
_EDGES += (9, 15, 17.5, 30, 32, 60, 64, 88.72283, 103.97208, 128, 600, 1024, 65504, 2.0**20)
_EDGES += (2.0**127, np.inf)
#: Ties of FLOAT16, which softplus and gelu are hardly more, and less, than.
_EDGES += (129.0625, 129.1875)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_by_integers_have_the_bits_of_the_native_ones(name):
    x, z = arguments_of(name)
    rng = np.random.default_rng(12)
    edges = np.float32(_EDGES).view(np.uint32)
    edges = np.concatenate([edges - 1, edges, edges + 1]) & 0x7FFFFFFF
    edges = np.concatenate([edges, edges | 0x80000000])
    near = rng.uniform(-105, 90, 10_000).astype(np.float32)
    around = 1 + near * np.float32(2.0**-10)
    tiny = near * np.float32(2.0**-24)
    more = [edges, *(a.view(np.uint32) for a in (near, around, tiny))]
    if name in OF_TWO:  # each edge with each
        more = [np.repeat(edges, edges.size), *more[1:]]
    others = np.concatenate([np.tile(edges, edges.size), rng.integers(0, 2**32, 30_000, np.uint32)])
    x = np.concatenate([x[::3], *more])
    z = np.concatenate([z[::3], others])[: x.size] if name in OF_TWO else x
    assert_bits(context_of(POOR), source_of(name, "WITHOUT_PAIRS", way=POOR), name, x, z)


def source_of(name, *defines, way="own", among=()):
    """Return what has the kernel of a function, and those of some others: built once for them."""
    files = function_files(context_of(way).abilities)
    names = sorted(FUNCTIONS)
    first = names.index(name) // _TOGETHER * _TOGETHER
    those = among or names[first : first + _TOGETHER]
    texts = [
        _TEXT.format(name=each, arguments="x[i], z[i]" if each in OF_TWO else "x[i]")
        for each in those
    ]
    if way == "own":
        texts += [_OF_MANY.format(name=each) for each in those if each in IN_LOOPS]
    return Source(files, defines, "".join(texts))


def assert_native_bits(name, x, z, *defines):
    """Assert that a function of bits of arguments has the native one's results, in both types."""
    context = context_of()
    if not context.abilities.has_float64:
        pytest.skip("the device has no FLOAT64")
    source = source_of(name, *defines)
    found, memory = assert_bits(context, source, name, x, z)
    if name in IN_LOOPS:
        with context.used():
            assert_loop(context, source, name, memory, found)


def assert_bits(context, source, name, x, z):
    """Assert it of one kernel; returns its results, and the memory with its arguments."""
    given = (x, z) if name in OF_TWO else (x,)
    y, h = np.zeros(x.size, np.uint32), np.zeros(x.size, np.uint16)
    with context.used():
        memories = run(context, source, f"of_{name}", x, z, y, h)
        found = [context.heap.read(m) for m in memories[2:]]

    numbers = [np.ascontiguousarray(a).view(np.float32) for a in given]
    for dtype, bits in ((np.float32, found[0]), (np.float16, found[1])):
        expected = getattr(functions, name)(*numbers, dtype)
        np.testing.assert_array_equal(bits, expected.view(np.uint8))
    return found[0], memories[0]


def run(context, source, name, *arrays):
    """Run a kernel with a work-item for each element of arrays; returns their memory."""
    kernel = context.library.kernel(source, name)
    memories = [context.heap.upload(np.ascontiguousarray(a).view(np.uint8)) for a in arrays]
    count = arrays[0].size
    kernel.set_args(*(m.buffer for m in memories), np.uint64(count))
    context.start(kernel, (-(-count // 64) * 64,), (64,))
    return memories
