"""The onnx package's light models, with random weights, beside ONNX Runtime."""

import numpy as np
import pytest

import indirectml as dml
from tests.onnx_import.light import NAMES, light_model
from tests.onnx_models import relative_difference, session

#: In parts of the largest output. Sums of thousands of products in another order, through up to 120
#: layers; measured are 2e-7 to 6e-6.
BOUND = 2e-5


@pytest.mark.parametrize("name", NAMES)
def test_gives_what_onnx_runtime_gives(name):
    model = light_model(name)
    loaded = dml.load_onnx(model)
    ((name, picture),) = loaded.inputs.items()
    x = np.random.default_rng(3).standard_normal(picture.sizes).astype(np.float32)

    (y,) = loaded(x)
    (expected,) = session(model).run(None, {name: x})

    assert np.ptp(expected) > 0.1 * np.mean(expected)  # so that there is something to compare
    assert relative_difference(y, expected) < BOUND


def test_all_of_them_are_here():
    assert len(NAMES) == 9
