"""Files that are written: complete and on the disk, or not there at all; links, modes, streams."""

import errno
import os
import signal
import stat
import subprocess
import sys

import numpy as np
import pytest

import indirectml as dml
from indirectml import TensorDataType
from indirectml.cli import main
from indirectml.core.errors import FileFormatError
from indirectml.fills import array_files
from indirectml.fills.array_files import npy_header, open_npy, replaced_file
from tests.fills.filling import slow_fill

FILL = ["fill", "sequence", "--data-type", "FLOAT32", "--start", "0", "--delta", "0.1"]


def written(path, count="10"):
    return main([*FILL, "--count", count, "-o", str(path)])


@pytest.fixture(params=["a file without a name", "a temporary name"])
def way(request, monkeypatch):
    """Write files as the system does best, and as those do that name every file."""
    if request.param == "a temporary name":
        monkeypatch.setattr(array_files, "_file_without_name", lambda _: None)


@pytest.mark.usefixtures("way")
def test_file_and_folder_are_on_the_disk_before_success(tmp_path, monkeypatch):
    synced, fsync = [], os.fsync

    def recorded(descriptor):
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        synced.append((kind, [p.name for p in tmp_path.glob("*.bin")]))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", recorded)

    assert written(tmp_path / "a.bin") == 0
    # The file before it has its name, the folder after that.
    assert synced == [("file", []), ("folder", ["a.bin"])]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("command", ["fill", "run"])
def test_a_disk_that_says_late_that_it_is_full_is_believed(command, tmp_path, capsys, monkeypatch):
    (tmp_path / "a.bin").write_bytes(b"former")
    model = tmp_path / "model.json"
    model.write_text(
        '{"resources": {"a": {"initialValuesDataType": "INT8", "initialValues": [1]}}, '
        '"dispatchables": {}, "commands": '
        '[{"type": "writeFile", "resource": "a", "targetPath": "a.bin"}]}',
        encoding="utf-8",
    )

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    run = ["run", str(model), "--output_path", str(tmp_path)]

    assert (written(tmp_path / "a.bin") if command == "fill" else main(run)) == 3

    last = capsys.readouterr().err.splitlines()[-1]
    assert last == f"indirectml: {tmp_path / 'a.bin'}: No space left on device"
    assert (tmp_path / "a.bin").read_bytes() == b"former"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.bin", "model.json"]


def test_a_folder_that_cannot_be_synced_is_no_failure_where_that_is_usual(tmp_path, monkeypatch):
    fsync = os.fsync

    def unsupported(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", unsupported)

    assert written(tmp_path / "a.bin") == 0


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_replaced_file_keeps_its_mode(mode, tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"former")
    path.chmod(mode)

    assert written(path) == 0

    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.stat().st_size == 40


@pytest.mark.usefixtures("way")
def test_a_link_is_followed_to_what_it_points_to(tmp_path):
    (tmp_path / "far").mkdir()
    link, dangling = tmp_path / "link.bin", tmp_path / "dangling.bin"
    (tmp_path / "far/target.bin").write_bytes(b"former")
    link.symlink_to(tmp_path / "far/target.bin")
    dangling.symlink_to(tmp_path / "far/new.bin")

    assert written(link) == written(dangling) == 0

    assert link.is_symlink()
    assert dangling.is_symlink()
    assert (tmp_path / "far/target.bin").stat().st_size == 40
    assert (tmp_path / "far/new.bin").stat().st_size == 40
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.usefixtures("way")
def test_names_may_be_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("n" * 251 + ".npy")

    assert written(path) == 0
    assert np.load(path).shape == (10,)


@pytest.mark.usefixtures("way")
def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path):
    path = tmp_path / "no folder" / "a.bin"

    with pytest.raises(FileNotFoundError) as caught, replaced_file(path):
        pass

    assert caught.value.filename == str(path)


@pytest.mark.parametrize("name", ["SIGHUP", "SIGQUIT"])
@pytest.mark.parametrize("has_name", [False, True])
def test_a_closed_terminal_leaves_nothing_behind(has_name, name, tmp_path):
    process = slow_fill(tmp_path / "out.npy", FILL, has_name=has_name)

    process.send_signal(getattr(signal, name))
    _, errors = process.communicate(timeout=60)

    assert (process.returncode, errors) == (130, b"indirectml: interrupted\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="this system gives every file a name")
def test_the_end_of_the_process_leaves_nothing_behind(tmp_path):
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_RDWR))
    except OSError:
        pytest.skip("this file system gives every file a name")
    (tmp_path / "out.npy").write_bytes(b"former")
    process = slow_fill(tmp_path / "out.npy", FILL)

    process.kill()
    process.communicate(timeout=60)

    assert [p.name for p in tmp_path.iterdir()] == ["out.npy"]
    assert (tmp_path / "out.npy").read_bytes() == b"former"


# ---- .npy ----


@pytest.mark.parametrize("data_type", [TensorDataType.FLOAT16, TensorDataType.UINT64])
def test_every_header_that_is_written_can_be_read_by_numpy(data_type, tmp_path):
    path = tmp_path / "a.npy"
    most = 2**63 - 1
    for sizes in [(1,) * 64, (0, most // data_type.item_bytes), (2, 0), (most // 16, 0), ()]:
        path.write_bytes(npy_header(data_type, sizes) + bytes(8))
        assert np.load(path).shape == sizes
        assert open_npy(path).sizes == sizes


UNREADABLE = [(1,) * 65, (2**63,), (2**62, 4), (2**62, 0, 4), (2**40, 2**40)]


@pytest.mark.parametrize("sizes", UNREADABLE, ids=str)
def test_what_numpy_could_not_read_is_refused(sizes, tmp_path, capsys):
    with pytest.raises(FileFormatError, match=r"a .npy file"):
        npy_header(TensorDataType.INT8, sizes)

    text = ",".join(map(str, sizes))
    assert main([*FILL, "--sizes", text, "-o", str(tmp_path / "a.npy")]) == 1
    assert "a .npy file" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0), (4, 0), (1, 1), (0, 0), (255, 255)])
def test_versions_are_those_that_numpy_knows(version, tmp_path):
    path = tmp_path / "a.npy"
    with path.open("wb") as file:
        np.lib.format.write_array(file, np.arange(3.0), (2, 0))
    raw = bytearray(path.read_bytes())
    raw[6:8] = version
    if version[0] == 1:
        del raw[10:12]
    path.write_bytes(raw)

    if version in {(1, 0), (2, 0), (3, 0)}:
        assert np.load(path).tolist() == [0, 1, 2]
        assert open_npy(path).sizes == (3,)
    else:
        with pytest.raises(ValueError, match="version"):
            np.load(path)
        with pytest.raises(FileFormatError, match=r"needs a .npy file of version 1.0, 2.0 or 3.0"):
            open_npy(path)


def test_archives_are_refused_by_name(tmp_path, capsys):
    path = tmp_path / "a.npz"
    np.savez(path, a=np.zeros(3))

    assert main(["diff", str(path), "--expect", "constant", "--value", "0"]) == 4
    assert written(path) == 1
    assert capsys.readouterr().err.count("needs a .npy or raw file, got a .npz archive") == 2


# ---- options that contradict a file ----


def saved(path, array):
    np.save(path, array)
    return str(path)


NEEDS = "needs the {} that the file A says, {}, got {}"
NO_MEANING = "has no meaning without --expect: B says what A should hold"
CONTRADICTIONS = [
    ("--data-type", "FLOAT16", NEEDS.format("data type", "FLOAT32", "FLOAT16")),
    ("--sizes", "3,2", NEEDS.format("sizes", "[2, 3]", "[3, 2]")),
    ("--count", "6", NEEDS.format("sizes", "[2, 3]", "[6]")),
    ("--start", "1", NO_MEANING),
    ("--rule", "multiply", NO_MEANING),
    ("--like", "directml", NO_MEANING),
]


@pytest.mark.parametrize(("option", "value", "message"), CONTRADICTIONS)
def test_options_that_contradict_are_not_ignored(option, value, message, tmp_path, capsys):
    path = saved(tmp_path / "a.npy", np.zeros((2, 3), np.float32))

    assert main(["diff", path, path, option, value]) == 2
    assert capsys.readouterr().err == f"indirectml: {option}: {message}\n"
    assert main(["diff", path, path, "--data-type", "FLOAT32", "--sizes", "2,3"]) == 0


def test_a_misspelled_file_is_answered_with_the_nearest(tmp_path, capsys):
    path = saved(tmp_path / "weights.npy", np.zeros(3))

    assert main(["diff", str(tmp_path / "Weigths.npy"), path]) == 3
    assert "; did you mean 'weights.npy'" in capsys.readouterr().err


# ---- standard input and output ----


def ran(arguments, **keywords):
    command = [sys.executable, "-m", "indirectml", *arguments]
    return subprocess.run(command, capture_output=True, check=False, **keywords)


def test_a_fill_is_written_to_standard_output_and_compared_from_standard_input(tmp_path):
    filled = ran([*FILL, "--count", "10**6", "-o", "-"])

    assert filled.stdout == dml.sequence([10**6], 0, 0.1).tobytes()
    expect = ["--data-type", "FLOAT32", "--expect", *FILL[1:2], *FILL[4:]]
    compared = ran(["diff", "-", *expect], input=filled.stdout)
    assert (compared.returncode, compared.stdout) == (
        0,
        b"equal: 1000000 elements of FLOAT32 [1000000]\n",
    )
    path = saved(tmp_path / "a.npy", np.arange(3))
    assert ran(["diff", path, "-"], input=(tmp_path / "a.npy").read_bytes()).returncode == 0
    assert b"from standard input, got both" in ran(["diff", "-", "-"], input=b"").stderr


def test_windows_of_a_stream_continue_each_other(monkeypatch):
    monkeypatch.setattr("indirectml.fills.file_fills._STREAM_ELEMENTS", 1000)
    stream, done = array_files.io.BytesIO(), []

    file_fills = sys.modules["indirectml.fills.file_fills"]
    file_fills.fill_stream(stream, dml.Sequence(0, 0.1), 2500, progress=lambda *p: done.append(p))

    assert stream.getvalue() == dml.Sequence(0, 0.1)[0:2500].tobytes()
    assert done == [(4000, 10_000), (8000, 10_000), (10_000, 10_000)]
