"""What passes did with the last plan, done again in other sizes: the plan that is made anew."""

from collections import Counter

import numpy as np
import pytest
from samples import generate
from samples.decoder import SMALL, decoder

import indirectml as dml
from indirectml.passes import flow, fusion, packing
from indirectml.passes.parts import Former
from tests.onnx_import.test_resizing import ROWS, random_model

#: Where what is done again is looked for, what does it, and what says that it cannot be.
AGAIN = ((vars(fusion)["_Groups"], "join_as"), (packing, "_packed_as"), (flow, "_placed_as"))

#: Of weights that are worth panels.
WIDTH = 32

#: Rows that lie in one unit of memory, in the next one, or are many for passes.
COUNTS = (1, 2, 3, 10, 11, 42, 43, 170, 171, 172, 690)


@pytest.fixture
def outcomes(monkeypatch):
    """Compare each plan with the one that is made without the last one; count what was done."""
    found = Counter()
    own = vars(dml.Device)["_planned"]

    def planned(self, draft, place, former, shares=None):
        made = own(self, draft, place, former, shares)
        anew = own(self, draft, place, Former(), shares)
        assert made == anew
        assert described(made) == described(anew)
        found["plans"] += 1
        return made

    def counted(owner, name):
        def again(*arguments):
            result = act(*arguments)
            found[name, bool(result)] += 1
            return result

        act = getattr(owner, name)
        monkeypatch.setattr(owner, name, again)

    monkeypatch.setattr(dml.Device, "_planned", planned)
    for owner, name in AGAIN:
        counted(owner, name)
    return found


def described(plan):
    """Return the nodes of a plan's steps, which equality leaves out."""
    return [[getattr(name, "node", None) for name in getattr(step, "operator_names", ())]
            for step in plan.steps]  # fmt: skip


def test_a_decoder_whose_cache_grows(outcomes):
    """Nearly all is done again; not where ranges or positions begin a new unit of memory."""
    model = generate.Decoder(dml.load_onnx(decoder(SMALL, "growing")))
    model.logits([1, 2, 3])
    for token in range(140):
        model.logits([token % SMALL.vocabulary])
    for _, name in AGAIN:
        assert outcomes[name, True] > 125, (name, outcomes)
    assert outcomes["_placed_as", False] > 1
    assert outcomes["_packed_as", False] > 1


@pytest.mark.parametrize("part", range(4))
def test_random_models_in_random_sizes(part, outcomes):
    """Sizes one after the other that passes decide differently for, too."""
    for seed in range(part * 25, part * 25 + 25):
        rng = np.random.default_rng([20261123, seed])
        model = dml.load_onnx(random_model(rng))
        rows, past = 3, 5
        for _ in range(8):
            given = {
                name: rng.standard_normal((count, ROWS)).astype(np.float32)
                for name, count in (("x", rows), ("past", past))
            }
            model.at(given)
            past = past + 1 if rng.integers(3) else int(rng.choice(COUNTS))
            rows = rows if rng.integers(3) else int(rng.choice(COUNTS))
    for _, name in AGAIN:
        assert outcomes[name, True] > 10, (name, outcomes)
        assert outcomes[name, False] > 5, (name, outcomes)


def program(p, weights, kind):
    """Do few instructions or more than one program has."""
    del weights
    for _ in range(40):
        p = (dml.activation_relu, dml.activation_gelu, dml.abs)[kind % 3](p) * p
    return p


def unread(p, weights, kind):
    """Read a tensor, or multiply it with 0."""
    return dml.gemm(p, weights, p, alpha=2.0, beta=float(kind % 2)) + p


def product(p, weights, kind):
    """Read a constant as it lies, or transposed: in other panels."""
    sides = dml.MatrixTransform.NONE, dml.MatrixTransform.TRANSPOSE
    return dml.gemm(p, weights, trans_b=sides[kind % 2]) + 1


def turned(p, weights, kind):
    """Write where is read, if elements are in the same order."""
    rows, columns = p.shape
    product = dml.gemm(p, weights)
    strides = ([columns, 1], [1, rows])[kind % 2]
    return dml.activation_softmax(product + dml.reinterpret(product, [rows, columns], strides))


def word(p, weights, kind):
    """Be a program, or a word."""
    return (dml.activation_relu, dml.activation_softmax)[kind % 2](dml.gemm(p, weights)) + p


def alone(p, weights, kind):
    """Be a word, or a program that may write where it reads, between the same buffers."""
    act = (dml.activation_relu, dml.activation_hardmax)[kind % 2]
    return dml.gemm(act(dml.gemm(p, weights)), weights)


@pytest.mark.parametrize("part", [program, unread, product, turned, word, alone])
def test_operators_that_are_others(part, outcomes):
    """Of the same tensors, so that the layout is the last one: what is done again is not."""
    random = np.random.default_rng(8)
    graph = dml.Graph(dml.Device())
    weights = graph.constant(random.standard_normal((WIDTH, WIDTH)).astype(np.float32))
    kinds = []

    def function(x):
        return [dml.activation_softmax(part(x + 1, weights, kinds[-1]) * 2)]

    sized = dml.SizedGraph(graph, function, {"x": ["rows", WIDTH]}, kept=1)
    for number in range(24):
        kinds.append(int(random.integers(6)))
        sized.at(rows=(3, 4, 50, 5)[number % 4])
    assert outcomes["plans"] == len(kinds)
