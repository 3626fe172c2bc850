"""Products and convolutions without Python: under sanitizers, and on an emulated Arm processor."""

import os
import platform

import pytest

import indirectml
from tests.native import ARM, build, can_link, find_tool, need, run


def assert_all_checked(output, targets):
    *lines, summary = output.splitlines()
    assert lines == [f"products of {target}: as defined" for target in reversed(targets)]
    assert summary.startswith("check_contraction: ")
    assert "comparisons, no difference" in summary


def test_products_are_right_under_sanitizers(tmp_path):
    compiler = os.environ.get("CXX") or find_tool("c++", "g++", "clang++")
    need({"cmake": find_tool("cmake"), "a C++ compiler": compiler})
    if not can_link(compiler, tmp_path, "-fsanitize=address,undefined"):
        pytest.skip(f"missing: {compiler} has no address and undefined behaviour sanitizers")
    options = (f"-DCMAKE_CXX_COMPILER={compiler}", "-DINDIRECTML_SANITIZE=address,undefined")
    program = build("check_contraction", tmp_path / "build", *options)

    assert_all_checked(run(program), indirectml.available_targets())


def test_products_are_right_on_an_emulated_processor(tmp_path):
    if platform.machine().lower() in {"aarch64", "arm64"}:
        pytest.skip("this processor has NEON; nothing is left to emulate")
    compiler = find_tool("aarch64-linux-gnu-g++")
    emulator = find_tool("qemu-aarch64", "qemu-aarch64-static")
    tools = {"aarch64-linux-gnu-g++": compiler, "qemu-aarch64": emulator}
    need({"cmake": find_tool("cmake"), **tools})
    program = build("check_contraction", tmp_path / "build", *ARM)

    output = run(emulator, "-L", "/usr/aarch64-linux-gnu", program, "40")

    assert_all_checked(output, ("neon", "portable"))
