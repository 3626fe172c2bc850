"""Outputs on the memory of inputs: caches that new rows are put into."""

import numpy as np
import pytest
from samples.decoder import SMALL, decoder

import indirectml as dml
from indirectml.arithmetic.gathering import scatter_elements, scatter_tuples
from indirectml.devices import cpu
from indirectml.passes.flow import views_of
from indirectml.plans import ProgramStep, View, WordStep
from tests.bits import assert_bits_equal
from tests.onnx_import.test_sizes import feed

CACHE = np.arange(24, dtype=np.float32).reshape(4, 6)


def scattered(graph, x):
    rows = graph.input([1, 6], name="rows")
    at = graph.constant(np.array([[2]], np.int32))
    return [dml.scatter_nd(x, at, rows, input_dimension_count=2, indices_dimension_count=2)]


def scattered_by_elements(graph, x):
    rows = graph.input([1, 6], name="rows")
    at = graph.constant(np.full((1, 6), -1, np.int64))
    return [dml.scatter_elements(x, at, rows, axis=0)]


def turned(graph, x):
    """Return what exporters write: positions come first while rows are put, and then last again."""
    rows = graph.input([2, 4], name="rows")
    at = graph.constant(np.array([[3], [1]], np.int32))
    made = dml.scatter_nd(
        dml.identity(dml.reinterpret(x, [6, 4], [1, 6])), at, rows,
        input_dimension_count=2, indices_dimension_count=2,
    )  # fmt: skip
    back = dml.identity(dml.reinterpret(made, [4, 6], [1, 4]))
    part = dml.slice(
        made, input_window_offsets=[2, 1], input_window_sizes=[3, 2], input_window_strides=[1, 1]
    )
    return [back, dml.reduce(made, function=dml.ReduceFunction.SUM, axes=[0]), part]


def read_before(graph, x):
    """Return what reads the input behind what writes there, and can before."""
    (made,) = scattered(graph, x)
    sums, most = (
        dml.reduce(x, function=function, axes=[1])
        for function in (dml.ReduceFunction.SUM, dml.ReduceFunction.MAX)
    )
    return [made, dml.multiply(sums, most)]


def element_wise(graph, x):
    graph.input([6], name="rows")
    return [dml.activation_relu(dml.subtract(x, graph.constant(np.full((4, 6), 9, np.float32))))]


GRAPHS = [scattered, scattered_by_elements, turned, read_before, element_wise]


def compiled(make, sizes=(4, 6)):
    graph = dml.Graph(dml.Device())
    return graph.compile(make(graph, graph.input(sizes, name="x")))


@pytest.mark.parametrize("make", GRAPHS, ids=lambda make: make.__name__)
def test_an_output_on_an_input_has_the_bits_of_one_apart(make):
    graph = compiled(make)
    others = {
        name: -np.arange(desc.element_count, dtype=np.float32).reshape(desc.sizes)
        for name, desc in graph.inputs.items()
        if name == "rows"
    }
    expected = graph({"x": CACHE} | others)
    memory = np.full(26, 77, np.float32)
    x = memory[1:25].reshape(4, 6)
    x[:] = CACHE

    results = graph({"x": x} | others, out=[x, *[None] * (len(expected) - 1)])

    assert results[0] is x
    for actual, wanted in zip(results, expected, strict=True):
        assert_bits_equal(actual=actual, expected=wanted)
    assert memory[0] == memory[-1] == 77
    apart = np.empty_like(x)
    again = graph({"x": CACHE} | others, out=[apart, *[None] * (len(expected) - 1)])
    assert again[0] is apart
    assert_bits_equal(actual=apart, expected=expected[0])


@pytest.mark.parametrize("make", [scattered, scattered_by_elements, turned, read_before])
def test_nothing_but_the_new_rows_is_written_there(make):
    graph = compiled(make)
    device = graph.device

    plan = device.compile_graph(graph.desc, shares={0: 0}).plan

    output = len(plan.inputs)
    writes = [step for step in plan.steps if any(v.buffer == output for v in views_of(step)[1])]
    assert len(writes) == 1
    assert writes[0].inputs[0] is None
    copied = [view for view in views_of(writes[0])[0] if view is not None]
    assert all(view.element_count <= 12 for view in copied)
    if make is not read_before:
        assert not any(v and v.buffer == 0 for step in plan.steps for v in views_of(step)[0])


def test_what_is_joined_grows_in_its_buffer():
    graph = dml.Graph(dml.Device())
    past, row = graph.input([3, 6], name="past"), graph.input([1, 6], name="row")
    joined = graph.compile([dml.join([past, row], axis=0)])
    buffer = CACHE.copy()

    (found,) = joined({"past": buffer[:3], "row": np.full((1, 6), -1, np.float32)}, out=[buffer])

    assert found is buffer
    assert_bits_equal(actual=buffer[:3], expected=CACHE[:3])
    assert (buffer[3] == -1).all()
    plan = joined.device.compile_graph(joined.desc, shares={0: 0}).plan
    assert len(plan.steps) == 1


def in_a_larger_buffer(kind, *, reads=False):
    """Return a graph of a cache of two heads in a buffer with room, and the rows that it takes."""
    graph = dml.Graph(dml.Device())
    strides = [48, 24, 3, 1]
    x = graph.input([1, 2, 4, 3], strides=strides, name="x")
    rows = graph.input([1, 2, 1, 3], name="rows")
    if kind == "join":
        out = dml.TensorDesc(np.float32, [1, 2, 5, 3], strides=strides)
        desc = dml.JoinOperatorDesc([x.desc, rows.desc], out, axis=2)
        (made,) = graph.add_node(desc, x, rows)
    else:
        at = graph.constant(np.full((1, 2, 1, 3), 2, np.int32))
        desc = dml.ScatterOperatorDesc(x.desc, at.desc, rows.desc, x.desc, axis=2)
        (made,) = graph.add_node(desc, x, at, rows)
    later = dml.slice(
        made, input_window_offsets=[0] * 4, input_window_sizes=[1, 2, 4, 3],
        input_window_strides=[1] * 4,
    )  # fmt: skip
    return graph.compile([made, dml.subtract(later, x)] if reads else [made])


@pytest.mark.parametrize("kind", ["join", "scatter"])
def test_caches_grow_in_a_buffer_with_gaps(kind):
    """Nothing but the new rows is written, and nothing is read at all."""
    graph = in_a_larger_buffer(kind)
    whole = np.arange(48, dtype=np.float32).reshape(1, 2, 8, 3)
    rows = -np.arange(1, 7, dtype=np.float32).reshape(1, 2, 1, 3)
    expected = whole.copy()
    place = 4 if kind == "join" else 2
    expected[:, :, place] = rows[:, :, 0]
    out = whole[:, :, :5] if kind == "join" else whole[:, :, :4]

    (found,) = graph({"x": whole[:, :, :4], "rows": rows}, out=[out])

    assert found is out
    assert_bits_equal(actual=whole, expected=expected)
    (step,) = graph.device.compile_graph(graph.desc, shares={0: 0}).plan.steps
    assert 0 not in [view.buffer for view in views_of(step)[0] if view is not None]
    apart = np.full_like(whole, 77)
    (found,) = graph({"x": whole[:, :, :4], "rows": rows}, out=[apart[:, :, : out.shape[2]]])
    assert_bits_equal(actual=np.ascontiguousarray(found), expected=expected[:, :, : out.shape[2]])
    assert (apart[:, :, out.shape[2] :] == 77).all()


@pytest.mark.parametrize("kind", ["join", "scatter"])
def test_caches_with_gaps_that_would_be_read_afterwards_are_refused(kind):
    graph = in_a_larger_buffer(kind, reads=True)
    whole = np.arange(48, dtype=np.float32).reshape(1, 2, 8, 3)
    before, rows = whole.copy(), np.zeros((1, 2, 1, 3), np.float32)
    length = 5 if kind == "join" else 4

    with pytest.raises(dml.BindingError, match="ELEMENT_WISE_SUBTRACT reads after it is written"):
        graph({"x": whole[:, :, :4], "rows": rows}, out=[whole[:, :, :length], None])
    apart = np.empty((1, 2, length, 3), "f")  # packed, as the output is not: it gets a copy
    results = graph({"x": whole[:, :, :4], "rows": rows}, out=[apart, None])
    for actual, expected in zip(results, graph({"x": before[:, :, :4], "rows": rows}), strict=True):
        assert_bits_equal(actual=np.array(actual), expected=np.array(expected))
    assert_bits_equal(actual=whole, expected=before)


def test_what_would_be_read_after_it_is_written_is_refused():
    def make(graph, x):
        (made,) = scattered(graph, x)
        return [made, dml.subtract(made, x)]

    graph = compiled(make)
    x = CACHE.copy()

    with pytest.raises(dml.BindingError) as caught:
        graph({"x": x, "rows": np.zeros((1, 6), np.float32)}, out=[x, None])

    assert str(caught.value) == (
        "GRAPH.dispatch.out[0]: needs memory of its own, apart from that of inputs[0], which "
        "ELEMENT_WISE_SUBTRACT reads after it is written"
    )
    assert_bits_equal(actual=x, expected=CACHE)


def test_elements_that_are_read_elsewhere_than_written_are_refused():
    graph = compiled(
        lambda graph, x: [dml.activation_relu(dml.reinterpret(x, [6, 6], [1, 6]))], sizes=(6, 6)
    )
    x = np.arange(36, dtype=np.float32).reshape(6, 6)

    with pytest.raises(dml.BindingError, match="which ACTIVATION_RELU reads after it is written"):
        graph({"x": x}, out=[x])


REFUSED = {
    "later": (lambda m: [m[6:].reshape(4, 6)], "needs memory apart from that of input 0, or its"),
    "kind": (lambda m: [m[:24].astype("d").reshape(4, 6)], "needs a writable array of float32"),
    "repeated": (
        lambda m: [np.lib.stride_tricks.as_strided(m, (4, 6), (4, 4))],
        "needs an array no two elements of which share memory",
    ),
    "few": (lambda m: [m[:12]], "out[0]: needs a writable array of float32 with sizes"),
    "many": (lambda _: [b"", None], "out: needs a list of 1 arrays or None, got 2"),
    "array": (lambda m: m, "out: needs a list of 1 arrays or None, got "),
}


@pytest.mark.parametrize(("out", "sentence"), REFUSED.values(), ids=REFUSED)
def test_outputs_that_do_not_fit_are_refused(out, sentence):
    graph = compiled(scattered)
    memory = np.arange(30, dtype=np.float32)
    before = memory.copy()

    with pytest.raises(dml.BindingError) as caught:
        graph({"x": memory[:24].reshape(4, 6), "rows": np.zeros((1, 6))}, out=out(memory))

    assert sentence in str(caught.value)
    assert_bits_equal(actual=memory, expected=before)


def test_outputs_take_any_strides_and_lie_on_inputs_then():
    graph = compiled(lambda graph, x: [dml.activation_relu(x), dml.add(x, x)], sizes=(4, 6))
    whole = np.arange(-48, 48, dtype=np.float32).reshape(8, 12)
    before = whole.copy()
    x = whole[::2, 11:5:-1]
    expected = graph({"x": x.copy()})
    for out in ([x, None], [None, x], [x, np.empty((6, 4), np.float32).T]):
        whole[...] = before
        found = graph({"x": x}, out=out)
        for actual, wanted, array in zip(found, expected, out, strict=True):
            assert array is None or actual is array
            assert_bits_equal(actual=actual, expected=wanted)
        others = np.ones_like(whole, bool)
        others[::2, 6:12] = False
        assert_bits_equal(actual=whole[others], expected=before[others])
    with pytest.raises(dml.BindingError, match="apart from that of another output"):
        graph({"x": before[:4, :6]}, out=[x, whole[:4, :6]])


def test_binding_tables_take_what_the_graph_was_compiled_for():
    graph = compiled(scattered)
    device = graph.device
    target = device.compile_graph(graph.desc, shares={0: 0})
    buffer, rows = np.zeros(64, np.float32), np.full(64, -1, np.float32)
    buffer[:24] = CACHE.reshape(-1)
    at, persistent = np.full(64, 2, np.int32), np.zeros(target.plan.persistent_size, np.uint8)
    binding = dml.BufferBinding
    initializer = device.create_operator_initializer([target])
    first, table = device.create_binding_table(initializer), device.create_binding_table(target)
    first.bind_inputs([[None, None, binding(at)]])
    first.bind_outputs([binding(persistent)])
    table.bind_inputs([binding(buffer), binding(rows), None])
    table.bind_outputs([binding(buffer)])
    table.bind_persistent_resource(binding(persistent))
    if target.plan.temporary_size:
        table.bind_temporary_resource(binding(np.zeros(target.plan.temporary_size, np.uint8)))
    commands, recorder = dml.CommandList(device), dml.CommandRecorder(device)
    recorder.record_dispatch(commands, initializer, first)
    recorder.record_dispatch(commands, target, table)
    commands.close()
    dml.CommandQueue(device).execute(commands)

    expected = CACHE.copy()
    expected[2] = -1
    assert_bits_equal(actual=buffer[:24].reshape(4, 6), expected=expected)
    table.bind_outputs([binding(np.zeros(64, np.float32))])
    with pytest.raises(dml.DeviceLostError, match="begins there was expected"):
        recorder.record_dispatch(dml.CommandList(device), target, table)


def test_a_decoder_puts_rows_into_its_cache_and_gives_the_same_bits():
    loaded = dml.load_onnx(decoder(SMALL, "fixed"))
    expected_cache = feed(16)
    cache = {name: array.copy() for name, array in expected_cache.items()}
    out = {name.replace("past", "present"): cache[name] for name in cache if "past_l" not in name
           and "past" in name}  # fmt: skip
    for at in range(5):
        token = {"input_ids": np.array([[7 * at]]), "past_length": np.array([at])}
        expected = loaded(expected_cache | token)
        results = loaded(cache | token, out=out)
        for actual, wanted in zip(results, expected, strict=True):
            assert_bits_equal(actual=actual, expected=wanted)
        for name, array in zip(list(loaded.outputs)[1:], expected[1:], strict=True):
            assert results[list(loaded.outputs).index(name)] is out[name]
            expected_cache[name.replace("present", "past")] = array
    with pytest.raises(dml.BindingError, match=r"ONNX\.out\.logits: needs an array of float32 \[1"):
        loaded(cache | token, out={"logits": np.empty(3, np.float32)})
    with pytest.raises(dml.BindingError, match="needs outputs of the model"):
        loaded(cache | token, out={"nothing": None})


def grouped_attention(capacity, heads=4, shared=2, size=8, batch=2, length=1, dtype=np.float32):
    """Return attention as ONNX Runtime's DirectML provider drives it: names and a graph."""
    graph = dml.Graph(dml.Device())
    sizes = {
        "query": [batch, length, heads * size],
        "key": [batch, length, shared * size],
        "value": [batch, length, shared * size],
        "past_key": [batch, shared, capacity, size],
        "past_value": [batch, shared, capacity, size],
    }
    inputs = {name: graph.input(each, dtype, name=name) for name, each in sizes.items()}
    lengths = graph.input([batch], np.int32, name="lengths")
    found = dml.multihead_attention1(
        **inputs, past_sequence_lengths=lengths, query_head_count=heads,
        key_value_head_count=shared, scale=size**-0.5, mask_filter_value=LEAST,
        output_present=True,
    )  # fmt: skip
    return graph.compile(list(found)), sizes


LEAST = float(np.finfo(np.float32).min)

GROUPED = """<ir_version: 8, opset_import: ["" : 18, "com.microsoft" : 1]>
grouped (float[B, L, Q] query, float[B, L, K] key, float[B, L, K] value, float[B, H, C, S] past_key,
 float[B, H, C, S] past_value, int32[B] lengths, int32 total)
 => (float[B, L, Q] y, float[B, H, C, S] k, float[B, H, C, S] v) {
 y, k, v = com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2>(query, key, value,
 past_key, past_value, lengths, total) }"""


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_cache_is_put_into_and_read_as_it_is(dtype):
    """Nothing but attention reads all of it, and its bits stay, those of NaNs too."""
    attention, sizes = grouped_attention(64, dtype=dtype)
    random = np.random.default_rng(7)
    feed = {n: random.standard_normal(each).astype(dtype) for n, each in sizes.items()}
    bits = f"u{np.dtype(dtype).itemsize}"
    for name in ("past_key", "past_value"):
        feed[name].view(bits)[:, :, -1] = {"u2": 0x7E15, "u4": 0x7FC12345}[bits]
    feed["lengths"] = np.array([5, 63], np.int32)
    expected = attention(feed)
    caches = [feed["past_key"].copy(), feed["past_value"].copy()]

    found = attention(feed | dict(zip(("past_key", "past_value"), caches, strict=True)),
                      out=[None, *caches])  # fmt: skip

    for actual, each in zip(found, expected, strict=True):
        assert_bits_equal(actual=actual, expected=each)
    for cache, name in zip(caches, ("past_key", "past_value"), strict=True):
        assert_bits_equal(actual=cache[0, :, 6:], expected=feed[name][0, :, 6:])
    programs = [step for step in attention.plan.steps if isinstance(step, ProgramStep)]
    assert max(view.element_count for step in programs for view in step.outputs) <= 128


def test_attention_puts_keys_and_values_behind_the_past():
    """One token after the other: in place and not, by the operator and by ONNX Runtime's."""
    onnx = pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    capacity = 12
    attention, sizes = grouped_attention(capacity)
    proto = onnx.parser.parse_model(GROUPED)
    theirs = onnxruntime.InferenceSession(
        proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    loaded = dml.load_onnx(proto)
    random = np.random.default_rng(11)
    caches = {n: random.standard_normal(s).astype(np.float32) for n, s in sizes.items() if "p" in n}
    apart = {name: array.copy() for name, array in caches.items()}
    own = {name: array.copy() for name, array in caches.items()}
    caches["past_key"].view(np.uint32)[:, :, -1] = 0x7FC12345  # whose payload stays
    apart = {name: array.copy() for name, array in caches.items()}
    for at in range(4):
        new = {n: random.standard_normal(sizes[n]).astype(np.float32)
               for n in ("query", "key", "value")}  # fmt: skip
        lengths = np.array([at, at + 3], np.int32)
        expected = attention(new | apart | {"lengths": lengths})
        out = [None, caches["past_key"], caches["past_value"]]
        results = attention(new | caches | {"lengths": lengths}, out=out)
        for actual, wanted in zip(results, expected, strict=True):
            assert_bits_equal(actual=actual, expected=wanted)
        apart = dict(zip(("past_key", "past_value"), expected[1:], strict=True))
        if at == 0:
            for b, first in enumerate(lengths):
                row = new["key"][b].reshape(2, 8)
                assert_bits_equal(actual=caches["past_key"][b, :, first], expected=row)
        feed = new | own | {"lengths": lengths, "total": np.array(capacity, np.int32)}
        named = zip(("y", "k", "v"), theirs.run(None, feed), strict=True)
        ours = dict(zip(("y", "k", "v"), loaded(feed), strict=True))
        for name, their in named:
            if name == "y":
                np.testing.assert_allclose(ours[name], their, rtol=1e-5, atol=1e-6)
                np.testing.assert_allclose(results[0], their, rtol=1e-5, atol=1e-6)
        loaded(feed, out={"k": own["past_key"], "v": own["past_value"]})
        assert_bits_equal(actual=own["past_key"], expected=ours["k"])
    plan = attention.device.compile_graph(attention.desc, shares={1: 3, 2: 4}).plan
    read = [v.buffer for step in plan.steps for v in views_of(step)[0] if v is not None]
    assert not {3, 4} & set(read)


HEADS, SHARED, SIZE, ROOM, BATCH, NEW = 4, 2, 8, 12, 2, 3


def without_past(dtype, *, has_bias):
    """Return attention as ONNX Runtime's provider describes it: its past is in the presents."""
    sizes = {
        "query_tensor": [BATCH, NEW, HEADS * SIZE],
        "key_tensor": [BATCH, NEW, SHARED * SIZE],
        "value_tensor": [BATCH, NEW, SHARED * SIZE],
        "output_tensor": [BATCH, NEW, HEADS * SIZE],
        "output_present_key_tensor": [BATCH, SHARED, ROOM, SIZE],
        "output_present_value_tensor": [BATCH, SHARED, ROOM, SIZE],
    } | ({"bias_tensor": [(HEADS + 2 * SHARED) * SIZE]} if has_bias else {})
    tensors = {name: dml.TensorDesc(dtype, each) for name, each in sizes.items()}
    tensors["past_sequence_lengths_tensor"] = dml.TensorDesc(np.int32, [BATCH])
    return dml.MultiheadAttention1OperatorDesc(
        **tensors, scale=0.25, mask_filter_value=-1e4, query_head_count=HEADS,
        key_value_head_count=SHARED, mask_type=dml.MultiheadAttentionMaskType.NONE,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("way", ["operator", "strided", "graph"])
def test_the_past_may_be_in_the_memory_of_the_present(way, has_bias, dtype):
    """What new rows are not written to stays; with a past of its own attention gives the same."""
    device, random = dml.Device(), np.random.default_rng(3)
    desc = without_past(dtype, has_bias=has_bias)
    operator = device.create_operator(desc)
    given = {name: random.standard_normal(t.sizes).astype(dtype) for name, t in
             desc.tensors("input_tensor") if t is not None}  # fmt: skip
    given["past_sequence_lengths_tensor"] = np.array([5, 10], np.int32)
    caches = [random.standard_normal((BATCH, SHARED, ROOM, SIZE)).astype(dtype) for _ in range(2)]
    caches[0].view(f"u{caches[0].itemsize}")[:, :, -1, 0] = {4: 0x7FC12345, 2: 0x7E15}[
        caches[0].itemsize
    ]  # of a NaN that is not looked at
    past = dml.TensorDesc(dtype, caches[0].shape)
    whole = device.create_operator(
        desc.with_fields({"past_key_tensor": past, "past_value_tensor": past})
    )
    apart = dict(zip(("past_key_tensor", "past_value_tensor"), caches, strict=True))
    expected = device.compile_operator(whole)(**given, **apart)
    nothing = dict.fromkeys(apart, np.zeros_like(caches[0]))
    empty = device.compile_operator(whole)(**given, **nothing)
    compiled = device.compile_operator(operator)

    if way == "graph":
        results = in_a_graph(device, operator, given, caches)
    else:
        presents = [each.copy() for each in caches]
        if way == "strided":
            presents = [np.repeat(each, 2, 3)[..., ::2] for each in presents]
        out = np.empty(expected[0].shape, dtype)
        inputs = [given.get(name) for name, _ in desc.tensors("input_tensor")]
        results = compiled(inputs, out=[out, *presents])

    for actual, wanted in zip(results, expected, strict=True):
        assert_bits_equal(actual=np.ascontiguousarray(actual), expected=wanted)
    for actual, wanted in zip(compiled(**given), empty, strict=True):
        assert_bits_equal(actual=actual, expected=wanted)
    first = len(compiled.plan.inputs)
    writers = [step for step in compiled.plan.steps
               if any(v.buffer in (first + 1, first + 2) for v in views_of(step)[1])]  # fmt: skip
    if not has_bias or dtype is np.float32:
        assert [step.inputs[0] for step in writers] == [None, None]


def with_kept_past(rows):
    """Return a compiled attention whose past is in its presents, and new rows for it."""
    graph, random = dml.Graph(dml.Device()), np.random.default_rng(9)
    new = [random.standard_normal((1, rows, 16)).astype(np.float32) for _ in range(3)]
    query, key, value = (graph.input([1, rows, 16], name=name) for name in "qkv")
    found = dml.multihead_attention1(
        query=query, key=key, value=value,
        past_sequence_lengths=graph.input([1], np.int32, name="lengths"), query_head_count=2,
        key_value_head_count=2, scale=0.5, mask_filter_value=LEAST, output_present=True,
    )  # fmt: skip
    return graph.compile(list(found)), new


def test_a_past_in_memory_that_a_call_makes_is_nothing(monkeypatch):
    made = cpu.new_memory
    monkeypatch.setattr(
        cpu, "new_memory", lambda size, *, zeroed: made(size, zeroed=True) + (0 if zeroed else 0xA5)
    )
    compiled, new = with_kept_past(4)
    lengths = np.array([3], np.int32)

    _, keys, values = compiled(*new, lengths)

    for actual, rows in zip((keys, values), new[1:], strict=True):
        assert not actual[:, :, :3].any()
        assert_bits_equal(actual=actual[0, :, 3], expected=rows[0, 0].reshape(2, 8))


def test_a_past_that_is_kept_is_not_copied_to_another_place():
    """A copy at the end would lose what lies there, so an array with gaps is refused."""
    compiled, new = with_kept_past(1)
    sizes, inputs = compiled.plan.outputs[1].sizes, (*new, np.zeros(1, np.int32))
    for number in (1, 2):
        out = [None, np.ones(sizes, np.float32), np.ones(sizes, np.float32)]
        out[number] = np.ones((*sizes, 2), np.float32)[..., 0]

        with pytest.raises(dml.BindingError) as caught:
            compiled(*inputs, out=out)

        assert str(caught.value).startswith(f"GRAPH.dispatch.out[{number}]: needs a packed array, ")
        assert f"got strides of {out[number].strides} bytes" in str(caught.value)
        assert all((each == 1).all() for each in out[1:])


def in_a_graph(device, operator, given, caches):
    """Return what a graph of an operator gives, bound by tables; presents hold the caches."""
    tensors = operator.desc.tensors("input_tensor")
    numbers = [number for number, (_, tensor) in enumerate(tensors) if tensor is not None]
    graph = dml.GraphDesc(
        len(numbers), 3, [operator],
        input_edges=[dml.InputEdge(k, 0, number) for k, number in enumerate(numbers)],
        output_edges=[dml.OutputEdge(0, k, k) for k in range(3)],
    )  # fmt: skip
    target = device.compile_graph(graph)
    table, commands = device.create_binding_table(target), dml.CommandList(device)
    initializer = device.create_operator_initializer([target])
    first, recorder = device.create_binding_table(initializer), dml.CommandRecorder(device)

    def bound(array, padding=64):
        raw = np.zeros(array.nbytes + padding, np.uint8)
        raw[: array.nbytes] = array.reshape(-1).view(np.uint8)
        return raw

    outputs = [bound(np.full_like(given["query_tensor"], 7)), *map(bound, caches)]
    table.bind_inputs([dml.BufferBinding(bound(given[tensors[n][0]])) for n in numbers])
    table.bind_outputs([dml.BufferBinding(raw) for raw in outputs])
    if target.plan.temporary_size:
        memory = np.full(target.plan.temporary_size, 77, np.uint8)
        table.bind_temporary_resource(dml.BufferBinding(memory))
    recorder.record_dispatch(commands, initializer, first)
    recorder.record_dispatch(commands, target, table)
    commands.close()
    dml.CommandQueue(device).execute(commands)
    shapes = [given["query_tensor"].shape, *(each.shape for each in caches)]
    dtype = caches[0].dtype
    return [
        raw[:-64].view(dtype).reshape(shape) for raw, shape in zip(outputs, shapes, strict=True)
    ]


@pytest.mark.parametrize("strides", [(24, 6, 1), (1, 4, 8), (-24, 6, 1), (30, 7, 1)])
@pytest.mark.parametrize("index_type", [np.int8, np.uint16, np.int32, np.int64])
def test_updates_are_put_natively_where_numpy_puts_them(strides, index_type):
    """By elements along each axis and by tuples; indices beyond either end, and twice the same."""
    random = np.random.default_rng(5)
    sizes = (2, 4, 6)
    for axis, width in ((0, 0), (1, 0), (2, 0), (None, 1), (None, 2), (None, 3)):
        shape = [2, 3, 4] if axis is not None else [5, width]
        low = 0 if np.dtype(index_type).kind == "u" else -9
        indices = random.integers(low, 9, shape).astype(index_type)
        updates_shape = shape if axis is not None else [5, *sizes[width:]]
        updates = random.standard_normal(updates_shape).astype(np.float32)
        whole = random.standard_normal(64).astype(np.float32)
        first = 24 if strides[0] < 0 else 3
        kind = {np.int8: "INT8", np.uint16: "UINT16", np.int32: "INT32", np.int64: "INT64"}
        views = [
            View(0, dml.TensorDataType[kind[index_type]], indices.shape, packed(indices)),
            View(1, dml.TensorDataType.FLOAT32, updates.shape, packed(updates)),
        ]
        target = View(2, dml.TensorDataType.FLOAT32, sizes, strides, 4 * first)
        word = (scatter_elements if axis is not None else scatter_tuples).word
        fields = () if axis is None else (("axis", axis),)
        step = WordStep(word, "SCATTER", fields, (None, *views), (target,))
        assert step.native is not None
        memories = [a.reshape(-1).view(np.uint8).copy() for a in (indices, updates, whole)]
        cpu.execute(cpu.joined([step]), memories)

        expected = whole.copy()
        out = np.ndarray(sizes, np.float32, expected, 4 * first, [4 * s for s in strides])
        for place in np.ndindex(*shape if axis is not None else shape[:1]):
            if axis is not None:
                at = [*place]
                at[axis] = int(indices[place])
            else:
                at = [int(n) for n in indices[place]]
            at = [n + m if n < 0 else n for n, m in zip(at, sizes, strict=False)]
            if all(0 <= n < m for n, m in zip(at, sizes, strict=False)):
                out[tuple(at)] = updates[place]
        assert_bits_equal(actual=memories[2].view(np.float32), expected=expected)


def packed(array):
    return tuple(stride // array.itemsize for stride in array.strides)
