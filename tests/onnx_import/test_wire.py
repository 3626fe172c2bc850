"""Models whose weights are found in their bytes: the same arrays, whatever form the file has."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from google.protobuf.message import DecodeError

import indirectml as dml
from indirectml.onnx_import import reading, sources
from indirectml.onnx_import.budget import Budget
from indirectml.onnx_import.reading import read_model, read_tensor
from indirectml.onnx_import.wire import without_weights
from tests.extent import Extent

_BUDGET = 1 << 30

_DTYPES = [np.float32, np.float16, np.float64, np.int8, np.int64, np.bool_]


def many_weights(seed: int) -> Any:
    """Return a model with small and large weights of several data types, in several forms."""
    rng = np.random.default_rng(seed)
    tensors = []
    for number in range(12):
        count = int(rng.choice([3, 100, 5000, 40000, 200000]))
        dtype = _DTYPES[rng.integers(len(_DTYPES))]
        array = rng.integers(0, 2, count).astype(dtype)
        if rng.random() < 0.2 and dtype is np.float32:
            tensor = onnx.helper.make_tensor(f"w{number}", 1, [count], array.tolist())
        else:
            tensor = onnx.numpy_helper.from_array(array, f"w{number}")
        tensors.append(tensor)
    large = np.arange(1 << 18, dtype=np.float32)
    tensors.insert(int(rng.integers(12)), onnx.numpy_helper.from_array(large, "large"))
    text = '<ir_version: 8, opset_import: ["" : 18]> g (float[1] x) => (float[1] y) { y = Abs(x) }'
    model = onnx.parser.parse_model(text)
    model.graph.initializer.extend(tensors)
    return model


def arrays_of(model: Any, weights: dict[int, memoryview]) -> dict[str, Any]:
    """Return the initializers of a model whose bytes may be apart."""
    return {
        each.name: read_tensor(each, None, Budget(_BUDGET), weights.get(number))
        for number, each in enumerate(model.graph.initializer)
    }


def assert_same_arrays(*, actual: dict[str, Any], expected: dict[str, Any]) -> None:
    assert list(actual) == list(expected)
    for name, array in expected.items():
        assert (actual[name].dtype, actual[name].shape) == (array.dtype, array.shape)
        assert actual[name].tobytes() == array.tobytes()
        assert actual[name].flags.aligned
        assert not actual[name].flags.writeable


@pytest.mark.parametrize("seed", range(20))
def test_weights_are_those_that_the_library_reads(seed: int, tmp_path: Path) -> None:
    model = many_weights(seed)
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    weights: dict[int, memoryview] = {}
    read, _, _ = read_model(path, weights)
    assert weights
    assert read.ByteSize() < model.ByteSize() - (1 << 20)
    expected = {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}
    assert_same_arrays(actual=arrays_of(read, weights), expected=expected)


def test_a_graph_in_two_pieces_is_one(tmp_path: Path) -> None:
    pieces = [many_weights(1), many_weights(2)]
    for each in pieces[1].graph.initializer:
        each.name = f"second_{each.name}"
    path = tmp_path / "model.onnx"
    path.write_bytes(b"".join(each.SerializeToString() for each in pieces))
    expected = onnx.load(path)
    weights: dict[int, memoryview] = {}
    read, _, _ = read_model(path, weights)
    assert {number > len(pieces[0].graph.initializer) for number in weights} == {False, True}
    assert_same_arrays(
        actual=arrays_of(read, weights),
        expected={
            each.name: onnx.numpy_helper.to_array(each) for each in expected.graph.initializer
        },
    )


@pytest.mark.parametrize("seed", range(4))
def test_what_is_cut_off_or_changed_is_read_or_left_to_the_library(seed: int) -> None:
    """Whatever is read apart has, put together again, the bytes that there were."""
    raw = many_weights(seed).SerializeToString()
    rng = np.random.default_rng(seed)
    apart = 0
    for _ in range(200 if Extent.whole else 80):
        changed = bytearray(raw[: int(rng.integers(len(raw)))] if rng.random() < 0.2 else raw)
        for _ in range(int(rng.integers(3))):
            changed[int(rng.integers(min(len(changed), 600)))] = int(rng.integers(256))
        found = without_weights(memoryview(bytes(changed)))
        if found is None:
            continue
        apart += 1
        rest, weights = found
        assert sum(map(len, weights.values())) + len(rest) <= len(changed)
        try:
            expected = onnx.ModelProto.FromString(bytes(changed))
        except DecodeError:
            continue
        read = onnx.ModelProto.FromString(rest)
        for number, each in weights.items():
            read.graph.initializer[number].raw_data = bytes(each)
        assert read.SerializeToString() == expected.SerializeToString()
    assert apart > 0


def test_bytes_that_are_no_message_are_left_to_the_library(tmp_path: Path) -> None:
    path = tmp_path / "none.onnx"
    path.write_bytes(b"\xff" * (1 << 21))
    assert without_weights(memoryview(path.read_bytes())) is None
    with pytest.raises(dml.ModelError, match="needs an ONNX model, got bytes that are none"):
        dml.load_onnx(path)


def test_a_file_may_be_written_anew_while_its_model_is_in_use(tmp_path: Path) -> None:
    text = """
        <ir_version: 8, opset_import: ["" : 18]>
        g (int8[N] x) => (int8[N] y) { y = Add(x, w) }
    """
    path = tmp_path / "model.onnx"
    proto = onnx.parser.parse_model(text)
    numbers = (np.arange(1 << 21) % 100).astype(np.int8)  # of which any place is aligned
    proto.graph.initializer.append(onnx.numpy_helper.from_array(numbers, "w"))
    onnx.save(proto, path)
    model = dml.load_onnx(path)
    with path.open("r+b") as file:
        file.write(bytes(path.stat().st_size))
    (y,) = model(np.ones(1 << 21, np.int8))
    np.testing.assert_array_equal(y, numbers + 1)


# ---- memory ----

#: Of a product by rows of what comes out of it, again and again.
_MATRICES, _WIDTH = 12, 256


def products() -> Any:
    """Return a model of matrices one after the other, of which the first one is an output, too."""
    rng = np.random.default_rng(3)
    nodes = [
        onnx.helper.make_node("MatMul", [f"x{k}", f"w{k}"], [f"x{k + 1}"]) for k in range(_MATRICES)
    ]
    weights = [
        onnx.numpy_helper.from_array(
            rng.standard_normal((_WIDTH, _WIDTH), np.float32) / 16, f"w{k}"
        )
        for k in range(_MATRICES)
    ]
    tensors = [
        onnx.helper.make_tensor_value_info(name, 1, sizes)
        for name, sizes in [
            ("x0", [1, _WIDTH]),
            (f"x{_MATRICES}", [1, _WIDTH]),
            ("w0", [_WIDTH, _WIDTH]),
        ]
    ]
    graph = onnx.helper.make_graph(nodes, "g", tensors[:1], tensors[1:], weights)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)])


def test_weights_are_not_held_beside_their_panels(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    onnx.save(proto := products(), path)
    dml.load_onnx(path)  # what is made once
    tracemalloc.start()
    try:
        model = dml.load_onnx(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 1.3 * path.stat().st_size
    _, first = model(np.ones((1, _WIDTH), np.float32))
    assert first.tobytes() == proto.graph.initializer[0].raw_data


def test_pages_of_a_file_are_given_back_once_they_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[int] = []
    monkeypatch.setattr(reading, "forget_pages", lambda data: forgotten.append(len(data)))
    path = tmp_path / "model.onnx"
    onnx.save(products(), path)
    dml.load_onnx(path)
    assert forgotten == [4 * _WIDTH**2] * _MATRICES


def test_weights_of_models_that_become_integers_are_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []
    in_integers = sources.in_integers
    monkeypatch.setattr(
        sources, "in_integers", lambda model: given.append(model.ByteSize()) or in_integers(model)
    )
    path = tmp_path / "model.onnx"
    onnx.save(products(), path)
    x = np.random.default_rng(4).standard_normal((1, _WIDTH), np.float32)
    results = [dml.load_onnx(path, quantized=how)(x) for how in ("integers", "as written")]
    assert [each.tobytes() for each in results[0]] == [each.tobytes() for each in results[1]]
    assert len(given) == 1
    assert given[0] < 4 * _WIDTH**2
