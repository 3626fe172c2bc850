"""Other ways to fill, each where it is installed: libraries, and a loop in C.

`PEERS` is the list: for each name, whether it is there, and how it fills as much memory as `out`
has, with a constant and with a sequence. Some fill `out`; others give a new array, and say so.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.limit import Limit
from benchmarks.sessions import session
from benchmarks.timing import Job

#: Peers write at most this much: it is far larger than a cache, and some need seconds for it.
MOST_BYTES = 2**28
#: np.arange needs half a minute for 1 GiB of float16; it writes this much instead.
_SLOW_BYTES = 2**24

Array = np.ndarray[Any, Any]


def _optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


os.environ.setdefault("JAX_PLATFORMS", "cpu")
torch = _optional("torch")
jax = _optional("jax")
if jax is not None:
    jax.config.update("jax_enable_x64", True)  # noqa: FBT003 (their signature)
onnxruntime = _optional("onnxruntime")
onnx = _optional("onnx.helper")


@dataclass(frozen=True)
class Way:
    """How a peer fills.

    Attributes
    ----------
    group : str
        "constant" or "sequence".
    name : str
        What is called.
    statement : str or callable
        See `Job`.
    names : dict
        The names that the statement uses.
    size_bytes : int, optional
        How much it writes, where that is not the size of the output.
    """

    group: str
    name: str
    statement: str | Callable[[], object]
    names: dict[str, Any] = field(default_factory=dict)
    size_bytes: int | None = None


def _numpy(out: Array, _: Limit) -> Iterator[Way]:
    yield Way("constant", "np.ndarray.fill", "out.fill(3)", {"out": out})
    size = min(out.nbytes, _SLOW_BYTES) if out.dtype == np.float16 else out.nbytes
    names = {"arange": np.arange, "dtype": out.dtype, "count": size // out.itemsize}
    yield Way("sequence", "np.arange (new array)", "arange(count, dtype=dtype)", names, size)


def _torch(out: Array, _: Limit) -> Iterator[Way]:
    names = {"arange": torch.arange, "t": torch.from_numpy(out), "count": out.size}
    yield Way("constant", "torch fill_", "t.fill_(3)", names)
    yield Way("sequence", "torch.arange(out=)", "arange(count, out=t)", names)


def _jax(out: Array, _: Limit) -> Iterator[Way]:
    names = {"jnp": jax.numpy, "count": out.size, "dtype": out.dtype}
    full = "jnp.full((count,), 3, dtype).block_until_ready()"
    arange = "jnp.arange(count, dtype=dtype).block_until_ready()"
    yield Way("constant", "jax.numpy.full (new array)", full, names)
    yield Way("sequence", "jax.numpy.arange (new array)", arange, names)


def _onnxruntime(out: Array, _: Limit) -> Iterator[Way]:
    dtype = str(out.dtype)
    shape = functools.partial(_run_onnx, "ConstantOfShape", dtype, [np.array([out.size])])
    yield Way("constant", "ONNX Runtime ConstantOfShape (new array)", shape)
    if out.dtype.kind == "f" or out.size <= np.iinfo(out.dtype).max:
        ends = [np.array(number, out.dtype) for number in (0, out.size, 1)]
        yield Way(
            "sequence",
            "ONNX Runtime Range (new array)",
            functools.partial(_run_onnx, "Range", dtype, ends),
        )


def _run_onnx(operator: str, dtype: str, inputs: list[Array]) -> object:
    """Run a model of one operator; the output is not copied to a NumPy array."""
    values = {f"x{k}": onnxruntime.OrtValue.ortvalue_from_numpy(x) for k, x in enumerate(inputs)}
    return _session(operator, dtype).run_with_ort_values(["y"], values)


@functools.cache
def _session(operator: str, dtype: str) -> Any:
    element = onnx.np_dtype_to_tensor_dtype(np.dtype(dtype))
    shape = operator == "ConstantOfShape"
    value = {"value": onnx.make_tensor("value", element, [1], [3])} if shape else {}
    names = ["x0"] if shape else ["x0", "x1", "x2"]
    kind = onnx.np_dtype_to_tensor_dtype(np.dtype(np.int64)) if shape else element
    graph = onnx.make_graph(
        [onnx.make_node(operator, names, ["y"], **value)],
        operator,
        [onnx.make_tensor_value_info(name, kind, [1] if shape else []) for name in names],
        [onnx.make_tensor_value_info("y", element, [None])],
    )
    model = onnx.make_model(graph, opset_imports=[onnx.make_opsetid("", 17)], ir_version=8)
    return session(model, threads=0)


def _loop(out: Array, limit: Limit) -> Iterator[Way]:
    loop = limit.loops.get(str(out.dtype))
    if loop is not None:
        names = {"loop": loop, "a": out.ctypes.data, "n": out.size}
        yield Way("sequence", "loop in C", "loop(a, n, 0.0, 1.0)", names)


#: By name: what is missing where it is not there, and its ways to fill.
PEERS: dict[str, tuple[str, Callable[[Array, Limit], Iterator[Way]]]] = {
    "NumPy": ("", _numpy),
    "PyTorch": ("" if torch else "not installed", _torch),
    "JAX": ("" if jax else "not installed", _jax),
    "ONNX Runtime": (
        "not installed" if not onnxruntime else "" if onnx else "onnx is not installed",
        _onnxruntime,
    ),
    "C": ("", _loop),
}


def versions() -> dict[str, str]:
    """Return a line for each library."""
    found = {"NumPy": np.__version__}
    if torch:
        found["PyTorch"] = f"{torch.__version__}, {torch.get_num_threads()} threads"
    if jax:
        found["JAX"] = jax.__version__
    if onnxruntime:
        found["ONNX Runtime"] = onnxruntime.__version__
    return {
        name: f"skipped: {missing}" if missing else found[name]
        for name, (missing, _) in PEERS.items()
        if name != "C"
    }


def peer_jobs(
    out: Array, limit: Limit, label: str, group: str = "", x: float | None = None
) -> list[Job]:
    """Return the peers' jobs for an output of neighbouring elements, in their own groups or one."""
    out = out[: MOST_BYTES // out.itemsize]
    ways = [way for missing, fill in PEERS.values() if not missing for way in fill(out, limit)]
    return [
        Job(
            f"{label}: {way.name}",
            way.statement,
            way.names,
            way.size_bytes or out.nbytes,
            peer=True,
            series=way.name,
            group=group or way.group,
            x=x,
        )
        for way in ways
    ]
