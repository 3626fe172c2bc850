"""What functions of one and two numbers cost: `python -m benchmarks.functions`.

Each target, NumPy, and PyTorch and ONNX Runtime where they are installed, take turns on the same
FLOAT32 array that fits in a core's cache, in one thread. A figure is the best thread CPU time, in
nanoseconds an element. The others round less well, and differ between machines.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import indirectml as dml
from benchmarks.sessions import session
from indirectml.arithmetic import functions

Array = np.ndarray[Any, Any]
Call = Callable[[], Any]

COUNT = 1 << 16

#: From and to where arguments are drawn, and the function's names elsewhere: NumPy, PyTorch, ONNX.
FUNCTIONS = {
    "exp": (-10, 10, "exp", "exp", "Exp"),
    "expm1": (-10, 10, "expm1", "expm1", None),
    "log": (1e-3, 100, "log", "log", "Log"),
    "sin": (-30, 30, "sin", "sin", "Sin"),
    "cos": (-30, 30, "cos", "cos", "Cos"),
    "tan": (-30, 30, "tan", "tan", "Tan"),
    "asin": (-1, 1, "arcsin", "asin", "Asin"),
    "acos": (-1, 1, "arccos", "acos", "Acos"),
    "atan": (-10, 10, "arctan", "atan", "Atan"),
    "sinh": (-8, 8, "sinh", "sinh", "Sinh"),
    "cosh": (-8, 8, "cosh", "cosh", "Cosh"),
    "tanh": (-8, 8, "tanh", "tanh", "Tanh"),
    "asinh": (-10, 10, "arcsinh", "asinh", "Asinh"),
    "acosh": (1, 100, "arccosh", "acosh", "Acosh"),
    "atanh": (-1, 1, "arctanh", "atanh", "Atanh"),
    "erf": (-3, 3, None, "erf", "Erf"),
    "sigmoid": (-8, 8, None, "sigmoid", "Sigmoid"),
    "softplus": (-8, 8, None, "softplus", "Softplus"),
    "gelu": (-8, 8, None, "gelu", "Gelu"),
    "sqrt": (0, 100, "sqrt", "sqrt", "Sqrt"),
    "rsqrt": (1e-3, 100, None, "rsqrt", None),
    "recip": (1e-3, 100, "reciprocal", "reciprocal", "Reciprocal"),
    "pow": (1e-3, 10, "power", "pow", "Pow"),
    "atan2": (-10, 10, "arctan2", "atan2", None),
}  # fmt: skip


def own(name: str, arrays: list[Array], dtype: Any) -> Call:
    """Return a call of ours."""
    out = np.empty(COUNT, dtype)
    function = getattr(functions, name)
    return lambda: function(*arrays, out=out)


def numpys(name: str, arrays: list[Array]) -> Call:
    """Return a call of NumPy."""
    out = np.empty(COUNT, np.float32)
    return lambda: getattr(np, name)(*arrays, out=out)


def pytorchs(name: str, arrays: list[Array]) -> Call:
    """Return a call of PyTorch."""
    import torch  # noqa: PLC0415

    torch.set_num_threads(1)
    tensors = [torch.from_numpy(a) for a in arrays]
    if name in {"softplus", "gelu"}:
        return lambda: getattr(torch.nn.functional, name)(*tensors)
    out = torch.empty(COUNT)
    return lambda: getattr(torch, name)(*tensors, out=out)


def onnx_runtimes(name: str, arrays: list[Array]) -> Call:
    """Return a call of ONNX Runtime."""
    import onnxruntime  # noqa: PLC0415
    from onnx import TensorProto, helper  # noqa: PLC0415

    names = ["x", "y"][: len(arrays)]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [COUNT]) for n in names]
    result = helper.make_tensor_value_info("z", TensorProto.FLOAT, [COUNT])
    graph = helper.make_graph([helper.make_node(name, names, ["z"])], "one", values, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    found = session(model)
    out = np.empty(COUNT, np.float32)
    binding = found.io_binding()
    for n, array in zip(names, arrays, strict=True):
        binding.bind_cpu_input(n, array)
    value = onnxruntime.OrtValue.ortvalue_from_numpy(out)
    binding.bind_ortvalue_output("z", value)
    return lambda: found.run_with_iobinding(binding)


def calls_of(name: str, arrays: list[Array]) -> dict[str, Call]:
    """Return everything that is compared, by what stands above its column."""
    _, _, numpy_name, torch_name, onnx_name = FUNCTIONS[name]
    calls = {t: own(name, arrays, np.float32) for t in dml.available_targets()}
    calls["to FLOAT16"] = own(name, arrays, np.float16)
    if numpy_name:
        calls["NumPy"] = numpys(numpy_name, arrays)
    if torch_name and importlib.util.find_spec("torch"):
        calls["PyTorch"] = pytorchs(torch_name, arrays)
    if onnx_name and importlib.util.find_spec("onnxruntime"):
        calls["ONNX Runtime"] = onnx_runtimes(onnx_name, arrays)
    return calls


def measured(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Return nanoseconds an element, the best of several rounds of all calls in turn."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            target = name if name in dml.available_targets() else None
            with dml.configure(target=target, max_threads=1):
                begin = time.thread_time_ns()
                for _ in range(3):
                    call()
                best[name] = min(best[name], (time.thread_time_ns() - begin) / (3 * COUNT))
    return best


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.functions", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    columns = [*dml.available_targets(), "to FLOAT16", "NumPy", "PyTorch", "ONNX Runtime"]
    print("| ns an element |", " | ".join(columns), "| of the fastest other |")
    print("|---" * (len(columns) + 2) + "|")
    random = np.random.default_rng(1)
    for name, (low, high, *_) in FUNCTIONS.items():
        x = random.uniform(low, high, COUNT).astype(np.float32)
        arrays = [x, random.uniform(-3, 3, COUNT).astype(np.float32)]
        figures = measured(calls_of(name, arrays[: 2 if name in {"pow", "atan2"} else 1]), rounds)
        cells = [f"{figures[c]:.2f}" if c in figures else "" for c in columns]
        others = [figures[c] for c in columns[-3:] if c in figures]
        ratio = figures[columns[0]] / min(others)
        print(f"| {name} |", " | ".join(cells), f"| {ratio:.1f} |", flush=True)


if __name__ == "__main__":
    main()
