"""Models that others made: in by ONNX, compared with ONNX Runtime, out and in again."""

import numpy as np
import pytest

import indirectml as dml
from tests.bits import assert_bits_equal
from tests.extent import Extent
from tests.onnx_models import relative_difference, session
from tests.real_models import MODELS, small, steps_in_python


def found(name):
    """Return a model and its inputs, or skip."""
    made = MODELS[name]
    if not made.is_there:
        pytest.skip(f"{made.package} is not installed, which ships the model; .ci/run installs it")
    return made, made.read(), made.data


def loaded(model, data):
    return dml.load_onnx(model, sizes={name: array.shape for name, array in data.items()})


#: Hundreds of megabytes of layers that bvlc_alexnet has too.
LARGEST = {"light vgg19", "light zfnet512"}


def assert_agrees_with_onnx_runtime(made, model, data, ours):
    """Return what our model gives, too."""
    actual = ours(data)
    wanted = session(model).run(None, data)
    assert steps_in_python(ours.compiled) == []

    for output, each in zip(actual, wanted, strict=True):
        assert np.ptp(each) > 0  # so that there is something to compare
        assert output.dtype == each.dtype
        assert relative_difference(output, each) < made.bound
    return actual


LARGE = [n for n, made in MODELS.items() if made.is_large and (Extent.whole or n not in LARGEST)]


@pytest.mark.parametrize("name", LARGE)
def test_large_ones_give_what_onnx_runtime_gives(name):
    made, model, data = found(name)
    assert_agrees_with_onnx_runtime(made, model, data, loaded(model, data))


@pytest.mark.parametrize("name", small())
def test_gives_what_onnx_runtime_gives_and_goes_round(name, tmp_path):
    """ONNX in, serialized out and in, ONNX out in both forms and in: the same bits."""
    made, model, data = found(name)
    ours = loaded(model, data)
    wanted = assert_agrees_with_onnx_runtime(made, model, data, ours)

    ours.serialize(tmp_path / "Partition_0.bin")
    graph = dml.read_serialized_graph(tmp_path / "Partition_0.bin")
    first = dict(zip(graph.outputs, graph.compile(dml.Device())(data), strict=True))
    graph.to_onnx(tmp_path / "out.onnx")
    again = dml.load_onnx(tmp_path / "out.onnx")
    written_out = ours.to_onnx(functions=False)
    plain = dml.load_onnx(written_out)

    # Tensors have the sizes that DirectML's operators give them.
    sizes = {each.name: each.sizes for each in again.inputs.values()}
    given = {n: data[n].reshape(s) for n, s in sizes.items()}
    there = session(str(tmp_path / "out.onnx")).run(list(ours.outputs), given)
    back = dict(zip(again.outputs, again(given), strict=True))
    of_plain = {n: data[n].reshape(each.sizes) for n, each in plain.inputs.items()}
    of_bodies_there = session(written_out).run(list(plain.outputs), of_plain)
    by_bodies = dict(zip(plain.outputs, plain(of_plain), strict=True))
    results = zip(ours.outputs, wanted, there, of_bodies_there, strict=True)
    for output, each, elsewhere, plain_there in results:
        assert_bits_equal(actual=first[output].reshape(each.shape), expected=each)
        assert_bits_equal(actual=back[output].reshape(each.shape), expected=each)
        assert_bits_equal(actual=by_bodies[output].reshape(each.shape), expected=each)
        assert relative_difference(elsewhere.reshape(each.shape), each) < made.bound
        assert relative_difference(plain_there.reshape(each.shape), each) < made.bound
