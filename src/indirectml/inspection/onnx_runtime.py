"""All tensors of an ONNX model by ONNX Runtime; the only file that imports it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from indirectml.core.errors import ModelError, SettingError
from indirectml.inspection.subjects import Arrays, OnnxSubject
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.values import Array

#: Where the session finds weights of a model that is given as bytes.
_WEIGHTS = "session.model_external_initializers_file_folder_path"


class OnnxRuntimeSide:
    """ONNX Runtime on the processor, with all values of a model as outputs.

    Parameters
    ----------
    subject : OnnxSubject
        The model.

    Raises
    ------
    SettingError
        ONNX Runtime is not installed.
    ModelError
        It refuses the model.
    """

    def __init__(self, subject: OnnxSubject) -> None:
        try:
            runtime: Any = importlib.import_module("onnxruntime")
        except ImportError:
            raise SettingError(
                "needs ONNX Runtime, which is not installed", hint="pip install onnxruntime"
            ) from None
        self.title = f"ONNX Runtime {runtime.__version__}"
        self._names, self._constants = subject.names, subject.constants
        proto = onnx_package().ModelProto()
        proto.CopyFrom(subject.proto)
        known = {each.name for each in proto.graph.output}
        for name in subject.names:
            if name not in known:
                proto.graph.output.add().name = name
        options = runtime.SessionOptions()
        options.log_severity_level = 3
        if subject.folder is not None:
            options.add_session_config_entry(_WEIGHTS, str(Path(subject.folder).resolve()))
        try:
            self._session = runtime.InferenceSession(
                proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise ModelError(f"ONNX Runtime refuses it: {error}", field=subject.title) from error

    def values(self, inputs: Arrays) -> dict[str, Array]:
        """Return all tensors."""
        wanted = {each.name for each in self._session.get_inputs()}
        given = {**self._constants, **inputs}
        feed = {name: array for name, array in given.items() if name in wanted}
        found = self._session.run(self._names, feed)
        return {
            name: np.asarray(array)
            for name, array in zip(self._names, found, strict=True)
            if isinstance(array, np.ndarray | np.generic)
        }
