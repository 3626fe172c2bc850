"""Networks that PyTorch writes as ONNX models, loaded, and held to what PyTorch computes."""

import contextlib
import io

import numpy as np
import pytest

import indirectml as dml

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402 (torch may be missing)
from torch.nn import functional  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of PyTorch's exporter


class Function(nn.Module):
    """A function as a network."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def numbers(*sizes):
    return torch.randn(sizes, generator=torch.Generator().manual_seed(sum(sizes)))


def convolutions():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU6(),
        nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(8, 5), nn.Softmax(-1),
    )  # fmt: skip


def transposed_convolutions():
    return nn.Sequential(
        nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1), nn.PixelShuffle(2),
        nn.PReLU(),
    )  # fmt: skip


def activations():
    return nn.Sequential(
        nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.LeakyReLU(), nn.Hardswish(),
        nn.Mish(), nn.GELU(), nn.ELU(), nn.Softplus(),
    )  # fmt: skip


def resized(**options):
    return lambda: Function(lambda x: functional.interpolate(x, **options))


def of(function):
    return lambda: Function(function)


ROWS = torch.tensor([[0, 4], [1, 2], [2, 3]])

NETWORKS = {
    "transformer": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2),
        [numbers(2, 5, 16)],
    ),
    "lstm": (
        lambda: nn.LSTM(4, 6, 2, bidirectional=True, batch_first=True),
        [numbers(2, 5, 4)],
    ),
    "gru": (lambda: nn.GRU(4, 6, 1), [numbers(5, 2, 4)]),
    "rnn": (lambda: nn.RNN(4, 6, 1, nonlinearity="relu"), [numbers(5, 2, 4)]),
    "convolutions": (convolutions, [numbers(2, 3, 17, 17)]),
    "transposed": (transposed_convolutions, [numbers(1, 3, 6, 6)]),
    "activations": (activations, [numbers(2, 4, 5, 5)]),
    "line": (
        lambda: nn.Sequential(
            nn.Conv1d(3, 4, 3, dilation=2), nn.BatchNorm1d(4), nn.MaxPool1d(2)
        ),
        [numbers(2, 3, 20)],
    ),
    "volume": (
        lambda: nn.Sequential(nn.Conv3d(2, 3, 2), nn.MaxPool3d(2)),
        [numbers(1, 2, 6, 6, 6)],
    ),
    "resized by scales": (resized(scale_factor=1.7, mode="bilinear"), [numbers(1, 2, 5, 6)]),
    "resized to corners": (
        resized(size=(9, 4), mode="bilinear", align_corners=True),
        [numbers(1, 2, 5, 6)],
    ),
    "resized to the nearest": (resized(size=(9, 4)), [numbers(1, 2, 5, 6)]),
    "resized by cubes": (resized(scale_factor=2, mode="bicubic"), [numbers(1, 2, 5, 6)]),
    "einsum": (
        of(lambda a, b: torch.einsum("bhid,bhjd->bhij", a, b)),
        [numbers(2, 3, 4, 5), numbers(2, 3, 6, 5)],
    ),
    "attention": (
        of(lambda q: functional.scaled_dot_product_attention(q, q + 1, q, is_causal=True)),
        [numbers(1, 2, 4, 8)],
    ),
    "gathered": (of(lambda x, at: (torch.gather(x, 1, at), x[:, [2, 0]])), [numbers(3, 5), ROWS]),
    "scattered": (
        of(lambda x, at, new: x.scatter(1, at, new).scatter_add(1, at, new)),
        [numbers(3, 5), ROWS, numbers(3, 2)],
    ),
    "embedded": (lambda: nn.Embedding(10, 4), [torch.tensor([[1, 2], [9, 0]])]),
    "largest": (of(lambda x: torch.topk(x, 3, dim=1)), [numbers(3, 7)]),
    "sums": (of(lambda x: (torch.cumsum(x, 1), x.sum(0), x.logsumexp(1))), [numbers(3, 7)]),
    "statistics": (
        of(lambda x: (x.std(1), x.var(0), x.mean(), x.norm(dim=1), x.prod(1), x.argmax(1))),
        [numbers(3, 5)],
    ),
    "triangles": (of(lambda x: torch.triu(x, 1) + torch.tril(x, -1)), [numbers(4, 4)]),
    "chosen": (of(lambda x: torch.where(x > 0, x, -x).masked_fill(x > 1, -1.0)), [numbers(4, 4)]),
    "truths": (of(lambda x: ((x > 0) & ~(x < -1)).any(1)), [numbers(3, 5)]),
    "padded": (
        of(lambda x: functional.pad(functional.pad(x, (1, 2, 0, 1), mode="reflect"), (1, 1))),
        [numbers(1, 2, 5, 6)],
    ),
    "pooled": (
        of(lambda x: (
            functional.max_pool2d(x, 3, 2, 1, ceil_mode=True),
            functional.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        )),
        [numbers(1, 2, 8, 7)],
    ),
    "unfolded": (of(lambda x: functional.unfold(x, (2, 3), padding=1)), [numbers(1, 2, 5, 6)]),
    "split": (of(lambda x: (*torch.chunk(x, 3, 1), *torch.split(x, [1, 5], 1))), [numbers(2, 6)]),
    "repeated": (of(lambda x: x.repeat(2, 3).expand(2, 4, 9).flip(1)), [numbers(2, 3)]),
    "rolled": (of(lambda x: torch.roll(x, (1, 2), (0, 1))), [numbers(3, 5)]),
    "remainders": (
        of(lambda x, y: (torch.remainder(x, y), torch.fmod(x, y))),
        [5 * numbers(6), numbers(7)[:6]],
    ),
    "bags": (lambda: nn.EmbeddingBag(10, 4, mode="mean"), [torch.tensor([[1, 2], [9, 0]])]),
    "infinite": (
        of(lambda x: (torch.isinf(1 / x), torch.isnan(0 / x), torch.nan_to_num(1 / x))),
        [torch.tensor([0.0, -0.0, 2.0])],
    ),
    "determinants": (of(torch.det), [numbers(2, 3, 3)]),
    "half": (of(lambda x: (x.half() @ x.half().T).softmax(-1)), [numbers(4, 6)]),
}  # fmt: skip


#: What PyTorch writes from a later opset on.
LATER = {"transformer", "einsum", "attention", "triangles"}

CASES = [
    (name, opset) for name in NETWORKS for opset in (11, 17) if opset > 11 or name not in LATER
]


@pytest.mark.parametrize(("name", "opset"), CASES)
def test_network(name, opset):
    make, inputs = NETWORKS[name]
    torch.manual_seed(1)
    network = make().eval()
    file = io.BytesIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        torch.onnx.export(network, tuple(inputs), file, opset_version=opset, dynamo=False)
    with torch.no_grad():
        expected = network(*inputs)

    loaded = dml.load_onnx(file.getvalue())
    actual = loaded(*(tensor.numpy() for tensor in inputs))

    tolerance = 2e-3 if name == "half" else 2e-4
    for got, stated in zip(actual, _flat(expected), strict=True):
        assert got.dtype == stated.dtype
        assert got.shape == stated.shape
        np.testing.assert_allclose(got, stated, rtol=tolerance, atol=1e-5)


def _flat(results):
    if isinstance(results, torch.Tensor):
        return [results.numpy()]
    return [array for each in results for array in _flat(each)]
