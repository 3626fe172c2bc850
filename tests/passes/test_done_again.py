"""What passes did with the last plan, done again in other sizes: the plan that is made anew."""

from collections import Counter

import numpy as np
import pytest
from samples import generate
from samples.decoder import SMALL, decoder

import indirectml as dml
from indirectml.passes import flow, fusion, packing
from tests.onnx_import.test_resizing import ROWS, random_model

#: Where what is done again is looked for, what does it, and what says that it cannot be.
AGAIN = ((vars(fusion)["_Groups"], "join_as"), (packing, "_packed_as"), (flow, "_placed_as"))

#: Rows that lie in one unit of memory, in the next one, or are many for passes.
COUNTS = (1, 2, 3, 10, 11, 42, 43, 170, 171, 172, 690)


@pytest.fixture
def outcomes(monkeypatch):
    """Compare each plan with the one that is made without the last one; count what was done."""
    found = Counter()
    own = vars(dml.Device)["_planned"]

    def planned(self, draft, place, shares=None, former=None):
        made = own(self, draft, place, shares, former)
        if former is not None:
            anew = own(self, draft, place, shares, None)
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
