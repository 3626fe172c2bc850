"""Steps that the native code carries out in one call: the bits of one step after the other."""

import numpy as np
import pytest

import indirectml as dml
from indirectml import _native
from indirectml.core.settings import Settings
from indirectml.devices import cpu
from indirectml.plans import ProgramStep, WordStep
from tests.bits import assert_bits_equal
from tests.graphs.random_graphs import random_graph

NAMES = [
    "gemm", "convolution", "add", "multiply", "activation_relu", "reduce", "activation_softmax",
    "gather", "slice", "sqrt",
]  # fmt: skip


def assert_joined_as_single(graph, outputs, data, monkeypatch, *, shift=0):
    """Compare a graph with itself, step by step; its memory begins so many bytes after a line."""
    with monkeypatch.context() as patch:
        patch.setattr(cpu, "joined", lambda steps, kept: tuple(steps))
        dml.configure(max_threads=1)
        expected = graph.compile(outputs)(data)

    def shifted(size, *, zeroed):
        whole = np.full(size + 128, 0 if zeroed else 0xA5, np.uint8)
        begin = -whole.ctypes.data % 64 + shift
        return whole[begin : begin + size]

    joined = graph.compile(outputs)
    monkeypatch.setattr(cpu, "new_memory", shifted)
    for threads in (1, 2, 3):
        dml.configure(max_threads=threads)
        for actual, wanted in zip(joined(data), expected, strict=True):
            assert_bits_equal(actual=actual, expected=wanted, where=f"{threads} threads")


def chain(graph, size, count):
    """Return a long chain of products and what is done with their elements, and its data."""
    random = np.random.default_rng(0)
    data = {"x": random.standard_normal((1, 1, size, size), np.float32)}
    y = graph.input([1, 1, size, size], name="x")
    for number in range(count):
        w = graph.constant(random.standard_normal((1, 1, size, size), np.float32))
        y = dml.gemm(y, w) if number % 2 else dml.gemm(w, y, trans_a=dml.MatrixTransform.TRANSPOSE)
        y = dml.activation_tanh(y * 0.1) + w
    return y, data


@pytest.mark.parametrize("seed", range(24))
def test_random_graphs(seed, monkeypatch):
    made = random_graph(seed, 12, NAMES)

    assert_joined_as_single(made.graph, made.outputs, made.data, monkeypatch)


def test_one_crew_for_many_products(monkeypatch):
    graph = dml.Graph(dml.Device())
    y, data = chain(graph, 96, 12)

    steps = graph.compile([y]).plan.steps_in_place
    assert {type(step) for step in steps} == {WordStep, ProgramStep}
    (joined,) = cpu.joined(steps)
    assert joined.steps == steps
    assert_joined_as_single(graph, [y], data, monkeypatch)


@pytest.mark.parametrize("shift", [1, 2, 4, 12])
def test_memory_that_kernels_do_not_take_is_left_to_python(shift, monkeypatch):
    graph = dml.Graph(dml.Device())
    y, data = chain(graph, 9, 6)
    image = graph.input([1, 2, 9, 9], name="image")
    data["image"] = np.random.default_rng(1).standard_normal((1, 2, 9, 9), np.float32)
    weights = graph.constant(np.random.default_rng(2).standard_normal((3, 2, 3, 3), np.float32))
    outputs = [y, dml.convolution(image, weights)]

    assert_joined_as_single(graph, outputs, data, monkeypatch, shift=shift)


PLACE = (0, 0, "f", (2, 2), (8, 4))


def run(step, *memories):
    return _native.StepList([step]).run(list(memories), Settings.policy, 0)


def product(*, a=PLACE, b=PLACE, columns=None, out=(1, 0, "f", (2, 2), (8, 4))):
    return _native.ProductStep(a, b, columns, out)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: product(a=(0, -4, "f", (2, 2), (8, 4))), "elements before the buffer"),
        (lambda: product(a=(0, 0, "f", (2, 2), (8, -4))), "elements before the buffer"),
        (lambda: product(a=(0, 0, "f", (2, 2), (8,))), "another number of strides"),
        (lambda: product(a=(0, 0, "f", (2,), (4,))), "no matrices"),
        (lambda: run(product(), np.zeros(16, np.uint8)), "no such buffer"),
        (lambda: run(product(), np.zeros(15, np.uint8), np.zeros(16, np.uint8)), "too small"),
        (lambda: run(product(), np.zeros(16, np.uint8), np.zeros(15, np.uint8)), "too small"),
    ],
)
def test_refuses_what_would_crash(make, reason):
    with pytest.raises(ValueError, match=reason):
        make()


@pytest.mark.parametrize("letter", ["d", "i", "H"])
def test_products_are_of_floats(letter):
    with pytest.raises(TypeError, match="no FLOAT32 or FLOAT16"):
        product(b=(0, 0, letter, (2, 2), (8, 4)))


def test_memory_has_to_be_there_and_writable():
    fixed = np.zeros(16, np.uint8)
    fixed.flags.writeable = False

    with pytest.raises((ValueError, BufferError)):
        run(product(), np.zeros(16, np.uint8), fixed)
    with pytest.raises((ValueError, BufferError)):
        run(product(), np.zeros(32, np.uint8)[::2], np.zeros(16, np.uint8))
    with pytest.raises(TypeError):
        run(product(), None, np.zeros(16, np.uint8))


def test_parts_of_a_joined_array_do_not_meet():
    """Columns of the same rows lie between each other; those that both have are left to Python."""
    random = np.random.default_rng(0)
    joined = random.standard_normal((2, 5), np.float32)
    b = random.standard_normal((2, 2), np.float32)
    a, apart, shared = ((0, offset, "f", (2, 2), (20, 4)) for offset in (0, 12, 4))
    expected = joined.copy()
    expected[:, 3:] = joined[:, :2] @ b

    raw = [each.reshape(-1).view(np.uint8) for each in (joined, b)]
    assert run(product(a=a, b=(1, *PLACE[1:]), out=apart), *raw) == 1
    np.testing.assert_allclose(joined, expected, rtol=1e-6)
    assert run(product(a=a, b=(1, *PLACE[1:]), out=shared), *raw) == 0


def test_a_step_that_cannot_be_taken_is_named():
    good, words = product(), np.zeros(16, np.uint8)
    other_sizes = product(b=(0, 0, "f", (3, 1), (4, 4)))
    steps = _native.StepList([good, good, other_sizes, good])

    assert steps.run([words, np.zeros(16, np.uint8)], Settings.policy, 0) == 2
    assert steps.run([words, np.zeros(16, np.uint8)], Settings.policy, 3) == 4


def test_memory_that_is_kept_is_opened_once():
    a, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    fixed = out.copy()
    fixed.flags.writeable = False

    assert _native.StepList([product()], [a]).run([None, out], Settings.policy, 0) == 1
    assert out.tolist() == [2, 3, 6, 11]
    assert _native.StepList([product()], [None, a]).run([out, None], Settings.policy, 0) == 1
    assert a.tolist() == [22, 39, 78, 139]
    with pytest.raises(ValueError, match="memory is too small"):
        _native.StepList([product()], [a[1:], None])
    with pytest.raises((ValueError, BufferError)):
        _native.StepList([product()], (None, fixed))


# ---- threads that keep to their rows ----

ROWS, COLUMNS = 96, 64
#: Products that make the work worth a crew.
MANY = 32


def place(buffer, *, first_row=0, sizes=(ROWS, COLUMNS), strides=(COLUMNS * 4, 4)):
    return (buffer, first_row * COLUMNS * 4, "f", sizes, strides)


def rows_product(a, out, *, b=None):
    return product(a=a, b=b or place(0, sizes=(COLUMNS, COLUMNS)), out=out)


def rows_sum(*places, sizes=(ROWS * COLUMNS,), strides=None):
    """Return a step that adds elements of two places, and puts them into a third."""
    program = _native.Program(["float32"] * 2, [], [("add", "float32", "float32", [0, 1])], [2])
    strides = strides or [(4,)] * 3
    given = [(buffer, offset, each) for (buffer, offset), each in zip(places, strides, strict=True)]
    return _native.ProgramStep(program, list(sizes), given)


def there_and_back(count=MANY):
    """Return products from buffer 1 to buffer 2 and from there to buffer 1."""
    turns = [(1, 2), (2, 1)] * (count // 2)
    return [rows_product(place(a), place(out)) for a, out in turns]


OVER_ROWS = [(COLUMNS * 4, 4), (0, 4), (COLUMNS * 4, 4)]

#: Steps after which threads would have to wait, or need not: buffer 0 is never written.
ROW_CASES = {
    "each row for itself": [],
    "the sum of a row": [rows_sum((1, 0), (2, 0), (2, 0))],
    "a row that all read": [
        rows_sum((1, 0), (2, 0), (3, 0), sizes=(ROWS, COLUMNS), strides=OVER_ROWS)
    ],
    "columns as rows": [
        rows_product(place(1, strides=(4, ROWS * 4)), place(2))
    ],
    "the rows of before as the second matrix": [
        rows_product(place(1), place(2), b=place(1, first_row=32, sizes=(COLUMNS, COLUMNS))),
    ],
    "rows further on": [
        rows_product(place(1, first_row=0), place(3, first_row=0)),
        rows_product(place(2, first_row=0), place(1, first_row=48)),
    ],
    "rows that are written, further on": [
        rows_sum((1, 48 * COLUMNS * 4), (2, 0), (3, 0)),
    ],
    "rows half as long": [
        rows_sum((1, 0), (2, 0), (1, 0), sizes=(ROWS, 32), strides=[(128, 4)] * 3),
    ],
    "fewer rows": [rows_product(place(1, sizes=(80, COLUMNS)), place(2, sizes=(80, COLUMNS)))],
}  # fmt: skip


def assert_same_with_threads(steps, seed):
    """Compare what steps write on several threads with what they write on one."""
    random = np.random.default_rng(seed)
    given = random.standard_normal((4, 2 * ROWS * COLUMNS)).astype(np.float32) * 0.1
    native = _native.StepList(steps)
    expected = None
    for threads in (1, 2, 3, 2, 3, 2, 3):
        dml.configure(max_threads=threads)
        memories = [array.view(np.uint8).copy() for array in given]
        assert native.run(memories, Settings.policy, 0) == len(steps)
        expected = expected or memories
        for number, (actual, wanted) in enumerate(zip(memories, expected, strict=True)):
            where = f"seed {seed}, {threads} threads, buffer {number}"
            assert_bits_equal(actual=actual, expected=wanted, where=where)


@pytest.mark.parametrize("between", ROW_CASES.values(), ids=ROW_CASES)
def test_threads_wait_for_rows_that_others_write(between):
    assert_same_with_threads([*there_and_back(), *between, *there_and_back()], 5)


def random_steps(seed):
    """Return steps over rows anywhere in three buffers, none of which reads rows that it writes."""
    random = np.random.default_rng(seed)

    def anywhere():
        first = 0 if random.random() < 0.6 else int(random.integers(0, ROWS))
        return place(int(random.integers(1, 4)), first_row=first)

    steps = []
    while len(steps) < 2 * MANY:
        a, b, out = anywhere(), anywhere(), anywhere()
        if random.random() < 0.3:
            # Element by element a sum may be where one of its terms is.
            if all(one == out or one[0] != out[0] for one in (a, b)):
                steps.append(rows_sum(a[:2], b[:2], out[:2]))
        elif a[0] != out[0]:
            steps.append(rows_product(a, out))
    return steps


@pytest.mark.parametrize("seed", range(40))
def test_rows_anywhere_in_three_buffers(seed):
    assert_same_with_threads(random_steps(seed), seed)
