"""What may be filled: every kind of array, in place; what may not is refused and unchanged."""

import array
import mmap
import sys

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from indirectml import (
    BufferBinding,
    CommandList,
    CommandQueue,
    DataTypeError,
    Device,
    DirectMLError,
    ElementWiseIdentityOperatorDesc,
    ExecutionFlags,
    FillValueConstantOperatorDesc,
    LayoutError,
    ScalarError,
    Sequence,
    TensorDesc,
    fill_constant,
    fill_sequence,
)
from tests.bits import assert_bits_equal
from tests.fills.filling import run_script

# ---- Kinds of arrays -----------------------------------------------------------------------------


@pytest.mark.parametrize("code", "bBhHiIlLqQfd")
def test_arrays_of_the_standard_library_are_filled(code):
    out = array.array(code, range(7))
    assert fill_sequence(out, 5, 3) is out
    assert list(out) == [5, 8, 11, 14, 17, 20, 23]
    fill_constant(out, 9)
    assert list(out) == [9] * 7


@pytest.mark.parametrize("code", [f"{order}{c}" for order in ("", "@") for c in "bBhHiIlLqQnNfd"])
def test_memoryviews_of_every_format_are_filled(code):
    out = memoryview(bytearray(64)).cast(code)
    fill_sequence(out[1:], 1, 2)
    assert out.tolist() == [0, *range(1, 2 * len(out) - 2, 2)]
    fill_constant(out[::2], 7)
    assert out[::2].tolist() == [7] * len(out[::2])
    assert out[1::2].tolist() == list(range(1, 2 * len(out) - 2, 4))


def test_bytearrays_are_filled_as_uint8():
    out = bytearray(5)
    assert fill_sequence(out, 254, 1) is out
    assert out == bytes([254, 255, 0, 1, 2])


def test_several_dimensions_of_a_memoryview_are_filled():
    out = memoryview(bytearray(24)).cast("B").cast("h", (3, 4))
    fill_sequence(out, 0, 1)
    assert out.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_memory_maps_are_filled_and_reach_the_file(tmp_path):
    path = tmp_path / "out.raw"
    path.write_bytes(bytes(64))
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 64) as mapped:
        fill_constant(mapped, 7)
    assert path.read_bytes() == bytes([7] * 64)

    mapped = np.memmap(path, np.float32, mode="r+", offset=4, shape=(3, 4))
    assert fill_sequence(mapped, 1, 0.5) is mapped
    mapped.flush()
    expected = (1 + np.arange(12) / 2).astype(np.float32)
    assert path.read_bytes() == bytes([7] * 4) + expected.tobytes() + bytes([7] * 12)


def test_arrays_of_the_c_library_are_filled():
    run_script("""
        import ctypes
        import indirectml

        out = (ctypes.c_float * 4)()
        assert indirectml.fill_sequence(out, 1, 2) is out
        assert out[:] == [1, 3, 5, 7]
        table = (ctypes.c_int16 * 3 * 2)()
        indirectml.fill_sequence(table, 1, 2)
        assert [row[:] for row in table] == [[1, 3, 5], [7, 9, 11]]
        one = ctypes.c_uint64()
        indirectml.fill_constant(one, 5)
        assert one.value == 5
    """)


def test_more_dimensions_than_numpy_has_are_filled_or_refused():
    run_script("""
        import contextlib
        import ctypes
        import indirectml

        kind = ctypes.c_uint8
        for _ in range(200):
            kind *= 1
        with contextlib.suppress(indirectml.DirectMLError):
            indirectml.fill_constant(kind(), 1)
    """)


def test_torch_tensors_are_filled_in_place():
    torch = pytest.importorskip("torch")
    for name in ("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"):
        memory = torch.zeros((6, 8), dtype=getattr(torch, name))
        out = memory.t()[1::2, ::3]
        assert fill_sequence(out, 1, 2) is out
        assert out.tolist() == [[1, 3], [5, 7], [9, 11], [13, 15]]
        assert memory.sum() == 64
    parameter = torch.zeros(3, requires_grad=True)
    fill_constant(parameter.detach(), 1.5)
    assert parameter.tolist() == [1.5] * 3


class DLPackOnly:
    """An array of a library that has DLPack alone."""

    def __init__(self, memory, device=(1, 0)):
        self.memory, self.device = memory, device

    def __dlpack__(self, **options):
        return self.memory.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


def test_arrays_with_dlpack_alone_are_filled():
    memory = np.zeros((4, 6), np.int32)
    out = DLPackOnly(memory[::2, ::-2])
    assert fill_sequence(out, 1, 1) is out
    assert memory[::2, ::-2].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert memory.sum() == 21


# ---- Refusals ------------------------------------------------------------------------------------

NO_ARRAY = "out: needs a writable array (NumPy, memory map, buffer or DLPack), got "
NO_DATA_TYPE = (
    "out: needs one of the data types float32, float16, uint32, uint16, uint8, int32, int16, "
    "int8, float64, uint64, int64, got "
)
NO_EXPORT = "out: needs an array that DLPack can export, got Tensor: "
OVERLAP = "out: needs an array whose elements do not share memory, got one where "
READ_ONLY = "out: needs a writable array, got a read-only one"


def read_only(memory):
    view = memory.view()
    view.flags.writeable = False
    return view


#: How to make an output of 48 zero bytes, and why it is refused.
REFUSED = [
    pytest.param(lambda m: m.tolist()[:2], DataTypeError, NO_ARRAY + "[0, 0] (list)", id="list"),
    pytest.param(lambda _: None, DataTypeError, NO_ARRAY + "None (NoneType)", id="None"),
    pytest.param(lambda _: 1.5, DataTypeError, NO_ARRAY + "1.5 (float)", id="number"),
    pytest.param(
        lambda _: np.float32(1),
        LayoutError,
        "out: needs writable memory, got read-only float32",
        id="NumPy number",
    ),
    pytest.param(
        lambda _: mmap.mmap(-1, 48, access=mmap.ACCESS_READ),
        LayoutError,
        "out: needs writable memory, got read-only mmap",
        id="read-only memory map",
    ),
    pytest.param(
        lambda m: m.tobytes(),
        LayoutError,
        "out: needs writable memory, got read-only bytes",
        id="bytes",
    ),
    pytest.param(read_only, LayoutError, READ_ONLY, id="read-only array"),
    pytest.param(
        lambda m: memoryview(m).toreadonly(),
        LayoutError,
        "out: needs writable memory, got read-only memoryview",
        id="read-only memoryview",
    ),
    pytest.param(
        lambda m: np.broadcast_to(m.view(np.float32), (3, 12)),
        LayoutError,
        READ_ONLY,
        id="broadcast",
    ),
    pytest.param(
        lambda _: np.array([1, None]), DataTypeError, NO_DATA_TYPE + "object", id="objects"
    ),
    pytest.param(
        lambda m: m.view(">f4" if sys.byteorder == "little" else "<f4"),
        DataTypeError,
        NO_DATA_TYPE
        + (">f4" if sys.byteorder == "little" else "<f4")
        + "; convert it to this machine's byte order",
        id="foreign byte order",
    ),
    pytest.param(lambda m: m.view(bool), DataTypeError, NO_DATA_TYPE + "bool", id="bool"),
    pytest.param(
        lambda m: m.view(np.complex64), DataTypeError, NO_DATA_TYPE + "complex64", id="complex"
    ),
    pytest.param(
        lambda m: m.view("M8[s]"), DataTypeError, NO_DATA_TYPE + "datetime64[s]", id="datetime64"
    ),
    pytest.param(
        lambda m: m.view("m8[s]"), DataTypeError, NO_DATA_TYPE + "timedelta64[s]", id="timedelta64"
    ),
    pytest.param(
        lambda m: m.view([("x", "f4")]),
        DataTypeError,
        NO_DATA_TYPE + "[('x', '<f4')]",
        id="records",
    ),
    pytest.param(lambda m: m.view("S4"), DataTypeError, NO_DATA_TYPE + "|S4", id="byte strings"),
    pytest.param(lambda m: m.view("U4"), DataTypeError, NO_DATA_TYPE + "<U4", id="text"),
    pytest.param(
        lambda m: memoryview(m).cast("?"),
        DataTypeError,
        NO_DATA_TYPE + "format '?'",
        id="memoryview of bool",
    ),
    pytest.param(
        lambda m: memoryview(m).cast("c"),
        DataTypeError,
        NO_DATA_TYPE + "format 'c'",
        id="memoryview of characters",
    ),
    pytest.param(
        lambda m: as_strided(m.view(np.float32), (4,), (0,)),
        LayoutError,
        OVERLAP + "(0,) and (1,) do",
        id="stride 0",
    ),
    pytest.param(
        lambda m: as_strided(m.view(np.float32), (3, 4), (4, 4)),
        LayoutError,
        OVERLAP + "(0, 2) and (2, 0) do",
        id="sliding window",
    ),
    pytest.param(
        lambda m: as_strided(m.view(np.float32), (4,), (2,)),
        LayoutError,
        OVERLAP + "(0,) and (1,) do",
        id="elements half over each other",
    ),
    pytest.param(
        lambda m: as_strided(m.view(np.float32)[6:], (2, 4), (-4, 4)),
        LayoutError,
        OVERLAP + "(0, 0) and (1, 1) do",
        id="overlap with a negative stride",
    ),
    pytest.param(
        lambda m: DLPackOnly(m, (2, 0)),
        DataTypeError,
        "out: needs an array in the CPU's memory, got one on DLPack device (2, 0)",
        id="another device",
    ),
    pytest.param(
        lambda m: DLPackOnly(read_only(m)),
        LayoutError,
        READ_ONLY,
        id="read-only DLPack",
    ),
]


def assert_refused(call, kind, text, memory):
    before = memory.copy()
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, DirectMLError)
    assert str(caught.value) == text
    assert_bits_equal(actual=memory, expected=before)


@pytest.mark.parametrize(("make", "kind", "text"), REFUSED)
@pytest.mark.parametrize("call", ["fill_constant", "fill_sequence", "write"])
def test_what_cannot_be_written_is_refused_unchanged(make, kind, text, call):
    memory = np.zeros(48, np.uint8)
    out = make(memory)
    calls = {
        "fill_constant": lambda: fill_constant(out, 1),
        "fill_sequence": lambda: fill_sequence(out, 0, 1),
        "write": lambda: Sequence(0, 1, np.float32).write(out),
    }

    assert_refused(calls[call], kind, text, memory)


BAD_VALUES = [
    # dtype, value, exception, text after the field
    ("int8", 300, ScalarError, "INT8 holds -128..127, got 300"),
    ("int8", -129, ScalarError, "INT8 holds -128..127, got -129"),
    ("int64", 2**63, ScalarError,
     "INT64 holds -9223372036854775808..9223372036854775807, got 9223372036854775808"),
    ("float16", 65520, ScalarError,
     "FLOAT16 holds finite numbers up to 65504 in magnitude, got 65520"),
    ("float32", 1e39, ScalarError,
     "FLOAT32 holds finite numbers up to 3.40282e+38 in magnitude, got 1e+39"),
    ("float32", "1", DataTypeError, "needs a number, got '1' (str)"),
    ("float32", None, DataTypeError, "needs a number, got None (NoneType)"),
    ("float64", 1j, DataTypeError, "needs a number, got 1j (complex)"),
    ("float64", [1.0], DataTypeError, "needs a number, got [1.0] (list)"),
    ("uint8", b"abc", ScalarError, "a scalar union has 8 bytes, got b'abc'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("dtype", "value", "kind", "text"),
    [pytest.param(*case, id=f"{case[0]} {case[1]!r}") for case in BAD_VALUES],
)
def test_values_that_do_not_fit_are_refused_and_named(dtype, value, kind, text):
    memory = np.full(4, 9, dtype)

    assert_refused(lambda: fill_constant(memory, value), kind, f"value: {text}", memory)
    assert_refused(lambda: fill_sequence(memory, value, 1), kind, f"start: {text}", memory)
    assert_refused(lambda: fill_sequence(memory, 1, value), kind, f"delta: {text}", memory)


def test_a_negative_value_of_an_unsigned_type_is_refused_but_a_negative_delta_is_taken():
    memory = np.full(4, 9, np.uint8)
    text = "UINT8 holds 0..255, got -1"

    assert_refused(lambda: fill_constant(memory, -1), ScalarError, f"value: {text}", memory)
    assert_refused(lambda: fill_sequence(memory, -1, 1), ScalarError, f"start: {text}", memory)
    text = "delta: UINT8 holds deltas from -255 to 255, got -256"
    assert_refused(lambda: fill_sequence(memory, 1, -256), ScalarError, text, memory)
    text = "delta: UINT8 holds deltas from -255 to 255, got 256"
    assert_refused(lambda: fill_sequence(memory, 1, 256), ScalarError, text, memory)
    assert fill_sequence(memory, 1, -255).tolist() == [1, 2, 3, 4]
    assert fill_sequence(memory, 1, 255).tolist() == [1, 0, 255, 254]


def test_an_array_of_another_data_type_is_refused_by_a_sequence():
    memory = np.full(4, 9, np.float64)

    assert_refused(
        lambda: Sequence(0, 1).write(memory),
        DataTypeError,
        "out: needs an array of float32, got float64",
        memory,
    )


def test_torch_tensors_that_cannot_be_written_are_refused():
    torch = pytest.importorskip("torch")
    tracked = torch.zeros(3, requires_grad=True)
    cases = [
        (
            tracked,
            f"{NO_EXPORT}Can't export tensors that require gradient, use tensor.detach()",
        ),
        (torch.zeros(1).expand(3), OVERLAP + "(0,) and (1,) do"),
        (torch.zeros(3, dtype=torch.complex64), NO_DATA_TYPE + "format 'Zf'"),
    ]
    for out, text in cases:
        with pytest.raises(DirectMLError) as caught:
            fill_constant(out, 1)
        assert str(caught.value) == text
        assert not out.detach().any()
    with pytest.raises(DataTypeError, match=r"^out: needs "):
        fill_constant(torch.zeros(3, dtype=torch.bfloat16), 1)


def test_torch_tensors_without_memory_are_refused():
    torch = pytest.importorskip("torch")
    fake_tensor = pytest.importorskip("torch._subclasses.fake_tensor")
    with fake_tensor.FakeTensorMode():
        fake = torch.zeros(3)
    freed, short = torch.zeros(3), torch.zeros(3)
    freed.untyped_storage().resize_(0)
    short.untyped_storage().resize_(8)
    cases = [
        (torch.zeros(3, device="meta"), "Tensor without storage on device meta"),
        (fake, "FakeTensor without storage on device cpu"),
        (freed, "Tensor without storage on device cpu"),
        (short, "Tensor without storage on device cpu"),
    ]
    needs = "needs a tensor with memory of its own, got a "
    for out, text in cases:
        for place, call in FILLS.items():
            with pytest.raises(DataTypeError) as caught:
                call(out)
            assert str(caught.value) == f"{place}: {needs}{text}"
    with pytest.raises(DataTypeError, match="out: needs a tensor with memory of its own, got a "):
        torch.vmap(lambda x: fill_constant(x, 1))(torch.zeros(2, 3))
    with pytest.raises(DataTypeError, match="out: needs an array that DLPack can export, got Tens"):
        fill_constant(torch.zeros(3).to_sparse(), 1)
    assert fill_constant(torch.zeros(0), 1).numel() == 0


def _dispatched(out):
    device = Device()
    desc = FillValueConstantOperatorDesc(TensorDesc(np.float32, [3]), np.float32, 5)
    device.compile_operator(device.create_operator(desc))(out=[out])


#: Every way to write an array; what is refused is named so.
FILLS = {
    "out": lambda out: fill_constant(out, 5),
    "FILL_VALUE_CONSTANT.out[0]": _dispatched,
}


def test_autograd_is_told_what_is_written():
    """Otherwise gradients would be computed from what was not there."""
    torch = pytest.importorskip("torch")
    calls = [*FILLS.values(), lambda out: fill_sequence(out, 0, 1), Sequence(0, 1).write]
    for call in calls:
        for view in (torch.Tensor.detach, lambda x: x.view(3), lambda x: x):
            x, weight = torch.zeros(3), torch.ones(3, requires_grad=True)
            total = (x * weight).sum()
            call(view(x))
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                total.backward()
    with torch.inference_mode():
        assert fill_constant(torch.zeros(2), 1).tolist() == [1, 1]


@pytest.mark.parametrize("flags", [ExecutionFlags.NONE, ExecutionFlags.DESCRIPTORS_VOLATILE])
def test_autograd_notices_what_a_binding_table_writes(flags):
    torch = pytest.importorskip("torch")
    x = torch.ones(3)
    weight = torch.ones(3, requires_grad=True)
    tensor = TensorDesc(np.float32, [3])
    device = Device()
    identity = device.compile_operator(
        device.create_operator(ElementWiseIdentityOperatorDesc(tensor, tensor)), flags
    )
    initializer = device.create_operator_initializer([identity])
    table = device.create_binding_table(identity)
    table.bind_inputs([BufferBinding(np.full(3, 7, np.float32))])
    table.bind_outputs([BufferBinding(x)])
    recorder, commands = device.create_command_recorder(), CommandList(device)
    recorder.record_dispatch(commands, initializer, device.create_binding_table(initializer))
    recorder.record_dispatch(commands, identity, table)
    commands.close()
    product = (weight * x).sum()  # saves x for the gradient

    CommandQueue(device).execute(commands)

    assert x.tolist() == [7, 7, 7]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_what_is_only_read_is_not_counted_as_written():
    torch = pytest.importorskip("torch")
    x = torch.ones(3)
    tensor = TensorDesc(np.float32, [3])
    device = Device()
    identity = device.compile_operator(
        device.create_operator(ElementWiseIdentityOperatorDesc(tensor, tensor))
    )

    assert identity([x])[0].tolist() == [1, 1, 1]
    assert x._version == 0  # noqa: SLF001 (PyTorch's documented name of it)


def test_pinned_memory_is_memory_of_the_host():
    """PyTorch pins memory for GPUs alone, so its DLPack device is claimed here."""
    for device in ((3, 0), (11, 0)):
        memory = np.zeros(4, np.float32)
        fill_sequence(DLPackOnly(memory, device), 1, 1)
        assert memory.tolist() == [1, 2, 3, 4]


def test_tensors_of_older_pytorch_are_filled():
    """Their DLPack has no versions, so that NumPy takes all memory for read-only."""
    torch = pytest.importorskip("torch")

    class Older(torch.Tensor):
        def __dlpack__(self, *, stream=None):
            return super().__dlpack__(stream=stream)

    for call in (*FILLS.values(), Sequence(5, 0).write):
        memory = torch.zeros(6)
        out = memory[::2].as_subclass(Older)
        call(out)
        assert memory.tolist() == [5, 0] * 3


def test_others_without_versions_are_taken_for_read_only():
    """JAX's arrays are, and their DLPack once could not say so."""

    class Older(DLPackOnly):
        def __dlpack__(self, *, stream=None):
            return self.memory.__dlpack__(stream=stream)

    memory = np.zeros(3, np.int16)
    assert_refused(lambda: fill_constant(Older(memory), 7), LayoutError, READ_ONLY, memory)


def test_a_torch_view_that_reads_as_its_negative_is_refused_or_filled_right():
    torch = pytest.importorskip("torch")
    out = torch.zeros(3, dtype=torch.complex64).conj().imag
    assert out.is_neg()
    try:
        fill_constant(out, 1)
    except DirectMLError:
        assert not out.any()
    else:
        assert out.tolist() == [1, 1, 1]
