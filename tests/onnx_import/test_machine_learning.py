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


def model(operator, outputs, dtype=F32, **attributes):
    """Return a model of one node of ai.onnx.ml."""
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    node = helper.make_node(operator, ["x"], outputs, domain="ai.onnx.ml", **attributes)
    graph = helper.make_graph(
        [node], operator, [helper.make_tensor_value_info("x", element, ["N", WIDTH])],
        [onnx.ValueInfoProto(name=name) for name in outputs],
    )  # fmt: skip
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
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


REFUSED = [
    ("ZipMap", {"classlabels_int64s": [0, 1]},
     "is about maps; DirectML has tensors: convert the model without it (zipmap=False)"),
    ("SVMRegressor", {},
     "has no form in DirectML's operators; end the model before it, and compute it from outputs"),
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
    outputs = ["y", "z"] if operator == "LinearClassifier" else ["y"]
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
