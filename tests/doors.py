"""Every way in, as one function: what a fill writes when it is asked for there.

Each door in DOORS takes calls and gives one array of bits for each. Doors that write into given
memory check that no byte beside the elements changes.
"""

import json
import math
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

import indirectml as dml
from indirectml import _native
from indirectml.cli import main
from indirectml.core.settings import Settings
from tests import reference
from tests.reference import bits_of

GUARD, GUARD_BYTES = 0xA5, 64


class Call(NamedTuple):
    """A fill with its layout. Without a delta it is a constant; without strides it is packed."""

    start: np.generic
    delta: np.generic | None
    rule: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None = None  # in elements, from 0 up

    @property
    def dtype(self):
        return self.start.dtype

    @property
    def operands(self):
        return (self.start,) if self.delta is None else (self.start, self.delta)

    @property
    def tensor(self):
        return dml.TensorDesc(self.dtype, self.sizes, strides=self.strides)

    @property
    def desc(self):
        unions = (dml.ScalarUnion(bits_of(x).to_bytes(8, "little")) for x in self.operands)
        if self.delta is None:
            return dml.FillValueConstantOperatorDesc(self.tensor, self.dtype, *unions)
        return dml.FillValueSequenceOperatorDesc(self.tensor, self.dtype, *unions)

    @property
    def compiled(self):
        device = dml.Device(sequence_rule=self.rule)
        return device.compile_operator(device.create_operator(self.desc))


def elements(call, memory, first_byte):
    """Return the view of a call's elements in bytes."""
    strides = call.tensor.strides_in_memory if call.strides else None
    item = call.dtype.itemsize
    return np.ndarray(
        call.sizes, call.dtype, memory, first_byte, strides and [s * item for s in strides]
    )


def extent_bytes(call):
    """Return the bytes from the first element to the end of the last."""
    if call.strides is None:
        return math.prod(call.sizes) * call.dtype.itemsize
    pairs = zip(call.sizes, call.strides, strict=True)
    return (1 + sum((n - 1) * s for n, s in pairs)) * call.dtype.itemsize


def in_place(write):
    """Return a door from a function that writes a call's elements between guard bytes."""

    def door(calls):
        for call in calls:
            before, after = GUARD_BYTES, (extent_bytes(call) + 3) // 4 * 4 + GUARD_BYTES
            memory = np.full(before + after, GUARD, np.uint8)
            write(call, memory)
            written = elements(call, memory, GUARD_BYTES)
            yield written.copy()
            written.view(f"u{call.dtype.itemsize}")[...] = GUARD * 0x0101010101010101 & (
                (1 << (8 * call.dtype.itemsize)) - 1
            )
            assert (memory == GUARD).all(), f"bytes beside the elements of {call}"

    return door


# ---- Doors that write into given memory ---------------------------------------------------------


def fill_array(call, memory):
    out = elements(call, memory, GUARD_BYTES)
    if call.delta is None:
        dml.fill_constant(out, call.start)
    else:
        dml.fill_sequence(out, call.start, call.delta, rule=call.rule)


def write_sequence(call, memory):
    s = dml.Sequence(call.start, call.delta, call.dtype, rule=call.rule)
    s.write(elements(call, memory, GUARD_BYTES))


def fill_natively(call, memory):
    bits, precision = 8 * call.dtype.itemsize, 0
    if call.dtype.kind == "f" and call.delta is not None:
        precision = np.finfo(call.dtype).nmant + 1
    start, delta = bits_of(call.start), 0 if call.delta is None else bits_of(call.delta)
    sequence = _native.Sequence(bits, precision, call.rule == "multiply", start, delta)
    _native.fill(
        _native.OpenBuffer(elements(call, memory, GUARD_BYTES)), sequence, 0, Settings.policy
    )


def dispatch_into_bytes(call, memory):
    call.compiled(out=[memoryview(memory[GUARD_BYTES:-GUARD_BYTES])])


def dispatch_into_an_array(call, memory):
    call.compiled(out=[elements(call, memory, GUARD_BYTES)])


def execute_commands(call, memory):
    device = dml.Device(sequence_rule=call.rule)
    compiled = device.compile_operator(device.create_operator(call.desc))
    recorder, commands = device.create_command_recorder(), dml.CommandList(device)
    initializer = device.create_operator_initializer([compiled])
    recorder.record_dispatch(commands, initializer, device.create_binding_table(initializer))
    table = device.create_binding_table(compiled)
    size = memory.size - 2 * GUARD_BYTES
    table.bind_outputs([dml.BufferBinding(memory, GUARD_BYTES, size)])
    recorder.record_dispatch(commands, compiled, table)
    commands.close()
    dml.CommandQueue(device).execute(commands)


# ---- Doors that make their memory ---------------------------------------------------------------


def make_array(calls):
    for call in calls:
        if call.delta is None:
            yield dml.full(call.sizes, call.start, call.dtype)
        else:
            yield dml.sequence(call.sizes, *call.operands, call.dtype, rule=call.rule)


def dispatch_into_new_memory(calls):
    for call in calls:
        yield call.compiled()[0]


def run_graphs(calls):
    """Run one graph per rule, with all calls in it."""
    found = {}
    calls = list(calls)
    for rule in ("accumulate", "multiply"):
        graph = dml.Graph(dml.Device(sequence_rule=rule))
        numbers = [k for k, call in enumerate(calls) if call.rule == rule]
        outputs = [graph.add_node(calls[k].desc)[0] for k in numbers]
        if outputs:
            found |= dict(zip(numbers, graph.compile(outputs)(), strict=True))
    yield from (found[k] for k in range(len(calls)))


def run_models(calls):
    """Run one dispatch model per rule, with all calls in it; each has a resource and a file."""
    calls = list(calls)
    with tempfile.TemporaryDirectory() as folder:
        for rule in ("accumulate", "multiply"):
            chosen = {f"r{k}": call for k, call in enumerate(calls) if call.rule == rule}
            path = Path(folder, f"{rule}.json")
            path.write_text(json.dumps(_model(chosen)), encoding="utf-8")
            options = ["--sequence-rule", rule, "--output_path", folder]
            assert main(["run", str(path), *options]) == 0
        for k, call in enumerate(calls):
            memory = np.fromfile(Path(folder, f"r{k}.bin"), np.uint8)
            yield elements(call, memory, 0).copy()


def _model(calls):
    """Return the dispatch model of calls by name."""
    resources, dispatchables, commands = {}, {}, []
    for name, call in calls.items():
        values = {"valueCount": call.tensor.total_tensor_size_in_bytes, "value": GUARD}
        resources[name] = {"initialValuesDataType": "UINT8", "initialValues": values}
        kind = "CONSTANT" if call.delta is None else "SEQUENCE"
        fields = ("Value",) if call.delta is None else ("ValueStart", "ValueDelta")
        data_type = call.dtype.name.upper()
        tensor = {"DataType": data_type, "Sizes": list(call.sizes)}
        if call.strides is not None:
            tensor["Strides"] = list(call.strides)
        numbers = {f: _union(x) for f, x in zip(fields, call.operands, strict=True)}
        desc = {"OutputTensor": tensor, "ValueDataType": data_type, **numbers}
        dispatchables[name] = {"type": f"FILL_VALUE_{kind}", "desc": desc}
        bindings = {"OutputTensor": name}
        commands.append({"type": "dispatch", "dispatchable": name, "bindings": bindings})
        commands.append({"type": "writeFile", "resource": name, "targetPath": f"{name}.bin"})
    return {"resources": resources, "dispatchables": dispatchables, "commands": commands}


def _union(x):
    """Return a scalar as a model writes it; half precision by its bits."""
    if x.dtype == np.float16:
        return {"UInt16": bits_of(x)}
    if x.dtype.kind != "f":
        return {x.dtype.name.replace("uint", "UInt").replace("int", "Int"): int(x)}
    return {x.dtype.name.title(): float(x) if np.isfinite(x) else number_text(x)}


def fill_files(calls):
    """Fill a file for each call by the command."""
    with tempfile.TemporaryDirectory() as folder:
        for call in calls:
            path = Path(folder, "out.npy")
            names = ("--value",) if call.delta is None else ("--start", "--delta")
            kind = "constant" if call.delta is None else "sequence"
            options = ["--data-type", call.dtype.name, "--rule", call.rule, "-o", str(path)]
            for name, x in zip(names, call.operands, strict=True):
                options += [f"{name}={number_text(x)}"]
            sizes = ",".join(map(str, call.sizes))
            assert main(["fill", kind, *options, "--sizes", sizes]) == 0
            yield np.load(path)


def number_text(x):
    """Write a number exactly, as commands read it."""
    if x.dtype.kind != "f":
        return str(int(x))
    if np.isnan(x):
        return "-nan" if np.signbit(x) else "nan"
    return float(x).hex() if np.isfinite(x) else str(float(x))


# ---- The table -----------------------------------------------------------------------------------


def is_directml(call):
    """No feature level has sequences of FLOAT64, and tensors have 1 to 8 dimensions."""
    has_type = call.dtype != np.float64 or call.delta is None
    return has_type and 1 <= len(call.sizes) <= 8 and math.prod(call.sizes) > 0


def is_packed(call):
    return call.strides is None


def is_sequence(call):
    return call.delta is not None


def is_command_text(call):
    """Of NaNs, only the quiet ones without payload have a name."""
    nan = reference.CANONICAL_NAN.get(call.dtype.itemsize)
    return not any(np.isnan(x) and bits_of(abs(x)) != nan for x in call.operands)


def is_model_text(call):
    """Models write half precision as bits, and of other types one NaN alone."""
    nan = reference.CANONICAL_NAN.get(call.dtype.itemsize)
    is_half = call.dtype == np.float16
    return is_half or not any(np.isnan(x) and bits_of(x) != nan for x in call.operands)


class Door(NamedTuple):
    """A way in: from calls to arrays, and which calls it takes."""

    fill: object
    takes: object = lambda _: True


DOORS = {
    "fill_constant, fill_sequence": Door(in_place(fill_array)),
    "full, sequence": Door(make_array, is_packed),
    "Sequence.write": Door(in_place(write_sequence), is_sequence),
    "_native.fill": Door(in_place(fill_natively)),
    "compiled operator, bytes": Door(in_place(dispatch_into_bytes), is_directml),
    "compiled operator, array": Door(in_place(dispatch_into_an_array), is_directml),
    "compiled operator, new array": Door(dispatch_into_new_memory, is_directml),
    "command list": Door(in_place(execute_commands), is_directml),
    "graph": Door(run_graphs, is_directml),
    "indirectml run": Door(run_models, lambda c: is_directml(c) and is_model_text(c)),
    "indirectml fill": Door(fill_files, lambda c: is_packed(c) and is_command_text(c)),
}

#: The doors that take milliseconds a call.
COMMANDS = {"indirectml run", "indirectml fill"}
