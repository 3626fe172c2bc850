"""Pictures as resources; the only file that imports Pillow, which is an extra.

As in DxDispatch, a byte of a picture is byte / 255 as an element, from 0 to 1, and an element is
clamped to 0..1, multiplied by 255 and cut to a byte: what is read and written again keeps every
byte. Pictures of another size are scaled with Pillow's cubic filter, which widens when it makes
smaller as that of Windows does; the last bits of scaled pictures differ from Windows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from indirectml.core.errors import FileFormatError
from indirectml.models.problems import printable

#: Pillow's name of what has this many channels.
_MODES = {1: "L", 3: "RGB", 4: "RGBA"}

#: Pillow knows dozens of formats, some of which start other programs: no other one is opened.
_FORMATS = ("PNG", "JPEG")

#: The quality that Windows takes if nothing is said.
_JPEG_QUALITY = 90


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    """Open a picture; whatever the decoder raises for its bytes becomes one sentence."""
    try:
        with warnings.catch_warnings():
            # Of many pixels, which the limit of memory is for.
            warnings.simplefilter("ignore")
            with Image.open(path, formats=_FORMATS) as image:
                yield image
    except Exception as error:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno):
            raise
        reason = printable(str(error).partition("\n")[0])[:120] or type(error).__name__
        if "cannot identify" in reason:
            reason = "a file that is neither"
        raise FileFormatError(
            "needs a PNG or JPEG picture", given=reason, field=f"{path}"
        ) from None


def image_sizes(path: Path) -> tuple[int, int, int]:
    """Return channels, height and width of a picture, of which only the header is read.

    Raises
    ------
    FileFormatError
        It is no PNG and no JPEG, or is damaged.
    """
    with _opened(path) as image:
        channels = {"1": 1, "L": 1, "RGBA": 4}.get(image.mode, 3)
        return channels, image.height, image.width


def read_image(path: Path, sizes: tuple[int, int, int]) -> np.ndarray[Any, Any]:
    """Return the bytes of a picture with the given sizes: channels, rows, columns.

    Raises
    ------
    FileFormatError
        It is no PNG and no JPEG, or is damaged.
    """
    channels, height, width = sizes
    with _opened(path) as image:
        converted = image.convert(_MODES[channels])
        if converted.size != (width, height):
            converted = converted.resize((width, height), Image.Resampling.BICUBIC)
    pixels = np.asarray(converted).reshape(height, width, channels)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))


def write_image(file: Any, suffix: str, values: np.ndarray[Any, Any]) -> None:
    """Write channels, rows and columns to an open file; a NaN counts as 1, as in DxDispatch."""
    single = values.astype(np.float32)
    clamped = np.where(single < 1, single, np.float32(1))
    pixels = (np.where(clamped > 0, clamped, np.float32(0)) * np.float32(255)).astype(np.uint8)
    pixels = np.ascontiguousarray(pixels.transpose(1, 2, 0))
    image = Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    if suffix == ".png":
        image.save(file, "PNG")
    else:
        image.save(file, "JPEG", quality=_JPEG_QUALITY)
