"""Rows of tables that are dequantized: of the integers as they are stored, to the bit."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import indirectml as dml
from tests.arithmetic import products
from tests.bits import assert_bits_equal
from tests.passes import test_stored_weights as weights

SEED = 31
ROWS, COLUMNS = 96, 64
LAYOUTS = {
    # own sizes of scales, attributes, sizes as a matrix
    "one": ((), {}, (1, 1)),
    "rows": ((ROWS,), {"axis": 0}, (ROWS, 1)),
    "columns": ((COLUMNS,), {"axis": 1}, (1, COLUMNS)),
    "blocks": ((ROWS, 4), {"axis": 1, "block_size": 16}, (ROWS, 4)),
    "blocks of rows": ((6, COLUMNS), {"axis": 0, "block_size": 16}, (6, COLUMNS)),
}


def _table(random, layout, data_type, *, dtype=np.float32, has_zero=True, columns=COLUMNS):
    """Return nodes and initializers of a table `w`, and its elements by loops."""
    own, attributes, matrix = LAYOUTS[layout]
    numbers = weights.integers(random, data_type, ROWS, columns)
    zero = np.asarray(weights.integers(random, data_type, *own)) if has_zero else None
    scale = np.asarray((random.random(own) / 50 + 0.01).astype(dtype))
    initializers = [
        weights.initializer("q", data_type, numbers),
        numpy_helper.from_array(scale, "s"),
        *([weights.initializer("z", data_type, zero)] if has_zero else []),
    ]
    names = [each.name for each in initializers]
    node = helper.make_node("DequantizeLinear", names, ["w"], **attributes)
    zeros = None if zero is None else zero.reshape(matrix)
    return node, initializers, weights.dequantized(numbers, scale.reshape(matrix), zeros)


def _loaded(nodes, initializers, kind=TensorProto.FLOAT, outputs=("y",)):
    x = helper.make_tensor_value_info("at", TensorProto.INT64, ["n", 2])
    made = [helper.make_tensor_value_info(name, kind, None) for name in outputs]
    graph = helper.make_graph(nodes, "table", [x], made, initializers)
    opsets = [helper.make_opsetid("", 21)]
    return dml.load_onnx(helper.make_model(graph, opset_imports=opsets, ir_version=10))


def _constant_bytes(loaded):
    return sum(step.target.size_bytes for step in loaded.at(n=3).compiled.plan.initial_steps)


def _indices(random):
    return random.integers(-ROWS, ROWS, (3, 2))


@pytest.mark.parametrize("has_zero", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("data_type", weights.TYPES, ids=lambda each: each.name)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_are_those_of_the_table_of_floats(layout, data_type, dtype, has_zero):
    random = np.random.default_rng(SEED)
    node, initializers, table = _table(random, layout, data_type, dtype=dtype, has_zero=has_zero)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    gathers = helper.make_node("Gather", ["w", "at"], ["y"])
    loaded = _loaded([node, gathers], initializers, kind)
    at = _indices(random)

    (actual,) = loaded({"at": at})

    where = f"{layout}, {data_type.name}, seed {SEED}"
    assert_bits_equal(actual=actual, expected=table[at], where=where)
    is_stored = layout != "blocks of rows"
    assert (_constant_bytes(loaded) < 0.9 * table.nbytes) == is_stored


def test_rows_of_an_odd_number_of_integers_of_four_bits():
    random = np.random.default_rng(SEED)
    node, initializers, table = _table(random, "rows", dml.TensorDataType.INT4, columns=63)
    loaded = _loaded([node, helper.make_node("Gather", ["w", "at"], ["y"])], initializers)
    at = _indices(random)

    assert_bits_equal(actual=loaded({"at": at})[0], expected=table[at], where=f"seed {SEED}")


@pytest.mark.parametrize("axis", [0, 1])
def test_parts_along_other_axes_are_those_of_the_table_of_floats(axis):
    random = np.random.default_rng(SEED)
    node, initializers, table = _table(random, "blocks", dml.TensorDataType.UINT4)
    nodes = [
        node,
        helper.make_node("Transpose", ["w"], ["t"], perm=[1, 0]),
        helper.make_node("Gather", ["t", "at"], ["y"], axis=axis),
    ]
    at = random.integers(0, COLUMNS, (3, 2))

    (actual,) = _loaded(nodes, initializers)({"at": at})

    assert_bits_equal(actual=actual, expected=table.T.take(at, axis), where=f"seed {SEED}")


@pytest.mark.parametrize("data_type", weights.TYPES, ids=lambda each: each.name)
@pytest.mark.parametrize("layout", ["one", "rows", "columns", "blocks"])
def test_a_table_whose_rows_are_multiplied_by_it_stays_as_it_is_stored(layout, data_type):
    """As embeddings that are the last layer, too: the integers for rows, and in panels."""
    random = np.random.default_rng(SEED)
    node, initializers, table = _table(random, layout, data_type)
    nodes = [
        node,
        helper.make_node("Gather", ["w", "at"], ["x"]),
        helper.make_node("Transpose", ["w"], ["t"], perm=[1, 0]),
        helper.make_node("MatMul", ["x", "t"], ["y"]),
    ]
    loaded = _loaded(nodes, initializers)
    at = _indices(random)

    (actual,) = loaded({"at": at})

    expected = products.contract(table[at].reshape(6, COLUMNS), table.T).reshape(3, 2, ROWS)
    assert_bits_equal(actual=actual, expected=expected, where=f"{layout}, seed {SEED}")
    steps = loaded.at(n=3).compiled.plan.steps
    assert "contract_stored" in [str(getattr(step, "word", "")) for step in steps]
    assert _constant_bytes(loaded) < 0.9 * table.nbytes
