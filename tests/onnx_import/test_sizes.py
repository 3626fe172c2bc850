"""One model in many sizes: weights once, a compiled graph for each set of sizes."""

# ruff: noqa: SLF001 (what is shared and kept shows nowhere else)

import gc
import pickle
import threading
import tracemalloc

import numpy as np
import onnx
import pytest
from samples.decoder import SMALL, decoder

import indirectml as dml
from tests.bits import assert_bits_equal
from tests.onnx_import.models import model
from tests.onnx_models import relative_difference, session

ADDED = "(float[N] x, float[N] y) => (float[N] z) { z = Add(x, y) }"
ROWS = """(float[N, 3] x, float[N, M] y) => (float[N, M] z)
    <float[3, 2] w = {1, 2, 3, 4, 5, 6}> { p = MatMul(x, w) s = Shape(y) q = Expand(p, s)
    z = Add(q, y) }"""


def feed(past, length=1, seed=7, layout=SMALL):
    """Return inputs of a decoder whose past is as long as it says."""
    random = np.random.default_rng(seed)
    cache = (1, layout.shared_heads, past, layout.head_size)
    made = {
        "input_ids": random.integers(0, layout.vocabulary, (1, length)),
        "past_length": np.array([past]),
    }
    for number in range(layout.layers):
        for part in ("key", "value"):
            made[f"past_{part}.{number}"] = random.standard_normal(cache, np.float32)
    return made


def weights(loaded):
    """Return the memory of the constants that a model in one set of sizes reads."""
    compiled = loaded.compiled
    owned = zip(compiled._inputs, compiled._owned, strict=True)
    return [raw for one, raw in owned if one.is_constant and raw.nbytes > 1024]


def test_the_sizes_of_a_call_are_those_of_its_arrays():
    loaded = dml.load_onnx(model(ROWS))

    assert loaded.inputs["x"].sizes == ("N", 3)
    assert loaded.outputs["z"].sizes == ("N", "M")
    assert loaded.compiled is None
    for rows in (1, 4, 2):
        x, y = np.ones((rows, 3), np.float32), np.zeros((rows, 2), np.float32)
        (z,) = loaded(x, y)
        assert_bits_equal(actual=z, expected=np.tile(np.float32([9, 12]), (rows, 1)))


def test_all_sizes_give_the_bits_of_a_model_loaded_for_them_and_share_its_weights():
    proto = decoder(SMALL)
    loaded = dml.load_onnx(proto)
    theirs = session(proto)

    kept = []
    for past, length in ((5, 1), (6, 1), (9, 4), (5, 1)):
        given = feed(past, length)
        at = loaded.at(given)
        kept.append(at)
        alone = dml.load_onnx(proto, sizes={name: each.shape for name, each in given.items()})
        results = loaded(given)
        for actual, same, expected in zip(results, at(given), alone(given), strict=True):
            assert_bits_equal(actual=actual, expected=expected)
            assert_bits_equal(actual=same, expected=expected)
        assert relative_difference(results[0], theirs.run(["logits"], given)[0]) < 1e-5
    assert kept[3] is kept[0]
    of_weights = [set(map(id, weights(each))) for each in kept]
    assert len(of_weights[0]) == 7 * SMALL.layers + 4  # products, two tables, two of angles
    assert of_weights[1] == of_weights[0] == of_weights[2]


def test_a_longer_past_translates_and_keeps_a_small_part():
    """Nodes that see the same are not translated again, and no plan has weights of its own."""
    loaded = dml.load_onnx(decoder(SMALL), kept=100)
    source = loaded._source
    loaded(feed(5))
    loaded(feed(6))
    node_count = len(source._replays.visits)
    for past in (7, 8):
        before, pieces = source.translated_nodes, list(source._former.pieces)
        steps = set(map(id, loaded.at(feed(past - 1)).compiled.plan.steps_in_place))
        made = loaded.at(feed(past)).compiled.plan.steps_in_place
        assert 0 < source.translated_nodes - before < node_count / 8
        lowered = [a is not b for a, b in zip(pieces, source._former.pieces, strict=True)]
        others = [id(step) not in steps for step in made]
        assert 0 < sum(lowered) < len(lowered) / 5
        assert 0 < sum(others) < len(others) / 5
    of_weights = sum(each.nbytes for each in loaded.at(feed(5)).compiled._owned if each is not None)
    gc.collect()
    gc.freeze()  # or each collection looks through all that other tests have left
    tracemalloc.start()
    growths = []
    for past in range(20, 31):
        before, _ = tracemalloc.get_traced_memory()
        loaded.at(feed(past))
        gc.collect()
        growths.append(tracemalloc.get_traced_memory()[0] - before)
    tracemalloc.stop()
    gc.unfreeze()
    steps = len(loaded.at(feed(5)).compiled.plan.steps)
    # Those of its steps that are others, with their views. The median: what all models share takes
    # more room now and then, and by how much depends on what ran before.
    assert np.median(growths) < 2400 * steps
    assert of_weights > 200_000


def test_keeps_as_many_as_it_is_told_and_forgets_what_the_others_were():
    loaded = dml.load_onnx(decoder(SMALL), kept=2)

    first = loaded.at(feed(5))
    loaded.at(feed(6))
    assert loaded.at(feed(5)) is first
    loaded.at(feed(7))
    assert loaded.at(feed(5)) is first
    assert [each.inputs["past_key.0"].sizes[2] for each in loaded._source.found] == [7, 5]
    counts = []
    for past in range(10, 40):
        loaded.at(feed(past))
        counts.append(len(loaded._source._replays._replays))
    assert counts[-1] == counts[5]


def test_sizes_by_names_of_dimensions_of_inputs_and_by_arrays_are_one():
    loaded = dml.load_onnx(model(ROWS))

    found = loaded.at({"N": 4}, y=np.zeros((4, 2), np.float32))

    assert found.inputs["x"].sizes == (4, 3)
    assert found.outputs["z"].sizes == (4, 2)
    assert loaded.at(x=[4, 3], M=2) is found is loaded.at({"N": 4, "M": 2})
    assert found.compiled is not None


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        (
            {},
            (
                "needs a size for each dimension that the model leaves open: 'N' (x, y), 'M' (y); "
                "give dimensions={'N': N, 'M': N}"
            ),
        ),
        ({"x": [2, 3]}, "leaves open: 'M' (y)"),
        (
            {"x": [2, 3], "y": [5, 2]},
            "'N' is one size, but x has 2, y has 5; so 1 node cannot be said",
        ),
        ({"x": [2, 4]}, "input 'x': needs size 3 for dimension 1, got 4"),
        ({"K": 4}, "dimensions: needs names of open dimensions: M, N, got 'K'"),
        ({"K": [4]}, "at: needs names of inputs, x (float32 [N, 3]), y (float32 [N, M]), "),
    ],
)
def test_refuses_sizes_that_are_missing_or_contradict_each_other(sizes, sentence):
    loaded = dml.load_onnx(model(ROWS))

    with pytest.raises(dml.ModelError) as caught:
        loaded.at(sizes)

    assert sentence in str(caught.value)


def test_one_name_may_stand_for_sizes_that_differ_as_in_onnx_runtime():
    loaded = dml.load_onnx(model(ADDED))
    x, y = np.arange(6, dtype=np.float32), np.array([2.5], np.float32)

    for first, second in ((x, x), (x, y), (y, x), (x[:4], y), (x[:4], x[:4])):
        (found,) = loaded(x=first, y=second)
        assert_bits_equal(actual=found, expected=first + second)

    both = {"x": [6], "y": [1]}
    (found,) = dml.load_onnx(model(ADDED), sizes=both)(x=x, y=y)
    assert_bits_equal(actual=found, expected=x + y)
    with pytest.raises(dml.ModelError, match="input 'y': needs size 6 for dimension 0, got 1"):
        dml.load_onnx(model(ADDED), sizes=both, dimensions={"N": 6})


def test_a_value_that_decides_a_size_is_asked_for_by_name():
    loaded = dml.load_onnx(
        model("(float[N] x, int64[2] s, float[1] t) => (float[?, ?] y) { a = Add(x, t)"
              " y = Reshape(a, s) }")
    )  # fmt: skip
    x, t = np.arange(6, dtype=np.float32), np.ones(1, np.float32)

    with pytest.raises(dml.ModelError, match=r"constants=\{'s': array\} makes it known") as caught:
        loaded(x, np.array([2, 3]), t)

    assert caught.value.asked == ("s",)
    (y,) = loaded.at(x=x, constants={"s": np.array([3, 2])})(x, t)
    assert_bits_equal(actual=y, expected=(x + 1).reshape(3, 2))


def test_what_is_open_has_no_graph_to_write_and_what_is_sized_has():
    loaded = dml.load_onnx(model(ROWS))

    with pytest.raises(dml.ModelError, match=r"model\.at\("):
        loaded.serialized()
    assert list(loaded.at(N=1, M=2).serialized().outputs) == ["z"]


def test_a_pickled_model_has_its_weights_and_takes_new_sizes():
    loaded = dml.load_onnx(decoder(SMALL))
    expected = [loaded(feed(past)) for past in (5, 6)]

    again = pickle.loads(pickle.dumps(loaded, protocol=5))  # noqa: S301 (our own)

    for past, results in zip((5, 6), expected, strict=True):
        for actual, wanted in zip(again(feed(past)), results, strict=True):
            assert_bits_equal(actual=actual, expected=wanted)


def test_threads_of_several_sizes_get_their_own_results():
    loaded = dml.load_onnx(model(ROWS), kept=2)
    wrong = []

    def work(rows):
        for _ in range(5):
            x = np.full((rows, 3), rows, np.float32)
            (z,) = loaded(x, np.zeros((rows, 2), np.float32))
            if not np.array_equal(z, np.tile(np.float32([9 * rows, 12 * rows]), (rows, 1))):
                wrong.append(rows)

    threads = [threading.Thread(target=work, args=(rows,)) for rows in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("kind", ["float", "bool"])
def test_inputs_and_outputs_of_nine_dimensions_are_called_with(kind):
    sizes = (2, 1, 3, 1, 2, 1, 2, 1, 2)
    listed = ", ".join(map(str, sizes[1:]))
    text = f"""
        <ir_version: 8, opset_import: ["" : 18]>
        g ({kind}[N, {listed}] x)
        => ({kind}[N, {listed}] same, {kind}[a, b, c, d, e, f, g, h, N] y) {{
            same = Identity(x)
            y = Transpose<perm = [8, 1, 2, 3, 4, 5, 6, 7, 0]>(x)
        }}
    """
    dtype = np.dtype({"float": np.float32}.get(kind, np.bool_))
    x = (np.arange(48) % 5 % 2 if kind == "bool" else np.arange(48)).astype(dtype).reshape(sizes)
    model = dml.load_onnx(onnx.parser.parse_model(text))
    written = np.zeros_like(x)

    found = model(x, out={"same": written})

    for each in (*found[:1], written):
        np.testing.assert_array_equal(each, x)
    np.testing.assert_array_equal(found[1], x.swapaxes(0, 8))
    with pytest.raises(dml.BindingError, match="needs an array without gaps, since it has more"):
        model(x, out={"same": written.swapaxes(0, 8).copy().swapaxes(0, 8)})


def test_a_model_of_fixed_sizes_keeps_nothing_for_others():
    weight = onnx.numpy_helper.from_array(np.ones((32, 32), np.float32), "w")
    made = model("(float[2, 32] x) => (float[2, 32] z) { y = MatMul(x, w) z = MatMul(y, w) }")
    made.graph.initializer.append(weight)
    fixed = dml.load_onnx(made)._source
    assert fixed._walked is None
    assert fixed._resizing is None
    assert not fixed._replays._replays
    assert fixed._former.layout is None

    made.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "N"
    is_open = dml.load_onnx(made)
    is_open(np.ones((2, 32), np.float32))
    assert is_open._source._resizing is not None
    assert len(is_open._source._replays._replays) == 2


def test_what_is_no_place_for_outputs_and_no_size_is_said():
    model = dml.load_onnx(decoder(SMALL, "fixed"))
    given = feed(5)

    with pytest.raises(
        dml.BindingError, match=r"needs a dict from names of outputs to arrays, got "
    ):
        model(given, out=[given["past_key.0"]])
    with pytest.raises(dml.ModelError, match=r"an integer for a dimension, got .sequence.: 1\.5$"):
        model.at(sequence=1.5, capacity=4)
