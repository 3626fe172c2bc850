"""The object model: DirectML's order of calls, its rules, and what breaking them leads to."""

import numpy as np
import pytest

import indirectml as dml
from tests.steps import counted

S_OK, E_INVALIDARG, REMOVED = 0, 0x80070057, 0x887A0005
Binding = dml.BufferBinding


class Setup:
    """A device with what every program needs, and shortcuts for the usual calls."""

    def __init__(self, **device):
        self.device = dml.Device(**device)
        self.recorder = self.device.create_command_recorder()
        self.queue = dml.CommandQueue(self.device)

    def compile(self, desc, flags=dml.ExecutionFlags.NONE):
        return self.device.compile_operator(self.device.create_operator(desc), flags)

    def ramp(self, count=3, **tensor):
        tensor = dml.TensorDesc(np.float32, [count], **tensor)
        return self.compile(dml.FillValueSequenceOperatorDesc(tensor, np.float32, 3, 2))

    def adder(self, count=4, flags=dml.TensorFlags.NONE):
        packed = dml.TensorDesc(np.float32, [count])
        second = dml.TensorDesc(np.float32, [count], flags=flags)
        return self.compile(dml.ElementWiseAddOperatorDesc(packed, second, packed))

    def table(self, dispatchable, inputs=None, outputs=None):
        table = self.device.create_binding_table(dispatchable)
        if inputs is not None:
            table.bind_inputs(inputs)
        if outputs is not None:
            table.bind_outputs(outputs)
        return table

    def execute(self, *dispatches):
        """Record (dispatchable, table) pairs, and execute them."""
        commands = dml.CommandList(self.device)
        for dispatchable, table in dispatches:
            self.recorder.record_dispatch(commands, dispatchable, table)
        commands.close()
        self.queue.execute(commands)
        return commands

    def initialize(self, *operators):
        initializer = self.device.create_operator_initializer(operators)
        self.execute((initializer, self.device.create_binding_table(initializer)))


def floats(buffer):
    return np.frombuffer(buffer, np.float32).tolist()


# ---- what works ----


def test_fills_a_range_of_a_buffer():
    s = Setup()
    ramp, buffer = s.ramp(), bytearray(64)
    s.initialize(ramp)

    s.execute((ramp, s.table(ramp, [], [Binding(buffer, 32, 12)])))

    assert floats(buffer) == [0] * 8 + [3, 5, 7] + [0] * 5


def test_a_command_list_is_executed_again_and_in_order():
    s = Setup()
    ramp, add = s.ramp(4), s.adder()
    buffer, total = bytearray(16), bytearray(16)
    s.initialize(ramp, add)
    sum_table = s.table(add, [Binding(buffer), Binding(total)], [Binding(total)])

    commands = s.execute((ramp, s.table(ramp, [], [Binding(buffer)])), (add, sum_table))
    s.queue.execute(commands)

    assert floats(total) == [6, 10, 14, 18]


def test_initializer_and_dispatch_may_share_a_list():
    s = Setup()
    ramp, buffer = s.ramp(), bytearray(12)
    initializer = s.device.create_operator_initializer([ramp])

    s.execute((initializer, s.table(initializer)), (ramp, s.table(ramp, [], [Binding(buffer)])))

    assert floats(buffer) == [3, 5, 7]


def test_owned_inputs_are_taken_in_at_initialization():
    s = Setup()
    add = s.adder(flags=dml.TensorFlags.OWNED_BY_DML)
    weights, x, out = np.arange(4, dtype=np.float32), np.ones(4, np.float32), bytearray(16)
    size = add.binding_properties.persistent_resource_size
    persistent = bytearray(size)
    initializer = s.device.create_operator_initializer([add])
    table = s.table(initializer, [[None, Binding(weights)]], [Binding(persistent)])
    s.execute((initializer, table))
    weights[:] = 99

    table = s.table(add, [Binding(x), None], [Binding(out)])
    table.bind_persistent_resource(Binding(persistent))
    s.execute((add, table))

    assert size >= 16
    assert initializer.binding_properties.persistent_resource_size == 0
    assert floats(out) == [1, 2, 3, 4]


def test_an_optional_input_is_bound_as_none():
    s = Setup()
    one = dml.TensorDesc(np.float32, [1, 1])
    gemm = s.compile(dml.GemmOperatorDesc(one, one, one, alpha=2))
    a, out = np.array([3], np.float32), bytearray(4)
    s.initialize(gemm)

    table = s.table(gemm, [Binding(a), Binding(a), None], [Binding(out)])
    # For the product, before it is doubled.
    size = gemm.binding_properties.temporary_resource_size
    table.bind_temporary_resource(Binding(bytearray(size)))
    s.execute((gemm, table))

    assert size >= 4
    assert floats(out) == [18]


def test_volatile_descriptors_are_bound_after_recording():
    s = Setup()
    tensor = dml.TensorDesc(np.float32, [3])
    desc = dml.FillValueSequenceOperatorDesc(tensor, np.float32, 3, 2)
    ramp = s.compile(desc, dml.ExecutionFlags.DESCRIPTORS_VOLATILE)
    s.initialize(ramp)
    table, commands, buffer = s.table(ramp), dml.CommandList(s.device), bytearray(12)
    s.recorder.record_dispatch(commands, ramp, table)
    table.bind_outputs([Binding(buffer)])
    commands.close()

    s.queue.execute(commands)

    assert floats(buffer) == [3, 5, 7]


def test_a_recorded_dispatch_keeps_its_bindings():
    s = Setup()
    ramp, first, second = s.ramp(), bytearray(12), bytearray(12)
    s.initialize(ramp)
    table, commands = s.table(ramp, [], [Binding(first)]), dml.CommandList(s.device)
    s.recorder.record_dispatch(commands, ramp, table)
    table.reset(ramp)
    table.bind_outputs([Binding(second)])
    commands.close()

    s.queue.execute(commands)

    assert (floats(first), floats(second)) == ([3, 5, 7], [0, 0, 0])


def test_an_empty_initializer_does_nothing():
    s = Setup()
    s.initialize()

    assert s.device.device_removed_reason == S_OK


def test_ten_thousand_recorded_fills_are_one_native_call():
    s = Setup()
    count, buffer = 10_000, np.zeros(640_000, np.uint8)
    ramp, commands = s.ramp(16), dml.CommandList(s.device)
    s.initialize(ramp)
    table = s.table(ramp)
    for k in range(count):
        table.bind_outputs([Binding(buffer, 64 * k, 64)])
        s.recorder.record_dispatch(commands, ramp, table)
    commands.close()

    _, steps = counted(lambda: s.queue.execute(commands))

    assert (buffer.view(np.float32).reshape(count, 16) == np.arange(3, 35, 2)).all()
    assert commands.native_call_count == 1
    assert steps < 5 * count  # lines of Python; what is checked of each command


# ---- feature support ----


def test_tells_what_is_supported():
    old, new = dml.Device(feature_level="2_1"), dml.Device()
    data_types, levels = dml.Feature.TENSOR_DATA_TYPE_SUPPORT, dml.Feature.FEATURE_LEVELS

    assert [d.check_feature_support(data_types, np.float64) for d in (old, new)] == [False, True]
    assert new.check_feature_support(data_types, dml.TensorDataType.INT4) is False
    assert old.check_feature_support(levels, ["1_0", "2_0", "5_0"]) == dml.FeatureLevel.LEVEL_2_0
    for feature, query, text in [
        (7, None, "feature: needs a member of Feature, got 7"),
        (levels, ["3_0"], "query: the device has feature level 2_1, got 3_0"),
    ]:
        with pytest.raises(dml.DeviceUnavailableError) as caught:
            old.check_feature_support(feature, query)
        assert (str(caught.value), caught.value.hresult) == (text, 0x887A0004)


# ---- mistakes: each removes the device ----


def _small(s):
    s.table(s.ramp(), [], [Binding(bytearray(8))])


def _range_outside(s):
    s.table(s.ramp(), [], [Binding(bytearray(16), 16, 12)])


def _offset_beyond(s):
    s.table(s.ramp(), [], [Binding(bytearray(16), 16_000_000)])


def _misaligned(s):
    s.table(s.ramp(), [], [Binding(bytearray(64), 8, 12)])


def _less_aligned_than_promised(s):
    ramp = s.ramp(guaranteed_base_offset_alignment=64)
    s.table(ramp, [], [Binding(bytearray(128), 16, 12)])


def _odd_size(s):
    s.table(s.ramp(), [], [Binding(bytearray(64), 0, 14)])


def _read_only(s):
    s.table(s.ramp(), [], [Binding(bytes(64))])


def _two_outputs(s):
    s.table(s.ramp(), [], [Binding(bytearray(16))] * 2)


def _one_input(s):
    s.table(s.adder(), [Binding(bytearray(16))])


def _missing_input(s):
    s.table(s.adder(), [Binding(bytearray(16)), None])


def _no_outputs(s):
    ramp = s.ramp()
    s.recorder.record_dispatch(dml.CommandList(s.device), ramp, s.table(ramp))


def _owned_at_execution(s):
    add = s.adder(flags=dml.TensorFlags.OWNED_BY_DML)
    s.table(add, [Binding(bytearray(16))] * 2)


def _not_owned_at_initialization(s):
    initializer = s.device.create_operator_initializer([s.adder()])
    s.table(initializer, [[Binding(bytearray(16)), None]])


def _no_persistent(s):
    add, memory = s.adder(flags=dml.TensorFlags.OWNED_BY_DML), bytearray(16)
    table = s.table(add, [Binding(memory), None], [Binding(bytearray(16))])
    s.recorder.record_dispatch(dml.CommandList(s.device), add, table)


def _small_persistent(s):
    add = s.adder(flags=dml.TensorFlags.OWNED_BY_DML)
    s.table(add).bind_persistent_resource(Binding(bytearray(16)))


def _overlap(s):
    add, memory = s.adder(), bytearray(32)
    table = s.table(add, [Binding(memory), Binding(bytearray(16))], [Binding(memory, 0, 16)])
    table.bind_outputs([Binding(memory, 16, 16)])
    table.bind_inputs([Binding(memory), Binding(memory)])
    s.recorder.record_dispatch(dml.CommandList(s.device), add, table)
    table.bind_inputs([Binding(bytearray(16)), Binding(memory, 0, 16)])
    cast = s.compile(
        dml.CastOperatorDesc(dml.TensorDesc(np.float32, [4]), dml.TensorDesc(np.int32, [4]))
    )
    table = s.table(cast, [Binding(memory)], [Binding(memory)])
    s.recorder.record_dispatch(dml.CommandList(s.device), cast, table)


def _not_initialized(s):
    ramp = s.ramp()
    s.execute((ramp, s.table(ramp, [], [Binding(bytearray(16))])))


def _initialized_twice(s):
    ramp = s.ramp()
    s.initialize(ramp)
    s.initialize(ramp)


def _closed_list(s):
    ramp, commands = s.ramp(), dml.CommandList(s.device)
    commands.close()
    s.recorder.record_dispatch(commands, ramp, s.table(ramp, [], [Binding(bytearray(16))]))


def _open_list(s):
    s.queue.execute(dml.CommandList(s.device))


def _table_of_another(s):
    first, second = s.ramp(), s.adder()
    table = s.table(first, [], [Binding(bytearray(16))])
    s.recorder.record_dispatch(dml.CommandList(s.device), second, table)


def _another_device(s):
    s.device.create_binding_table(Setup().ramp())


def _empty_table(s):
    s.table(None).bind_outputs([Binding(bytearray(16))])


FILL = "FILL_VALUE_SEQUENCE"
MISTAKES = [
    (_small, f"{FILL}.outputs[0]: a size of 8 bytes was provided, but at least 12 was expected"),
    (_range_outside, (f"{FILL}.outputs[0]: a range of 12 bytes at offset 16 was provided, but one "
     "inside the buffer's 16 bytes was expected")),
    (_offset_beyond, (f"{FILL}.outputs[0]: an offset of 16000000 bytes was provided, but one "
     "inside the buffer's 16 bytes was expected")),
    (_misaligned, (f"{FILL}.outputs[0]: an offset of 8 bytes was provided, but a multiple of 16 "
     "was expected")),
    (_less_aligned_than_promised, (f"{FILL}.outputs[0]: an offset of 16 bytes was provided, but a "
     "multiple of 64 was expected")),
    (_odd_size, (f"{FILL}.outputs[0]: a size of 14 bytes was provided, but a multiple of 4 was "
     "expected")),
    (_read_only, (f"{FILL}.outputs[0]: a read-only buffer was provided, but a writable one was "
     "expected")),
    (_two_outputs, f"{FILL}.outputs: 2 were provided, but 1 was expected"),
    (_one_input, "ELEMENT_WISE_ADD.inputs: 1 was provided, but 2 were expected"),
    (_missing_input, "ELEMENT_WISE_ADD.inputs[1]: no binding was provided, but one was expected"),
    (_no_outputs, f"{FILL}.outputs: 0 were provided, but 1 was expected"),
    (_owned_at_execution, ("ELEMENT_WISE_ADD.inputs[1]: a binding was provided, but none was "
     "expected, since it is owned by DirectML and is bound at initialization")),
    (_not_owned_at_initialization, ("ELEMENT_WISE_ADD.inputs[0]: a binding was provided, but none "
     "was expected, since it is not owned by DirectML and is bound at execution")),
    (_no_persistent, ("ELEMENT_WISE_ADD.persistent_resource: no binding was provided, but one of "
     "at least 256 bytes was expected")),
    (_small_persistent, ("ELEMENT_WISE_ADD.persistent_resource: a size of 16 bytes was provided, "
     "but at least 256 was expected")),
    (_overlap, ("CAST.outputs[0]: a range that overlaps inputs[0] was provided, but one of its own "
     "was expected")),
    (_not_initialized, (f"{FILL}: a dispatch was provided before initialization, but an executed "
     "initializer was expected first")),
    (_initialized_twice, (f"{FILL}: a second initialization was provided, but exactly one was "
     "expected")),
    (_closed_list, ("CommandRecorder.record_dispatch: a closed command list was provided, but an "
     "open one was expected")),
    (_open_list, ("CommandQueue.execute: an open command list was provided, but a closed one was "
     "expected")),
    (_table_of_another, ("CommandRecorder.record_dispatch: a binding table for CompiledOperator("
     f"{FILL}) was provided, but one for CompiledOperator(ELEMENT_WISE_ADD) was expected")),
    (_another_device, ("Device.create_binding_table: an object of another device was provided, "
     "but one of this device was expected")),
    (_empty_table, ("BindingTable.bind_outputs: an empty table was provided, but one with a "
     "dispatchable was expected")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("mistake", "text"), [pytest.param(*case, id=case[0].__name__[1:]) for case in MISTAKES]
)
def test_misuse_removes_the_device_and_says_why(mistake, text):
    s = Setup()
    assert s.device.device_removed_reason == S_OK

    with pytest.raises(dml.DeviceLostError) as caught:
        mistake(s)

    assert str(caught.value) == text
    assert caught.value.hresult == REMOVED
    assert s.device.device_removed_reason == E_INVALIDARG


def test_a_removed_device_refuses_everything_and_repeats_the_reason():
    s = Setup()
    ramp, memory = s.ramp(), bytearray(16)
    table, commands = s.table(ramp), dml.CommandList(s.device)
    with pytest.raises(dml.DeviceLostError):
        table.bind_outputs([])
    one = dml.TensorDesc(np.float32, [1])
    device = s.device

    for call in [
        lambda: device.create_operator(dml.FillValueConstantOperatorDesc(one, np.float32, 1)),
        lambda: device.compile_operator(ramp.operator),
        lambda: device.compile_graph(dml.GraphDesc(0, 1, [], [])),
        device.create_operator_initializer,
        device.create_binding_table,
        device.create_command_recorder,
        lambda: device.check_feature_support(dml.Feature.TENSOR_DATA_TYPE_SUPPORT, np.float32),
        lambda: table.reset(ramp),
        commands.close,
        lambda: s.queue.execute(commands),
        lambda: dml.Buffer(device, np.zeros(1)),
    ]:
        with pytest.raises(dml.DeviceLostError) as caught:
            call()
        assert caught.value.hresult == REMOVED
        assert str(caught.value) == (
            f"the device was removed, because of {FILL}.outputs: 0 were provided, but 1 was "
            "expected; make a new device and everything on it"
        )
    # What returns nothing in DirectML does nothing.
    table.bind_outputs([Binding(memory)])
    s.recorder.record_dispatch(commands, ramp, table)


def test_a_descriptor_tells_all_its_mistakes_and_a_device_raises_the_first():
    wide = dml.TensorDesc(np.float64, [2, 3])
    desc = dml.ElementWiseAddOperatorDesc(
        dml.TensorDesc(np.int8, [2, 3]), dml.TensorDesc(np.int8, [3, 2]), wide
    )

    mistakes = [str(error) for error in desc.mistakes(dml.FeatureLevel.LEVEL_6_4)]

    assert [text.partition(":")[0] for text in mistakes] == [
        "ELEMENT_WISE_ADD.output_tensor.data_type",
        "ELEMENT_WISE_ADD.b_tensor.sizes",
    ]
    with pytest.raises(dml.DirectMLError) as caught:
        dml.Device().create_operator(desc)
    assert str(caught.value) == mistakes[0]


def test_bad_descriptors_do_not_remove_the_device():
    device = dml.Device()

    with pytest.raises(dml.DescriptorError) as caught:
        device.create_operator(
            dml.FillValueConstantOperatorDesc(dml.TensorDesc(np.int8, [1]), np.int32, 1)
        )

    assert caught.value.hresult == E_INVALIDARG
    assert device.device_removed_reason == S_OK


# ---- graphs in the object model ----


def _fill(s, count=4):
    tensor = dml.TensorDesc(np.float32, [count])
    return s.device.create_operator(dml.FillValueConstantOperatorDesc(tensor, np.float32, 2))


def _add(s, count=4, flags=dml.TensorFlags.NONE):
    packed = dml.TensorDesc(np.float32, [count])
    second = dml.TensorDesc(np.float32, [count], flags=flags)
    return s.device.create_operator(dml.ElementWiseAddOperatorDesc(packed, second, packed))


In, Out, Between = dml.InputEdge, dml.OutputEdge, dml.IntermediateEdge
OWNED = dml.TensorFlags.OWNED_BY_DML
BAD_GRAPHS = [
    ("cycle", lambda s: dml.GraphDesc(1, 1, [_add(s), _add(s)], [Out(1, 0, 0)], [In(0, 0, 0)],
     [Between(1, 0, 0, 1), Between(0, 0, 1, 0), Between(0, 0, 1, 1)]),
     ("GRAPH: a graph has no cycles, got one among nodes[0] (ELEMENT_WISE_ADD), "
     "nodes[1] (ELEMENT_WISE_ADD)")),
    ("input not connected", lambda s: dml.GraphDesc(1, 1, [_add(s)], [Out(0, 0, 0)], [In(0, 0, 0)]),
     "GRAPH.nodes[0] (ELEMENT_WISE_ADD).b_tensor: is not connected"),
    ("node output not connected", lambda s: dml.GraphDesc(0, 1, [_fill(s), _fill(s)],
     [Out(0, 0, 0)]), ("GRAPH.nodes[1] (FILL_VALUE_CONSTANT).output_tensor: is not connected, and "
     "every output of a node is used; make it an output of the graph too")),
    ("output not connected", lambda s: dml.GraphDesc(0, 2, [_fill(s)], [Out(0, 0, 0)]),
     "GRAPH.outputs[1]: is not connected"),
    ("total sizes", lambda s: dml.GraphDesc(1, 1, [_fill(s, 5), _add(s)], [Out(1, 0, 0)],
     [In(0, 1, 0)], [Between(0, 0, 1, 1)]),
     ("GRAPH.nodes[1] (ELEMENT_WISE_ADD).b_tensor: both ends of an edge have "
     "the same total size, 20 bytes, got 16")),
    ("owned and intermediate", lambda s: dml.GraphDesc(1, 1, [_fill(s), _add(s, flags=OWNED)],
     [Out(1, 0, 0)], [In(0, 1, 0)], [Between(0, 0, 1, 1)]),
     ("GRAPH.nodes[1] (ELEMENT_WISE_ADD).b_tensor: an input that is owned by "
     "DirectML is fed by an input of the graph, got an intermediate edge")),
    ("owned by some", lambda s: dml.GraphDesc(1, 1, [_add(s, flags=OWNED)], [Out(0, 0, 0)],
     [In(0, 0, 0), In(0, 0, 1)]),
     ("GRAPH.inputs[0]: all consumers of an input agree on whether it is owned by "
     "DirectML, got both kinds")),
    ("connected twice", lambda s: dml.GraphDesc(1, 1, [_add(s)], [Out(0, 0, 0)],
     [In(0, 0, 0), In(0, 0, 0)]),
     ("GRAPH.nodes[0] (ELEMENT_WISE_ADD).a_tensor: an input is connected once, "
     "got two edges")),
    ("constant to an output", lambda s: dml.GraphDesc(0, 1, [dml.ConstantNode(b"1234")],
     [Out(0, 0, 0)]), ("GRAPH.outputs[0]: a constant is not wired straight to an output, got "
     "nodes[0] (CONSTANT); put ELEMENT_WISE_IDENTITY between them")),
    ("constant not connected", lambda s: dml.GraphDesc(0, 1, [_fill(s), dml.ConstantNode(b"1234")],
     [Out(0, 0, 0)]), ("GRAPH.nodes[1] (CONSTANT).data: is not connected, and every output of a "
     "node is used; leave the node out")),
    ("size of a constant", lambda s: dml.GraphDesc(1, 1, [_add(s), dml.ConstantNode(bytes(12))],
     [Out(0, 0, 0)], [In(0, 0, 0)], [Between(1, 0, 0, 1)]),
     ("GRAPH.nodes[0] (ELEMENT_WISE_ADD).b_tensor: both ends of an edge have "
     "the same total size, 12 bytes, got 16")),
    ("constant to an owned input", lambda s: dml.GraphDesc(1, 1, [_add(s, flags=OWNED),
     dml.ConstantNode(bytes(16))], [Out(0, 0, 0)], [In(0, 0, 0)], [Between(1, 0, 0, 1)]),
     ("GRAPH.nodes[0] (ELEMENT_WISE_ADD).b_tensor: an input that is owned by "
     "DirectML is fed by an input of the graph, got an intermediate edge")),
    ("no node", lambda s: dml.GraphDesc(0, 1, [b"1234"], [Out(0, 0, 0)]),
     "nodes[0]: needs an operator of this device, or a ConstantNode, got b'1234'"),
    ("index that is text", lambda s: dml.GraphDesc(0, 1, [_fill(s)], [Out("0", 0, 0)]),
     "GRAPH.output_edges[0].from_node_index: needs an index below 1, got '0'"),
    ("no such node", lambda s: dml.GraphDesc(0, 1, [_fill(s)], [Out(1, 0, 0)]),
     "GRAPH.output_edges[0].from_node_index: needs an index below 1, got 1"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "text"), [pytest.param(make, text, id=name) for name, make, text in BAD_GRAPHS]
)
def test_refuses_graphs_with_a_sentence(make, text):
    s = Setup()

    with pytest.raises(dml.DescriptorError) as caught:
        s.device.compile_graph(make(s))

    assert str(caught.value) == text
    assert caught.value.hresult == E_INVALIDARG
    assert s.device.device_removed_reason == S_OK


def test_a_graph_is_initialized_bound_and_recorded_like_an_operator():
    s = Setup()
    edges = [In(0, 1, 0)], [Between(0, 0, 1, 1)]
    tensor = dml.TensorDesc(np.float32, [4])
    # A sequence, since a constant would become a part of the addition.
    twos = s.device.create_operator(dml.FillValueSequenceOperatorDesc(tensor, np.float32, 2, 0))
    graph = s.device.compile_graph(dml.GraphDesc(1, 1, [twos, _add(s)], [Out(1, 0, 0)], *edges))
    properties = graph.binding_properties
    x, out = np.arange(4, dtype=np.float32), bytearray(16)
    s.initialize(graph)

    table = s.table(graph, [Binding(x)], [Binding(out)])
    table.bind_temporary_resource(Binding(bytearray(properties.temporary_resource_size)))
    s.execute((graph, table))

    assert properties == dml.BindingProperties(3, 256, 0)
    assert floats(out) == [2, 3, 4, 5]


def test_constant_nodes_feed_operators():
    s = Setup()
    tensor = dml.TensorDesc(np.float16, [3])
    add = s.device.create_operator(dml.ElementWiseAddOperatorDesc(tensor, tensor, tensor))
    three = dml.ConstantNode(np.array([1, 2, 3], np.float16))
    edges = [Out(1, 0, 0)], [In(0, 1, 0)], [Between(0, 0, 1, 1)]
    graph = s.device.compile_graph(dml.GraphDesc(1, 1, [three, add], *edges))
    persistent, x, out = np.full(256, 9, np.uint8), np.zeros(4, np.float16), bytearray(8)
    initializer = s.device.create_operator_initializer([graph])
    s.execute((initializer, s.table(initializer, None, [Binding(persistent)])))

    table = s.table(graph, [Binding(x)], [Binding(out)])
    table.bind_persistent_resource(Binding(persistent))
    s.execute((graph, table))

    assert graph.binding_properties == dml.BindingProperties(3, 0, 256)
    assert persistent[:8].view(np.float16).tolist() == [1, 2, 3, 0]
    assert np.frombuffer(out, np.float16)[:3].tolist() == [1, 2, 3]


def test_constant_nodes_need_feature_level_6_2():
    graph = dml.GraphDesc(0, 1, [dml.ConstantNode(b"1234")], [Out(0, 0, 0)])

    with pytest.raises(dml.DescriptorError) as caught:
        dml.Device(feature_level="6_1").compile_graph(graph)

    assert str(caught.value) == (
        "nodes[0]: a constant node needs feature level 6_2, got a device of level 6_1"
    )


@pytest.mark.parametrize("data", [b"", "text", None])
def test_constant_nodes_are_made_of_bytes(data):
    with pytest.raises(dml.DataTypeError, match=r"ConstantNode\.data: needs bytes or an array"):
        dml.ConstantNode(data)
