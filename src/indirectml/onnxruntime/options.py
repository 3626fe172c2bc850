"""What a session is asked for: options and providers. What has no meaning here is said once."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from indirectml.core.errors import BindingError, DescriptorError, shown
from indirectml.onnxruntime.errors import Fail

#: What a provider with options is.
_PAIR = ("name", "options")

#: Both are this library, which runs DirectML's operators on the CPU.
PROVIDERS = ("DmlExecutionProvider", "CPUExecutionProvider")

#: The entry that says how many compiled models a session keeps, and how many that is by default.
KEPT_MODELS_ENTRY, KEPT_MODELS = "indirectml.compiled_models", 8


@functools.cache
def say_once(text: str) -> None:
    """Warn, the first time in this process."""
    warnings.warn(text, UserWarning, stacklevel=4)


class GraphOptimizationLevel(IntEnum):
    """How far ONNX Runtime changes a model; here no level changes a bit, and all are one."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(IntEnum):
    """Whether ONNX Runtime runs nodes beside each other; here a graph decides that itself."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(IntEnum):
    """In which order ONNX Runtime runs nodes; here a graph decides that itself."""

    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


class _Options:
    """Attributes with defaults; one without a meaning here may have any value, and that is said."""

    _meaningful: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self)
        if not name.startswith("_"):
            if not hasattr(kind, name) or callable(getattr(kind, name)):
                raise AttributeError(f"{kind.__name__} has no attribute {name!r}")
            if name not in self._meaningful and value != getattr(kind, name):
                say_once(f"{kind.__name__}.{name} has no meaning in IndirectML{_hint(name)}")
        super().__setattr__(name, value)

    def _entry(self, key: str) -> str:
        if key not in self._entries:
            raise Fail("needs the name of an entry that was added", given=shown(key))
        return self._entries[key]


def _hint(name: str) -> str:
    if name.endswith("op_num_threads"):
        return "; indirectml.configure(max_threads=...) sets the threads of the process"
    return ""


class SessionOptions(_Options):
    """What a session is asked for, by ONNX Runtime's names.

    Free dimension overrides, external initializers, profiling, and the entry
    ``"indirectml.compiled_models"`` (how many compiled models a session keeps, 8 by default) have
    a meaning here. All else is accepted, and the first value besides the default is answered with
    a warning.

    Examples
    --------
    >>> options = SessionOptions()
    >>> options.add_free_dimension_override_by_name("batch", 4)
    >>> options.add_session_config_entry("indirectml.compiled_models", "2")
    """

    _meaningful = frozenset({"enable_profiling", "profile_file_prefix"})

    enable_cpu_mem_arena = True
    enable_mem_pattern = True
    enable_mem_reuse = True
    enable_profiling = False
    execution_mode = ExecutionMode.ORT_SEQUENTIAL
    execution_order = ExecutionOrder.DEFAULT
    graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
    inter_op_num_threads = 0
    intra_op_num_threads = 0
    log_severity_level = -1
    log_verbosity_level = 0
    logid = ""
    optimized_model_filepath = ""
    profile_file_prefix = "onnxruntime_profile_"
    use_deterministic_compute = False
    use_per_session_threads = True

    def __init__(self) -> None:
        super().__init__()
        self._by_name: dict[str, int] = {}
        self._by_denotation: dict[str, int] = {}
        self._initializers: dict[str, Any] = {}

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        """Fix the size of all dimensions that a model gives this name."""
        self._by_name[name] = size

    def add_free_dimension_override_by_denotation(self, denotation: str, size: int) -> None:
        """Fix the size of all dimensions with this denotation."""
        self._by_denotation[denotation] = size

    def add_initializer(self, name: str, value: Any) -> None:
        """Give an input that has a default another value, an `OrtValue`, once and for all."""
        self._initializers[name] = value.numpy()

    def add_external_initializers(self, names: Sequence[str], values: Sequence[Any]) -> None:
        """Do as `add_initializer` does, for many."""
        for name, value in zip(names, values, strict=True):
            self.add_initializer(name, value)

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Set one of ONNX Runtime's many further options, or ours."""
        if key == KEPT_MODELS_ENTRY:
            if not (value.isascii() and value.isdigit() and int(value)):
                raise BindingError("needs a number from 1 up", given=shown(value), field=key)
        else:
            say_once(f"the session's entry {key!r} has no meaning in IndirectML")
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """Return what was set."""
        return self._entry(key)

    def register_custom_ops_library(self, path: str) -> None:
        """Refuse: libraries of operators for ONNX Runtime are machine code for it alone."""
        raise Fail("needs operators of ONNX or DirectML", given=shown(path), field="SessionOptions")


class RunOptions(_Options):
    """What a run is asked for, by ONNX Runtime's names; `terminate` stops it before it begins."""

    _meaningful = frozenset({"terminate"})

    log_severity_level = -1
    log_verbosity_level = 0
    logid = ""
    only_execute_path_to_fetches = False
    terminate = False

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Set one of ONNX Runtime's further options."""
        say_once(f"the run's entry {key!r} has no meaning in IndirectML")
        self._entries[key] = value

    def get_run_config_entry(self, key: str) -> str:
        """Return what was set."""
        return self._entry(key)


def chosen_providers(providers: Any, options: Any) -> list[str]:
    """Return the providers of a session, of those that are asked for.

    Raises
    ------
    DescriptorError
        They are no sequence of names, or of names with options.
    """
    if providers is None:
        return ["CPUExecutionProvider"]
    if not isinstance(providers, Sequence) or isinstance(providers, str):
        raise DescriptorError("needs a sequence", given=shown(providers), field="providers")
    if options is not None and len(options) != len(providers):
        raise DescriptorError(
            f"needs one for each of {len(providers)} providers",
            given=f"{len(options)}",
            field="provider_options",
        )
    found: list[str] = []
    for index, each in enumerate(providers):
        is_pair = isinstance(each, tuple) and len(each) == len(_PAIR)
        name, with_options = each if is_pair else (each, {})
        if not isinstance(name, str) or not isinstance(with_options, dict):
            raise DescriptorError(
                "needs a name, or a name and a dict of options",
                given=shown(each),
                field=f"providers[{index}]",
            )
        if name not in PROVIDERS:
            say_once(f"provider {name!r} has no meaning in IndirectML, which runs on the CPU")
        elif name not in found:
            found.append(name)
        if with_options or (options is not None and options[index]):
            say_once(f"options of provider {name!r} have no meaning in IndirectML")
    return found if "CPUExecutionProvider" in found else [*found, "CPUExecutionProvider"]
