"""Methods whose work is done by files further down: the one list of imports that run back."""

from __future__ import annotations

import importlib
from typing import Any

#: Where they are. A class offers them where users look for them, and knows nothing of their files.
_FILES = {
    "serialized graphs": "indirectml.serialized.graph",
    "ONNX export": "indirectml.onnx_export.doors",
    "pictures": "indirectml.inspection.pictures",
    "profiles": "indirectml.inspection.profiling",
}


def door(name: str) -> Any:
    """Return the file that does what a method offers; imported when that is called."""
    return importlib.import_module(_FILES[name])
