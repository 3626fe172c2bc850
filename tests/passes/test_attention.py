"""Attention as one step: the bits of its products, programs and softmax, in a little memory."""

import numpy as np
import pytest

import indirectml as dml
from indirectml import numpy_forms
from indirectml.arithmetic.attention import attention
from indirectml.devices import cpu
from indirectml.plans import WordStep
from tests.arithmetic import loops, products
from tests.bits import assert_bits_equal
from tests.onnx_models import Model, relative_difference, session

SEED = 5
F16, F32 = np.float16, np.float32
WORD = attention.word


def joined(compiled):
    """Return the steps that are attention."""
    return [s for s in compiled.plan.steps if isinstance(s, WordStep) and s.word is WORD]


def apart(make):
    """Return what is made where nothing is joined to attention."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpu, "join_attention", lambda plan, former: plan)
        return make()


# ---- graphs of every kind ----

#: What comes between products and softmax: from scores and the function of inputs.
BEFORE = {
    "nothing": lambda s, _: s,
    "scale": lambda s, _: s * 0.375,
    "scale, bias and mask": lambda s, given: dml.where(
        given("mask", np.uint8, is_repeated=True),
        s * 0.375 + given("bias", is_repeated=True),
        s * 0.0 - 1e4,
    ),
    "softcap": lambda s, given: dml.activation_tanh(s / 5.0) * 5.0 + given("bias"),
}
AFTER = {
    "nothing": lambda w, _: w,
    "factors": lambda w, given: w * given("factors", is_repeated=True),
    "no NaN": lambda w, _: dml.where(dml.is_nan(w), w * 0.0, w),
}


class Trial:
    """A graph with attention in it, and arrays for its inputs."""

    def __init__(self, seed, before, after, dtype=F32, sizes=None):
        random = self.random = np.random.default_rng([SEED, seed])
        batch, heads, rows, positions, depth, width = sizes or (
            *random.integers(1, 4, 2), *random.choice([1, 3, 16, 33, 70], 4),
        )  # fmt: skip
        positions = max(int(positions), 2)
        self.graph = dml.Graph(dml.Device())
        self.arrays, self.names, self.dtype = {}, [], dtype
        self.sizes = (int(batch), int(heads), int(rows), positions)
        queries = self.input("queries", [*self.sizes[:3], int(depth)])
        keys = self.input("keys", [*self.sizes[:2], positions, int(depth)])
        values = self.input("values", [*self.sizes[:2], positions, int(width)])
        transposed = dml.MatrixTransform.TRANSPOSE
        self.scores = dml.gemm(queries, keys, trans_b=transposed)
        self.shares = dml.activation_softmax(BEFORE[before](self.scores, self.given), axes=[3])
        self.mixed = dml.gemm(AFTER[after](self.shares, self.given), values)

    def input(self, name, sizes, dtype=None):
        dtype = np.dtype(dtype or self.dtype)
        made = self.random.normal(size=sizes) * 2
        array = made > 0 if dtype == np.uint8 else made
        found = self.graph.input(sizes, dtype, name=name)
        self.arrays[found] = array.astype(dtype)
        self.names.append(name)
        return found

    def given(self, name, dtype=None, *, is_repeated=False):
        """Return an array over the scores, which repeats along some of the axes."""
        keep = [not is_repeated or self.random.integers(2) for _ in self.sizes]
        own = [n if k else 1 for n, k in zip(self.sizes, keep, strict=True)]
        found = self.input(name, own, dtype)
        strides = [0] * 4
        step = 1
        for axis in reversed(range(4)):
            strides[axis] = step if own[axis] > 1 else 0
            step *= own[axis]
        return dml.reinterpret(found, list(self.sizes), strides) if is_repeated else found

    def compiled(self):
        return self.graph.compile([self.mixed])


CASES = [
    (number, before, after, dtype)
    for number, (before, after, dtype) in enumerate(
        (b, a, d) for b in BEFORE for a in AFTER for d in (F32, F16)
    )
]


@pytest.mark.parametrize(("seed", "before", "after", "dtype"), CASES)
def test_attention_has_the_bits_of_its_parts_on_every_target(seed, before, after, dtype):
    trial = Trial(seed, before, after, dtype)
    compiled, parts = trial.compiled(), apart(trial.compiled)
    assert (len(joined(compiled)), len(joined(parts))) == (1, 0)

    (expected,) = parts(trial.arrays)

    for target in dml.available_targets():
        for threads in (1, 2, 3, 5):
            with dml.configure(target=target, max_threads=threads):
                (found,) = compiled(trial.arrays)
            assert_bits_equal(actual=found, expected=expected)


@pytest.mark.parametrize("sizes", [(1, 2, 130, 300, 40, 24), (2, 1, 64, 1024, 8, 20)])
def test_many_rows_in_blocks_have_the_bits_of_all_at_once(sizes):
    trial = Trial(0, "scale, bias and mask", "factors", sizes=sizes)
    compiled, parts = trial.compiled(), apart(trial.compiled)

    (expected,) = parts(trial.arrays)

    for threads in (1, 2, 5):
        with dml.configure(max_threads=threads):
            assert_bits_equal(actual=compiled(trial.arrays)[0], expected=expected)


@pytest.mark.parametrize("seed", range(3))
def test_attention_is_what_plain_loops_make(seed):
    trial = Trial(seed, "scale", "nothing", sizes=(1, 2, 3, 17, 5, 4))
    queries, keys, values = trial.arrays.values()

    (found,) = trial.compiled()(trial.arrays)

    scores = products.contract(queries, keys.swapaxes(2, 3)) * F32(0.375)
    shares = np.array([loops.softmax(row.tolist()) for row in scores.reshape(-1, 17)])
    shares = shares.astype(F32).reshape(scores.shape)
    assert_bits_equal(actual=found, expected=products.contract(shares, values))


@pytest.mark.parametrize(("seed", "before", "after", "dtype"), CASES[::5])
def test_the_numpy_form_has_the_same_bits(seed, before, after, dtype):
    trial = Trial(seed, before, after, dtype)
    compiled = trial.compiled()
    (expected,) = compiled(trial.arrays)
    plan, out = compiled.plan, np.empty_like(expected)
    by_name = dict(zip(trial.names, trial.arrays.values(), strict=True))
    given = [by_name[name].view(np.uint8).ravel() for name in compiled.inputs]
    memories = [*given, out.view(np.uint8).ravel(), np.empty(plan.temporary_size, np.uint8), None]

    for step in plan.steps:
        numpy_forms.carry_out(step, memories)

    assert_bits_equal(actual=out, expected=expected)


# ---- what is joined, and what is not ----


def test_what_somebody_else_reads_is_kept():
    for read in ("scores", "shares"):
        trial = Trial(0, "scale", "nothing")
        compiled = trial.graph.compile([trial.mixed, getattr(trial, read)])
        assert not joined(compiled)


def test_constant_keys_are_put_in_panels_once_instead():
    graph = dml.Graph(dml.Device())
    queries = graph.input([1, 1, 20, 8], name="x")
    keys = graph.constant(np.ones((1, 1, 8, 32), F32))
    shares = dml.activation_softmax(dml.gemm(queries, keys), axes=[3])

    assert not joined(graph.compile([dml.gemm(shares, graph.input([1, 1, 32, 8]))]))


def test_softmax_along_other_axes_is_left_alone():
    graph = dml.Graph(dml.Device())
    x = graph.input([1, 2, 16, 16], name="x")
    shares = dml.activation_softmax(dml.gemm(x, x), axes=[2])

    assert not joined(graph.compile([dml.gemm(shares, x)]))


def test_the_step_remembers_its_nodes():
    (step,) = joined(Trial(0, "scale", "nothing").compiled())

    assert step.operator_names == (
        "GEMM", "ELEMENT_WISE_MULTIPLY", "ACTIVATION_SOFTMAX1", "GEMM",
    )  # fmt: skip
    assert [name.node for name in step.operator_names] == [0, 2, 3, 4]  # 1 is 0.375


# ---- keys and values that are copied for it ----


def shared_heads(rows, groups=3, *, writes=False):
    """Return attention whose heads share keys and values, repeated as exporters write it."""
    graph, random = dml.Graph(dml.Device()), np.random.default_rng(SEED)
    shared, positions, size = 2, 40, 16
    arrays = {}

    def given(name, *sizes):
        found = graph.input(sizes, name=name)
        arrays[found] = random.normal(size=sizes).astype(F32)
        return found

    queries = given("q", 1, shared * groups, rows, size)
    kept = [given(name, 1, shared, positions, size) for name in "kv"]
    repeated = [
        dml.reinterpret(
            dml.identity(dml.broadcast(
                dml.reinterpret(each, [shared, 1, positions, size]),
                [shared, groups, positions, size],
            )),
            [1, shared * groups, positions, size],
        )
        for each in kept
    ]  # fmt: skip
    transposed = dml.MatrixTransform.TRANSPOSE
    scores = dml.gemm(queries, repeated[0], trans_b=transposed) * 0.25
    mixed = dml.gemm(dml.activation_softmax(scores, axes=[3]), repeated[1])
    outputs = [mixed, dml.activation_relu(kept[0])] if writes else [mixed]
    return graph, outputs, arrays


@pytest.mark.parametrize("rows", [1, 2, 50])
def test_repeated_heads_are_read_where_they_are(rows):
    graph, outputs, arrays = shared_heads(rows)
    compiled, parts = graph.compile(outputs), apart(lambda: graph.compile(outputs))

    (step,) = compiled.plan.steps
    assert (step.word, step.inputs[1].buffer, step.inputs[2].buffer) == (WORD, 1, 2)
    assert step.inputs[1].sizes[:-2] == (2, 1)
    (expected,) = parts(arrays)
    for target in dml.available_targets():
        for threads in (1, 3):
            with dml.configure(target=target, max_threads=threads):
                assert_bits_equal(actual=compiled(arrays)[0], expected=expected)
    assert compiled.temporary_size < parts.temporary_size


def test_copies_stay_where_what_they_read_is_written_before_attention():
    """An output may lie on an input: then what is read later is no longer there."""
    graph, outputs, arrays = shared_heads(3, writes=True)
    keys = next(x for x in arrays if x.value.name == "k")
    for place, order in enumerate((outputs[::-1], outputs)):
        compiled = graph.compile(order)
        expected = apart(lambda order=order: graph.compile(order))(arrays)
        cache = arrays[keys].copy()
        out = [None, None]
        out[place] = cache

        found = compiled(arrays | {keys: cache}, out=out)

        for actual, wanted in zip(found, expected, strict=True):
            assert_bits_equal(actual=actual, expected=wanted)


# ---- memory ----


def attended(length, heads=8, size=40):
    graph = dml.Graph(dml.Device())
    parts = [graph.input([1, length, heads * size], name=name) for name in "qkv"]
    return graph.compile([dml.multihead_attention(*parts, scale=size**-0.5, head_count=heads)])


def test_memory_is_in_proportion_to_the_positions():
    """The scores of 4,096 positions and 8 heads are 537 MB."""
    few, many = (attended(length).plan.temporary_size for length in (2048, 4096))

    assert len(joined(attended(2048))) == 1
    assert many < 2.5 * few
    assert many < 64e6


# ---- as ONNX has it ----


def onnx_attention(dtype):
    model = Model()
    x = {name: model.input(name, [2, "heads", f"n_{name}", 16], dtype) for name in "qkv"}
    mask = model.input("mask", [1, 1, "n_q", "n_k"], dtype)
    turned = model.node("Transpose", x["k"], perm=[0, 1, 3, 2])
    scale = model.constant("scale", np.array(0.25, dtype))
    scores = model.node("Mul", model.node("MatMul", x["q"], turned), scale)
    shares = model.node("Softmax", model.node("Add", scores, mask), axis=-1)
    return model.proto(model.node("MatMul", shares, x["v"]))


@pytest.mark.parametrize(("dtype", "bound"), [(F32, 1e-6), (F16, 2e-3)])
def test_three_nodes_of_onnx_are_one_step_and_agree_with_onnx_runtime(dtype, bound):
    proto = onnx_attention(dtype)
    model, reference = dml.load_onnx(proto), session(proto)
    random = np.random.default_rng(SEED)
    for rows, positions in ((1, 9), (40, 40), (65, 130)):
        feed = {"q": (2, 3, rows, 16), "k": (2, 3, positions, 16), "v": (2, 3, positions, 16)}
        feed = {name: random.normal(size=sizes).astype(dtype) for name, sizes in feed.items()}
        feed["mask"] = np.where(random.random((1, 1, rows, positions)) < 0.2, -1e4, 0).astype(dtype)

        (found,) = model(feed)

        assert relative_difference(found, reference.run(None, feed)[0]) < bound
        assert len(joined(model.at(feed).compiled)) == 1
        assert_bits_equal(actual=apart(lambda: dml.load_onnx(proto))(feed)[0], expected=found)
