"""PyTorch's models by PyTorch's own exporter: `from_torch`, and a backend for `torch.compile`.

The only file that imports torch. For inference: nothing here has gradients.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from indirectml.core.errors import DataTypeError, ModelError, SettingError, shown
from indirectml.onnx_import.model import OnnxModel, load_onnx
from indirectml.runtime import Device


def from_torch(program: Any, device: Device | None = None, **options: Any) -> OnnxModel:
    """Return a program that PyTorch has exported as a compiled graph of DirectML's operators.

    Parameters
    ----------
    program : torch.export.ExportedProgram
        From ``torch.export.export(module, inputs)``.
    device : Device, optional
        As for `load_onnx`.
    **options
        As for `load_onnx`, whose errors this raises: sizes, dimensions, constants and so on.

    Returns
    -------
    OnnxModel
        Its inputs are those of the program, in order; it takes NumPy's arrays, or tensors of
        PyTorch on the processor, and returns arrays.

    Raises
    ------
    SettingError
        PyTorch, or onnxscript, which its exporter needs, is not installed.
    DataTypeError
        It is no exported program.
    ModelError
        PyTorch's exporter refuses it.

    Notes
    -----
    The way is PyTorch's exporter to ONNX, `torch.onnx.export`, in memory.
    """
    torch = _torch()
    if not isinstance(program, torch.export.ExportedProgram):
        raise DataTypeError(
            "needs an exported program",
            given=shown(type(program).__name__),
            hint="torch.export.export(module, inputs) makes one",
            field="from_torch",
        )
    return load_onnx(_as_onnx(torch, program), device, **options)


def _torch() -> Any:
    """Return PyTorch, with what its exporter needs."""
    for name in ("torch", "onnxscript"):
        try:
            importlib.import_module(name)
        except ImportError:
            raise SettingError(
                f"needs {name}, which is not installed", hint="pip install torch onnxscript"
            ) from None
    return importlib.import_module("torch")


def _as_onnx(torch: Any, program: Any) -> Any:
    try:
        exported = torch.onnx.export(program, dynamo=True, verbose=False)
    except Exception as error:
        reason = str(error).strip().split("\n", 1)[0]
        raise ModelError(f"PyTorch's exporter refuses it: {reason}", field="from_torch") from error
    return exported.model_proto


# ---- torch.compile -------------------------------------------------------------------------------


def compile_backend(
    module: Any, example_inputs: Sequence[Any], **options: Any
) -> Callable[..., Any]:
    """Return what runs a traced module: the backend "indirectml" of `torch.compile`.

    Parameters
    ----------
    module : torch.fx.GraphModule
        What PyTorch has traced.
    example_inputs : sequence of torch.Tensor
        As it was traced with; parameters among them become constants.
    **options
        As for `load_onnx`, from ``torch.compile(..., options={...})``.

    Raises
    ------
    SettingError
        PyTorch, or onnxscript, is not installed.
    """
    torch = _torch()
    found = _Compiled(torch, module, example_inputs, options.pop("options", None) or options)
    disabled: Callable[..., Any] = torch.compiler.disable(found)
    return disabled


class _Compiled:
    """A traced module, exported and compiled when it is first called, and for each new sizes."""

    def __init__(
        self, torch: Any, module: Any, examples: Sequence[Any], options: dict[str, Any]
    ) -> None:
        self._torch = torch
        self._module = module
        self._options = options
        #: Parameters are known: their places among the inputs.
        self._places = [n for n, x in enumerate(examples) if isinstance(x, torch.nn.Parameter)]
        self._models: dict[Any, tuple[OnnxModel, list[int]]] = {}

    def __call__(self, *inputs: Any) -> Any:
        """Run it."""
        torch = self._torch
        for tensor in inputs:
            if isinstance(tensor, torch.Tensor):
                self._check(tensor)
        key = tuple(self._key(number, each) for number, each in enumerate(inputs))
        if key not in self._models:
            if len(self._models) >= _MOST_KEPT:
                self._models.clear()
            self._models[key] = self._made(inputs)
        model, places = self._models[key]
        arrays = [inputs[n].detach().numpy() for n in places]
        results = model(*arrays)
        return [torch.from_numpy(np.ascontiguousarray(each)) for each in results]

    def _check(self, tensor: Any) -> None:
        if self._torch.is_grad_enabled() and tensor.requires_grad:
            raise ModelError(
                "needs inference, since nothing here has gradients",
                hint="call it within torch.inference_mode() or torch.no_grad()",
                field="torch.compile",
            )
        if tensor.device.type != "cpu":
            raise ModelError(
                "needs tensors on the processor", given=str(tensor.device), field="torch.compile"
            )

    def _key(self, number: int, given: Any) -> Any:
        if not isinstance(given, self._torch.Tensor):
            return given
        # A parameter that is written gets another version.
        written = (given.data_ptr(), given._version) if number in self._places else ()  # noqa: SLF001 (PyTorch has no other name)
        return (tuple(given.shape), given.dtype, *written)

    def _made(self, inputs: Sequence[Any]) -> tuple[OnnxModel, list[int]]:
        torch = self._torch
        known = {n: each for n, each in enumerate(inputs) if n in self._places}
        known |= {n: x for n, x in enumerate(inputs) if not isinstance(x, torch.Tensor)}
        places = [number for number in range(len(inputs)) if number not in known]
        inner = self._module

        class Fixed(torch.nn.Module):  # type: ignore[misc, name-defined]
            """The module with what is known."""

            def __init__(self) -> None:
                super().__init__()
                self.inner = inner
                for number, each in known.items():
                    name = f"known_{number}"
                    if isinstance(each, torch.Tensor):
                        self.register_buffer(name, each.detach())
                    else:
                        setattr(self, name, each)

            def forward(self, *given: Any) -> Any:
                rest = iter(given)
                count = len(known) + len(places)
                every = [
                    getattr(self, f"known_{n}") if n in known else next(rest) for n in range(count)
                ]
                return self.inner(*every)

        with torch.no_grad():
            program = torch.export.export(Fixed(), tuple(inputs[n].detach() for n in places))
        return from_torch(program, **self._options), places


#: How many sizes a compiled module keeps models for.
_MOST_KEPT = 16
