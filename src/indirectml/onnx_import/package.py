"""The onnx package, which is optional: imported when a model is read."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from indirectml.core.errors import SettingError


@functools.cache
def onnx_package(part: str = "") -> Any:
    """Return the onnx package, or a module of it.

    Raises
    ------
    SettingError
        It is not installed.
    """
    try:
        return importlib.import_module(f"onnx.{part}" if part else "onnx")
    except ImportError as error:
        if error.name is not None and error.name.partition(".")[0] not in {"onnx", "google"}:
            raise
        raise SettingError(
            "needs the onnx package, which is not installed",
            hint="pip install 'indirectml[onnx]'",
            field="ONNX",
        ) from None
