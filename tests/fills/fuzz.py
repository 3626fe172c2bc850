"""Random fills of random memory, compared byte for byte with plain Python.

    python -m tests.fills.fuzz --seconds 600 --seed 7     as many cases as fit, with progress
    python -m tests.fills.fuzz --seed 7 --case 1234       one case again

A case is made by its seed and number alone. It draws what is filled and where, under which
target, number of threads and size from which the cache is bypassed; computes every byte of the
memory afterwards, one element after the other; and compares all of it, or checks that what has
to be refused is refused and changes nothing.
"""

import argparse
import contextlib
import functools
import io
import itertools
import json
import math
import random
import sys
import time
import traceback

import numpy as np
from numpy.lib.stride_tricks import as_strided

import indirectml as dml
from indirectml import DirectMLError, LayoutError, _native
from indirectml.core.settings import Settings
from tests import reference
from tests.bits import assert_bits_equal, count_compared
from tests.doors import COMMANDS, DOORS, Call, elements
from tests.reference import DTYPES, INDEX_END, bits_of, number

GUARD_BYTES = 160
NEVER = 2**64 - 1
RULES = ("accumulate", "multiply")
#: Around vectors of every width, and around the row that is worth a store past the cache.
LENGTHS = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 100, 127, 129, 130, 300)
LONG_LENGTHS = (510, 513, 1024, 1025, 2047, 4096, 4099, 8200)


# ---- What is filled ------------------------------------------------------------------------------


@functools.cache
def borders(dtype):
    return reference.borders(dtype)


def draw_operands(source, dtype):
    """Draw a start and a delta: any bits, numbers at which something changes, or related ones."""
    kind = source.randrange(5)
    if dtype.kind == "f" and kind < 2:
        return reference.related_floats(dtype, source)
    if dtype.kind == "f" and kind == 2:
        # Few bits: some multiples of such a delta are whole spacings of the start, others are not.
        exponent, precision = source.randint(-8, 8), np.finfo(dtype).nmant + 1
        below = source.choice((source.randint(0, precision + 7), precision + source.randint(0, 5)))
        step = source.choice((1, -1)) * source.randint(1, 63) * 2.0 ** (exponent - below)
        start = source.choice((0, 1, -1, 1.75, source.uniform(-2, 2))) * 2.0**exponent
        return dtype.type(start), dtype.type(step)
    drawn = (number(source.getrandbits(8 * dtype.itemsize), dtype) for _ in range(2))
    return tuple(x if source.random() < 0.5 else source.choice(borders(dtype)) for x in drawn)


def draw_fill(source, dtype=None):
    """Draw a fill without its place: start, delta (None for a constant), rule."""
    dtype = dtype or source.choice(DTYPES)
    start, delta = draw_operands(source, dtype)
    return start, None if source.random() < 0.15 else delta, source.choice(RULES)


def expected_elements(fill, count):
    """Return what a fill writes to so many elements, by the plain loops."""
    start, delta, rule = fill
    if delta is None:
        return np.repeat(np.array(start), count)
    with np.errstate(all="ignore"):
        return reference.elements(start, delta, count, rule)


def write(fill, out):
    start, delta, rule = fill
    if delta is None:
        assert dml.fill_constant(out, start) is out
    else:
        assert dml.fill_sequence(out, start, delta, rule=rule) is out


def draw_setting(source):
    """Put a random setting in force; returns it for messages."""
    target = source.choice(dml.available_targets())
    threads = source.choice((1, 1, 2, 3, 4, 7, 16))
    policy = _native.Policy(target, threads, source.choice((1, NEVER)), 1 << 20)
    Settings.set(policy)
    Settings.policy_for_new = policy
    return f"{target}, {threads} threads, streaming from {policy.streaming_bytes}"


# ---- Where it is filled --------------------------------------------------------------------------


def draw_memory(source, size_bytes):
    """Return random bytes that begin at any address."""
    whole = np.frombuffer(source.randbytes(size_bytes + 64), np.uint8).copy()
    first = source.randrange(64)
    return whole[first : first + size_bytes]


def draw_sizes(source, most):
    """Draw sizes of at most so many elements; the last dimension is often long."""
    if source.random() < 0.05:
        return ()
    lengths = LENGTHS if source.random() < 0.97 else LONG_LENGTHS
    length = source.randint(1, 260) if source.random() < 0.4 else source.choice(lengths)
    sizes = [min(length, most)]
    while source.random() < 0.65 and len(sizes) < 12:
        room = most // max(math.prod(sizes), 1)
        sizes.insert(0, source.randint(1, max(min(room, 9), 1)))
    if source.random() < 0.03:
        sizes[source.randrange(len(sizes))] = 0
    return tuple(sizes)


def draw_view(source, dtype):
    """Return (memory, view): a view of guarded memory by slices, orders, fields and gaps."""
    sizes = draw_sizes(source, 9000 if dtype.itemsize == 1 else 2500)
    starts = [source.choice((0, 0, 1, 3)) for _ in sizes]
    steps = [source.choice((1, 1, 1, 2, 3, -1, -1, -2)) for _ in sizes]
    gaps = [source.choice((0, 0, 2)) for _ in sizes]
    axes = zip(sizes, steps, starts, gaps, strict=True)
    whole = [f + max(n * abs(s), 1) + gap for n, s, f, gap in axes]
    if math.prod(whole) > 60_000:
        starts, steps = [0] * len(sizes), [source.choice((1, -1)) for _ in sizes]
        whole = [max(n, 1) for n in sizes]
    order = source.sample(range(len(sizes)), len(sizes))
    if source.random() < 0.5:
        order = list(range(len(sizes)))
    record = dtype.itemsize + source.choice((0, 0, 0, 1, 4, 3 * dtype.itemsize))
    memory = draw_memory(source, 2 * GUARD_BYTES + math.prod(whole) * record + 8)
    first = GUARD_BYTES + source.randrange(8)
    base = np.ndarray(
        [whole[k] for k in order], dtype, memory, first, _packed(whole, order, record)
    )
    view = base.transpose(np.argsort(order)) if order else base
    slices = (
        slice(f, f + n * s, s) if s > 0 else slice(f + n * -s - 1, f - 1 if f else None, s)
        for f, n, s in zip(starts, sizes, steps, strict=True)
    )
    view = view[(*slices, ...)]
    assert 0 in sizes or view.shape == sizes, (view.shape, sizes)
    return memory, np.squeeze(view) if source.random() < 0.1 else view


def _packed(whole, order, record):
    """Return the strides in bytes of a packed array of records."""
    sizes = [whole[k] for k in order]
    return [math.prod(sizes[k + 1 :]) * record for k in range(len(sizes))]


def offsets_of(view, memory):
    """Return where each element of a view begins in its memory, in row-major order."""
    first = view.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    axes = (range(n) for n in view.shape)
    return [
        first + sum(c * s for c, s in zip(coordinate, view.strides, strict=True))
        for coordinate in itertools.product(*axes)
    ]


def expected_memory(memory, offsets, values):
    """Return memory after values were written at offsets, one after the other."""
    wanted = bytearray(memory.tobytes())
    raw, item = values.tobytes(), values.dtype.itemsize
    for k, offset in enumerate(offsets):
        wanted[offset : offset + item] = raw[k * item : (k + 1) * item]
    return np.frombuffer(wanted, np.uint8)


def share_bytes(offsets, width):
    """Say whether two elements share a byte, by going through all of them."""
    order = sorted(offsets)
    return any(b - a < width for a, b in itertools.pairwise(order))


# ---- Kinds of cases ------------------------------------------------------------------------------


def check_views(source):
    """Fill any NumPy view."""
    fill = draw_fill(source)
    memory, view = draw_view(source, fill[0].dtype)
    yield f"{fill}, sizes {view.shape}, strides {view.strides} bytes"
    values = expected_elements(fill, view.size)
    wanted = expected_memory(memory, offsets_of(view, memory), values)
    write(fill, view)
    assert_bits_equal(actual=memory, expected=wanted, where="bytes of the memory")


def check_parts(source):
    """Write a sequence from any index on to a view, in pieces."""
    start, delta = draw_operands(source, source.choice(DTYPES))
    dtype, rule = start.dtype, source.choice(RULES)
    memory, view = draw_view(source, dtype)
    view = view.reshape(-1) if view.ndim == 0 else view
    any_first = source.getrandbits(source.randrange(1, 64))
    first = source.choice((0, any_first, INDEX_END - max(view.size, 1)))
    yield f"{start!r}, {delta!r}, {rule}, from {first}, sizes {view.shape}, strides {view.strides}"
    s = dml.Sequence(start, delta, dtype, rule=rule)
    with np.errstate(all="ignore"):
        if rule == "multiply" or dtype.kind != "f":
            values = reference.multiplied_range(start, delta, first, view.size)
        elif view.size:
            # By the rule each element follows from the one before; the first is known from 0 on.
            known = reference.accumulated(start, delta, first + 1)[-1] if first < 4000 else s[first]
            values = reference.accumulated(known, delta, view.size)
        else:
            values = np.empty(0, dtype)
    offsets = offsets_of(view, memory)
    wanted = expected_memory(memory, offsets, values)
    done = 0
    inner = math.prod(view.shape[1:])
    while done < view.shape[0]:
        rows = source.randint(1, view.shape[0] - done)
        s.write(view[done : done + rows], first=first + done * inner)
        done += rows
    assert_bits_equal(actual=memory, expected=wanted, where="bytes of the memory")


def check_layouts(source):
    """Fill any strides in bytes, also 0 and overlapping ones, which are refused unchanged."""
    fill = draw_fill(source)
    dtype = fill[0].dtype
    sizes = [source.randint(1, 5) for _ in range(source.randint(1, 4))]
    far = source.choice((2, 6, 40)) * dtype.itemsize
    unit = source.choice((1, dtype.itemsize, dtype.itemsize))
    strides = [source.randint(-far, far) // unit * unit for _ in sizes]
    if source.random() < 0.5:  # most of these have room
        reach = dtype.itemsize
        for k in source.sample(range(len(sizes)), len(sizes)):
            strides[k] = (reach + source.choice((0, 0, 1, dtype.itemsize))) * source.choice((1, -1))
            reach += abs(strides[k]) * (sizes[k] - 1)
    room = sum(abs(s) * (n - 1) for n, s in zip(sizes, strides, strict=True))
    memory = draw_memory(source, 2 * (GUARD_BYTES + room) + dtype.itemsize)
    first = GUARD_BYTES + room
    view = as_strided(np.ndarray(1, dtype, memory, first), sizes, strides)
    yield f"{fill}, sizes {sizes}, strides {strides} bytes"
    offsets = offsets_of(view, memory)
    before = memory.copy()
    if share_bytes(offsets, dtype.itemsize):
        try:
            write(fill, view)
        except LayoutError:
            assert_bits_equal(actual=memory, expected=before, where="a refused fill wrote")
            return
        raise AssertionError("accepted, though elements share memory")
    wanted = expected_memory(memory, offsets, expected_elements(fill, view.size))
    write(fill, view)
    assert_bits_equal(actual=memory, expected=wanted, where="bytes of the memory")


def check_descriptors(source):
    """Run tensor descriptors, right and wrong, at any feature level."""
    fill = draw_fill(source)
    start, delta, rule = fill
    dtype = start.dtype
    rank = source.choice((4, 4, 4, 1, 2, 3, 5, 6, 8, 9))
    sizes = [source.choice((1, 1, 2, 3, 4)) for _ in range(rank)]
    sizes[-1] = source.choice((*range(1, 9), 17, 40))
    while math.prod(sizes) > 2000:
        sizes[sizes.index(max(sizes))] = 1
    strides = draw_strides(source, sizes)
    if source.random() < 0.15:
        strides = [source.choice((0, 1, 2, 3, 5)) for _ in sizes]
    if source.random() < 0.03:
        sizes[source.randrange(rank)] = source.choice((0, 2**32, -1))
    if source.random() < 0.03 and strides:
        strides.append(1)
    levels = list(dml.FeatureLevel)
    level = levels[-1] if source.random() < 0.5 else source.choice(levels)
    is_valid, required = plain_rules(dtype, sizes, strides, level, is_sequence=delta is not None)
    total = None if required is None else source.choice((None, required, required + 8))
    if total and source.random() < 0.05:
        total, is_valid = required - 1, False
    alignment = source.choice((0, 0, 0, 8, 16, 4096, 1, 2, 24))
    is_power_of_two = alignment & (alignment - 1) == 0
    is_valid &= alignment == 0 or (is_power_of_two and alignment >= dtype.itemsize)
    yield f"{fill}, sizes {sizes}, strides {strides}, total {total}, {alignment}, level {level}"
    unions = [
        dml.ScalarUnion(bits_of(x).to_bytes(8, "little")) for x in (start, delta) if x is not None
    ]
    kinds = dml.FillValueConstantOperatorDesc, dml.FillValueSequenceOperatorDesc
    device = dml.Device(feature_level=level, sequence_rule=rule)
    try:
        tensor = dml.TensorDesc(
            dtype,
            sizes,
            strides=strides,
            total_tensor_size_in_bytes=total,
            guaranteed_base_offset_alignment=alignment,
        )
        operator = device.create_operator(kinds[len(unions) - 1](tensor, dtype, *unions))
    except DirectMLError:
        if is_valid:
            raise
        return
    assert is_valid, "accepted"
    assert tensor.total_tensor_size_in_bytes == (total or required)
    memory = draw_memory(source, 2 * GUARD_BYTES + tensor.total_tensor_size_in_bytes + 16)
    call = Call(start, delta, rule, tuple(sizes), strides and tuple(strides))
    view = elements(call, memory, GUARD_BYTES)
    values = expected_elements(fill, view.size)
    wanted = expected_memory(memory, offsets_of(view, memory), values)
    compiled = device.compile_operator(operator)
    compiled(out=[memoryview(memory[GUARD_BYTES:-GUARD_BYTES])])
    assert_bits_equal(actual=memory, expected=wanted, where="bytes of the memory")


def plain_rules(dtype, sizes, strides, level, *, is_sequence):
    """Say whether the rules of DirectML's pages allow an output, and the bytes that it needs."""
    if not (1 <= len(sizes) <= 8 and all(1 <= n < 2**32 for n in sizes)):
        return False, None
    if strides is not None and len(strides) != len(sizes):
        return False, None
    used = strides or [math.prod(sizes[k + 1 :]) for k in range(len(sizes))]
    offsets = [
        sum(c * s for c, s in zip(coordinate, used, strict=True))
        for coordinate in itertools.product(*(range(n) for n in sizes))
    ]
    required = ((max(offsets) + 1) * dtype.itemsize + 3) // 4 * 4
    wide = dtype.itemsize == 8
    lowest = dml.FeatureLevel.LEVEL_2_1
    if wide:
        lowest = dml.FeatureLevel.LEVEL_5_0 if is_sequence else dml.FeatureLevel.LEVEL_4_1
    allowed = (
        level >= lowest
        and (len(sizes) == 4 or level >= dml.FeatureLevel.LEVEL_4_0)
        and not (is_sequence and dtype == np.float64)
        and len(set(offsets)) == len(offsets)
    )
    return allowed, required


def draw_strides(source, sizes):
    """Draw strides in elements, from 0 up, with gaps and in any order; None for packed."""
    if source.random() < 0.3:
        return None
    strides, reach = [0] * len(sizes), 1
    order = list(range(len(sizes)))[::-1]
    if source.random() < 0.6:
        source.shuffle(order)
    for k in order:
        strides[k] = reach + source.choice((0, 0, 0, 1, 5))
        if sizes[k] == 1 and source.random() < 0.5:
            strides[k] = source.choice((0, 1, 7))
        reach += strides[k] * (sizes[k] - 1)
    return strides


def draw_call(source, dtype=None):
    """Draw a fill with a DirectML layout, which every door may take."""
    sizes = draw_sizes(source, 600)[-8:] or (1,)
    sizes = tuple(max(n, 1) for n in sizes)
    strides = draw_strides(source, sizes)
    return Call(*draw_fill(source, dtype), sizes, strides and tuple(strides))


def check_doors(source):
    """Take the same fill through every door; through those of the command line now and then."""
    call = draw_call(source)
    left_out = COMMANDS if source.random() < 0.9 else set()
    yield f"{call}"
    values = expected_elements(call[:3], math.prod(call.sizes)).reshape(call.sizes)
    for name, door in DOORS.items():
        if name not in left_out and door.takes(call):
            with contextlib.redirect_stdout(io.StringIO()):
                (out,) = door.fill([call])
            assert_bits_equal(actual=out, expected=values, where=name)


def check_large(source):
    """Fill what several threads share, and compare with the loops or with one plain thread."""
    dtype = source.choice(DTYPES)
    start, delta = draw_operands(source, dtype)
    rule = source.choice(RULES)
    count = source.randint(1 << 20, 5 << 20) // dtype.itemsize
    rows = source.choice((1, 1, 3, 64, 1001))
    columns = count // rows
    layout = source.choice(("packed", "backwards", "transposed", "padded"))
    yield f"{start!r}, {delta!r}, {rule}, {rows} x {columns}, {layout}"
    count = rows * columns
    with np.errstate(all="ignore"):
        values = large_elements(source, start, delta, rule, count).reshape(rows, columns)
    gap = 3 if layout == "padded" else 0
    memory = np.full((rows * (columns + gap) + 2) * dtype.itemsize + 1, 0xA5, np.uint8)
    base = np.ndarray(rows * (columns + gap), dtype, memory, 1 + dtype.itemsize)
    out = {
        "packed": lambda: base.reshape(rows, columns),
        "backwards": lambda: base.reshape(rows, columns)[::-1, ::-1],
        "transposed": lambda: base.reshape(columns, rows).T,
        "padded": lambda: base.reshape(rows, columns + gap)[:, :columns],
    }[layout]()
    dml.fill_sequence(out, start, delta, rule=rule)
    count_compared(out.size)
    if not np.array_equal(out.view(f"u{dtype.itemsize}"), values.view(f"u{dtype.itemsize}")):
        assert_bits_equal(actual=out, expected=values)
    out.view(f"u{dtype.itemsize}")[...] = 0xA5A5A5A5A5A5A5A5 & ((1 << (8 * dtype.itemsize)) - 1)
    assert (memory == 0xA5).all(), "bytes beside the elements"


def large_elements(source, start, delta, rule, count):
    """Return many elements: by NumPy's loop, or by one plain thread with some looked at."""
    dtype = start.dtype
    if dtype.kind != "f":
        unsigned = np.dtype(f"u{dtype.itemsize}")
        steps = np.arange(count, dtype=np.uint64).astype(unsigned)
        return (steps * unsigned.type(bits_of(delta)) + unsigned.type(bits_of(start))).view(dtype)
    if rule == "accumulate":
        return reference.accumulated_at_once(start, delta, count)
    former = Settings.policy
    Settings.set(_native.Policy("portable", 1, NEVER))
    values = dml.fill_sequence(np.empty(count, dtype), start, delta, rule=rule)
    Settings.set(former)
    for index in [source.randrange(count) for _ in range(150)]:
        expected = reference.multiplied(start, delta, index)
        assert_bits_equal(actual=values[index], expected=expected, where=f"element {index}")
    return values


#: Kinds of cases, and how many of a hundred they are.
KINDS = {
    check_views: 40,
    check_parts: 20,
    check_layouts: 18,
    check_descriptors: 14,
    check_doors: 7,
    check_large: 1,
}


# ---- Running -------------------------------------------------------------------------------------


def run_case(seed, case):
    """Run one case; returns what failed as text, or None."""
    source = random.Random(f"{seed} {case}")  # noqa: S311 (repeatable)
    (kind,) = source.choices(list(KINDS), KINDS.values())
    former, said = Settings.policy, []
    try:
        said.append(draw_setting(source))
        said += kind(source)
    except Exception:  # noqa: BLE001 (whatever it is, it is told with its case)
        return (
            f"{kind.__name__}: {'; '.join(said)}\n{traceback.format_exc()}"
            f"again: python -m tests.fills.fuzz --seed {seed} --case {case}"
        )
    finally:
        Settings.set(former)
    return None


def run(seed, cases, *, stop_at=10):
    """Run cases; yields (case, what failed or None)."""
    failures = 0
    for case in cases:
        failed = run_case(seed, case)
        failures += failed is not None
        yield case, failed
        if failures == stop_at:
            return


def main():
    """Run cases for so long, or one of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.fills.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: 60)")
    parser.add_argument("--seed", type=int, help="by default another one each time")
    parser.add_argument("--case", type=int, help="this one alone")
    options = parser.parse_args()
    seed = random.SystemRandom().getrandbits(32) if options.seed is None else options.seed
    began = shown = time.monotonic()
    shows = sys.stderr.isatty()
    done = failures = 0
    cases = itertools.count() if options.case is None else [options.case]
    for case, failed in run(seed, cases):
        done += 1
        now = time.monotonic()
        if failed is not None:
            failures += 1
            print(f"{chr(10) if shows else ''}case {case}: {failed}", file=sys.stderr)  # noqa: T201
        if shows and now - shown > 0.2:
            shown = now
            left = max(options.seconds - (now - began), 0)
            sys.stderr.write(
                f"\r\033[Kseed {seed}: {done} cases, {failures} failed, {left:.0f} s left"
            )
        if now - began >= options.seconds:
            break
    if shows:
        sys.stderr.write("\r\033[K")
    seconds = round(time.monotonic() - began, 1)
    summary = {"seed": seed, "cases": done, "failed": failures, "seconds": seconds}
    print(json.dumps(summary))  # noqa: T201 (a program)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
