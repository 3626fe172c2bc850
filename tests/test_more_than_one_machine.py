"""Parts of a sequence written by others: other processes, and Dask's parts of any cut."""

import concurrent.futures
import multiprocessing
import os
import pickle
import signal

import numpy as np
import pytest

import indirectml as dml
from indirectml import Sequence
from tests import reference
from tests.bits import assert_bits_equal
from tests.parameters import SEED, by_dtype

RULES = ("accumulate", "multiply")


def test_other_processes_make_the_same_bits():
    count = 10_000
    cuts = [slice(0, 1), slice(1, 6_000), slice(6_000, count)]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        for rule in RULES:
            sequence = Sequence(0, 0.1, rule=rule)

            parts = list(pool.map(sequence.__getitem__, cuts))

            expected = reference.elements(sequence.start, sequence.delta, count, rule)
            assert_bits_equal(actual=np.concatenate(parts), expected=expected)


def elements(sequence, block_info):
    [(first, stop)] = block_info[None]["array-location"]
    return sequence[first:stop]


@by_dtype(reference.DTYPES)
def test_any_cut_by_dask_gives_the_same_bits(dtype):
    array = pytest.importorskip("dask.array", reason="dask cuts arrays; it is in the test extra")
    source = reference.seeded(SEED)
    count = 500
    for start, delta in reference.random_pairs(dtype, SEED, 4):
        borders = sorted(source.sample(range(1, count), source.randrange(9)))
        chunks = tuple(np.diff([0, *borders, count]).tolist())
        for rule in RULES:
            sequence = Sequence(start, delta, dtype, rule=rule)

            whole = array.map_blocks(
                elements, sequence, chunks=(chunks,), dtype=dtype, meta=np.empty(0, dtype)
            )

            actual = whole.compute(scheduler="synchronous")
            expected = reference.elements(start, delta, count, rule)
            assert_bits_equal(actual=actual, expected=expected, where=f"{sequence}, {chunks}")


ROWS, PIECES = 50, 8


def network():
    """Return a compiled graph with weights."""
    weights = np.random.default_rng(SEED).standard_normal((4, 3)).astype(np.float32)
    graph = dml.Graph(dml.Device())
    x = graph.input([ROWS, 4], name="x")
    return graph.compile([dml.activation_softmax(dml.gemm(x, graph.constant(weights)))])


def write_piece(compiled, source, target, piece, *, dies):
    """Compute one piece of an array from another one; or be killed when it has been begun."""
    zarr = pytest.importorskip("zarr")
    where = slice(piece * ROWS, (piece + 1) * ROWS)
    data = zarr.open_array(source, mode="r")[where]
    if dies:
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
    zarr.open_array(target, mode="r+")[where] = compiled({"x": data})[0]
    return piece


def test_a_graph_over_zarr_loses_nothing_when_a_worker_is_killed(tmp_path):
    zarr = pytest.importorskip("zarr", reason="arrays in pieces; zarr is in the test extra")
    source, target = str(tmp_path / "rows.zarr"), str(tmp_path / "shares.zarr")
    count = ROWS * PIECES
    rows = np.random.default_rng(SEED).standard_normal((count, 4)).astype(np.float32)
    zarr.create_array(source, shape=(count, 4), chunks=(ROWS, 4), dtype="float32")[:] = rows
    zarr.create_array(target, shape=(count, 3), chunks=(ROWS, 3), dtype="float32", fill_value=-1)
    compiled = network()
    context = multiprocessing.get_context("spawn")
    left, rounds = set(range(PIECES)), 0

    while left:
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            made = [
                pool.submit(write_piece, compiled, source, target, k, dies=rounds == 0 and k == 3)
                for k in sorted(left)
            ]
            done = {each.result() for each in made if each.exception() is None}
        assert rounds or left - done, "nobody was killed"
        left -= done
        rounds += 1

    assert rounds == 2
    pieces = [compiled({"x": rows[k : k + ROWS]})[0] for k in range(0, count, ROWS)]
    assert_bits_equal(actual=zarr.open_array(target, mode="r")[:], expected=np.concatenate(pieces))


def run_piece(compiled, rows, flag):
    """Compute one piece; the first process that comes here is killed."""
    try:
        flag.touch(exist_ok=False)
    except FileExistsError:
        return compiled({"x": rows})[0]
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
    return None


def test_joblib_gives_the_same_bits_again_after_a_worker_was_killed(tmp_path):
    joblib = pytest.importorskip("joblib", reason="processes; joblib is in the test extra")
    compiled = network()
    rows = np.random.default_rng(SEED).standard_normal((PIECES, ROWS, 4)).astype(np.float32)
    work = [joblib.delayed(run_piece)(compiled, each, tmp_path / "killed") for each in rows]

    with pytest.raises(Exception, match=r"terminated|killed|SIGKILL"):
        joblib.Parallel(n_jobs=2)(work)
    again = joblib.Parallel(n_jobs=2)(work)

    assert_bits_equal(
        actual=np.stack(again), expected=np.stack([compiled({"x": each})[0] for each in rows])
    )


def test_a_pickled_graph_and_a_model_from_its_file_give_the_same_bits(tmp_path):
    compiled = network()
    x = np.ones((ROWS, 4), np.float32)
    expected = compiled({"x": x})[0]

    again = pickle.loads(pickle.dumps(compiled, protocol=5))  # noqa: S301 (our own)

    assert_bits_equal(actual=again({"x": x})[0], expected=expected)
    pytest.importorskip("onnx", reason="models are written by the onnx package")
    compiled.to_onnx(tmp_path / "network.onnx")
    model = dml.load_onnx(tmp_path / "network.onnx")
    assert_bits_equal(actual=model(x)[0], expected=expected)
