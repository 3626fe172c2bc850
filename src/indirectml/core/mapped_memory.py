"""Memory of files that are mapped: the system may take back what was read and is kept elsewhere."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

#: What says so; systems without it keep pages until they need the memory.
_FORGET = getattr(mmap, "MADV_DONTNEED", None)


def forget_pages(data: Any) -> None:
    """Give the pages back that bytes take of a file that is mapped and only read.

    They come again from the file when somebody reads them. Does nothing to other memory.

    Examples
    --------
    >>> forget_pages(np.ones(3))
    """
    if getattr(data, "nbytes", 0) < mmap.PAGESIZE:  # which has no whole page
        return
    owner = data
    while isinstance(owner, np.ndarray | memoryview):
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    if _FORGET is None or not isinstance(owner, mmap.mmap):
        return
    whole = np.frombuffer(owner, np.uint8)
    if whole.flags.writeable:  # what was written would be lost
        return
    given = np.asarray(data)
    begin = given.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    first = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
    end = (begin + given.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
    if given.flags.c_contiguous and end > first:
        owner.madvise(_FORGET, first, end - first)
