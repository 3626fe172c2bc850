"""Sessions beside ONNX Runtime's own: names, sizes, types, results, errors, and libraries."""

import importlib.util
import json
import subprocess
import sys
import threading
import warnings
from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx
import pytest

import indirectml as dml
import indirectml.onnxruntime as ours
from indirectml.onnxruntime import options as session_options
from tests.bits import assert_bits_equal
from tests.onnx_models import relative_difference
from tests.onnxruntime.session_libraries import NEEDS

theirs = pytest.importorskip("onnxruntime", reason="ONNX Runtime is what sessions are compared to")


def parsed(text):
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> {text}')


ROWS = parsed("""
    rows (float[N, 3] x, int64[M] k, bool z, float16["a b"] h)
        => (float[N, 3] y, int64[M] u, bool w, float16["a b"] g)
    <float[3] weights = {1, 2, 3}> {
        y = Mul(x, weights)
        u = Identity(k)
        w = Not(z)
        g = Add(h, h)
    }
""")
ROWS.producer_name, ROWS.domain, ROWS.doc_string, ROWS.model_version = "us", "here", "doc", 3
ROWS.metadata_props.add(key="labels", value="a,b")

#: The output has no declared sizes, an input has a default, another one decides sizes.
SHAPED = parsed("""
    shaped (float[2, 3] x, int64[2] sizes, float[1] scale) => (float[] y)
    <float[1] scale = {2}> { z = Mul(x, scale) y = Reshape(z, sizes) }
""")
del SHAPED.graph.output[0].type.tensor_type.shape.dim[:]
SHAPED.graph.output[0].type.tensor_type.ClearField("shape")

#: Of two rates, each with a branch that takes as many elements as that rate has.
RATES = parsed("""
    rates (float[N] x, int64 rate) => (float[1, M] y) <int64 first = {16}> {
        is_first = Equal(rate, first)
        y = If (is_first) <
            then_branch = a () => (float[1, 8] u) <int64[3] s = {1, 2, 8}, int64[1] k = {1}>
                { p = Reshape(x, s) u = ReduceSum<keepdims = 0>(p, k) },
            else_branch = b () => (float[1, 4] v) <int64[3] t = {1, 2, 4}, int64[1] l = {1}>
                { q = Reshape(x, t) v = ReduceSum<keepdims = 0>(q, l) }>
    }
""")

FEED = {
    "x": np.arange(6, dtype=np.float32).reshape(2, 3),
    "k": np.arange(2),
    "z": np.ones((), bool),
    "h": np.ones(2, np.float16),
}


def pair(model, options=lambda ort: None):
    """Return a session of ours and one of theirs."""
    return [ort.InferenceSession(model.SerializeToString(), options(ort)) for ort in (ours, theirs)]


def args(session):
    found = (session.get_inputs(), session.get_outputs(), session.get_overridable_initializers())
    return [[(each.name, each.type, list(each.shape)) for each in part] for part in found]


def fixed(ort):
    options = ort.SessionOptions()
    options.add_free_dimension_override_by_name("N", 4)
    return options


@pytest.mark.parametrize("model", [ROWS, SHAPED], ids=["rows", "shaped"])
@pytest.mark.parametrize("options", [lambda ort: None, fixed], ids=["open", "fixed"])
def test_says_of_inputs_and_outputs_what_onnx_runtime_says(model, options):
    our, their = pair(model, options)

    # An output whose sizes nobody declares has as many unknown ones as ONNX Runtime finds.
    assert args(our) == args(their)


def test_says_of_the_model_what_onnx_runtime_says():
    our, their = (session.get_modelmeta() for session in pair(ROWS))

    for name in vars(our):
        assert getattr(our, name) == getattr(their, name), name
    assert our.custom_metadata_map == {"labels": "a,b"}


@pytest.mark.parametrize(
    ("names", "changes"),
    [
        (None, {}),
        ([], {}),
        (["u", "y"], {}),
        (["u", "u"], {}),
        (None, {"x": np.ones((0, 3), np.float32)}),
        (None, {"x": np.ones((3, 5), np.float32).T, "k": np.arange(7)[::2]}),
        (["y"], {"x": [[1, 2, 3]], "k": np.arange(5)}),
        (["y"], {"x": [[1.5, 2, 3]]}),
    ],
)
def test_runs_give_what_onnx_runtime_gives(names, changes):
    our, their = (session.run(names, FEED | changes) for session in pair(ROWS))

    for actual, expected in zip(our, their, strict=True):
        assert_bits_equal(actual=actual, expected=expected)


REFUSED = {
    "unknown output": (
        ["nope"], {}, "output_names: needs names of outputs: y, u, w, g, got 'nope'",
    ),
    "missing": (None, {"x": None}, "input_feed: needs data for 'x', got 'k', 'z', 'h'"),
    "unknown input": (
        None, {"nope": FEED["x"]}, "input_feed: needs names of inputs: x, k, z, h, got 'nope'",
    ),
    "dimensions": (None, {"x": FEED["x"][0]}, "'x': needs 2 dimensions ['N', 3], got 1 [3]"),
    "size": (None, {"x": FEED["x"].T}, "'x': needs size 3 for dimension 1, got [3, 2]"),
    "type": (None, {"x": FEED["x"] * 1.0j}, "'x': needs tensor(float), got complex64"),
    "wide": (None, {"x": np.ones((2, 3))}, "'x': needs tensor(float), got float64"),
    "integer": (None, {"k": np.arange(2, dtype=np.int32)}, "'k': needs tensor(int64), got int32"),
    "text": (None, {"x": "abc"}, "'x': needs tensor(float), got <U3"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refuses_what_onnx_runtime_refuses(case):
    names, changes, message = REFUSED[case]
    feed = {name: array for name, array in (FEED | changes).items() if array is not None}
    our, their = pair(ROWS)

    with pytest.raises(ours.InvalidArgument) as error:
        our.run(names, feed)
    with pytest.raises(Exception, match=r"."):
        their.run(names, feed)

    assert str(error.value) == message


def test_a_model_that_cannot_be_loaded_is_refused_when_the_session_is_made():
    old = parsed("old (float[1] x) => (float[1] y) { y = Abs(x) }")
    old.opset_import[0].version = 5
    unsayable = parsed("bad (float[2, 2] x) => (int64[2, N] y) { y = NonZero(x) }")

    for source, name in [
        ("missing.onnx", "NoSuchFile"),
        (b"no model", "InvalidProtobuf"),
        (old.SerializeToString(), "InvalidGraph"),
        (unsayable.SerializeToString(), "NotImplemented"),
    ]:
        with pytest.raises(getattr(ours.capi.onnxruntime_pybind11_state, name)):
            ours.InferenceSession(source)
    with pytest.raises(dml.DataTypeError, match="needs a path or bytes, got int"):
        ours.InferenceSession(3)


def test_a_model_with_weights_in_files_beside_it_is_loaded_by_its_path(tmp_path):
    weights = onnx.numpy_helper.from_array(np.arange(600, dtype=np.float32), "w")
    model = parsed("big (float[N, 600] x) => (float[N, 600] y) { y = Add(x, w) }")
    model.graph.initializer.append(weights)
    onnx.save(model, tmp_path / "big.onnx", save_as_external_data=True, size_threshold=0)

    made = ours.InferenceSession(str(tmp_path / "big.onnx"))

    (found,) = made.run(None, {"x": np.ones((2, 600), np.float32)})
    assert_bits_equal(
        actual=found, expected=np.arange(1, 601, dtype=np.float32) * np.ones((2, 1), np.float32)
    )


def test_compiles_for_each_size_and_keeps_as_many_models_as_it_is_told():
    options = ours.SessionOptions()
    options.add_session_config_entry("indirectml.compiled_models", "2")
    session = ours.InferenceSession(ROWS.SerializeToString(), options)

    def sizes(*rows):
        for count in rows:
            session.run(None, FEED | {"x": np.ones((count, 3), np.float32)})
        return [model.inputs["x"].sizes[0] for model in session.models]

    assert sizes(1) == [1]
    first = session.models[0]
    assert sizes(2, 1) == [2, 1]
    assert session.models[1] is first
    assert sizes(3) == [1, 3]
    assert session.models[0] is first


def test_threads_of_many_sizes_each_get_their_own_results():
    session = ours.InferenceSession(ROWS.SerializeToString())
    found = {}

    def work(count):
        for _ in range(5):
            x = np.full((count, 3), count, np.float32)
            found[count] = session.run(["y"], FEED | {"x": x})[0]

    threads = [threading.Thread(target=work, args=(count,)) for count in range(1, 13)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(session.models) == session_options.KEPT_MODELS
    for count in range(1, 13):
        expected = np.tile(np.array([1, 2, 3], np.float32) * np.float32(count), (count, 1))
        assert_bits_equal(actual=found[count], expected=expected)


@pytest.mark.filterwarnings("ignore:a model is compiled for each value")
def test_inputs_that_decide_sizes_and_defaults_are_known_while_compiling():
    our, their = pair(SHAPED)
    feed = {"x": FEED["x"]}

    for changes in [{}, {"scale": np.array([3], np.float32)}]:
        for sizes in [[3, 2], [1, 6], [3, 2]]:
            given = feed | {"sizes": np.array(sizes)} | changes
            actual, expected = (session.run(None, given)[0] for session in (our, their))
            assert_bits_equal(actual=actual, expected=expected)
    assert len(our.models) == 4


@pytest.mark.filterwarnings("ignore:a model is compiled for each value")
def test_a_branch_that_the_other_s_sizes_do_not_fit_is_chosen_while_compiling():
    our, their = pair(RATES)

    for rate in (16, 8, 16):
        feed = {"x": np.arange(rate, dtype=np.float32), "rate": np.array(rate)}
        actual, expected = (session.run(None, feed)[0] for session in (our, their))
        assert_bits_equal(actual=actual, expected=expected)


@pytest.mark.filterwarnings("ignore:a model is compiled for each value")
@pytest.mark.parametrize(("rate", "count"), [(16000, 576), (8000, 288)])
def test_silero_vad_as_its_package_loads_it(rate, count):
    if importlib.util.find_spec("silero_vad") is None:
        pytest.skip("silero-vad is not installed; .ci/run installs it")
    model = onnx.load(files("silero_vad") / "data/silero_vad.onnx")
    our, their = pair(model)
    feed = {
        "input": np.random.default_rng(1).standard_normal((1, count)).astype(np.float32) / 10,
        "state": np.zeros((2, 1, 128), np.float32),
        "sr": np.array(rate),
    }

    for _ in range(3):  # what it makes of a window is read with the next
        actual, expected = (session.run(None, feed) for session in (our, their))
        for ours_, theirs_ in zip(actual, expected, strict=True):
            assert relative_difference(ours_, theirs_) < 1e-4
        feed["state"] = expected[1]


def test_bound_outputs_are_written_where_they_are_or_not_at_all():
    our, their = pair(ROWS)
    results = []
    for ort, session in ((ours, our), (theirs, their)):
        binding = session.io_binding()
        memory = np.zeros((2, 3), np.float32)
        binding.bind_input("x", "cpu", 0, np.float32, (2, 3), FEED["x"].ctypes.data)
        binding.bind_ortvalue_input("k", ort.OrtValue.ortvalue_from_numpy(FEED["k"]))
        for name in "zh":
            binding.bind_cpu_input(name, FEED[name])
        binding.bind_output("u")
        binding.bind_output("y", "cpu", 0, np.float32, (2, 3), memory.ctypes.data)
        session.run_with_iobinding(binding)
        assert_bits_equal(actual=memory, expected=FEED["x"] * np.array([1, 2, 3], np.float32))
        results.append(
            [*binding.copy_outputs_to_cpu(), *(v.numpy() for v in binding.get_outputs())]
        )
    for actual, expected in zip(*results, strict=True):
        assert_bits_equal(actual=actual, expected=expected)

    binding = our.io_binding()
    for name, array in FEED.items():
        binding.bind_cpu_input(name, array)
    kept, small = np.zeros((2, 3), np.float32), np.zeros(5, np.int64)
    binding.bind_ortvalue_output("y", ours.OrtValue(kept))
    binding.bind_ortvalue_output("u", ours.OrtValue(small))
    with pytest.raises(ours.InvalidArgument, match=r"'u': needs writable memory for int64 \[2\]"):
        our.run_with_iobinding(binding)
    assert not kept.any()
    binding.clear_binding_outputs()
    with pytest.raises(ours.Fail, match="at least one output"):
        our.run_with_iobinding(binding)


def test_values_say_what_onnx_runtimes_say():
    for array in FEED.values():
        our, their = (ort.OrtValue.ortvalue_from_numpy(array) for ort in (ours, theirs))
        for name in ("shape", "data_type", "element_type", "tensor_size_in_bytes", "device_name"):
            assert getattr(our, name)() == getattr(their, name)(), name
        assert_bits_equal(actual=np.asarray(our), expected=array)
    feed = {name: ours.OrtValue.ortvalue_from_numpy(array) for name, array in FEED.items()}
    session = ours.InferenceSession(ROWS.SerializeToString())
    assert [v.data_type() for v in session.run_with_ort_values(["w", "g"], feed)] == [
        "tensor(bool)",
        "tensor(float16)",
    ]
    value = ours.OrtValue.ortvalue_from_shape_and_type([2], 10)
    value.update_inplace(FEED["h"])
    assert_bits_equal(actual=np.from_dlpack(value), expected=FEED["h"])


def test_runs_beside_the_caller_call_back():
    session = ours.InferenceSession(ROWS.SerializeToString())
    for feed, is_fine in ((FEED, True), ({}, False)):
        done, found = threading.Event(), []

        def back(results, data, error, found=found, done=done):
            found.extend([len(results), data, bool(error)])
            done.set()

        session.run_async(None, feed, back, "mine")
        assert done.wait(60)
        assert found == [4 if is_fine else 0, "mine", not is_fine]


def test_what_has_no_meaning_is_said_once():
    session_options.say_once.cache_clear()
    said = []
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            options = ours.SessionOptions()
            options.intra_op_num_threads = 4
            options.graph_optimization_level = ours.GraphOptimizationLevel.ORT_ENABLE_ALL
            options.add_session_config_entry("session.use_mimalloc", "1")
            providers = [("CUDAExecutionProvider", {"device_id": 1}), "DmlExecutionProvider"]
            made = ours.InferenceSession(ROWS.SerializeToString(), options, providers)
        said.append([str(each.message) for each in caught])

    assert said == [
        [
            (
                "SessionOptions.intra_op_num_threads has no meaning in IndirectML; "
                "indirectml.configure(max_threads=...) sets the threads of the process"
            ),
            "the session's entry 'session.use_mimalloc' has no meaning in IndirectML",
            "provider 'CUDAExecutionProvider' has no meaning in IndirectML, which runs on the CPU",
            "options of provider 'CUDAExecutionProvider' have no meaning in IndirectML",
        ],
        [],
    ]
    assert made.get_providers() == ["DmlExecutionProvider", "CPUExecutionProvider"]
    with pytest.raises(AttributeError, match="no attribute 'intra_op_threads'"):
        options.intra_op_threads = 1


def test_the_trace_of_a_session_has_its_runs(tmp_path):
    options = ours.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "trace")
    session = ours.InferenceSession(ROWS.SerializeToString(), options)
    for _ in range(3):
        session.run(None, FEED)

    events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))

    assert [each["name"] for each in events] == ["model_run"] * 3
    assert all(each["ph"] == "X" and each["dur"] >= 0 for each in events)


@pytest.mark.parametrize("library", NEEDS)
def test_a_library_on_our_sessions_gives_what_it_gives_on_its_own(library):
    missing = [name for name in NEEDS[library] if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{library} needs {', '.join(missing)}")
    results = []
    for kind in ("ours", "theirs"):
        command = [sys.executable, "-m", "tests.onnxruntime.session_libraries", library, kind]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        results.append(json.loads(done.stdout.splitlines()[-1]))

    (our_name, our_found, our_numbers), (their_name, their_found, their_numbers) = results
    assert (our_name, their_name) == ("indirectml.onnxruntime", "onnxruntime")
    assert our_found == their_found
    assert our_found
    # Probabilities: both round, in orders of their own.
    np.testing.assert_allclose(our_numbers, their_numbers, rtol=0, atol=1e-3)
