"""What converters of scikit-learn write, beside ONNX Runtime."""

import numpy as np
import onnx
import pytest
from onnx import helper

import indirectml as dml
from tests.bits import assert_bits_equal
from tests.onnx_models import session

F32 = np.float32
ROWS, WIDTH = 400, 4


def model(operator, outputs, dtype=F32, version=3, **attributes):
    """Return a model of one node of ai.onnx.ml."""
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    node = helper.make_node(operator, ["x"], outputs, domain="ai.onnx.ml", **attributes)
    graph = helper.make_graph(
        [node], operator, [helper.make_tensor_value_info("x", element, ["N", WIDTH])],
        [onnx.ValueInfoProto(name=name) for name in outputs],
    )  # fmt: skip
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", version)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def features(dtype=F32, seed=1):
    numbers = np.random.default_rng(seed).standard_normal((ROWS, WIDTH)) * 3
    return numbers.astype(dtype)


def assert_same(made, x, *, has_labels=False):
    """Compare with ONNX Runtime, of many rows and of one; and with what comes back."""
    loaded, theirs = dml.load_onnx(made), session(made.SerializeToString())
    for data in (x, x[:1]):
        actual, expected = loaded(data), theirs.run(None, {"x": data})
        back = dml.load_onnx(loaded.at(x=data).to_onnx())(data)
        for got, again in zip(actual, back, strict=True):
            assert_bits_equal(actual=again, expected=got)
        for got, stated in zip(actual, expected, strict=True):
            assert (got.dtype, got.shape) == (stated.dtype, stated.shape)
            np.testing.assert_allclose(got, stated, rtol=1e-5, atol=1e-6)
        if has_labels and len(data) > 1:
            assert len(set(actual[0].tolist())) > 1


@pytest.mark.parametrize("dtype", [F32, np.int64])
def test_scales(dtype):
    made = model("Scaler", ["y"], dtype, offset=[1.0, -2.0, 0.5, 0.0], scale=[2.0, 0.1, 1.0, 3.0])
    assert_same(made, features(dtype))
    assert_same(model("Scaler", ["y"], dtype, offset=[1.0], scale=[2.0]), features(dtype))


@pytest.mark.parametrize("norm", ["MAX", "L1", "L2"])
def test_norms(norm):
    x = features()
    x[3] = 0
    assert_same(model("Normalizer", ["y"], norm=norm), np.abs(x) if norm == "MAX" else x)


@pytest.mark.parametrize("targets", [1, 3])
def test_linear_functions(targets):
    weights = np.linspace(-1, 2, targets * WIDTH).tolist()
    made = model("LinearRegressor", ["y"], coefficients=weights, targets=targets,
                 intercepts=np.linspace(0, 1, targets).tolist())  # fmt: skip
    assert_same(made, features())


@pytest.mark.parametrize(
    ("scores", "labels", "transform"),
    [
        (scores, labels, transform)
        for scores, labels in ((3, [4, 1, 7]), (2, [0, 1]), (1, [0, 1]))
        for transform in ("NONE", "LOGISTIC", "SOFTMAX")[: 2 if scores == 1 else 3]
    ],
)
def test_linear_classes(scores, labels, transform):
    weights = np.random.default_rng(2).standard_normal(scores * WIDTH).tolist()
    made = model("LinearClassifier", ["label", "scores"], coefficients=weights,
                 intercepts=[0.3, -0.1, 0.2][:scores], classlabels_ints=labels,
                 post_transform=transform)  # fmt: skip
    assert_same(made, features(), has_labels=True)


def trees(prefix, targets, *, mode="BRANCH_LEQ", count=5, positive=False, **more):
    """Return the attributes of random trees, some of whose nodes are leaves early."""
    rng = np.random.default_rng(3)
    names = ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids")
    nodes = {f"nodes_{name}": [] for name in names}
    leaves = {f"{prefix}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    for tree in range(count):
        waiting, used = [(0, 0)], 1
        while waiting:
            number, depth = waiting.pop()
            is_leaf = depth == 3 or (depth and rng.random() < 0.3)
            to = (0, 0) if is_leaf else (used, used + 1)
            row = (tree, number, int(rng.integers(WIDTH)), float(rng.standard_normal() * 2),
                   "LEAF" if is_leaf else mode, *to)  # fmt: skip
            for own, value in zip(nodes.values(), row, strict=True):
                own.append(value)
            if is_leaf:
                weight = float(rng.standard_normal())
                target = targets[int(rng.integers(len(targets)))]
                row = tree, number, target, abs(weight) / count if positive else weight
                for own, value in zip(leaves.values(), row, strict=True):
                    own.append(value)
            else:
                waiting += [(used, depth + 1), (used + 1, depth + 1)]
                used += 2
    return nodes | leaves | more


@pytest.mark.parametrize("how", ["SUM", "AVERAGE", "MIN", "MAX"])
def test_trees(how):
    made = model("TreeEnsembleRegressor", ["y"], n_targets=1, aggregate_function=how,
                 base_values=[0.5], **trees("target", [0]))  # fmt: skip
    assert_same(made, features())


@pytest.mark.parametrize("mode", ["BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"])
def test_trees_that_compare_otherwise(mode):
    assert_same(
        model("TreeEnsembleRegressor", ["y"], n_targets=2, **trees("target", [0, 1], mode=mode)),
        features(),
    )


def test_trees_of_what_is_missing():
    parts = trees("target", [0])
    tracks = [int(k % 2) for k in range(len(parts["nodes_modes"]))]
    x = features()
    x[::3, 1] = x[1::3, 2] = np.nan
    parts["nodes_missing_value_tracks_true"] = tracks
    made = model("TreeEnsembleRegressor", ["y"], n_targets=1, **parts)
    assert_same(made, x)


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC"])
def test_classes_by_trees(transform):
    made = model("TreeEnsembleClassifier", ["label", "scores"], classlabels_int64s=[5, 2, 9],
                 post_transform=transform, **trees("class", [0, 1, 2]))  # fmt: skip
    assert_same(made, features(), has_labels=True)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC"])
def test_two_classes_of_one_score(positive, transform):
    made = model("TreeEnsembleClassifier", ["label", "scores"], classlabels_int64s=[0, 1],
                 post_transform=transform, **trees("class", [0], positive=positive))  # fmt: skip
    assert_same(made, features(), has_labels=True)


KERNELS = ["LINEAR", "POLY", "RBF", "SIGMOID"]


def vectors(count, weights, **more):
    """Return the attributes of random support vectors, and of a kernel."""
    rng = np.random.default_rng(4)
    return {
        "support_vectors": rng.standard_normal(count * WIDTH).tolist(),
        "coefficients": rng.standard_normal(weights).tolist(),
        "kernel_params": [0.1, 0.5, 3.0],
    } | more


@pytest.mark.parametrize("one_class", [0, 1])
@pytest.mark.parametrize("kernel", KERNELS)
def test_functions_of_support_vectors(kernel, one_class):
    parts = vectors(6, 6, kernel_type=kernel, n_supports=6, rho=[0.2], one_class=one_class)
    assert_same(model("SVMRegressor", ["y"], **parts), features() / F32(3))


@pytest.mark.parametrize("counts", [[3, 2], [3, 2, 4], [3, 2, 4, 1]])
@pytest.mark.parametrize("kernel", KERNELS)
def test_classes_by_support_vectors(kernel, counts):
    classes = len(counts)
    rho = (np.random.default_rng(5).standard_normal(classes * (classes - 1) // 2) / 9).tolist()
    parts = vectors(sum(counts), sum(counts) * (classes - 1), kernel_type=kernel, rho=rho)
    made = model("SVMClassifier", ["label", "scores"], vectors_per_class=counts,
                 classlabels_ints=[7, 2, 5, 9][:classes], **parts)  # fmt: skip
    assert_same(made, features() / F32(3), has_labels=True)


def test_a_linear_function_of_no_vectors():
    """ONNX Runtime refuses it without parameters of a kernel, which it has not."""
    made = model("SVMRegressor", ["y"], coefficients=[1.0, 2.0, 0.5, -1.0], rho=[0.25])
    x = features()
    expected = (x.astype(np.float64) @ [1, 2, 0.5, -1] + 0.25)[:, None]
    np.testing.assert_allclose(dml.load_onnx(made)(x)[0], expected, rtol=1e-5, atol=1e-5)


def categories(dtype=np.int64):
    return np.random.default_rng(6).integers(0, 6, (ROWS, WIDTH)).astype(dtype)


@pytest.mark.parametrize("missing", [0.0, np.nan])
def test_numbers_in_place_of_what_is_missing(missing):
    x = np.where(features() > 0, features(), missing).astype(F32)
    for numbers in ([1.0, 2.0, 3.0, 4.0], [5.0]):
        made = model("Imputer", ["y"], imputed_value_floats=numbers, replaced_value_float=missing)
        assert_same(made, x)
    made = model("Imputer", ["y"], np.int64, imputed_value_int64s=[9], replaced_value_int64=3)
    assert_same(made, categories())


@pytest.mark.parametrize("dtype", [np.int64, F32])
@pytest.mark.parametrize("found", [[0, 1, 2, 3, 4, 5], [1, 3, 5]])
def test_a_place_for_each_category(found, dtype):
    made = model("OneHotEncoder", ["y"], dtype, cats_int64s=found, zeros=int(len(found) < 6))
    assert_same(made, categories(dtype))


TABLES = {
    "int64 of int64": {"keys_int64s": [1, 3, 1], "values_int64s": [10, 30, 11],
                       "default_int64": -7},
    "float of int64": {"keys_int64s": [1, 3], "values_floats": [1.5, 2.5]},
    "float of float": {"keys_floats": [1.0, 2.0], "values_floats": [4.0, 5.0],
                       "default_float": 0.5},
    "int64 of float": {"keys_floats": [1.0, 2.0], "values_int64s": [4, 5]},
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_what_is_looked_up(name):
    dtype = F32 if "keys_floats" in TABLES[name] else np.int64
    assert_same(model("LabelEncoder", ["y"], dtype, **TABLES[name]), categories(dtype))


@pytest.mark.parametrize("version", [3, 4])
def test_nan_is_a_key_since_version_4(version):
    x = np.where(categories() == 0, np.nan, categories()).astype(F32)
    parts = {"keys_floats": [1.0, np.nan], "values_int64s": [4, 5]}
    assert_same(model("LabelEncoder", ["y"], F32, version=version, **parts), x)


def test_what_is_looked_up_in_tensors():
    tables = {"keys": np.array([1, 3]), "values": F32([1.5, 2.5]), "default": F32([9])}
    parts = {f"{name}_tensor": onnx.numpy_helper.from_array(a) for name, a in tables.items()}
    assert_same(model("LabelEncoder", ["y"], np.int64, version=4, **parts), categories())


def test_rows_of_several_inputs():
    node = helper.make_node("FeatureVectorizer", ["x", "x"], ["y"], domain="ai.onnx.ml",
                            inputdimensions=[WIDTH, WIDTH])  # fmt: skip
    for dtype in (F32, np.int64):
        made = model("Scaler", ["y"], dtype)
        made.graph.node[0].CopyFrom(node)
        assert_same(made, features(dtype))


REFUSED = [
    ("ZipMap", {"classlabels_int64s": [0, 1]},
     "is about maps; DirectML has tensors: convert the model without it (zipmap=False)"),
    ("SVMRegressor", {"n_supports": 2, "coefficients": [1.0, 2.0], "rho": [0.0]},
     "attribute support_vectors: needs 2 vectors of 4 numbers, got 0"),
    ("SVMClassifier", {"prob_a": [1.0], "prob_b": [1.0], "classlabels_ints": [0, 1]},
     ("needs support vectors of each class, and scores of pairs, got probabilities; convert the "
     "model with probability=False")),
    ("SVMClassifier", {"classlabels_ints": [0, 1], "vectors_per_class": [3, -1], "rho": [0.0],
                       "coefficients": [1.0, 1.0], "support_vectors": [1.0] * 8},
     "attribute vectors_per_class: needs counts, got [3, -1]"),
    ("LabelEncoder", {"keys_strings": ["a"], "values_int64s": [1]},
     ("needs keys that are numbers, got text; look numbers up for text before the model, and text "
     "for numbers behind it")),
    ("Imputer", {"imputed_value_floats": [1.0, 2.0]},
     "needs a number for all features, or one for each of 4, got [1.0, 2.0]"),
    ("LinearClassifier", {"coefficients": [1.0] * 8, "classlabels_strings": ["a", "b"]},
     ("needs classes that are numbers, got text; convert the model with numbers for classes, and "
     "look their names up behind it")),
    ("LinearRegressor", {"coefficients": [1.0] * 5},
     "needs 4 coefficients for each score, got 5 of 1 scores"),
    ("TreeEnsembleRegressor", trees("target", [0], mode="BRANCH_NEQ"),
     ("attribute nodes_modes: needs nodes that all compare in one of the ways BRANCH_LEQ, "
     "BRANCH_LT, BRANCH_GTE, BRANCH_GT, BRANCH_EQ, got BRANCH_NEQ")),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "attributes", "reason"), REFUSED)
def test_refuses_with_what_to_do(operator, attributes, reason):
    outputs = ["y", "z"] if operator.endswith("Classifier") else ["y"]
    with pytest.raises(dml.OnnxModelError) as caught:
        dml.load_onnx(model(operator, outputs, **attributes), dimensions={"N": 3})
    assert caught.value.refusals[0].reason == reason


@pytest.mark.parametrize("place", [0, 1])
def test_trees_that_do_not_end_are_refused(place):
    parts = trees("target", [0], count=1)
    inner = [k for k, mode in enumerate(parts["nodes_modes"]) if mode != "LEAF"]
    parts["nodes_truenodeids"][inner[place]] = parts["nodes_nodeids"][inner[place]]
    made = model("TreeEnsembleRegressor", ["y"], n_targets=1, **parts)
    with pytest.raises(
        dml.OnnxModelError, match="needs trees that end, got nodes that lead to one"
    ):
        dml.load_onnx(made, dimensions={"N": 3})


@pytest.mark.parametrize(
    "name", [name for name in trees("target", [0]) if not name.endswith("treeids")]
)
def test_trees_of_which_some_is_left_out_are_refused(name):
    parts = trees("target", [0])
    count = len(parts[name])
    made = model("TreeEnsembleRegressor", ["y"], n_targets=1, **parts | {name: parts[name][:-1]})
    with pytest.raises(dml.OnnxModelError) as caught:
        dml.load_onnx(made, dimensions={"N": 3})
    reason = f"attribute {name}: needs {count} values, got {count - 1}"
    assert caught.value.refusals[0].reason == reason


def test_scores_for_no_target_are_refused():
    parts = trees("target", [0])
    parts["target_ids"][0] = -1
    made = model("TreeEnsembleRegressor", ["y"], n_targets=2, **parts)
    with pytest.raises(
        dml.OnnxModelError, match=r"for targets that there are, got node .* target -1"
    ):
        dml.load_onnx(made, dimensions={"N": 3})
