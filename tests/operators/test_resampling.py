"""Resampling element by element, and against ONNX Runtime, PyTorch and the pages' examples."""

import functools
import itertools
import math

import numpy as np
import pytest

import indirectml as dml
from indirectml import AxisDirection, InterpolationMode
from tests.arithmetic import loops
from tests.operators import oracle
from tests.operators.elsewhere import assert_close, computed, normal, onnx_runtime
from tests.operators.families import Trial, of_field, places, run_oracle

NEAREST, LINEAR = InterpolationMode.NEAREST_NEIGHBOR, InterpolationMode.LINEAR
INCREASING, DECREASING = AxisDirection.INCREASING, AxisDirection.DECREASING

#: How coordinates are rounded, by the direction; None is that of RESAMPLE1.
ROUNDING = {INCREASING: math.ceil, DECREASING: math.floor, None: lambda at: math.ceil(at - 0.5)}

#: Size of input and output, scale, and both offsets of an axis: as it is, doubled, halved, by a
#: ratio that is no number of FLOAT32, cropped, beyond the end, with corners in place of centres.
AXES = (
    (3, 3, 1.0, 0.5, -0.5),
    (3, 6, 2.0, 0.5, -0.5),
    (6, 3, 0.5, 0.5, -0.5),
    (7, 2, 2 / 7, 0.5, -0.5),
    (3, 5, 5 / 3, 0.0, 0.0),
    (5, 2, 3.0, 0.25, -0.75),
    (2, 7, 1.5, -1.5, 2.0),
    (9, 3, 0.3, 0.5, -0.5),
    (1, 3, 3.0, 0.5, -0.5),
)


def geometries(rank):
    """Yield the axes of some tensors, each case at least once."""
    for first in range(0, len(AXES), 2):
        yield [AXES[(first + k * 4) % len(AXES)] for k in range(rank)]


def clamped(i, axis):
    """Return the coordinate among the inputs of an axis."""
    size, _, scale, before, after = axis
    return min(max(loops.coordinate(i, scale, before, after), 0.0), float(size - 1))


def nearest(x, axes, rounding):
    """Return elements of x, each for one of the output."""
    chosen = [[min(ROUNDING[rounding](clamped(i, a)), a[0] - 1) for i in range(a[1])] for a in axes]
    out = np.empty([a[1] for a in axes], x.dtype)
    for at in np.ndindex(out.shape):
        out[at] = x[tuple(max(chosen[k][i], 0) for k, i in enumerate(at))]
    return out


def linear(x, axes, *, antialiased=False):
    """Return weighted sums in FLOAT64, along the last axis first."""
    result = x.astype(np.float64)
    for k in reversed(range(x.ndim)):
        size, out, scale, before, after = axes[k]
        if size == out and all(clamped(i, axes[k]) == i for i in range(out)):
            continue
        along = loops.antialiased if antialiased else loops.linear
        result = along(result, k, out, scale, before, after)
    return result


def rounded(result, dtype):
    """Return numbers of FLOAT64 in a data type; integers are the nearest, half to even."""
    if dtype.kind == "f":
        return oracle.quiet(result.astype(dtype))
    limits = np.iinfo(dtype)
    numbers = [min(max(round(v), limits.min), limits.max) for v in result.ravel().tolist()]
    return np.array(numbers, dtype).reshape(result.shape)


def resampled(x, axes, mode, rounding, dtype, *, antialiased=False):
    if mode == NEAREST:
        return nearest(x, axes, rounding)
    return rounded(linear(x, axes, antialiased=antialiased), dtype)


def offsets_of(axes):
    """Return the fields that describe axes."""
    return {
        "scales": [a[2] for a in axes],
        "input_pixel_offsets": [a[3] for a in axes],
        "output_pixel_offsets": [a[4] for a in axes],
    }


def with_offsets(place, *, directions=(None,), antialiasings=(None,)):
    """Yield trials of RESAMPLE1, 2 and 3."""
    options = itertools.cycle(itertools.product((LINEAR, NEAREST), directions, antialiasings))
    choices = len(directions) * len(antialiasings) * 2
    for axes in geometries(place.rank):
        for mode, direction, antialiased in itertools.islice(options, choices):
            fields = {"interpolation_mode": mode, **offsets_of(axes)}
            if direction is not None:
                fields["rounding_direction"] = direction
            if antialiased is not None:
                fields["antialiased"] = antialiased
            desc = place.desc(
                input_tensor=place.tensor([a[0] for a in axes]),
                output_tensor=place.output([a[1] for a in axes]),
                **fields,
            )

            def function(x, axes=axes, mode=mode, direction=direction, antialiased=antialiased):
                result = resampled(
                    x, axes, mode, direction, place.dtype, antialiased=bool(antialiased)
                )
                return oracle.quiet(result)

            yield Trial(desc, function)


ORACLES = {
    "RESAMPLE1": with_offsets,
    "RESAMPLE2": functools.partial(with_offsets, directions=(INCREASING, DECREASING)),
    "RESAMPLE3": functools.partial(
        with_offsets, directions=(INCREASING, DECREASING), antialiasings=(False, True)
    ),
}


def by_centres(place):
    """Yield trials of RESAMPLE and UPSAMPLE_2D, which have no offsets."""
    for given, mode in itertools.product(geometries(place.rank), (NEAREST, LINEAR)):
        if place.name == "RESAMPLE":
            axes = [(n, m, scale, 0.5, -0.5) for n, m, scale, _, _ in given]
            fields = {"scales": [a[2] for a in axes]}
        else:
            factors = [*[1] * (place.rank - 2), 2 + given[0][0] % 2, 1 + given[1][0] % 3]
            sizes = [2, 1, 2, 3, 4][-place.rank :]
            axes = [(n, n * f, float(f), 0.5, -0.5) for n, f in zip(sizes, factors, strict=True)]
            fields = {"scale_size": dml.Size2D(width=factors[-1], height=factors[-2])}
        desc = place.desc(
            input_tensor=place.tensor([a[0] for a in axes]),
            output_tensor=place.output([a[1] for a in axes]),
            interpolation_mode=mode,
            **fields,
        )

        def function(x, axes=axes, mode=mode):
            return oracle.quiet(resampled(x, axes, mode, None, place.dtype))

        yield Trial(desc, function)


ORACLES["RESAMPLE"] = by_centres
ORACLES["UPSAMPLE_2D"] = by_centres


def weights(axis, mode, rounding):
    """Yield, for each output of an axis, the inputs that it is made of and their weights."""
    size, out, *_ = axis
    for i in range(out):
        at = clamped(i, axis)
        if mode == NEAREST:
            yield [(min(max(ROUNDING[rounding](at), 0), size - 1), 1.0)]
        else:
            low = math.floor(at)
            pairs = [(low, 1 - (at - low)), (min(low + 1, size - 1), at - low)]
            yield [(j, weight) for j, weight in pairs if weight]


def gradient(g, axes, mode, rounding):
    """Return what comes back to each input, along the last axis first, in the order of outputs."""
    result = g.astype(np.float64)
    for k in reversed(range(g.ndim)):
        coming = [[] for _ in range(axes[k][0])]
        for i, parts in enumerate(weights(axes[k], mode, rounding)):
            for j, weight in parts:
                coming[j].append((i, weight))
        size, out, *_ = axes[k]
        if size == out and all(taps == [(j, 1.0)] for j, taps in enumerate(coming)):
            continue
        slices = [loops.chain(result, k, taps) for taps in coming]
        result = np.stack(slices, k)
    return result


def gradients(place, *, directions):
    for axes, mode, direction in itertools.product(
        geometries(place.rank), (NEAREST, LINEAR), directions
    ):
        fields = {"interpolation_mode": mode, **offsets_of(axes)}
        if direction is not None:
            fields["rounding_direction"] = direction
        desc = place.desc(
            input_gradient_tensor=place.tensor([a[1] for a in axes]),
            output_gradient_tensor=place.output([a[0] for a in axes]),
            **fields,
        )

        def function(g, axes=axes, mode=mode, direction=direction):
            return rounded(gradient(g, axes, mode, direction), place.dtype)

        yield Trial(desc, function)


@of_field("InputGradientTensor")
def resample_gradient(place):
    return gradients(place, directions=(None,))


@of_field("InputGradientTensor")
def resample_gradient1(place):
    return gradients(place, directions=(INCREASING, DECREASING))


ORACLES["RESAMPLE_GRAD"] = resample_gradient
ORACLES["RESAMPLE_GRAD1"] = resample_gradient1


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


CENTRES = {"input_pixel_offsets": [0.5, 0.5], "output_pixel_offsets": [-0.5, -0.5]}


@pytest.mark.parametrize("sizes", [(9, 3), (2, 13), (5, 5), (3, 7)])
@pytest.mark.parametrize("coordinates", ["half_pixel", "asymmetric"])
@pytest.mark.parametrize(
    ("mode", "nearest_mode"), [("linear", "floor"), ("nearest", "floor"), ("nearest", "ceil")]
)
def test_values_are_those_of_resize_of_onnx_runtime(sizes, coordinates, mode, nearest_mode):
    x = normal(1, 2, 4, 6)
    out = (1, 2, *sizes)
    if mode == "nearest" and coordinates == "half_pixel":
        out = (1, 2, 8, 12)  # elsewhere the last bit of a coordinate decides

    (wanted,) = onnx_runtime("Resize", [x, None, None, np.array(out)], mode=mode,
                             nearest_mode=nearest_mode,
                             coordinate_transformation_mode=coordinates)  # fmt: skip
    half = 0.5 if coordinates == "half_pixel" else 0.0
    (actual,) = computed(
        "RESAMPLE2", [x], [(x.dtype, out)],
        interpolation_mode=LINEAR if mode == "linear" else NEAREST,
        rounding_direction=INCREASING if nearest_mode == "ceil" else DECREASING,
        scales=[b / a for a, b in zip(x.shape, out, strict=True)],
        input_pixel_offsets=[half] * 4, output_pixel_offsets=[-half] * 4,
    )  # fmt: skip

    assert_close(actual, wanted)


def antialiased(x, out):
    return computed(
        "RESAMPLE3", [x], [(x.dtype, out)], interpolation_mode=LINEAR, antialiased=True,
        rounding_direction=INCREASING, scales=[b / a for a, b in zip(x.shape, out, strict=True)],
        input_pixel_offsets=[0.5] * 4, output_pixel_offsets=[-0.5] * 4,
    )[0]  # fmt: skip


@pytest.mark.parametrize("sizes", [(6, 8), (1, 1), (2, 15), (7, 3)])
def test_antialiasing_weighs_as_in_onnx_runtime(sizes):
    """At the borders too, where the triangle lies beyond the input in part, or on both sides."""
    x, out = normal(1, 1, 24, 32), (1, 1, *sizes)

    (wanted,) = onnx_runtime("Resize", [x, None, None, np.array(out)], mode="linear", antialias=1,
                             exclude_outside=0)  # fmt: skip

    assert_close(antialiased(x, out), wanted)


@pytest.mark.parametrize("scale", [0.5, 0.75, 1.0, 2.0])
def test_antialiasing_begins_where_less_than_half_is_left(scale):
    """RESAMPLE3's page: 1 / Scales > 2."""
    x = normal(1, 1, 8, 8)
    out = (1, 1, round(8 * scale), 8)

    (plain,) = computed(
        "RESAMPLE2", [x], [(x.dtype, out)], interpolation_mode=LINEAR,
        rounding_direction=INCREASING, scales=[1, 1, scale, 1],
        input_pixel_offsets=[0.5] * 4, output_pixel_offsets=[-0.5] * 4,
    )  # fmt: skip

    oracle.assert_bits_equal(actual=antialiased(x, out), expected=plain)


@pytest.mark.parametrize("mode", [NEAREST, LINEAR])
def test_gradients_are_those_of_pytorch(mode):
    torch = pytest.importorskip("torch")
    x, g = normal(1, 2, 4, 6), normal(1, 2, 8, 18)

    at = torch.tensor(x, requires_grad=True)
    name = "bilinear" if mode == LINEAR else "nearest"
    torch.nn.functional.interpolate(at, size=g.shape[2:], mode=name).backward(torch.tensor(g))
    (actual,) = computed(
        "RESAMPLE_GRAD1", [g], [(x.dtype, x.shape)], interpolation_mode=mode,
        rounding_direction=DECREASING, scales=[1, 1, 2, 3],
        input_pixel_offsets=[0.5 if mode == LINEAR else 0.0] * 4,
        output_pixel_offsets=[-0.5 if mode == LINEAR else 0.0] * 4,
    )  # fmt: skip

    assert_close(actual, at.grad.numpy())


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"scales": [1, 0]}, r"scales\[1\]: needs scales above 0, got 0"),
        ({"scales": [1, -2]}, r"scales\[1\]: needs scales above 0, got -2"),
        ({"scales": [1]}, "input_pixel_offsets: needs as many as scales, 1, got 2"),
    ],
)
def test_refuses(fields, text):
    with pytest.raises(dml.DirectMLError, match=rf"RESAMPLE1\.{text}"):
        computed("RESAMPLE1", [normal(2, 3)], [(np.float32, (2, 3))], interpolation_mode=LINEAR,
                 **CENTRES | {"scales": [1, 1]} | fields)  # fmt: skip
