"""The house of the OpenCL device: data that stays there, what is refused, what is counted."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from tools import opencl_page

import indirectml as dml
from indirectml import devices
from indirectml.devices import opencl as file
from indirectml.opencl import context, platforms, probe, steps, words
from indirectml.opencl.launches import Source, index_define, merged
from indirectml.plans import ProgramStep
from tests.bits import assert_bits_equal
from tests.opencl.implementations import ROOT, needs_pocl, pocl

pytestmark = needs_pocl


@pytest.fixture
def device():
    return dml.Device(pocl())


@pytest.fixture
def used(device):
    """Return the device in use, whose counts are from here on."""
    found = device.implementation.context
    found.counts.clear()
    found.heap.counts.clear()
    return found


def scaled(device, sizes=(3, 5)):
    """Return a graph with a constant: (x * c + x) and its rows by indices."""
    graph = dml.Graph(device)
    x = graph.input(sizes, name="x")
    c = graph.constant(np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes))
    return graph.compile([x * c + x])


def array(*sizes, seed=0):
    return np.random.default_rng(seed).standard_normal(sizes).astype(np.float32)


def test_what_is_there_is_listed():
    found = devices.found_devices()

    assert next(iter(found)) == "cpu"
    line = found[pocl()]
    facts = dml.Device(pocl()).implementation.context.facts
    assert line.startswith(f"{facts.name}; {facts.platform}, {facts.version}, driver")
    assert "FLOAT64" in line
    assert "no FLOAT64" not in line


def test_without_pyopencl_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(platforms, "cl", None)

    assert file.missing() == "pyopencl is not installed; try: pip install 'indirectml[opencl]'"


def test_without_an_implementation_a_sentence_says_what_to_install():
    code = "import indirectml as dml; dml.Device('opencl')"
    nothing = os.environ | {"OCL_ICD_VENDORS": "/nowhere/", "OCL_ICD_FILENAMES": ""}

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=nothing
    )

    assert "there is no OpenCL device on this machine; the driver of a GPU" in done.stderr


# ---- data that stays there -----------------------------------------------------------------------


def test_outputs_stay_there_and_constants_go_up_once(device, used):
    compiled = scaled(device)
    x = array(3, 5)
    (expected,) = scaled(dml.Device())({"x": x})
    (again,) = scaled(dml.Device())({"x": expected})
    compiled({"x": x})
    used.heap.counts.clear()

    (kept,) = compiled({"x": x}, readback=False)
    assert used.heap.counts == {"up": x.nbytes}
    (more,) = compiled({"x": kept}, readback=False)

    assert used.heap.counts == {"up": x.nbytes}
    assert_bits_equal(actual=more.numpy(), expected=again)
    assert used.heap.counts == {"up": x.nbytes, "down": x.nbytes}
    assert not [name for name in used.counts if name != "launches"]


def test_outputs_may_be_arrays_of_the_caller(device):
    compiled, x = scaled(device), array(3, 5)
    (expected,) = scaled(dml.Device())({"x": x})
    out = np.empty((3, 5), np.float32)

    (found,) = compiled({"x": x}, out=[out])

    assert found is out
    assert_bits_equal(actual=out, expected=expected)


def test_a_buffer_there_is_no_array_to_write_to(device):
    tensor = dml.TensorDesc(np.float32, [4])
    desc = dml.FillValueConstantOperatorDesc(tensor, np.float32, 13.0)
    buffer = dml.Buffer(device, np.zeros(4, np.float32))

    with pytest.raises(dml.LayoutError, match="needs a writable array, got a read-only one"):
        device.compile_operator(device.create_operator(desc))(out=[buffer])

    assert not np.asarray(buffer).flags.writeable
    assert buffer.numpy().flags.writeable


def test_recorded_dispatches_go_up_and_down_once(device, used):
    tensor = dml.TensorDesc(np.float32, [4])
    add = device.compile_operator(
        device.create_operator(dml.ElementWiseAddOperatorDesc(tensor, tensor, tensor))
    )
    memory = bytearray(96)
    memory[:32] = np.arange(8, dtype=np.float32).tobytes()
    recorder, commands = device.create_command_recorder(), dml.CommandList(device)
    initializer = device.create_operator_initializer([add])
    recorder.record_dispatch(commands, initializer, device.create_binding_table(initializer))
    for a, b, to in ((0, 16, 32), (32, 16, 48), (48, 48, 64)):
        table = device.create_binding_table(add)
        table.bind_inputs([dml.BufferBinding(memory, at, 16) for at in (a, b)])
        table.bind_outputs([dml.BufferBinding(memory, to, 16)])
        recorder.record_dispatch(commands, add, table)
    commands.close()

    dml.CommandQueue(device).execute(commands)

    numbers = np.frombuffer(memory, np.float32)
    assert numbers[8:].tolist() == [4, 6, 8, 10, 8, 11, 14, 17, 16, 22, 28, 34, 0, 0, 0, 0]
    assert used.counts["launches"] == 3
    assert (used.heap.counts["up"], used.heap.counts["down"]) == (80, 48)


def recorded(device, bindings, count=4):
    """Return what executes a sum for each of some bindings: two inputs and an output."""
    tensor = dml.TensorDesc(np.float32, [count])
    add = device.compile_operator(
        device.create_operator(dml.ElementWiseAddOperatorDesc(tensor, tensor, tensor))
    )
    initializer = device.create_operator_initializer([add])
    recorder, queue = device.create_command_recorder(), dml.CommandQueue(device)
    first, commands = dml.CommandList(device), dml.CommandList(device)
    recorder.record_dispatch(first, initializer, device.create_binding_table(initializer))
    for *given, output in bindings:
        table = device.create_binding_table(add)
        table.bind_inputs(given)
        table.bind_outputs([output])
        recorder.record_dispatch(commands, add, table)
    for each in (first, commands):
        each.close()
    queue.execute(first)
    return lambda: queue.execute(commands)


def test_recorded_dispatches_over_buffers_transfer_only_what_the_host_has(device, used):
    kept = dml.Buffer(device, np.arange(8, dtype=np.float32))
    between, result = (dml.Buffer(device, np.zeros(4, np.float32)) for _ in range(2))
    changed = np.ones(4, np.float32)
    first, second = dml.BufferBinding(kept, 0, 16), dml.BufferBinding(kept, 16, 16)
    to, of_host = dml.BufferBinding(between), dml.BufferBinding(changed)
    stays = recorded(device, [(first, second, to), (to, second, dml.BufferBinding(result))])
    mixed = recorded(device, [(first, of_host, dml.BufferBinding(result))])
    used.heap.counts.clear()

    for _ in range(2):
        stays()

    assert not used.heap.counts
    assert result.numpy().tolist() == [8, 11, 14, 17]
    used.heap.counts.clear()
    for number in (5.0, 7.0):
        changed[:] = number
        mixed()
    assert dict(used.heap.counts) == {"up": 32}
    assert result.numpy().tolist() == [7, 8, 9, 10]


def test_ranges_of_buffers_that_overlap_are_refused(device):
    buffer = dml.Buffer(device, np.zeros(12, np.float32))
    ranges = [dml.BufferBinding(buffer, at, 32) for at in (0, 0, 16)]

    with pytest.raises(dml.DeviceLostError, match="overlap"):
        recorded(device, [ranges], 8)


def test_a_buffer_of_another_device_is_bound_as_a_copy(device):
    there = dml.Buffer(device, np.arange(4, dtype=np.float32))
    out = np.zeros(4, np.float32)
    binding = dml.BufferBinding(there)

    recorded(dml.Device(), [(binding, binding, dml.BufferBinding(out))])()

    assert out.tolist() == [0, 2, 4, 6]


def test_temporary_resources_of_recorded_dispatches_stay_there(device, used):
    graph = dml.Graph(device)
    x = graph.input([3, 3], name="x")
    made = graph.compile([dml.gemm(dml.exp(x), x)])
    given, out = array(3, 3).view(np.uint8).reshape(-1), np.zeros(36, np.uint8)
    temporary = np.zeros(made.plan.temporary_size, np.uint8)
    bound = device.implementation.bind(
        [(made.plan.steps_in_place, [given, out, temporary, None])] * 2
    )
    used.heap.counts.clear()

    bound.execute()

    assert dict(used.heap.counts) == {"up": 2 * 36, "down": 36}
    (expected,) = made({"x": array(3, 3)})
    assert out.tobytes() == expected.tobytes()
    assert temporary.size
    assert not temporary.any()


def test_memory_that_overlaps_does_so_on_the_device(device):
    memory = np.arange(32, dtype=np.uint8)
    with device.implementation.context.used():
        mirror = file.Mirror(
            device.implementation.context, [memory[4:20], memory[8:12], memory[24:]]
        )
        parts = [mirror.of(x) for x in (memory[4:20], memory[8:12], memory[24:])]

        assert parts[0].buffer is parts[1].buffer
        assert parts[1].offset - parts[0].offset == 4
        assert parts[2].buffer is not parts[0].buffer
        found = [x.heap.read(x).tolist() for x in parts]

    assert found == [[*range(4, 20)], [*range(8, 12)], [*range(24, 32)]]


def test_threads_share_a_device(device):
    compiled = scaled(device)
    given = [array(3, 5, seed=k) for k in range(8)]
    wanted = [scaled(dml.Device())({"x": x})[0] for x in given]
    found = [None] * len(given)

    def work(k):
        for _ in range(20):
            (found[k],) = compiled({"x": given[k]})

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(given))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for actual, expected in zip(found, wanted, strict=True):
        assert_bits_equal(actual=actual, expected=expected)


def test_memory_comes_back(device, used):
    compiled, x = scaled(device), array(3, 5)
    compiled({"x": x})
    held = used.heap.held_bytes

    for _ in range(3):
        compiled({"x": x})

    assert used.heap.held_bytes == held


def test_memory_that_came_back_is_given_out_again(device, used):
    used.heap.forget()
    first = device.implementation.new_memory(4321, zeroed=False)
    buffer, first = first.buffer.int_ptr, None

    again = device.implementation.new_memory(4321, zeroed=True)

    assert (again.buffer.int_ptr, used.heap.kept_bytes) == (buffer, 0)
    assert not used.heap.read(again).any()


def test_what_is_kept_goes_before_memory_is_refused(device, used, monkeypatch):
    used.heap.forget()
    device.implementation.new_memory(5000, zeroed=False)
    assert used.heap.kept_bytes == 5000
    has = used.heap.held_bytes + 6000
    monkeypatch.setattr(used.heap, "_facts", _with(used.facts, memory_bytes=has))

    more = device.implementation.new_memory(5500, zeroed=False)

    assert more.size_bytes == 5500
    assert used.heap.kept_bytes == 0
    del more
    assert used.heap.kept_bytes == 0  # more than a part of all the memory that there is


def test_the_profile_shows_what_is_transferred(device, monkeypatch):
    monkeypatch.delitem(words.registry(), "softmax")
    graph = dml.Graph(device)
    x = graph.input([3, 5], name="x")
    made = graph.compile([dml.activation_softmax(dml.exp(x))])

    found = made.profile({"x": array(3, 5)}, runs=2)

    by_step = {step.name: step.transferred_bytes for step in found.steps}
    assert by_step == {"program": 0, "softmax": 180}
    # What it writes comes down before, too: a step may leave bytes between elements alone.
    assert found.transferred_bytes == (120, 120)
    assert "120 bytes up to the device and 120 down in one call" in str(found)
    assert f"(least of 2 runs; {device.name})" in str(found)
    assert "(ACTIVATION_SOFTMAX); 180 bytes transferred" in str(found)


# ---- what is refused -----------------------------------------------------------------------------


def test_memory_that_is_not_there_is_refused_before_anything_runs(device, used, monkeypatch):
    compiled, x = scaled(device), array(3, 5)
    compiled({"x": x})
    used.counts.clear()
    few = used.heap.held_bytes + 70
    monkeypatch.setattr(used.heap, "_facts", _with(used.facts, memory_bytes=few))

    with pytest.raises(dml.DeviceUnavailableError) as caught:
        compiled({"x": x})

    beside = f"needs 60 bytes of memory beside {few - 10} in use, and "
    assert str(caught.value) == f"{beside}{used.facts.name} has {few}"
    assert used.counts["launches"] == 0
    monkeypatch.setattr(used.heap, "_facts", _with(used.facts, allocation_bytes=59))
    with pytest.raises(dml.DeviceUnavailableError, match=r"needs 60 bytes of memory at once, and "):
        compiled({"x": x})


def _with(facts, **changes):
    """Return facts with others in their places."""
    return type(facts)(**(vars(facts) | changes))


def test_a_lost_device_says_why_and_the_process_goes_on(device, monkeypatch):
    compiled, x = scaled(device), array(3, 5)
    (expected,) = compiled({"x": x})
    (kept,) = compiled({"x": x}, readback=False)

    def fail(*_):
        raise platforms.cl.RuntimeError("clEnqueueNDRangeKernel failed: OUT_OF_RESOURCES")

    with monkeypatch.context() as patch:
        patch.setattr(platforms.cl, "enqueue_nd_range_kernel", fail)
        with pytest.raises(dml.DeviceLostError) as caught:
            compiled({"x": x})
    name = device.implementation.context.facts.name
    assert str(caught.value) == (
        f"{name} is lost: clEnqueueNDRangeKernel failed: OUT_OF_RESOURCES; "
        "make a new device and everything on it"
    )
    with pytest.raises(dml.DeviceLostError, match="OUT_OF_RESOURCES"):
        kept.numpy()
    with pytest.raises(dml.DeviceLostError, match="OUT_OF_RESOURCES"):
        compiled({"x": x})
    (again,) = scaled(dml.Device(pocl()))({"x": x})
    assert_bits_equal(actual=again, expected=expected)


def test_a_kernel_that_is_no_kernel_is_refused(device):
    used = device.implementation.context

    with pytest.raises(dml.DeviceUnavailableError, match="refuses a kernel"), used.used():
        used.library.kernel(Source((), (), "kernel void broken(nonsense x) {}"), "broken")

    (found,) = scaled(device)({"x": array(3, 5)})
    assert found.shape == (3, 5)


def test_a_device_that_does_not_open_says_why(monkeypatch):
    first = platforms.devices()[0]

    def fail(*_):
        raise platforms.cl.RuntimeError("Context failed: OUT_OF_HOST_MEMORY")

    monkeypatch.setattr(platforms.cl, "Context", fail)
    with pytest.raises(dml.DeviceUnavailableError) as caught:
        context.Context(first)
    assert str(caught.value) == (
        f"{platforms.facts_of(first).name} cannot be opened: Context failed: "
        "OUT_OF_HOST_MEMORY; others may hold all that it has; try again with fewer processes"
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_is_refused():
    code = f"""
import os, numpy as np, indirectml as dml
device = dml.Device({pocl()!r})
if os.fork() == 0:
    try:
        dml.Buffer(device, np.zeros(3, np.float32))
    except dml.DeviceUnavailableError as error:
        os._exit(7 if "before this process was forked" in str(error) else 1)
    os._exit(2)
print(os.waitstatus_to_exitcode(os.wait()[1]))
dml.Buffer(device, np.zeros(3, np.float32))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "7"


# ---- the probe -----------------------------------------------------------------------------------


def test_the_probe_finds_what_is_wrong(device, monkeypatch):
    used = device.implementation.context
    wrong = probe.Operation("add float32", "quiet(number(a) - number(b))", lambda a, b, _: a + b)
    absent = probe.Operation("fma float32", "nothing(a)", lambda a, *_: a)
    monkeypatch.setitem(probe.OPERATIONS, 32, (wrong, absent))

    with used.used():
        verdict = probe.probed(
            used.library.context, used.queue, used.facts, used.library.options, 1 << 12
        )

    assert verdict.wrong["add float32"] > 1000
    assert verdict.wrong["fma float32"] is None
    assert verdict.wrong["add float64"] == 0
    assert "wrong: add float32, fma float32" in verdict.line
    abilities = probe.abilities_of(used.facts, verdict)
    assert not abilities.can("add float32")
    assert not abilities.has_float64
    assert not {"FUSED_BY_FLOAT64", SINGLES} & set(abilities.defines)


SINGLES, ROOTED = BOTH = ("SINGLES_BY_DEVICE", "ROOTED_BY_DEVICE")


@pytest.mark.parametrize(
    ("wrong", "has_float64", "defines"),
    [
        ([], True, ("HAS_FLOAT64", "FUSED_BY_DEVICE", "DIVIDED_BY_DEVICE", *BOTH)),
        (["fma float32"], True, ("HAS_FLOAT64", "FUSED_BY_FLOAT64", "DIVIDED_BY_DEVICE", *BOTH)),
        (["fma float32", "divide float32"], False, BOTH),
        (["sqrt float64", "fma float32"], True, ("DIVIDED_BY_DEVICE", *BOTH)),
        (["float64 of int64"], True, ("FUSED_BY_DEVICE", "DIVIDED_BY_DEVICE", *BOTH)),
        (["sqrt float32"], False, ("FUSED_BY_DEVICE", "DIVIDED_BY_DEVICE", SINGLES)),
        (["multiply float32"], True, ("FUSED_BY_DEVICE", "DIVIDED_BY_DEVICE", ROOTED)),
        (["multiply and add float32"], True, ("FUSED_BY_DEVICE", "DIVIDED_BY_DEVICE", ROOTED)),
    ],
)
def test_what_is_wrong_is_replaced(device, wrong, has_float64, defines):
    facts = _with(device.implementation.context.facts, has_float64=has_float64, vector_width=1)
    names = probe.names(facts)

    abilities = probe.abilities_of(
        facts, probe.Verdict(1, dict.fromkeys(names, 0) | dict.fromkeys(wrong, 3))
    )

    assert abilities.defines == defines
    assert abilities.can("divide float32")


def test_a_verdict_is_kept_for_a_driver_and_kernels(device, tmp_path, monkeypatch):
    used = device.implementation.context
    monkeypatch.setattr(probe, "cache_folder", lambda: tmp_path / "opencl")
    monkeypatch.setattr(probe, "BRIEF", 256)
    arguments = used.library.context, used.queue, used.facts, used.library.options
    first = probe.verdict_of(*arguments)
    (path,) = (tmp_path / "opencl").iterdir()

    path.write_text(path.read_text().replace('"add float32": 0', '"add float32": 5'))
    assert probe.verdict_of(*arguments).wrong["add float32"] == 5
    path.write_text("no verdict")
    assert probe.verdict_of(*arguments).wrong == first.wrong
    other = _with(used.facts, driver="another")
    probe.verdict_of(*arguments[:2], other, arguments[3])
    assert len(list((tmp_path / "opencl").iterdir())) == 2


def test_without_an_operation_its_steps_run_by_numpy(device):
    used = device.implementation.context
    verdict = probe.Verdict(1, used.verdict.wrong | {"subtract float32": 1})
    poor = probe.abilities_of(used.facts, verdict)
    graph = dml.Graph(device)
    x = graph.input([3, 5], name="x")
    plan = graph.compile([dml.activation_softmax(dml.exp(x) - x)]).plan

    assert all(device.implementation.has_form(step) for step in plan.steps)
    has_form = {
        isinstance(step, ProgramStep): steps.launches_of(step, poor) is not None
        for step in plan.steps
    }
    assert has_form == {True: True, False: False}


# ---- parts ---------------------------------------------------------------------------------------


def test_places_are_32_bits_wide_where_they_fit():
    assert index_define((2**31 - 1,), [(1,)]) == "INDEX=int"
    assert index_define((2**31,), [(1,)]) == "INDEX=long"
    assert index_define((2, 2), [(2**30, -(2**30))]) == "INDEX=long"
    assert merged((), [()]) == ((), ((),))
    assert merged((2, 3), [(3, 1), (6, 2)]) == ((6,), ((1,), (2,)))
    assert merged((2, 3), [(3, 1), (1, 2)]) == ((2, 3), ((3, 1), (1, 2)))


def test_the_commands_run_there_too():
    def command(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "indirectml", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )

    given = ("ELEMENT_WISE_ADD", "--input", "a=[1, 2]", "--input", "b=[0.5, 4]")
    there = command("run", *given, "--device", pocl())
    assert "Output 'output': FLOAT32 [2]\nResource 'output': 1.5, 6" in there.stdout
    assert there.stdout.startswith(f"Running ELEMENT_WISE_ADD on '{pocl()}: ")
    explained = command("explain", "CONVOLUTION", "--device", pocl())
    assert (
        f"Its example on a device\n{'-' * 23}\n1 of 1 step runs on {pocl()}\n" in explained.stdout
    )
    absent = command("run", *given, "--device", "opencl:77")
    assert "device 'opencl:77' is not available: needs a number below" in absent.stderr
    assert absent.returncode


def test_every_word_has_its_limits_on_paper():
    listed = [name for _, own, *_ in opencl_page.ROOFLINE for name in own]

    assert len(listed) == len(set(listed))
    assert set(listed) == set(words.names())
