"""PyTorch's models by PyTorch's exporter, and `torch.compile` with this library behind it."""

from importlib import metadata

import numpy as np
import pytest

import indirectml as dml
from indirectml.pytorch import compile_backend

WHY = "is not installed; pip install torch==2.13.0 onnxscript, in the CPU build, runs these"
torch = pytest.importorskip("torch", reason=f"torch {WHY}")
pytest.importorskip("onnxscript", reason=f"onnxscript {WHY}")

pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch's own, of its exporter

#: Both round otherwise.
BOUND = 1e-5


def network():
    """Return a small network of layers that most have."""
    nn = torch.nn
    torch.manual_seed(3)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4), nn.Softmax(-1),
    ).eval()  # fmt: skip


def picture(*sizes):
    return torch.randn(sizes, generator=torch.Generator().manual_seed(5))


def assert_near(found, wanted):
    assert found.shape == wanted.shape
    assert np.abs(np.asarray(found) - wanted.numpy()).max() < BOUND
    assert np.ptp(np.asarray(found)) > 0.01


def test_an_exported_program_becomes_a_model():
    module, x = network(), picture(2, 3, 12, 12)

    model = dml.from_torch(torch.export.export(module, (x,)))

    with torch.no_grad():
        assert_near(model(x)[0], module(x))


def test_torch_compile_runs_here_by_name_and_follows_sizes_and_parameters():
    names = {each.name for each in metadata.entry_points(group="torch_dynamo_backends")}
    module = network()
    backend = "indirectml" if "indirectml" in names else compile_backend  # installed before it was
    compiled = torch.compile(module, backend=backend, dynamic=False)

    with torch.no_grad():
        for sizes in ((2, 3, 12, 12), (1, 3, 8, 10)):
            assert_near(compiled(picture(*sizes)), module(picture(*sizes)))
        module[5].weight.mul_(3.0)
        assert_near(compiled(picture(2, 3, 12, 12)), module(picture(2, 3, 12, 12)))


def test_several_outputs_and_inputs_of_integers():
    def both(x, at):
        return x[at] * 2, x.sum(0)

    compiled = torch.compile(both, backend=compile_backend, dynamic=False)
    x, at = picture(4, 3), torch.tensor([2, 0])

    with torch.no_grad():
        for found, wanted in zip(compiled(x, at), both(x, at), strict=True):
            assert_near(found, wanted)


def test_training_is_refused():
    compiled = torch.compile(network(), backend=compile_backend, dynamic=False)

    with pytest.raises(Exception, match="needs inference"):
        compiled(picture(1, 3, 8, 8))


def test_what_is_no_program_is_refused():
    with pytest.raises(dml.DataTypeError, match=r"torch.export.export\(module, inputs\)"):
        dml.from_torch(network())
