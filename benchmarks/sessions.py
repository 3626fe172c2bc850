"""ONNX Runtime as every benchmark asks it: its CPU provider, threads that wait in no loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def session(model: Any, threads: int = 1) -> Any:
    """Return an inference session of a model, or of the file of one; 0 threads are all cores.

    Threads that wait in a loop for the next run would slow down everybody else's.
    """
    import onnxruntime  # noqa: PLC0415 (most benchmarks run without it)

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    source = str(model) if isinstance(model, str | Path) else model.SerializeToString()
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
