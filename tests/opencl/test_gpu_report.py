"""What a GPU is measured by, on what is here: that it runs, and that the bits are the same."""

from benchmarks import gpu

from indirectml.opencl import probe
from tests.opencl.implementations import needs_pocl, pocl


@needs_pocl
def test_the_report_has_every_case_beside_a_limit(monkeypatch):
    monkeypatch.setattr(probe, "LONG", 1 << 10)
    monkeypatch.setattr(gpu, "_SAMPLE_S", 0)
    monkeypatch.setattr(gpu, "_ROUNDS", 3)

    lines = list(gpu.report(pocl(), scale=16, tests=False))

    rows = [line for line in lines if line.startswith("| ") and line.endswith("|")]
    measured = [row for row in rows if row.endswith("| same |")]
    assert len(measured) == len(gpu.cases(16))
    assert not [row for row in rows if "DIFFER" in row]
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


def test_tests_that_fail_are_told(monkeypatch):
    class Done:
        stdout, stderr = "..F.\nFAILED tests/opencl/a.py::b\n1 failed, 3 passed", ""

    monkeypatch.setattr(gpu.subprocess, "run", lambda *_, **__: Done)

    assert gpu.tests_on("opencl") == "FAILED tests/opencl/a.py::b\n1 failed, 3 passed"
