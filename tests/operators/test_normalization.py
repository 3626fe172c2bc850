"""Normalization against plain loops in FLOAT64, and against PyTorch and ONNX Runtime."""

import itertools

import gmpy2
import numpy as np
import pytest

import indirectml as dml
from tests.arithmetic import loops
from tests.bits import assert_bits_equal
from tests.operators import oracle
from tests.operators.elsewhere import assert_close, computed, normal, onnx_runtime
from tests.operators.families import Trial, places, run_oracle

ORACLES = {}
RELU = dml.FusedActivation.relu()
single = loops.single


def each(function, dtype, sizes, *arrays):
    """Return a function of numbers, of arrays that repeat to sizes, rounded once to a data type."""
    flat = [np.broadcast_to(a, sizes).ravel().tolist() for a in arrays]
    values = [function(*numbers) for numbers in zip(*flat, strict=True)]
    return oracle.quiet(np.array(values, np.float64).astype(dtype).reshape(sizes))


def relu(value):
    """Return a number, or +0 if it is below; of NaN, NaN."""
    return 0.0 if value <= 0 else value


def repeated_sizes(sizes):
    """Return some sizes that repeat to these: of channels, of everything, of one number."""
    per_channel = [n if k == min(1, len(sizes) - 1) else 1 for k, n in enumerate(sizes)]
    return [per_channel, list(sizes), [1] * len(sizes)]


def batch_normalization(place):
    for number, sizes in enumerate(repeated_sizes(place.sizes)):
        epsilon = (1e-5, 0.0, 0.5)[number]
        fused = (None, RELU, None)[number]
        desc = place.desc(
            input_tensor=place.tensor(),
            **{f"{n}_tensor": place.tensor(sizes) for n in ("mean", "variance", "scale", "bias")},
            output_tensor=place.output(), spatial=True, epsilon=epsilon, fused_activation=fused,
        )  # fmt: skip

        def function(*arrays, epsilon=epsilon, fused=fused):
            def formula(x, mean, variance, scale, bias):
                deviation = single(loops.root(single(variance + single(epsilon))))
                normal = single(loops.divided(single(x - mean), deviation))
                result = single(single(scale * normal) + bias)
                return result if fused is None else relu(result)

            return each(formula, place.dtype, place.sizes, *arrays)

        yield Trial(desc, function)


ORACLES["BATCH_NORMALIZATION"] = batch_normalization


def by_moments(x, scale, bias, axes, epsilon, *, use_mean=True, use_variance=True):
    """Return elements normalized by their own moments, in FLOAT64."""

    def normalized(numbers):
        mean, variance = loops.mean_and_variance(numbers, use_mean=use_mean)
        inverse = loops.divided(1.0, loops.root(variance + single(epsilon)))
        return [(n - mean) * inverse if use_variance else n - mean for n in numbers]

    result = loops.spread(normalized, x, axes)
    with np.errstate(all="ignore"):
        for factor, ufunc in ((scale, np.multiply), (bias, np.add)):
            if factor is not None:
                result = ufunc(result, factor.astype(np.float64))
    return result


def some_axes(rank):
    """Return sets of axes, one out of order."""
    return [(rank - 1,), tuple(reversed(range(rank))), tuple(range(0, rank, 2))]


def moments_trial(place, axes, fields, options, sizes, fused=None):
    """Return a trial of one of the three operators."""
    tensors = {n: None if s is None else place.tensor(s) for n, s in sizes.items()}
    desc = place.desc(
        input_tensor=place.tensor(), **tensors, output_tensor=place.output(), **fields,
        fused_activation=fused,
    )  # fmt: skip

    def function(x, scale, bias):
        result = by_moments(x, scale, bias, axes, fields["epsilon"], **options)
        if fused is not None:
            result = result.astype(np.float32)
            result = np.where(result <= 0, np.float32(0), result)
        return oracle.quiet(result.astype(place.dtype))

    return Trial(desc, function)


def mean_variance_normalization2(place):
    factors = itertools.cycle([None, *repeated_sizes(place.sizes)])
    switches = itertools.product([True, False], [True, False])
    for axes, (use_mean, use_variance) in zip(some_axes(place.rank) * 2, [*switches] * 2,
                                              strict=False):  # fmt: skip
        options = {"use_mean": use_mean, "use_variance": use_variance}
        sizes = {"scale_tensor": next(factors), "bias_tensor": next(factors)}
        fields = {"axes": axes, "epsilon": 1e-3, **options}
        yield moments_trial(place, axes, fields, options, sizes, RELU if use_mean else None)


def mean_variance_normalization1(place):
    factors = itertools.cycle([None, *repeated_sizes(place.sizes)])
    for axes, use_variance in itertools.product(some_axes(place.rank), [True, False]):
        sizes = {"scale_tensor": next(factors), "bias_tensor": next(factors)}
        fields = {"axes": axes, "epsilon": 1e-5, "normalize_variance": use_variance}
        yield moments_trial(place, axes, fields, {"use_variance": use_variance}, sizes)


def mean_variance_normalization(place):
    for cross_channel, use_variance in itertools.product([True, False], [True, False]):
        sizes = {"scale_tensor": [1, place.sizes[1], 1, 1], "bias_tensor": [1, 1, 1, 1]}
        fields = {"cross_channel": cross_channel, "normalize_variance": use_variance}
        fields["epsilon"] = 0.25
        axes = (1, 2, 3) if cross_channel else (2, 3)
        yield moments_trial(place, axes, fields, {"use_variance": use_variance}, sizes)


ORACLES["MEAN_VARIANCE_NORMALIZATION2"] = mean_variance_normalization2
ORACLES["MEAN_VARIANCE_NORMALIZATION1"] = mean_variance_normalization1
ORACLES["MEAN_VARIANCE_NORMALIZATION"] = mean_variance_normalization


def neighbours(x, at, axes, size):
    """Return the elements next to one along axes in row-major order, None outside."""
    before = (size - 1) // 2
    found = []
    for step in itertools.product(range(size), repeat=len(axes)):
        place = list(at)
        for axis, k in zip(axes, step, strict=True):
            place[axis] += k - before
        inside = all(0 <= p < n for p, n in zip(place, x.shape, strict=True))
        found.append(x[tuple(place)].item() if inside else None)
    return found


def power(base, exponent):
    """Return a power by MPFR, rounded to FLOAT32 once."""
    with gmpy2.context(gmpy2.ieee(32)):
        return float(gmpy2.mpfr(base) ** gmpy2.mpfr(exponent))


def local_response(x, dtype, axes, size, alpha, beta, bias):
    """Return elements over a power of the sum of their neighbours' squares."""
    result = np.empty(x.shape)
    share = single(single(alpha) / size)
    for at in np.ndindex(x.shape):
        squares = [None if v is None else v * v for v in neighbours(x, at, axes, size)]
        base = single(single(bias) + single(share * single(loops.sum16(squares))))
        result[at] = single(loops.divided(x[at].item(), power(base, single(beta))))
    return oracle.quiet(result.astype(dtype))


def local_response_normalization(place):
    variants = [(True, 3, 1e-4, 0.75, 1.0), (True, 4, 0.5, 2.0, 0.1), (False, 2, 1.0, 0.5, 0.0),
                (False, 5, 0.3, -0.7, 2.0)]  # fmt: skip
    for cross_channel, size, alpha, beta, bias in variants:
        desc = place.desc(
            input_tensor=place.tensor(), output_tensor=place.output(),
            cross_channel=cross_channel, local_size=size, alpha=alpha, beta=beta, bias=bias,
        )  # fmt: skip
        axes = (1,) if cross_channel else (2, 3)

        def function(x, numbers=(axes, size, alpha, beta, bias)):
            return local_response(x, place.dtype, *numbers)

        yield Trial(desc, function)


ORACLES["LOCAL_RESPONSE_NORMALIZATION"] = local_response_normalization


def lp_normalization(place):
    for axis, p, epsilon in itertools.product({0, place.rank - 1}, (1, 2), (0.0, 1.5)):
        desc = place.desc(
            input_tensor=place.tensor(), output_tensor=place.output(), axis=axis, p=p,
            epsilon=epsilon,
        )  # fmt: skip

        def function(x, axis=axis, p=p, epsilon=epsilon):
            def over_norm(numbers):
                norm = loops.norm(numbers, p)
                least = max(norm, epsilon)
                return [loops.divided(n, least) for n in numbers]

            return oracle.quiet(loops.spread(over_norm, x, (axis,)).astype(place.dtype))

        yield Trial(desc, function)


ORACLES["LP_NORMALIZATION"] = lp_normalization


def value_scale_2d(place):
    for scale in (1.0, 0.3):
        bias = [0.1 * (k + 1) for k in range(place.sizes[1])]
        desc = place.desc(
            input_tensor=place.tensor(), output_tensor=place.output(), scale=scale, bias=bias
        )

        def function(x, scale=scale, bias=bias):
            added = np.reshape([single(b) for b in bias], (1, -1, 1, 1))
            return each(
                lambda v, b: single(single(v * single(scale)) + b), place.dtype, x.shape, x, added
            )

        yield Trial(desc, function)


ORACLES["VALUE_SCALE_2D"] = value_scale_2d


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


def test_batch_normalization_is_that_of_onnx_runtime():
    x, scale, bias, mean = normal(2, 3, 4, 5), normal(3), normal(3, seed=2), normal(3, seed=3)
    variance = normal(3, seed=4) ** 2

    (wanted,) = onnx_runtime("BatchNormalization", [x, scale, bias, mean, variance], epsilon=1e-3)
    statistics = [a.reshape(1, 3, 1, 1) for a in (mean, variance, scale, bias)]
    (actual,) = computed("BATCH_NORMALIZATION", [x, *statistics], [(x.dtype, x.shape)],
                         spatial=True, epsilon=1e-3)  # fmt: skip

    assert_close(actual, wanted)


PARAMETERS = {"alpha": 0.3, "beta": 0.6, "bias": 1.5}


@pytest.mark.parametrize("size", [3, 4])
def test_local_response_across_channels_is_that_of_pytorch(size):
    torch = pytest.importorskip("torch")
    x = normal(2, 7, 3, 4)

    # PyTorch has (size - 1) / 2 of the neighbours after the element where DirectML has them before.
    turned = torch.tensor(x[:, ::-1].copy())
    wanted = torch.nn.functional.local_response_norm(turned, size, *PARAMETERS.values())
    (actual,) = computed("LOCAL_RESPONSE_NORMALIZATION", [x], [(x.dtype, x.shape)],
                         cross_channel=True, local_size=size, **PARAMETERS)  # fmt: skip

    assert_close(actual, wanted.numpy()[:, ::-1])


def test_local_response_is_that_of_onnx_runtime():
    x = normal(2, 7, 3, 4)

    (wanted,) = onnx_runtime("LRN", [x], size=5, **PARAMETERS)
    (actual,) = computed("LOCAL_RESPONSE_NORMALIZATION", [x], [(x.dtype, x.shape)],
                         cross_channel=True, local_size=5, **PARAMETERS)  # fmt: skip

    assert_close(actual, wanted)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_norms_are_those_of_onnx_runtime(p, axis):
    x = normal(3, 4, 5)

    (wanted,) = onnx_runtime("LpNormalization", [x], p=p, axis=axis)
    (actual,) = computed("LP_NORMALIZATION", [x], [(x.dtype, x.shape)], axis=axis, p=p, epsilon=0)

    assert_close(actual, wanted)


def test_layer_normalization_is_that_of_onnx_runtime():
    x, scale, bias = normal(3, 4, 5), normal(1, 1, 5), normal(1, 1, 5, seed=2)

    wanted = onnx_runtime("LayerNormalization", [x, scale[0, 0], bias[0, 0]], axis=2)[0]
    (actual,) = computed("MEAN_VARIANCE_NORMALIZATION1", [x, scale, bias], [(x.dtype, x.shape)],
                         axes=[2], normalize_variance=True, epsilon=1e-5)  # fmt: skip

    assert_close(actual, wanted)


def test_without_a_mean_it_is_the_rms_normalization_of_pytorch():
    torch = pytest.importorskip("torch")
    x = normal(3, 4, 5)

    wanted = torch.nn.functional.rms_norm(torch.tensor(x), (5,), eps=0.01).numpy()
    (actual,) = computed("MEAN_VARIANCE_NORMALIZATION2", [x, None, None], [(x.dtype, x.shape)],
                         axes=[2], use_mean=False, use_variance=True, epsilon=0.01)  # fmt: skip

    assert_close(actual, wanted)


@pytest.mark.parametrize("channels", [16, 20, 64, 100, 128, 700])
@pytest.mark.parametrize("target", dml.available_targets())
def test_two_normalizations_are_added_as_numpy_adds_them(channels, target):
    # Of the second, each row goes with its own row of the first, which is kept block by block.
    random = np.random.default_rng(channels)
    pixels = [random.standard_normal((300, channels, 1, 1), np.float32) for _ in range(2)]
    pixels[0][7, 3], pixels[1][9, 5], pixels[0][11, 2] = np.nan, np.inf, -0.0
    rows = [random.uniform(0.25, 4, (4, 1, channels, 1, 1)).astype(np.float32) for _ in range(2)]
    graph = dml.Graph(dml.Device())
    normalized = [
        dml.batch_normalization(graph.input(x.shape, name=f"x{k}"), *own, epsilon=1e-5)
        for k, (x, own) in enumerate(
            zip(pixels, [[graph.constant(row) for row in four] for four in rows], strict=True)
        )
    ]
    compiled = graph.compile([dml.activation_relu(dml.add(*normalized))])
    with np.errstate(all="ignore"):
        both = [
            (x - mean) / np.sqrt(variance + np.float32(1e-5)) * scale + bias
            for x, (mean, variance, scale, bias) in zip(pixels, rows, strict=True)
        ]
        total = both[0] + both[1]
    expected = np.where(total <= 0, np.float32(0), total)
    expected[np.isnan(expected)] = np.nan
    for threads in (1, 3):
        dml.configure(target=target, max_threads=threads)
        (actual,) = compiled({"x0": pixels[0], "x1": pixels[1]})
        assert_bits_equal(actual=actual, expected=expected, where=f"{target} {threads}")
