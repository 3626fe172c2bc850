"""Which sizes an array may have that is bound to an input, and where its elements go."""

import numpy as np
import pytest

import indirectml as dml

F32 = np.float32

SIZES_REFUSED = [
    ([2, 3], None, [3, 2]),
    ([4, 3], [1, 4], [4, 3]),
    ([2, 3], [8, 1], [8, 3]),
]
SIZES_TAKEN = [
    ([2, 3], None, [6]),
    ([2, 3], None, [1, 2, 1, 3]),
    ([1, 2, 1, 3], None, [2, 3]),
    ([4, 3], [1, 4], [12]),
    ([4, 3], [1, 4], [3, 4]),
    ([2, 3], [0, 1], [1, 3, 1]),
    ([2, 3], [8, 1], [2, 8]),
    ([2, 3], [8, 1], [11]),
]


@pytest.mark.parametrize("is_buffer", [False, True])
@pytest.mark.parametrize(("sizes", "strides", "given"), SIZES_TAKEN)
def test_an_array_in_the_order_of_a_tensors_memory_fills_it(sizes, strides, given, is_buffer):
    graph = dml.Graph(dml.Device())
    x = graph.input(sizes, np.int32, strides=strides)
    data = np.arange(np.prod(given), dtype=np.int32)
    array = data.reshape(given)

    bound = dml.Buffer(graph.device, array) if is_buffer else array
    (actual,) = graph.compile([dml.identity(x)])({x: bound})

    strides_bytes = [4 * s for s in (strides or dml.TensorDesc(F32, sizes).strides_in_memory)]
    np.testing.assert_array_equal(actual, np.ndarray(sizes, np.int32, data, 0, strides_bytes))


@pytest.mark.parametrize("is_buffer", [False, True])
@pytest.mark.parametrize(("sizes", "strides", "given"), SIZES_REFUSED)
def test_an_array_of_other_sizes_is_refused_with_both(sizes, strides, given, is_buffer):
    graph = dml.Graph(dml.Device())
    x = graph.input(sizes, strides=strides)
    compiled, array = graph.compile([dml.identity(x)]), np.zeros(given, F32)

    with pytest.raises(dml.BindingError, match=r"write \.reshape|does not fill") as caught:
        compiled({x: dml.Buffer(graph.device, array) if is_buffer else array})

    assert str(sizes) in str(caught.value)
    assert str(given) in str(caught.value)


def test_a_constant_with_sizes_is_a_view_of_its_data():
    graph = dml.Graph(dml.Device())
    c = graph.constant(np.arange(6, dtype=F32).reshape(3, 2), sizes=[2, 3])

    assert graph.compile([dml.identity(c)])()[0].tolist() == [[0, 1, 2], [3, 4, 5]]
