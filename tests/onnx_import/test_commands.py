"""ONNX models on the command line, and among the dispatchables of dispatch models."""

import io
import json
import re
import tempfile
from pathlib import Path

import numpy as np
import onnx
import pytest

import indirectml as dml
from indirectml.cli import main
from tests.bits import assert_bits_equal
from tests.onnx_import.models import model

TEXT = (
    "(float[N, 3] x, bool b) => (float[3, N] y, bool c, float s, float[N, 2] p)"
    " <float[3] w = {1, 2, 3}> { a = Mul(x, w) z = Relu(a) y = Transpose(z) c = Not(b)"
    " s = ReduceSum<keepdims = 0>(x) p, q = Split<axis = 1, num_outputs = 2>(x) }"
)
BAD = "(float[2] x) => (float[2] y) { [loop] a = Loop(x) [last] y = Relux(a) }"
X = np.arange(-2, 4, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    onnx.save(model(TEXT), "model.onnx")
    onnx.save(model(BAD), "bad.onnx")
    np.save("x.npy", X)
    np.save("b.npy", np.array(1, bool))
    return tmp_path


def run(capsys, *arguments, code=0):
    assert main(list(arguments)) == code
    return capsys.readouterr()


INPUTS = ("--input", "x=x.npy", "--input", "b=b.npy")


@pytest.mark.parametrize(
    "sizes", [["-b", "x:2,3"], ["--input-sizes", "x=2,3"], ["--dimension", "N:2"], ["-f", "N:2"]]
)
def test_run_reads_and_writes_arrays(folder, capsys, sizes):
    shown = run(capsys, "run", "model.onnx", *sizes, *INPUTS, "--output", "y=y.npy").out

    assert_bits_equal(
        actual=np.load(folder / "y.npy"), expected=np.array([[0, 1], [0, 4], [0, 9]], np.float32)
    )
    assert shown.splitlines()[2:] == [
        "Output 'y' written to 'y.npy'",
        "Resource 'c': 0",
        "Resource 's': 3",
        "Resource 'p': -2, -1, 1, 2",
    ]


def test_open_sizes_follow_from_the_arrays_that_are_given(folder, capsys):
    run(capsys, "run", "model.onnx", *INPUTS, "--output", "y=y.npy")

    assert_bits_equal(
        actual=np.load(folder / "y.npy"), expected=np.array([[0, 1], [0, 4], [0, 9]], np.float32)
    )
    error = run(capsys, "run", "model.onnx", "--input", "x=none.npy", code=3).err
    assert error == "indirectml: none.npy: No such file or directory\n"
    # What is said comes before what follows.
    error = run(capsys, "run", "model.onnx", "-b", "x:5,3", *INPUTS, code=1).err
    assert "needs 15 elements" in error


@pytest.mark.usefixtures("folder")
def test_open_sizes_and_missing_arrays_are_told(capsys):
    assert run(capsys, "run", "model.onnx", "--input", "b=b.npy", code=1).err == (
        "indirectml: model.onnx: needs a size for each dimension that the model leaves open: "
        "'N' (x); give --input-sizes x:N,N,...\n"
    )
    assert run(capsys, "run", "model.onnx", "-f", "N:2", "--input", "b=b.npy", code=2).err == (
        "indirectml: --input: needs --input x=FILE.npy, got b; x is FLOAT32 [2, 3], 24 bytes; "
        "--random 0 makes up what is not given\n"
    )
    assert run(capsys, "run", "model.onnx", "-f", "M:2", code=2).err == (
        "indirectml: --dimension: needs names of open dimensions of the model, which are N, got "
        "'M'\n"
    )
    assert (
        "--input-sizes: needs names of inputs of the model, which are b, x, got 'z'"
        in run(capsys, "explain", "model.onnx", "-b", "z:2,3", code=2).err
    )
    assert "needs NAME:N,N,..., got 'x'" in run_usage(capsys, "run", "model.onnx", "-b", "x")


@pytest.mark.usefixtures("folder")
def test_inputs_that_are_not_given_are_random_numbers(capsys):
    shown = run(capsys, "run", "model.onnx").out.splitlines()
    assert shown[1] == ("Inputs are random numbers of seed 0: x (FLOAT32 [1, 3]), b (UINT8 [1])")
    assert [line.partition(", SHA-256 ")[0] for line in shown[3:]] == [
        "Resource 'y': FLOAT32 [3, 1]",
        "Resource 'c': UINT8 [1]",
        "Resource 's': FLOAT32 [1]",
        "Resource 'p': FLOAT32 [1, 2]",
    ]
    assert run(capsys, "run", "model.onnx", "--random", "0").out.splitlines()[3:] == shown[3:]

    partly = run(capsys, "run", "model.onnx", "--input", "x=x.npy", "--random", "5").out
    assert partly.splitlines()[1] == "Inputs are random numbers of seed 5: b (UINT8 [1])"


@pytest.mark.parametrize(
    ("command", "file"),
    [(c, f) for c in ("run", "validate", "explain", "export") for f in ("fixed.onnx", "g.bin")],
)
def test_standard_input_may_be_any_kind_of_model(folder, capsys, monkeypatch, command, file):
    onnx.save(model(TEXT.replace("N,", "2,").replace(", N]", ", 2]")), "fixed.onnx")
    run(capsys, "export", "fixed.onnx", "-o", "g.bin")
    more = ["-o", "out.bin"] if command == "export" else []
    named = run(capsys, command, file, *more).out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((folder / file).read_bytes())))

    shown = run(capsys, command, "-", *more).out

    for found, name in ((named, Path(file).stem), (shown, "standard-input")):
        assert name in found or command == "export"
    times = re.compile(r"\d+\.\d+ ms")
    assert times.sub("T", shown).replace("standard-input", Path(file).stem) == times.sub("T", named)
    if command == "export":
        assert (folder / "out.bin").read_bytes() == (folder / "g.bin").read_bytes()


@pytest.mark.parametrize("command", ["run", "validate", "explain", "export"])
@pytest.mark.parametrize("suffix", [".json", ".bin", ".onnx"])
def test_a_damaged_model_is_refused_alike_in_every_format(
    folder, capsys, monkeypatch, command, suffix
):
    onnx.save(model(TEXT.replace("N,", "2,").replace(", N]", ", 2]")), "good.onnx")
    run(capsys, "export", "good.onnx", "-o", "good.bin")
    (folder / "good.json").write_text(dispatch({}))
    raw = (folder / f"good{suffix}").read_bytes()[:-20]
    (folder / f"bad{suffix}").write_bytes(raw)
    more = ["-o", "out.bin"] if command == "export" else []

    found = run(capsys, command, f"bad{suffix}", *more, code=1)
    assert f"bad{suffix}" in (found.out if command == "validate" else found.err)

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))
    found = run(capsys, command, "-", *more, code=1)
    assert tempfile.gettempdir() not in found.out + found.err  # nobody knows that folder


def run_usage(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    return capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_validate_lists_every_refusal(capsys):
    assert run(capsys, "validate", "model.onnx", "-f", "N:2").out == (
        "model.onnx: valid: ONNX model, 7 operators, 2 inputs, 4 outputs\n"
    )
    assert run(capsys, "validate", "bad.onnx", code=1).out == (
        "bad.onnx: loop (Loop): needs 2 to 2147483647 inputs, got 1\n"
        "bad.onnx: last (Relux): needs an operator of opset 18, got 'Relux'; did you mean Relu?\n"
        "bad.onnx: invalid: 2 mistakes\n"
    )
    found = json.loads(run(capsys, "validate", "bad.onnx", "--json", code=1).out)
    assert [each["message"].partition(":")[0] for each in found["problems"]] == [
        "loop (Loop)",
        "last (Relux)",
    ]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [["run", "bad.onnx"], ["explain", "bad.onnx"], ["export", "bad.onnx", "-o", "g.bin"]],
)
def test_others_tell_the_first_and_how_many_more(capsys, arguments):
    assert run(capsys, *arguments, code=1).err == (
        "indirectml: bad.onnx: loop (Loop): needs 2 to 2147483647 inputs, got 1 (and 1 more: "
        "indirectml validate bad.onnx)\n"
    )


@pytest.mark.usefixtures("folder")
def test_a_file_that_is_missing_or_no_model(folder, capsys):
    (folder / "no.onnx").write_bytes(b"\xff" * 9)

    assert run(capsys, "run", "modle.onnx", code=3).err == (
        "indirectml: modle.onnx: No such file or directory; did you mean 'model.onnx'\n"
    )
    assert run(capsys, "run", "no.onnx", code=1).err == (
        "indirectml: no.onnx: needs an ONNX model, got bytes that are none, or were cut off\n"
    )


@pytest.mark.usefixtures("folder")
def test_explain_shows_inputs_outputs_and_nodes(capsys):
    shown = run(capsys, "explain", "model.onnx", "-f", "N:2").out

    for line in (
        "model.onnx: ONNX model, 7 operators, 1 constant of 12 bytes",
        "  x  FLOAT32 [2, 3], 24 bytes",
        "  y  FLOAT32 [3, 2], 24 bytes",
        "  SPLIT                     1",
    ):
        assert line in shown.splitlines()


@pytest.mark.usefixtures("folder")
def test_explain_shows_what_initialization_computes(capsys):
    text = """(float[1, 8, 30, 30] x) => (float[1, 8, 30, 30] y)
        <float[8] v = {1, 2, 3, 4, 5, 6, 7, 8}> { y = BatchNormalization(x, v, v, v, v) }"""
    onnx.save(model(text), "normalized.onnx")

    assert run(capsys, "explain", "normalized.onnx").out.endswith(
        "\nInitialization carries out 1 step more, which depends on constants alone: of "
        "BATCH_NORMALIZATION.\n"
    )
    found = json.loads(run(capsys, "explain", "normalized.onnx", "--json").out)
    (computed,), (step,) = found["initialization"], found["plan"]
    assert [line.partition(" = ")[2] for line in computed["fields"]] == [
        "add(v0, float32 0x3727c5ac) float32",
        "sqrt(v2) float32",
    ]
    assert not any("sqrt" in line for line in step["fields"])


def test_export_writes_a_serialized_graph(folder, capsys):
    onnx.save(model(TEXT.replace("N,", "2,").replace(", N]", ", 2]")), "fixed.onnx")

    run(capsys, "export", "fixed.onnx", "-o", "graph.bin")
    run(capsys, "export", "model.onnx", "-f", "N:2", "-o", "same.bin")

    assert (folder / "same.bin").read_bytes() == (folder / "graph.bin").read_bytes()
    compiled = dml.read_serialized_graph(folder / "graph.bin").compile(dml.Device())
    y, *_ = compiled({"x": X, "b": np.array([1], np.uint8)})
    assert_bits_equal(actual=y, expected=np.array([[0, 1], [0, 4], [0, 9]], np.float32))


# ---- dispatch models ----

NUMBERS = {"initialValuesDataType": "FLOAT32", "initialValues": [-2, -1, 0, 1, 2, 3]}
DISPATCH = {
    "resources": {
        "x": NUMBERS,
        "b": {"initialValuesDataType": "UINT8", "initialValues": [1]},
        "y": NUMBERS,
        "c": {"initialValues": "deferred"},
        "s": {"initialValues": "deferred"},
        "p": {"initialValues": "deferred"},
    },
    "dispatchables": {"net": {"type": "onnx", "sourcePath": "model.onnx"}},
    "commands": [
        {
            "type": "dispatch",
            "dispatchable": "net",
            "bindings": {name: name for name in ("x", "b", "y", "c", "s", "p")},
        },
        *({"type": "print", "resource": name} for name in ("y", "s", "p")),
    ],
}


def dispatch(net, x="x"):
    """Return the text of a dispatch model; `net` is added to its dispatchable."""
    made = json.loads(json.dumps(DISPATCH))
    made["dispatchables"]["net"] |= net
    made["commands"][0]["bindings"]["x"] = x
    return json.dumps(made)


@pytest.mark.parametrize(
    ("net", "x"),
    [
        ({"freeDimensionNameOverrides": {"N": 2}}, "x"),
        ({"type": "ONNX"}, {"name": "x", "shape": [2, 3]}),
    ],
)
def test_a_dispatch_model_runs_an_onnx_model(folder, capsys, net, x):
    (folder / "model.json").write_text(dispatch(net, x))

    shown = run(capsys, "run", "model.json").out

    assert shown.splitlines()[-3:] == [
        "Resource 'y': 0, 1, 0, 4, 0, 9",
        "Resource 's': 3",
        "Resource 'p': -2, -1, 1, 2",
    ]


def test_what_tunes_onnx_runtime_has_no_effect(folder, capsys):
    net = {"freeDimensionNameOverrides": {"N": 2}, "graphOptimizationLevel": 99}
    (folder / "model.json").write_text(dispatch(net))

    shown = run(capsys, "validate", "model.json").out

    assert (
        "warning: dispatchables.net.graphOptimizationLevel: has no effect: ONNX Runtime takes no "
        "part here"
    ) in shown


@pytest.mark.parametrize(
    ("net", "sentences"),
    [
        (
            {"sourcePath": "bad.onnx"},
            [
                "loop (Loop): needs 2 to 2147483647 inputs, got 1",
                "last (Relux): needs an operator of opset 18, got 'Relux'; did you mean Relu?",
            ],
        ),
        ({"sourcePath": "none.onnx"}, ["needs the name of a file, got 'none.onnx'"]),
        (
            {"freeDimensionNameOverrides": {"N": 0}, "sourcePath": "bad.onnx"},
            ["loop (Loop)", "last (Relux)", "N: needs a size from 1 up, got 0"],
        ),
    ],
)
def test_a_dispatch_model_lists_what_is_wrong(folder, capsys, net, sentences):
    (folder / "model.json").write_text(dispatch(net))

    shown = run(capsys, "validate", "model.json", code=1).out

    mistakes = [line for line in shown.splitlines() if line.startswith("model.json:")][:-1]
    assert len(mistakes) == len(sentences)
    for line, sentence in zip(mistakes, sentences, strict=True):
        assert sentence in line


# ---- what is bound, and what is not ----

SHAPED = (
    "(float[N, 3] x) => (float[N, 3] twice, float s)"
    " { twice = Add(x, x) s = ReduceSum<keepdims = 0>(x) }"
)


@pytest.fixture
def shaped(tmp_path, monkeypatch):
    """Return what writes a dispatch model of `shaped.onnx` with 6 numbers, and its commands."""
    monkeypatch.chdir(tmp_path)
    onnx.save(model(SHAPED), "shaped.onnx")

    def write(commands, net=()):
        text = {
            "resources": {
                "x": NUMBERS,
                "short": NUMBERS | {"initialValues": [4, 5, 6]},
                "out": {"initialValues": "deferred"},
            },
            "dispatchables": {"net": {"type": "onnx", "sourcePath": "shaped.onnx"} | dict(net)},
            "commands": commands,
        }
        (tmp_path / "model.json").write_text(json.dumps(text))
        return "model.json"

    return write


def dispatched(**bindings):
    return {"type": "dispatch", "dispatchable": "net", "bindings": bindings}


def of_rows(rows, name="x"):
    return {"name": name, "shape": [rows, 3]}


PRINT = {"type": "print", "resource": "out"}


def printed(shown):
    return [line for line in shown.splitlines() if line.startswith("Resource")]


def test_shapes_belong_to_the_command_that_binds_them(shaped, capsys):
    two, one = (dispatched(x=of_rows(rows), twice="out") for rows in (2, 1))

    for commands, lines in (
        ([two, PRINT, one, PRINT], ["-4, -2, 0, 2, 4, 6", "-4, -2, 0"]),
        ([one, PRINT, two, PRINT], ["-4, -2, 0", "-4, -2, 0, 2, 4, 6"]),
        ([one, two, one, PRINT], ["-4, -2, 0"]),
    ):
        shown = run(capsys, "run", shaped(commands)).out
        assert printed(shown) == [f"Resource 'out': {line}" for line in lines]
    assert (
        "valid: 3 resources, 1 dispatchable, 4 commands"
        in run(capsys, "validate", "model.json").out
    )


def test_what_a_deferred_resource_was_is_read_while_it_becomes_another(shaped, capsys):
    commands = [
        dispatched(x=of_rows(1, "short"), twice="out"),
        dispatched(x=of_rows(1, "out"), twice="out"),
        PRINT,
    ]

    assert printed(run(capsys, "run", shaped(commands)).out) == ["Resource 'out': 16, 20, 24"]


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (
            dispatched(x={"name": "x", "shape": [2, 4]}, twice="out"),
            "commands[1].bindings: needs an ONNX model that can be loaded",
        ),
        (
            dispatched(x=of_rows(2, "short"), twice="out"),
            "commands[1].bindings.x: needs at least 24 bytes, got 12 of resource 'short'",
        ),
        (
            dispatched(x=of_rows(2), twice=of_rows(1, "out")),
            "commands[1].bindings.twice.shape: needs the sizes of the output, [2, 3], got [1, 3]",
        ),
    ],
)
def test_a_shape_that_does_not_fit_is_told_where_it_is_bound(shaped, capsys, command, sentence):
    fits = dispatched(x=of_rows(2), twice="out")

    shown = run(capsys, "validate", shaped([fits, command, fits, PRINT]), code=1).out

    assert sentence in shown
    assert "model.json: invalid: 1 mistake" in shown


def test_a_command_without_bindings_is_told_beside_those_that_have_some(shaped, capsys):
    bare = {"type": "dispatch", "dispatchable": "net", "bindings": []}
    commands = [dispatched(x=of_rows(2), twice="out"), bare, PRINT]

    shown = run(capsys, "validate", shaped(commands), code=1).out

    assert "commands[1].bindings: needs an object, got an array" in shown
    assert "invalid: 1 mistake" in shown


def test_several_models_end_with_the_worst_code(shaped, capsys):
    shaped([])
    np.save("x.npy", np.zeros((1, 3), np.float32))

    found = run(capsys, "run", "model.json", "shaped.onnx", "--input", "z=x.npy", code=2)

    assert "--input: is for graphs in files" in found.err
    assert "2 models: 0 done, 2 refused" in found.out


def test_a_deferred_resource_is_filled_before_it_is_read(shaped, capsys):
    commands = [PRINT, dispatched(x=of_rows(2), twice="out")]

    shown = run(capsys, "validate", shaped(commands), code=1).out

    assert "commands[0].resource: needs a resource with initial values, got 'out'" in shown
    assert "invalid: 1 mistake" in shown


def test_sizes_that_nothing_says_become_1_and_the_command_line_says_them_too(shaped, capsys):
    path = shaped([dispatched(x="x", twice="out"), PRINT])

    found = run(capsys, "run", path)
    assert printed(found.out) == ["Resource 'out': -4, -2, 0"]
    assert "warning: dispatchables.net.sourcePath: sizes that nothing says become 1" in found.err

    for option in (["-b", "x:2,3"], ["-f", "N:2"]):
        found = run(capsys, "run", path, *option)
        assert printed(found.out) == ["Resource 'out': -4, -2, 0, 2, 4, 6"]
        assert not found.err


def test_what_is_not_bound_is_made_up_of_a_seed(shaped, capsys):
    path = shaped([dispatched(twice="out"), PRINT], {"freeDimensionNameOverrides": {"N": 2}})

    shown = run(capsys, "run", path).out
    assert "Inputs of 'net' are random numbers of seed 0: x\n" in shown
    assert printed(run(capsys, "run", path).out) == printed(shown)
    assert printed(run(capsys, "run", path, "--random", "7").out) != printed(shown)
    twice = [float(number) for number in printed(shown)[0].rpartition(": ")[2].split(", ")]
    assert twice == pytest.approx((2 * random_numbers("x", 0, 6)).tolist(), abs=1e-5)

    assert "Inputs of" not in run(capsys, "run", shaped([dispatched(x="x")])).out


def random_numbers(name, seed, count):
    """Return the FLOAT32 numbers that docs/onnx-in.md defines."""
    words = np.random.PCG64([seed, *name.encode()]).random_raw(count)
    tops = [int(word) >> 40 for word in words]
    return np.array([(top - (top >> 23 << 24)) / 2**23 for top in tops], np.float32)


def test_what_is_made_up_counts_as_memory(shaped, capsys):
    path = shaped([dispatched()], {"freeDimensionNameOverrides": {"N": 1 << 20}})

    shown = run(capsys, "validate", path, "--memory-limit", "0.02", code=1).out

    assert "commands[0]: needs at most 21474836 bytes of memory with all else, got" in shown


# ---- quantized graphs ----

IN_FLOATS = (
    "(uint8[4] a, uint8[4] b) => (uint8[4] y) <float s = {0.1}, float t = {0.3}, uint8 z = {7}>"
    " { c = DequantizeLinear(a, s, z) d = DequantizeLinear(b, t, z) e = Add(c, d)"
    " y = QuantizeLinear(e, s, z) }"
)
#: (a - 7) * (b - 7) / 2 + 7, where a product is a tie: in floats it is a little less.
PRODUCT = (
    "(uint8[1, 1] a) => (uint8[1, 3] y) <float s = {0.1}, float t = {0.3}, float u = {0.06},"
    " uint8 z = {7}, uint8[1, 3] b = {44, 48, 7}> { c = DequantizeLinear(a, s, z)"
    " d = DequantizeLinear(b, t, z) e = MatMul(c, d) y = QuantizeLinear(e, u, z) }"
)
BY_MODEL = """{
    "resources": {
        "a": {"initialValuesDataType": "UINT8", "initialValues": [8]},
        "y": {"initialValuesDataType": "UINT8", "initialValues": {"valueCount": 3, "value": 0}}
    },
    "dispatchables": {"product": {"type": "onnx", "sourcePath": "product.onnx"}},
    "commands": [
        {"type": "dispatch", "dispatchable": "product", "bindings": {"a": "a", "y": "y"}},
        {"type": "print", "resource": "y"}
    ]
}"""


@pytest.fixture
def quantized_sum(folder):
    onnx.save(model(IN_FLOATS), "sum.onnx")
    onnx.save(model(PRODUCT), "product.onnx")
    Path("by.json").write_text(BY_MODEL)
    return folder


@pytest.mark.usefixtures("quantized_sum")
def test_quantized_graphs_become_operators_of_integers_where_that_is_asked_for(capsys):
    counts = {"sum.onnx": (), "integers": ("--quantized", "integers")}
    counts |= {"as written": ("--quantized", "as-written")}
    for form, options in counts.items():
        operators = "1 operator" if form == "integers" else "4 operators"
        shown = run(capsys, "validate", "sum.onnx", *options).out
        assert shown.startswith(f"sum.onnx: valid: ONNX model, {operators}, "), shown
        shown = run(capsys, "explain", "sum.onnx", *options).out
        assert ("ELEMENT_WISE_QUANTIZED_LINEAR_ADD" in shown) == (form == "integers")
        run(capsys, "export", "sum.onnx", "-o", "sum.bin", *options)
        assert len(dml.read_serialized_graph("sum.bin").operators) == int(operators[0])
        run(capsys, "run", "sum.onnx", *options, "--dump", "tensors")
        names = {each.stem for each in Path("tensors").iterdir()}
        assert ("e" in names) == (form != "integers")
        for each in Path("tensors").iterdir():
            each.unlink()


@pytest.mark.usefixtures("quantized_sum")
def test_so_do_those_of_dispatch_models_and_of_comparisons(capsys):
    for options, values, tensors in (
        ((), "25, 27, 7", "cdey"),
        (("--quantized", "integers"), "26, 28, 7", "y"),
    ):
        shown = run(capsys, "run", "by.json", *options).out.splitlines()[-1]
        assert shown == f"Resource 'y': {values}"
        shown = run(capsys, "compare", "sum.onnx", "--with", "portable", "--json", *options).out
        assert [each["tensor"] for each in json.loads(shown)["tensors"]] == list(tensors)


@pytest.mark.usefixtures("quantized_sum")
def test_refuses_other_forms_of_quantized_graphs(capsys):
    with pytest.raises(SystemExit):
        main(["run", "sum.onnx", "--quantized", "integer"])
    assert "needs as-written or integers, got 'integer'" in capsys.readouterr().err
    run(capsys, "export", "sum.onnx", "-o", "sum.bin")
    error = run(capsys, "run", "sum.bin", "--quantized", "integers", code=2).err
    assert error == "indirectml: --quantized: goes with an ONNX model, got sum.bin\n"
