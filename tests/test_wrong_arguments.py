"""Whatever is given by mistake gets a sentence of the package, and never one of Python's own."""

import numpy as np
import pytest

import indirectml as dml

#: Things of every kind, given wherever something else is needed. Some fit by chance.
WRONG = [
    5, None, "x", object(), [1], np.zeros(2), {}, b"abc", (1, 2), 1.5, float, dml, lambda: 1, 2**70,
    np.dtypes.StringDType(),
]  # fmt: skip


def tensor():
    return dml.TensorDesc(np.float32, [2])


class Scene:
    """A device of its own, since a mistake may remove it, and one of everything made by it."""

    def __init__(self):
        self.device = dml.Device()
        desc = dml.FillValueConstantOperatorDesc(tensor(), np.float32, 1)
        self.operator = self.device.create_operator(desc)
        self.fill = self.device.compile_operator(self.operator)
        self.table = self.device.create_binding_table(self.fill)
        self.commands = dml.CommandList(self.device)

    def record(self, commands, dispatchable, table):
        self.device.create_command_recorder().record_dispatch(commands, dispatchable, table)

    def bind(self, *binding):
        self.table.bind_outputs([dml.BufferBinding(*binding)])


CALLS = {
    # Object model
    "Device level": lambda s, w: dml.Device(feature_level=w),
    "Device rule": lambda s, w: dml.Device(sequence_rule=w),
    "Device name": lambda s, w: dml.Device(w),
    "create_operator": lambda s, w: s.device.create_operator(w),
    "compile_operator": lambda s, w: s.device.compile_operator(w),
    "compile_operator flags": lambda s, w: s.device.compile_operator(s.operator, w),
    "compile_graph": lambda s, w: s.device.compile_graph(w),
    "initializer": lambda s, w: s.device.create_operator_initializer(w),
    "initializer of one": lambda s, w: s.device.create_operator_initializer([w]),
    "create_binding_table": lambda s, w: s.device.create_binding_table(w),
    "feature": lambda s, w: s.device.check_feature_support(w, w),
    "feature levels": lambda s, w: s.device.check_feature_support(dml.Feature.FEATURE_LEVELS, w),
    "feature type": lambda s, w: s.device.check_feature_support(
        dml.Feature.TENSOR_DATA_TYPE_SUPPORT, w
    ),
    "execute": lambda s, w: dml.CommandQueue(s.device).execute(w),
    "record": lambda s, w: s.record(w, w, w),
    "record what": lambda s, w: s.record(s.commands, w, s.table),
    "record table": lambda s, w: s.record(s.commands, s.fill, w),
    "table reset": lambda s, w: s.table.reset(w),
    "bind_inputs": lambda s, w: s.table.bind_inputs(w),
    "bind_outputs": lambda s, w: s.table.bind_outputs(w),
    "bind one output": lambda s, w: s.table.bind_outputs([w]),
    "bind_temporary_resource": lambda s, w: s.table.bind_temporary_resource(w),
    "bind_persistent_resource": lambda s, w: s.table.bind_persistent_resource(w),
    "binding buffer": lambda s, w: s.bind(w),
    "binding offset": lambda s, w: s.bind(bytearray(64), w),
    "binding size": lambda s, w: s.bind(bytearray(64), 0, w),
    "CommandList": lambda s, w: dml.CommandList(w),
    "CommandQueue": lambda s, w: dml.CommandQueue(w),
    "BindingTable": lambda s, w: dml.BindingTable(w),
    "call inputs": lambda s, w: s.fill(w),
    "call out": lambda s, w: s.fill(out=w),
    "call one out": lambda s, w: s.fill(out=[w]),
    "desc": lambda s, w: dml.FillValueConstantOperatorDesc(w, w, w),
    "desc type": lambda s, w: dml.FillValueConstantOperatorDesc(tensor(), w, 1),
    "desc value": lambda s, w: dml.FillValueConstantOperatorDesc(tensor(), np.float32, w),
    "ConstantNode": lambda s, w: dml.ConstantNode(w),
    "ScalarUnion": lambda s, w: dml.ScalarUnion(w),
    "ScalarUnion member": lambda s, w: dml.ScalarUnion(float32=w),
    # Tensors
    "TensorDesc type": lambda s, w: dml.TensorDesc(w, [1]),
    "TensorDesc sizes": lambda s, w: dml.TensorDesc(np.float32, w),
    "TensorDesc strides": lambda s, w: dml.TensorDesc(np.float32, [1], strides=w),
    "TensorDesc flags": lambda s, w: dml.TensorDesc(np.float32, [1], flags=w),
    "TensorDesc total": lambda s, w: dml.TensorDesc(
        np.float32, [1], total_tensor_size_in_bytes=w
    ),
    "TensorDesc policy": lambda s, w: dml.TensorDesc(np.float32, [1], tensor_policy=w),
    "TensorPolicy": lambda s, w: dml.TensorPolicy(w),
    "calc sizes": lambda s, w: dml.calc_buffer_tensor_size(np.float32, w),
    "calc strides": lambda s, w: dml.calc_buffer_tensor_size(np.float32, [1], w),
    "calc type": lambda s, w: dml.calc_buffer_tensor_size(w, [1]),
    # Graphs
    "Graph": lambda s, w: dml.Graph(w),
    "Graph policy": lambda s, w: dml.Graph(s.device, tensor_policy=w),
    "Buffer device": lambda s, w: dml.Buffer(w, np.zeros(2)),
    "Buffer array": lambda s, w: dml.Buffer(s.device, w),
    "Buffer type": lambda s, w: dml.Buffer(s.device, np.zeros(2), w),
    # Arrays
    "fill_constant": lambda s, w: dml.fill_constant(w, 1),
    "fill_constant value": lambda s, w: dml.fill_constant(np.zeros(2), w),
    "fill_sequence rule": lambda s, w: dml.fill_sequence(np.zeros(2), 1, 1, rule=w),
    "full sizes": lambda s, w: dml.full(w, 1),
    "full size": lambda s, w: dml.full([w], 1),
    "full value": lambda s, w: dml.full([2], w),
    "full type": lambda s, w: dml.full([2], 1, w),
    "sequence": lambda s, w: dml.sequence(w, w, w, w),
    "sequence rule": lambda s, w: dml.sequence([2], 1, 1, rule=w),
    "Sequence": lambda s, w: dml.Sequence(w, 1),
    "Sequence rule": lambda s, w: dml.Sequence(0, 1, rule=w),
    "Sequence type": lambda s, w: dml.Sequence(0, 1, w),
    "Sequence write": lambda s, w: dml.Sequence(0, 1).write(w),
    "Sequence write first": lambda s, w: dml.Sequence(0, 1).write(np.zeros(2, np.float32), w),
    "Sequence element": lambda s, w: dml.Sequence(0, 1)[w],
    "Sequence slice": lambda s, w: dml.Sequence(0, 1)[w:w],
    "Sequence step": lambda s, w: dml.Sequence(0, 1)[0:2:w],
    "Sequence segments": lambda s, w: dml.Sequence(0, 1).segments(w),
    "configure target": lambda s, w: dml.configure(target=w),
    "configure threads": lambda s, w: dml.configure(max_threads=w),
}  # fmt: skip

#: Python's own way to say that a sequence has no such element.
EXPECTED = (dml.DirectMLError, IndexError)


@pytest.mark.parametrize("name", CALLS)
def test_what_is_given_by_mistake_gets_a_sentence(name):
    for wrong in WRONG:
        scene = Scene()
        try:
            CALLS[name](scene, wrong)
        except EXPECTED:
            continue
        except Exception as error:  # noqa: BLE001 (any other is a failure)
            pytest.fail(f"{name} of {wrong!r}: {type(error).__name__}: {error}")
