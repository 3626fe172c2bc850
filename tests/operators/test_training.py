"""Gradients, batch statistics and Adam against plain loops, and against PyTorch's autograd."""

import functools
import itertools

import gmpy2
import numpy as np
import pytest

import indirectml as dml
from tests.arithmetic import loops
from tests.operators import oracle
from tests.operators.elsewhere import assert_close, computed, normal
from tests.operators.families import Trial, element_wise, of_field, places, run_oracle
from tests.operators.windows import Windows, geometries, image_sizes

ORACLES = {}
single, divided, root = loops.single, loops.divided, loops.root


def power(base, exponent):
    """Return a power by MPFR, rounded to FLOAT32 once."""
    with gmpy2.context(gmpy2.ieee(32)):
        return float(gmpy2.mpfr(base) ** gmpy2.mpfr(exponent))


def where(keeps):
    """Return a function of arrays: the gradient where a number is kept, and 0."""

    def apply(x, gradient):
        flat = zip(x.ravel().tolist(), gradient.ravel(), strict=True)
        zero = gradient.dtype.type(0)
        return oracle.quiet(
            np.array([g if keeps(v) else zero for v, g in flat], x.dtype).reshape(x.shape)
        )

    return apply


ORACLES["ACTIVATION_RELU_GRAD"] = element_wise(lambda _: where(lambda v: v > 0))
ORACLES["ELEMENT_WISE_CLIP_GRAD"] = element_wise(
    lambda _, **limit: where(lambda v: not (v <= limit["min"] or v >= limit["max"])),
    {"min": -1.0, "max": 2.5},
    {"min": 0.0, "max": 7.0},
    {"min": 2.0, "max": 1.0},
    {"min": -np.inf, "max": np.inf},
)


def clip_gradient1(place):
    for low, high in ((1, 3), (0, 100), (5, 2)):
        tensor = place.tensor()
        desc = place.desc(
            input_tensor=tensor, input_gradient_tensor=tensor,
            output_gradient_tensor=place.output(), min_max_data_type=place.data_type, min=low,
            max=high,
        )  # fmt: skip
        yield Trial(desc, where(lambda v, low=low, high=high: not (v <= low or v >= high)))


ORACLES["ELEMENT_WISE_CLIP_GRAD1"] = clip_gradient1


@of_field("InputGradientTensor")
def average_pooling_gradient(place):
    sizes = image_sizes(place.rank)
    for (windows, fields), include in itertools.product(
        geometries(place.rank - 2, dilated=False), (True, False)
    ):

        def shares(g, _, positions, include=include):
            count = len(positions) if include else sum(p is not None for p in positions)
            return [None if p is None else divided(g, count) for p in positions]

        def function(g, windows=windows, shares=shares):
            result = loops.gradients(sizes, windows, g, shares)
            return oracle.quiet(result.astype(place.dtype))

        desc = place.desc(
            input_gradient_tensor=place.tensor((*sizes[:2], *windows.output_sizes(sizes))),
            output_gradient_tensor=place.output(sizes), include_padding=include, **fields,
        )  # fmt: skip
        yield Trial(desc, function)


def max_pooling_gradient(place):
    sizes = image_sizes(place.rank)
    for windows, fields in geometries(place.rank - 2):

        def function(x, g, windows=windows):
            def shares(value, channel, positions):
                elements = [None if p is None else x[channel + p].item() for p in positions]
                best = loops.largest_place(elements)
                return [value if k == best else 0.0 for k in range(len(positions))]

            result = loops.gradients(sizes, windows, g, shares)
            return oracle.quiet(result.astype(place.dtype))

        desc = place.desc(
            input_tensor=place.tensor(sizes),
            input_gradient_tensor=place.tensor((*sizes[:2], *windows.output_sizes(sizes))),
            output_gradient_tensor=place.output(sizes), **fields,
        )  # fmt: skip
        yield Trial(desc, function)
        yield Trial(desc, function, [np.array([0, 1, 2]), None])


ORACLES["AVERAGE_POOLING_GRAD"] = average_pooling_gradient
ORACLES["MAX_POOLING_GRAD"] = max_pooling_gradient


@of_field("InputGradientTensor")
def slice_gradient(place):
    for turn in (1, -1):
        strides = [turn * (1, 2, -3)[k % 3] for k in range(place.rank)]
        windows = [(n - 1) * abs(s) + 1 for n, s in zip(place.sizes, strides, strict=True)]
        offsets = [k % 3 for k in range(place.rank)]
        out = [w + o + k % 2 for k, (w, o) in enumerate(zip(windows, offsets, strict=True))]
        if np.prod(out) > 200_000:
            out, windows, offsets, strides = place.sizes, place.sizes, [0] * place.rank, [
                turn for _ in strides
            ]  # fmt: skip
        desc = place.desc(
            input_gradient_tensor=place.tensor(), output_gradient_tensor=place.output(out),
            input_window_offsets=offsets, input_window_sizes=windows, input_window_strides=strides,
        )  # fmt: skip

        def function(g, out=out, windows=windows, offsets=offsets, strides=strides):
            result = np.zeros(out, g.dtype)
            for at in np.ndindex(g.shape):
                ends = [0 if s > 0 else w - 1 for w, s in zip(windows, strides, strict=True)]
                goes = zip(offsets, ends, strides, at, strict=True)
                result[tuple(o + end + s * k for o, end, s, k in goes)] = g[at]
            return result

        yield Trial(desc, function)


ORACLES["SLICE_GRAD"] = slice_gradient


def local_response_gradient(place):
    for across, size, alpha, beta, bias in (
        (True, 3, 0.3, 0.75, 1.0), (True, 4, 0.5, 2.0, 0.5), (False, 2, 1.0, 0.5, 2.0),
    ):  # fmt: skip
        axes = (1,) if across else (2, 3)
        desc = place.desc(
            input_tensor=place.tensor(), input_gradient_tensor=place.tensor(),
            output_gradient_tensor=place.output(), cross_channel=across, local_size=size,
            alpha=alpha, beta=beta, bias=bias,
        )  # fmt: skip
        formula = functools.partial(
            response_gradient, axes=axes, size=size, alpha=alpha, beta=beta, bias=bias
        )
        yield Trial(desc, lambda x, g, f=formula: oracle.quiet(f(x, g).astype(place.dtype)))


def around(x, at, axes, size, before):
    """Return the numbers next to one in row-major order, None outside."""
    numbers = []
    for step in itertools.product(range(size), repeat=len(axes)):
        goes = list(at)
        for axis, k in zip(axes, step, strict=True):
            goes[axis] += k - before
        inside = all(0 <= p < n for p, n in zip(goes, x.shape, strict=True))
        numbers.append(x[tuple(goes)].item() if inside else None)
    return numbers


def response_gradient(x, g, *, axes, size, alpha, beta, bias):
    """Return the gradient of local response normalization, every operation rounded."""
    x, g = x.astype(np.float64), g.astype(np.float64)
    alpha, beta, bias = single(alpha), single(beta), single(bias)
    share, before = single(alpha / size), (size - 1) // 2
    base, terms = np.empty(x.shape), np.empty(x.shape)
    for at in np.ndindex(x.shape):
        squares = [None if v is None else v * v for v in around(x, at, axes, size, before)]
        base[at] = single(bias + single(share * single(loops.sum16(squares))))
        raised = power(base[at].item(), single(-beta - 1))
        terms[at] = single(single(g[at] * x[at]) * raised)
    result = np.empty(x.shape)
    factor = single(single(2 * share) * beta)
    for at in np.ndindex(x.shape):
        # Those whose neighbour this is, numbered from the last one.
        others = around(terms, at, axes, size, size - 1 - before)[::-1]
        direct = single(g[at] * power(base[at].item(), -beta))
        back = single(single(factor * x[at]) * single(loops.sum16(others)))
        result[at] = single(direct - back)
    return result


ORACLES["LOCAL_RESPONSE_NORMALIZATION_GRAD"] = local_response_gradient


# ---- Batch normalization -------------------------------------------------------------------------


def statistics_sizes(place):
    """Return sizes of statistics: per channel, one number, and all."""
    channel = min(1, place.rank - 1)
    per_channel = [n if k == channel else 1 for k, n in enumerate(place.sizes)]
    return [per_channel, [1] * place.rank, list(place.sizes)]


def f32(x):
    """Return an array of FLOAT64 rounded to FLOAT32."""
    return np.asarray(x).astype(np.float32).astype(np.float64)


def sums_of(x, sizes):
    """Return sums by rule S16 along the axes where statistics have size 1."""
    return loops.reduced(loops.sum16, x, tuple(k for k, n in enumerate(sizes) if n == 1))


def normalized(x, mean, variance, epsilon):
    """Return (x - mean) / sqrt(variance + epsilon), and the root, each operation rounded."""
    deviation = f32(np.sqrt(f32(variance + single(epsilon))))
    return f32(f32(x - mean) / deviation), deviation


def of_type(place, *results):
    return [oracle.quiet(r.astype(place.dtype)) for r in results]


def batch_gradient(place, *, trains):
    for number, sizes in enumerate(statistics_sizes(place)):
        epsilon = (1e-5, 0.0, 0.5)[number]
        statistics = {f"{n}_tensor": place.tensor(sizes) for n in ("mean", "variance", "scale")}
        desc = place.desc(
            input_tensor=place.tensor(), input_gradient_tensor=place.tensor(), **statistics,
            output_gradient_tensor=place.output(),
            output_scale_gradient_tensor=place.output(sizes),
            output_bias_gradient_tensor=place.output(sizes), epsilon=epsilon,
        )  # fmt: skip

        def function(*inputs, sizes=sizes, epsilon=epsilon):
            x, g, mean, variance, scale = (a.astype(np.float64) for a in inputs)
            normal, deviation = normalized(x, mean, variance, epsilon)
            of_scale, of_bias = sums_of(f32(g * normal), sizes), sums_of(g, sizes)
            back = f32(scale / deviation)
            if not trains:
                return of_type(place, f32(g * back), of_scale, of_bias)
            count = x.size // of_scale.size
            averages = f32(of_bias / count), f32(of_scale / count)
            inner = f32(f32(g - averages[0]) - f32(normal * averages[1]))
            return of_type(place, f32(back * inner), of_scale, of_bias)

        yield Trial(desc, function)
        near = np.array([-1.5, -0.3, 0.2, 0.9, 1.1, 2])
        yield Trial(desc, function, [near, near, near, np.abs(near), near])


ORACLES["BATCH_NORMALIZATION_GRAD"] = functools.partial(batch_gradient, trains=False)
ORACLES["BATCH_NORMALIZATION_TRAINING_GRAD"] = functools.partial(batch_gradient, trains=True)


def batch_training(place):
    for number, sizes in enumerate(statistics_sizes(place)):
        epsilon, adds, fuses = (1e-5, 0.0, 0.5)[number], number != 1, number != 0
        desc = place.desc(
            input_tensor=place.tensor(), scale_tensor=place.tensor(sizes),
            bias_tensor=place.tensor(sizes), fused_add_tensor=place.tensor() if adds else None,
            output_tensor=place.output(), output_mean_tensor=place.output(sizes),
            output_variance_tensor=place.output(sizes), epsilon=epsilon,
            fused_activation=dml.FusedActivation.relu() if fuses else None,
        )  # fmt: skip

        def function(x, scale, bias, added, sizes=sizes, epsilon=epsilon, fuses=fuses):
            x, scale, bias = (a.astype(np.float64) for a in (x, scale, bias))
            axes = tuple(k for k, n in enumerate(sizes) if n == 1)
            mean = loops.reduced(lambda v: loops.mean_and_variance(v)[0], x, axes)
            variance = loops.reduced(lambda v: loops.mean_and_variance(v)[1], x, axes)
            normal, _ = normalized(x, f32(mean), f32(variance), epsilon)
            result = f32(f32(scale * normal) + bias)
            if added is not None:
                result = f32(result + added.astype(np.float64))
            if fuses:
                result = np.where(result <= 0, 0.0, result)
            return of_type(place, result, mean, variance)

        yield Trial(desc, function)


ORACLES["BATCH_NORMALIZATION_TRAINING"] = batch_training

_ADAM = ("learning_rate", "beta1", "beta2", "epsilon")


@of_field("InputParametersTensor")
def adam(place):
    for numbers in ((0.01, 0.9, 0.999, 1e-8), (1.0, 0.5, 0.25, 0.0)):
        fields = dict(zip(_ADAM, numbers, strict=True))
        names = ("parameters", "first_moment", "second_moment")
        desc = place.desc(
            **{f"input_{n}_tensor": place.tensor() for n in names}, gradient_tensor=place.tensor(),
            training_step_tensor=place.tensor([1] * 4),
            **{f"output_{n}_tensor": place.output() for n in names}, **fields,
        )  # fmt: skip

        def function(x, m, v, g, step, numbers=numbers):
            rate, b1, b2, epsilon = map(single, numbers)
            x, m, v, g = (a.astype(np.float64) for a in (x, m, v, g))
            t = float(step.ravel()[0])
            m = f32(f32(b1 * m) + f32(single(1 - b1) * g))
            v = f32(f32(b2 * v) + f32(f32(single(1 - b2) * g) * g))
            up, down = single(1 - power(b2, t)), single(1 - power(b1, t))
            alpha = single(divided(single(root(up)), down))
            change = f32(f32(single(rate * alpha) * m) / f32(f32(np.sqrt(v)) + epsilon))
            return of_type(place, f32(x - change), m, v)

        yield Trial(desc, function, [None, None, None, None, np.array([1, 2, 7, 100])])


ORACLES["ADAM_OPTIMIZER"] = adam


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


# ---- Second opinions -----------------------------------------------------------------------------


def test_pooling_gradients_are_those_of_pytorch():
    torch = pytest.importorskip("torch")
    x, g = normal(2, 3, 8, 6), normal(2, 3, 4, 3, seed=2)
    windows = Windows((3, 2), (2, 2), (1, 1), (1, 0), (0, 0))
    fields = {"strides": (2, 2), "window_size": (3, 2), "start_padding": (1, 0),
              "end_padding": (1, 0)}  # fmt: skip
    assert windows.output_sizes(x.shape) == g.shape[2:]

    for name, pool, inputs, extra in (
        ("MAX_POOLING_GRAD", torch.nn.functional.max_pool2d, [x, g], {"dilations": (1, 1)}),
        ("AVERAGE_POOLING_GRAD", torch.nn.functional.avg_pool2d, [g], {"include_padding": True}),
    ):
        at = torch.tensor(x, requires_grad=True)
        pool(at, (3, 2), stride=(2, 2), padding=(1, 0)).backward(torch.tensor(g))
        (actual,) = computed(name, inputs, [(x.dtype, x.shape)], **fields, **extra)
        assert_close(actual, at.grad.numpy())


def test_batch_normalization_trains_as_in_pytorch():
    torch = pytest.importorskip("torch")
    x, g = normal(4, 3, 5, 2), normal(4, 3, 5, 2, seed=2)
    scale, bias = normal(3, seed=3), normal(3, seed=4)
    made = [torch.tensor(a, requires_grad=True) for a in (x, scale, bias)]

    wanted = torch.nn.functional.batch_norm(
        made[0], None, None, made[1], made[2], training=True, eps=0.01
    )
    wanted.backward(torch.tensor(g))
    s = (1, 3, 1, 1)
    y, mean, variance = computed(
        "BATCH_NORMALIZATION_TRAINING", [x, scale.reshape(s), bias.reshape(s), None],
        [(x.dtype, x.shape), (x.dtype, s), (x.dtype, s)], epsilon=0.01,
    )  # fmt: skip
    back = computed(
        "BATCH_NORMALIZATION_TRAINING_GRAD", [x, g, mean, variance, scale.reshape(s)],
        [(x.dtype, x.shape), (x.dtype, s), (x.dtype, s)], epsilon=0.01,
    )  # fmt: skip

    assert_close(y, wanted.detach().numpy())
    for found, tensor in zip(back, made, strict=True):
        assert_close(found.reshape(tensor.shape), tensor.grad.numpy())


@pytest.mark.parametrize("size", [3, 5])
def test_gradient_of_local_response_is_that_of_pytorch(size):
    torch = pytest.importorskip("torch")
    x, g = normal(2, 7, 3, 2), normal(2, 7, 3, 2, seed=2)
    numbers = {"alpha": 0.3, "beta": 0.6, "bias": 1.5}

    at = torch.tensor(x, requires_grad=True)
    torch.nn.functional.local_response_norm(at, size, *numbers.values()).backward(torch.tensor(g))
    (actual,) = computed("LOCAL_RESPONSE_NORMALIZATION_GRAD", [x, g], [(x.dtype, x.shape)],
                         cross_channel=True, local_size=size, **numbers)  # fmt: skip

    assert_close(actual, at.grad.numpy())


def test_adam_goes_the_steps_of_pytorch():
    torch = pytest.importorskip("torch")
    at = torch.tensor(normal(1, 1, 2, 5), requires_grad=True)
    optimizer = torch.optim.Adam([at], lr=0.05, betas=(0.8, 0.95), eps=1e-12)
    state = [at.detach().numpy().copy(), *np.zeros((2, 1, 1, 2, 5), np.float32)]

    for step in range(1, 5):
        g = normal(1, 1, 2, 5, seed=step)
        at.grad = torch.tensor(g)
        optimizer.step()
        number = np.full((1, 1, 1, 1), step, np.float32)
        state = computed("ADAM_OPTIMIZER", [*state, g, number], [(g.dtype, g.shape)] * 3,
                         learning_rate=0.05, beta1=0.8, beta2=0.95, epsilon=1e-12)  # fmt: skip

    assert_close(state[0], at.detach().numpy())
