"""Arrays in files: .npy and raw bytes, read in pieces and written completely or not at all."""

from __future__ import annotations

import errno
import io
import math
import os
import secrets
import stat
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.lib import format as npy_format

from indirectml.core.data_types import TensorDataType, as_data_type
from indirectml.core.errors import DataTypeError, DirectMLError, FileFormatError

#: Of .npy files, with a header that is read alike: for long ones, and for names of fields.
_LATER_VERSIONS = ((2, 0), (3, 0))

#: What arrays of NumPy have at most: dimensions, and bytes without counting extents of zero.
_MAX_DIMENSIONS = 64
_MAX_BYTES = 2**63 - 1

#: What NumPy raises for a header that is damaged or made to do harm.
_BAD_HEADER = (
    ValueError,
    TypeError,
    OverflowError,
    SyntaxError,
    EOFError,
    RecursionError,
    MemoryError,  # Python's parser says so of deep nesting
    TokenError,
)


@dataclass(frozen=True)
class ArrayFile:
    """An array in a file: what it is and where its bytes are.

    Attributes
    ----------
    path : Path
        The file.
    data_type : TensorDataType
        Of its elements, in this machine's byte order.
    sizes : tuple of int
        Any number of dimensions.
    offset_bytes : int
        Where the first element is in the file.
    is_row_major : bool
        False for the column-major order that .npy files may have too.
    """

    path: Path
    data_type: TensorDataType
    sizes: tuple[int, ...]
    offset_bytes: int
    is_row_major: bool = True

    @property
    def element_count(self) -> int:
        """The product of the sizes."""
        return math.prod(self.sizes)

    def pieces(self, piece_elements: int) -> Iterator[np.ndarray[Any, Any]]:
        """Yield the elements in row-major order, in pieces that use one memory after the other.

        Raises
        ------
        FileFormatError
            The file has become shorter since it was opened.
        """
        yield from (
            self._row_major(piece_elements) if self.is_row_major else self._strided(piece_elements)
        )

    def _row_major(self, piece_elements: int) -> Iterator[np.ndarray[Any, Any]]:
        count = self.element_count
        buffer = np.empty(min(count, piece_elements), self.data_type.dtype)
        with self.path.open("rb", buffering=0) as file:
            file.seek(self.offset_bytes)
            for first in range(0, count, piece_elements):
                piece = buffer[: count - first]
                read_exactly(file, piece, self.path)
                yield piece

    def _strided(self, piece_elements: int) -> Iterator[np.ndarray[Any, Any]]:
        mapped = np.load(self.path, mmap_mode="r", allow_pickle=False)
        for first in range(0, self.element_count, piece_elements):
            yield mapped.flat[first : first + piece_elements]


def read_exactly(file: Any, out: np.ndarray[Any, Any], path: Path) -> None:
    """Fill a contiguous array with the next bytes of a file.

    Raises
    ------
    FileFormatError
        The file ends before.
    """
    rest = out.reshape(-1).view(np.uint8).data
    while rest:
        count = file.readinto(rest)
        if not count:
            raise FileFormatError(f"needs {len(rest)} more bytes", given="its end", field=f"{path}")
        rest = rest[count:]


def write_all(file: Any, data: Any) -> None:
    """Write all bytes of a contiguous buffer to a file, which may take a part at a time."""
    rest = memoryview(data).cast("B")
    while rest:
        rest = rest[file.write(rest) :]


def open_npy(path: Path) -> ArrayFile:
    """Return the array in a .npy file, of which only the header is read.

    Raises
    ------
    FileFormatError
        It is no such file, has fewer elements than it says, or their data type is none of fills.
    """
    try:
        return _opened_npy(path)
    except DirectMLError as error:
        raise error.within(str(path)) from None


def _opened_npy(path: Path) -> ArrayFile:
    size = _regular_file_size(path)
    header: Any = None
    try:
        with path.open("rb") as file, warnings.catch_warnings():
            # NumPy warns of headers that Python 2 has written; they are read all the same.
            warnings.simplefilter("ignore")
            version = npy_format.read_magic(file)
            if version == (1, 0):
                header = npy_format.read_array_header_1_0(file)
            elif version in _LATER_VERSIONS:
                header = npy_format.read_array_header_2_0(file)
            offset = file.tell()
    except _BAD_HEADER as error:
        reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise FileFormatError("needs a .npy file", given=f"a header with: {reason}") from None
    if header is None:
        needs = "needs a .npy file of version 1.0, 2.0 or 3.0"
        raise FileFormatError(needs, given=f"{version[0]}.{version[1]}")
    sizes, is_column_major, dtype = header
    try:
        data_type = as_data_type(dtype)
    except DataTypeError as error:
        raise FileFormatError(error.required, given=error.given, hint=error.hint) from None
    if any(not isinstance(extent, int) or extent < 0 for extent in sizes):
        raise FileFormatError("needs sizes from 0 up", given=f"{sizes}"[:120])
    _check_size(size - offset, data_type, sizes)
    is_row_major = not is_column_major or len(sizes) < 2  # noqa: PLR2004 (no order in 1 dimension)
    return ArrayFile(path, data_type, tuple(sizes), offset, is_row_major)


def open_raw(
    path: Path, data_type: TensorDataType, sizes: Sequence[int] | None = None
) -> ArrayFile:
    """Return the array in a file of nothing but elements, in row-major order.

    Parameters
    ----------
    sizes : sequence of int, optional
        One dimension of as many elements as there are, by default. The file may be longer.

    Raises
    ------
    FileFormatError
        The file is shorter, or ends within an element.
    """
    try:
        size = _regular_file_size(path)
        if sizes is None:
            sizes = (_element_count(size, data_type),)
        _check_size(size, data_type, sizes)
    except FileFormatError as error:
        raise error.within(str(path)) from None
    return ArrayFile(path, data_type, tuple(sizes), 0)


def _element_count(size: int, data_type: TensorDataType) -> int:
    count, rest = divmod(size, data_type.item_bytes)
    if rest:
        needs = f"needs a multiple of {data_type.item_bytes} bytes for elements"
        raise FileFormatError(f"{needs} of {data_type.name}", given=f"{size}")
    return count


def _check_size(size: int, data_type: TensorDataType, sizes: Sequence[int]) -> None:
    needed = math.prod(sizes) * data_type.item_bytes
    if size < needed:
        needs = f"needs {needed} bytes for {_sizes_text(sizes)} of {data_type.name}"
        raise FileFormatError(needs, given=f"{size}")


def _sizes_text(sizes: Sequence[int]) -> str:
    text = str(list(sizes))
    return text if len(text) <= 60 else f"{len(sizes)} dimensions"  # noqa: PLR2004 (of a line)


def _regular_file_size(path: Path) -> int:
    """Return the size in bytes of a file; of a device or a pipe nobody knows it."""
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(21, "Is a directory", str(path))
    if not stat.S_ISREG(status.st_mode):
        raise FileFormatError("needs a regular file", given="a device or a pipe")
    return status.st_size


def npy_header(data_type: TensorDataType, sizes: Sequence[int]) -> bytes:
    """Return what a .npy file of a row-major array begins with, as NumPy writes it.

    Raises
    ------
    FileFormatError
        There is no array of these sizes in NumPy: it has more than 64 dimensions, or reaches
        beyond 2^63 - 1 bytes.

    Examples
    --------
    >>> len(npy_header(TensorDataType.FLOAT16, [1, 2, 3]))
    128
    """
    if len(sizes) > _MAX_DIMENSIONS:
        needs = f"a .npy file has at most {_MAX_DIMENSIONS} sizes"
        raise FileFormatError(needs, given=f"{len(sizes)}", hint=_RAW_INSTEAD)
    if math.prod(extent for extent in sizes if extent) * data_type.item_bytes > _MAX_BYTES:
        needs = "an array of a .npy file has at most 2**63 - 1 bytes"
        given = f"{_sizes_text(sizes)} of {data_type.name}"
        raise FileFormatError(needs, given=given, hint=_RAW_INSTEAD)
    file = io.BytesIO()
    described = {"descr": data_type.dtype.str, "fortran_order": False, "shape": tuple(sizes)}
    npy_format.write_array_header_1_0(file, described)
    return file.getvalue()


_RAW_INSTEAD = "files with another suffix hold nothing but the elements"


def check_suffix(path: Path) -> None:
    """Refuse names of archives of arrays, which hold several.

    Raises
    ------
    FileFormatError
        The name ends in .npz.
    """
    if path.suffix.lower() == ".npz":
        raise FileFormatError(
            "needs a .npy or raw file",
            given="a .npz archive",
            hint="np.load reads it, and np.save writes each of its arrays as .npy",
            field=f"{path}",
        )


@contextmanager
def replaced_file(path: Path) -> Iterator[Any]:
    """Write a file that appears under its name when all of it is on the disk.

    Until then it has no name, where the system knows files without one (Linux, on most of its file
    systems), and a temporary one beside `path` elsewhere. Whatever ends the writing leaves a former
    file as it was, and nothing behind; only a process that is killed leaves a temporary name.
    A link is followed: what it points to is replaced. A replaced file keeps its mode.

    Raises
    ------
    OSError
        The folder cannot be written, the disk is full or fails, or `path` is something else than
        a regular file. It names `path`, not the temporary file.
    """
    if path.exists() and not path.is_file():
        reason = "Is a directory" if path.is_dir() else "Not a regular file"
        raise OSError(errno.EISDIR, reason, str(path))
    target = Path(os.path.realpath(path))
    # Not made of the target's name, which may be as long as names can be.
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    has_name = True
    try:
        file = _file_without_name(target.parent)
        has_name = file is None
        # "x" applies the process's permission mask, which files of `tempfile` do not.
        with file or temporary.open("x+b", buffering=0) as file:
            if target.exists():
                mode = stat.S_IMODE(target.stat().st_mode)
                os.chmod(temporary if has_name else file.fileno(), mode)  # noqa: PTH101 (a number)
            yield file
            # A disk may say only now that it is full.
            os.fsync(file.fileno())
            if not has_name:
                has_name = _name_file(file, target, temporary)
        if has_name:
            os.replace(temporary, target)  # noqa: PTH105 (pathlib's returns a path)
            has_name = False
        _sync_folder(target.parent)
    except OSError as error:
        # Of this file, whatever name it had; other files keep theirs.
        if error.filename in {None, str(temporary)}:
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        raise
    finally:
        if has_name:
            temporary.unlink(missing_ok=True)


def _file_without_name(folder: Path) -> Any:
    """Return a new file in a folder that ends with the process, or None where there are none."""
    if not hasattr(os, "O_TMPFILE") or not _OPEN_FILES.is_dir():
        return None
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except OSError:  # not this file system; what else it may be, opening a file by its name tells
        return None
    return os.fdopen(descriptor, "w+b", buffering=0)


#: Where Linux has the open files of a process by their numbers.
_OPEN_FILES = Path("/proc/self/fd")


def _name_file(file: Any, target: Path, temporary: Path) -> bool:
    """Give a file its name, or the temporary one if it replaces another; returns whether it does.

    There is no call that replaces a file by one without a name.
    """
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        # The descriptor of the folder is what makes Python follow the link.
        source = _OPEN_FILES / str(file.fileno())
        try:
            os.link(source, target.name, dst_dir_fd=folder)
        except FileExistsError:
            os.link(source, temporary.name, dst_dir_fd=folder)
            return True
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(temporary)) from error
    finally:
        os.close(folder)
    return False


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system has a way to."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems have nothing to do for folders, and say so.
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(descriptor)
