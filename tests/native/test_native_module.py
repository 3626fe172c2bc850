"""The door of the native code: what would make it crash is refused before it gets there."""

import numpy as np
import pytest

from indirectml import _native
from indirectml.core.settings import Settings


def buffer(dtype=np.uint8, count=8):
    return _native.OpenBuffer(np.zeros(count, dtype))


def sequence(bits=8, precision=0, start=0, delta=1):
    return _native.Sequence(bits, precision, False, start, delta)  # noqa: FBT003 (as the native code has it)


END = _native.INDEX_END

CRASHES = [
    pytest.param(
        lambda: _native.CommandList([buffer()], []),
        ValueError, "lists of different lengths", id="fewer sequences",
    ),
    pytest.param(
        lambda: _native.CommandList([], [sequence()]),
        ValueError, "lists of different lengths", id="fewer buffers",
    ),
    pytest.param(
        lambda: _native.CommandList([None], [sequence()]), RuntimeError, "bad_cast", id="no buffer",
    ),
    pytest.param(
        lambda: _native.CommandList([buffer()], [sequence(64)]),
        ValueError, "elements of another width", id="64 bits on bytes, in a list",
    ),
    pytest.param(
        lambda: _native.fill(buffer(), sequence(64), 0, Settings.policy),
        ValueError, "elements of another width", id="64 bits on bytes",
    ),
    pytest.param(
        lambda: _native.fill(buffer("V16"), sequence(64), 0, Settings.policy),
        ValueError, "elements of another width", id="64 bits on records",
    ),
    pytest.param(
        lambda: _native.fill(buffer("V0"), sequence(), 0, Settings.policy),
        ValueError, "elements of another width", id="elements of no bytes",
    ),
    pytest.param(
        lambda: _native.fill_constant(buffer("V16"), 1, Settings.policy),
        ValueError, "no format of at most 64 bits", id="constant of 128 bits",
    ),
    pytest.param(
        lambda: _native.fill_constant(buffer("V3"), 1, Settings.policy),
        ValueError, "elements of another width", id="constant of 24 bits",
    ),
    pytest.param(
        lambda: _native.fill(buffer(), sequence(), END - 7, Settings.policy),
        IndexError, "elements beyond the last index", id="elements without a number",
    ),
    pytest.param(
        lambda: sequence().element(END), IndexError, "no element has this index", id="no element",
    ),
    pytest.param(
        lambda: _native.Walker(sequence(), END),
        IndexError, "no element has this index", id="walk from no element",
    ),
    *(
        pytest.param(
            lambda bits=bits, precision=precision: sequence(bits, precision),
            ValueError, "no format of at most 64 bits", id=f"{bits} bits, precision {precision}",
        )
        for bits, precision in [
            (0, 0), (65, 0), (-1, 0), (8, 1), (8, 7), (8, 8), (8, 9), (64, 54), (64, 52), (32, -1),
        ]
    ),
    pytest.param(
        lambda: sequence(8, 0, 256),
        ValueError, "operands wider than the elements", id="start beyond the format",
    ),
    pytest.param(
        lambda: _native.convert(32, 0, 1, 16, 11),
        ValueError, "needs a float format", id="from integers",
    ),
    pytest.param(
        lambda: _native.convert_double(1.0, 128, 53),
        ValueError, "no format of at most 64 bits", id="to 128 bits",
    ),
    pytest.param(
        lambda: _native.Policy("portable", 0, 0), ValueError, "needs at least one", id="no thread",
    ),
    pytest.param(
        lambda: _native.Policy("portable", 1, 0, 0),
        ValueError, "needs at least one", id="no share",
    ),
    pytest.param(
        lambda: _native.Policy("nothing", 1, 0),
        ValueError, "no target of that name", id="no target",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), CRASHES)
def test_what_the_core_takes_for_granted_is_checked(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


@pytest.mark.parametrize("kind", ["OpenBuffer", "Sequence", "Walker", "Policy", "CommandList"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_objects_that_were_never_initialized_are_refused(kind):
    made = getattr(_native, kind)
    names = [name for name in vars(made) if not name.startswith("__")]
    raw = made.__new__(made)
    for name in names:
        with pytest.raises((TypeError, RuntimeError)):
            getattr(raw, name)()


def test_a_packed_fill_leaves_elements_of_another_width_to_python():
    out = np.zeros(8, np.uint8)

    assert not _native.PackedFill("B", (8,), sequence(64)).fill(out, Settings.policy)
    assert not out.any()


def test_a_walk_ends():
    walker = _native.Walker(sequence(), END - 1)

    assert walker.next()[:2] == (END - 1, 1)
    with pytest.raises(StopIteration):
        walker.next()


def test_commands_keep_their_buffers():
    out = np.zeros(4, np.uint8)
    buffers = [_native.OpenBuffer(out)]
    commands = _native.CommandList(buffers, [sequence(start=3)])
    buffers.clear()

    commands.execute(Settings.policy)

    assert out.tolist() == [3, 4, 5, 6]


def test_elements_of_no_bytes_are_counted():
    assert buffer("V0").element_count == 0
