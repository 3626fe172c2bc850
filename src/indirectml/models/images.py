"""Pictures as resources; the only file that imports Pillow, which is an extra."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from indirectml.core.errors import FileFormatError

#: Pillow's name of what has this many channels.
MODES = {1: "L", 3: "RGB", 4: "RGBA"}


def image_sizes(path: Path) -> tuple[int, int, int]:
    """Return channels, height and width of a picture, of which only the header is read.

    Raises
    ------
    FileFormatError
        It is no picture that Pillow reads.
    """
    try:
        with Image.open(path) as image:
            channels = {"1": 1, "L": 1, "RGBA": 4}.get(image.mode, 3)
            return channels, image.height, image.width
    except (UnidentifiedImageError, Image.DecompressionBombError, ValueError) as error:
        raise FileFormatError("needs a picture", given=str(error), field=f"{path}") from None


def read_image(path: Path, sizes: tuple[int, int, int]) -> np.ndarray[Any, Any]:
    """Return a picture as UINT8 with the given sizes: channels, rows, columns.

    Raises
    ------
    FileFormatError
        It is no picture that Pillow reads.
    """
    channels, height, width = sizes
    try:
        with Image.open(path) as image:
            converted = image.convert(MODES[channels])
    except (UnidentifiedImageError, Image.DecompressionBombError, ValueError) as error:
        raise FileFormatError("needs a picture", given=str(error), field=f"{path}") from None
    if converted.size != (width, height):
        converted = converted.resize((width, height), Image.Resampling.BILINEAR)
    pixels = np.asarray(converted).reshape(height, width, channels)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))


def write_image(file: Any, suffix: str, values: np.ndarray[Any, Any]) -> None:
    """Write channels, rows and columns to an open file; numbers are rounded and cut to 0..255."""
    with np.errstate(invalid="ignore"):
        rounded = np.rint(np.nan_to_num(values.astype(np.float64)))
    pixels = np.clip(rounded, 0, 255).astype(np.uint8).transpose(1, 2, 0)
    image = Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    image.save(file, "PNG" if suffix == ".png" else "JPEG")
