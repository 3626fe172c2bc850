"""The indirectml command as a person meets it: text, exit codes, no tracebacks."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import indirectml as dml
from indirectml.cli import main
from indirectml.cli.command import COMMANDS
from indirectml.descriptors.definitions import implemented_operators
from indirectml.fills.sequences import RULES

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
RAMP = EXAMPLES / "fill_value_sequence.json"

#: The published values of the examples, and of the model that DxDispatch ships.
EXPECTED = {
    "fill_value_sequence.json": "Resource 'Out': 3.2, 4.7, 6.2, 7.7, 9.2",
    "published_constant.json": "Resource 'Out': 13, 13, 13, 13, 13, 13, 13, 13",
    "published_sequence_1d.json": "Resource 'Out': 3, 5, 7",
    "published_sequence_2d.json": "Resource 'Out': 10, 8, 6, 4",
}


def test_every_example_model_has_an_expected_output():
    assert {p.name for p in EXAMPLES.glob("*.json")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
def test_example_models_give_the_published_values_at_2_1(name, rule, capsys):
    arguments = ["run", str(EXAMPLES / name), "--feature-level", "2_1", "--sequence-rule", rule]

    assert main(arguments) == 0

    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("Running on 'CPU (")
    assert last == EXPECTED[name]


def test_the_example_script_prints_the_published_values():
    done = subprocess.run(
        [sys.executable, EXAMPLES / "published_examples.py"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stdout.splitlines() == [
        "[[[[13. 13. 13. 13.]",
        "   [13. 13. 13. 13.]]]]",
        "[[[[3. 5. 7.]]]]",
        "[[[[10  8]",
        "   [ 6  4]]]]",
    ]


def test_output_and_errors_go_to_their_own_streams(capsys):
    main(["run", str(RAMP)])
    assert capsys.readouterr().err == ""

    main(["run", str(RAMP.with_name("nothing.json"))])
    assert capsys.readouterr().out == ""


def model_file(tmp_path, text):
    path = tmp_path / "model.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


INT64_AT_2_1 = RAMP.read_text(encoding="utf-8").replace("FLOAT32", "INT64").replace(".2", "")
BAD_FILES = [
    pytest.param("{", 1, ":1:2: needs a key in double quotes or '}', got the end of the text; "
                 "the '{' at line 1, column 1 is still open", id="broken JSON"),
    pytest.param("[]", 1, ":1:1: needs an object, got an array", id="array"),
    pytest.param(b"\xff\xfe{}", 1, ": needs UTF-8, got UTF-16; save the file as UTF-8",
                 id="UTF-16"),
    pytest.param('{"a": 1}'.encode("utf-16-le"), 1,
                 ": needs UTF-8, got UTF-16; save the file as UTF-8", id="UTF-16 without a mark"),
    pytest.param(RAMP.read_text(encoding="utf-8").replace("VALUE_SEQUENCE", "VALUE_SERIES"), 1,
                 ":12:21: dispatchables.ramp.type: needs the name of a DirectML operator, "
                 "got 'DML_OPERATOR_FILL_VALUE_SERIES'; did you mean 'FILL_VALUE_SEQUENCE'",
                 id="unknown operator"),
    pytest.param(INT64_AT_2_1.replace("1.5", "1"), 1,
                 ":14:47: dispatchables.ramp.desc.OutputTensor.DataType: needs one of FLOAT32, "
                 "FLOAT16, INT32, INT16, INT8, UINT32, UINT16, UINT8 at feature level 2_1, "
                 "got INT64",
                 id="INT64 at 2_1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "message"), BAD_FILES)
def test_bad_models_end_with_one_sentence_and_code_1(tmp_path, capsys, text, code, message):
    path = model_file(tmp_path, text)

    assert main(["run", str(path), "--feature-level", "2_1"]) == code
    first, *excerpt = capsys.readouterr().err.splitlines()
    assert first == f"indirectml: {path}{message}".replace("PATH", str(path))
    assert [line.strip() for line in excerpt[1:]] == ["^"] * ("UTF" not in message)


def test_a_missing_file_is_an_input_error_and_an_empty_folder_wrong_usage(tmp_path, capsys):
    assert main(["run", str(tmp_path)]) == 2
    assert main(["run", str(tmp_path / "no.json")]) == 3

    folder, missing = capsys.readouterr().err.splitlines()
    assert folder == (
        f"indirectml: needs a folder with .json files directly in it, got {str(tmp_path)!r}"
    )
    assert missing == f"indirectml: {tmp_path / 'no.json'}: No such file or directory"


USAGE = [
    pytest.param(["rum"], f"needs a command out of {', '.join(COMMANDS)}, got 'rum'",
                 id="unknown command"),
    pytest.param(["vaildate"], "got 'vaildate'; did you mean 'validate'", id="typo in a command"),
    pytest.param([str(RAMP)], f"to run a model: indirectml run {RAMP}", id="no command"),
    pytest.param(["fill", "--strat", "3"], "arguments: --strat; did you mean '--start'",
                 id="typo in an option"),
    pytest.param(["run", "--inputpath=x"], "did you mean '--input_path'", id="option with a value"),
    pytest.param(["fill", "sequnce"], "needs constant or sequence, got 'sequnce'; did you mean "
                 "'sequence'", id="typo in a kind"),
    pytest.param(["validate", "--memory-limit", "0", "x"],
                 "needs a number of GiB above 0, such as 4 or 0.5, got '0'", id="no memory"),
    pytest.param(["fill", "--x\x1b[2J"], "unrecognized arguments: --x\\x1b[2J", id="escapes"),
    pytest.param(["run", str(RAMP), "--feature-level", "9_9"],
                 "argument --feature-level/--dml_feature_level: needs a feature level from 1_0 to "
                 "6_4, got '9_9'", id="feature level"),
    pytest.param(["run", str(RAMP), "--threads", "0"],
                 "argument --threads: needs a number from 1 up, got '0'", id="threads"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), USAGE)
def test_wrong_usage_ends_with_code_2(arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)

    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_no_command_shows_the_help(capsys):
    assert main([]) == 2
    assert "example: indirectml explain GEMM" in capsys.readouterr().out


def test_a_device_that_is_not_there_is_refused(capsys):
    assert main(["run", "examples/fill_value_sequence.json", "--device", "gpu"]) == 2
    assert "needs the name of a device (cpu, " in capsys.readouterr().err


def test_a_target_of_another_machine_is_refused(capsys):
    assert main(["info", "--target", "altivec"]) == 2
    assert re.fullmatch(
        r"indirectml: target: this machine has .*portable, got 'altivec'\n",
        capsys.readouterr().err,
    )


def test_info_shows_what_is_in_force(capsys):
    assert main(["info", "--json", "--target", "portable", "--threads", "1"]) == 0

    facts = json.loads(capsys.readouterr().out)
    assert facts["instruction_set_in_use"] == "portable"
    assert facts["threads"] == 1
    assert facts["operators_known"] == 177
    assert facts["operators_implemented"] == list(implemented_operators())
    assert facts["feature_levels"] == "1_0 to 6_4"

    assert main(["info"]) == 0
    assert "instruction sets" in capsys.readouterr().out


def test_a_traceback_shows_where_an_error_came_from(tmp_path, capsys):
    path = model_file(tmp_path, "[]")

    main(["run", str(path), "--traceback"])

    assert "Traceback" in capsys.readouterr().err


def test_a_reader_that_stops_early_causes_no_traceback():
    command = f"{sys.executable} -m indirectml info | true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)

    assert done.stderr == ""


@pytest.mark.parametrize("flag", ["--rule", "--sequence-rule"])
@pytest.mark.parametrize(("rule", "other"), [RULES, RULES[::-1]])
def test_fills_are_made_compared_and_explained_by_the_rule_that_is_asked_for(
    flag, rule, other, tmp_path, capsys
):
    numbers = ["--start", "0", "--delta", "0.1", "--count", "1000", "--data-type", "FLOAT32"]
    path = str(tmp_path / "ramp.bin")
    expect = ["diff", path, "--expect", "sequence", *numbers]

    assert main(["fill", "sequence", *numbers, flag, rule, "-o", path]) == 0

    assert (
        np.fromfile(path, np.float32).tolist() == dml.sequence([1000], 0, 0.1, rule=rule).tolist()
    )
    assert main([*expect, flag, rule]) == 0
    assert main([*expect, flag, other]) == 1
    assert main([*expect]) == (rule != "accumulate")
    capsys.readouterr()
    assert main(["explain", "sequence", *numbers, flag, rule]) == 0
    assert f"Segments under {rule}:" in capsys.readouterr().out


def test_more_elements_than_a_sequence_has_are_refused(capsys):
    arguments = ["explain", "sequence", "--start", "0", "--delta", "1", "--count", "10**20"]

    assert main(arguments) == 2

    text = "--count: needs at most 2**64 - 1 elements, got 100000000000000000000"
    assert capsys.readouterr().err == f"indirectml: {text}\n"


GPU_OPTIONS = [
    pytest.param(["-a", "NVIDIA"], "-a has no effect: --device names what it runs on", id="a"),
    pytest.param(
        ["--adapter=WARP"], "--adapter has no effect: --device names what it runs on", id="adapter"
    ),
    pytest.param(["-q", "direct"], "-q has no effect: there is no Direct3D here", id="q"),
    pytest.param(["-d"], "-d has no effect: every check is made at all times", id="d"),
    pytest.param(
        ["--debug"], "--debug has no effect: every check is made at all times", id="debug"
    ),
    pytest.param(["-S"], "-S has no effect: `indirectml info` tells versions", id="S"),
    pytest.param(
        ["--present_separator"],
        "--present_separator has no effect: there is no Direct3D here",
        id="present",
    ),
    pytest.param(["-l", "1"], "-l has no effect: ONNX Runtime takes no part here", id="l"),
    pytest.param(
        ["--enable_onnx_profiling"],
        "--enable_onnx_profiling has no effect: ONNX Runtime takes no part here",
        id="profiling",
    ),
    pytest.param(
        ["--max_gpu_time_measurements", "0"],
        "--max_gpu_time_measurements has no effect: everything runs on the CPU",
        id="max",
    ),
    pytest.param(
        ["--disable_custom_heaps"],
        "--disable_custom_heaps has no effect: there is no Direct3D here",
        id="heaps",
    ),
]


@pytest.mark.parametrize(("arguments", "text"), GPU_OPTIONS)
def test_options_of_dxdispatch_for_gpus_are_accepted_and_told_to_have_no_effect(
    arguments, text, capsys
):
    assert main(["run", *arguments, "-m", str(RAMP), "-i", "2"]) == 0

    out, errors = capsys.readouterr()
    assert out.splitlines()[-1] == EXPECTED[RAMP.name]
    assert errors == f"indirectml: {text}\n"


def test_the_one_adapter_is_named_and_the_model_runs(capsys):
    assert main(["run", "--show_adapters"]) == 0
    assert re.fullmatch(r"CPU \(.*\)\n", capsys.readouterr().out)

    assert main(["run", "-s", str(RAMP)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("CPU (")
    assert shown[-1] == EXPECTED[RAMP.name]


@pytest.mark.parametrize("command", ["run", "validate"])
def test_a_model_is_given_in_one_of_two_ways(command, capsys):
    assert main([command, "--model", str(RAMP)]) == 0
    capsys.readouterr()

    assert main([command]) == 2
    assert capsys.readouterr().err == ("indirectml: needs a model, or a folder of them, got none\n")


def test_several_models_and_folders_end_with_a_summary(tmp_path, capsys):
    broken = model_file(tmp_path, "{")
    missing = tmp_path / "missing.json"

    assert main(["validate", str(EXAMPLES)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "4 models: 4 valid, 0 invalid"
    assert main(["run", str(EXAMPLES), "-m", str(RAMP)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "5 models: 5 done"
    assert out.count(EXPECTED[RAMP.name]) == 2
    assert main(["run", str(broken), str(missing), str(RAMP)]) == 3
    out, errors = capsys.readouterr()
    assert out.splitlines()[-1] == "3 models: 1 done, 1 refused, 1 failed"
    assert EXPECTED[RAMP.name] in out
    assert f"{missing}: No such file or directory" in errors
    assert main(["validate", str(broken), str(RAMP), "--json"]) == 1
    assert [model["valid"] for model in json.loads(capsys.readouterr().out)] == [False, True]
