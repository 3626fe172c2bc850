"""Pictures in and out; the only file of the samples that imports Pillow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

HALF, WHITE = 128, 255

#: Average and standard deviation of the pictures that ImageNet's networks were trained with.
MEAN = (0.485, 0.456, 0.406)
DEVIATION = (0.229, 0.224, 0.225)

Array = np.ndarray[Any, Any]


class PictureError(ValueError):
    """A picture cannot be read or written."""


def _pillow() -> Any:
    try:
        from PIL import Image, ImageOps  # noqa: PLC0415 (only where there is a picture)
    except ImportError:
        raise PictureError(
            "pictures need Pillow, which is not installed; try: pip install Pillow"
        ) from None
    return Image, ImageOps


def opened(path: str, mode: str, sizes: list[int]) -> Array:
    """Return a picture, cut in its middle to the shape of `sizes` and scaled to it.

    Parameters
    ----------
    path : str
        Any format that Pillow reads.
    mode : str
        "L", "RGB" or "YCbCr".
    sizes : list of int
        Height and width.

    Returns
    -------
    array
        FLOAT32 [height, width] or [height, width, 3], from 0 to 255.
    """
    image, operations = _pillow()
    try:
        with image.open(path) as picture:
            found = operations.fit(picture.convert("RGB"), sizes[::-1]).convert(mode)
    except (OSError, ValueError) as error:
        raise PictureError(f"{path}: needs a picture that Pillow reads; {error}") from None
    return np.asarray(found, np.float32)


def normalized(path: str) -> Array:
    """Return a picture as the input of ImageNet's networks, FLOAT32 [1, 3, 224, 224]."""
    colours = opened(path, "RGB", [224, 224]) / np.float32(WHITE)
    colours = (colours - np.float32(MEAN)) / np.float32(DEVIATION)
    return np.ascontiguousarray(colours.transpose(2, 0, 1)[None])


def write(path: Path, colours: Array) -> None:
    """Write a picture of UINT8 [height, width, 3]."""
    image, _ = _pillow()
    try:
        image.fromarray(colours).save(path)
    except (OSError, ValueError) as error:
        raise PictureError(f"{path}: cannot be written; {error}") from None


def write_enlarged(path: Path, grey: Array, colours: Array | None) -> None:
    """Write a picture of a luminance, with the colours of a smaller one if there are any."""
    image, _ = _pillow()
    picture = image.fromarray(grey)
    if colours is not None:
        planes = [
            image.fromarray(colours[..., k].astype(np.uint8)).resize(picture.size, image.BICUBIC)
            for k in (1, 2)
        ]
        picture = image.merge("YCbCr", [picture, *planes]).convert("RGB")
    try:
        picture.save(path)
    except (OSError, ValueError) as error:
        raise PictureError(f"{path}: cannot be written; {error}") from None
