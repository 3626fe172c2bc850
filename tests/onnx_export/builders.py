"""Descriptors of the operators that have no oracle in a table of `tests.operators.families`.

A builder is a function from a generator of random numbers to pairs of a descriptor and its arrays;
None for arrays, or for one of them, stands for random numbers.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import indirectml as dml
from indirectml.descriptors.definitions import fields_of
from indirectml.operators import descriptor_class
from tests.operators import test_attention, test_quantized_blocks, test_regions
from tests.operators.oracle import supported

Pairs = Iterator[tuple[Any, Any]]


def _packed(data_type: Any, *sizes: int) -> Any:
    return dml.TensorDesc(data_type, sizes)


def _each_type(name: str, field: str, **known: Any) -> Iterator[tuple[Any, int]]:
    """Yield data types and dimension counts, each of both at least once."""
    data_types, ranks = (list(found) for found in supported(name, field, **known))
    for k in range(max(len(data_types), len(ranks))):
        yield data_types[k % len(data_types)], ranks[(k + k // len(ranks)) % len(ranks)]


_SIZES = (2, 3, 2, 1, 2, 1, 3, 2)


def _descriptors(build: Any) -> Any:
    """Return a builder of random arrays for a function that yields descriptors alone."""

    def pairs(random: Any) -> Pairs:
        for desc in build(random):
            yield desc, None

    return pairs


def _matrix_products(_: Any) -> Iterator[Any]:
    transforms = tuple(dml.MatrixTransform)
    ways = itertools.product(transforms, transforms, (0.0, 1.0, 0.3), (False, True))
    for number, ((a_way, b_way, beta, has_c), (data_type, rank)) in enumerate(
        zip(ways, itertools.cycle(_each_type("GEMM", "ATensor")), strict=False)
    ):
        lead = _SIZES[: rank - 2]
        a = (4, 2) if a_way == dml.MatrixTransform.TRANSPOSE else (2, 4)
        b = (3, 4) if b_way == dml.MatrixTransform.TRANSPOSE else (4, 3)
        output = _packed(data_type, *lead, 2, 3)
        yield dml.GemmOperatorDesc(
            _packed(data_type, *lead, *a), _packed(data_type, *lead, *b), output, a_way, b_way,
            1.0 if beta == 1 else 0.7, beta, c_tensor=output if has_c else None,
            fused_activation=dml.FusedActivation.relu() if number % 3 == 0 else None,
        )  # fmt: skip


def _joins(name: str) -> Any:
    def build(_: Any) -> Iterator[Any]:
        for number, (data_type, rank) in enumerate(_each_type("JOIN", "InputTensors")):
            axis = number % rank
            parts = [[*_SIZES[:axis], size, *_SIZES[axis + 1 : rank]] for size in (1, 3, 2)]
            whole = _packed(data_type, *_SIZES[:axis], 6, *_SIZES[axis + 1 : rank])
            tensors = [_packed(data_type, *sizes) for sizes in parts]
            if name == "JOIN":
                yield dml.JoinOperatorDesc(tensors, whole, axis)
            else:
                yield dml.SplitOperatorDesc(whole, tensors, axis)

    return _descriptors(build)


def _reductions(_: Any) -> Iterator[Any]:
    for function in dml.ReduceFunction:
        outputs = list(supported("REDUCE", "OutputTensor", function=function.name)[0])
        is_place = function in (dml.ReduceFunction.ARGMAX, dml.ReduceFunction.ARGMIN)
        for number, (data_type, rank) in enumerate(
            _each_type("REDUCE", "InputTensor", function=function.name)
        ):
            axes = (number % rank,) if number % 2 else tuple(range(0, rank, 2))
            sizes = [1 if k in axes else n for k, n in enumerate(_SIZES[:rank])]
            output = outputs[number % len(outputs)] if is_place else data_type
            yield dml.ReduceOperatorDesc(
                function, _packed(data_type, *_SIZES[:rank]), _packed(output, *sizes), axes
            )


def _casts(_: Any) -> Pairs:
    data_types, ranks = (list(found) for found in supported("CAST"))
    for number, (start, end) in enumerate(itertools.product(data_types, data_types)):
        sizes = _SIZES[: ranks[number % len(ranks)]]
        desc = dml.CastOperatorDesc(_packed(start, *sizes), _packed(end, *sizes))
        numbers = None
        if start.is_float:
            numbers = [-300.5, -3.7, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 2.5, 100.7, 300.5, 70000.0]
            with np.errstate(over="ignore"):
                numbers = np.array([*numbers, np.inf, -np.inf, np.nan]).astype(start.dtype)
        yield desc, [numbers]


def _sums(_: Any) -> Iterator[Any]:
    for number, (data_type, rank) in enumerate(_each_type("ELEMENT_WISE_ADD1", "ATensor")):
        tensor = _packed(data_type, *_SIZES[:rank])
        relu = dml.FusedActivation.relu() if data_type.is_float and number % 2 else None
        yield dml.ElementWiseAdd1OperatorDesc(tensor, tensor, tensor, fused_activation=relu)


def _fills(name: str) -> Any:
    def build(random: Any) -> Iterator[Any]:
        for number, (data_type, rank) in enumerate(_each_type(name, "OutputTensor")):
            tensor = _packed(data_type, *_SIZES[:rank])
            if data_type.is_float:
                start, delta = float(random.normal()), float(random.normal())
            else:
                start, delta = number, 3
            if name == "FILL_VALUE_CONSTANT":
                yield dml.FillValueConstantOperatorDesc(tensor, data_type, start)
            else:
                yield dml.FillValueSequenceOperatorDesc(tensor, data_type, start, delta)

    return _descriptors(build)


def _blocks(name: str) -> Any:
    def pairs(_: Any) -> Pairs:
        kinds = (test_quantized_blocks.SCALE, test_quantized_blocks.BOTH)
        variants = itertools.product(
            test_quantized_blocks.BLOCKS, kinds, (np.int8, np.uint8), (np.float32, np.float16)
        )
        for (sizes, own), kind, integer, dtype in variants:
            found = test_quantized_blocks.parameters(own, dtype, integer, kind)
            found = [a for a in found if a is not None]
            tensors = [dml.TensorDesc(a.dtype, a.shape) for a in found]
            wide, narrow = dml.TensorDesc(dtype, sizes), dml.TensorDesc(integer, sizes)
            if name == "QUANTIZE":
                numbers = np.array([0.0, 0.5, 1.5, -2.5, 3.7, 127.5, -300, 0.05], dtype)
                yield dml.QuantizeOperatorDesc(wide, kind, tensors, narrow), [numbers, *found]
            else:
                yield dml.DequantizeOperatorDesc(narrow, kind, tensors, wide), [None, *found]

    return pairs


def _attentions(name: str) -> Any:
    def pairs(_: Any) -> Pairs:
        t = test_attention
        plain = t.plain()
        variants = [(given, {}) for given in t.LAYOUTS.values()]
        variants += [(t.plain(dtype) | {
            "bias": t.random(2 * t.H * t.D + t.H * t.V, dtype=dtype),
            "relative_position_bias": t.random(t.B, t.H, t.S, t.P + t.T, dtype=dtype),
            "past_key": t.random(t.B, t.H, t.P, t.D, dtype=dtype),
            "past_value": t.random(t.B, t.H, t.P, t.V, dtype=dtype),
        }, {}) for dtype in (np.float32, np.float16)]  # fmt: skip
        variants += [(plain | {"mask": m}, {"kind": k}) for k, m in t.GIVEN_MASKS.values()]
        if name == "MULTIHEAD_ATTENTION1":
            variants += [(t.plain(key_heads=n), {"key_heads": n}) for n in (1, 2)]
            lengths = {"past_sequence_lengths": np.array([2, 6], np.float32)}
            shared = t.plain(key_heads=2) | lengths
            past = {
                "past_key": t.random(t.B, 2, t.P, t.D),
                "past_value": t.random(t.B, 2, t.P, t.V),
            }
            options = {"key_heads": 2, "total": 9}
            variants += [(shared, options), (shared | past, options)]
        for number, (given, options) in enumerate(variants):
            yield _attention(name, given, has_present=number % 2 == 0, **options)

    return pairs


def _attention(
    name: str,
    given: Any,
    *,
    has_present: bool,
    kind: Any = dml.MultiheadAttentionMaskType.NONE,
    key_heads: int = test_attention.H,
    total: int | None = None,
) -> tuple[Any, Any]:
    heads = test_attention.H
    wide = {k: x.astype(np.float32) if x.dtype == np.float16 else x for k, x in given.items()}
    made = test_attention.attention(wide, heads=heads, key_heads=key_heads, kind=kind, total=total)
    names = ("output_tensor", "output_present_key_tensor", "output_present_value_tensor")
    dtype = next(x.dtype for x in given.values() if x.dtype.kind == "f")
    fields: dict[str, Any] = {
        "scale": test_attention.SCALE,
        "mask_filter_value": test_attention.FILTER,
        "mask_type": kind,
    }
    if name == "MULTIHEAD_ATTENTION":
        fields["head_count"] = heads
    else:
        fields |= {"query_head_count": heads, "key_value_head_count": key_heads}
    for field, array in zip(names, made, strict=True):
        if has_present or field == "output_tensor" or total is not None:
            fields[field] = dml.TensorDesc(dtype, array.shape)
    arrays = []
    for field, facts in fields_of(name):
        if facts.kind == "input_tensor":
            array = given.get(field.removesuffix("_tensor"))
            arrays.append(array)
            fields[field] = None if array is None else dml.TensorDesc(array.dtype, array.shape)
    return descriptor_class(name)(**fields), arrays


def _regions(name: str) -> Any:
    def pairs(random: Any) -> Pairs:
        t = test_regions
        for dtype, (variant, fields) in itertools.product(
            (np.float32, np.float16), t.VARIANTS.items()
        ):
            arrays, known = t.given(dtype), t.DEFAULTS | fields
            is_plain = known["output_offset"] == -0.5 and not known["corners"]
            is_plain &= known["reduce"] == t.AVERAGE and known["mode"] == t.LINEAR
            if name == "ROI_ALIGN_GRAD" or not is_plain:
                known["high"] = min(known["high"], 4)  # more have no form
            if name != "ROI_ALIGN_GRAD" and known["high"] > known["low"]:
                # Where regions have no extent, ONNX's RoiAlign has no samples.
                kept = [k for k, (x1, y1, x2, y2) in enumerate(t.REGIONS) if x2 > x1 and y2 > y1]
                arrays = (arrays[0], arrays[1][kept], arrays[2][kept])
            for sizes in t.SIZES.values():
                if name == "ROI_ALIGN" and set(fields) & {"input_offset", "corners"}:
                    continue
                if name == "ROI_ALIGN_GRAD":
                    gradient = random.normal(size=(len(arrays[1]), 3, *sizes)).astype(dtype)
                    whole = (arrays[0], gradient, *arrays[1:])
                    yield t.gradient_desc(*whole, known), whole
                elif name == "ROI_POOLING":
                    roi = np.concatenate([arrays[2][:, None].astype(dtype), arrays[1]], 1)
                    scale = known["scale_x"] if variant != "plain" else 1.3
                    desc = t.pooling_desc(arrays[0], roi, scale, sizes)
                    yield desc, (arrays[0], roi.reshape(desc.roi_tensor.sizes))
                else:
                    yield t.roi_desc(name, *arrays, known, sizes), arrays

    return pairs


#: The builder of each of these operators.
BUILDERS: dict[str, Any] = {
    "GEMM": _descriptors(_matrix_products),
    "JOIN": _joins("JOIN"),
    "SPLIT": _joins("SPLIT"),
    "REDUCE": _descriptors(_reductions),
    "CAST": _casts,
    "ELEMENT_WISE_ADD1": _descriptors(_sums),
    **{name: _fills(name) for name in ("FILL_VALUE_CONSTANT", "FILL_VALUE_SEQUENCE")},
    **{name: _blocks(name) for name in ("QUANTIZE", "DEQUANTIZE")},
    **{name: _attentions(name) for name in ("MULTIHEAD_ATTENTION", "MULTIHEAD_ATTENTION1")},
    **{
        name: _regions(name)
        for name in ("ROI_ALIGN", "ROI_ALIGN1", "ROI_ALIGN_GRAD", "ROI_POOLING")
    },
}
