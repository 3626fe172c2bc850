"""Small calls: what everything around the kernel costs."""

from __future__ import annotations

import numpy as np

import indirectml as dml
from benchmarks.peers import torch
from benchmarks.sections.section import Context, Section
from benchmarks.timing import Job

NAME = "calls"


def run(context: Context) -> Section:
    """Fill arrays of 3 elements, so that only the calls cost time."""
    section = Section(NAME, "Small calls, 3 elements of float32", "np.full(3, 1.5, np.float32)")
    out = np.empty(3, np.float32)
    device = dml.Device()
    tensor = dml.TensorDesc(np.float32, [3])
    descs = {
        "same": dml.FillValueConstantOperatorDesc(tensor, np.float32, 1.5),
        "ramp": dml.FillValueSequenceOperatorDesc(tensor, np.float32, 1.5, 0.25),
    }
    compiled = {n: device.compile_operator(device.create_operator(d)) for n, d in descs.items()}
    names = {
        "np": np,
        "dml": dml,
        "out": out,
        "outs": [out],
        "f32": np.float32(1.5),
        "view": np.empty((3, 2), np.float32)[:, 0],
        "s": dml.Sequence(0, 0.1),
        "last": 10**9,
        **compiled,
    }
    jobs = [
        Job("fill_constant(out, 1.5)", "dml.fill_constant(out, 1.5)", names, bar=1.0),
        Job("fill_constant(out, 2)", "dml.fill_constant(out, 2)", names),
        Job("fill_constant(out, np.float32(1.5))", "dml.fill_constant(out, f32)", names),
        Job("fill_constant(view with gaps, 1.5)", "dml.fill_constant(view, 1.5)", names),
        Job("fill_sequence(out, 1.5, 0.25)", "dml.fill_sequence(out, 1.5, 0.25)", names),
        Job("full(3, 1.5)", "dml.full(3, 1.5)", names),
        Job("compiled constant, same out again", "same(out=outs)", names, bar_us=1.0),
        Job("compiled sequence, same out again", "ramp(out=outs)", names, bar_us=1.0),
        Job("compiled constant, new array", "same()", names),
        Job("Sequence(0, 0.1)", "dml.Sequence(0, 0.1)", names),
        Job("Sequence(0, 0.1)[10**9]", "s[last]", names),
        Job("Sequence(0, 0.1)[5:8]", "s[5:8]", names),
        Job("out.fill(1.5)", "out.fill(1.5)", names, peer=True),
        Job("np.arange(3, dtype=np.float32)", "np.arange(3, dtype=np.float32)", names, peer=True),
    ]
    if torch is not None:
        torch_names = {"t": torch.from_numpy(out)}
        jobs.append(Job("torch fill_(1.5)", "t.fill_(1.5)", torch_names, peer=True))
        names["t"] = torch_names["t"]
        jobs.append(Job("fill_constant(torch tensor, 1.5)", "dml.fill_constant(t, 1.5)", names))
    limit = Job("np.full(3, 1.5, np.float32)", "np.full(3, 1.5, np.float32)", names)
    section.add(limit, jobs, context.rounds(25), sample_s=context.sample_s)
    return section
