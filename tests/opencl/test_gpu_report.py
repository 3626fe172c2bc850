"""What a GPU is measured by, on what is here: that it runs, and that the bits are the same."""

import pytest
from benchmarks import gpu

import indirectml as dml
from indirectml.core.errors import DeviceUnavailableError
from indirectml.opencl import probe
from tests.opencl import whole
from tests.opencl.implementations import needs_pocl, pocl


@needs_pocl
def test_the_report_has_every_case_beside_a_limit(monkeypatch):
    monkeypatch.setattr(probe, "LONG", 1 << 10)
    monkeypatch.setattr(gpu, "_SAMPLE_S", 0)
    monkeypatch.setattr(gpu, "_ROUNDS", 3)

    lines = list(gpu.report(dml.Device(pocl()), scale=16, tests=False))

    rows = [line for line in lines if line.startswith("| ") and line.endswith("|")]
    measured = [row for row in rows if row.endswith("| same |")]
    assert len(measured) == len(gpu.cases(16))
    assert not [row for row in rows if "DIFFER" in row]
    count = len(measured)
    assert f"\n{count} of {count} results have the bits of the CPU device, 0 have others." in lines
    rates = {row.split(" | ")[0][2:] for row in rows}
    assert {"memory", "float32", "int32", "dots"} <= rates
    assert "add float32                    0 of 1024" in lines
    assert lines[-1].startswith("\nThe host's time for 100 steps: ")


def test_a_result_that_differs_is_told(monkeypatch):
    case = gpu.cases(16)[0]
    monkeypatch.setattr(gpu, "measured", lambda *_: (case.work / 5e9, False))

    line = gpu.told(case, None, {"memory": 1e10})

    assert line == (
        f"| a b + a - b | {1e3 * case.work / 5e9:.3g} | 5 GB/s | 0.50 of memory |  "
        "| 0.8 of memory | DIFFER |"
    )


def test_what_a_device_has_no_memory_for_is_told(monkeypatch):
    def refused(*_):
        raise DeviceUnavailableError("needs 2 bytes of memory beside 0 in use, and it has 1")

    monkeypatch.setattr(gpu, "measured", refused)
    case = gpu.cases(16)[0]

    line = gpu.told(case, None, {})

    assert line.startswith(f"| {case.what} | ")
    assert line.endswith("| needs 2 bytes of memory beside 0 in use, and it has 1 |")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cpu", "needs a device of OpenCL, such as opencl or opencl:1, got 'cpu'"),
        ("opencl:999", "device 'opencl:999' is not available: "),
    ],
)
def test_a_device_that_is_not_there_is_a_sentence(name, said, tmp_path, capsys):
    out = tmp_path / "gpu.md"

    with pytest.raises(SystemExit):
        gpu.main(["--device", name, "--out", str(out)])

    assert said in capsys.readouterr().err
    assert not out.exists()


def test_tests_that_fail_are_told(monkeypatch):
    class Done:
        stdout, stderr = "..F.\nFAILED tests/opencl/a.py::b\n1 failed, 3 passed", ""

    monkeypatch.setattr(gpu.subprocess, "run", lambda *_, **__: Done)

    assert gpu.tests_on("opencl") == "FAILED tests/opencl/a.py::b\n1 failed, 3 passed"


def test_a_scale_that_divides_by_nothing_is_a_sentence(tmp_path, capsys):
    out = tmp_path / "gpu.md"
    with pytest.raises(SystemExit):
        gpu.main(["--scale", "0", "--out", str(out)])
    assert "needs a scale from 1 up, got 0" in capsys.readouterr().err
    assert not out.exists()


def test_kernels_are_not_tried_on_a_device_that_is_not_there(capsys):
    assert whole.main("opencl:999") == 2
    assert capsys.readouterr().out.startswith("device 'opencl:999' is not available: ")
