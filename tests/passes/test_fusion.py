"""Graphs whose element-wise operators are joined into programs: no bit changes, whatever is joined.

Joined are compared with unjoined ones, in which every operator is its definition on NumPy arrays.
"""

import numpy as np
import pytest

import indirectml as dml
from indirectml.plans import ProgramStep, WordStep
from indirectml.runtime import device
from tests.bits import assert_bits_equal
from tests.called_definitions import called

SETTINGS = [(target, threads) for target in dml.available_targets() for threads in (1, 3)]


def _keep_definitions(patch):
    """Have graphs call definitions with arrays, operator by operator."""
    patch.setattr(device, "lowered", called)


@pytest.fixture
def graph():
    return dml.Graph(dml.Device())


def _kinds(compiled):
    return [type(step) for step in compiled.plan.steps]


def _names(compiled):
    return [step.operator_names for step in compiled.plan.steps]


# ---- random graphs ----

FLOATS = (np.float32, np.float16)
INTEGERS = (np.int32, np.uint8, np.int64, np.uint32, np.int8)
ACTIVATION = dml.FusedActivation

ON_FLOATS = (
    dml.abs, dml.ceil, dml.floor, dml.round, dml.sign, dml.negate, dml.exp, dml.sqrt, dml.sin,
    dml.erf, dml.recip, dml.activation_relu, dml.activation_sigmoid, dml.activation_tanh,
    dml.activation_gelu, dml.activation_hard_swish, dml.activation_softplus, dml.activation_elu,
    dml.activation_shrink, dml.activation_celu, dml.identity, dml.bit_not,
    lambda x: dml.identity(x, scale_bias=(-1.5, 0.25)),
    lambda x: dml.clip(x, min=-1, max=2, scale_bias=(3, -1)),
    lambda x: dml.activation_linear(x, alpha=0.3, beta=-0.0),
    lambda x: dml.activation_leaky_relu(x, alpha=-0.5),
    lambda x: dml.pow(x, 3), lambda x: dml.threshold(x, min=0.1),
    lambda x: x * 3 + 1, lambda x: 2 - x,
    dml.activation_softmax, lambda x: dml.cumulative_summation(x, axis=0),
)  # fmt: skip
OF_TWO_FLOATS = (
    dml.add, dml.subtract, dml.multiply, dml.divide, dml.max, dml.min, dml.mean,
    dml.difference_square, dml.modulus_floor, dml.modulus_truncate, dml.atan_yx, dml.pow,
    lambda a, b: dml.add(a, b, fused_activation=ACTIVATION.relu()),
    lambda a, b: dml.add(a, b, fused_activation=ACTIVATION.sigmoid()),
    lambda a, b: dml.where(dml.less_than(a, b), a, b),
    lambda a, b: dml.where(dml.logical_not(dml.equals(a, dml.abs(b))), b, a),
)  # fmt: skip
ON_INTEGERS = (
    dml.identity, lambda x: x * 3, lambda x: dml.identity(x, scale_bias=(2, 1)),
    lambda x: dml.clip(x, min=2, max=100),
)  # fmt: skip
OF_TWO_INTEGERS = (
    dml.add, dml.subtract, dml.multiply, dml.divide, dml.max, dml.min, dml.modulus_floor,
    dml.modulus_truncate, lambda a, b: dml.where(dml.greater_than(a, b), a, b),
)  # fmt: skip
OF_TWO_UNSIGNED = (dml.bit_and, dml.bit_or, dml.bit_xor, dml.bit_shift_left, dml.bit_shift_right)


def _wild(generator, sizes, dtype):
    """Return any bits in half of the elements, NaNs among them, and moderate numbers elsewhere."""
    dtype = np.dtype(dtype)
    count = int(np.prod(sizes))
    bits = generator.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)
    if dtype.kind == "f":
        exponent = np.array(np.inf, dtype).view(f"u{dtype.itemsize}")
        bits.view(exponent.dtype)[:: int(generator.integers(3, 9))] |= exponent
    moderate = (generator.standard_normal(count) * 3).astype(
        np.int64 if dtype.kind in "iu" else dtype
    )
    chosen = np.where(generator.random(count) < 0.5, bits, moderate.astype(dtype))
    return chosen.reshape(sizes)


class _Random:
    """A random graph: the same one for the same seed."""

    def __init__(self, graph, seed):
        self.generator = np.random.default_rng(seed)
        self.graph = graph
        self.data = {}
        self.pool = []
        shape = tuple(int(n) for n in self.generator.choice([1, 2, 3, 5, 33], 4))
        self.shapes = (shape, (1, shape[1], 1, 1), (1, 1, 1, shape[3]), (1, 1, 1, 1))
        for dtype in (*FLOATS, *self.generator.choice(INTEGERS, 2, replace=False)):
            for number, sizes in enumerate(self.shapes[: 1 + int(self.generator.integers(1, 4))]):
                name = f"{np.dtype(dtype).name}-{number}"
                self.data[name] = _wild(self.generator, sizes, dtype)
                self.pool.append(graph.input(sizes, dtype, name=name))

    def _any(self, among):
        return among[self.generator.integers(len(among))]

    def _like(self, x):
        """Return an operand of the sizes and the data type of another, perhaps repeated to them."""
        same = [e for e in self.pool if e.dtype == x.dtype]
        fits = [e for e in same if all(n in (1, m) for n, m in zip(e.shape, x.shape, strict=True))]
        other = self._any(fits)
        return other if other.shape == x.shape else dml.broadcast(other, x.shape)

    def _grown(self):
        """Return what some operator makes of what there is."""
        # Mostly of what was made last, so that chains are long.
        x = self._any(self.pool[-4:] if self.generator.random() < 0.7 else self.pool)
        kind = self.generator.random()
        dtype = np.dtype(x.dtype)
        if kind < 0.08:
            return dml.cast(x, dtype=self._any(FLOATS + INTEGERS[:2]))
        if kind < 0.12 and dtype == np.float32:
            a = dml.reinterpret(x, [1, 1, x.size // x.shape[3], x.shape[3]])
            product = dml.gemm(a, a, trans_b=dml.MatrixTransform.TRANSPOSE, alpha=0.5)
            return dml.activation_relu(product)
        if kind < 0.16:
            return dml.abs(dml.reinterpret(x, [1, 1, 1, x.size]))
        if dtype.kind == "f":
            if kind < 0.6:
                return self._any(ON_FLOATS)(x)
            return self._any(OF_TWO_FLOATS)(x, self._like(x))
        if kind < 0.4:
            return self._any(ON_INTEGERS)(x)
        two = OF_TWO_INTEGERS + (OF_TWO_UNSIGNED if dtype.kind == "u" else ())
        return self._any(two)(x, self._like(x))

    def outputs(self):
        count, made = int(self.generator.integers(5, 40)), []
        for _ in range(8 * count):
            try:
                grown = self._grown()
            except dml.DirectMLError:
                continue  # the operator does not take this data type
            if grown.size > 50_000:
                continue
            made.append(grown)
            self.pool.append(grown)
            if len(made) == count:
                break
        chosen = self.generator.permutation(len(made))[: self.generator.integers(1, 6)]
        return [made[k] for k in chosen]


@pytest.mark.parametrize("seed", range(120))
def test_joined_equals_unjoined_bit_for_bit(graph, seed, monkeypatch):
    random = _Random(graph, seed)
    outputs = random.outputs()
    joined = graph.compile(outputs)
    with monkeypatch.context() as patch:
        _keep_definitions(patch)
        unjoined = graph.compile(outputs)
    needed = {i.name for i in graph.describe(outputs)[1]}
    data = {name: array for name, array in random.data.items() if name in needed}

    expected = unjoined(data)

    for target, threads in SETTINGS:
        dml.configure(target=target, max_threads=threads)
        for actual, wanted in zip(joined(data), expected, strict=True):
            assert_bits_equal(actual=actual, expected=wanted, where=f"seed {seed}, {target}")
    assert ProgramStep not in _kinds(unjoined)


def test_random_graphs_join_much():
    counts = [0, 0]
    for seed in range(120):
        graph = dml.Graph(dml.Device())
        for step in graph.compile(_Random(graph, seed).outputs()).plan.steps:
            if isinstance(step, ProgramStep):
                counts[0] += 1
                counts[1] += len(step.operator_names)

    # More than two operators a program.
    assert counts[1] > 2 * counts[0] > 200


# ---- what is joined ----


def test_a_chain_is_one_program(graph):
    x, w = graph.input([2, 3], name="x"), graph.input([2, 3], name="w")

    compiled = graph.compile([dml.activation_relu(x * w + x) - 1.5])

    (names,) = _names(compiled)
    assert names == (
        "ELEMENT_WISE_MULTIPLY", "ELEMENT_WISE_ADD", "ACTIVATION_RELU", "ELEMENT_WISE_SUBTRACT",
    )  # fmt: skip
    assert compiled.temporary_size == 0
    assert compiled.plan.steps[0].program.constants == (("float32", 0), ("float32", 0x3FC00000))


def test_what_is_read_outside_is_written_once(graph):
    x = graph.input([2, 6], name="x")
    y = dml.exp(x) + 1
    z = y * 2

    compiled = graph.compile([z, dml.reduce(y, function=dml.ReduceFunction.SUM, axes=[1])])

    (data,) = (np.linspace(-1, 1, 12, dtype=np.float32).reshape(2, 6),)
    double, total = compiled({x: data})
    assert _kinds(compiled) == [ProgramStep, WordStep]
    assert_bits_equal(actual=double, expected=2 * graph.compile([y])({x: data})[0])
    assert total.shape == (2, 1)


def test_nothing_is_joined_around_a_step_between(graph):
    """A value of the first part goes through a reduction into the second."""
    x = graph.input([4, 5], name="x")
    y = dml.abs(x) + 1
    mean = dml.reduce(y, function=dml.ReduceFunction.AVERAGE, axes=[1])
    z = y / dml.broadcast(mean, [4, 5])

    compiled = graph.compile([z])

    assert _kinds(compiled) == [ProgramStep, WordStep, ProgramStep]
    data = np.arange(20, dtype=np.float32).reshape(4, 5)
    expected = (data + 1) / (data + 1).mean(1, dtype=np.float64, keepdims=True).astype(np.float32)
    assert_bits_equal(actual=compiled({x: data})[0], expected=expected)


def test_each_rounding_to_float16_stays(graph):
    x = graph.input([1], np.float16, name="x")

    compiled = graph.compile([(x + 2048.0) - 2048.0])

    assert _kinds(compiled) == [ProgramStep]
    assert compiled({x: np.float16([1])})[0] == [0]  # 2049 lies between: to even
    assert compiled({x: np.float16([3])})[0] == [4]


def test_long_chains_become_several_programs(graph):
    x = graph.input([3], name="x")
    y = x
    for _ in range(1000):
        y = y + x
    compiled = graph.compile([y])

    assert 2 <= len(compiled.plan.steps) <= 8
    assert compiled({x: np.ones(3, np.float32)})[0].tolist() == [1001] * 3


def test_many_inputs_become_several_programs(graph):
    inputs = [graph.input([3], name=f"x{k}") for k in range(200)]
    total = inputs[0]
    for x in inputs[1:]:
        total = total + x
    compiled = graph.compile([total])

    data = {x: np.full(3, k, np.float32) for k, x in enumerate(inputs)}
    assert compiled(data)[0].tolist() == [199 * 100] * 3
    assert all(len(step.inputs) < 40 for step in compiled.plan.steps)


def test_an_operator_alone_is_a_program_too():
    device = dml.Device()
    tensor = dml.TensorDesc(np.float32, [2])
    operator = dml.ElementWiseAddOperatorDesc(tensor, tensor, tensor)
    compiled = device.compile_operator(device.create_operator(operator))

    (step,) = compiled.plan.steps

    assert isinstance(step, ProgramStep)
    assert str(step.program) == "v2 = add(v0, v1) float32"


def test_equal_instructions_are_carried_out_once(graph):
    x = graph.input([2], name="x")
    compiled = graph.compile([dml.exp(x) + dml.exp(x)])

    (step,) = compiled.plan.steps

    assert [i.name for i in step.program.instructions] == ["exp", "add"]


# ---- products and convolutions, and what follows them ----

TRANSPOSE = dml.MatrixTransform.TRANSPOSE
FUSED = (None, ACTIVATION.relu(), ACTIVATION.sigmoid(), ACTIVATION.leaky_relu(0.1))


def _products(graph, generator, dtype):
    """Return what products and convolutions of random forms make, with operators after them."""
    rows, depth, columns = (int(n) for n in generator.integers(1, 40, 3))
    a = graph.input([1, 1, rows, depth], dtype, name="a")
    b = graph.input([1, 1, columns, depth], dtype, name="b", owned=bool(generator.integers(2)))
    c = graph.input([1, 1, 1, columns], dtype, name="c")
    fused = FUSED[generator.integers(len(FUSED))]
    with_c = {"c": dml.broadcast(c, [1, 1, rows, columns])} if generator.integers(2) else {}
    alpha, beta = generator.choice([1, 0.5, -2], 2)
    product = dml.gemm(
        a,
        b,
        trans_b=TRANSPOSE,
        alpha=float(alpha),
        beta=float(beta),
        fused_activation=fused,
        **with_c,
    )
    channels, filters = (int(n) for n in generator.integers(1, 7, 2))
    x = graph.input([2, channels, 9, 8], dtype, name="x")
    w = graph.input([filters, channels, 3, 2], dtype, name="w")
    bias = graph.input([1, filters, 1, 1], dtype, name="bias") if generator.integers(2) else None
    slid = dml.convolution(
        x, w, bias, strides=[1, 2], start_padding=[1, 1], end_padding=[0, 1], fused_activation=fused
    )
    ends = [product, slid]
    if generator.integers(2):
        ends = [dml.activation_tanh(e) * 2 - e for e in ends]
    used = {"c": c if with_c else None, "bias": bias}
    inputs = [e for e in (a, b, used["c"], x, w, bias) if e is not None]
    return ends, inputs, b


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("seed", range(12))
def test_what_follows_products_and_convolutions_changes_no_bit(graph, dtype, seed, monkeypatch):
    generator = np.random.default_rng(seed)
    outputs, inputs, b = _products(graph, generator, dtype)
    data = {}
    for x in inputs:
        data[x] = generator.standard_normal(x.shape).astype(dtype)
        data[x].flat[:: 1 + int(generator.integers(20, 60))] = generator.choice(
            [np.inf, -np.inf, np.nan, 0, -0.0]
        )

    results = []
    for is_joined in (False, True):
        with monkeypatch.context() as patch:
            if not is_joined:
                _keep_definitions(patch)
            compiled = graph.compile(outputs)
        bound = dict(data)
        if not compiled.initialized:
            compiled.initialize({b: bound.pop(b)})
        for target, threads in SETTINGS if is_joined else SETTINGS[-1:]:
            dml.configure(target=target, max_threads=threads)
            results.append(compiled(bound))
        kinds = set(_kinds(compiled))
        assert kinds <= ({WordStep, ProgramStep} if is_joined else {WordStep})

    for result in results[1:]:
        for actual, expected in zip(result, results[0], strict=True):
            assert_bits_equal(actual=actual, expected=expected, where=f"seed {seed}")


def test_a_product_alone_is_written_where_it_belongs(graph):
    a, b = graph.input([1, 1, 2, 3], name="a"), graph.input([1, 1, 3, 4], name="b")
    compiled = graph.compile([dml.gemm(a, b)])

    (step,) = compiled.plan.steps

    assert isinstance(step, WordStep)
    assert compiled.temporary_size == 0
    assert step.outputs[0].buffer == 2


def test_bias_and_activation_are_one_program_after_the_product(graph):
    a, b = graph.input([1, 1, 2, 3], name="a"), graph.input([1, 1, 3, 4], name="b")
    c = graph.input([1, 1, 2, 4], name="c")
    compiled = graph.compile([dml.gemm(a, b, c, fused_activation=ACTIVATION.relu()) + 1])

    first, second = compiled.plan.steps

    assert isinstance(first, WordStep)
    assert second.operator_names == ("GEMM", "ELEMENT_WISE_ADD")
    assert [i.name for i in second.program.instructions] == ["add", "less_equal", "choose", "add"]


# ---- what lies otherwise is not joined ----


@pytest.mark.parametrize("strides", [[1, 4], [0, 1], [1, 0]])
def test_a_view_with_other_strides_reads_what_was_written(graph, strides):
    x = graph.input([4, 4], name="x")
    y = x + 1

    compiled = graph.compile([dml.reinterpret(y, [4, 4], strides) * 2, y])

    data = np.arange(16, dtype=np.float32).reshape(4, 4)
    steps = [4 * stride for stride in strides]
    seen = np.lib.stride_tricks.as_strided(data + 1, (4, 4), steps)
    double, once = compiled({x: data})
    assert_bits_equal(actual=double, expected=seen * np.float32(2))
    assert_bits_equal(actual=once, expected=data + 1)


def test_a_constant_read_as_another_data_type_is_read_bit_by_bit(graph):
    ones = dml.fill_value_constant(graph, sizes=[2], value=1.0, dtype=np.float32)
    x = graph.input([4], np.uint16, name="x")
    as_integers = dml.reinterpret(ones, [4], dtype=np.uint16)

    (actual,) = graph.compile([as_integers + x])({x: np.uint16([0, 1, 2, 3])})

    assert actual.tolist() == [0, 0x3F81, 2, 0x3F83]


def test_a_value_read_as_another_data_type_is_read_bit_by_bit(graph):
    x = graph.input([2], name="x")
    as_integers = dml.reinterpret(x * 2, [2], dtype=np.int32)

    (actual,) = graph.compile([as_integers + as_integers])({x: np.float32([0.5, 1])})

    assert actual.tolist() == [0x7F000000, -(2**31)]
