"""Fills into files, comparisons of files, and what is left behind when something goes wrong."""

import io
import json
import resource
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import indirectml as dml
from indirectml import TensorDataType
from indirectml.cli import main
from indirectml.cli.common import Progress
from indirectml.core.data_types import FILL_DATA_TYPES
from indirectml.fills.array_files import npy_header, open_npy, open_raw
from indirectml.fills.comparing import Tolerance, compare
from indirectml.fills.file_fills import fill_file
from tests.fills.filling import slow_fill

FILL = ["fill", "sequence", "--data-type", "FLOAT32", "--start", "0", "--delta", "0.1"]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# ---- fill ----


@pytest.mark.parametrize("data_type", FILL_DATA_TYPES)
@pytest.mark.parametrize("sizes", [(), (5,), (2, 3), (0, 4)])
def test_npy_headers_are_numpys(data_type, sizes, tmp_path):
    path = tmp_path / "expected.npy"
    np.save(path, np.zeros(sizes, data_type.dtype))

    header = npy_header(data_type, sizes)

    assert header == path.read_bytes()[: len(header)]
    assert len(header) % 64 == 0


FILLS = [
    pytest.param(["sequence", "--start", "10", "--delta", "-2", "--data-type", "uint8"],
                 np.array([10, 8, 6, 4, 2, 0], np.uint8), id="UINT8 down"),
    pytest.param(["constant", "--value", "-0.0", "--data-type", "FLOAT16"],
                 np.full(6, -0.0, np.float16), id="negative zero"),
    pytest.param(["constant", "--value", "nan", "--data-type", "FLOAT32"],
                 np.full(6, np.nan, np.float32), id="NaN"),
    pytest.param(["constant", "--value", "-nan", "--data-type", "FLOAT16"],
                 np.full(6, 0xFE00, np.uint16).view(np.float16), id="negative NaN"),
    pytest.param(["sequence", "--start", "-inf", "--delta", "-1e3", "--data-type", "FLOAT64"],
                 np.full(6, -np.inf), id="infinity"),
    pytest.param(["sequence", "--start", "0x1p-3", "--delta", "0", "--data-type", "FLOAT32"],
                 np.full(6, 0.125, np.float32), id="hexadecimal"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "expected"), FILLS)
@pytest.mark.parametrize("suffix", [".npy", ".bin"])
def test_fills_files(arguments, expected, suffix, tmp_path, capsys):
    path = tmp_path / f"out{suffix}"

    assert main(["fill", *arguments, "--sizes", "2,3", "-o", str(path)]) == 0

    if suffix == ".npy":
        written = np.load(path)
        assert (written.dtype, written.shape) == (expected.dtype, (2, 3))
    else:
        written = np.fromfile(path, expected.dtype)
    assert written.tobytes() == expected.tobytes()
    assert capsys.readouterr() == ("", "")
    assert names(tmp_path) == [path.name]


def test_fills_in_windows_continue_each_other(tmp_path, monkeypatch):
    monkeypatch.setattr("indirectml.fills.file_fills._WINDOW_BYTES", 1 << 12)
    done = []

    fill_file(
        tmp_path / "a.npy", dml.Sequence(0, 0.1), [10_000], progress=lambda *p: done.append(p)
    )

    assert np.load(tmp_path / "a.npy").tobytes() == dml.Sequence(0, 0.1)[0:10_000].tobytes()
    assert [total for _, total in done] == [40_128] * 10
    assert done[-1] == (40_128, 40_128)


def test_a_fill_needs_no_memory_in_proportion(tmp_path):
    path = tmp_path / "big.bin"
    # Not ru_maxrss, which begins with what the parent had when it forked.
    if not Path("/proc/self/status").exists():
        pytest.skip("reads the peak of memory from /proc")
    code = (
        "import sys, pathlib; from indirectml.cli import main; main(sys.argv[1:]); "
        "print(pathlib.Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    arguments = [*FILL, "--count", "10**8", "-o", str(path)]

    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )

    assert path.stat().st_size == 4 * 10**8
    # NumPy and one window, in KiB.
    assert int(done.stdout) < 200 << 10


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing_behind(number, tmp_path):
    (tmp_path / "out.npy").write_bytes(b"former")
    process = slow_fill(tmp_path / "out.npy", FILL)

    process.send_signal(number)
    _, errors = process.communicate(timeout=60)

    assert process.returncode == 130
    assert errors == b"indirectml: interrupted\n"
    assert names(tmp_path) == ["out.npy"]
    assert (tmp_path / "out.npy").read_bytes() == b"former"


def test_free_space_is_checked_first(tmp_path, capsys):
    path = tmp_path / "out.npy"

    assert main([*FILL, "--count", "10**17", "-o", str(path)]) == 3

    assert capsys.readouterr().err.startswith(
        f"indirectml: {path}: needs 400000000000000128 bytes of free space, got "
    )
    assert names(tmp_path) == []


def test_a_disk_that_fills_up_is_an_error_and_no_crash(tmp_path):
    """A limit on the size of files acts like a disk that is full."""
    code = "import sys; from indirectml.cli import main; sys.exit(main(sys.argv[1:]))"

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    done = subprocess.run(
        [sys.executable, "-c", code, *FILL, "--count", "10**7", "-o", str(tmp_path / "out.npy")],
        preexec_fn=limited, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (
        3,
        f"indirectml: {tmp_path / 'out.npy'}: File too large\n",
    )
    assert names(tmp_path) == []


BAD_FILLS = [
    pytest.param(["constant", "--start", "1"], 2, "--value: is required for a constant",
                 id="no value"),
    pytest.param(["sequence", "--start", "1", "--delta", "1", "--value", "1"], 2,
                 "--value: has no meaning for a sequence", id="value of a sequence"),
    pytest.param(["constant", "--value", "1x"], 2, "--value: needs a number, got '1x'",
                 id="no number"),
    pytest.param(["constant", "--value", "1e999"], 2, "--value: needs a number, got '1e999'",
                 id="beyond doubles"),
    pytest.param(["constant", "--value", "9" * 5000], 2, "--value: needs a number, got ",
                 id="5000 digits"),
    pytest.param(["constant", "--value", "300", "--data-type", "INT8"], 2,
                 "--value: INT8 holds -128..127, got 300", id="out of range"),
    pytest.param(["sequence", "--start", "1", "--delta", "0.5", "--data-type", "INT8"], 2,
                 "--delta: INT8 holds integers, -128..127, got 0.5", id="fraction"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "message"), BAD_FILLS)
def test_wrong_numbers_are_usage_errors(arguments, code, message, tmp_path, capsys):
    assert main(["fill", *arguments, "--count", "3", "-o", str(tmp_path / "x.npy")]) == code

    assert capsys.readouterr().err.startswith(f"indirectml: {message}")
    assert names(tmp_path) == []


def test_devices_and_folders_are_not_replaced(tmp_path, capsys):
    assert main([*FILL, "--count", "3", "-o", "/dev/null"]) == 3
    assert main([*FILL, "--count", "3", "-o", str(tmp_path)]) == 3

    assert capsys.readouterr().err.splitlines() == [
        "indirectml: /dev/null: Not a regular file",
        f"indirectml: {tmp_path}: Is a directory",
    ]


# ---- diff ----


def saved(path, array):
    np.save(path, array)
    return str(path)


def test_equal_files_are_equal(tmp_path, capsys):
    path = saved(tmp_path / "a.npy", np.array([[1, np.nan], [-0.0, 2]], np.float32))

    assert main(["diff", path, path]) == 0

    assert capsys.readouterr().out == "equal: 4 elements of FLOAT32 [2, 2]\n"


def test_differences_are_told_with_place_bits_and_distance(tmp_path, capsys):
    a = saved(tmp_path / "a.npy", np.array([[1, 2], [3, 4]], np.float16))
    b = saved(tmp_path / "b.npy", np.array([[1, 2], [3.002, 4.02]], np.float16))

    assert main(["diff", a, b]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "different: 4 elements of FLOAT16 [2, 2]",
        "different bits      2 elements, 50 %",
        "first difference    at [1, 0], element 2: 1 ULP apart, 0.00195312",
        "                  A 3.0 (0x4200)",
        "                  B 3.002 (0x4201)",
        "largest difference  at [1, 1], element 3: 5 ULP apart, 0.0195312",
        "                  A 4.0 (0x4400)",
        "                  B 4.02 (0x4405)",
    ]
    assert main(["diff", a, b, "--max-ulp", "4"]) == 1
    # What is refused comes first, not what is merely different.
    assert capsys.readouterr().out.splitlines()[:4] == [
        "refused: 4 elements of FLOAT16 [2, 2]",
        "different bits      2 elements, 50 %",
        "beyond 4 ULP        1 elements",
        "first difference    at [1, 1], element 3: 5 ULP apart, 0.0195312",
    ]
    assert main(["diff", a, b, "--max-ulp", "5"]) == 0
    assert "accepted" in capsys.readouterr().out


def test_what_a_device_wrote_is_compared_with_a_fill(tmp_path, capsys):
    path = tmp_path / "ramp.bin"
    dml.sequence([7, 11], 0, 0.1).tofile(path)
    arguments = ["diff", str(path), "--data-type", "FLOAT32", "--sizes", "7,11", "--expect",
                 "sequence", "--start", "0", "--delta", "0.1"]  # fmt: skip

    assert main(arguments) == 0
    assert main([*arguments, "--rule", "multiply", "--json"]) == 1

    shown = capsys.readouterr().out
    found = json.loads(shown[shown.index("{") :])
    assert found["first"] == {
        "index": 7, "coordinate": [0, 7], "actual_bits": "0x3F333334",
        "expected_bits": "0x3F333333", "ulp": 1, "distance": 2.0**-24,
    }  # fmt: skip
    assert found["beyond"] == found["different"]
    assert (found["max_ulp"], found["rtol"], found["atol"]) == (None, None, None)
    assert main([*arguments, "--rule", "multiply", "--max-ulp", "40"]) == 0


def brute_force_ulp(a, b):
    """Return the distance by counting steps from one to the other."""
    steps = 0
    with np.errstate(over="ignore"):
        while a != b:
            a = np.nextafter(a, b)
            steps += 1
    return steps


DISTANCES = [(1, 1.01), (-0.01, 0.01), (0.0, -0.0), (65504, np.inf), (6e-8, -6e-8), (-3, -2)]


@pytest.mark.parametrize(("a", "b"), DISTANCES)
def test_distances_are_steps_between_values(a, b, tmp_path):
    a, b = np.float16(a), np.float16(b)
    first = saved(tmp_path / "a.npy", np.array([a]))
    second = saved(tmp_path / "b.npy", np.array([b]))

    found = compare(open_npy(Path(first)), open_npy(Path(second)))

    assert found.largest.ulp == brute_force_ulp(a, b)


def test_integers_of_64_bits_have_exact_distances(tmp_path):
    a = saved(tmp_path / "a.npy", np.array([-(2**63), 0], np.int64))
    b = saved(tmp_path / "b.npy", np.array([2**63 - 1, 1], np.int64))

    found = compare(open_npy(Path(a)), open_npy(Path(b)))

    assert (found.first.ulp, found.largest.ulp, found.different_count) == (2**64 - 1, 2**64 - 1, 2)


def test_nan_against_a_number_is_never_near_enough(tmp_path, capsys):
    a = saved(tmp_path / "a.npy", np.array([1, np.nan], np.float32))
    b = saved(tmp_path / "b.npy", np.array([2, 5], np.float32))
    payload = np.array([0x7FC00001, 0x40000000], np.uint32).view(np.float32)

    assert main(["diff", a, b, "--max-ulp", "10**30"]) == 1
    assert "element 1: NaN and a number" in capsys.readouterr().out
    c = saved(tmp_path / "c.npy", payload)
    d = saved(tmp_path / "d.npy", np.array([np.nan, 2], np.float32))
    assert main(["diff", c, d]) == 1
    assert main(["diff", c, d, "--max-ulp", "0"]) == 0


def test_differences_at_the_ends_of_pieces_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr("indirectml.fills.comparing.PIECE_ELEMENTS", 100)
    array = np.arange(1000, dtype=np.int32)
    for index in (99, 100, 999):
        array[index] += index
    path = saved(tmp_path / "a.npy", array.reshape(10, 100))

    found = compare(open_npy(Path(path)), dml.Sequence(0, 1, np.int32))

    assert (found.first.index, found.first.coordinate) == (99, (0, 99))
    assert (found.largest.index, found.largest.ulp) == (999, 999)
    assert found.different_count == 3


def test_column_major_files_are_read_in_row_major_order(tmp_path):
    path = saved(tmp_path / "a.npy", np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)))

    assert main(["diff", path, "--expect", "sequence", "--start", "0", "--delta", "1"]) == 0


SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 65504.0, 6e-8, 1.001, 0.999]


def is_near(a, b, rtol, atol):
    """Return |a - b| <= atol + rtol * |b|, in exact numbers."""
    if not (np.isfinite(a) and np.isfinite(b)):
        return a == b or (np.isnan(a) and np.isnan(b))
    a, b, rtol, atol = (Fraction(float(x)) for x in (a, b, rtol, atol))
    return abs(a - b) <= atol + rtol * abs(b)


@pytest.mark.parametrize(("rtol", "atol"), [(0, 0), (1e-3, 0), (0, 2e-3), (0.25, 0.5), (1e9, 1)])
@pytest.mark.parametrize("types", [("f4", "f4"), ("f2", "f4"), ("f8", "f2"), ("i4", "i4")])
def test_tolerances_are_of_the_numbers_as_they_are(types, rtol, atol, tmp_path):
    values = SPECIAL if types[0] != "i4" else [-(2**31), 2**31 - 1, 0, 1, 7, 8]
    with np.errstate(over="ignore"):
        mine, other = (np.array(values, t) for t in types)
    mine, other = np.repeat(mine, len(values)), np.tile(other, len(values))
    files = [open_npy(Path(saved(tmp_path / f"{k}.npy", v))) for k, v in enumerate((mine, other))]

    found = compare(*files, tolerance=Tolerance(rtol=rtol, atol=atol))

    near = [is_near(a, b, rtol, atol) for a, b in zip(mine, other, strict=True)]
    assert found.beyond_count == near.count(False)
    if found.beyond_count:
        assert found.first.index == near.index(False)
    assert found.data_type.dtype == max((mine.dtype, other.dtype), key=lambda d: d.itemsize)


def test_floats_of_two_types_are_compared_in_the_narrower_one(tmp_path, capsys):
    exact = np.array([0.1, 1e6, np.nan, 3 + 2**-10], np.float32)  # 3 + half an ulp of FLOAT16
    with np.errstate(over="ignore"):
        half = exact.astype(np.float16)
    a, b = saved(tmp_path / "a.npy", half), saved(tmp_path / "b.npy", exact)

    for pair in ((a, b), (b, a)):
        assert main(["diff", *pair]) == 0
        assert "equal: 4 elements of FLOAT16 [4], A of FLOAT" in capsys.readouterr().out
    assert main(["diff", a, b, "--rtol", "1e-4"]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "refused: 4 elements of FLOAT32 [4], A of FLOAT16, B of FLOAT32"
    assert shown[2] == "beyond 0.0001 * |B| 3 elements"
    assert main(["diff", a, b, "--rtol", "1", "--max-ulp", "1"]) == 2
    assert capsys.readouterr().err == "indirectml: --max-ulp: goes without --rtol and --atol\n"


def test_what_cannot_be_compared_is_told_from_what_differs(tmp_path, capsys):
    a = saved(tmp_path / "a.npy", np.zeros(2, np.float32))
    b = saved(tmp_path / "b.npy", np.zeros(2, np.int32))
    c = saved(tmp_path / "c.npy", np.zeros((2, 1), np.float32))

    assert main(["diff", a, b]) == 4
    assert main(["diff", a, c]) == 4
    assert main(["diff", a, b, "--json", "--rtol", "0.1"]) == 4

    assert capsys.readouterr().out.splitlines()[:3] == [
        "not comparable: A is FLOAT32, B is INT32",
        "not comparable: A has sizes [2], B has sizes [2, 1]",
        "{",
    ]


def hostile_npy(header, tail=b"\0" * 64, version=b"\1\0"):
    text = header.encode("latin1")
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + tail


HOSTILE = [
    pytest.param(b"", "needs a .npy file", id="empty"),
    pytest.param(b"\x93NUMPY\1\0\xff\xff{", "needs a .npy file", id="cut header"),
    pytest.param(hostile_npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n"),
                 "needs one of the data types", id="pickled objects"),
    pytest.param(hostile_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (10**12,), }\n"),
                 "needs a .npy file", id="arithmetic"),
    pytest.param(hostile_npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                             "(1000000000000,), }\n"), "needs 4000000000000 bytes", id="too short"),
    pytest.param(hostile_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n"),
                 "needs sizes from 0 up", id="negative size"),
    pytest.param(hostile_npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }\n"),
                 "needs one of the data types", id="other byte order"),
    pytest.param(hostile_npy("__import__('os').abort()\n"), "needs a .npy file", id="code"),
    pytest.param(hostile_npy("(" * 9000), "needs a .npy file", id="nested"),
    pytest.param(hostile_npy("{" + " " * 20000 + "}"), "needs a .npy file", id="long header"),
    pytest.param(hostile_npy("{}", version=b"\7\7"), "needs a .npy file", id="version 7.7"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "message"), HOSTILE)
def test_hostile_npy_files_end_with_a_sentence(raw, message, tmp_path, capsys):
    path = tmp_path / "a.npy"
    path.write_bytes(raw)

    assert main(["diff", str(path), "--expect", "constant", "--value", "0"]) == 4

    assert capsys.readouterr().err.startswith(f"indirectml: {path}: {message}")


def test_raw_files_of_a_wrong_size_are_refused(tmp_path, capsys):
    path = tmp_path / "a.bin"
    path.write_bytes(b"\0" * 7)
    expect = ["--expect", "constant", "--value", "0", "--data-type", "FLOAT32"]

    assert main(["diff", str(path), *expect]) == 4
    assert main(["diff", str(path), *expect, "--count", "2"]) == 4
    assert main(["diff", str(path), "--expect", "constant", "--value", "0"]) == 2
    assert main(["diff", str(path)]) == 2
    assert main(["diff", "/dev/zero", *expect]) == 4

    assert capsys.readouterr().err.splitlines() == [
        f"indirectml: {path}: needs a multiple of 4 bytes for elements of FLOAT32, got 7",
        f"indirectml: {path}: needs 8 bytes for [2] of FLOAT32, got 7",
        "indirectml: --data-type: is required for a raw file",
        "indirectml: diff: needs either a file B or --expect",
        "indirectml: /dev/zero: needs a regular file, got a device or a pipe",
    ]


def test_a_file_that_shrinks_while_it_is_read_is_an_error(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"\0" * 64)
    file = open_raw(path, TensorDataType.FLOAT32)
    path.write_bytes(b"\0" * 60)

    with pytest.raises(dml.FileFormatError, match="needs 4 more bytes, got its end"):
        list(file.pieces(1000))


# ---- progress ----


class Terminal(io.StringIO):
    """Text that says it is a terminal."""

    def isatty(self):
        return True


def test_progress_is_one_line_that_goes_away(monkeypatch):
    seconds = iter([0, 0, 1, 1.01, 2, 3])
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    terminal = Terminal()
    progress = Progress(terminal)

    for done in (0, 1 << 29, 5 << 28, 3 << 29):
        progress(done, 1 << 31)
    progress.clear()

    # The second and third call come too soon after the one before.
    assert terminal.getvalue() == (
        "\r\033[K 25 %  512.0 MiB of 2.0 GiB  512.0 MiB/s  3 s left"
        "\r\033[K 75 %  1.5 GiB of 2.0 GiB  768.0 MiB/s  1 s left\r\033[K"
    )
