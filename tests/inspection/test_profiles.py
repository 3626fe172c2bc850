"""Profiles: every step of a plan, its operators and nodes, by a clock that is given."""

import json
import pickle

import numpy as np
import onnx
import pytest

import indirectml as dml
from indirectml.cli import main
from indirectml.inspection.profiling import profile
from tests.onnx_models import Model


def graph():
    """Return a compiled graph of a convolution, a product and what is fused, with its inputs."""
    made = dml.Graph(dml.Device())
    random = np.random.default_rng(5)
    x = made.input([2, 3, 8, 8], name="x")
    filters = made.constant(random.standard_normal((4, 3, 3, 3)).astype(np.float32))
    y = dml.activation_relu(dml.convolution(x, filters)) * 0.5
    y = dml.gemm(
        dml.reinterpret(y, [1, 1, 2, 144]), made.constant(np.ones((1, 1, 144, 5), np.float32))
    )
    outputs = [dml.activation_softmax(y), y]
    return made.compile(outputs), {"x": random.standard_normal((2, 3, 8, 8)).astype(np.float32)}


class Ticking:
    """A clock that is one second later each time it is looked at."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        self.now += 1
        return float(self.now)


def test_every_step_is_there_in_order_and_times_are_the_clocks():
    compiled, inputs = graph()

    found = profile(compiled, inputs, runs=2, clock=Ticking())

    assert len(found.steps) == len(compiled.plan.steps)
    assert [step.seconds for step in found.steps] == [1.0] * len(found.steps)
    assert [step.began for step in found.steps] == list(map(float, range(len(found.steps))))
    assert found.seconds == 1.0
    assert found.steps_seconds == len(found.steps)
    assert sum(share.seconds for share in found.by_operator()) == pytest.approx(len(found.steps))


def test_operations_are_counted_by_their_definition():
    compiled, inputs = graph()

    by_step = {step.name: step for step in compiled.profile(inputs, runs=1).steps}

    outputs, per_output = 2 * 4 * 6 * 6, 3 * 3 * 3
    assert by_step["convolve"].operation_count == 2 * outputs * per_output
    assert by_step["contract"].operation_count == 2 * (2 * 5) * 144
    assert by_step["contract"].operators == ("GEMM",)


def test_every_node_is_found_through_fusion():
    compiled, inputs = graph()

    found = compiled.profile(inputs, runs=1)

    nodes = {node for step in found.steps for node in step.nodes}
    computing = [
        number
        for number, node in enumerate(compiled.desc.nodes)
        if not isinstance(node, dml.ConstantNode)
        and node.desc.operator_name != "FILL_VALUE_CONSTANT"  # a constant of a program
    ]
    assert nodes == {f"nodes[{number}]" for number in computing}
    names = {str(share.name) for share in found.by_operator()}
    assert {"CONVOLUTION", "GEMM", "ACTIVATION_RELU"} <= names


def test_profiling_changes_no_bit_and_leaves_nothing_behind():
    compiled, inputs = graph()
    wanted = [each.tobytes() for each in compiled(inputs)]

    compiled.profile(inputs)

    assert [each.tobytes() for each in compiled(inputs)] == wanted
    again = pickle.loads(pickle.dumps(compiled))  # noqa: S301 (ours)
    assert [each.tobytes() for each in again(inputs)] == wanted
    assert {s.nodes for s in again.profile(inputs, runs=1).steps} == {
        s.nodes for s in compiled.profile(inputs, runs=1).steps
    }


def test_the_trace_has_an_event_for_each_step(tmp_path):
    compiled, inputs = graph()
    found = compiled.profile(inputs, runs=1)

    found.save(tmp_path / "trace.json")

    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    steps = [event for event in events if event["ph"] == "X"]
    assert [event["cat"] for event in steps] == [step.name for step in found.steps]
    assert all(event["dur"] > 0 for event in steps)
    ends = [event["ts"] + event["dur"] for event in steps]
    for end, event in zip(ends, steps[1:], strict=False):
        assert event["ts"] == pytest.approx(end)


@pytest.fixture
def model(tmp_path):
    made = Model()
    x = made.node("Relu", made.input("x", [2, 3]))
    path = tmp_path / "model.onnx"
    onnx.save(made.proto(made.node("Exp", x)), path)
    return path


def test_a_model_is_profiled(model):
    found = dml.load_onnx(str(model)).profile(np.ones((2, 3), np.float32))

    assert {share.name for share in found.by_operator()} == {"ACTIVATION_RELU", "ELEMENT_WISE_EXP"}


def test_run_tells_a_profile_and_writes_a_trace(model, tmp_path, capsys):
    trace = tmp_path / "trace.json"

    assert main(["run", str(model), "--profile", "--trace", str(trace)]) == 0

    told = capsys.readouterr().out
    assert "GFLOP/s" in told
    assert "ELEMENT_WISE_EXP" in told
    assert json.loads(trace.read_text())["traceEvents"]


def test_run_tells_everything_as_json(model, tmp_path, capsys):
    np.save(tmp_path / "x.npy", np.float32([[-1, 0, 1], [2, 3, np.inf]]))

    assert main(["run", str(model), "--json", "--input", f"x={tmp_path / 'x.npy'}"]) == 0
    (output,) = json.loads(capsys.readouterr().out)["outputs"]
    assert output["sizes"] == [2, 3]
    assert output["values"][:2] == [1.0, 1.0]
    assert output["values"][5] == "inf"

    assert main(["run", str(model), "--json", "--profile"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["made_up"] == ["x"]
    assert told["profile"]["steps"]

    paths = ["examples/fill_value_sequence.json", str(tmp_path / "none.json")]
    assert main(["run", *paths, "--json"]) == 3
    ramp, none = json.loads(capsys.readouterr().out)
    assert ramp["commands"][1]["values"] == [3.2, 4.7, 6.2, 7.7, 9.2]
    assert none["exit_code"] == 3


def test_refuses_to_profile_what_has_no_steps_of_its_own(capsys):
    assert main(["run", "examples/fill_value_sequence.json", "--profile"]) == 2
    assert "indirectml export makes one" in capsys.readouterr().err
    compiled, inputs = graph()
    with pytest.raises(dml.DirectMLError, match="from 1 up"):
        compiled.profile(inputs, runs=0)
