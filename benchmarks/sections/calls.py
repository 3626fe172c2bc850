"""Small calls: what everything around the kernel costs."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import indirectml as dml
from benchmarks.peers import peer_jobs, torch
from benchmarks.sections.section import Context, Section
from benchmarks.timing import Job

NAME = "calls"

_RECORDED = 1000


def run(context: Context) -> Section:
    """Fill arrays of 3 elements, so that only the calls cost time."""
    section = Section(
        NAME,
        "Small calls, 3 elements of float32",
        "np.full(3, 1.5, np.float32)",
        notes=["peers fill the same 3 elements, or make a new array of them"],
    )
    out = np.empty(3, np.float32)
    names = {
        "np": np,
        "dml": dml,
        "out": out,
        "f32": np.float32(1.5),
        "view": np.empty((3, 2), np.float32)[:, 0],
        "s": dml.Sequence(0, 0.1),
        "last": 10**9,
    }
    jobs = [
        Job("fill_constant(out, 1.5)", "dml.fill_constant(out, 1.5)", names, bar=1.0),
        Job("fill_constant(out, 2)", "dml.fill_constant(out, 2)", names),
        Job("fill_constant(out, np.float32(1.5))", "dml.fill_constant(out, f32)", names),
        Job("fill_constant(view with gaps, 1.5)", "dml.fill_constant(view, 1.5)", names),
        Job("fill_sequence(out, 1.5, 0.25)", "dml.fill_sequence(out, 1.5, 0.25)", names),
        Job("full(3, 1.5)", "dml.full(3, 1.5)", names),
        Job("sequence(3, 1.5, 0.25)", "dml.sequence(3, 1.5, 0.25)", names),
        *_object_model(out),
        Job("Sequence(0, 0.1)", "dml.Sequence(0, 0.1)", names),
        Job("Sequence(0, 0.1)[10**9]", "s[last]", names),
        Job("Sequence(0, 0.1)[5:8]", "s[5:8]", names),
    ]
    jobs += [
        dataclasses.replace(job, size_bytes=0) for job in peer_jobs(out, context.limit, "peer")
    ]
    if torch is not None:
        names["t"] = torch.from_numpy(out)
        jobs.append(Job("fill_constant(torch tensor, 1.5)", "dml.fill_constant(t, 1.5)", names))
    jobs = [dataclasses.replace(job, series=job.what) for job in jobs]
    limit = Job("np.full(3, 1.5, np.float32)", "np.full(3, 1.5, np.float32)", names)
    section.add(limit, jobs, context.rounds(25), sample_s=context.sample_s)
    return section


def _object_model(out: np.ndarray[Any, Any]) -> list[Job]:
    """Return one dispatch after the other: from nothing, compiled before, recorded before."""
    device = dml.Device()
    tensor = dml.TensorDesc(np.float32, [3])
    constant = dml.FillValueConstantOperatorDesc(tensor, np.float32, 1.5)
    ramp = dml.FillValueSequenceOperatorDesc(tensor, np.float32, 1.5, 0.25)
    names = {
        "outs": [out],
        "device": device,
        "desc": constant,
        "same": device.compile_operator(device.create_operator(constant)),
        "ramp": device.compile_operator(device.create_operator(ramp)),
        "queue": dml.CommandQueue(device),
        "commands": _recorded(device, ramp),
    }
    one_shot = "device.compile_operator(device.create_operator(desc))(out=outs)"
    return [
        Job("create, compile and dispatch a constant", one_shot, names),
        Job("compiled constant, new array", "same()", names),
        Job("compiled constant, same out again", "same(out=outs)", names, bar_us=1.0),
        Job("compiled sequence, same out again", "ramp(out=outs)", names, bar_us=1.0),
        Job(
            f"one of {_RECORDED} recorded sequences",
            "queue.execute(commands)",
            names,
            scale=_RECORDED,
        ),
    ]


def _recorded(device: dml.Device, desc: dml.OperatorDesc) -> dml.CommandList:
    """Return a list that dispatches an operator to one buffer after the other."""
    operator = device.compile_operator(device.create_operator(desc))
    recorder = device.create_command_recorder()
    commands = dml.CommandList(device)
    initializer = device.create_operator_initializer([operator])
    recorder.record_dispatch(commands, initializer, device.create_binding_table(initializer))
    commands.close()
    dml.CommandQueue(device).execute(commands)
    commands = dml.CommandList(device)
    for _ in range(_RECORDED):
        table = device.create_binding_table(operator)
        table.bind_inputs([])
        table.bind_outputs([dml.BufferBinding(bytearray(16), 0, 12)])
        recorder.record_dispatch(commands, operator, table)
    commands.close()
    return commands
