"""Arrays that arguments name: .npy files, or numbers where they are written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from indirectml.cli.common import nearest_file
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DirectMLError, SettingError
from indirectml.fills.array_files import open_npy

#: Elements where they are given: a data type, if it is not the usual one, and JSON.
_ELEMENTS = re.compile(r"(?:([A-Za-z0-9]+):)?\s*(\[.*|[-+]?\.?\d.*|true|false)", re.DOTALL)


def given_array(text: str, pair: str, option: str, data_type: TensorDataType | None = None) -> Any:
    """Return an array out of a .npy file, or of numbers.

    Parameters
    ----------
    text, pair, option : str
        What is read, what it is a part of, and the option that says it.
    data_type : TensorDataType, optional
        Of numbers that say none. By default as models have them: bool of true and false, INT64 of
        integers, FLOAT32 of others.

    Raises
    ------
    DirectMLError, OSError
        It is neither, or the file cannot be read.
    """
    found = _ELEMENTS.fullmatch(text)
    if found is None or Path(text).exists():
        path = Path(text)
        try:
            return read_npy(path, keeps_bool=data_type is None)
        except FileNotFoundError as error:
            hint = nearest_file(path)
            error.strerror = f"{error.strerror}{f'; {hint}' if hint else ''}"
            raise
    name, elements = found.groups()
    if name is not None:
        types = {each.name: each for each in TensorDataType if each.bits and each.dtype is not None}
        data_type = types.get(name.upper())
        if data_type is None:
            needs = f"needs a data type out of {', '.join(types)}"
            raise SettingError(needs, given=repr(pair[:60]), field=option)
    try:
        numbers = json.loads(elements)
        if data_type is None:
            kind = np.array(numbers).dtype.kind
            if kind == "b":
                return np.array(numbers)
            data_type = TensorDataType.INT64 if kind == "i" else TensorDataType.FLOAT32
        return np.array(numbers, data_type.dtype)
    except (ValueError, OverflowError, TypeError) as error:
        needed = "numbers" if data_type is None else f"numbers of {data_type.name}"
        raise SettingError(
            f"needs {needed}, as [[1, 2], [3, 4]]", given=repr(pair[:60]), field=option
        ) from error


def read_npy(
    file: Path, *, keeps_bool: bool = False
) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """Return the array in a .npy file, mapped; one of bool as what DirectML has for it, or kept."""
    try:
        open_npy(file)  # says what is wrong with it
    except DirectMLError:
        try:
            array = np.load(file, mmap_mode="r", allow_pickle=False)
        except ValueError:
            array = None
        if array is None or array.dtype != np.bool_:
            raise
        return np.asarray(array) if keeps_bool else np.asarray(array).view(np.uint8)
    return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))
