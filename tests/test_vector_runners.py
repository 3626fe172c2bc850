"""The runners of the golden vectors: they accept what is right, and notice what is not."""

import re
import subprocess
import sys
import zipfile

import pytest

from tests import operator_vectors
from tests.make_vectors import FOLDER, main
from tests.native.building import find_tool, need, run

RUNNER = FOLDER / "runner.cpp"
FLOAT32 = FOLDER / "sequence.accumulate.FLOAT32.json"
#: In the runner for C++, and what notices that it is gone.
ADDITION = "value += step"


@pytest.fixture
def compiled(tmp_path):
    """Return a function that compiles the text of the runner for C++."""
    compiler = find_tool("c++", "g++", "clang++")
    need({"a C++ compiler": compiler})

    def compile_text(text):
        source = tmp_path / "runner.cpp"
        source.write_text(text, encoding="utf-8")
        options = ("-O2", "-std=c++17", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
        run(compiler, *options, source, "-o", tmp_path / "runner")
        return tmp_path / "runner"

    return compile_text


def test_the_runner_for_cpp_accepts_the_processors_additions(compiled):
    output = run(compiled(RUNNER.read_text(encoding="utf-8")), FLOAT32)

    assert re.fullmatch(r"1450 elements equal, 0 wrong, 10 too far for .*\n", output)


def test_the_runner_for_cpp_notices_a_wrong_fill(compiled):
    text = RUNNER.read_text(encoding="utf-8")
    broken = compiled(text.replace(ADDITION, "value -= step"))

    done = subprocess.run([broken, FLOAT32], capture_output=True, text=True, check=False)

    assert text.count(ADDITION) == 1
    assert done.returncode == 1
    assert " 0 wrong" not in done.stdout


@pytest.fixture(scope="module")
def operators(tmp_path_factory):
    """Return a folder with the vectors of a few operators, and the runners."""
    folder = tmp_path_factory.mktemp("operators")
    for only in ("ELEMENT_WISE_ADD", "ACTIVATION_RELU"):
        assert operator_vectors.main([str(folder), "--only", only]) == 0
    return folder


def run_operators(program, folder, *names):
    done = subprocess.run(
        [program, folder, *names], capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


def test_the_runner_of_operators_for_cpp_accepts_float_arithmetic(compiled, operators):
    program = compiled((operators / "runner.cpp").read_text(encoding="utf-8"))

    code, said, _ = run_operators(program, operators, "ELEMENT_WISE_ADD", "ACTIVATION_RELU")

    assert code == 0
    assert said.splitlines() == [
        "ELEMENT_WISE_ADD: 24 equal, 0 within the bound, 0 beyond it, 216 left out",
        "ACTIVATION_RELU: 24 equal, 0 within the bound, 0 beyond it, 96 left out",
        "48 cases compared, 0 beyond their bounds",
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "far"),
    [
        ("a = a + b;", "a = a - b;", "is off by "),
        (
            "a > 0 || std::isnan(a) ? a : 0.0f",
            "std::nextafter(a > 0 ? a : 0.0f, 9.0f)",
            "is off by ",
        ),
        ("std::isnan(a) ? a", "std::isnan(a) ? 1.0f", "is off by inf"),
    ],
)
def test_the_runner_of_operators_for_cpp_notices(right, wrong, far, compiled, operators):
    text = (operators / "runner.cpp").read_text(encoding="utf-8")
    assert text.count(right) == 1
    program = compiled(text.replace(right, wrong))

    code, said, _ = run_operators(program, operators, "ELEMENT_WISE_ADD", "ACTIVATION_RELU")

    assert code == 1
    assert far in said


def test_the_runner_of_operators_for_cpp_says_what_is_missing(compiled, operators):
    program = compiled((operators / "runner.cpp").read_text(encoding="utf-8"))

    assert run_operators(program, operators)[0] == 2
    code, _, said = run_operators(program, operators, "GEMMM")
    assert (code, said) == (3, f"{program}: {operators}/GEMMM.json: cannot be read\n")
    # Operators that the function does not take: nothing compared is no success.
    code, said, _ = run_operators(program, operators, "ELEMENT_WISE_ADD1")
    assert (code, said.splitlines()[-1]) == (1, "0 cases compared, 0 beyond their bounds")


def differences(*names):
    done = subprocess.run(
        [sys.executable, FOLDER / "runner.py", *(FOLDER / f"sequence.{n}.json" for n in names)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == bool(done.stdout)
    return done.stdout.splitlines()


def test_the_runner_for_pytorch_accepts_its_sums_and_its_integers():
    pytest.importorskip("torch", reason="the runner is one for PyTorch")
    sums = [f"accumulate.{name}" for name in ("FLOAT16", "FLOAT32", "FLOAT64", "INT8", "UINT8")]
    products = [f"multiply.INT{bits}" for bits in (8, 16, 32, 64)]

    assert differences(*sums, *products) == []


def test_the_runner_for_pytorch_finds_products_that_are_rounded_twice():
    pytest.importorskip("torch", reason="the runner is one for PyTorch")
    page = (FOLDER / "README.md").read_text(encoding="utf-8")

    assert len(differences("multiply.FLOAT32")) == 1
    assert len(differences("multiply.FLOAT64")) == 40
    assert re.search(r"one of 2010 elements; in float64, [^.]* in 40\.", page)


def test_the_download_has_every_file_and_the_same_bytes_each_time(tmp_path, monkeypatch):
    for name in ("once.zip", "again.zip"):
        monkeypatch.setattr("sys.argv", ["make_vectors", "--zip", str(tmp_path / name)])
        assert main() == 0

    assert (tmp_path / "once.zip").read_bytes() == (tmp_path / "again.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "once.zip") as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
    assert names == {*(path.name for path in FOLDER.glob("*.*")), "LICENSE"}
    assert len(names) == 44 + 5 + 1
