"""Models of random nodes, views among them, beside ONNX Runtime."""

import math

import numpy as np
import pytest

import indirectml as dml
from tests.onnx_models import Model, relative_difference, session

#: In parts of the largest output: a few operations, each rounded by both.
BOUND = 1e-5


class Growing:
    """A model that grows by random nodes, with the sizes of what it has so far."""

    def __init__(self, rng):
        self.rng = rng
        self.model = Model(opset=18)
        self.values = {}
        self.inputs = {}
        for number in range(rng.integers(1, 4)):
            sizes = tuple(int(n) for n in rng.integers(1, 6, rng.integers(1, 6)))
            name = self.model.input(f"x{number}", sizes)
            self.inputs[name] = rng.standard_normal(sizes).astype(np.float32)
            self.values[name] = sizes
        self.constants = 0

    def any(self, least=0):
        """Return a value of at least so many dimensions, and its sizes."""
        names = [name for name, sizes in self.values.items() if len(sizes) >= least]
        if not names:
            name = next(iter(self.values))
            sizes = (1,) * (least - len(self.values[name])) + self.values[name]
            return self.node("Reshape", name, self.integers(sizes), sizes=sizes), sizes
        name = names[self.rng.integers(len(names))]
        return name, self.values[name]

    def constant(self, array):
        self.constants += 1
        return self.model.constant(f"c{self.constants}", np.asarray(array))

    def integers(self, numbers):
        return self.constant(np.asarray(numbers, np.int64))

    def floats(self, *sizes):
        return self.constant(self.rng.standard_normal(sizes).astype(np.float32))

    def node(self, operator, *inputs, sizes, **attributes):
        name = self.model.node(operator, *inputs, **attributes)
        self.values[name] = tuple(int(n) for n in sizes)
        return name

    def axis(self, sizes):
        return int(self.rng.integers(len(sizes)))


def unary(g):
    x, sizes = g.any()
    g.node(g.rng.choice(["Relu", "Tanh", "Sigmoid", "Neg", "Abs", "Erf", "Sin"]), x, sizes=sizes)


def binary(g):
    x, sizes = g.any()
    own = [n if g.rng.integers(2) else 1 for n in sizes][g.rng.integers(len(sizes)) :]
    g.node(g.rng.choice(["Add", "Sub", "Mul", "Max"]), x, g.floats(*own), sizes=sizes)


def of_two(g):
    x, sizes = g.any()
    y = next((n for n, s in g.values.items() if n != x and s == sizes), x)
    g.node("Add", x, y, sizes=sizes)


def transpose(g):
    x, sizes = g.any(2)
    order = [int(k) for k in g.rng.permutation(len(sizes))]
    g.node("Transpose", x, sizes=[sizes[k] for k in order], perm=order)


def reshape(g):
    x, sizes = g.any()
    count = math.prod(sizes)
    first = next(k for k in (4, 3, 2, 5, 1) if count % k == 0)
    g.node("Reshape", x, g.integers([first, -1]), sizes=(first, count // first))


def slice_(g):
    x, sizes = g.any()
    axis = g.axis(sizes)
    start, step = int(g.rng.integers(sizes[axis])), int(g.rng.choice([1, 2, -1, -2]))
    chosen = range(sizes[axis])[start::step]
    end = np.iinfo(np.int64).max if step > 0 else np.iinfo(np.int64).min
    parts = [g.integers([n]) for n in (start, end, axis, step)]
    g.node("Slice", x, *parts, sizes=(*sizes[:axis], len(chosen), *sizes[axis + 1 :]))


def concat(g):
    x, sizes = g.any()
    axis = g.axis(sizes)
    g.node("Concat", x, x, sizes=(*sizes[:axis], 2 * sizes[axis], *sizes[axis + 1 :]), axis=axis)


def gather(g):
    x, sizes = g.any()
    axis = g.axis(sizes)
    indices = g.rng.integers(-sizes[axis], sizes[axis], (2, 2))
    g.node(
        "Gather", x, g.integers(indices), axis=axis,
        sizes=(*sizes[:axis], 2, 2, *sizes[axis + 1 :])[:8],
    ) if len(sizes) <= 6 else None  # fmt: skip


def expand(g):
    x, sizes = g.any()
    wanted = (2, *(3 if n == 1 else n for n in sizes))
    if len(wanted) <= 7:
        g.node("Expand", x, g.integers(wanted), sizes=wanted)


def reduce(g):
    x, sizes = g.any()
    axis, keeps = g.axis(sizes), int(len(sizes) == 1)
    rest = [1] if keeps else []
    operator = g.rng.choice(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2"])
    g.node(
        operator, x, g.integers([axis]), keepdims=keeps,
        sizes=(*sizes[:axis], *rest, *sizes[axis + 1 :]),
    )  # fmt: skip


def softmax(g):
    x, sizes = g.any()
    g.node("Softmax", x, sizes=sizes, axis=g.axis(sizes))


def matmul(g):
    x, sizes = g.any(2)
    columns = int(g.rng.integers(1, 5))
    batch = [n if g.rng.integers(2) else 1 for n in sizes[:-2]]
    w = g.floats(*batch[g.rng.integers(len(batch) + 1) :], sizes[-1], columns)
    g.node("MatMul", x, w, sizes=(*sizes[:-1], columns))


def conv(g):
    x, sizes = g.any(3)
    if not 3 <= len(sizes) <= 5:
        return
    kernel = [int(g.rng.integers(1, min(n, 3) + 1)) for n in sizes[2:]]
    w, b = g.floats(2, sizes[1], *kernel), g.floats(2)
    g.node(
        "Conv",
        x,
        w,
        b,
        sizes=(sizes[0], 2, *(n - k + 1 for n, k in zip(sizes[2:], kernel, strict=True))),
    )


def pad(g):
    x, sizes = g.any()
    pads = [int(n) for n in g.rng.integers(0, 2, 2 * len(sizes))]
    rank = len(sizes)
    g.node(
        "Pad",
        x,
        g.integers(pads),
        sizes=[pads[k] + n + pads[rank + k] for k, n in enumerate(sizes)],
    )


def normalize(g):
    x, sizes = g.any()
    g.node("LayerNormalization", x, g.floats(sizes[-1]), sizes=sizes, axis=-1, epsilon=1e-2)


def pool(g):
    x, sizes = g.any(3)
    if 3 <= len(sizes) <= 5:
        kernel = [min(n, 2) for n in sizes[2:]]
        g.node(
            g.rng.choice(["MaxPool", "AveragePool"]), x, kernel_shape=kernel,
            sizes=(*sizes[:2], *(n - k + 1 for n, k in zip(sizes[2:], kernel, strict=True))),
        )  # fmt: skip


STEPS = [
    unary, binary, of_two, transpose, reshape, slice_, concat, gather, expand, reduce, softmax,
    matmul, conv, pad, normalize, pool,
]  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_gives_what_onnx_runtime_gives(seed):
    rng = np.random.default_rng(seed)
    growing = Growing(rng)
    for _ in range(12):
        STEPS[rng.integers(len(STEPS))](growing)
        for name, sizes in list(growing.values.items()):
            if math.prod(sizes) > 5000 or 0 in sizes:
                del growing.values[name]
    made = [name for name in growing.values if name not in growing.inputs]
    outputs = made[-3:] or [growing.node("Neg", "x0", sizes=growing.inputs["x0"].shape)]
    proto = growing.model.proto(*outputs)

    loaded = dml.load_onnx(proto)
    found = loaded({name: growing.inputs[name] for name in loaded.inputs})

    expected = session(proto).run(None, growing.inputs)
    for name, actual, each in zip(outputs, found, expected, strict=True):
        assert actual.shape == each.shape == growing.values[name], name
        assert relative_difference(actual, each) < BOUND, name
