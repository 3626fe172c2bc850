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

    # ---- integers ----

    def integer(self, dtype, *sizes):
        limits = np.iinfo(dtype)
        numbers = self.random.integers(limits.min, limits.max + 1, sizes)
        return self.graph.constant(numbers.astype(dtype))

    def filters_of(self, x, dtype):
        """Return filters of bytes and a number of groups: of all channels, of some, or of each."""
        channels, size = x.shape[1], self.one_of((1, 3))
        kind = self.one_of(("all", "all", "some", "each"))
        if kind == "each":
            return self.integer(dtype, channels, 1, size, size), channels
        if kind == "some" and channels % 8 == 0:
            return self.integer(dtype, 32, channels // 2, size, size), 2
        return self.integer(dtype, self.one_of((8, 20, 64)), channels, size, size), 1

    def quantized(self, x):
        """Return what a convolution, pooling and addition of quantized numbers stand for."""
        dtype, filter_type = self.one_of((np.uint8, np.int8)), self.one_of((np.uint8, np.int8))
        scale, zero = self.graph.constant(np.full((1,) * 4, 0.05, np.float32)), None
        if self.random.random() < 0.8:
            zero = self.integer(dtype, 1, 1, 1, 1)
        pair = scale, zero
        x = dml.quantize_linear(x, *(_repeated(one, x) for one in pair), output_dtype=dtype)
        for _ in range(self.one_of((1, 2))):
            w, groups = self.filters_of(x, filter_type)
            count, padding = w.shape[0], [w.shape[2] // 2] * 2
            zeros = self.one_of((None, self.integer(filter_type, 1, count, 1, 1),
                                 self.integer(filter_type, 1, 1, 1, 1)))  # fmt: skip
            bias = self.one_of((None, self.graph.constant(
                self.random.integers(-500, 500, (1, count, 1, 1)).astype(np.int32))))  # fmt: skip
            x = dml.quantized_linear_convolution(
                x, scale, w, scale, scale, zero, zeros, bias, zero, output_dtype=dtype,
                strides=[self.one_of((1, 1, 2))] * 2, start_padding=padding, end_padding=padding,
                group_count=groups,
            )  # fmt: skip
            if self.random.random() < 0.4:
                x = dml.max_pooling(x, window_sizes=[2, 3], strides=[1, 2], start_padding=[1, 1],
                                    end_padding=[1, 1])[0]  # fmt: skip
        if self.random.random() < 0.3:
            x = dml.join([self.channels(x), x], axis=1)
        if self.random.random() < 0.5:
            x = dml.quantized_linear_add(x, *pair, x, *pair, scale, zero, output_dtype=dtype)
        return dml.dequantize_linear(x, *(_repeated(one, x) for one in pair))

    def dynamic(self, x):
        """Return a convolution of numbers that are quantized by the range that they have."""
        integers, scale, zero = dml.dynamic_quantize_linear(x)
        w, groups = self.filters_of(x, np.int8)
        padding = [w.shape[2] // 2] * 2
        sums = dml.convolution_integer(integers, w, zero, group_count=groups,
                                       start_padding=padding, end_padding=padding)  # fmt: skip
        return dml.cast(sums, dtype=np.float32) * _repeated(scale, sums)

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
    "channels", "rows", "turned", "flat", "shuffled", "larger", "most", "quantized", "quantized",
    "dynamic",
)  # fmt: skip


def _repeated(one, x):
    return None if one is None else dml.broadcast(one, x.shape)


def _part(x, offsets, sizes):
    return dml.slice(
        x, input_window_offsets=offsets, input_window_sizes=sizes,
        input_window_strides=[1] * len(sizes),
    )  # fmt: skip
