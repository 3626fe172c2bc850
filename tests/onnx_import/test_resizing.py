"""A model in other sizes, made in parts from the last one: equal to one that is made at once."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.onnx_import import resizing
from tests.bits import assert_bits_equal
from tests.extent import Extent
from tests.onnx_models import Model

ROWS, PAST = 6, 4


class Open:
    """A model of random nodes over rows of numbers, as many as two dimensions say."""

    def __init__(self, rng):
        self.rng = rng
        self.model, self.constants = Model(opset=18), 0
        #: Values of rows of a width; and whether the rows are those of both inputs.
        self.values = []
        for name, width, sizes in (("x", ROWS, ["N", ROWS]), ("past", ROWS, ["P", ROWS])):
            self.values.append((self.model.input(name, sizes), width, name))
        self.values.append((self.node("Concat", "past", "x", axis=0), ROWS, "both"))

    def node(self, operator, *inputs, **attributes):
        return self.model.node(operator, *inputs, **attributes)

    def constant(self, array):
        self.constants += 1
        return self.model.constant(f"c{self.constants}", np.asarray(array))

    def floats(self, *sizes):
        return self.constant(self.rng.standard_normal(sizes).astype(np.float32))

    def any(self):
        return self.values[self.rng.integers(len(self.values))]

    def count(self, x):
        """Return the rows of a value, as a tensor of one number."""
        return self.node("Gather", self.node("Shape", x), self.constant(np.array([0])), axis=0)

    # ---- nodes ----

    def unary(self):
        x, width, rows = self.any()
        kind = self.rng.choice(["Relu", "Tanh", "Sigmoid", "Neg", "Identity", "Sqrt"])
        self.values.append((self.node(kind, x), width, rows))

    def product(self):
        x, width, rows = self.any()
        wide = int(self.rng.integers(1, 9))
        self.values.append((self.node("MatMul", x, self.floats(width, wide)), wide, rows))

    def sum(self):
        x, width, rows = self.any()
        y = next((n for n, w, r in self.values if (w, r) == (width, rows) and n != x), None)
        self.values.append((self.node("Add", x, y or self.floats(width)), width, rows))

    def numbers(self):
        """Add the numbers of the rows, which are constants that depend on sizes."""
        x, width, rows = self.any()
        scalar = self.node("Squeeze", self.count(x), self.constant(np.array([0])))
        parts = [self.constant(np.array(n)) for n in (0, 1)]
        row = self.node("Cast", self.node("Range", parts[0], scalar, parts[1]), to=1)
        column = self.node("Unsqueeze", row, self.constant(np.array([1])))
        self.values.append((self.node("Add", x, column), width, rows))

    def reshaped(self):
        x, width, rows = self.any()
        sizes = [self.constant(np.array([n])) for n in (width, 1)]
        there = self.node("Concat", self.count(x), sizes[1], sizes[0], axis=0)
        back = self.node("Concat", self.count(x), sizes[0], axis=0)
        turned = self.node("Transpose", self.node("Reshape", x, there), perm=[1, 0, 2])
        self.values.append((self.node("Reshape", turned, back), width, rows))

    def mixed(self):
        """Add attention: queries of some rows, keys and values of others."""
        x, width, rows = self.any()
        y, other, _ = self.any()
        keys = self.node("MatMul", y, self.floats(other, width))
        scores = self.node("MatMul", x, self.node("Transpose", keys, perm=[1, 0]))
        shares = self.node("Softmax", scores, axis=1)
        self.values.append((self.node("MatMul", shares, y), other, rows))

    def normalized(self):
        x, width, rows = self.any()
        mean = self.node("ReduceMean", x, self.constant(np.array([1])), keepdims=1)
        self.values.append((self.node("Sub", x, mean), width, rows))

    def last(self):
        """Add the last row alone, which has the same sizes whatever there are."""
        x, width, _ = self.any()
        parts = [self.constant(np.array([n])) for n in (-1, 2**62, 0)]
        self.values.append((self.node("Slice", x, *parts), width, "one"))

    def row_by_row(self):
        """Add the sum of all rows to each."""
        x, width, rows = self.any()
        total = self.node("ReduceSum", x, self.constant(np.array([0])), keepdims=1)
        self.values.append((self.node("Mul", x, total), width, rows))


NODES = (Open.unary, Open.product, Open.sum, Open.numbers, Open.reshaped, Open.mixed,
         Open.normalized, Open.last, Open.row_by_row)  # fmt: skip


def random_model(rng):
    made = Open(rng)
    for _ in range(rng.integers(4, 16)):
        NODES[rng.integers(len(NODES))](made)
    several = rng.choice(len(made.values) - 2, min(3, len(made.values) - 2), replace=False)
    return made.model.proto(*{made.values[2 + k][0] for k in several})


def described(at):
    """Return all that a model was compiled to, as data."""
    compiled = at.compiled
    desc, plan = compiled.desc, compiled.plan
    return {
        "nodes": [node.desc for node in desc.nodes],
        "edges": (desc.input_edges, desc.intermediate_edges, desc.output_edges),
        "names": (desc.node_names, desc.value_names),
        # Constants without a name have a number that depends on what was made before.
        "inputs": [
            (one.name.rstrip("0123456789") if one.is_constant else one.name, one.desc)
            for one in compiled.graph_inputs
        ],
        "outputs": (at.outputs, compiled.output_tensors),
        "plan": plan,
        "nodes of steps": [[getattr(name, "node", None) for name in
                            getattr(step, "operator_names", ())] for step in plan.steps],
    }  # fmt: skip


#: Random models of each part.
MODELS = 25 if Extent.whole else 10


@pytest.mark.parametrize("part", range(4))
def test_a_plan_made_of_the_last_one_is_the_one_that_is_made_at_once(part, monkeypatch):
    """Random models in random sizes, one after the other: equal data, equal bits."""
    outcomes = []
    own = resizing.Resizing.resized

    def resized(self, *arguments):
        found = own(self, *arguments)
        outcomes.append(found is not None)
        return found

    monkeypatch.setattr(resizing.Resizing, "resized", resized)
    compared = 0
    for seed in range(part * 25, part * 25 + MODELS):
        rng = np.random.default_rng(seed)
        proto = random_model(rng)
        loaded = dml.load_onnx(proto, kept=100)
        rows, past = 3, int(rng.choice([1, 5, 62]))
        for _ in range(6):
            given = {
                "x": rng.standard_normal((rows, ROWS)).astype(np.float32),
                "past": rng.standard_normal((past, ROWS)).astype(np.float32),
            }
            outcomes.clear()
            at = loaded.at(given)
            alone = dml.load_onnx(proto).at(given)
            if outcomes == [True]:
                actual, expected = described(at), described(alone)
                if actual["inputs"] == expected["inputs"]:  # else in the order of a second loading
                    compared += 1
                    for what, wanted in expected.items():
                        assert actual[what] == wanted, (seed, what)
            feed = {name: given[name] for name in at.inputs if name in given}
            for made, wanted in zip(at(feed), alone(feed), strict=True):
                assert_bits_equal(actual=made, expected=wanted)
            past += int(rng.integers(1, 3)) if rng.integers(3) else 0
            rows = rows if rng.integers(3) else int(rng.integers(1, 9))
    assert compared > 3 * MODELS  # of 5 each, some of which are connected otherwise
