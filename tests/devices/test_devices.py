"""Devices are files that are found by their names; plans go to them, whichever they are."""

from __future__ import annotations

import ast
import importlib
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import indirectml as dml
from indirectml import devices
from indirectml.descriptors.definitions import implemented_operators
from indirectml.devices import device_names
from indirectml.plans import FillStep
from tests.bits import assert_bits_equal
from tests.operators.test_targets_agree import _trials

FOLDER = Path(__file__).parent / "null_device"
PACKAGE = Path(devices.__file__).parents[1]
TENSOR = dml.TensorDesc(np.float32, [3])


@pytest.fixture
def null(monkeypatch):
    """Return the null device's module, found as the others are."""
    monkeypatch.setattr(devices, "__path__", [*devices.__path__, str(FOLDER)])
    module = importlib.import_module("indirectml.devices.null")
    module.calls.clear()
    return module


def fill(device):
    desc = dml.FillValueConstantOperatorDesc(TENSOR, np.float32, 1)
    return device.compile_operator(device.create_operator(desc))


def test_a_file_is_a_device(null):
    assert device_names() == ("broken", "cpu", "null", "opencl")
    assert dml.Device("null").implementation is null.opened(0)
    assert repr(dml.Device("null")) == (
        "Device('null', feature_level='6_4', sequence_rule='accumulate')"
    )


def test_the_cpu_is_the_device_if_none_is_named():
    assert dml.Device().name == "cpu"
    assert device_names() == ("cpu", "opencl")


def test_direct_calls_go_to_the_device(null):
    operator = fill(dml.Device("null"))

    (result,) = operator()

    assert result.tolist() == [1, 1, 1]
    assert [name for name, *_ in null.calls] == ["run", "execute"]
    assert null.calls[0][1] is operator.plan


def test_graphs_go_to_the_device(null):
    graph = dml.Graph(dml.Device("null"))
    ones = dml.fill_value_constant(graph, sizes=[3], value=1)

    (result,) = graph.compile([ones])()

    assert result.tolist() == [1, 1, 1]
    steps, count = null.calls[-1][1:]
    assert [type(step) for step in steps] == [FillStep]
    assert count == 3


def test_recorded_dispatches_go_to_the_device(null):
    device = dml.Device("null")
    operator = fill(device)
    table = device.create_binding_table(operator)
    memory = bytearray(16)
    table.bind_outputs([dml.BufferBinding(memory)])
    initializer = device.create_operator_initializer([operator])
    recorder, commands = device.create_command_recorder(), dml.CommandList(device)
    recorder.record_dispatch(commands, initializer, device.create_binding_table(initializer))
    recorder.record_dispatch(commands, operator, table)
    commands.close()

    dml.CommandQueue(device).execute(commands)

    assert null.calls == [("bound", [((), 3), (operator.plan.steps, 3)])]
    assert np.frombuffer(memory, np.float32).tolist() == [1, 1, 1, 0]


@pytest.mark.usefixtures("null")
def test_devices_of_one_name_have_numbers():
    first, second = dml.Device("null"), dml.Device("null:1")
    graph = dml.Graph(second)
    x = graph.input([2])
    double = graph.compile([x + x])

    assert first.implementation is dml.Device("null:0").implementation
    assert second.implementation is not first.implementation
    assert repr(second).startswith("Device('null:1'")
    assert pickle.loads(pickle.dumps(second)).implementation is second.implementation  # noqa: S301
    with pytest.raises(dml.DeviceUnavailableError) as caught:
        dml.Device("null:2")
    assert str(caught.value) == ("device 'null:2' is not available: needs a number below 2, got 2")
    # Memory of one is none of the other: the null device looks at every memory that it is given.
    (kept,) = double({x: np.float32([1, 2])}, readback=False)
    (again,) = double({x: kept})
    assert (kept.numpy().tolist(), again.tolist()) == ([2, 4], [4, 8])
    with pytest.raises(dml.BindingError):
        double({x: dml.Buffer(first, np.float32([1, 2]))})


@pytest.mark.parametrize("name", implemented_operators())
@pytest.mark.usefixtures("null")
def test_numpy_forms_have_the_bits_of_the_cpu(name):
    """Every operator, on a device whose memory is not the host's and that has no kernels."""
    cpu, null = dml.Device(), dml.Device("null")
    for desc, inputs in _trials(name):
        expected, actual = (
            device.compile_operator(device.create_operator(desc))(inputs) for device in (cpu, null)
        )
        for wanted, found in zip(expected, actual, strict=True):
            if wanted is not None:
                assert_bits_equal(actual=found, expected=wanted)


def test_a_device_says_what_it_does_not_run(null, monkeypatch):
    monkeypatch.setattr(null, "refused", lambda step: getattr(step, "operator_names", [None])[0])
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


@pytest.mark.parametrize(
    "name", ["gpu", "", "__init__", "cpu.py", "cpu:", "cpu:-1", "cpu:x", 7, ["cpu"], None]
)
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
