"""ONNX Runtime's names: a script changes one import, ``import indirectml.onnxruntime as ort``.

A library that imports onnxruntime itself is given this module by `stand_in`.
"""

import sys

from indirectml import __version__ as _own_version
from indirectml.core.errors import SettingError
from indirectml.onnxruntime.binding import IOBinding
from indirectml.onnxruntime.errors import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    NoSuchFile,
    NotImplemented,  # noqa: A004 (ONNX Runtime's name)
)
from indirectml.onnxruntime.options import (
    PROVIDERS,
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    RunOptions,
    SessionOptions,
)
from indirectml.onnxruntime.session import InferenceSession
from indirectml.onnxruntime.values import ModelMetadata, NodeArg, OrtValue

__all__ = [
    "ExecutionMode",
    "ExecutionOrder",
    "Fail",
    "GraphOptimizationLevel",
    "IOBinding",
    "InferenceSession",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "ModelMetadata",
    "NoSuchFile",
    "NodeArg",
    "NotImplemented",
    "OrtValue",
    "RunOptions",
    "SessionOptions",
    "disable_telemetry_events",
    "enable_telemetry_events",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_device",
    "get_version_string",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_seed",
    "stand_in",
]

#: The release whose names these are: libraries compare it.
__version__ = "1.32.0"

#: Where ONNX Runtime has its errors: `onnxruntime.capi.onnxruntime_pybind11_state.Fail`.
capi = onnxruntime_pybind11_state = sys.modules[__name__]


def stand_in() -> None:
    """Let ``import onnxruntime`` mean this module, in this process, from now on.

    Raises
    ------
    SettingError
        ONNX Runtime itself is imported already.
    """
    own = sys.modules[__name__]
    if sys.modules.get("onnxruntime", own) is not own:
        raise SettingError(
            "needs to be called before onnxruntime is imported",
            given="one that is",
            field="stand_in",
        )
    for name in ("", ".capi", ".capi.onnxruntime_pybind11_state", ".capi._pybind_state"):
        sys.modules[f"onnxruntime{name}"] = own


def get_available_providers() -> list[str]:
    """Return the names that this library answers to."""
    return list(PROVIDERS)


get_all_providers = get_available_providers


def get_device() -> str:
    """Return "CPU"."""
    return "CPU"


def get_version_string() -> str:
    """Return the release of ONNX Runtime whose names these are."""
    return __version__


def get_build_info() -> str:
    """Return what this is."""
    return f"IndirectML {_own_version}"


def disable_telemetry_events() -> None:
    """Do nothing: nothing is sent."""


def enable_telemetry_events() -> None:
    """Do nothing: nothing is sent."""


def set_default_logger_severity(severity: int) -> None:
    """Do nothing: nothing is logged."""


def set_default_logger_verbosity(verbosity: int) -> None:
    """Do nothing: nothing is logged."""


def set_seed(seed: int) -> None:
    """Do nothing: operators that draw random numbers take their state as an input."""
