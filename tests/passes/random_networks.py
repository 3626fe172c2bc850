"""Random networks of images: what passes over convolutions meet, in any order."""

import numpy as np

import indirectml as dml

#: Elements of a tensor, at most.
LIMIT = 60_000


class RandomNetwork:
    """A graph of convolutions and of what stands between them, made from a seed, and its data."""

    def __init__(self, seed, count=12):
        self.random = np.random.default_rng([9, seed])
        self.graph = dml.Graph(dml.Device())
        height, width = (int(n) for n in self.random.integers(5, 12, 2))
        height = self.one_of((height, width))
        sizes = [self.one_of((1, 2)), self.one_of((1, 3, 16)), height, width]
        self.data = {"x": self.random.standard_normal(sizes).astype(np.float32)}
        self.values = [self.convolution(self.graph.input(sizes, name="x"))]
        self.used = []
        while len(self.used) < count:
            kind = self.one_of(KINDS)
            x = self.values[-1] if self.random.random() < 0.6 else self.one_of(self.values)
            made = getattr(self, kind)(x)
            if made is not None and made.size <= LIMIT:
                self.values.append(made)
                self.used.append(kind)
        #: The last values, and one before them.
        self.outputs = [self.values[-1], self.values[-2], self.one_of(self.values)]

    def one_of(self, among):
        return among[int(self.random.integers(len(among)))]

    def constant(self, *sizes):
        return self.graph.constant((self.random.standard_normal(sizes) * 0.3).astype(np.float32))

    # ---- what reads pixels ----

    def convolution(self, x):
        channels = x.shape[1]
        filters, size, stride = (
            self.one_of((8, 16, 24, 40, 256)),
            self.one_of((1, 3)),
            self.one_of((1, 1, 2)),
        )
        filters = 24 if channels > 100 and filters > 100 else filters
        w = self.constant(filters, channels, size, size)
        return dml.convolution(
            x, w, self.constant(1, filters, 1, 1), strides=[stride] * 2,
            start_padding=[size // 2] * 2, end_padding=[size // 2] * 2,
            fused_activation=self.one_of((None, dml.FusedActivation.relu())),
        )  # fmt: skip

    def depthwise(self, x):
        w = self.constant(x.shape[1], 1, 3, 3)
        return dml.convolution(
            x, w, start_padding=[1, 1], end_padding=[1, 1], group_count=x.shape[1]
        )

    def groups(self, x):
        if x.shape[1] % 2:
            return None
        w = self.constant(32, x.shape[1] // 2, 1, 1)
        return dml.convolution(x, w, group_count=2)

    def backward(self, x):
        w = self.constant(x.shape[1], 16, 2, 2)
        return dml.convolution(x, w, strides=[2, 2], direction=dml.ConvolutionDirection.BACKWARD)

    def part_of_filters(self, x):
        """Return a convolution by filters that are not all of a constant."""
        whole = self.constant(40, x.shape[1], 1, 1)
        return dml.convolution(
            x, _part(whole, [self.one_of((0, 8)), 0, 0, 0], [16, x.shape[1], 1, 1])
        )

    def pooling(self, x):
        pool = self.one_of((
            lambda *a, **k: dml.max_pooling(*a, **k)[0],
            dml.average_pooling,
            lambda *a, **k: dml.lp_pooling(*a, **k, p=2),
        ))  # fmt: skip
        return pool(x, window_sizes=[2, 3], strides=[1, 2], start_padding=[1, 1],
                    end_padding=[1, 1])  # fmt: skip

    def branches(self, x):
        """Return two convolutions of what a word writes that has no form over pixels."""
        x = dml.lp_pooling(x, window_sizes=[2, 2], strides=[1, 1], start_padding=[1, 1], p=2)
        return dml.add(*(dml.convolution(x, self.constant(16, x.shape[1], 1, 1)) for _ in "ab"))

    # ---- programs ----

    def normalization(self, x):
        parts = [self.constant(1, x.shape[1], 1, 1) for _ in range(4)]
        parts[1] = dml.abs(parts[1])
        return dml.activation_relu(dml.batch_normalization(x, *parts, spatial=True, epsilon=1e-5))

    def addition(self, x):
        alike = [v for v in self.values if v.shape == x.shape]
        return dml.add(x, self.one_of(alike)) * 0.5

    def whole_mask(self, x):
        """Return a product with a constant of all elements, in DirectML's order."""
        return x * self.constant(*x.shape)

    def gate(self, x):
        gate = dml.reduce(x, function=dml.ReduceFunction.AVERAGE, axes=[2, 3])
        return dml.multiply(x, dml.broadcast(dml.activation_sigmoid(gate), x.shape))

    # ---- movement ----

    def joined(self, x):
        alike = [v for v in self.values if v.shape[2:] == x.shape[2:]]
        return dml.join([x, self.one_of(alike)], axis=1)

    def channels(self, x):
        first = x.shape[1] // 3
        return _part(x, [0, first, 0, 0], [x.shape[0], x.shape[1] - first, *x.shape[2:]])

    def rows(self, x):
        if x.shape[2] < 3:
            return None
        return _part(x, [0, 0, 1, 0], [*x.shape[:2], x.shape[2] - 2, x.shape[3]])

    def turned(self, x):
        """Return images whose rows are columns, by another order of the same memory."""
        n, c, h, w = x.shape
        return dml.identity(dml.reinterpret(x, [n, c, w, h], [c * h * w, h * w, 1, w]))

    def flat(self, x):
        """Return a function of memory that is read as other images: of views across channels."""
        n, c, h, w = x.shape
        return dml.abs(dml.reinterpret(x, [n, c * h, w, 1])) if c * h < 400 and w > 1 else None

    def shuffled(self, x):
        return None if x.shape[1] % 4 else dml.depth_to_space(x, block_size=2)

    def larger(self, x):
        return dml.upsample_2d(
            x, scale_size=(2, 2), interpolation_mode=dml.InterpolationMode.NEAREST_NEIGHBOR
        )

    def most(self, x):
        return dml.add(x, dml.broadcast(
            dml.reduce(x, function=dml.ReduceFunction.MAX, axes=[1]), x.shape
        ))  # fmt: skip


KINDS = (
    "convolution", "convolution", "convolution", "branches", "depthwise", "groups", "backward",
    "part_of_filters", "pooling", "normalization", "addition", "whole_mask", "gate", "joined",
    "channels", "rows", "turned", "flat", "shuffled", "larger", "most",
)  # fmt: skip


def _part(x, offsets, sizes):
    return dml.slice(
        x, input_window_offsets=offsets, input_window_sizes=sizes,
        input_window_strides=[1] * len(sizes),
    )  # fmt: skip
