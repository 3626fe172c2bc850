"""What each operator takes in memory beside what is bound to it, and what its plan says.

Each operator's examples are made as large as they can be along an axis. What a dispatch takes is
what the process has in memory at most, beyond what it had before: Linux counts it, and starts anew
when told so. Run in a process of its own, whose `malloc` gives back what is freed.
"""

import itertools
import json
import math
import sys
from pathlib import Path

import numpy as np

import indirectml as dml
from indirectml.descriptors.definitions import definition, fields_of, implemented_operators
from indirectml.descriptors.examples import examples
from indirectml.operators import descriptor_class

#: Bytes that a tensor has at most, and all of a descriptor at least to be called large.
MOST, LEAST = 1 << 21, 1 << 20

#: Axes along which operators grow whose NumPy forms go from region to region: those of channels.
AXES = dict.fromkeys(("ROI_ALIGN", "ROI_ALIGN1", "ROI_ALIGN_GRAD", "ROI_POOLING"), 1)

#: What `malloc` is told: large memory is the system's, at once.
ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def can_be_measured():
    """Return whether this system counts what a process has at most."""
    return sys.platform == "linux" and _RESET.exists()


def largest(name):
    """Return the largest descriptor that an example of an operator grows to, and its inputs."""
    best = 0, None, None
    for ways in (_by_sizes, _by_tensors, _by_adding):
        for example in examples(definition(name), definition(name).name):
            for desc, inputs in _grown(name, example, ways):
                size = sum(bytes_of(desc))
                if size > best[0]:
                    best = size, desc, inputs
        if best[0] >= LEAST:
            break
    _, desc, inputs = best
    tensors = [t for _, t in desc.tensors("input_tensor")]
    pairs = zip(inputs, tensors, strict=True)
    return desc, [None if t is None else _repeated(a, t.sizes) for a, t in pairs]


def _repeated(array, sizes):
    """Return np.resize(array, sizes): that takes seconds for few elements that become many."""
    count = math.prod(sizes)
    return np.tile(array.ravel(), -(-count // max(array.size, 1)))[:count].reshape(sizes)


def bytes_of(desc):
    """Return the bytes of each tensor."""
    kinds = ("input_tensor", "output_tensor")
    tensors = (t for kind in kinds for _, t in desc.tensors(kind) if t is not None)
    return [t.total_tensor_size_in_bytes for t in tensors]


def _grown(name, example, ways):
    """Yield descriptors, some of whose tensors are larger along some axis, with inputs."""
    sources = {"input_tensor": iter(example.inputs), "output_tensor": iter(example.outputs)}
    known, rows = dict(fields_of(name)), []
    for field, facts in fields_of(definition(name).name):
        if facts.kind == "attribute":
            continue
        source = sources[facts.kind]
        found = list(source) if facts.array else [next(source, None)]
        if field in known:
            rows.append((field, facts, found))
    if example.fields.keys() - known.keys():
        return
    arrays = [a for _, _, found in rows for a in found]
    for axis in range(max(a.ndim for a in arrays if a is not None)):
        if AXES.get(name, axis) != axis:
            continue
        there = {k: a for k, a in enumerate(arrays) if a is not None and a.ndim > axis}
        for chosen, by_adding in ways(there, axis):
            made = _made(name, example, rows, (axis, chosen, by_adding))
            if made is not None:
                yield made


def _by_sizes(arrays, axis):
    """Yield the numbers of arrays of one or two sizes along an axis, which become larger."""
    sizes = {a.shape[axis] for a in arrays.values()} - {0}
    ranks = {a.ndim for a in arrays.values()}
    for those in ({max(ranks)}, ranks):
        for count in (1, 2):
            for some in itertools.combinations(sorted(sizes), count):
                yield (
                    {k for k, a in arrays.items() if a.shape[axis] in some and a.ndim in those},
                    False,
                )


def _by_tensors(arrays, axis):
    """Yield any arrays' numbers, which become longer as many times."""
    there = [k for k, a in arrays.items() if a.shape[axis]]
    for count in range(1, len(there) + 1):
        yield from ((set(some), False) for some in itertools.combinations(there, count))


def _by_adding(arrays, axis):
    """Yield the same, to become longer by as much."""
    yield from ((some, True) for some, _ in _by_tensors(arrays, axis))


def _made(name, example, rows, how):
    """Return a descriptor some of whose tensors are larger along an axis, if there is one."""
    axis, chosen, by_adding = how
    every = [a for _, _, found in rows for a in found]
    if by_adding:
        more = min((MOST * every[k].shape[axis] // every[k].nbytes for k in chosen), default=0)
    else:
        more = MOST // max((every[k].nbytes for k in chosen), default=MOST + 1)
    if not more:
        return None
    numbers = itertools.count()

    def tensor(a):
        number = next(numbers)
        if a is None:
            return None
        sizes = list(a.shape)
        if number in chosen:
            sizes[axis] = sizes[axis] + more if by_adding else sizes[axis] * more
        return dml.TensorDesc(a.dtype, sizes)

    fields, inputs = dict(example.fields), []
    try:
        for field, facts, found in rows:
            descs = [tensor(a) for a in found]
            fields[field] = descs if facts.array else descs[0]
            inputs += found if facts.kind == "input_tensor" else []
        desc = descriptor_class(name)(**fields)
        dml.Device().create_operator(desc)
    except dml.DirectMLError:
        return None
    return desc, inputs


def taken(desc, inputs):
    """Return what a dispatch takes beside inputs and outputs, and what the plan says, in bytes."""
    device = dml.Device()
    compiled = device.compile_operator(device.create_operator(desc))
    outputs = compiled(inputs)
    _RESET.write_text("5")
    before = _bytes_of_process("VmRSS")
    compiled(inputs, out=outputs)
    return _bytes_of_process("VmHWM") - before, compiled.plan.temporary_size


def _bytes_of_process(name):
    lines = _STATUS.read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(name)).split()[1])


def main():
    """Print, by operator, the bytes of its tensors, of what is taken, and of what the plan says."""
    dml.configure(max_threads=1)
    found = {}
    for name in sys.argv[1:] or implemented_operators():
        desc, inputs = largest(name)
        found[name] = (sum(bytes_of(desc)), *taken(desc, inputs))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
