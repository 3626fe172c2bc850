"""Models that others made: in by ONNX, compared with ONNX Runtime, out and in again."""

import numpy as np
import pytest

import indirectml as dml
from tests.bits import assert_bits_equal
from tests.onnx_models import relative_difference, session
from tests.real_models import MODELS


def found(name):
    """Return a model and its inputs, or skip."""
    made = MODELS[name]
    if not made.is_there:
        pytest.skip(f"{made.package} is not installed, which ships the model; .ci/run installs it")
    return made, made.read(), made.data


def loaded(model, data):
    return dml.load_onnx(model, sizes={name: array.shape for name, array in data.items()})


@pytest.mark.parametrize("name", MODELS)
def test_gives_what_onnx_runtime_gives(name):
    made, model, data = found(name)

    actual = loaded(model, data)(data)
    wanted = session(model).run(None, data)

    for output, each in zip(actual, wanted, strict=True):
        assert np.ptp(each) > 0  # so that there is something to compare
        assert output.dtype == each.dtype
        assert relative_difference(output, each) < made.bound


@pytest.mark.parametrize("name", [n for n, made in MODELS.items() if not made.is_large])
def test_serialized_graphs_give_the_same_bits(name, tmp_path):
    _, model, data = found(name)
    ours = loaded(model, data)
    wanted = ours(data)

    ours.serialize(tmp_path / "Partition_0.bin")
    graph = dml.read_serialized_graph(tmp_path / "Partition_0.bin")
    outputs = dict(zip(graph.outputs, graph.compile(dml.Device())(data), strict=True))

    for output, each in zip(ours.outputs, wanted, strict=True):
        assert_bits_equal(actual=outputs[output].reshape(each.shape), expected=each)
