"""ONNX's Backend API, as functions of a module: `prepare`, `run_model`, `run_node` and so on.

ONNX's own test runner takes this module as a backend, and so does what is written for that API.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from indirectml.core.errors import DeviceUnavailableError, shown
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.reading import element_type_of
from indirectml.onnx_import.values import Array
from indirectml.onnxruntime.errors import InvalidArgument
from indirectml.onnxruntime.session import InferenceSession


class BackendRep:
    """A model that is ready to run, for whatever sizes come. Made by `prepare`."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session

    def run(self, inputs: Any, **options: Any) -> tuple[Array, ...]:
        """Run the model.

        Parameters
        ----------
        inputs : sequence, dict or array
            An array for each input, in order; or a dict from names; or the only input.
        **options
            Accepted, without a meaning.

        Returns
        -------
        tuple of array
            A named tuple, whose elements are found by the names of outputs, too.

        Raises
        ------
        InvalidArgument, NotImplemented
            As for `InferenceSession.run`.
        """
        del options
        names = [each.name for each in self._session.get_inputs()]
        if not isinstance(inputs, Mapping):
            each = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
            if len(each) > len(names):
                raise InvalidArgument(f"needs at most {len(names)} inputs", given=f"{len(each)}")
            inputs = dict(zip(names, each, strict=False))
        results = self._session.run(None, {n: np.asarray(array) for n, array in inputs.items()})
        outputs = [each.name for each in self._session.get_outputs()]
        named: type[tuple[Array, ...]] = onnx_package("backend.base").namedtupledict(
            "Outputs", outputs
        )
        return named(*results)


def supports_device(device: str) -> bool:
    """Return whether a device is the CPU: "CPU" or "CPU:0".

    Examples
    --------
    >>> supports_device("CPU"), supports_device("CUDA:1")
    (True, False)
    """
    return device in {"CPU", "CPU:0"}


def is_compatible(model: Any, device: str = "CPU", **options: Any) -> bool:
    """Return whether the device is there; whether all nodes can be said shows when sizes come."""
    del model, options
    return supports_device(device)


def prepare(model: Any, device: str = "CPU", **options: Any) -> BackendRep:
    """Return a model that is ready to run.

    Parameters
    ----------
    model : path, bytes or onnx.ModelProto
        The model. Where all sizes are fixed it is compiled now.
    device : str
        "CPU".
    **options
        Accepted, without a meaning.

    Raises
    ------
    DeviceUnavailableError
        It is another device.
    ModelError
        As for `InferenceSession`.
    """
    del options
    if not supports_device(device):
        raise DeviceUnavailableError("needs 'CPU'", given=shown(device), field="prepare.device")
    is_message = isinstance(model, onnx_package().ModelProto)
    return BackendRep(InferenceSession(model.SerializeToString() if is_message else model))


def run_model(model: Any, inputs: Any, device: str = "CPU", **options: Any) -> tuple[Array, ...]:
    """Run a model once.

    Parameters
    ----------
    model, device, **options
        As for `prepare`, whose errors this raises.
    inputs
        As for `BackendRep.run`, whose errors this raises.

    Examples
    --------
    >>> import onnx
    >>> model = onnx.parser.parse_model('''
    ...     <ir_version: 8, opset_import: ["" : 18]>
    ...     double (float[N] x) => (float[N] y) { y = Add(x, x) }
    ... ''')
    >>> run_model(model, [np.ones(2, np.float32)])["y"]
    array([2., 2.], dtype=float32)
    """
    return prepare(model, device, **options).run(inputs)


def run_node(
    node: Any, inputs: Any, device: str = "CPU", outputs_info: Any = None, **options: Any
) -> tuple[Array, ...]:
    """Run one node.

    Parameters
    ----------
    node : onnx.NodeProto
        Of ONNX's own domain.
    inputs : sequence or dict
        An array for each of the node's inputs that has a name.
    device : str
        "CPU".
    outputs_info
        Accepted, without a meaning: outputs have the types that the operator gives them.
    **options
        `opset_version` says which version of the operator it is, the newest by default.

    Raises
    ------
    DeviceUnavailableError, ModelError, InvalidArgument
        As for `prepare` and `BackendRep.run`.

    Examples
    --------
    >>> import onnx
    >>> node = onnx.helper.make_node("Neg", ["x"], ["y"])
    >>> run_node(node, [np.ones(2, np.float32)])["y"]
    array([-1., -1.], dtype=float32)
    """
    del outputs_info
    onnx = onnx_package()
    names = list(dict.fromkeys(name for name in node.input if name))
    arrays = inputs if isinstance(inputs, Mapping) else dict(zip(names, inputs, strict=False))
    infos = [
        onnx.helper.make_tensor_value_info(name, element_type_of(array.dtype), array.shape)
        for name, array in ((name, np.asarray(array)) for name, array in arrays.items())
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
    version = options.get("opset_version", onnx.defs.onnx_opset_version())
    opsets = [onnx.helper.make_opsetid(node.domain, version)]
    graph = onnx.helper.make_graph([node], node.op_type, infos, outputs)
    return run_model(onnx.helper.make_model(graph, opset_imports=opsets), arrays, device)
