"""Golden vectors of operators: reproducible, complete, equal to every bit, and close elsewhere."""

import json
import re

import numpy as np
import pytest

from indirectml.catalogue import operator_names
from tests import operator_vectors
from tests.extent import Extent
from tests.vectors import operator_runner

SEED = 31


def share(count):
    """Return some operators, always the same; all with `--whole`."""
    names = sorted(operator_names())
    if Extent.whole:
        return names
    return [str(n) for n in np.random.default_rng([SEED, count]).permutation(names)[:count]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("vectors")


@pytest.mark.parametrize("name", share(5))
def test_comes_out_byte_for_byte_as_recorded_and_is_what_the_library_gives(name, folder):
    files = operator_vectors.files_of(name)
    for file, content in files.items():
        (folder / file).write_bytes(content)

    found = list(
        operator_runner.results(folder, name, operator_runner.run_indirectml, corners=True)
    )

    record = operator_vectors.recorded()[name]
    assert operator_vectors.digest(files) == record["sha256"]
    assert len(found) == record["cases"]
    assert {distance for _, distance, _ in found} == {0.0}


def test_all_operators_are_recorded():
    assert set(operator_vectors.recorded()) == set(operator_names())


@pytest.mark.parametrize("name", ["GEMM", "ACTIVATION_ELU", "TOP_K1"])
def test_the_runner_compares_with_onnx_runtime(name, folder, capsys):
    pytest.importorskip("onnxruntime", reason="the runner runs ONNX forms in ONNX Runtime")
    for file, content in operator_vectors.files_of(name).items():
        (folder / file).write_bytes(content)

    status = operator_runner.main([str(folder), "--only", name])

    said = capsys.readouterr().out
    assert status == 0, said
    assert f"{name}: " in said
    assert "WRONG" not in said


def test_the_runner_notices_an_element_that_is_wrong(folder, capsys, monkeypatch):
    for file, content in operator_vectors.files_of("ELEMENT_WISE_ABS").items():
        (folder / file).write_bytes(content)
    right = operator_runner.run_indirectml

    def wrong(operator, desc, inputs):
        outputs = [np.array(output) for output in right(operator, desc, inputs)]
        outputs[0].flat[-1] = 77
        return outputs

    monkeypatch.setattr(operator_runner, "run_indirectml", wrong)

    status = operator_runner.main([str(folder), "--only", "ABS", "--with", "indirectml"])

    assert status == 1
    assert "WRONG: case " in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["nowhere"], ["FOLDER", "--only", "NO_SUCH"]])
def test_the_runner_does_not_pass_without_a_case(arguments, folder, capsys):
    with pytest.raises(SystemExit, match="2"):
        operator_runner.main([str(folder) if a == "FOLDER" else a for a in arguments])

    assert "no vectors of operators" in capsys.readouterr().err


def test_what_lies_beside_the_vectors_leads_nowhere_but_there():
    text = operator_vectors.readme()

    assert set(re.findall(r"\]\(([^)]*)\)", text)) == {"runner.py", "runner.cpp"}
    assert "[" not in re.sub(r"```.*?```|`[^`]*`|\[operator_runner.*?\)", "", text, flags=re.DOTALL)


def test_the_page_states_the_numbers_of_cases():
    page = operator_vectors.PAGE.read_text(encoding="utf-8")
    total = sum(each["cases"] for each in operator_vectors.recorded().values())

    assert f"{total:,} cases" in page


@pytest.mark.parametrize(
    ("actual", "expected", "keeps_bits", "distance"),
    [
        ([1.0, 2.0], [1.0, 2.0], False, 0),
        ([1.0, 2 + 2**-22], [1.0, 2.0], False, 1),
        ([np.nan, 2.0], [np.nan, 2.0], True, 0),
        ([-np.nan, 2.0], [np.nan, 2.0], False, 0),
        ([-np.nan, 2.0], [np.nan, 2.0], True, np.inf),
        ([1.0, 2.0], [np.nan, 2.0], False, np.inf),
        ([-np.inf, 2.0], [np.inf, 2.0], False, np.inf),
    ],
)
def test_distances_are_in_ulp_of_the_largest_element(actual, expected, keeps_bits, distance):
    actual, expected = (np.array(a, np.float32) for a in (actual, expected))

    assert operator_runner.distance(actual, expected, keeps_bits) == distance


def test_descriptors_are_stored_as_dispatch_models_write_them():
    vectors = json.loads(operator_vectors.files_of("PADDING1")["PADDING1.json"])

    assert vectors["operator"] == "DML_OPERATOR_PADDING1"
    kinds = {tuple(case["desc"]) for case in vectors["cases"]}
    assert kinds == {
        ("InputTensor", "OutputTensor", "PaddingMode", "PaddingValueDataType", "PaddingValue",
         "StartPadding", "EndPadding"),
    }  # fmt: skip
