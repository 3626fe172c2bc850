"""Devices are files that are found by their names; plans go to them, whichever they are."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import indirectml as dml
from indirectml import devices
from indirectml.devices import device_names
from indirectml.plans import FillStep

FOLDER = Path(__file__).parent / "null_device"
PACKAGE = Path(devices.__file__).parents[1]
TENSOR = dml.TensorDesc(np.float32, [3])


@pytest.fixture
def null(monkeypatch):
    """Return the null device's module, found as the others are."""
    monkeypatch.setattr(devices, "__path__", [*devices.__path__, str(FOLDER)])
    module = devices.implementation("null")
    module.calls.clear()
    return module


def fill(device):
    desc = dml.FillValueConstantOperatorDesc(TENSOR, np.float32, 1)
    return device.compile_operator(device.create_operator(desc))


def test_a_file_is_a_device(null):
    assert device_names() == ("broken", "cpu", "null")
    assert dml.Device("null").implementation is null
    assert repr(dml.Device("null")) == (
        "Device('null', feature_level='6_4', sequence_rule='accumulate')"
    )


def test_the_cpu_is_the_device_if_none_is_named():
    assert dml.Device().name == "cpu"
    assert device_names() == ("cpu",)


def test_direct_calls_go_to_the_device(null):
    operator = fill(dml.Device("null"))

    assert operator() == [("array", TENSOR)]

    assert null.calls == [("run", operator.plan, [("array", TENSOR)], [])]


def test_graphs_go_to_the_device(null):
    graph = dml.Graph(dml.Device("null"))
    ones = dml.fill_value_constant(graph, sizes=[3], value=1)

    (result,) = graph.compile([ones])()

    assert result.tolist() == [0, 0, 0]
    steps, count = null.calls[-1][1:]
    assert [type(step) for step in steps] == [FillStep]
    assert count == 3


def test_recorded_dispatches_go_to_the_device(null):
    device = dml.Device("null")
    operator = fill(device)
    table = device.create_binding_table(operator)
    table.bind_outputs([dml.BufferBinding(bytearray(16))])
    initializer = device.create_operator_initializer([operator])
    recorder, commands = device.create_command_recorder(), dml.CommandList(device)
    recorder.record_dispatch(commands, initializer, device.create_binding_table(initializer))
    recorder.record_dispatch(commands, operator, table)
    commands.close()

    dml.CommandQueue(device).execute(commands)

    assert null.calls == [("bound", [((), 3), (operator.plan.steps, 3)])]


@pytest.mark.usefixtures("null")
def test_a_device_says_what_it_does_not_run():
    device = dml.Device("null")
    graph = dml.Graph(device)
    x = graph.input([3])
    relu = device.create_operator(dml.ActivationReluOperatorDesc(TENSOR, TENSOR))

    with pytest.raises(dml.DeviceUnavailableError) as alone:
        device.compile_operator(relu)
    with pytest.raises(dml.DeviceUnavailableError) as within:
        graph.compile([x + x])

    assert str(alone.value) == (
        "ACTIVATION_RELU: device 'null' does not run ACTIVATION_RELU; Device() runs everything"
    )
    assert str(within.value) == (
        "GRAPH: device 'null' does not run ELEMENT_WISE_ADD; Device() runs everything"
    )


@pytest.mark.usefixtures("null")
def test_a_device_says_what_the_machine_lacks():
    with pytest.raises(dml.DeviceUnavailableError) as caught:
        dml.Device("broken")

    assert str(caught.value) == (
        "device 'broken' is not available: its library is not installed; try: pip install it"
    )


@pytest.mark.parametrize("name", ["gpu", "", "__init__", "cpu.py", 7, ["cpu"], None])
def test_refuses_names_of_no_device(name):
    with pytest.raises(dml.DeviceUnavailableError, match=r"Device\.name: needs the name of a dev"):
        dml.Device(name)


def test_only_the_folder_of_devices_knows_their_files():
    for path in PACKAGE.rglob("*.py"):
        if path.parent.name == "devices":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("indirectml"):
                names = {alias.name for alias in node.names}
                assert not node.module.startswith("indirectml.devices."), path
                assert node.module != "indirectml.devices" or not names & {"cpu"}, path


def test_another_device_needs_nothing_of_the_cpus():
    code = (
        "import sys, numpy, indirectml as dml; from indirectml import devices;"
        f"devices.__path__.append({str(FOLDER)!r});"
        "graph = dml.Graph(dml.Device('null'));"
        "graph.compile([dml.fill_value_constant(graph, sizes=[3], value=1)])();"
        "print('indirectml.devices.cpu' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
