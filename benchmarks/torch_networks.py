"""Networks as PyTorch exports them, with random seeded weights: the only file that imports torch.

They are written here in plain torch.nn, each after a published architecture, and small enough to be
measured in a minute; sizes of layers are those of the originals, since kernels depend on them.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import torch
from torch import nn

_SEED = 27
_OPSET = 17


class _Residual(nn.Module):
    """What a body makes of x, plus x or what a shortcut makes of it, and then an activation."""

    def __init__(self, body: nn.Module, shortcut: nn.Module, after: nn.Module) -> None:
        super().__init__()
        self.body, self.shortcut, self.after = body, shortcut, after

    def forward(self, x: Any) -> Any:
        return self.after(self.body(x) + self.shortcut(x))


def _conv(
    channels: int, filters: int, size: int = 3, stride: int = 1, *, groups: int = 1,
    dilation: int = 1, activation: nn.Module | None = None,
) -> nn.Sequential:  # fmt: skip
    """Return a convolution that keeps the extent, its normalization, and an activation."""
    padding = (size - 1) // 2 * dilation
    layers: list[nn.Module] = [
        nn.Conv2d(channels, filters, size, stride, padding, dilation, groups, bias=False),
        _normalization(filters),
    ]
    return nn.Sequential(*layers, *([activation] if activation else []))


def _normalization(channels: int) -> nn.BatchNorm2d:
    found = nn.BatchNorm2d(channels)
    nn.init.uniform_(found.weight, 0.5, 1.5)
    nn.init.normal_(found.bias, std=0.1)
    nn.init.normal_(found.running_mean, std=0.1)
    nn.init.uniform_(found.running_var, 0.5, 1.5)
    return found


def _head(channels: int, classes: int = 1000) -> list[nn.Module]:
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes)]


def resnet(depths: tuple[int, ...], *, is_deep: bool) -> nn.Module:
    """Return a residual network of basic blocks, or of bottlenecks."""
    layers: list[nn.Module] = [_conv(3, 64, 7, 2, activation=nn.ReLU()), nn.MaxPool2d(3, 2, 1)]
    channels, factor = 64, 4 if is_deep else 1
    for stage, depth in enumerate(depths):
        width = 64 << stage
        for n in range(depth):
            stride = 2 if stage > 0 and n == 0 else 1
            filters = width * factor
            if is_deep:
                body = nn.Sequential(
                    _conv(channels, width, 1, activation=nn.ReLU()),
                    _conv(width, width, 3, stride, activation=nn.ReLU()),
                    _conv(width, filters, 1),
                )
            else:
                body = nn.Sequential(
                    _conv(channels, width, 3, stride, activation=nn.ReLU()), _conv(width, width)
                )
            is_same = stride == 1 and channels == filters
            shortcut = nn.Identity() if is_same else _conv(channels, filters, 1, stride)
            layers.append(_Residual(body, shortcut, nn.ReLU()))
            channels = filters
    return nn.Sequential(*layers, *_head(channels))


class _Gate(nn.Module):
    """Squeeze and excitation: channels by a factor that their averages give."""

    def __init__(self, channels: int, inner: int, last: nn.Module, middle: nn.Module) -> None:
        super().__init__()
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, inner, 1), middle,
            nn.Conv2d(inner, channels, 1), last,
        )  # fmt: skip

    def forward(self, x: Any) -> Any:
        return x * self.gate(x)


def _inverted(
    channels: int, inner: int, filters: int, size: int, stride: int, activation: type[nn.Module],
    gate: nn.Module | None = None,
) -> nn.Module:  # fmt: skip
    """Return an inverted residual block: wider, filters of channels, narrower."""
    layers: list[nn.Module] = []
    if inner != channels:
        layers.append(_conv(channels, inner, 1, activation=activation()))
    layers.append(_conv(inner, inner, size, stride, groups=inner, activation=activation()))
    if gate is not None:
        layers.append(gate)
    layers.append(_conv(inner, filters, 1))
    body = nn.Sequential(*layers)
    if stride == 1 and channels == filters:
        return _Residual(body, nn.Identity(), nn.Identity())
    return body


def mobilenet_v2() -> nn.Module:
    """Return MobileNetV2."""
    layers: list[nn.Module] = [_conv(3, 32, 3, 2, activation=nn.ReLU6())]
    channels = 32
    for factor, filters, count, stride in (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):  # fmt: skip
        for n in range(count):
            layers.append(
                _inverted(
                    channels, factor * channels, filters, 3, stride if n == 0 else 1, nn.ReLU6
                )
            )
            channels = filters
    return nn.Sequential(*layers, _conv(channels, 1280, 1, activation=nn.ReLU6()), *_head(1280))


def mobilenet_v3() -> nn.Module:
    """Return MobileNetV3 (large)."""
    layers: list[nn.Module] = [_conv(3, 16, 3, 2, activation=nn.Hardswish())]
    channels = 16
    for size, inner, filters, is_gated, is_hard, stride in (
        (3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1), (5, 72, 40, 1, 0, 2),
        (5, 120, 40, 1, 0, 1), (5, 120, 40, 1, 0, 1), (3, 240, 80, 0, 1, 2), (3, 200, 80, 0, 1, 1),
        (3, 184, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 480, 112, 1, 1, 1),
        (3, 672, 112, 1, 1, 1), (5, 672, 160, 1, 1, 2), (5, 960, 160, 1, 1, 1),
        (5, 960, 160, 1, 1, 1),
    ):  # fmt: skip
        gate = _Gate(inner, inner // 4, nn.Hardsigmoid(), nn.ReLU()) if is_gated else None
        activation = nn.Hardswish if is_hard else nn.ReLU
        layers.append(_inverted(channels, inner, filters, size, stride, activation, gate))
        channels = filters
    return nn.Sequential(*layers, _conv(channels, 960, 1, activation=nn.Hardswish()), *_head(960))


def efficientnet() -> nn.Module:
    """Return EfficientNet-B0."""
    layers: list[nn.Module] = [_conv(3, 32, 3, 2, activation=nn.SiLU())]
    channels = 32
    for factor, filters, count, stride, size in (
        (1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5),
        (6, 192, 4, 2, 5), (6, 320, 1, 1, 3),
    ):  # fmt: skip
        for n in range(count):
            inner = factor * channels
            gate = _Gate(inner, max(1, channels // 4), nn.Sigmoid(), nn.SiLU())
            step = stride if n == 0 else 1
            layers.append(_inverted(channels, inner, filters, size, step, nn.SiLU, gate))
            channels = filters
    return nn.Sequential(*layers, _conv(channels, 1280, 1, activation=nn.SiLU()), *_head(1280))


class _Fire(nn.Module):
    """Squeezed channels, expanded in two ways."""

    def __init__(self, channels: int, squeezed: int, expanded: int) -> None:
        super().__init__()
        self.squeeze = nn.Sequential(nn.Conv2d(channels, squeezed, 1), nn.ReLU())
        self.ones = nn.Sequential(nn.Conv2d(squeezed, expanded, 1), nn.ReLU())
        self.threes = nn.Sequential(nn.Conv2d(squeezed, expanded, 3, padding=1), nn.ReLU())

    def forward(self, x: Any) -> Any:
        x = self.squeeze(x)
        return torch.cat([self.ones(x), self.threes(x)], 1)


def squeezenet() -> nn.Module:
    """Return SqueezeNet 1.1."""
    pool = lambda: nn.MaxPool2d(3, 2)  # noqa: E731 (a module each time)
    return nn.Sequential(
        nn.Conv2d(3, 64, 3, 2), nn.ReLU(), pool(), _Fire(64, 16, 64), _Fire(128, 16, 64), pool(),
        _Fire(128, 32, 128), _Fire(256, 32, 128), pool(), _Fire(256, 48, 192), _Fire(384, 48, 192),
        _Fire(384, 64, 256), _Fire(512, 64, 256), nn.Conv2d(512, 1000, 1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(),
    )  # fmt: skip


class _Dense(nn.Module):
    """What was before, and 32 channels more."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            _normalization(channels), nn.ReLU(), _conv(channels, 128, 1, activation=nn.ReLU()),
            nn.Conv2d(128, 32, 3, padding=1, bias=False),
        )  # fmt: skip

    def forward(self, x: Any) -> Any:
        return torch.cat([x, self.layers(x)], 1)


def densenet() -> nn.Module:
    """Return DenseNet-121."""
    layers: list[nn.Module] = [_conv(3, 64, 7, 2, activation=nn.ReLU()), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for depth in (6, 12, 24, 16):
        for _ in range(depth):
            layers.append(_Dense(channels))
            channels += 32
        if channels != 1024 or depth == 24:  # noqa: PLR2004 (the last block)
            layers += [_normalization(channels), nn.ReLU(), nn.Conv2d(channels, channels // 2, 1),
                       nn.AvgPool2d(2)]  # fmt: skip
            channels //= 2
    return nn.Sequential(*layers, _normalization(channels), nn.ReLU(), *_head(channels))


class _UNet(nn.Module):
    """Four levels down and up, with what was at each level beside what comes back."""

    def __init__(self, width: int = 32, levels: int = 4) -> None:
        super().__init__()
        widths = [width << n for n in range(levels + 1)]
        self.down = nn.ModuleList(
            self.block(3 if n == 0 else widths[n - 1], widths[n]) for n in range(levels + 1)
        )
        self.up = nn.ModuleList(self.block(3 * widths[n], widths[n]) for n in range(levels))
        self.pool = nn.MaxPool2d(2)
        self.larger = nn.Upsample(scale_factor=2, mode="nearest")
        self.last = nn.Conv2d(width, 2, 1)

    @staticmethod
    def block(channels: int, filters: int) -> nn.Module:
        return nn.Sequential(_conv(channels, filters, activation=nn.ReLU()),
                             _conv(filters, filters, activation=nn.ReLU()))  # fmt: skip

    def forward(self, x: Any) -> Any:
        kept = []
        for block in self.down:
            x = block(x if not kept else self.pool(x))
            kept.append(x)
        for n in reversed(range(len(self.up))):
            x = self.up[n](torch.cat([kept[n], self.larger(x)], 1))
        return self.last(x)


class _Pyramid(nn.Module):
    """DeepLab's head: one input seen at several dilations, up to far beyond its own extent."""

    def __init__(self, channels: int, filters: int) -> None:
        super().__init__()
        self.branches = nn.ModuleList(
            [_conv(channels, filters, 1, activation=nn.ReLU())]
            + [_conv(channels, filters, dilation=d, activation=nn.ReLU()) for d in (12, 24, 36)]
        )
        self.last = nn.Sequential(
            _conv(4 * filters, filters, 1, activation=nn.ReLU()), nn.Conv2d(filters, 21, 1)
        )

    def forward(self, x: Any) -> Any:
        return self.last(torch.cat([branch(x) for branch in self.branches], 1))


def deeplab() -> nn.Module:
    """Return MobileNetV2's layers with DeepLab's head."""
    layers = list(mobilenet_v2().children())[:14]
    return nn.Sequential(*layers, _Pyramid(96, 256))


def resnext() -> nn.Module:
    """Return a stage of ResNeXt-50: convolutions in 32 groups."""
    layers: list[nn.Module] = [_conv(3, 64, 7, 4, activation=nn.ReLU())]
    channels = 64
    for width, filters, stride in ((128, 256, 1), (128, 256, 1), (256, 512, 2), (256, 512, 1)):
        body = nn.Sequential(
            _conv(channels, width, 1, activation=nn.ReLU()),
            _conv(width, width, 3, stride, groups=32, activation=nn.ReLU()),
            _conv(width, filters, 1),
        )
        is_same = stride == 1 and channels == filters
        shortcut = nn.Identity() if is_same else _conv(channels, filters, 1, stride)
        layers.append(_Residual(body, shortcut, nn.ReLU()))
        channels = filters
    return nn.Sequential(*layers, *_head(channels))


def _feed(width: int) -> nn.Module:
    """Return what a block does with each position."""
    return nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


class _Attention(nn.Module):
    """Attention of all positions, or of those before."""

    def __init__(self, width: int, heads: int, *, is_causal: bool) -> None:
        super().__init__()
        self.heads, self.is_causal = heads, is_causal
        self.into, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Any) -> Any:
        batch, length, width = x.shape
        parts = self.into(x).reshape(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-2, -1) * (width // self.heads) ** -0.5
        if self.is_causal:
            scores = scores + torch.full((length, length), -1e9).triu(1)
        found = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width)
        return self.out(found)


class _Block(nn.Module):
    """A transformer's block, normalized before each part or after it."""

    def __init__(self, width: int, heads: int, *, is_first: bool, is_causal: bool) -> None:
        super().__init__()
        self.attention = _Attention(width, heads, is_causal=is_causal)
        self.feed = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.is_first = is_first

    def forward(self, x: Any) -> Any:
        for norm, part in zip(self.norms, (self.attention, self.feed), strict=True):
            x = x + part(norm(x)) if self.is_first else norm(x + part(x))
        return x


class _Language(nn.Module):
    """Words and positions, blocks, and what comes next or what each is."""

    def __init__(self, width: int, heads: int, depth: int, *, is_causal: bool) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(4000, width), nn.Embedding(128, width)
        self.blocks = nn.Sequential(
            *(_Block(width, heads, is_first=is_causal, is_causal=is_causal) for _ in range(depth))
        )
        self.last = nn.Linear(width, 4000 if is_causal else 2)

    def forward(self, x: Any) -> Any:
        positions = torch.arange(x.shape[1])
        return self.last(self.blocks(self.words(x) + self.positions(positions)))


class _Vision(nn.Module):
    """Patches of a picture as words."""

    def __init__(self, width: int, heads: int, depth: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.positions = nn.Parameter(torch.randn(1, 196, width) * 0.02)
        self.blocks = nn.Sequential(
            *(_Block(width, heads, is_first=True, is_causal=False) for _ in range(depth))
        )
        self.last = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 1000))

    def forward(self, x: Any) -> Any:
        x = self.patches(x).flatten(2).transpose(1, 2) + self.positions
        return self.last(self.blocks(x).mean(1))


class _ConvNext(nn.Module):
    """ConvNeXt's block: filters of channels of 7 x 7, then two products for each pixel."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.spread = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width)
        self.feed = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Any) -> Any:
        return x + self.feed(self.norm(self.spread(x).permute(0, 2, 3, 1))).permute(0, 3, 1, 2)


def convnext() -> nn.Module:
    """Return two stages of ConvNeXt."""
    return nn.Sequential(
        nn.Conv2d(3, 96, 4, 4), _ConvNext(96), _ConvNext(96), nn.Conv2d(96, 192, 2, 2),
        _ConvNext(192), _ConvNext(192), *_head(192),
    )  # fmt: skip


class _Recurrent(nn.Module):
    """Frames of sound, two layers in both directions, and what each frame is."""

    def __init__(self, cell: type[nn.Module], width: int) -> None:
        super().__init__()
        self.layers = cell(80, width, num_layers=2, bidirectional=True, batch_first=True)
        self.last = nn.Linear(2 * width, 64)

    def forward(self, x: Any) -> Any:
        return self.last(self.layers(x)[0])


class _Reader(nn.Module):
    """A line of text: convolutions, and an LSTM over what they make of each column."""

    def __init__(self) -> None:
        super().__init__()
        self.columns = nn.Sequential(
            _conv(1, 32, activation=nn.ReLU()), nn.MaxPool2d(2),
            _conv(32, 64, activation=nn.ReLU()), nn.MaxPool2d(2),
            _conv(64, 128, activation=nn.ReLU()), nn.MaxPool2d((2, 1)),
            _conv(128, 128, activation=nn.ReLU()), nn.AvgPool2d((4, 1)),
        )  # fmt: skip
        self.layers = nn.LSTM(128, 96, bidirectional=True, batch_first=True)
        self.last = nn.Linear(192, 96)

    def forward(self, x: Any) -> Any:
        return self.last(self.layers(self.columns(x).squeeze(2).transpose(1, 2))[0])


_PICTURE = (1, 3, 224, 224)

#: By name: a kind of network, what makes it, and the sizes of its input (of words, where integers).
NETWORKS: dict[str, tuple[str, Callable[[], nn.Module], tuple[int, ...]]] = {
    "resnet18": ("convolutions", lambda: resnet((2, 2, 2, 2), is_deep=False), _PICTURE),
    "resnet50": ("convolutions", lambda: resnet((3, 4, 6, 3), is_deep=True), _PICTURE),
    "mobilenet_v2": ("convolutions", mobilenet_v2, _PICTURE),
    "mobilenet_v3": ("convolutions", mobilenet_v3, _PICTURE),
    "efficientnet_b0": ("convolutions", efficientnet, _PICTURE),
    "squeezenet": ("convolutions", squeezenet, _PICTURE),
    "densenet121": ("convolutions", densenet, _PICTURE),
    "resnext": ("convolutions", resnext, _PICTURE),
    "unet": ("convolutions", _UNet, (1, 3, 128, 128)),
    "deeplab": ("convolutions", deeplab, _PICTURE),
    "convnext": ("transformers", convnext, _PICTURE),
    "vit_tiny": ("transformers", lambda: _Vision(192, 3, 12), _PICTURE),
    "vit_small": ("transformers", lambda: _Vision(384, 6, 6), _PICTURE),
    "bert": ("transformers", lambda: _Language(256, 4, 4, is_causal=False), (1, 128)),
    "bert_base": ("transformers", lambda: _Language(768, 12, 3, is_causal=False), (1, 64)),
    "gpt": ("transformers", lambda: _Language(384, 6, 6, is_causal=True), (1, 64)),
    "lstm": ("recurrent", lambda: _Recurrent(nn.LSTM, 128), (1, 100, 80)),
    "gru": ("recurrent", lambda: _Recurrent(nn.GRU, 128), (1, 100, 80)),
    "reader": ("recurrent", _Reader, (1, 1, 32, 128)),
}
HALVES = "FLOAT16"
#: The same networks in FLOAT16.
NETWORKS |= {
    f"{name} {HALVES}": (HALVES, lambda make=NETWORKS[name][1]: make().half(), NETWORKS[name][2])
    for name in ("resnet50", "mobilenet_v2", "mobilenet_v3", "squeezenet", "unet", "vit_tiny")
}


def made(name: str) -> nn.Module:
    """Return a network, the same each time."""
    torch.manual_seed(_SEED)
    return NETWORKS[name][1]().eval()


def data_of(name: str) -> np.ndarray[Any, Any]:
    """Return its input."""
    rng, sizes = np.random.default_rng(_SEED), NETWORKS[name][2]
    if len(sizes) == 2:  # noqa: PLR2004 (words)
        return rng.integers(0, 4000, sizes)
    found = rng.standard_normal(sizes, np.float32)
    return found.astype(np.float16) if NETWORKS[name][0] == HALVES else found


def exported(name: str) -> onnx.ModelProto:
    """Return a network as PyTorch writes it."""
    found = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            made(name), (torch.from_numpy(data_of(name)),), found, input_names=["x"],
            opset_version=_OPSET, dynamo=False, do_constant_folding=False,
            training=torch.onnx.TrainingMode.PRESERVE,
        )  # fmt: skip
    return onnx.load_from_string(found.getvalue())
