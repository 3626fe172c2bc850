"""Fills straight into files of any size, with bounded memory."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from indirectml.fills.array_files import check_suffix, npy_header, replaced_file, write_all
from indirectml.fills.sequences import Sequence as FillSequence

#: Mapped, filled and let go at a time.
_WINDOW_BYTES = 64 << 20

#: Written to a stream at a time.
_STREAM_ELEMENTS = 1 << 20

#: What a task calls with the bytes that are done, and with all bytes.
Progress = Callable[[int, int], None]


def fill_file(
    path: Path,
    sequence: FillSequence,
    sizes: Sequence[int],
    *,
    progress: Progress | None = None,
) -> int:
    """Write a sequence to a file: .npy if that is its suffix, else the elements alone.

    Parameters
    ----------
    path : Path
        It appears, or is replaced, when it is complete and on the disk. An error or an interrupt
        leaves nothing behind, and a former file as it was.
    sequence : Sequence
        Element i of the file is its element i. A constant is a sequence with delta 0.
    sizes : sequence of int
        From 0 up; row-major.
    progress : callable, optional
        Called with the bytes that are done and with all bytes, after each window.

    Returns
    -------
    int
        The size of the file in bytes.

    Raises
    ------
    OSError
        There is not enough free space, or the folder cannot be written.
    FileFormatError
        NumPy could not read a .npy file of these sizes, or the suffix is .npz.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ramp.npy"
    ...     fill_file(path, FillSequence(3, 2), [1, 3])
    ...     np.load(path)
    140
    array([[3., 5., 7.]], dtype=float32)
    """
    data_type = sequence.data_type
    check_suffix(path)
    header = npy_header(data_type, sizes) if path.suffix.lower() == ".npy" else b""
    total = len(header) + math.prod(sizes) * data_type.item_bytes
    _check_free_space(path, total)
    with replaced_file(path) as file:
        write_all(file, header)
        _fill_windows(file, sequence, len(header), total, progress)
    return total


def fill_stream(
    stream: Any, sequence: FillSequence, count: int, *, progress: Progress | None = None
) -> None:
    """Write the first elements of a sequence, and nothing else, to an open stream of bytes.

    Raises
    ------
    OSError
        The stream cannot be written.
    """
    total = count * sequence.data_type.item_bytes
    window = np.empty(min(count, _STREAM_ELEMENTS), sequence.dtype)
    for first in range(0, count, _STREAM_ELEMENTS):
        piece = window[: count - first]
        sequence.write(piece, first)
        write_all(stream, piece.view(np.uint8))
        if progress is not None:
            progress((first + piece.size) * sequence.data_type.item_bytes, total)


def _fill_windows(
    file: Any, sequence: FillSequence, offset: int, total: int, progress: Progress | None
) -> None:
    item_bytes = sequence.data_type.item_bytes
    first = 0
    while offset < total:
        size = min(_WINDOW_BYTES, total - offset)
        _allocate(file.fileno(), offset, size)
        window = np.memmap(file, sequence.dtype, "r+", offset, (size // item_bytes,))
        sequence.write(window, first)
        del window
        first += size // item_bytes
        offset += size
        if progress is not None:
            progress(offset, total)


def _allocate(descriptor: int, offset: int, size: int) -> None:
    """Make the file longer by blocks that exist: a hole in a full disk would be a crash."""
    allocate = getattr(os, "posix_fallocate", None)
    if allocate is None:
        os.ftruncate(descriptor, offset + size)
    else:
        allocate(descriptor, offset, size)


def _check_free_space(path: Path, needed: int) -> None:
    free = shutil.disk_usage(Path(os.path.realpath(path)).parent).free
    if needed > free:
        reason = f"needs {needed} bytes of free space, got {free}"
        raise OSError(28, reason, str(path))
