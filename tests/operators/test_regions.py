"""Regions of interest, against plain loops in Python's floats, and other libraries' meaning."""

import math

import numpy as np
import pytest

import indirectml as dml
from tests.operators.oracle import assert_bits_equal, run

F32 = np.float32
RNG_SEED = 20
AVERAGE, MAX = dml.ReduceFunction.AVERAGE, dml.ReduceFunction.MAX
NEAREST, LINEAR = dml.InterpolationMode.NEAREST_NEIGHBOR, dml.InterpolationMode.LINEAR

#: x1, y1, x2, y2: inside, beyond every border, inverted, empty, and tiny.
REGIONS = [
    [1, 1, 6, 4], [-3, -2, 9, 8], [6, 5, 1, 0], [2, 2, 2, 2], [0.25, 0.5, 1.75, 3],
    [-9, -9, -5, -5], [5, 3, 40, 30], [0, 0, 7, 6],
]  # fmt: skip


def larger(a, b):
    """Whether a beats b: NaN before all, +0 before -0."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and not math.isnan(b)
    return a > b or (a == b == 0 and math.copysign(1, a) > math.copysign(1, b))


def samples_along(start, end, outputs, size, fields):
    """Return (coordinate or None, fraction) of all samples of all outputs along an axis."""
    length = end - start
    count = min(max(math.ceil(length / outputs), fields["low"]), fields["high"])
    total = outputs * count
    found = []
    for k in range(total):
        at = k - fields["output_offset"]
        parts = total - 1 if fields["corners"] else total
        t = at / parts if parts else 0.5
        place = t * length + start - fields["input_offset"]
        inside = -1 <= place <= size
        found.append((min(max(place, 0.0), size - 1.0) if inside else None, t))
    return [found[i * count : (i + 1) * count] for i in range(outputs)]


def taps(place, mode):
    """Return elements and weights that a coordinate reads."""
    if mode == NEAREST:
        return [(math.ceil(place - 0.5), 1.0)]
    low = math.floor(place)
    weight = place - low
    return [(low, 1.0)] if weight == 0 else [(low, 1 - weight), (low + 1, weight)]


def mixed(values):
    """Return the weighted sum of one or two numbers."""
    products = [v * w for v, w in values]
    return values[0][0] if len(values) == 1 else products[0] + products[1]


def cells(image_sizes, roi, fields, sizes):
    """Yield region, output row and column, and its samples (y, t_y, x, t_x), row by row."""
    for number, (x1, y1, x2, y2) in enumerate(np.asarray(roi, np.float64).reshape(-1, 4)):
        sx, sy = fields["scale_x"], fields["scale_y"]
        rows = samples_along(y1 * sy, y2 * sy, sizes[0], image_sizes[-2], fields)
        columns = samples_along(x1 * sx, x2 * sx, sizes[1], image_sizes[-1], fields)
        for i, j in np.ndindex(*sizes):
            yield number, i, j, [(*y, *x) for y in rows[i] for x in columns[j]]


def value_at(image, y, x, mode):
    return mixed(
        [(mixed([(float(image[i, j]), w) for j, w in taps(x, mode)]), v) for i, v in taps(y, mode)]
    )


def aligned(x, roi, batches, fields, sizes):
    """ROI_ALIGN1, one output after the other."""
    out = np.empty((len(batches), x.shape[1], *sizes), np.float64)
    for number, i, j, samples in cells(x.shape, roi, fields, sizes):
        for channel in range(x.shape[1]):
            image = x[batches[number], channel]
            values = [
                fields["outside"] if y is None or c is None
                else value_at(image, y, c, fields["mode"])
                for y, _, c, _ in samples
            ]  # fmt: skip
            total = values[0]
            for value in values[1:]:
                if fields["reduce"] == AVERAGE:
                    total = total + value
                elif larger(value, total):
                    total = value
            if fields["reduce"] == AVERAGE:
                total /= len(values)
            out[number, channel, i, j] = total
    return out


def given(dtype=F32, *, specials=False):
    generator = np.random.default_rng(RNG_SEED)
    x = generator.normal(size=(2, 3, 6, 7)).astype(dtype)
    if specials:
        x.reshape(-1)[::5] = np.nan
        x.reshape(-1)[1::7] = np.inf
        x.reshape(-1)[2::7] = -0.0
    roi = np.array(REGIONS, dtype)
    batches = np.arange(len(REGIONS), dtype=np.uint32) % 2
    return x, roi, batches


DEFAULTS = {
    "reduce": AVERAGE, "mode": LINEAR, "scale_x": 1.0, "scale_y": 1.0, "input_offset": 0.5,
    "output_offset": -0.5, "outside": 0.0, "low": 1, "high": 2**32 - 1, "corners": False,
}  # fmt: skip

VARIANTS = {
    "plain": {},
    "max": {"reduce": MAX},
    "nearest": {"mode": NEAREST},
    "nearest-max": {"mode": NEAREST, "reduce": MAX, "high": 2},
    "scaled": {"scale_x": 0.5, "scale_y": 1.5},
    "offsets": {"input_offset": 0.0, "output_offset": 0.0},
    "corners": {"corners": True, "input_offset": 0.0, "output_offset": 0.0},
    "single-corner": {"corners": True, "high": 1, "output_offset": 0.0},
    "samples": {"low": 3, "high": 3, "outside": -2.5},
    "one-sample": {"high": 1},
}
SIZES = {"wide": (2, 3), "single": (1, 1), "many": (5, 9)}


def roi_desc(name, x, roi, batches, fields, sizes):
    known = {
        "reduction_function": fields["reduce"], "interpolation_mode": fields["mode"],
        "spatial_scale_x": fields["scale_x"], "spatial_scale_y": fields["scale_y"],
        "out_of_bounds_input_value": fields["outside"],
        "minimum_samples_per_output": fields["low"], "maximum_samples_per_output": fields["high"],
    }  # fmt: skip
    if name == "ROI_ALIGN1":
        known |= {
            "input_pixel_offset": fields["input_offset"],
            "output_pixel_offset": fields["output_offset"],
            "align_regions_to_corners": fields["corners"],
        }
    tensors = [dml.TensorDesc(a.dtype, a.shape) for a in (x, roi, batches)]
    output = dml.TensorDesc(x.dtype, (len(batches), x.shape[1], *sizes))
    cls = dml.RoiAlign1OperatorDesc if name == "ROI_ALIGN1" else dml.RoiAlignOperatorDesc
    return cls(*tensors, output, **known)


def computed(desc, *arrays):
    """Return the outputs of a descriptor for arrays."""
    return run(desc, [None if a is None else a.tobytes() for a in arrays])


def rounded(exact, dtype):
    """Round FLOAT64 once; NaNs are positive and quiet."""
    result = exact.astype(dtype)
    result[np.isnan(result)] = np.nan
    return result


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("dtype", [F32, np.float16])
def test_roi_align1(dtype, variant, sizes):
    fields = DEFAULTS | variant
    x, roi, batches = given(dtype)

    actual = computed(roi_desc("ROI_ALIGN1", x, roi, batches, fields, sizes), x, roi, batches)[0]

    expected = rounded(aligned(x, roi, batches, fields, sizes), dtype)
    assert_bits_equal(actual=actual, expected=expected)


@pytest.mark.parametrize("reduce", [AVERAGE, MAX])
@pytest.mark.parametrize("mode", [NEAREST, LINEAR])
def test_roi_align_of_nan_infinities_and_zeros(mode, reduce):
    fields = DEFAULTS | {"mode": mode, "reduce": reduce}
    x, roi, batches = given(specials=True)

    actual = computed(roi_desc("ROI_ALIGN", x, roi, batches, fields, (3, 3)), x, roi, batches)[0]

    with np.errstate(all="ignore"):
        expected = rounded(aligned(x, roi, batches, fields, (3, 3)), F32)
    assert_bits_equal(actual=actual, expected=expected)


def test_roi_align_of_batches_and_regions_that_are_not():
    x, roi, batches = given()
    roi[0, 2], roi[1, 0], batches[2] = np.inf, np.nan, 9
    fields = DEFAULTS | {"outside": 7.0}

    actual = computed(roi_desc("ROI_ALIGN1", x, roi, batches, fields, (2, 2)), x, roi, batches)[0]

    assert np.all(actual[2] == 7)
    assert np.all(actual[1] == 7)
    assert np.isfinite(actual).all()


@pytest.mark.parametrize("half", [True, False])
def test_roi_align_means_what_onnx_means(half):
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    helper, types = onnx.helper, onnx.TensorProto
    node = helper.make_node(
        "RoiAlign", ["x", "roi", "batch"], ["y"], output_height=2, output_width=3,
        coordinate_transformation_mode="half_pixel" if half else "output_half_pixel",
    )  # fmt: skip
    infos = [
        helper.make_tensor_value_info(name, kind, None)
        for name, kind in (("x", types.FLOAT), ("roi", types.FLOAT), ("batch", types.INT64))
    ]
    graph = helper.make_graph(
        [node], "g", infos, [helper.make_tensor_value_info("y", types.FLOAT, None)]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
    session = runtime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    x, roi, batches = given()
    # Where ONNX Runtime gives regions of other signs or of no size another one, it is left out.
    kept = [0, 1, 4, 5, 6, 7]
    roi, batches = roi[kept] + F32(0), batches[kept]
    wide = roi if half else np.concatenate([roi[:, :2], np.maximum(roi[:, 2:], roi[:, :2] + 1)], 1)
    expected = session.run(None, {"x": x, "roi": wide, "batch": batches.astype(np.int64)})[0]
    fields = DEFAULTS | {"input_offset": 0.5 if half else 0.0}

    desc = roi_desc("ROI_ALIGN1", x, wide, batches, fields, (2, 3))

    np.testing.assert_allclose(computed(desc, x, wide, batches)[0], expected, rtol=1e-4, atol=1e-5)


def gradients(x, gradient, roi, batches, fields):
    """ROI_ALIGN_GRAD, one share after the other."""
    to_image, to_roi = np.zeros(x.shape), np.zeros((len(batches), 4))
    sizes = gradient.shape[2:]
    found = {}
    for number, i, j, samples in cells(x.shape, roi, fields, sizes):
        for channel in range(x.shape[1]):
            own = float(gradient[number, channel, i, j])
            image = x[batches[number], channel]
            inside = [k for k, s in enumerate(samples) if s[0] is not None and s[2] is not None]
            shares = [0.0] * len(samples)
            if fields["reduce"] == AVERAGE:
                for k in inside:
                    shares[k] = own / len(samples)
            elif inside:
                best = inside[0]
                values = {k: value_at(image, samples[k][0], samples[k][2], fields["mode"])
                          for k in inside}  # fmt: skip
                for k in inside[1:]:
                    best = k if larger(values[k], values[best]) else best
                shares[best] = own
            for k in inside:
                found.setdefault((number, k), []).append((channel, i, j, samples[k], shares[k]))
    for (number, _), parts in sorted(found.items(), key=lambda item: item[0]):
        add(to_image[batches[number]], to_roi[number], x[batches[number]],
            sorted(parts, key=lambda p: p[:3]), fields)  # fmt: skip
    return to_image, to_roi


def add(image, region, x, parts, fields):
    """Add the shares of one sample of a region, corner by corner."""
    for corner in range(4):
        for channel, _, _, (y, _, c, _), share in parts:
            rows, columns = taps(y, fields["mode"]), taps(c, fields["mode"])
            if corner // 2 < len(rows) and corner % 2 < len(columns):
                (i, v), (j, w) = rows[corner // 2], columns[corner % 2]
                image[channel, i, j] += share * (v * w)
    for column in range(4):
        for channel, _, _, (y, t_y, c, t_x), share in parts:
            # A pair of neighbours each, which are one where the coordinate is whole.
            top, bottom, left, right = math.floor(y), math.ceil(y), math.floor(c), math.ceil(c)
            q = x[channel].astype(np.float64)
            if column % 2 == 0:
                pair = [(q[top, right] - q[top, left], 1 - (y - top)),
                        (q[bottom, right] - q[bottom, left], y - top)]  # fmt: skip
                t, scale = t_x, fields["scale_x"]
            else:
                pair = [(q[bottom, left] - q[top, left], 1 - (c - left)),
                        (q[bottom, right] - q[top, right], c - left)]  # fmt: skip
                t, scale = t_y, fields["scale_y"]
            slope = mixed(pair if pair[1][1] else pair[:1])
            region[column] += slope * share * (t if column >= 2 else 1 - t) * scale


def gradient_desc(x, gradient, roi, batches, fields, **left_out):
    tensors = [dml.TensorDesc(a.dtype, a.shape) for a in (x, gradient, roi, batches, x, roi)]
    names = ("input_tensor", "input_gradient_tensor", "roi_tensor", "batch_indices_tensor",
             "output_gradient_tensor", "output_roi_gradient_tensor")  # fmt: skip
    return dml.RoiAlignGradOperatorDesc(
        **dict(zip(names, tensors, strict=True)) | left_out,
        reduction_function=fields["reduce"], interpolation_mode=fields["mode"],
        spatial_scale_x=fields["scale_x"], spatial_scale_y=fields["scale_y"],
        input_pixel_offset=fields["input_offset"], output_pixel_offset=fields["output_offset"],
        minimum_samples_per_output=fields["low"], maximum_samples_per_output=fields["high"],
        align_regions_to_corners=fields["corners"],
    )  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_roi_align_grad(variant):
    fields = DEFAULTS | variant
    x, roi, batches = given()
    gradient = np.random.default_rng(RNG_SEED).normal(size=(len(roi), 3, 2, 3)).astype(F32)

    desc = gradient_desc(x, gradient, roi, batches, fields)
    actual = computed(desc, x, gradient, roi, batches)

    for found, wanted in zip(actual, gradients(x, gradient, roi, batches, fields), strict=True):
        assert_bits_equal(actual=found, expected=wanted.astype(F32))


@pytest.mark.parametrize("name", ["output_gradient_tensor", "output_roi_gradient_tensor"])
def test_roi_align_grad_of_one_output(name):
    x, roi, batches = given()
    gradient = np.random.default_rng(RNG_SEED).normal(size=(len(roi), 3, 2, 3)).astype(F32)
    arrays = (x, gradient, roi, batches)
    both = computed(gradient_desc(*arrays, DEFAULTS), *arrays)

    single = computed(gradient_desc(*arrays, DEFAULTS, **{name: None}), *arrays)

    kept = [a for a in single if a is not None]
    wanted = both[1] if name == "output_gradient_tensor" else both[0]
    assert len(kept) == 1
    assert_bits_equal(actual=kept[0], expected=wanted)


@pytest.mark.parametrize("reduce", [AVERAGE, MAX])
def test_roi_gradients_are_the_slopes_of_the_forward_operator(reduce):
    fields = DEFAULTS | {"scale_x": 0.75, "reduce": reduce, "low": 2, "high": 2}
    x, roi, batches = given()
    roi, batches = roi[[0, 4]] + F32(0.037), batches[[0, 4]]
    gradient = np.random.default_rng(RNG_SEED).normal(size=(2, 3, 2, 3)).astype(F32)

    desc = gradient_desc(x, gradient, roi, batches, fields)
    of_image, of_regions = computed(desc, x, gradient, roi, batches)

    def loss(image, regions):
        return float((aligned(image, regions, batches, fields, (2, 3)) * gradient).sum())

    step = 1e-6
    for at in [(0, 0, 2, 3), (0, 2, 1, 1)]:
        moved = x.astype(np.float64)
        moved[at] += step
        slope = (loss(moved, roi) - loss(x.astype(np.float64), roi)) / step
        assert slope == pytest.approx(float(of_image[at]), abs=1e-4)
    for at in np.ndindex(2, 4):
        moved = roi.astype(np.float64)
        moved[at] += step
        slope = (loss(x, moved) - loss(x, roi)) / step
        assert slope == pytest.approx(float(of_regions[at]), abs=1e-4)


def pooled(x, roi, scale, height, width):
    """ROI_POOLING, one cell after the other."""
    out = np.zeros((len(roi), x.shape[1], height, width), np.float64)
    for number, (batch, *corners) in enumerate(roi.astype(F32)):
        ends = [float(F32(c) * F32(scale)) for c in corners]
        x1, y1, x2, y2 = (int(math.copysign(math.floor(abs(e) + 0.5), e)) for e in ends)
        rows, columns = max(y2 - y1 + 1, 1), max(x2 - x1 + 1, 1)
        for channel, i, j in np.ndindex(x.shape[1], height, width):
            best = None
            for y in range(x.shape[2]):
                for c in range(x.shape[3]):
                    # Element y lies in cell i if floor(i n / m) <= y - y1 < ceil((i + 1) n / m).
                    if not (
                        i * rows < (y - y1 + 1) * height and (y - y1) * height < (i + 1) * rows
                    ):
                        continue
                    if not (j * columns < (c - x1 + 1) * width
                            and (c - x1) * width < (j + 1) * columns):  # fmt: skip
                        continue
                    value = float(x[int(batch), channel, y, c])
                    best = value if best is None or larger(value, best) else best
            out[number, channel, i, j] = 0.0 if best is None else best
    return out


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (4, 2), (9, 8)])
@pytest.mark.parametrize("scale", [1.0, 0.5, 1.3])
@pytest.mark.parametrize("specials", [False, True])
def test_roi_pooling(scale, size, specials):
    x, corners, batches = given(specials=specials)
    roi = np.concatenate([batches[:, None].astype(F32), corners], 1)
    desc = pooling_desc(x, roi, scale, size)

    actual = computed(desc, x, roi)[0]

    expected = rounded(pooled(x, roi, scale, *size), F32)
    assert_bits_equal(actual=actual, expected=expected)


def pooling_desc(x, roi, scale, size):
    return dml.RoiPoolingOperatorDesc(
        dml.TensorDesc(x.dtype, x.shape),
        dml.TensorDesc(roi.dtype, (1, 1, *roi.shape)),
        dml.TensorDesc(x.dtype, (len(roi), x.shape[1], *size)),
        scale,
        dml.Size2D(width=size[1], height=size[0]),
    )


def test_roi_pooling_means_what_onnx_runtime_means():
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    node = helper.make_node("MaxRoiPool", ["x", "roi"], ["y"], pooled_shape=[2, 3],
                            spatial_scale=0.5)  # fmt: skip
    infos = [helper.make_tensor_value_info(name, kind, None) for name in ("x", "roi")]
    outputs = [helper.make_tensor_value_info("y", kind, None)]
    graph = helper.make_graph([node], "g", infos, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
    session = runtime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    x, corners, batches = given()
    roi = np.concatenate([batches[:, None].astype(F32), np.abs(corners)], 1)

    expected = session.run(None, {"x": x, "roi": roi})[0]

    actual = computed(pooling_desc(x, roi, 0.5, (2, 3)), x, roi)[0]
    assert_bits_equal(actual=actual, expected=expected)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"reduction_function": dml.ReduceFunction.SUM},
         "ROI_ALIGN1.reduction_function: needs AVERAGE or MAX, got SUM"),
        ({"minimum_samples_per_output": 0, "maximum_samples_per_output": 4},
         "ROI_ALIGN1.minimum_samples_per_output: needs 1 to maximum_samples_per_output, 4, got 0",
         ),
        ({"roi_tensor": dml.TensorDesc(F32, (8, 5))},
         "ROI_ALIGN1.roi_tensor.sizes: needs a count of regions and 4, behind ones, got [8, 5]"),
        ({"batch_indices_tensor": dml.TensorDesc(np.uint32, (7,))},
         "ROI_ALIGN1.batch_indices_tensor.sizes: needs one per region (8), behind ones, got [7]"),
        ({"output_tensor": dml.TensorDesc(F32, (8, 2, 1, 1))},
         ("ROI_ALIGN1.output_tensor.sizes: needs the count of regions and the input's channels, "
          "[8, 3], first, got [8, 2, 1, 1]")),
    ],
)  # fmt: skip
def test_roi_align_refuses(changes, text):
    made = roi_desc("ROI_ALIGN1", *given(), DEFAULTS, (2, 2))
    fields = {name: getattr(made, name) for name in made.__dataclass_fields__} | changes

    with pytest.raises(dml.DescriptorError) as caught:
        dml.Device().create_operator(dml.RoiAlign1OperatorDesc(**fields))

    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("left_out", "text"),
    [
        (("input_tensor",),
         "ROI_ALIGN_GRAD.input_tensor: is needed for output_roi_gradient_tensor, and for MAX"),
        (("output_gradient_tensor", "output_roi_gradient_tensor"),
         "ROI_ALIGN_GRAD.output_gradient_tensor: needs this output, or output_roi_gradient_tensor"),
    ],
)  # fmt: skip
def test_roi_align_grad_refuses(left_out, text):
    x, roi, batches = given()
    gradient = np.zeros((len(roi), 3, 2, 3), F32)
    desc = gradient_desc(x, gradient, roi, batches, DEFAULTS, **dict.fromkeys(left_out))

    with pytest.raises(dml.DescriptorError) as caught:
        dml.Device().create_operator(desc)

    assert str(caught.value) == text


#: What the tests of this file compare with.
ORACLES = {
    "ROI_ALIGN": aligned,
    "ROI_ALIGN1": aligned,
    "ROI_ALIGN_GRAD": gradients,
    "ROI_POOLING": pooled,
}
