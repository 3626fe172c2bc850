"""Attention against plain loops over heads and queries, and PyTorch's meaning."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.descriptors.definitions import fields_of
from tests.arithmetic import loops, products
from tests.operators.oracle import GUARD, assert_bits_equal, run

F32 = np.float32
SEED = 11
MASKS = dml.MultiheadAttentionMaskType
FILTER = -1000.0
SCALE = 0.3

#: Batch, queries, keys, heads, heads of keys, size of a head, of values.
B, S, T, H, D, V, P = 2, 3, 5, 4, 6, 7, 4


def random(*sizes, dtype=F32, seed=SEED):
    return np.random.default_rng([seed, *sizes]).normal(size=sizes).astype(dtype)


def split(x, heads):
    """Return arrays per batch and head: rows of one head each."""
    width = x.shape[-1] // heads
    return [[x[b][:, h * width : (h + 1) * width] for h in range(heads)] for b in range(len(x))]


def from_parts(given, heads, key_heads):
    """Return queries, keys and values, per batch and head, whatever layout they come in."""
    sources = (
        ("query", None, heads), ("key", None, key_heads), ("value", None, key_heads),
        ("stacked_query_key", (0, 1), None), ("stacked_key_value", (1, 2), None),
        ("stacked_query_key_value", (0, 1, 2), None),
    )  # fmt: skip
    found = [None, None, None]
    for place, (name, roles, count) in enumerate(sources):
        x = given.get(name)
        if x is None:
            continue
        if roles is None:
            found[place] = split(x.reshape(x.shape[-3:]), count)
        else:
            for number, role in enumerate(roles):
                found[role] = [
                    [x[b, :, h, number] for h in range(x.shape[2])] for b in range(len(x))
                ]
    return found


def is_filtered(given, kind, at, sizes):
    """Return whether a mask of three of the types sets a score to the filter's value."""
    b, i, j = at
    batch, queries, keys = sizes
    numbers = given["mask"].reshape(-1).tolist()
    if kind is MASKS.KEY_SEQUENCE_LENGTH:
        return j >= numbers[b]
    if kind is MASKS.KEY_SEQUENCE_END_START:
        return not numbers[batch + b] <= j < numbers[b]
    lengths, query_bounds = numbers[:batch], numbers[batch : 2 * batch + 1]
    starts = numbers[2 * batch + 1 :]
    for sequence in range(batch):
        begin = starts[sequence]
        if query_bounds[sequence] <= b * queries + i < query_bounds[sequence + 1]:
            return not begin <= b * keys + j < begin + lengths[sequence]
    return True


def add_bias(parts, bias):
    """Add to queries, keys and values what a bias has for each of their heads."""
    flat, start = bias.reshape(-1), 0
    for part in parts:
        width = part[0][0].shape[-1]
        for h in range(len(part[0])):
            for rows in part:
                rows[h] = rows[h] + flat[start : start + width]
            start += width


def appended(past, part, key_heads, lengths, total):
    """Return the past and what comes behind or over it."""
    past = None if past is None else past.reshape(past.shape[-4:])
    found = []
    for b, h in np.ndindex(len(past if part is None else part), key_heads):
        old = [] if past is None else list(past[b, h])
        new = [] if part is None else list(part[b][h])
        if lengths is None:
            found.append(np.array(old + new))
            continue
        rows = (old + [np.zeros_like(new[0])] * total)[:total]
        first = max(int(lengths.reshape(-1)[b]), 0)
        rows[first : first + len(new)] = new[: max(total - first, 0)]
        found.append(np.array(rows))
    return np.array(found, F32).reshape(-1, key_heads, *found[0].shape)


def masked(scores, given, kind, at, sizes):
    """Return the scores of one query after the mask, and after the order in time."""
    b, h, i = at
    row = scores.copy()
    for j in range(len(row)):
        if kind is MASKS.BOOLEAN:
            mask = given["mask"]
            mask = mask.reshape((1,) * (4 - mask.ndim) + mask.shape[-4:])
            own = [0 if n == 1 else a for a, n in zip((b, h, i, j), mask.shape, strict=True)]
            row[j] = row[j] if mask[tuple(own)] else row[j] + F32(FILTER)
        elif kind is not MASKS.NONE and is_filtered(given, kind, (b, i, j), sizes):
            row[j] = F32(FILTER)
        lengths = given.get("past_sequence_lengths")
        if lengths is not None and j > max(int(lengths.reshape(-1)[b]), 0) + i:
            row[j] = F32(FILTER)
    return row


def attention(given, *, heads, key_heads, kind=MASKS.NONE, total=None):
    """Return the output, and present keys and values, from FLOAT32 arrays by name."""
    q, k, v = from_parts(given, heads, key_heads)
    if "bias" in given:
        add_bias((q, k, v), given["bias"])
    lengths = given.get("past_sequence_lengths")
    keys = appended(given.get("past_key"), k, key_heads, lengths, total)
    values = appended(given.get("past_value"), v, key_heads, lengths, total)
    batch, queries, width = len(q), len(q[0][0]), values.shape[-1]
    out = np.empty((batch, queries, heads * width), F32)
    for b, h in np.ndindex(batch, heads):
        own = h // (heads // key_heads)
        scores = products.contract(q[b][h], keys[b, own].T) * F32(SCALE)
        if "relative_position_bias" in given:
            bias = given["relative_position_bias"]
            scores = scores + bias.reshape(bias.shape[-4:])[b, h]
        weights = np.empty_like(scores)
        for i in range(queries):
            row = masked(scores[i], given, kind, (b, h, i), (batch, queries, keys.shape[2]))
            weights[i] = loops.softmax([float(x) for x in row])
        out[b, :, h * width : (h + 1) * width] = products.contract(weights, values[b, own])
    return out, keys, values


def computed(given, *, heads, key_heads, name, kind=MASKS.NONE, outputs):
    """Run a descriptor over arrays by name; outputs are of given sizes, or left out."""
    dtype = next(x.dtype for x in given.values() if x.dtype.kind == "f")
    fields = {"scale": SCALE, "mask_filter_value": FILTER, "mask_type": kind}
    if name == "MULTIHEAD_ATTENTION":
        fields["head_count"] = heads
    else:
        fields |= {"query_head_count": heads, "key_value_head_count": key_heads}
    arrays = []
    for field, facts in fields_of(name):
        if facts.kind == "input_tensor":
            array = given.get(field.removesuffix("_tensor"))
            arrays.append(array)
            fields[field] = None if array is None else dml.TensorDesc(array.dtype, array.shape)
        elif facts.kind == "output_tensor":
            sizes = outputs.get(field.removesuffix("_tensor"))
            fields[field] = None if sizes is None else dml.TensorDesc(dtype, sizes)
    desc = getattr(dml, {"MULTIHEAD_ATTENTION": "MultiheadAttentionOperatorDesc"}.get(
        name, "MultiheadAttention1OperatorDesc"))(**fields)  # fmt: skip
    raws = [None if a is None else a.tobytes().ljust(-(-a.nbytes // 4) * 4, b"\0") for a in arrays]
    return run(desc, raws)


def compare(given, *, heads=H, key_heads=H, kind=MASKS.NONE, total=None,
            name="MULTIHEAD_ATTENTION1", before=None):  # fmt: skip
    """Compare with the loops, which also know what is in the memory of outputs before."""
    dtype = (
        given["query"].dtype
        if "query" in given
        else next(x.dtype for x in given.values() if x.dtype.kind == "f")
    )
    wide = {k: x.astype(F32) if x.dtype == np.float16 else x for k, x in given.items()}
    wide |= before or {}
    expected = attention(wide, heads=heads, key_heads=key_heads, kind=kind, total=total)
    outputs = dict(
        zip(
            ("output", "output_present_key", "output_present_value"),
            (x.shape for x in expected),
            strict=True,
        )
    )

    actual = computed(
        given, heads=heads, key_heads=key_heads, name=name, kind=kind, outputs=outputs
    )

    for found, wanted in zip(actual, expected, strict=True):
        assert_bits_equal(actual=found, expected=wanted.astype(dtype))


def plain(dtype=F32, key_heads=H):
    return {
        "query": random(B, S, H * D, dtype=dtype),
        "key": random(B, T, key_heads * D, dtype=dtype),
        "value": random(B, T, key_heads * V, dtype=dtype),
    }


LAYOUTS = {
    "own": plain(),
    "query-key": {"stacked_query_key": random(B, T, H, 2, D), "value": random(B, T, H * V)},
    "key-value": {"query": random(B, S, H * D), "stacked_key_value": random(B, T, H, 2, D)},
    "all": {"stacked_query_key_value": random(B, S, H, 3, D)},
    "past alone": {"query": random(B, S, H * D), "past_key": random(B, H, P, D),
                   "past_value": random(B, H, P, V)},
    "five dimensions": {name: x[None, None] for name, x in plain().items()},
}  # fmt: skip


@pytest.mark.parametrize("name", ["MULTIHEAD_ATTENTION", "MULTIHEAD_ATTENTION1"])
@pytest.mark.parametrize("given", LAYOUTS.values(), ids=LAYOUTS)
def test_layouts(given, name):
    compare(given, name=name)


@pytest.mark.parametrize("name", ["MULTIHEAD_ATTENTION", "MULTIHEAD_ATTENTION1"])
@pytest.mark.parametrize("dtype", [F32, np.float16])
def test_bias_position_and_past(dtype, name):
    given = plain(dtype) | {
        "bias": random(2 * H * D + H * V, dtype=dtype),
        "relative_position_bias": random(B, H, S, P + T, dtype=dtype),
        "past_key": random(B, H, P, D, dtype=dtype),
        "past_value": random(B, H, P, V, dtype=dtype),
    }
    compare(given, name=name)


I32 = np.int32
GIVEN_MASKS = {
    "length": (MASKS.KEY_SEQUENCE_LENGTH, np.array([[3, 5]], I32)),
    "end-start": (MASKS.KEY_SEQUENCE_END_START, np.array([[3, 5], [1, 2]], I32)),
    "sequences": (MASKS.KEY_QUERY_SEQUENCE_LENGTH_START_END,
                  np.array([2, 4, 0, S, 2 * S, 0, T, 2 * T], I32)),
    "packed": (MASKS.KEY_QUERY_SEQUENCE_LENGTH_START_END,
               np.array([2, 4, 0, 2, 5, 0, 4, 8], I32)),
    "boolean": (MASKS.BOOLEAN, (np.arange(B * H * S * T) % 3 > 0).astype(I32).reshape(B, H, S, T)),
    "boolean-row": (MASKS.BOOLEAN, np.array([[1, 0, 1, 1, 0]], I32)),
    "boolean-five": (MASKS.BOOLEAN, np.tri(S, T, dtype=I32).reshape(1, 1, 1, S, T)),
    "everything": (MASKS.KEY_SEQUENCE_LENGTH, np.array([[0, 0]], I32)),
}  # fmt: skip


@pytest.mark.parametrize("name", ["MULTIHEAD_ATTENTION", "MULTIHEAD_ATTENTION1"])
@pytest.mark.parametrize(("kind", "mask"), GIVEN_MASKS.values(), ids=GIVEN_MASKS)
def test_masks(kind, mask, name):
    compare(plain() | {"mask": mask}, kind=kind, name=name)


@pytest.mark.parametrize("key_heads", [1, 2])
def test_heads_share_keys(key_heads):
    compare(plain(key_heads=key_heads), key_heads=key_heads)


@pytest.mark.parametrize("has_past", [False, True])
@pytest.mark.parametrize("dtype", [F32, I32])
@pytest.mark.parametrize("lengths", [(2, 6), (0, 1), (-3, 1000)])
def test_lengths_of_the_past(has_past, dtype, lengths):
    lengths = np.array(lengths, dtype)
    given = plain(key_heads=2) | {"past_sequence_lengths": lengths}
    if has_past:
        given |= {"past_key": random(B, 2, P, D), "past_value": random(B, 2, P, V)}
        return compare(given, key_heads=2, total=9)
    guards = (np.full((B, 2, 9, 4 * n), GUARD, np.uint8).view(F32) for n in (D, V))
    before = dict(zip(("past_key", "past_value"), guards, strict=True))
    return compare(given, key_heads=2, total=9, before=before)


def test_nan_and_infinity_in_keys():
    given = plain()
    given["key"][0, 1, 2] = np.nan
    given["key"][1, 0, 8] = np.inf

    with np.errstate(all="ignore"):
        expected = attention(given, heads=H, key_heads=H)[0]

    outputs = {"output": expected.shape}
    actual = computed(given, heads=H, key_heads=H, name="MULTIHEAD_ATTENTION", outputs=outputs)[0]
    assert_bits_equal(actual=actual, expected=products.canonical(expected))


def test_means_what_pytorch_means():
    torch = pytest.importorskip("torch")
    given = plain(key_heads=2)
    parts = [
        torch.tensor(x).reshape(B, x.shape[1], n, -1).transpose(1, 2)
        for x, n in zip(given.values(), (H, 2, 2), strict=True)
    ]
    keys, values = (torch.repeat_interleave(x, H // 2, 1) for x in parts[1:])
    expected = torch.nn.functional.scaled_dot_product_attention(parts[0], keys, values, scale=SCALE)
    expected = expected.transpose(1, 2).reshape(B, S, -1).numpy()

    actual = computed(given, heads=H, key_heads=2, name="MULTIHEAD_ATTENTION1",
                      outputs={"output": expected.shape})[0]  # fmt: skip

    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-6)


REFUSED = [
    ({"query": None}, {}, ("query_tensor: needs one of query_tensor, stacked_query_key_tensor, "
     "stacked_query_key_value_tensor, got none")),
    ({"stacked_key_value": random(B, T, H, 2, D)}, {},
     ("key_tensor: needs one of key_tensor, stacked_query_key_tensor, stacked_key_value_tensor, "
     "stacked_query_key_value_tensor, got key and stacked_key_value")),
    ({"past_key": random(B, H, P, D)}, {},
     "past_key_tensor: needs past_key_tensor and past_value_tensor, or neither"),
    ({"key": random(B, T, H * D + 1)}, {}, "key_tensor.sizes: needs [2, 5, 24], got [2, 5, 25]"),
    ({"bias": random(7)}, {}, "bias_tensor.sizes: needs [76], got [7]"),
    ({"mask": np.ones((1, B), I32)}, {}, "mask_type: needs a mask_tensor, or NONE, got NONE"),
    ({}, {"kind": MASKS.BOOLEAN}, "mask_type: needs a mask_tensor, or NONE, got BOOLEAN"),
    ({"mask": np.ones((2, B), I32)}, {"kind": MASKS.KEY_SEQUENCE_LENGTH},
     "mask_tensor.sizes: needs [1, 2], got [2, 2]"),
    ({"mask": np.ones((B, 3), I32)}, {"kind": MASKS.BOOLEAN},
     "mask_tensor.sizes: needs sizes that repeat to [2, 4, 3, 5], got [2, 3]"),
    ({}, {"key_heads": 3},
     ("query_head_count: needs at least 1 head, and a multiple of those of keys and values, "
     "got 4 and 3")),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "options", "text"), REFUSED)
def test_what_is_refused(changes, options, text):
    given = {name: x for name, x in (plain() | changes).items() if x is not None}

    with pytest.raises(dml.DescriptorError) as caught:
        computed(given, heads=H, name="MULTIHEAD_ATTENTION1", outputs={"output": (B, S, H * V)},
                 **{"key_heads": H} | options)  # fmt: skip

    assert str(caught.value) == f"MULTIHEAD_ATTENTION1.{text}"


#: What the tests of this file compare with.
ORACLES = {"MULTIHEAD_ATTENTION": attention, "MULTIHEAD_ATTENTION1": attention}
