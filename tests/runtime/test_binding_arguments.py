"""What is given to binding tables, recorders and queues by mistake gets a sentence.

An object of another kind is a mistake that DirectML's compiler would find: it removes no device.
"""

from __future__ import annotations

import numpy as np
import pytest

import indirectml as dml

Binding = dml.BufferBinding


class Setup:
    """A device with a compiled operator, a table, a list and a recorder."""

    def __init__(self):
        self.device = dml.Device()
        tensor = dml.TensorDesc(np.float32, [3])
        desc = dml.FillValueConstantOperatorDesc(tensor, np.float32, 1)
        self.fill = self.device.compile_operator(self.device.create_operator(desc))
        self.table = self.device.create_binding_table(self.fill)
        self.commands = dml.CommandList(self.device)
        self.queue = dml.CommandQueue(self.device)
        self.recorder = self.device.create_command_recorder()
        self.binding = Binding(bytearray(16))


CASES = {
    "table of a number": (
        lambda s: s.device.create_binding_table(5),
        "Device.create_binding_table: needs a Dispatchable, got 5 (int)",
    ),
    "table of an operator that is not compiled": (
        lambda s: s.device.create_binding_table(s.fill.operator),
        (
            "Device.create_binding_table: needs a Dispatchable, "
            "got Operator(FILL_VALUE_CONSTANT) (Operator)"
        ),
    ),
    "reset to a number": (
        lambda s: s.table.reset(5),
        "BindingTable.reset: needs a Dispatchable, got 5 (int)",
    ),
    "initializer of one operator": (
        lambda s: s.device.create_operator_initializer(s.fill),
        (
            "Device.create_operator_initializer: needs a list of compiled operators, "
            "got CompiledOperator(FILL_VALUE_CONSTANT) (CompiledOperator)"
        ),
    ),
    "initializer of numbers": (
        lambda s: s.device.create_operator_initializer([5]),
        "Device.create_operator_initializer: needs a Dispatchable, got 5 (int)",
    ),
    "record numbers": (
        lambda s: s.recorder.record_dispatch(1, 2, 3),
        "CommandRecorder.record_dispatch: needs a CommandList, got 1 (int)",
    ),
    "record what is not compiled": (
        lambda s: s.recorder.record_dispatch(s.commands, None, s.table),
        "CommandRecorder.record_dispatch: needs a Dispatchable, got None (NoneType)",
    ),
    "record without a table": (
        lambda s: s.recorder.record_dispatch(s.commands, s.fill, [s.binding]),
        (
            "CommandRecorder.record_dispatch: needs a BindingTable, got "
            "[BufferBinding(bytearray, offset=0, size_in_bytes=None)] (list); give them one by one"
        ),
    ),
    "execute a number": (
        lambda s: s.queue.execute(5),
        "CommandQueue.execute: needs a CommandList, got 5 (int)",
    ),
    "bind a number": (
        lambda s: s.table.bind_outputs(5),
        "FILL_VALUE_CONSTANT.outputs: needs a list of BufferBinding or None, got 5 (int)",
    ),
    "bind without brackets": (
        lambda s: s.table.bind_outputs(s.binding),
        (
            "FILL_VALUE_CONSTANT.outputs: needs a list of BufferBinding or None, got "
            "BufferBinding(bytearray, offset=0, size_in_bytes=None) (BufferBinding); "
            "write [binding]"
        ),
    ),
    "bind inputs without brackets": (
        lambda s: s.table.bind_inputs(s.binding),
        (
            "FILL_VALUE_CONSTANT.inputs: needs a list of BufferBinding or None, got "
            "BufferBinding(bytearray, offset=0, size_in_bytes=None) (BufferBinding); "
            "write [binding]"
        ),
    ),
    "bind memory instead of a binding": (
        lambda s: s.table.bind_outputs([np.zeros(3, np.float32)]),
        "FILL_VALUE_CONSTANT.outputs[0]: needs a BufferBinding, got ndarray",
    ),
    "an offset that is a fraction": (
        lambda _: Binding(bytearray(16), offset=1.5),
        "BufferBinding.offset: needs a number of bytes, got 1.5 (float)",
    ),
    "a size that is text": (
        lambda _: Binding(bytearray(16), size_in_bytes="12"),
        "BufferBinding.size_in_bytes: needs a number of bytes, got '12' (str)",
    ),
}


@pytest.mark.parametrize(("call", "text"), CASES.values(), ids=CASES.keys())
def test_objects_of_another_kind_get_a_sentence_and_remove_no_device(call, text):
    s = Setup()

    with pytest.raises(dml.DataTypeError) as caught:
        call(s)

    assert str(caught.value) == text
    assert s.device.device_removed_reason == dml.HResult.S_OK


def test_numbers_of_bytes_may_be_numpys():
    binding = Binding(bytearray(64), offset=np.int64(16), size_in_bytes=np.uint32(12))

    assert (type(binding.offset), type(binding.size_in_bytes)) == (int, int)
    assert repr(binding) == "BufferBinding(bytearray, offset=16, size_in_bytes=12)"


GRAPHS = {
    "nodes": (lambda: dml.GraphDesc(0, 1, 5, []), "GRAPH.nodes: needs a list of operators, got 5"),
    "counts": (
        lambda: dml.GraphDesc("1", 1, [], []),
        "GRAPH.input_count: needs a number from 0 up, got '1'",
    ),
    "a list of edges": (
        lambda: dml.GraphDesc(0, 1, [], dml.OutputEdge(0, 0, 0)),
        (
            "GRAPH.output_edges: needs a list of OutputEdge, got OutputEdge(from_node_index=0, "
            "from_node_output_index=0, grap..."
        ),
    ),
    "edges": (
        lambda: dml.GraphDesc(0, 1, [], [dml.InputEdge(0, 0, 0)]),
        (
            "GRAPH.output_edges[0]: needs an OutputEdge, got InputEdge(graph_input_index=0, "
            "to_node_index=0, to_node_inpu..."
        ),
    ),
}


@pytest.mark.parametrize(("make", "text"), GRAPHS.values(), ids=GRAPHS.keys())
def test_graphs_are_described_by_numbers_and_lists(make, text):
    with pytest.raises(dml.DataTypeError) as caught:
        dml.Device().compile_graph(make())

    assert str(caught.value) == text
