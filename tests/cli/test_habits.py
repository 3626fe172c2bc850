"""Habits of the command line: completion, carets, hints, streams, one switch for DirectML."""

import importlib
import io
import json
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import indirectml as dml
from indirectml.cli import main
from indirectml.cli.common import Progress, Steps
from indirectml.cli.model_options import WITHOUT_EFFECT
from indirectml.core import progress
from indirectml.models import running
from indirectml.models.text import read_json
from tests.steps import Clock

# ---- completion ----


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh", "fish"])
def test_completion_knows_commands_options_and_choices(shell, capsys):
    pytest.importorskip("shtab", reason="shtab writes the completion; it is an extra")

    assert main(["--print-completion", shell]) == 0

    script = capsys.readouterr().out
    for word in ("validate", "confine-reads", "accumulate", "directml"):
        assert word in script
    program = shutil.which(shell)
    if program is not None and shell != "tcsh":
        checked = subprocess.run(
            [program, "-n"], input=script, capture_output=True, text=True, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, "")


def completed(script, line):
    words = line.split(" ")
    code = (
        f"{script}\nCOMP_WORDS=({' '.join(repr(w) for w in words)}); COMP_CWORD={len(words) - 1}\n"
        "_shtab_indirectml; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash completes")
def test_bash_completes(tmp_path, capsys, monkeypatch):
    pytest.importorskip("shtab", reason="shtab writes the completion; it is an extra")
    main(["--print-completion", "bash"])
    script = capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.json").touch()

    assert completed(script, "indirectml va") == ["validate"]
    assert completed(script, "indirectml run --conf") == ["--confine-reads"]
    assert completed(script, "indirectml fill s") == ["sequence"]
    assert completed(script, "indirectml run --like ") == ["directml"]
    assert completed(script, "indirectml run mod") == ["model.json"]


# ---- the line of the model ----

EXCERPTS = [
    ('{"a": tru}', '{"a": tru}', "      ^"),
    ('{\n\t"a": tru\n}', ' "a": tru', "      ^"),
    ('{"\u6f22\u5b57": tru}', '{"\u6f22\u5b57": tru}', "         ^"),
    ('{"e\u0301": tru}', '{"e\u0301": tru}', "      ^"),
    ('{"\u202e": tru}', '{" ": tru}', "      ^"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "caret"), EXCERPTS)
def test_a_caret_stands_below_the_mistake(text, line, caret):
    document = read_json(text)

    assert document.excerpt(document.offset_of_problem(document.problems[0])) == (line, caret)


def test_long_lines_are_cut_around_the_mistake():
    document = read_json("[" + "1, " * 1000 + "tru, " + "2, " * 1000 + "]")

    line, caret = document.excerpt(document.offset_of_problem(document.problems[0]))

    assert len(line) <= 80
    assert (line[:3], line[-3:]) == ("...", "...")
    assert line[len(caret) - 1 :].startswith("tru")


def test_the_end_of_a_text_can_be_pointed_at():
    document = read_json('{"a": 1')

    assert document.excerpt(document.offset_of_problem(document.problems[0])) == (
        '{"a": 1',
        "       ^",
    )


def test_lines_are_counted_as_editors_do():
    document = read_json("[\n1,\n2]\n")

    assert [document.line_and_column(document.offset_of((i,))) for i in (0, 1)] == [(2, 1), (3, 1)]
    assert document.line_and_column(1) == (1, 2)
    assert document.line_and_column(len(document.text)) == (4, 1)


# ---- what is said of a text that is no JSON ----

HINTS = {
    '{"a": True}': "write true",
    '{"a": None}': "write null",
    "{# no\n}": "comments begin with //",
    "[.5]": "write 0.5",
    "[-.5e3]": "write -0.5e3",
    "[+1]": "write 1",
    "[01]": "write 1",
    "[1.]": "write 1",
    "[0x10]": "write 16",
    "[-0x1F]": "write -31",
    "['a']": "strings are in double quotes",
    "[NaN]": 'write "nan" as a string',
    '{"a":\n [1, 2': "the '[' at line 2, column 2 is still open",
    '{"a": {"b": 1': "the '{' at line 1, column 7 is still open",
    '["a\tb"]': "write \\t instead",
    '["a\x07b"]': "write \\u0007 instead",
    "[1f]": None,
    "[0x]": None,
    "[0" + "1" * 500 + "]": None,
}


@pytest.mark.parametrize(("text", "hint"), HINTS.items(), ids=[t[:12] for t in HINTS])
def test_what_other_languages_write_is_answered(text, hint):
    (problem,) = read_json(text).problems

    assert problem.error.hint == hint


# ---- what is said of a model ----

TENSOR = {"DataType": "FLOAT32", "Sizes": [4]}
VALUES = {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 4, "value": 1}}


def told(tmp_path, capsys, command="validate", **parts):
    path = tmp_path / "model.json"
    model = {"resources": {}, "dispatchables": {}, "commands": []} | parts
    path.write_text(json.dumps(model), encoding="utf-8")
    main([command, str(path)])
    return "".join(capsys.readouterr())


MEANT = {
    "RELU": "ACTIVATION_RELU",
    "SOFTMAX": "ACTIVATION_SOFTMAX",
    "CONV2D": "CONVOLUTION",
    "MATMUL": "GEMM",
    "CONCAT": "JOIN",
    "ADD": "ELEMENT_WISE_ADD",
    "DML_OPERATOR_GEM": "GEMM",
    "gemm": "GEMM",
}


@pytest.mark.parametrize(("name", "meant"), MEANT.items())
def test_operators_by_other_names_are_answered(name, meant, tmp_path, capsys):
    shown = told(tmp_path, capsys, dispatchables={"a": {"type": name}})

    assert f"needs the name of a DirectML operator, got {name!r}; did you mean {meant!r}" in shown


def test_run_prints_the_warnings_of_validate(tmp_path, capsys):
    parts = {
        "resources": {"a": VALUES | {"sizeInByte": 64}},
        "commands": [{"type": "print", "resource": "a", "verbos": True}],
    }
    for command in ("validate", "run"):
        shown = told(tmp_path, capsys, command, **parts)
        assert "warning: resources.a.sizeInByte: has no meaning here" in shown
        assert "has no meaning here; did you mean 'verbose'" in shown


IDENTITY = {
    "type": "ELEMENT_WISE_IDENTITY",
    "bindings": {"InputTensor": "a"},
    "desc": {"InputTensor": TENSOR | {"Flags": "OWNED_BY_DML"}, "OutputTensor": TENSOR},
}


def test_an_owned_tensor_that_is_bound_in_the_dispatch_is_told(tmp_path, capsys):
    shown = told(
        tmp_path,
        capsys,
        resources={"a": VALUES, "b": VALUES},
        dispatchables={"i": IDENTITY},
        commands=[{"type": "dispatch", "dispatchable": "i",
                   "bindings": {"InputTensor": "a", "OutputTensor": "b"}}],
    )  # fmt: skip

    assert (
        "warning: commands[0].bindings.InputTensor: has no effect here, since DirectML owns this "
        "tensor; bind it in the dispatchable's own bindings"
    ) in shown
    assert ": valid: 1 warning" in shown


def test_a_raw_file_without_a_type_and_an_unknown_type_are_told(tmp_path, capsys):
    (tmp_path / "a.bin").write_bytes(b"abcd")
    shown = told(
        tmp_path,
        capsys,
        resources={"raw": {"initialValues": {"sourcePath": "a.bin"}},
                   "unknown": {"initialValuesDataType": "UNKNOWN", "initialValues": [1]},
                   "typo": {"initialValuesDataType": "FLOAT_UNKNOWN", "initialValues": [1]}},
        commands=[{"type": "print", "resource": "raw"}],
    )  # fmt: skip

    assert "got 'raw', a raw file; give it an initialValuesDataType" in shown
    assert "needs a known initialValuesDataType, got 'UNKNOWN'; UNKNOWN is for files" in shown
    assert "typo.initialValuesDataType: needs one of FLOAT32, FLOAT16" in shown


def test_names_that_look_the_same_are_told_apart(tmp_path, capsys):
    shown = told(
        tmp_path,
        capsys,
        resources={"caf\u00e9": VALUES},
        commands=[{"type": "print", "resource": "cafe\u0301"}],
    )

    assert r"did you mean 'caf\xe9'" in shown


def test_utf16_is_told_also_as_json(tmp_path, capsys):
    path = tmp_path / "model.json"
    path.write_text("{}", encoding="utf-16")

    assert main(["validate", str(path)]) == 1
    assert "needs UTF-8, got UTF-16; save the file as UTF-8" in capsys.readouterr().out
    assert main(["validate", "--json", str(path)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["problems"][0]["given"] == "UTF-16"


def test_options_that_mean_nothing_for_a_subject_are_refused(capsys):
    model = "examples/fill_value_sequence.json"
    assert main(["explain", model, "--count", "3"]) == 2
    assert main(["explain", model, "--data-type", "INT8"]) == 2
    numbers = ["--start", "0", "--delta", "1", "--count", "3"]
    assert main(["explain", "sequence", *numbers, "--dispatchable", "a"]) == 2
    assert main(["explain", "sequnce", *numbers]) == 2
    assert main(["explain", "sequnce"]) == 3

    errors = capsys.readouterr().err
    assert "--count: has no meaning for a model, which says it itself" in errors
    assert "--dispatchable: has no meaning for a sequence" in errors
    assert "sequnce: No such file or directory; did you mean 'sequence'" in errors


# ---- timing ----


@pytest.fixture
def run_filled(tmp_path, capsys, monkeypatch):
    """Return what runs a fill by a clock of its own: the pauses, how many runs, what is shown."""
    path = tmp_path / "model.json"
    constant = {"type": "FILL_VALUE_CONSTANT", "desc": {
        "OutputTensor": TENSOR, "ValueDataType": "FLOAT32", "Value": 1}}  # fmt: skip
    commands = [{"type": "dispatch", "dispatchable": "c", "bindings": {"OutputTensor": "a"}}]
    path.write_text(json.dumps({"resources": {"a": VALUES}, "dispatchables": {"c": constant},
                                "commands": commands}), encoding="utf-8")  # fmt: skip

    def run(*options):
        monkeypatch.setattr(running, "time", clock := Clock())
        assert main(["run", str(path), *options]) == 0
        out = capsys.readouterr().out
        return clock.pauses, int(re.search(r"(\d+) iterations", out)[1]), out

    return run


def test_an_interval_is_the_least_time_between_measurements(run_filled):
    pauses, iterations, _ = run_filled("-i", "5", "-I", "40")

    assert iterations == 5
    # None after the last; one look at the clock is in an interval, a millisecond.
    assert pauses == pytest.approx([0.039] * 4)


def test_the_time_to_run_includes_the_pauses(run_filled):
    _, iterations, _ = run_filled("-t", "200", "-I", "50")
    assert iterations == 4

    # The next measurement would begin after the end.
    pauses, iterations, out = run_filled("-t", "20", "-I", "60000", "-v", "1")
    assert (pauses, iterations) == ([], 1)
    assert "Cold" not in out


# ---- one switch for DirectML ----


def test_a_device_like_directml_multiplies():
    assert dml.Device(like="directml").sequence_rule == "multiply"
    assert dml.Device().sequence_rule == "accumulate"
    assert dml.Device(like="directml", sequence_rule="accumulate").sequence_rule == "accumulate"
    with pytest.raises(dml.DescriptorError, match='like: needs "directml" or None'):
        dml.Device(like="dxdispatch")


SUMS = """{
  "resources": {
    "out": { "initialValuesDataType": "FLOAT16", "initialValues": [0, 0, 0, 0] },
    "added": { "initialValuesDataType": "FLOAT16",
               "initialValues": { "valueCount": 4, "valueStart": 2048, "valueDelta": 1.5 } },
    "third": { "initialValuesDataType": "FLOAT16", "initialValues": [0.3] },
  },
  "dispatchables": { "s": { "type": "FILL_VALUE_SEQUENCE", "ValueDataType": "FLOAT16",
    "OutputTensor": { "DataType": "FLOAT16", "Sizes": [4] },
    "ValueStart": 2048, "ValueDelta": 0.7 } },
  "commands": [
    { "type": "dispatch", "dispatchable": "s", "bindings": { "OutputTensor": "out" } },
    { "type": "print", "resource": "out" },
    { "type": "print", "resource": "added" },
    { "type": "print", "resource": "third", "verbose": true },
  ],
}"""


def printed(capsys, *arguments):
    assert main(["run", *arguments]) == 0
    return [line for line in capsys.readouterr().out.splitlines() if line[:1] in "R["][1:]


def test_a_model_like_directml_has_its_bits(tmp_path, capsys):
    path = tmp_path / "model.json"
    path.write_text(SUMS, encoding="utf-8")

    plain = printed(capsys, str(path))
    like = printed(capsys, str(path), "--like", "directml")
    by_hand = printed(capsys, str(path), "--rule", "multiply", "--float16-rounding", "toward-zero",
                      "--feature-level", "5_0")  # fmt: skip

    assert plain == ["Resource 'out': 2048, 2048, 2048, 2048",
                     "Resource 'added': 2048, 2050, 2052, 2054",
                     "Resource 'third':", "[0] 0.300049 (0x34CD)"]  # fmt: skip
    assert like == ["Resource 'out': 2048, 2048, 2050, 2050",
                    "Resource 'added': 2048, 2048, 2048, 2048",
                    "Resource 'third':", "[0] 0.299805 (0x34CC)"]  # fmt: skip
    assert by_hand == like
    kept = printed(capsys, str(path), "--like", "directml", "--rule", "accumulate",
                   "--float16-rounding", "nearest")  # fmt: skip
    assert kept == plain


def test_a_level_that_is_given_counts_more_than_the_switch(tmp_path, capsys):
    path = tmp_path / "model.json"
    path.write_text(SUMS.replace("FLOAT16", "FLOAT64"), encoding="utf-8")

    main(["validate", str(path), "--like", "directml"])
    main(["validate", str(path), "--like", "directml", "--feature-level", "6_4"])

    first, second = re.findall(r"at feature level (\S+),", capsys.readouterr().out)
    assert (first, second) == ("5_0", "6_4")


def test_commands_about_sequences_follow_the_switch(tmp_path, capsys):
    path = str(tmp_path / "a.npy")
    numbers = ["--start", "0", "--delta", "0.1", "--count", "1000", "--data-type", "FLOAT32"]

    assert main(["fill", "sequence", *numbers, "--like", "directml", "-o", path]) == 0

    assert np.load(path).tobytes() == dml.sequence([1000], 0, 0.1, rule="multiply").tobytes()
    expect = ["diff", path, "--expect", "sequence", "--start", "0", "--delta", "0.1"]
    assert main([*expect, "--like", "directml"]) == 0
    assert main(expect) == 1
    main(["explain", "sequence", *numbers, "--like", "directml"])
    assert "Segments under multiply:" in capsys.readouterr().out


# ---- terminals ----


class Terminal(io.StringIO):
    """Says that it is one."""

    def isatty(self):
        return True


@pytest.mark.parametrize("kind", ["dumb", "xterm"])
def test_a_dumb_terminal_gets_no_progress(kind, monkeypatch):
    monkeypatch.setenv("TERM", kind)
    stream = Terminal()
    progress = Progress(stream)
    progress._shown -= 1  # noqa: SLF001 (a second ago, without waiting for it)

    progress(50, 100)
    progress.clear()

    assert (stream.getvalue() == "") == (kind == "dumb")


def test_every_option_without_effect_says_why(capsys):
    for flags, (takes_value, reason) in WITHOUT_EFFECT.items():
        for flag in flags:
            value = ["x"] if takes_value else []
            assert main(["run", flag, *value, "examples/fill_value_sequence.json"]) == 0
            assert capsys.readouterr().err == f"indirectml: {flag} has no effect: {reason}\n"


def test_an_interrupt_while_python_imports_is_one_line_too(monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib, "import_module", interrupted)

    assert main(["info"]) == 130
    assert capsys.readouterr().err == "indirectml: interrupted\n"


# ---- progress ------------------------------------------------------------------------------------


class Watched(io.StringIO):
    """What a person looks at, which tells when something is there."""

    def __init__(self):
        super().__init__()
        self.is_shown = threading.Event()

    def isatty(self):
        return True

    def write(self, text):
        self.is_shown.set()
        return super().write(text)


def test_what_takes_long_is_shown_on_a_terminal_with_rate_and_time_left():
    terminal = Watched()

    with Steps("running model.onnx", 40, stream=terminal, after_s=0) as steps:
        steps.done = 10
        assert terminal.is_shown.wait(60)

    assert re.search(r"running model.onnx.* s", terminal.getvalue())
    assert terminal.getvalue().endswith("\r\033[K")
    steps.done = 10
    assert steps.text(5.0) == "running model.onnx   25 %  10 of 40  2/s  15 s left"
    assert Steps("loading \x1b[2J").text(3.4) == "loading \\x1b[2J  3 s"


def test_what_the_library_goes_through_is_counted_by_its_outermost_loop():
    steps = Steps("loading", stream=Watched())

    def lines(outer, inner):
        return [steps.text(10) for _ in progress.told(outer) for _ in progress.told(inner)]

    def fails():
        for k in progress.told([1, 0]):
            1 / k

    assert lines("abcd", "") == []  # nobody listens yet
    with steps:
        found = lines("abcd", "xy")
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                fails()
        found += [steps.text(10), *lines("abc", "x")]

    parts = [line.split("  ")[1].strip() for line in found]
    assert parts[:8] == ["10 s", "10 s", "25 %", "25 %", "50 %", "50 %", "75 %", "75 %"]
    assert parts[8:] == ["10 s", "10 s", "33 %", "67 %"]
    assert re.fullmatch(r"loading   25 %  1 of 4  0\.1\S*/s  30 s left", found[2])


def test_what_a_dispatch_model_does_is_shown_and_gone_before_anything_is_printed(
    tmp_path, monkeypatch, capsys
):
    terminal = Watched()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(Steps.__init__, "__kwdefaults__", {"stream": None, "after_s": 0})
    lines = []
    monkeypatch.setattr(Steps, "text", lambda self, _: lines.append(self.what) or self.what)

    model = tmp_path / "model.json"
    model.write_text(Path("examples/fill_value_sequence.json").read_text("utf-8"), "utf-8")
    assert main(["run", str(model), "--timing_verbosity", "1", "--dispatch_iterations", "3"]) == 0

    assert {"reading model.json", "loading model.json", "filling resources"} <= set(lines)
    assert any(line.startswith("running ") for line in lines), lines
    assert any(line.startswith("compiling ") for line in lines), lines
    assert re.fullmatch(r"(\r\x1b\[K[^\r]+\r\x1b\[K)+", terminal.getvalue()), terminal.getvalue()
    assert "3.2, 4.7, 6.2" in capsys.readouterr().out


def test_a_line_is_no_wider_than_the_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    terminal = Watched()

    with Steps("running a model with a long name", stream=terminal, after_s=0):
        assert terminal.is_shown.wait(60)

    assert set(terminal.getvalue().split("\r\x1b[K")) == {"", "running a model wit"}


def test_nothing_is_shown_elsewhere_or_of_what_is_short():
    elsewhere, terminal = io.StringIO(), Watched()

    with Steps("loading", stream=elsewhere, after_s=0), Steps("loading", stream=terminal):
        pass

    assert elsewhere.getvalue() == terminal.getvalue() == ""
